"""Characters of a page to lines in reading order. Pure; runs in the worker process."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from pincite.parsers.pdf.chars import SKEWED, Chars
from pincite.parsers.pdf.columns import Piece, columns, rows

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Indices = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

CELL_GAP = "\t"
"""Between two stretches of one line that stand far apart, such as cells of a table."""

_SAME_LINE = 0.35
"""Two letters that follow each other are on one line when they overlap by this share of the lower one."""
_WIDE_GAP = 0.8
"""A gap of so many line heights parts two pieces; blanks between words are 0.2 to 0.5."""
_CELL = 1.5
_SMALL = 0.75
"""A raised or lowered figure is lower than this share of what stands beside it."""
_UNIT_LETTERS = 2
_LAST_WORD = re.compile(r"[^\W\d_]+\Z|\d+\Z")
_WORD_GAP = 0.17
"""A blank is put in for a gap of so many line heights where the file has none."""
_DOUBLED = 0.12
"""A letter printed again within so much of its height is the same letter, made to look bold."""
_HYPHENS = (0x02, 0xFFFE)
"""What pdfium makes of a hyphen at a line end."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_BLANKS = (0x20, 0xA0, 0x09, 0x3000, *range(0x2000, 0x200B), 0x202F, 0x205F)
_BLANK_CHARS = "".join(map(chr, _BLANKS))


@dataclass(frozen=True, slots=True)
class LineRun:
    """``length`` characters of a line from ``start`` on are the page's characters from ``first`` on."""

    start: int
    length: int
    first: int


@dataclass(frozen=True, slots=True)
class Line:
    """A line as read. ``box`` is along the text: ``x0, y0, x1, y1`` in points, y downwards; for text that runs to the
    right that is the page as seen. ``block`` counts the columns of the page in reading order. ``level`` is false
    for text that runs in another way than most of the page. ``table`` counts the ruled tables of the page from 1.
    ``bold``: its first and its last letter are."""

    text: str
    runs: tuple[LineRun, ...]
    box: tuple[float, float, float, float]
    size: float
    block: int
    level: bool = True
    table: int = 0
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Ruled:
    """A table as its ruling lines show it. Places are ``x0, y0, x1, y1`` in points of the page as seen; ``None``: no cell
    of its own, because one beside it spans it."""

    box: tuple[float, float, float, float]
    rows: tuple[tuple[tuple[float, float, float, float] | None, ...], ...]


def lines_of(chars: Chars, tables: Sequence[Ruled] = ()) -> list[Line]:
    """The lines of a page in reading order. What cannot be seen (outside the crop box) is left out.

    Each row of ``tables`` is a line, its cells with a tab between them. Text that runs another way than most, such as
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
        found += _read(_Page.of(chars, rects, own), own, upright, level=not found, block=block)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Page:
    """One direction of text of a page. ``text`` has one code point for each character of the page; ``skipped`` counts
    those up to each place that are neither read nor blank."""

    codes: npt.NDArray[np.uint32]
    text: str
    rects: Floats
    skipped: npt.NDArray[np.int64]
    bold: npt.NDArray[np.bool_]
    mixed: bool

    @classmethod
    def of(cls, chars: Chars, rects: Floats, own: Indices) -> _Page:
        import numpy as np

        skip = ~np.isin(chars.codes, _BLANKS)
        skip[own] = False
        codes = chars.codes.copy()
        codes[np.isin(codes, _HYPHENS)] = 0x2D
        codes[codes == 0x09] = 0x20
        codes[((codes >= 0xD800) & (codes <= 0xDFFF)) | (codes > 0x10FFFF)] = 0xFFFD
        text = codes.astype("<u4").tobytes().decode("utf-32-le")
        return cls(chars.codes, text, rects, np.cumsum(skip), chars.bold, bool(_RIGHT_TO_LEFT.search(text)))


@dataclass(frozen=True, slots=True)
class _Part:
    """What a piece is made of: the page's characters from ``first`` to ``last``; only those ``at`` if it is not empty."""

    first: int
    last: int
    at: tuple[int, ...]


