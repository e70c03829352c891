"""How parsers that make a text of something else write it: fences, small digits, sections of headings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pincite.types import Section, Span

_SUPERSCRIPT = str.maketrans("0123456789+-−=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾")
_SUBSCRIPT = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_SMALL = re.compile(r"[+\-−]?[0-9]{1,4}")

Heading = tuple[int, int, str, str | None]
"""Level, offset, title, anchor."""


def fenced(code: str) -> str:
    """Code in a fence that is longer than any run of the same sign in it.

    >>> fenced("x = 1")
    '```\\nx = 1\\n```'
    """
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", code)), default=0))
    return f"{fence}\n{code}\n{fence}"


def small_digits(words: str, *, raised: bool) -> str | None:
    """A raised or lowered number in small digits: 10 with a raised 6 is 10⁶, not 106. ``None`` for anything else.

    >>> small_digits("6", raised=True), small_digits("2", raised=False), small_digits("th", raised=True)
    ('⁶', '₂', None)
    """
    return words.translate(_SUPERSCRIPT if raised else _SUBSCRIPT) if _SMALL.fullmatch(words) else None


def heading_sections(headings: Sequence[Heading], length: int) -> tuple[Section, ...]:
    """The sections that headings open, each running to the next heading or the end, with the titles of those above."""
    open_: list[tuple[int, str]] = []
    found: list[Section] = []
    for i, (level, start, title, anchor) in enumerate(headings):
        while open_ and open_[-1][0] >= level:
            open_.pop()
        open_.append((level, title))
        end = headings[i + 1][1] if i + 1 < len(headings) else length
        found.append(Section(tuple(name for _, name in open_), Span(start, end), level, anchor))
    return tuple(found)
