"""Which units of the passages back a claim best, and how much of the claim's words they hold."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log

from pincite.checks.reading import Reading, Unit, Word, without_marks
from pincite.checks.said import Fact
from pincite.ports import Passage
from pincite.text.light_words import light_terms
from pincite.types import Span

MIN_GAIN = 0.04
"""Share of the claim that one more unit must add to be taken as evidence."""

CLOSED_LIST_WORDS = 2
"""Words of a claim that an "only" sentence must hold to deny what it does not name."""

LIST_WORDS = frozenset(
    "among list lists listed mentioned named included unter liste lista entre liste parmi figure figura".split()
)
"""Words of a claim that only say that something is in a list."""

COMPOUNDING = frozenset({"de", "nl", "sv", "da", "no", "nb", "fi"})
COMPOUND_PART, COMPOUND_HEAD = 6, 4
"""Languages that write compounds as one word, and the least letters of a part, or of its head, that stands for the whole."""

JOINED_PART = 3
"""Least letters of two words that are written as one."""

_HAN = re.compile("[\u3400-\u9fff]")
_HIRAGANA = re.compile("[\u3041-\u309f]")

LIGHT_WEIGHT = 0.35
"""What a word that carries little ("get", "there") weighs beside others."""

MAX_AMOUNTS = 24
AMOUNT_WEIGHT = 1.5
"""What an amount of the claim weighs beside its words, when coverage is told."""

FACT_WORTH, FOCUS_WORTH = 0.1, 0.05
"""What an amount of the claim, and the place of its quote, are worth in shares of its words."""

UNITS_PER_PASSAGE, MAX_UNITS = 2, 6

SHARED_BEGINNING, SHARED_LETTERS = 0.7, 4
"""Two words are taken for forms of one word when this share of the longer one, and so many letters, are the same."""


@dataclass(frozen=True, slots=True)
class ClaimWords:
    """A sentence of a claim as words, its spans in the whole claim.

    ``said`` are its signatures, with and without an opening that says nothing. ``terms_in`` is the language that its terms were made in: that of the passages.
    ``content`` leaves out function words and what quantities are made of; ``segments`` has the clause of each of ``words``.
    """

    text: str
    said: tuple[str, ...]
    span: Span
    language: str | None
    terms_in: str | None
    words: tuple[Word, ...]
    content: tuple[Word, ...]
    facts: tuple[Fact, ...]
    segments: tuple[int, ...]


class Matcher:
    """Says which content terms of one claim a text holds, and how much they weigh.

    Rare words of the passages weigh more; a word that none of them holds weighs as the rarest.
    """

    def __init__(self, claim: ClaimWords, readings: Sequence[Reading]) -> None:
        self._content = claim.content
        self._forms = {word.term: _forms(word, claim, readings) for word in claim.content}
        self._add_same_sides(claim, readings)
        self._masks: dict[int, int] = {}
        self._covers: dict[int, float] = {}
        self._same: dict[tuple[int, int], bool] = {}
        self._rivals: dict[tuple[int, int], bool] = {}
        bits = {term: 1 << n for n, term in enumerate(self._forms)}
        counts = dict.fromkeys(self._forms, 0)
        units = [unit for reading in readings for unit in reading.units]
        for unit in units:
            mask = 0
            for term, forms in self._forms.items():
                if not forms.isdisjoint(unit.terms):
                    mask |= bits[term]
                    counts[term] += 1
            self._masks[id(unit)] = mask
        self._bits = bits
        self._amounts = [fact for fact in claim.facts if fact.is_counted and not fact.is_weak][:MAX_AMOUNTS]
        for unit in units:
            for n, fact in enumerate(self._amounts):
                if any(self.same(fact, other) for other in unit.counted):
                    self._masks[id(unit)] |= 1 << (len(bits) + n)
        self.weights = {
            term: 1.0 + log((len(units) + 1) / (max(count, 1) + 0.5)) for term, count in counts.items()
        }
        light = light_terms(claim.terms_in)
        self._lenient = {
            term: weight * (LIGHT_WEIGHT if term in light else 1.0) for term, weight in self.weights.items()
        }

    def _add_same_sides(self, claim: ClaimWords, readings: Sequence[Reading]) -> None:
        """Words of policy language that say the same: "not allowed" and "prohibited"."""
        ours: dict[str, set[int]] = {}
        for fact in claim.facts:
            if fact.kind == "opposite":
                ours.setdefault(fact.key, set()).update(range(fact.span.start, fact.span.end))
        theirs: dict[str, set[str]] = {key: set() for key in ours}
        for unit in (unit for reading in readings for unit in reading.units) if ours else ():
            places: dict[str, set[int]] = {}
            for fact in unit.facts:
                if fact.kind == "opposite" and fact.key in ours:
                    places.setdefault(fact.key, set()).update(range(fact.span.start, fact.span.end))
            for key, taken in places.items():
                theirs[key].update(
                    w.term for w in unit.own if not taken.isdisjoint(range(w.span.start, w.span.end))
                )
        for key, own in ours.items():
            for word in claim.content if theirs[key] else ():
                if not own.isdisjoint(range(word.span.start, word.span.end)):
                    self._forms[word.term] |= theirs[key]

    def mask(self, unit: Unit) -> int:
        """The content terms that ``unit``, one of the passages', holds, as bits."""
        return self._masks[id(unit)]

    def cover(self, mask: int) -> float:
        """Weighted share of the claim's content words and amounts that are in ``mask``."""
        if mask not in self._covers:
            self._covers[mask] = self._cover(mask, self.weights)
        return self._covers[mask]

    def lenient_cover(self, mask: int) -> float:
        """``cover``, with words that carry little weighing little."""
        return self._cover(mask, self._lenient)

    def _cover(self, mask: int, weights: Mapping[str, float]) -> float:
        known = frozenset(term for term, bit in self._bits.items() if mask & bit)
        held, total = _weigh(self._content, known, weights)
        amounts = (mask >> len(self._bits)).bit_count()
        total += AMOUNT_WEIGHT * len(self._amounts)
        return (held + AMOUNT_WEIGHT * amounts) / total if total else 1.0

    def same(self, fact: Fact, other: Fact) -> bool:
        """``fact.same(other)``, remembered; both must live as long as this."""
        key = (id(fact), id(other))
        if key not in self._same:
            self._same[key] = fact.same(other)
        return self._same[key]

    def is_rival(self, fact: Fact, other: Fact) -> bool:
        """``fact.is_rival(other)``, remembered; both must live as long as this."""
        key = (id(fact), id(other))
        if key not in self._rivals:
            self._rivals[key] = fact.is_rival(other)
        return self._rivals[key]

    def holds(self, term: str, terms: frozenset[str]) -> bool:
        """Whether ``terms`` hold ``term``, a content term of the claim, or a form of it."""
        return not self._forms[term].isdisjoint(terms)

    def spare(self, units: Sequence[Unit]) -> int:
        """How many content words of ``units`` say nothing that the claim says: what words of its own may stand for."""
        told = frozenset[str]().union(*self._forms.values()) if self._forms else frozenset[str]()
        spare = 0
        for unit in units:
            amounts = [fact.span for fact in unit.counted]
            spare += sum(
                word.is_content
                and word.term not in told
                and told.isdisjoint(word.groups)
                and not any(word.span.overlaps(span) for span in amounts)
                for word in unit.own
            )
        return spare

    def share(self, wanted: Sequence[Word], terms: frozenset[str]) -> float:
        """Weighted share of ``wanted`` that ``terms`` hold; 1.0 when nothing is wanted.

        In scripts without blanks each character counts, and is held when one of the pairs it is in is.
        """
        held, total = _weigh(
            wanted, frozenset(w.term for w in wanted if self.holds(w.term, terms)), self.weights
        )
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


