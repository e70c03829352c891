"""What every form of a report says, in the same words: the verdict, what changed, a claim beside its evidence.

Answers come from JSON, perhaps of somebody else's baseline file: nothing of their shape is taken for granted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pincite.evals.values import LOWER_IS_BETTER, Delta, EvalReport, GateRule, ItemResult, Metric


@dataclass(frozen=True, slots=True)
class Told:
    """One sentence of an answer with what was found for it. ``evidence`` are pairs of a title and a quotation."""

    claim: str
    support: str
    reason: str
    evidence: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Change:
    """An item that flipped, as a whole or by one of its ``metrics``. ``before`` or ``now`` is ``None`` where its run kept none."""

    id: str
    before: ItemResult | None
    now: ItemResult | None
    metrics: tuple[str, ...] = ()

    @property
    def way(self) -> str:
        """``became wrong``, ``became right``, or ``changed``: wrong, or right, in both runs, and not in the same metrics."""
        if self.now is None or (self.before is not None and self.before.passed == self.now.passed):
            return "changed"
        return "became right" if self.now.passed else "became wrong"

    @property
    def worse(self) -> bool:
        return self.way == "became wrong"


SIGNS = {"became wrong": "✗", "became right": "✓", "changed": "~"}
_ORDER = tuple(SIGNS)


def changed_text(found: Sequence[Change]) -> str:
    """How many changed which way, in a sentence."""
    if not found:
        return "No item is right in one run and wrong in the other."
    wrong, right, other = (sum(change.way == way for change in found) for way in _ORDER)
    in_part = f", {other:,} changed in single metrics" if other else ""
    return f"{wrong:,} became wrong, {right:,} became right{in_part}."


# --- the verdict --------------------------------------------------------------------------------


def passed(report: EvalReport) -> bool | None:
    """Whether the gate lets it through; ``None`` where there is no gate."""
    return None if report.gate is None else report.gate.passed


def verdict(report: EvalReport) -> str:
    """One sentence: what the gate says, else how many items passed."""
    right = sum(item.passed for item in report.items)
    counted = f"{right} of {len(report.items)} {'item' if len(report.items) == 1 else 'items'} passed"
    if report.errors:
        counted += f", {plural(len(report.errors), 'error')}"
    if report.gate is None:
        return f"No gate: {counted}."
    broken = [rule for rule in report.gate.rules if not rule.passed]
    if not broken and is_unmeasured(report):
        return f"No target missed; {counted}."
    if not broken:
        return f"Passed: {plural(len(report.gate.rules), 'rule')} of the gate hold; {counted}."
    are = "is" if len(broken) == 1 else "are"
    return f"Failed: {len(broken)} of {plural(len(report.gate.rules), 'rule')} of the gate {are} broken; {counted}."


def is_unmeasured(report: EvalReport) -> bool:
    """Whether items failed and nothing was there to compare with: then no rule says that so many may."""
    return report.baseline is None and not all(item.passed for item in report.items)


def sign(report: EvalReport) -> str:
    """What stands in front of the verdict: nothing where it is not for pincite to say whether all is well."""
    if passed(report) is False:
        return "✗ "
    return "✓ " if passed(report) and not is_unmeasured(report) else ""


def plural(number: int, word: str) -> str:
    """
    >>> plural(1, "rule"), plural(2, "rule")
    ('1 rule', '2 rules')
    """
    return f"{number:,} {word}{'' if number == 1 else 's'}"


_ALLOWED = {
    "max_drop": "may get worse by {limit} points",
    "max_drop_significant": "may not get worse significantly, by more than {limit} points",
    "target": "must reach {limit}",
    "errors": "no item may come to no result",
    "comparable": "must be about the same",
}


def rule_text(rule: GateRule) -> str:
    """What a rule asks for, and what it found."""
    is_target = rule.rule == "target"
    limit = shown(rule.limit) if is_target else f"{rule.limit:g}"
    if is_target and rule.metric in LOWER_IS_BETTER:
        wanted = f"may be {limit} at most"
    else:
        wanted = _ALLOWED.get(rule.rule, rule.rule + " {limit}").format(limit=limit)
    if rule.reason:
        found = rule.reason
    elif rule.value is None:
        found = "there is no value"
    else:
        found = shown(rule.value) if is_target else worsened(rule.value)
    return f"{wanted}: {found}"


def worsened(points: float) -> str:
    """
    >>> worsened(3.0), worsened(-0.4), worsened(0.0)
    ('it got worse by 3.00 points', 'it got better by 0.40 points', 'it is the same')
    """
    if abs(points) < 0.005:
        return "it is the same"
    return f"it got {'worse' if points > 0 else 'better'} by {abs(points):.2f} points"


# --- figures ------------------------------------------------------------------------------------


def shown(value: float | None) -> str:
    """A share as a percentage; what is no share as it is.

    >>> shown(0.9512), shown(None), shown(12.0), shown(1.0)
    ('95.1 %', '–', '12', '100.0 %')
    """
    if value is None:
        return "–"
    return f"{100 * value:.1f} %" if 0 <= value <= 1 else f"{value:.4g}"


def shown_interval(metric: Metric) -> str:
    """
    >>> shown_interval(Metric(0.5, 4, (0.25, 0.75)))
    '25.0–75.0 %'
    """
    if metric.ci95 is None:
        return "–"
    low, high = metric.ci95
    return f"{100 * low:.1f}–{100 * high:.1f} %" if 0 <= low <= high <= 1 else f"{low:.4g}–{high:.4g}"


def shown_target(metric: Metric, *, is_broken: bool = True) -> str:
    """The target behind the sign of whether it is met; ``~`` where it is not and breaks no rule.

    >>> shown_target(Metric(0.8, 5, target=0.85)), shown_target(Metric(0.8, 5, target=0.85), is_broken=False)
    ('✗ 85.0 %', '~ 85.0 %')
    """
    if metric.target is None:
        return "–"
    return f"{ {True: '✓', False: '✗' if is_broken else '~', None: '?'}[metric.meets_target] } {shown(metric.target)}"


def excused(report: EvalReport) -> frozenset[str]:
    """Metrics below their target that break no rule, as their items are too few to tell."""
    return frozenset(
        rule.metric
        for rule in (report.gate.rules if report.gate is not None else ())
        if rule.rule == "target" and rule.passed and rule.reason
    )


def shown_delta(name: str, delta: Delta | None) -> str:
    """An arrow, the points, and whether that is good and significant.

    >>> shown_delta("precision", Delta(-3.0, True, 0.01))
    '▼ −3.0 points (worse, significant)'
    >>> shown_delta("precision", Delta(None))
    'missing on one side'
    """
    if delta is None:
        return "–"
    if delta.points is None:
        return "missing on one side"
    if abs(delta.points) < 0.05:
        return "= ±0.0 points"
    rose = delta.points > 0
    words = ["better" if rose != (name in LOWER_IS_BETTER) else "worse"]
    if delta.significant is not None:
        words.append("significant" if delta.significant else "within noise")
    sign = "▲ +" if rose else "▼ −"
    return f"{sign}{abs(delta.points):.1f} points ({', '.join(words)})"


def metric_heads(report: EvalReport) -> tuple[str, ...]:
    """What stands over the columns of ``metric_rows``."""
    against = () if report.baseline is None else (f"against {report.baseline.run_id}",)
    return ("metric", "value", "95 % interval", "n", "target", *against)


def metric_rows(report: EvalReport) -> Iterator[tuple[str, ...]]:
    """A row for each of ``shown_metrics``: its name, and figures as text; against the baseline if there is one."""
    noisy = excused(report)
    for name, metric in shown_metrics(report).items():
        target = shown_target(metric, is_broken=name not in noisy)
        row = (name, shown(metric.value), shown_interval(metric), f"{metric.n:,}", target)
        against = () if report.baseline is None else (shown_delta(name, report.baseline.deltas.get(name)),)
        yield (*row, *against)


# --- items --------------------------------------------------------------------------------------


def changes(report: EvalReport) -> tuple[Change, ...]:
    """Items that flipped, as a whole or in a metric: those that became wrong first, then those that became right; within
    that in the order of the golden set."""
    if report.baseline is None:
        return ()
    metrics: dict[str, list[str]] = {}
    for name, delta in report.baseline.deltas.items():
        for item_id in delta.flipped:
            metrics.setdefault(item_id, []).append(name)
    for item_id in report.baseline_items:
        metrics.setdefault(item_id, [])
    now = {item.id: item for item in report.items}
    order = [item_id for item_id in now if item_id in metrics] + [one for one in metrics if one not in now]
    found = [
        Change(one, report.baseline_items.get(one), now.get(one), tuple(sorted(metrics[one])))
        for one in order
    ]
    return tuple(sorted(found, key=lambda change: _ORDER.index(change.way)))


def set_aside(report: EvalReport) -> tuple[tuple[Change, str], ...]:
    """Items that are not counted, as they are about something else now, each with why: the ones that became wrong first."""
    if report.baseline is None:
        return ()
    now = {item.id: item for item in report.items}
    found = [
        (Change(one, report.aside_items.get(one), now.get(one)), why)
        for one, why in report.baseline.aside.items()
    ]
    return tuple(sorted(found, key=lambda one: _ORDER.index(one[0].way)))


def aside_text(report: EvalReport) -> str:
    """How many items are not counted, and which documents changed; empty when all are."""
    if report.baseline is None or not report.baseline.aside:
        return ""
    number, documents = len(report.baseline.aside), report.baseline.changed_documents
    named = ", ".join(documents[:MAX_NAMED]) + (", …" if len(documents) > MAX_NAMED else "")
    are = "1 item is" if number == 1 else f"{number:,} items are"
    return (
        f"{are} about something else than in the baseline, and not counted in the changes"
        + (f". Documents that changed: {named}" if named else "")
        + "."
    )


def passed_text(item: ItemResult | None) -> str:
    """
    >>> passed_text(None)
    'not there'
    """
    return "not there" if item is None else "right" if item.passed else "wrong"


MAX_NAMED = 10


def failed(report: EvalReport) -> tuple[ItemResult, ...]:
    """Items that did not pass, in the order of the golden set."""
    return tuple(item for item in report.items if not item.passed)


def close_calls(report: EvalReport) -> tuple[tuple[str, str], ...]:
    """Items where another machine may decide otherwise: their ids, and by how little it was decided."""
    found = {
        item.id: ", ".join(
            f"{name} by {abs(margin):.4f}"
            for name, margin in sorted(item.margins.items())
            if abs(margin) < 0.01
        )
        for item in report.items
        if item.machine_sensitive
    }
    left_out = report.baseline.left_out if report.baseline is not None else ()
    for item_id in left_out:
        found.setdefault(item_id, "in the baseline")
    return tuple(found.items())


def told(answer: Mapping[str, Any]) -> tuple[Told, ...]:
    """The factual sentences of an answer (default profile), each with its evidence. A declined answer is its text alone."""
    quotes = {
        _text(one, "id"): (
            _text(one, "title") or _text(one, "doc_id") or _text(one, "chunk_id"),
            _text(one, "quote") or _text(one, "quote_full"),
        )
        for one in _objects(answer, "citations")
    }
    found = tuple(
        Told(
            _text(one, "text"),
            _text(one, "support"),
            _text(one, "reason"),
            tuple(quotes[cited] for cited in _texts(one, "citations") if cited in quotes),
        )
        for one in _objects(answer, "sentences")
        if one.get("factual") is not False
    )
    if found or not (text := _text(answer, "plain") or _text(answer, "text")):
        return found
    reason = _text(answer, "reason")
    return (Told(text, "abstained" if answer.get("abstained") is True else "", reason, ()),)


def answer_id(item: ItemResult) -> str:
    """The id under which the answer is kept, or nothing."""
    return _text(item.answer, "id")


def ratings(report: EvalReport) -> dict[str, tuple[int, int, int, int, int]]:
    """By judge, how many citations it rated 1, 2, 3, 4 and 5."""
    counts: dict[str, list[int]] = {}
    for item in report.items:
        for judge, given in item.ratings.items():
            row = counts.setdefault(judge, [0] * 5)
            for rating in given:
                if 1 <= rating <= 5:
                    row[rating - 1] += 1
    return {judge: (a, b, c, d, e) for judge, (a, b, c, d, e) in sorted(counts.items())}


def shown_metrics(report: EvalReport) -> dict[str, Metric]:
    """The metrics but for those that no item of the run, and none of the baseline, has."""
    deltas = {} if report.baseline is None else report.baseline.deltas
    return {
        name: metric
        for name, metric in report.metrics.items()
        if metric.n or metric.value is not None or metric.target is not None or name in deltas
    }


def slices_of(report: EvalReport, kind: str) -> dict[str, Mapping[str, Metric]]:
    """The slices of one kind (``language``, ``tag``, ``document``) by what stands behind the colon."""
    return {
        name.partition(":")[2]: metrics
        for name, metrics in sorted(report.slices.items())
        if name.partition(":")[0] == kind
    }


def slice_kinds(report: EvalReport) -> tuple[str, ...]:
    """The kinds of slices, languages first."""
    kinds = {name.partition(":")[0] for name in report.slices}
    return tuple(sorted(kinds, key=lambda kind: (kind != "language", kind)))


def _objects(holder: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    given = holder.get(name)
    yield from (one for one in (given if isinstance(given, list | tuple) else ()) if isinstance(one, Mapping))


def _text(holder: Mapping[str, Any], name: str) -> str:
    given = holder.get(name)
    return given if isinstance(given, str) else ""


def _texts(holder: Mapping[str, Any], name: str) -> Iterator[str]:
    given = holder.get(name)
    yield from (one for one in (given if isinstance(given, list | tuple) else ()) if isinstance(one, str))
