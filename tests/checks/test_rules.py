from __future__ import annotations

import pytest

from pincite.checks import JUDGES
from pincite.checks.options import JudgeOptions
from pincite.checks.rules import rules
from pincite.findings import Support
from pincite.ports import ClaimTask, Judgement, Passage
from pincite.types import Span

REFUNDS = "Refunds are paid within 30 days of delivery. Shipping costs are not refunded."


def judge(claim: str, *passages: str) -> Judgement:
    texts = tuple(Passage(f"c-{n}", text) for n, text in enumerate(passages, start=1))
    return rules([ClaimTask(claim, texts)])[0]


def test_the_rules_are_a_judge_by_that_name() -> None:
    assert JUDGES["rules"](JudgeOptions()) is rules


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


def test_a_claim_in_another_language_has_its_facts_compared_and_its_words_left_unchecked() -> None:
    source = "The period is 30 days. It starts when the parcel is delivered to you."
    agreeing = judge("Die Frist beträgt 30 Tage und beginnt mit der Lieferung.", source)
    differing = judge("Die Frist beträgt 90 Tage und beginnt mit der Lieferung.", source)
    assert agreeing.support is Support.UNCHECKED
    assert differing.support is Support.UNSUPPORTED


def test_unsupported_words_are_marked_in_the_claim() -> None:
    claim = "Refunds are paid within 30 days of delivery by bank transfer."
    found = judge(claim, REFUNDS)
    assert found.support is Support.PARTIAL
    assert [span.of(claim) for span in found.unsupported_words] == ["bank", "transfer"]


def test_a_contradiction_in_one_of_two_passages_wins() -> None:
    claim = "Refunds are paid within 30 days of delivery."
    found = judge(
        f"In short, {claim}",
        "Refunds are paid within 30 days of the delivery.",
        "Refunds are paid within 60 days of delivery.",
    )
    assert found.support is Support.CONTRADICTED
    assert found.passages[1].support is Support.CONTRADICTED


@pytest.mark.parametrize(
    "sentence",
    [
        "Not all refunds are never paid, except 10-20 days, or 30 days.",
        "x = {'a': 1, \"b\": -2}  # comment",
        "| a | 10 % |",
        "退款不得超过30天，也不能少于10天。",
        "لا يمكن استرداد المبلغ بعد 30 يوما.",
        "ไม่สามารถคืนเงินได้",
    ],
)
def test_a_sentence_is_supported_by_itself(sentence: str) -> None:
    found = judge(sentence, sentence)
    assert (found.support, found.score) == (Support.SUPPORTED, 1.0)


def test_the_same_words_with_another_sign_or_decimal_mark_are_not_verbatim() -> None:
    for claim in ("It was 15 °C.", "It was -1.5 °C.", "It was 1.5 %."):
        assert judge(claim, "It was 1.5 °C.").support is not Support.SUPPORTED


def test_a_pronoun_without_its_name_is_no_contradiction() -> None:
    found = judge("Ada Lovelace wrote the first program.", "She wrote the first program in 1843.")
    assert found.support in (Support.SUPPORTED, Support.PARTIAL)


def test_an_opening_that_says_nothing_is_not_judged() -> None:
    found = judge("According to the sources, refunds are paid within 30 days of delivery.", REFUNDS)
    assert found.support is Support.SUPPORTED


def test_a_passage_that_shares_no_word_with_the_claim_supports_nothing_of_it() -> None:
    (judgement,) = rules([ClaimTask("Whales sing.", (Passage("c-1", "Room 3 is open."),))])
    assert judgement.support is Support.UNSUPPORTED


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Returns are free for members.", "Returns are free for non-members."),
        ("Returns are free for non-members.", "Returns are free for members."),
        ("Die Rückgabe ist für Mitglieder frei.", "Die Rückgabe ist für Nicht-Mitglieder frei."),
    ],
)
def test_who_is_none_of_a_kind_is_not_one_of_it(claim: str, passage: str) -> None:
    (judgement,) = rules([ClaimTask(claim, (Passage("c-1", passage),))])
    assert judgement.support is not Support.SUPPORTED
    (same,) = rules([ClaimTask(passage, (Passage("c-1", passage),))])
    assert same.support is Support.SUPPORTED
