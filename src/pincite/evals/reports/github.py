"""A report for GitHub Actions: annotations on the golden file, and the summary of the step."""

from __future__ import annotations

from pincite.evals.values import EvalReport


def github_annotations(report: EvalReport, *, golden: str = "golden.jsonl") -> str:
    """Workflow commands, one a line: an error for each item that failed and each rule of the gate."""
    return ""
