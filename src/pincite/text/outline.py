"""The block structure of a text written in Markdown: headings, paragraphs, lists, tables, fences, with their spans.

The text is never changed and nothing is rendered: markdown-it reads the structure, and its line numbers become
spans of the text exactly as given. Plain text reads as paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from pincite.types import Section, Span

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

NodeKind = Literal[
    "heading", "paragraph", "fence", "code", "table", "row", "list", "item", "quote", "html", "rule", "other"
]

_KINDS: dict[str, NodeKind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "fence": "fence",
    "code_block": "code",
    "table_open": "table",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "blockquote_open": "quote",
    "html_block": "html",
    "hr": "rule",
}

# The line breaks that markdown-it knows; others, such as form feeds, are part of a line.
_BREAK = re.compile(r"\r\n?|\n")
_HTML_ROW = re.compile(r"<tr[\s>]", re.IGNORECASE)
_INLINE_LIMIT = 500
"""Longest heading whose emphasis, code and links are taken off. Longer ones are no headings of a person."""
_ANCHOR = re.compile(r"\s*\{[:\s]*#([^\s{}]+)[^{}]*\}\s*$")


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
    tokens = _markdown().parse(text)
    lines = _Lines(text)
    found: list[Node] = []
    at = 0
    for block in _siblings(_Stream(tokens), lines):
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


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark").enable("table")
    # Structure is all that is asked for; the inside of a paragraph stays text.
    markdown.core.ruler.disable(["inline", "text_join"])
    return markdown


class _Lines:
    """Line numbers to spans of the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(match.end() for match in _BREAK.finditer(text))]

    def span(self, first: int, stop: int) -> Span:
        """From the start of line ``first`` to the last character that is no white space before ``stop``."""
        start = self.starts[first]
        end = self.starts[stop] if stop < len(self.starts) else len(self.text)
        while end > start and self.text[end - 1].isspace():
            end -= 1
        return Span(start, end)

    def count(self, span: Span) -> int:
        return len(_BREAK.findall(self.text, span.start, span.end)) + 1


class _Stream:
    """Tokens, read once from left to right."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.at = 0


def _siblings(stream: _Stream, lines: _Lines) -> Iterator[Node]:
    """Blocks up to the end of the container that the stream is in."""
    while stream.at < len(stream.tokens):
        token = stream.tokens[stream.at]
        stream.at += 1
        if token.nesting < 0:
            return
        kind = _KINDS.get(token.type)
        if kind is None or token.map is None:
            if token.nesting > 0:
                _skip(stream)
            continue
        span = lines.span(*token.map)
        if not len(span):
            # A line of nothing but form feeds is a paragraph to Markdown.
            if token.nesting > 0:
                _skip(stream)
        elif kind in ("list", "item", "quote"):
            children = _partition(span, list(_siblings(stream, lines)), lines.text)
            yield Node(kind, span, children)
        elif kind == "table":
            _skip(stream)
            yield Node(kind, span, _rows(span, lines.text))
        elif kind == "heading":
            title, anchor = _title(stream.tokens[stream.at].content)
            _skip(stream)
            yield Node(kind, span, level=int(token.tag[1]), title=title, anchor=anchor)
        elif kind == "fence":
            yield Node(kind, span, closed=_closed(span.of(lines.text), token.markup))
        elif token.nesting > 0:
            _skip(stream)
            # A table without a delimiter line is a paragraph to Markdown and still one row a line to a reader.
            rows = _piped_lines(span, lines.text)
            yield Node(kind, span, rows)
        else:
            yield Node(kind, span, _html_rows(span, lines.text) if kind == "html" else ())


def _skip(stream: _Stream) -> None:
    depth = 1
    while depth and stream.at < len(stream.tokens):
        depth += stream.tokens[stream.at].nesting
        stream.at += 1


def _partition(span: Span, children: Sequence[Node], text: str) -> tuple[Node, ...]:
    """Children widened so that they cover the parent: bullets, ``>`` and link definitions belong to one."""
    bounds = [span.start, *(child.span.start for child in children[1:]), span.end]
    widened: list[Node] = []
    for child, start, end in zip(children, bounds, bounds[1:], strict=False):
        while end > start and text[end - 1].isspace():
            end -= 1
        if end > start:
            widened.append(
                Node(
                    child.kind,
                    Span(start, end),
                    child.children,
                    child.level,
                    child.title,
                    child.anchor,
                    child.closed,
                )
            )
    return tuple(widened)


def _rows(span: Span, text: str) -> tuple[Node, ...]:
    starts = [span.start, *(match.end() for match in _BREAK.finditer(text, span.start, span.end))]
    # The delimiter line is the second; it belongs to the header.
    firsts = [starts[0], *starts[2:]]
    return tuple(
        Node("row", Span(start, _trim(text, start, end)))
        for start, end in zip(firsts, [*firsts[1:], span.end], strict=True)
    )


def _piped_lines(span: Span, text: str) -> tuple[Node, ...]:
    if not text.startswith("|", span.start) or "\n" not in span.of(text):
        return ()
    starts = [span.start, *(match.end() for match in _BREAK.finditer(text, span.start, span.end))]
    return tuple(
        Node("row", Span(start, _trim(text, start, end)))
        for start, end in zip(starts, [*starts[1:], span.end], strict=True)
    )


def _html_rows(span: Span, text: str) -> tuple[Node, ...]:
    """The rows of a table written in HTML; what stands before the first and behind the last goes with it."""
    starts = [match.start() for match in _HTML_ROW.finditer(text, span.start, span.end)]
    if len(starts) < 2:
        return ()
    return tuple(
        Node("row", Span(start, _trim(text, start, end)))
        for start, end in pairwise((span.start, *starts[1:], span.end))
    )


def _trim(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _closed(code: str, markup: str) -> bool:
    last = code.rpartition("\n")[2].strip().lstrip("> \t")
    return "\n" in code and len(last) >= len(markup) and not last.strip(markup[0])


def _title(content: str) -> tuple[str, str | None]:
    """Words and anchor of a heading."""
    content = " ".join(content.split())
    if len(content) > _INLINE_LIMIT:
        return content, None
    anchor = _ANCHOR.search(content)
    if anchor:
        content = content[: anchor.start()]
    if not any(char in "*_`[<\\&!" for char in content):
        return content, anchor[1] if anchor else None
    from markdown_it import MarkdownIt

    words: list[str] = []
    for token in MarkdownIt("commonmark").parseInline(content)[0].children or ():
        if token.type in ("text", "code_inline", "image"):
            words.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            words.append(" ")
    return " ".join("".join(words).split()) or content, anchor[1] if anchor else None


def _rest(text: str, start: int, end: int) -> list[Node]:
    """What lies between two blocks, if it is more than white space."""
    while start < end and text[start].isspace():
        start += 1
    end = _trim(text, start, end)
    return [Node("other", Span(start, end))] if start < end else []
