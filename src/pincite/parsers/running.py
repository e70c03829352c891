"""Running heads and feet: lines that stand at the edge of page after page and belong to none of them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import product

EDGE_LINES = 3
"""How many lines from the top and from the bottom of a page are looked at."""
_SHARE = 3
"""A running line is on a third of the pages at least: left and right pages differ, first pages have none."""
_MAX_SLOTS, _MAX_NUMBERS = 6, 40
_NUMBER = re.compile(r"\d{1,6}")
_WORD = re.compile(r"\w+(?:-\w+)*")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

Key = tuple[str, int, tuple[tuple[str, int], ...]]


def running_lines(pages: Sequence[Sequence[str]]) -> frozenset[tuple[int, int]]:
    """Places (page, line) of running heads and feet, both from 0.

    A line is one when it is also on other pages at the same place from the edge, and each number in it either
    stays the same or counts the pages. "Fee 10 EUR" on one page and "Fee 12 EUR" on the next are text.

    >>> sorted(running_lines([["Report 2031", "One.", "1"], ["Report 2031", "Two.", "2"]]))
    [(0, 0), (0, 2), (1, 0), (1, 2)]
    """
    seen: defaultdict[Key, set[int]] = defaultdict(set)
    for page, lines in enumerate(pages):
        for side, line in _edges(lines):
            for key in _keys(lines[line], side, page):
                seen[key].add(page)
    enough = max(2, -(-len(pages) // _SHARE))
    found: set[tuple[int, int]] = set()
    for page, lines in enumerate(pages):
        own: set[tuple[int, int]] = set()
        for sign in (1, -1):
            # From the edge inwards: behind the first line of text nothing is a head.
            for side, line in _edges(lines):
                if side * sign <= 0:
                    continue
                if not any(len(seen[key]) >= enough for key in _keys(lines[line], side, page)):
                    break
                own.add((page, line))
        # A page that is nothing but what others are is their copy, not a head.
        if any(line.strip() and (page, number) not in own for number, line in enumerate(lines)):
            found |= own
    return frozenset(found)


def clean_pages(pages: Sequence[Sequence[str]]) -> str:
    """The text of pages as one, without running heads and feet, lines joined with blanks.

    A word broken by a hyphen at a line end is joined: with its hyphen when the pages write it so elsewhere,
    or when what follows is no small letter.

    >>> clean_pages([["Report", "Keep the infor-", "1"], ["Report", "mation safe.", "2"]])
    'Keep the information safe.'
    """
    running = running_lines(pages)
    lines = [
        line.strip()
        for page, page_lines in enumerate(pages)
        for number, line in enumerate(page_lines)
        if (page, number) not in running and line.strip()
    ]
    words = Counter(word.casefold() for line in lines for word in _WORD.findall(line))
    parts: list[str] = []
    for i, line in enumerate(lines):
        following = lines[i + 1] if i + 1 < len(lines) else ""
        if not following or not re.search(r"\w[-\u2010\u00ad]\Z", line):
            parts.append(line + (" " if following else ""))
        elif _keeps_hyphen(line, following, words):
            parts.append(line)
        else:
            parts.append(line[:-1])
    return "".join(parts)


def _keeps_hyphen(line: str, following: str, words: Counter[str]) -> bool:
    if line.endswith("\u00ad"):
        return False
    head, tail = _WORD.findall(line)[-1].casefold(), _WORD.match(following)
    if tail is None or not following[0].islower():
        return True
    return words[f"{head}-{tail[0].casefold()}"] > words[head + tail[0].casefold()]


def _edges(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """``(place from the edge, line)``: 1, 2 … from the top, -1, -2 … from the bottom; blank lines do not count."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    for place, number in enumerate(filled[:EDGE_LINES], start=1):
        yield place, number
    for place, number in enumerate(reversed(filled[-EDGE_LINES:]), start=1):
        yield -place, number


def _keys(line: str, side: int, page: int) -> Iterator[Key]:
    """What a line has in common with the same running line on other pages: its words, and for each number
    either its value or its distance to the page number. One of these readings must agree."""
    words = " ".join(line.split()).casefold()
    roman = _roman(words)
    if roman is not None:
        yield "#roman", side, (("page", roman - page),)
        return
    numbers = [int(match) for match in _NUMBER.findall(words)]
    template = _NUMBER.sub("#", words)
    if len(numbers) > _MAX_SLOTS:
        # A print mark with date, time and job: at most one of its numbers counts the pages.
        readings = [
            tuple("page" if i == n else "same" for i in range(len(numbers))) for n in range(-1, len(numbers))
        ]
    else:
        readings = list(product(("same", "page"), repeat=len(numbers)))
    if len(numbers) > _MAX_NUMBERS:
        yield words, side, ()
        return
    for reading in readings:
        yield (
            template,
            side,
            tuple(
                (how, number if how == "same" else number - page)
                for how, number in zip(reading, numbers, strict=True)
            ),
        )


def _roman(text: str) -> int | None:
    if not text or len(text) > 8 or any(char not in _ROMAN for char in text):
        return None
    values = [_ROMAN[char] for char in text]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )
