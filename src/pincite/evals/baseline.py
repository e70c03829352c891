"""What a later run needs of a report: its figures by item, and of each answer what is shown beside the new one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pincite.audit import doc_ids
from pincite.evals.values import EvalReport, ItemResult
from pincite.types import shorten

QUOTE_CHARS = 120

_OF_SENTENCES = ("text", "support", "reason", "citations")
_OF_CITATIONS = ("id", "doc_id", "title", "status")


def slim(report: EvalReport) -> EvalReport:
    """The report without what can be had again by running it: whole answers, curves, slices, and the comparison with the run
    before it. A baseline is written so: it lies in a repository."""
    return replace(
        report,
        items=tuple(replace(item, answer=_slim_answer(item)) for item in report.items),
        slices={},
        baseline=None,
        baseline_items={},
        aside_items={},
        documents={one: report.documents[one] for one in _rested_on(report) if one in report.documents},
        config_diff={},
        gate=None,
    )


def _rested_on(report: EvalReport) -> list[str]:
    """The documents that are expected or cited, which a later run compares; of the others the fingerprint tells."""
    return sorted({one for item in report.items for one in (*item.doc_ids, *doc_ids(dict(item.answer)))})


def _slim_answer(item: ItemResult) -> Mapping[str, Any]:
    answer = item.answer
    if not answer:
        return {}
    if answer.get("abstained"):
        return {name: answer.get(name) for name in ("abstained", "plain", "reason_code")}
    return {
        "sentences": [_only(one, _OF_SENTENCES) for one in answer.get("sentences", ())],
        "citations": [
            {**_only(one, _OF_CITATIONS), "quote": shorten(one.get("quote") or "", QUOTE_CHARS)}
            for one in answer.get("citations", ())
        ],
    }


def _only(found: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: found.get(name) for name in names}
