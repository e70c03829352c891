"""What a search elsewhere asks of the SQLite store: which documents changed, what is indexed of them, who may see it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import numpy as np

from pincite.ports import Ints
from pincite.ports.stored import Indexed, TermPostings
from pincite.ports.stores import Filters
from pincite.stores import blocks, indexed
from pincite.stores import sqlite_rows as rows
from pincite.stores import sqlite_statements as sql
from pincite.stores.binding import bind, unbind
from pincite.types import DocId

KEYS_AT_ONCE = 10_000
"""Variables of one statement; SQLite takes 32,766."""


def note(db: sqlite3.Connection, doc_ids: Sequence[str]) -> None:
    """Note that these change in the transaction that is under way, whose generation is the next one."""
    generation = sql.counter(db, "generation") + 1
    db.executemany(
        "INSERT INTO changes VALUES (?, ?) ON CONFLICT DO UPDATE SET generation = excluded.generation",
        [(bind(doc_id), generation) for doc_id in doc_ids],
    )


def note_all(db: sqlite3.Connection) -> None:
    """Note that all documents change in the transaction that is under way."""
    db.execute(
        "INSERT OR REPLACE INTO changes SELECT doc_id, ? FROM documents",
        (sql.counter(db, "generation") + 1,),
    )


def changes(db: sqlite3.Connection, after: tuple[int, str], limit: int) -> tuple[tuple[int, DocId], ...]:
    """See ``Truth.changes``."""
    found = db.execute(
        "SELECT generation, doc_id FROM changes WHERE (generation, doc_id) > (?, ?) ORDER BY generation, doc_id LIMIT ?",
        (after[0], bind(after[1]), limit),
    ).fetchall()
    return tuple((int(at), DocId(unbind(name))) for at, name in found)


def permitted(db: sqlite3.Connection, keys: Sequence[int], top: int, filters: Filters) -> Ints:
    """See ``Truth.permitted``."""
    where = " AND ".join(["d.level <= ?", *(f"d.{field} = ?" for field, _ in filters)])
    values = (top, *(bind(value) for _, value in filters))
    found: list[int] = []
    for at in range(0, len(keys), KEYS_AT_ONCE):
        some = [int(key) for key in keys[at : at + KEYS_AT_ONCE]]
        marks = ",".join("?" * len(some))
        statement = f"SELECT c.key FROM chunks c JOIN documents d USING (doc_key) WHERE c.key IN ({marks}) AND {where}"
        found += [row[0] for row in db.execute(statement, (*some, *values))]
    return np.unique(np.array(found, dtype=np.int64))


def match_at(db: sqlite3.Connection, term: str, keys: Ints, top: int) -> tuple[TermPostings, int]:
    """The postings of a term up to a level among ``keys``, and how many there are among all chunks."""
    row = db.execute("SELECT id FROM terms WHERE term = ?", (bind(term),)).fetchone()
    if row is None:
        return blocks.EMPTY, 0
    # The lengths of the blobs are in their heads: none is read for this.
    (size,) = db.execute(
        "SELECT coalesce(sum(length(entries)), 0) FROM postings WHERE place >= ? AND place < ?",
        indexed.term_range(row[0], top),
    ).fetchone()
    match = _find(db, row[0], keys, top) if len(keys) else blocks.EMPTY
    return indexed.only_keys(match, keys), int(size) // blocks.ENTRY.itemsize


def _find(db: sqlite3.Connection, term_id: int, keys: Ints, top: int) -> TermPostings:
    """The postings of a term up to a level in the blocks of these keys."""
    places = indexed.places_at(term_id, keys, top)
    if places is None:
        found = db.execute(
            "SELECT place, entries FROM postings WHERE place >= ? AND place < ? ORDER BY place",
            indexed.term_range(term_id, top),
        )
    else:
        marks = ",".join("?" * len(places))
        found = db.execute(
            f"SELECT place, entries FROM postings WHERE place IN ({marks}) ORDER BY place", places
        )
    return blocks.unpack(found.fetchall())


def document(db: sqlite3.Connection, doc_id: DocId) -> Indexed | None:
    """See ``Truth.indexed``."""
    columns = ", ".join((*rows.INFO_COLUMNS, "defaulted"))
    row = db.execute(
        f"SELECT level, first_key, chunk_count, term_ids, {columns} FROM documents JOIN texts USING (doc_key) "
        "WHERE doc_id = ?",
        (bind(doc_id),),
    ).fetchone()
    if row is None:
        return None
    level, first_key, count, term_ids, *known = row

    ids = np.frombuffer(term_ids, "<u4").tolist() if count else []
    words = {number: unbind(term) for number, term in _of(db, "SELECT id, term FROM terms WHERE id", ids)}
    places = blocks.places_of(ids, level, first_key, count) if count else []
    held = _of(db, "SELECT place, entries FROM postings WHERE place", places)
    vectors = sql.vectors_of(db, doc_id).astype(np.float32)
    return indexed.gather(rows.info(known), first_key, count, words, held, vectors)


def _of(db: sqlite3.Connection, select: str, numbers: Sequence[int]) -> list[tuple[int, Any]]:
    """The rows of these numbers."""
    found: list[tuple[int, Any]] = []
    for at in range(0, len(numbers), KEYS_AT_ONCE):
        some = numbers[at : at + KEYS_AT_ONCE]
        found += db.execute(f"{select} IN ({','.join('?' * len(some))})", some).fetchall()
    return found
