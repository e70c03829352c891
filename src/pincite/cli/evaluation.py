"""An evaluation as a terminal shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.cli.output import table

if TYPE_CHECKING:
    from pincite.evals.values import EvalReport

SHOWN_ITEMS = 20
"""Lines of a kind on a terminal; the report files have all."""


def summary(report: EvalReport) -> str:
    """What failed, the figures and what the gate says, for a terminal."""
    from pincite.evals.reports import facts

    parts = []
    failed = facts.failed(report)
    if failed:
        rows = [(f"✗ {item.id}", facts_line(item.reasons)) for item in failed[:SHOWN_ITEMS]]
        parts.append(table(rows) + _and_more(len(failed)))
    if report.errors:
        errors = [(f"! {one.id}", f"{one.stage}: {one.detail}") for one in report.errors[:SHOWN_ITEMS]]
        parts.append(table(errors) + _and_more(len(report.errors)))
    parts += filter(None, (_aside(report), _figures(report)))
    if report.baseline is not None and report.baseline.left_out:
        left = ", ".join(report.baseline.left_out[:SHOWN_ITEMS])
        parts.append(f"~ machine-sensitive, left out of the comparison: {left}")
    rules = report.gate.rules if report.gate else ()
    noisy = facts.excused(report)
    told = [
        (f"{'~' if rule.passed else '✗'} {rule.metric}", facts.rule_text(rule))
        for rule in rules
        if not rule.passed or (rule.rule == "target" and rule.metric in noisy)
    ]
    if told:
        parts.append(table(told))
    seconds = f"{report.run.seconds:.1f} s"
    parts.append(
        f"{facts.sign(report)}{facts.verdict(report)} {facts.plural(report.run.n, 'item')} in {seconds}."
    )
    return "\n\n".join(parts)


def _aside(report: EvalReport) -> str:
    """Items that are about something else now: what they were, and are."""
    from pincite.evals.reports import facts

    found = facts.set_aside(report)
    if not found:
        return ""
    rows = [
        (f"~ {one.id}", f"{facts.passed_text(one.before)} → {facts.passed_text(one.now)}", why)
        for one, why in found[:SHOWN_ITEMS]
    ]
    return f"{facts.aside_text(report)}\n\n{table(rows)}{_and_more(len(found))}"


def facts_line(reasons: tuple[str, ...]) -> str:
    """The first reason on one line, and how many more there are."""
    from pincite.renderers.text import one_line
    from pincite.types import shorten

    if not reasons:
        return ""
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    return shorten(one_line(reasons[0]), 110) + more


def _and_more(number: int) -> str:
    return f"\n… and {number - SHOWN_ITEMS} more" if number > SHOWN_ITEMS else ""


def _figures(report: EvalReport) -> str:
    """The metrics that something was measured of; files have all."""
    from pincite.evals.reports import facts

    deltas = {} if report.baseline is None else report.baseline.deltas
    noisy = facts.excused(report)
    head = ("metric", "value", "95 % interval", "n", "target", *(("change",) if report.baseline else ()))
    rows = [
        (
            name,
            facts.shown(metric.value),
            facts.shown_interval(metric),
            str(metric.n),
            facts.shown_target(metric, is_broken=name not in noisy),
            *((facts.shown_delta(name, deltas.get(name)),) if report.baseline else ()),
        )
        for name, metric in report.metrics.items()
        if metric.n or name in deltas
    ]
    return table([head, *rows]) if rows else ""


def changed_figures(report: EvalReport, before: EvalReport | None) -> list[tuple[str, str, str]]:
    """The metrics that the gate minds and that have another value than in the baseline: name, before, now."""
    from pincite.evals.measures import METRICS
    from pincite.evals.reports import facts

    if before is None:
        return []
    values = {
        name: [one.metrics[name].value if name in one.metrics else None for one in (before, report)]
        for name, definition in METRICS.items()
        if definition.gated
    }
    return [
        (name, facts.shown(was), facts.shown(now))
        for name, (was, now) in values.items()
        if facts.shown(was) != facts.shown(now)
    ]
