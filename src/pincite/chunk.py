"""Cut a document into passages. Text is never copied or changed: a chunk is a span, its context are spans.

``structure`` keeps blocks whole, ``fixed`` counts characters, ``sentence`` makes one chunk of each sentence.
All offsets are code points of ``document.text``.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from pincite.errors import ConfigError, ParseError
from pincite.text.cells import Cells
from pincite.text.cut import cut, fixed_windows, trim
from pincite.text.outline import Node, structure
from pincite.text.pages import PageIndex
from pincite.text.regions import Region, Regions, is_below
from pincite.text.sentences import split_sentences
from pincite.text.slug import slug
from pincite.text.words import detect_language
from pincite.types import Chunk, ChunkId, DocId, Document, Span

__all__ = ["Strategy", "assign_ids", "chunk", "slug"]

Strategy = Literal["structure", "fixed", "sentence"]

MAX_CHARS = 1200
"""What ``structure`` fills, context included. Only a code fence or a table row is longer."""
FIXED_SIZE, FIXED_OVERLAP = 300, 50
"""Source 001."""

_LEAD_IN_CHARS = 300
"""Of a longer paragraph only the last sentence serves as context."""
_CAPTION_CHARS = 200
"""A shorter paragraph right before a table is its caption."""
_BARE_CHARS = 80
"""A shorter block without letters or digits, such as a rule or ``</details>``, stays with what precedes it."""
_TAG = re.compile(r"<!--[^<>]*-->|</?[a-zA-Z][^<>]*>")
_HTML_HEADER = re.compile(r"<tr[\s>](?:(?!<td|<tr).)*<th(?:(?!<td|<tr).)*?</tr>", re.IGNORECASE | re.DOTALL)
_BULLET_CHARS = 8
_COLONS = (":", "：", "︰", "﹕", "։")
_LED = ("list", "table", "fence", "code", "quote", "html")
"""What a paragraph that ends in a colon leads in."""


# --- the public functions -----------------------------------------------------------------------


def chunk(
    document: Document,
    *,
    strategy: Strategy = "structure",
    max_chars: int = MAX_CHARS,
    size: int = FIXED_SIZE,
    overlap: int = FIXED_OVERLAP,
) -> tuple[Chunk, ...]:
    """Cut a document into chunks. Every character that is no white space is in one; none is empty.

    Args:
        document: Its ``sections`` give the section paths; without any, its Markdown headings do.
        strategy: ``structure``: whole blocks up to ``max_chars`` within a section. ``fixed``: ``size`` characters
            that overlap by up to ``overlap``, cut between words. ``sentence``: one sentence, table row or code
            fence each.
        max_chars: At least 1. Counts context and slice. Not for ``fixed``.
        size, overlap: Of ``fixed``; ``0 <= overlap < size``.

    Returns:
        In document order, numbered from 0: ``<slug>-chunk-0`` …. For a document that changed see ``assign_ids``.

    Raises:
        ConfigError: If a size or the strategy cannot be right.
        ParseError: If the document has no text.

    >>> [(piece.section, piece.text) for piece in chunk(Document("fees", "# Fees\\n\\nEntry is free."))]
    [(('Fees',), '# Fees\\n\\nEntry is free.')]
    """
    _check(strategy, max_chars, size, overlap)
    if not document.text.strip():
        raise ParseError("it has no text", where=document.doc_id, hint="add text or leave the document out")
    nodes = structure(document.text, document.format)
    regions = Regions(document, nodes)
    if strategy == "fixed":
        units = [_Unit(span, regions.at(span.start)) for span in fixed_windows(document.text, size, overlap)]
    else:
        limit = max_chars if strategy == "structure" else 0
        cutter = _Cutter(document, max_chars, limit)
        units = list(_pack(cutter.units(nodes, regions), max_chars, limit))
    pages = PageIndex(document.pages)
    cells = Cells(document.text, next((value for key, value in document.metadata if key == "cells"), ""))
    name = slug(document.doc_id)
    chunks: list[Chunk] = []
    for ordinal, unit in enumerate(units):
        on = pages.of(unit.span)
        chunks.append(
            Chunk(
                chunk_id=ChunkId(f"{name}-chunk-{ordinal}"),
                doc_id=DocId(document.doc_id),
                ordinal=ordinal,
                span=unit.span,
                text=unit.span.of(document.text),
                context=unit.context,
                context_texts=tuple(span.of(document.text) for span in unit.context),
                section=unit.region.path,
                page_index=on[0].index if on else None,
                page_label=on[0].label if on else None,
                cells=cells.of(unit.span),
            )
        )
    return tuple(chunks)


def assign_ids(new: Sequence[Chunk], old: Sequence[Chunk], next_n: int) -> tuple[tuple[Chunk, ...], int]:
    """Give the chunks of a changed document their ids: unchanged ones keep theirs, others get unused numbers.

    Chunks are the same when their texts and those of their context are; so no id ever denotes two texts. (Their hash
    joins both: it would not tell a line of context from the first line of the text.)

    Args:
        new: The chunks as cut now, of one document.
        old: Those stored, in order. Empty for a new document.
        next_n: The first number that this document never used; 0 for a new document.

    Returns:
        The new chunks with their ids, and the next unused number.

    >>> first, n = assign_ids(chunk(Document("d", "# A\\n\\none\\n\\n# B\\n\\ntwo")), (), 0)
    >>> second, n = assign_ids(chunk(Document("d", "# A\\n\\n1\\n\\n# B\\n\\ntwo")), first, n)
    >>> [piece.chunk_id for piece in second], n
    (['d-chunk-2', 'd-chunk-1'], 3)
    """
    texts = [(*piece.context_texts, "", piece.text) for piece in new]
    old_texts = [(*piece.context_texts, "", piece.text) for piece in old]
    ids: list[ChunkId | None] = [None] * len(new)
    # What stands in front of and behind the change first: so repeated texts keep to their places.
    shortest = min(len(new), len(old))
    head = next((i for i in range(shortest) if texts[i] != old_texts[i]), shortest)
    tail = next((i for i in range(shortest - head) if texts[-1 - i] != old_texts[-1 - i]), shortest - head)
    for i in range(head):
        ids[i] = old[i].chunk_id
    for i in range(1, tail + 1):
        ids[-i] = old[-i].chunk_id
    free: defaultdict[tuple[str, ...], deque[ChunkId]] = defaultdict(deque)
    for i in range(head, len(old) - tail):
        free[old_texts[i]].append(old[i].chunk_id)
    name = slug(new[0].doc_id) if new else ""
    given: list[Chunk] = []
    for piece, text, chunk_id in zip(new, texts, ids, strict=True):
        if chunk_id is None and free[text]:
            chunk_id = free[text].popleft()
        if chunk_id is None:
            chunk_id = ChunkId(f"{name}-chunk-{next_n}")
            next_n += 1
        given.append(piece if piece.chunk_id == chunk_id else replace(piece, chunk_id=chunk_id))
    return tuple(given), next_n


def _check(strategy: str, max_chars: int, size: int, overlap: int) -> None:
    if strategy not in ("structure", "fixed", "sentence"):
        raise ConfigError(
            f"unknown strategy {strategy!r}", where="[chunk]", hint="choose structure, fixed or sentence"
        )
    if max_chars < 1:
        raise ConfigError(f"max_chars must be at least 1, got {max_chars}", where="[chunk]")
    if size < 1:
        raise ConfigError(f"size must be at least 1, got {size}", where="[chunk]")
    if not 0 <= overlap < size:
        raise ConfigError(
            f"overlap must be 0 or more and less than size ({size}), got {overlap}",
            where="[chunk]",
            hint="the default is size = 300, overlap = 50",
        )


# --- units: what is never cut, or has been cut --------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Unit:
    """A piece that goes into a chunk whole, and later the chunk itself.

    ``context`` is what it needs when it begins a chunk, outermost first; ``header`` (of a table) comes
    last in it and is never left out. ``keep_next``: nothing ends with it. ``bare``: a line without letters or
    digits, which says nothing by itself. ``group``: rows of one long table.
    """

    span: Span
    region: Region
    context: tuple[Span, ...] = ()
    header: Span | None = None
    keep_next: bool = False
    bare: bool = False
    group: int = 0


class _Cutter:
    """Blocks to units. A block that fits ``limit`` is one unit; a longer one becomes its parts.

    ``limit`` 0 cuts everything to sentences (and those to ``max_chars``).
    """

    def __init__(self, document: Document, max_chars: int, limit: int) -> None:
        self.text = document.text
        self.language = document.language or detect_language(document.text)
        self.max_chars = max_chars
        self.limit = limit
        self.group = 0

    def units(self, nodes: Sequence[Node], regions: Regions) -> Iterator[_Unit]:
        glued_from: int | None = None
        """Where the headings and lead-ins begin that must stay with the next block."""
        before: Region | None = None
        for i, node in enumerate(nodes):
            region = regions.at(node.span.start)
            same = region is before
            lead = self._lead(nodes[i - 1], node) if same else None
            context = tuple(
                span for span in (region.heading, lead) if span is not None and span.end <= node.span.start
            )
            follower = nodes[i + 1] if i + 1 < len(nodes) else None
            if before is not None and not same and not is_below(region, before):
                glued_from = None
            before = region
            used = node.span.start - glued_from if glued_from is not None else 0
            keep_next = follower is not None and self._keeps(node, region, follower, used)
            for unit in self._expand(node, region, context, first_limit=self.limit - used):
                # Of a paragraph that was cut, the last piece leads in what follows.
                yield replace(unit, keep_next=True) if keep_next and unit.span.end == node.span.end else unit
            if not keep_next:
                glued_from = None
            elif glued_from is None:
                glued_from = node.span.start

    def _keeps(self, node: Node, region: Region, follower: Node, used: int) -> bool:
        # What is glued must leave most of the room to what it belongs to.
        if used + len(node.span) > self.max_chars // 3:
            return False
        return (
            node.kind == "heading" or node.span == region.heading or self._lead(node, follower) == node.span
        )

    def _lead(self, before: Node, node: Node) -> Span | None:
        """The lead-in or caption of ``node`` in the paragraph before it."""
        if before.kind != "paragraph" or before.children or node.kind not in _LED:
            return None
        colon = self.text.endswith(_COLONS, before.span.start, before.span.end)
        if not colon and not (node.kind == "table" and len(before.span) <= _CAPTION_CHARS):
            return None
        if len(before.span) <= _LEAD_IN_CHARS:
            return before.span
        last = self._stops(before.span)[-1]
        return Span(last, before.span.end) if before.span.end - last <= _LEAD_IN_CHARS else None

    def _expand(
        self,
        node: Node,
        region: Region,
        context: tuple[Span, ...],
        *,
        first_limit: int,
        header: Span | None = None,
        group: int = 0,
    ) -> Iterator[_Unit]:
        if len(node.span) <= _BARE_CHARS and not any(map(str.isalnum, _TAG.sub("", node.span.of(self.text)))):
            span = trim(self.text, node.span.start, node.span.end)
            yield _Unit(span, region, context, header, bare=True, group=group)
            return
        whole = node.kind == "row" or (
            node.kind == "fence" and (node.closed or len(node.span) <= self.max_chars)
        )
        if whole or len(node.span) <= first_limit:
            span = trim(self.text, node.span.start, node.span.end)
            yield _Unit(span, region, context, header, group=group)
        elif node.children and node.children[0].kind == "row":
            yield from self._rows(node, region, context)
        elif node.children:
            for i, child in enumerate(node.children):
                yield from self._expand(
                    child, region, context, first_limit=first_limit, header=header, group=group
                )
                first_limit = self.limit
                if node.kind == "item" and i == 0 and (line := self._first_line(child.span)) is not None:
                    context = (*context, line)
        else:
            for piece in self._pieces(node, first_limit, sum(len(span) + 1 for span in context)):
                yield _Unit(piece, region, context, header, group=group)

    def _rows(self, table: Node, region: Region, context: tuple[Span, ...]) -> Iterator[_Unit]:
        """The rows of a long table; each that begins a chunk has the header row as context."""
        self.group += 1
        first, *rest = table.children
        header = self._header(table)
        led = header is not None and bool(rest)
        span = trim(self.text, first.span.start, first.span.end)
        yield _Unit(span, region, context, keep_next=led, group=self.group)
        for row in rest:
            row_context = (*context, header) if header is not None else context
            span = trim(self.text, row.span.start, row.span.end)
            yield _Unit(span, region, row_context, header, group=self.group)

    def _header(self, table: Node) -> Span | None:
        """The header row of a table. Lines that only look like a table have none."""
        first = table.children[0].span
        if table.kind == "table":
            return self._header_line(first)
        row = _HTML_HEADER.search(self.text, first.start, min(first.end, first.start + _LEAD_IN_CHARS))
        return Span(*row.span()) if row and table.kind == "html" else None

    def _pieces(self, node: Node, first_limit: int, context_chars: int) -> Iterator[Span]:
        if self.limit:
            # Where context takes more than a third of the room, it is left out (see ``_fitting``).
            limit = max(1, self.limit - min(context_chars, self.limit // 3))
            stops = self._stops(node.span) if node.kind not in ("fence", "code", "html") else ()
            yield from cut(
                self.text, node.span, stops, first_limit=max(1, min(first_limit, limit)), limit=limit
            )
            return
        # The first sentence begins at the start or behind a bullet or hash, which goes with it.
        stops = self._stops(node.span)
        inside = stops[1:] if stops and stops[0] <= node.span.start + _BULLET_CHARS else stops
        for start, end in pairwise((node.span.start, *inside, node.span.end)):
            yield from cut(self.text, Span(start, end), (), first_limit=self.max_chars, limit=self.max_chars)

    def _stops(self, span: Span) -> list[int]:
        """Where the sentences of a block begin. Few blocks are so long that anybody asks."""
        found = split_sentences(span.of(self.text), language=self.language)
        return [span.start + sentence.start for sentence in found]

    def _header_line(self, span: Span) -> Span:
        end = self.text.find("\n", span.start, span.end)
        return trim(self.text, span.start, end if end >= 0 else span.end)

    def _first_line(self, span: Span) -> Span | None:
        line = self._header_line(span)
        return line if 0 < len(line) <= _LEAD_IN_CHARS else None


# --- packing units into chunks ------------------------------------------------------------------


def _pack(units: Iterator[_Unit], max_chars: int, limit: int) -> Iterator[_Unit]:
    """Join neighbouring units of a section while they fit; headings and lead-ins stay with what follows."""
    current: list[_Unit] = []
    for unit in units:
        glued = len(current)
        while glued and current[glued - 1].keep_next:
            glued -= 1
        if current and current[-1].region is not unit.region:
            # A heading with nothing of its own goes with the first section below it.
            if glued or not is_below(unit.region, current[-1].region):
                yield _joined(current, max_chars)
                current = []
        elif current and unit.bare and _fits(current, unit, max_chars + _BARE_CHARS):
            pass
        elif glued and (
            not limit or current[glued - 1].group != unit.group or not _fits(current, unit, limit)
        ):
            yield _joined(current[:glued], max_chars)
            current = current[glued:]
        current.append(unit)
    if current:
        yield _joined(current, max_chars)


def _fits(current: Sequence[_Unit], unit: _Unit, limit: int) -> bool:
    context = _fitting(current[0], limit)
    return sum(len(span) + 1 for span in context) + unit.span.end - current[0].span.start <= limit


def _fitting(unit: _Unit, limit: int) -> tuple[Span, ...]:
    """The context of a chunk that begins with ``unit``: the outermost goes first when there is no room."""
    if not unit.context:
        return ()
    context = [span for span in dict.fromkeys(unit.context) if span.end <= unit.span.start]
    needed = 1 if unit.header in context else 0
    room = limit - len(unit.span)
    while len(context) > needed and sum(len(span) + 1 for span in context) > room:
        del context[0]
    return tuple(context)


def _joined(units: Sequence[_Unit], max_chars: int) -> _Unit:
    first, last = units[0], units[-1]
    return _Unit(Span(first.span.start, last.span.end), last.region, _fitting(first, max_chars))
