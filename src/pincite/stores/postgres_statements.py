"""Statements of the PostgreSQL store: adding and removing documents, filters, vectors.

All of them run inside a transaction of the caller, as the writer where they write.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import psycopg
from pgvector import HalfVector
from psycopg import sql

from pincite.errors import StoreError
from pincite.ports import Floats, Ints
from pincite.ports.stored import IndexedChunk
from pincite.ports.stores import Filters
from pincite.stores import blocks, postgres_terms, vectors
from pincite.stores import sqlite_rows as rows
from pincite.stores.chunks import next_number
from pincite.stores.levels import rank
from pincite.stores.postgres_session import Row, Session, Transaction
from pincite.stores.postgres_text import decode, encode, reference
from pincite.types import Chunk, DocId, Document, DocumentInfo, Span

Entry = tuple[Document, Sequence[IndexedChunk]]

INFO = ", ".join(f"d.{column}" for column in (*rows.INFO_COLUMNS, "defaulted"))
INFO_WIDTH = len(rows.INFO_COLUMNS) + 1

_DOCUMENT = (
    f"INSERT INTO documents (doc_key, doc_ref, level, first_key, chunk_count, added_at, origin, "
    f"{', '.join((*rows.INFO_COLUMNS, 'defaulted'))}) VALUES ({', '.join(['%s'] * (8 + len(rows.INFO_COLUMNS)))})"
)


def info(row: Row) -> DocumentInfo:
    """A document's columns as they were written."""
    return rows.info([None if value is None else decode(value) for value in row])


def _info_values(known: DocumentInfo) -> list[str | None]:
    values = [getattr(known, column) for column in rows.INFO_COLUMNS]
    return [
        *(None if value is None else encode(str(value)) for value in values),
        json.dumps(known.defaulted),
    ]


def insert(here: Transaction, terms: postgres_terms.Terms, batch: Sequence[Entry], added_at: str) -> None:
    """Write documents that are not there, with their chunks, terms and statistics."""
    state = here.state
    counts = [len(chunks) for _, chunks in batch]
    doc_keys = range(state.next_doc_key, state.next_doc_key + len(batch))
    first_keys = [state.next_chunk_key + sum(counts[:place]) for place in range(len(batch))]
    try:
        _insert_rows(here, batch, added_at, doc_keys, first_keys)
    except psycopg.errors.UniqueViolation as error:
        raise StoreError(
            f"document {batch[0][0].doc_id!r} repeats an id: {error.diag.message_detail}",
            hint="document ids and chunk ids must be unique in the store",
        ) from error
    following = state.next_term_id
    by_document: dict[int, Ints] = {}
    if sum(counts):
        levels = np.array([rank(document.access_level) for document, _ in batch], dtype=np.int64)
        words = [item.terms for _, chunks in batch for item in chunks]
        ids, following = terms.ids(here, words)
        keys = [np.arange(first, first + count) for first, count in zip(first_keys, counts, strict=True)]
        packed = blocks.pack(
            blocks.Batch(
                keys=np.concatenate(keys),
                levels=np.repeat(levels, counts),
                documents=np.repeat(np.arange(len(batch)), counts),
                terms=words,
            ),
            ids,
        )
        postgres_terms.write(here.db, packed)
        by_document = packed.documents
    _insert_texts(here, batch, doc_keys, by_document)
    note_changed(here, [document.doc_id for document, _ in batch])
    for first, count in zip(first_keys, counts, strict=True):
        here.note(first, count)
    here.changed = True
    here.state = replace(
        state,
        next_doc_key=state.next_doc_key + len(batch),
        next_chunk_key=state.next_chunk_key + sum(counts),
        next_term_id=following,
    )


def _insert_rows(
    here: Transaction,
    batch: Sequence[Entry],
    added_at: str,
    doc_keys: Sequence[int],
    first_keys: Sequence[int],
) -> None:
    with here.db.cursor() as cursor:
        cursor.executemany(
            _DOCUMENT,
            [
                (
                    doc_key,
                    reference(document.doc_id),
                    rank(document.access_level),
                    first_key,
                    len(chunks),
                    added_at,
                    rows.origin_value(document.origin),
                    *_info_values(document.info),
                )
                for (document, chunks), doc_key, first_key in zip(batch, doc_keys, first_keys, strict=True)
            ],
        )
    listed = [
        (
            first_key + ordinal,
            doc_key,
            rank(document.access_level),
            reference(item.chunk.chunk_id),
            None if reference(item.chunk.chunk_id) == item.chunk.chunk_id else encode(item.chunk.chunk_id),
            item.chunk.span.start,
            item.chunk.span.end,
            rows.chunk_detail(item.chunk),
        )
        for (document, chunks), doc_key, first_key in zip(batch, doc_keys, first_keys, strict=True)
        for ordinal, item in enumerate(chunks)
    ]
    columns = [list(column) for column in zip(*listed, strict=True)] if listed else [[] for _ in range(8)]
    here.db.execute(
        "INSERT INTO chunks SELECT * FROM unnest(%b::bigint[], %b::bigint[], %b::smallint[], %b::text[], %b::text[], "
        "%b::integer[], %b::integer[], %b::text[])",
        columns,
    )
    here.db.execute(
        "INSERT INTO numbers SELECT * FROM unnest(%b::text[], %b::bigint[]) "
        "ON CONFLICT (doc_ref) DO UPDATE SET next_number = greatest(numbers.next_number, excluded.next_number)",
        (
            [reference(document.doc_id) for document, _ in batch],
            [next_number(item.chunk.chunk_id for item in chunks) for _, chunks in batch],
        ),
    )


