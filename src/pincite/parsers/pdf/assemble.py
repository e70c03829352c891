"""Lines of pages to the text of a document, with the way back to each page. Pure.

Running heads and feet are left out, notes are moved out of the way of a sentence that goes on over the page, and
an empty line stands between paragraphs. Where the lines of a paragraph were only broken to fit, a blank stands between
them; behind a hyphen, and where a line was meant to end, the line end stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from pincite.parsers.pdf.lines import Line
from pincite.parsers.running import running_lines
from pincite.types import Page, Run, Section, Span

SOFT, LINE, PARAGRAPH = " ", "\n", "\n\n"

_HEADING = 1.15
"""A heading is this much larger than the text."""
_HEADING_CHARS, _HEADING_LINES, _HEADING_SHARE = 200, 4, 0.25
_LEVELS = 6
_NOTE = 0.93
"""A note at the foot is this much smaller than the text, or smaller still."""
_OTHER_SIZE = 0.12
_WIDE_LEADING = 1.35
_INDENT, _MAX_INDENT = 0.8, 6.0
"""Of a first line, in heights of a line."""
_SHORT = 0.85
"""A line that fills less of its column may be the last of a paragraph."""
_RUNNING_SHARE = 3

_NOTE_MARK = re.compile(r"(?:\d{1,3}|[*†‡§¶]{1,3}|[a-z]\))(?=\s?\S)")
_ENDED = re.compile(r"[.!?…:;。！？؟۔।][\"'”’»)\]]{0,3}(?:\d{1,3}|[*†‡])?\Z")
_GOES_ON = re.compile(r"[\"'“‘«(\[]{0,2}(?:[a-zà-öø-ÿ]|\d)")
_ITEM = re.compile(r"(?:[•▪‣◦●○■□–—*·-]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])\s")
"""How an item of a list begins: its next line is indented and no paragraph."""
_HYPHEN = re.compile("[-\u00ad\u2010\u2011]\\Z")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]\\Z"
)
"""The end of a line in a script that puts no blanks between words."""
_BULLET = re.compile(r"[•▪‣◦●○■□–—*·-]\s")


@dataclass(frozen=True, slots=True)
class PageLines:
    """A page as it was read. ``width`` and ``height`` are in points, of the page as seen."""

    index: int
    label: str
    width: float
    height: float
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Assembled:
    """The text and what points into it. ``running`` are the heads and feet that were left out, each once."""

    text: str
    pages: tuple[Page, ...]
    runs: tuple[Run, ...]
    sections: tuple[Section, ...]
    running: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A line with what stands before it: a line end, or the end of a paragraph."""

    line: Line
    before: str
    note: bool = False


def assemble(pages: Sequence[PageLines]) -> Assembled:
    """The text of a document from the lines of its pages, in order."""
    running = _running(pages)
    left_out = dict.fromkeys(" ".join(pages[p].lines[i].text.split()) for p, i in sorted(running))
    kept = [
        [line for i, line in enumerate(page.lines) if (p, i) not in running] for p, page in enumerate(pages)
    ]
    body = _body_size(kept)
    spread = _leading(kept)
    parts: list[str] = []
    found: list[Page] = []
    runs: list[Run] = []
    placed: list[tuple[_Placed, Span]] = []
    at = 0
    for page, lines in zip(pages, kept, strict=True):
        ordered = list(_placed(lines, placed[-1][0].line if placed else None, spread, page.height))
        start = at + (len(ordered[0].before) if ordered and at else 0)
        for one in ordered:
            if at:
                parts.append(one.before)
                at += len(one.before)
            span = Span(at, at + len(one.line.text))
            parts.append(one.line.text)
            for run in one.line.runs:
                _add_run(runs, Run(Span(at + run.start, at + run.start + run.length), page.index, run.first))
            placed.append((one, span))
            at = span.end
        start = min(start, at)
        found.append(Page(page.index, Span(start, at), page.label, page.width, page.height))
    return Assembled(
        "".join(parts), tuple(found), tuple(runs), tuple(_sections(placed, body, at)), tuple(left_out)
    )


# --- running heads and feet ---------------------------------------------------------------------


def _running(pages: Sequence[PageLines]) -> set[tuple[int, int]]:
    """(place of the page, place of the line) of heads and feet, and of stamps that run another way."""
    orders: list[list[int]] = []
    for page in pages:
        level = [i for i, line in enumerate(page.lines) if line.level and not line.table]
        orders.append(sorted(level, key=lambda i: (page.lines[i].box[1], page.lines[i].box[0])))
    texts = [[page.lines[i].text for i in order] for page, order in zip(pages, orders, strict=True)]
    found = {(p, orders[p][i]) for p, i in running_lines(texts)}
    stamps = Counter(text for page in pages for text in {line.text for line in page.lines if not line.level})
    enough = max(2, -(-len(pages) // _RUNNING_SHARE))
    for p, page in enumerate(pages):
        found |= {
            (p, i) for i, line in enumerate(page.lines) if not line.level and stamps[line.text] >= enough
        }
    return found


# --- measures of the whole document -------------------------------------------------------------


def _body_size(pages: Sequence[Sequence[Line]]) -> float:
    """The size in which most letters are set, in points."""
    sizes: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            sizes[round(2 * line.size) / 2] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], -size), default=0.0)


