"""Tables as files: CSV and Excel, with the cell that each place came from."""

from __future__ import annotations

import io
import sys
from datetime import date, timedelta

import pytest
from tests.small_office import needs_office, rows, small_xlsx, zipped

from pincite.chunk import chunk
from pincite.errors import ParseError, install_line
from pincite.parsers import csv, xlsx
from pincite.parsers.numbers_shown import shown
from pincite.text.cells import cell_address
from pincite.text.passages import quotables, read_row
from pincite.types import Document, Span


def read_csv(text: str, name: str = "plans.csv") -> Document:
    (document,) = csv.parse(text.encode(), name)
    return document


def read_xlsx(*sheets: tuple[str, str], **how: object) -> Document:
    (document,) = xlsx.parse(small_xlsx(*sheets, **how), "plans.xlsx")  # type: ignore[arg-type]
    return document


def address(document: Document, words: str) -> str:
    start = document.text.index(words)
    return cell_address(document.text, dict(document.metadata)["cells"], Span(start, start + len(words)))


# --- CSV ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_the_separator_is_found(sign: str) -> None:
    document = read_csv(f"Plan{sign}Price{sign}Note\nBasic{sign}1.5{sign}x\n")
    assert document.text == "| Plan | Price | Note |\n| --- | --- | --- |\n| Basic | 1.5 | x |"


def test_a_decimal_comma_is_no_separator() -> None:
    assert "| 1,5 |" in read_csv("Plan;Price\nBasic;1,5\nPlus;2,5\n").text


def test_the_separator_may_be_said_in_the_first_line() -> None:
    assert read_csv("sep=;\nPlan;Price, net\nBasic;1\n").text.startswith("| Plan | Price, net |")


def test_quoted_cells_hold_separators_and_line_breaks() -> None:
    document = read_csv('Name,Text\n"Lee, Ann","first\nsecond ""line"""\n')
    assert document.text.endswith('| Lee, Ann | first second "line" |')
    assert address(document, "second") == "B2"


def test_a_quotation_mark_that_is_not_closed_is_an_error() -> None:
    with pytest.raises(ParseError, match="opened and not closed"):
        read_csv('Name,Text\n"Lee,first\nb,c\n')


def test_a_quotation_mark_inside_a_cell_is_read_and_said() -> None:
    document = read_csv('Name,Size\n"5" pipe",x\n')
    assert "5" in document.text
    assert "quotation marks" in dict(document.metadata)["warnings"]


def test_a_first_row_with_numbers_is_no_header() -> None:
    assert "---" not in read_csv("a,1\nb,2\n").text


def test_rows_read_with_their_header() -> None:
    document = read_csv("Plan,Storage\nBasic,5 GB\nPlus,50 GB\n")
    (first, second) = quotables(document.text)
    assert first.header is not None
    assert (
        read_row(first.header.of(document.text), second.span.of(document.text))
        == "Plan: Plus; Storage: 50 GB"
    )


def test_every_chunk_of_a_long_table_has_the_header_and_no_row_is_cut() -> None:
    lines = "".join(f"Plan {i},{i} GB\n" for i in range(500))
    document = read_csv(f"Plan,Storage\n{lines}")
    chunks = chunk(document)
    assert len(chunks) > 5
    assert all("| Plan | Storage |" in "\n".join((*one.context_texts, one.text)) for one in chunks)
    assert "\n".join(one.text for one in chunks) == document.text


def test_characters_that_mean_something_in_markdown_mean_nothing() -> None:
    document = read_csv("Name,Text\n# a,```\n> b,- c\n")
    assert [one.text for one in chunk(document)] == [document.text]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "Name;Straße\nJürgen Müller;Königstraße 5, Köln\n"),
        ("utf-16", "Name;Straße\nMüller;Königstraße 5\n"),
        ("utf-8-sig", "Name;Straße\nMüller;Königstraße 5\n"),
        ("cp932", "品名;説明\nりんご;これは甘い果物です\nみかん;冬によく食べます\n"),
    ],
)
def test_the_encoding_is_found(encoding: str, text: str) -> None:
    (document,) = csv.parse(text.encode(encoding), "plans.csv")
    assert document.text.splitlines()[-1] == "| " + text.splitlines()[-1].replace(";", " | ") + " |"