def _insert_texts(
    here: Transaction, batch: Sequence[Entry], doc_keys: Sequence[int], by_document: dict[int, Ints]
) -> None:
    nothing = np.empty(0, dtype=np.int64)
    here.db.execute(
        "INSERT INTO texts SELECT * FROM unnest(%b::bigint[], %b::smallint[], %b::text[], %b::text[], %b::bytea[])",
        (
            list(doc_keys),
            [rank(document.access_level) for document, _ in batch],
            [encode(document.text) for document, _ in batch],
            [rows.document_detail(document) for document, _ in batch],
            # Four bytes each: a store of four thousand million different words is somebody else's.
            [by_document.get(place, nothing).astype("<u4").tobytes() for place in range(len(batch))],
        ),
    )


def remove(here: Transaction, doc_id: str) -> bool:
    """Remove a document with everything that was made of it; whether it was there."""
    row = here.db.execute(
        "SELECT doc_key, d.level, first_key, chunk_count, term_ids FROM documents d JOIN texts USING (doc_key) "
        "WHERE doc_ref = %s",
        (reference(doc_id),),
        binary=True,
    ).fetchone()
    if row is None:
        return False
    doc_key, level, first_key, chunk_count, term_ids = row
    if chunk_count:
        ids = np.frombuffer(term_ids, "<u4").astype(np.int64)
        if postgres_terms.unindex(here.db, ids, level, first_key, chunk_count):
            here.state = replace(here.state, term_epoch=here.state.term_epoch + 1)
    for statement in (
        "DELETE FROM chunks WHERE key >= %s AND key < %s",
        "DELETE FROM vectors WHERE key >= %s AND key < %s",
    ):
        here.db.execute(statement, (first_key, first_key + chunk_count))
    here.db.execute("DELETE FROM texts WHERE doc_key = %s", (doc_key,))
    here.db.execute("DELETE FROM documents WHERE doc_key = %s", (doc_key,))
    here.note(first_key, chunk_count)
    note_changed(here, [doc_id])
    return True


def note_changed(here: Transaction, doc_ids: Sequence[str]) -> None:
    """Note that these documents change in this transaction, whose generation is the next one."""
    here.db.execute(
        "INSERT INTO changes SELECT r, d, %s FROM unnest(%b::text[], %b::text[]) n (r, d) "
        "ON CONFLICT (doc_ref) DO UPDATE SET generation = excluded.generation",
        (
            here.state.generation + 1,
            [reference(name) for name in doc_ids],
            [encode(name) for name in doc_ids],
        ),
    )


def note_all_changed(here: Transaction) -> None:
    """Note that all documents change in this transaction."""
    here.db.execute(
        "INSERT INTO changes SELECT doc_ref, doc_id, %s FROM documents "
        "ON CONFLICT (doc_ref) DO UPDATE SET generation = excluded.generation",
        (here.state.generation + 1,),
    )


# --- vectors ------------------------------------------------------------------------------------


def insert_vectors(here: Transaction, batch: Sequence[Entry], embedder: str | None) -> None:
    """Write the vectors of documents that were inserted last, if they have any."""
    first_key = here.state.next_chunk_key - sum(len(chunks) for _, chunks in batch)
    for document, chunks in batch:
        found = vectors.halves(chunks)
        if found is not None:
            note_embedder(here, embedder, found.shape[1])
            _write_vectors(here, document.doc_id, rank(document.access_level), first_key, found)
        first_key += len(chunks)


