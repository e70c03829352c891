"""The facts of a text in the shape that judges compare: quantities, and words that turn, limit or soften."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pincite.text.fact import Fact as TextFact
from pincite.text.facts import facts as find_facts
from pincite.text.quantity import Quantity, restates
from pincite.text.words import Token, content_words
from pincite.types import Span

YEARS = range(1000, 2101)
"""Bare numbers in this range may be years: they are rivals of one another only."""


NOUN_WITHIN = 25
"""Characters after a bare number in which the noun that it counts is looked for."""

_OTHER = {"a": "b", "b": "a"}
_CONDITIONS = frozenset({"except", "unless"})
_KOREAN_NEGATION = re.compile("않|아니|아닌|없|못하|못한|못했|안 ")
"""Korean has no lexicon of its own yet; without these, its negated sentences would pass for their opposite."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact at ``span``. ``kind`` as ``Difference.kind``; ``key`` is equal for turning words that say the same.

    ``nouns`` are the terms after a bare number: what it counts.
    """

    kind: str
    text: str
    span: Span
    key: str = ""
    quantity: Quantity | None = None
    nouns: tuple[str, ...] = ()

    @property
    def is_counted(self) -> bool:
        return self.quantity is not None

    @property
    def is_weak(self) -> bool:
        return self.quantity is not None and self.quantity.weak

    def same(self, other: Fact) -> bool:
        """Whether this quantity, of a claim, says that of a source; false for other facts."""
        if self.quantity is None or other.quantity is None:
            return False
        return restates(self.quantity, other.quantity) or _year_of(self.quantity, other.quantity)

    def is_rival(self, other: Fact) -> bool:
        """Whether both are quantities that could stand in one place, and differ."""
        a, b = self.quantity, other.quantity
        if a is None or b is None or self.same(other) or other.same(self):
            return False
        if _is_year(a) != _is_year(b) and not ({a.kind, b.kind} & {"date"}):
            return False
        if a.kind == "plain" and b.kind == "plain" and not _is_year(a):
            return not self.nouns or not other.nouns or not set(self.nouns).isdisjoint(other.nouns)
        both_dates = (a.kind == "date" or _is_year(a)) and (b.kind == "date" or _is_year(b))
        return both_dates or not a.dimensions.isdisjoint(b.dimensions)


def _is_year(quantity: Quantity) -> bool:
    return (
        quantity.kind == "plain"
        and len(quantity.surface) == 4
        and quantity.numbers[:1] != ()
        and (quantity.numbers[0].denominator == 1 and int(quantity.numbers[0]) in YEARS)
    )


def _year_of(a: Quantity, b: Quantity) -> bool:
    """A bare year that a date is in."""
    return _is_year(a) and b.kind == "date" and any(str(r.low).startswith(a.surface) for r in b.readings)


@lru_cache(maxsize=4096)
def _facts(text: str, language: str | None) -> tuple[Fact, ...]:
    found = find_facts(text, language=language)
    after = content_words(text, language) if any(fact.quantity for fact in found) else ()
    made = [fact for one in found if (fact := _fact(one, after)) is not None]
    if language == "ko":
        made += [Fact("negation", m.group(), Span(*m.span()), "not") for m in _KOREAN_NEGATION.finditer(text)]
    return tuple(sorted(made, key=lambda fact: fact.span))


def _fact(found: TextFact, after: Sequence[Token]) -> Fact | None:
    if found.quantity is not None:
        return _counted(found.quantity, found.kind, after)
    if found.kind == "negation":
        kind = "condition" if found.value in _CONDITIONS else "negation"
        return Fact(kind, found.surface, found.span, found.value if kind == "condition" else "not")
    if found.kind == "opposite":
        pair, _, side = found.value.partition(":")
        return Fact(
            "opposite", found.surface, found.span, f"{pair}:{_OTHER[side] if found.flipped else side}"
        )
    if found.kind in ("quantifier", "modality", "name", "date"):
        return Fact(found.kind, found.surface, found.span, found.value)
    return None


def _counted(quantity: Quantity, kind: str, after: Sequence[Token]) -> Fact:
    nouns: list[str] = []
    if quantity.kind == "plain":
        for token in after:
            if token.span.start >= quantity.span.end and len(nouns) < 2:
                if token.span.start - quantity.span.end > NOUN_WITHIN:
                    break
                nouns.append(token.term)
    return Fact(
        "date" if _is_year(quantity) else kind, quantity.surface, quantity.span, "", quantity, tuple(nouns)
    )


def facts(text: str, language: str | None, shift: int = 0) -> tuple[Fact, ...]:
    """The facts of ``text`` in order, their spans moved by ``shift``. An opposite under a negation is given as its other side.

    >>> [(fact.kind, fact.text) for fact in facts("Not all of the 30 days count.", "en")]
    [('negation', 'Not'), ('quantifier', 'all'), ('number', '30 days')]
    """
    if not shift:
        return _facts(text, language)
    return tuple(
        Fact(f.kind, f.text, f.span.shift(shift), f.key, f.quantity, f.nouns) for f in _facts(text, language)
    )
