"""The block structure of a text written in Markdown: headings, paragraphs, lists, tables, fences, with their spans.

The text is never changed and nothing is rendered: pulldown-cmark (through pyromark) reads the structure, and its
places become spans of whole lines of the text exactly as given. Plain text reads as paragraphs.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Literal

from pincite.types import Section, Span

if TYPE_CHECKING:
    from pyromark import Markdown

NodeKind = Literal[
    "heading", "paragraph", "fence", "code", "table", "row", "list", "item", "quote", "html", "rule", "other"
]

_KINDS: dict[str, NodeKind] = {
    "Heading": "heading",
    "Paragraph": "paragraph",
    "CodeBlock": "code",
    "Table": "table",
    "List": "list",
    "Item": "item",
    "BlockQuote": "quote",
    "HtmlBlock": "html",
}
"""pulldown-cmark's names of blocks."""

_MAX_DEPTH = 20
"""Of lists, items and quotes in each other. What lies deeper is text of the last one."""

# The line breaks of Markdown; others, such as form feeds, are part of a line.
_BREAK = re.compile(r"\r\n?|\n")
_SURROGATE = re.compile("[\ud800-\udfff]")
_HTML_ROW = re.compile(r"<tr[\s>]", re.IGNORECASE)
_ANCHOR = re.compile(r"\s*\{[:\s]*#([^\s{}]+)[^{}]*\}\s*$")
_INDENT = re.compile(rb"[ \t>]*")
_FENCE = re.compile(rb"`+|~+")
_DELIMITED = re.compile(r"[^\n]*\n\|(?: --- \|)+(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a text. ``span`` begins at the start of its first line and ends before a line break.

    Attributes:
        kind: A ``row`` is one line of a table; the first row is the header and holds the delimiter line too.
            An ``other`` is text that Markdown does not show, such as link definitions.
        children: Of tables (in Markdown or HTML), lists, items and quotes. They cover every character but white space of the block.
        level: 1-6 for headings, otherwise 0.
        title: Of a heading: its words without emphasis, code marks and links.
        anchor: Of a heading: the id written behind it (``{#id}``).
        closed: Whether a fence has its closing line.
    """

    kind: NodeKind
    span: Span
    children: tuple[Node, ...] = ()
    level: int = 0
    title: str = ""
    anchor: str | None = None
    closed: bool = True


@lru_cache(maxsize=1)  # the chunker reads the structure that the parser has just read
def outline(text: str) -> tuple[Node, ...]:
    """The blocks of a Markdown text in order, without overlap. Every character but white space is in one.

    Headings count at the top level only, not in lists and quotes. Linear time; nesting is followed 20 deep.

    >>> [(block.kind, block.span.of("# A\\n\\nb\\n")) for block in outline("# A\\n\\nb\\n")]
    [('heading', '# A'), ('paragraph', 'b')]
    """
    try:
        blocks = _Reader(text).siblings(0)
    except BaseException as panic:
        # A panic of the Rust code is no Exception. A document must not end the process.
        if type(panic).__name__ != "PanicException":
            raise
        return paragraphs(text)
    found: list[Node] = []
    at = 0
    for block in blocks:
        found += _rest(text, at, block.span.start)
        found.append(block)
        at = block.span.end
    found += _rest(text, at, len(text))
    return tuple(found)


def paragraphs(text: str) -> tuple[Node, ...]:
    """The paragraphs of a plain text: lines without an empty line or form feed between them.

    >>> [block.span.of("a\\nb\\n\\n c") for block in paragraphs("a\\nb\\n\\n c")]
    ['a\\nb', ' c']
    """
    found: list[Node] = []
    start = end = 0
    for match in re.finditer(r"[^\r\n\f]*(?:\r\n?|\n|\f|$)", text):
        blank = not match.group().strip()
        if not blank:
            end = match.start() + len(match.group().rstrip())
        if blank or match.group().endswith("\f"):
            if end > start:
                found.append(Node("paragraph", Span(start, end)))
            start = end = match.end()
    if end > start:
        found.append(Node("paragraph", Span(start, end)))
    return tuple(found)


def table_rows(text: str) -> tuple[Node, ...]:
    """The blocks of a text that the parsers of tables wrote: tables of ``| cells |``, the first row with the delimiter
    line behind it, and paragraphs. Nothing else means anything.

    >>> [
    ...     [row.span for row in block.children]
    ...     for block in table_rows("Fees\\n\\n| a | b |\\n| --- | --- |\\n| 1 | 2 |")
    ... ]
    [[], [Span(start=6, end=29), Span(start=30, end=39)]]
    """
    found: list[Node] = []
    for block in paragraphs(text):
        if not text.startswith("| ", block.span.start):
            found.append(block)
        elif _DELIMITED.match(text, block.span.start, block.span.end):
            found.append(Node("table", block.span, _rows(block.span, text)))
        else:
            starts = [match.end() for match in _BREAK.finditer(text, block.span.start, block.span.end)]
            rows = _row_nodes(text, [block.span.start, *starts, block.span.end])
            found.append(Node("paragraph", block.span, rows))
    return tuple(found)


def structure(text: str, format: str) -> tuple[Node, ...]:  # noqa: A002 - the name of the field
    """The blocks of a document's text. In those of PDF and of table files the first characters of a line mean at most
    that it is a row; all else is Markdown."""
    return _STRUCTURES.get(format, outline)(text)


def sections(blocks: Sequence[Node], length: int) -> tuple[Section, ...]:
    """The sections that the headings of a text open, each running to the next heading or the end.

    Args:
        blocks: Of the whole text, in order.
        length: Of the text.

    Returns:
        In order. ``path`` holds the titles from the highest level down; text before the first heading is in none.

    >>> blocks = outline("# A\\n## B\\nb\\n# C\\n")
    >>> [(section.path, section.span.start) for section in sections(blocks, 17)]
    [(('A',), 0), (('A', 'B'), 4), (('C',), 11)]
    """
    headings = [block for block in blocks if block.kind == "heading"]
    open_: list[Node] = []
    found: list[Section] = []
    for i, heading in enumerate(headings):
        while open_ and open_[-1].level >= heading.level:
            open_.pop()
        open_.append(heading)
        end = headings[i + 1].span.start if i + 1 < len(headings) else length
        path = tuple(block.title for block in open_)
        found.append(Section(path, Span(heading.span.start, end), heading.level, heading.anchor))
    return tuple(found)


_STRUCTURES = {"pdf": table_rows, "csv": table_rows, "xlsx": table_rows}
"""Structures of texts that are not Markdown, by format."""


@lru_cache(maxsize=1)
def _markdown() -> Markdown:
    from pyromark import Markdown, Options

    return Markdown(options=Options.ENABLE_TABLES)


class _Reader:
    """The events of pulldown-cmark, read once from left to right; their places are bytes of the text in UTF-8."""

    def __init__(self, text: str) -> None:
        self.text = text
        readable, self.data = _encoded(text)
        # Bytes have the line breaks of Markdown; strings have others too.
        lines = self.data.splitlines(keepends=True)
        self.byte_starts = [0, *accumulate(map(len, lines))]
        self.starts = self.byte_starts
        """Of lines, in code points."""
        if len(self.data) > len(text):
            self.starts = [0, *accumulate(map(len, map(bytes.decode, lines)))]
        self.events = _markdown().events_with_range(readable)

    def siblings(self, depth: int) -> list[Node]:
        """The blocks up to the end of the container that the reader is in, ``depth`` deep."""
        nodes: list[Node] = []
        first, last = -1, 0
        """Where text that is in no block begins and ends: the paragraph of a list item without blank lines."""
        for event, place in self.events:
            kind: NodeKind | None = None
            tag: Any = None
            if isinstance(event, str):
                kind = "rule" if event == "Rule" else None
            elif "Start" in event:
                tag = event["Start"]
                kind = _KINDS.get(_name(tag))
            elif "End" in event and _name(event["End"]) in _KINDS:
                break
            if kind is None:
                first, last = place["start"] if first < 0 else first, place["end"]
                continue
            if first >= 0:
                nodes.append(self.paragraph(self.lines(first, last)))
                first = -1
            span = self.lines(place["start"], place["end"])
            nodes.append(self.block(kind, tag, place["start"], span, depth))
        if first >= 0:
            nodes.append(self.paragraph(self.lines(first, last)))
        # A line of nothing but form feeds is a paragraph to Markdown.
        return [node for node in nodes if len(node.span)]

    def block(self, kind: NodeKind, tag: Any, start: int, span: Span, depth: int) -> Node:
        if kind == "rule":
            return Node(kind, span)
        if kind in ("list", "item", "quote"):
            if depth >= _MAX_DEPTH:
                self.skip()
                return Node(kind, span)
            inner = self.siblings(depth + 1)
            if kind == "list" and inner:
                # pulldown-cmark counts link definitions behind a list to it.
                span = Span(span.start, inner[-1].span.end)
            return Node(kind, span, _partition(span, inner, self.text))
        if kind == "heading":
            title, anchor = self.title()
            return Node(kind, span, level=int(tag["Heading"]["level"][1]), title=title, anchor=anchor)
        end = {"End": _name(tag)}  # none of these lies in another of its kind
        for event, _ in self.events:
            if event == end:
                break
        if kind == "table":
            return Node(kind, span, _rows(span, self.text))
        if kind == "html":
            return Node(kind, span, _html_rows(span, self.text))
        if kind == "code":
            fence = _FENCE.match(self.data, start) if tag != {"CodeBlock": "Indented"} else None
            if fence is None:
                return Node(kind, span)
            return Node("fence", span, closed=_closed(span.of(self.text), fence.group().decode()))
        return self.paragraph(span)

    def paragraph(self, span: Span) -> Node:
        # A table without a delimiter line is a paragraph to Markdown and still one row a line to a reader.
        return Node("paragraph", span, _piped_lines(span, self.text))

    def skip(self) -> None:
        """Past the end of the container that has just begun."""
        depth = 1
        for event, _ in self.events:
            if isinstance(event, dict):
                depth += ("Start" in event) - ("End" in event)
                if not depth:
                    return

    def title(self) -> tuple[str, str | None]:
        """Words and anchor of the heading that has just begun; past its end."""
        words: list[str] = []
        first, last = -1, 0
        for event, place in self.events:
            if isinstance(event, str):
                words.append(" ")  # a line break
            elif "End" in event and _name(event["End"]) == "Heading":
                break
            else:
                words.append(str(event.get("Text") or event.get("Code") or ""))
            first, last = place["start"] if first < 0 else first, place["end"]
        raw = self.data[max(first, 0) : last].decode()
        anchor = _ANCHOR.search(raw)
        if anchor is None:
            return _plain(words) or _plain([raw]), None
        bare = " ".join(raw[: anchor.start()].split())
        inner = _Reader(f"# {bare} #") if bare else None
        return inner.siblings(0)[0].title if inner else "", anchor[1]

    def lines(self, start: int, end: int) -> Span:
        """From the start of the line of byte ``start`` to the last character before ``end`` that is no white space."""
        while self.data[start : start + 1] in (b"\r", b"\n"):
            start += 1  # behind a tab that is partly indentation, pulldown-cmark counts one too few
        first = self.starts[bisect_right(self.byte_starts, start) - 1]
        stop = bisect_left(self.byte_starts, end)
        if (
            self.data[end - 1] in b" \t>"
            and self.data[end : end + 1].strip()
            and _INDENT.fullmatch(self.data, self.byte_starts[stop - 1], end)
        ):
            stop -= 1  # a container may end behind the indentation of the line after it
        after = self.starts[stop] if stop < len(self.starts) else len(self.text)
        return Span(first, _trim(self.text, first, after))


def _encoded(text: str) -> tuple[str, bytes]:
    """The text without what Markdown or UTF-8 cannot hold, character for character, and its bytes."""
    readable = text.replace("\0", "\ufffd")
    try:
        return readable, readable.encode()
    except UnicodeEncodeError:
        readable = _SURROGATE.sub("\ufffd", readable)
        return readable, readable.encode()


def _name(tag: Any) -> str:
    return tag if isinstance(tag, str) else next(iter(tag))


def _plain(words: Sequence[str]) -> str:
    return " ".join("".join(words).split())


def _partition(span: Span, children: Sequence[Node], text: str) -> tuple[Node, ...]:
    """Children widened so that they cover the parent: bullets, ``>`` and link definitions belong to one."""
    bounds = [span.start, *(child.span.start for child in children[1:]), span.end]
    widened: list[Node] = []
    for child, start, end in zip(children, bounds, bounds[1:], strict=False):
        span = Span(start, _trim(text, start, end))
        if span != child.span:
            inner = _partition(span, child.children, text) if child.children else ()
            child = replace(child, span=span, children=inner)
        if len(span):
            widened.append(child)
    return tuple(widened)


def _rows(span: Span, text: str) -> tuple[Node, ...]:
    starts = [match.end() for match in _BREAK.finditer(text, span.start, span.end)]
    # The delimiter line is the second; it belongs to the header.
    return _row_nodes(text, [span.start, *starts[1:], span.end])


def _piped_lines(span: Span, text: str) -> tuple[Node, ...]:
    if not text.startswith("|", span.start) or "\n" not in span.of(text):
        return ()
    starts = [match.end() for match in _BREAK.finditer(text, span.start, span.end)]
    return _row_nodes(text, [span.start, *starts, span.end])


def _html_rows(span: Span, text: str) -> tuple[Node, ...]:
    """The rows of a table written in HTML; what stands before the first and behind the last goes with it."""
    starts = [match.start() for match in _HTML_ROW.finditer(text, span.start, span.end)]
    return _row_nodes(text, [span.start, *starts[1:], span.end]) if len(starts) > 1 else ()


def _row_nodes(text: str, bounds: Sequence[int]) -> tuple[Node, ...]:
    spans = (Span(start, _trim(text, start, end)) for start, end in pairwise(bounds))
    return tuple(Node("row", span) for span in spans if len(span))


def _trim(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _closed(code: str, markup: str) -> bool:
    last = code.rpartition("\n")[2].strip().lstrip("> \t")
    return "\n" in code and len(last) >= len(markup) and not last.strip(markup[0])


def _rest(text: str, start: int, end: int) -> list[Node]:
    """What lies between two blocks, if it is more than white space."""
    while start < end and text[start].isspace():
        start += 1
    end = _trim(text, start, end)
    return [Node("other", Span(start, end))] if start < end else []
