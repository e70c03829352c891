"""Plain text: encodings and pages."""

from __future__ import annotations

import pytest

from pincite.errors import ParseError
from pincite.parsers.plain import decode, parse

WORDS = "Gebühr 5 €, 料金"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_utf_8_and_marked_encodings_are_read(encoding: str) -> None:
    assert decode(WORDS.encode(encoding), "f.txt") == WORDS


def test_big_endian_with_a_mark_is_read() -> None:
    assert decode(b"\xfe\xff" + WORDS.encode("utf-16-be"), "f.txt") == WORDS


def test_another_encoding_is_refused_with_the_place() -> None:
    with pytest.raises(
        ParseError, match=r"f\.txt: not UTF-8: byte 0xfc at position 3; save the file as UTF-8"
    ):
        decode("Gebühr".encode("latin-1"), "f.txt")


def test_utf_16_without_a_mark_is_refused() -> None:
    with pytest.raises(ParseError, match="NUL"):
        decode("Fees".encode("utf-16-le"), "f.txt")


def test_form_feeds_end_pages_and_stay_in_the_text() -> None:
    (document,) = parse(b"one\ftwo\f", "f.txt")
    assert document.text == "one\ftwo\f"
    assert [page.span.of(document.text) for page in document.pages] == ["one", "two"]


def test_a_text_file_is_named_after_its_file() -> None:
    (document,) = parse(b"Entry is free.", "notes/fees.txt")
    assert (document.doc_id, document.title) == ("notes--fees-txt", "fees")
