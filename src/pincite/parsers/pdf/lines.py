"""Characters to stretches of text, and stretches to lines. Pure; runs in the worker process."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from pincite.parsers.pdf.chars import Chars
from pincite.parsers.pdf.columns import Piece

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
HYPHENS = (0x02, 0xFFFE)
"""What pdfium makes of a hyphen at a line end."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
BLANKS = (0x20, 0xA0, 0x09, 0x3000, *range(0x2000, 0x200B), 0x202F, 0x205F)
_BLANK_CHARS = "".join(map(chr, BLANKS))


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
    for text that runs in another way than most of the sheet. ``table`` counts the ruled tables of the page from 1.
    ``bold``: its first and its last letter are."""

    text: str
    runs: tuple[LineRun, ...]
    box: tuple[float, float, float, float]
    size: float
    block: int
    level: bool = True
    table: int = 0
    bold: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """One direction of text of a sheet. ``text`` has one code point for each character of the page; ``skipped`` counts
    those up to each place that are neither read nor blank."""

    codes: npt.NDArray[np.uint32]
    text: str
    rects: Floats
    skipped: npt.NDArray[np.int64]
    bold: npt.NDArray[np.bool_]
    mixed: bool

    @classmethod
    def of(cls, chars: Chars, rects: Floats, own: Indices) -> Sheet:
        import numpy as np

        skip = ~np.isin(chars.codes, BLANKS)
        skip[own] = False
        codes = chars.codes.copy()
        codes[np.isin(codes, HYPHENS)] = 0x2D
        codes[codes == 0x09] = 0x20
        codes[((codes >= 0xD800) & (codes <= 0xDFFF)) | (codes > 0x10FFFF)] = 0xFFFD
        text = codes.astype("<u4").tobytes().decode("utf-32-le")
        return cls(chars.codes, text, rects, np.cumsum(skip), chars.bold, bool(_RIGHT_TO_LEFT.search(text)))


@dataclass(frozen=True, slots=True)
class Part:
    """What a piece is made of: the page's characters from ``first`` to ``last``; only those ``at`` if it is not empty."""

    first: int
    last: int
    at: tuple[int, ...]


def pieces_of(sheet: Sheet, at: Indices, mirrored: bool) -> tuple[list[Piece], list[Part]]:
    """Stretches of text without a wide gap, and what each is made of."""
    import numpy as np

    if not len(at):
        return [], []
    cuts = _cuts(sheet, at)
    starts = np.concatenate(([0], cuts))
    ends = np.concatenate((cuts, [len(at)]))
    own = sheet.rects[at]
    edges = np.concatenate(
        (np.minimum.reduceat(own[:, :2], starts), np.maximum.reduceat(own[:, 2:], starts)), axis=1
    )
    if mirrored:  # the right column is the first
        edges[:, (0, 2)] = -edges[:, (2, 0)]
    pieces = [Piece(i, *edge) for i, edge in enumerate(edges.tolist())]
    return pieces, _parts(sheet, at, starts, ends)


def _cuts(sheet: Sheet, at: Indices) -> Indices:
    """Where a piece ends: the next letter is on another line or far away, or the file has a line end there."""
    import numpy as np

    before, after = sheet.rects[at[:-1]], sheet.rects[at[1:]]
    lower = np.minimum(before[:, 3] - before[:, 1], after[:, 3] - after[:, 1])
    shared = np.minimum(before[:, 3], after[:, 3]) - np.maximum(before[:, 1], after[:, 1])
    # Between the two, whichever comes first: Arabic goes to the left.
    gap = np.maximum(after[:, 0] - before[:, 2], before[:, 0] - after[:, 2])
    far = (shared <= _SAME_LINE * lower) | (gap > _WIDE_GAP * lower)
    # A raised figure is a piece of its own.
    far |= lower < _SMALL * np.maximum(before[:, 3] - before[:, 1], after[:, 3] - after[:, 1])
    passed = np.cumsum((sheet.codes == 0x0A) | (sheet.codes == 0x0D))
    far |= passed[at[1:]] != passed[at[:-1]]
    return np.flatnonzero(far) + 1


