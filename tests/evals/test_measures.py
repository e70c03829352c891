"""Each metric of one answer, with the answer and its sources in sight."""

from __future__ import annotations

from typing import Any

import pytest

from pincite.checks.rules import rules
from pincite.evals.judges import JudgeError, rate_by_verdict, ratings_by_model, ratings_by_verdict
from pincite.evals.measures.items import Measured, Thresholds, measure, missing_numbers
from pincite.evals.observe import Observed, observe_recorded
from pincite.evals.values import GoldenItem
from pincite.findings import CitationCheck, CitationStatus, QuoteMatchKind, Support
from pincite.llms.scripted import ScriptedModel

LIMITS = {"id": "doc-limits", "text": "Files may be up to 25 MB. Larger files are refused."}
RETENTION = {"id": "doc-retention", "text": "Deleted files are kept for 30 days."}


def seen(answer: Any, *sources: dict[str, Any], **expected: Any) -> Observed:
    return observe_recorded(item(answer, *sources, **expected), rules)


def item(answer: Any, *sources: dict[str, Any], **expected: Any) -> GoldenItem:
    return GoldenItem("g-1", "?", answer=answer, sources=sources or (LIMITS, RETENTION), **expected)


def measured(answer: Any, *sources: dict[str, Any], **expected: Any) -> Measured:
    given = item(answer, *sources, **expected)
    found = observe_recorded(given, rules)
    return measure(given, found, {"rules": ratings_by_verdict(found.sentences)})


def test_an_answer_that_holds_has_ones_where_more_is_better_and_zeros_where_less_is() -> None:
    found = measured("Files may be up to 25 MB [1]. Deleted files are kept for 30 days [2].")
    ones = ("coverage", "precision", "verified_rate", "fully_grounded_rate", "mean_precision", "citation_coverage",
            "confidence_score", "grounded_rate", "citation_accuracy", "verification_rate", "alce_citation_recall",
            "alce_citation_precision")  # fmt: skip
    assert {name: found.values[name] for name in ones} == dict.fromkeys(ones, 1.0)
    zeros = ("hallucination_rate", "wrong_citation_rate", "uncited_rate", "answerable_declined")
    assert {name: found.values[name] for name in zeros} == dict.fromkeys(zeros, 0.0)
    assert found.reasons == ()


def test_an_invented_source_is_told_from_a_real_but_wrong_one() -> None:
    invented = measured("Files may be up to 25 MB [7].").values
    wrong = measured("Files may be up to 90 MB [1].").values
    assert (invented["hallucination_rate"], invented["wrong_citation_rate"]) == (1.0, 0.0)
    assert (wrong["hallucination_rate"], wrong["wrong_citation_rate"]) == (0.0, 1.0)
    assert invented["precision"] == wrong["precision"] == 0.0


def test_a_pooled_metric_weighs_an_answer_by_its_citations_or_sentences() -> None:
    found = measured(
        "Files may be up to 25 MB [1]. Deleted files are kept for 30 days. Larger files are refused [1]."
    )
    assert found.values["coverage"] == pytest.approx(2 / 3, abs=1e-6)
    assert found.weights["coverage"] == 3
    assert found.weights["precision"] == 2
    assert found.values["uncited_rate"] == pytest.approx(1 / 3, abs=1e-6)


def test_alce_counts_a_citation_that_is_not_needed_against_precision() -> None:
    found = measured("Files may be up to 25 MB [1][2].").values
    assert found["alce_citation_recall"] == 1.0
    assert found["alce_citation_precision"] == 0.5


def test_alce_counts_sources_that_support_only_together() -> None:
    price = {"id": "a", "text": "The Reed scanner costs 199 euros."}
    weight = {"id": "b", "text": "The Reed scanner weighs 2 kilograms."}
    found = measured("The Reed scanner costs 199 euros and weighs 2 kilograms [1][2].", price, weight).values
    assert (found["alce_citation_recall"], found["alce_citation_precision"]) == (1.0, 1.0)


def test_a_declined_question_has_no_figures_of_an_answer() -> None:
    found = measured({"answer": "", "citations": [], "abstained": True}, must_abstain=True)
    assert found.values["coverage"] is found.values["precision"] is found.values["answer_correct"] is None
    assert found.values["abstain_precision"] == found.values["abstain_recall"] == 1.0
    assert found.values["answerable_declined"] is None
    assert found.reasons == ()


def test_a_refusal_in_words_alone_is_an_abstention() -> None:
    assert seen("I don't know.").abstained
    assert not seen("I don't know. Files may be up to 25 MB [1].").abstained


def test_declining_what_can_be_answered_is_wrong() -> None:
    found = measured({"answer": "", "abstained": True})
    assert found.values["answer_correct"] == 0.0
    assert found.values["answerable_declined"] == 1.0
    assert found.values["abstain_precision"] == 0.0


def test_answering_what_nothing_answers_is_wrong() -> None:
    found = measured("Files may be up to 25 MB [1].", must_abstain=True)
    assert found.values["abstain_recall"] == 0.0
    assert found.reasons == ("answers what nothing answers",)


