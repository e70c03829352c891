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


def test_front_matter_may_be_toml() -> None:
    document = read(
        '+++\ntitle = "Fees"\ndate = 2031-03-31\ntags = ["a", "b"]\naccess = "internal"\n+++\nEntry is free.'
    )
    assert (document.title, document.published_date, document.access_level) == (
        "Fees",
        "2031-03-31",
        "internal",
    )
    assert (document.text, document.metadata) == ("Entry is free.", (("tags", "a, b"),))


def test_the_short_names_that_people_write_are_fields_too() -> None:
    document = read("---\nauthors: [Ann Lee, Bo Li]\ndate: 2031-03-31 10:00:00 +0100\nlang: de\n---\nx")
    assert (document.owner, document.published_date, document.language) == (
        "Ann Lee, Bo Li",
        "2031-03-31",
        "de",
    )


def test_a_date_under_its_short_name_that_is_none_is_kept_and_said() -> None:
    document = read("---\ndate: spring\n---\nx")
    assert dict(document.metadata) == {
        "date": "spring", "warnings": "date 'spring' is no date; write it as 2026-03-31",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("superseded: true", "superseded"),
        ("superseded: no", "current"),
        ("superseded_by: fees-2032", "superseded"),
        ("retracted: yes", "retracted"),
        ("status: retracted\nsuperseded: true", "retracted"),
    ],
)
def test_documents_can_say_that_they_no_longer_hold(line: str, status: str) -> None:
    assert read(f"---\n{line}\n---\nx").status == status


@pytest.mark.parametrize(
    ("front", "said"),
    [
        ("---\ntitle: a: b\n---\nx", "guide/fees.md:2: front matter: no YAML"),
        (
            "---\naccess: public\naccess: internal\n---\nx",
            "guide/fees.md:3: front matter: 'access' is given twice",
        ),
        ("---\naccess: secret\n---\nx", "guide/fees.md: unknown access_level 'secret'"),
        ("+++\ntitle = \n+++\nx", "guide/fees.md: front matter: no TOML"),
        ("---\na: &a [x]\nb: [*a, *a]\n---\nx", "guide/fees.md:2: front matter: anchors and references"),
    ],
)
def test_front_matter_that_cannot_be_read_names_its_line(front: str, said: str) -> None:
    with pytest.raises(ParseError) as caught:
        read(front)
    assert str(caught.value).startswith(said)


# --- levels that must not be overlooked ---------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "---\nLast reviewed: 2031\naccess: confidential\n---\nx", "---\nÜberschrift: x\naccess: confidential\n---\nx",
        "---\ndc:title: x\naccess: confidential\n---\nx", "---\n{title: x, access: confidential}\n---\nx",
        "---\nAccess: confidential\n---\nx", "---\naccess-level: confidential\n---\nx",
        "---\naccessLevel: confidential\n---\nx", "---\nmetadata:\n  access: confidential\n---\nx",
        "\n\n---\naccess: confidential\n---\nx", "+++\nAccess = 'confidential'\n+++\nx",
    ],
)  # fmt: skip
def test_a_level_counts_however_it_is_written(text: str) -> None:
    (document,) = parse(text.encode(), "a.md")
    assert (document.access_level, document.text) == ("confidential", "x")


@pytest.mark.parametrize(
    "text",
    [
        "---\naccess:confidential\n---\nx", "---\naccess: confidential\n\nx", "---\n@id: 1\naccess: confidential\n---\nx",
        "---\naccess: confidential\naccess_level: public\n---\nx", "---\nAccess: secret\n---\nx",
    ],
)  # fmt: skip
def test_a_level_that_cannot_be_read_lets_no_document_in(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text.encode(), "a.md")


def test_a_text_between_rules_stays_a_text() -> None:
    for text in (
        "---\nBy tram, access: the north gate\n---\nx",
        "\n---\ntitle: x\n---\ny",
        "---\n- Access: by bus\n---\n",
    ):
        assert parse(text.encode(), "a.md")[0].text == text


@pytest.mark.parametrize("front", ["a = " + "1" * 5000, ".".join("a" * 30_000) + " = 1", "a = " + "[" * 5000])
def test_toml_that_takes_the_reader_too_far_is_an_error_of_its_file(front: str) -> None:
    with pytest.raises(ParseError, match="front matter"):
        parse(f"+++\n{front}\n+++\nx".encode(), "a.md")


def test_a_file_cannot_say_where_its_cells_came_from() -> None:
    (document,) = parse(b"---\ncells: '{}'\nwarnings: all is well\nteam: Finance\n---\nx", "a.md")
    assert document.metadata == (("team", "Finance"),)
