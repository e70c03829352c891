"""A claim in one language and its source in another: amounts, names, small words and known words are compared, the rest is open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pincite.checks.reading import GROUP, Reading, Unit, words
from pincite.checks.said import Fact, difference
from pincite.findings import Difference, Support
from pincite.text.synonyms import concept, meanings
from pincite.types import Span

CLOSE_FROM = 0.5
"""Share of a claim's words that are said in the source before it is taken to be about the same: below, nothing is known."""

MAX_UNITS = 400
MAX_CHARS = 2000

_COMPARED = ("negation", "quantifier", "condition", "modality")
_OPEN_KEYS = frozenset({"many", "some", "may", "might", "should", "sure", "former"})
"""Small words whose sides do not match from language to language."""

SURE_PAIRS = frozenset(
    {
        "permit",
        "free",
        "enable",
        "valid",
        "required",
        "accept",
        "possible",
        "include",
        "increase",
        "open",
        "before",
        "over",
    }
)
"""Opposites whose sides mean the same in every language's list."""

PARTIES = frozenset(
    "buyer seller customer tenant landlord employer employee company insurer insured lender borrower doctor patient teacher pupil "
    "student parent child supplier recipient sender user administrator owner guest host passenger airline bank".split()
)
"""Concepts of those who do something to each other: which of two does it, a bag of words does not tell."""


@dataclass(frozen=True, slots=True)
class Abroad:
    """What a source in another language says of a claim. ``unsupported`` are spans in the whole claim."""

    support: Support
    reason: str
    share: float
    differences: tuple[Difference, ...] = ()
    unsupported: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class _Said:
    """A content word of the claim with its concepts; without any it is known only by its letters."""

    span: Span
    surface: str
    concepts: frozenset[str]


def judge_abroad(
    text: str, start: int, language: str | None, found: Sequence[Fact], readings: Sequence[Reading]
) -> Abroad:
    """Judge a sentence by the sentence of the readings that says most of it.

    Args:
        text, start: The sentence, and where it begins in the claim.
        found: Its facts, their spans in the claim.

    Returns:
        ``unsupported`` when an amount, a negation or another small word differs; ``supported`` when every content word has
        its like, nothing differs and no two parties could have changed places; ``partial`` when most words have;
        else ``unchecked``.
    """
    said = _said(text, start, language, found)
    best: tuple[float, Unit] | None = None
    for reading in readings:
        for unit in reading.units[:MAX_UNITS]:
            score = _share(said, unit) + 0.5 * _amounts(found, unit)
            if best is None or score > best[0]:
                best = (score, unit)
    if best is None:
        return Abroad(Support.UNCHECKED, "the source is in another language", 0.0)
    unit = best[1]
    share = _share(said, unit)
    differences = _differences(found, unit, readings)
    if share >= CLOSE_FROM or not said:
        differences += _small_words(found, unit)
    if differences:
        spans = tuple(one.answer_span for one in differences if one.answer_span is not None)
        return Abroad(Support.UNSUPPORTED, "", share, tuple(differences), spans)
    if share < CLOSE_FROM:
        return Abroad(Support.UNCHECKED, "the source is in another language", share)
    known = _concepts(unit)
    missing = tuple(word.span for word in said if not _is_said(word, unit, known))
    parties = {one for word in said for one in word.concepts if one in PARTIES}
    names = sum(fact.kind == "name" for fact in found)
    if not missing and len(parties) + names < 2:
        return Abroad(Support.SUPPORTED, "the source says this in another language", share)
    return Abroad(Support.PARTIAL, "the source says most of this in another language", share, (), missing)


