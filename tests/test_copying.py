"""A copy holds what its source holds, to the byte, whatever interrupts it."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pincite import Document, Pipeline, chain
from pincite.access import EVERYTHING
from pincite.copying import copy, digest
from pincite.errors import StoreError
from pincite.ports import Floats
from pincite.ports.stored import StoredAnswer, StoredFeedback, StoredReview, StoredRun
from pincite.ports.stores import Copied
from pincite.search import search
from pincite.stores.memory import MemoryStore
from pincite.stores.sqlite import SqliteStore
from pincite.types import AnswerId, DocId, Question
from tests import postgres_server

OPEN: dict[str, Callable[[Path], Copied]] = {
    "memory": lambda _: MemoryStore(),
    "sqlite": lambda folder: SqliteStore(folder / "copy.db"),
}
if postgres_server.INSTALLED:
    OPEN["postgres"] = lambda _: postgres_server.opened()
NAMES = [pytest.param(name, marks=pytest.mark.servers) if name == "postgres" else name for name in OPEN]


class Letters:
    """Vectors of the letters in a text."""

    fingerprint, dimension = "letters", 26

    def documents(self, texts: Any) -> Floats:
        rows = [[text.lower().count(chr(97 + i)) + 0.1 for i in range(26)] for text in texts]
        return np.array([np.array(row) / np.linalg.norm(row) for row in rows], dtype=np.float32)

    def query(self, text: str) -> Floats:
        found: Floats = self.documents([text])[0]
        return found


def fill(store: Copied, folder: Path) -> Copied:
    """Documents with originals, one cited and then changed, one removed, one that nobody may read; a log of all kinds."""
    docs = folder / "docs"
    docs.mkdir(exist_ok=True)
    for number in range(6):
        (docs / f"room-{number}.md").write_text(
            f"# Room {number}\n\nRoom {number} opens at {number + 8} o'clock.\n\nNo dogs.\n"
        )
    rag = Pipeline(store=store, embedder=Letters())
    rag.add(docs)
    when = "2026-11-30T12:00:00Z"
    cited = {"doc_id": "room-3", "document_hash": store.content_hash(DocId("room-3"))}
    body = json.dumps({"citations": [cited]})
    store.save_answer(StoredAnswer(AnswerId("ans_cites"), when, "public", "When?", "ANSWERED", body))
    first = rag.ask("When does room 3 open?")
    second = rag.ask("When does room 5 open?")
    (docs / "room-3.md").write_text("# Room 3\n\nRoom 3 opens at noon.\n\nNo dogs.\n")
    rag.refresh()
    rag.remove("room-5")
    rag.add(Document("late \ud800", "Late\x00 text.", access_level="confidential"))
    store.put(
        Document("hidden", "Nobody reads it.", access_level="secret"), [], added_at="2026-01-01T00:00:00Z"
    )
    Pipeline(store=store, embedder=None).add(Document("words", "Words alone have no vectors."))
    store.save_feedback(StoredFeedback("f1", AnswerId(first.id), when, "public", "up"))
    store.save_review(StoredReview("r1", AnswerId(second.id), when, "internal", "right", "ann"))
    store.save_run(StoredRun("run1", when, "public", "{}"))
    rag.ask("May dogs come?")
    return store


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Copied]:
    with closing(SqliteStore(tmp_path / "source.db")) as store:
        yield fill(store, tmp_path)


def assert_same(one: Copied, two: Copied) -> None:
    assert one.doc_ids() == two.doc_ids()
    assert [digest(one, doc_id) for doc_id in one.doc_ids()] == [
        digest(two, doc_id) for doc_id in two.doc_ids()
    ]
    assert list(one.blobs.all_keys()) == list(two.blobs.all_keys())
    assert list(one.log_entries()) == list(two.log_entries())
    assert one.log_head() == two.log_head()
    for rows in ("answers", "feedback", "reviews", "runs"):
        assert getattr(one, rows)(EVERYTHING) == getattr(two, rows)(EVERYTHING)
    assert chain.check(two.log_entries(), two.log_head(), two.log_rows()).whole


@pytest.mark.parametrize("kind", NAMES)
def test_a_copy_holds_all_that_its_source_holds(source: Copied, kind: str, tmp_path: Path) -> None:
    with closing(OPEN[kind](tmp_path)) as target:
        report = copy(source, target)
        assert_same(source, target)
        assert (report.documents, report.tombstones, report.versions) == (8, 1, 1)
        assert (report.answers, report.feedback, report.reviews, report.runs) == (4, 1, 1, 1)
        assert report.lost == report.faults == ()
        assert list(target.problems()) == []
        for question in ("room opens", "dogs", "late text"):
            asked = Question(question, reader=EVERYTHING)
            found = [search(asked, store, embedder=Letters()) for store in (source, target)]
            assert found[0] == found[1] != ()


@pytest.mark.parametrize("kind", [name for name in NAMES if name != "sqlite"])
def test_a_copy_of_a_copy_is_the_same(source: Copied, kind: str, tmp_path: Path) -> None:
    with closing(OPEN[kind](tmp_path)) as between, closing(SqliteStore(tmp_path / "again.db")) as again:
        copy(source, between)
        copy(between, again)
        assert_same(source, again)


def test_chunk_numbers_are_not_given_again_in_the_copy(source: Copied, tmp_path: Path) -> None:
    target = MemoryStore()
    copy(source, target)
    Pipeline(store=target, embedder=None).add(Document("room-5", "Room 5 is back."))
    Pipeline(store=source, embedder=None).add(Document("room-5", "Room 5 is back."))
    assert source.chunk_numbers(DocId("room-5")) == target.chunk_numbers(DocId("room-5"))


@pytest.mark.parametrize("kind", NAMES)
def test_chunk_numbers_of_what_an_early_release_removed_are_copied(kind: str, tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "old.db")) as old, closing(OPEN[kind](tmp_path)) as target:
        Pipeline(store=old, embedder=None).add(
            Document("room-6", "Room 6 has a desk.", access_level="public")
        )
        with closing(sqlite3.connect(tmp_path / "old.db")) as db, db:
            db.execute("INSERT INTO numbers VALUES ('room-5', 7)")
        copy(old, target)
        assert target.chunk_numbers(DocId("room-5")) == ((), 7)
        assert target.removed(EVERYTHING) == ()
        assert copy(old, target).copied == 0


def test_a_copy_catches_up_with_what_changed_since(source: Copied, tmp_path: Path) -> None:
    target = SqliteStore(tmp_path / "copy.db")
    copy(source, target)
    rag = Pipeline(store=source, embedder=Letters())
    rag.add(Document("room-1", "Room 1 moved to the annex."), Document("new", "A new room."))
    source.remove(DocId("room-3"), removed_at="2026-12-01T00:00:00Z")
    rag.ask("Where is room 1?")
    source.erase_answer(source.answers(EVERYTHING)[-1].answer_id, at="2026-12-01T00:00:00Z", why="asked")
    report = copy(source, target)
    assert report.copied <= 3
    assert_same(source, target)
    target.close()


class Interrupted(Exception):
    """Stands for a kill."""


def test_a_copy_that_is_interrupted_at_any_moment_goes_on_and_ends_whole(
    source: Copied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.copying.BATCH_CHUNKS", 1)
    monkeypatch.setattr("pincite.copying.LINKS_AT_ONCE", 1)
    chance = random.Random(7)
    interrupted = 0
    for number in range(20):
        database = tmp_path / f"copy-{number}.db"
        with closing(SqliteStore(database)) as target:
            _interrupt(target, chance.randrange(1, 40), monkeypatch)
            try:
                copy(source, target)
            except Interrupted:
                interrupted += 1
        with closing(SqliteStore(database)) as target:
            copy(source, target)
            assert_same(source, target)
    assert interrupted == 20


def _interrupt(target: Copied, at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the call of that number, of those that write, be the last."""
    calls = count(1)

    def counted(real: Callable[..., Any], *words: Any, **more: Any) -> Any:
        if next(calls) == at:
            raise Interrupted
        return real(*words, **more)

    for name in ("put_many", "hold", "import_log", "note", "append_vectors", "save_run"):
        monkeypatch.setattr(target, name, partial(counted, getattr(target, name)))


