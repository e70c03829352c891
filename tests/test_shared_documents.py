"""The chunker and the parsers over real pages and files, when the shared data is there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from pincite.chunk import chunk
from pincite.errors import ParseError
from pincite.parsers.files import load_paths
from pincite.text.outline import Node, outline
from pincite.text.sentences import sentences_of
from pincite.types import Chunk, Document

SHARED = Path(os.environ.get("PINCITE_SHARED", Path(__file__).resolve().parents[2] / "shared")) / "data"
PAGES = sorted((SHARED / "docs").glob("*.jsonl"))
COLLECTIONS = sorted({path.name.split(".")[0] for path in PAGES})
shared = pytest.mark.skipif(not PAGES, reason=f"the shared data is not at {SHARED}")


def pages(collection: str) -> Iterator[Document]:
    for path in PAGES:
        if path.name.startswith(f"{collection}."):
            for line in path.read_text(encoding="utf-8").splitlines():
                page = json.loads(line)
                yield Document(
                    f"{page['id']}-{page['lang']}", page["markdown"], format="markdown", language=page["lang"]
                )


def check(document: Document, chunks: tuple[Chunk, ...]) -> None:
    text = document.text
    at = 0
    for piece in chunks:
        assert piece.text == piece.span.of(text) == piece.text.strip()
        assert not text[at : piece.span.start].strip(), "text between two chunks"
        assert all(
            span.of(text) == words for span, words in zip(piece.context, piece.context_texts, strict=True)
        )
        assert all(
            piece.span.contains(sentence) for sentence in sentences_of(piece, language=document.language)
        )
        at = piece.span.end
    assert not text[at:].strip()


def whole(nodes: tuple[Node, ...]) -> Iterator[Node]:
    for node in nodes:
        if node.kind == "row" or (node.kind == "fence" and node.closed):
            yield node
        yield from whole(node.children)


@shared
@pytest.mark.parametrize("collection", COLLECTIONS or ["none"])
def test_real_pages_are_cut_once_within_the_limit_and_through_no_fence_or_row(collection: str) -> None:
    for document in pages(collection):
        chunks = chunk(document)
        check(document, chunks)
        for piece in chunks:
            if len(piece.text) + sum(len(words) + 1 for words in piece.context_texts) > 1200:
                assert "```" in piece.text or "~~~" in piece.text or "|" in piece.text, "too long"
        ends = iter(chunks)
        piece = next(ends)
        for node in sorted(whole(outline(document.text)), key=lambda node: (node.span.start, -node.span.end)):
            inner = len(node.span.of(document.text).lstrip())
            while piece.span.end < node.span.end:
                piece = next(ends)
            assert piece.span.start <= node.span.end - inner


@shared
def test_windows_of_real_pages_hold_all_text_and_follow_each_other() -> None:
    for document in pages("antennapod"):
        chunks = chunk(document, strategy="fixed")
        assert all(len(piece.text) <= 300 for piece in chunks)
        for before, after in pairwise(chunks):
            assert not document.text[before.span.end : after.span.start].strip()
            assert before.span.end - after.span.start <= 50


@shared
def test_every_real_file_is_read_or_refused_for_its_reason() -> None:
    results = list(load_paths([SHARED / "files"]))
    refused = {str(one.where).split("[")[0]: one.message for one in results if isinstance(one, ParseError)}
    assert sorted(refused) == [
        "broken.pdf",
        "encrypted-openpassword.pdf",
        "manifest.json",
        "scan-four-rotations.pdf",
        "scan-two-columns.pdf",
    ]
    read = [one for one in results if isinstance(one, Document)]
    assert len(read) == 10
    for document in read:
        check(document, chunk(document))


@shared
def test_real_word_files_keep_order_lists_tables_and_merged_cells() -> None:
    read = {one.doc_id: one for one in load_paths([SHARED / "files"]) if isinstance(one, Document)}
    sample, tables = read["word-sample-docx"], read["docx-tables-docx"]
    assert [section.path for section in sample.sections] == [("Let’s swim!",), ("Let’s swim!", "Let’s eat")]
    assert "- Paddle about\n- Enjoy summer warmth\n\nAlso" in sample.text
    assert "1. Wear sunglasses\n2. Don’t forget to drink water\n3. Use sun cream" in sample.text
    assert "| Berries | Blueberry, Strawberry, Cranberry | 150 |" in sample.text
    assert (sample.owner, sample.published_date) == ("Christoph Auer", "2024-10-15")
    assert "| d | e f g&t h | i |" in tables.text  # a table in a cell
    assert tables.text.endswith("| a | b | b |\n| --- | --- | --- |\n| a | c | d |\n| e | e | d |")
