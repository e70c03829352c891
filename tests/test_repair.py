"""What happens to a sentence that did not pass."""

from __future__ import annotations

import pytest

from pincite import verify
from pincite.answer import REMOVAL_NOTE
from pincite.checks.rules import rules
from pincite.claims import aliases, parse_claims
from pincite.context import Context
from pincite.findings import Sentence
from pincite.repair import (
    feedback,
    holds,
    removal_reason,
    repoint,
    without_failed_markers,
    without_failed_quotes,
)
from pincite.text.strip import strip_failed
from pincite.types import Quote, Statement
from pincite.verdict import check_claims
from tests.doubles import hits

SOURCES = ("Guided tours cost 5 EUR per person.", "Dogs wait outside.")
CONTEXT = Context.of(hits(*SOURCES))


def judged(statement: Statement) -> list[Sentence]:
    parsed = parse_claims(statement.text, aliases(hits(*SOURCES)), statement.quotes)
    verdicts = check_claims(parsed.claims, CONTEXT, rules)
    return [Sentence(claim, found) for claim, found in zip(parsed.claims, verdicts, strict=True)]


def first(answer: str) -> Sentence:
    return verify(answer, list(SOURCES)).sentences[0]


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("Guided tours cost 5 EUR per person [1].", True),
        ("Guided tours cost 6 EUR per person [1].", False),
        ("Guided tours cost 5 EUR per person [2].", False),
        ("Guided tours cost 5 EUR per person [8].", False),
        ("Guided tours cost 5 EUR per person.", False),
        ("Guided tours in town cost 5 EUR per person [1].", True),
        ("Whales sing [1].", False),
        ("Guided missiles are built in Nevada [1].", False),
        ("Here is what I found:", True),
        ("# Tours in 2 languages", True),
        ("# Parking costs 900 USD", False),
        ("Opened in 2024:", True),
        ("Guided tours cost 9 EUR per person:", False),
        ("# Guided tours cost 9 EUR per person", False),
        ("Hello!", True),
        ("Hello [8]!", False),
    ],
)
def test_only_what_holds_is_kept(answer: str, kept: bool) -> None:
    assert holds(first(answer)) is kept


def test_an_uncited_sentence_holds_when_no_citation_is_asked_for() -> None:
    assert holds(first("Guided tours cost 5 EUR per person."), require_citation=False)


def test_a_wrong_source_is_replaced_by_the_right_one() -> None:
    claim = repoint(first("Guided tours cost 5 EUR per person [2]."), CONTEXT)
    assert claim is not None
    assert claim.cited_ids == ("c-1",)


def test_an_invented_source_is_replaced_by_the_one_that_says_it() -> None:
    claim = repoint(first("Guided tours cost 5 EUR per person [8]."), CONTEXT)
    assert claim is not None
    assert [(pointer.id, pointer.known) for pointer in claim.pointers] == [("c-1", True)]


def test_a_false_sentence_cannot_be_pointed_right() -> None:
    assert repoint(first("Guided tours cost 6 EUR per person [1]."), CONTEXT) is None


def test_a_quote_that_stands_elsewhere_shows_the_right_source() -> None:
    (sentence,) = judged(
        Statement("Guests pay 5 EUR for tours.", (Quote("c-2", "Guided tours cost 5 EUR per person"),))
    )
    claim = repoint(sentence, CONTEXT)
    assert claim is not None
    assert claim.cited_ids == ("c-1",)


def test_a_short_quote_names_no_other_source() -> None:
    (sentence,) = judged(Statement("Guests pay 5 EUR.", (Quote("c-2", "5 EUR"),)))
    assert repoint(sentence, CONTEXT) is None


def test_an_invented_quote_goes_where_the_passage_says_it_all_the_same() -> None:
    (sentence,) = judged(
        Statement("Guided tours cost 5 EUR per person.", (Quote("c-1", "Each visitor is charged 5 EUR"),))
    )
    claim = without_failed_quotes(sentence)
    assert claim is not None
    assert [(pointer.id, pointer.quote) for pointer in claim.pointers] == [("c-1", None)]


def test_a_failed_marker_goes_and_the_good_one_stays() -> None:
    claim = without_failed_markers(first("Guided tours cost 5 EUR per person [1][8]."))
    assert claim is not None
    assert claim.cited_ids == ("c-1",)


def test_nothing_is_left_of_a_sentence_whose_markers_all_failed() -> None:
    assert without_failed_markers(first("Guided tours cost 5 EUR per person [8].")) is None


def test_feedback_names_the_claim_the_id_and_the_reason() -> None:
    told = feedback([first("Guided tours cost 6 EUR per person [1].")])
    assert "6 EUR" in told
    assert "was not found in c-1. Either fix the quote or remove the claim." in told


def test_a_removed_sentence_has_a_reason_for_the_reader() -> None:
    assert "never retrieved" in removal_reason(first("Guided tours cost 5 EUR per person [8]."))


def test_an_answer_of_somebody_else_is_stripped_to_what_holds() -> None:
    answer = "Guided tours cost 5 EUR per person [1]. They last 9 hours [2]. Dogs wait outside [2]."
    report = verify(answer, list(SOURCES), on_fail="strip")
    assert report.stripped == (
        f"Guided tours cost 5 EUR per person [1]. Dogs wait outside [2].\n\n{REMOVAL_NOTE}"
    )


def test_an_answer_that_holds_is_left_as_it_is() -> None:
    answer = "Guided tours cost **5 EUR** per person. [1]\n\n- Dogs wait outside [2]."
    assert verify(answer, list(SOURCES), on_fail="strip").stripped == answer


@pytest.mark.parametrize(
    ("answer", "failed", "body"),
    [
        ("Entry is free [1]. Dogs pay [2].", ["1"], "Dogs pay [2]."),
        ("Entry is free [1, 2].", ["1"], "Entry is free [2]."),
        ("Entry is free [1][2].", ["2"], "Entry is free [1]."),
        ("- Entry is free [1].\n- Dogs pay [2].\n", ["1"], "- Dogs pay [2]."),
        ("## Fees\n\nEntry is free [1].", ["1"], "## Fees"),
        ("Entry is free [7].", [], ""),
        ("Entry is free. Dogs pay [2].", ["1"], "Entry is free. Dogs pay [2]."),
        ("入場は無料です[1]。犬は有料です[2]。", ["1"], "犬は有料です[2]。"),
        ("Use `a[1]` always [2].", ["1"], "Use `a[1]` always [2]."),
    ],
)
def test_failed_markers_take_their_sentences_along_and_nothing_else(
    answer: str, failed: list[str], body: str
) -> None:
    assert strip_failed(answer, ["1", "2"], failed).body == body
