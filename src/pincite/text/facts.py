"""Facts of a sentence: what may not change between a source and what is said of it.

Quantities, names, negation, comparators, quantifiers, modality, weekdays and the opposites of policy
language. Word lists are data in ``lexicons/``, for the tier-1 languages; other languages have quantities,
names and dates.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from pincite.text.dates import weekdays
from pincite.text.differences import fact_differences
from pincite.text.fact import TURNING, Fact
from pincite.text.fold import Folded, fold
from pincite.text.lexicon import TIER1, base_language
from pincite.text.names import find_names
from pincite.text.numbers import Quantity, quantities_of
from pincite.text.phrases import Phrase, find_phrases
from pincite.text.scan import Words, find_words
from pincite.text.side import is_word_pair
from pincite.text.units import is_unspaced
from pincite.text.words import detect_language, stop_words
from pincite.types import Span

__all__ = ["Fact", "fact_differences", "facts"]

SCOPE_WORDS = 4
"""How many content words on a side are taken as what a small word speaks about."""

_FACT_KINDS = {"money": "currency", "date": "date", "time": "date"}
_NAMED_DAY = re.compile(r"\b(?:Ash|Palm|Good|Black|Holy|Cyber|Easter|Super|Bloody|Maundy|Fat|Shrove) $")
_ENGLISH = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
_NEGATION_REACH = 24
"""Characters between a negation and the word it turns; a clause border or a content word ends its reach."""
_MOST_NEGATIONS = 8
"""Within reach of one word; more are hostile."""
_NEVER_TURNED = ("before:", "over:", "direct:", "first:", "male:", "north:", "east:", "day:")
_REACH_BEFORE = _NEGATION_REACH + 40
_NEGATION_LAST = {"de": 14, "ja": 6, "hi": 14}
"""Languages whose negation may stand behind the word it turns, and how far (characters)."""
_BORDERS = re.compile(r"[,;:!?、。，；：،؛।]|\.(?!\d)| (?:but|aber|sondern|pero|sino|mais|لكن|लेकिन|पर) ")
"""Where a clause ends: nothing beyond it is what a small word speaks about."""
_SCOPE_CHARS = 8


@lru_cache(maxsize=4096)
def facts(text: str, *, language: str | None = None) -> tuple[Fact, ...]:
    """The facts of ``text``, by place. The language is guessed when it is not given.

    >>> [(fact.kind, fact.value) for fact in facts("Refunds are not allowed after 30 days.", language="en")]
    [('negation', 'not'), ('opposite', 'permit:a'), ('opposite', 'before:b'), ('number', '30 days')]
    """
    code = base_language(language) or detect_language(text)
    folded = fold(text)
    words = find_words(folded.low)
    quantities = quantities_of(text, folded, words, language or code)
    covered = _Covered([quantity.span for quantity in quantities])
    found = [_quantity_fact(quantity) for quantity in quantities]
    # Where nothing was dropped the text itself is better: it still has its code marks and line ends.
    for start, end in find_names(text if folded.origins is None else folded.plain, code):
        span = folded.span(start, end)
        if not covered.touches(span):
            found.append(Fact("name", span, " ".join(folded.low[start:end].split()), span.of(text)))
    if code is None or code in TIER1:
        # "First" is an ordinal and the opposite of "last".
        firm = _Covered([quantity.span for quantity in quantities if quantity.kind != "ordinal"])
        found.extend(_phrase_facts(text, folded, words, code, firm))
    found.extend(_weekday_facts(text, folded, words))
    found.sort(key=lambda fact: (fact.span.start, fact.span.end, fact.kind, fact.value))
    return tuple(found)


class _Covered:
    """Spans in order without overlap, to ask whether another touches one of them."""

    __slots__ = ("_spans", "_starts")

    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = spans
        self._starts = [span.start for span in spans]

    def touches(self, span: Span) -> bool:
        at = bisect_left(self._starts, span.end)
        return at > 0 and self._spans[at - 1].end > span.start


def _quantity_fact(quantity: Quantity) -> Fact:
    kind = _FACT_KINDS.get(quantity.kind, "number")
    return Fact(kind, quantity.span, quantity.surface, quantity.surface, quantity)


def _weekday_facts(text: str, folded: Folded, words: Words) -> list[Fact]:
    names = weekdays()
    found: list[Fact] = []
    for start, end, word in words:
        number = names.get(word)
        if number and len(word) > 3 and (word not in _ENGLISH or _is_day(folded.plain, start)):
            span = folded.span(start, end)
            found.append(Fact("date", span, f"weekday:{number}", span.of(text)))
    if folded.low.isascii():
        return found
    taken: set[int] = set()
    for name, number in _unspaced_weekdays():
        at = folded.low.find(name)
        while at >= 0:
            span = folded.span(at, at + len(name))
            if at not in taken:
                taken.add(at)
                found.append(Fact("date", span, f"weekday:{number}", span.of(text)))
            at = folded.low.find(name, at + len(name))
    return found


def _is_day(plain: str, start: int) -> bool:
    """Whether an English weekday is written as one and is no part of a name such as Ash Wednesday."""
    return plain[start].isupper() and not _NAMED_DAY.search(plain, max(0, start - 8), start)


@lru_cache(maxsize=1)
def _unspaced_weekdays() -> tuple[tuple[str, int], ...]:
    return tuple(
        (name, number)
        for name, number in sorted(weekdays().items(), key=lambda pair: -len(pair[0]))
        if is_unspaced(name[0])
    )


def _phrase_facts(
    text: str, folded: Folded, words: Words, language: str | None, covered: _Covered
) -> list[Fact]:
    phrases = find_phrases(folded.low, words, language)
    if not phrases:
        return []
    stop = stop_words(language) if language else stop_words("en")
    content = _Content(folded.low, words, stop)
    negations = [phrase for phrase in phrases if phrase.kind == "negation" and phrase.value in TURNING]
    found: list[Fact] = []
    for phrase in phrases:
        span = folded.span(phrase.start, phrase.end)
        if covered.touches(span):
            continue
        scope = _scope(folded.low, phrase, content, language)
        flipped = phrase.kind == "opposite" and _is_negated(phrase, negations, content, language)
        found.append(Fact(phrase.kind, span, phrase.value, text[span.start : span.end], None, scope, flipped))
    return found


def _is_negated(phrase: Phrase, negations: list[Phrase], content: _Content, language: str | None) -> bool:
    """Whether an odd number of negations within reach turns the word round."""
    if phrase.value.startswith(_NEVER_TURNED):
        return False
    first = bisect_left(negations, phrase.start - _REACH_BEFORE, key=lambda negation: negation.start)
    count = 0
    for negation in negations[first : first + _MOST_NEGATIONS]:
        if negation.start > phrase.end + _NEGATION_REACH:
            break
        if negation.start < phrase.end and phrase.start < negation.end:
            continue
        if 0 <= phrase.start - negation.end <= _NEGATION_REACH:
            count += not content.is_apart(negation.end, phrase.start)
        elif language in _NEGATION_LAST and 0 <= negation.start - phrase.end <= _NEGATION_LAST[language]:
            count += not content.is_apart(phrase.end, negation.start)
    return count % 2 == 1


class _Content:
    """The content words of a folded text, to look up those around a place within its clause."""

    __slots__ = ("_borders", "_starts", "_words")

    def __init__(self, low: str, words: Words, stop: frozenset[str]) -> None:
        self._words = [word for word in words if word[2] not in stop and len(word[2]) > 1]
        self._starts = [word[0] for word in self._words]
        self._borders = [found.start() for found in _BORDERS.finditer(low)]

    def is_apart(self, start: int, end: int) -> bool:
        """Whether a clause border or a content word stands between."""
        border = bisect_left(self._borders, start)
        if border < len(self._borders) and self._borders[border] < end:
            return True
        at = bisect_left(self._starts, start)
        return at < len(self._words) and self._words[at][1] <= end

    def around(self, start: int, end: int) -> tuple[list[str], list[str]]:
        """Words that end before ``start``, nearest first, and words from ``end`` on."""
        border = bisect_left(self._borders, start)
        left = self._borders[border - 1] if border else 0
        border = bisect_left(self._borders, end)
        right = (
            self._borders[border]
            if border < len(self._borders)
            else self._starts[-1] + 1
            if self._starts
            else 0
        )
        first = bisect_left(self._starts, start)
        last = bisect_left(self._starts, end)
        before = [
            word[2] for word in reversed(self._words[max(0, first - SCOPE_WORDS) : first]) if word[0] >= left
        ]
        return before, [word[2] for word in self._words[last : last + SCOPE_WORDS] if word[0] < right]


def _scope(low: str, phrase: Phrase, content: _Content, language: str | None) -> tuple[str, ...]:
    """Content words around the phrase, those after it first; before it first where the verb stands last."""
    if is_unspaced(low[phrase.start]):
        after: list[str] = _pairs(low[phrase.end : phrase.end + _SCOPE_CHARS])
        before = _pairs(low[max(0, phrase.start - _SCOPE_CHARS) : phrase.start])[::-1]
    else:
        before, after = content.around(phrase.start, phrase.end)
    verb_last = language in ("ja", "hi") and phrase.kind in ("negation", "modality")
    ordered = (*before, *after) if verb_last else (*after, *before)
    return tuple(dict.fromkeys(ordered))


def _pairs(part: str) -> list[str]:
    """Neighbouring characters of words, as search terms have them; grammar in Hiragana is left out."""
    return [a + b for a, b in pairwise(part) if is_word_pair(a, b)]