def append_vectors(here: Transaction, doc_id: DocId, found: vectors.Halves, embedder: str) -> None:
    """Vectors for the chunks behind those that have one."""
    note_embedder(here, embedder, found.shape[1])
    row = here.db.execute(
        "SELECT level, first_key, chunk_count, vector_count FROM documents WHERE doc_ref = %s",
        (reference(doc_id),),
    ).fetchone()
    assert row is not None, f"vectors of a document that is not there: {doc_id!r}"
    level, first_key, chunk_count, there = row
    assert there + len(found) <= chunk_count, f"{doc_id!r} has fewer passages than vectors"
    _write_vectors(here, doc_id, level, first_key + there, found)
    note_changed(here, [doc_id])
    here.note(first_key, chunk_count)


def _write_vectors(here: Transaction, doc_id: str, level: int, first_key: int, found: vectors.Halves) -> None:
    listed = [None if np.isnan(row[0]) else HalfVector(row) for row in found]
    keys = list(range(first_key, first_key + len(listed)))
    here.db.execute(
        "INSERT INTO vectors SELECT key, %s, embedding FROM unnest(%b::bigint[], %b::halfvec[]) n (key, embedding)",
        (level, keys, listed),
    )
    here.db.execute(
        "UPDATE documents SET vector_count = vector_count + %s WHERE doc_ref = %s",
        (len(listed), reference(doc_id)),
    )


def note_embedder(here: Transaction, embedder: str | None, width: int) -> None:
    """Note whose vectors the index holds when the first are added; refuse those of another one."""
    fingerprint = vectors.check_embedder(here.state.embedder, embedder)
    if here.state.embedder is None:
        here.state = replace(here.state, embedder=fingerprint, dimension=width)
    assert width == here.state.dimension, "one embedder, two dimensions"


def vectors_of(session: Session, doc_id: DocId, width: int) -> Floats:
    """The vectors of a document's first chunks."""
    found = session.rows(
        "SELECT halfvec_send(v.embedding) FROM documents d CROSS JOIN LATERAL (SELECT key, embedding FROM vectors "
        "WHERE key >= d.first_key AND key < d.first_key + d.chunk_count OFFSET 0) v WHERE d.doc_ref = %b ORDER BY v.key",
        (reference(doc_id),),
    )
    return halves([row[0] for row in found], width).astype(np.float32)


def halves(sent: Sequence[bytes | None], width: int) -> vectors.Halves:
    """Vectors from pgvector's binary form (two numbers of 16 bits, then halves, big end first); NaN where there is none."""
    if not sent:
        return np.empty((0, max(1, width)), dtype=np.float16)
    missing = b"\0" * 4 + np.full(width, np.nan, dtype=">f2").tobytes()
    joined = b"".join(missing if one is None else one for one in sent)
    found = np.frombuffer(joined, dtype=np.uint8).reshape(len(sent), 4 + 2 * width)
    return np.ascontiguousarray(found[:, 4:]).view(">f2").astype(np.float16)


# --- reading ------------------------------------------------------------------------------------


def permitted_ranges(session: Session, top: int, filters: Filters) -> Ints:
    """First and one-past-last chunk keys of the documents that pass, ascending; shape (documents, 2)."""
    # Names of columns: ``check_filters`` has seen them, and they are quoted all the same.
    tests = [sql.SQL("{} = %b").format(sql.Identifier(field)) for field, _ in filters]
    query = sql.SQL(
        "SELECT first_key, first_key + chunk_count FROM documents WHERE level <= %b AND chunk_count > 0 AND {} ORDER BY 1"
    ).format(sql.SQL(" AND ").join(tests))
    values = (top, *(encode(value) for _, value in filters))
    found = session.run(lambda db: db.execute(query, values, binary=True).fetchall(), top=top)
    return np.array(found, dtype=np.int64).reshape(-1, 2)


_CHUNKS = (
    f"SELECT c.key, coalesce(c.chunk_id, c.chunk_ref), c.first, c.last, c.detail, d.doc_key, d.first_key, {INFO} "
    "FROM chunks c JOIN documents d USING (doc_key) WHERE "
)
BY_KEY = _CHUNKS + "c.key = ANY(%b::bigint[]) AND d.level <= %b"
BY_ID = _CHUNKS + "c.chunk_ref = %b AND d.level <= %b"
BY_DOCUMENT = _CHUNKS + "d.doc_ref = %b AND d.level <= %b ORDER BY c.key"
AROUND = (
    _CHUNKS
    + "d.doc_ref = %b AND d.level <= %b AND c.key BETWEEN d.first_key + %b::bigint AND d.first_key + %b::bigint "
    "ORDER BY c.key"
)


def chunk(row: Row, text: str) -> tuple[int, Chunk, DocumentInfo]:
    """A row of the queries above, with the text of its document."""
    key, chunk_id, first, last, detail, _, first_key, *known_row = row
    known = info(tuple(known_row))
    made = rows.chunk(decode(chunk_id), known.doc_id, key - first_key, Span(first, last), detail, text)
    return key, made, known
