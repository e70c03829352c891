"""Search in Qdrant over the wire, against a scripted server on this machine; no Qdrant server takes part."""

from __future__ import annotations

import logging
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("qdrant_client", reason="the extra qdrant is not installed")

from tests.integration.qdrant_server import RestServer, serving

from pincite.errors import StoreError
from pincite.ports.stored import IndexedChunk
from pincite.ports.stores import Store
from pincite.search import search
from pincite.stores import qdrant as qdrant_store
from pincite.stores.qdrant import QdrantStore
from pincite.stores.qdrant_collection import KEY_VARIABLE, Collection, QdrantOptions, open_client
from pincite.stores.sqlite import SqliteStore
from pincite.text.words import terms
from pincite.types import AccessLevel, Chunk, ChunkId, DocId, Document, Question, Reader, Span

WORDS = "fee visa return shoe box day tax sea map key oil ink".split()
WHEN = "2026-01-02T03:04:05Z"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Dice:
    fingerprint, dimension = "dice", 5

    def documents(self, texts: list[str]) -> Any:
        return np.array([self.query(text) for text in texts])

    def query(self, text: str) -> Any:
        made = np.random.default_rng(len(text)).normal(size=5)
        return np.asarray(made / np.linalg.norm(made), dtype=np.float32)


def opened(folder: Path, server: RestServer, **options: Any) -> QdrantStore:
    store_options = {name: options.pop(name) for name in ("fallback", "clock") if name in options}
    settings = QdrantOptions(server.url, **{"timeout_s": 1.0, "api_key": "k", **options})
    return QdrantStore(
        SqliteStore(folder / "truth.db"), Collection(open_client(settings), settings), **store_options
    )


@pytest.fixture
def server() -> Iterator[RestServer]:
    with serving(key="k") as one:
        yield one


def random_batch(seed: int, count: int = 12) -> list[tuple[Document, list[IndexedChunk]]]:
    chance = random.Random(seed)
    batch = []
    for number in range(count):
        text = " ".join(chance.choices(WORDS, k=chance.randint(1, 8)))
        level = chance.choice(["public", "public", "internal", "confidential", None])
        document = Document(f"d-{number}", text, access_level=level, language=chance.choice(["en", "de"]))
        chunk = Chunk(ChunkId(f"d-{number}-chunk-0"), DocId(document.doc_id), 0, Span(0, len(text)), text)
        batch.append(
            (document, [IndexedChunk(chunk, terms(text), Dice().query(text + level * 3 if level else text))])
        )
    return batch  # fmt: skip


def found(store: Store | QdrantStore, reader: Reader = Reader()) -> list[tuple[str, float, float]]:
    return [
        (hit.chunk.chunk_id, hit.score, hit.fused)
        for one, two in zip(WORDS, WORDS[3:], strict=False)
        for filters in ((), (("language", "de"),))
        for hit in search(
            Question(f"{one} {two}", reader=reader, filters=filters),
            cast("Store", store),
            embedder=cast("Any", Dice()),
        )
    ]


def test_results_over_the_wire_are_those_of_the_database(tmp_path: Path, server: RestServer) -> None:
    store = opened(tmp_path, server, fallback=False)
    store.put_many(random_batch(1), added_at=WHEN, embedder="dice")
    for level in AccessLevel:
        reader = Reader(level)
        expected = found(store.truth, reader)
        assert found(store, reader) == expected
        assert len(expected) > 20
    searches = [body for _, path, body in server.calls if path.partition("?")[0].endswith("/points/query")]
    assert all(
        {"key": "level", "range": {"lte": at}} in _musts(body) for body in searches for at in [_top(body)]
    )
    store.close()  # fmt: skip


def _musts(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            key: {k: v for k, v in value.items() if v is not None} if isinstance(value, dict) else value
            for key, value in one.items()
            if value is not None
        }
        for one in body["filter"]["must"]
    ]


def _top(body: dict[str, Any]) -> int:
    (level,) = [one["range"]["lte"] for one in _musts(body) if one["key"] == "level"]
    return int(level)


def test_neither_texts_nor_titles_nor_words_go_over_the_wire(tmp_path: Path, server: RestServer) -> None:
    store = opened(tmp_path, server, fallback=False)
    batch = [(replace(document, title="Oil Ltd"), chunks) for document, chunks in random_batch(2, 3)]
    store.put_many(batch, added_at=WHEN, embedder="dice")
    search(Question("oil fee", filters=(("title", "Oil Ltd"),)), cast("Store", store))
    sent = repr([body for _, _, body in server.calls])
    # "key" is also what a filter calls a field.
    told = [
        word for word in (*WORDS, "Oil", "d-0", "d-1", "d-2", "chunk-0") if word != "key" and word in sent
    ]
    assert told == []
    store.close()


def test_a_collection_is_made_as_the_settings_say(tmp_path: Path, server: RestServer) -> None:
    store = opened(tmp_path, server, shards=3, replicas=2)
    store.put_many(random_batch(3), added_at=WHEN, embedder="dice")
    made = [body for method, path, body in server.calls if (method, path) == ("PUT", "/collections/pincite")]
    assert made[-1]["shard_number"] == 3
    assert (made[-1]["replication_factor"], made[-1]["write_consistency_factor"]) == (2, 2)
    dense = made[-1]["vectors"]["meaning"]
    assert (dense["size"], dense["distance"], dense["datatype"]) == (5, "Dot", "float16")
    assert (dense["on_disk"], dense["hnsw_config"]["m"]) == (True, 0)
    assert made[-1]["sparse_vectors"]["words"]["index"]["on_disk"] is True
    indexed = {
        body["field_name"] for _, path, body in server.calls if path.partition("?")[0].endswith("/index")
    }
    assert {"level", "at", "doc_id", "kind", "language"} <= indexed
    search(Question("fee"), cast("Store", store))
    asked = [path for _, path, _ in server.calls if "/points/query" in path]
    assert "consistency=majority" in asked[-1]
    store.close()  # fmt: skip


