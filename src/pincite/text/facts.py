"""Facts of a sentence: what may not change between a source and what is said of it.

Quantities, names, negation, comparators, quantifiers, modality, weekdays and the opposites of policy
language. Word lists are data in ``lexicons/``, for the tier-1 languages; other languages have quantities,
names and dates.
"""

from __future__ import annotations

from functools import lru_cache

from pincite.text.dates import weekdays
from pincite.text.differences import fact_differences
from pincite.text.fact import Fact
from pincite.text.fold import Folded, fold
from pincite.text.lexicon import TIER1, base_language
from pincite.text.names import find_names
from pincite.text.numbers import Quantity, parse_quantities
from pincite.text.phrases import WORD, Phrase, find_phrases
from pincite.text.units import is_unspaced
from pincite.text.words import detect_language, stop_words, terms
from pincite.types import Span

__all__ = ["Fact", "fact_differences", "facts"]

SCOPE_WORDS = 4
"""How many content words on a side are taken as what a small word speaks about."""


@lru_cache(maxsize=4096)
def facts(text: str, *, language: str | None = None) -> tuple[Fact, ...]:
    """The facts of ``text``, by place. The language is guessed when it is not given.

    >>> [(fact.kind, fact.value) for fact in facts("Refunds are not possible after 30 days.", language="en")]
    [('negation', 'not'), ('opposite', 'possible:a'), ('opposite', 'before:b'), ('number', '30 days')]
    """
    code = base_language(language) or detect_language(text)
    folded = fold(text)
    found: list[Fact] = []
    covered: list[Span] = []
    for quantity in parse_quantities(text, language=language or code):
        found.append(_quantity_fact(quantity))
        covered.append(quantity.span)
    for start, end in find_names(text, code):
        span = Span(start, end)
        if not any(span.overlaps(other) for other in covered):
            found.append(Fact("name", span, " ".join(fold(span.of(text)).low.split()), span.of(text)))
    if code is None or code in TIER1:
        found.extend(_phrase_facts(text, folded, code, covered))
    found.extend(_weekday_facts(text, folded))
    found.sort(key=lambda fact: (fact.span.start, fact.span.end, fact.kind, fact.value))
    return tuple(found)


_FACT_KINDS = {"money": "currency", "date": "date", "time": "date"}


def _quantity_fact(quantity: Quantity) -> Fact:
    kind = _FACT_KINDS.get(quantity.kind, "number")
    return Fact(kind, quantity.span, quantity.surface, quantity.surface, quantity)


def _weekday_facts(text: str, folded: Folded) -> list[Fact]:
    names = weekdays()
    found: list[Fact] = []
    for match in WORD.finditer(folded.low):
        number = names.get(match[0])
        if (
            number
            and len(match[0]) > 3
            and (not match[0].isascii() or folded.plain[match.start()].isupper() or match[0] not in _ENGLISH)
        ):
            span = folded.span(match.start(), match.end())
            found.append(Fact("date", span, f"weekday:{number}", span.of(text)))
    for name, number in _unspaced_weekdays():
        at = folded.low.find(name)
        while at >= 0:
            span = folded.span(at, at + len(name))
            if not any(span.overlaps(fact.span) for fact in found):
                found.append(Fact("date", span, f"weekday:{number}", span.of(text)))
            at = folded.low.find(name, at + len(name))
    return found


_ENGLISH = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())


@lru_cache(maxsize=1)
def _unspaced_weekdays() -> tuple[tuple[str, int], ...]:
    return tuple(
        (name, number)
        for name, number in sorted(weekdays().items(), key=lambda pair: -len(pair[0]))
        if is_unspaced(name[0])
    )


