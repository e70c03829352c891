"""What is Qdrant's own of a store that is searched there; what it must do as a store is in tests/contracts."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("qdrant_client", reason="the extra qdrant is not installed")

from qdrant_client import models
from tests.qdrant_local import local_collection, over

from pincite.errors import ConfigError, StoreError
from pincite.ports.stored import IndexedChunk
from pincite.ports.stores import Store
from pincite.search import search
from pincite.stores import qdrant_points as made
from pincite.stores.memory import MemoryStore
from pincite.stores.qdrant import QUERY_WAITS_FOR, QdrantStore
from pincite.stores.qdrant_collection import MARK_ID, Collection, QdrantOptions, open_client
from pincite.stores.sqlite import SqliteStore
from pincite.text.words import terms
from pincite.types import AccessLevel, Chunk, ChunkId, DocId, Document, Question, Reader, Span

pytestmark = pytest.mark.servers

WHEN = "2026-01-02T03:04:05Z"
WORDS = "fee visa return shoe box day tax sea map key oil ink".split()
CONFIDENTIAL = Reader(AccessLevel.CONFIDENTIAL)


def one(
    doc_id: str, text: str, access: str = "public", vector: list[float] | None = None
) -> tuple[Document, list[IndexedChunk]]:
    document = Document(doc_id, text, access_level=access)
    chunk = Chunk(ChunkId(f"{doc_id}-chunk-0"), DocId(doc_id), 0, Span(0, len(text)), text)
    held = None if vector is None else np.array(vector, dtype=np.float32)
    return document, [IndexedChunk(chunk, terms(text), held)]


def ids(store: Any, question: str, reader: Reader = CONFIDENTIAL) -> list[str]:
    return [hit.document.doc_id for hit in search(Question(question, reader=reader), cast("Store", store))]


def in_qdrant(store: QdrantStore) -> models.QueryResponse:
    """The client's own view, for tests that play tricks on it."""
    return cast("Any", store)._collection._client


# --- exactness ----------------------------------------------------------------------------------


@pytest.mark.parametrize("mean", [3.0, 40.0])
def test_the_same_is_found_whatever_length_the_weights_were_made_for(mean: float) -> None:
    chance = random.Random(7)
    truth = MemoryStore()
    batch = [
        one(f"d-{n}", " ".join(chance.choices(WORDS, k=chance.choice([1, 2, 5, 30, 80])))) for n in range(150)
    ]
    truth.put_many(batch, added_at=WHEN)
    store = over(truth)
    collection = store._collection
    store.following.anew()
    mark = collection.mark()
    assert mark is not None
    collection.create(replace(mark, mean=mean), 0, in_place=True)
    store.following.check()
    store.following.follow()
    for question in ("fee", "fee visa", "map key oil ink", "sea sea shoe"):
        mine, theirs = (
            [(hit.chunk.chunk_id, hit.score, hit.fused) for hit in search(Question(question, top_k=50), cast("Store", kind))]
            for kind in (store, truth)
        )  # fmt: skip
        assert mine == theirs


def test_chunks_that_tie_with_the_last_are_all_looked_at() -> None:
    truth = MemoryStore()
    truth.put_many([one(f"d-{n:03}", "fee visa") for n in range(250)], added_at=WHEN)
    store = over(truth)
    store.following.follow()
    found = store.narrowed([("fee",)], (), Reader(), (), 10)
    assert len(found.matches[0].keys) == 250


def test_terms_that_share_a_place_only_widen_what_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made, "index_of", lambda term: len(term))
    store = over(MemoryStore())
    store.put_many([one("a", "fee sea"), one("b", "tax"), one("c", "visa")], added_at=WHEN)
    assert ids(store, "fee") == ["a"]
    assert ids(store, "tax sea") == ids(store.truth, "tax sea")


def test_what_is_not_asked_of_qdrant_costs_it_no_call() -> None:
    store = over(MemoryStore())
    assert store.documents(Reader()) == ()
    assert not in_qdrant(store).collection_exists("pincite")


# --- what Qdrant holds is never believed --------------------------------------------------------