# --- Excel --------------------------------------------------------------------------------------


@needs_office
def test_each_sheet_is_a_section_and_cells_know_where_they_were() -> None:
    document = read_xlsx(
        ("Plans", rows(["Plan", "Price"], ["Basic", 5], ["Plus", 9])),
        ("Old & odd", rows(["x", "y"], ["z", 1])),
    )
    assert [section.path for section in document.sections] == [("Plans",), ("Old & odd",)]
    assert document.text.startswith("Plans\n\n| Plan | Price |\n| --- | --- |\n| Basic | 5 |")
    assert [address(document, words) for words in ("Plan |", "Basic", "9", "| Plus | 9", "z")] == [
        "Plans!A1", "Plans!A2", "Plans!B3", "Plans!A3:B3", "'Old & odd'!A2",
    ]  # fmt: skip


@needs_office
def test_a_single_sheet_has_no_name_above_it() -> None:
    assert read_xlsx(("Sheet1", rows(["a", "b"], ["c", 1]))).text.startswith("| a | b |")


@needs_office
def test_captions_and_empty_rows_and_columns_around_a_table_do_not_hide_its_header() -> None:
    document = read_xlsx(
        ("P", rows(["Prices 2031"], [], [None, "Plan", "Price"], [None, "Basic", 5], [], [None, "Plus", 9]))
    )
    assert document.text == "Prices 2031\n\n| Plan | Price |\n| --- | --- |\n| Basic | 5 |\n| Plus | 9 |"
    assert (address(document, "Price |"), address(document, "9")) == ("P!C3", "P!C6")


@needs_office
def test_a_second_table_below_an_empty_row_has_its_own_header() -> None:
    document = read_xlsx(("P", rows(["Plan", "Price"], ["Basic", 5], [], ["City", "Fans"], ["Rome", 7])))
    assert document.text.endswith("| City | Fans |\n| --- | --- |\n| Rome | 7 |")


@needs_office
def test_merged_cells_are_repeated_but_a_title_over_all_columns_is_not() -> None:
    sheet = rows(["Prices"], ["Region", "Plan"], ["EU", "Basic"], [None, "Plus"], first=1)
    document = read_xlsx(
        ("P", sheet + '<mergeCells><mergeCell ref="A1:B1"/><mergeCell ref="A3:A4"/></mergeCells>')
    )
    assert document.text == "Prices\n\n| Region | Plan |\n| --- | --- |\n| EU | Basic |\n| EU | Plus |" or (
        document.text == "Prices\n| Region | Plan |\n| --- | --- |\n| EU | Basic |\n| EU | Plus |"
    )


@needs_office
def test_values_are_written_as_the_sheet_shows_them() -> None:
    document = read_xlsx(
        ("P", rows(["Share", "Fee", "Day"], [(0.125, 1), (1234.5, 2), (47938, 3)])),
        formats=("0.0%", '#,##0.00 "€"', "dd/mm/yyyy"),
    )
    assert document.text.endswith("| 12.5% | 1,234.50 € | 2031-03-31 |")


@needs_office
def test_a_formula_is_read_as_the_value_that_was_computed() -> None:
    computed = "<f>SUM(A1:A9)</f><v>42</v>"
    document = read_xlsx(("P", rows(["Plan", "Sum"], ["Basic", computed])))
    assert document.text.endswith("| Basic | 42 |")
    assert document.defaulted
    assert "warnings" not in dict(document.metadata)


@needs_office
def test_formulas_without_a_value_are_said() -> None:
    document = read_xlsx(
        ("P", rows(["Plan", "Sum"], ["Basic", "<f>SUM(A1:A9)</f>"], ["Plus", "<f>B2</f><v/>"]))
    )
    assert dict(document.metadata)["warnings"].startswith("2 formulas have no value")


@needs_office
def test_a_hidden_sheet_is_not_read_and_said() -> None:
    document = read_xlsx(
        ("Plans", rows(["Entry is free."])), ("Raw", rows(["secret"])), states=("visible", "hidden")
    )
    assert document.text == "Entry is free."
    assert dict(document.metadata)["warnings"] == "hidden sheets are not read: Raw"


