"""What every parser does, whatever its format."""

from __future__ import annotations

import json

import pytest
from tests.small_office import needs_office, rows, small_docx, small_xlsx
from tests.small_pdf import small_pdf

from pincite.chunk import chunk
from pincite.errors import ParseError
from pincite.parsers import PARSERS, SUFFIXES, choose, parse
from pincite.types import Document

FILES = {
    "json": (
        "fees.json",
        json.dumps({"doc_id": "f", "title": "F", "url": "u", "text": "Entry is free."}).encode(),
    ),
    "markdown": ("fees.md", b"Entry is free."),
    "text": ("fees.txt", b"Entry is free."),
    "html": ("fees.html", b"<p>Entry is free.</p>"),
    "pdf": ("fees.pdf", small_pdf("Entry is free.")),
    "docx": ("fees.docx", small_docx("Entry is free.")),
    "csv": ("fees.csv", b"Entry is free.\n"),
    "xlsx": ("fees.xlsx", small_xlsx(("Fees", rows(["Entry is free."])))),
    "jsonl": (
        "fees.jsonl",
        json.dumps({"doc_id": "f", "title": "F", "url": "u", "text": "Entry is free."}).encode() + b"\n",
    ),
}
every = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=needs_office) if name == "xlsx" else name for name in sorted(PARSERS)]
)


def test_every_parser_has_a_file_here_and_a_suffix() -> None:
    assert sorted(FILES) == sorted(PARSERS) == sorted(set(SUFFIXES.values()))


@every
def test_a_file_is_read_by_the_parser_of_its_suffix(name: str) -> None:
    source, data = FILES[name]
    assert choose(data, source) == name


@every
def test_the_text_is_there_and_can_be_cut(name: str) -> None:
    source, data = FILES[name]
    (document,) = parse(data, source)
    assert document.text == "Entry is free."
    assert [piece.text for piece in chunk(document)] == ["Entry is free."]


@every
def test_sections_and_pages_lie_in_the_text(name: str) -> None:
    source, data = FILES[name]
    (document,) = parse(data, source)
    for part in (*document.sections, *document.pages):
        assert part.span.end <= len(document.text)


@every
def test_what_the_file_does_not_say_is_recorded_and_nothing_is_made_up(name: str) -> None:
    source, data = FILES[name]
    (document,) = parse(data, source)
    assert document.published_date is None
    assert document.access_level is None
    assert {"published_date", "access_level"} <= set(document.defaulted)


@every
def test_the_same_bytes_give_the_same_documents(name: str) -> None:
    source, data = FILES[name]
    assert parse(data, source) == parse(data, source)
    assert [one.content_hash for one in parse(data, source)] == [
        one.content_hash for one in parse(data, source)
    ]


@every
@pytest.mark.parametrize("data", [b"", b" \n", b"\xff\xfe\x00", b"\xe9t\xe9", b"\0" * 100])
def test_what_is_no_text_is_an_error_that_names_the_file(name: str, data: bytes) -> None:
    with pytest.raises(ParseError) as caught:
        PARSERS[name](data, "dir/bad.file")
    assert str(caught.value).startswith("dir/bad.file")


def test_content_counts_more_than_the_suffix() -> None:
    (document,) = parse(small_pdf("Entry is free."), "fees.txt")
    assert document.format == "pdf"


@pytest.mark.parametrize(
    ("data", "what"), [(b"PK\x03\x04", "ZIP"), (b"\x89PNG\r\n", "picture"), (b"\xd0\xcf\x11\xe0", "Office")]
)
def test_a_file_under_a_wrong_suffix_is_refused_for_what_it_is(data: bytes, what: str) -> None:
    with pytest.raises(ParseError, match=what):
        parse(data + b"\0" * 50, "notes.md")


def test_an_unknown_suffix_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ParseError, match=r"unknown kind of file \.xyz; known: .*\.md"):
        parse(b"text", "a.xyz")


@needs_office
def test_the_kinds_are_documents() -> None:
    assert all(isinstance(one, Document) for source, data in FILES.values() for one in parse(data, source))