def test_a_point_whose_level_was_forged_shows_nothing() -> None:
    store = over(MemoryStore())
    store.put_many([one("open", "fee"), one("secret", "fee visa", "confidential")], added_at=WHEN)
    in_qdrant(store).set_payload("pincite", {"level": 0}, points=models.Filter())
    assert ids(store, "fee visa", Reader()) == ["open"]


def test_a_point_that_was_forged_shows_nothing() -> None:
    store = over(MemoryStore())
    store.put_many([one("open", "fee"), one("secret", "visa", "confidential")], added_at=WHEN)
    everything = models.SparseVector(indices=[made.index_of("fee")], values=[1.0])
    (secret,) = store.truth.indexed(DocId("secret")).keys.tolist()  # type: ignore[union-attr]
    points = [
        models.PointStruct(id=key, vector={"words": everything}, payload={"level": 0}) for key in (secret, 999, 2**64 - 1)
    ]  # fmt: skip
    in_qdrant(store).upsert("pincite", points)
    assert ids(store, "fee", Reader()) == ["open"]
    with pytest.raises(AssertionError):
        store.load([secret], Reader())


# --- following ----------------------------------------------------------------------------------


def test_what_another_process_added_is_found_at_the_next_question(tmp_path: Path) -> None:
    here = over(SqliteStore(tmp_path / "a.db"))
    here.put_many([one("a", "fee")], added_at=WHEN)
    elsewhere = SqliteStore(tmp_path / "a.db")  # knows nothing of Qdrant
    elsewhere.put_many([one("b", "fee visa"), one("c", "visa")], added_at=WHEN)
    elsewhere.remove(DocId("a"))
    assert sorted(ids(here, "fee visa")) == ["b", "c"]
    assert list(here.following.divergence()) == []
    elsewhere.close()
    here.close()


def test_more_changes_than_a_question_waits_for_are_searched_in_the_database(
    caplog: pytest.LogCaptureFixture,
) -> None:
    truth = MemoryStore()
    truth.put_many([one(f"d-{n}", f"fee {n}") for n in range(QUERY_WAITS_FOR + 1)], added_at=WHEN)
    store = over(truth, fallback=True)
    assert ids(store, "fee 7")[0] == "d-7"
    assert "rebuild-search" in caplog.text
    assert in_qdrant(store).count("pincite").count == 1  # the mark alone
    told: list[int] = []
    store.following.follow(progress=told.append)
    assert sum(told) == QUERY_WAITS_FOR + 1
    assert list(store.following.divergence()) == []


def test_an_answer_from_a_qdrant_that_is_behind_does_not_count() -> None:
    truth = MemoryStore()
    store = over(truth, fallback=True)
    store.put_many([one("a", "fee")], added_at=WHEN)
    with store.reading():
        # Behind the back of a reader who had looked whether Qdrant was up to date.
        truth.put_many([one("b", "fee visa")], added_at=WHEN)
        assert store.narrowed([("visa",)], (), Reader(), (), 5).matches[0].keys.tolist() == [1]
    assert ids(store, "visa") == ["b"]


def test_a_document_that_is_written_later_is_not_written_over_by_who_comes_late() -> None:
    truth = MemoryStore()
    store = over(truth)
    store.put_many([one("a", "fee old")], added_at=WHEN)
    stale = truth.indexed(DocId("a"))
    assert stale is not None
    store.put_many([one("a", "fee new")], added_at=WHEN)
    store._collection.put(made.points(stale, 1, 10.0, with_vectors=True), made.not_newer(1))
    store._collection.remove(made.of_document("a", before=1))
    assert ids(store, "new") == ["a"]
    assert ids(store, "old") == []
    assert "1 passages that the database has not" in " ".join(store.following.divergence())
    assert store.following.repair() == 1
    assert list(store.following.divergence()) == []


def test_a_document_that_nobody_may_read_is_not_in_qdrant() -> None:
    store = over(MemoryStore())
    store.put_many([one("a", "fee", "secret"), one("b", "fee")], added_at=WHEN)
    assert in_qdrant(store).count("pincite").count == 2  # one of them the mark
    assert list(store.following.divergence()) == []


