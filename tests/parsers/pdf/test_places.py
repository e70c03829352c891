"""Boxes of quotes, and pictures of pages."""

from __future__ import annotations

import struct
import zlib

import pytest
from tests.pdf_files import PdfPage, write_pdf

from pincite.errors import ParseError
from pincite.parsers.pdf import PdfOptions, parse
from pincite.parsers.pdf.places import boxes, boxes_of, page_image
from pincite.types import Box, Document, Span

LINES = ("Files up to 25 MB are kept", "for 30 days and then they", "are deleted for ever.")
FONT = 10
"""Size of the text on the pages here, in points."""


def read(*pages: PdfPage) -> tuple[Document, bytes]:
    data = write_pdf(*pages)
    (document,) = parse(data, "a.pdf", options=PdfOptions(tables=False))
    return document, data


def span_of(document: Document, quote: str) -> Span:
    start = document.text.index(quote)
    return Span(start, start + len(quote))


def points(box: Box, width: float = 612, height: float = 792) -> tuple[int, int, int, int]:
    """In whole points from the top left."""
    return round(box.x0 * width), round(box.y0 * height), round(box.x1 * width), round(box.y1 * height)


def test_a_quote_on_one_line_has_one_box_round_its_letters() -> None:
    document, data = read(PdfPage().lines(72, 700, LINES))
    (box,) = boxes(document, span_of(document, "25 MB"), data)
    x0, y0, x1, y1 = points(box)
    assert box.page_index == 0
    # "Files up to " is 51 points wide in Helvetica of 10 points, "25 MB" 29; the base line is 92 from the top.
    assert 121 <= x0 <= 125
    assert 149 <= x1 <= 153
    assert y0 < 85 < 92 < y1 + 1
    assert y1 - y0 <= 1.3 * FONT


def test_a_quote_over_lines_has_a_box_for_each() -> None:
    document, data = read(PdfPage().lines(72, 700, LINES))
    found = boxes(document, span_of(document, "kept for 30 days and then they are deleted"), data)
    tops = [box.y0 for box in found]
    assert len(found) == 3
    assert tops == sorted(tops)


def test_a_quote_over_a_page_has_boxes_on_both() -> None:
    first, second = (
        PdfPage().text(72, 700, "Adults and their"),
        PdfPage().text(72, 700, "children pay 5 EUR."),
    )
    document, data = read(first, second)
    found = boxes(document, span_of(document, "their children"), data)
    assert [box.page_index for box in found] == [0, 1]


def test_a_quote_from_one_column_to_the_next_has_a_box_in_each() -> None:
    left = ["The left column tells of apples that", "grow on the old trees behind the", "house, and of the"]
    right = [
        "great storm that came over it one",
        "night in the autumn of that year and",
        "took the roof away.",
    ]
    document, data = read(PdfPage().lines(72, 700, left).lines(320, 700, right))
    found = boxes(document, span_of(document, "of the great storm"), data)
    assert [round(box.x0, 1) for box in found] == [0.2, 0.5]


@pytest.mark.parametrize(
    ("rotate", "place"),
    [(0, (72, 92)), (90, (700, 72)), (180, (540, 700)), (270, (92, 540))],
)
def test_boxes_are_those_of_the_page_as_seen(rotate: int, place: tuple[int, int]) -> None:
    # The base line of the word begins 72 from the left and 92 from the top of the page before it is turned.
    document, data = read(PdfPage(rotate=rotate).text(72, 700, "word"))
    (box,) = boxes(document, Span(0, 4), data)
    size = (792, 612) if rotate in (90, 270) else (612, 792)
    x0, y0, x1, y1 = points(box, *size)
    x, y = place
    assert x0 - 1 <= x <= x1 + 1
    assert y0 - 1 <= y <= y1 + 1
    assert (x1 - x0 > y1 - y0) == (rotate in (0, 180))


def test_boxes_count_from_the_crop_box() -> None:
    document, data = read(PdfPage(crop=(50, 600, 250, 800)).text(72, 700, "word"))
    (box,) = boxes(document, Span(0, 4), data)
    assert points(box, 200, 192)[0] == 22


def test_boxes_of_text_that_runs_upwards_are_tall() -> None:
    document, data = read(PdfPage().text(300, 400, "Turned words", turn=1))
    (box,) = boxes(document, Span(0, 12), data)
    x0, y0, x1, y1 = points(box)
    assert y1 - y0 > 4 * (x1 - x0)
    assert x0 <= 300 <= x1


def test_the_value_of_a_form_field_has_a_box() -> None:
    page = PdfPage().text(72, 700, "Name:").field((110, 695, 250, 710), "name", "Ada")
    document, data = read(page)
    (box,) = boxes(document, span_of(document, "Ada"), data)
    assert 110 <= points(box)[0] <= 115


def test_text_that_is_printed_twice_has_one_box() -> None:
    page = PdfPage().text(72, 700, "Twice here").text(72.3, 700, "Twice here")
    document, data = read(page)
    assert len(boxes(document, Span(0, len(document.text)), data)) == 1


def test_several_spans_are_found_at_once_each_with_its_own_boxes() -> None:
    document, data = read(PdfPage().lines(72, 700, LINES))
    spans = [span_of(document, "Files"), span_of(document, "deleted")]
    assert boxes_of(document, spans, data) == tuple(boxes(document, span, data) for span in spans)


def test_a_document_without_places_has_no_boxes() -> None:
    assert boxes(Document("d", "Some text."), Span(0, 4), b"") == ()


def test_boxes_lie_within_the_page() -> None:
    document, data = read(PdfPage().text(590, 5, "Over the edge of the page"))
    for box in boxes(document, Span(0, len(document.text)), data):
        assert 0 <= box.x0 <= box.x1 <= 1
        assert 0 <= box.y0 <= box.y1 <= 1


def pixels(picture: bytes) -> tuple[int, int, bytes]:
    """Width, height and rows (with their filter byte) of a PNG as it is written here."""
    width, height = struct.unpack(">II", picture[16:24])
    start = picture.index(b"IDAT")
    size = struct.unpack(">I", picture[start - 4 : start])[0]
    return width, height, zlib.decompress(picture[start + 4 : start + 4 + size])


def test_a_page_image_is_a_png_of_the_width_that_is_asked_for() -> None:
    data = write_pdf(PdfPage(rotate=90).text(72, 700, "word"))
    width, height, rows = pixels(page_image(data, 0, 396))
    assert (width, height, len(rows)) == (396, 306, 306 * (1 + 3 * 396))


def test_boxes_are_drawn_into_a_page_image() -> None:
    data = write_pdf(PdfPage().text(72, 700, "word"))
    assert page_image(data, 0, 300, boxes=[Box(0, 0.1, 0.1, 0.5, 0.2)]) != page_image(data, 0, 300)
    assert page_image(data, 0, 300, boxes=[Box(1, 0.1, 0.1, 0.5, 0.2)]) == page_image(data, 0, 300)


@pytest.mark.parametrize(
    ("index", "width", "message"),
    [(3, 300, "there is no page 4 of 1"), (0, 0, "1 to 4000 pixels"), (0, 9_999, "1 to 4000 pixels")],
)
def test_a_page_image_that_cannot_be_is_refused(index: int, width: int, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        page_image(write_pdf(PdfPage().text(72, 700, "word")), index, width)


def test_a_page_that_would_be_a_picture_without_end_is_refused() -> None:
    with pytest.raises(ParseError, match="too large for a picture"):
        page_image(write_pdf(PdfPage(media=(0, 0, 1, 100_000))), 0, 4_000)
