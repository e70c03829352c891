"""The worker process: what a file may cost, and that nothing else is lost with it."""

from __future__ import annotations

import os
import sys
import threading
import zlib

import pytest
from tests.pdf_files import PdfPage, write_pdf

from pincite.errors import ParseError
from pincite.parsers.pdf import PdfOptions, parse
from pincite.parsers.pdf.process import POOL, Limits, OpenPdf, Worker, WorkerLost

FINE = write_pdf(PdfPage().text(72, 700, "Fine."))


def with_content(content: bytes) -> bytes:
    """A page of that content, packed."""
    packed = zlib.compress(content, 9)
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F 5 0 R >> >> >>"
    )
    stream = b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(packed), packed)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        page,
        stream,
        font,
    ]
    body = b"%PDF-1.6\n" + b"".join(
        b"%d 0 obj\n%s\nendobj\n" % (i, one) for i, one in enumerate(objects, start=1)
    )
    return body + b"trailer\n<< /Root 1 0 R /Size 6 >>\n%%EOF\n"


def test_a_worker_is_kept_for_the_next_file() -> None:
    parse(FINE, "a.pdf")
    before = list(POOL._idle)
    parse(FINE, "b.pdf")
    assert set(POOL._idle) == set(before)


def test_a_waiting_worker_that_died_is_replaced() -> None:
    parse(FINE, "a.pdf")
    for worker in POOL._idle:
        worker._process.kill()
        worker._process.wait()
    (document,) = parse(FINE, "a.pdf")
    assert document.text == "Fine."


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited on Linux")
def test_a_file_that_unpacks_to_more_than_the_memory_is_refused_and_the_next_one_is_read() -> None:
    bomb = with_content(b" " * 400_000_000)
    with pytest.raises(ParseError) as caught:
        parse(bomb, "bomb.pdf", options=PdfOptions(limits=Limits(memory_bytes=500_000_000)))
    assert caught.value.status == "too_large"
    assert "page 1 needs more than the 0.5 GB of memory" in str(caught.value)
    assert parse(FINE, "a.pdf")[0].text == "Fine."


def test_a_page_that_takes_too_long_is_refused() -> None:
    slow = with_content(b"BT /F 1 Tf " + b"(abcdefghij) Tj " * 200_000 + b" ET")
    with pytest.raises(ParseError) as caught:
        parse(slow, "slow.pdf", options=PdfOptions(limits=Limits(page_s=0.05)))
    assert caught.value.status == "too_slow"
    assert str(caught.value) == "slow.pdf: page 1 took too long; split it"


def test_several_threads_read_at_once() -> None:
    found: list[str] = []

    def read(name: str) -> None:
        found.extend(one.text for one in parse(FINE, name))

    threads = [threading.Thread(target=read, args=(f"{i}.pdf",)) for i in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == ["Fine."] * 4


def test_what_the_environment_holds_does_not_reach_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINCITE_SECRET_OF_A_TEST", "x")
    worker = Worker(0)
    try:
        if not os.path.exists(f"/proc/{worker._process.pid}/environ"):
            pytest.skip("no /proc to look into")
        worker.send({"do": "open", "passwords": []}, FINE)
        assert worker.receive(60) is not None
        with open(f"/proc/{worker._process.pid}/environ", "rb") as stream:
            assert b"PINCITE_SECRET_OF_A_TEST" not in stream.read()
    finally:
        worker.end()


def test_a_worker_that_is_asked_after_its_end_says_so() -> None:
    worker = Worker(0)
    worker.end()
    with pytest.raises((WorkerLost, ValueError)):
        worker.send({"do": "open", "passwords": []}, FINE)


def test_a_file_stays_open_for_the_next_question() -> None:
    pdf = OpenPdf(FINE, "a.pdf")
    first = pdf.ask({"do": "boxes", "spans": [[(0, 0, 5)]]})
    assert pdf.ask({"do": "boxes", "spans": [[(0, 0, 5)]]}) == first
