"""PDF to documents: the text in reading order, and for each character of it the character of the page."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from pincite.errors import ParseError
from pincite.parsers.fields import make_document, page_label, repaired
from pincite.parsers.pdf.assemble import Assembled, PageLines, assemble
from pincite.parsers.pdf.lines import Line, LineRun
from pincite.parsers.pdf.process import DEFAULT_LIMITS, Limits, OpenPdf, WorkerLost, lost
from pincite.types import Document, Run

MAX_LOST_PAGES = 3
"""After so many pages at which the worker was lost the file is given up."""
_MAX_LISTED = 50
_MAX_LINKS = 1_000
_MAX_AUTHOR = 300
_DATE = re.compile(r"(?:D:)?(\d{4})(\d{2})(\d{2})")
_WORD_TITLE = re.compile(r"\AMicrosoft (?:Word|PowerPoint|Excel) - ")
"""What Word puts before the name of the file."""

_Links = list[tuple[int, int, int, str]]
"""Page index, first and last character of the page, address."""


@dataclass(frozen=True, slots=True)
class PdfOptions:
    """How PDF files are read.

    Args:
        passwords: Tried in turn on files that are encrypted.
        tables: Read tables by their ruling lines, if the extra ``tables`` is installed.
        ocr: Languages of tesseract, such as ``eng+deu``, to read pages without text with; empty: do not.
        limits: What one file may cost.
    """

    passwords: tuple[str, ...] = ()
    tables: bool = True
    ocr: str = ""
    limits: Limits = DEFAULT_LIMITS


DEFAULTS = PdfOptions()


def parse(data: bytes, source: str, *, options: PdfOptions = DEFAULTS) -> tuple[Document, ...]:
    """Read the text of a PDF.

    ``Page.label`` is what the file says is printed on the page, else its number; sizes are in points, of the
    page as seen. Kept in the metadata: ``pages_without_text``, ``pages_not_read``, ``running_lines`` (heads and feet that
    are left out) and ``links`` (start and end in the text, address).

    Raises:
        ParseError: If no page can be read. Its ``status`` is ``encrypted``, ``needs_ocr``, ``broken``, ``too_large`` or
            ``too_slow``.
    """
    if b"%PDF-" not in data[:1024]:
        raise ParseError(
            "not a PDF: it does not begin with %PDF-",
            where=source,
            hint="give it the ending of what it is, or get it again",
            status="broken",
        )
    try:
        pdf = OpenPdf(data, source, options.passwords, options.limits)
    except WorkerLost as error:
        raise lost(source, error) from error
    if not pdf.pages:
        raise ParseError("a PDF without pages", where=source, hint="get it again", status="broken")
    if pdf.pages > options.limits.pages:
        raise ParseError(
            f"{pdf.pages} pages; at most {options.limits.pages} are read",
            where=source,
            hint="split it",
            status="too_large",
        )
    pages, links, problems = _read(pdf, source, options)
    empty = [page.index for page in pages if not page.lines]
    words: dict[int, Any] = {}
    if empty and options.ocr:
        from pincite.parsers.pdf.ocr import recognise

        asked = [(page.index, page.width, page.height) for page in pages if not page.lines]
        known = recognise(pdf, asked, options.ocr, source)
        pages = [
            replace(page, lines=known[page.index].lines) if page.index in known else page for page in pages
        ]
        words = {index: one.words for index, one in known.items()}
        empty = [page.index for page in pages if not page.lines]
    if len(empty) == len(pages):
        raise _nothing(source, empty, problems)
    return (_document(pdf, source, assemble(pages), links, empty, problems, words),)


def _read(pdf: OpenPdf, source: str, options: PdfOptions) -> tuple[list[PageLines], _Links, dict[int, str]]:
    """The pages that can be read, the links on them, and what is wrong with the others."""
    pages: list[PageLines] = []
    links: _Links = []
    problems: dict[int, str] = {}
    lost_at: list[tuple[int, WorkerLost]] = []
    at, tables = 0, options.tables
    while at < pdf.pages:
        try:
            for found in pdf.read_pages(at, pdf.pages, tables=tables):
                at = found["index"] + 1
                if "problem" in found:
                    problems[found["index"]] = found["problem"]
                    continue
                pages.append(_page(found))
                links += [(found["index"], *link) for link in found["links"]]
        except WorkerLost as error:
            if tables:
                tables = False  # the rules of tables may be what took so long
                continue
            lost_at.append((at, error))
            problems[at] = str(error)
            at += 1
            if len(lost_at) >= MAX_LOST_PAGES:
                raise lost(source, error, lost_at[0][0]) from error
    if not pages and lost_at:
        raise lost(source, lost_at[0][1], lost_at[0][0])
    return pages, links, problems


def _page(found: dict[str, Any]) -> PageLines:
    lines = tuple(
        Line(text, tuple(LineRun(*run) for run in runs), tuple(box), size, block, level, table, bold)
        for text, runs, box, size, block, level, table, bold in found["lines"]
    )
    label = page_label(found["label"] or "", found["index"])
    return PageLines(found["index"], label, found["width"], found["height"], lines)


def _nothing(source: str, empty: Sequence[int], problems: dict[int, str]) -> ParseError:
    if not empty:
        first = min(problems)
        what = f"{listed([index + 1 for index in problems])} cannot be read: {problems[first]}"
        return ParseError(what, where=source, status="broken")
    return ParseError(
        f"no text layer on {listed([index + 1 for index in empty])}",
        where=source,
        hint="run text recognition (OCR) on it first, or set [parse] ocr",
        status="needs_ocr",
    )


def _document(
    pdf: OpenPdf,
    source: str,
    whole: Assembled,
    links: _Links,
    empty: Sequence[int],
    problems: dict[int, str],
    words: dict[int, Any],
) -> Document:
    given: dict[str, object] = {}
    warnings: list[str] = []
    if empty:
        given["pages_without_text"] = ", ".join(str(index + 1) for index in empty)
        warnings.append(f"no text layer on {listed([index + 1 for index in empty])}")
    if problems:
        given["pages_not_read"] = ", ".join(str(index + 1) for index in sorted(problems))
        warnings.append(f"{listed([index + 1 for index in sorted(problems)])} cannot be read")
    if whole.running:
        given["running_lines"] = json.dumps(whole.running[:_MAX_LISTED], ensure_ascii=False)
    if words:
        given["ocr_words"] = json.dumps({str(index): places for index, places in sorted(words.items())})
    placed = _placed_links(links, whole.runs)
    if placed:
        given["links"] = json.dumps(placed, ensure_ascii=False)
    title, properties = _properties(pdf.said)
    given.update(properties)
    if not title and whole.sections and not whole.text[: whole.sections[0].span.start].strip():
        title = whole.sections[0].path[0]
    document = make_document(
        given,
        whole.text,
        source=source,
        format="pdf",
        title=title,
        sections=whole.sections,
        pages=whole.pages,
        warnings=tuple(warnings),
    )
    return replace(document, runs=whole.runs)


def _properties(said: dict[str, str]) -> tuple[str, dict[str, object]]:
    """The title, and fields for ``make_document``. ``published_date`` is the day of the last change, else that of the
    making, as in other files. What cannot be is not taken over."""
    clean = {name: " ".join(repaired(value).replace("\0", "").split()) for name, value in said.items()}
    title = _WORD_TITLE.sub("", clean.get("Title", ""))
    found: dict[str, object] = {}
    author = clean.get("Author", "")
    if author and len(author) <= _MAX_AUTHOR and author.isprintable():
        found["owner"] = author
    for name in ("ModDate", "CreationDate"):
        digits = _DATE.match(clean.get(name, ""))
        if digits is None:
            continue
        try:
            found["published_date"] = date(*map(int, digits.groups())).isoformat()
            break
        except ValueError:
            continue
    return (title if title.isprintable() else ""), found


def _placed_links(links: _Links, runs: Sequence[Run]) -> list[tuple[int, int, str]]:
    """``(start, end, address)`` in the text."""
    by_page: dict[int, list[Run]] = {}
    for run in sorted(runs, key=lambda one: one.first_char):
        by_page.setdefault(run.page_index, []).append(run)
    found: list[tuple[int, int, str]] = []
    for page, first, last, address in links:
        own = by_page.get(page, [])
        start, end = _at(own, first, forward=True), _at(own, last, forward=False)
        if start is not None and end is not None and start <= end:
            found.append((start, end + 1, repaired(address)))
    return sorted(found)[:_MAX_LINKS]


def _at(runs: Sequence[Run], char: int, *, forward: bool) -> int | None:
    """The place in the text of a page character, or of the next (the last before) that is in the text."""
    i = bisect_right(runs, char, key=lambda run: run.first_char) - 1
    if i >= 0 and char < runs[i].first_char + len(runs[i].span):
        return runs[i].span.start + char - runs[i].first_char
    if forward:
        return runs[i + 1].span.start if i + 1 < len(runs) else None
    return runs[i].span.end - 1 if i >= 0 else None


def listed(numbers: Sequence[int]) -> str:
    """Page numbers in words.

    >>> listed([2]), listed([1, 2, 3, 7])
    ('page 2', 'pages 1-3, 7')
    """
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    shown = ", ".join(
        str(first) if first == last else f"{first}-{last}" for first, last in ranges[:_MAX_LISTED]
    )
    return f"page{'' if len(numbers) == 1 else 's'} {shown}{' …' if len(ranges) > _MAX_LISTED else ''}"
