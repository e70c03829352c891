"""A report as markdown."""

from __future__ import annotations

from pincite.evals.reports.json import report_json
from pincite.evals.values import EvalReport


def report_markdown(report: EvalReport) -> str:
    """The report."""
    return report_json(report)
