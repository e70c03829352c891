"""Tables as their ruling lines show them, to lines of text. Pure; runs in the worker process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pincite.parsers.pdf.columns import rows
from pincite.parsers.pdf.lines import Line, LineRun, Sheet, inside_of, line_of, pieces_of

if TYPE_CHECKING:
    from pincite.parsers.pdf.lines import Indices


@dataclass(frozen=True, slots=True)
class Ruled:
    """A table as its ruling lines show it. Places are ``x0, y0, x1, y1`` in points of the page as seen; ``None``: no cell
    of its own, because one beside it spans it."""

    box: tuple[float, float, float, float]
    rows: tuple[tuple[tuple[float, float, float, float] | None, ...], ...]


def is_ruled(sheet: Sheet, table: Ruled, at: Indices) -> bool:
    """Whether the lines part the rows, and two columns hold text. Many tables rule only their columns: then each cell
    of a row holds several lines, and the lines of the page are its rows."""
    filled: set[int] = set()
    for cells in table.rows:
        counts = []
        for column, cell in enumerate(cells):
            own = at[inside_of(sheet, at, cell)] if cell is not None else at[:0]
            if len(own):
                filled.add(column)
                counts.append(len(rows(pieces_of(sheet, own, False)[0])))
        if len(counts) > 1 and min(counts) > 1:
            return False
    return len(filled) > 1


def table_lines(
    sheet: Sheet, table: Ruled, at: Indices, mirrored: bool, number: int, block: int
) -> Iterator[Line]:
    """A line ``| cells |`` for each row that is not empty, and below the first one the line that makes it the header.

    A blank stands where a cell goes on in its next line.
    """
    headed = False
    for cells in table.rows:
        made = _Made()
        size = 0.0
        for cell in reversed(cells) if mirrored else cells:
            made.put("| ")
            inside = at[inside_of(sheet, at, cell)] if cell is not None else at[:0]
            pieces, parts = pieces_of(sheet, inside, mirrored)
            for row in rows(pieces):
                line = line_of(sheet, row, parts, mirrored, True, block, tight=True)
                made.take(line)
                made.put(" ")
                size = max(size, line.size)
        made.put("|")
        if not made.runs:
            continue
        known = [cell for cell in cells if cell is not None]
        x0, y0 = min(cell[0] for cell in known), min(cell[1] for cell in known)
        x1, y1 = max(cell[2] for cell in known), max(cell[3] for cell in known)
        yield Line(made.text, tuple(made.runs), (x0, y0, x1, y1), size, block, True, number)
        if not headed:
            yield Line("|" + " --- |" * len(cells), (), (x0, y1, x1, y1), size, block, True, number)
            headed = True


class _Made:
    """A line in the making."""

    def __init__(self) -> None:
        self.text = ""
        self.runs: list[LineRun] = []

    def put(self, text: str) -> None:
        """Add what is not on the sheet."""
        self.text += text

    def take(self, line: Line) -> None:
        """Add a line; a pipe in it is escaped, as it would end the cell."""
        done = 0
        for run in line.runs:
            self.text += line.text[done : run.start]
            start = run.start
            for i in range(run.start, run.start + run.length + 1):
                if i == run.start + run.length or line.text[i] == "|":
                    if i > start:
                        first = run.first + start - run.start
                        self.runs.append(LineRun(len(self.text), i - start, first))
                        self.text += line.text[start:i]
                    if i < run.start + run.length:
                        self.text += "\\"
                    start = i
            done = run.start + run.length
        self.text += line.text[done:]
