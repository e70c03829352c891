"""A chunk made ready for many quotes, and where letters of a quote stand in it as whole words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pincite.text import borders
from pincite.text.characters import continues_character, mostly_unspaced
from pincite.text.meaning import NEGATIVE_PREFIXES
from pincite.text.normalize import Folded, fold
from pincite.text.rewrite import Unescaped, link_end, unescape
from pincite.types import Span

_MOST_TRIES = 2_000
_MOST_WORK = 100_000
_SHORTEST_CUT = 20
_DECISIVE = frozenset(
    ".:/'\u2019\u066b\u00b7-+\u2212\u2013\u00b1\u00b2\u00b3\u00b9\u2070\u2074\u2075\u2076\u2077\u2078\u2079"
)
"""What a number may not be parted from: decimal marks, signs, exponents."""


@dataclass(frozen=True, slots=True)
class PreparedChunk:
    """A chunk's text with its squeezed letters, made once and used for many quotes.

    ``body`` is the text with HTML entities read; ``escaped`` is the way back, where there were any.
    ``folded`` is of ``body``.
    """

    text: str
    body: str
    folded: Folded
    escaped: Unescaped | None


def prepare(chunk_text: str) -> PreparedChunk:
    """Fold a chunk once, so that the cost of a quote hardly depends on its size.

    >>> prepare("The ﬁnal review").folded.letters
    'thefinalreview'
    """
    escaped = unescape(chunk_text)
    body = escaped.text if escaped else chunk_text
    return PreparedChunk(chunk_text, body, fold(body), escaped)


def letter_places(letters: str, chunk: PreparedChunk, low: int = 0) -> Iterator[tuple[int, int]]:
    """Letter ranges of the chunk that hold ``letters`` and begin and end on whole words; they may overlap."""
    found = chunk.folded.letters.find(letters, low) if letters else -1
    tries = 0
    most = tries_for(letters)
    while found >= 0 and tries < most:
        end = found + len(letters)
        if is_whole(chunk, found, end):
            yield found, end
        found = chunk.folded.letters.find(letters, found + 1)
        tries += 1


def tries_for(quote: str) -> int:
    """How many places of a quote are looked at: fewer for a long one, so that the work stays in proportion.

    >>> tries_for("thirty days"), tries_for("x" * 10_000)
    (2000, 10)
    """
    if len(quote) * _MOST_TRIES <= _MOST_WORK:
        return _MOST_TRIES
    return max(4, _MOST_WORK // len(quote))


def is_whole(chunk: PreparedChunk, start: int, end: int) -> bool:
    """Whether letters ``start`` to ``end`` of the chunk begin and end on whole words and characters.

    Whether a number is cut can be said only once the signs around it are taken in.
    """
    if chunk.folded.inside_character(start) or chunk.folded.inside_character(end):
        return False  # in the middle of a ligature
    low, high = chunk.folded.start(start), chunk.folded.end(end - 1)
    on_borders = borders.is_border(chunk.body, low) and borders.is_border(chunk.body, high)
    return on_borders or _cut_in_unspaced_text(chunk, low, high)


def _cut_in_unspaced_text(chunk: PreparedChunk, start: int, end: int) -> bool:
    """Text without blanks is cut anywhere, also in a foreign word with accents ("Amazon|ía") if the rest of the
    quote is long enough to know the passage by. What is cut off may not negate."""
    text = chunk.body
    if end - start < _SHORTEST_CUT or not mostly_unspaced(text) or borders.cuts_number(text, start, end):
        return False
    for place in (start, end):
        if borders.is_border(text, place):
            continue
        low, high = borders.word_start(text, place), borders.word_end(text, place)
        accented = any(char > "\x7f" for char in text[place - 2 : place + 2])
        cut_off = text[low:place] if place == start else text[place:high]
        if continues_character(text, place) or not accented or cut_off.casefold() in NEGATIVE_PREFIXES:
            return False
    return True


def cut_in_unspaced_number(chunk: PreparedChunk, span: Span) -> bool:
    """The same for a number cut at a grouping comma or before its unit sign ("22|,338"): the passage is known by
    the rest of the quote. Never at a decimal point or a sign."""
    text = chunk.body
    if len(span) < _SHORTEST_CUT or not mostly_unspaced(text):
        return False
    before, after = text[span.start - 1 : span.start], text[span.end : span.end + 2].strip()[:1]
    return not (text[span.start].isdigit() and before in _DECISIVE) and not (
        text[span.end - 1].isdigit() and after in _DECISIVE
    )


def with_punctuation(quote: str, span: Span, text: str) -> Span:
    """Take in the punctuation around the quote where the chunk has the same."""
    start, end = span.start, span.end
    for mark in reversed(borders.leading_punctuation(quote)):
        if not start or not borders.same_mark(mark, text[start - 1]):
            break
        start -= 1
    end = _with_link_target(text, start, end)
    for mark in borders.trailing_punctuation(quote):
        if end == len(text) or not borders.same_mark(mark, text[end]):
            break
        end += 1
    return Span(start, end)


def _with_link_target(text: str, start: int, end: int) -> int:
    """A span that opens a Markdown link also closes it."""
    if end < len(text) and text[end] == "]" and text.rfind("[", start, end) >= 0:
        return link_end(text, end)
    return end