def _weigh(
    wanted: Sequence[Word], known: frozenset[str], weights: Mapping[str, float]
) -> tuple[float, float]:
    total = held = 0.0
    places: dict[int, float] = {}
    seen: set[int] = set()
    for word in wanted:
        weight = weights[word.term]
        has = word.term in known
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
    return held, total


def _forms(word: Word, claim: ClaimWords, readings: Sequence[Reading]) -> frozenset[str]:
    term = word.term
    alike = [group for group in word.groups if any(group in reading.terms for reading in readings)]
    if alike or any(term in reading.terms for reading in readings):
        return frozenset((term, *alike))
    if word.is_pair:
        return frozenset((term, *_same_character(word, readings)))
    surface = word.span.shift(-claim.span.start).of(claim.text)
    is_name = surface[:1].isupper() and word.span.start > claim.span.start and claim.language != "de"
    bare = without_marks(term)
    if bare != term or is_name:
        for reading in readings:
            alike = [other for other in reading.marked.get(bare, ()) if other != term]
            if bare in reading.terms or alike:
                return frozenset((term, bare, *alike))
    joined = _joined(term, readings)
    if joined or is_name or len(term) < SHARED_LETTERS or not term.isalpha():
        return frozenset((term, *joined))
    near = [
        other
        for reading in readings
        for other in reading.beginnings.get(term[:SHARED_LETTERS], ())
        if _common(term, other) >= SHARED_BEGINNING * max(len(term), len(other))
    ]
    if claim.language in COMPOUNDING:
        near += [
            other
            for reading in readings
            for other in reading.beginnings.get(term[:SHARED_LETTERS], ())
            if len(other) >= COMPOUND_PART
            and (term.startswith(other) or other.startswith(term))
            and len(term) >= COMPOUND_PART
        ]
        if not near and len(term) >= COMPOUND_HEAD:
            near += [
                other
                for reading in readings
                for other in sorted(reading.terms)
                if len(other) >= len(term) + COMPOUND_HEAD and other.endswith(term) and other.isalpha()
            ]
    return frozenset((term, *near))


