"""Blocks of a plain or Markdown text: paragraphs, list items, headings, table rows, code fences, quotations.

Read line by line, in one pass. A block never crosses a blank line, except a code fence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from pincite.types import Span


class BlockKind(StrEnum):
    PARAGRAPH = "paragraph"
    HEADING = "heading"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"
    TABLE_RULE = "table_rule"
    CODE = "code"
    QUOTE = "quote"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Block:
    """One block. ``span`` and ``body`` are in the text that was read.

    Args:
        kind: What it is.
        span: The whole block without the line break at its end.
        body: The same without what Markdown puts in front (``- ``, ``2. ``, ``## ``, ``> ``) and, for headings,
            behind. Empty for rules.
        level: Of a heading, 1-6; otherwise 0.
    """

    kind: BlockKind
    span: Span
    body: Span
    level: int = 0


_LINE = re.compile(r"[^\n\r\f\u2028\u2029]*(?:\r\n|[\n\r\f\u2028\u2029]|\Z)")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|(?=[\r\n\f]|\Z))")
# "1. OG rechts" and "3. Mai: Schulfest" are no first and third items. Source: as ``stops.FLOORS`` and German months.
_COUNTED = (
    r"[ \t](?:[OUDE]G|(?:Ober|Unter|Dach)gescho(?:ss|ß)|Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August"
    r"|September|Oktober|November|Dezember)\b"
)
_BULLET = re.compile(
    rf"[ \t]*(?:[-*+\u2022\u2023\u25aa\u25cf\u25e6\u2043\u2013\u2014]|(\d{{1,3}})(?:\)|\.(?!{_COUNTED}))|\(\d{{1,3}}\)|[a-z]\))[ \t]+(?=\S)"
)
_DASHES = "\u2013\u2014"
_CHECKBOX = re.compile(r"\[[ xX]\][ \t]+")
_QUOTE = re.compile(r"[ \t]{0,3}>[ \t]?")


def _is_rule(line: str) -> bool:
    signs = "".join(line.split())
    return len(signs) >= 3 and signs[0] in "-*_" and signs.count(signs[0]) == len(signs)


def _is_underline(line: str) -> bool:
    signs = line.strip()
    return bool(signs) and signs[0] in "=-" and signs.count(signs[0]) == len(signs)


def _is_table_rule(line: str) -> bool:
    return (
        "|" in line
        and "-" in line
        and not line.strip().strip("|:- \t")
        and not set(line) - set("|:- \t\r\n\f")
    )


def opens_fence(line: str) -> str | None:
    """The run of signs that opens a fence, if the line does."""
    found = _FENCE.match(line)
    if found is None or (found.group(1)[0] == "`" and "`" in line[found.end() :]):
        return None
    return found.group(1)


def closes_fence(line: str, opening: str) -> bool:
    """Whether the line ends the fence that ``opening`` (a run of signs) began."""
    signs = line.strip()
    return len(signs) >= len(opening) and signs.count(opening[0]) == len(signs)


FENCES = ("```", "~~~")


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of ``text`` in order, without overlap. Blank lines lie between them.

    >>> [
    ...     (b.kind.value, b.body.of("# Fees\\n\\n- Entry is free.\\n- Tours: 5 EUR"))
    ...     for b in blocks("# Fees\\n\\n- Entry is free.\\n- Tours: 5 EUR")
    ... ]
    [('heading', 'Fees'), ('list_item', 'Entry is free.'), ('list_item', 'Tours: 5 EUR')]
    """
    return tuple(_Reader(text).read())


def fence_round(text: str, span: Span) -> Span | None:
    """The fenced block of code in which ``span`` lies, its fences included; ``None`` when it lies in none.

    >>> code = "Set it:\\n\\n```\\nlimit = 25\\nunit = 1\\n```"
    >>> fence_round(code, Span(13, 23)), fence_round(code, Span(0, 3))
    (Span(start=9, end=36), None)
    """
    if not any(fence in text for fence in FENCES):
        return None
    code = (block.span for block in blocks(text) if block.kind is BlockKind.CODE)
    return next((one for one in code if one.contains(span)), None)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = [Span(*match.span()) for match in _LINE.finditer(text) if match.end() > match.start()]
        self.number: int | None = None  # of the list item read last

    def read(self) -> Iterator[Block]:
        at, in_table = 0, False
        while at < len(self.lines):
            line = self.line(at)
            if not line.strip() or (_QUOTE.match(line) and not _QUOTE.sub("", line, count=1).strip()):
                at, in_table = at + 1, False
                continue
            kind, after = self.block_at(at, in_table)
            yield self.make(kind, at, after)
            in_table = kind in (BlockKind.TABLE_ROW, BlockKind.TABLE_RULE)
            at = after

    def line(self, at: int) -> str:
        return self.lines[at].of(self.text) if at < len(self.lines) else ""

    def block_at(self, at: int, in_table: bool) -> tuple[BlockKind, int]:
        """Kind of the block that starts at this line, and the first line after it."""
        line = self.line(at)
        if fence := opens_fence(line):
            return BlockKind.CODE, self.fence_end(at, fence)
        kind = self.single(at, in_table)
        if kind is not None:
            return kind, at + 1
        if _QUOTE.match(line):
            return BlockKind.QUOTE, self.run_end(at)
        if self.starts_item(at):
            return BlockKind.LIST_ITEM, self.run_end(at)
        after = self.run_end(at)
        if after == at + 1 and _is_underline(self.line(after)):
            return BlockKind.HEADING, after + 1
        return BlockKind.PARAGRAPH, after

    def single(self, at: int, in_table: bool = False) -> BlockKind | None:
        """The kind, when the line is a block by itself."""
        line = self.line(at)
        if _HEADING.match(line):
            return BlockKind.HEADING
        if "|" in line:
            if _is_table_rule(line):
                return BlockKind.TABLE_RULE
            if in_table or line.lstrip().startswith("|") or _is_table_rule(self.line(at + 1)):
                return BlockKind.TABLE_ROW
        return BlockKind.RULE if _is_rule(line) else None

    def starts_item(self, at: int) -> bool:
        """Whether a list item starts here.

        "29. Juli" at the start of a paragraph is a date: a number opens an item only as the first of a list,
        as the next after the item before, or when the line below goes on counting.
        """
        bullet = _BULLET.match(self.line(at))
        if bullet is None:
            return False
        if bullet.group(1) is None:
            return True
        number = int(bullet.group(1))
        below = _BULLET.match(self.line(at + 1))
        counts_on = below is not None and below.group(1) is not None and int(below.group(1)) == number + 1
        if number <= 1 or self.number == number - 1 or counts_on:
            self.number = number
            return True
        return False

    def run_end(self, at: int) -> int:
        """First line after ``at`` that does not continue the paragraph, item or quotation."""
        first = self.line(at)
        quote = bool(_QUOTE.match(first))
        first_bullet = _BULLET.match(first)
        after = at + 1
        while after < len(self.lines):
            line = self.line(after)
            if not line.strip() or opens_fence(line) or _is_underline(line) or self.single(after) is not None:
                break
            if bool(_QUOTE.match(line)) != quote or (quote and not _QUOTE.sub("", line, count=1).strip()):
                break
            bullet = _BULLET.match(line)
            if bullet and self.interrupts(bullet, first_bullet):
                break
            after += 1
        return after

    @staticmethod
    def interrupts(bullet: re.Match[str], first: re.Match[str] | None) -> bool:
        """Whether an item starts inside running text. As in Markdown, "14. " opens no list there; nor does a dash."""
        number = bullet.group(1)
        if number is not None:
            follows = (
                first is not None and first.group(1) is not None and int(number) == int(first.group(1)) + 1
            )
            return number == "1" or follows
        if bullet.group().strip() in _DASHES:
            return first is not None and first.group().strip() in _DASHES
        return True

    def fence_end(self, at: int, opening: str) -> int:
        after = at + 1
        while after < len(self.lines):
            after += 1
            if closes_fence(self.line(after - 1), opening):
                break
        return after

    def make(self, kind: BlockKind, at: int, after: int) -> Block:
        start, end = self.lines[at].start, self.lines[after - 1].end
        end = start + len(self.text[start:end].rstrip("\n\r\f\u2028\u2029"))
        span, level, opening, closing = Span(start, end), 0, start, end
        line = self.line(at)
        if kind in (BlockKind.RULE, BlockKind.TABLE_RULE):
            return Block(kind, span, Span(end, end))
        sign = None
        if kind is BlockKind.HEADING:
            sign = _HEADING.match(line)
            if sign:
                level = len(sign.group(1))
                closing = _without_closing_hashes(self.text, start + sign.end(), end)
            else:
                level = 1 if "=" in self.line(after - 1) else 2
                closing = self.lines[after - 1].start
        elif kind is BlockKind.LIST_ITEM:
            sign = _BULLET.match(line)
        elif kind is BlockKind.QUOTE:
            sign = _QUOTE.match(line)
        opening += sign.end() if sign else 0
        if kind is BlockKind.LIST_ITEM and (box := _CHECKBOX.match(self.text, opening, end)):
            opening = box.end()
        return Block(kind, span, trimmed(self.text, opening, max(opening, closing)), level)


def _without_closing_hashes(text: str, start: int, end: int) -> int:
    title = text[start:end].rstrip()
    bare = title.rstrip("#")
    return start + len(bare) if not bare or bare[-1] in " \t" else start + len(title)


def trimmed(text: str, start: int, end: int) -> Span:
    """The span without the white space at both ends; empty, at its start, when there is nothing else."""
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return Span(start, start + len(piece.strip()))