def _parts(sheet: Sheet, at: Indices, starts: Indices, ends: Indices) -> list[Part]:
    first, last = at[starts], at[ends - 1]
    holes = sheet.skipped[last] != sheet.skipped[first]
    parts = []
    for one, other, hole in zip(first.tolist(), last.tolist(), holes.tolist(), strict=True):
        steps = sheet.skipped[max(one - 1, 0) : other + 1].tolist() if hole else []
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
        parts.append(Part(one, other, kept))
    return parts


def wide_gaps(row: list[Piece]) -> int:
    return sum(_is_wide(before, after) for before, after in pairwise(row))


def _is_wide(before: Piece, after: Piece) -> bool:
    return after.x0 - before.x1 > _CELL * max(before.height, after.height)


def line_of(
    sheet: Sheet,
    row: list[Piece],
    parts: list[Part],
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
    if len(row) > 1 and sheet.mixed:
        leftwards = runs_left(
            char for one in row for char in sheet.text[parts[one.place].first : parts[one.place].last + 1]
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
            between = _between(row[i - 1], piece, sheet, last, part.first, opens=i == 1)
            between = between.replace(CELL_GAP, " ") if tight else between
            texts.append(between)
            length += len(between)
        for first, text in _stretches(sheet, part):
            runs.append(LineRun(length, len(text), first))
            texts.append(text)
            length += len(text)
    longest = max(row, key=lambda one: one.x1 - one.x0)
    bold = bool(sheet.bold[parts[row[0].place].first] and sheet.bold[parts[row[-1].place].last])
    return Line("".join(texts), tuple(runs), (x0, y0, x1, y1), longest.height, block, level, bold=bold)


def _between(before: Piece, after: Piece, sheet: Sheet, last: int, first: int, *, opens: bool) -> str:
    """What parts two pieces of a line; ``opens``: the one before begins it."""
    if _is_wide(before, after):
        return CELL_GAP
    if after.x0 - before.x1 > _WORD_GAP * min(before.height, after.height):
        return " "
    if opens and before.height < _SMALL * after.height and sheet.text[last].isdigit():
        return " "  # the raised mark of a note is no part of the word behind it
    if after.height < _SMALL * before.height and after.middle < before.middle and sheet.text[first].isdigit():
        # Nor of a number or word before it; but m² and x² are one.
        word = _LAST_WORD.search(sheet.text[max(0, last - 40) : last + 1])
        if word and (word.group().isdigit() or len(word.group()) > _UNIT_LETTERS):
            return " "
    # What follows in the file after a blank is a word of its own, however close.
    skipped = sheet.text[last + 1 : first][:8] if last < first else ""
    return " " if skipped.strip(_BLANK_CHARS) != skipped else ""


def _stretches(sheet: Sheet, part: Part) -> Iterator[tuple[int, str]]:
    """``(first page character, text)`` of a piece, a new one behind each character that is left out."""
    if not part.at:
        yield part.first, sheet.text[part.first : part.last + 1]
        return
    start = before = part.at[0]
    for i in (*part.at[1:], -1):
        if i != before + 1:
            yield start, sheet.text[start : before + 1]
            start = i
        before = i


def runs_left(chars: Iterable[str]) -> bool:
    """Whether most letters are of a script that is written from right to left."""
    leftwards = letters = 0
    for char in chars:
        if char.isalpha():
            letters += 1
            leftwards += unicodedata.bidirectional(char) in ("R", "AL")
    return 2 * leftwards > letters


def inside_of(sheet: Sheet, at: Indices, box: tuple[float, float, float, float]) -> npt.NDArray[np.bool_]:
    """Which letters stand in a box, by their middle."""
    rects = sheet.rects[at]
    x, y = (rects[:, 0] + rects[:, 2]) / 2, (rects[:, 1] + rects[:, 3]) / 2
    inside: npt.NDArray[np.bool_] = (x >= box[0]) & (x <= box[2]) & (y >= box[1]) & (y <= box[3])
    return inside
