"""The PostgreSQL store beside the contract: the second fence, lost connections, other processes, rights, standbys."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from tests import postgres_server

from pincite.errors import ConfigError, StoreError, StoreMissing
from pincite.ports.stored import IndexedChunk, StoredAnswer
from pincite.search import search
from pincite.stores.memory import MemoryStore
from pincite.types import AccessLevel, AnswerId, Chunk, ChunkId, DocId, Document, Question, Reader, Span

pytestmark = pytest.mark.skipif(not postgres_server.INSTALLED, reason=postgres_server.WHY_NOT)

WHEN = "2026-01-02T03:04:05Z"
PUBLIC, EVERYONE = Reader(), Reader(AccessLevel.CONFIDENTIAL)


def entry(
    doc_id: str, text: str, vector: list[float] | None = None, **fields: Any
) -> tuple[Document, list[IndexedChunk]]:
    source = Document(doc_id, text, **{"access_level": "public", **fields})
    chunk = Chunk(ChunkId(f"{doc_id}-chunk-0"), DocId(doc_id), 0, Span(0, len(text)), text)
    made = None if vector is None else np.array(vector, dtype=np.float32)
    return source, [IndexedChunk(chunk, tuple(text.split()), made)]


def found(store: Any, word: str) -> list[str]:
    return [hit.chunk.doc_id for hit in search(Question(word), store)]


@pytest.fixture
def store() -> Iterator[Any]:
    opened = postgres_server.opened()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def mortal() -> Iterator[postgres_server.Server]:
    """A server that a test may end."""
    server = postgres_server.another_server()
    yield server
    server.stop()


# --- the second fence ---------------------------------------------------------------------------


def test_a_connection_that_sets_no_reader_sees_no_row(store: Any) -> None:
    from pincite.stores.postgres_schema import FENCED

    fill_everything(store)
    with store._session.reading() as here:
        here.db.execute("SELECT set_config('pincite.reader', '', true)")
        seen = {table: here.db.execute(f"SELECT count(*) FROM {table}").fetchone() for table in FENCED}
        assert set(seen.values()) == {(0,)}
        store._session.as_writer(here)
        there = {table: here.db.execute(f"SELECT count(*) FROM {table}").fetchone() for table in FENCED}
        assert [table for table, count in there.items() if count == (0,)] in ([], ["notes"])


def fill_everything(store: Any) -> None:
    """A row in every table, above what a public reader may see."""
    hidden = {"access_level": "confidential"}
    import hashlib

    data = b"secret bytes"
    source, chunks = entry(
        "a", "first red", [1, 0], blob=hashlib.sha256(data).hexdigest(), original=data, **hidden
    )
    store.put(source, chunks, added_at=WHEN, embedder="e")
    body = f'{{"citations": [{{"doc_id": "a", "document_hash": "{source.content_hash}"}}]}}'
    store.save_answer(StoredAnswer(AnswerId("ans_1"), WHEN, "confidential", "q", "ANSWERED", body))
    store.put(*entry("a", "second red", [0, 1], **hidden), added_at=WHEN, embedder="e")
    store.put(*entry("b", "blue", **hidden), added_at=WHEN)
    store.remove(DocId("b"), removed_at=WHEN)
    from pincite.ports.stored import StoredFeedback, StoredReview, StoredRun

    store.save_feedback(StoredFeedback("f", AnswerId("ans_1"), WHEN, "confidential", "helpful"))
    store.save_review(StoredReview("r", AnswerId("ans_1"), WHEN, "confidential", "right", "Ann"))
    store.save_run(StoredRun("run", WHEN, "confidential", "{}"))


def test_what_is_above_a_reader_cannot_be_selected_even_by_a_query_that_forgets_the_filter(
    store: Any,
) -> None:
    store.put(*entry("open", "red", [1, 0]), added_at=WHEN, embedder="e")
    store.put(*entry("shut", "secretword", [0, 1], access_level="internal"), added_at=WHEN, embedder="e")
    with store.reading():
        rows = store._session.rows
        for table in ("documents", "texts", "chunks", "vectors", "levels", "postings"):
            assert len(rows(f"SELECT * FROM {table}", top=0)) == 1
            assert len(rows(f"SELECT * FROM {table}", top=1)) == 2
        assert [term for (term,) in rows("SELECT term FROM terms", top=0)] == ["red"]


def test_the_role_of_the_tests_is_bound_by_the_fence_and_doctor_says_when_one_is_not(store: Any) -> None:
    assert store.warnings() == ()
    from pincite.stores.postgres import PostgresStore

    owner = PostgresStore(postgres_server.server().admin_url, schema=postgres_server.new_schema())
    assert "superuser" in owner.warnings()[0][0]
    owner.close()


def test_what_looks_like_sql_is_text(store: Any) -> None:
    odd = "a'; DROP TABLE documents; --"
    store.put(*entry(odd, "red %s %b {} $1", kind='" OR true --'), added_at=WHEN)
    assert store.content_hash(DocId(odd)) is not None
    assert found(store, "red") == [odd]
    assert search(Question("red", filters=(("kind", "x' OR '1'='1"),)), store) == ()
    assert [
        hit.chunk.doc_id for hit in search(Question("red", filters=(("kind", '" OR true --'),)), store)
    ] == [odd]


# --- opening ------------------------------------------------------------------------------------


def opened_with(**changes: Any) -> Any:
    from pincite.stores.postgres import PostgresStore

    given = {"url": postgres_server.server().url, "schema": postgres_server.new_schema(), **changes}
    return PostgresStore(given.pop("url"), **given)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:topsecret@127.0.0.1:1/docs?connect_timeout=2",
        "postgresql://ann@/docs?host=/nowhere&password=topsecret",
    ],
)
def test_a_server_that_is_not_there_is_an_error_without_the_password(url: str) -> None:
    with pytest.raises(StoreError, match=r"cannot be reached.*see that it runs") as caught:
        opened_with(url=url)
    assert "topsecret" not in str(caught.value)
    assert caught.value.where.startswith("postgresql://ann@")


def test_an_address_that_cannot_be_read_is_not_repeated() -> None:
    with pytest.raises(ConfigError, match="cannot be read") as caught:
        opened_with(url="postgresql://ann:topsecret@h:port/d?x=%zz")
    assert "topsecret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_database_that_is_not_there_says_how_to_make_one() -> None:
    with pytest.raises(StoreError, match="createdb"):
        opened_with(url=postgres_server.server().url_of(postgres_server.ROLE, "nowhere"))


def test_an_index_that_is_not_there_can_be_left_missing() -> None:
    schema = postgres_server.new_schema()
    with pytest.raises(StoreMissing, match="pincite add"):
        opened_with(schema=schema, create=False)
    assert postgres_server.server().admin(f"SELECT to_regnamespace('{schema}')") == [(None,)]


def test_a_schema_of_somebody_else_is_left_alone() -> None:
    schema = postgres_server.new_schema()
    postgres_server.server().admin(f"CREATE SCHEMA {schema}", f"CREATE TABLE {schema}.birds (name text)")
    with pytest.raises(StoreError, match="not made by pincite"):
        opened_with(schema=schema)


def test_several_that_open_a_new_index_at_once_all_can() -> None:
    url, schema = postgres_server.server().url, postgres_server.new_schema()
    all_are_there = Barrier(4)

    def open_it(_number: int) -> int:
        all_are_there.wait()
        store = opened_with(url=url, schema=schema)
        try:
            return int(store.generation)
        finally:
            store.close()

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(open_it, range(4))) == [0] * 4


def test_a_schema_of_a_later_version_is_refused() -> None:
    schema = postgres_server.new_schema()
    opened_with(schema=schema).close()
    postgres_server.server().admin(f"UPDATE {schema}.state SET version = 99")
    with pytest.raises(StoreError, match="schema 99, this pincite reads 1"):
        opened_with(schema=schema)


def test_an_older_schema_is_brought_to_this_version_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = postgres_server.new_schema()
    old = opened_with(schema=schema)
    old.put(*entry("a", "red"), added_at=WHEN)
    old.close()
    monkeypatch.setattr("pincite.stores.postgres_schema.SCHEMA_VERSION", 2)
    monkeypatch.setattr(
        "pincite.stores.postgres_schema.MIGRATIONS",
        {2: "ALTER TABLE documents ADD COLUMN colour text;\nUPDATE documents SET colour = 'red';\n"},
    )
    new = opened_with(schema=schema)
    assert found(new, "red") == ["a"]
    new.close()
    assert postgres_server.server().admin(f"SELECT version FROM {schema}.state") == [(2,)]
    assert postgres_server.server().admin(f"SELECT colour FROM {schema}.documents") == [("red",)]


def test_a_migration_that_fails_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = postgres_server.new_schema()
    opened_with(schema=schema).close()
    monkeypatch.setattr("pincite.stores.postgres_schema.SCHEMA_VERSION", 2)
    monkeypatch.setattr(
        "pincite.stores.postgres_schema.MIGRATIONS",
        {2: "ALTER TABLE documents ADD COLUMN colour text;\nSELECT 1 / 0;\n"},
    )
    with pytest.raises(StoreError, match="division by zero"):
        opened_with(schema=schema)
    monkeypatch.undo()
    opened_with(schema=schema).close()


def test_a_role_that_may_not_make_the_schema_is_told_what_is_missing() -> None:
    server = postgres_server.server()
    server.admin("DROP ROLE IF EXISTS pincite_guest", "CREATE ROLE pincite_guest LOGIN")
    with pytest.raises(StoreError, match=r"too few rights.*docs/postgres\.md"):
        opened_with(url=server.url_of("pincite_guest"))


def test_a_role_that_may_not_set_up_pgvector_is_told_who_must() -> None:
    server = postgres_server.server()
    server.admin("DROP DATABASE IF EXISTS bare", "CREATE DATABASE bare")
    with pytest.raises(
        StoreError, match="let an administrator run, in this database: CREATE EXTENSION vector"
    ):
        opened_with(url=server.url_of(postgres_server.ROLE, "bare"))


def test_a_database_that_cannot_hold_every_language_is_refused() -> None:
    server = postgres_server.server()
    server.admin(
        "DROP DATABASE IF EXISTS latin",
        "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0",
    )
    with pytest.raises(StoreError, match=r"encoding LATIN1.*--encoding=UTF8"):
        opened_with(url=server.url_of("postgres", "latin"))


# --- lost connections ---------------------------------------------------------------------------


def cut_all(store: Any) -> None:
    """What a restart of the server or a broken network does to the connections of the tests."""
    postgres_server.server().admin(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'pincite'"
    )


def test_a_search_goes_on_when_its_connection_is_lost(store: Any) -> None:
    store.put(*entry("a", "red"), added_at=WHEN)
    assert found(store, "red") == ["a"]
    cut_all(store)
    assert found(store, "red") == ["a"]
    with store.reading():
        before = store.postings(("red",), PUBLIC, ())
        cut_all(store)
        after = store.postings(("red",), PUBLIC, ())
        assert after.matches[0].keys.tolist() == before.matches[0].keys.tolist()


def test_a_search_does_not_go_on_in_an_index_that_has_changed(store: Any) -> None:
    other = opened_with(schema=store._session.schema)
    store.put(*entry("a", "red"), added_at=WHEN)
    with store.reading():
        assert store.document(DocId("a"), PUBLIC).text == "red"
        other.put(*entry("a", "blue"), added_at=WHEN)
        assert store.document(DocId("a"), PUBLIC).text == "red"
        cut_all(store)
        with pytest.raises(StoreError, match=r"index has changed since.*ask again"):
            store.document(DocId("a"), PUBLIC)
    assert store.document(DocId("a"), PUBLIC).text == "blue"
    other.close()


def test_a_write_whose_connection_is_lost_stores_nothing_and_says_so(store: Any) -> None:
    store.put(*entry("a", "red"), added_at=WHEN)

    def put_two() -> None:
        with store.writing():
            store.put(*entry("b", "red"), added_at=WHEN)
            cut_all(store)
            store.put(*entry("c", "red"), added_at=WHEN)

    with pytest.raises(StoreError, match="nothing was stored"):
        put_two()
    assert [one.info.doc_id for one in store.documents(PUBLIC)] == ["a"]
    store.put(*entry("b", "red"), added_at=WHEN)
    assert sorted(found(store, "red")) == ["a"]  # b says the same as a
    assert list(store.problems()) == []


class Interrupted:
    """A connection whose reply to COMMIT never comes. ``arrives`` says whether the COMMIT itself does."""

    def __init__(self, db: Any, *, arrives: bool) -> None:
        self._db, self._arrives = db, arrives

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)

    def execute(self, query: Any, *values: Any, **options: Any) -> Any:
        import psycopg

        if query == "COMMIT":
            if self._arrives:
                self._db.execute(query)
            self._db.close()
            raise psycopg.OperationalError("server closed the connection unexpectedly")
        return self._db.execute(query, *values, **options)


@pytest.mark.parametrize("arrives", [True, False])
def test_a_lost_reply_to_a_commit_is_looked_up(store: Any, arrives: bool) -> None:
    def put() -> None:
        with store.writing():
            store.put(*entry("a", "red"), added_at=WHEN)
            here = store._session.current
            here.db = Interrupted(here.db, arrives=arrives)

    if arrives:
        put()
        assert found(store, "red") == ["a"]
    else:
        with pytest.raises(StoreError, match="nothing was stored"):
            put()
        assert found(store, "red") == []
    assert store.generation == int(arrives)


def test_an_answer_is_logged_once_though_the_connection_is_lost(store: Any) -> None:
    answer = StoredAnswer(AnswerId("ans_1"), WHEN, "public", "q", "ANSWERED", "{}")
    started = store._session._started
    tries = []

    def lossy(**options: Any) -> Any:
        here = started(**options)
        tries.append(here)
        if options.get("write") and len(tries) == 1:
            here.db = Interrupted(here.db, arrives=True)
        return here

    store._session._started = lossy
    store.save_answer(answer)
    store._session._started = started
    assert len(tries) == 2
    assert store.answers(PUBLIC) == (answer,)
    assert [one.kind for one in store.log_entries()] == ["answer"]


def test_a_statement_that_takes_too_long_is_an_error_that_says_so() -> None:
    slow = opened_with(timeout_s=0.2)
    slow.put(*entry("a", "red"), added_at=WHEN)
    with pytest.raises(StoreError, match=r"took too long.*timeout_s"), slow.reading():
        slow._session.rows("SELECT pg_sleep(5)")
    assert found(slow, "red") == ["a"]
    slow.close()


def test_a_full_disk_is_an_error_that_says_so_and_nothing_is_stored(
    store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error is the server's own, raised where it would be: a statement in the middle of an addition."""
    import psycopg

    store.put(*entry("a", "red"), added_at=WHEN)

    def full(*_: Any) -> None:
        raise psycopg.errors.DiskFull('could not extend file "base/5/16421": No space left on device')

    monkeypatch.setattr("pincite.stores.postgres_terms.write", full)
    with pytest.raises(
        StoreError, match=r"nothing was stored: the disk of the server is full.*free some space"
    ):
        store.put(*entry("b", "blue"), added_at=WHEN)
    monkeypatch.undo()
    assert [one.info.doc_id for one in store.documents(PUBLIC)] == ["a"]
    assert list(store.problems()) == []


