"""Judge the passage most like a quote: fit its ends to whole words, then look at what differs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pincite.findings import QuoteMatch, QuoteMatchKind
from pincite.text import borders
from pincite.text.align import Passage, diff, similarity
from pincite.text.changes import Changes, compare
from pincite.text.characters import whole_end
from pincite.text.meaning import kinds_of
from pincite.text.prepared import PreparedChunk, with_punctuation
from pincite.text.wording import Wording, Words, split_words
from pincite.types import Span

FUZZY_FLOOR = 0.85
"""Least similarity of a paraphrase (source 004)."""
_SHORTEST_FUZZY = 12
"""Letters below which a changed word leaves too little to know the passage by."""
_NEAR_FLOOR = 0.5
"""Least similarity of a look-alike that is worth showing."""
SENTENCE_END = re.compile(r"[.!?\u3002\uff01\uff1f\u0964]\s|\n")


def judge(quote: Wording, chunk: PreparedChunk, passage: Passage, language: str | None) -> QuoteMatch:
    """What ``passage`` makes of the quote: an equal, a paraphrase, or a look-alike with a changed fact."""
    if passage.score < _NEAR_FLOOR:
        return QuoteMatch(QuoteMatchKind.NONE, score=passage.score)
    start, end = _to_words(chunk, passage)
    rough = Span(chunk.folded.start(start), chunk.folded.end(end - 1))
    found = split_words(rough.of(chunk.body))
    span = _fit(quote.words, found, rough, chunk)
    if span == rough:
        # Punctuation taken in at the ends is no word, and moves none of them when it is at the far end.
        span = with_punctuation(quote.text, span, chunk.body)
        known = found if span.start == rough.start else None
        score = passage.score if (start, end) == (passage.start, passage.end) else None
    else:
        span = with_punctuation(quote.text, span, chunk.body)
        known = score = None
    if score is None:
        start, end = chunk.folded.index(span.start), max(chunk.folded.index(span.end), 1)
        score = similarity(quote.letters, chunk.folded.letters[start:end])
    changes = compare(quote.text, span.of(chunk.body), chunk.body, span.start, language, quote.words, known)
    kind = _kind(score, quote.letters, changes)
    if kind == QuoteMatchKind.NONE:
        near = span if score >= _NEAR_FLOOR else None
        return QuoteMatch(kind, score=score, near=near, differences=changes.differences if near else ())
    score = score if kind == QuoteMatchKind.FUZZY else 1.0
    return QuoteMatch(kind, span.start, span.end, score, changes.differences, None, (span,), (span,))


def _kind(score: float, letters: str, changes: Changes) -> QuoteMatchKind:
    if changes.fact or changes.moved:
        return QuoteMatchKind.NONE
    if not changes.differences:
        return QuoteMatchKind.UNIT_EQUIVALENT if changes.converted else QuoteMatchKind.NORMALIZED
    if score < FUZZY_FLOOR or len(letters) < _SHORTEST_FUZZY:
        return QuoteMatchKind.NONE
    return QuoteMatchKind.FUZZY


def _to_words(chunk: PreparedChunk, passage: Passage) -> tuple[int, int]:
    """The passage's letters, widened or narrowed to whole words."""
    text, folded = chunk.body, chunk.folded
    start, end = passage.start, passage.end
    place = borders.word_start(text, folded.start(start))
    start = folded.index(place)
    place = borders.word_end(text, folded.end(end - 1))
    end = max(folded.index(place), start + 1)
    return start, end


def _fit(words: Words, found: Words, span: Span, chunk: PreparedChunk) -> Span:
    """Drop words at the ends of the span that the quote lacks, and take in as many as it has more."""
    if not words.folded or not found.folded:
        return span
    if words.folded[0] == found.folded[0] and words.folded[-1] == found.folded[-1]:
        return Span(*borders.with_whole_numbers(chunk.body, span.start, span.end))
    ours, theirs = words.folded, found.folded
    blocks = diff(ours, theirs)
    start, end = span.start, span.end
    if blocks:
        ranges = found.ranges()
        q1, q2, s1, s2 = blocks[0]
        if q1 == 0 and s1 == 0:
            if _negates(ours[q1:q2]):
                pass  # what the quote adds stays added
            elif s2 - s1 > q2 - q1 and s2 < len(theirs):
                start = span.start + found.place(s2 - (q2 - q1), ranges).start
            elif q2 - q1 > s2 - s1:
                start = _words_before(chunk.body, span.start, q2 - q1 - (s2 - s1))
        q1, q2, s1, s2 = blocks[-1]
        if q2 == len(ours) and s2 == len(theirs):
            if _negates(ours[q1:q2]):
                pass
            elif s2 - s1 > q2 - q1 and s1 > 0:
                end = whole_end(chunk.body, span.start + found.place(s1 + (q2 - q1) - 1, ranges).end)
            elif q2 - q1 > s2 - s1:
                end = _words_after(chunk.body, span.end, q2 - q1 - (s2 - s1))
    start, end = borders.with_whole_numbers(chunk.body, start, end)
    # What is cut off must have been a word of its own: "non-refundable" is not trimmed to "refundable".
    start = start if borders.is_border(chunk.body, start) else span.start
    end = end if borders.is_border(chunk.body, end) else span.end
    return Span(start, end) if start < end else span


def _negates(words: Sequence[str]) -> bool:
    return any(kind == "negation" for word in words for kind, _ in kinds_of(word))


def _words_before(text: str, place: int, count: int) -> int:
    """Where the ``count`` words before ``place`` begin, within its sentence."""
    low = max(0, place - 24 * count - 40)
    ends = [match.end() for match in SENTENCE_END.finditer(text, low, place)]
    low = ends[-1] if ends else low
    words = split_words(text[low:place])
    ranges = words.ranges()
    first = max(len(ranges) - count, 0)
    if first < len(ranges) and low and not text[low - 1].isspace() and words.place(first, ranges).start == 0:
        first += 1  # that word may begin before what is looked at
    return low + words.place(first, ranges).start if first < len(ranges) else place


def _words_after(text: str, place: int, count: int) -> int:
    """Where the ``count`` words after ``place`` end, within its sentence."""
    high = min(len(text), place + 24 * count + 40)
    match = SENTENCE_END.search(text, place, high)
    words = split_words(text[place : match.end() if match else high])
    known = len(words.folded) - (1 if not match and high < len(text) else 0)
    number = min(count, known) - 1
    return whole_end(text, place + words.place(number, words.ranges()).end) if number >= 0 else place
