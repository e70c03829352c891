"""Word files: what a reader of the document sees, in its order."""

from __future__ import annotations

import pytest
from tests.small_office import (
    HEADINGS,
    NAMES,
    item,
    numbers,
    p,
    r,
    small_docx,
    style,
    styled,
    tbl,
    tc,
    zipped,
)

from pincite.chunk import chunk
from pincite.errors import ParseError
from pincite.parsers.docx import parse
from pincite.types import Document


def read(*blocks: str, **parts: str) -> Document:
    (document,) = parse(small_docx(*blocks, **parts), "fees.docx")
    return document


# --- headings -----------------------------------------------------------------------------------


def test_headings_open_sections_with_their_whole_path() -> None:
    document = read(
        styled("H1", "Fees"), "All in euro.", styled("H2", "Entry"), "Free.", styled("H1", "Hours"), "9 to 5.",
        styles=HEADINGS,
    )  # fmt: skip
    assert [section.path for section in document.sections] == [("Fees",), ("Fees", "Entry"), ("Hours",)]
    assert [section.span.of(document.text).strip() for section in document.sections] == [
        "Fees\n\nAll in euro.",
        "Entry\n\nFree.",
        "Hours\n\n9 to 5.",
    ]


def test_a_style_that_is_based_on_a_heading_is_a_heading() -> None:
    own = style("Mine", "Our heading", '<w:basedOn w:val="H2"/>')
    document = read(styled("Mine", "Entry"), "Free.", styles=HEADINGS + own)
    assert [(section.path, section.level) for section in document.sections] == [(("Entry",), 2)]


def test_styles_based_on_each_other_in_a_circle_end() -> None:
    circle = style("A", "a", '<w:basedOn w:val="B"/>') + style("B", "b", '<w:basedOn w:val="A"/>')
    assert read(styled("A", "Free."), styles=circle).text == "Free."


def test_numbers_of_headings_are_part_of_their_titles() -> None:
    numbered = "".join(
        style(
            f"H{level}", f"heading {level}",
            f'<w:pPr><w:numPr><w:ilvl w:val="{level - 1}"/><w:numId w:val="1"/></w:numPr></w:pPr>',
        )
        for level in (1, 2)
    )  # fmt: skip
    document = read(
        styled("H1", "Scope"), styled("H1", "Fees"), styled("H2", "Entry"), "Free.",
        styles=numbered, numbering=numbers(("decimal", "%1"), ("decimal", "%1.%2")),
    )  # fmt: skip
    assert [section.path for section in document.sections] == [
        ("1 Scope",),
        ("2 Fees",),
        ("2 Fees", "2.1 Entry"),
    ]


def test_the_title_comes_from_the_properties_then_the_title_style_then_the_first_heading() -> None:
    titled = (styled("T", "House rules"), styled("H1", "Fees"), "Free.")
    styles = HEADINGS + style("T", "Title")
    assert read(*titled, styles=styles, core="<dc:title>Rules 2031</dc:title>").title == "Rules 2031"
    assert read(*titled, styles=styles).title == "House rules"
    assert read(*titled[1:], styles=styles).title == "Fees"
    assert read("Free.").title == "fees"


# --- lists --------------------------------------------------------------------------------------


def test_list_items_have_their_bullets_and_numbers() -> None:
    document = read(
        "Rules:", item("No dogs", 1), item("No bikes", 1), "Steps:", item("Pay", 2), item("Enter", 2),
        numbering=numbers(("bullet", "•"), num_id=1) + numbers(("decimal", "%1."), num_id=2),
    )  # fmt: skip
    assert document.text == "Rules:\n\n- No dogs\n- No bikes\n\nSteps:\n\n1. Pay\n2. Enter"


def test_nested_items_stand_under_theirs_and_count_again_for_each() -> None:
    document = read(
        item("A", 1), item("a", 1, 1), item("b", 1, 1), item("B", 1), item("a", 1, 1),
        numbering=numbers(("decimal", "%1."), ("decimal", "%2.")),
    )  # fmt: skip
    assert document.text == "1. A\n   1. a\n   2. b\n2. B\n   1. a"


