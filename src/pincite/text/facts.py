"""Facts of a sentence: what may not change between a source and what is said of it.

Quantities, names, negation, comparators, quantifiers, modality, weekdays and the opposites of policy
language. Word lists are data in ``lexicons/``, for the tier-1 languages; other languages have quantities,
names and dates.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from pincite.text.dates import weekdays
from pincite.text.differences import fact_differences
from pincite.text.fact import Fact
from pincite.text.fold import Folded, fold
from pincite.text.lexicon import TIER1, base_language
from pincite.text.names import find_names
from pincite.text.numbers import Quantity, quantities_of
from pincite.text.phrases import Phrase, find_phrases
from pincite.text.scan import Words, find_words
from pincite.text.units import is_unspaced
from pincite.text.words import detect_language, stop_words
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
    words = find_words(folded.low)
    for quantity in quantities_of(text, folded, words, language or code):
        found.append(_quantity_fact(quantity))
        covered.append(quantity.span)
    for start, end in find_names(text, code):
        span = Span(start, end)
        if not any(span.overlaps(other) for other in covered):
            found.append(Fact("name", span, " ".join(fold(span.of(text)).low.split()), span.of(text)))
    if code is None or code in TIER1:
        found.extend(_phrase_facts(text, folded, words, code, covered))
    found.extend(_weekday_facts(text, folded, words))
    found.sort(key=lambda fact: (fact.span.start, fact.span.end, fact.kind, fact.value))
    return tuple(found)


_FACT_KINDS = {"money": "currency", "date": "date", "time": "date"}


def _quantity_fact(quantity: Quantity) -> Fact:
    kind = _FACT_KINDS.get(quantity.kind, "number")
    return Fact(kind, quantity.span, quantity.surface, quantity.surface, quantity)


def _weekday_facts(text: str, folded: Folded, words: Words) -> list[Fact]:
    names = weekdays()
    found: list[Fact] = []
    for start, end, word in words:
        number = names.get(word)
        if number and len(word) > 3 and (word not in _ENGLISH or folded.plain[start].isupper()):
            span = folded.span(start, end)
            found.append(Fact("date", span, f"weekday:{number}", span.of(text)))
    if folded.low.isascii():
        return found
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


def _phrase_facts(
    text: str, folded: Folded, words: Words, language: str | None, covered: list[Span]
) -> list[Fact]:
    phrases = find_phrases(folded.low, words, language)
    if not phrases:
        return []
    stop = stop_words(language) if language else stop_words("en")
    negations = [phrase for phrase in phrases if phrase.kind == "negation" and phrase.value in _TURNING]
    found: list[Fact] = []
    for phrase in phrases:
        span = folded.span(phrase.start, phrase.end)
        if any(span.overlaps(other) for other in covered):
            continue
        scope = _scope(folded.low, phrase, words, stop, language)
        flipped = phrase.kind == "opposite" and _is_negated(
            folded.low, phrase, negations, words, stop, language
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
    words: Words,
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
            count += not _is_apart(low, negation.end, phrase.start, words, stop)
        elif language in _NEGATION_LAST and 0 <= negation.start - phrase.end <= _NEGATION_LAST[language]:
            count += not _is_apart(low, phrase.end, negation.start, words, stop)
    return count % 2 == 1


_NEGATION_LAST = {"de": 14, "ja": 6, "hi": 14}
"""Languages whose negation may stand behind the word it turns, and how far (characters)."""


def _is_apart(low: str, start: int, end: int, words: Words, stop: frozenset[str]) -> bool:
    gap = low[start:end]
    if any(char in ",;:.!?、。，；：،؛।" for char in gap):
        return True
    index = _first_after(words, start)
    return any(
        b <= end and word not in stop and not is_unspaced(low[a])
        for a, b, word in words[index : index + 6]
        if a < end
    )


def _scope(
    low: str, phrase: Phrase, words: Words, stop: frozenset[str], language: str | None
) -> tuple[str, ...]:
    """Content words around the phrase, those after it first; in Japanese and Hindi those before it first."""
    if is_unspaced(low[phrase.start]):
        after = low[phrase.end : phrase.end + _SCOPE_CHARS]
        before = low[max(0, phrase.start - _SCOPE_CHARS) : phrase.start]
        parts = (before, after) if language == "ja" else (after, before)
        return tuple(dict.fromkeys(pair for part in parts for pair in _pairs(part)))
    index = _first_after(words, phrase.end)
    after_words = _content(words[index : index + 10], stop, phrase)
    before_words = _content(words[max(0, index - 10) : index][::-1], stop, phrase)
    ordered = (before_words, after_words) if language == "hi" else (after_words, before_words)
    return tuple(dict.fromkeys((*ordered[0], *ordered[1])))


_SCOPE_CHARS = 8


def _pairs(part: str) -> list[str]:
    """Neighbouring characters of words, as search terms have them; grammar in Hiragana is left out."""
    return [
        a + b
        for a, b in pairwise(part)
        if is_unspaced(a) and is_unspaced(b) and not (_is_hiragana(a) and _is_hiragana(b))
    ]


def _is_hiragana(char: str) -> bool:
    return "\u3041" <= char <= "\u309f"


def _first_after(words: Words, position: int) -> int:
    left, right = 0, len(words)
    while left < right:
        middle = (left + right) // 2
        if words[middle][0] < position:
            left = middle + 1
        else:
            right = middle
    return left


def _content(words: Words, stop: frozenset[str], phrase: Phrase) -> list[str]:
    content: list[str] = []
    for start, end, word in words:
        if (start < phrase.end and phrase.start < end) or word in stop or len(word) < 2:
            continue
        content.append(word)
        if len(content) == SCOPE_WORDS:
            break
    return content
