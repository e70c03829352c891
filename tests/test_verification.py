"""Check somebody else's answer: no model, no index, no network."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from pincite import Document, verify
from pincite.checks.rules import rules
from pincite.errors import ConfigError, VerificationError
from pincite.findings import AnswerStatus, CitationStatus, Support
from pincite.ports import ClaimTask, Judgement
from tests.doubles import ScriptedJudge, pipeline

SOURCES = ["Guided tours cost 5 EUR per person.", "Parking is free after six."]


def test_a_right_answer_passes() -> None:
    report = verify("Guided tours cost 5 EUR per person [1]. Parking is free after six [2].", SOURCES)
    assert report.ok
    assert report.metrics.grounded
    assert [citation.status for citation in report.citations] == [CitationStatus.VERIFIED] * 2


def test_a_wrong_number_does_not_pass_and_both_values_are_told() -> None:
    report = verify("Guided tours cost 50 EUR per person [1].", SOURCES)
    assert not report.ok
    assert "50 EUR" in str(report)
    assert "5 EUR" in str(report)


def test_a_source_that_was_never_given_is_told_apart_from_a_wrong_one() -> None:
    report = verify("Guided tours cost 5 EUR per person [3]. Parking is free after six [1].", SOURCES)
    first, second = (sentence.verdict.checks[0].status for sentence in report.sentences)
    assert first is CitationStatus.INVALID
    assert second is CitationStatus.MISATTRIBUTED


def test_sentences_that_need_no_citation_do_not_count() -> None:
    report = verify("Hello! Guided tours cost 5 EUR per person [1]. Anything else?", SOURCES)
    assert report.ok
    assert report.metrics.citation_coverage == 1.0


def test_an_uncited_sentence_is_found_even_when_it_is_true() -> None:
    report = verify("Guided tours cost 5 EUR per person. Parking is free after six [2].", SOURCES)
    assert not report.ok
    assert report.metrics.citation_coverage == 0.5
    assert report.failed[0].support is Support.SUPPORTED
    assert "uncited" in str(report)


def test_nothing_cited_is_uncited() -> None:
    assert verify("Guided tours cost 5 EUR per person.", SOURCES).answer_status is AnswerStatus.UNCITED


def test_nothing_to_count_is_none_and_not_a_perfect_score() -> None:
    report = verify("Hello!", SOURCES)
    assert report.metrics.citation_coverage is None
    assert report.metrics.citation_accuracy is None
    assert not report.metrics.grounded


def test_markers_in_a_form_nobody_agreed_on_are_reported() -> None:
    report = verify("Guided tours cost 5 EUR per person (1).", SOURCES)
    assert report.format_drift
    assert report.answer_status is AnswerStatus.UNCITED


@pytest.mark.parametrize("marker", ["[1]", "[c-1]", "[Source 1]", "【1】", "[fees]", "[Source 1, page 5]"])
def test_every_known_marker_form_is_read(marker: str) -> None:
    source = {"id": "fees", "text": SOURCES[0]}
    assert verify(f"Guided tours cost 5 EUR per person {marker}.", [source]).ok


@dataclass
class Node:
    page_content: str
    metadata: dict[str, Any]


@pytest.mark.parametrize(
    "source",
    [
        SOURCES[0],
        {"text": SOURCES[0]},
        {"content": SOURCES[0], "title": "Fees"},
        Document("fees", SOURCES[0]),
        Node(SOURCES[0], {"source": "https://example.com/fees"}),
    ],
)
def test_sources_come_in_many_shapes(source: Any) -> None:
    assert verify("Guided tours cost 5 EUR per person [1].", [source]).ok


def test_our_own_answer_brings_its_sources() -> None:
    answer = pipeline(Document("fees", SOURCES[0])).ask("What do guided tours cost?")
    assert verify(answer).ok


def test_an_object_with_answer_and_citations_has_its_quotes_checked() -> None:
    answer = {
        "answer": "Guided tours cost 5 EUR per person [c-1].",
        "citations": [{"id": "c-1", "quote": "tours cost 7 EUR", "chunk_id": "c-1"}],
    }
    report = verify(answer, SOURCES)
    assert report.citations[0].status is CitationStatus.UNVERIFIED
    assert "Quote not in source" in report.citations[0].reason


def test_a_failed_check_can_be_raised_with_its_report() -> None:
    with pytest.raises(VerificationError, match="1 of 1 sentences do not hold") as caught:
        verify("Guided tours cost 50 EUR per person [1].", SOURCES, on_fail="raise")
    assert not caught.value.report.ok  # type: ignore[attr-defined]


def test_a_judge_of_ones_own_may_be_given() -> None:
    judge = ScriptedJudge(tours=Support.UNCHECKED)
    report = verify("Guided tours cost 5 EUR per person [1].", SOURCES, judge=judge)
    assert report.citations[0].status is CitationStatus.NOT_CHECKABLE


@pytest.mark.parametrize(
    ("answer", "sources", "options", "message"),
    [
        ("x [1].", "one text", {}, "sources must be a list"),
        ("x [1].", [3], {}, "source 1 has no text"),
        ("x [1].", None, {}, "no sources"),
        (3, SOURCES, {}, "cannot read an answer from int"),
        ("x [1].", SOURCES, {"judge": "ruled"}, "did you mean rules?"),
        ("x [1].", SOURCES, {"on_fail": "explode"}, "on_fail must be"),
    ],
)
def test_input_that_cannot_be_used_says_what_to_do(
    answer: Any, sources: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        verify(answer, sources, **options)


@pytest.mark.parametrize(
    "text", ["", "\x00", "[1]", "[1][1][1]", "\ud800 [1]", "a" * 20_000 + " [1].", "\u202e[1]."]
)
def test_odd_answers_are_reports_and_no_errors(text: str) -> None:
    report = verify(text, SOURCES)
    assert not any(sentence.support is Support.SUPPORTED for sentence in report.sentences)
    assert report.to("text")


def test_a_citation_that_the_sentence_does_not_need_is_told() -> None:
    report = verify("Guided tours cost 5 EUR per person [1][2].", SOURCES)
    first, second = report.to("text").splitlines()[3:5]
    assert "not needed" not in first
    assert "not needed" in second
    needed = [check["necessary"] for check in json.loads(report.to("json"))["sentences"][0]["checks"]]
    assert needed == [True, False]


# --- odd arguments, and many of them ------------------------------------------------------------


@pytest.mark.parametrize(
    "given", [{"sources": 5}, {"sources": ["a"], "judge": 5}, {"sources": ["a"], "judge": None}]
)
def test_arguments_of_a_wrong_type_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        verify("Entry is free [1].", **given)


def test_passages_that_all_carry_the_id_of_their_document_are_told_apart_by_what_they_say() -> None:
    passages = [{"id": "fees", "text": "Entry is free."}, {"id": "fees", "text": "Tours cost 5 EUR."}]
    report = verify("Entry is free [fees]. Tours cost 5 EUR [fees].", passages)
    assert [sentence.support for sentence in report.sentences] == [Support.SUPPORTED] * 2


def test_of_many_sources_those_that_share_words_are_asked_alone() -> None:
    asked: list[int] = []

    def counting(tasks: Sequence[ClaimTask]) -> tuple[Judgement, ...]:
        asked.extend(len(task.passages) for task in tasks)
        return rules(tasks)

    sources = [f"Room {place} holds {place} people." for place in range(400)] + ["Entry is free."]
    report = verify("Entry is free. Room 7 holds 7 people [401].", sources, judge=counting)
    uncited, misattributed = report.sentences
    assert uncited.verdict.backed_by == ("c-401",)
    assert [check.status for check in misattributed.verdict.checks] == [CitationStatus.MISATTRIBUTED]
    assert sum(asked) < 250


def test_a_sentence_that_shares_no_word_with_many_sources_is_judged_all_the_same() -> None:
    (sentence,) = verify("Whales sing.", [f"Room {place} is open." for place in range(60)]).sentences
    assert sentence.support is not Support.SUPPORTED
    assert "no source" not in sentence.reason
