"""What a quantity is, and when two say the same.

Equal means: the readings meet, after conversion to base units. Rounding is a second, one-way rule
(``restates``), for an answer that says "about 4.5 million" of 4,523,000.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from pincite.text.dates import refines
from pincite.types import Span

ROUNDING_LIMIT = Fraction(1, 20)
"""Farthest a rounded amount may lie from the exact one, as a share of it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a quantity: an amount in the base unit of ``dimension``, or a name such as a date.

    ``high`` is the end of a range, ``step`` the worth of the amount's last digit (0: none, as in "half").
    ``soft``: the bare number beside a sign that may be no unit ("5 V"); two soft readings do not meet.
    """

    dimension: str
    low: Fraction | str
    high: Fraction | str | None = None
    step: Fraction = field(default=Fraction(0), compare=False)
    soft: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what it counts, at ``span`` of the text it was read from.

    Args:
        kind: plain, percent, money, duration, months, data, length, …, date, time, version, ordinal, id, ratio.
        readings: One or more; several when the writing is open.
        bound: ``""`` or one of ``<= >= < > ~``.
        approximate: Written with a magnitude word ("4.5 million"), which rounded numbers usually are.
        weak: May be no statement of an amount: "one", "a year", "first". Never missed when absent.
        rate: ``month`` in "5 € per month".
        unit: The unit as the reader names it, such as ``day`` or ``money:EUR``; empty for bare numbers.
        numbers: The bare values before conversion.
    """

    span: Span
    kind: str
    surface: str
    readings: tuple[Reading, ...]
    bound: str = ""
    approximate: bool = False
    weak: bool = False
    rate: str = ""
    unit: str = ""
    numbers: tuple[Fraction, ...] = ()

    @property
    def dimensions(self) -> frozenset[str]:
        return frozenset(reading.dimension for reading in self.readings)


def same_quantity(a: Quantity, b: Quantity) -> bool:
    """Whether both state the same amount, date, version or label: some reading of each is equal.

    Symmetric and reflexive. Opposite or strict bounds differ; an inclusive bound and none do not ("up to 25 MB"
    and "25 MB"), nor do "about 30" and "30". Rates must agree where both have one.
    """
    if not bounds_agree(a.bound, b.bound) or (a.rate and b.rate and a.rate != b.rate):
        return False
    return any(own == other and not (own.soft and other.soft) for own in a.readings for other in b.readings)


def bounds_agree(a: str, b: str) -> bool:
    """Whether two bounds can stand for one another.

    >>> bounds_agree("<=", ""), bounds_agree("<=", ">="), bounds_agree("<", "")
    (True, False, False)
    """
    if a == b:
        return True
    return {a, b} <= {"", "~", "<="} or {a, b} <= {"", "~", ">="}


def restates(claim: Quantity, source: Quantity) -> bool:
    """Whether ``claim`` says the source's quantity, perhaps rounded, or a date less exactly.

    Rounding counts when the claim marks it ("about", "over", "nearly") or has a magnitude word and two
    significant digits ("4.5 million"), has fewer digits than the source, and lies within 5 %. A common
    fraction may stand for its two-digit percentage ("a third", 33 %). Nothing else is rounded: 2.5 % is not 3 %.
    """
    if same_quantity(claim, source):
        return True
    if claim.rate and source.rate and claim.rate != source.rate:
        return False
    for own in claim.readings:
        for other in source.readings:
            if own.dimension != other.dimension:
                continue
            if own.dimension == "date" and isinstance(own.low, str) and isinstance(other.low, str):
                if refines(other.low, own.low) and bounds_agree(claim.bound, source.bound):
                    return True
            elif own.high is None and other.high is None and _rounds(claim, own, source, other):
                return True
    return False


def _rounds(claim: Quantity, own: Reading, source: Quantity, other: Reading) -> bool:
    a, b = own.low, other.low
    if isinstance(a, str) or isinstance(b, str) or not a or not b:
        return False
    if not own.step and claim.bound == "~" and abs(a - b) <= abs(b) * ROUNDING_LIMIT:
        return bounds_agree(claim.bound, source.bound)
    if not own.step or not other.step:
        return _is_common_fraction(own, other) and bounds_agree(claim.bound, source.bound)
    digits = abs(a / own.step)
    marked = claim.bound in ("~", ">", "<") or (claim.approximate and digits >= 10)
    if not marked or other.step >= own.step or abs(a - b) > abs(b) * ROUNDING_LIMIT or (a > 0) != (b > 0):
        return False
    if source.bound not in ("", "~", claim.bound):
        return False
    if claim.bound == ">":
        return 0 < b - a < own.step
    if claim.bound == "<":
        return 0 < a - b < own.step
    return abs(a - b) * 2 <= own.step


def _is_common_fraction(own: Reading, other: Reading) -> bool:
    """A fraction in words against the decimal that rounds it to at least two digits: 1/3 and 33 %."""
    assert not isinstance(own.low, str)
    assert not isinstance(other.low, str)
    if own.step == other.step:
        return False
    fraction, decimal, step = (
        (own.low, other.low, other.step) if not own.step else (other.low, own.low, own.step)
    )
    return fraction.denominator <= 12 and abs(fraction - decimal) * 2 <= step and abs(decimal) >= 10 * step