def test_the_right_words_make_an_answer_correct() -> None:
    text = "Files may be up to 25 MB [1]."
    assert measured(text, must_include=(("25 MB",),)).values["answer_correct"] == 1.0
    assert measured(text, must_include=(("30 days",),)).values["answer_correct"] == 0.0
    assert measured(text, must_not_include=("25 MB",)).values["answer_correct"] == 0.0


def test_without_words_the_numbers_of_the_reference_decide() -> None:
    text = "Files may be up to 25 MB [1]."
    assert measured(text, reference_answer="25 megabytes.").values["answer_correct"] == 1.0
    assert measured(text, reference_answer="30 days.").values["answer_correct"] == 0.0
    assert missing_numbers("Within 30 days, for EUR 5.", "Five euros.", "en") == ("30 days",)


def test_without_words_and_numbers_a_right_answer_cites_an_expected_document() -> None:
    text = "Larger files are refused [1]."
    assert measured(text, expected_doc_ids=("doc-limits",)).values["answer_correct"] == 1.0
    assert measured(text, expected_doc_ids=("doc-retention",)).values["answer_correct"] == 0.0
    assert measured(text).values["answer_correct"] is None


def test_what_was_cited_is_compared_with_what_was_expected() -> None:
    found = measured("Files may be up to 25 MB [1].", expected_doc_ids=("doc-limits", "doc-retention")).values
    assert (found["expected_citation_precision"], found["expected_citation_recall"]) == (1.0, 0.5)
    assert found["retrieval_recall"] == found["mrr"] == 1.0


def test_a_part_that_is_not_covered_must_be_named() -> None:
    told = {"answer": "Files may be up to 25 MB [1].", "uncovered_aspects": ["its price in euros"]}
    assert measured(told, expected_uncovered=("Price",)).values["uncovered_recall"] == 1.0
    assert measured(told, expected_uncovered=("colour",)).values["uncovered_recall"] == 0.0
    assert (
        measured("Files may be up to 25 MB [1].", expected_uncovered=("Price",)).values["uncovered_recall"]
        is None
    )


def test_when_an_answer_is_grounded_is_a_setting() -> None:
    answer = "Files may be up to 25 MB [1]. Deleted files are kept for 30 days."
    given = item(answer)
    found = observe_recorded(given, rules)
    ratings = {"rules": ratings_by_verdict(found.sentences)}
    assert measure(given, found, ratings).values["grounded_rate"] == 0.0
    assert measure(given, found, ratings, Thresholds(0.9, 0.5)).values["grounded_rate"] == 1.0


# --- ratings ------------------------------------------------------------------------------------


def check(status: CitationStatus, match: QuoteMatchKind, support: Support) -> CitationCheck:
    return CitationCheck("c-1", status, match, 1.0, support)


@pytest.mark.parametrize(
    ("status", "match", "support", "rating"),
    [
        (CitationStatus.VERIFIED, QuoteMatchKind.EXACT, Support.SUPPORTED, 5),
        (CitationStatus.VERIFIED, QuoteMatchKind.DERIVED, Support.SUPPORTED, 4),
        (CitationStatus.PARAPHRASED, QuoteMatchKind.FUZZY, Support.SUPPORTED, 4),
        (CitationStatus.UNVERIFIED, QuoteMatchKind.EXACT, Support.PARTIAL, 3),
        (CitationStatus.NOT_CHECKABLE, QuoteMatchKind.NONE, Support.UNCHECKED, 3),
        (CitationStatus.UNVERIFIED, QuoteMatchKind.NONE, Support.UNSUPPORTED, 2),
        (CitationStatus.MISATTRIBUTED, QuoteMatchKind.NONE, Support.UNSUPPORTED, 2),
        (CitationStatus.CONTRADICTED, QuoteMatchKind.NONE, Support.CONTRADICTED, 1),
        (CitationStatus.INVALID, QuoteMatchKind.NONE, Support.UNSUPPORTED, 1),
    ],
)
def test_a_verdict_amounts_to_a_rating(
    status: CitationStatus, match: QuoteMatchKind, support: Support, rating: int
) -> None:
    assert rate_by_verdict(check(status, match, support)) == rating


def test_a_language_model_rates_each_citation_that_exists() -> None:
    found = seen("Files may be up to 25 MB [1]. Deleted files are kept for 30 days [9].")
    model = ScriptedModel(['{"supports": true, "contradicts": false, "rating": 4}'])
    assert ratings_by_model(found.sentences, found.hits, model) == (4, 1)
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    "reply",
    ["", "Looks good to me!", '{"rating": 0}', '{"rating": 6}', '{"rating": "5"}', '{"rating": true}'],
)
def test_a_judge_that_says_no_rating_is_an_error_and_no_rating(reply: str) -> None:
    found = seen("Files may be up to 25 MB [1].")
    with pytest.raises(JudgeError, match="no rating"):
        ratings_by_model(found.sentences, found.hits, ScriptedModel([reply]))
