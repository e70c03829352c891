"""Which units of the passages back a claim best, and how much of the claim's words they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from pincite.checks.reading import Reading, Unit, Word, without_marks
from pincite.checks.said import Fact
from pincite.ports import Passage
from pincite.types import Span

MIN_GAIN = 0.04
"""Share of the claim that one more unit must add to be taken as evidence."""

UNITS_PER_PASSAGE, MAX_UNITS = 2, 6

SHARED_BEGINNING, SHARED_LETTERS = 0.7, 4
"""Two words are taken for forms of one word when this share of the longer one, and so many letters, are the same."""


@dataclass(frozen=True, slots=True)
class ClaimWords:
    """A sentence of a claim as words, its spans in the whole claim.

    ``content`` leaves out function words and what quantities are made of; ``segments`` has the clause of each of ``words``.
    """

    text: str
    span: Span
    language: str | None
    words: tuple[Word, ...]
    content: tuple[Word, ...]
    facts: tuple[Fact, ...]
    segments: tuple[int, ...]


class Matcher:
    """Says which content terms of one claim a text holds, and how much they weigh.

    Rare words of the passages weigh more; a word that none of them holds weighs as the rarest.
    """

    def __init__(self, claim: ClaimWords, readings: Sequence[Reading]) -> None:
        self._forms = {word.term: _forms(word, claim, readings) for word in claim.content}
        units = [unit for reading in readings for unit in reading.units]
        self.weights: dict[str, float] = {}
        for term, forms in self._forms.items():
            frequency = sum(not forms.isdisjoint(unit.terms) for unit in units)
            self.weights[term] = 1.0 + log((len(units) + 1) / (max(frequency, 1) + 0.5))

    def holds(self, term: str, terms: frozenset[str]) -> bool:
        """Whether ``terms`` hold ``term``, a content term of the claim, or a form of it."""
        return not self._forms[term].isdisjoint(terms)

    def share(self, wanted: Sequence[Word], terms: frozenset[str]) -> float:
        """Weighted share of ``wanted`` that ``terms`` hold; 1.0 when nothing is wanted.

        In scripts without blanks each character counts, and is held when one of the pairs it is in is.
        """
        total = held = 0.0
        places: dict[int, float] = {}
        seen: set[int] = set()
        for word in wanted:
            weight = self.weights[word.term]
            has = self.holds(word.term, terms)
            if not word.is_pair:
                total += weight
                held += weight * has
                continue
            for place in range(word.span.start, word.span.end):
                places[place] = max(places.get(place, 0.0), weight / 2)
                if has:
                    seen.add(place)
        total += sum(places.values())
        held += sum(weight for place, weight in places.items() if place in seen)
        return held / total if total else 1.0

    def missing(self, wanted: Sequence[Word], terms: frozenset[str]) -> tuple[Word, ...]:
        """The words of ``wanted`` that ``terms`` do not hold; of pairs, those with a character that none holds."""
        seen = {
            place
            for word in wanted
            if word.is_pair and self.holds(word.term, terms)
            for place in range(word.span.start, word.span.end)
        }
        return tuple(
            word
            for word in wanted
            if not self.holds(word.term, terms)
            and not (word.is_pair and all(place in seen for place in range(word.span.start, word.span.end)))
        )


def _forms(word: Word, claim: ClaimWords, readings: Sequence[Reading]) -> frozenset[str]:
    term = word.term
    if any(term in reading.terms for reading in readings):
        return frozenset((term,))
    surface = word.span.shift(-claim.span.start).of(claim.text)
    is_name = surface[:1].isupper() and word.span.start > claim.span.start
    bare = without_marks(term)
    if bare != term or is_name:
        for reading in readings:
            alike = [other for other in reading.marked.get(bare, ()) if other != term]
            if bare in reading.terms or alike:
                return frozenset((term, bare, *alike))
    if is_name or len(term) < SHARED_LETTERS or not term.isalpha():
        return frozenset((term,))
    near = [
        other
        for reading in readings
        for other in reading.beginnings.get(term[:SHARED_LETTERS], ())
        if _common(term, other) >= SHARED_BEGINNING * max(len(term), len(other))
    ]
    return frozenset((term, *near))


def _common(a: str, b: str) -> int:
    n = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        n += 1
    return n


def best_units(claim: ClaimWords, reading: Reading, passage: Passage, matcher: Matcher) -> tuple[Unit, ...]:
    """The unit of one passage that covers the claim best and the one that adds most to it, in text order.

    Units where the quote was found come first among equals, then shorter and earlier ones.
    """
    if not reading.units:
        return ()
    chosen: list[Unit] = []
    held = frozenset[str]()
    found: set[str] = set()
    for _ in range(UNITS_PER_PASSAGE):
        best = max(
            (unit for unit in reading.units if unit not in chosen),
            key=lambda unit: (
                round(matcher.share(claim.content, held | unit.terms), 6)
                + 0.1 * _agreeing(claim, unit, found)
                + 0.05 * any(span.overlaps(unit.span) for span in passage.focus),
                -len(unit.own),
                -unit.span.start,
            ),
            default=None,
        )
        if best is None:
            break
        gain = matcher.share(claim.content, held | best.terms) - matcher.share(claim.content, held)
        if chosen and gain < MIN_GAIN and not _agreeing(claim, best, found):
            break
        chosen.append(best)
        held |= best.terms
        found |= {fact.text for fact in claim.facts if any(fact.same(other) for other in best.facts)}
    return tuple(sorted(chosen, key=lambda unit: unit.span))


def _agreeing(claim: ClaimWords, unit: Unit, found: set[str]) -> int:
    return sum(
        fact.is_counted and fact.text not in found and any(fact.same(other) for other in unit.facts)
        for fact in claim.facts
    )


def joint_units(
    claim: ClaimWords, picks: Sequence[tuple[Unit, ...]], matcher: Matcher
) -> tuple[tuple[int, Unit], ...]:
    """The fewest of the picked units, of all passages, that together cover what all of them cover.

    Pairs of passage number and unit, most helpful first.
    """
    pool = [(n, unit) for n, units in enumerate(picks) for unit in units]
    chosen: list[tuple[int, Unit]] = []
    held = frozenset[str]()
    found: set[str] = set()
    while pool and len(chosen) < MAX_UNITS:
        best = max(
            pool,
            key=lambda pair: (
                round(matcher.share(claim.content, held | pair[1].terms), 6)
                + 0.1 * _agreeing(claim, pair[1], found)
            ),
        )
        gain = matcher.share(claim.content, held | best[1].terms) - matcher.share(claim.content, held)
        if chosen and gain < MIN_GAIN and not _agreeing(claim, best[1], found):
            break
        pool.remove(best)
        chosen.append(best)
        held |= best[1].terms
        found |= {fact.text for fact in claim.facts if any(fact.same(other) for other in best[1].facts)}
    return tuple(chosen)


def all_terms(units: Sequence[Unit]) -> frozenset[str]:
    """The terms of several units."""
    return frozenset().union(*(unit.terms for unit in units)) if units else frozenset()
