"""Everything in one SQLite file, each change in one transaction."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from pincite.blobs import Blobs
from pincite.ports import Floats, Ints
from pincite.ports.stored import (
    Held,
    Indexed,
    IndexedChunk,
    LogEntry,
    LoggedRow,
    LogHead,
    LogPart,
    Postings,
    StoredAnswer,
    StoredDocument,
    StoredFeedback,
    StoredReview,
    StoredRun,
    Tombstone,
)
from pincite.ports.stores import Filters, Originals
from pincite.stores import blocks, mapped, vectors
from pincite.stores import sqlite_changes as changed
from pincite.stores import sqlite_copies as copies
from pincite.stores import sqlite_history as history
from pincite.stores import sqlite_log as log
from pincite.stores import sqlite_rows as rows
from pincite.stores import sqlite_statements as sql
from pincite.stores import sqlite_terms as terms
from pincite.stores.binding import bind, unbind
from pincite.stores.chunks import MOST_ROWS, around, check_chunks
from pincite.stores.filters import check_filters
from pincite.stores.levels import highest
from pincite.stores.sqlite_health import backup, damage, damaged, problems
from pincite.stores.sqlite_schema import ReadingOnly, connect, empty_log, errors
from pincite.types import AnswerId, Chunk, ChunkId, DocId, Document, DocumentInfo, Origin, Reader, Span

_INFO = ", ".join(f"d.{column}" for column in (*rows.INFO_COLUMNS, "defaulted"))
_CHUNK = "c.key, c.chunk_id, c.first, c.last, c.detail, d.doc_key, d.first_key"
_JOIN = "FROM chunks c JOIN documents d USING (doc_key)"
_INFO_WIDTH = len(rows.INFO_COLUMNS) + 1

WAITING = 8
"""Originals that are written at the same time."""

_TEXTS_KEPT = 256
"""Decoded document texts kept in memory, so that ten hits of a large document read it once."""


class SqliteStore:
    """A ``Store`` in one file. May be shared between threads; other processes may use the file at the same time."""

    def __init__(self, path: Path, *, create: bool = True, blobs: Originals | None = None) -> None:
        """Open ``path``, making it (not its folder) when it is absent and ``create`` is true.

        ``blobs`` keeps the originals, of this store alone; a folder beside the database does otherwise.

        Raises:
            StoreError: It cannot be opened, is not ours, or has another schema.
        """
        self.path = Path(path)
        self._local = threading.local()
        self._connections: list[tuple[threading.Thread, sqlite3.Connection]] = []
        self._lock = threading.RLock()
        self._terms = terms.Terms()
        self._matrix: tuple[int, vectors.Matrix] | None = None
        self._matrix_lock = threading.Lock()
        self._text = lru_cache(_TEXTS_KEPT)(self._read_text)
        self._texts_generation = -1
        # Both of the writer alone, who holds the lock.
        self._loose: dict[str, None] = {}
        self._is_writing = False
        self._connection(create=create)
        mode = self.path.stat().st_mode
        self.blobs: Originals = blobs or Blobs(blobs_folder(self.path), mode=mode)

    def __repr__(self) -> str:
        return f"SqliteStore({str(self.path)!r})"

    # --- writing ---

    def put(
        self,
        document: Document,
        chunks: Sequence[IndexedChunk],
        *,
        added_at: str,
        embedder: str | None = None,
    ) -> None:
        """See ``Store.put``."""
        self.put_many(((document, chunks),), added_at=added_at, embedder=embedder)

    def put_many(self, batch: Sequence[sql.Entry], *, added_at: str, embedder: str | None = None) -> None:
        """See ``Store.put_many``."""
        if not batch:
            return
        for document, chunks in batch:
            check_chunks(document, chunks)
        self._keep_originals([document for document, _ in batch if document.original is not None])
        with self._writing() as db:
            for document, _ in batch:
                self._keep_original(document, again=True)
                if sql.has_document(db, document.doc_id):
                    self._may_go(history.blobs_of(db, [document.doc_id]))
                    with damaged(self.path):
                        history.keep_version(db, document, added_at)
                        sql.remove_document(db, DocId(document.doc_id))
                db.execute("DELETE FROM tombstones WHERE doc_id = ?", (bind(document.doc_id),))
            doc_key, key = sql.counter(db, "next_doc_key"), sql.counter(db, "next_chunk_key")
            first_keys: list[int] = []
            for document, chunks in batch:
                first_keys.append(key)
                sql.insert_document(db, doc_key + len(first_keys) - 1, key, document, chunks, added_at)
                key += len(chunks)
            sql.set_counter(db, "next_doc_key", doc_key + len(batch))
            sql.set_counter(db, "next_chunk_key", key)
            sql.index_terms(db, self._terms, batch, doc_key, first_keys)
            sql.insert_vectors(db, batch, doc_key, first_keys, embedder)
            changed.note(db, [document.doc_id for document, _ in batch])

    def _keep_originals(self, documents: Sequence[Document]) -> None:
        if len(documents) < 2:
            for document in documents:
                self._keep_original(document)
            return
        # Each waits for the disk, or for a server: together they wait once.
        with ThreadPoolExecutor(min(WAITING, len(documents))) as threads:
            for kept in [threads.submit(self._keep_original, document) for document in documents]:
                kept.result()

    def _keep_original(self, document: Document, *, again: bool = False) -> None:
        """Before the transaction, which others wait for; and, as they may have swept it away since, once more in it."""
        if document.original is None or (again and document.blob and self.blobs.has(document.blob)):
            return
        key = self.blobs.put(document.original)
        assert key == document.blob, "a document with the key of other bytes"

    def append_vectors(self, doc_id: DocId, vectors: Floats, *, embedder: str) -> None:
        """See ``Store.append_vectors``."""
        with self._writing() as db:
            sql.append_vectors(db, doc_id, vectors.astype(np.float16), embedder)
            changed.note(db, [doc_id])

    def remove(
        self,
        doc_id: DocId,
        *,
        removed_at: str = "",
        rewrite: Callable[[StoredAnswer], StoredAnswer] | None = None,
    ) -> bool:
        """See ``Store.remove``."""
        with self._writing() as db, damaged(self.path):
            self._may_go(history.blobs_of(db, [doc_id]))
            history.bury(db, doc_id, removed_at, rewrite)
            there = sql.remove_document(db, doc_id)
            if there:
                changed.note(db, [doc_id])
        if there and not self._connection().in_transaction:
            with errors(self.path):
                empty_log(self._connection())
        return there

    def warnings(self) -> tuple[tuple[str, str], ...]:
        """See ``Store.warnings``. There is nothing to say."""
        return ()

    def refreshing(self) -> AbstractContextManager[None]:
        """See ``Store.refreshing``. Two refreshes follow each other, document by document."""
        return nullcontext()

    def sweep(self) -> int:
        """See ``Store.sweep``."""
        with self._writing() as db:
            needed = set(history.all_blobs(db))
            loose = [key for key in self.blobs.all_keys() if key not in needed]
            self._may_go(loose)
        return len(loose)

    def note_origins(self, origins: Sequence[tuple[DocId, Origin]]) -> None:
        """See ``Store.note_origins``."""
        if origins:
            with self._writing() as db:
                db.executemany(
                    "UPDATE documents SET origin = ? WHERE doc_id = ?",
                    [(rows.origin_value(origin), bind(doc_id)) for doc_id, origin in origins],
                )

    def forget_vectors(self) -> None:
        """See ``Store.forget_vectors``."""
        with self._writing() as db:
            changed.note_all(db)
            db.execute("DELETE FROM vectors")
            db.execute("DELETE FROM counters WHERE name IN ('embedder', 'dimension')")

    # --- documents and chunks ---

    def content_hash(self, doc_id: DocId) -> str | None:
        """See ``Store.content_hash``."""
        with self._reading() as db:
            row = db.execute(
                "SELECT content_hash FROM documents WHERE doc_id = ?", (bind(doc_id),)
            ).fetchone()
        return None if row is None else str(row[0])

    def chunk_numbers(self, doc_id: DocId) -> tuple[tuple[Chunk, ...], int]:
        """See ``Store.chunk_numbers``."""
        with self._reading() as db:
            chunks = self._chunks(db, "WHERE d.doc_id = ? ORDER BY c.key", (bind(doc_id),))
            row = db.execute("SELECT next_number FROM numbers WHERE doc_id = ?", (bind(doc_id),)).fetchone()
        return tuple(chunk for _, chunk, _ in chunks), 0 if row is None else row[0]

    def document(self, doc_id: DocId, reader: Reader) -> Document | None:
        """See ``Store.document``."""
        with self._reading() as db:
            row = db.execute(
                f"SELECT {_INFO}, t.text, t.detail, d.origin FROM documents d JOIN texts t USING (doc_key) "
                "WHERE d.doc_id = ? AND d.level <= ?",
                (bind(doc_id), highest(reader)),
            ).fetchone()
            if row is None:
                return None
            text, detail, origin = row[_INFO_WIDTH:]
            return rows.document(rows.info(row[:_INFO_WIDTH]), unbind(text), detail, origin)

    def documents(self, reader: Reader) -> tuple[StoredDocument, ...]:
        """See ``Store.documents``."""
        with self._reading() as db:
            found = db.execute(
                f"SELECT {_INFO}, d.chunk_count, d.added_at, d.origin, coalesce(length(v.rows), 0) FROM documents d "
                "LEFT JOIN vectors v USING (doc_key) WHERE d.level <= ?",
                (highest(reader),),
            ).fetchall()
            width = 2 * max(1, sql.dimension(db))
            listed = [
                StoredDocument(
                    rows.info(row[:_INFO_WIDTH]), count, added_at, rows.origin(origin), vector_bytes // width
                )
                for row in found
                for count, added_at, origin, vector_bytes in (row[_INFO_WIDTH:],)
            ]
        return tuple(sorted(listed, key=lambda item: item.info.doc_id))

    def vectors_of(self, doc_id: DocId) -> Floats:
        """See ``Store.vectors_of``."""
        with self._reading() as db:
            return sql.vectors_of(db, doc_id).astype(np.float32)

    def version(self, doc_id: DocId, content_hash: str, reader: Reader) -> Document | None:
        """See ``Store.version``."""
        with self._reading() as db:
            current = self.document(doc_id, reader)
            if current is not None and self.content_hash(doc_id) == content_hash:
                return current
            return history.version(db, doc_id, content_hash, highest(reader))

    def removed(self, reader: Reader) -> tuple[Tombstone, ...]:
        """See ``Store.removed``."""
        with self._reading() as db:
            return history.tombstones(db, highest(reader))

    def chunk(self, chunk_id: ChunkId, reader: Reader) -> tuple[Chunk, DocumentInfo] | None:
        """See ``Store.chunk``."""
        with self._reading() as db:
            found = self._chunks(
                db, "WHERE c.chunk_id = ? AND d.level <= ?", (bind(chunk_id), highest(reader))
            )
        return found[0][1:] if found else None

    def neighbours(self, chunk: Chunk, before: int, after: int, reader: Reader) -> tuple[Chunk, ...]:
        """See ``Store.neighbours``."""
        with self._reading() as db:
            found = self._chunks(
                db,
                "WHERE d.doc_id = ? AND d.level <= ? AND c.key BETWEEN d.first_key + ? AND d.first_key + ? "
                "ORDER BY c.key",
                (bind(chunk.doc_id), highest(reader), *around(chunk.ordinal, before, after)),
            )
        return tuple(item for _, item, _ in found)

    def load(self, keys: Sequence[int], reader: Reader) -> tuple[tuple[Chunk, DocumentInfo], ...]:
        """See ``Store.load``."""
        with self._reading() as db:
            marks = ",".join("?" * len(keys))
            found = self._chunks(
                db, f"WHERE c.key IN ({marks}) AND d.level <= ?", (*map(int, keys), highest(reader))
            )
            by_key = {key: (chunk, info) for key, chunk, info in found}
            missing = [int(key) for key in keys if key not in by_key]
            if any(
                not sql.has_chunk(db, key) or terms.is_listed(db, key, highest(reader)) for key in missing
            ):
                raise damage(self.path, "the search index names a passage that is not there")
        assert all(key in by_key for key in keys), "asked for a chunk that the reader may not see"
        return tuple(by_key[key] for key in keys)

    def languages(self, reader: Reader) -> tuple[str, ...]:
        """See ``Store.languages``."""
        with self._reading() as db:
            found = db.execute(
                "SELECT DISTINCT language FROM documents WHERE level <= ? AND language IS NOT NULL",
                (highest(reader),),
            ).fetchall()
            return tuple(sorted(unbind(row[0]) for row in found))

    def _chunks(
        self, db: sqlite3.Connection, where: str, values: Sequence[Any]
    ) -> list[tuple[int, Chunk, DocumentInfo]]:
        found = db.execute(f"SELECT {_CHUNK}, {_INFO} {_JOIN} {where}", values).fetchall()
        # A removed text must not stay in memory. Its key is never used again, so it cannot be mistaken.
        generation = sql.counter(db, "generation")
        if generation != self._texts_generation:
            self._text.cache_clear()
            self._texts_generation = generation
        chunks = []
        for key, chunk_id, first, last, detail, doc_key, first_key, *info in found:
            known = rows.info(info)
            text = self._text(doc_key)
            chunk = rows.chunk(chunk_id, known.doc_id, key - first_key, Span(first, last), detail, text)
            chunks.append((key, chunk, known))
        return chunks

    def _read_text(self, doc_key: int) -> str:
        row = self._connection().execute("SELECT text FROM texts WHERE doc_key = ?", (doc_key,)).fetchone()
        return unbind(row[0])

    # --- search ---

    def postings(self, terms_: Sequence[str], reader: Reader, filters: Filters) -> Postings:
        """See ``Store.postings``."""
        check_filters(filters)
        top = highest(reader)
        with self._reading() as db:
            matches = tuple(terms.find(db, term, top) for term in terms_)
            chunk_count, term_count = db.execute(
                "SELECT coalesce(sum(chunk_count), 0), coalesce(sum(term_count), 0) FROM levels WHERE level <= ?",
                (top,),
            ).fetchone()
            frequencies = tuple(len(match.keys) for match in matches)
            if filters:
                ranges = sql.permitted_ranges(db, top, filters)
                matches = tuple(blocks.only(match, ranges) for match in matches)
        return Postings(matches, frequencies, chunk_count, term_count / chunk_count if chunk_count else 0.0)

    def nearest(self, vector: Floats, reader: Reader, filters: Filters, limit: int) -> tuple[Ints, Floats]:
        """See ``Store.nearest``."""
        check_filters(filters)
        top = highest(reader)
        with self._reading() as db:
            found = self._vectors(db)
            ranges = sql.permitted_ranges(db, top, filters) if filters else None
        vectors.check_dimension(vector, found.rows.shape[1])
        allowed = None if ranges is None else blocks.inside(found.keys[: found.ends[top]], ranges)
        return vectors.nearest(found, vector, top, allowed, limit)

    def cosines(self, vector: Floats, keys: Sequence[int]) -> Floats:
        """See ``Store.cosines``."""
        with self._reading() as db:
            found = self._vectors(db)
        return vectors.cosines(found, vector, np.array(keys, dtype=np.int64))

    def _vectors(self, db: sqlite3.Connection) -> vectors.Matrix:
        generation = sql.counter(db, "generation")
        with self._matrix_lock:
            if self._matrix is None or self._matrix[0] != generation:
                self._matrix = None  # frees the old one first, and lets Windows delete its file
                found = mapped.open_or_build(
                    self.path, generation, sql.token(db), lambda: sql.read_matrix(db)
                )
                self._matrix = generation, found
            return self._matrix[1]

    # --- for a search elsewhere ---

    @property
    def identity(self) -> str:
        """See ``Truth.identity``."""
        with self._reading() as db:
            return sql.token(db)

    def changes(self, after: tuple[int, str], limit: int) -> tuple[tuple[int, DocId], ...]:
        """See ``Truth.changes``."""
        with self._reading() as db:
            return changed.changes(db, after, limit)

    def indexed(self, doc_id: DocId) -> Indexed | None:
        """See ``Truth.indexed``."""
        with self._reading() as db:
            return changed.document(db, doc_id)

    def permitted(self, keys: Sequence[int], reader: Reader, filters: Filters) -> Ints:
        """See ``Truth.permitted``."""
        check_filters(filters)
        with self._reading() as db:
            return changed.permitted(db, keys, highest(reader), filters)

    def postings_at(self, terms_: Sequence[str], keys: Sequence[int], reader: Reader) -> Postings:
        """See ``Truth.postings_at``."""
        wanted, top = np.unique(np.array(keys, dtype=np.int64)), highest(reader)
        with self._reading() as db:
            statistics = self.postings((), reader, ())
            found = [changed.match_at(db, term, wanted, top) for term in terms_]
        return Postings(
            tuple(match for match, _ in found),
            tuple(count for _, count in found),
            statistics.chunk_count,
            statistics.mean_length,
        )

    # --- for a copy ---

    def doc_ids(self) -> tuple[DocId, ...]:
        """See ``Copied.doc_ids``."""
        with self._reading() as db:
            return copies.doc_ids(db)

    def held(self, doc_id: DocId) -> Held:
        """See ``Copied.held``."""
        with self._reading() as db:
            return copies.held(db, doc_id)

    def hold(self, held: Held) -> None:
        """See ``Copied.hold``."""
        with self._writing() as db:
            self._may_go(history.blobs_of(db, [held.doc_id]))
            copies.hold(db, held)

    def import_log(self, part: LogPart) -> None:
        """See ``Copied.import_log``."""
        with self._lock, self._transaction("BEGIN IMMEDIATE") as db:
            copies.import_log(db, part)

    def note(self, name: str, value: str) -> None:
        """See ``Copied.note``."""
        with self._lock, self._transaction("BEGIN IMMEDIATE") as db:
            copies.note(db, name, value)

    def noted(self, name: str) -> str:
        """See ``Copied.noted``."""
        with self._reading() as db:
            return copies.noted(db, name)

    # --- answers ---

    def save_answer(self, answer: StoredAnswer, *, at: str = "") -> None:
        """See ``Store.save_answer``."""
        with self._logging() as db:
            log.save_answer(db, answer, at)

    def answer(self, answer_id: AnswerId, reader: Reader) -> StoredAnswer | None:
        """See ``Store.answer``."""
        with self._reading() as db:
            return log.answer(db, answer_id, reader.levels())

    def answers(self, reader: Reader, *, limit: int = 100) -> tuple[StoredAnswer, ...]:
        """See ``Store.answers``."""
        with self._reading() as db:
            return log.answers(db, reader.levels(), min(limit, MOST_ROWS))

    def erase_answer(self, answer_id: AnswerId, *, at: str, why: str) -> bool:
        """See ``Store.erase_answer``."""
        with self._dropping() as db:
            return log.erase(db, answer_id, at, why)

    def prune_answers(self, before: str, *, at: str) -> int:
        """See ``Store.prune_answers``."""
        with self._dropping() as db:
            return log.prune(db, before, at)

    @contextmanager
    def _dropping(self) -> Iterator[sqlite3.Connection]:
        """A transaction after which originals may not be needed any more, and no words of what went are in the files."""
        with self._writing() as db, damaged(self.path):
            before = history.all_blobs(db)
            yield db
            self._may_go(sorted({*before} - {*history.all_blobs(db)}))
        if not self._connection().in_transaction:
            with errors(self.path):
                empty_log(self._connection())

    def save_feedback(self, feedback: StoredFeedback) -> None:
        """See ``Store.save_feedback``."""
        with self._logging() as db:
            log.save_feedback(db, feedback)

    def feedback(
        self, reader: Reader, *, answer_id: AnswerId | None = None, limit: int = 100
    ) -> tuple[StoredFeedback, ...]:
        """See ``Store.feedback``."""
        with self._reading() as db:
            return log.feedback(db, reader.levels(), answer_id, min(limit, MOST_ROWS))

    def save_review(self, review: StoredReview) -> None:
        """See ``Store.save_review``."""
        with self._logging() as db:
            log.save_review(db, review)

    def reviews(
        self, reader: Reader, *, answer_id: AnswerId | None = None, limit: int = 100
    ) -> tuple[StoredReview, ...]:
        """See ``Store.reviews``."""
        with self._reading() as db:
            return log.reviews(db, reader.levels(), answer_id, min(limit, MOST_ROWS))

    def note_in_log(self, kind: str, *, at: str, detail: str) -> None:
        """See ``Store.note_in_log``."""
        with self._logging() as db:
            log.note(db, kind, at, detail)

    def log_head(self) -> LogHead:
        """See ``Store.log_head``."""
        with self._reading() as db:
            return log.known_head(db)

    def log_entries(self, *, after: int = 0, subject: str | None = None) -> Iterator[LogEntry]:
        """See ``Store.log_entries``."""
        with self._reading() as db:
            yield from log.entries(db, after=after, subject=subject)

    def log_rows(self) -> Iterator[LoggedRow]:
        """See ``Store.log_rows``."""
        with self._reading() as db:
            yield from log.rows(db)

    def save_run(self, run: StoredRun) -> None:
        """See ``Store.save_run``."""
        with self._logging() as db:
            log.save_run(db, run)

    def run(self, run_id: str, reader: Reader) -> StoredRun | None:
        """See ``Store.run``."""
        with self._reading() as db:
            return next(iter(log.runs(db, reader.levels(), run_id, 1)), None)

    def runs(self, reader: Reader, *, limit: int = 100) -> tuple[StoredRun, ...]:
        """See ``Store.runs``."""
        with self._reading() as db:
            return log.runs(db, reader.levels(), None, min(limit, MOST_ROWS))

    @contextmanager
    def _logging(self) -> Iterator[sqlite3.Connection]:
        """A transaction that changes what was answered and said, and no document."""
        with self._lock, damaged(self.path), self._transaction("BEGIN IMMEDIATE") as db:
            yield db

    # --- state ---

    @property
    def generation(self) -> int:
        """See ``Store.generation``."""
        with self._reading() as db:
            return sql.counter(db, "generation")

    @property
    def embedder_fingerprint(self) -> str | None:
        """See ``Store.embedder_fingerprint``."""
        with self._reading() as db:
            return sql.embedder_of(db)

    def problems(self) -> Iterator[str]:
        """See ``Store.problems``."""
        with self._transaction() as db:
            yield from problems(db, self.blobs)

    def backup(self, target: Path) -> tuple[str, ...]:
        """See ``Store.backup``."""
        return backup(
            self._connection(), self.blobs, target, Blobs(blobs_folder(target), mode=self.path.stat().st_mode)
        )

    @contextmanager
    def writing(self) -> Iterator[None]:
        """See ``Store.writing``."""
        with self._writing():
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See ``Store.reading``."""
        with self._transaction():
            yield

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._lock:
            for _, connection in self._connections:
                connection.close()
            self._connections.clear()
            self._local = threading.local()

    def _connection(self, *, create: bool = False) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if isinstance(connection, ReadingOnly) and not connection.in_transaction:
            # Perhaps there is space again, and somebody may have written.
            connection.close()
            connection = None
        if connection is None:
            connection = connect(self.path, create=create)
            self._local.connection = connection
            with self._lock:
                self._close_those_of_ended_threads()
                here = threading.current_thread()
                self._connections = [one for one in self._connections if one[0] is not here]
                self._connections.append((threading.current_thread(), connection))
        return connection

    def _close_those_of_ended_threads(self) -> None:
        ended = [one for one in self._connections if not one[0].is_alive()]
        for one in ended:
            self._connections.remove(one)
            one[1].close()

    @contextmanager
    def _transaction(self, begin: str = "BEGIN") -> Iterator[sqlite3.Connection]:
        """One transaction of this thread; inside another one, that one."""
        db = self._connection()
        with errors(self.path):
            if db.in_transaction:
                yield db
                return
            db.execute(begin)
            try:
                yield db
                db.execute("COMMIT")
            finally:
                _roll_back(db)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A transaction that only reads. What cannot be decoded is damage."""
        with damaged(self.path), self._transaction() as db:
            yield db

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that changes documents; inside another one, that one."""
        with self._lock:
            if self._connection().in_transaction:
                assert self._is_writing, "no writing inside reading()"
                yield self._connection()
                return
            self._loose.clear()
            with self._transaction("BEGIN IMMEDIATE") as db:
                self._is_writing = True
                try:
                    yield db
                except BaseException:
                    self._terms.forget()
                    raise
                finally:
                    self._is_writing = False
                with damaged(self.path):
                    sql.set_counter(db, "generation", sql.counter(db, "generation") + 1)
            self._drop_loose()

    def _may_go(self, keys: Sequence[str]) -> None:
        """Originals that may not be needed any more once the transaction has been committed."""
        self._loose.update(dict.fromkeys(keys))

    def _drop_loose(self) -> None:
        if not self._loose:
            return
        # Nobody else commits a document while the lock is held: what is not needed now is not needed by anybody.
        with self._transaction("BEGIN IMMEDIATE") as db:
            for key in self._loose:
                if not history.is_needed(db, key):
                    self.blobs.remove(key)
        self._loose.clear()


def blobs_folder(database: Path) -> Path:
    """Where the originals of the documents in ``database`` are: beside it, named after it."""
    return database.with_name(f"{database.name}.blobs")


def _roll_back(db: sqlite3.Connection) -> None:
    if db.in_transaction:  # there was an error, or Ctrl-C
        db.execute("ROLLBACK")
