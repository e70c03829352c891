"""How a judge reads a passage: as units, each a sentence, a table row under its header, or a list item after its lead-in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pincite.checks._standin import STOP, Fact, Word, detect_language, facts, split_sentences, words
from pincite.types import Span

CACHED_PASSAGES = 1024
"""Passages kept ready; one of 1,000 characters takes about 60 KB."""

_ITEM = re.compile(r"[ \t]{0,12}(?:[-*+•‣·]|\(?\d{1,3}[.)])[ \t]+")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+")
_RULE = re.compile(r"[ \t|:=+-]+")
_BORDER = re.compile(
    r"[,;:()—–]\s|\s[-–—(]\s?|[，、；：（）،؛]|\s(?:and|but|while|whereas|or|und|aber|oder|während|y|pero|o|mientras|et|mais|ou|tandis|"
    r"और|लेकिन|जबकि|या|ولكن|بينما)\s"
)


@dataclass(frozen=True, slots=True)
class Unit:
    """Something of a passage that can be read alone.

    ``span`` is in the passage's text; ``own`` are the words inside it, ``words`` are those and the words
    of its header, lead-in or heading; ``segments`` has the clause or cell of each of ``words``, -1 for what holds for all.
    """

    span: Span
    own: tuple[Word, ...]
    words: tuple[Word, ...]
    segments: tuple[int, ...]
    terms: frozenset[str]
    content: frozenset[str]
    facts: tuple[Fact, ...]
    borders: tuple[int, ...]
    is_row: bool = False

    def segment(self, at: int) -> int:
        """The clause of offset ``at``: how many clause borders stand before it."""
        return sum(border <= at for border in self.borders)


@dataclass(frozen=True, slots=True)
class Reading:
    """A passage made ready."""

    text: str
    language: str | None
    units: tuple[Unit, ...]
    terms: frozenset[str]
    facts: tuple[Fact, ...]


def is_content(word: Word) -> bool:
    """Whether a word says something by itself."""
    return word.text not in STOP


@lru_cache(maxsize=CACHED_PASSAGES)
def read(text: str, language: str | None = None) -> Reading:
    """Cut ``text`` into units. Every character other than white space and table rules is in one."""
    language = language or detect_language(text)
    units = tuple(_units(text, language))
    return Reading(
        text,
        language,
        units,
        frozenset().union(*(unit.terms for unit in units)),
        tuple(fact for unit in units for fact in unit.facts),
    )


def _units(text: str, language: str | None) -> Iterator[Unit]:
    heading: tuple[Word, ...] = ()
    lead: tuple[Word, ...] = ()
    header: list[tuple[Word, ...]] = []
    for line, is_block_end in _lines(text):
        raw = line.of(text)
        if _is_row(raw):
            cells = _cells(text, line)
            if _RULE.fullmatch(raw):
                continue
            if not header:
                header = [words(cell.of(text), language, cell.start) for cell in cells]
                yield _row(text, line, cells, [], heading, language)
            else:
                yield _row(text, line, cells, header, heading, language)
            continue
        header = []
        if match := _HEADING.match(raw):
            heading, lead = words(raw[match.end() :], language, line.start + match.end()), ()
            yield _sentence(text, Span(line.start + match.end(), line.end), (), language)
            continue
        item = _ITEM.match(raw)
        if item is None and not is_block_end:
            lead = ()
        start = line.start + (item.end() if item else 0)
        body = Span(start, line.end)
        spans = tuple(span.shift(start) for span in split_sentences(body.of(text)))
        for span in spans:
            yield _sentence(text, span, (*heading, *(lead if item else ())), language)
        if item is None and spans:
            lead = words(spans[-1].of(text), language, spans[-1].start) if raw.rstrip().endswith((":", "：")) else ()


def _lines(text: str) -> Iterator[tuple[Span, bool]]:
    """Paragraphs: lines joined unless the next one is a row, an item, a heading or blank."""
    start: int | None = None
    end = at = 0
    for raw in text.splitlines(keepends=True):
        line = raw.rstrip()
        begins = bool(line) and (_is_row(line) or _ITEM.match(line) is not None or _HEADING.match(line) is not None)
        if start is not None and (not line or begins or _stands_alone(text[start:end])):
            yield Span(start, end), False
            start = None
        if line:
            if start is None:
                start = at + len(raw) - len(raw.lstrip())
            end = at + len(line)
        at += len(raw)
    if start is not None:
        yield Span(start, end), True


def _stands_alone(line: str) -> bool:
    return _is_row(line) or _HEADING.match(line) is not None or line.rstrip().endswith((":", "："))


def _is_row(line: str) -> bool:
    stripped = line.strip()
    return stripped.count("|") >= 2 or " | " in stripped or stripped.count("\t") >= 2


def _cells(text: str, line: Span) -> list[Span]:
    raw = line.of(text)
    mark = "|" if "|" in raw else "\t"
    cells: list[Span] = []
    at = 0
    for part in raw.split(mark):
        inner = part.strip()
        begin = line.start + at + (len(part) - len(part.lstrip()) if inner else 0)
        cells.append(Span(begin, begin + len(inner)))
        at += len(part) + 1
    if raw.lstrip().startswith("|"):
        cells = cells[1:]
    if raw.rstrip().endswith("|"):
        cells = cells[:-1]
    return cells


def _row(
    text: str,
    line: Span,
    cells: list[Span],
    header: list[tuple[Word, ...]],
    heading: tuple[Word, ...],
    language: str | None,
) -> Unit:
    own: list[Word] = []
    everything: list[Word] = list(heading)
    segments: list[int] = [-1] * len(heading)
    found: list[Fact] = []
    for n, cell in enumerate(cells):
        inside = words(cell.of(text), language, cell.start)
        title = header[n] if n < len(header) else ()
        own += inside
        everything += [*title, *inside]
        segments += [-1 if n == 0 else n] * (len(title) + len(inside))
        found += facts(cell.of(text), language, cell.start)
    span = Span(cells[0].start, cells[-1].end) if cells else line
    return _unit(span, tuple(own), tuple(everything), tuple(segments), tuple(found), tuple(c.start for c in cells[1:]), True)


def _sentence(text: str, span: Span, context: tuple[Word, ...], language: str | None) -> Unit:
    body = span.of(text)
    own = words(body, language, span.start)
    borders = tuple(span.start + match.start() + 1 for match in _BORDER.finditer(body))
    found = facts(body, language, span.start)
    segments: list[int] = [-1] * len(context)
    at = 0
    for word in own:
        while at < len(borders) and borders[at] <= word.span.start:
            at += 1
        segments.append(at)
    return _unit(span, own, (*context, *own), tuple(segments), found, borders)


def _unit(
    span: Span,
    own: tuple[Word, ...],
    everything: tuple[Word, ...],
    segments: tuple[int, ...],
    found: tuple[Fact, ...],
    borders: tuple[int, ...],
    is_row: bool = False,
) -> Unit:
    terms = frozenset(word.term for word in everything)
    content = frozenset(word.term for word in own if is_content(word))
    return Unit(span, own, everything, segments, terms, content, found, borders, is_row)
