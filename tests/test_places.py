"""Citations of documents with pages: the right page, its label, and boxes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from pincite import Document, Pipeline
from pincite.errors import ParseError
from pincite.findings import Citation
from pincite.parsers.pdf.places import boxes_of
from pincite.places import with_places
from pincite.types import Box, Reader, Span
from tests.pdf_files import PdfPage, write_pdf

FIRST = PdfPage().lines(72, 700, ["Guided tours cost 5 EUR and", "begin at noon."])
SECOND = PdfPage().lines(72, 700, ["Dogs may come along on a lead."])


def asked(folder: Path, question: str) -> tuple[Pipeline, tuple[Citation, ...], dict[str, object]]:
    (folder / "tours.pdf").write_bytes(write_pdf(FIRST, SECOND, labels="0 << /S /r >>"))
    rag = Pipeline(store="memory", embedder="none")
    rag.add(folder / "tours.pdf")
    answer = rag.ask(question)
    return rag, answer.citations, json.loads(answer.to("json"))


def test_a_quote_of_a_pdf_has_page_label_and_boxes(tmp_path: Path) -> None:
    _, (citation,), shown = asked(tmp_path, "What do guided tours cost?")
    assert (citation.page_index, citation.page_label) == (0, "i")
    (found,) = citation.boxes
    assert [box.page_index for box in found] == [0, 0]
    (span,) = shown["citations"][0]["spans"]  # type: ignore[index]
    assert [set(box) for box in span["boxes"]] == [{"page_index", "x0", "y0", "x1", "y1"}] * 2


def test_the_page_is_that_of_the_quote_not_of_the_passage(tmp_path: Path) -> None:
    rag, (citation,), _ = asked(tmp_path, "May dogs come along?")
    assert rag.chunk(citation.chunk_id).chunk.page_index == 0
    assert (citation.page_index, citation.page_label) == (1, "ii")
    assert {box.page_index for boxes in citation.boxes for box in boxes} == {1}


def test_documents_without_pages_are_not_looked_up() -> None:
    rag = Pipeline(store="memory", embedder="none")
    rag.add(Document("tours", "Guided tours cost 5 EUR."))
    answer = rag.ask("What do guided tours cost?")
    rag.remove("tours")
    assert with_places(answer.citations, rag.parts.store, Reader(), boxes_of) == answer.citations
    assert answer.citations[0].boxes == ()


def test_an_original_that_cannot_be_read_gives_no_boxes_and_the_answer_stays(tmp_path: Path) -> None:
    rag, citations, _ = asked(tmp_path, "What do guided tours cost?")

    def fails(document: Document, spans: object, data: bytes) -> tuple[tuple[Box, ...], ...]:
        raise ParseError("gone")

    bare = [replace(one, boxes=()) for one in citations]
    (found,) = with_places(bare, rag.parts.store, Reader(), fails)
    assert (found.boxes, found.page_label) == ((), "i")


def test_a_document_that_has_changed_since_gives_no_boxes(tmp_path: Path) -> None:
    rag, (citation,), _ = asked(tmp_path, "What do guided tours cost?")
    old = replace(citation, boxes=(), document=replace(citation.document, content_hash="other"))
    assert with_places([old], rag.parts.store, Reader(), boxes_of) == (old,)


def test_each_span_has_its_own_boxes(tmp_path: Path) -> None:
    rag, (citation,), _ = asked(tmp_path, "What do guided tours cost?")
    two = replace(
        citation, spans=(citation.spans[0], Span(citation.spans[0].start, citation.spans[0].start + 6))
    )
    (found,) = with_places([two], rag.parts.store, Reader(), boxes_of)
    assert len(found.boxes) == 2
    assert found.boxes[1][0].x1 < found.boxes[0][0].x1
