"""What the SQLite store does beside the contract: files, processes, threads, interruptions."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pincite.errors import StoreError
from pincite.ports.stored import IndexedChunk
from pincite.search import search
from pincite.stores.sqlite import SqliteStore
from pincite.stores.sqlite_schema import SCHEMA_VERSION, check_sqlite
from pincite.types import Chunk, ChunkId, DocId, Document, Question, Reader, Span

WHEN = "2026-01-02T03:04:05Z"


def entry(doc_id: str, text: str, **fields: str) -> tuple[Document, list[IndexedChunk]]:
    source = Document(doc_id, text, **{"access_level": "public", **fields})  # type: ignore[arg-type]
    chunk = Chunk(ChunkId(f"{doc_id}-chunk-0"), DocId(doc_id), 0, Span(0, len(text)), text)
    return source, [IndexedChunk(chunk, tuple(text.split()))]


def found(store: SqliteStore, word: str) -> list[str]:
    return [hit.chunk.doc_id for hit in search(Question(word), store)]


# --- opening ------------------------------------------------------------------------------------


def test_what_was_stored_is_there_after_reopening(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "a.db")
    store.put(*entry("a", "red"), added_at=WHEN)
    store.close()
    assert found(SqliteStore(tmp_path / "a.db"), "red") == ["a"]


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear reader, " * 100)
    with pytest.raises(StoreError, match=r"not a database.*choose another path") as caught:
        SqliteStore(path)
    assert caught.value.where == str(path)
    assert path.read_text() == "Dear reader, " * 100


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.db") as other:
        other.execute("CREATE TABLE birds (name)")
    with pytest.raises(StoreError, match="not made by pincite"):
        SqliteStore(tmp_path / "a.db")


def test_a_database_of_another_schema_says_what_to_do(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "a.db").close()
    with sqlite3.connect(tmp_path / "a.db") as later:
        later.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(
        StoreError, match=f"schema {SCHEMA_VERSION + 1}, this pincite reads .*add the documents again"
    ):
        SqliteStore(tmp_path / "a.db")


def test_a_missing_folder_is_a_store_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="folder exists"):
        SqliteStore(tmp_path / "nowhere" / "a.db")


def test_a_missing_database_can_be_left_missing(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"no database yet.*pincite add"):
        SqliteStore(tmp_path / "a.db", create=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_a_store_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="writable"):
        SqliteStore(tmp_path / "a.db")


def test_a_broken_database_is_a_store_error(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    store = SqliteStore(path)
    for n in range(50):
        store.put(*entry(f"doc-{n}", f"red {n} " * 500), added_at=WHEN)
    store.close()
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    path.write_bytes(bytes(data))
    with pytest.raises(StoreError, match="restore a backup"):
        found(SqliteStore(path), "red")


def test_this_pythons_sqlite_is_good_enough() -> None:
    assert check_sqlite() == (True, f"SQLite {sqlite3.sqlite_version}")


# --- together -----------------------------------------------------------------------------------


def test_a_locked_database_says_who_is_in_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pincite.stores.sqlite_schema.BUSY_TIMEOUT_S", 0.05)
    store = SqliteStore(tmp_path / "a.db")
    writer = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="another process is writing"):
        store.put(*entry("a", "red"), added_at=WHEN)
    writer.execute("ROLLBACK")
    store.put(*entry("a", "red"), added_at=WHEN)
    assert found(store, "red") == ["a"]


def test_a_reader_keeps_its_view_while_another_store_writes(tmp_path: Path) -> None:
    one, other = SqliteStore(tmp_path / "a.db"), SqliteStore(tmp_path / "a.db")
    one.put(*entry("a", "red"), added_at=WHEN)
    with one.reading():
        before = one.generation
        other.put(*entry("b", "red"), added_at=WHEN)
        other.remove(DocId("a"))
        assert found(one, "red") == ["a"]
        assert one.generation == before
    assert found(one, "red") == ["b"]
    assert one.generation == before + 2


def test_term_ids_learned_before_another_process_removed_words_are_not_used(tmp_path: Path) -> None:
    one, other = SqliteStore(tmp_path / "a.db"), SqliteStore(tmp_path / "a.db")
    one.put(*entry("a", "red"), added_at=WHEN)
    other.remove(DocId("a"))
    other.put(*entry("b", "blue"), added_at=WHEN)
    one.put(*entry("c", "red"), added_at=WHEN)
    assert (found(other, "red"), found(other, "blue")) == (["c"], ["b"])


def test_threads_share_a_store(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "a.db")
    faults: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for step in range(5):
                store.put(*entry(f"doc-{number}-{step}", f"red {number}"), added_at=WHEN)
                assert found(store, "red")
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(store.documents(Reader())) == 20
    store.close()


def test_a_word_that_only_a_removed_document_used_leaves_the_file(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "a.db")
    store.put_many([entry("a", "xylophone sonata"), entry("b", "sonata")], added_at=WHEN)
    store.remove(DocId("a"))
    with sqlite3.connect(tmp_path / "a.db") as db:
        assert db.execute("SELECT term FROM terms").fetchall() == [("sonata",)]
        assert db.execute("SELECT count(*) FROM postings").fetchone() == (1,)


def test_a_large_index_maps_its_vectors_from_a_file_of_their_generation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def put(store: SqliteStore, doc_id: str, *direction: float) -> None:
        source, (item,) = entry(doc_id, f"text of {doc_id}")
        vector = np.array(direction, dtype=np.float32)
        store.put(source, [replace(item, vector=vector)], added_at=WHEN, embedder="compass")

    def nearest(store: SqliteStore) -> list[str]:
        keys, _ = store.nearest(np.array([1, 0, 0], dtype=np.float32), Reader(), (), 2)
        return [chunk.doc_id for chunk, _ in store.load(keys.tolist(), Reader())]

    monkeypatch.setattr("pincite.stores.mapped.MAPPED_FROM_ROWS", 1)
    path = tmp_path / "a[1].db"
    one, other = SqliteStore(path), SqliteStore(path)
    put(one, "north", 0, 1, 0)
    put(one, "east", 1, 0, 0)
    assert nearest(one) == nearest(other) == ["east", "north"]
    (first,) = tmp_path.glob("*.vectors")
    put(other, "almost-east", 0.8, 0.6, 0)
    assert nearest(one) == nearest(other) == ["east", "almost-east"]
    (second,) = tmp_path.glob("*.vectors*")
    assert first.name != second.name
    second.write_bytes(second.read_bytes()[:-1])
    assert nearest(SqliteStore(path)) == ["east", "almost-east"]


# --- interruptions ------------------------------------------------------------------------------

_ADD_UNTIL_STOPPED = textwrap.dedent("""
    import sys
    from pathlib import Path
    from tests.stores.test_sqlite import WHEN, entry
    from pincite.stores.sqlite import SqliteStore
    store = SqliteStore(Path(sys.argv[1]))
    for n in range(100_000):
        store.put_many([entry(f"{n}-{part}", f"red {n} {part}") for part in range(20)], added_at=WHEN)
        print(n, flush=True)
