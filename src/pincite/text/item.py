"""A number found in folded text, before neighbours are joined and amounts converted."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pincite.text.dates import TimeFound
from pincite.text.numerals import Amount
from pincite.text.quantity import Reading


@dataclass(frozen=True, slots=True)
class Item:
    """A number at ``low[start:end]``, its unit included; ``bare`` is the span of the number alone.

    ``options`` are pairs of amount and unit name (empty: none). ``readings`` are those that are no amounts.
    ``calendar`` is ``(part, value)`` for 年, 月 and 日, which join to dates.
    """

    start: int
    end: int
    bare: tuple[int, int]
    options: tuple[tuple[Amount, str], ...] = ()
    readings: tuple[Reading, ...] = ()
    kind: str = ""
    approximate: bool = False
    weak: bool = False
    calendar: tuple[str, int] | None = None


def id_item(start: int, end: int, label: str) -> Item:
    """A label that only looks like a number: compared as written."""
    return Item(start, end, (start, end), readings=(Reading("id", label),), kind="id")


def timed_item(found: TimeFound, start: int, end: int) -> Item:
    """A time of day whose digits stand at ``low[start:end]``."""
    readings = tuple(Reading("time", Fraction(value)) for value in found.minutes)
    return Item(found.start, found.end, (start, end), readings=readings, kind="time")
