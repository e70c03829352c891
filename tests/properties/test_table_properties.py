"""Tables: no row is lost, torn or given another address, whatever its cells hold."""

from __future__ import annotations

import contextlib
import csv
import io

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.small_office import p, small_docx, tbl

from pincite.chunk import chunk
from pincite.errors import ParseError
from pincite.parsers import csv as csv_parser
from pincite.parsers import docx
from pincite.parsers.encodings import decoded_by_guess
from pincite.parsers.yamls import read_yaml
from pincite.text.cells import cell_address, column_name
from pincite.types import Span

words = st.text(
    st.characters(codec="utf-8", exclude_characters="\0\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), max_size=12
)
tables = st.integers(2, 5).flatmap(
    lambda width: st.lists(st.lists(words, min_size=width, max_size=width), min_size=1, max_size=12)
)


@given(tables)
@settings(max_examples=150)
def test_every_cell_of_a_csv_file_is_found_under_its_address(table: list[list[str]]) -> None:
    # A name of its own makes each cell findable; an empty text stays an empty cell.
    named = [
        [f"r{i}c{j}={cell}" if cell else "" for j, cell in enumerate(row)] for i, row in enumerate(table)
    ]
    assume(any(map(any, named)))
    (document,) = csv_parser.parse(written(named), "a.csv")
    places = dict(document.metadata)["cells"]
    for i, row in enumerate(named):
        for j, cell in enumerate(row):
            if cell:
                start = document.text.index(f"r{i}c{j}=")
                span = Span(start, start + len(f"r{i}c{j}"))
                assert cell_address(document.text, places, span) == f"{column_name(j)}{i + 1}"


def written(table: list[list[str]]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, quoting=csv.QUOTE_ALL).writerows(table)
    return buffer.getvalue().encode()


@given(tables, st.integers(30, 400))
@settings(max_examples=150)
def test_chunks_of_a_table_hold_every_row_once_and_whole(table: list[list[str]], limit: int) -> None:
    assume(any(cell.strip() for row in table for cell in row))
    (document,) = csv_parser.parse(written(table), "a.csv")
    chunks = chunk(document, max_chars=limit)
    lines = [
        line for line in document.text.split("\n") if line.startswith("| ") and not line.startswith("| --- |")
    ]
    held = [
        line
        for one in chunks
        for line in one.text.split("\n")
        if line.startswith("| ") and not line.startswith("| --- |")
    ]
    assert held == lines
    assert all(one.text == one.span.of(document.text) for one in chunks)


@given(tables)
@settings(max_examples=60)
def test_a_word_file_has_the_words_of_its_paragraphs_and_cells_in_order(table: list[list[str]]) -> None:
    printable = [["".join(c for c in cell if c.isprintable()) for cell in row] for row in table]
    assume(any(cell.strip() for row in printable for cell in row))
    data = small_docx(
        *(p(f"<w:r><w:t>{len(row)}</w:t></w:r>") for row in printable),
        tbl(*[[_xml(c) for c in row] for row in printable], first_row=False),
    )
    (document,) = docx.parse(data, "a.docx")
    rest = document.text
    for cell in (cell for row in printable for cell in row):
        words = " ".join(cell.split()).replace("|", "\\|")
        at = rest.find(words)
        assert at >= 0
        rest = rest[at:]


def _xml(text: str) -> str:
    from xml.sax.saxutils import escape

    return f'<w:tc><w:p><w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p></w:tc>'


@given(st.binary(max_size=300))
@settings(max_examples=150)
def test_a_guess_of_the_encoding_loses_nothing(data: bytes) -> None:
    found = decoded_by_guess(data)
    if found is not None:
        assert found[0].encode(found[1].name) == data or found[1].name in (
            "cp932",
            "euc_jp",
            "gb18030",
            "big5",
            "cp949",
        )


@given(st.text(max_size=200))
@settings(max_examples=150)
def test_any_text_is_yaml_or_a_parse_error(text: str) -> None:
    # Anything but a ParseError fails the test.
    with contextlib.suppress(ParseError):
        read_yaml(text, "a.yaml")