def _read(page: _Page, at: Indices, tables: Sequence[Ruled], *, level: bool, block: int) -> Iterator[Line]:
    """Lines, column by column; ``block`` is the number of the first column."""
    if not len(at):
        return
    mirrored = page.mixed and _runs_left(page.text[i] for i in at.tolist())
    in_tables = []
    for table in tables:
        inside = _inside(page, at, table.box)
        if inside.any():
            in_tables.append((table, at[inside]))
            at = at[~inside]
    pieces, parts = _pieces(page, at, mirrored)
    for i, (table, _) in enumerate(in_tables):
        x0, y0, x1, y1 = table.box
        pieces.append(Piece(len(parts) + i, -x1 if mirrored else x0, y0, -x0 if mirrored else x1, y1))
    for column in columns(pieces):
        lines = rows(column)
        loose = [_wide_gaps(row) for row in lines]
        for i, row in enumerate(lines):
            text = [piece for piece in row if piece.place < len(parts)]
            # One wide gap in the midst of running text is no cell.
            alone = loose[i] == 1 and not any(loose[max(i - 1, 0) : i] + loose[i + 1 : i + 2])
            if text:
                yield _line(page, text, parts, mirrored, level, block, tight=alone and len(lines) > 2)
            for piece in row:
                if piece.place >= len(parts):
                    number = piece.place - len(parts)
                    yield from _table_lines(page, *in_tables[number], mirrored, number + 1, block)
        block += 1


def _pieces(page: _Page, at: Indices, mirrored: bool) -> tuple[list[Piece], list[_Part]]:
    """Stretches of text without a wide gap, and what each is made of."""
    import numpy as np

    if not len(at):
        return [], []
    cuts = _cuts(page, at)
    starts = np.concatenate(([0], cuts))
    ends = np.concatenate((cuts, [len(at)]))
    own = page.rects[at]
    edges = np.concatenate(
        (np.minimum.reduceat(own[:, :2], starts), np.maximum.reduceat(own[:, 2:], starts)), axis=1
    )
    if mirrored:  # the right column is the first
        edges[:, (0, 2)] = -edges[:, (2, 0)]
    pieces = [Piece(i, *edge) for i, edge in enumerate(edges.tolist())]
    return pieces, _parts(page, at, starts, ends)


def _table_lines(
    page: _Page, table: Ruled, at: Indices, mirrored: bool, number: int, block: int
) -> Iterator[Line]:
    """A line for each row that is not empty; a tab between cells, a blank where a cell goes on in its next line."""
    for cells in table.rows:
        texts: list[str] = []
        runs: list[LineRun] = []
        length, size = 0, 0.0
        for i, cell in enumerate(reversed(cells) if mirrored else cells):
            if i:
                texts.append(CELL_GAP)
                length += 1
            inside = at[_inside(page, at, cell)] if cell is not None else at[:0]
            pieces, parts = _pieces(page, inside, mirrored)
            for k, row in enumerate(rows(pieces)):
                line = _line(page, row, parts, mirrored, True, block)
                if k:
                    texts.append(" ")
                    length += 1
                runs += [LineRun(length + run.start, run.length, run.first) for run in line.runs]
                # A tab parts cells; inside of one a wide gap is a blank.
                texts.append(line.text.replace(CELL_GAP, " "))
                length += len(line.text)
                size = max(size, line.size)
        if runs:
            known = [cell for cell in cells if cell is not None]
            x0, y0 = min(cell[0] for cell in known), min(cell[1] for cell in known)
            x1, y1 = max(cell[2] for cell in known), max(cell[3] for cell in known)
            yield Line("".join(texts), tuple(runs), (x0, y0, x1, y1), size, block, True, number)


def _inside(page: _Page, at: Indices, box: tuple[float, float, float, float]) -> npt.NDArray[np.bool_]:
    """Which letters stand in a box, by their middle."""
    rects = page.rects[at]
    x, y = (rects[:, 0] + rects[:, 2]) / 2, (rects[:, 1] + rects[:, 3]) / 2
    inside: npt.NDArray[np.bool_] = (x >= box[0]) & (x <= box[2]) & (y >= box[1]) & (y <= box[3])
    return inside


def _cuts(page: _Page, at: Indices) -> Indices:
    """Where a piece ends: the next letter is on another line or far away, or the file has a line end there."""
    import numpy as np

    before, after = page.rects[at[:-1]], page.rects[at[1:]]
    lower = np.minimum(before[:, 3] - before[:, 1], after[:, 3] - after[:, 1])
    shared = np.minimum(before[:, 3], after[:, 3]) - np.maximum(before[:, 1], after[:, 1])
    # Between the two, whichever comes first: Arabic goes to the left.
    gap = np.maximum(after[:, 0] - before[:, 2], before[:, 0] - after[:, 2])
    far = (shared <= _SAME_LINE * lower) | (gap > _WIDE_GAP * lower)
    # A raised figure is a piece of its own.
    far |= lower < _SMALL * np.maximum(before[:, 3] - before[:, 1], after[:, 3] - after[:, 1])
    passed = np.cumsum((page.codes == 0x0A) | (page.codes == 0x0D))
    far |= passed[at[1:]] != passed[at[:-1]]
    return np.flatnonzero(far) + 1


