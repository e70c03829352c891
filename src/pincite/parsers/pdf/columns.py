"""Reading order: columns of a page found from the empty strips between them. Pure geometry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import ne
from statistics import median

MAX_PIECES = 5_000
"""Pages of more pieces are read line by line: such a page is a drawing or a map."""

_GUTTER = 0.6
"""Narrowest strip between columns, in heights of a line."""
_PROSE_WIDTH, _PROSE_FILL = 9.0, 0.6
"""Lines of running text: so many heights wide in the middle, and so much of the column filled. Cells are shorter."""
_NARROW = 6.0
_ALIGNED = 0.7
"""Where so many lines stand beside a line of the other side, they are rows of a table."""
_LONG = 8
_DEPTH = 12
_MAX_STARTS, _MAX_STRIPS = 12, 6
"""How many places are looked at, the likeliest first."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text on one line, without a wide gap in it. ``place`` is its place in the file's own order.

    Coordinates run along the text (x) and down the page (y).
    """

    place: int
    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2


def columns(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces in blocks of one column each, in reading order: left column to its end, then the next.

    What spans several columns stands between those above and those below it. Columns that are no running text
    and whose lines stand side by side are a table and stay together.

    >>> left = [Piece(i, 0, 10 * i, 200, 10 * i + 9) for i in range(3)]
    >>> right = [Piece(3 + i, 220, 10 * i, 420, 10 * i + 9) for i in range(3)]
    >>> [[piece.place for piece in block] for block in columns([*left, *right])]
    [[0, 1, 2], [3, 4, 5]]
    """
    if len(pieces) > MAX_PIECES:
        return [list(pieces)]
    return _parted(list(pieces), _DEPTH)


