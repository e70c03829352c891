"""Statements of the SQLite store: counters, adding and removing documents, filters, the vectors' matrix.

All of them run inside a transaction of the caller.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import numpy as np

from pincite.errors import StoreError
from pincite.ports import Ints
from pincite.ports.stored import IndexedChunk
from pincite.ports.stores import Filters
from pincite.stores import blocks, vectors
from pincite.stores import sqlite_rows as rows
from pincite.stores import sqlite_terms as terms
from pincite.stores.binding import bind
from pincite.stores.chunks import next_number
from pincite.stores.levels import NOBODY, rank
from pincite.types import AccessLevel, DocId, Document

Entry = tuple[Document, Sequence[IndexedChunk]]


def counter(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute("SELECT value FROM counters WHERE name = ?", (name,)).fetchone()[0])


def set_counter(db: sqlite3.Connection, name: str, value: int) -> None:
    db.execute("UPDATE counters SET value = ? WHERE name = ?", (value, name))


def token(db: sqlite3.Connection) -> str:
    return str(db.execute("SELECT value FROM counters WHERE name = 'token'").fetchone()[0])


def embedder_of(db: sqlite3.Connection) -> str | None:
    row = db.execute("SELECT value FROM counters WHERE name = 'embedder'").fetchone()
    return None if row is None else str(row[0])


def insert_document(
    db: sqlite3.Connection,
    doc_key: int,
    first_key: int,
    document: Document,
    chunks: Sequence[IndexedChunk],
    added_at: str,
) -> None:
    try:
        db.execute(
            f"INSERT INTO documents (doc_key, level, first_key, chunk_count, added_at, origin, "
            f"{', '.join((*rows.INFO_COLUMNS, 'defaulted'))}) VALUES ({', '.join('?' * (7 + len(rows.INFO_COLUMNS)))})",
            (
                doc_key,
                rank(document.access_level),
                first_key,
                len(chunks),
                added_at,
                rows.origin_value(document.origin),
                *rows.info_values(document.info),
            ),
        )
        db.executemany(
            "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?)",
            (
                (
                    first_key + ordinal,
                    doc_key,
                    bind(item.chunk.chunk_id),
                    item.chunk.span.start,
                    item.chunk.span.end,
                    rows.chunk_detail(item.chunk),
                )
                for ordinal, item in enumerate(chunks)
            ),
        )
    except sqlite3.IntegrityError as error:
        raise StoreError(
            f"document {document.doc_id!r} repeats an id: {error}",
            hint="document ids and chunk ids must be unique in the store",
        ) from error
    db.execute(
        "INSERT INTO texts VALUES (?, ?, ?, x'')",
        (doc_key, bind(document.text), rows.document_detail(document)),
    )
    db.execute(
        "INSERT INTO numbers VALUES (?, ?) "
        "ON CONFLICT DO UPDATE SET next_number = max(next_number, excluded.next_number)",
        (bind(document.doc_id), next_number(item.chunk.chunk_id for item in chunks)),
    )


def insert_vectors(
    db: sqlite3.Connection,
    batch: Sequence[Entry],
    doc_key: int,
    first_keys: Sequence[int],
    embedder: str | None,
) -> None:
    for number, (document, chunks) in enumerate(batch):
        found = vectors.halves(chunks)
        if found is None:
            continue
        _note_embedder(db, embedder, found.shape[1])
        values = (doc_key + number, rank(document.access_level), first_keys[number], found.tobytes())
        db.execute("INSERT INTO vectors VALUES (?, ?, ?, ?)", values)


def dimension(db: sqlite3.Connection) -> int:
    """Numbers in a vector of the index; 0 when there are none."""
    row = db.execute("SELECT value FROM counters WHERE name = 'dimension'").fetchone()
    return 0 if row is None else int(row[0])


def vectors_of(db: sqlite3.Connection, doc_id: DocId) -> vectors.Halves:
    row = db.execute(
        "SELECT rows FROM vectors JOIN documents USING (doc_key) WHERE doc_id = ?", (bind(doc_id),)
    ).fetchone()
    width = dimension(db)
    return np.frombuffer(b"" if row is None else row[0], np.float16).reshape(-1, max(1, width))


def append_vectors(db: sqlite3.Connection, doc_id: DocId, found: vectors.Halves, embedder: str) -> None:
    _note_embedder(db, embedder, found.shape[1])
    row = db.execute(
        "SELECT doc_key, level, first_key, chunk_count FROM documents WHERE doc_id = ?", (bind(doc_id),)
    ).fetchone()
    assert row is not None, f"vectors of a document that is not there: {doc_id!r}"
    *place, count = row
    assert len(vectors_of(db, doc_id)) + len(found) <= count, f"{doc_id!r} has fewer passages than vectors"
    db.execute(
        "INSERT INTO vectors VALUES (?, ?, ?, ?) "
        "ON CONFLICT DO UPDATE SET rows = CAST(rows || excluded.rows AS BLOB)",
        (*place, found.tobytes()),
    )


def _note_embedder(db: sqlite3.Connection, embedder: str | None, width: int) -> None:
    """Note whose vectors the index holds when the first are added; refuse those of another one."""
    stored = embedder_of(db)
    fingerprint = vectors.check_embedder(stored, embedder)
    if stored is None:
        db.execute("INSERT INTO counters VALUES ('embedder', ?), ('dimension', ?)", (fingerprint, width))
    assert width == dimension(db), "one embedder, two dimensions"


def has_document(db: sqlite3.Connection, doc_id: str) -> bool:
    return db.execute("SELECT 1 FROM documents WHERE doc_id = ?", (bind(doc_id),)).fetchone() is not None


def has_chunk(db: sqlite3.Connection, key: int) -> bool:
    return db.execute("SELECT 1 FROM chunks WHERE key = ?", (key,)).fetchone() is not None


def read_matrix(db: sqlite3.Connection) -> vectors.Matrix:
    """All vectors that anybody may see."""
    width = dimension(db)
    found = db.execute(
        "SELECT level, first_key, rows FROM vectors WHERE level < ? ORDER BY level, first_key", (NOBODY,)
    ).fetchall()
    counts = [len(blob) // (2 * width) for _, _, blob in found]
    starts = np.array([first for _, first, _ in found], dtype=np.int64)
    keys = np.repeat(starts - np.cumsum([0, *counts[:-1]]), counts) if found else starts
    levels = np.repeat(np.array([level for level, _, _ in found], dtype=np.int64), counts)
    halves = np.frombuffer(b"".join(blob for _, _, blob in found), np.float16).reshape(len(keys), width)
    return vectors.matrix(halves, keys + np.arange(len(keys)), levels, len(AccessLevel))


def permitted_ranges(db: sqlite3.Connection, top: int, filters: Filters) -> Ints:
    """First and one-past-last chunk keys of the documents that pass, ascending; shape (documents, 2)."""
    where = " AND ".join(["level <= ?", "chunk_count > 0", *(f"{field} = ?" for field, _ in filters)])
    found = db.execute(
        f"SELECT first_key, first_key + chunk_count FROM documents WHERE {where} ORDER BY first_key",
        (top, *(bind(value) for _, value in filters)),
    ).fetchall()
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def index_terms(
    db: sqlite3.Connection,
    known: terms.Terms,
    batch: Sequence[Entry],
    doc_key: int,
    first_keys: Sequence[int],
) -> None:
    """Write the postings of a batch, and with each document which terms it has, for its removal."""
    counts = [len(chunks) for _, chunks in batch]
    if not sum(counts):
        return
    levels = np.array([rank(document.access_level) for document, _ in batch], dtype=np.int64)
    keys = [np.arange(first, first + count) for first, count in zip(first_keys, counts, strict=True)]
    ids = terms.index(
        db,
        known,
        blocks.Batch(
            keys=np.concatenate(keys),
            levels=np.repeat(levels, counts),
            documents=np.repeat(np.arange(len(batch)), counts),
            terms=[item.terms for _, chunks in batch for item in chunks],
        ),
    )
    # Four bytes each: a store of four thousand million different words is somebody else's.
    db.executemany(
        "UPDATE texts SET term_ids = ? WHERE doc_key = ?",
        ((found.astype("<u4").tobytes(), doc_key + number) for number, found in ids.items()),
    )


def remove_document(db: sqlite3.Connection, doc_id: DocId) -> bool:
    row = db.execute(
        "SELECT doc_key, level, first_key, chunk_count, term_ids FROM documents JOIN texts USING (doc_key) "
        "WHERE doc_id = ?",
        (bind(doc_id),),
    ).fetchone()
    if row is None:
        return False
    doc_key, level, first_key, chunk_count, term_ids = row
    if chunk_count:
        terms.unindex(db, np.frombuffer(term_ids, "<u4").astype(np.int64), level, first_key, chunk_count)
    db.execute("DELETE FROM chunks WHERE key >= ? AND key < ?", (first_key, first_key + chunk_count))
    for table in ("documents", "texts", "vectors"):
        db.execute(f"DELETE FROM {table} WHERE doc_key = ?", (doc_key,))
    return True
