"""The tables of the SQLite store, opening a database, and errors that say what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pincite.errors import StoreError, StoreMissing
from pincite.stores.binding import bind, unbind
from pincite.stores.mentions import mentions

APPLICATION_ID = 0x70696E63
"""``pinc``: tells our databases from other people's (PRAGMA application_id)."""

SCHEMA_VERSION = 5
"""PRAGMA user_version. A change of the tables or of what stands in them raises it."""

OLDEST_SQLITE = (3, 35, 0)
"""Upserts are the newest thing used (3.24); older ones than this are not tested."""

BUSY_TIMEOUT_S = 60.0
"""How long a writer waits for another one: longer than any batch takes."""

CACHE_KIB = 32_000

TABLES = """
CREATE TABLE counters (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE documents (
    doc_key INTEGER PRIMARY KEY,
    doc_id TEXT NOT NULL UNIQUE,
    level INTEGER NOT NULL,
    first_key INTEGER NOT NULL,
    chunk_count INTEGER NOT NULL,
    added_at TEXT NOT NULL,
    title TEXT, url TEXT, kind TEXT, format TEXT, access_level TEXT, owner TEXT, published_date TEXT,
    version TEXT, language TEXT, status TEXT, licence TEXT, content_hash TEXT, defaulted TEXT, blob TEXT, origin TEXT
);
CREATE TABLE texts (doc_key INTEGER PRIMARY KEY, text, detail TEXT NOT NULL, term_ids BLOB NOT NULL);
CREATE TABLE chunks (
    key INTEGER PRIMARY KEY,
    doc_key INTEGER NOT NULL,
    chunk_id TEXT NOT NULL UNIQUE,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    detail TEXT NOT NULL
);
CREATE TABLE numbers (doc_id TEXT PRIMARY KEY, next_number INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE);
CREATE TABLE postings (place INTEGER PRIMARY KEY, entries BLOB NOT NULL);
CREATE TABLE levels (level INTEGER PRIMARY KEY, chunk_count INTEGER NOT NULL, term_count INTEGER NOT NULL);
CREATE TABLE vectors (doc_key INTEGER PRIMARY KEY, level INTEGER NOT NULL, first_key INTEGER NOT NULL, rows BLOB);
CREATE TABLE answers (
    answer_id TEXT PRIMARY KEY,
    created_at TEXT NOT NULL,
    level TEXT NOT NULL,
    question TEXT NOT NULL,
    status TEXT NOT NULL,
    body TEXT NOT NULL
) WITHOUT ROWID;
"""
"""``level`` is the rank of an access level, or 7 for a text that nobody may read. A chunk's key is its
document's ``first_key`` plus its ordinal; keys, like document keys, are never used twice. ``numbers``
outlives its document so that no chunk id ever denotes two texts. ``postings.place``: see sqlite_terms."""

SINCE_3 = """
CREATE TABLE mentions (
    doc_id TEXT NOT NULL, answer_id TEXT NOT NULL, content_hash TEXT NOT NULL, PRIMARY KEY (doc_id, answer_id, content_hash)
) WITHOUT ROWID;
CREATE TABLE versions (
    doc_id TEXT NOT NULL, content_hash TEXT NOT NULL, level INTEGER NOT NULL, replaced_at TEXT NOT NULL, blob TEXT,
    document TEXT NOT NULL, text, PRIMARY KEY (doc_id, content_hash)
);
CREATE INDEX mentions_by_answer ON mentions (answer_id);
CREATE TABLE tombstones (doc_id TEXT PRIMARY KEY, level INTEGER NOT NULL, removed_at TEXT NOT NULL, hashes TEXT NOT NULL)
    WITHOUT ROWID;
CREATE TABLE feedback (
    feedback_id TEXT PRIMARY KEY, answer_id TEXT NOT NULL, given_at TEXT NOT NULL, level TEXT NOT NULL, reaction TEXT NOT NULL,
    citation_id TEXT, sentence_index INTEGER, note TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX feedback_by_answer ON feedback (answer_id);
CREATE INDEX documents_by_blob ON documents (blob);
CREATE INDEX versions_by_blob ON versions (blob);
"""
"""What schema 3 added: which answers hold text of which document, versions that were replaced while answers cite them,
what is left of removed documents, and what readers said of answers."""

