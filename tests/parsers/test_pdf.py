"""PDF: the text layer, page by page, and a clear word for what has none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.small_pdf import small_pdf

from pincite.errors import ParseError
from pincite.parsers.pdf import parse

SHARED = (
    Path(os.environ.get("PINCITE_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "data" / "files"
)
shared = pytest.mark.skipif(not SHARED.is_dir(), reason=f"the shared data is not at {SHARED}")


def test_pages_have_places_numbers_and_sizes() -> None:
    (document,) = parse(small_pdf("One here.", "Two here."), "a.pdf")
    assert document.text == "One here.\nTwo here."
    assert [page.span.of(document.text) for page in document.pages] == ["One here.", "Two here."]
    assert [(page.index, page.label, page.width, page.height) for page in document.pages] == [
        (0, "1", 612.0, 792.0),
        (1, "2", 612.0, 792.0),
    ]


def test_running_heads_do_not_part_a_sentence_that_goes_on_over_a_page() -> None:
    pages = ["Fees 2031\nAdults and their\n1", "Fees 2031\nchildren pay 5 EUR.\n2"]
    (document,) = parse(small_pdf(*pages), "a.pdf")
    assert document.text == "Adults and their\nchildren pay 5 EUR."


def test_pages_without_text_are_named() -> None:
    (document,) = parse(small_pdf("One.", "", "Three.", ""), "a.pdf")
    assert document.metadata == (("pages_without_text", "2, 4"),)
    assert len(document.pages) == 4


def test_a_file_without_any_text_asks_for_text_recognition() -> None:
    with pytest.raises(ParseError, match=r"a\.pdf: no text layer on pages 1-2; run text recognition"):
        parse(small_pdf("", ""), "a.pdf")


@pytest.mark.parametrize("data", [b"%PDF-1.7\n%%EOF", small_pdf("One.")[:200], b"%PDF-" + b"\0" * 1000])
def test_a_broken_file_is_refused(data: bytes) -> None:
    with pytest.raises(ParseError, match=r"a\.pdf: "):
        parse(data, "a.pdf")


@shared
@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("encrypted-openpassword.pdf", "encrypted"),
        ("broken.pdf", "broken"),
        ("scan-two-columns.pdf", "no text layer on page 1"),
        ("scan-four-rotations.pdf", "no text layer on pages 1-4"),
    ],
)
def test_a_real_file_that_cannot_be_read_is_refused_for_its_reason(name: str, what: str) -> None:
    with pytest.raises(ParseError, match=f"{name}: .*{what}"):
        parse((SHARED / name).read_bytes(), name)


@shared
def test_the_pages_of_a_real_file_are_seen_turned() -> None:
    name = "arabic-rotated-4-pages.pdf"
    (document,) = parse((SHARED / name).read_bytes(), name)
    assert [(page.width or 0) > (page.height or 0) for page in document.pages] == [True, False, True, False]


@shared
def test_hyphens_at_line_ends_are_hyphens() -> None:
    (document,) = parse((SHARED / "federal-register.pdf").read_bytes(), "federal-register.pdf")
    assert "\ufffe" not in document.text
    assert "\x02" not in document.text
    assert "-\n" in document.text
