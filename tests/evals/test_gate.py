"""What passes the gate and what does not."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from pincite.errors import ConfigError
from pincite.evals.aggregate import metrics_of
from pincite.evals.baseline import slim
from pincite.evals.compare import check_comparable, compare, set_aside
from pincite.evals.gate import drop_fails, judge_run
from pincite.evals.reports import facts
from pincite.evals.reports.json import report_from, report_json
from pincite.evals.run import gated, not_compared
from pincite.evals.values import Delta, EvalReport, Gate, ItemError, ItemResult, Metric, Run

RUN = Run("run_1", "2026-11-30T10:00:00Z", 0, "rules", "extractive", "c", "golden", "corpus")


def result(item_id: str, right: bool, **more: object) -> ItemResult:
    values = {"answer_correct": float(right), "answerable_declined": 0.0}
    return replace(ItemResult(item_id, "?", right, values), **more)  # type: ignore[arg-type]


def report(wrong: int, count: int = 100, **run: object) -> EvalReport:
    items = tuple(result(f"g-{at:03}", at >= wrong) for at in range(count))
    return EvalReport(replace(RUN, **run), metrics_of(items), items)  # type: ignore[arg-type]


def rule(gate: Gate | None, metric: str):  # type: ignore[no-untyped-def]
    assert gate is not None
    return next(one for one in gate.rules if one.metric == metric)


@pytest.mark.parametrize("main", [0.96, 0.97, 0.1 + 0.2, 1 / 3, 2 / 3, 0.07, 1.0])
def test_a_drop_of_exactly_the_tolerance_passes_whatever_binary_fractions_make_of_it(main: float) -> None:
    assert not drop_fails(main, main - 0.02)
    assert drop_fails(main, main - 0.0201)


def test_every_count_out_of_250_is_two_points_below_the_one_five_higher() -> None:
    for right in range(5, 251):
        assert not drop_fails(right / 250, (right - 5) / 250)
        assert right < 6 or drop_fails(right / 250, (right - 6) / 250)


@pytest.mark.parametrize("missing", [None, math.nan, math.inf, "0.96", True])
def test_what_is_missing_or_no_number_fails_on_either_side(missing: object) -> None:
    assert drop_fails(missing, 0.96)  # type: ignore[arg-type]
    assert drop_fails(0.96, missing)  # type: ignore[arg-type]


def test_of_a_rate_of_inventions_a_rise_is_what_fails() -> None:
    assert drop_fails(0.0, 0.03, lower_is_better=True)
    assert not drop_fails(0.03, 0.0, lower_is_better=True)


def test_a_planted_drop_of_three_points_fails_and_of_one_passes() -> None:
    assert not rule(gated(report(13), baseline=report(10)).gate, "answer_correct").passed
    passed = gated(report(11), baseline=report(10))
    assert passed.gate is not None
    assert passed.gate.passed
    assert rule(passed.gate, "answer_correct").value == 1.0


def test_the_report_names_the_items_that_flipped_and_keeps_what_they_were() -> None:
    found = gated(report(13), baseline=report(10))
    assert found.baseline is not None
    assert found.baseline.deltas["answer_correct"].flipped == ("g-010", "g-011", "g-012")
    assert set(found.baseline_items) == {"g-010", "g-011", "g-012"}
    assert found.baseline_items["g-010"].passed


def test_a_drop_that_may_be_chance_passes_when_only_significant_ones_count() -> None:
    chance = gated(report(13), baseline=report(10), only_significant=True)
    real = gated(report(30), baseline=report(10), only_significant=True)
    assert rule(chance.gate, "answer_correct").passed
    assert "may be chance" in rule(chance.gate, "answer_correct").reason
    assert not rule(real.gate, "answer_correct").passed


def test_a_metric_that_one_run_lacks_fails() -> None:
    now = report(0)
    gone = replace(now, items=tuple(replace(one, values={"answerable_declined": 1.0}) for one in now.items))
    assert not rule(gated(gone, baseline=now).gate, "answer_correct").passed
    assert rule(gated(gone, baseline=now).gate, "answer_correct").value is None


@pytest.mark.parametrize("name", ["corpus_fingerprint", "golden_sha256"])
def test_another_corpus_or_golden_set_is_refused_and_says_what_to_do(name: str) -> None:
    with pytest.raises(ConfigError, match="--save-baseline"):
        check_comparable(report(0), report(0, **{name: "other"}), "main.json")


@pytest.mark.parametrize("value", [1e300, 1e25, -5.0])
def test_a_baseline_with_a_figure_that_no_run_has_is_refused(value: float) -> None:
    before = report(3)
    items = tuple(replace(one, values={"answer_correct": value}) for one in before.items)
    with pytest.raises(ConfigError, match="not between 0 and 1"):
        check_comparable(report(3), replace(before, items=items))


@pytest.mark.parametrize("value", [1e300, -1e300, 10**400])
def test_a_figure_too_large_to_be_one_fails_and_does_not_crash(value: float) -> None:
    assert drop_fails(value, 0.9)
    assert drop_fails(0.9, value)


def test_runs_without_an_item_in_common_are_not_compared() -> None:
    now, before = report(3), report(3)
    others = tuple(replace(one, id=f"x-{one.id}") for one in before.items)
    with pytest.raises(ConfigError, match="no item in common"):
        check_comparable(now, replace(before, items=others))
    with pytest.raises(ConfigError, match="no item in common"):
        check_comparable(now, replace(before, items=()))


# --- about something else -----------------------------------------------------------------------


def about(changed: frozenset[str], wrong: frozenset[str] = frozenset(), **run: object) -> EvalReport:
    """Ten items, each over a document of its own."""
    items = tuple(
        result(f"g-{at}", f"g-{at}" not in wrong, doc_ids=(f"d-{at}",), asked="q") for at in range(10)
    )
    documents = {f"d-{at}": "new" if f"d-{at}" in changed else "old" for at in range(10)}
    return EvalReport(replace(RUN, **run), metrics_of(items), items, documents=documents)  # type: ignore[arg-type]


BEFORE = about(frozenset())
MOVED = frozenset({"d-3"})


def test_items_whose_documents_changed_are_listed_and_not_counted() -> None:
    now = about(MOVED, frozenset({"g-3"}), corpus_fingerprint="other")
    found = gated(now, baseline=BEFORE, unchanged_only=True)
    assert found.gate is not None
    assert found.gate.passed
    assert found.baseline is not None
    assert found.baseline.aside == {"g-3": "a document of it changed"}
    assert found.baseline.changed_documents == ("d-3",)
    assert found.baseline.deltas["answer_correct"].points == 0.0
    assert (found.aside_items["g-3"].passed, found.baseline_items) == (True, {})


def test_items_whose_documents_did_not_change_are_compared_and_gated_all_the_same() -> None:
    now = about(MOVED, frozenset({"g-5"}), corpus_fingerprint="other")
    found = gated(now, baseline=BEFORE, unchanged_only=True)
    assert not rule(found.gate, "answer_correct").passed
    assert set(found.baseline_items) == {"g-5"}


def test_items_of_which_something_else_is_expected_are_not_counted_either() -> None:
    now = about(frozenset(), golden_sha256="other")
    now = replace(now, items=(replace(now.items[0], asked="other", passed=False), *now.items[1:]))
    assert compare(now, BEFORE, set_aside(now, BEFORE)).baseline.aside == {
        "g-0": "what is asked or expected changed"
    }


def test_an_item_that_expects_no_document_rests_on_what_its_earlier_answer_cites() -> None:
    def without(one: EvalReport) -> EvalReport:
        answer = {"citations": [{"id": "c-1", "doc_id": "d-3"}]}
        return replace(one, items=(replace(one.items[0], doc_ids=(), answer=answer), *one.items[1:]))

    now = without(about(MOVED, corpus_fingerprint="other"))
    assert set(set_aside(now, without(BEFORE))) == {"g-0", "g-3"}


def test_where_nothing_is_left_to_compare_or_the_baseline_does_not_say_it_is_refused() -> None:
    now = about(frozenset(f"d-{at}" for at in range(10)), corpus_fingerprint="other")
    with pytest.raises(ConfigError, match="every item that both runs have"):
        gated(now, baseline=BEFORE, unchanged_only=True)
    with pytest.raises(ConfigError, match="does not say which documents"):
        gated(now, baseline=replace(BEFORE, documents={}), unchanged_only=True)
    asked_otherwise = about(frozenset(), golden_sha256="other")
    with pytest.raises(ConfigError, match="does not say what its items were about"):
        gated(
            asked_otherwise,
            baseline=replace(BEFORE, items=tuple(replace(one, asked="") for one in BEFORE.items)),
            unchanged_only=True,
        )


def test_a_baseline_written_small_still_says_which_documents_its_items_rest_on() -> None:
    more = replace(BEFORE, documents={**BEFORE.documents, "other": "old"})
    kept = report_from(json.loads(report_json(slim(more))))
    assert kept.documents == dict(BEFORE.documents)
    now = about(MOVED, frozenset({"g-3"}), corpus_fingerprint="other")
    assert set(set_aside(now, kept)) == {"g-3"}


def test_what_replaces_a_baseline_is_compared_whole_whatever_it_is_about() -> None:
    now = about(MOVED, frozenset({"g-3"}), corpus_fingerprint="other")
    assert rule(gated(now, baseline=BEFORE, replaces=True).gate, "answer_correct").value == 10.0
    asked_otherwise = replace(now, run=replace(now.run, golden_sha256="other"))
    for significant in (False, True):  # of other questions there is no paired test, so no chance either
        found = gated(asked_otherwise, baseline=BEFORE, replaces=True, only_significant=significant)
        assert not rule(found.gate, "answer_correct").passed


def test_a_drop_that_is_accepted_is_told_and_breaks_nothing() -> None:
    now = about(MOVED, frozenset({"g-3"}), corpus_fingerprint="other")
    found = gated(now, baseline=BEFORE, replaces=True, accept_drop=True)
    assert found.gate is not None
    assert found.gate.passed
    assert rule(found.gate, "answer_correct").reason == "it got worse by 10 points, which was accepted"


def test_a_run_that_could_not_be_compared_does_not_pass() -> None:
    found = not_compared(report(0), "it was made with another state of the documents")
    assert found.gate is not None
    assert not found.gate.passed
    assert "must be about the same: it was made with another state" in facts.rule_text(found.gate.rules[-1])


def test_with_items_that_failed_and_nothing_to_compare_with_the_verdict_is_no_all_clear() -> None:
    alone = gated(report(1, count=5))
    assert (facts.sign(alone), facts.verdict(alone)) == ("", "No target missed; 4 of 5 items passed.")
    assert facts.sign(gated(report(0))) == "✓ "
    compared = gated(report(10), baseline=report(10))
    assert facts.verdict(compared).startswith("Passed: ")


@pytest.mark.parametrize(
    ("wrong", "count", "passes"),
    [(1, 5, True), (4, 5, False), (14, 75, True), (30, 75, False), (15, 100, True), (16, 100, False)],
)
def test_of_few_items_the_right_answers_miss_their_target_when_the_whole_interval_does(
    wrong: int, count: int, passes: bool
) -> None:
    items = tuple(result(f"g-{at:03}", at >= wrong) for at in range(count))
    metrics = metrics_of(items, targets={"answer_correct": 0.85})
    found = judge_run(metrics, (), meant=frozenset({"answerable"}))
    assert rule(found, "answer_correct").passed is passes


def test_runs_of_other_judges_are_not_compared() -> None:
    with pytest.raises(ConfigError, match="rated by llm"):
        check_comparable(report(0), report(0, judge="llm"))


def test_machine_sensitive_items_of_either_run_are_left_out_of_both() -> None:
    before, now = report(0), report(3)
    close = {"g-000": now, "g-001": before, "g-002": now}

    def with_close(one: EvalReport) -> EvalReport:
        return replace(
            one,
            items=tuple(
                replace(item, margins={"abstain": 0.004}) if close.get(item.id) is one else item
                for item in one.items
            ),
        )

    found = compare(with_close(now), with_close(before))
    assert found.baseline.left_out == ("g-000", "g-001", "g-002")
    assert found.baseline.deltas["answer_correct"].points == 0.0


def sensitive(one: EvalReport) -> EvalReport:
    return replace(one, items=tuple(replace(item, margins={"abstain": 0.004}) for item in one.items))


def test_a_gate_that_compared_nothing_does_not_pass_and_says_so() -> None:
    gate = gated(sensitive(report(60)), baseline=report(0)).gate
    assert gate is not None
    assert not gate.passed
    assert "nothing was compared: 100 of the items are machine-sensitive" in rule(gate, "baseline").reason


def test_items_set_aside_and_sensitive_ones_together_may_leave_nothing_to_compare() -> None:
    now = sensitive(about(MOVED, corpus_fingerprint="other"))
    found = rule(gated(now, baseline=BEFORE, unchanged_only=True).gate, "baseline")
    assert not found.passed
    assert "machine-sensitive and " in found.reason
    assert "about something else now" in found.reason


def test_a_baseline_of_sensitive_items_alone_is_replaced_by_its_figures() -> None:
    assert rule(gated(sensitive(report(0)), baseline=report(0), replaces=True).gate, "answer_correct").passed
    worse = gated(sensitive(report(60)), baseline=report(0), replaces=True)
    assert rule(worse.gate, "answer_correct").value == 60.0


def test_a_margin_of_just_one_hundredth_is_far_enough() -> None:
    assert not result("g-1", True, margins={"abstain": 0.01}).machine_sensitive
    assert result("g-1", True, margins={"abstain": -0.0099}).machine_sensitive


def test_a_run_over_part_of_the_items_is_compared_over_these() -> None:
    part = report(10, count=50)
    assert compare(part, report(10, count=100)).baseline.deltas["answer_correct"].points == 0.0


def test_a_target_is_reached_exactly_or_missed() -> None:
    metrics = {
        "coverage": Metric(0.95, 10, target=0.95),
        "precision": Metric(0.9499, 10, target=0.95),
        "answerable_declined": Metric(0.05, 10, target=0.05, lower_is_better=True),
    }
    found = judge_run(metrics, (), meant=frozenset({"answerable"}))
    assert [one.passed for one in found.rules] == [True, False, True]


def test_a_target_without_a_value_is_missed_only_if_there_were_items_for_it() -> None:
    metrics = {"coverage": Metric(None, 0, target=0.95)}
    assert not judge_run(metrics, (), meant=frozenset({"answerable"})).passed
    assert judge_run(metrics, (), meant=frozenset({"unanswerable"})).rules == ()


def test_a_run_with_errors_does_not_pass() -> None:
    found = judge_run({}, (ItemError("line 3", "golden", "not JSON"),), meant=frozenset())
    assert not found.passed
    assert found.rules[0].value == 1.0
    assert "line 3" in found.rules[0].reason


def test_a_change_of_settings_is_named() -> None:
    before = replace(report(0), config={"retrieval.top_k": "10", "llm.model": '"a"'})
    now = replace(report(0), config={"retrieval.top_k": "5", "llm.model": '"a"'})
    assert compare(now, before).config_diff == {"retrieval.top_k": ("10", "5")}


def test_a_change_that_is_missing_has_no_points() -> None:
    assert Delta(None).significant is None
