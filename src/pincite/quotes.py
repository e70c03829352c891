"""Where does a quote stand in a chunk, exactly: the public face of the quote matcher.

Layout is forgiven, facts are not (VERIFIER). Four steps, each tried only when the one before found nothing:

1. the quote as it is, on word borders;
2. the squeezed quote in the squeezed chunk, with numbers compared on both sides;
3. without citation markers, and piece by piece where an ellipsis joins pieces;
4. the most similar passage, judged by the words that differ.

A quote that stands several times is the first one, unless ``prefix`` and ``suffix`` choose; all places are
listed. One or two words that stand several times, carry no number or name and come without a context that
chooses, are no quote of a passage: ``NONE``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pincite.text import borders
from pincite.text.align import Passage, diff, find_passages, similarity
from pincite.text.changes import Changes, Word, compare, numbers_agree, split_words, unspaced_negations
from pincite.text.meaning import NEGATIVE_PREFIXES, kinds_of
from pincite.text.normalize import (
    Folded,
    Unescaped,
    continues_character,
    fold,
    link_end,
    mostly_unspaced,
    unescape,
    whole_end,
)
from pincite.types import Difference, QuoteMatch, QuoteMatchKind, Span

FUZZY_FLOOR = 0.85
"""Least similarity of a paraphrase (source 004)."""
_SHORTEST_FUZZY = 12
"""Letters below which a changed word leaves too little to know the passage by."""
_MOST_OCCURRENCES = 256
_MOST_TRIES = 4_000
_LONGEST_CONTEXT = 200
_SHORTEST_CUT = 20
_MOST_CLAUSES = 24
_WIDEST_STITCH = 2_000
"""Letters that an ellipsis may stand for."""

_NONE = QuoteMatch(QuoteMatchKind.NONE)


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


@dataclass(frozen=True, slots=True)
class AcrossMatch:
    """A quote over neighbouring chunks. ``parts``: id of the chunk and span in its text, in order; one for each
    chunk that the quote touches; empty when ``kind`` is ``NONE``."""

    kind: QuoteMatchKind
    parts: tuple[tuple[str, Span], ...] = ()
    score: float = 0.0
    differences: tuple[Difference, ...] = ()


def prepare(chunk_text: str) -> PreparedChunk:
    """Fold a chunk once, so that the cost of a quote hardly depends on its size.

    >>> prepare("The ﬁnal review").folded.letters
    'thefinalreview'
    """
    escaped = unescape(chunk_text)
    body = escaped.text if escaped else chunk_text
    return PreparedChunk(chunk_text, body, fold(body), escaped)


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
    if not any(map(str.isalnum, stripped)):
        return _NONE
    places = _exact_places(stripped, text)
    if places:
        kind = QuoteMatchKind.EXACT if stripped == quote or quote in text else QuoteMatchKind.NORMALIZED
        return _choose(kind, places, stripped, text, prefix, suffix)
    prepared = prepare(chunk) if isinstance(chunk, str) else chunk
    unescaped = unescape(stripped)
    match = _find(unescaped.text if unescaped else stripped, prepared, prefix, suffix, language)
    return _to_original(match, prepared.escaped, quote, unescaped)


def _find(
    quote: str, chunk: PreparedChunk, prefix: str | None, suffix: str | None, language: str | None
) -> QuoteMatch:
    letters = fold(quote).letters
    if not letters:
        return _NONE
    return (
        _squeezed(quote, letters, chunk, prefix, suffix, language)
        or _without_markers(quote, letters, chunk, prefix, suffix, language)
        or _stitched(quote, chunk, language)
        or _fuzzy(_strip_markers(quote), chunk, language)
    )


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
    for chunk_id, text in chunks:
        match = match_quote(quote, text, language=language)
        if match.span is not None:
            return AcrossMatch(match.kind, ((chunk_id, match.span),), match.score, match.differences)
    joined, starts = _join([text for _, text in chunks])
    match = match_quote(quote, joined, language=language)
    if match.span is None:
        return AcrossMatch(QuoteMatchKind.NONE, (), match.score, match.differences)
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
    """Whether words that stand several times in a chunk still say which passage is meant."""
    words = split_words(quote)
    letters = sum(len(word.folded) for word in words)
    if len(words) > 2 and letters >= 8:
        return True
    return any(char.isdigit() or char.isupper() for char in quote)


def _context_score(text: str, place: Span, prefix: str | None, suffix: str | None) -> int:
    score = 0
    if prefix:
        before = fold(text[max(0, place.start - _LONGEST_CONTEXT) : place.start]).letters
        score += _common(fold(prefix[-_LONGEST_CONTEXT:]).letters[::-1], before[::-1])
    if suffix:
        after = fold(text[place.end : place.end + _LONGEST_CONTEXT]).letters
        score += _common(fold(suffix[:_LONGEST_CONTEXT]).letters, after)
    return score


def _common(a: str, b: str) -> int:
    for at, (one, two) in enumerate(zip(a, b, strict=False)):
        if one != two:
            return at
    return min(len(a), len(b))


# --- exact and squeezed -----------------------------------------------------------------------------


def _exact_places(quote: str, text: str) -> list[Span]:
    places: list[Span] = []
    at = text.find(quote)
    tries = 0
    while at >= 0 and tries < _MOST_TRIES and len(places) < _MOST_OCCURRENCES:
        end = at + len(quote)
        if borders.is_whole(text, at, end):
            places.append(Span(at, end))
            at = text.find(quote, end)
        else:
            at = text.find(quote, at + 1)
        tries += 1
    return places


def _letter_places(letters: str, chunk: PreparedChunk, low: int = 0) -> Iterator[tuple[int, int]]:
    """Letter ranges of the chunk that hold ``letters`` and begin and end on whole words."""
    found = chunk.folded.letters.find(letters, low)
    tries = 0
    while found >= 0 and tries < _MOST_TRIES:
        end = found + len(letters)
        if _whole(chunk, found, end):
            yield found, end
            found = chunk.folded.letters.find(letters, end)
        else:
            found = chunk.folded.letters.find(letters, found + 1)
        tries += 1


def _whole(chunk: PreparedChunk, start: int, end: int) -> bool:
    at = chunk.folded.at
    if (start and at[start] == at[start - 1]) or (end < len(at) and at[end] == at[end - 1]):
        return False  # in the middle of a ligature
    low, high = chunk.folded.start(start), chunk.folded.end(end - 1)
    return borders.is_whole(chunk.body, low, high) or _cut_in_unspaced_text(chunk, low, high)


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


def _squeezed(
    quote: str,
    letters: str,
    chunk: PreparedChunk,
    prefix: str | None,
    suffix: str | None,
    language: str | None,
) -> QuoteMatch | None:
    places: list[Span] = []
    converted: list[Span] = []
    for start, end in _letter_places(letters, chunk):
        span = _with_punctuation(
            quote, Span(chunk.folded.start(start), chunk.folded.end(end - 1)), chunk.body
        )
        same = _says_the_same(quote, span.of(chunk.body), chunk.body, span.start, language)
        if same is not False:
            (places if same else converted).append(span)
        if len(places) >= _MOST_OCCURRENCES:
            break
    if places:
        return _choose(QuoteMatchKind.NORMALIZED, places, quote, chunk.body, prefix, suffix)
    if converted:
        return _choose(QuoteMatchKind.UNIT_EQUIVALENT, converted, quote, chunk.body, prefix, suffix)
    return None


def _says_the_same(quote: str, source: str, text: str, at: int, language: str | None) -> bool | None:
    """Whether a passage of the same letters has the same numbers and words; ``None``: numbers in another form."""
    if quote.lower().split() == source.lower().split():
        return True
    agree: bool | None = True
    if any(map(str.isdigit, quote)):
        agree = numbers_agree(quote, source, language)
        if agree is False:
            return False
    if fold(quote, words=True).letters.split() == fold(source, words=True).letters.split():
        return agree
    changes = compare(quote, source, text, at, language)
    if changes.fact or changes.differences:
        return False
    return agree


def _with_punctuation(quote: str, span: Span, text: str) -> Span:
    """Take in the punctuation around the quote where the chunk has the same."""
    start, end = span.start, span.end
    head = borders.leading_punctuation(quote)
    while head and start and borders.same_mark(head[-1], text[start - 1]):
        head, start = head[:-1], start - 1
    end = _with_link_target(text, start, end)
    tail = borders.trailing_punctuation(quote)
    while tail and end < len(text) and borders.same_mark(tail[0], text[end]):
        tail, end = tail[1:], end + 1
    return Span(start, end)


def _with_link_target(text: str, start: int, end: int) -> int:
    """A span that opens a Markdown link also closes it."""
    if end < len(text) and text[end] == "]" and text.rfind("[", start, end) >= 0:
        return link_end(text, end)
    return end


# --- markers and ellipses ---------------------------------------------------------------------------

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


def _strip_markers(quote: str) -> str:
    without = _MARKER.sub("", quote).rstrip()
    return _MARKER_AT_END.sub("", without).strip() or quote


def _without_markers(
    quote: str,
    letters: str,
    chunk: PreparedChunk,
    prefix: str | None,
    suffix: str | None,
    language: str | None,
) -> QuoteMatch | None:
    stripped = _strip_markers(quote)
    if stripped == quote:
        return None
    new = fold(stripped).letters
    if not new or new == letters:
        return None
    return _squeezed(stripped, new, chunk, prefix, suffix, language)


def _stitched(quote: str, chunk: PreparedChunk, language: str | None) -> QuoteMatch | None:
    """A quote joined by ellipses: every piece stands in the chunk, in order, and no gap hides a turn of meaning."""
    if "..." not in quote and "\u2026" not in quote and ". . ." not in quote:
        return None
    pieces = [piece for piece in _ELLIPSIS.split(_strip_markers(quote)) if any(map(str.isalnum, piece))]
    if not pieces:
        return None
    if len(pieces) == 1:
        return _squeezed(pieces[0], fold(pieces[0]).letters, chunk, None, None, language)
    ranges = _pieces_in_order([fold(piece).letters for piece in pieces], chunk)
    if ranges is None:
        return None
    spans = [Span(chunk.folded.start(start), chunk.folded.end(end - 1)) for start, end in ranges]
    spans[0] = Span(_with_punctuation(pieces[0], spans[0], chunk.body).start, spans[0].end)
    spans[-1] = Span(spans[-1].start, _with_punctuation(pieces[-1], spans[-1], chunk.body).end)
    whole = Span(spans[0].start, spans[-1].end)
    for piece, span in zip(pieces, spans, strict=True):
        if any(map(str.isdigit, piece)) and numbers_agree(piece, span.of(chunk.body), language) is False:
            return QuoteMatch(QuoteMatchKind.NONE, near=whole)
    differences: list[Difference] = []
    for one, two in zip(spans, spans[1:], strict=False):
        gap = Span(one.end, two.start)
        hidden = _hidden_turn(gap.of(chunk.body))
        if hidden:
            return QuoteMatch(
                QuoteMatchKind.NONE,
                score=1.0,
                near=whole,
                differences=(Difference(hidden, "…", gap.of(chunk.body).strip(), None, gap),),
            )
        differences.append(Difference("word", "…", gap.of(chunk.body).strip(), None, gap))
    return QuoteMatch(
        QuoteMatchKind.FUZZY, whole.start, whole.end, 1.0, tuple(differences), None, tuple(spans), (whole,)
    )


def _pieces_in_order(pieces: Sequence[str], chunk: PreparedChunk) -> list[tuple[int, int]] | None:
    """The tightest run of places of all pieces that ends first."""
    ranges: list[tuple[int, int]] = []
    low = 0
    for piece in pieces:
        found = next(_letter_places(piece, chunk, low), None)
        if found is None:
            return None
        ranges.append(found)
        low = found[1]
    for number in range(len(pieces) - 2, -1, -1):
        ceiling = ranges[number + 1][0]
        at = chunk.folded.letters.rfind(pieces[number], ranges[number][0], ceiling)
        if at > ranges[number][0] and _whole(chunk, at, at + len(pieces[number])):
            ranges[number] = (at, at + len(pieces[number]))
        if ceiling - ranges[number][1] > _WIDEST_STITCH:
            return None
    return ranges


_SENTENCE_END = re.compile(r"[.!?\u3002\uff01\uff1f\u0964]\s|\n")
_TURNS = ("negation", "limit")


def _hidden_turn(gap: str) -> str:
    """The kind of word in a gap that turns what is said around it; sentences that are left out whole may hold any."""
    ends = [match.end() for match in _SENTENCE_END.finditer(gap)]
    near = gap[: ends[0]] + " " + gap[ends[-1] :] if ends else gap
    if unspaced_negations(near):
        return "negation"
    for word in split_words(near):
        for kind, _ in kinds_of(word.folded):
            if kind in _TURNS:
                return kind
    return ""


# --- the most similar passage -----------------------------------------------------------------------


def _fuzzy(quote: str, chunk: PreparedChunk, language: str | None) -> QuoteMatch:
    letters = fold(quote).letters
    passages = find_passages(letters, chunk.folded.letters)
    if not passages:
        return _NONE
    best: QuoteMatch | None = None
    for passage in passages:
        if best is not None and passage.score < 0.6:
            break
        match = _judge(quote, letters, chunk, passage, language)
        if best is None or (match.kind != QuoteMatchKind.NONE and best.kind == QuoteMatchKind.NONE):
            best = match
    assert best is not None
    if best.kind in (QuoteMatchKind.NONE, QuoteMatchKind.FUZZY) and 0.3 < passages[0].score < 0.98:
        best = _moved_clause(quote, letters, chunk, passages[0], language) or best
    return best


def _judge(
    quote: str, letters: str, chunk: PreparedChunk, passage: Passage, language: str | None
) -> QuoteMatch:
    start, end = _to_words(chunk, passage)
    span = Span(chunk.folded.start(start), chunk.folded.end(end - 1))
    span = _with_punctuation(quote, _fit(quote, span, chunk), chunk.body)
    start, end = chunk.folded.index(span.start), max(chunk.folded.index(span.end), 1)
    score = similarity(letters, chunk.folded.letters[start:end])
    changes = compare(quote, span.of(chunk.body), chunk.body, span.start, language)
    kind = _fuzzy_kind(score, letters, changes)
    differences = changes.differences
    if kind == QuoteMatchKind.NONE:
        near = span if score >= 0.5 else None
        return QuoteMatch(kind, score=score, near=near, differences=differences if near else ())
    return QuoteMatch(
        kind,
        span.start,
        span.end,
        score if kind == QuoteMatchKind.FUZZY else 1.0,
        differences,
        None,
        (span,),
        (span,),
    )


_CLAUSE_MARK = re.compile("[,;:\u060c\u061b\u3001\uff0c\uff1b\uff1a\u2013\u2014]")


def _moved_clause(
    quote: str, letters: str, chunk: PreparedChunk, near: Passage, language: str | None
) -> QuoteMatch | None:
    """A quote of two clauses in the other order, each whole and word for word, parted by marks on both sides.

    Words that moved in any other way are scattered words, and no support.
    """
    low = max(0, near.start - len(letters) - 16)
    window = chunk.folded.letters[low : near.end + len(letters) + 16]
    folded = fold(quote)
    marks = [match.end() for match in _CLAUSE_MARK.finditer(quote)]
    for place in marks[:_MOST_CLAUSES]:
        cut = folded.index(place)
        if not len(letters) <= 5 * cut <= 4 * len(letters):
            continue
        found = window.find(letters[cut:] + letters[:cut])
        if found < 0:
            continue
        start, seam, end = low + found, low + found + len(letters) - cut, low + found + len(letters)
        span = Span(chunk.folded.start(start), chunk.folded.end(end - 1))
        said = quote[place:].strip() + " " + quote[:place].strip()
        between = chunk.body[chunk.folded.end(seam - 1) : chunk.folded.start(seam)]
        agree = numbers_agree(said, span.of(chunk.body), language) is not False
        whole = agree and _whole(chunk, start, seam) and _whole(chunk, seam, end)
        whole = whole and bool(_CLAUSE_MARK.search(between))
        moved = Difference(
            "word",
            quote[:place].strip(),
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


def _fit(quote: str, span: Span, chunk: PreparedChunk) -> Span:
    """Drop words at the ends of the span that the quote lacks, and take in as many as it has more."""
    ours, theirs = split_words(quote), split_words(span.of(chunk.body))
    if not ours or not theirs or ours[0].folded == theirs[0].folded and ours[-1].folded == theirs[-1].folded:
        return span
    blocks = diff([word.folded for word in ours], [word.folded for word in theirs])
    start, end = span.start, span.end
    if blocks:
        q1, q2, s1, s2 = blocks[0]
        if q1 == 0 and s1 == 0:
            if _carries_fact(ours[q1:q2]):
                pass  # what the quote adds stays added
            elif s2 - s1 > q2 - q1 and s2 < len(theirs):
                start = span.start + theirs[s2 - (q2 - q1)].start
            elif q2 - q1 > s2 - s1:
                start = _words_before(chunk.body, span.start, q2 - q1 - (s2 - s1))
        q1, q2, s1, s2 = blocks[-1]
        if q2 == len(ours) and s2 == len(theirs):
            if _carries_fact(ours[q1:q2]):
                pass
            elif s2 - s1 > q2 - q1 and s1 > 0:
                end = whole_end(chunk.body, span.start + theirs[s1 + (q2 - q1) - 1].end)
            elif q2 - q1 > s2 - s1:
                end = _words_after(chunk.body, span.end, q2 - q1 - (s2 - s1))
    return Span(start, end) if start < end else span


def _carries_fact(words: Sequence[Word]) -> bool:
    return any(kinds_of(word.folded) for word in words)


def _words_before(text: str, place: int, count: int) -> int:
    """Where the ``count`` words before ``place`` begin, within its sentence."""
    low = max(0, place - 24 * count - 40)
    ends = [match.end() for match in _SENTENCE_END.finditer(text, low, place)]
    low = ends[-1] if ends else low
    words = [
        word for word in split_words(text[low:place]) if low == 0 or word.start or text[low - 1].isspace()
    ]
    return low + words[-min(count, len(words))].start if words else place


def _words_after(text: str, place: int, count: int) -> int:
    """Where the ``count`` words after ``place`` end, within its sentence."""
    high = min(len(text), place + 24 * count + 40)
    match = _SENTENCE_END.search(text, place, high)
    words = split_words(text[place : match.end() if match else high])
    if not match and high < len(text):
        words = words[:-1]
    return whole_end(text, place + words[min(count, len(words)) - 1].end) if words else place


def _fuzzy_kind(score: float, letters: str, changes: Changes) -> QuoteMatchKind:
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