""")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT"])
def test_a_stopped_process_loses_nothing_it_had_stored(how: str, tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(root), str(root / "src")))}
    with subprocess.Popen(
        [sys.executable, "-c", _ADD_UNTIL_STOPPED, str(tmp_path / "a.db")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    ) as adding:
        assert adding.stdout is not None
        done = [adding.stdout.readline() for _ in range(3)]
        adding.send_signal(getattr(signal, how))
        done += adding.stdout.read().split()
    last = int(done[-1])
    store = SqliteStore(tmp_path / "a.db")
    count = len(store.documents(Reader()))
    assert count >= 20 * (last + 1)
    assert count % 20 == 0
    assert store.postings(("red",), Reader(), ()).chunk_count == count
    assert store.postings(("red",), Reader(), ()).document_frequency == (count,)
    store.put(*entry("later", "blue"), added_at=WHEN)
    assert found(store, "blue") == ["later"]


def test_a_second_process_sees_a_finished_add(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "a.db")
    store.put(*entry("a", "red"), added_at=WHEN)
    assert found(store, "red") == ["a"]
    before = store.generation
    root = Path(__file__).parents[2]
    code = (
        "import sys; from pathlib import Path; from tests.stores.test_sqlite import WHEN, entry; "
        "from pincite.stores.sqlite import SqliteStore; "
        "SqliteStore(Path(sys.argv[1])).put(*entry('b', 'red too'), added_at=WHEN)"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.db")],
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(root), str(root / "src")))},
    )
    assert store.generation == before + 1
    assert found(store, "red") == ["a", "b"]


def test_threads_that_have_ended_leave_no_connection_open(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "a.db")
    try:
        for _ in range(5):
            thread = threading.Thread(target=lambda: store.generation)
            thread.start()
            thread.join()
        assert len(store._connections) <= 2
    finally:
        store.close()