SINCE_4 = """
CREATE TABLE log (
    position INTEGER PRIMARY KEY, kind TEXT NOT NULL, subject TEXT NOT NULL, at TEXT NOT NULL, level TEXT NOT NULL,
    content TEXT NOT NULL, detail TEXT NOT NULL, previous TEXT NOT NULL, link TEXT NOT NULL
);
CREATE INDEX log_by_subject ON log (subject);
ALTER TABLE answers ADD COLUMN context TEXT NOT NULL DEFAULT '{}';
ALTER TABLE answers ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
DROP INDEX IF EXISTS answers_by_time;
CREATE INDEX answers_by_position ON answers (position);
CREATE TABLE reviews (
    review_id TEXT PRIMARY KEY, answer_id TEXT NOT NULL, decided_at TEXT NOT NULL, level TEXT NOT NULL,
    decision TEXT NOT NULL, reviewer TEXT NOT NULL, citation_id TEXT, sentence_index INTEGER, note TEXT NOT NULL,
    position INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX reviews_by_answer ON reviews (answer_id);
CREATE TABLE runs (run_id TEXT PRIMARY KEY, created_at TEXT NOT NULL, level TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
"""
"""What schema 4 added: the chain over answers, feedback and reviews (its head stands in ``counters``), what a log asks of
an answer beside itself, decisions of reviewers, and evaluations."""

SINCE_5 = """
CREATE TABLE changes (doc_id TEXT PRIMARY KEY, generation INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX changes_by_generation ON changes (generation, doc_id);
"""
"""What schema 5 added: the generation in which each document was last put, removed or given vectors, by which a search
elsewhere follows."""

# The cast matters: blobs joined by || come back as text.
APPEND_POSTINGS = (
    "INSERT INTO postings VALUES (?, ?) "
    "ON CONFLICT DO UPDATE SET entries = CAST(entries || excluded.entries AS BLOB)"
)

_COUNTERS = (
    ("generation", 0),
    ("next_doc_key", 1),
    ("next_chunk_key", 0),
    ("next_term_id", 1),
    ("term_epoch", 0),
)


def connect(path: Path, *, create: bool = True) -> sqlite3.Connection:
    """Open a database of ours, making an empty one when there is none.

    Raises:
        StoreError: The path cannot be opened or written, is not a database, or is one of another kind or schema.
    """
    if not create and not path.exists():
        raise StoreMissing(
            "there is no database yet", where=str(path), hint="add documents first: pincite add FOLDER"
        )
    with errors(path):
        try:
            return _opened(path, str(path))
        except sqlite3.OperationalError as error:
            address = address_for_reading(path) if _is_about_place(error) else None
            if address is None:
                raise
        return _opened(path, address, ReadingOnly)


class ReadingOnly(sqlite3.Connection):
    """A connection that takes the file as it is and writes nothing, not even what SQLite keeps beside it to read: for a disk
    that is full or cannot be written. It must not outlive a transaction: it does not see when somebody writes after all."""


def address_for_reading(path: Path) -> str | None:
    """The address by which SQLite reads a database just as the file is; ``None`` when some of it stands in the log beside
    the file, or there is no file.

    >>> address_for_reading(Path("/no/such.db")) is None
    True
    """
    beside = path.with_name(f"{path.name}-wal")
    try:
        if not path.stat().st_size or (beside.exists() and beside.stat().st_size):
            return None
    except OSError:
        return None
    return f"{path.absolute().as_uri()}?mode=ro&immutable=1"


def _is_about_place(error: sqlite3.Error) -> bool:
    return any(
        part in str(error).lower() for part in ("disk i/o", "disk is full", "unable to open", "readonly")
    )


def _opened(
    path: Path, address: str, kind: type[sqlite3.Connection] = sqlite3.Connection
) -> sqlite3.Connection:
    connection = sqlite3.connect(
        address,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
        factory=kind,
        uri=kind is ReadingOnly,
    )
    try:
        _prepare(connection, path)
    except UnicodeDecodeError as error:  # the names of the tables
        connection.close()
        raise StoreError("the database is damaged", where=str(path), hint="restore a backup") from error
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    if _pragma(connection, "user_version") == 0 and _is_empty(connection):
        # Only an empty file takes another page size. Long rows (texts, postings, vectors) like 8 KiB.
        connection.execute("PRAGMA page_size = 8192")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        if _is_empty(connection):  # another process may have been faster
            _create(connection)
        connection.execute("COMMIT")
    application, version = _pragma(connection, "application_id"), _pragma(connection, "user_version")
    if application != APPLICATION_ID:
        raise StoreError(
            "this database was not made by pincite", where=str(path), hint="choose another path for the store"
        )
    for old, migrate in MIGRATIONS:
        if version == old:
            _migrate(connection, old, migrate)
            version = _pragma(connection, "user_version")
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"the database has schema {version}, this pincite reads {SCHEMA_VERSION}",
            where=str(path),
            hint="move the file away and add the documents again, or use the pincite that made it",
        )
    # A commit survives the end of the process; after a power cut the last ones may be missing, nothing is broken.
    connection.execute("PRAGMA synchronous = NORMAL")
    # What is deleted is overwritten: no page of the file may hold a removed text.
    connection.execute("PRAGMA secure_delete = ON")


