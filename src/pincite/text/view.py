"""The one class that owns every offset map: a text made from another text, and the way there and back.

Whoever folds, joins or cuts text makes a ``View`` and searches ``view.text``; ``back`` turns what was
found into spans of the *origin*, the text it was made from. Offsets are code points throughout.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pincite.types import Chunk, Span

SEPARATOR = "\n"
"""Stands between the pieces of a joined view. Also in ``Chunk.content_hash``."""


@dataclass(frozen=True, slots=True, repr=False)
class View:
    """A text with a map to the text it was made from.

    The text is cut into segments without gaps. Segment ``i`` covers ``text[starts[i]:starts[i + 1]]`` and
    stands for ``origin[origin_starts[i]:origin_ends[i]]``. Both are of one length, and then characters
    correspond one to one; or the segment is a single character that stands for a longer range ("é" for
    "e" and its accent) or for none: then it was put in. Its range then ends where what precedes it ends
    and starts where what follows it starts, so it never widens a span.

    Segments are grouped in *pieces*: in a piece the origin never runs backwards, and what was left out
    between two of its segments (a soft hyphen, a blank) belongs to a span that reaches over it. Between
    pieces nothing is assumed: a header row and a row far below are two pieces, and a span that touches
    both has two places in the origin.

    Attributes:
        text: What to search in.
        starts: Rising, one more than there are segments; the last is ``len(text)``.
        origin_starts, origin_ends: One for each segment; neither falls inside a piece.
        pieces: Number of the first segment of each piece, rising, beginning with 0; empty without segments.
    """

    text: str
    starts: tuple[int, ...]
    origin_starts: tuple[int, ...]
    origin_ends: tuple[int, ...]
    pieces: tuple[int, ...]

    def __repr__(self) -> str:
        return f"View({len(self.text)} characters, {len(self.origin_starts)} segments, {len(self.pieces)} pieces)"

    # --- making one -----------------------------------------------------------------------------

    @classmethod
    def of(cls, text: str) -> View:
        """The text as it is.

        >>> View.of("ice").back(Span(1, 3))
        (Span(start=1, end=3),)
        """
        if not text:
            return cls("", (0,), (), (), ())
        return cls(text, (0, len(text)), (0,), (len(text),), (0,))

    @classmethod
    def of_kept(cls, text: str, origins: Sequence[int], ends: Sequence[int] | None = None) -> View:
        """A text of which each character stands for known characters of the origin. Linear time.

        Args:
            text: The view's text.
            origins: For each of its characters, where the origin's begin; never falling. Two characters may
                share one ("ß" folds to "ss").
            ends: For each, where the origin's end; ``origins[i] + 1`` when not given. Never falling.

        >>> squeezed = View.of_kept("infor", [0, 1, 2, 5, 6])  # "inf-\\nor"
        >>> squeezed.back(Span(0, 5))
        (Span(start=0, end=7),)
        """
        if len(origins) != len(text) or (ends is not None and len(ends) != len(text)):
            raise ValueError(f"{len(text)} characters need as many origins, got {len(origins)}")
        if not text:
            return cls.of("")
        starts: list[int] = []
        origin_starts: list[int] = []
        origin_ends: list[int] = []
        expected = -1
        for i, origin in enumerate(origins):
            end = origin + 1 if ends is None else ends[i]
            # A run goes on while characters correspond one to one and follow each other.
            if origin != expected or end != origin + 1:
                starts.append(i)
                origin_starts.append(origin)
                origin_ends.append(end)
            else:
                origin_ends[-1] = end
            expected = end if end == origin + 1 else -1
        starts.append(len(text))
        return cls(text, tuple(starts), tuple(origin_starts), tuple(origin_ends), (0,))

    @classmethod
    def joined(cls, parts: Iterable[tuple[Span, str]], separator: str = SEPARATOR) -> View:
        """Slices of an origin, each a piece of its own, with ``separator`` between them.

        Args:
            parts: Where each stands in the origin, and its text, of the same length. Empty ones are left out.

        >>> view = View.joined([(Span(0, 4), "Plan"), (Span(90, 94), "Plus")])
        >>> view.text, view.back(Span(2, 7))
        ('Plan\\nPlus', (Span(start=2, end=4), Span(start=90, end=92)))
        """
        texts: list[str] = []
        starts: list[int] = []
        origin_starts: list[int] = []
        origin_ends: list[int] = []
        pieces: list[int] = []
        at = 0
        for span, text in parts:
            if len(span) != len(text):
                raise ValueError(f"{span} is {len(span)} long, its text {len(text)}")
            if not text:
                continue
            for char in separator if texts else "":
                starts.append(at)
                origin_starts.append(origin_ends[-1])
                origin_ends.append(origin_ends[-1])
                texts.append(char)
                at += 1
            pieces.append(len(starts))
            starts.append(at)
            origin_starts.append(span.start)
            origin_ends.append(span.end)
            texts.append(text)
            at += len(text)
        if not texts:
            return cls.of("")
        return cls("".join(texts), (*starts, at), tuple(origin_starts), tuple(origin_ends), tuple(pieces))

    # --- going there and back -------------------------------------------------------------------

    def back(self, span: Span) -> tuple[Span, ...]:
        """Where a span of ``text`` stands in the origin: for each piece it touches the smallest range that
        holds it, in the order of ``text``. Empty ranges (only characters that were put in) are left out.

        Raises:
            ValueError: If the span reaches beyond the text.
        """
        if span.end > len(self.text):
            raise ValueError(f"{span} reaches beyond a text of {len(self.text)}")
        if span.start == span.end:
            return ()
        found: list[Span] = []
        first = bisect_right(self.starts, span.start) - 1
        last = bisect_left(self.starts, span.end) - 1
        piece = bisect_right(self.pieces, first) - 1
        while first <= last:
            stop = self._piece_end(piece)
            final = min(last, stop - 1)
            start = self._origin_of(first, max(span.start, self.starts[first]))[0]
            end = self._origin_of(final, min(span.end, self.starts[final + 1]) - 1)[1]
            if start < end:
                found.append(Span(start, end))
            first, piece = stop, piece + 1
        return tuple(found)

    def apply(self, span: Span) -> tuple[Span, ...]:
        """Where a span of the origin stands in ``text``: for each piece that holds some of it the smallest
        range with all of that, in the order of ``text``. Empty when nothing of it is in the view.

        >>> View.of_kept("infor", [0, 1, 2, 5, 6]).apply(Span(2, 6))
        (Span(start=2, end=4),)
        """
        if span.start == span.end:
            return ()
        found: list[Span] = []
        for piece, lo in enumerate(self.pieces):
            hi = self._piece_end(piece)
            first = bisect_right(self.origin_ends, span.start, lo, hi)
            last = bisect_left(self.origin_starts, span.end, lo, hi) - 1
            # Characters that were put in at the edges do not stand for any of the span.
            while first <= last and self.origin_starts[first] >= self.origin_ends[first]:
                first += 1
            while first <= last and self.origin_starts[last] >= self.origin_ends[last]:
                last -= 1
            if first > last:
                continue
            start, end = self.starts[first], self.starts[last + 1]
            if self._one_to_one(first):
                start += max(0, span.start - self.origin_starts[first])
            if self._one_to_one(last):
                end -= max(0, self.origin_ends[last] - span.end)
            found.append(Span(start, end))
        return tuple(found)

    def compose(self, inner: View) -> View:
        """This view, whose origin is ``inner.text``, as a view of ``inner``'s origin.

        A character that stands for text of two pieces of ``inner`` keeps its place in the first of them.

        >>> table = View.joined([(Span(10, 13), "A-B"), (Span(40, 43), "c d")])
        >>> letters = View.of_kept("ABcd", [0, 2, 4, 6])
        >>> letters.compose(table).back(Span(1, 4))
        (Span(start=12, end=13), Span(start=40, end=43))
        """
        starts: list[int] = []
        origin_starts: list[int] = []
        origin_ends: list[int] = []
        pieces: list[int] = []
        place: tuple[int, int] | None = None
        for own in range(len(self.pieces)):
            for segment in range(self.pieces[own], self._piece_end(own)):
                for at, low, high in self._parts(segment, inner):
                    piece, origin = inner._range(low, high)
                    if place != (own, piece):
                        pieces.append(len(starts))
                        place = (own, piece)
                    starts.append(at)
                    origin_starts.append(origin[0])
                    origin_ends.append(origin[1])
        starts.append(len(self.text))
        return View(self.text, tuple(starts), tuple(origin_starts), tuple(origin_ends), tuple(pieces))

    # --- helpers --------------------------------------------------------------------------------

    def _piece_end(self, piece: int) -> int:
        return self.pieces[piece + 1] if piece + 1 < len(self.pieces) else len(self.origin_starts)

    def _one_to_one(self, segment: int) -> bool:
        return (
            self.starts[segment + 1] - self.starts[segment]
            == self.origin_ends[segment] - self.origin_starts[segment]
        )

    def _origin_of(self, segment: int, at: int) -> tuple[int, int]:
        """Start and end of what the character ``text[at]`` of ``segment`` stands for."""
        if self._one_to_one(segment):
            start = self.origin_starts[segment] + at - self.starts[segment]
            return start, start + 1
        return self.origin_starts[segment], self.origin_ends[segment]

    def _segment(self, at: int) -> int:
        return bisect_right(self.starts, at) - 1

    def _range(self, low: int, high: int) -> tuple[int, tuple[int, int]]:
        """Piece and origin of ``text[low:high]``, as far as it lies in one piece: the first with a place."""
        before = self._segment(high - 1) if 0 < high <= len(self.text) else None
        after = self._segment(low) if low < len(self.text) else None
        if low < high and after is not None:
            last = self._segment(high - 1)
            real = after
            while real < last and self.origin_starts[real] >= self.origin_ends[real]:
                real += 1
            piece = bisect_right(self.pieces, real) - 1
            low = max(low, self.starts[self.pieces[piece]])
            final = min(last, self._piece_end(piece) - 1)
            end = self._origin_of(final, min(high, self.starts[final + 1]) - 1)[1]
            return piece, (self._origin_of(self._segment(low), low)[0], end)
        if before is not None:
            piece = bisect_right(self.pieces, before) - 1
            end = self._origin_of(before, high - 1)[1]
            same = after is not None and after < self._piece_end(piece)
            return piece, (self._origin_of(after, low)[0] if after is not None and same else end, end)
        return 0, (self._origin_of(after, low)[0] if after is not None else 0, 0)

    def _parts(self, segment: int, inner: View) -> Iterator[tuple[int, int, int]]:
        """``segment`` cut so that each part is one character, or lies in a one-to-one segment of ``inner``.

        Yields ``(at, low, high)``: the part begins at ``text[at]`` and stands for ``inner.text[low:high]``.
        """
        at, low, high = self.starts[segment], self.origin_starts[segment], self.origin_ends[segment]
        if not self._one_to_one(segment):
            yield at, low, high
            return
        i = bisect_right(inner.starts, low) - 1
        while low < high:
            end = min(high, inner.starts[i + 1])
            yield at, low, end
            at, low, i = at + end - low, end, i + 1


def chunk_view(chunk: Chunk) -> View:
    """What a reader of a chunk sees: its context (heading, header row, lead-in) and its text as one string,
    with the map back to the document. Prompts, embedders and quote matching read this.

    The pieces are the context spans in order, then the chunk's own span.
    """
    return View.joined(zip((*chunk.context, chunk.span), (*chunk.context_texts, chunk.text), strict=True))
