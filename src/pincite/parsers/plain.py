"""Plain text, and the decoding that every text format shares."""

from __future__ import annotations

import codecs

from pincite.errors import ParseError
from pincite.parsers.encodings import decoded_by_guess
from pincite.parsers.fields import check_size, make_document, repaired
from pincite.text.outline import outline, sections
from pincite.text.pages import form_feed_pages
from pincite.types import Document

# Longest first: the mark of UTF-32 begins like that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def parse(data: bytes, source: str) -> tuple[Document, ...]:
    """Read a text file. A form feed ends a page, Markdown headings open sections. The text is kept exactly as
    written."""
    text, warnings = read_text(data, source)
    document = make_document(
        {},
        repaired(text),
        source=source,
        format="text",
        sections=sections(outline(text), len(text)),
        pages=form_feed_pages(text),
        warnings=warnings,
    )
    return (document,)


def read_text(data: bytes, source: str) -> tuple[str, tuple[str, ...]]:
    """The text of a file that does not say its encoding, and what to tell whoever adds it.

    UTF-8 or what the byte order mark says, as ``decode``; else an older encoding, when the text leaves no doubt
    (``parsers.encodings``).

    Raises:
        ParseError: As ``decode``, and if the text is too long.
    """
    warnings: tuple[str, ...] = ()
    try:
        text = decode(data, source)
    except ParseError:
        guessed = None if data.startswith(tuple(mark for mark, _ in _MARKS)) else decoded_by_guess(data)
        if guessed is None:
            raise
        text, guess = guessed
        without_nul(text, source)
        warnings = (f"is not UTF-8 and was read as {guess.label}",)
    check_size(text, source)
    return text, warnings


def decode(data: bytes, source: str) -> str:
    """Bytes to text: by the byte order mark, which is dropped, else UTF-8.

    Raises:
        ParseError: If that is not the encoding, or if the text holds NULs, which no text file does.

    >>> decode(b"\\xef\\xbb\\xbfGeb\\xc3\\xbchr", "f.txt")
    'Gebühr'
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ParseError(
            f"not {encoding.removesuffix('-sig').upper()}: byte 0x{data[error.start]:02x} at position {error.start}",
            where=source,
            hint="save the file as UTF-8",
        ) from error
    return without_nul(text, source)


def without_nul(text: str, source: str) -> str:
    """``text``, if it holds no NUL. Files that do are binary, or UTF-16 without a mark.

    Raises:
        ParseError: If it holds one.
    """
    if "\0" in text:
        raise ParseError(
            f"holds NUL characters (the first at {text.index(chr(0))}), so it is no text file",
            where=source,
            hint="save the file as UTF-8, or give it the suffix of its kind",
        )
    return text
