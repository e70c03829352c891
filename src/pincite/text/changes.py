"""What changed between a quote and the passage it resembles, word by word, and whether a fact is among it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pincite.findings import Difference
from pincite.text import meaning
from pincite.text.align import diff, similarity
from pincite.text.figures import compare_figures
from pincite.text.literals import Literal
from pincite.text.wording import Word, Words, split_words
from pincite.types import Span

SOURCE_MARKER = re.compile(
    r"\[\^?\d{1,4}(?:[,;\u2013-] ?\d{1,4}){0,8}\]|(?<=[^\W\d])[\u00b9\u00b2\u00b3\u2070-\u2079]{1,3}"
)
"""A reference mark inside the source, which a quote may leave out."""

_DIGIT = re.compile("[0-9]")
_STRICT = frozenset((0, 3))
"""Groups of modality that oblige or forbid: must, prohibited."""
_CONTRACTED = frozenset(("nt", "s", "ll", "re", "ve", "d", "m"))
"""What old tokenisers cut off: "do n't"."""
_SENTENCE_END = frozenset(".!?:;\u2026\u3002\uff01\uff1f\u0964\u061f\n|\u2022")
_OPENING = frozenset("\"'\u201c\u201e\u00ab\u2018\u201a([{*_#>`~- \t\u00a0\u00bf\u00a1\u201d\u2019")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]+")
_ARTICLES = frozenset(
    "a an the der die das den dem des ein eine einen el la los las un una le les l de des du of and und y et".split()
)
_QUANTITY = "#"


@dataclass(frozen=True, slots=True)
class Changes:
    """``differences`` in order of the quote; ``fact`` when one of them changes what is said.

    ``converted``: a quantity is said in another unit or form, and is the same. ``moved``: a word stands in
    another place.
    """

    differences: tuple[Difference, ...] = ()
    fact: bool = False
    converted: bool = False
    moved: bool = False


def compare(
    quote: str,
    source: str,
    text: str,
    at: int,
    language: str | None,
    ours: Words | None = None,
    theirs: Words | None = None,
) -> Changes:
    """Compare a quote with the passage ``source``, which stands at ``at`` in ``text``.

    ``ours`` and ``theirs`` are the words of the two, if at hand. Spans of the differences: ``answer_span`` in the
    quote, ``source_span`` in ``text``.
    """
    shown = _without_reference_marks(quote, source)
    if theirs is None or shown is not source:
        theirs = split_words(shown)
    ours = ours or split_words(quote)
    figures = compare_figures(quote, shown, language)
    if not figures.ours and not figures.theirs and ours.folded == theirs.folded:
        return Changes()
    mine_all, others_all = _Side(ours, figures.ours), _Side(theirs, figures.theirs)
    found = [
        replace(one, source_span=one.source_span and one.source_span.shift(at)) for one in figures.changed
    ]
    fact = bool(found)
    dropped: set[str] = set()
    added: set[str] = set()
    for q1, q2, s1, s2 in diff(mine_all.folded, others_all.folded):
        mine, others = mine_all.block(q1, q2), others_all.block(s1, s2)
        if not mine and not others:
            continue  # numbers alone, which are compared above
        if _only_layout(quote, shown, mine, others):
            continue
        around = others_all.folded[max(s1 - 1, 0) : s1], others_all.folded[s2 : s2 + 3]
        kind = _kind(quote, text, at, mine, others, *around)
        fact = fact or kind != "word"
        added.update(word.folded for word in mine)
        dropped.update(word.folded for word in others)
        found.append(_difference(kind, quote, source, at, mine, others))
    if unspaced_negations(quote) != unspaced_negations(shown):
        if not any(difference.kind == "negation" for difference in found):
            whole = Span(0, len(quote))
            found.append(Difference("negation", quote, source, whole, Span(at, at + len(source))))
        fact = True
    moved = bool((added & dropped) - _ARTICLES)
    if len(found) > 1:
        found.sort(key=lambda one: one.answer_span.start if one.answer_span else len(quote))
    return Changes(tuple(found), fact, figures.converted, moved)


def _without_reference_marks(quote: str, source: str) -> str:
    """The source with its reference marks blanked, unless the quote has such marks itself."""
    if (
        ("[" not in source and source.isascii())
        or not SOURCE_MARKER.search(source)
        or SOURCE_MARKER.search(quote)
    ):
        return source
    return SOURCE_MARKER.sub(lambda match: " " * len(match.group()), source)


def _difference(
    kind: str, quote: str, source: str, at: int, ours: Sequence[Word], theirs: Sequence[Word]
) -> Difference:
    if ours:
        answer_span: Span | None = Span(ours[0].start, ours[-1].end)
        answer = quote[ours[0].start : ours[-1].end]
    else:
        answer_span, answer = None, ""
    if theirs:
        low, high = theirs[0].start, theirs[-1].end
        return Difference(kind, answer, source[low:high], answer_span, Span(at + low, at + high))
    return Difference(kind, answer, "", answer_span, None)


class _Side:
    """The words of one side with a sign in place of each literal; places are made for the words that differ."""

    __slots__ = ("_items", "_ranges", "_words", "folded")

    def __init__(self, words: Words, literals: Sequence[Literal]) -> None:
        self._words = words
        self._ranges = words.ranges() if literals else None
        self._items: list[int | Literal] | None = None
        self.folded = words.folded
        if literals:
            self._items = self._covered(literals)
            self.folded = [words.folded[item] if isinstance(item, int) else _QUANTITY for item in self._items]

    def _covered(self, literals: Sequence[Literal]) -> list[int | Literal]:
        """Numbers of words, and literals in place of the words they hold."""
        assert self._ranges is not None
        starts = [start for start, _ in self._ranges]
        at = self._words.at
        items: list[int | Literal] = []
        done = 0
        for literal in literals:
            low = literal.start if at is None else bisect_left(at, literal.start)
            high = literal.end if at is None else bisect_left(at, literal.end)
            first = max(bisect_right(starts, low) - 1, done)
            if first < len(starts) and self._ranges[first][1] <= low:
                first += 1
            last = max(bisect_left(starts, high), first)
            items.extend(range(done, first))
            items.append(literal)
            done = last
        items.extend(range(done, len(starts)))
        return items

    def block(self, start: int, end: int) -> list[Word]:
        """Words ``start`` to ``end`` of ``folded`` with their places in the text, literals left out."""
        if self._ranges is None:
            self._ranges = self._words.ranges()
        if self._items is None:
            return [self._words.place(number, self._ranges) for number in range(start, end)]
        words = (item for item in self._items[start:end] if isinstance(item, int))
        return [self._words.place(word, self._ranges) for word in words]


# --- words ------------------------------------------------------------------------------------------


def _only_layout(quote: str, source: str, ours: Sequence[Word], theirs: Sequence[Word]) -> bool:
    """The same letters, cut into words by more than a blank: long-term, long-<break>term, **un**done."""
    if (
        not ours
        or not theirs
        or "".join(word.folded for word in ours) != "".join(word.folded for word in theirs)
    ):
        return False
    return not any(
        one.end < two.start and text[one.end : two.start].isspace()
        for text, words in ((quote, ours), (source, theirs))
        for one, two in pairwise(words)
        if two.folded not in _CONTRACTED
    )


def _kind(
    quote: str,
    text: str,
    at: int,
    ours: Sequence[Word],
    theirs: Sequence[Word],
    before: Sequence[str],
    after: Sequence[str],
) -> str:
    """The kind of fact a block of the word diff changes, or ``word``. ``before`` and ``after`` are the source's."""
    mine, others = [word.folded for word in ours], [word.folded for word in theirs]
    known = meaning.fact_words()
    if not known.isdisjoint(mine) or not known.isdisjoint(others):
        listed = _listed_kind(mine, others, after)
        if listed:
            return listed
    joined, other = "".join(mine), "".join(others)
    if mine and others:
        turned = meaning.turned(mine, others)
        if turned:
            return turned
        if meaning.is_negated(joined, other) or meaning.is_negated(other, joined):
            return "negation"
    if joined.isascii() and other.isascii():
        if _DIGIT.search(joined) or _DIGIT.search(other):
            return "number"
    else:
        unspaced = _unspaced_kind(joined, other)
        if unspaced:
            return unspaced
        if any(map(str.isdigit, joined + other)):
            return "number"
    if mine and before and _is_number(before[0]) and (not others or similarity(mine[0], others[0]) < 0.75):
        return "unit"
    if ours and _names_differ(quote, text, at, ours, theirs):
        return "name"
    return "word"