def _leading(pages: Sequence[Sequence[Line]]) -> float:
    """The usual distance of two lines, in line heights."""
    steps = [
        (after.box[3] - before.box[3]) / before.size
        for lines in pages
        for before, after in pairwise(lines)
        if before.block == after.block and _same_size(before, after)
    ]
    usual = sorted(step for step in steps if 0.7 < step < 2.5)
    # Not the middle: in a list of short paragraphs most distances are those between them.
    return usual[len(usual) // 4] if usual else 1.2


# --- paragraphs and notes -----------------------------------------------------------------------


def _placed(lines: Sequence[Line], before: Line | None, spread: float, height: float) -> Iterator[_Placed]:
    """The lines of a page in the order of the text. ``before`` is the last line of the pages before."""
    notes = _notes(lines, height)
    text = [line for i, line in enumerate(lines) if i not in notes and line.level]
    joins = _joins(text, before, spread)
    moved = [lines[i] for i in sorted(notes)] + [line for line in lines if not line.level]
    set_apart = [
        _Placed(line, join if i else PARAGRAPH, note=True)
        for i, (line, join) in enumerate(zip(moved, _joins(moved, None, spread), strict=True))
    ]
    own = [_Placed(line, join) for line, join in zip(text, joins, strict=True)]
    at = len(own)
    if set_apart and own and not _ENDED.search(own[-1].line.text):
        # The last sentence goes on over the page: what is set apart goes before its paragraph.
        at = max((i for i, one in enumerate(own) if one.before == PARAGRAPH), default=at)
    yield from own[:at]
    yield from set_apart
    if at < len(own):
        yield replace(own[at], before=PARAGRAPH)
        yield from own[at + 1 :]


def _notes(lines: Sequence[Line], height: float) -> set[int]:
    """Places of the lines of notes: smaller ones at the end of a column of text, one of them with a mark."""
    found: set[int] = set()
    blocks: dict[int, list[int]] = {}
    for i, line in enumerate(lines):
        if line.level:
            blocks.setdefault(line.block, []).append(i)
    for own in blocks.values():
        last = lines[own[-1]]
        small = 0
        while small < len(own) and _same_size(lines[own[-1 - small]], last):
            small += 1
        text, tail = own[: len(own) - small], own[len(own) - small :]
        if not text or lines[tail[0]].box[1] < height / 3 or last.table:
            continue
        # Of the lines above, the nearest: a larger one far up may be a title.
        usual = median(lines[i].size for i in text[-5:])
        if last.size <= _NOTE * usual and any(_NOTE_MARK.match(lines[i].text) for i in tail):
            found.update(tail)
    return found


def _joins(lines: Sequence[Line], before: Line | None, spread: float) -> list[str]:
    """What stands before each line."""
    edges: dict[int, tuple[float, float]] = {}
    for line in lines:
        left, right = edges.get(line.block, (line.box[0], line.box[2]))
        edges[line.block] = (min(left, line.box[0]), max(right, line.box[2]))
    found: list[str] = []
    for i, line in enumerate(lines):
        previous = lines[i - 1] if i else before
        following = lines[i + 1] if i + 1 < len(lines) and lines[i + 1].block == line.block else None
        if previous is None:
            found.append(PARAGRAPH)
            continue
        same = bool(i) and previous.block == line.block
        new = (
            _starts_inside(previous, line, following, edges[line.block], spread)
            if same
            else _starts_elsewhere(previous, line, following, edges[line.block])
        )
        found.append(PARAGRAPH if new else _line_end(previous, line, same, edges[line.block]))
    return found


def _line_end(previous: Line, line: Line, same: bool, edges: tuple[float, float]) -> str:
    """What stands between two lines of a paragraph: a blank when the next word had no room, or the sentence goes on."""
    if previous.table or line.table or "\t" in previous.text or "\t" in line.text:
        return LINE
    if _HYPHEN.search(previous.text) or _ITEM.match(line.text) or _UNSPACED.search(previous.text):
        return LINE
    if not same or line.text[:1].islower():
        return SOFT  # the end of a line in another column says nothing
    first_word = len(line.text.split(maxsplit=1)[0]) + 1
    needed = first_word * (line.box[2] - line.box[0]) / max(len(line.text), 1)
    return SOFT if edges[1] - previous.box[2] < needed else LINE


def _starts_inside(
    previous: Line, line: Line, following: Line | None, edges: tuple[float, float], spread: float
) -> bool:
    """Whether a paragraph begins with a line that stands below another in its column."""
    if previous.table or line.table:
        return previous.table != line.table
    if not _same_size(previous, line):
        return True
    if line.box[3] - previous.box[3] > _WIDE_LEADING * spread * line.size:
        return True
    if "\t" in previous.text or "\t" in line.text:
        return ("\t" in previous.text) != ("\t" in line.text)
    if previous.bold != line.bold and (line.bold or following is None or not following.bold):
        return True
    if _is_indented(line, previous.box[0], following) and not _ITEM.match(previous.text):
        return True
    left, right = edges
    short = previous.box[2] < left + _SHORT * (right - left)
    return short and bool(_ENDED.search(previous.text)) and not _GOES_ON.match(line.text)


def _starts_elsewhere(previous: Line, line: Line, following: Line | None, edges: tuple[float, float]) -> bool:
    """The same for the first line of a column or page."""
    if not _same_size(previous, line) or "\t" in previous.text or "\t" in line.text:
        return True
    if _GOES_ON.match(line.text) and not _ENDED.search(previous.text):
        return False
    if _is_indented(line, edges[0], following) or _BULLET.match(line.text):
        return True
    return bool(_ENDED.search(previous.text)) and not _GOES_ON.match(line.text)


def _is_indented(line: Line, left: float, following: Line | None) -> bool:
    step = line.box[0] - left
    if not _INDENT * line.size < step < _MAX_INDENT * line.size:
        return False
    return following is None or following.box[0] < line.box[0] - 0.5 * _INDENT * line.size


def _same_size(one: Line, other: Line) -> bool:
    return abs(one.size - other.size) <= _OTHER_SIZE * max(one.size, other.size)


# --- runs and sections --------------------------------------------------------------------------


def _add_run(runs: list[Run], run: Run) -> None:
    """Append, or lengthen the last one when both the text and the page's characters go on."""
    if runs:
        last = runs[-1]
        if (
            last.page_index == run.page_index
            and last.span.end == run.span.start
            and last.first_char + len(last.span) == run.first_char
        ):
            runs[-1] = replace(last, span=Span(last.span.start, run.span.end))
            return
    runs.append(run)


def _sections(placed: Sequence[tuple[_Placed, Span]], body: float, length: int) -> Iterator[Section]:
    """A section for each heading: a paragraph of few lines in larger or bold letters. Level by size, the largest first."""
    chars = sum(len(span) for _, span in placed)
    bold = sum(len(span) for one, span in placed if one.line.bold)
    # Where much is bold, bold says nothing.
    headings = list(_headings(placed, body, bold_counts=bold <= _HEADING_SHARE * chars))
    if sum(len(title) for title, _, _ in headings) > _HEADING_SHARE * chars:
        return
    looks = sorted({look for _, look, _ in headings}, reverse=True)
    open_: list[tuple[int, str]] = []
    for i, (title, look, start) in enumerate(headings):
        level = min(looks.index(look) + 1, _LEVELS)
        while open_ and open_[-1][0] >= level:
            open_.pop()
        open_.append((level, title))
        end = headings[i + 1][2] if i + 1 < len(headings) else length
        yield Section(tuple(name for _, name in open_), Span(start, end), level)


def _headings(
    placed: Sequence[tuple[_Placed, Span]], body: float, *, bold_counts: bool
) -> Iterator[tuple[str, tuple[float, bool], int]]:
    """Title, look (size in half points, whether bold), and where it begins."""
    group: list[tuple[_Placed, Span]] = []
    for i, (one, span) in enumerate(placed):
        if one.before == PARAGRAPH or not i:
            group = []
        group.append((one, span))
        ends = i + 1 == len(placed) or placed[i + 1][0].before == PARAGRAPH
        if not ends or len(group) > _HEADING_LINES:
            continue
        lines = [member.line for member, _ in group]
        title = " ".join(" ".join(line.text for line in lines).split())
        if (
            all(_stands_out(line, body, bold_counts) for line in lines)
            and len(title) <= _HEADING_CHARS
            and any(char.isalpha() for char in title)
            and not title.endswith((".", ",", ";"))
            and not any(member.note for member, _ in group)
        ):
            yield title, (round(2 * lines[0].size) / 2, lines[0].bold), group[0][1].start


def _stands_out(line: Line, body: float, bold_counts: bool) -> bool:
    larger = line.size >= _HEADING * body
    bold = bold_counts and line.bold and line.size >= _NOTE * body
    return line.level and not line.table and (larger or bold)
