"""Pages that are pictures, read by tesseract."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.pdf_files import PdfPage, write_pdf

from pincite.errors import ParseError
from pincite.parsers.pdf import PdfOptions, parse
from pincite.parsers.pdf.ocr import words_of
from pincite.parsers.pdf.places import boxes
from pincite.types import Span

SHARED = (
    Path(os.environ.get("PINCITE_SHARED", Path(__file__).resolve().parents[4] / "shared")) / "data" / "files"
)
HEAD = "level page_num block_num par_num line_num word_num left top width height conf text"


def table(*rows: str) -> str:
    return "\n".join(row.replace(" ", "\t") for row in (HEAD, *rows))


def test_words_become_lines_with_a_place_for_each_word() -> None:
    page = words_of(
        table(
            "5 1 1 1 1 1 10 20 30 10 95 No",
            "5 1 1 1 1 2 45 20 30 10 95 dogs",
            "5 1 1 1 2 1 10 40 30 10 95 here",
        ),
        100,
        100,
        72,
        72,
    )
    assert [line.text for line in page.lines] == ["No dogs", "here"]
    assert [(line, start, end) for line, start, end, *_ in page.words] == [(0, 0, 2), (0, 2, 6), (1, 6, 10)]


def test_words_that_are_mere_guesses_and_other_rows_are_left_out() -> None:
    page = words_of(
        table("4 1 1 1 1 0 0 0 9 9 -1 ", "5 1 1 1 1 1 10 20 30 10 12 ~#~", "broken"), 100, 100, 72, 72
    )
    assert page.lines == ()


def test_text_recognition_without_tesseract_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ParseError, match="tesseract is not installed; install tesseract-ocr") as caught:
        parse(write_pdf(PdfPage()), "scan.pdf", options=PdfOptions(ocr="eng"))
    assert caught.value.status == "needs_ocr"


def test_languages_that_are_none_never_reach_the_command_line() -> None:
    with pytest.raises(ParseError, match="names no languages"):
        parse(write_pdf(PdfPage()), "scan.pdf", options=PdfOptions(ocr="eng --config x"))


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"the shared data is not at {SHARED}")
@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
def test_a_real_scan_is_read_with_the_places_of_its_words() -> None:
    data = (SHARED / "scan-two-columns.pdf").read_bytes()
    (document,) = parse(data, "scan.pdf", options=PdfOptions(ocr="eng"))
    quote = "Recording a Sequence"
    start = document.text.index(quote)
    (box,) = boxes(document, Span(start, start + len(quote)), data)
    assert box.x0 < 0.2 < box.x1 < 0.4
    assert box.y1 - box.y0 < 0.03