def _parts(page: _Page, at: Indices, starts: Indices, ends: Indices) -> list[_Part]:
    first, last = at[starts], at[ends - 1]
    holes = page.skipped[last] != page.skipped[first]
    parts = []
    for one, other, hole in zip(first.tolist(), last.tolist(), holes.tolist(), strict=True):
        steps = page.skipped[max(one - 1, 0) : other + 1].tolist() if hole else []
        offset = 1 if one else 0
        kept = (
            tuple(
                i
                for i in range(one, other + 1)
                if i == one or steps[i - one + offset] == steps[i - one + offset - 1]
            )
            if hole
            else ()
        )
        parts.append(_Part(one, other, kept))
    return parts


def _wide_gaps(row: list[Piece]) -> int:
    return sum(_is_wide(before, after) for before, after in pairwise(row))


def _is_wide(before: Piece, after: Piece) -> bool:
    return after.x0 - before.x1 > _CELL * max(before.height, after.height)


def _line(
    page: _Page,
    row: list[Piece],
    parts: list[_Part],
    mirrored: bool,
    level: bool,
    block: int,
    *,
    tight: bool = False,
) -> Line:
    """One line from its pieces, which are in the order of ``row``: from the left, or mirrored from the right.

    ``tight``: a wide gap is a blank, not the border of a cell."""
    x0, y0 = min(one.x0 for one in row), min(one.y0 for one in row)
    x1, y1 = max(one.x1 for one in row), max(one.y1 for one in row)
    if mirrored:
        x0, x1 = -x1, -x0
    if len(row) > 1 and page.mixed:
        leftwards = _runs_left(
            char for one in row for char in page.text[parts[one.place].first : parts[one.place].last + 1]
        )
        if leftwards != mirrored:
            row = [Piece(one.place, -one.x1, one.y0, -one.x0, one.y1) for one in reversed(row)]
    texts: list[str] = []
    runs: list[LineRun] = []
    length = 0
    for i, piece in enumerate(row):
        part = parts[piece.place]
        if i:
            last = parts[row[i - 1].place].last
            between = _between(row[i - 1], piece, page, last, part.first, opens=i == 1)
            between = between.replace(CELL_GAP, " ") if tight else between
            texts.append(between)
            length += len(between)
        for first, text in _stretches(page, part):
            runs.append(LineRun(length, len(text), first))
            texts.append(text)
            length += len(text)
    longest = max(row, key=lambda one: one.x1 - one.x0)
    bold = bool(page.bold[parts[row[0].place].first] and page.bold[parts[row[-1].place].last])
    return Line("".join(texts), tuple(runs), (x0, y0, x1, y1), longest.height, block, level, bold=bold)


def _between(before: Piece, after: Piece, page: _Page, last: int, first: int, *, opens: bool) -> str:
    """What parts two pieces of a line; ``opens``: the one before begins it."""
    if _is_wide(before, after):
        return CELL_GAP
    if after.x0 - before.x1 > _WORD_GAP * min(before.height, after.height):
        return " "
    if opens and before.height < _SMALL * after.height and page.text[last].isdigit():
        return " "  # the raised mark of a note is no part of the word behind it
    if after.height < _SMALL * before.height and after.middle < before.middle and page.text[first].isdigit():
        # Nor of a number or word before it; but m² and x² are one.
        word = _LAST_WORD.search(page.text[max(0, last - 40) : last + 1])
        if word and (word.group().isdigit() or len(word.group()) > _UNIT_LETTERS):
            return " "
    # What follows in the file after a blank is a word of its own, however close.
    skipped = page.text[last + 1 : first][:8] if last < first else ""
    return " " if skipped.strip(_BLANK_CHARS) != skipped else ""


def _stretches(page: _Page, part: _Part) -> Iterator[tuple[int, str]]:
    """``(first page character, text)`` of a piece, a new one behind each character that is left out."""
    if not part.at:
        yield part.first, page.text[part.first : part.last + 1]
        return
    start = before = part.at[0]
    for i in (*part.at[1:], -1):
        if i != before + 1:
            yield start, page.text[start : before + 1]
            start = i
        before = i


def _runs_left(chars: Iterable[str]) -> bool:
    """Whether most letters are of a script that is written from right to left."""
    leftwards = letters = 0
    for char in chars:
        if char.isalpha():
            letters += 1
            leftwards += unicodedata.bidirectional(char) in ("R", "AL")
    return 2 * leftwards > letters


def _visible(chars: Chars) -> Indices:
    """Letters with a place on the visible page; no blanks, no controls."""
    import numpy as np

    codes, rects = chars.codes, chars.rects
    letters = (codes > 0x20) & ~np.isin(codes, _BLANKS) & ~((codes >= 0x7F) & (codes <= 0x9F))
    letters |= np.isin(codes, _HYPHENS)
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