@pytest.mark.parametrize(
    ("form", "text", "labels"),
    [
        ("lowerLetter", "(%1)", ["(a)", "(b)"]),
        ("upperRoman", "Art. %1", ["Art. I", "Art. II"]),
        ("decimal", "§ %1", ["§ 1", "§ 2"]),
        ("decimalZero", "%1", ["01", "02"]),
        ("unheardOf", "%1:", ["1:", "2:"]),
    ],
)
def test_labels_of_other_forms_are_written_as_they_are_printed(
    form: str, text: str, labels: list[str]
) -> None:
    document = read(item("x"), item("y"), numbering=numbers((form, text)))
    assert document.text == f"{labels[0]} x\n\n{labels[1]} y"


def test_a_list_goes_on_behind_a_paragraph_and_another_starts_again() -> None:
    again = (
        '<w:num w:numId="2"><w:abstractNumId w:val="1"/>'
        '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>'
    )
    document = read(
        item("a"), "Note.", item("b"), "Others:", item("c", 2), numbering=numbers(("decimal", "%1.")) + again
    )
    assert document.text == "1. a\n\nNote.\n\n2. b\n\nOthers:\n\n1. c"


def test_a_paragraph_without_number_is_no_item() -> None:
    assert read(item("Free.", 0), numbering=numbers(("decimal", "%1."))).text == "Free."


# --- tables -------------------------------------------------------------------------------------


def test_tables_stand_in_their_place_with_a_header() -> None:
    document = read("Before.", tbl(["Plan", "Price"], ["Basic", "5 EUR"]), "Behind.")
    assert document.text == ("Before.\n\n| Plan | Price |\n| --- | --- |\n| Basic | 5 EUR |\n\nBehind.")


def test_a_row_that_repeats_on_each_page_is_the_header() -> None:
    rows = (["2030", "2031"], ["4", "5"])
    assert "---" not in read(tbl(*rows)).text
    assert "| 2030 | 2031 |\n| --- |" in read(tbl(*rows, row_about="<w:tblHeader/>")).text


@pytest.mark.parametrize("first", [["Name:", "Smith"], ["2,300", "4,100"], ["Total", "5 %"]])
def test_a_first_row_of_values_is_no_header(first: list[str]) -> None:
    assert "---" not in read(tbl(first, ["x", "y"])).text


def test_merged_cells_are_repeated() -> None:
    wide = tc("Both", '<w:gridSpan w:val="2"/>')
    down, goes_on = tc("EU", '<w:vMerge w:val="restart"/>'), tc("", "<w:vMerge/>")
    document = read(tbl(["Region", wide], [down, "a", "b"], [goes_on, "c", "d"], first_row=False))
    assert document.text == "| Region | Both | Both |\n| EU | a | b |\n| EU | c | d |"


def test_a_span_of_a_billion_columns_is_cut_and_repeats_little() -> None:
    wide = tc("x" * 5000, '<w:gridSpan w:val="999999"/>')
    document = read(tbl(*[[wide, "y"]] * 300, first_row=False))
    assert len(document.text) < 5_000_000


def test_a_table_in_a_cell_is_text_of_the_cell() -> None:
    inner = tc(tbl(["a", "b"]) + p("end"))
    assert read(tbl(["x", inner], ["y", "z"], first_row=False)).text == "| x | a b end |\n| y | z |"


def test_a_table_of_one_column_only_lays_out() -> None:
    assert read(tbl([tc(p("One.") + p("Two."))])).text == "One.\n\nTwo."


def test_a_bar_in_a_cell_stays_in_its_cell() -> None:
    assert read(tbl(["a|b", "c"], ["d", "e"], first_row=False)).text.startswith("| a\\|b | c |")


