"""Blocks to text: an empty line between them, list items tight, code in fences, headings noted as sections."""

from __future__ import annotations

import re

from pincite.parsers.written import Heading, fenced, heading_sections
from pincite.types import Section

_LIST_LABEL = re.compile(r"-|[0-9]{1,9}[.)]")
"""What begins a list item in Markdown. Behind any other label, such as ``(a)`` or ``1.2``, stands a block of its own."""


class Writer:
    """Collects the blocks of one document."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._open: list[tuple[int, int]] = []
        """Levels of the list items that are open, and how wide their labels are."""
        self._code: list[str] = []
        self._headings: list[Heading] = []

    @property
    def in_list(self) -> bool:
        """Whether the last block was an item of a list."""
        return bool(self._open)

    def block(self, text: str) -> None:
        """A paragraph or table."""
        self._end_code()
        self._open.clear()
        self._append(text)

    def heading(self, level: int, title: str) -> None:
        self._end_code()
        self._open.clear()
        self._headings.append((level, self._append(title), title, None))

    def item(self, level: int, label: str, text: str) -> None:
        """An item of a list. ``label`` is ``-`` or a number as it is printed."""
        self._end_code()
        if not _LIST_LABEL.fullmatch(label):
            self.block(f"{label} {text}")
            return
        tight = bool(self._open)
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        indent = " " * sum(width for _, width in self._open)
        inner = indent + " " * (len(label) + 1)
        self._append(f"{indent}{label} " + text.replace("\n", f"\n{inner}"), tight=tight)
        self._open.append((level, len(label) + 1))

    def code(self, text: str) -> None:
        """A line or more of code; what follows directly is of the same listing."""
        self._code.append(text)

    def finished(self) -> tuple[str, tuple[Section, ...]]:
        """The text and its sections, each running to the next heading."""
        self._end_code()
        return "".join(self._parts), heading_sections(self._headings, self._length)

    def _end_code(self) -> None:
        code = "\n".join(self._code).strip("\n").rstrip()
        self._code.clear()
        if code.strip():
            self._open.clear()
            self._append(fenced(code))

    def _append(self, block: str, *, tight: bool = False) -> int:
        if self._parts:
            gap = "\n" if tight else "\n\n"
            self._parts.append(gap)
            self._length += len(gap)
        start = self._length
        self._parts.append(block)
        self._length += len(block)
        return start
