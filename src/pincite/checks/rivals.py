"""Two statements of one matter with two values: the same attribute of the same subject, and not the same said of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

from pincite.checks.reading import Unit, Word, is_at_particle, language_of, read
from pincite.checks.said import Fact, difference
from pincite.findings import Difference
from pincite.text.lexicon import load_lexicon
from pincite.text.light_words import light_terms
from pincite.text.synonyms import concept
from pincite.text.words import terms
from pincite.types import Span

ALIKE_BEGINNING, ALIKE_LETTERS = 0.75, 4
"""Two words are forms of one when so much of the longer, and so many letters, are the same from the beginning."""

SAME_HALF = 0.5
"""Share of the words of the shorter statement that the other must have."""

_TIMES = (frozenset({"months"}), frozenset({"duration"}))
_TURNING = ("negation", "opposite")
_UNEQUAL = frozenset({"condition", "modality"})


@cache
def _neutral(language: str | None) -> frozenset[str]:
    """Words that two statements of one matter need not share: how one says that a thing is long, lasts, costs, is due."""
    listed = load_lexicon("counterparts")["attributes"].get(language, "")
    return light_terms(language) | frozenset(terms(listed, language))


def differing_value(statement: str, text: str, language: str | None = None) -> Difference | None:
    """The one value in which ``text`` differs from ``statement`` while both speak of the same matter, else ``None``.

    Of both, every word must be the other's, mean the same or name the attribute only ("long", "costs"); what is left
    tells two matters apart: "express" and "standard", "hotel" and "restaurant". No other amount may differ.

    Args:
        statement: One sentence.
        text: A passage; the sentence of it that has most of the statement's words is compared.
        language: That of both; ``None`` to guess it from ``text``.

    Returns:
        ``answer`` is the statement's value, ``source`` that of the text; spans as there.

    >>> found = differing_value(
    ...     "Refunds are paid within 30 days.", "Customers get their money back within 14 days."
    ... )
    >>> (found.answer, found.source) if found else None
    ('30 days', '14 days')
    >>> differing_value("Standard shipping takes 3 days.", "Express shipping takes 1 day.")
    """
    language = language or language_of(text) or language_of(statement)
    mine, telling = _statement(statement, language)
    if mine is None:
        return None
    reading = read(text, language)
    # Most pairs end here: a word that tells, of which the passage has nothing.
    for word in telling:
        is_known = word.term in reading.terms or not reading.terms.isdisjoint(word.groups)
        if not is_known and word.term[:ALIKE_LETTERS] not in reading.beginnings:
            return None
    best = max(
        (unit for unit in reading.units if not unit.is_question),
        key=lambda unit: (_shared(mine, unit), -unit.span.start),
        default=None,
    )
    if best is None or not _shared(mine, best):
        return None
    return _difference(mine, best, language)


@lru_cache(maxsize=64)
def _statement(statement: str, language: str | None) -> tuple[Unit | None, tuple[Word, ...]]:
    """A sentence as a unit, with the words that tell its matter. Few are kept: each is compared with many passages at once."""
    units = read(statement, language).units
    if len(units) != 1:
        return None, ()
    return units[0], tuple(_telling(units[0], _neutral(language), language, (*_TURNING, *_UNEQUAL)))


def _difference(mine: Unit, other: Unit, language: str | None) -> Difference | None:
    rivals = [(f, g) for f in mine.counted for g in other.counted if _is_rival(f, g)]
    new = [f for f in mine.counted if not any(f.same(g) for g in other.counted)]
    if rivals and len(new) == 1:
        fact, rival = rivals[0]
        if len({pair[0].span for pair in rivals}) != 1 or _turns(mine, other):
            return None
        if not _is_one_matter(mine, other, other.segment(rival.span.start), language):
            return None
        return difference(fact, rival) or Difference("number", fact.text, rival.text, fact.span, rival.span)
    if new or not _is_one_matter(mine, other, None, language):
        return None
    return _turned(mine, other) or _free_or_paid(mine, other)


def _is_rival(fact: Fact, other: Fact) -> bool:
    if fact.same(other) or other.same(fact):
        return False
    months_and_days = fact.dimensions in _TIMES and other.dimensions in _TIMES
    return months_and_days or fact.is_rival(other)


def _turns(mine: Unit, other: Unit) -> bool:
    """Whether one of both denies, or has a condition, and the other does not."""
    kinds = (*_TURNING[:1], "condition")
    return any(_has(mine, kind) != _has(other, kind) for kind in kinds)


def _has(unit: Unit, kind: str) -> bool:
    return any(fact.kind == kind for fact in unit.facts)


def _turned(mine: Unit, other: Unit) -> Difference | None:
    """Of "allowed" and "not allowed": the same words, and one of them turned."""
    ours = [fact for fact in mine.facts if fact.kind == "opposite"]
    for fact in ours:
        pair, _, side = fact.key.partition(":")
        against = f"{pair}:{'b' if side == 'a' else 'a'}"
        rival = next((one for one in other.facts if one.kind == "opposite" and one.key == against), None)
        if rival is not None and not any(one.key == fact.key for one in other.facts):
            return Difference("opposite", _shown(fact, mine), _shown(rival, other), fact.span, rival.span)
    if _has(mine, "negation") == _has(other, "negation"):
        return None
    turning = next(fact for fact in (*mine.facts, *other.facts) if fact.kind == "negation")
    if turning in mine.facts:
        return Difference("negation", turning.text, "", turning.span, None)
    return Difference("negation", "", turning.text, None, turning.span)


def _shown(fact: Fact, unit: Unit) -> str:
    negation = next((one.text for one in unit.facts if one.kind == "negation"), "")
    is_flipped = fact.origin is not None and fact.origin.flipped
    return f"{negation} {fact.text}" if is_flipped and negation else fact.text


def _free_or_paid(mine: Unit, other: Unit) -> Difference | None:
    for unit, rest in ((mine, other), (other, mine)):
        free = next((w for w in unit.own if any(concept(g) == "free_of_charge" for g in w.groups)), None)
        money = next((f for f in rest.counted if f.quantity and f.quantity.kind == "money"), None)
        if free is not None and money is not None:
            said = (free.surface, money.text) if unit is mine else (money.text, free.surface)
            spans = (free.span, money.span) if unit is mine else (money.span, free.span)
            return Difference("opposite", *said, *spans)
    return None


# --- are both about the same? -------------------------------------------------------------------


def _is_one_matter(mine: Unit, other: Unit, clause: int | None, language: str | None) -> bool:
    """Whether no word of either tells the two apart. Of the other side, the clause with the value counts."""
    neutral = _neutral(language)
    turning = (*_TURNING, *_UNEQUAL) if clause is None else (*_TURNING[:1], *_UNEQUAL)
    ours, theirs = (_telling(unit, neutral, language, turning) for unit in (mine, other))
    if not ours or not theirs:
        return False
    known = _Known(other.words)
    left = [word for word in ours if not known.has(word)]
    told = _Known(mine.words)
    at = [w for w in theirs if clause is None or other.segment(w.span.start) == clause]
    spare = [word for word in at if not told.has(word)]
    least = min(len(ours), len(theirs))
    return not left and not spare and (len(ours) - len(left)) >= SAME_HALF * least


def _telling(unit: Unit, neutral: frozenset[str], language: str | None, turning: Sequence[str]) -> list[Word]:
    taken = [fact.span for fact in unit.facts if fact.is_counted or fact.kind in turning]
    return [
        word
        for word in unit.own
        if word.is_content
        and word.term not in neutral
        and not (word.is_pair and is_at_particle(word.surface, language))
        and not any(concept(group) == "free_of_charge" for group in word.groups)
        and not any(_overlaps(word.span, span) for span in taken)
    ]


def _overlaps(span: Span, other: Span) -> bool:
    return span.start < other.end and other.start < span.end


class _Known:
    """The words of one side, to look up those of the other."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._terms = frozenset(term for word in words for term in (word.term, *word.groups))

    def has(self, word: Word) -> bool:
        if word.term in self._terms or not self._terms.isdisjoint(word.groups):
            return True
        size = len(word.term)
        if size < ALIKE_LETTERS or word.is_pair:
            return False
        return any(
            other.startswith(word.term[: max(ALIKE_LETTERS, int(ALIKE_BEGINNING * max(size, len(other))))])
            for other in self._terms
        )


def _shared(mine: Unit, other: Unit) -> int:
    known = _Known(other.own)
    return sum(known.has(word) for word in mine.own if word.is_content)