@needs_office
def test_a_row_number_beyond_every_sheet_is_refused() -> None:
    with pytest.raises(ParseError, match="rows"):
        read_xlsx(("P", '<sheetData><row r="999999999"><c r="A999999999"><v>1</v></c></row></sheetData>'))


@needs_office
def test_a_cell_far_to_the_right_costs_nothing() -> None:
    document = read_xlsx(("P", '<sheetData><row r="1"><c r="XFD1"><v>1</v></c></row></sheetData>'))
    assert document.text == "1"
    assert address(document, "1") == "P!XFD1"


@needs_office
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"Plan,Price", "not an Excel file"),
        (zipped({"xl/workbook.xml": "<workbook/>"}), "an Excel file that cannot be read"),
        (small_xlsx(("P", "<sheetData><row")), "an Excel file that cannot be read"),
        (small_xlsx(("P", rows()), ("Q", rows(["x"])), states=("visible", "veryHidden")), "hidden or empty"),
        (
            small_xlsx(("P", '<sheetData><row r="1"><c r="A1" t="s"><v>7</v></c></row></sheetData>')),
            "IndexError",
        ),
    ],
)
def test_what_is_no_excel_file_is_refused_with_the_reason(data: bytes, said: str) -> None:
    with pytest.raises(ParseError, match=said):
        xlsx.parse(data, "plans.xlsx")


def test_without_the_extra_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ParseError) as caught:
        xlsx.parse(small_xlsx(("P", rows(["x"]))), "plans.xlsx")
    assert str(caught.value) == f"plans.xlsx: Excel files need openpyxl; {install_line('office')}"


@needs_office
def test_a_file_that_a_program_wrote_is_read() -> None:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Plan", "Storage", "Since"])
    for row in (["Basic", 5, date(2031, 3, 31)], ["Plus", 50.5, None], ["Plus", "5 & 6 < 7", True]):
        sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    (document,) = xlsx.parse(buffer.getvalue(), "plans.xlsx")
    assert document.text.split("\n")[2:] == [
        "| Basic | 5 | 2031-03-31 |", "| Plus | 50.5 |", "| Plus | 5 & 6 < 7 | TRUE |",
    ]  # fmt: skip
    assert document.owner is None


# --- values -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (0.5, "0%", "50%"),
        (-1234.5, "#,##0.00;[Red]-#,##0.00", "-1,234.50"),
        (1234.5, "[$€-407] #,##0.00", "€ 1,234.50"),
        (5, '"approx. "0" pcs"', "approx. 5 pcs"),
        (1_500_000, '0.0,," m"', "1.5 m"),
        (3.10, "0.0##", "3.1"),
        (12345, "General", "12345"),
        (0.1 + 0.2, "General", "0.3"),
        (1e20, "General", "1e+20"),
        (42, "000-000", "42"),
        (12, "0.00E+00", "12"),
        (-0.001, "0.00", "0.00"),
        (7, "_-* #,##0 _€_-", "7"),
    ],
)
def test_numbers_are_shown_in_their_format_or_plainly(value: float, code: str, text: str) -> None:
    assert shown(value, code) == text


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (1234.5, "0", "1235"),
        (2.5, "0", "3"),
        (-0.5, "0", "-1"),
        (1.005, "0.00", "1.01"),
        (0.285, "0%", "29%"),
    ],
)
def test_a_half_is_rounded_as_the_sheet_rounds_it(value: float, code: str, text: str) -> None:
    assert shown(value, code) == text


@pytest.mark.parametrize("value", [10**400, -(10**400), 1e300, 5e-324, float("inf"), float("nan")])
@pytest.mark.parametrize("code", ["General", "0", "0.00%", "#,##0,,"])
def test_a_number_beyond_all_measure_is_still_a_text(value: float, code: str) -> None:
    assert shown(value, code)


@pytest.mark.parametrize(
    ("hours", "text"), [(25.5, "25:30"), (-1.5, "-1:30"), (612, "612:00"), (1 / 3600, "0:00:01")]
)
def test_hours_are_counted_beyond_a_day(hours: float, text: str) -> None:
    assert shown(timedelta(hours=hours), "[h]:mm") == text


@needs_office
def test_a_number_format_without_end_is_refused() -> None:
    with pytest.raises(ParseError, match="number format of more than"):
        read_xlsx(("Plans", rows([1, 2])), formats=["[" * 100_000])