def test_rows_of_a_long_table_carry_their_header_in_every_chunk() -> None:
    document = read(tbl(["Plan", "Price"], *[[f"Plan {i}", f"{i} EUR"] for i in range(200)]))
    chunks = chunk(document)
    assert len(chunks) > 1
    assert all("| Plan | Price |" in "\n".join((*one.context_texts, one.text)) for one in chunks)


# --- what is not text ---------------------------------------------------------------------------


def test_insertions_are_read_and_deletions_are_not() -> None:
    changed = p(
        r("Files are kept for ") + '<w:del w:id="1"><w:r><w:delText>30</w:delText></w:r></w:del>'
        + f'<w:ins w:id="2">{r("90")}</w:ins>' + r(" days.")
    )  # fmt: skip
    document = read(changed)
    assert document.text == "Files are kept for 90 days."
    assert dict(document.metadata)["warnings"] == "holds tracked changes; read as if all were accepted"


def test_a_paragraph_whose_end_was_deleted_goes_on_in_the_next() -> None:
    document = read(p("Files are kept", '<w:rPr><w:del w:id="1"/></w:rPr>'), "for 90 days.")
    assert document.text == "Files are kept for 90 days."


def test_a_last_paragraph_whose_end_was_deleted_is_not_lost() -> None:
    assert read("One.", p("Two.", '<w:rPr><w:del w:id="1"/></w:rPr>')).text == "One.\n\nTwo."


def test_a_deleted_row_is_no_row() -> None:
    gone = '<w:tr><w:trPr><w:del w:id="1"/></w:trPr>' + tc("old") + tc("1") + "</w:tr>"
    table = tbl(["a", "b"], ["c", "d"], first_row=False).replace("</w:tbl>", gone + "</w:tbl>")
    assert read(table).text == "| a | b |\n| c | d |"


def test_hidden_text_is_no_text() -> None:
    assert read(p(r("Entry is free.") + r(" Not really.", "<w:vanish/>"))).text == "Entry is free."
    assert read(p(r("Shown.", '<w:vanish w:val="0"/>'))).text == "Shown."


def test_a_table_of_contents_is_left_out() -> None:
    entries = styled("TOC1", "Fees 3")
    document = read(entries, styled("H1", "Fees"), "Free.", styles=HEADINGS + style("TOC1", "toc 1"))
    assert document.text == "Fees\n\nFree."


def test_what_a_form_asks_to_be_filled_in_is_left_out() -> None:
    empty = (
        f"<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{r('Click here.')}</w:sdtContent></w:sdt>"
    )
    filled = f"<w:sdt><w:sdtContent>{r('Smith')}</w:sdtContent></w:sdt>"
    assert read(p(r("Name: ") + filled + empty)).text == "Name: Smith"