def test_a_server_that_dies_and_comes_back_is_found_again(mortal: postgres_server.Server) -> None:
    store = opened_with(url=mortal.url)
    store.put(*entry("a", "red"), added_at=WHEN)
    mortal.kill()
    with pytest.raises(StoreError, match="cannot be reached"):
        found(store, "red")
    with pytest.raises(StoreError, match="nothing was stored"):
        store.put(*entry("b", "blue"), added_at=WHEN)
    mortal.start()
    assert found(store, "red") == ["a"]
    store.put(*entry("b", "blue"), added_at=WHEN)
    assert found(store, "blue") == ["b"]
    assert list(store.problems()) == []
    store.close()


def test_a_standby_answers_and_refuses_to_be_written_to(mortal: postgres_server.Server) -> None:
    schema = postgres_server.new_schema()
    first = opened_with(url=mortal.url, schema=schema)
    first.put(*entry("a", "red", [1, 0]), added_at=WHEN, embedder="e")
    standby = mortal.standby()
    behind = opened_with(url=standby.url, schema=schema)
    assert found(behind, "red") == ["a"]
    assert behind.nearest(np.array([1, 0], dtype=np.float32), PUBLIC, (), 5)[0].tolist() == [0]
    assert "standby" in behind.warnings()[0][0]
    for write in (
        lambda: behind.put(*entry("b", "blue"), added_at=WHEN),
        lambda: behind.save_answer(StoredAnswer(AnswerId("x"), WHEN, "public", "q", "ANSWERED", "{}")),
    ):
        with pytest.raises(StoreError, match=r"standby.*set \[store\] url to the primary"):
            write()
    # Behind is behind, never wrong: one generation, whole.
    standby.admin("SELECT pg_wal_replay_pause()")
    first.put(*entry("a", "blue", [0, 1]), added_at=WHEN, embedder="e")
    assert (found(behind, "red"), found(behind, "blue"), behind.generation) == (["a"], [], 1)
    standby.admin("SELECT pg_wal_replay_resume()")
    wait_until(lambda: behind.generation == 2)
    assert (found(behind, "red"), found(behind, "blue")) == ([], ["a"])
    behind.close()
    first.close()
    standby.stop()


