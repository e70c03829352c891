"""A damaged database says so, a copy is whole, and a database of the first release is brought along."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pincite import Document, Pipeline
from pincite.blobs import Blobs, blob_key
from pincite.errors import PinciteError, StoreError
from pincite.logbook import verify
from pincite.stores import sqlite_schema
from pincite.stores.sqlite import SqliteStore, blobs_folder
from pincite.stores.sqlite_schema import SCHEMA_VERSION
from pincite.types import AccessLevel, AnswerId, ChunkId, DocId, Reader

EVERYONE = Reader(AccessLevel.CONFIDENTIAL)
WHEN = "2026-01-02T03:04:05Z"
OLD = Path(__file__).with_name("schema_2.sql")


def pipeline(path: Path, *documents: Document) -> Pipeline:
    made = Pipeline(store=SqliteStore(path), embedder=None)
    if documents:
        made.add(*documents)
    return made


def fees(number: int, **fields: object) -> Document:
    text = (
        f"# Tours\n\nTour {number} costs {number} EUR.\n\n# Entry\n\nEntry {number} is free on day {number}."
    )
    return Document(f"fees-{number}", text, title=f"Fees {number}", **fields)  # type: ignore[arg-type]


# --- a database of the first release --------------------------------------------------------------


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A database with schema 2, as the first release wrote it: two documents and three answers."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(OLD.read_text("utf-8"))
        connection.execute("PRAGMA journal_mode = WAL")
    return path


def test_an_old_database_is_brought_along_with_all_it_holds(old: Path) -> None:
    with pipeline(old) as rag:
        assert [one.info.doc_id for one in rag.documents("internal")] == ["fees", "limits"]
        assert rag.ask("How long are files kept?").citations[0].chunk_id == "limits-chunk-0"
        assert len(rag.kept_answers("public")) == 3
        assert list(rag.parts.store.problems()) == []
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def test_old_answers_keep_the_version_they_cite(old: Path) -> None:
    with pipeline(old) as rag:
        rag.add(Document("limits", "# Limits\n\nUploads may be up to 50 MB.\n\nFiles are kept for 60 days."))
        (changed,) = rag.kept_answers("public", stale=True)
        assert changed["citations"][0]["now"]["anchor"] == "changed"
        cited = changed["citations"][0]["document_hash"]
        version = rag.parts.store.version(DocId("limits"), cited, EVERYONE)
        assert version is not None
        assert "30 days" in version.text


def test_a_migration_that_fails_changes_nothing(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("CREATE TABLE versions (taken)")
        connection.commit()
    with pytest.raises(StoreError, match="versions already exists"):
        SqliteStore(old)
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)
        columns = [row[1] for row in connection.execute("PRAGMA table_info(documents)")]
        assert "blob" not in columns


@pytest.fixture
def third(tmp_path: Path) -> Path:
    """A database with schema 3: three answers, feedback, and the version of a document that an answer cites."""
    path = tmp_path / "third.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(OLD.with_name("schema_3.sql").read_text("utf-8"))
        connection.execute("PRAGMA journal_mode = WAL")
    return path


def test_the_chain_begins_with_what_a_database_without_one_holds(third: Path) -> None:
    with pipeline(third) as rag:
        store = rag.parts.store
        kinds = [(one.kind, "imported" in one.detail) for one in store.log_entries()]
        assert kinds == [("answer", True)] * 3 + [("feedback", False)]
        assert list(store.problems()) == []
        (fee, *_) = rag.kept_answers("internal")
        assert [one["question"] for one in rag.kept_answers("internal")] == [
            "Who won the cup?",
            "What does entry cost?",
            "How long are files kept?",
        ]
        assert store.feedback(EVERYONE, answer_id=AnswerId(fee["id"])) == ()
        assert [one.note for one in store.feedback(EVERYONE)] == ["old \udcff"]
        (stale,) = rag.kept_answers("public", stale=True)
        assert stale["citations"][0]["now"]["anchor"] == "changed"
        rag.ask("What does entry cost?", reader="internal")
        assert store.log_head().position == 5
        assert list(store.problems()) == []


# --- damage -------------------------------------------------------------------------------------


def flat(path: Path) -> bytes:
    """The bytes of a closed database, all of them in the one file."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return path.read_bytes()


