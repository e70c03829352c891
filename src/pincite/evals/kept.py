"""A report as the store keeps it for the page: figures whole, answers as far as somebody looks at them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pincite.audit import doc_ids
from pincite.evals.reports import facts
from pincite.evals.reports.json import report_json
from pincite.evals.values import EvalReport, ItemResult
from pincite.ports.stored import StoredRun
from pincite.types import AccessLevel

MAX_WHOLE = 200
"""Answers of failed and flipped items that are kept whole: those are what one opens."""

_READ_ONLY = frozenset({"timing_ms", "usage", "trace_id", "prompt_hash", "left_out"})
"""Of an answer: what no page shows of an evaluation."""
_SHORT = ("id", "abstained", "plain", "reason", "reason_code")


def stored_run(report: EvalReport, level: str) -> StoredRun:
    """The run for the store; ``level`` is the lowest that may read it (see ``level_of``)."""
    return StoredRun(report.run.id, report.run.created_at, level, report_json(kept(report)))


def level_of(levels: Iterable[str]) -> str:
    """The highest of the levels of those who asked: who may see what was answered to all of them.

    >>> level_of(["internal", "public"]), level_of([])
    ('internal', 'public')
    """
    found = set(levels)
    highest = next((level for level in reversed(AccessLevel) if level.value in found), AccessLevel.PUBLIC)
    return highest.value


def kept(report: EvalReport) -> EvalReport:
    """The report with whole answers of the first ``MAX_WHOLE`` items that failed or flipped, and the others' words alone."""
    opened = {change.id for change in facts.changes(report)}
    whole = [item.id for item in report.items if not item.passed or item.id in opened][:MAX_WHOLE]
    wanted = frozenset(whole)
    baseline = report.baseline
    return replace(
        report,
        # Of documents no more than the answers tell: a reader may not see all of them any more.
        documents={},
        aside_items={},
        baseline=None if baseline is None else replace(baseline, changed_documents=()),
        items=tuple(_trimmed(item, whole=item.id in wanted) for item in report.items),
        baseline_items={
            name: _trimmed(item, whole=name in wanted) for name, item in report.baseline_items.items()
        },
    )


def _trimmed(item: ItemResult, *, whole: bool) -> ItemResult:
    if whole:
        return replace(
            item, answer={name: value for name, value in item.answer.items() if name not in _READ_ONLY}
        )
    short = {name: item.answer[name] for name in _SHORT if name in item.answer}
    # Whose words these are, so that they go when one of the documents goes.
    cited = list(dict.fromkeys((*doc_ids(dict(item.answer)), *item.answer.get("doc_ids", ()))))
    return replace(item, answer={**short, "doc_ids": cited} if item.answer else {})