def test_of_a_field_the_result_is_read() -> None:
    def mark(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    code = "<w:r><w:instrText>REF fee</w:instrText></w:r>" + r("not shown")
    field = mark("begin") + code + mark("separate") + r("5 EUR") + mark("end")
    assert read(p(r("Entry: ") + field + r(" a day."))).text == "Entry: 5 EUR a day."


# --- characters ---------------------------------------------------------------------------------


def test_links_tabs_and_breaks_are_read() -> None:
    link = f'<w:hyperlink r:id="r9">{r("our page")}</w:hyperlink>'
    document = read(p(r("See ") + link + "<w:r><w:tab/><w:t>now</w:t><w:br/><w:t>or later</w:t></w:r>"))
    assert document.text == "See our page now\nor later"


def test_raised_digits_are_small_digits() -> None:
    assert read(p(r("10") + r("6", '<w:vertAlign w:val="superscript"/>') + r(" files"))).text == "10⁶ files"


def test_formulas_are_read_from_left_to_right() -> None:
    fraction = "<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath>"
    assert read(p(r("x = ") + fraction)).text == "x = a/b"


def test_of_a_ruby_the_base_is_read() -> None:
    ruby = f"<w:r><w:ruby><w:rt>{r('かんじ')}</w:rt><w:rubyBase>{r('漢字')}</w:rubyBase></w:ruby></w:r>"
    assert read(p(ruby)).text == "漢字"


def test_code_keeps_its_blanks_in_a_fence() -> None:
    document = read(
        "Run:", styled("C", "if x:"), styled("C", "    y()"), "Done.", styles=style("C", "Source Code")
    )
    assert document.text == "Run:\n\n```\nif x:\n    y()\n```\n\nDone."


# --- notes and boxes ----------------------------------------------------------------------------


def test_a_footnote_follows_the_block_that_refers_to_it() -> None:
    note = (
        '<w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r>' + r(" On weekdays.") + "</w:p></w:footnote>"
    )
    referring = p(r("Entry is free.") + '<w:r><w:footnoteReference w:id="2"/></w:r>')
    document = read(referring, "Dogs pay.", footnotes=note)
    assert document.text == "Entry is free.\n\n¹ On weekdays.\n\nDogs pay."


def test_a_note_of_a_list_item_does_not_tear_the_list() -> None:
    note = f'<w:endnote w:id="1">{p("Leashed.")}</w:endnote>'
    first = p(
        r("Dogs") + '<w:r><w:endnoteReference w:id="1"/></w:r>',
        '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>',
    )
    document = read(first, item("Cats"), "End.", endnotes=note, numbering=numbers(("bullet", "•")))
    assert document.text == "- Dogs\n- Cats\n\n¹ Leashed.\n\nEnd."


def test_a_text_box_stands_behind_its_paragraph_and_once() -> None:
    box = f"<w:txbxContent>{p('Closed on Mondays.')}</w:txbxContent>"
    both = (
        f"<w:r><mc:AlternateContent><mc:Choice Requires='wps'><wps:txbx>{box}</wps:txbx></mc:Choice>"
        f"<mc:Fallback><v:textbox>{box}</v:textbox></mc:Fallback></mc:AlternateContent></w:r>"
    )
    assert read(p(r("Entry is free.") + both), "End.").text == "Entry is free.\n\nClosed on Mondays.\n\nEnd."


# --- properties ---------------------------------------------------------------------------------


def test_author_and_last_change_come_from_the_properties() -> None:
    document = read(
        "Free.",
        core="<dc:creator>Ann Lee</dc:creator><dcterms:modified>2031-03-31T09:00:00Z</dcterms:modified>",
    )
    assert (document.owner, document.published_date) == ("Ann Lee", "2031-03-31")
    assert "owner" not in document.defaulted


def test_what_a_template_says_of_itself_is_not_believed() -> None:
    document = read(
        "Free.",
        core="<dc:creator>python-docx</dc:creator><dcterms:modified>2013-12-23T23:15:00Z</dcterms:modified>",
    )
    assert (document.owner, document.published_date) == (None, None)


def test_properties_that_cannot_be_do_not_fail_the_file() -> None:
    document = read(
        "Free.", core=f"<dc:title>{'x' * 5000}</dc:title><dcterms:modified>soon</dcterms:modified>"
    )
    assert (document.title, document.published_date) == ("fees", None)


# --- files that are not what they say -----------------------------------------------------------


def test_the_strict_form_is_read() -> None:
    data = small_docx("Entry is free.").replace(b"", b"")
    strict = NAMES.replace(
        "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "http://purl.oclc.org/ooxml/wordprocessingml/main",
    )
    body = f"<w:document {strict}><w:body>{p('Entry is free.')}</w:body></w:document>"
    (document,) = parse(zipped({"word/document.xml": body}), "strict.docx")
    assert document.text == parse(data, "fees.docx")[0].text


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"Entry is free.", "not a Word file"),
        (b"PK\x03\x04 and no more", "a broken ZIP file"),
        (zipped({"word/other.xml": "<a/>"}), "it has no text part"),
        (zipped({"word/document.xml": "<w:document"}), "is no XML"),
        (small_docx(""), "text is empty"),
    ],
)
def test_what_is_no_word_file_is_refused_with_the_reason(data: bytes, said: str) -> None:
    with pytest.raises(ParseError, match=said):
        parse(data, "fees.docx")
