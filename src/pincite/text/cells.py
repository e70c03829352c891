"""Which cells of a spreadsheet a place of its text came from: ``Prices!B7``."""

from __future__ import annotations

import json
from bisect import bisect_right

from pincite.types import Span

MAX_CELL = 10_000_000
"""No table file has more rows or columns."""


def cell_address(text: str, cells: str, span: Span) -> str:
    """The cells that ``span`` of ``text`` touches, as a spreadsheet names them; empty when it touches none.

    Args:
        text: Of the document.
        cells: Its metadata ``cells``: names of sheets, and for each stretch of rows the offset of its first line, the
            sheet, the column of the first cell (from 0) and the row (from 1).
        span: In ``text``.

    >>> text = "| Plan | Storage |\\n| --- | --- |\\n| Plus | 50 GB |"
    >>> places = '{"sheets":["Plans"],"runs":[[0,0,0,1],[33,0,0,2]]}'
    >>> cell_address(text, places, Span(42, 47)), cell_address(text, places, Span(35, 47))
    ('Plans!B2', 'Plans!A2:B2')
    """
    said = _read(cells)
    if said is None:
        return ""
    sheets, runs = said
    start, end = span.start, span.end
    while start < end - 1 and text[start] in " |\n":
        start += 1
    while end > start + 1 and text[end - 1] in " |\n":
        end -= 1
    first = _place(text, runs, start)
    last = _place(text, runs, max(start, end - 1))
    if first is None or last is None:
        return ""
    (sheet, column, row), (other, last_column, last_row) = first, last
    if other != sheet:
        last_column, last_row = column, row
    if last_row > row:
        # Rows in between are touched whole: the address is of the first and last corner that the span itself touches.
        column, last_column = min(column, last_column), max(column, last_column)
    corner = f"{column_name(column)}{row}"
    other_corner = f"{column_name(last_column)}{last_row}"
    name = sheets[sheet]
    prefix = (
        f"{name}!" if name and name.isalnum() else f"'{name.replace(chr(39), chr(39) * 2)}'!" if name else ""
    )
    return prefix + (corner if corner == other_corner else f"{corner}:{other_corner}")


class Cells:
    """The places of a document's rows, handed out passage by passage, in order."""

    def __init__(self, text: str, cells: str) -> None:
        self._text = text
        self._sheets, self._runs = _read(cells) or ([], [])
        self._starts = [run[0] for run in self._runs]
        self._known = (0, 0, 0)
        """A stretch, a place in it that was asked for, and the line breaks between: counting goes on from there."""

    def of(self, span: Span) -> str:
        """What ``cell_address`` needs for the text at ``span`` alone: the same, counted from its start. Empty where there
        is nothing."""
        if not self._runs:
            return ""
        first = max(bisect_right(self._starts, span.start) - 1, 0)
        last = bisect_right(self._starts, max(span.start, span.end - 1))
        found: list[list[int]] = []
        names: list[str] = []
        for start, sheet, column, row in self._runs[first:last]:
            if start < span.start:
                row += self._line_breaks(start, span.start)
            if self._sheets[sheet] not in names:
                names.append(self._sheets[sheet])
            found.append([max(0, start - span.start), names.index(self._sheets[sheet]), column, row])
        if not found:
            return ""
        return json.dumps({"sheets": names, "runs": found}, ensure_ascii=False, separators=(",", ":"))

    def _line_breaks(self, start: int, offset: int) -> int:
        """How many there are from the start of a stretch to a place in it. What was counted is not counted again."""
        known, at, breaks = self._known
        if known != start:
            at, breaks = start, 0
        if offset >= at:
            breaks += self._text.count("\n", at, offset)
        else:
            breaks -= self._text.count("\n", offset, at)
        self._known = (start, offset, breaks)
        return breaks


def column_name(column: int) -> str:
    """The letters of a column, which counts from 0.

    >>> column_name(0), column_name(26), column_name(16383)
    ('A', 'AA', 'XFD')
    """
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _read(cells: str) -> tuple[list[str], list[list[int]]] | None:
    try:
        said = json.loads(cells)
        sheets, runs = said["sheets"], said["runs"]
    except (
        ValueError,
        KeyError,
        TypeError,
        RecursionError,
    ):  # metadata that somebody else wrote under this name
        return None
    return (sheets, runs) if _is_sound(sheets, runs) else None


def _is_sound(sheets: object, runs: object) -> bool:
    """Whether these are names, and stretches in order of four whole numbers that name one of them."""
    if not isinstance(sheets, list) or not isinstance(runs, list):
        return False
    if not all(isinstance(name, str) for name in sheets):
        return False
    at = -1
    for run in runs:
        if (
            not isinstance(run, list)
            or len(run) != 4
            or not all(type(one) is int and one >= 0 for one in run)
        ):
            return False
        if run[0] < at or run[1] >= len(sheets) or max(run[2:]) > MAX_CELL:
            return False
        at = run[0]
    return True


def _place(text: str, runs: list[list[int]], offset: int) -> tuple[int, int, int] | None:
    """Sheet, column and row of the cell at ``offset``. The line of a delimiter counts as its header."""
    at = bisect_right([run[0] for run in runs], offset) - 1
    if at < 0:
        return None
    start, sheet, column, row = runs[at]
    row += text.count("\n", start, offset)
    end = runs[at + 1][0] if at + 1 < len(runs) else len(text)
    if text.startswith("| --- |", text.rfind("\n", 0, offset) + 1) and offset < end:
        row -= 1
    line = text.rfind("\n", 0, offset) + 1
    if not text.startswith("| ", line):
        return sheet, column, row
    bars = 0
    for i in range(line + 1, offset + 1):
        bars += text[i] == "|" and text[i - 1] != "\\"
    stop = text.find("\n", offset)
    width = text.count(" |", line, stop if stop >= 0 else len(text))
    return sheet, column + min(bars, max(width - 1, 0)), row
