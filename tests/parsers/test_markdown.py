"""Markdown: the text as written, front matter as fields, headings as sections."""

from __future__ import annotations

import pytest

from pincite.errors import ParseError
from pincite.parsers.markdown import parse, split_front_matter
from pincite.types import Document


def read(text: str, source: str = "guide/fees.md") -> Document:
    (document,) = parse(text.encode(), source)
    return document


def test_the_text_is_kept_exactly() -> None:
    text = "  # Fees  \r\n\r\n*Entry*   is free.\t\n\n\n"
    assert read(text).text == text


def test_front_matter_gives_the_fields_and_is_no_text() -> None:
    document = read(
        "---\ndoc_id: fees\ntitle: 'Fees: all'\npublished_date: 2026-03-31 # checked\nversion: 2.10\n"
        'access_level: internal\nsource_type: policy\nteam: "Pay"\n---\nEntry is free.'
    )
    assert document.text == "Entry is free."
    assert (document.doc_id, document.title, document.version) == ("fees", "Fees: all", "2.10")
    assert (document.published_date, document.access_level, document.kind) == (
        "2026-03-31",
        "internal",
        "policy",
    )
    assert document.metadata == (("team", "Pay"),)
    assert document.defaulted == ("url", "owner")


def test_lists_and_folded_values_are_joined() -> None:
    fields, _ = split_front_matter("---\ntags:\n  - a\n  - b\nnames: [x, 'y']\nabout: >\n  one\n  two\n---\n")
    assert fields == {"tags": "a, b", "names": "x, y", "about": "one two"}


@pytest.mark.parametrize(
    "text",
    ["---\n\nA rule, then text.\n\n---\n", "---\ntitle: never closed\n", "Text\n---\na: b\n---\n", "--- \n"],
)
def test_a_rule_is_no_front_matter(text: str) -> None:
    assert split_front_matter(text) == ({}, text)


def test_the_title_is_that_of_the_front_matter_then_the_first_heading_then_the_file() -> None:
    assert read("---\ntitle: A\n---\n# B\n\nx").title == "A"
    assert read("Hello\n\n## C\n\n# *B* `b`\n\nx").title == "B b"
    assert read("## C\n\nx").title == "fees"


def test_sections_have_the_path_of_all_headings_above_and_their_anchor() -> None:
    document = read("# A\n\n## B {#bee}\n\n### C\n\n## D\n")
    assert [(section.path, section.anchor) for section in document.sections] == [
        (("A",), None),
        (("A", "B"), "bee"),
        (("A", "B", "C"), None),
        (("A", "D"), None),
    ]


def test_a_skipped_level_is_no_gap_in_the_path() -> None:
    assert [section.path for section in read("# A\n\n### C\n\n## B\n").sections] == [
        ("A",),
        ("A", "C"),
        ("A", "B"),
    ]


def test_underlined_headings_count_and_hash_lines_in_fences_do_not() -> None:
    document = read("Fees\n====\n\n~~~\n# no\n~~~\n\nHours\n-----\n")
    assert [section.path for section in document.sections] == [("Fees",), ("Fees", "Hours")]


def test_headings_in_quotes_and_lists_open_no_section() -> None:
    assert read("# A\n\n> # quoted\n\n- # item\n").sections[-1].path == ("A",)


def test_the_doc_id_comes_from_the_path() -> None:
    assert read("x", "fees.md").doc_id == "fees"
    assert read("x", "eu/fees.md").doc_id == "eu--fees"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("access_level: secret", "unknown access_level 'secret'"),
        ("published_date: soon", "published_date 'soon' is no date"),
        ("status: gone", "unknown status 'gone'"),
    ],
)
def test_a_wrong_field_is_named_with_its_file(line: str, what: str) -> None:
    with pytest.raises(ParseError) as caught:
        read(f"---\n{line}\n---\ntext")
    assert str(caught.value).startswith(f"guide/fees.md: {what}")


def test_front_matter_without_text_is_an_error() -> None:
    with pytest.raises(ParseError, match="text is empty"):
        read("---\ntitle: A\n---\n")