def use(store: SqliteStore) -> None:
    """Whatever reads."""
    rag = Pipeline(store=store, embedder=None)
    for number in range(6):
        store.document(DocId(f"fees-{number}"), EVERYONE)
        store.chunk(ChunkId(f"fees-{number}-chunk-0"), EVERYONE)
        store.chunk_numbers(DocId(f"fees-{number}"))
    store.documents(EVERYONE)
    store.languages(EVERYONE)
    rag.retrieve("What does tour 3 cost on a free day?", reader="confidential")
    rag.kept_answers("confidential")
    store.log_head()
    list(store.log_entries())
    list(store.log_rows())


def test_flipped_bytes_are_a_store_error_or_harmless_and_never_anything_else(tmp_path: Path) -> None:
    made = tmp_path / "made.db"
    with pipeline(made, *map(fees, range(6))) as rag:
        rag.ask("What does tour 3 cost?")
    data = flat(made)
    written = [at for at in range(100, len(data)) if data[at]]
    chance, told = random.Random(5), 0
    for number in range(60):
        damaged = bytearray(data)
        damaged[chance.choice(written)] ^= 255
        path = tmp_path / f"{number}.db"
        path.write_bytes(damaged)
        try:
            with closing(SqliteStore(path)) as store:
                found = list(store.problems())
                told += bool(found)
                use(store)
        except StoreError as error:
            told += not error.message.startswith("the database is damaged (AssertionError: asked")
    assert told > 30


def test_a_text_that_is_not_what_was_added_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    pipeline(path, fees(1), fees(2)).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE texts SET text = replace(text, '1 EUR', '9 EUR')")
        connection.commit()
    with closing(SqliteStore(path)) as store:
        assert list(store.problems()) == ["document 'fees-1' is not what was added: its content hash differs"]


def test_a_damaged_original_is_named_and_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with pipeline(path, fees(1, original=b"%PDF one")) as rag:
        key = blob_key(b"%PDF one")
        file = rag.parts.store.blobs.path(key)
        assert file is not None
        file.write_bytes(b"%PDF two")
        with pytest.raises(StoreError, match="damaged"):
            rag.parts.store.blobs.get(key)
        assert list(rag.parts.store.problems()) == [
            f"the original {key[:12]}…: the original of a document is damaged"
        ]
        rag.add(fees(1, original=b"%PDF one"), fees(2, original=b"%PDF one"))
        assert list(rag.parts.store.problems()) == []
        file.unlink()
        assert list(rag.parts.store.problems()) == [f"the original {key[:12]}… of a document is missing"]


def test_a_removed_text_is_in_no_byte_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    secret = "The combination of the vault is quokka."
    with pipeline(path, Document("vault", secret), fees(1)) as rag:
        rag.ask("What is the combination of the vault?")
        rag.add(Document("vault", secret + " It was changed."))
        assert rag.remove("vault")
        for file in tmp_path.glob("a.db*"):
            assert file.is_dir() or b"quokka" not in file.read_bytes()


# --- copies -------------------------------------------------------------------------------------


def test_a_copy_is_a_database_with_its_originals(tmp_path: Path) -> None:
    with pipeline(tmp_path / "a.db", fees(1, original=b"%PDF one"), fees(2)) as rag:
        answer = rag.ask("What does tour 1 cost?")
        assert rag.parts.store.backup(tmp_path / "copy.db") == ()
    with pipeline(tmp_path / "copy.db") as copy:
        assert [one.info.doc_id for one in copy.documents()] == ["fees-1", "fees-2"]
        assert copy.kept_answer(answer.id) is not None
        assert list(copy.parts.store.problems()) == []
        assert copy.parts.store.blobs.get(blob_key(b"%PDF one")) == b"%PDF one"


def test_a_copy_is_made_while_somebody_writes(tmp_path: Path) -> None:
    store, other = SqliteStore(tmp_path / "a.db"), SqliteStore(tmp_path / "a.db")
    Pipeline(store=store, embedder=None).add(fees(1))
    with other.writing():
        other.remove(DocId("fees-1"))
        store.backup(tmp_path / "copy.db")
    with closing(SqliteStore(tmp_path / "copy.db")) as copy:
        assert [one.info.doc_id for one in copy.documents(EVERYONE)] == ["fees-1"]


