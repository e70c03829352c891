"""PDF as plain text, page by page, without running heads and feet."""

from __future__ import annotations

from typing import Any

from pincite.errors import ParseError
from pincite.parsers.fields import make_document, repaired
from pincite.parsers.running import running_lines
from pincite.types import Document, Page, Span

PAGE_BREAK = "\n"
"""Between two pages: a sentence may go on over it, so it is no empty line."""

_SPECIAL = str.maketrans({"\ufffe": "-\n", "\x02": "-\n", "\0": "\ufffd"})
"""pdfium writes one character for a hyphen and the line end behind it, as it takes the word to be one. Whether the
hyphen belongs to the word is for the quote matcher to say, so both are put back."""

_PASSWORD_ERROR = 4
"""FPDF_ERR_PASSWORD of pdfium."""


def parse(data: bytes, source: str) -> tuple[Document, ...]:
    """Read the text layer.

    ``Page.label`` is what the file says is printed on the page, else its number; sizes are in points, of the
    page as seen. Pages without text have an empty span; their numbers are in the metadata ``pages_without_text``.

    Raises:
        ParseError: If the file is encrypted, broken or has no text at all.
    """
    import pypdfium2 as pdfium

    if b"%PDF-" not in data[:1024]:
        raise ParseError("not a PDF: it does not begin with %PDF-", where=source)
    try:
        pdf = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD_ERROR:
            raise ParseError(
                "encrypted", where=source, hint="remove the password and add the file again"
            ) from error
        raise ParseError("a broken PDF that cannot be opened", where=source) from error
    try:
        title = repaired(_info(pdf, "Title")).replace("\0", "")
        texts, pages = _pages(pdf, source)
    finally:
        pdf.close()
    empty = [page.index + 1 for page in pages if not len(page.span)]
    if len(empty) == len(pages):
        raise ParseError(
            f"no text layer on {_listed(empty)}" if pages else "no pages",
            where=source,
            hint="run text recognition (OCR) on it first",
        )
    given = {"pages_without_text": ", ".join(map(str, empty))} if empty else {}
    text = PAGE_BREAK.join(texts)
    return (
        make_document(given, text, source=source, format="pdf", title=" ".join(title.split()), pages=pages),
    )


def _pages(pdf: Any, source: str) -> tuple[list[str], tuple[Page, ...]]:  # pypdfium2 has no types
    import pypdfium2 as pdfium

    lines: list[list[str]] = []
    sizes: list[tuple[float, float]] = []
    labels: list[str] = []
    for index in range(len(pdf)):
        try:
            page = pdf[index]
            width, height = page.get_size()
            text_page = page.get_textpage()
            text = text_page.get_text_range()
            text_page.close()
            page.close()
        except pdfium.PdfiumError as error:
            raise ParseError(f"page {index + 1} of {len(pdf)} cannot be read", where=source) from error
        lines.append(repaired(text.replace("\r\n", "\n").translate(_SPECIAL)).strip().split("\n"))
        sizes.append((float(width), float(height)))
        labels.append(pdf.get_page_label(index) or str(index + 1))
    # A head between the two halves of a sentence that goes on over a page would hide it from every search.
    running = running_lines(lines)
    texts: list[str] = []
    pages: list[Page] = []
    at = 0
    for index, (page_lines, (width, height), label) in enumerate(zip(lines, sizes, labels, strict=True)):
        text = "\n".join(line for i, line in enumerate(page_lines) if (index, i) not in running).strip()
        pages.append(Page(index, Span(at, at + len(text)), label, width, height))
        texts.append(text)
        at += len(text) + len(PAGE_BREAK)
    return texts, tuple(pages)


def _info(pdf: Any, key: str) -> str:
    return str(pdf.get_metadata_value(key) or "")


def _listed(numbers: list[int]) -> str:
    """``page 2``, ``pages 1-4, 7``."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    shown = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
    return f"page{'' if len(numbers) == 1 else 's'} {shown}"
