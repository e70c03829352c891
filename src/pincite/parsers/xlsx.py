"""Excel files: each visible sheet as its tables, every value as the sheet shows it.

Formulas are read as the values that Excel computed last. Hidden sheets are left out, and said to be; hidden rows and
columns are read, as a filter may hide any of them. Needs the extra ``office``.
"""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import ParseError as XmlError

from pincite.errors import ParseError, install_line
from pincite.parsers.fields import make_document
from pincite.parsers.numbers_shown import shown
from pincite.parsers.package import Package, open_package
from pincite.parsers.properties import core_properties
from pincite.parsers.sheets import CELLS, Row, Sheets, clean, trimmed
from pincite.types import Document

MAX_ROWS = 1_048_576
"""Of a sheet, as in Excel."""
MAX_CELLS = 50_000_000
"""Of a file, empty ones before the last of a row included: one cell at the far right of each row is work for nothing."""
_MAX_MERGED = 1_000_000
"""Cells that merged cells may cover; beyond them they are written once."""
_MAX_STRINGS = 20_000_000
"""Bytes of the text of one cell that openpyxl would take; Excel's own limit is 32,767 characters."""
_MAX_FORMAT = 1_000
_READ_BYTES = 1 << 20
_CARRY_BYTES = 200

_MERGED = re.compile(
    rb'<(?:\w+:)?mergeCell\s[^>]{0,100}?ref="([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})"'
)
_NOT_COMPUTED = re.compile(rb"<f\b[^<]*(?:</f>|/>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")

_BROKEN = (
    ValueError, KeyError, TypeError, IndexError, AttributeError, ArithmeticError, RecursionError, EOFError, OSError,
    AssertionError, zipfile.BadZipFile, XmlError,
)  # fmt: skip
"""What openpyxl raises for files that no spreadsheet writes."""


def parse(data: bytes, source: str) -> tuple[Document, ...]:
    """Read an Excel file (.xlsx, .xlsm).

    The text holds a row a line, ``| cells |``; merged cells are repeated. With several sheets each has its name above it
    and is a section. ``metadata["cells"]`` says which cell each line came from (``text.cells``).

    Raises:
        ParseError: If it is broken, encrypted or too large, or openpyxl is not installed.
    """
    if not data.startswith(b"PK"):
        raise ParseError(
            "not an Excel file: it is no ZIP package", where=source, hint="save it as .xlsx again"
        )
    package = open_package(data, source)
    package.check(whole=lambda name: "/worksheets/" not in name)
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise ParseError("Excel files need openpyxl", where=source, hint=install_line("office")) from error
    _check_formats(package, source)
    sheets = Sheets(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what openpyxl would not write again
        try:
            book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
            visible = [one for one in book.worksheets if one.sheet_state == "visible"]
            hidden = [one.title for one in book.worksheets if one.sheet_state != "visible"]
            not_computed = 0
            budget = [MAX_CELLS]
            for one in visible:
                merged, blank = _scanned(package, one._worksheet_path)
                not_computed += blank
                sheets.sheet(clean(one.title), _rows(one, merged, budget, source), named=len(visible) > 1)
            book.close()
        except _BROKEN as error:
            raise ParseError(
                f"an Excel file that cannot be read ({type(error).__name__})",
                where=source,
                hint="save it again",
            ) from error
    text, sections, cells = sheets.finished()
    if not text and hidden:
        raise ParseError("all its sheets are hidden or empty", where=source)
    given = {**core_properties(package), **({CELLS: cells} if cells else {})}
    said = []
    if hidden:
        said.append(f"hidden sheets are not read: {', '.join(map(clean, hidden[:10]))}")
    if not_computed:
        said.append(
            f"{not_computed} formulas have no value, as no spreadsheet program has computed them; open and save the file"
        )
    return (
        make_document(given, text, source=source, format="xlsx", sections=sections, warnings=tuple(said)),
    )


def _check_formats(package: Package, source: str) -> None:
    """Excel takes formats of 255 characters; openpyxl's time grows with the square of their length.

    Raises:
        ParseError: If one is far longer.
    """
    styles = package.xml("xl/styles.xml")
    for one in styles.iter() if styles is not None else ():
        if len(one.get("formatCode", "")) > _MAX_FORMAT:
            raise ParseError(
                f"holds a number format of more than {_MAX_FORMAT} characters",
                where=source,
                hint="save it again",
            )


_Merges = dict[int, list[tuple[int, int, int]]]
"""Row -> first and last column (from 1) of merged cells in it, and the row where they begin."""


def _rows(sheet: Any, merges: _Merges, budget: list[int], source: str) -> Iterator[Row]:
    """The rows of a sheet of openpyxl; it has no types for those that are only read."""
    sheet.reset_dimensions()  # what a file says of its size may be wrong
    above: dict[int, str] = {}
    for number, cells in enumerate(sheet.iter_rows(), start=1):
        budget[0] -= len(cells) + 1
        if number > MAX_ROWS or budget[0] < 0:
            raise ParseError(
                f"has more than {MAX_ROWS:,} rows or {MAX_CELLS:,} cells", where=source, hint="split it"
            )
        texts = [
            "" if cell.value is None else clean(shown(cell.value, cell.number_format))[:_MAX_STRINGS]
            for cell in cells
        ]
        if number in merges:
            texts = _merged(texts, merges[number], number, above)
        yield Row(number, trimmed(texts))


def _merged(
    texts: list[str], merges: list[tuple[int, int, int]], row: int, above: dict[int, str]
) -> list[str]:
    """The row with its merged cells repeated. ``above``: what stands in the merged cells that reach further down."""
    last = max(column for _, column, _ in merges)
    texts = texts + [""] * (last - len(texts))
    filled = sum(map(bool, texts))
    for first, column, begins in merges:
        if begins == row:
            above[first] = texts[first - 1]
        text = above.get(first, "")
        # A title over the whole table is no row of it.
        if begins == row and filled <= 1:
            continue
        texts[first - 1 : column] = [text] * (column - first + 1)
    return texts


def _scanned(package: Package, name: str) -> tuple[_Merges, int]:
    """The merged cells of a sheet, which stand behind its rows, and how many formulas have no value."""
    merges: _Merges = {}
    covered = blank = 0
    carried = b""
    with package.archive.open(name) as stream:
        while piece := stream.read(_READ_BYTES):
            piece = carried + piece
            end = len(piece) - _CARRY_BYTES
            for match in _MERGED.finditer(piece):
                if match.start() >= end and len(piece) > _READ_BYTES:
                    break
                left, top, right, bottom = (
                    _column(match[1]), int(match[2]), _column(match[3]), int(match[4]),
                )  # fmt: skip
                covered += max(0, right - left + 1) * max(0, bottom - top + 1)
                if covered > _MAX_MERGED:
                    break
                for row in range(top, bottom + 1):
                    merges.setdefault(row, []).append((left, right, top))
            blank += sum(
                1
                for match in _NOT_COMPUTED.finditer(piece)
                if match.start() < end or len(piece) <= _READ_BYTES
            )
            carried = piece[-_CARRY_BYTES:] if len(piece) > _CARRY_BYTES else b""
    return merges, blank


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number
