"""One fact of a sentence, as a value."""

from __future__ import annotations

from dataclasses import dataclass

from pincite.text.numbers import Quantity
from pincite.types import Span

TURNING = frozenset({"not", "never", "no_longer", "without"})
"""Values of negations that turn what they stand beside; "except" and "unless" only limit it."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact. ``span`` is in the text that ``facts`` was given.

    Args:
        kind: number, date, currency, name, negation, comparator, quantifier, modality or opposite.
        value: Canonical: ``not``, ``only``, ``must``, ``permit:a`` (``b`` is the other side), ``weekday:1``, a folded
            name; for quantities the surface.
        quantity: For number, date and currency.
        scope: Folded content words nearby, nearest first (pairs of characters where words have no blanks between
            them): what a small word speaks about.
        flipped: An opposite under a negation ("not allowed"): it counts for the other side.
    """

    kind: str
    span: Span
    value: str
    surface: str
    quantity: Quantity | None = None
    scope: tuple[str, ...] = ()
    flipped: bool = False
