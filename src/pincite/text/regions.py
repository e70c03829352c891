"""Which section each place of a document is in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from pincite.text.cut import trim
from pincite.text.outline import Node, sections
from pincite.types import Document, Section, Span

PREAMBLE, MAIN = "Preamble", "Main"
"""Source 001's names for text before the first heading, and for a text without headings."""


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of text with one section path. ``heading`` is the line that opens it, if it stands in the text."""

    path: tuple[str, ...]
    heading: Span | None = None


class Regions:
    """The region at each place of a document. Sections may lie in each other; the innermost counts."""

    def __init__(self, document: Document, nodes: Sequence[Node]) -> None:
        given = document.sections or sections(nodes, len(document.text))
        ordered = sorted(given, key=lambda section: (section.span.start, -section.span.end))
        headings = {node.span.start: node.span for node in nodes if node.kind == "heading"}
        outside = Region((MAIN,))
        self.starts = [0]
        self.regions = [Region((PREAMBLE,)) if ordered else outside]
        open_: list[tuple[Section, Region]] = []

        def close(until: int) -> None:
            while open_ and open_[-1][0].span.end <= until:
                end = open_.pop()[0].span.end
                while open_ and open_[-1][0].span.end <= end:
                    open_.pop()
                self.starts.append(end)
                self.regions.append(open_[-1][1] if open_ else outside)

        for section in ordered:
            close(section.span.start)
            start = section.span.start
            region = Region(section.path, headings.get(start) or _title_line(document.text, section))
            open_.append((section, region))
            self.starts.append(start)
            self.regions.append(region)
        close(len(document.text))

    def at(self, offset: int) -> Region:
        return self.regions[bisect_right(self.starts, offset) - 1]


def is_below(region: Region, other: Region) -> bool:
    return len(region.path) > len(other.path) and region.path[: len(other.path)] == other.path


def _title_line(text: str, section: Section) -> Span | None:
    """The first line of a section, when it is its title."""
    start = trim(text, section.span.start, section.span.end).start
    end = text.find("\n", start, section.span.end)
    line = trim(text, start, end if end >= 0 else section.span.end)
    return line if section.path and line.of(text).lstrip("# ") == section.path[-1] else None