def rows(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces of a block as lines from the top down, each from left to right.

    A raised or lowered figure is on the line that it overlaps.

    >>> [[piece.place for piece in row] for row in rows([Piece(0, 9, 0, 12, 9), Piece(1, 0, 1, 8, 10)])]
    [[1, 0]]
    """
    found: list[list[Piece]] = []
    top = bottom = 0.0
    for piece in sorted(pieces, key=lambda one: (one.y0 + one.y1, one.x0)):
        shared = min(bottom, piece.y1) - max(top, piece.y0)
        if found and shared > 0.5 * min(bottom - top, piece.height):
            found[-1].append(piece)
            if piece.height > bottom - top:
                top, bottom = piece.y0, piece.y1
        else:
            found.append([piece])
            top, bottom = piece.y0, piece.y1
    for row in found:
        row.sort(key=lambda one: (one.x0, one.place))
    return found


def _parted(pieces: list[Piece], depth: int) -> list[list[Piece]]:
    if depth == 0 or len(pieces) < 4:
        return [pieces] if pieces else []
    strip = _best_strip(pieces)
    if strip is None:
        return [pieces]
    above = [one for one in pieces if one.middle < strip.top]
    below = [one for one in pieces if one.middle > strip.bottom]
    found = _parted(above, depth - 1)
    for part in strip.cells or (strip.left, strip.right):
        found += _parted(part, depth - 1)
    return found + _parted(below, depth - 1)


@dataclass(frozen=True, slots=True)
class _Strip:
    """An empty strip from ``top`` to ``bottom`` and what stands beside it; ``cells`` when it divides a table."""

    top: float
    bottom: float
    left: list[Piece]
    right: list[Piece]
    cells: list[list[Piece]]


def _best_strip(pieces: list[Piece]) -> _Strip | None:
    """The longest strip that divides two columns; ``None`` when it is one."""
    high = median(one.height for one in pieces)
    gap = _GUTTER * high
    leftmost = min(one.x0 for one in pieces)
    found: list[tuple[int, float, _Beside]] = []
    for x in _starts(pieces):
        if x - leftmost >= 2 * high:
            found += [(one.pieces, x, one) for one in _beside(pieces, x - gap, x - 0.01 * high, high)]
    found.sort(key=lambda one: (-one[0], one[1]))
    for _, _, beside in found[:_MAX_STRIPS]:
        strip = _judged(beside, high)
        if strip is not None:
            return strip
    return None


def _starts(pieces: list[Piece]) -> list[float]:
    """Where a column may begin: places where several pieces begin below each other, the most frequent ones."""
    edges: dict[int, list[float]] = {}
    for one in pieces:
        edges.setdefault(round(one.x0 / 2), []).append(one.x0)
    counted = []
    for key, xs in edges.items():
        near = len(xs) + len(edges.get(key - 1, ())) + len(edges.get(key + 1, ()))
        if near >= 2:
            counted.append((-near, min([*xs, *edges.get(key - 1, ())])))
    return list(dict.fromkeys(x for _, x in sorted(counted)))[:_MAX_STARTS]


@dataclass(frozen=True, slots=True)
class _Beside:
    top: float
    bottom: float
    left: list[Piece]
    right: list[Piece]

    @property
    def pieces(self) -> int:
        return len(self.left) + len(self.right)


def _beside(pieces: list[Piece], x0: float, x1: float, high: float) -> list[_Beside]:
    """The parts of the strip between ``x0`` and ``x1`` that are empty, with what stands beside them."""
    left: list[Piece] = []
    right: list[Piece] = []
    crossing: list[tuple[float, float]] = []
    for one in pieces:
        if one.x1 <= x0:
            left.append(one)
        elif one.x0 >= x1:
            right.append(one)
        else:
            crossing.append((one.y0, one.y1))
    if len(left) < 2 or len(right) < 2:
        return []
    free: list[tuple[float, float]] = []
    at = float("-inf")
    for y0, y1 in sorted(crossing):
        if y0 > at:
            free.append((at, y0))
        at = max(at, y1)
    free.append((at, float("inf")))
    found = []
    for top, bottom in free:
        if bottom - top < 2 * high:
            continue
        if crossing:
            inner = _Beside(
                top,
                bottom,
                [one for one in left if 2 * top <= one.y0 + one.y1 <= 2 * bottom],
                [one for one in right if 2 * top <= one.y0 + one.y1 <= 2 * bottom],
            )
        else:
            inner = _Beside(top, bottom, left, right)
        if len(inner.left) >= 2 and len(inner.right) >= 2:
            found.append(inner)
    return found


def _judged(beside: _Beside, high: float) -> _Strip | None:
    """The strip, if it divides columns: both are running text, or they do not stand side by side line by line."""
    side = {one.place: 0 for one in beside.left} | {one.place: 1 for one in beside.right}
    order = [side[place] for place in sorted(side)]
    switches = sum(map(ne, order, order[1:]))
    if switches > 2 and not (_may_be_prose(beside.left, high) and _may_be_prose(beside.right, high)):
        return None
    left_rows, right_rows = rows(beside.left), rows(beside.right)
    few = min(len(left_rows), len(right_rows))
    if few < 2:
        return None
    aligned = _share_aligned(left_rows, right_rows, high) >= _ALIGNED
    # A file that writes one side after the other hardly writes a table.
    width = _PROSE_WIDTH if switches > 1 else _NARROW
    prose = _is_prose(left_rows, width * high) and _is_prose(right_rows, width * high)
    cells: list[list[Piece]] = []
    if prose and aligned and switches >= 3:
        cells = _cells(beside.left + beside.right, side, high) if switches < few else []
        # A file that writes line by line over both sides: columns only if both are long and full.
        if not cells and (few < _LONG or not (_is_full(left_rows) and _is_full(right_rows))):
            return None
    if prose or (few >= 3 and not aligned and switches <= 2):
        return _Strip(beside.top, beside.bottom, beside.left, beside.right, cells)
    return None


def _may_be_prose(pieces: list[Piece], high: float) -> bool:
    """A quick look before lines are made: is a line wide enough on average."""
    lines = len({round((one.y0 + one.y1) / high) for one in pieces})
    return sum(one.x1 - one.x0 for one in pieces) >= 0.5 * _PROSE_WIDTH * high * lines


def _is_full(lines: list[list[Piece]]) -> bool:
    start = min(one.x0 for row in lines for one in row)
    whole = max(one.x1 for row in lines for one in row) - start
    return sum(row[-1].x1 - start >= 0.8 * whole for row in lines) >= _PROSE_FILL * len(lines)


def _is_prose(lines: list[list[Piece]], width: float) -> bool:
    widths = [sum(one.x1 - one.x0 for one in row) for row in lines]
    whole = max(one.x1 for row in lines for one in row) - min(one.x0 for row in lines for one in row)
    # The last line of a paragraph is short: the middle says what the others are.
    typical = median(widths)
    return typical >= width and typical >= _PROSE_FILL * whole


def _share_aligned(left: list[list[Piece]], right: list[list[Piece]], high: float) -> float:
    """Share of the lines of the side with fewer that have a line of the other side at their height."""
    fewer, more = (left, right) if len(left) <= len(right) else (right, left)
    heights = [row[0].middle for row in more]
    near, i = 0, 0
    for row in fewer:
        while i + 1 < len(heights) and abs(heights[i + 1] - row[0].middle) <= abs(heights[i] - row[0].middle):
            i += 1
        near += abs(heights[i] - row[0].middle) < 0.25 * high
    return near / len(fewer)


def _cells(pieces: list[Piece], side: dict[int, int], high: float) -> list[list[Piece]]:
    """Cells of wrapped text, as the file writes them: left, right, left …, each pair beginning at one height.

    Empty when they do not: then it is two columns that the file mixes line by line.
    """
    parts: list[list[Piece]] = []
    for one in sorted(pieces, key=lambda piece: piece.place):
        if not parts or side[parts[-1][0].place] != side[one.place]:
            parts.append([])
        parts[-1].append(one)
    if side[parts[0][0].place] != 0 or len(parts) % 2:
        return []
    tops = [min(one.y0 for one in part) for part in parts]
    if any(abs(tops[i] - tops[i + 1]) > 0.5 * high for i in range(0, len(tops), 2)):
        return []
    return parts