def _is_number(word: str) -> bool:
    return word == _QUANTITY or word[-1:].isdigit()


def _listed_kind(ours: Sequence[str], theirs: Sequence[str], after: Sequence[str]) -> str:
    left, right = _fact_words(ours), _fact_words(theirs)
    if not left and not right:
        return ""
    for kind in dict.fromkeys([*left, *right]):
        here, there = left.get(kind, []), right.get(kind, [])
        if len(here) == len(there) and (
            kind == "negation" or all(one & two for one, two in zip(here, there, strict=True))
        ):
            continue
        if kind == "comparator" and not here and not any(map(_is_number, after)):
            continue  # a preposition was left out
        if kind == "modality" and not ours and not any(group & _STRICT for group in there):
            continue
        return kind
    return ""


def _fact_words(words: Sequence[str]) -> dict[str, list[frozenset[int]]]:
    """Kind -> for each word of that kind its groups. A word of several kinds counts for its first."""
    out: dict[str, list[frozenset[int]]] = {}
    for word in words:
        kinds = meaning.kinds_of(word)
        if kinds:
            kind = kinds[0][0]
            out.setdefault(kind, []).append(frozenset(group for name, group in kinds if name == kind))
    return out


# --- names ------------------------------------------------------------------------------------------


def _names_differ(quote: str, text: str, at: int, ours: Sequence[Word], theirs: Sequence[Word]) -> bool:
    """A name stands on one side and something else on the other; a name that only the source has is let go."""
    if any(_is_name(quote, word) for word in ours):
        return True
    if any(_is_name(text, word, at) for word in theirs):
        return True
    if ours and theirs and quote[ours[0].start].isupper() and text[at + theirs[0].start].isupper():
        # Both begin a sentence, where a capital says nothing: a word in common use is no name.
        return not (meaning.is_common(ours[0].folded) or meaning.is_common(theirs[0].folded))
    return False


