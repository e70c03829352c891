"""Sources that do not say the same are shown side by side with their dates."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pincite import Document, Pipeline, verify
from pincite.llms.scripted import ScriptedModel
from tests.doubles import statement

STALE: dict[str, Any] = {
    "text": "Deleted files are kept for 90 days.", "title": "Old", "published_date": "2023-01-01",
}  # fmt: skip
NEW: dict[str, Any] = {
    "text": "Deleted files are kept for 30 days.", "title": "New", "published_date": "2025-01-01",
}  # fmt: skip
REASON = "New (2025-01-01) says 30 days; Old (2023-01-01, older) says 90 days."


@pytest.mark.parametrize(
    "answer",
    [
        "Deleted files are kept for 30 days [1].",
        "Deleted files are kept for 90 days [2].",
        "Deleted files are kept for 30 days [1][2].",
        "Deleted files are kept for 30 days [1]. Deleted files are kept for 90 days [2].",
    ],
)
def test_a_stale_article_beside_a_newer_one_is_a_conflict_whichever_is_cited(answer: str) -> None:
    (conflict,) = verify(answer, [NEW, STALE]).conflicts
    assert conflict.citation_ids == ("c-1", "c-2")
    assert conflict.values == ("30 days", "90 days")
    assert conflict.dates == ("2025-01-01", "2023-01-01")
    assert conflict.reason == REASON


def test_the_newer_stands_first_in_whatever_order_they_were_given() -> None:
    (conflict,) = verify("Deleted files are kept for 30 days [2].", [STALE, NEW]).conflicts
    assert (conflict.citation_ids, conflict.reason) == (("c-2", "c-1"), REASON)


def test_a_superseded_document_is_named() -> None:
    (conflict,) = verify(
        "Deleted files are kept for 30 days [1].", [NEW, {**STALE, "status": "superseded"}]
    ).conflicts
    assert conflict.superseded == "c-2"
    assert "Old (2023-01-01, superseded) says 90 days" in conflict.reason


def test_without_dates_nothing_is_called_older() -> None:
    undated = [{"text": one["text"], "title": one["title"]} for one in (STALE, NEW)]
    (conflict,) = verify("Deleted files are kept for 30 days [2].", undated).conflicts
    assert conflict.reason == "New (undated) says 30 days; Old (undated) says 90 days."
    assert conflict.superseded is None


@pytest.mark.parametrize(
    ("claim", "other"),
    [
        ("Deleted files are kept for 30 days", "Deleted files are kept for 30 days."),
        ("Deleted files are kept for 30 days", "Invoices are kept for 10 years."),
        ("Deleted files are kept for 30 days", "A single file may be up to 90 MB."),
        ("The Basic plan costs 5 EUR per month", "The Pro plan costs 9 EUR per month."),
        ("The office opens at 9:00 on Mondays", "The office opens at 10:00 on Tuesdays."),
        ("You get 5 GB of storage", "With Pro you get 50 GB of storage."),
        ("Standard shipping takes 5 days", "Express shipping takes 2 days."),
    ],
)
def test_passages_about_something_else_are_no_conflict(claim: str, other: str) -> None:
    assert verify(f"{claim} [1].", [f"{claim}.", other]).conflicts == ()


def test_two_passages_of_one_document_are_no_conflict() -> None:
    same = [{**one, "doc_id": "handbook", "id": one["title"]} for one in (NEW, STALE)]
    assert verify("Deleted files are kept for 30 days [1].", same).conflicts == ()


def test_a_wrong_sentence_shows_which_sources_disagree_too() -> None:
    assert len(verify("Deleted files are kept for 90 days [1].", [NEW, STALE]).conflicts) <= 1


def test_every_form_of_a_report_shows_it() -> None:
    report = verify("Deleted files are kept for 30 days [1].", [NEW, STALE])
    assert f"! The sources disagree: {REASON}" in report.to("text")
    assert f"> **The sources disagree:** {REASON}" in report.to("markdown")
    (shown,) = json.loads(report.to("json"))["conflicts"]
    assert (shown["dates"], shown["superseded"]) == (["2025-01-01", "2023-01-01"], None)


def test_an_answer_shows_what_was_retrieved_and_left_aside() -> None:
    model = ScriptedModel([statement("Deleted files are kept for 30 days [c-1].", ("c-1", None))])
    with Pipeline(store="memory", llm=model, embedder=None) as rag:
        for one in (NEW, STALE):
            rag.add(
                Document(one["title"], one["text"], title=one["title"], published_date=one["published_date"]),
                access="public",
            )
        answer = rag.ask("How long are deleted files kept?")
    assert [one.values for one in answer.conflicts] in ([("30 days", "90 days")],)
    for form in ("text", "markdown", "json"):
        assert "says 90 days" in answer.to(form)


def test_sources_that_say_it_in_other_words_conflict_all_the_same() -> None:
    sources = [
        {"text": "Refunds are paid within 30 days.", "title": "New", "published_date": "2025-01-01"},
        {
            "text": "Customers get their money back within 14 days.",
            "title": "Old",
            "published_date": "2023-01-01",
        },
    ]
    for answer in ("Refunds are paid within 30 days [1].", "Refunds are paid within 30 days [1][2]."):
        (conflict,) = verify(answer, sources).conflicts
        assert conflict.reason == "New (2025-01-01) says 30 days; Old (2023-01-01, older) says 14 days."


def test_a_second_source_about_something_else_contradicts_no_sentence_that_the_first_says() -> None:
    sources = ["The Basic plan costs 10 euros a month.", "The Pro plan costs 25 euros a month."]
    (sentence,) = verify("The Basic plan costs 10 euros a month [1][2].", sources).sentences
    assert sentence.verdict.support.value == "supported"
    assert [check.support.value for check in sentence.verdict.checks] == ["supported", "unsupported"]
