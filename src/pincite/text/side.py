"""The facts of a text together with its words: what a small word speaks about is looked up there."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from pincite.text.fact import Fact
from pincite.text.fold import fold
from pincite.text.scan import WORD
from pincite.text.units import is_unspaced
from pincite.text.words import stop_words, terms
from pincite.types import Span

_MOST = 128
"""Small words of a kind that are compared: a sentence has a handful, thousands are hostile."""

_SENTENCE_END = re.compile(r"[.!?]+(?=\s)|[。！？।؟]|\n\s*\n")
_PLACES_KEPT = 4


@lru_cache(maxsize=16384)
def stem_of(word: str, language: str | None) -> str:
    found = terms(word, language)
    return found[0] if found else word


@dataclass(frozen=True, slots=True)
class Side:
    """The facts of one text, with its words: what a small word speaks about is looked up there."""

    facts: tuple[Fact, ...]
    text: str
    language: str | None

    @property
    def places(self) -> dict[str, tuple[Span, ...]]:
        """A stem of the text to the spans where it stands; without the text, of the facts' scopes."""
        if self.text:
            return _places(self.text, self.language)
        return {stem_of(word, self.language): (fact.span,) for fact in self.facts for word in fact.scope}

    def of_kind(self, kind: str) -> list[Fact]:
        return [fact for fact in self.facts if fact.kind == kind][:_MOST]

    def scope(self, fact: Fact) -> tuple[str, ...]:
        return tuple(dict.fromkeys(stem_of(word, self.language) for word in fact.scope))

    def is_about(self, fact: Fact, other: Side, share: float) -> bool:
        """Whether the sentence of this text that ``fact`` stands in has that share of the other text's content words."""
        if not self.text or not other.text:
            return True
        wanted = content_stems(other.text, other.language)
        if not wanted:
            return True
        starts, stems = sentence_stems(self.text, self.language)
        there = stems[max(0, bisect_right(starts, fact.span.start) - 1)]
        return len(wanted & there) >= share * len(wanted)

    def shown(self, stem: str) -> tuple[str, Span | None]:
        """The stem's first word as the text writes it, and its place."""
        spans = self.places.get(stem, ())
        return (spans[0].of(self.text), spans[0]) if spans and self.text else (stem, None)


@lru_cache(maxsize=1024)
def content_stems(text: str, language: str | None) -> frozenset[str]:
    """Stems of the content words; pairs of characters where words have no blanks between them."""
    stop = stop_words(language) if language else stop_words("en")
    folded = fold(text).low
    words = (match[0] for match in WORD.finditer(folded))
    stems = {stem_of(word, language) for word in words if word not in stop and len(word) > 1}
    if not folded.isascii():
        stems.update(a + b for a, b in pairwise(folded) if is_word_pair(a, b))
    return frozenset(stems)


def is_word_pair(a: str, b: str) -> bool:
    """Whether two neighbours are part of a word in a script without blanks. Two Hiragana are not: those are grammar.

    >>> is_word_pair("返", "品"), is_word_pair("は", "い"), is_word_pair("a", "b")
    (True, False, False)
    """
    return is_unspaced(a) and is_unspaced(b) and not ("\u3041" <= a <= "\u309f" and "\u3041" <= b <= "\u309f")


@lru_cache(maxsize=1024)
def sentence_stems(text: str, language: str | None) -> tuple[list[int], list[frozenset[str]]]:
    """Where each sentence of ``text`` starts, and its content stems. Roughly: short forms may cut one in two."""
    starts = [0, *(match.end() for match in _SENTENCE_END.finditer(text) if match.end() < len(text))]
    ends = [*starts[1:], len(text)]
    return starts, [content_stems(text[a:b], language) for a, b in zip(starts, ends, strict=True)]


@lru_cache(maxsize=1024)
def _places(text: str, language: str | None) -> dict[str, tuple[Span, ...]]:
    folded = fold(text)
    found: dict[str, tuple[Span, ...]] = {}
    for match in WORD.finditer(folded.low):
        stem = stem_of(match[0], language)
        known = found.get(stem, ())
        if len(known) < _PLACES_KEPT:
            found[stem] = (*known, folded.span(*match.span()))
    if not folded.low.isascii():
        for at in range(len(folded.low) - 1):
            pair = folded.low[at : at + 2]
            if is_unspaced(pair[0]) and is_unspaced(pair[1]) and len(found.get(pair, ())) < _PLACES_KEPT:
                found[pair] = (*found.get(pair, ()), folded.span(at, at + 2))
    return found


@lru_cache(maxsize=1024)
def word_places(text: str) -> dict[str, Span]:
    folded = fold(text)
    return {match[0]: folded.span(*match.span()) for match in WORD.finditer(folded.low)}
