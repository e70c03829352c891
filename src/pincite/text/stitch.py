"""Quotes that are not one run of words: with citation markers, joined by ellipses, with a clause moved."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from pincite.findings import Difference, QuoteMatch, QuoteMatchKind
from pincite.text import borders
from pincite.text.align import Passage, find_passages
from pincite.text.changes import unspaced_negations
from pincite.text.figures import numbers_agree
from pincite.text.judge import FUZZY_FLOOR, SENTENCE_END, judge
from pincite.text.meaning import kinds_of
from pincite.text.normalize import fold
from pincite.text.prepared import PreparedChunk, is_whole, letter_places, with_punctuation
from pincite.text.wording import Wording, split_words
from pincite.types import Span

_MARKER = re.compile(
    r"\s*(?:"
    r"\[\^?\d{1,4}(?:\s?[,;\u2013-]\s?\d{1,4}){0,12}\]"
    r"|\u3010[^\u3010\u3011]{1,40}\u3011"
    r"|\((?:see\s|cf\.\s)?\[[^\[\]()]{1,40}\]\)"
    r"|\[(?:source|quelle|fuente|doc|document|ref|id|chunk)s?\b[^\[\]]{0,80}\]"
    r"|\[[a-z]{1,12}[-_]?\d{1,6}(?:[#:][^\[\]]{1,24})?\]"
    r")",
    re.IGNORECASE,
)
_MARKER_AT_END = re.compile(
    r"\s*(?:\((?:[^\W\d][^()]{0,60}[,\s]\s?)(?:19|20)\d\d[a-z]?(?:,\s?pp?\.\s?\d{1,4})?\)"
    r"|(?<=[^\s\d_])[\u00b9\u00b2\u00b3\u2070-\u2079]{1,3}"
    r"|(?<=(?<!\d)1[5-9]\d\d)[\u00b9\u00b2\u00b3\u2070-\u2079]{1,3}|(?<=(?<!\d)20\d\d)[\u00b9\u00b2\u00b3\u2070-\u2079]{1,3})$"
)
_ELLIPSIS = re.compile(r"\s*(?:[\[(]\s?(?:\.{3,6}|\u2026{1,2})\s?[\])]|\.{3,6}|\u2026{1,2}|\.\s\.\s\.)\s*")
_ENDS_OF_REFERENCES = frozenset(")\u00b9\u00b2\u00b3\u2070\u2074\u2075\u2076\u2077\u2078\u2079")
_TURNS = ("negation", "limit")
_WIDEST_GAP = 2_000
"""Letters that an ellipsis may stand for."""
_MOST_PIECES = 64
_MOST_CLAUSES = 24
_CLAUSE_MARK = re.compile("[,;:\u060c\u061b\u3001\uff0c\uff1b\uff1a\u2013\u2014]")


def without_markers(quote: str) -> str:
    """The quote without citation markers in it and a reference at its end; the quote itself when no word is left."""
    without = _MARKER.sub("", quote).rstrip() if "[" in quote or "\u3010" in quote else quote
    if without[-1:] in _ENDS_OF_REFERENCES:
        without = _MARKER_AT_END.sub("", without).strip()
    return without if any(map(str.isalnum, without)) else quote


def pieces_of(quote: str) -> list[str]:
    """The pieces of a quote that ellipses join; empty when it has none.

    >>> pieces_of("Refunds [...] within 30 days"), pieces_of("Refunds")
    (['Refunds', 'within 30 days'], [])
    """
    if "..." not in quote and "\u2026" not in quote and ". . ." not in quote:
        return []
    return [piece for piece in _ELLIPSIS.split(quote) if any(map(str.isalnum, piece))][:_MOST_PIECES]


def stitched(pieces: Sequence[Wording], chunk: PreparedChunk, language: str | None) -> QuoteMatch | None:
    """A quote joined by ellipses: every piece stands in the chunk, in order, and no gap hides a turn of meaning.

    Pieces that are only alike are judged each; then the quote is as good as its worst piece.
    """
    ranges = _pieces_in_order([piece.letters for piece in pieces], chunk)
    if ranges is None:
        return _alike_in_order(pieces, chunk, language)
    rough = [Span(chunk.folded.start(start), chunk.folded.end(end - 1)) for start, end in ranges]
    spans = [
        with_punctuation(piece.text, span, chunk.body) for piece, span in zip(pieces, rough, strict=True)
    ]
    whole = Span(spans[0].start, spans[-1].end)
    for piece, span in zip(pieces, spans, strict=True):
        cut = borders.cuts_number(chunk.body, span.start, span.end)
        if cut or numbers_agree(piece.text, span.of(chunk.body), language) is False:
            changed = Difference("number", piece.text, span.of(chunk.body), None, span)
            return QuoteMatch(QuoteMatchKind.NONE, near=whole, differences=(changed,))
    return _over_gaps(spans, chunk, 1.0, [])


def _over_gaps(
    spans: Sequence[Span], chunk: PreparedChunk, score: float, differences: list[Difference]
) -> QuoteMatch:
    whole = Span(spans[0].start, spans[-1].end)
    for one, two in pairwise(spans):
        gap = Span(one.end, max(one.end, two.start))
        left_out = gap.of(chunk.body).strip()
        hidden = _hidden_turn(chunk.body, gap)
        omitted = Difference(hidden or "word", "\u2026", left_out, None, gap)
        if hidden:
            return QuoteMatch(QuoteMatchKind.NONE, score=score, near=whole, differences=(omitted,))
        differences.append(omitted)
    return QuoteMatch(
        QuoteMatchKind.FUZZY, whole.start, whole.end, score, tuple(differences), None, tuple(spans), (whole,)
    )


def _alike_in_order(
    pieces: Sequence[Wording], chunk: PreparedChunk, language: str | None
) -> QuoteMatch | None:
    spans: list[Span] = []
    differences: list[Difference] = []
    score, refused = 1.0, False
    low = 0
    for piece in pieces:
        passages = [
            passage for passage in find_passages(piece.letters, chunk.folded.letters) if passage.start >= low
        ]
        if not passages:
            return None
        match = judge(piece, chunk, passages[0], language)
        span = match.span or match.near
        if span is None or (spans and span.start < spans[-1].end):
            return None
        refused = refused or match.kind == QuoteMatchKind.NONE
        score = min(score, match.score)
        spans.append(span)
        differences += match.differences
        low = passages[0].end
    if refused:
        near = Span(spans[0].start, spans[-1].end)
        return QuoteMatch(QuoteMatchKind.NONE, score=score, near=near, differences=tuple(differences))
    return _over_gaps(spans, chunk, score, differences)


def _pieces_in_order(pieces: Sequence[str], chunk: PreparedChunk) -> list[tuple[int, int]] | None:
    """The tightest run of places of all pieces that ends first."""
    ranges: list[tuple[int, int]] = []
    low = 0
    for piece in pieces:
        found = next(letter_places(piece, chunk, low), None)
        if found is None:
            return None
        ranges.append(found)
        low = found[1]
    for number in range(len(pieces) - 2, -1, -1):
        ceiling = ranges[number + 1][0]
        at = chunk.folded.letters.rfind(pieces[number], ranges[number][0], ceiling)
        if at > ranges[number][0] and is_whole(chunk, at, at + len(pieces[number])):
            ranges[number] = (at, at + len(pieces[number]))
        if ceiling - ranges[number][1] > _WIDEST_GAP:
            return None
    return ranges


def _hidden_turn(text: str, gap: Span) -> str:
    """The kind of word in a gap that turns what is said around it; sentences that are left out whole may hold any."""
    left_out = gap.of(text)
    ends = [match.end() for match in SENTENCE_END.finditer(left_out)]
    if gap.start and SENTENCE_END.match(text[gap.start - 1 : gap.start] + " "):
        ends = [0, *ends]
    near = left_out[: ends[0]] + " " + left_out[ends[-1] :] if ends else left_out
    if unspaced_negations(near):
        return "negation"
    for word in split_words(near).folded:
        for kind, _ in kinds_of(word):
            if kind in _TURNS:
                return kind
    return ""


def moved_clause(
    quote: Wording, chunk: PreparedChunk, near: Passage, language: str | None
) -> QuoteMatch | None:
    """A quote of two clauses in the other order, each whole and word for word, parted by marks on both sides.

    Words that moved in any other way are scattered words, and no support.
    """
    letters = quote.letters
    low = max(0, near.start - len(letters) - 16)
    window = chunk.folded.letters[low : near.end + len(letters) + 16]
    marks = [match.end() for match in _CLAUSE_MARK.finditer(quote.text)]
    if not marks:
        return None
    folded = fold(quote.text)
    for place in marks[:_MOST_CLAUSES]:
        cut = folded.index(place)
        if not len(letters) <= 5 * cut <= 4 * len(letters):
            continue
        found = window.find(letters[cut:] + letters[:cut])
        if found < 0:
            continue
        start, seam, end = low + found, low + found + len(letters) - cut, low + found + len(letters)
        span = Span(chunk.folded.start(start), chunk.folded.end(end - 1))
        said = quote.text[place:].strip() + " " + quote.text[:place].strip()
        between = chunk.body[chunk.folded.end(seam - 1) : chunk.folded.start(seam)]
        agree = numbers_agree(said, span.of(chunk.body), language) is not False
        whole = agree and is_whole(chunk, start, seam) and is_whole(chunk, seam, end)
        whole = whole and bool(_CLAUSE_MARK.search(between))
        moved = Difference(
            "word",
            quote.text[:place].strip(),
            span.of(chunk.body),
            Span(0, place),
            Span(chunk.folded.start(seam), span.end),
        )
        if not whole:
            return QuoteMatch(QuoteMatchKind.NONE, score=FUZZY_FLOOR, near=span, differences=(moved,))
        return QuoteMatch(
            QuoteMatchKind.FUZZY, span.start, span.end, FUZZY_FLOOR, (moved,), None, (span,), (span,)
        )
    return None
