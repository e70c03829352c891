"""Where does a quote stand in a chunk, exactly: the public face of the quote matcher.

Layout is forgiven, facts are not (VERIFIER). Four steps, each tried only when the one before found nothing:

1. the quote as it is, on word borders;
2. the squeezed quote in the squeezed chunk, with numbers compared on both sides;
3. without citation markers, and piece by piece where an ellipsis joins pieces;
4. the most similar passage, judged by the words that differ.

A quote that stands several times is the first one, unless ``prefix`` and ``suffix`` choose; all places are
listed. A few function words alone ("of the") that stand several times, with no context that chooses, are no quote
of a passage: ``NONE``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from pincite.findings import Difference, QuoteMatch, QuoteMatchKind
from pincite.text import borders
from pincite.text.align import find_passages
from pincite.text.changes import compare
from pincite.text.figures import numbers_agree
from pincite.text.judge import judge
from pincite.text.normalize import letters_of
from pincite.text.prepared import (
    PreparedChunk,
    cut_in_unspaced_number,
    letter_places,
    prepare,
    tries_for,
    with_punctuation,
)
from pincite.text.rewrite import Unescaped, unescape
from pincite.text.stitch import moved_clause, pieces_of, stitched, without_markers
from pincite.text.wording import Wording, split_words, wording_of
from pincite.types import Span

__all__ = ["AcrossMatch", "PreparedChunk", "match_quote", "match_quote_across", "prepare"]

_MOST_OCCURRENCES = 256
_FEW_WORDS = 4
_LONGEST_FUNCTION_WORD = 8
_LONGEST_CONTEXT = 200

_LEAST_IN_ORDER = 0.95
"""A passage less alike than this may be half of a quote whose clauses stand the other way round."""
_DIGIT = re.compile("[0-9]")
_NONE = QuoteMatch(QuoteMatchKind.NONE)


@dataclass(frozen=True, slots=True)
class AcrossMatch:
    """A quote over neighbouring chunks. ``parts``: id of the chunk and span in its text, in order; one for each
    chunk that the quote touches; empty when ``kind`` is ``NONE``."""

    kind: QuoteMatchKind
    parts: tuple[tuple[str, Span], ...] = ()
    score: float = 0.0
    differences: tuple[Difference, ...] = ()


def match_quote(
    quote: str,
    chunk: str | PreparedChunk,
    *,
    prefix: str | None = None,
    suffix: str | None = None,
    language: str | None = None,
) -> QuoteMatch:
    """Find ``quote`` in a chunk.

    Args:
        quote: The words as somebody quoted them.
        chunk: The text to search, or what ``prepare`` made of it.
        prefix, suffix: Text before and after the quote; they choose between several places.
        language: Two letters, where known; decides how ``1.234`` is read.

    Returns:
        Offsets are code points of the chunk's text. With a changed fact, with scattered words and when
        nothing is alike, ``kind`` is ``NONE``; ``near`` and ``differences`` then show the look-alike.

    >>> match_quote("then press the dough", "½ cup, then Press  the dough flat.").span
    Span(start=7, end=28)
    >>> match_quote("within 90 days", "Returns within 30 days.").differences[0].source
    '30 days'
    """
    text = chunk if isinstance(chunk, str) else chunk.text
    stripped = quote.strip()
    unescaped = unescape(stripped)
    if not any(map(str.isalnum, unescaped.text if unescaped else stripped)):
        return _NONE
    places = _exact_places(stripped, text)
    if places:
        kind = QuoteMatchKind.EXACT if stripped == quote or quote in text else QuoteMatchKind.NORMALIZED
        return _choose(kind, places, stripped, text, prefix, suffix)
    prepared = prepare(chunk) if isinstance(chunk, str) else chunk
    match = _find(unescaped.text if unescaped else stripped, prepared, prefix, suffix, language)
    return _to_original(match, prepared.escaped, quote, unescaped)


def _find(
    text: str, chunk: PreparedChunk, prefix: str | None, suffix: str | None, language: str | None
) -> QuoteMatch:
    quote = wording_of(text)
    if not quote.letters:
        return _NONE
    match = _squeezed(quote, chunk, prefix, suffix, language)
    if match:
        return match
    bare = without_markers(text)
    if bare != text:
        quote = wording_of(bare)
        match = _squeezed(quote, chunk, prefix, suffix, language)
        if match:
            return match
    pieces = [piece for piece in map(wording_of, pieces_of(bare)) if piece.letters]
    if len(pieces) > 1:
        match = stitched(pieces, chunk, language)
        if match and match.kind == QuoteMatchKind.NONE and match.score < 1:
            other = _fuzzy(quote, chunk, language)
            return other if other.score > match.score else match
    elif pieces:
        match = _squeezed(pieces[0], chunk, prefix, suffix, language)
    return match or _fuzzy(quote, chunk, language)


def _to_original(
    match: QuoteMatch, chunk: Unescaped | None, quote: str, unescaped: Unescaped | None
) -> QuoteMatch:
    """The match with every span in the texts as they were given."""
    lead = len(quote) - len(quote.lstrip())
    if chunk is None and not (match.differences and (lead or unescaped)):
        return match

    def back(span: Span | None) -> Span | None:
        return chunk.original(span) if chunk and span else span

    def quoted(span: Span | None) -> Span | None:
        span = unescaped.original(span) if unescaped and span else span
        return span.shift(lead) if span else None

    def places(spans: tuple[Span, ...]) -> tuple[Span, ...]:
        return tuple(chunk.original(span) for span in spans) if chunk else spans

    span = back(match.span)
    return QuoteMatch(
        match.kind,
        span.start if span else None,
        span.end if span else None,
        match.score,
        tuple(
            replace(one, answer_span=quoted(one.answer_span), source_span=back(one.source_span))
            for one in match.differences
        ),
        back(match.near),
        places(match.pieces),
        places(match.occurrences),
    )


def match_quote_across(
    quote: str, chunks: Sequence[tuple[str, str]], *, language: str | None = None
) -> AcrossMatch:
    """Find a quote in chunks that follow each other in a document.

    Args:
        quote: The words as somebody quoted them.
        chunks: Pairs of id and text, in document order. Text that two neighbours share is counted once.

    >>> match_quote_across("paid within five days", [("a", "It is paid"), ("b", "within five days.")]).parts
    (('a', Span(start=6, end=10)), ('b', Span(start=0, end=16)))
    """
    alone: AcrossMatch | None = None
    for chunk_id, text in chunks:
        match = match_quote(quote, text, language=language)
        if match.span is not None and (alone is None or match.score > alone.score):
            alone = AcrossMatch(match.kind, ((chunk_id, match.span),), match.score, match.differences)
    if alone and alone.kind != QuoteMatchKind.FUZZY:
        return alone
    joined, starts = _join([text for _, text in chunks])
    match = match_quote(quote, joined, language=language)
    if match.span is None or (alone and alone.score >= match.score):
        return alone or AcrossMatch(QuoteMatchKind.NONE, (), match.score, match.differences)
    parts: list[tuple[str, Span]] = []
    for (chunk_id, text), start in zip(chunks, starts, strict=True):
        low, high = max(match.span.start - start, 0), min(match.span.end - start, len(text))
        if low < high and text[low:high].strip():
            parts.append((chunk_id, Span(low, high)))
    kind = match.kind if match.kind != QuoteMatchKind.EXACT else QuoteMatchKind.NORMALIZED
    return AcrossMatch(kind, tuple(parts), match.score, match.differences)


def _join(texts: Sequence[str]) -> tuple[str, list[int]]:
    joined, starts = "", []
    for text in texts:
        shared = _overlap(joined, text) if joined else 0
        if joined and not shared and not joined[-1].isspace() and not text[:1].isspace():
            joined += "\n"
        starts.append(len(joined) - shared)
        joined += text[shared:]
    return joined, starts


def _overlap(before: str, after: str, *, least: int = 8, most: int = 2_000) -> int:
    """Length of the longest end of ``before`` that ``after`` begins with; 0 below ``least``."""
    tail = before[-most:]
    head = after[:least]
    if len(head) < least:
        return 0
    at = tail.find(head)
    while at >= 0:
        if after.startswith(tail[at:]):
            return len(tail) - at
        at = tail.find(head, at + 1)
    return 0


# --- one place of several ---------------------------------------------------------------------------


def _choose(
    kind: QuoteMatchKind,
    places: Sequence[Span],
    quote: str,
    text: str,
    prefix: str | None,
    suffix: str | None,
) -> QuoteMatch:
    best = places[0]
    if len(places) > 1:
        if prefix or suffix:
            best = max(places, key=lambda place: (_context_score(text, place, prefix, suffix), -place.start))
        elif not _identifies(quote):
            return QuoteMatch(QuoteMatchKind.NONE, score=1.0, near=best, occurrences=tuple(places))
    return QuoteMatch(kind, best.start, best.end, 1.0, pieces=(best,), occurrences=tuple(places))


def _identifies(quote: str) -> bool:
    """Whether words that stand several times in a chunk still say what is meant: function words alone do not.

    >>> _identifies("decision"), _identifies("of the"), _identifies("5"), _identifies("の")
    (True, False, True, False)
    """
    words = split_words(quote).folded
    if any(len(word) > _LONGEST_FUNCTION_WORD or word.isdigit() for word in words) or len(words) > _FEW_WORDS:
        return True
    from pincite.text.words import detect_language, stop_words  # brings the stemmer, which few quotes need

    known = stop_words("en") | stop_words(detect_language(quote)) | stop_words("ja") | stop_words("zh")
    return not known.issuperset(words)


def _context_score(text: str, place: Span, prefix: str | None, suffix: str | None) -> int:
    score = 0
    if prefix:
        before = letters_of(text[max(0, place.start - _LONGEST_CONTEXT) : place.start])
        score += _common(letters_of(prefix[-_LONGEST_CONTEXT:])[::-1], before[::-1])
    if suffix:
        after = letters_of(text[place.end : place.end + _LONGEST_CONTEXT])
        score += _common(letters_of(suffix[:_LONGEST_CONTEXT]), after)
    return score


def _common(a: str, b: str) -> int:
    for at, (one, two) in enumerate(zip(a, b, strict=False)):
        if one != two:
            return at
    return min(len(a), len(b))


# --- exact, squeezed, alike -------------------------------------------------------------------------


def _exact_places(quote: str, text: str) -> list[Span]:
    places: list[Span] = []
    at = text.find(quote)
    tries = 0
    most = tries_for(quote)
    while at >= 0 and tries < most and len(places) < _MOST_OCCURRENCES:
        end = at + len(quote)
        if borders.is_whole(text, at, end):
            places.append(Span(at, end))
            at = text.find(quote, end)
        else:
            at = text.find(quote, at + 1)
        tries += 1
    return places


def _squeezed(
    quote: Wording, chunk: PreparedChunk, prefix: str | None, suffix: str | None, language: str | None
) -> QuoteMatch | None:
    if not quote.letters:
        return None
    places: list[Span] = []
    converted: list[Span] = []
    most = min(_MOST_OCCURRENCES, tries_for(quote.text))
    taken = 0
    for start, end in islice(letter_places(quote.letters, chunk), most):
        if start < taken:
            continue
        rough = Span(chunk.folded.start(start), chunk.folded.end(end - 1))
        span = with_punctuation(quote.text, rough, chunk.body)
        if borders.cuts_number(chunk.body, span.start, span.end) and not cut_in_unspaced_number(chunk, span):
            continue
        same = _says_the_same(quote, span.of(chunk.body), chunk.body, span.start, language)
        if same is not False:
            (places if same else converted).append(span)
            taken = end
    if places:
        return _choose(QuoteMatchKind.NORMALIZED, places, quote.text, chunk.body, prefix, suffix)
    if converted:
        return _choose(QuoteMatchKind.UNIT_EQUIVALENT, converted, quote.text, chunk.body, prefix, suffix)
    return None


def _says_the_same(quote: Wording, source: str, text: str, at: int, language: str | None) -> bool | None:
    """Whether a passage of the same letters has the same numbers and words; ``None``: numbers in another form."""
    said, written = quote.text.split(), source.split()
    agree: bool | None = True
    if said == written:
        return True
    if quote.text.lower().split() == source.lower().split() and not _DIGIT.search(quote.letters):
        return True
    if _DIGIT.search(quote.letters):
        agree = numbers_agree(quote.text, source, language)
        if agree is False:
            return False
    found = split_words(source)
    if quote.words.folded == found.folded:
        return agree
    changes = compare(quote.text, source, text, at, language, quote.words, found)
    return False if changes.fact or changes.differences else agree


def _fuzzy(quote: Wording, chunk: PreparedChunk, language: str | None) -> QuoteMatch:
    passages = find_passages(quote.letters, chunk.folded.letters)
    if not passages:
        return _NONE
    if passages[0].score < _LEAST_IN_ORDER:
        moved = moved_clause(quote, chunk, passages[0], language)
        if moved:
            return moved
    best = judge(quote, chunk, passages[0], language)
    for passage in passages[1:]:
        if best.kind != QuoteMatchKind.NONE or passage.score < passages[0].score - 0.1:
            break
        other = judge(quote, chunk, passage, language)
        best = other if other.kind != QuoteMatchKind.NONE else best
    return best