def test_a_full_disk_is_an_error_and_the_copy_goes_on_when_there_is_room(
    source: Copied, tmp_path: Path
) -> None:
    Pipeline(store=source, embedder=None).add(Document("long", "Many words stand here. " * 20_000))
    with closing(SqliteStore(tmp_path / "copy.db")) as target:
        target._connection().execute("PRAGMA max_page_count = 60")
        with pytest.raises(StoreError, match="full"):
            copy(source, target)
        target._connection().execute("PRAGMA max_page_count = 100000")
        copy(source, target)
        assert_same(source, target)


def test_a_store_is_not_copied_into_itself(source: Copied, tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "source.db")) as same, pytest.raises(StoreError, match="one store"):
        copy(source, same)


def test_a_target_that_holds_something_else_is_refused_and_stays(source: Copied, tmp_path: Path) -> None:
    other = MemoryStore()
    Pipeline(store=other, embedder=None).add(Document("mine", "Mine."))
    with pytest.raises(StoreError, match="not empty"):
        copy(source, other)
    assert other.doc_ids() == ("mine",)
    third = MemoryStore()
    copy(other, third)
    with pytest.raises(StoreError, match="a copy of another store"):
        copy(source, third)


@pytest.mark.parametrize("change", ["document", "answer"])
def test_a_copy_that_was_used_since_is_not_overwritten(source: Copied, change: str) -> None:
    target = MemoryStore()
    copy(source, target)
    rag = Pipeline(store=target, embedder=None)
    if change == "document":
        rag.add(Document("room-1", "Room 1 is mine."))
    else:
        rag.ask("May dogs come?")
    with pytest.raises(StoreError, match="since it was copied, which would be lost"):
        copy(source, target)


