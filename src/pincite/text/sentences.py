"""Sentences of a text, as spans.

A text is cut into blocks, each block into runs of lines that belong together, each run by `sentencex`; then our own
rules take back cuts after short forms and ordinals and add the cuts it misses. Spans are code points of the text as
given. White space and the signs of Markdown blocks (bullets, hashes, table rules) are in no sentence; all else is.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from itertools import pairwise

from sentencex import get_sentence_boundaries

from pincite.text.blocks import Block, BlockKind, blocks, trimmed
from pincite.text.stops import CLOSERS, OPENERS, STOPS, ends_here, possible_ends, skip_blanks
from pincite.text.words import detect_language
from pincite.types import Chunk, Span

__all__ = ["CLOSERS", "STOPS", "Block", "BlockKind", "blocks", "sentences_of", "split_sentences"]

WINDOW_CHARS = 2_000
"""How much `sentencex` is given at once: on floods of quotation marks its time grows with the square."""

PHRASES_CHARS = 90
MAX_PHRASES_CHARS = 300
"""Thai and Lao write no stops: phrases are joined up to about 90 characters, and cut at 300 wherever that is."""

WRAP_CHARS = 40
DENSE_WRAP_CHARS = 20
"""Lines shorter than this (the second for scripts without blanks) are no wrapped text."""

_TAIL = re.compile(rf"[{re.escape(STOPS)}]+[{re.escape(CLOSERS)}]*\s*\Z")
_WORD = re.compile(r"[^\W_]")
_SURROGATE = re.compile("[\ud800-\udfff]")
# sentencex reckons with blanks of one byte: it panics at others (1.0.32, Japanese, a no-break space before a stop).
_BLANK = re.compile(r"[^\S ]")
_LINE = re.compile(r"[^\n\r\f\u2028\u2029]+")
_PHRASE = re.compile(r"\S+")
_NO_STOPS = re.compile("[\u0e01-\u0eff]")
_DENSE = re.compile("[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def split_sentences(
    text: str, *, language: str | None = None, ends: Collection[int] = ()
) -> tuple[Span, ...]:
    """The sentences of ``text``, in order, without overlap or white space at their ends.

    Headings, list items and table rows are sentences whether or not they have a stop; a code fence is one.

    Args:
        text: Plain or Markdown text.
        language: Two-letter code, or ``None`` to guess it.
        ends: Places in ``text`` where something shows that a sentence may end, such as a marker that stood there.
            They count only after a stop, and in scripts without stops.

    Returns:
        Spans in ``text``. They lose nothing but white space, bullets and the like.

    >>> text = "Ask for Dr. Ames at dock No. 5. Bring 2.5 kg.\\n- No dogs"
    >>> [span.of(text) for span in split_sentences(text)]
    ['Ask for Dr. Ames at dock No. 5.', 'Bring 2.5 kg.', 'No dogs']
    """
    code = language or detect_language(text) or "en"
    shown_ends = sorted(ends)
    out: list[Span] = []
    for block in blocks(text):
        if block.kind in (BlockKind.CODE, BlockKind.TABLE_ROW, BlockKind.HEADING):
            out.append(block.body)
        elif block.kind not in (BlockKind.RULE, BlockKind.TABLE_RULE):
            for run in _runs(text, block.body):
                out += _sentences(text, run, code, shown_ends)
    return tuple(span for span in out if len(span))


def sentences_of(chunk: Chunk, *, language: str | None = None) -> tuple[Span, ...]:
    """The sentence units of a passage: spans of its document's text, in order.

    Found when they are asked for: most passages are never read sentence by sentence.

    Args:
        language: Of the document; ``None`` to guess it.
    """
    found = split_sentences(chunk.text, language=language)
    return tuple(sentence.shift(chunk.span.start) for sentence in found)


def _runs(text: str, body: Span) -> Iterator[Span]:
    """Lines that belong together: a line break where the next word still had room was meant."""
    lines = [Span(*m.span()) for m in _LINE.finditer(text, body.start, body.end)]
    dense = bool(_DENSE.search(text, body.start, body.end))
    width = max([len(line) for line in lines] + [DENSE_WRAP_CHARS if dense else WRAP_CHARS])
    start = body.start
    for line, below in pairwise(lines):
        first, next_text = text[line.start : line.end].rstrip(), below.of(text).lstrip()
        word = 1 if dense else len(next_text.split(maxsplit=1)[0]) if next_text else 0
        roomy = len(first) + 1 + word <= width
        if next_text and roomy and _may_begin(next_text) and not first.endswith((",", "，", "、", "-")):
            yield trimmed(text, start, line.end)
            start = below.start
    yield trimmed(text, start, body.end)


def _may_begin(text: str) -> bool:
    first = text.lstrip(OPENERS + " ")[:1]
    return bool(first) and not first.islower()


# --- one run of lines ---------------------------------------------------------------------------


def _sentences(text: str, run: Span, code: str, ends: list[int]) -> list[Span]:
    piece = _BLANK.sub(" ", run.of(text))
    if not piece.isascii():
        piece = _SURROGATE.sub("\ufffd", piece)
    inner = ends[bisect_right(ends, run.start) : bisect_left(ends, run.end)]
    shown = {end - run.start for end in inner}
    # A marker before the stop says so too: "2,137 m [1]. Water".
    after = {end + 1 if piece[end : end + 2] == ". " else end for end in shown}
    marked = {skip_blanks(piece, end) for end in after if _TAIL.search(piece, max(0, end - 12), end)}
    candidates = dict.fromkeys((*_boundaries(piece, code), *marked), False) | possible_ends(piece)
    cuts = [0]
    for start in sorted(candidates):
        if cuts[-1] < start < len(piece) and ends_here(
            piece, cuts[-1], start, code, hard=candidates[start], shown=start in marked
        ):
            cuts.append(start)
    cuts.append(len(piece))
    stopless = _NO_STOPS.search(piece) is not None
    out: list[Span] = []
    for start, end in pairwise(cuts):
        for part in _phrases(piece, start, end, shown) if stopless else (Span(start, end),):
            span = trimmed(piece, part.start, part.end).shift(run.start)
            if out and not _WORD.search(text, span.start, span.end):
                out[-1] = Span(out[-1].start, max(out[-1].end, span.end))  # a stray stop or bracket
            elif len(span):
                out.append(span)
    return out


def _boundaries(piece: str, code: str) -> Iterator[int]:
    """Where `sentencex` starts sentences, window by window; the last sentence of a window is read again."""
    at = 0
    while at < len(piece):
        window = piece[at : at + WINDOW_CHARS]
        inner = [start for start in _starts(window, code) if start > 0]
        last_window = at + WINDOW_CHARS >= len(piece)
        for start in inner:
            yield skip_blanks(piece, _past_closers(piece, at + start))
        if last_window:
            return
        at += inner[-1] if inner else WINDOW_CHARS


def _past_closers(piece: str, at: int) -> int:
    """In "*Really!* Yes" the mark that closes the emphasis belongs to the sentence before."""
    if piece[at - 1] in ".!?…":
        while at < len(piece) and piece[at] in CLOSERS:
            at += 1
    return at


def _starts(window: str, code: str) -> list[int]:
    try:
        return [int(found["start_index"]) for found in get_sentence_boundaries(code, window)]
    except BaseException as panic:
        # A panic of the Rust code is no Exception. Our own rules still cut; a document must not end the process.
        if type(panic).__name__ != "PanicException":
            raise
        return []


# --- scripts without stops ----------------------------------------------------------------------


def _phrases(piece: str, start: int, end: int, shown: set[int]) -> list[Span]:
    """Thai and Lao: runs of phrases between blanks, ended by ``shown`` places or by length."""
    letters = sum(map(str.isalpha, piece[start:end]))
    if len(_NO_STOPS.findall(piece, start, end)) * 2 < letters:
        return [Span(start, end)]
    cuts = [start]
    for match in _PHRASE.finditer(piece, start, end):
        at = match.start()
        long_enough = (
            at - cuts[-1] >= PHRASES_CHARS
            and _NO_STOPS.match(piece, at)
            and not piece[at - 2 : at - 1].isdigit()
        )
        if at > cuts[-1] and (
            long_enough or any(shown_at in shown for shown_at in range(max(0, at - 2), at + 1))
        ):
            cuts.append(at)
        while match.end() - cuts[-1] > MAX_PHRASES_CHARS:
            cuts.append(max(at, cuts[-1] + MAX_PHRASES_CHARS) if at <= cuts[-1] + MAX_PHRASES_CHARS else at)
    return [Span(a, b) for a, b in zip(cuts, [*cuts[1:], end], strict=False)]
