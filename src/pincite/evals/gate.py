"""The gate: whether a run is good enough, and no worse than the one before.

Points are percentage points. They are compared as decimal numbers, not as binary ones: 0.96 and 0.94 are two points apart,
no more, and a drop of exactly the tolerance passes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from pincite.evals.measures import METRICS
from pincite.evals.values import LOWER_IS_BETTER, Baseline, Delta, Gate, GateRule, ItemError, Metric

MAX_DROP = 2.0
"""Source 004: a drop of more than two points fails."""

_STEP = Decimal("1e-9")
"""Means are sums of binary fractions; what is beyond nine decimals is their rounding."""

FEW_ITEMS = 100
"""Of fewer, chance alone moves a share by seven points and more."""

_NOISY = frozenset({"answer_correct"})
"""Means over so few items that a target is missed by chance: it counts as missed when the whole interval is below."""

_LARGEST = 1e9
"""No figure of an evaluation is larger; of a larger one nine decimals could not be told."""


def points(main: float | None, current: float | None) -> Decimal | None:
    """By how many percentage points a value rose; ``None`` when one is missing or no number.

    >>> points(0.96, 0.94), points(0.96, float("nan"))
    (Decimal('-2.000000000'), None)
    """
    if not (_is_number(main) and _is_number(current)) or main is None or current is None:
        return None
    return 100 * (_decimal(current) - _decimal(main))


def _is_number(value: object) -> bool:
    """Files of others hold texts, booleans and NaN where a number should be."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) <= _LARGEST and math.isfinite(value)


def _decimal(value: float) -> Decimal:
    return Decimal(repr(float(value))).quantize(_STEP)


def drop_fails(
    main: float | None, current: float | None, tolerance: float = MAX_DROP, *, lower_is_better: bool = False
) -> bool:
    """Whether a value got worse by more than ``tolerance`` points, or is missing.

    >>> drop_fails(0.96, 0.94), drop_fails(0.96, 0.93), drop_fails(0.96, None)
    (False, True, True)
    """
    rose = points(main, current)
    if rose is None:
        return True
    return (rose if lower_is_better else -rose) > Decimal(repr(float(tolerance)))


def judge_run(
    metrics: Mapping[str, Metric],
    errors: Sequence[ItemError],
    *,
    meant: frozenset[str],
    baseline: Baseline | None = None,
    max_drop: float = MAX_DROP,
    only_significant: bool = False,
    accept_drop: bool = False,
) -> Gate:
    """Every rule that holds for a run.

    Args:
        metrics: With their targets.
        errors: Items without a result: a run that is not whole does not pass.
        meant: Kinds of items there were (``Definition.meant``): a target whose metric has no value is missed when there were
            items for it, and is no rule otherwise.
        baseline: The comparison with an earlier run, if there is one; one in which nothing could be compared does not pass.
        max_drop: Points by which a gated metric may get worse.
        only_significant: A larger drop counts only if it is significant at 5 %.
        accept_drop: What got worse, or is missing in one of the runs, is told and breaks no rule.
    """
    rules = [
        _target(name, metric, metric.target)
        for name, metric in metrics.items()
        if metric.target is not None and (metric.value is not None or _is_meant(name, meant))
    ]
    if baseline is not None:
        drops = [
            _drop(name, delta, max_drop, only_significant=only_significant)
            for name, delta in baseline.deltas.items()
            if name in METRICS and METRICS[name].gated
        ]
        drops = drops or [GateRule("baseline", "comparable", 0.0, None, False, _nothing_compared(baseline))]
        rules += [_accepted(rule) for rule in drops] if accept_drop else drops
    if errors:
        reason = f"{len(errors)} came to no result, the first: {errors[0].id}: {errors[0].detail}"
        rules.append(GateRule("errors", "errors", 0.0, float(len(errors)), False, reason))
    return Gate(tuple(rules))


def _nothing_compared(baseline: Baseline) -> str:
    left = (
        (len(baseline.left_out), "machine-sensitive"),
        (len(baseline.aside), "about something else now"),
    )
    why = " and ".join(f"{number} of the items are {what}" for number, what in left if number)
    return f"nothing was compared: {why or 'the runs have no figure in common'}"


def _is_meant(name: str, meant: frozenset[str]) -> bool:
    return name in METRICS and METRICS[name].meant in (*meant, "any")


def _target(name: str, metric: Metric, target: float) -> GateRule:
    value = metric.value if metric.value is not None and math.isfinite(metric.value) else None
    reached = value is not None and (
        _decimal(value) <= _decimal(target) if metric.lower_is_better else _decimal(value) >= _decimal(target)
    )
    reason = "" if value is not None else "there is nothing to count, though there are items for it"
    if not reached and name in _NOISY and metric.n < FEW_ITEMS and metric.ci95 is not None:
        reached = metric.ci95[1] >= target
        reason = (
            f"{100 * (value or 0.0):.1f} % of {metric.n}, which are too few to call it missed"
            if reached
            else ""
        )
    return GateRule(name, "target", target, value, reached, reason)


def _drop(name: str, delta: Delta, max_drop: float, *, only_significant: bool) -> GateRule:
    rule = "max_drop_significant" if only_significant else "max_drop"
    if delta.points is None:
        reason = "it is missing, or no number, in one of the two runs"
        return GateRule(name, rule, max_drop, None, False, reason)
    worse = delta.points if name in LOWER_IS_BETTER else -delta.points
    passed = Decimal(repr(worse)) <= Decimal(repr(float(max_drop)))
    reason = ""
    if not passed and only_significant and delta.significant is False:
        passed = True
        reason = f"it got worse by {worse:g} points, which may be chance (p = {delta.p_value or 1.0:.3f})"
    return GateRule(name, rule, max_drop, worse, passed, reason)


def _accepted(rule: GateRule) -> GateRule:
    if rule.passed:
        return rule
    found = rule.reason if rule.value is None else f"it got worse by {rule.value:g} points"
    return replace(rule, passed=True, reason=f"{found}, which was accepted")
