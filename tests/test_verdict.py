"""One citation: where its quote stands, what its passage says, and the status that follows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pincite.checks.rules import rules
from pincite.claims import aliases, parse_claims
from pincite.context import Context
from pincite.findings import CitationCheck, CitationStatus, QuoteMatchKind, Support, Verdict
from pincite.ports import ClaimTask, Judge, Judgement
from pincite.types import Quote
from pincite.verdict import check_claims, citation_status
from tests.doubles import ScriptedJudge, hits

EXACT, FUZZY, DERIVED, NONE = (
    QuoteMatchKind.EXACT,
    QuoteMatchKind.FUZZY,
    QuoteMatchKind.DERIVED,
    QuoteMatchKind.NONE,
)


@pytest.mark.parametrize(
    ("retrieved", "searchable", "support", "match", "elsewhere", "status"),
    [
        (False, True, "supported", EXACT, False, "invalid"),
        (True, False, "supported", EXACT, False, "not_checkable"),
        (True, True, "contradicted", EXACT, True, "contradicted"),
        (True, True, "unsupported", DERIVED, True, "misattributed"),
        (True, True, "supported", NONE, True, "misattributed"),
        (True, True, "supported", EXACT, True, "verified"),
        (True, True, "supported", NONE, False, "unverified"),
        (True, True, "unsupported", EXACT, False, "unverified"),
        (True, True, "partial", EXACT, False, "unverified"),
        (True, True, "unchecked", EXACT, False, "not_checkable"),
        (True, True, "supported", FUZZY, False, "paraphrased"),
        (True, True, "supported", EXACT, False, "verified"),
        (True, True, "supported", QuoteMatchKind.NORMALIZED, False, "verified"),
        (True, True, "supported", QuoteMatchKind.UNIT_EQUIVALENT, False, "verified"),
        (True, True, "supported", DERIVED, False, "verified"),
    ],
)
def test_the_first_row_of_the_table_that_applies_gives_the_status(
    retrieved: bool, searchable: bool, support: str, match: QuoteMatchKind, elsewhere: bool, status: str
) -> None:
    found = citation_status(
        retrieved=retrieved,
        searchable=searchable,
        support=Support(support),
        quote_match=match,
        found_elsewhere=elsewhere,
    )
    assert found == CitationStatus(status)


def checked(
    text: str, *sources: str, quotes: tuple[Quote, ...] = (), judge: Judge = rules
) -> tuple[Verdict, ...]:
    found = hits(*sources)
    claims = parse_claims(text, aliases(found), quotes).claims
    return check_claims(claims, Context.of(found), judge)


def only(verdicts: tuple[Verdict, ...]) -> CitationCheck:
    (verdict,) = verdicts
    (check,) = verdict.checks
    return check


def test_an_invented_id_is_invalid_and_its_sentence_is_not_supported() -> None:
    (verdict,) = checked("Encryption is AES-256 [7].", "Files are encrypted.")
    assert verdict.checks[0].status is CitationStatus.INVALID
    assert verdict.support is Support.UNSUPPORTED
    assert "never retrieved" in verdict.reason


def test_a_citation_without_a_quote_points_at_the_sentence_that_backs_it() -> None:
    source = "Towels are free. Tours cost 5 EUR per person. Dogs wait outside."
    check = only(checked("Tours cost 5 EUR per person [1].", source))
    assert check.quote_match is DERIVED
    assert [span.of(source) for span in check.spans] == ["Tours cost 5 EUR per person."]


def test_a_quote_is_located_in_the_document_as_written() -> None:
    source = "Entry is free.  Tours cost\n5 EUR per person."
    check = only(
        checked("Tours cost 5 EUR per person [1].", source, quotes=(Quote("c-1", "Tours cost 5 EUR"),))
    )
    assert check.quote_match is QuoteMatchKind.NORMALIZED
    assert [span.of(source) for span in check.spans] == ["Tours cost\n5 EUR"]


def test_a_quote_with_another_number_is_never_verified() -> None:
    source = "Files are kept for 30 days."
    check = only(checked("Files are kept for 30 days [1].", source, quotes=(Quote("1", "kept for 90 days"),)))
    assert check.quote_match is NONE
    assert check.status is CitationStatus.UNVERIFIED
    assert "90 days" in check.reason


def test_a_sentence_that_another_passage_says_is_misattributed_and_names_it() -> None:
    check = only(
        checked(
            "Tours cost 5 EUR per person [1].",
            "Parking is in the yard.",
            "Tours cost 5 EUR per person.",
        )
    )
    assert check.status is CitationStatus.MISATTRIBUTED
    assert check.suggested_chunk_id == "source-2"


def test_markers_in_the_middle_are_judged_against_their_own_clause() -> None:
    judge = ScriptedJudge()
    checked("Uploads may be 25 MB [1] and stay for 90 days [2].", "one", "two", judge=judge)
    asked = [(task.claim, [passage.id for passage in task.passages]) for task in judge.tasks]
    assert asked[0] == ("Uploads may be 25 MB and stay for 90 days.", ["c-1", "c-2"])
    assert ("Uploads may be 25 MB", ["c-1"]) in asked
    assert any(claim.startswith("and stay for 90 days") and ids == ["c-2"] for claim, ids in asked)


def test_one_bad_clause_does_not_spoil_the_citation_of_the_other() -> None:
    judge = ScriptedJudge(**{"25 MB and": Support.CONTRADICTED, "90 days": Support.CONTRADICTED})
    (verdict,) = checked("Uploads may be 25 MB [1] and stay for 90 days [2].", "one", "two", judge=judge)
    assert verdict.support is Support.CONTRADICTED
    assert [check.status for check in verdict.checks] == [
        CitationStatus.VERIFIED,
        CitationStatus.CONTRADICTED,
    ]


def test_text_after_the_last_marker_must_be_backed_too() -> None:
    judge = ScriptedJudge(**{"and cats may be uploaded": Support.PARTIAL})
    (verdict,) = checked(
        "Entry is free [1] and tours cost 5 EUR [2] and cats may be uploaded.", "a", "b", judge=judge
    )
    assert verdict.support is Support.PARTIAL


def test_no_citation_is_green_on_the_text_of_its_neighbour() -> None:
    says, denies = "Deleted files are kept for 30 days.", "Deleted files are kept for 90 days."
    (verdict,) = checked("Deleted files are kept for 30 days [1][2].", says, denies)
    assert verdict.support is Support.CONTRADICTED
    assert [check.status for check in verdict.checks] == [
        CitationStatus.VERIFIED,
        CitationStatus.CONTRADICTED,
    ]
    (verdict,) = checked("Deleted files are kept for 30 days [1][2].", says, "Dogs wait outside.")
    assert [check.status for check in verdict.checks] == [CitationStatus.VERIFIED, CitationStatus.UNVERIFIED]


def test_passages_that_say_it_only_together_are_both_verified() -> None:
    (verdict,) = checked(
        "The Basic plan has 10 GB and the Plus plan has 50 GB [1][2].",
        "The Basic plan has 10 GB.",
        "The Plus plan has 50 GB.",
    )
    assert verdict.support is Support.SUPPORTED
    assert [check.status for check in verdict.checks] == [CitationStatus.VERIFIED] * 2


def test_a_sentence_without_a_citation_is_judged_against_every_passage() -> None:
    (verdict,) = checked("Tours cost 5 EUR per person.", "Parking is free.", "Tours cost 5 EUR per person.")
    assert verdict.checks == ()
    assert verdict.support is Support.SUPPORTED
    assert verdict.backed_by == ("c-2",)


def test_a_source_without_text_cannot_be_checked_against() -> None:
    check = only(checked("Tours cost 5 EUR [1].", " "))
    assert check.status is CitationStatus.NOT_CHECKABLE


def test_nothing_to_check_calls_no_judge() -> None:
    judge = ScriptedJudge()
    assert checked("", "Entry is free.", judge=judge) == ()
    assert judge.tasks == []


def test_a_table_row_comes_with_its_header_row() -> None:
    table = "Limits:\n\n| Plan | Largest file |\n|---|---|\n| Solo | 25 MB |\n| Studio | 250 MB |\n"
    check = only(
        checked("Studio: largest file 250 MB [1].", table, quotes=(Quote("1", "| Studio | 250 MB |"),))
    )
    assert [span.of(table) for span in check.spans] == ["| Plan | Largest file |", "| Studio | 250 MB |"]


# --- necessity ----------------------------------------------------------------------------------

FEE, DOGS, TOWELS = "Guided tours cost 5 EUR per person.", "Dogs wait outside.", "Towels are free."


def necessary(text: str, *sources: str, judge: Judge = rules) -> list[bool | None]:
    (verdict,) = checked(text, *sources, judge=judge)
    return [check.necessary for check in verdict.checks]


def test_of_two_citations_that_say_half_each_both_are_necessary() -> None:
    both = f"{FEE[:-1]} and dogs wait outside [1][2]."
    assert necessary(both, FEE, DOGS) == [True, True]


def test_a_citation_is_padding_where_another_says_it_all() -> None:
    assert necessary(f"{FEE[:-1]} [1][2].", FEE, DOGS) == [True, False]


def test_of_two_that_both_say_it_all_each_can_be_left_out() -> None:
    assert necessary(f"{FEE[:-1]} [1][2].", FEE, FEE) == [False, False]


def test_of_three_the_others_are_judged_together_once_more() -> None:
    both = f"{FEE[:-1]} and dogs wait outside [1][2][3]."
    assert necessary(both, FEE, DOGS, TOWELS) == [True, True, False]


def test_a_citation_that_alone_backs_its_clause_is_necessary() -> None:
    assert necessary(f"{FEE[:-1]} [1], and dogs wait outside [2].", FEE, f"{DOGS} {FEE}") == [True, True]


def test_necessity_is_asked_of_supported_sentences_with_several_citations_alone() -> None:
    assert necessary("Guided tours cost 5 EUR per person [1].", FEE) == [None]
    assert necessary("Guided tours cost 6 EUR per person [1][2].", FEE, DOGS) == [None, None]
    assert necessary("Guided tours cost 5 EUR per person [1][1].", FEE) == [None, None]


def test_there_is_at_most_one_further_judgement_for_each_citation() -> None:
    asked: list[int] = []

    def counting(tasks: Sequence[ClaimTask]) -> tuple[Judgement, ...]:
        asked.append(len(tasks))
        return rules(tasks)

    necessary(f"{FEE[:-1]} and dogs wait outside [1][2][3].", FEE, DOGS, TOWELS, judge=counting)
    assert asked == [4, 3]


def test_a_reason_has_capitals_and_says_once_that_it_is_word_for_word() -> None:
    source = "Any scanner can be returned within 30 days of delivery."
    same = only(checked(f"{source[:-1]} [1].", source, quotes=(Quote("c-1", source),)))
    other = only(checked("A scanner can be returned within 30 days of delivery [1].", source, quotes=(Quote("c-1", source),)))  # fmt: skip
    assert [same.reason, other.reason] == [
        "Quote found word for word.",
        "Quote found word for word. The source says this.",
    ]
