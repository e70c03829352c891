"""Tables with ruling lines."""

from __future__ import annotations

import pytest
from tests.pdf_files import PdfPage, write_pdf

from pincite.chunk import chunk
from pincite.parsers.pdf import parse
from pincite.parsers.pdf.places import boxes
from pincite.types import Document, Span

pytest.importorskip("pdfplumber", reason="the extra tables is not installed")


def read(page: PdfPage) -> tuple[Document, bytes]:
    data = write_pdf(page)
    (document,) = parse(data, "a.pdf")
    return document, data


def prices(rows: int = 2) -> PdfPage:
    page = PdfPage().grid([72, 200, 300], [700 - 20 * i for i in range(rows + 2)])
    page.text(75, 685, "Ticket").text(205, 685, "Price")
    for i in range(1, rows + 1):
        page.text(75, 685 - 20 * i, f"Class {i}").text(205, 685 - 20 * i, f"{i} EUR")
    return page


def test_an_empty_cell_keeps_its_place() -> None:
    page = PdfPage().grid([72, 150, 230, 300], [700, 680, 660])
    page.text(75, 685, "a").text(155, 685, "b").text(235, 685, "c").text(75, 665, "1").text(235, 665, "3")
    assert read(page)[0].text == "| a | b | c |\n| --- | --- | --- |\n| 1 | | 3 |"


def test_a_pipe_in_a_cell_is_escaped_and_keeps_its_place() -> None:
    page = PdfPage().grid([72, 150, 230], [700, 680, 660])
    page.text(75, 685, "a").text(155, 685, "b").text(75, 665, "x|y").text(155, 665, "2")
    document, data = read(page)
    assert document.text.endswith(r"| x\|y | 2 |")
    start = document.text.index("|y")
    (box,) = boxes(document, Span(start, start + 2), data)
    assert 78 < box.x0 * 612 < 82


def test_a_table_whose_lines_part_only_the_columns_is_read_line_by_line() -> None:
    page = PdfPage().grid([72, 200, 300], [700, 680, 600]).text(75, 685, "Ticket").text(205, 685, "Price")
    page.lines(75, 668, ["Adults", "Children", "Dogs"]).lines(205, 668, ["5 EUR", "2 EUR", "free"])
    lines = [line for line in read(page)[0].text.splitlines() if line]
    assert lines == ["Ticket\tPrice", "Adults\t5 EUR", "Children\t2 EUR", "Dogs\tfree"]


def test_a_frame_round_text_is_no_table() -> None:
    page = PdfPage().grid([60, 400], [720, 600]).lines(72, 700, ["Take care of", "the dog"])
    assert "|" not in read(page)[0].text


def test_each_passage_of_a_long_table_has_its_header() -> None:
    document, _ = read(prices(rows=12))
    pieces = chunk(document, max_chars=90)
    assert len(pieces) > 2
    header = document.text.index("| Ticket | Price |")
    for piece in pieces[1:]:
        assert any(span.start == header for span in piece.context)


def test_a_row_has_a_box() -> None:
    document, data = read(prices())
    start = document.text.index("| Class 2 | 2 EUR |")
    found = boxes(document, Span(start, start + len("| Class 2 | 2 EUR |")), data)
    assert {round(box.y0 * 792) for box in found} == {round(found[0].y0 * 792)}
    assert found[0].x0 * 612 == pytest.approx(75, abs=1)
