"""Settings to what reads sources: files with the options of their parsers, folders, addresses, documents as they are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.config import Loaded
from pincite.errors import ConfigError, ParseError
from pincite.parts import Source
from pincite.ports import Parser
from pincite.types import Box, Document, Skipped, Span
from pincite.wiring.chance import now
from pincite.workers import Workers

if TYPE_CHECKING:
    from pincite.parsers.pdf import PdfOptions

PDF_PASSWORD = "PINCITE_PDF_PASSWORD"
"""Environment variable: a password that is tried on PDF files that are encrypted."""


def file_parser(loaded: Loaded) -> Parser:
    """What reads files, as the settings say. Raises ``ConfigError`` when the file of passwords cannot be read."""
    from pincite.parsers import PARSERS, parse
    from pincite.parsers.pdf import parse as parse_pdf

    options = pdf_options(loaded)
    return partial(parse, parsers={**PARSERS, "pdf": partial(parse_pdf, options=options)})


def pdf_options(loaded: Loaded) -> PdfOptions:
    """How PDF files are read. Passwords come from a file and the environment, never from the settings themselves."""
    from pincite.parsers.pdf import PdfOptions

    settings = loaded.config.parse
    passwords = [os.environ[PDF_PASSWORD]] if os.environ.get(PDF_PASSWORD) else []
    if settings.password_file:
        try:
            lines = Path(settings.password_file).expanduser().read_text("utf-8").splitlines()
        except (OSError, UnicodeError) as error:
            raise ConfigError(
                f"the file of passwords cannot be read: {getattr(error, 'strerror', None) or error}",
                where=loaded.where("parse", "password_file"),
                hint="give a text file in UTF-8 with a password a line, or remove the setting",
            ) from error
        passwords += [line for line in lines if line]
    return PdfOptions(passwords=tuple(passwords), tables=settings.tables, ocr=settings.ocr)


def boxes(
    loaded: Loaded, document: Document, spans: Sequence[Span], data: bytes
) -> tuple[tuple[Box, ...], ...]:
    """Where the spans of ``document.text`` stand on the pages of its original, ``data``; see ``boxes_of``."""
    from pincite.parsers.pdf.places import boxes_of

    return boxes_of(document, spans, data, options=pdf_options(loaded))


def load_sources(
    sources: Sequence[Source],
    *,
    allow_private: bool = False,
    parser: Callable[[], Parser] | None = None,
    workers: Workers | None = None,
) -> Iterator[Document | ParseError | Skipped]:
    """Documents as they are, files, folders and addresses read, in order; of an iterable every document.

    Raises:
        ConfigError: If a source is none of these.
    """
    from pincite.parsers.files import load_paths
    from pincite.parsers.urls import is_url

    read = partial(load_paths, workers=workers)
    if parser is not None:
        read = partial(read, parse=parser())
    paths: list[str | Path] = []
    for source in sources:
        if isinstance(source, str | Path) and not is_url(source):
            paths.append(source)
            continue
        yield from read(paths)
        paths = []
        if isinstance(source, Document):
            yield source
        elif isinstance(source, str | Path):
            yield from _page(str(source), allow_private)
        else:  # callers are not all typed: what is no iterable is refused as no document
            yield from map(_a_document, source if hasattr(source, "__iter__") else (source,))
    yield from read(paths)


def _page(url: str, allow_private: bool) -> Iterator[Document | ParseError]:
    from pincite.parsers.urls import load_url

    try:
        yield from load_url(url, clock=now, allow_private=allow_private)
    except ParseError as error:
        yield error


def _a_document(item: object) -> Document:
    if not isinstance(item, Document):
        raise ConfigError(
            f"a source is a path, an address, a Document or an iterable of Documents, not {type(item).__name__}"
        )
    return item