def _same_character(word: Word, readings: Sequence[Reading]) -> list[str]:
    """Of a Japanese verb, what else is written with its character: its ending says little ("払わ", "支払")."""
    if not (_HAN.match(word.surface) and _HIRAGANA.match(word.surface, 1)):
        return []
    return [other for reading in readings for other in reading.beginnings.get(word.surface[0], ())]


def _joined(term: str, readings: Sequence[Reading]) -> list[str]:
    """Two neighbours of a passage that are written as one word in the claim: "south east", "southeast"."""
    if len(term) < 2 * JOINED_PART:
        return []
    found = []
    for reading in readings:
        for cut in range(JOINED_PART, len(term) - JOINED_PART + 1):
            first, second = term[:cut], term[cut:]
            if first in reading.terms and second in reading.terms:
                if any(f"{first} {second}" in unit.said for unit in reading.units):
                    found.append(second)
    return found


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
    wanted = [fact for fact in claim.facts if fact.is_counted][:MAX_AMOUNTS]
    focused = {id(unit) for unit in reading.units if any(span.overlaps(unit.span) for span in passage.focus)}
    chosen = _greedy(
        [(0, unit) for unit in reading.units if not unit.is_question],
        wanted,
        matcher,
        most=UNITS_PER_PASSAGE,
        first=focused,
    )
    return tuple(sorted((unit for _, unit in chosen), key=lambda unit: unit.span))


def joint_units(
    claim: ClaimWords, picks: Sequence[tuple[Unit, ...]], matcher: Matcher
) -> tuple[tuple[int, Unit], ...]:
    """The fewest of the picked units, of all passages, that together cover what all of them cover.

    Pairs of passage number and unit, most helpful first.
    """
    pool = [(n, unit) for n, units in enumerate(picks) for unit in units]
    return tuple(
        _greedy(
            pool, [fact for fact in claim.facts if fact.is_counted][:MAX_AMOUNTS], matcher, most=MAX_UNITS
        )
    )


def _greedy(
    pool: list[tuple[int, Unit]],
    wanted: Sequence[Fact],
    matcher: Matcher,
    *,
    most: int,
    first: Collection[int] = (),
) -> list[tuple[int, Unit]]:
    """Units that add most to what is covered, until one adds next to nothing. Ties: shorter, then earlier ones."""
    chosen: list[tuple[int, Unit]] = []
    held = 0
    left = list(wanted)
    agreeing = {
        id(unit): [f for f in wanted if any(matcher.same(f, other) for other in unit.counted)]
        if wanted and unit.counted
        else []
        for _, unit in pool
    }
    while pool and len(chosen) < most:
        new = {id(unit): sum(f in left for f in agreeing[id(unit)]) if left else 0 for _, unit in pool}
        best = max(
            pool,
            key=lambda pair: (
                round(matcher.cover(held | matcher.mask(pair[1])), 6)
                + FACT_WORTH * new[id(pair[1])]
                + FOCUS_WORTH * (id(pair[1]) in first),
                -len(pair[1].own),
                -pair[0],
                -pair[1].span.start,
            ),
        )
        gain = matcher.cover(held | matcher.mask(best[1])) - matcher.cover(held)
        if chosen and gain < MIN_GAIN and not new[id(best[1])]:
            break
        pool = [pair for pair in pool if pair is not best]
        chosen.append(best)
        held |= matcher.mask(best[1])
        left = [fact for fact in left if fact not in agreeing[id(best[1])]]
    return chosen


def is_closed_list(claim: ClaimWords, units: Sequence[Unit], matcher: Matcher) -> bool:
    """Whether the claim denies something, and a unit says "only": what it does not name is then denied."""
    if not any(fact.kind == "negation" for fact in claim.facts):
        return False
    for unit in units:
        if any(fact.key == "only" for fact in unit.facts):
            wanted = [word for word in claim.content if word.surface not in LIST_WORDS]
            held = [word for word in wanted if matcher.holds(word.term, unit.terms)]
            if CLOSED_LIST_WORDS <= len(held) < len(wanted):
                return True
    return False


def all_terms(units: Sequence[Unit]) -> frozenset[str]:
    """The terms of several units."""
    return frozenset().union(*(unit.terms for unit in units)) if units else frozenset()