def empty_log(connection: sqlite3.Connection) -> None:
    """Write what is committed into the database and empty the log beside it, which still holds pages as they were. While
    somebody reads this does nothing; the log is then emptied later."""
    connection.execute("PRAGMA busy_timeout = 100")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.execute(f"PRAGMA busy_timeout = {int(1000 * BUSY_TIMEOUT_S)}")


def _create(connection: sqlite3.Connection) -> None:
    _run(connection, TABLES)
    _run(connection, SINCE_3)
    _run(connection, SINCE_4)
    _run(connection, SINCE_5)
    connection.executemany("INSERT INTO counters VALUES (?, ?)", _COUNTERS)
    # Tells this database from another one that stood at the same path before.
    connection.execute("INSERT INTO counters VALUES ('token', lower(hex(randomblob(4))))")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _migrate(connection: sqlite3.Connection, old: int, migrate: Callable[[sqlite3.Connection], None]) -> None:
    """Bring a database from schema ``old`` to the next one, in one transaction: all of it or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _pragma(connection, "user_version") == old:  # another process may have been faster
            migrate(connection)
            connection.execute(f"PRAGMA user_version = {old + 1}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def migrate_2_to_3(connection: sqlite3.Connection) -> None:
    """Add what schema 3 added to a database of the first release."""
    connection.execute("ALTER TABLE documents ADD COLUMN blob TEXT")
    connection.execute("ALTER TABLE documents ADD COLUMN origin TEXT")
    _run(connection, SINCE_3)
    for answer_id, body in connection.execute("SELECT answer_id, body FROM answers").fetchall():
        add_mentions(connection, answer_id, unbind(body))


def migrate_3_to_4(connection: sqlite3.Connection) -> None:
    """Begin the chain with the answers and the feedback that are there, by time: nothing is known of them before."""
    from pincite.stores import sqlite_log as log

    _run(connection, SINCE_4)
    log.import_rows(connection)


def migrate_4_to_5(connection: sqlite3.Connection) -> None:
    """Note that all documents that are there have changed by now."""
    _run(connection, SINCE_5)
    connection.execute(
        "INSERT INTO changes SELECT doc_id, (SELECT value FROM counters WHERE name = 'generation') FROM documents"
    )


MIGRATIONS = ((2, migrate_2_to_3), (3, migrate_3_to_4), (4, migrate_4_to_5))
"""A schema, and what brings a database from it to the next."""


def add_mentions(connection: sqlite3.Connection, answer_id: str | bytes, body: str) -> None:
    """Note which documents an answer holds text of, in place of what was noted before."""
    connection.execute("DELETE FROM mentions WHERE answer_id = ?", (answer_id,))
    connection.executemany(
        "INSERT OR IGNORE INTO mentions VALUES (?, ?, ?)",
        [(bind(doc_id), answer_id, bind(version)) for doc_id, version in mentions(body)],
    )


def _run(connection: sqlite3.Connection, statements: str) -> None:
    for statement in statements.split(";\n"):
        if statement.strip():
            connection.execute(statement)


def _is_empty(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


_HINTS = (
    ("not a database", "choose another path for the store, or move this file away"),
    ("malformed", "restore a backup, or move the file away and add the documents again"),
    ("locked", "another process is writing; try again when it has finished"),
    ("readonly", "make the file and its folder writable, or choose another path for the store"),
    ("unable to open", "make sure that the folder exists and is writable"),
    ("disk is full", "free some space and try again; nothing stored before is lost"),
    (
        "disk i/o",
        "see that the disk is not full and its folder can be written, which SQLite needs even to read; nothing is lost",
    ),
    ("too big", "split the document into smaller ones"),
    ("no such table", "move the file away and add the documents again"),
)
"""A part of SQLite's message, in small letters, and the next step."""


@contextmanager
def errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into ``StoreError`` with the path and the next step."""
    try:
        yield
    except sqlite3.Error as error:
        message = str(error)
        hint = next((step for part, step in _HINTS if part in message.lower()), "run pincite doctor")
        raise StoreError(message, where=str(path), hint=hint) from error


def check_sqlite() -> tuple[bool, str]:
    """Whether this Python's SQLite can hold a store, and what was found: for ``pincite doctor``.

    >>> check_sqlite()[0]
    True
    """
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        wanted = ".".join(map(str, OLDEST_SQLITE))
        return False, f"SQLite {sqlite3.sqlite_version} is too old; {wanted} or newer is needed"
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        _create(connection)
        for entries in (b"\x00\xff", b"\x80\x00"):
            connection.execute(APPEND_POSTINGS, (1, entries))
        (joined,) = connection.execute("SELECT entries FROM postings").fetchone()
    except sqlite3.Error as error:
        return False, f"SQLite {sqlite3.sqlite_version} lacks something: {error}"
    finally:
        connection.close()
    if joined != b"\x00\xff\x80\x00":
        return False, f"SQLite {sqlite3.sqlite_version} does not join blobs byte for byte"
    return True, f"SQLite {sqlite3.sqlite_version}"
