"""Boxes of single characters to boxes of lines. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.parsers.pdf.chars import SKEWED, Chars

_SAME_LINE = 0.5
_FAR = 3.0
"""A gap of so many line heights begins a new box: the next column, or the next cell but one."""

Fractions = tuple[float, float, float, float]
"""``x0, y0, x1, y1`` in shares of the page as seen, from its top left."""


def merged(chars: Chars, ranges: Sequence[tuple[int, int]]) -> list[Fractions]:
    """One box for each line of the characters in ``ranges`` (first, length), in their order.

    Characters without a place and those outside the visible page have no part in it.
    """
    found: list[list[float]] = []
    turn_before = -1
    for first, length in ranges:
        rects = chars.rects[first : first + length].tolist()
        turns = chars.turn[first : first + length].tolist()
        codes = chars.codes[first : first + length].tolist()
        for (x0, y0, x1, y1), turn, code in zip(rects, turns, codes, strict=True):
            if not (x1 > 0 and y1 > 0 and x0 < chars.width and y0 < chars.height) or code <= 0x20:
                continue
            if (
                found
                and turn == turn_before
                and turn != SKEWED
                and _goes_on(found[-1], (x0, y0, x1, y1), turn)
            ):
                last = found[-1]
                found[-1] = [min(last[0], x0), min(last[1], y0), max(last[2], x1), max(last[3], y1)]
            else:
                found.append([x0, y0, x1, y1])
            turn_before = turn
    wide, high = chars.width, chars.height
    return [
        (_share(x0, wide), _share(y0, high), _share(x1, wide), _share(y1, high)) for x0, y0, x1, y1 in found
    ]


def _goes_on(box: Sequence[float], char: Fractions, turn: int) -> bool:
    """Whether a character is on the line of a box, not far from it."""
    along, across = (1, 0) if turn % 2 else (0, 1)
    high = min(box[across + 2] - box[across], char[across + 2] - char[across])
    shared = min(box[across + 2], char[across + 2]) - max(box[across], char[across])
    gap = max(char[along] - box[along + 2], box[along] - char[along + 2])
    return shared > _SAME_LINE * high and gap < _FAR * high


def _share(value: float, whole: float) -> float:
    return round(min(max(value / whole, 0.0), 1.0), 6)