def _phrase_facts(text: str, folded: Folded, language: str | None, covered: list[Span]) -> list[Fact]:
    phrases = find_phrases(folded.low, language)
    if not phrases:
        return []
    places = [(match.start(), match.end()) for match in WORD.finditer(folded.low)]
    stop = stop_words(language) if language else stop_words("en")
    negations = [phrase for phrase in phrases if phrase.kind == "negation" and phrase.value in _TURNING]
    found: list[Fact] = []
    for phrase in phrases:
        span = folded.span(phrase.start, phrase.end)
        if any(span.overlaps(other) for other in covered):
            continue
        scope = _scope(folded.low, phrase, places, stop, language)
        flipped = phrase.kind == "opposite" and _is_negated(
            folded.low, phrase, negations, places, stop, language
        )
        found.append(Fact(phrase.kind, span, phrase.value, span.of(text), None, scope, flipped))
    return found


_TURNING = frozenset({"not", "never", "no_longer", "without"})
_NEGATION_REACH = 24
"""Characters between a negation and the word it turns; a clause border or a content word ends its reach."""

_NEVER_TURNED = ("before:", "over:", "direct:", "first:", "male:", "north:", "east:", "day:")


def _is_negated(
    low: str,
    phrase: Phrase,
    negations: list[Phrase],
    places: list[tuple[int, int]],
    stop: frozenset[str],
    language: str | None,
) -> bool:
    if phrase.value.startswith(_NEVER_TURNED):
        return False
    count = 0
    for negation in negations:
        if negation.start < phrase.end and phrase.start < negation.end:
            continue
        if 0 <= phrase.start - negation.end <= _NEGATION_REACH:
            count += not _is_apart(low, negation.end, phrase.start, places, stop)
        elif language in _NEGATION_LAST and 0 <= negation.start - phrase.end <= _NEGATION_LAST[language]:
            count += not _is_apart(low, phrase.end, negation.start, places, stop)
    return count % 2 == 1


_NEGATION_LAST = {"de": 14, "ja": 6, "hi": 14}
"""Languages whose negation may stand behind the word it turns, and how far (characters)."""


def _is_apart(low: str, start: int, end: int, places: list[tuple[int, int]], stop: frozenset[str]) -> bool:
    gap = low[start:end]
    if any(char in ",;:.!?、。，；：،؛।" for char in gap):
        return True
    index = _first_after(places, start)
    return any(
        b <= end and low[a:b] not in stop and not is_unspaced(low[a])
        for a, b in places[index : index + 6]
        if a < end
    )


def _scope(
    low: str, phrase: Phrase, places: list[tuple[int, int]], stop: frozenset[str], language: str | None
) -> tuple[str, ...]:
    """Stems of content words around the phrase, those after it first; in Japanese, Hindi those before it first."""
    if phrase.start < len(low) and is_unspaced(low[phrase.start]):
        after, before = low[phrase.end : phrase.end + 8], low[max(0, phrase.start - 8) : phrase.start]
        parts = (before, after) if language == "ja" else (after, before)
        return tuple(dict.fromkeys(term for part in parts for term in terms(part, language)))
    index = _first_after(places, phrase.end)
    after_words = _content(low, places[index : index + 10], stop, phrase)
    before_words = _content(low, list(reversed(places[max(0, index - 10) : index])), stop, phrase)
    ordered = (before_words, after_words) if language == "hi" else (after_words, before_words)
    return tuple(dict.fromkeys(term for part in ordered for word in part for term in terms(word, language)))


def _first_after(places: list[tuple[int, int]], position: int) -> int:
    left, right = 0, len(places)
    while left < right:
        middle = (left + right) // 2
        if places[middle][0] < position:
            left = middle + 1
        else:
            right = middle
    return left


def _content(low: str, places: list[tuple[int, int]], stop: frozenset[str], phrase: Phrase) -> list[str]:
    words: list[str] = []
    for start, end in places:
        word = low[start:end]
        if start < phrase.end and phrase.start < end or word in stop or len(word) < 2:
            continue
        words.append(word)
        if len(words) == SCOPE_WORDS:
            break
    return words
