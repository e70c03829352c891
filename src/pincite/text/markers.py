"""Citation markers in an answer: found, taken out, and bound to sentences and clauses.

Three texts, one map: the answer as written, ``plain`` without its markers, and the sentences, which are spans of
``plain``. Everything here depends on nothing but the block a marker stands in, so that a stream can read along.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pincite.findings import Pointer
from pincite.text.blocks import blocks
from pincite.text.brackets import Drift, find_drift, find_markers
from pincite.text.grammar import Ids
from pincite.text.markup import opaque_spans
from pincite.text.printing import MarkerStyle, print_markers, renumber
from pincite.text.sentences import split_sentences
from pincite.text.unmarked import Place, take_out
from pincite.types import Span

__all__ = [
    "Drift",
    "Marker",
    "MarkerStyle",
    "ParsedAnswer",
    "find_markers",
    "parse_markers",
    "print_markers",
    "renumber",
]

_WORD = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Marker:
    """One id of one printed marker.

    Args:
        id: As the question's ids spell it; as written when ``known`` is false.
        known: Whether it is one of the question's ids.
        span: The whole bracket, in the answer as written. Ids of one bracket share it.
        at: Where it stood, in ``plain``.
        sentence: Index of the sentence it belongs to; ``None`` when there is no sentence at all.
        clause: What it backs, in ``plain``: from the marker or semicolon before it to itself; the whole sentence
            when it stands alone at the end.
        detail: Page, file name or lines that were written behind the id.
    """

    id: str
    known: bool
    span: Span
    at: int
    sentence: int | None
    clause: Span
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """An answer taken apart. ``sentences`` are spans of ``plain``; ``markers`` stand in the order of the answer.

    ``pieces`` maps ``plain`` back: ``(start in plain, start in text, length)``, ordered, gapless in ``plain``.
    """

    text: str
    plain: str
    sentences: tuple[Span, ...]
    markers: tuple[Marker, ...] = ()
    drift: tuple[Drift, ...] = ()
    pieces: tuple[tuple[int, int, int], ...] = ()

    @property
    def unknown_ids(self) -> tuple[str, ...]:
        """Unknown ids as written, in order of first appearance, each once."""
        return tuple(dict.fromkeys(marker.id for marker in self.markers if not marker.known))

    def of_sentence(self, index: int) -> tuple[Marker, ...]:
        """The markers of one sentence, in order."""
        return tuple(marker for marker in self.markers if marker.sentence == index)

    def cites(self, index: int) -> tuple[str, ...]:
        """Known ids of one sentence in order of first appearance, each once."""
        return tuple(dict.fromkeys(marker.id for marker in self.of_sentence(index) if marker.known))

    def pointers(self, index: int) -> tuple[Pointer, ...]:
        """The markers of one sentence as pointers of a claim."""
        return tuple(Pointer(m.id, m.at, known=m.known) for m in self.of_sentence(index))

    def original(self, span: Span) -> Span:
        """A span of ``plain`` as a span of the answer as written, markers between its ends included."""
        if not self.pieces:
            return span
        start = self._original(span.start)
        return Span(start, max(start, self._original(span.end - 1) + 1) if len(span) else start)

    def _original(self, at: int) -> int:
        place = max(0, bisect_right(self.pieces, at, key=lambda piece: piece[0]) - 1)
        plain_start, text_start, length = self.pieces[place]
        return text_start + min(at - plain_start, length)


def parse_markers(
    text: str,
    context_ids: Iterable[str] | Mapping[str, str],
    *,
    styles: str | re.Pattern[str] = "auto",
    language: str | None = None,
    prose: Sequence[Span] = (),
) -> ParsedAnswer:
    """Take the citation markers out of an answer and bind each to its sentence.

    A marker is an id in square, wide or lenticular brackets, single or doubled: ``[1]``, ``[c-2, p. 5]``,
    ``[Source 3, page 2]``, ``[1-3; 5]``, ``【2】``. An id equals one of ``context_ids`` (letter case ignored) or has the
    same shape; other brackets are prose, and so is all in code, mathematics, links and quoted text. Markers behind
    the stop of a sentence belong to it.

    Args:
        text: The answer, plain or Markdown.
        context_ids: Ids of the sources of this question, or a mapping from every accepted spelling to its id.
        styles: ``"auto"``; ``"superscript"`` to read ``¹`` as well; or a regular expression (its group ``id``, or the
            first one, is the id): then nothing else is a marker.
        language: Two-letter code of the answer, or ``None`` to guess it.
        prose: Brackets of ``text`` that are no markers whatever they look like.

    >>> parsed = parse_markers("Tours cost 5 EUR [c-2]. Entry is free. [c-1][c-9]", ["c-1", "c-2"])
    >>> [(span.of(parsed.plain), parsed.cites(i)) for i, span in enumerate(parsed.sentences)]
    [('Tours cost 5 EUR.', ('c-2',)), ('Entry is free.', ('c-1',))]
    >>> parsed.unknown_ids
    ('c-9',)
    """
    ids = Ids(context_ids)
    parts = blocks(text)
    opaque = opaque_spans(text, parts)
    no_markers = {span.start for span in prose}
    found = tuple(
        one
        for one in find_markers(text, ids, styles=styles, opaque=opaque)
        if one.span.start not in no_markers
    )
    plain, pieces, places = take_out(text, found, parts, opaque)
    sentences = split_sentences(plain, language=language, ends=[at for _, at, _ in places])
    return ParsedAnswer(
        text=text,
        plain=plain,
        sentences=sentences,
        markers=tuple(_bind(plain, sentences, places)),
        drift=tuple(find_drift(text, ids, opaque, found)),
        pieces=pieces,
    )


# --- binding ------------------------------------------------------------------------------------


def _bind(plain: str, sentences: Sequence[Span], places: Sequence[Place]) -> Iterator[Marker]:
    starts = [span.start for span in sentences]
    bound = [_sentence_of(starts, at, leads) for _, at, leads in places]
    together: dict[int | None, list[int]] = {}
    for (_, at, _), sentence in zip(places, bound, strict=True):
        if at not in (here := together.setdefault(sentence, []))[-1:]:
            here.append(at)
    clauses: dict[tuple[int | None, int], Span] = {}
    for (found, at, _), sentence in zip(places, bound, strict=True):
        clause = clauses.get((sentence, at))
        if clause is None:
            whole = Span(at, at) if sentence is None else sentences[sentence]
            clause = clauses[sentence, at] = _clause(plain, whole, together[sentence], at)
        for cited in found.cited:
            yield Marker(cited.id, cited.known, found.span, at, sentence, clause, cited.detail)


def _sentence_of(starts: list[int], at: int, leads: bool) -> int | None:
    if not starts:
        return None
    if leads:
        return min(bisect_left(starts, at), len(starts) - 1)
    return max(0, bisect_left(starts, at) - 1)


def _clause(plain: str, sentence: Span, places: Sequence[int], at: int) -> Span:
    """What a marker at ``at`` backs: from the one before it among ``places`` (all those of the sentence, rising) to it;
    the whole sentence for a marker alone at its end."""
    end = min(max(at, sentence.start), sentence.end)
    if end <= sentence.start or (len(places) == 1 and not _WORD.search(plain, end, sentence.end)):
        return sentence
    before = bisect_left(places, at) - 1
    start = max(sentence.start, places[before]) if before >= 0 else sentence.start
    for mark in ";；؛":
        cut = plain.rfind(mark, start, end)
        if cut >= 0 and _WORD.search(plain, cut, end):
            start = cut + 1
    while start < end and not plain[start].isalnum() and plain[start] not in '"“«(`$€£-+':
        start += 1
    return Span(start, end) if start < end else sentence