def test_of_two_copies_into_one_target_the_later_goes_on(
    source: Copied, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.copying.BATCH_CHUNKS", 1)
    target = MemoryStore()
    started = []

    def second(done: int, total: int) -> None:
        if not started:
            started.append(done)
            copy(source, target)

    with pytest.raises(StoreError, match="another copy into this target has begun"):
        copy(source, target, progress=second)
    assert_same(source, target)


def test_what_is_written_meanwhile_does_not_mix_with_the_copy(
    source: Copied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.copying.BATCH_CHUNKS", 1)
    before = {doc_id: digest(source, doc_id) for doc_id in source.doc_ids()}
    target = MemoryStore()
    with closing(SqliteStore(tmp_path / "source.db")) as writer:

        def write(done: int, total: int) -> None:
            # Another connection, as of another process: this thread's own one is inside the copy's transaction.
            Pipeline(store=writer, embedder=None).add(Document(f"added {done}", "Added meanwhile."))

        copy(source, target, progress=write)
    assert {doc_id: digest(target, doc_id) for doc_id in target.doc_ids()} == before
    copy(source, target)
    assert_same(source, target)


def test_a_document_that_is_removed_meanwhile_with_its_original_is_no_loss(
    source: Copied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.copying.BATCH_CHUNKS", 1)
    target = MemoryStore()
    with closing(SqliteStore(tmp_path / "source.db")) as writer:
        report = copy(source, target, progress=lambda done, total: writer.remove(DocId("room-2")) and None)
    assert report.lost == ()
    assert_same(source, target)


def test_an_original_that_the_source_lacks_is_named(source: Copied, tmp_path: Path) -> None:
    key = next(iter(source.blobs.all_keys()))
    source.blobs.remove(key)
    target = MemoryStore()
    report = copy(source, target)
    assert [one[13:25] for one in report.lost] == [key[:12]]
    assert target.doc_ids() == source.doc_ids()


def test_a_log_with_a_fault_is_copied_with_it_and_says_so(source: Copied, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "source.db")) as db, db:
        db.execute("UPDATE answers SET status = 'forged'")
    report = copy(source, MemoryStore())
    assert len(report.faults) == 4
