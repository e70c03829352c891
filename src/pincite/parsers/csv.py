"""Tables as text with separators: CSV, TSV and what spreadsheets write under these names."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from pincite.errors import ParseError
from pincite.parsers.fields import make_document
from pincite.parsers.plain import read_text
from pincite.parsers.sheets import CELLS, Sheets, numbered
from pincite.types import Document

_DELIMITERS = (",", ";", "\t", "|")
"""In this order where several fit as well."""
_SAMPLE_RECORDS = 100
_SAMPLE_CHARS = 100_000


def parse(data: bytes, source: str) -> tuple[Document, ...]:
    """Read a table: encoding and separator are found, the first row is the header when no cell of it is a number.

    The text holds a row a line, ``| cells |``, which a quote may point into; a line break in a cell is a blank. Rows
    count as a spreadsheet counts them: a record is one row, however many lines it takes.

    >>> parse(b"Plan;Storage\\nPlus;50 GB\\n", "plans.csv")[0].text
    '| Plan | Storage |\\n| --- | --- |\\n| Plus | 50 GB |'
    """
    text, warnings = read_text(data, source)
    if not text.strip():
        raise ParseError("text is empty", where=source, hint="add text or remove the file")
    said, text = _said_delimiter(text)
    delimiter = said or find_delimiter(text)
    try:
        sheets = _read(text, delimiter, source, strict=True)
    except csv.Error as error:
        if "unexpected end" in str(error) or "field limit" in str(error):
            raise ParseError(
                "a quotation mark is opened and not closed", where=source, hint="close it, or write it twice"
            ) from error
        sheets = _read(text, delimiter, source, strict=False)
        warnings = (*warnings, "holds quotation marks inside cells that are not written twice")
    body, sections, cells = sheets.finished()
    given = {CELLS: cells} if cells else {}
    document = make_document(
        given, body, source=source, format="csv", sections=sections, warnings=warnings
    )  # fmt: skip
    return (document,)


def find_delimiter(text: str) -> str:
    """The separator that cuts most of the first records into equally many cells, more than one.

    >>> find_delimiter("a;b\\n1,5;2\\n"), find_delimiter("one column\\nonly\\n")
    (';', ',')
    """
    sample = text[:_SAMPLE_CHARS]
    best, best_score = _DELIMITERS[0], (0.0, 0)
    for delimiter in _DELIMITERS:
        try:
            records = [
                row
                for row in islice(
                    csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter), _SAMPLE_RECORDS
                )
                if row
            ]
        except csv.Error:
            continue
        if len(sample) < len(text) and len(records) > 1:
            records.pop()  # it may be cut
        ((width, times),) = Counter(map(len, records)).most_common(1) or [(1, 0)]
        score = (times / len(records), width) if width > 1 else (0.0, 0)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _said_delimiter(text: str) -> tuple[str, str]:
    """Excel's first line ``sep=;``, and the text below it."""
    line, _, rest = text.partition("\n")
    line = line.rstrip("\r")
    if line[:4].lower() == "sep=" and len(line) == 5:
        return line[4], rest
    return "", text


def _read(text: str, delimiter: str, source: str, *, strict: bool) -> Sheets:
    sheets = Sheets(source)

    def records() -> Iterator[list[str]]:
        yield from csv.reader(
            io.StringIO(text, newline=""), delimiter=delimiter, strict=strict, skipinitialspace=True
        )

    sheets.sheet("", numbered(records()), named=False)
    return sheets
