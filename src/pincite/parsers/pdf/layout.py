"""A page in reading order. Pure; runs in the worker process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pincite.parsers.pdf.chars import SKEWED, Chars
from pincite.parsers.pdf.columns import Piece, columns, rows
from pincite.parsers.pdf.lines import (
    BLANKS,
    HYPHENS,
    Line,
    Sheet,
    inside_of,
    line_of,
    pieces_of,
    runs_left,
    wide_gaps,
)
from pincite.parsers.pdf.ruled import Ruled, is_ruled, table_lines

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from pincite.parsers.pdf.lines import Floats, Indices

_DOUBLED = 0.12
"""A letter printed again within so much of its height is the same letter, made to look bold."""


def lines_of(chars: Chars, tables: Sequence[Ruled] = ()) -> list[Line]:
    """The lines of a page in reading order. What cannot be seen (outside the crop box) is left out.

    Each row of ``tables`` is a line ``| cells |``. Text that runs another way than most, such as
    a stamp in the margin, comes last.
    """
    import numpy as np

    kept = _visible(chars)
    found: list[Line] = []
    counts = np.bincount(chars.turn[kept], minlength=SKEWED + 1).tolist()
    for turn in sorted(range(SKEWED + 1), key=lambda t: (t == SKEWED, -counts[t], t)):
        if not counts[turn]:
            continue
        rects = _along(chars.rects, turn)
        own = _once(chars.codes, rects, kept[chars.turn[kept] == turn])
        block = found[-1].block + 1 if found else 0
        upright = tables if turn == 0 and not found else ()
        found += _read(Sheet.of(chars, rects, own), own, upright, level=not found, block=block)
    return found


def _read(sheet: Sheet, at: Indices, tables: Sequence[Ruled], *, level: bool, block: int) -> Iterator[Line]:
    """Lines, column by column; ``block`` is the number of the first column."""
    if not len(at):
        return
    mirrored = sheet.mixed and runs_left(sheet.text[i] for i in at.tolist())
    in_tables = []
    for table in tables:
        inside = inside_of(sheet, at, table.box)
        if inside.any() and is_ruled(sheet, table, at[inside]):
            in_tables.append((table, at[inside]))
            at = at[~inside]
    pieces, parts = pieces_of(sheet, at, mirrored)
    for i, (table, _) in enumerate(in_tables):
        x0, y0, x1, y1 = table.box
        pieces.append(Piece(len(parts) + i, -x1 if mirrored else x0, y0, -x0 if mirrored else x1, y1))
    for column in columns(pieces):
        lines = rows(column)
        loose = [wide_gaps(row) for row in lines]
        for i, row in enumerate(lines):
            text = [piece for piece in row if piece.place < len(parts)]
            # One wide gap in the midst of running text is no cell.
            alone = loose[i] == 1 and not any(loose[max(i - 1, 0) : i] + loose[i + 1 : i + 2])
            if text:
                yield line_of(sheet, text, parts, mirrored, level, block, tight=alone and len(lines) > 2)
            for piece in row:
                if piece.place >= len(parts):
                    number = piece.place - len(parts)
                    yield from table_lines(sheet, *in_tables[number], mirrored, number + 1, block)
        block += 1


def _visible(chars: Chars) -> Indices:
    """Letters with a place on the visible page; no blanks, no controls."""
    import numpy as np

    codes, rects = chars.codes, chars.rects
    letters = (codes > 0x20) & ~np.isin(codes, BLANKS) & ~((codes >= 0x7F) & (codes <= 0x9F))
    letters |= np.isin(codes, HYPHENS)
    with np.errstate(invalid="ignore"):
        x, y = (rects[:, 0] + rects[:, 2]) / 2, (rects[:, 1] + rects[:, 3]) / 2
        inside = (x >= 0) & (x <= chars.width) & (y >= 0) & (y <= chars.height)
    return np.flatnonzero(letters & inside)


def _along(rects: Floats, turn: int) -> Floats:
    """The page turned so that the text runs to the right."""
    import numpy as np

    x0, y0, x1, y1 = rects.T
    if turn == 1:
        return np.stack((y0, -x1, y1, -x0), axis=1)
    if turn == 2:
        return np.stack((-x1, -y1, -x0, -y0), axis=1)
    if turn == 3:
        return np.stack((-y1, x0, -y0, x1), axis=1)
    return rects


def _once(codes: npt.NDArray[np.uint32], rects: Floats, at: Indices) -> Indices:
    """Without letters that are printed a second time at (nearly) the same place; the first stays.

    ``boxes.dedupe_chars`` for thousands of characters: sorted by letter and place, twins are neighbours.
    """
    import numpy as np

    if len(at) < 2:
        return at
    x, y = rects[at, 0], rects[at, 1]
    near = _DOUBLED * float(np.median(rects[at, 3] - y))
    if near <= 0:
        return at
    twice = np.zeros(len(at), np.bool_)
    column = np.clip(x * 50, -(2**20), 2**20).astype(np.int64) + 2**20
    for shift in (0.0, 0.5):  # two grids: twins that a border of one parts are together in the other
        row = np.floor(np.clip(y / (2 * near) + shift, -(2**19), 2**19 - 1)).astype(np.int64) + 2**19
        order = np.argsort((codes[at].astype(np.int64) << 42) | (row << 22) | column, kind="stable")
        one, other = order[:-1], order[1:]
        same = codes[at[one]] == codes[at[other]]
        same &= (np.abs(x[one] - x[other]) <= near) & (np.abs(y[one] - y[other]) <= near)
        twice[np.maximum(one[same], other[same])] = True
    return at[~twice] if twice.any() else at