FAULTS = {
    "refuses": (503, b'{"status":{"error":"overloaded"}}'),
    "says nonsense": (200, b"<html>"),
    "says half": (200, b'{"result": {"poi'),
    "has another shape": (200, b'{"result": {"points": [{"id": []}]}, "status": "ok", "time": 0}'),
    "hangs up": (0, b""),
    "is out of memory": (500, b'{"status":{"error":"Service internal error"}}'),
    "limits rates": (429, b'{"status":{"error":"too many"}}'),
    "is too old": (400, b'{"status":{"error":"unknown field"}}'),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_while_it_fails_the_database_gives_the_same(
    fault: str, tmp_path: Path, server: RestServer, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    store = opened(tmp_path, server, clock=clock)
    store.put_many(random_batch(4), added_at=WHEN, embedder="dice")
    expected = found(store.truth)
    server.fault = lambda method, path: FAULTS[fault] if path.endswith("/points/query") else None
    before = len(server.calls)
    with caplog.at_level(logging.WARNING):
        assert found(store) == expected
    assert len(caplog.records) == 1
    assert len(server.calls) < before + 10  # not asked again for every question
    server.fault = None
    clock.now += qdrant_store.TRY_AGAIN_S + 1
    before = len(server.calls)
    assert found(store) == expected
    assert len(server.calls) > before + 20
    store.close()


def test_a_slow_server_is_left_alone_after_the_first_call(tmp_path: Path, server: RestServer) -> None:
    store = opened(tmp_path, server)
    store.put_many(random_batch(5, 3), added_at=WHEN, embedder="dice")
    expected = search(Question("fee oil"), cast("Store", store.truth))
    server.delay_s = 1.5
    assert search(Question("fee oil"), cast("Store", store)) == expected
    server.delay_s = 0.0
    store.close()


def test_without_fallback_an_outage_is_an_error_with_the_next_step(
    tmp_path: Path, server: RestServer
) -> None:
    store = opened(tmp_path, server, fallback=False)
    store.put_many(random_batch(6), added_at=WHEN, embedder="dice")
    server.fault = lambda method, path: (503, b"down")
    for _ in range(2):
        with pytest.raises(StoreError, match=r"Qdrant refuses \(503\): down"):
            search(Question("fee"), cast("Store", store))
    store.close()


def test_documents_added_during_an_outage_are_found_at_once_and_come_to_qdrant_later(
    tmp_path: Path, server: RestServer
) -> None:
    clock = Clock()
    store = opened(tmp_path, server, clock=clock)
    store.put_many(random_batch(7, 6), added_at=WHEN, embedder="dice")
    server.fault = lambda method, path: (0, b"")
    store.put_many(random_batch(8, 12), added_at=WHEN, embedder="dice")
    assert found(store) == found(store.truth)
    server.fault = None
    clock.now += qdrant_store.TRY_AGAIN_S + 1
    assert found(store) == found(store.truth)
    assert list(store.following.divergence()) == []
    store.close()


@pytest.mark.parametrize("seed", range(6))
def test_a_write_that_is_cut_off_anywhere_leaves_no_wrong_result(
    seed: int, tmp_path: Path, server: RestServer
) -> None:
    clock, chance = Clock(), random.Random(seed)
    store = opened(tmp_path, server, clock=clock)
    store.put_many(random_batch(9), added_at=WHEN, embedder="dice")
    calls_left = chance.randint(0, 14)

    def cut(method: str, path: str) -> tuple[int, bytes] | None:
        nonlocal calls_left
        calls_left -= 1
        return (0, b"") if calls_left < 0 else None

    server.fault = cut
    store.put_many(random_batch(10 + seed), added_at=WHEN, embedder="dice")
    store.remove(DocId("d-3"))
    server.fault = None
    clock.now += qdrant_store.TRY_AGAIN_S + 1
    for level in AccessLevel:
        assert found(store, Reader(level)) == found(store.truth, Reader(level))
    assert list(store.following.divergence()) == []
    store.close()


def test_a_wrong_key_is_said_and_nothing_is_written(tmp_path: Path, server: RestServer) -> None:
    store = opened(tmp_path, server, api_key="wrong")
    with pytest.raises(StoreError, match="refuses the API key") as caught:
        store.put_many(random_batch(11), added_at=WHEN, embedder="dice")
    assert KEY_VARIABLE in caught.value.hint
    assert store.truth.documents(Reader()) == ()
    assert server.calls == []
    store.close()


def test_a_server_that_is_not_there_is_no_reason_not_to_add(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = QdrantOptions("http://127.0.0.1:9", timeout_s=1.0)
    store = QdrantStore(
        SqliteStore(tmp_path / "truth.db"), Collection(open_client(settings), settings)
    )  # fmt: skip
    store.put_many(random_batch(12), added_at=WHEN, embedder="dice")
    assert found(store) == found(store.truth)
    (record,) = [one for one in caplog.records if one.levelno == logging.WARNING]
    assert "cannot be reached" in record.getMessage()
    store.close()