def _is_name(text: str, word: Word, at: int = 0) -> bool:
    """A capital inside a sentence, a word in capitals, or one with a capital inside; ``word`` counts from ``at``."""
    start, end = at + word.start, at + word.end
    surface = text[start:end]
    if surface.islower():
        return False
    if not surface[1:].islower() and len(surface) > 1 and any(map(str.isupper, surface[1:])):
        return not text.isupper() or len(text) < 12
    if not surface[:1].isupper():
        return False
    place = start - 1
    while place >= 0 and text[place] in _OPENING:
        if text[place] in "\n|":
            return False
        place -= 1
    return place >= 0 and text[place] not in _SENTENCE_END


# --- scripts without blanks ---------------------------------------------------------------------------


_BEYOND_SPACED = re.compile("[\u0e00-\U0010ffff]")
_NEGATIONS = tuple(sorted(meaning.UNSPACED_NEGATIONS))
_UNSPACED_OPPOSITES = tuple(
    (pair[: len(pair) // 2], pair[len(pair) // 2 :]) for pair in meaning.UNSPACED_OPPOSITES
)
_HINDI_NOT = "\u0928\u0939\u0940\u0902"
"""Written to the word before it often enough that a word list misses it."""


def unspaced_negations(text: str) -> tuple[tuple[str, int], ...]:
    """How often each negation occurs that is not written as a word of its own.

    >>> unspaced_negations("不可退款"), unspaced_negations("no refunds")
    ((('不', 1),), ())
    """
    if text.isascii():
        return ()
    if _BEYOND_SPACED.search(text) is None:
        return ((_HINDI_NOT, text.count(_HINDI_NOT)),) if _HINDI_NOT in text else ()
    return tuple((negation, text.count(negation)) for negation in _NEGATIONS if negation in text)


def _unspaced_kind(ours: str, theirs: str) -> str:
    if _BEYOND_SPACED.search(ours + theirs) is None:
        return ""
    if any(char in meaning.UNSPACED_FACTS for char in ours + theirs):
        return "number" if ours and theirs else "quantifier"
    if ours and theirs:
        for one, two in _UNSPACED_OPPOSITES:
            if (one in ours and two in theirs) or (two in ours and one in theirs):
                return "opposite"
        if _KATAKANA.search(ours) and _KATAKANA.search(theirs):
            return "name"
    return ""
