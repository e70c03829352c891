from __future__ import annotations

import pytest

from pincite.checks import JUDGES
from pincite.checks.rules import rules
from pincite.ports import ClaimTask, Judgement, Passage
from pincite.types import Span, Support

REFUNDS = "Refunds are paid within 30 days of delivery. Shipping costs are not refunded."


def judge(claim: str, *passages: str) -> Judgement:
    texts = tuple(Passage(f"c-{n}", text) for n, text in enumerate(passages, start=1))
    return rules([ClaimTask(claim, texts)])[0]


def test_the_rules_are_a_judge_by_that_name() -> None:
    assert JUDGES["rules"] is rules


def test_a_verbatim_sentence_is_supported_with_score_one_and_its_span() -> None:
    found = judge("Refunds are paid within 30 days of delivery.", REFUNDS)
    assert (found.support, found.score) == (Support.SUPPORTED, 1.0)
    assert found.passages[0].spans == (Span(0, 44),)


def test_a_changed_number_with_the_same_subject_is_contradicted_and_both_values_are_given() -> None:
    found = judge("Refunds are paid within 90 days of delivery.", REFUNDS)
    assert found.support is Support.CONTRADICTED
    assert found.reason == "number differs: answer 90 days, source 30 days"
    assert [(d.answer, d.source) for d in found.differences] == [("90 days", "30 days")]


def test_a_number_is_bound_to_its_clause_and_its_table_row() -> None:
    sentence = "Basic has 10 GB and Plus has 50 GB."
    table = "| Plan | Storage |\n|---|---|\n| Basic | 10 GB |\n| Plus | 50 GB |"
    assert judge("Plus has 50 GB of storage.", table).support is Support.SUPPORTED
    for source in (sentence, table, "Basic has 10 GB. Plus has 50 GB."):
        assert judge("Basic has 50 GB.", source).support is not Support.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Refunds are available after 30 days.", "Refunds are not available after 30 days."),
        ("Refunds are not available after 30 days.", "Refunds are available after 30 days."),
    ],
)
def test_a_negation_on_one_side_only_is_never_supported(claim: str, source: str) -> None:
    assert judge(claim, source).support in (Support.CONTRADICTED, Support.UNSUPPORTED)


def test_two_passages_that_each_back_one_clause_support_the_sentence_together() -> None:
    found = judge(
        "Files may be up to 25 MB in PDF format.", "Files may be up to 25 MB.", "Supported: PDF format."
    )
    assert found.support is Support.SUPPORTED
    assert [one.support for one in found.passages] == [Support.SUPPORTED, Support.SUPPORTED]


def test_without_passages_nothing_is_checked() -> None:
    assert judge("Refunds are paid within 30 days.").support is Support.UNCHECKED
