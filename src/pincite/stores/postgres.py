"""Everything in a schema of a PostgreSQL database, each change in one transaction."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from pincite.errors import StoreError
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
from pincite.stores import blocks, vectors
from pincite.stores import postgres_changes as changed
from pincite.stores import postgres_copies as copies
from pincite.stores import postgres_health as health
from pincite.stores import postgres_history as history
from pincite.stores import postgres_log as log
from pincite.stores import postgres_schema as tables
from pincite.stores import postgres_statements as sql
from pincite.stores import postgres_terms as terms
from pincite.stores import postgres_vectors as near
from pincite.stores import sqlite_rows as rows
from pincite.stores.chunks import MOST_ROWS, around, check_chunks
from pincite.stores.filters import check_filters
from pincite.stores.levels import highest
from pincite.stores.postgres_session import Connection, Session, Transaction
from pincite.stores.postgres_text import decode, reference
from pincite.types import AnswerId, Chunk, ChunkId, DocId, Document, DocumentInfo, Origin, Reader

T = TypeVar("T")

_TEXTS_KEPT = 256
"""Texts of documents kept in memory, so that ten hits of a large document read it once."""


class PostgresStore:
    """A ``Store`` in a schema of a database. May be shared between threads; other processes and machines may use the
    schema at the same time."""

    def __init__(
        self,
        url: str,
        *,
        schema: str = "pincite",
        create: bool = True,
        vectors: near.Where = "memory",
        pool_size: int = 10,
        timeout_s: float = 30.0,
        blobs: Originals | None = None,
    ) -> None:
        """Open the database at ``url``, making the schema when it is absent and ``create`` is true.

        Args:
            vectors: Where the nearest vectors are looked for: ``memory`` and ``server`` are exact, ``hnsw`` is not.
            pool_size: Connections at most.
            timeout_s: The longest that a statement may take.
            blobs: Where the original bytes are kept; in the database without it.

        Raises:
            ConfigError: The URL cannot be read.
            StoreError: The server cannot be reached or is too old, something is missing there, or the schema is not ours.
        """
        self._session = Session(url, schema, create=create, pool_size=pool_size, timeout_s=timeout_s)
        self.blobs: Originals = blobs or history.PostgresOriginals(self._session)
        self._blobs_are_inside = blobs is None
        self._where = vectors
        self._live = near.LiveVectors()
        self._lock = threading.RLock()
        self._terms = terms.Terms()
        self._known_lock = threading.Lock()
        self._known: tuple[tuple[str, int, str], dict[Any, Any]] | None = None
        self._texts: OrderedDict[int, str] = OrderedDict()
        self._loose: dict[str, None] = {}  # of the writer alone, who holds the lock

    def __repr__(self) -> str:
        return f"PostgresStore({self._session.where!r})"

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
            if not self._blobs_are_inside:
                self._keep_original(document)
        if len({document.doc_id for document, _ in batch}) < len(batch):
            raise StoreError(
                f"document {batch[0][0].doc_id!r} repeats an id",
                hint="document ids and chunk ids must be unique in the store",
            )
        with self._writing() as here:
            for document, _ in batch:
                self._keep_original(document)
                self._may_go(history.blobs_of(here.db, [document.doc_id]))
                history.keep_version(here.db, document, added_at)
                sql.remove(here, document.doc_id)
                here.db.execute("DELETE FROM tombstones WHERE doc_ref = %s", (reference(document.doc_id),))
            sql.insert(here, self._terms, batch, added_at)
            sql.insert_vectors(here, batch, embedder)

    def _keep_original(self, document: Document) -> None:
        """Before the transaction, which others wait for; and, as they may have swept it away since, once more in it."""
        if document.original is not None:
            key = self.blobs.put(document.original)
            assert key == document.blob, "a document with the key of other bytes"

    def append_vectors(self, doc_id: DocId, vectors: Floats, *, embedder: str) -> None:
        """See ``Store.append_vectors``."""
        with self._writing() as here:
            sql.append_vectors(here, doc_id, vectors.astype(np.float16), embedder)

    def remove(
        self,
        doc_id: DocId,
        *,
        removed_at: str = "",
        rewrite: Callable[[StoredAnswer], StoredAnswer] | None = None,
    ) -> bool:
        """See ``Store.remove``."""
        with self._writing() as here:
            self._may_go(history.blobs_of(here.db, [doc_id]))
            history.bury(here.db, doc_id, removed_at)
            there = sql.remove(here, doc_id)
            if there and rewrite is not None:
                log.rewrite_answers(here.db, doc_id, removed_at, rewrite)
        return there

    def sweep(self) -> int:
        """See ``Store.sweep``."""
        with self._writing() as here:
            loose = history.unneeded(here.db, list(self.blobs.all_keys()))
            self._may_go(loose)
        return len(loose)

    def note_origins(self, origins: Sequence[tuple[DocId, Origin]]) -> None:
        """See ``Store.note_origins``."""
        if not origins:
            return
        with self._writing() as here:
            values = [(rows.origin_value(origin), reference(doc_id)) for doc_id, origin in origins]
            with here.db.cursor() as cursor:
                cursor.executemany("UPDATE documents SET origin = %s WHERE doc_ref = %s", values)
            here.changed = True

    def forget_vectors(self) -> None:
        """See ``Store.forget_vectors``."""
        with self._writing() as here:
            here.db.execute("DELETE FROM vectors")
            here.db.execute("UPDATE documents SET vector_count = 0")
            here.note(0, here.state.next_chunk_key)
            here.state = replace(here.state, embedder=None, dimension=None)
            sql.note_all_changed(here)

    # --- documents and chunks ---

    def content_hash(self, doc_id: DocId) -> str | None:
        """See ``Store.content_hash``."""
        with self._reading():
            found = self._session.rows(
                "SELECT content_hash FROM documents WHERE doc_ref = %b", (reference(doc_id),)
            )
        return str(found[0][0]) if found else None

    def chunk_numbers(self, doc_id: DocId) -> tuple[tuple[Chunk, ...], int]:
        """See ``Store.chunk_numbers``."""
        with self._reading():
            found = self._chunks(sql.BY_DOCUMENT, (reference(doc_id), tables.WRITER), tables.WRITER)
            number = self._session.rows(
                "SELECT next_number FROM numbers WHERE doc_ref = %b", (reference(doc_id),)
            )
        return tuple(chunk for _, chunk, _ in found), number[0][0] if number else 0

    def document(self, doc_id: DocId, reader: Reader) -> Document | None:
        """See ``Store.document``."""
        with self._reading():
            found = self._session.rows(
                f"SELECT {sql.INFO}, t.text, t.detail, d.origin FROM documents d JOIN texts t USING (doc_key) "
                "WHERE d.doc_ref = %b AND d.level <= %b",
                (reference(doc_id), highest(reader)),
                top=highest(reader),
            )
            if not found:
                return None
            text, detail, origin = found[0][sql.INFO_WIDTH :]
            return rows.document(sql.info(found[0][: sql.INFO_WIDTH]), decode(text), detail, origin)

    def documents(self, reader: Reader) -> tuple[StoredDocument, ...]:
        """See ``Store.documents``."""
        with self._reading():
            found = self._session.rows(
                f"SELECT {sql.INFO}, d.chunk_count, d.added_at, d.origin, d.vector_count FROM documents d WHERE d.level <= %b",
                (highest(reader),),
                top=highest(reader),
            )
            listed = [
                StoredDocument(
                    sql.info(row[: sql.INFO_WIDTH]), count, added_at, rows.origin(origin), vector_count
                )
                for row in found
                for count, added_at, origin, vector_count in (row[sql.INFO_WIDTH :],)
            ]
        return tuple(sorted(listed, key=lambda item: item.info.doc_id))

    def vectors_of(self, doc_id: DocId) -> Floats:
        """See ``Store.vectors_of``."""
        with self._reading() as here:
            return sql.vectors_of(self._session, doc_id, here.state.dimension or 0)

    def version(self, doc_id: DocId, content_hash: str, reader: Reader) -> Document | None:
        """See ``Store.version``."""
        with self._reading():
            current = self.document(doc_id, reader)
            if current is not None and self.content_hash(doc_id) == content_hash:
                return current
            return history.version(self._session, doc_id, content_hash, highest(reader))

    def removed(self, reader: Reader) -> tuple[Tombstone, ...]:
        """See ``Store.removed``."""
        with self._reading():
            return history.tombstones(self._session, highest(reader))

    def chunk(self, chunk_id: ChunkId, reader: Reader) -> tuple[Chunk, DocumentInfo] | None:
        """See ``Store.chunk``."""
        with self._reading():
            found = self._chunks(sql.BY_ID, (reference(chunk_id), highest(reader)), highest(reader))
        return found[0][1:] if found else None

    def neighbours(self, chunk: Chunk, before: int, after: int, reader: Reader) -> tuple[Chunk, ...]:
        """See ``Store.neighbours``."""
        values = (reference(chunk.doc_id), highest(reader), *around(chunk.ordinal, before, after))
        with self._reading():
            found = self._chunks(sql.AROUND, values, highest(reader))
        return tuple(item for _, item, _ in found)

    def load(self, keys: Sequence[int], reader: Reader) -> tuple[tuple[Chunk, DocumentInfo], ...]:
        """See ``Store.load``."""
        wanted, top = [int(key) for key in keys], highest(reader)
        if not wanted:
            return ()
        with self._reading():
            found = self._chunks(sql.BY_KEY, (wanted, top), top)
            by_key = {key: (chunk, info) for key, chunk, info in found}
            missing = [key for key in wanted if key not in by_key]
            if missing and any(
                not self._session.rows("SELECT 1 FROM chunks WHERE key = %b::bigint", (key,))
                or terms.is_listed(self._session, key, top)
                for key in missing
            ):
                raise health.damage(self._session.where, "the search index names a passage that is not there")
        assert not missing, "asked for a chunk that the reader may not see"
        return tuple(by_key[key] for key in wanted)

    def languages(self, reader: Reader) -> tuple[str, ...]:
        """See ``Store.languages``."""
        top = highest(reader)

        def find() -> tuple[str, ...]:
            found = self._session.rows(
                "SELECT DISTINCT language FROM documents WHERE level <= %b AND language IS NOT NULL",
                (top,),
                top=top,
            )
            return tuple(sorted(decode(row[0]) for row in found))

        with self._reading() as here:
            return self._once(here, ("languages", top), find)

    def _chunks(self, query: str, values: Sequence[Any], top: int) -> list[tuple[int, Chunk, DocumentInfo]]:
        here = self._session.current
        assert here is not None, "chunks outside of a transaction"
        found = self._session.rows(query, values, top=top)
        texts = self._texts_of(here, list(dict.fromkeys(row[5] for row in found)), top)
        return [sql.chunk(row, texts[row[5]]) for row in found]

    def _texts_of(self, here: Transaction, doc_keys: Sequence[int], top: int) -> dict[int, str]:
        """The texts of documents whose rows were shown to a reader of rank ``top``."""
        # A removed text must not stay in memory. Its key is never used again, so it cannot be mistaken.
        self._once(here, "texts", self._forget_texts)
        with self._known_lock:
            known = {key: self._texts[key] for key in doc_keys if key in self._texts}
        missing = [key for key in doc_keys if key not in known]
        if missing:
            found = self._session.rows(
                "SELECT doc_key, text FROM texts WHERE doc_key = ANY(%b::bigint[])", (missing,), top=top
            )
            known.update((key, decode(text)) for key, text in found)
            if not here.is_writing:
                with self._known_lock:
                    self._texts.update(known)
                    while len(self._texts) > _TEXTS_KEPT:
                        self._texts.popitem(last=False)
        return known

    def _forget_texts(self) -> bool:
        with self._known_lock:
            self._texts.clear()
        return True

    # --- search ---

    def postings(self, terms_: Sequence[str], reader: Reader, filters: Filters) -> Postings:
        """See ``Store.postings``."""
        check_filters(filters)
        top = highest(reader)
        with self._reading() as here:
            counted = self._once(here, ("statistics", top), lambda: terms.statistics(self._session, top))
            matches = terms.find(self._session, terms_, top)
            frequencies = tuple(len(match.keys) for match in matches)
            if filters and terms_:
                ranges = sql.permitted_ranges(self._session, top, filters)
                matches = tuple(blocks.only(match, ranges) for match in matches)
        return Postings(matches, frequencies, counted.chunk_count, counted.mean_length)

    def nearest(self, vector: Floats, reader: Reader, filters: Filters, limit: int) -> tuple[Ints, Floats]:
        """See ``Store.nearest``. Exact, unless the store was opened with ``vectors="hnsw"``."""
        check_filters(filters)
        top = highest(reader)
        with self._reading() as here:
            vectors.check_dimension(vector, here.state.dimension or 0)
            if not len(vector):
                return np.empty(0, np.int64), np.empty(0, np.float32)
            if self._where != "memory":
                graph = self._where == "hnsw"
                return near.nearest_by_server(self._session, vector, top, filters, limit, hnsw=graph)
            live = self._live.at(self._session, here.state)
            ranges = sql.permitted_ranges(self._session, top, filters) if filters else None
        return near.nearest(live, vector, top, ranges, limit)

    def build_graph(self) -> None:
        """Make the graph that ``hnsw`` searches, if it is not there; others read and write meanwhile. Nothing for other
        kinds of search, and without vectors."""
        with self._reading() as here:
            width = here.state.dimension
        if self._where == "hnsw" and width:
            near.build_hnsw(self._session, width)

    def cosines(self, vector: Floats, keys: Sequence[int]) -> Floats:
        """See ``Store.cosines``."""
        with self._reading() as here:
            if self._where != "memory":
                return near.cosines_by_server(self._session, vector, keys)
            live = self._live.at(self._session, here.state)
        return near.cosines(live, vector, np.array(keys, dtype=np.int64))

    # --- for a search elsewhere ---

    @property
    def identity(self) -> str:
        """See ``Truth.identity``."""
        with self._reading() as here:
            return here.state.token

    def changes(self, after: tuple[int, str], limit: int) -> tuple[tuple[int, DocId], ...]:
        """See ``Truth.changes``."""
        with self._reading():
            return changed.changes(self._session, after, limit)

    def indexed(self, doc_id: DocId) -> Indexed | None:
        """See ``Truth.indexed``."""
        with self._reading() as here:
            return changed.document(self._session, doc_id, here.state.dimension or 0)

    def permitted(self, keys: Sequence[int], reader: Reader, filters: Filters) -> Ints:
        """See ``Truth.permitted``."""
        check_filters(filters)
        with self._reading():
            return changed.permitted(self._session, keys, highest(reader), filters)

    def postings_at(self, terms_: Sequence[str], keys: Sequence[int], reader: Reader) -> Postings:
        """See ``Truth.postings_at``."""
        wanted, top = np.unique(np.array(keys, dtype=np.int64)), highest(reader)
        with self._reading():
            counted = self.postings((), reader, ())
            found = [changed.match_at(self._session, term, wanted, top) for term in terms_]
        return Postings(
            tuple(match for match, _ in found),
            tuple(count for _, count in found),
            counted.chunk_count,
            counted.mean_length,
        )

    # --- for a copy ---

    def doc_ids(self) -> tuple[DocId, ...]:
        """See ``Copied.doc_ids``."""
        with self._reading():
            return copies.doc_ids(self._session)

    def held(self, doc_id: DocId) -> Held:
        """See ``Copied.held``."""
        with self._reading():
            return copies.held(self._session, doc_id)

    def hold(self, held: Held) -> None:
        """See ``Copied.hold``."""
        with self._writing() as here:
            self._may_go(history.blobs_of(here.db, [held.doc_id]))
            copies.hold(here.db, held)

    def import_log(self, part: LogPart) -> None:
        """See ``Copied.import_log``."""
        self._session.storing(lambda db: copies.import_log(db, part))

    def note(self, name: str, value: str) -> None:
        """See ``Copied.note``."""
        self._session.storing(lambda db: copies.note(db, name, value))

    def noted(self, name: str) -> str:
        """See ``Copied.noted``."""
        with self._reading():
            return copies.noted(self._session, name)

    # --- answers ---

    def save_answer(self, answer: StoredAnswer, *, at: str = "") -> None:
        """See ``Store.save_answer``."""
        self._session.storing(lambda db: log.save_answer(db, answer, at))

    def answer(self, answer_id: AnswerId, reader: Reader) -> StoredAnswer | None:
        """See ``Store.answer``."""
        with self._reading():
            return log.answer(self._session, answer_id, highest(reader))

    def answers(self, reader: Reader, *, limit: int = 100) -> tuple[StoredAnswer, ...]:
        """See ``Store.answers``."""
        with self._reading():
            return log.answers(self._session, highest(reader), min(limit, MOST_ROWS))

    def erase_answer(self, answer_id: AnswerId, *, at: str, why: str) -> bool:
        """See ``Store.erase_answer``."""
        with self._writing() as here:
            return self._dropping(here, lambda db: log.erase(db, answer_id, at, why))

    def prune_answers(self, before: str, *, at: str) -> int:
        """See ``Store.prune_answers``."""
        with self._writing() as here:
            return self._dropping(here, lambda db: log.prune(db, before, at))

    def _dropping(self, here: Transaction, work: Callable[[Connection], T]) -> T:
        """Work after which originals may not be needed any more."""
        before = history.all_blobs(self._session)
        found = work(here.db)
        self._may_go(history.unneeded(here.db, before))
        return found

    def save_feedback(self, feedback: StoredFeedback) -> None:
        """See ``Store.save_feedback``."""
        self._session.storing(lambda db: log.save_feedback(db, feedback), again=False)

    def feedback(
        self, reader: Reader, *, answer_id: AnswerId | None = None, limit: int = 100
    ) -> tuple[StoredFeedback, ...]:
        """See ``Store.feedback``."""
        with self._reading():
            return log.feedback(self._session, highest(reader), answer_id, min(limit, MOST_ROWS))

    def save_review(self, review: StoredReview) -> None:
        """See ``Store.save_review``."""
        self._session.storing(lambda db: log.save_review(db, review))

    def reviews(
        self, reader: Reader, *, answer_id: AnswerId | None = None, limit: int = 100
    ) -> tuple[StoredReview, ...]:
        """See ``Store.reviews``."""
        with self._reading():
            return log.reviews(self._session, highest(reader), answer_id, min(limit, MOST_ROWS))

    def note_in_log(self, kind: str, *, at: str, detail: str) -> None:
        """See ``Store.note_in_log``."""
        self._session.storing(lambda db: log.note(db, kind, at, detail), again=False)

    def log_head(self) -> LogHead:
        """See ``Store.log_head``."""
        with self._reading():
            return log.head(self._session)

    def log_entries(self, *, after: int = 0, subject: str | None = None) -> Iterator[LogEntry]:
        """See ``Store.log_entries``."""
        return log.entries(self._session, after=after, subject=subject)

    def log_rows(self) -> Iterator[LoggedRow]:
        """See ``Store.log_rows``."""
        return log.rows(self._session)

    def save_run(self, run: StoredRun) -> None:
        """See ``Store.save_run``."""
        self._session.storing(lambda db: log.save_run(db, run))

    def run(self, run_id: str, reader: Reader) -> StoredRun | None:
        """See ``Store.run``."""
        with self._reading():
            return next(iter(log.runs(self._session, highest(reader), run_id, 1)), None)

    def runs(self, reader: Reader, *, limit: int = 100) -> tuple[StoredRun, ...]:
        """See ``Store.runs``."""
        with self._reading():
            return log.runs(self._session, highest(reader), None, min(limit, MOST_ROWS))

    # --- state ---

    @property
    def generation(self) -> int:
        """See ``Store.generation``."""
        with self._reading() as here:
            return here.state.generation

    @property
    def embedder_fingerprint(self) -> str | None:
        """See ``Store.embedder_fingerprint``."""
        with self._reading() as here:
            return here.state.embedder

    def problems(self) -> Iterator[str]:
        """See ``Store.problems``."""
        with self._reading():
            yield from health.problems(self._session, self.blobs)

    def backup(self, target: Path) -> tuple[str, ...]:
        """``StoreError``: the server's own tools do that."""
        raise StoreError(
            "an index in PostgreSQL is copied with the tools of the server",
            where=self._session.where,
            hint=f"let an administrator run pg_dump --schema={self._session.schema}, or use pincite store copy",
        )

    def warnings(self) -> tuple[tuple[str, str], ...]:
        """See ``Store.warnings``: about the role and the server."""
        with self._reading():
            return self._session.run(tables.warnings, top=tables.WRITER)

    def refreshing(self) -> AbstractContextManager[None]:
        """Inside, this is the only refresh of the index in all processes. ``StoreError`` when there is another."""
        return self._session.alone()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """See ``Store.writing``."""
        with self._writing():
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See ``Store.reading``."""
        with self._session.reading():
            yield

    def close(self) -> None:
        """Close all connections."""
        self._session.close()
        self._live.forget()

    @contextmanager
    def _reading(self) -> Iterator[Transaction]:
        """A transaction that only reads. What cannot be decoded is damage."""
        with health.damaged(self._session.where), self._session.reading() as here:
            yield here

    @contextmanager
    def _writing(self) -> Iterator[Transaction]:
        """A transaction that changes documents; inside another one, that one."""
        with self._lock:
            if self._session.current is not None:
                with self._session.writing() as here:
                    self._session.as_writer(here)
                    yield here
                return
            self._loose.clear()
            try:
                with self._session.writing() as here:
                    self._session.as_writer(here)
                    yield here
                    if self._blobs_are_inside:
                        self._drop_loose(here)
            except BaseException:
                self._terms.forget()
                raise
            if not self._blobs_are_inside and self._loose:
                with self._session.writing() as here:
                    self._session.as_writer(here)
                    self._drop_loose(here)

    def _may_go(self, keys: Sequence[str]) -> None:
        """Originals that may not be needed any more at the end of the transaction."""
        self._loose.update(dict.fromkeys(keys))

    def _drop_loose(self, here: Transaction) -> None:
        """While the writer's lock is held: what is not needed now is not needed by anybody."""
        if self._loose:
            self._session.as_writer(here)
            for key in history.unneeded(here.db, list(self._loose)):
                self.blobs.remove(key)
            self._loose.clear()

    def _once(self, here: Transaction, name: Any, find: Callable[[], T]) -> T:
        """What ``find`` returns, remembered as long as the index stays as it is. Not while it is being changed."""
        if here.is_writing:
            return find()
        with self._known_lock:
            if self._known is None or self._known[0] != here.state.index:
                self._known = here.state.index, {}
            known = self._known[1]
        if name not in known:
            known[name] = find()
        found: T = known[name]
        return found
