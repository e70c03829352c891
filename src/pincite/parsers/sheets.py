"""Sheets of rows to text: tables with their header, and which cell of which row each place came from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pincite.errors import ParseError
from pincite.parsers.fields import MAX_LINES, MAX_TEXT_CHARS
from pincite.parsers.pipes import pipe_row
from pincite.types import Section, Span

CELLS = "cells"
"""The metadata with the places of rows; see ``text.cells``."""

_MAX_RUNS = 20_000
"""Stretches of rows without a gap whose places are kept."""
_NUMERIC = re.compile(r"[-+−(]?[^\w\s]?\s?\d[\d.,'\s:/%-]*[^\w\s]?\)?")
"""Amounts, dates, times, shares: a row with one of them is no header."""


@dataclass(frozen=True, slots=True)
class Row:
    """``number`` counts from 1, as a spreadsheet shows it; cells are on one line, ``""`` where nothing is."""

    number: int
    cells: tuple[str, ...]


@dataclass(slots=True)
class Sheets:
    """Collects the text of a file, row by row.

    A table begins with the first row of more than one cell; that is its header when no cell of it is a number. Lines of
    one cell before it are captions, and a sheet of one column is a text. Behind an empty row a table goes on, unless what
    follows looks like another: a caption, or a header below rows with numbers.
    """

    source: str
    parts: list[str] = field(default_factory=list)
    length: int = 0
    lines: int = 0
    sections: list[tuple[str, int]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    runs: list[tuple[int, int, int, int]] = field(default_factory=list)
    """Offset of a line, sheet, column of the first cell (from 0), row. The lines below it count on."""
    _next: tuple[int, int, int] = (-1, 0, 0)
    """Sheet, column and row of the next line, if it counts on."""

    def sheet(self, name: str, rows: Iterable[Row], *, named: bool) -> None:
        """Add a sheet; ``named``: its name stands above it and opens a section.

        Raises:
            ParseError: If the text gets too long.
        """
        self.names.append(name)
        if named:
            self.sections.append((name, self._line(name, gap=True)))
        table = _Table()
        for row in rows:
            first = next((i for i, cell in enumerate(row.cells) if cell), -1)
            if first < 0:
                continue
            gap = row.number != table.last_row + 1
            table.last_row = row.number
            filled = sum(map(bool, row.cells))
            if table.open and ((gap and _is_another(row, filled, table)) or first < table.column):
                self._close(table)
            if table.open:
                self._pending(table)
                self._row(row, table, gap=False)
            elif filled > 1:
                table.open, table.column = True, first
                table.header = row if _looks_like_header(row, filled) else None
                table.numeric = False
                if table.header is None:
                    self._row(row, table, gap=True)
            else:
                self._note(row, first, self._line(row.cells[first], gap=gap))
        self._close(table)

    def finished(self) -> tuple[str, tuple[Section, ...], str]:
        """The text, its sections, and the value of the metadata ``CELLS`` (empty when there are too many gaps)."""
        text = "".join(self.parts)
        bounds = [*(start for _, start in self.sections), self.length]
        sections = tuple(
            Section((name,), Span(start, end))
            for (name, start), end in zip(self.sections, bounds[1:], strict=True)
        )
        if len(self.runs) > _MAX_RUNS:
            return text, sections, ""
        places = json.dumps(
            {"sheets": self.names, "runs": self.runs}, ensure_ascii=False, separators=(",", ":")
        )
        return text, sections, places

    def _close(self, table: _Table) -> None:
        if table.open and table.header is not None:
            # A header with nothing below it is a row.
            header, table.header = table.header, None
            self._row(header, table, gap=True)
        table.open = False
        self._next = (-1, 0, 0)

    def _pending(self, table: _Table) -> None:
        """Write the header, now that a row follows it."""
        if table.header is None:
            return
        header, table.header = table.header, None
        self._row(header, table, gap=True)
        width = len(header.cells) - table.column
        self._line("|" + " --- |" * width, gap=False)
        self._next = (-1, 0, 0)

    def _row(self, row: Row, table: _Table, *, gap: bool) -> None:
        cells = row.cells[table.column :]
        while cells and not cells[-1]:
            cells = cells[:-1]
        table.numeric = table.numeric or any(map(_NUMERIC.fullmatch, filter(None, cells)))
        self._note(row, table.column, self._line(pipe_row(cells), gap=gap))

    def _note(self, row: Row, column: int, offset: int) -> None:
        here = (len(self.names) - 1, column, row.number)
        if here != self._next and len(self.runs) <= _MAX_RUNS:
            self.runs.append((offset, *here))
        self._next = (here[0], column, row.number + 1)

    def _line(self, line: str, *, gap: bool) -> int:
        before = ("\n\n" if gap else "\n") if self.parts else ""
        if before == "\n\n":
            self._next = (-1, 0, 0)
        start = self.length + len(before)
        self.parts += (before, line)
        self.length = start + len(line)
        self.lines += 1
        if self.length > MAX_TEXT_CHARS or self.lines > MAX_LINES:
            raise ParseError(
                f"holds more than {MAX_LINES:,} rows or {MAX_TEXT_CHARS:,} characters",
                where=self.source,
                hint="split it",
            )
        return start


@dataclass(slots=True)
class _Table:
    """The table that is being written. ``header`` waits for a row below it; ``column`` is the first with a cell."""

    open: bool = False
    header: Row | None = None
    column: int = 0
    numeric: bool = False
    last_row: int = -1


def _is_another(row: Row, filled: int, table: _Table) -> bool:
    return filled == 1 or (table.numeric and _looks_like_header(row, filled))


def _looks_like_header(row: Row, filled: int) -> bool:
    return filled > 1 and not any(_NUMERIC.fullmatch(cell) for cell in row.cells if cell)


def clean(cell: str) -> str:
    """What a cell holds, on one line.

    >>> clean(" 5 \\n EUR ")
    '5 EUR'
    """
    return " ".join(cell.split()) if not cell.isprintable() or "  " in cell or cell != cell.strip() else cell


def trimmed(cells: Iterable[str]) -> tuple[str, ...]:
    """Cells without empty ones at the end."""
    found = list(cells)
    while found and not found[-1]:
        found.pop()
    return tuple(found)


def numbered(rows: Iterable[Iterable[str]]) -> Iterator[Row]:
    """Rows with their numbers, from 1."""
    for number, cells in enumerate(rows, start=1):
        yield Row(number, trimmed(map(clean, cells)))
