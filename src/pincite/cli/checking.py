"""``verify``: check an answer from anywhere. Reads no settings and opens no database, so that it is quick."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pincite.cli.errors import UsageError
from pincite.cli.output import emit, paint_lines, standard_input
from pincite.cli.session import Session
from pincite.errors import ParseError

if TYPE_CHECKING:
    from pincite.answer import Report
    from pincite.ports import Judge
    from pincite.types import Document

_FORMS_BY_SUFFIX = {".json": "json", ".md": "markdown", ".html": "html", ".txt": "text"}


def verify(
    session: Session,
    *,
    answer: str,
    sources: list[str] | None,
    judge: str | None,
    form: str | None,
    as_json: bool,
    output: str | None,
    min_coverage: float | None,
    min_precision: float | None,
) -> int:
    """Check the citations of an answer against its sources. Exit code 1 when one does not hold, or a gate is missed."""
    form = "json" if as_json else form or _FORMS_BY_SUFFIX.get(Path(output or "").suffix, "text")
    if answer == "-" and "-" in (sources or ()):
        raise UsageError("standard input can be the answer or a source, not both", where="--sources")
    given = read_answer_file(answer)
    found = list(read_source_files(sources)) if sources else None
    if found is None and not _brings_sources(given):
        raise UsageError(
            "there are no sources to check against",
            hint="name them: --sources FILE…, in the order of their numbers",
        )
    if found == []:
        raise UsageError(f"there is nothing to read in {' '.join(sources or ())}", where="--sources")

    from pincite.verification import verify as check

    report = check(given, found, judge=_judge(session, judge))
    missed = missed_gates(report, min_coverage, min_precision)
    gated = min_coverage is not None or min_precision is not None
    code = int(bool(missed) if gated else not report.ok)
    name = "standard input" if answer == "-" else answer
    shown = github_lines(report, name) if form == "github" else report.to(form)
    if form == "text":
        shown = f"{name}   {shown}   exit {code}"
    if output is not None:
        Path(output).write_text(f"{shown}\n", "utf-8")
    elif shown:
        emit(paint_lines(shown, on=session.colour) if form == "text" else shown)
    for gate in missed:
        session.note(gate)
    return code


def _judge(session: Session, name: str | None) -> str | Judge:
    """Only a judge with a model needs the settings."""
    if name in (None, "rules"):
        return "rules"
    from pincite.wiring.models import open_judge

    return open_judge(session.settings(), name)


def _brings_sources(given: Any) -> bool:
    from pincite.readers import read_answer as read

    return not isinstance(given, str) and read(given).sources is not None


def missed_gates(report: Report, min_coverage: float | None, min_precision: float | None) -> list[str]:
    """What of the two gates is not reached, in words. Where there is nothing to count, nothing is missed."""
    counts = report.metrics
    gates = (
        ("coverage", counts.citation_coverage, min_coverage),
        ("precision", counts.citation_accuracy, min_precision),
    )
    return [
        f"{name} {value:.2f} is below {least:g}"
        for name, value, least in gates
        if least is not None and value is not None and value < least
    ]


# --- reading ------------------------------------------------------------------------------------


def read_answer_file(name: str) -> Any:
    """The answer as text, or as the object that JSON gives.

    Raises:
        UsageError: If there is no such file.
        ParseError: If it cannot be read as text, or is named .json and is not.
    """
    from pincite.parsers.plain import decode

    if name != "-" and not Path(name).is_file():
        raise UsageError(
            "there is no such file",
            where=name,
            hint="to check a text, pipe it: echo '…' | pincite verify - --sources FILE…",
        )
    text = standard_input() if name == "-" else decode(Path(name).read_bytes(), name)
    # A list that is no list of content blocks is prose: "[1] says so".
    if not text.lstrip().startswith(("{", '[{"')):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        if not name.endswith(".json"):
            return text
        raise _bad_json(name, error) from None


def read_source_files(names: Sequence[str]) -> Iterator[Document | str | dict[str, Any]]:
    """The sources in order. JSON may be a list of passages (texts, or objects with ``text`` or ``content``)."""
    from pincite.parsers.files import find_files, load_file
    from pincite.parsers.plain import decode

    for name in names:
        if name == "-":
            yield from _piped(standard_input())
        elif name.endswith((".json", ".jsonl")) and Path(name).is_file():
            yield from _passages(name, decode(Path(name).read_bytes(), name))
        else:
            found = find_files([name])
            for error in found.refused:
                raise error
            for file in found.files:
                for document in load_file(file):
                    # What people look for is the file, unless the document says where it stands.
                    yield replace(document, url=document.url or file.path.as_posix())


def _piped(text: str) -> Iterator[Any]:
    """Standard input has no name to tell by: it is JSON where it reads as passages, else one text."""
    if text.lstrip().startswith(("[", "{", '"')):
        for read in (_json_list, _json_lines):
            with suppress(ValueError, RecursionError):
                values = read(text)
                if isinstance(values, list) and all(isinstance(one, str | dict) for one in values):
                    yield from values
                    return
    yield text


def _passages(name: str, text: str) -> Iterator[Any]:
    try:
        values = _json_lines(text) if name.endswith(".jsonl") else _json_list(text)
    except (ValueError, RecursionError) as error:
        raise _bad_json(name, error) from None
    if not isinstance(values, list):
        raise ParseError(f"must hold a list of passages, got {type(values).__name__}", where=name)
    yield from values


def _json_lines(text: str) -> Any:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _json_list(text: str) -> Any:
    """The list of an array, or of an object's ``sources`` or ``contexts``; another object is a passage itself."""
    values = json.loads(text)
    if not isinstance(values, dict):
        return values
    inner = values.get("sources", values.get("contexts"))
    return inner if isinstance(inner, list) else [values]


def _bad_json(name: str, error: ValueError | RecursionError) -> ParseError:
    if isinstance(error, RecursionError):
        return ParseError("the JSON is nested too deeply", where=name)
    if not isinstance(error, json.JSONDecodeError):
        return ParseError("the JSON holds a number of thousands of digits", where=name)
    return ParseError(f"invalid JSON: {error.msg} (column {error.colno})", where=f"{name}:{error.lineno}")


# --- GitHub -------------------------------------------------------------------------------------


def github_lines(report: Report, file: str) -> str:
    """A workflow command for each sentence that does not hold, at its line."""
    return "\n".join(
        f"::error file={_property(file)},line={report.plain.count(chr(10), 0, sentence.span.start) + 1},"
        f"title={_property(f'citation {sentence.support}')}::{_data(f'{sentence.text} — {sentence.reason}')}"
        for sentence in report.failed
    )


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