def wait_until(holds: Any) -> None:
    import time

    for _ in range(200):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("waited in vain")


# --- together -----------------------------------------------------------------------------------


def test_a_document_added_by_one_process_is_found_by_another_at_its_next_question(store: Any) -> None:
    other = opened_with(schema=store._session.schema)
    store.put(*entry("a", "red", [1, 0]), added_at=WHEN, embedder="e")
    north = np.array([0, 1], dtype=np.float32)
    assert [
        other.load([key], PUBLIC)[0][0].doc_id for key in other.nearest(north, PUBLIC, (), 9)[0].tolist()
    ] == ["a"]
    store.put(*entry("b", "blue", [0, 1]), added_at=WHEN, embedder="e")
    assert found(other, "blue") == ["b"]
    assert [
        other.load([key], PUBLIC)[0][0].doc_id for key in other.nearest(north, PUBLIC, (), 9)[0].tolist()
    ] == ["b", "a"]
    store.remove(DocId("b"))
    assert found(other, "blue") == []
    assert len(other.nearest(north, PUBLIC, (), 9)[0]) == 1
    other.close()


@pytest.mark.parametrize("where", ["memory", "server"])
def test_vectors_that_are_read_as_they_change_are_those_that_are_there(where: str) -> None:
    chance = random.Random(3)
    schema = postgres_server.new_schema()
    writer, plain = opened_with(schema=schema), MemoryStore()
    reader = opened_with(schema=schema, vectors=where)
    for step in range(30):
        name = f"d{chance.randrange(8)}"
        act = chance.random()
        level = chance.choice(["public", "internal", "confidential", None])
        made = entry(
            name, f"text {step}", unit(chance) if chance.random() < 0.8 else None, access_level=level
        )
        for one in (writer, plain):
            if act < 0.65:
                one.put(*made, added_at=WHEN, embedder="e")
            elif act < 0.8:
                one.remove(DocId(name))
            elif act < 0.9 and one.content_hash(DocId(name)) and not len(one.vectors_of(DocId(name))):
                one.append_vectors(
                    DocId(name), np.array([unit(random.Random(step))], dtype=np.float32), embedder="e"
                )
            elif act > 0.98:
                one.forget_vectors()
        asked = np.array(unit(chance), dtype=np.float32)
        for who in (PUBLIC, EVERYONE):
            for filters in ((), (("doc_id", "d1"),)):
                results = []
                for one in (plain, reader, writer):
                    vector = asked if one.embedder_fingerprint else np.empty(0, dtype=np.float32)
                    keys, cosines = one.nearest(vector, who, filters, 5)
                    texts = [chunk.text for chunk, _ in one.load(keys.tolist(), who)]
                    again = one.cosines(vector, keys.tolist()).tolist() if len(keys) else []
                    results.append((texts, cosines.tolist(), again))
                assert results[0] == results[1] == results[2], step
    for one in (writer, reader):
        one.close()