def _said(text: str, start: int, language: str | None, found: Sequence[Fact]) -> tuple[_Said, ...]:
    """Content words, without what amounts and small words are made of; in scripts without blanks the known words."""
    taken = [span for fact in found if fact.kind != "name" for span in (fact.span, *fact.beside)]
    groups: dict[int, set[str]] = {}
    spans: list[tuple[Span, str]] = []
    for meaning in meanings(text[:MAX_CHARS], language):
        spans.append((meaning.span.shift(start), concept(meaning.group)))
        for place in range(meaning.span.start, meaning.span.end):
            groups.setdefault(place, set()).add(concept(meaning.group))
    made: list[_Said] = []
    seen: set[Span] = set()
    for word in words(text[:MAX_CHARS], language):
        span = word.span.shift(start)
        if not word.is_content or any(span.overlaps(other) for other in taken):
            continue
        if word.is_pair:
            # Only whole known words can be compared; the characters round them are grammar or unknown.
            for whole, _ in spans:
                if whole.overlaps(span) and whole not in seen:
                    seen.add(whole)
                    concepts = frozenset(name for other, name in spans if other == whole)
                    made.append(_Said(whole, whole.shift(-start).of(text), concepts))
            continue
        made.append(_Said(span, word.surface, frozenset(groups.get(word.span.start, ()))))
    return tuple(made)


def _concepts(unit: Unit) -> frozenset[str]:
    """Concepts of the sentence with its heading and lead-in, from the groups that its words carry."""
    return frozenset(
        concept(group) for word in unit.words for group in word.groups if group.startswith(GROUP)
    )


def _is_said(word: _Said, unit: Unit, known: frozenset[str]) -> bool:
    if not word.concepts.isdisjoint(known):
        return True
    return any(word.surface == other.surface for other in unit.words)


def _share(said: Sequence[_Said], unit: Unit) -> float:
    known = _concepts(unit)
    return sum(_is_said(word, unit, known) for word in said) / len(said) if said else 0.0


def _amounts(found: Sequence[Fact], unit: Unit) -> int:
    return sum(any(fact.same(other) for other in unit.counted) for fact in found if fact.is_counted)


def _differences(found: Sequence[Fact], unit: Unit, readings: Sequence[Reading]) -> list[Difference]:
    """Amounts of the claim that the sentence does not have, with its rival there when it has one."""
    made: list[Difference] = []
    for fact in found:
        if not fact.is_counted or any(fact.same(other) for other in unit.counted):
            continue
        rival = next((other for other in unit.counted if fact.is_rival(other)), None)
        elsewhere = any(
            fact.same(other) for r in readings for one in r.units[:MAX_UNITS] for other in one.counted
        )
        if rival is not None:
            told = difference(fact, rival)
            made.append(told or Difference(fact.kind, fact.text, rival.text, fact.span, rival.span))
        elif not fact.is_weak and not elsewhere:
            made.append(Difference(fact.kind, fact.text, "", fact.span))
    return made


def _small_words(found: Sequence[Fact], unit: Unit) -> list[Difference]:
    """Negations, extents, conditions, duties and opposites that only one side has."""
    made: list[Difference] = []
    ours, theirs = _poles(found), _poles(unit.facts)
    # "Not allowed" is "prohibited": the negation of the one needs none in the other.
    is_turned = any(_is_flipped(ours[key]) != _is_flipped(theirs[key]) for key in ours.keys() & theirs.keys())
    for key, fact in ours.items():
        pair, _, side = key.partition(":")
        other_key = f"{pair}:{'b' if side == 'a' else 'a'}"
        other = theirs.get(other_key)
        if key not in theirs and other is not None and other_key not in ours:
            made.append(Difference("opposite", fact.text, other.text, fact.span, other.span))
    if made:
        return made
    mine, yours = _keys(found), _keys(unit.facts)
    for key, fact in mine.items():
        if key not in yours and not (key == "not" and is_turned):
            made.append(Difference(fact.kind, fact.text, "", fact.span))
    for key, fact in yours.items():
        if key not in mine and not (key == "not" and is_turned):
            made.append(Difference(fact.kind, "", fact.text, None, fact.span))
    return made


def _is_flipped(fact: Fact) -> bool:
    return fact.origin is not None and fact.origin.flipped


def _poles(found: Sequence[Fact]) -> dict[str, Fact]:
    return {
        fact.key: fact
        for fact in found
        if fact.kind == "opposite" and fact.key.partition(":")[0] in SURE_PAIRS
    }


def _keys(found: Sequence[Fact]) -> dict[str, Fact]:
    return {fact.key: fact for fact in found if fact.kind in _COMPARED and fact.key not in _OPEN_KEYS}