def test_vectors_come_with_the_next_question_and_the_collection_grows_a_place_for_them() -> None:
    store = over(MemoryStore())
    store.put_many([one("a", "north"), one("b", "east")], added_at=WHEN)
    store.append_vectors(DocId("a"), np.array([[0.0, 1.0]], dtype=np.float32), embedder="compass")
    store.append_vectors(DocId("b"), np.array([[1.0, 0.0]], dtype=np.float32), embedder="compass")
    keys, cosines = store.nearest(np.array([0.6, 0.8], dtype=np.float32), Reader(), (), 5)
    assert [chunk.text for chunk, _ in store.load(keys.tolist(), Reader())] == ["north", "east"]
    assert cosines.tolist() == pytest.approx([0.8, 0.6], abs=1e-3)
    assert store._collection.vector_count() == 2
    store.close()


def test_after_a_change_of_embedder_the_vectors_of_the_new_one_are_searched() -> None:
    store = over(MemoryStore())
    store.put_many([one("a", "north", vector=[0.0, 1.0])], added_at=WHEN, embedder="compass")
    store.forget_vectors()
    store.append_vectors(DocId("a"), np.array([[0.0, 0.0, 1.0]], dtype=np.float32), embedder="sextant")
    keys, _ = store.nearest(np.array([0, 0, 1], dtype=np.float32), Reader(), (), 5)
    assert len(keys) == 1
    assert store._collection.dimension() == 3


def test_inside_a_transaction_qdrant_waits_for_its_end() -> None:
    store = over(MemoryStore())
    with store.writing():
        store.put_many([one("a", "fee")], added_at=WHEN)
        assert not in_qdrant(store).collection_exists("pincite")
    assert in_qdrant(store).count("pincite").count == 2


def test_a_collection_that_somebody_made_anew_meanwhile_is_not_written_with_old_numbers() -> None:
    truth = MemoryStore()
    collection = local_collection()
    here, there = over(truth, collection, fallback=True), over(truth, collection)
    here.put_many([one("a", "fee")], added_at=WHEN)
    truth.put_many([one("b", "fee visa")], added_at=WHEN)
    made = here.following.check()
    assert made is not None
    there.following.anew()
    collection.move(replace(made, generation=9, begun=9))
    assert collection.mark() != made
    assert ids(here, "visa") == ["b"]
    assert ids(there, "fee") == ids(here, "fee")
    assert list(here.following.divergence()) == []


def test_a_collection_that_is_half_made_is_left_to_who_makes_it() -> None:
    store = over(MemoryStore(), fallback=True)
    in_qdrant(store).create_collection("pincite", vectors_config={})
    store.put_many([one("a", "fee")], added_at=WHEN)
    assert ids(store, "fee") == ["a"]
    assert in_qdrant(store).count("pincite").count == 0
    store.following.anew()
    store.following.follow()
    assert list(store.following.divergence()) == []


# --- divergence ---------------------------------------------------------------------------------


def test_a_collection_that_was_dropped_is_made_again(tmp_path: Path) -> None:
    store = over(MemoryStore(), fallback=True)
    store.put_many([one("a", "fee")], added_at=WHEN)
    in_qdrant(store).delete_collection("pincite")
    assert list(store.following.divergence()) == [
        "there is no collection in Qdrant yet: pincite store rebuild-search"
    ]
    assert ids(store, "fee") == ["a"]
    store.following.follow()
    assert list(store.following.divergence()) == []


def test_points_that_are_missing_are_named_and_mended() -> None:
    store = over(MemoryStore())
    store.put_many([one("a", "fee"), one("b", "visa"), one("c", "oil")], added_at=WHEN)
    client = in_qdrant(store)
    client.delete("pincite", models.PointIdsList(points=[1]))
    client.set_payload("pincite", {"content": "other"}, points=[2])
    found = list(store.following.divergence())
    assert [one.partition(" of ")[2].partition(",")[0] for one in found] == ["document 'b'", "document 'c'"]
    assert store.following.repair() == 2
    assert list(store.following.divergence()) == []
    assert ids(store, "visa") == ["b"]