def unit(chance: random.Random) -> list[float]:
    made = np.array([chance.choice([-1.0, 0.25, 1.0]) for _ in range(4)])
    return list((made / np.linalg.norm(made)).tolist())


def test_changes_beyond_what_is_kept_beside_the_matrix_make_a_new_one(
    store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.stores.postgres_vectors.LOOSE_ROWS", 3)
    north = np.array([0, 1], dtype=np.float32)
    for number in range(12):
        store.put(*entry(f"d{number}", f"text {number}", [0, 1]), added_at=WHEN, embedder="e")
        assert len(store.nearest(north, PUBLIC, (), 99)[0]) == number + 1
    assert len(store._live._known[-1].base.keys) > 3


def test_the_graph_finds_what_the_reader_may_see() -> None:
    graph = opened_with(vectors="hnsw")
    for number in range(30):
        level = "internal" if number % 3 else "public"
        angle = number / 10
        made = entry(
            f"d{number}", f"text {number}", [float(np.cos(angle)), float(np.sin(angle))], access_level=level
        )
        graph.put(*made, added_at=WHEN, embedder="e")
    graph.build_graph()
    keys, cosines = graph.nearest(np.array([1, 0], dtype=np.float32), PUBLIC, (), 3)
    assert [info.doc_id for _, info in graph.load(keys.tolist(), PUBLIC)] == ["d0", "d3", "d6"]
    assert cosines[0] == pytest.approx(1.0)
    graph.close()


def test_writers_of_one_document_follow_each_other(store: Any) -> None:
    others = [opened_with(schema=store._session.schema) for _ in range(3)]
    errors: list[BaseException] = []

    def write(one: Any, number: int) -> None:
        try:
            for turn in range(5):
                one.put(*entry("a", f"red {number} {turn}"), added_at=WHEN)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(one, number)) for number, one in enumerate(others)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert store.generation == 15
    assert len(store.documents(PUBLIC)) == 1
    assert list(store.problems()) == []
    for one in others:
        one.close()


