"""Reports of evaluations: one function for each form, chosen by the suffix of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from pincite.errors import ConfigError, did_you_mean
from pincite.evals.reports.github import github_annotations, step_summary
from pincite.evals.reports.html import report_html
from pincite.evals.reports.json import read_report, report_dict, report_from, report_json, report_pieces
from pincite.evals.reports.junit import report_junit
from pincite.evals.reports.markdown import report_markdown
from pincite.evals.values import EvalReport

__all__ = (
    "FORMATS",
    "github_annotations",
    "read_report",
    "report_dict",
    "report_from",
    "step_summary",
    "write_report",
    "writer_of",
)

Written = Callable[[EvalReport], str]

FORMATS: Mapping[str, Written] = {
    ".json": report_json,
    ".md": report_markdown,
    ".html": report_html,
    ".xml": report_junit,
}
"""Suffix of a file -> what writes it."""


def writer_of(path: str | Path) -> Written:
    """What writes a file of this name: to be asked for before the work, so that a slip costs nothing.

    Raises:
        ConfigError: If its suffix is none of ``FORMATS``.

    >>> writer_of("report.MD").__name__
    'report_markdown'
    """
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        known = ", ".join(FORMATS)
        raise ConfigError(
            f"a report ends in {known}" + (f", not in {suffix}" if suffix else ""),
            where=str(path),
            hint=did_you_mean(suffix, FORMATS),
        )
    return FORMATS[suffix]


def write_report(report: EvalReport, path: str | Path) -> None:
    """Write the report in the form its suffix names, whole or not at all. Folders that are missing are made.

    Raises:
        ConfigError: As of ``writer_of``, or if the file cannot be written.
    """
    write = writer_of(path)
    target = Path(path)
    part = target.with_name(f".{target.name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with part.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.writelines(report_pieces(report) if write is report_json else [write(report)])
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise ConfigError(f"this report cannot be written: {error.strerror}", where=str(path)) from error
