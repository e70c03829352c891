"""Over many versions of a document, in every store: no passage id ever denotes two texts, and citations are found again."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite import Document, Pipeline
from pincite.anchors import AnchorStatus, anchor_of, find_again
from pincite.ports.stores import Store
from pincite.stores.memory import MemoryStore
from pincite.stores.sqlite import SqliteStore
from pincite.types import AccessLevel, DocId, Reader, Span

EVERYONE = Reader(AccessLevel.CONFIDENTIAL)
DOC = DocId("d")

# Few paragraphs, so that the same text is often there twice, goes and comes back.
PARAGRAPHS = st.sampled_from(
    [
        "# A",
        "# B",
        "Tours cost 5 EUR.",
        "Tours cost 6 EUR.",
        "Entry is free.",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "- one\n- two",
    ]
)
EDITS = st.one_of(
    st.tuples(st.just("insert"), st.integers(0, 9), PARAGRAPHS),
    st.tuples(st.just("delete"), st.integers(0, 9), PARAGRAPHS),
    st.tuples(st.just("replace"), st.integers(0, 9), PARAGRAPHS),
    st.tuples(st.just("move"), st.integers(0, 9), PARAGRAPHS),
    st.tuples(st.just("remove document"), st.integers(0, 9), PARAGRAPHS),
)


def edited(paragraphs: list[str], edit: tuple[str, int, str]) -> list[str]:
    kind, place, text = edit
    place %= len(paragraphs)
    head, tail = paragraphs[:place], paragraphs[place:]
    if kind == "insert":
        return [*head, text, *tail]
    if kind == "replace":
        return [*head, text, *tail[1:]]
    if kind == "move":
        return [*tail, *head]
    return [*head, *tail[1:]] if len(paragraphs) > 1 and kind == "delete" else paragraphs


def check_history(store: Store, edits: list[tuple[str, int, str]]) -> None:
    rag = Pipeline(store=store, embedder=None, chunk={"max_chars": 40})
    paragraphs, meanings = ["# A", "Tours cost 5 EUR."], dict[str, tuple[object, ...]]()
    for edit in [("insert", 0, "# A"), *edits]:
        if edit[0] == "remove document":
            rag.remove(DOC)
        paragraphs = edited(paragraphs, edit)
        rag.add(Document(DOC, "\n\n".join(paragraphs)))
        chunks, next_number = store.chunk_numbers(DOC)
        for chunk in chunks:
            meaning = (*chunk.context_texts, chunk.text)
            assert meanings.setdefault(chunk.chunk_id, meaning) == meaning
            assert int(chunk.chunk_id.rpartition("-")[2]) < next_number
        assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
    assert list(store.problems()) == []


@settings(max_examples=12, deadline=None)
@given(st.lists(EDITS, min_size=20, max_size=20))
def test_no_passage_id_denotes_two_texts_in_memory(edits: list[tuple[str, int, str]]) -> None:
    check_history(MemoryStore(), edits)


@settings(max_examples=5, deadline=None)
@given(st.lists(EDITS, min_size=20, max_size=20))
def test_no_passage_id_denotes_two_texts_in_a_database(edits: list[tuple[str, int, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "a.db")
        check_history(store, edits)
        store.close()


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_a_passage_with_letters_of_an_unchanged_text_is_the_same(a: str, b: str, c: str, new: str) -> None:
    text = f"{a} The fee is ten euros. {b}"
    start = len(a) + 1
    found = find_again(anchor_of(text, Span(start, start + 22)), text, old_text=text)
    assert (found.status, found.text) == (AnchorStatus.SAME, "The fee is ten euros.")
    other = find_again(anchor_of(text, Span(start, start + 22)), c + new, old_text=text)
    assert (other.span is None) == (other.status is AnchorStatus.GONE)
    if other.span is not None:
        assert other.span.of(c + new) == other.text


@pytest.mark.parametrize("size", [1, 7])
def test_an_anchor_of_a_repeated_text_knows_how_often_it_stood(size: int) -> None:
    assert anchor_of("red. " * size, Span(0, 4)).occurrences == size