def test_many_threads_share_few_connections() -> None:
    store = opened_with(pool_size=2)
    store.put(*entry("a", "red"), added_at=WHEN)
    results: list[list[str]] = []
    threads = [threading.Thread(target=lambda: results.append(found(store, "red"))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [["a"]] * 20
    store.close()


def test_only_one_refresh_runs_at_a_time(store: Any) -> None:
    other = opened_with(schema=store._session.schema)
    with (
        store.refreshing(),
        pytest.raises(StoreError, match="another process is refreshing"),
        other.refreshing(),
    ):
        pass
    with other.refreshing():
        pass
    other.close()


def test_a_clock_that_goes_back_changes_no_order(store: Any) -> None:
    other = opened_with(schema=store._session.schema)
    store.save_answer(StoredAnswer(AnswerId("x"), "2026-01-02T00:00:00Z", "public", "q", "ANSWERED", "{}"))
    other.save_answer(StoredAnswer(AnswerId("y"), "2026-01-01T00:00:00Z", "public", "q", "ANSWERED", "{}"))
    assert [one.answer_id for one in store.answers(PUBLIC)] == ["y", "x"]
    assert [one.position for one in store.log_entries()] == [1, 2]
    other.close()


def test_originals_may_be_kept_elsewhere(tmp_path: Any) -> None:
    import hashlib

    from pincite.blobs import Blobs

    store = opened_with(blobs=Blobs(tmp_path / "blobs"))
    source, chunks = entry("a", "red", blob=hashlib.sha256(b"x").hexdigest(), original=b"x")
    store.put(source, chunks, added_at=WHEN)
    assert list(store.blobs.all_keys()) == [source.blob]
    store.put(*entry("a", "blue"), added_at=WHEN)
    assert list(store.blobs.all_keys()) == []
    store.close()


# --- damage -------------------------------------------------------------------------------------


def test_what_somebody_changed_behind_our_back_is_found(store: Any) -> None:
    schema, admin = store._session.schema, postgres_server.server().admin
    store.put(*entry("a", "red"), added_at=WHEN)
    store.put(*entry("b", "blue"), added_at=WHEN)
    admin(f"UPDATE {schema}.texts SET text = 'rad' WHERE doc_key = 1")
    admin(f"UPDATE {schema}.levels SET chunk_count = 7")
    admin(f"DELETE FROM {schema}.chunks WHERE key = 1")
    told = "\n".join(store.problems())
    for part in ("'a' is not what was added", "'b' has 0 passages where 1", "count 7 passages"):
        assert part in told
    with pytest.raises(StoreError, match="index is damaged"):
        found(store, "blue")


@pytest.mark.parametrize("table", ["answers", "feedback", "reviews", "runs"])
def test_what_somebody_showed_to_a_lower_level_behind_our_back_is_found(store: Any, table: str) -> None:
    fill_everything(store)
    assert list(store.problems()) == []
    postgres_server.server().admin(f"UPDATE {store._session.schema}.{table} SET rank = 0")
    (told,) = store.problems()
    assert "is shown to readers of another level than its own" in told


def test_a_decision_that_was_moved_behind_our_back_is_found(store: Any) -> None:
    from pincite.logbook import verify

    fill_everything(store)
    postgres_server.server().admin(f"UPDATE {store._session.schema}.reviews SET position = 99")
    assert [one.what for one in verify(store).faults] == ["the review was moved to position 99"]


def test_a_copy_is_made_with_the_tools_of_the_server(store: Any, tmp_path: Any) -> None:
    with pytest.raises(StoreError, match="pg_dump"):
        store.backup(tmp_path / "copy.db")


def test_what_is_added_through_one_service_is_cited_by_the_other_at_its_next_answer() -> None:
    testclient = pytest.importorskip("fastapi.testclient", reason="the extra `serve` is not installed")
    from concurrent.futures import ThreadPoolExecutor

    from pincite import Pipeline
    from pincite.service.app import create_app
    from pincite.service.settings import Service
    from pincite.service.streams import Streams

    schema = postgres_server.new_schema()
    pipelines = [Pipeline(store=opened_with(schema=schema), embedder="none") for _ in range(2)]
    apps = [create_app(Service(one, streams=Streams(20), max_streams=20)) for one in pipelines]
    pipelines[0].add(Document("trash", "A deleted file stays in the trash for 30 days.", title="Trash"))

    def ask(number: int, question: str) -> list[str]:
        reply = clients[number].post("/chat", json={"question": question})
        return (
            [one["doc_id"] for one in reply.json()["citations"]] if reply.status_code == 200 else [reply.text]
        )

    with testclient.TestClient(apps[0]) as one, testclient.TestClient(apps[1]) as two:
        clients = (one, two)
        with ThreadPoolExecutor(20) as threads:
            asked = [
                threads.submit(ask, turn % 2, "How long does a deleted file stay in the trash?")
                for turn in range(20)
            ]
            assert [found.result() for found in asked] == [["trash"]] * 20
        pipelines[0].add(Document("fees", "The parking fee is 12 euros a day.", title="Fees"))
        assert ask(1, "How much is the parking fee?") == ["fees"]
        assert len(pipelines[1].parts.store.answers(PUBLIC)) == 21
    for pipeline in pipelines:
        pipeline.close()