def test_a_vector_that_is_missing_is_counted() -> None:
    store = over(MemoryStore())
    store.put_many([one("a", "north", vector=[0.0, 1.0])], added_at=WHEN, embedder="compass")
    in_qdrant(store).delete_vectors("pincite", ["meaning"], [0])
    (found,) = store.following.divergence()
    assert found.startswith("Qdrant has 0 vectors, the database 1")


def test_a_database_that_was_put_back_is_noticed(tmp_path: Path) -> None:
    collection = local_collection()
    truth = SqliteStore(tmp_path / "a.db")
    store = over(truth, collection, fallback=True)
    store.put_many([one("a", "fee")], added_at=WHEN)
    before = (tmp_path / "a.db").read_bytes()
    truth._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    before = (tmp_path / "a.db").read_bytes()
    for name in ("b", "c"):
        store.put_many([one(name, "fee")], added_at=WHEN)
    truth.close()
    for left in tmp_path.glob("a.db-*"):
        left.unlink()
    (tmp_path / "a.db").write_bytes(before)
    again = over(SqliteStore(tmp_path / "a.db"), collection)
    with pytest.raises(StoreError, match="put back to an earlier state"):
        ids(again, "fee")
    with pytest.raises(StoreError, match="another database's"):
        again.put_many([one("d", "fee")], added_at=WHEN)
    again.following.anew()
    assert ids(again, "fee") == ["a"]
    again.truth.close()


# --- somebody else's ----------------------------------------------------------------------------


def test_a_collection_of_another_database_is_refused_before_anything_is_written() -> None:
    collection = local_collection()
    over(MemoryStore(), collection).put_many([one("a", "fee")], added_at=WHEN)
    other = over(MemoryStore(), collection, fallback=True)
    with pytest.raises(StoreError, match="is another database's") as caught:
        other.put_many([one("b", "fee")], added_at=WHEN)
    assert "search_collection" in caught.value.hint
    assert other.truth.documents(Reader()) == ()
    with pytest.raises(StoreError, match="is another database's"):
        ids(other, "fee")


def test_a_collection_that_pincite_did_not_make_is_refused_and_left_alone() -> None:
    store = over(MemoryStore(), fallback=True)
    client = in_qdrant(store)
    client.create_collection("pincite", vectors_config=models.VectorParams(size=2, distance="Cosine"))
    client.upsert("pincite", [models.PointStruct(id=1, vector=[1.0, 0.0])])
    with pytest.raises(StoreError, match="not made by pincite"):
        store.put_many([one("a", "fee")], added_at=WHEN)
    assert client.count("pincite").count == 1


@pytest.mark.parametrize(
    "mark",
    [
        {"pincite": {"schema": 99}},
        {"pincite": None},
        {},
        {"pincite": {"schema": 1, "identity": "x", "made": "y", "mean": "far", "generation": 1, "begun": 1}},
        {"pincite": {"schema": 1, "identity": "x", "made": "y", "mean": -1, "generation": 1, "begun": 1}},
    ],
)
def test_a_mark_of_another_version_is_refused(mark: dict[str, Any]) -> None:
    store = over(MemoryStore(), fallback=True)
    store.put_many([one("a", "fee")], added_at=WHEN)
    in_qdrant(store).overwrite_payload("pincite", mark, points=[MARK_ID])
    with pytest.raises(StoreError, match="schema") as caught:
        store.put_many([one("b", "fee")], added_at=WHEN)
    assert "--anew" in caught.value.hint


@pytest.mark.parametrize(
    "address", ["http://", "http://host:port", "https://[::1", "https://me:very-secret@host"]
)
def test_an_address_that_cannot_be_one_is_said_at_start(address: str) -> None:
    with pytest.raises(ConfigError, match="cannot be the address") as caught:
        open_client(QdrantOptions(address))
    assert "very-secret" not in str(caught.value)


def test_the_key_stands_in_no_message() -> None:
    options = QdrantOptions("http://127.0.0.1:9", api_key="very-secret", timeout_s=1)
    collection = Collection(open_client(options), options)
    with pytest.raises(StoreError) as caught:
        collection.mark()
    assert "very-secret" not in f"{caught.value!r}{caught.value}{collection.where}"
    assert "very-secret" not in repr(options)
