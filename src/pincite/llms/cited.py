"""Prose whose passages a provider cites itself, turned into statement lines as its sentences become whole."""

from __future__ import annotations

from collections.abc import Mapping

from pincite.text.sentences import split_sentences
from pincite.text.statements import statement_line
from pincite.types import Quote, Span, Statement

MAX_CHARS = 100_000
"""What is read of one reply; the rest is left."""


class CitedText:
    """Takes blocks of text, each with the citations that came with it, and gives statement lines.

    A sentence cites what any block cites that it has words of. ``document_index`` counts the sources from 0;
    the first one is ``first_id`` of the prompt.

    >>> text = CitedText()
    >>> text.add_text("Ice melts. It is")
    ''
    >>> text.add_citation({"document_index": 1, "cited_text": "ice melts at 0 °C"})
    >>> text.ended_block()
    '{"quotes": [{"id": "c-2", "quote": "ice melts at 0 °C"}], "statement": "Ice melts."}\\n'
    >>> text.add_text(" cold.")
    ''
    >>> text.ended_block() + text.rest()
    '{"quotes": [{"id": "c-2", "quote": "ice melts at 0 °C"}], "statement": "It is cold."}\\n'
    """

    def __init__(self, *, first_id: int = 1) -> None:
        self._first_id = first_id
        self._text = ""
        self._block_start = 0
        self._block: list[Quote] = []
        self._cited: list[tuple[Span, tuple[Quote, ...]]] = []
        self._chars = 0

    def add_text(self, text: str) -> str:
        """More text of the block. Lines of the sentences that are seen to have ended with the block before."""
        begins = bool(text.strip()) and not self._text[self._block_start :].strip()
        self._text += text[: max(0, MAX_CHARS - self._chars)]
        self._chars += len(text)
        return self._lines(keep_last=True, until=self._block_start) if begins and self._block_start else ""

    def add_citation(self, citation: Mapping[str, object]) -> None:
        """What the block cites; an empty mapping is nothing."""
        for name in ("document_index", "search_result_index"):
            place = citation.get(name)
            if isinstance(place, int) and not isinstance(place, bool) and place >= 0:
                words = citation.get("cited_text")
                text = words.strip() if isinstance(words, str) else ""
                self._block.append(Quote(f"c-{place + self._first_id}", text or None))
                return

    def ended_block(self) -> str:
        """The block is whole: lines of the sentences that are, too."""
        self._cited.append((Span(self._block_start, len(self._text)), tuple(self._block)))
        self._block, self._block_start = [], len(self._text)
        return self._lines(keep_last=True)

    def rest(self, *, cut: bool = False) -> str:
        """Lines of what is left; when the reply was ``cut`` off, its last sentence is not whole."""
        if self._block_start < len(self._text):
            self.ended_block()
        return self._lines(keep_last=cut)

    def _lines(self, *, keep_last: bool, until: int | None = None) -> str:
        """Lines of the sentences that end before ``until``. They are taken off the text."""
        stop = len(self._text) if until is None else until
        sentences = split_sentences(self._text)
        lines: list[str] = []
        start = 0
        for sentence in sentences[:-1] if keep_last else sentences:
            if sentence.end > stop:
                break
            span = Span(start, sentence.end)
            lines.append(statement_line(Statement(span.of(self._text).strip(), self._quotes(span))))
            start = sentence.end
        self._text = self._text[start:]
        self._cited = [
            (Span(max(span.start - start, 0), span.end - start), quotes)
            for span, quotes in self._cited
            if span.end > start
        ]
        self._block_start -= start
        return "".join(lines)

    def _quotes(self, sentence: Span) -> tuple[Quote, ...]:
        quotes: dict[Quote, None] = {}
        for span, cited in self._cited:
            shared = Span(
                max(span.start, sentence.start), max(min(span.end, sentence.end), span.start, sentence.start)
            )
            if shared.of(self._text).strip():
                quotes.update(dict.fromkeys(cited))
        return tuple(quotes)
