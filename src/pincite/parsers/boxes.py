"""Geometry of PDF pages: boxes as the reader sees the page, and characters that were printed twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import Literal

Rect = tuple[float, float, float, float]
"""``x0, y0, x1, y1`` in points."""

Origin = Literal["bottom-left", "top-left"]


@dataclass(frozen=True, slots=True)
class PageFrame:
    """A page before it is turned. ``crop`` counts from the bottom left of the page; ``rotate`` is clockwise degrees."""

    width: float
    height: float
    rotate: int = 0
    crop: Rect | None = None


@dataclass(frozen=True, slots=True)
class PlacedChar:
    """A character and the place of its origin, in points."""

    char: str
    x: float
    y: float


def bbox_to_view(frame: PageFrame, box: Rect, origin: Origin = "bottom-left") -> Rect:
    """A box counted from the top left of the visible page (the crop box, turned), y downwards.

    Args:
        box: On the page before it is turned; ``origin`` says whether from its bottom left, as PDF counts,
            or from its top left.

    Returns:
        With ``x0 <= x1`` and ``y0 <= y1``. May reach beyond the visible page, as the box does.

    >>> bbox_to_view(PageFrame(612, 792), (72, 700, 200, 712))
    (72, 80, 200, 92)
    >>> bbox_to_view(PageFrame(612, 792, rotate=90), (72, 700, 200, 712))
    (700, 72, 712, 200)
    """
    left, bottom, right, top = _sorted(frame.crop or (0, 0, frame.width, frame.height))
    x0, y0, x1, y1 = _sorted(box)
    if origin == "top-left":
        y0, y1 = frame.height - y1, frame.height - y0
    wide, high = right - left, top - bottom
    x0, x1 = x0 - left, x1 - left
    y0, y1 = top - y1, top - y0
    turn = frame.rotate % 360
    if turn == 90:
        return high - y1, x0, high - y0, x1
    if turn == 180:
        return wide - x1, high - y1, wide - x0, high - y0
    if turn == 270:
        return y0, wide - x1, y1, wide - x0
    return x0, y0, x1, y1


def dedupe_chars(chars: Sequence[PlacedChar], tolerance: float) -> tuple[PlacedChar, ...]:
    """Characters without those printed again at the same place, as is done to look bold. Linear time.

    Two are one when they are the same and both distances are at most ``tolerance``; the first stays.

    >>> "".join(c.char for c in dedupe_chars([PlacedChar("A", 0, 0), PlacedChar("A", 0.3, 0)], 1))
    'A'
    """
    if tolerance < 0:
        raise ValueError(f"tolerance must not be negative, got {tolerance}")
    side = tolerance or 1.0
    kept: list[PlacedChar] = []
    near: dict[tuple[str, int, int], list[PlacedChar]] = {}
    for char in chars:
        column, row = floor(char.x / side), floor(char.y / side)
        found = any(
            abs(other.x - char.x) <= tolerance and abs(other.y - char.y) <= tolerance
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
            for other in near.get((char.char, column + dx, row + dy), ())
        )
        if not found:
            # Of those kept in one cell any two are further apart than the tolerance, so there are few.
            near.setdefault((char.char, column, row), []).append(char)
            kept.append(char)
    return tuple(kept)


def _sorted(box: Rect) -> Rect:
    x0, y0, x1, y1 = box
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
