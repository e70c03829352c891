"""A passage as the things in it that can be quoted alone: sentences, list items, table rows, code blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pincite.text.blocks import Block, BlockKind, blocks
from pincite.text.sentences import split_sentences
from pincite.types import Span

_BRACKETS = re.compile(r"[(\[（]([^()\[\]（）]{1,40})[)\]）]")
_LEAD_IN_ENDS = (":", "：", "︰")


@dataclass(frozen=True, slots=True)
class Quotable:
    """Something that can be quoted alone. Spans are in the passage's text.

    Args:
        kind: Of the block it stands in.
        span: What is quoted.
        lead_in: The sentence that opens its list, if any.
        header: The header row of its table, if any.
        heading: The heading it stands under within the passage, if any.
        group: Items of one list and rows of one table share a number.
    """

    kind: BlockKind
    span: Span
    lead_in: Span | None = None
    header: Span | None = None
    heading: Span | None = None
    group: int = 0


def quotables(text: str) -> tuple[Quotable, ...]:
    """All quotable parts of ``text``, in order. Headings, header rows and rules are context, not parts.

    >>> [
    ...     (q.kind.value, q.span.of("Plans:\\n\\n- Basic\\n- Plus"), q.lead_in)
    ...     for q in quotables("Plans:\\n\\n- Basic\\n- Plus")
    ... ]
    [('paragraph', 'Plans:', None), ('list_item', 'Basic', Span(start=0, end=6)), ('list_item', 'Plus', Span(start=0, end=6))]
    """
    found: list[Quotable] = []
    all_blocks = blocks(text)
    sentences = split_sentences(text)
    lead_in: Span | None = None
    header: Span | None = None
    heading: Span | None = None
    group, previous, at = 0, None, 0
    for place, block in enumerate(all_blocks):
        if block.kind is not previous and not (
            block.kind is BlockKind.TABLE_ROW and previous is BlockKind.TABLE_RULE
        ):
            group += 1
        if block.kind is BlockKind.HEADING:
            heading, lead_in = block.body, None
        elif block.kind is BlockKind.TABLE_ROW:
            if _is_header(all_blocks, place):
                header = block.span
            else:
                found.append(Quotable(block.kind, block.body, lead_in, header, heading, group))
        elif block.kind in (BlockKind.LIST_ITEM, BlockKind.CODE):
            found.append(Quotable(block.kind, block.body, lead_in, None, heading, group))
        elif block.kind in (BlockKind.PARAGRAPH, BlockKind.QUOTE):
            while at < len(sentences) and sentences[at].end <= block.span.start:
                at += 1
            last = None
            while at < len(sentences) and sentences[at].start < block.span.end:
                last = sentences[at]
                found.append(Quotable(block.kind, last, None, None, heading, group))
                at += 1
            lead_in = last if last is not None and last.of(text).rstrip().endswith(_LEAD_IN_ENDS) else None
        if block.kind not in (BlockKind.TABLE_ROW, BlockKind.TABLE_RULE):
            header = None
        previous = block.kind
    return tuple(found)


def header_of(text: str, span: Span) -> Span | None:
    """The header row of the table row that ``span`` begins in; ``None`` when it begins in no row below a header.

    >>> table = "| Plan | Storage |\\n|---|---|\\n| Plus | 50 GB |"
    >>> header_of(table, Span(table.index("50"), table.index("50") + 5)).of(table)
    '| Plan | Storage |'
    """
    line = text[text.rfind("\n", 0, span.start) + 1 : span.start + 1]
    if "|" not in line:
        return None
    return next((one.header for one in quotables(text) if one.header and one.span.overlaps(span)), None)


def _is_header(all_blocks: tuple[Block, ...], place: int) -> bool:
    return place + 1 < len(all_blocks) and all_blocks[place + 1].kind is BlockKind.TABLE_RULE


def cells(row: str) -> tuple[str, ...]:
    """The cells of a table row written with pipes, trimmed; an escaped pipe belongs to its cell.

    >>> cells("| Plus | 50 GB |")
    ('Plus', '50 GB')
    """
    inner = row.strip().removeprefix("|")
    parts: list[str] = [""]
    escaped = False
    for char in inner:
        if char == "|" and not escaped:
            parts.append("")
        else:
            parts[-1] += char
        escaped = char == "\\" and not escaped
    if len(parts) > 1 and not parts[-1].strip():
        parts.pop()
    return tuple(part.strip().replace("\\|", "|") for part in parts)


def read_row(header: str, row: str) -> str:
    """A table row as ``header: value`` pairs, in order; a cell without header stands alone, empty cells go.

    >>> read_row("| Plan | Storage |", "| Plus | 50 GB |")
    'Plan: Plus; Storage: 50 GB'
    """
    names, values = cells(header), cells(row)
    pairs = []
    for place, value in enumerate(values):
        name = names[place] if place < len(names) else ""
        if value:
            pairs.append(f"{name}: {value}" if name else value)
    return "; ".join(pairs)


def unit_of_title(title: str) -> str:
    """What a column's title says its values are in: what stands in its brackets, else the title itself.

    >>> unit_of_title("Weight (kg)"), unit_of_title("[EUR]"), unit_of_title("GB")
    ('kg', 'EUR', 'GB')
    """
    found = _BRACKETS.search(title)
    return found[1].strip() if found else title.strip()
