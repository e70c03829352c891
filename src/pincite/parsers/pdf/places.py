"""Where a passage stands on the pages of a PDF: boxes, and pictures of pages. From the original bytes, on demand."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence

from pincite.errors import ParseError
from pincite.parsers.pdf.ocr import SHARES
from pincite.parsers.pdf.process import OpenPdf, WorkerLost, lost
from pincite.parsers.pdf.read import DEFAULTS, PdfOptions
from pincite.types import Box, Document, Run, Span

OCR_WORDS = "ocr_words"
"""Metadata of a document some of whose pages were recognised: page index -> ``WordPlace`` of each word."""
MAX_WIDTH = 4_000


def boxes(document: Document, span: Span, data: bytes, *, options: PdfOptions = DEFAULTS) -> tuple[Box, ...]:
    """The boxes of a span: one for each line it touches, in the order of the text, over all its pages.

    Args:
        document: As it was parsed; its ``runs`` say which characters of which page the text is made of.
        span: In the document's text.
        data: The file that it was parsed from.
        options: The passwords, if it is encrypted.

    Returns:
        In shares of the page as seen, turned and cropped, from its top left. Empty when the document has no places.

    Raises:
        ParseError: If the file cannot be read any more.
    """
    return boxes_of(document, (span,), data, options=options)[0]


def boxes_of(
    document: Document, spans: Sequence[Span], data: bytes, *, options: PdfOptions = DEFAULTS
) -> tuple[tuple[Box, ...], ...]:
    """``boxes`` of several spans at once: each page is read once."""
    words = _recognised(document)
    starts = [run.span.start for run in document.runs]
    asked: list[list[tuple[int, int, int]]] = []
    own: list[list[Box]] = []
    for span in spans:
        ranges = _ranges(document.runs, starts, span)
        own.append(_word_boxes([one for one in ranges if one[0] in words], words))
        asked.append([one for one in ranges if one[0] not in words])
    pages = {page for ranges in asked for page, _, _ in ranges}
    found: list[list[Box]] = [[] for _ in spans]
    if pages:
        try:
            pdf = OpenPdf(data, document.doc_id, options.passwords, options.limits)
            reply, _ = pdf.ask({"do": "boxes", "spans": asked}, len(pages))
        except WorkerLost as error:
            raise lost(document.doc_id, error) from error
        found = [[Box(*box) for box in some] for some in reply["boxes"]]
    return tuple(
        tuple(sorted(some + recognised, key=lambda box: box.page_index))
        for some, recognised in zip(found, own, strict=True)
    )


def page_image(
    data: bytes,
    index: int,
    width: int,
    *,
    boxes: Sequence[Box] = (),
    source: str = "",
    options: PdfOptions = DEFAULTS,
) -> bytes:
    """A picture of a page as PNG, ``width`` pixels wide.

    Args:
        index: Of the page, from 0.
        width: 1 to 4,000.
        boxes: To be marked; those of other pages are left aside.
        source: Name of the file, for messages.

    Raises:
        ParseError: If there is no such page, or it cannot be drawn within the limits.
    """
    if not 1 <= width <= MAX_WIDTH:
        raise ParseError(f"a picture is 1 to {MAX_WIDTH} pixels wide, not {width}", where=source)
    own = [(box.x0, box.y0, box.x1, box.y1) for box in boxes if box.page_index == index]
    try:
        pdf = OpenPdf(data, source, options.passwords, options.limits)
        _, picture = pdf.ask({"do": "image", "index": index, "width": width, "boxes": own})
    except WorkerLost as error:
        raise lost(source, error, index) from error
    return picture


def _ranges(runs: Sequence[Run], starts: Sequence[int], span: Span) -> list[tuple[int, int, int]]:
    """``(page, first character, how many)`` that a span is made of, in the order of the text."""
    found: list[tuple[int, int, int]] = []
    i = max(bisect_right(starts, span.start) - 1, 0)
    while i < len(runs) and runs[i].span.start < span.end:
        run = runs[i]
        start, end = max(run.span.start, span.start), min(run.span.end, span.end)
        if start < end:
            first = run.first_char + (start - run.span.start) * run.step
            last = run.first_char + (end - 1 - run.span.start) * run.step
            found.append((run.page_index, min(first, last), end - start))
        i += 1
    return found


# --- pages that were recognised -----------------------------------------------------------------


def _recognised(document: Document) -> dict[int, list[list[int]]]:
    for name, value in document.metadata:
        if name == OCR_WORDS:
            return {int(page): places for page, places in json.loads(value).items()}
    return {}


def _word_boxes(ranges: Sequence[tuple[int, int, int]], words: dict[int, list[list[int]]]) -> list[Box]:
    """One box for each line of the words that hold the characters."""
    found: list[Box] = []
    before: tuple[int, int] | None = None
    for page, first, length in ranges:
        for line, start, end, *edges in words[page]:
            if start >= first + length or end <= first:
                continue
            x0, y0, x1, y1 = (edge / SHARES for edge in edges)
            if before == (page, line):
                last = found.pop()
                x0, y0, x1, y1 = min(last.x0, x0), min(last.y0, y0), max(last.x1, x1), max(last.y1, y1)
            found.append(Box(page, x0, y0, x1, y1))
            before = (page, line)
    return found
