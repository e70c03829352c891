"""Whatever is added, changed and removed, and in whatever order: the SQLite store holds what the plain one holds."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.ports.stored import IndexedChunk
from pincite.ports.stores import Store
from pincite.ranking import BACKGROUND_CHUNKS, K1, B, bm25
from pincite.stores.memory import MemoryStore
from pincite.stores.sqlite import SqliteStore
from pincite.types import AccessLevel, Chunk, ChunkId, DocId, Document, Reader, Span

WORDS = ["red", "blue", "\ud800", "返品", "a\x00", "e\u0301"]
LEVELS = ["public", "internal", "confidential", "secret", None]

chunk_terms = st.lists(st.sampled_from(WORDS), max_size=6)
step = st.tuples(
    st.sampled_from("abcd"), st.sampled_from(LEVELS), st.none() | st.lists(chunk_terms, max_size=4)
)
batches = st.lists(st.lists(step, max_size=4, unique_by=lambda item: item[0]), max_size=6)


def entry(name: str, level: str | None, chunks: list[list[str]]) -> tuple[Document, list[IndexedChunk]]:
    text = "".join(map(str, range(len(chunks))))
    made = [
        IndexedChunk(
            Chunk(ChunkId(f"{name}-chunk-{n}"), DocId(name), n, Span(n, n + 1), text[n]), tuple(words)
        )
        for n, words in enumerate(chunks)
    ]
    return Document(name, text, access_level=level), made


def seen(store: Store, reader: Reader) -> list[object]:
    found = store.postings(WORDS, reader, ())
    return [
        found.chunk_count,
        found.document_frequency,
        round(found.mean_length, 9),
        [
            sorted(
                (store.load([key], reader)[0][0].chunk_id, frequency, length)
                for key, frequency, length in zip(
                    match.keys.tolist(), match.frequencies.tolist(), match.lengths.tolist(), strict=True
                )
            )
            for match in found.matches
        ],
        store.documents(reader),
    ]


@settings(max_examples=40)
@given(batches)
def test_both_stores_hold_the_same(
    script: list[list[tuple[str, str | None, list[list[str]] | None]]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        stores: list[Store] = [MemoryStore(), SqliteStore(Path(folder) / "a.db")]
        for batch in script:
            for store in stores:
                for name, _, chunks in batch:
                    if chunks is None:
                        store.remove(DocId(name))
                store.put_many([entry(n, level, c) for n, level, c in batch if c is not None], added_at="")
        for level in AccessLevel:
            plain, fast = (seen(store, Reader(level)) for store in stores)
            assert plain == fast
        for store in stores:
            store.close()


@settings(max_examples=60)
@given(
    st.lists(chunk_terms, min_size=1, max_size=8), st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)
)
def test_bm25_is_the_sum_over_the_words(chunks: list[list[str]], asked: list[str]) -> None:
    store = MemoryStore()
    store.put(*entry("a", "public", chunks), added_at="")
    words = tuple(dict.fromkeys(asked))
    keys, scores, reachable = bm25(
        [(word,) for word in words], {w: i for i, w in enumerate(words)}, store.postings(words, Reader(), ())
    )
    mean = sum(map(len, chunks)) / len(chunks)
    plain = {}
    for key, chunk in enumerate(chunks):
        score = 0.0
        for word in words:
            holding = sum(word in other for other in chunks)
            weight = np.log(1 + (len(chunks) + BACKGROUND_CHUNKS - holding + 0.5) / (holding + 0.5))
            if tf := chunk.count(word):
                score += weight * (K1 + 1) * tf / (tf + K1 * (1 - B + B * len(chunk) / mean))
        if score:
            plain[key] = score
    assert keys.tolist() == sorted(plain)
    assert np.allclose(scores, [plain[key] for key in keys.tolist()])
    assert all(score <= reachable * (1 + 1e-9) for score in scores)
