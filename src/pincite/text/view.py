"""A chunk as its reader sees it: context and passage as one text, with the way back to the document.

Texts that are made in other ways bring their own way back: an answer without its markers (``markers``), a quote
reduced to its letters (``normalize``), what facts are read from (``fold``, ``rewrite``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from pincite.types import Chunk, Span

SEPARATOR = "\n"
"""Stands between the slices of a view. Also in ``Chunk.content_hash``."""


@dataclass(frozen=True, slots=True, repr=False)
class View:
    """Slices of a text, the *origin*, as one text with the way back. Offsets are code points throughout.

    Attributes:
        text: The slices in order, ``SEPARATOR`` between them.
        starts: Where each slice begins in ``text``, rising from 0.
        origins: Where each slice stands in the origin: in any order, overlapping or not, never empty.
    """

    text: str
    starts: tuple[int, ...]
    origins: tuple[Span, ...]

    def __repr__(self) -> str:
        return f"View({len(self.text)} characters, {len(self.origins)} slices)"

    @classmethod
    def joined(cls, parts: Iterable[tuple[Span, str]]) -> View:
        """A view of some slices.

        Args:
            parts: Where each stands in the origin, and its text, of the same length. Empty ones are left out.

        >>> view = View.joined([(Span(0, 4), "Plan"), (Span(90, 94), "Plus")])
        >>> view.text, view.back(Span(2, 7))
        ('Plan\\nPlus', (Span(start=2, end=4), Span(start=90, end=92)))
        """
        texts: list[str] = []
        starts: list[int] = []
        origins: list[Span] = []
        at = 0
        for span, text in parts:
            if len(span) != len(text):
                raise ValueError(f"{span} is {len(span)} long, its text {len(text)}")
            if text:
                texts.append(text)
                starts.append(at)
                origins.append(span)
                at += len(text) + len(SEPARATOR)
        return cls(SEPARATOR.join(texts), tuple(starts), tuple(origins))

    def back(self, span: Span) -> tuple[Span, ...]:
        """Where a span of ``text`` stands in the origin: a part of each slice it touches, in the order of ``text``.

        Separators stand nowhere: a span of nothing else, or an empty one, has no place.

        Raises:
            ValueError: If the span reaches beyond the text.
        """
        if span.end > len(self.text):
            raise ValueError(f"{span} reaches beyond a text of {len(self.text)}")
        found: list[Span] = []
        first = max(0, bisect_right(self.starts, span.start) - 1)
        for start, origin in zip(self.starts[first:], self.origins[first:], strict=True):
            if start >= span.end:
                break
            low, high = max(span.start, start), min(span.end, start + len(origin))
            if low < high:
                found.append(Span(low, high).shift(origin.start - start))
        return tuple(found)


def chunk_view(chunk: Chunk) -> View:
    """What a reader of a chunk sees: its context (heading, header row, lead-in) and its text as one string,
    with the map back to the document. Prompts, embedders and quote matching read this.

    The slices are the context spans in order, then the chunk's own span.
    """
    return View.joined(zip((*chunk.context, chunk.span), (*chunk.context_texts, chunk.text), strict=True))
