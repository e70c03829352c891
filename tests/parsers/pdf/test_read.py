"""PDF as text: reading order, what is left out, what is kept beside it, and a clear word for what cannot be read."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.pdf_files import PdfPage, pdf_of, write_pdf

from pincite.errors import ParseError
from pincite.parsers.pdf import PdfOptions, parse
from pincite.parsers.pdf.process import Limits
from pincite.types import Document

SHARED = (
    Path(os.environ.get("PINCITE_SHARED", Path(__file__).resolve().parents[4] / "shared")) / "data" / "files"
)
shared = pytest.mark.skipif(not SHARED.is_dir(), reason=f"the shared data is not at {SHARED}")

LEFT = (
    "The left column tells of apples that",
    "grow on the old trees behind the",
    "house, where nobody has picked them",
    "since the year of the great storm.",
)
WORDS = ("first", "second", "third")
RIGHT = (
    "The right column tells of pears and",
    "of the wall that they climb, brick by",
    "brick, until they look over it into",
    "the garden of the people next door.",
)


def read(*pages: PdfPage, **about: str) -> Document:
    (document,) = parse(write_pdf(*pages, **about), "a.pdf", options=PdfOptions(tables=False))
    return document


def real(name: str, **options: object) -> Document:
    (document,) = parse((SHARED / name).read_bytes(), name, options=PdfOptions(**options))  # type: ignore[arg-type]
    return document


# --- reading order ------------------------------------------------------------------------------


def test_two_columns_are_read_one_after_the_other_below_their_title() -> None:
    page = (
        PdfPage().text(200, 740, "Fruit of the village", size=16).lines(72, 700, LEFT).lines(320, 700, RIGHT)
    )
    assert read(page).text == "\n\n".join(["Fruit of the village", " ".join(LEFT), " ".join(RIGHT)])


def test_columns_that_the_file_writes_line_by_line_are_read_as_columns() -> None:
    page = PdfPage()
    for i, (left, right) in enumerate(zip(LEFT * 3, RIGHT * 3, strict=True)):
        page.text(72, 700 - 12 * i, left).text(320, 700 - 12 * i, right)
    text = read(page).text
    assert " ".join(LEFT) in text
    assert text.rindex("great storm.") < text.index("The right column")


def test_three_columns_are_read_from_left_to_right() -> None:
    page = PdfPage()
    for x, word in zip((50, 230, 410), WORDS, strict=True):
        page.lines(
            x, 700, [f"The {word} column begins", "and goes on in a second", f"line until the {word} ends."]
        )
    whole = [
        f"The {word} column begins and goes on in a second line until the {word} ends." for word in WORDS
    ]
    assert " ".join(read(page).text.split()) == " ".join(whole)


def test_a_line_over_both_columns_parts_those_above_from_those_below() -> None:
    page = PdfPage().lines(72, 700, LEFT).lines(320, 700, RIGHT)
    page.text(
        72, 630, "A line that goes over both of the columns, from the left edge of the page to the right one"
    )
    page.lines(72, 600, [line.upper() for line in LEFT]).lines(320, 600, [line.upper() for line in RIGHT])
    text = read(page).text
    order = ["great storm.", "next door.", "A line that goes", "GREAT STORM.", "NEXT DOOR."]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)


def test_rows_of_a_table_without_rules_stay_rows() -> None:
    page = PdfPage()
    for i, (name, price) in enumerate([("Adults", "5 EUR"), ("Children", "2 EUR"), ("Dogs", "free")]):
        page.text(72, 700 - 14 * i, name).text(300, 700 - 14 * i, price)
    assert read(page).text == "Adults\t5 EUR\nChildren\t2 EUR\nDogs\tfree"


def test_a_table_with_rules_has_a_line_for_each_row_and_its_first_row_as_header() -> None:
    pytest.importorskip("pdfplumber", reason="the extra tables is not installed")
    page = PdfPage().text(72, 720, "Prices of 2031").grid([72, 200, 300], [700, 680, 650, 630])
    page.text(75, 685, "Ticket").text(205, 685, "Price")
    page.lines(75, 668, ["Adults, also", "students"]).text(205, 668, "5 EUR")
    page.text(75, 635, "Children").text(205, 635, "2 EUR").text(72, 600, "All prices with tax.")
    (document,) = parse(write_pdf(page), "a.pdf")
    table = "| Ticket | Price |\n| --- | --- |\n| Adults, also students | 5 EUR |\n| Children | 2 EUR |"
    assert document.text == f"Prices of 2031\n\n{table}\n\nAll prices with tax."


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_a_turned_page_reads_the_same(rotate: int) -> None:
    document = read(PdfPage(rotate=rotate).lines(72, 700, LEFT))
    assert document.text == " ".join(LEFT)
    wide = rotate in (90, 270)
    assert (document.pages[0].width, document.pages[0].height) == ((792, 612) if wide else (612, 792))


@pytest.mark.parametrize("turn", [1, 3])
def test_text_that_runs_up_or_down_is_read_in_its_own_direction(turn: int) -> None:
    x = (300, 312) if turn == 1 else (312, 300)
    page = PdfPage().text(x[0], 400, "Turned words that", turn=turn).text(x[1], 400, "go on here", turn=turn)
    assert " ".join(read(page).text.split()) == "Turned words that go on here"


def test_a_stamp_in_the_margin_comes_last() -> None:
    page = PdfPage().text(30, 300, "Stamped 2031", turn=1).lines(72, 700, LEFT)
    assert read(page).text == " ".join(LEFT) + "\n\nStamped 2031"


def test_what_the_crop_box_hides_is_not_read() -> None:
    page = PdfPage(crop=(60, 600, 400, 750)).lines(72, 700, LEFT).text(72, 100, "Cut off")
    assert read(page).text == " ".join(LEFT)


# --- lines, words, letters ----------------------------------------------------------------------


def test_a_hyphen_at_a_line_end_keeps_its_line_end() -> None:
    page = PdfPage().lines(72, 700, ["Staff give clear infor-", "mation about long-", "term storage."])
    assert read(page).text == "Staff give clear infor-\nmation about long-\nterm storage."


def test_letters_that_are_printed_twice_to_look_bold_are_read_once() -> None:
    page = PdfPage()
    for shift in (0, 0.3):
        page.text(72 + shift, 700, "All well here").text(72 + shift, 680, "Little bottles")
    assert read(page).text == "All well here Little bottles"


def test_an_empty_line_stands_between_paragraphs() -> None:
    page = PdfPage().lines(72, 700, LEFT).lines(72, 640, RIGHT)
    assert read(page).text == f"{' '.join(LEFT)}\n\n{' '.join(RIGHT)}"


def test_the_raised_mark_of_a_note_is_no_part_of_a_number() -> None:
    page = PdfPage().text(72, 700, "It costs 25").text(123.5, 704, "3", size=5).text(130, 700, "EUR or more")
    assert read(page).text == "It costs 25 3 EUR or more"


def test_a_line_in_larger_or_bold_letters_is_a_heading() -> None:
    page = PdfPage().text(72, 740, "Fruit", size=18).text(72, 715, "Pears", font="B").lines(72, 700, LEFT)
    document = read(page)
    assert [(one.path, one.span.of(document.text)[:5]) for one in document.sections] == [
        (("Fruit",), "Fruit"),
        (("Fruit", "Pears"), "Pears"),
    ]


# --- pages --------------------------------------------------------------------------------------


def test_pages_have_places_numbers_and_sizes() -> None:
    document = read(PdfPage().text(72, 700, "One here."), PdfPage().text(72, 700, "Two here."))
    assert document.text == "One here.\n\nTwo here."
    assert [page.span.of(document.text) for page in document.pages] == ["One here.", "Two here."]
    assert [(page.index, page.label, page.width) for page in document.pages] == [(0, "1", 612), (1, "2", 612)]


def test_the_printed_label_of_a_page_is_kept_apart_from_its_index() -> None:
    pages = [PdfPage().text(72, 700, word) for word in ("One.", "Two.", "Three.")]
    document = read(*pages, labels="0 << /S /r >> 2 << /S /D >>")
    assert [(page.index, page.label) for page in document.pages] == [(0, "i"), (1, "ii"), (2, "1")]


def test_running_heads_and_feet_are_left_out_and_kept_beside() -> None:
    pages = [
        PdfPage().text(72, 750, "Fees 2031").text(72, 700, text).text(300, 30, number)
        for text, number in (("Adults and their", "1"), ("children pay 5 EUR.", "2"))
    ]
    document = read(*pages)
    assert document.text == "Adults and their children pay 5 EUR."
    assert json.loads(dict(document.metadata)["running_lines"]) == ["Fees 2031", "1", "2"]


def test_a_note_at_the_foot_does_not_part_a_sentence_that_goes_on_over_the_page() -> None:
    first = PdfPage().lines(72, 700, ["Entry is on the left.", "", "Adults and their"])
    first.text(72, 80, "1 Those of 18 and more.", size=7)
    document = read(first, PdfPage().text(72, 700, "children pay 5 EUR."))
    assert "Adults and their children pay 5 EUR." in document.text
    assert "1 Those of 18 and more." in document.pages[0].span.of(document.text)


def test_pages_without_text_are_named() -> None:
    document = read(PdfPage().text(72, 700, "One."), PdfPage(), PdfPage().text(72, 700, "Three."), PdfPage())
    assert dict(document.metadata)["pages_without_text"] == "2, 4"
    assert dict(document.metadata)["warnings"] == "no text layer on pages 2, 4"
    assert len(document.pages) == 4


# --- what stands beside the text ----------------------------------------------------------------


def test_the_value_of_a_form_field_is_read_where_it_stands() -> None:
    page = PdfPage().text(72, 700, "Name:").field((110, 695, 250, 710), "name", "Ada Lovelace")
    assert read(page).text == "Name: Ada Lovelace"


def test_links_keep_their_place_and_address() -> None:
    page = PdfPage().text(72, 700, "See the rules now").link((90, 695, 130, 712), "https://example.org/r")
    document = read(page)
    ((start, end, address),) = json.loads(dict(document.metadata)["links"])
    assert (document.text[start:end], address) == ("the rules", "https://example.org/r")


def test_the_title_is_that_of_the_file() -> None:
    assert read(PdfPage().text(72, 700, "One."), title="House rules").title == "House rules"


def test_author_and_day_of_the_last_change_are_those_of_the_file() -> None:
    page = PdfPage().text(72, 700, "One.")
    document = read(page, info="/Author (Ada) /CreationDate (D:20300102) /ModDate (D:20310405120000Z)")
    assert (document.owner, document.published_date) == ("Ada", "2031-04-05")


def test_a_date_that_cannot_be_is_not_taken_over() -> None:
    document = read(PdfPage().text(72, 700, "One."), info="/ModDate (D:20319905) /CreationDate (soon)")
    assert document.published_date is None


# --- what cannot be read ------------------------------------------------------------------------


def refused(data: bytes, **options: object) -> ParseError:
    with pytest.raises(ParseError) as caught:
        parse(data, "a.pdf", options=PdfOptions(**options))  # type: ignore[arg-type]
    return caught.value


def test_a_file_without_any_text_asks_for_text_recognition() -> None:
    error = refused(write_pdf(PdfPage(), PdfPage()))
    assert error.status == "needs_ocr"
    assert str(error).startswith("a.pdf: no text layer on pages 1-2; run text recognition")


@pytest.mark.parametrize(
    "data", [b"%PDF-1.7\n%%EOF", write_pdf(PdfPage())[:200], b"%PDF-" + b"\0" * 1000, b"PK\x03\x04"]
)
def test_a_broken_file_is_refused(data: bytes) -> None:
    assert refused(data).status == "broken"


def test_a_loop_in_the_page_tree_ends() -> None:
    nodes = (
        "<< /Type /Pages /Kids [3 0 R 2 0 R] /Count 2 >>",
        "<< /Type /Pages /Kids [2 0 R] /Count 5 /Parent 2 0 R >>",
    )
    error = refused(pdf_of(["<< /Type /Catalog /Pages 2 0 R >>", *nodes], "/Root 1 0 R"))
    assert error.status == "broken"


def test_a_file_that_claims_more_pages_than_are_read_is_refused() -> None:
    pages = [PdfPage().text(72, 700, "One.")] * 3
    error = refused(write_pdf(*pages), limits=Limits(pages=2))
    assert (error.status, error.message) == ("too_large", "3 pages; at most 2 are read")


def test_nul_characters_and_absurd_page_sizes_are_no_problem() -> None:
    assert read(PdfPage(media=(0, 0, 1e9, 1e9)).text(72, 700, "A\0B.")).text == "AB."


# --- real files ---------------------------------------------------------------------------------


@shared
@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("encrypted-openpassword.pdf", "encrypted"),
        ("broken.pdf", "broken"),
        ("scan-two-columns.pdf", "needs_ocr"),
        ("scan-four-rotations.pdf", "needs_ocr"),
    ],
)
def test_a_real_file_that_cannot_be_read_is_refused_for_its_reason(name: str, status: str) -> None:
    with pytest.raises(ParseError) as caught:
        real(name)
    assert caught.value.status == status


@shared
def test_an_encrypted_file_opens_with_one_of_the_passwords() -> None:
    assert len(real("encrypted-openpassword.pdf", passwords=("wrong", "openpassword")).text) > 500


@shared
def test_a_wrong_password_is_told() -> None:
    with pytest.raises(ParseError, match="none of the passwords opens it"):
        real("encrypted-openpassword.pdf", passwords=("wrong",))


@shared
def test_three_columns_of_a_real_file_are_read_in_order_without_heads_feet_and_stamps() -> None:
    document = real("federal-register.pdf", tables=False)
    assert (
        "data from the flight data recorder, which is contained in the Indonesian accident report"
        in document.text
    )
    assert "Proposed Rules" not in document.text
    assert "VerDate" not in document.text
    assert "PROPOSALS" not in document.text
    assert "-\n" in document.text


@shared
def test_the_pages_of_a_real_file_are_seen_turned() -> None:
    document = real("arabic-rotated-4-pages.pdf")
    assert [(page.width or 0) > (page.height or 0) for page in document.pages] == [True, False, True, False]


@shared
def test_rows_of_a_real_table_on_a_turned_page_are_lines() -> None:
    document = real("nics-table-rotated.pdf", tables=False)
    assert any(line.startswith("Alabama\t18,870\t23,022") for line in document.text.splitlines())


@shared
@pytest.mark.parametrize(
    "name", ["federal-register.pdf", "nics-table-rotated.pdf", "arabic-rotated-4-pages.pdf"]
)
def test_every_run_leads_to_the_very_characters_of_its_page(name: str) -> None:
    import pypdfium2

    document = real(name)
    pages = [page.get_textpage() for page in pypdfium2.PdfDocument(SHARED / name)]
    assert list(document.runs) == sorted(document.runs, key=lambda run: run.span.start)
    for run in document.runs:
        on_page = pages[run.page_index].get_text_range(run.first_char, len(run.span), errors="replace")
        assert on_page.replace("\x02", "-").replace("\ufffe", "-") == run.span.of(document.text)
    letters = sum(not char.isspace() for char in document.text)
    mapped = sum(not char.isspace() for run in document.runs for char in run.span.of(document.text))
    assert mapped >= 0.99 * letters
