"""Files to documents. Each parser takes bytes and the name of their source, and raises ``ParseError``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from pathlib import PurePath

from pincite.errors import ParseError
from pincite.parsers.package import kind_of_package
from pincite.ports import Parser
from pincite.types import Document


def _of(module: str) -> Parser:
    """The parser of a module, which is imported when its first file comes: most runs read one kind of file."""
    return partial(_parse_by, module)  # no inner function, so that it can be sent to another process


def _parse_by(module: str, data: bytes, source: str) -> tuple[Document, ...]:
    found: Parser = import_module(f"pincite.parsers.{module}").parse
    return found(data, source)


PARSERS: dict[str, Parser] = {
    "json": _of("json"),
    "markdown": _of("markdown"),
    "text": _of("plain"),
    "html": _of("html"),
    "pdf": _of("pdf"),
    "docx": _of("docx"),
    "csv": _of("csv"),
    "xlsx": _of("xlsx"),
    "jsonl": _of("jsonl"),
}
"""To add a format, write a module with a function ``parse`` and add a line here and its suffixes below."""

SUFFIXES = {
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".docx": "docx",
    ".docm": "docx",
    ".dotx": "docx",
    ".csv": "csv",
    ".tsv": "csv",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}

NOT_READ = {
    ".pptx": "save it as PDF",
    ".ppt": "save it as PDF",
    ".odp": "save it as PDF",
    ".doc": "save it as .docx or PDF",
    ".rtf": "save it as .docx or PDF",
    ".odt": "save it as .docx or PDF",
    ".pages": "save it as .docx or PDF",
    ".epub": "save it as PDF or HTML",
    ".xls": "save it as .xlsx or .csv",
    ".xlsb": "save it as .xlsx or .csv",
    ".ods": "save it as .xlsx or .csv",
    ".numbers": "save it as .xlsx or .csv",
    ".eml": "save it as HTML or text",
    ".msg": "save it as HTML or text",
    ".zip": "unpack it",
}
"""Documents that no parser reads, and what to do about it."""

# What a file begins with counts more than its suffix.
_CONTENT = ((b"%PDF-", "pdf"), (b"<!doctype html", "html"), (b"<html", "html"))
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_REFUSED = (
    (b"\xd0\xcf\x11\xe0", "an old Office file, or one with a password"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\x1f\x8b", "a gzip file"),
)


def parse(data: bytes, source: str, *, parsers: Mapping[str, Parser] = PARSERS) -> tuple[Document, ...]:
    """Documents of a file, with the parser that its content or its suffix asks for.

    Args:
        parsers: By name; others than the usual ones where something is set for a format.

    >>> parse(b"Entry is free.", "fees.txt")
    (Document('fees-txt', 14 characters, access=None),)
    """
    return parsers[choose(data, source)](data, source)


def choose(data: bytes, source: str) -> str:
    """Name of the parser for a file.

    Raises:
        ParseError: If there is none.

    >>> choose(b"%PDF-1.7 ...", "fees.txt"), choose(b"# Fees", "fees.md")
    ('pdf', 'markdown')
    """
    start = data[:64].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for mark, name in _CONTENT:
        if start.startswith(mark.lower()):
            return name
    if data.startswith(_ZIP):
        return kind_of_package(data, source)
    suffix = PurePath(source).suffix.lower()
    for mark, what in _REFUSED:
        if data.startswith(mark):
            raise ParseError(
                f"{what}, which is not read", where=source, hint=NOT_READ.get(suffix, f"known: {_known()}")
            )
    if suffix in NOT_READ:
        raise ParseError(f"{suffix} files are not read", where=source, hint=NOT_READ[suffix])
    if suffix not in SUFFIXES:
        raise ParseError(
            f"unknown kind of file {suffix or '(no suffix)'}", where=source, hint=f"known: {_known()}"
        )
    return SUFFIXES[suffix]


def _known() -> str:
    return " ".join(SUFFIXES)
