"""A report for GitHub Actions: annotations on the lines of the golden file, and the summary of the step."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path

from pincite.evals.reports import facts
from pincite.evals.reports.markdown import report_markdown
from pincite.evals.values import EvalReport
from pincite.renderers.text import one_line
from pincite.types import shorten

MAX_OF_A_LEVEL = 10
"""GitHub keeps ten errors and ten warnings of a step and drops the others."""
MAX_CHARS = 500
MAX_SUMMARY_BYTES = 1_000_000
"""GitHub takes 1 MiB for a step."""


def github_annotations(report: EvalReport, *, golden: str | Path = "golden.jsonl") -> str:
    """Workflow commands, one a line, for standard output of a step.

    Errors are the broken rules of the gate and, with a baseline, the items that became wrong; warnings are the other
    items that failed and those without a result. Of each level the first ten come.

    Args:
        golden: The golden file as the repository knows it. It is read for the lines of the items, when it is there.
    """
    errors, warnings = list(_errors(report)), list(_warnings(report))
    kept = errors[:MAX_OF_A_LEVEL], warnings[:MAX_OF_A_LEVEL]
    lines = _lines_of(Path(golden), {item_id for level in kept for item_id, _, _ in level if item_id})
    made = [
        _command(name, _place(golden, item_id, lines), title, message)
        for name, level in zip(("error", "warning"), kept, strict=True)
        for item_id, title, message in level
    ]
    more = len(errors) + len(warnings) - len(made)
    if more:
        made.append(_command("notice", {}, "pincite eval", f"{more:,} more are in the reports of this run"))
    return "".join(f"{line}\n" for line in made)


def step_summary(report: EvalReport) -> str:
    """The Markdown report, cut where GitHub would refuse it: to be appended to the file ``GITHUB_STEP_SUMMARY`` names."""
    text = report_markdown(report)
    data = text.encode("utf-8", "replace")
    if len(data) <= MAX_SUMMARY_BYTES:
        return text
    cut = data[:MAX_SUMMARY_BYTES].rpartition(b"\n")[0].decode("utf-8", "ignore")
    return cut + "\n\n… the rest is in the reports of this run.\n"


Told = tuple[str, str, str]  # id of the item, title, message


def _errors(report: EvalReport) -> Iterator[Told]:
    for rule in report.gate.rules if report.gate is not None else ():
        if not rule.passed:
            yield "", f"Gate: {rule.metric}", facts.rule_text(rule)
    for change in facts.changes(report):
        if change.worse and change.now is not None:
            reasons = "; ".join(change.now.reasons) or "did not pass"
            yield change.id, f"{change.id} became wrong", f"{change.now.question}: {reasons}"


def _warnings(report: EvalReport) -> Iterator[Told]:
    told = {item_id for item_id, _, _ in _errors(report) if item_id}
    for error in report.errors:
        yield error.id, f"{error.id}: no result", error.detail
    for item in facts.failed(report):
        if item.id not in told and not item.machine_sensitive:
            yield (
                item.id,
                f"{item.id} failed",
                f"{item.question}: {'; '.join(item.reasons) or 'did not pass'}",
            )


def _place(golden: str | Path, item_id: str, lines: dict[str, int]) -> dict[str, str]:
    if not item_id:
        return {}
    word, _, number = item_id.partition(" ")
    line = int(number) if word == "line" and number.isascii() and number.isdigit() else lines.get(item_id)
    return {"file": Path(golden).as_posix()} | ({} if line is None else {"line": str(line)})


def _lines_of(golden: Path, wanted: Collection[str]) -> dict[str, int]:
    """The lines of the items with these ids; nothing where the file cannot be read, or a line of it is none."""
    found: dict[str, int] = {}
    try:
        with golden.open(encoding="utf-8-sig", errors="replace") as file:
            for number, line in enumerate(file, start=1):
                item_id = _id_of(line) if len(found) < len(wanted) else None
                if item_id in wanted:
                    found.setdefault(str(item_id), number)
    except OSError:
        return {}
    return found


def _id_of(line: str) -> str | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    given = value.get("id") if isinstance(value, dict) else None
    return given if isinstance(given, str) else None


# --- workflow commands --------------------------------------------------------------------------


def _command(name: str, place: dict[str, str], title: str, message: str) -> str:
    """
    >>> _command("error", {"file": "a,b.jsonl", "line": "3"}, "g-1: 50 %", "one\\ntwo")
    '::error file=a%2Cb.jsonl,line=3,title=g-1%3A 50 %25::one two'
    """
    given = {**place, "title": title}
    properties = ",".join(f"{key}={_property(value)}" for key, value in given.items())
    return f"::{name} {properties}::{_data(message)}"


def _data(text: str) -> str:
    """A command ends with its line, and ``%`` begins an escape."""
    line = shorten(one_line(text), MAX_CHARS)
    return line.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
