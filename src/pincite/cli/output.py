"""The standard streams: what is read from and printed to them, and how it looks there."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TextIO

from pincite.errors import PinciteError

_CODES = {"red": "31", "green": "32", "yellow": "33", "bold": "1", "dim": "2"}

_LINE_COLOURS = (
    (re.compile(r"^\s*✓"), "green"),
    (re.compile(r"^\s*✗"), "red"),
    (re.compile(r"^\s*[!~?] "), "yellow"),
)
_HEADINGS = (("not_covered", "yellow"), ("sources", "bold"), ("nearest", "bold"), ("why", "bold"))
"""Colour of a line by how it begins. Signs and words say the same: colour is never the only signal."""

_SECRET_VALUE = re.compile(r"((?:key|token|secret|password)s?\s*=).*", re.IGNORECASE)


# --- data ---------------------------------------------------------------------------------------


def emit(text: str) -> None:
    """Print to standard output. When its reader is gone (``| head``), what is left goes nowhere and all goes on."""
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def standard_input() -> str:
    """All of standard input. Raises ``ParseError`` when it is not UTF-8."""
    from pincite.parsers.plain import decode

    return decode(sys.stdin.buffer.read(), "standard input")


def complain(text: str) -> None:
    """Print to standard error."""
    with contextlib.suppress(BrokenPipeError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def prepare_streams() -> None:
    """UTF-8 into pipes and files; nowhere an error for a character that the terminal does not have."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace", **({} if stream.isatty() else {"encoding": "utf-8"}))


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows as aligned columns. The last column is not padded.

    >>> print(table([("id", "title"), ("doc-1", "Fees")]))
    id     title
    doc-1  Fees
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            [cell.ljust(width) for cell, width in zip(row, widths[:-1], strict=False)] + [row[-1]]
        ).rstrip()
        for row in rows
    )


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "answer"), counted(0, "answer"), counted(1_200, "entry", "entries")
    ('1 answer', '0 answers', '1200 entries')
    """
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


# --- colour -------------------------------------------------------------------------------------


def wants_colour(stream: TextIO, arguments: Sequence[str], environ: Mapping[str, str] = os.environ) -> bool:
    """Colour is for terminals, unless ``--no-color`` or ``NO_COLOR`` says no (https://no-color.org)."""
    return stream.isatty() and "--no-color" not in arguments and not environ.get("NO_COLOR")


def paint(text: str, colour: str, *, on: bool) -> str:
    """``text`` in a colour of ``red green yellow bold dim``, or as it is."""
    return f"\x1b[{_CODES[colour]}m{text}\x1b[0m" if on else text


def paint_lines(text: str, *, on: bool) -> str:
    """Every line in the colour that its first sign stands for."""
    if not on:
        return text
    forms = (*_LINE_COLOURS, *_heading_colours())
    return "\n".join(
        next((paint(line, colour, on=True) for form, colour in forms if form.match(line)), line)
        for line in text.split("\n")
    )


@cache
def _heading_colours() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Of the headings of answers, in every language."""
    from pincite.prompts import phrase_in_every_language

    return tuple(
        (re.compile("|".join(map(re.escape, phrase_in_every_language(f"heading.{name}")))), colour)
        for name, colour in _HEADINGS
    )


# --- errors -------------------------------------------------------------------------------------


def error_text(kind: str, message: str, *, where: str = "", hint: str = "", colour: bool = False) -> str:
    """An error as compilers write it: what, where with the line itself, and what to do.

    >>> print(error_text("parse", "text is empty", where="fees.md", hint="add text"))
    error[parse]: text is empty
      --> fees.md
       = help: add text
    """
    # Names of files, ids and addresses are other people's words.
    lines = [paint(f"error[{kind}]", "red", on=colour) + f": {_without_controls(message)}"]
    if where:
        lines.append(f"  --> {_without_controls(where)}")
        if quoted := _line_at(where):
            lines.append(f"   |  {quoted}")
    if hint:
        lines.append(f"   = help: {_without_controls(hint)}")
    return "\n".join(lines)


def _without_controls(text: str) -> str:
    from pincite.renderers.text import one_line

    return text if text.isascii() and text.isprintable() else one_line(text)


def error_text_of(error: PinciteError, *, colour: bool = False) -> str:
    """``error_text`` of one of our errors."""
    return error_text(error.kind, error.message, where=error.where, hint=error.hint, colour=colour)


_MAX_LINE_CHARS = 160


def _line_at(where: str) -> str:
    """The line that ``file:line`` names, without what could be a secret; empty when there is none to show."""
    name, _, number = where.rpartition(":")
    path = Path(name)
    if not (name and number.isdigit() and path.suffix == ".toml" and path.is_file()):
        return ""
    lines = path.read_text("utf-8", errors="replace").splitlines()
    line = lines[int(number) - 1].strip() if 0 < int(number) <= len(lines) else ""
    return _SECRET_VALUE.sub(r"\1 …", "".join(filter(str.isprintable, line)))[:_MAX_LINE_CHARS]