def test_a_copy_names_what_could_not_be_copied_and_has_the_rest(tmp_path: Path) -> None:
    with pipeline(tmp_path / "a.db", fees(1, original=b"one"), fees(2, original=b"two")) as rag:
        file = rag.parts.store.blobs.path(blob_key(b"one"))
        assert file is not None
        file.write_bytes(b"1")
        lost = rag.parts.store.backup(tmp_path / "copy.db")
    assert lost == (f"the original {blob_key(b'one')[:12]}…: the original of a document is damaged",)
    assert list(Blobs(blobs_folder(tmp_path / "copy.db")).all_keys()) == [blob_key(b"two")]


def test_a_copy_overwrites_nothing(tmp_path: Path) -> None:
    with pipeline(tmp_path / "a.db", fees(1)) as rag:
        (tmp_path / "copy.db").write_text("mine")
        with pytest.raises(StoreError, match="there already"):
            rag.parts.store.backup(tmp_path / "copy.db")
        with pytest.raises(StoreError, match="unable to open"):
            rag.parts.store.backup(tmp_path / "no" / "such" / "copy.db")
    assert (tmp_path / "copy.db").read_text() == "mine"


def test_a_copy_put_back_is_not_mistaken_for_the_database_that_stood_there(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "a.db")
    store.backup(tmp_path / "copy.db")
    token = "SELECT value FROM counters WHERE name = 'token'"
    with (
        closing(sqlite3.connect(tmp_path / "a.db")) as one,
        closing(sqlite3.connect(tmp_path / "copy.db")) as two,
    ):
        assert one.execute(token).fetchone() != two.execute(token).fetchone()


def test_without_its_folder_of_originals_a_database_still_answers(tmp_path: Path) -> None:
    with pipeline(tmp_path / "a.db", fees(1, original=b"one")) as rag:
        shutil.rmtree(blobs_folder(tmp_path / "a.db"))
        assert rag.ask("What does tour 1 cost?").citations
        assert rag.parts.store.blobs.get(blob_key(b"one")) is None


def test_an_error_of_a_damaged_database_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    pipeline(path, fees(1)).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE texts SET detail = 'no json'")
        connection.commit()
    with closing(SqliteStore(path)) as store, pytest.raises(PinciteError, match="run pincite doctor"):
        store.document(DocId("fees-1"), EVERYONE)


def test_an_index_that_names_a_hidden_passage_to_all_is_damaged_and_shows_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    pipeline(path, fees(1, access_level="confidential")).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE postings SET place = place - (2 << 21)")
        connection.execute("UPDATE levels SET level = 0")
        connection.commit()
    with pipeline(path) as rag, pytest.raises(StoreError, match="damaged"):
        rag.retrieve("What does tour 1 cost?")


# --- a disk that cannot be written ----------------------------------------------------------------


def no_space(monkeypatch: pytest.MonkeyPatch, message: str) -> None:
    """SQLite cannot make what it keeps beside the file, as on a full disk or a medium that cannot be written."""
    opened = sqlite_schema._opened

    def refused(path: Path, address: str, kind: type = sqlite3.Connection) -> sqlite3.Connection:
        if kind is not sqlite_schema.ReadingOnly:
            raise sqlite3.OperationalError(message)
        return opened(path, address, kind)

    monkeypatch.setattr(sqlite_schema, "_opened", refused)


NO_SPACE = ("disk I/O error", "unable to open database file", "attempt to write a readonly database")


@pytest.mark.parametrize("message", NO_SPACE)
def test_without_space_a_database_is_read_and_an_answer_is_given_and_says_that_it_is_not_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, message: str
) -> None:
    path = tmp_path / "a #1%?.db"
    with pipeline(path, fees(1)) as rag:
        assert rag.ask("What does tour 1 cost?").logged
    with monkeypatch.context() as full:
        no_space(full, message)
        with pipeline(path) as rag:
            answer = rag.ask("What does tour 1 cost?")
            assert (answer.logged, answer.citations[0].doc_id) == (False, "fees-1")
            assert (len(rag.kept_answers("public")), verify(rag.parts.store).whole) == (1, True)
            full.undo()  # there is space again: the same process logs
            assert rag.ask("What does tour 1 cost?").logged
            assert [one.kind for one in verify(rag.parts.store).changes] == ["gap"]
    assert path.exists()


def test_what_stands_in_the_log_beside_the_file_is_not_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.db"
    with pipeline(path, fees(1)):  # open, so that the log beside the file is not empty
        no_space(monkeypatch, "disk I/O error")
        with pytest.raises(StoreError, match="disk is not full"):
            SqliteStore(path)
