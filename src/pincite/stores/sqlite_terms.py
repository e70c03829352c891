"""The inverted index inside SQLite: the blobs of ``blocks``, a row each."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import numpy as np

from pincite.ports import Ints
from pincite.ports.stored import TermPostings
from pincite.stores import blocks
from pincite.stores.binding import bind
from pincite.stores.sqlite_schema import APPEND_POSTINGS

TERMS_KEPT = 500_000
"""Terms whose ids are remembered between batches; then the memory starts anew."""


class Terms(dict[str, int]):
    """Term to id, remembered between batches. A term not known yet is looked up, or given an id, when asked for.

    Other processes may add ids, never change them; when ids are deleted, the counter ``term_epoch`` rises.
    """

    def __init__(self) -> None:
        super().__init__()
        self._epoch = -1
        self._next = 0
        self._is_complete = False  # all terms of the database are in here, so that nothing need be looked up
        self._fresh: list[tuple[int, str | bytes]] = []
        self._connection: sqlite3.Connection | None = None

    def forget(self) -> None:
        """After a transaction that was rolled back, what was learned is void."""
        self.clear()
        self._fresh.clear()
        self._is_complete = False

    def open(self, connection: sqlite3.Connection) -> None:
        """Begin a batch inside a writing transaction."""
        epoch, following = _counters(connection)
        if epoch != self._epoch or len(self) > TERMS_KEPT:
            self.forget()
        self._is_complete = following == 1 or (self._is_complete and following == self._next)
        self._epoch, self._next, self._connection = epoch, following, connection

    def close(self) -> None:
        """Write the new terms of the batch."""
        assert self._connection is not None, "close() without open()"
        self._fresh.sort(key=lambda row: row[1] if isinstance(row[1], bytes) else row[1].encode())
        self._connection.executemany("INSERT INTO terms VALUES (?, ?)", self._fresh)
        self._connection.execute("UPDATE counters SET value = ? WHERE name = 'next_term_id'", (self._next,))
        self._fresh.clear()
        self._connection = None

    def __missing__(self, term: str) -> int:
        assert self._connection is not None, "terms are given ids between open() and close()"
        bound = bind(term)
        if not self._is_complete:
            row = self._connection.execute("SELECT id FROM terms WHERE term = ?", (bound,)).fetchone()
            if row is not None:
                self[term] = row[0]
                return int(row[0])
        self[term] = found = self._next
        self._next += 1
        self._fresh.append((found, bound))
        return found


def index(connection: sqlite3.Connection, terms: Terms, batch: blocks.Batch) -> dict[int, Ints]:
    """Write the batch's postings and add to the statistics; returns each document's distinct term ids."""
    terms.open(connection)
    ids: list[int] = []
    for words in batch.terms:
        ids.extend(map(terms.__getitem__, words))
    terms.close()
    packed = blocks.pack(batch, ids)
    connection.executemany(APPEND_POSTINGS, packed.blobs)
    for level, chunks, words_ in packed.counts:
        count(connection, level, chunks, words_)
    return packed.documents


def count(connection: sqlite3.Connection, level: int, chunks: int, terms: int) -> None:
    """Add to the statistics of a level; the numbers may be negative."""
    connection.execute(
        "INSERT INTO levels VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET "
        "chunk_count = chunk_count + excluded.chunk_count, term_count = term_count + excluded.term_count",
        (level, chunks, terms),
    )


def unindex(
    connection: sqlite3.Connection, term_ids: Ints, level: int, first_key: int, chunk_count: int
) -> None:
    """Take the chunks ``first_key`` … out of the postings of ``term_ids`` and out of the statistics."""
    lengths = np.zeros(chunk_count, dtype=np.int64)
    kept: list[tuple[bytes, int]] = []
    emptied: list[tuple[int]] = []
    for place in blocks.places_of(term_ids.tolist(), level, first_key, chunk_count):
        row = connection.execute("SELECT entries FROM postings WHERE place = ?", (place,)).fetchone()
        if row is None:
            continue
        rest = blocks.without(place, row[0], first_key, lengths)
        if rest:
            kept.append((rest, place))
        else:
            emptied.append((place,))
    connection.executemany("UPDATE postings SET entries = ? WHERE place = ?", kept)
    connection.executemany("DELETE FROM postings WHERE place = ?", emptied)
    count(connection, level, -chunk_count, -int(lengths.sum()))
    _drop_unused(connection, sorted({place >> blocks.TERM_SHIFT for (place,) in emptied}))


def _drop_unused(connection: sqlite3.Connection, term_ids: Sequence[int]) -> None:
    """A word that stood in a removed text only must not stay in the file."""
    gone = [
        (term_id,)
        for term_id in term_ids
        if connection.execute(
            "SELECT 1 FROM postings WHERE place >= ? AND place < ? LIMIT 1",
            (term_id << blocks.TERM_SHIFT, term_id + 1 << blocks.TERM_SHIFT),
        ).fetchone()
        is None
    ]
    if gone:
        connection.executemany("DELETE FROM terms WHERE id = ?", gone)
        connection.execute("UPDATE counters SET value = value + 1 WHERE name = 'term_epoch'")


def find(connection: sqlite3.Connection, term: str, highest_level: int) -> TermPostings:
    """The postings of a term up to a level."""
    rows = connection.execute(
        "SELECT place, entries FROM postings JOIN terms ON place >= id << 24 AND place < (id << 24) + (? << 21) "
        "WHERE term = ? ORDER BY place",
        (highest_level + 1, bind(term)),
    ).fetchall()
    return blocks.unpack(rows)


def is_listed(connection: sqlite3.Connection, key: int, highest_level: int) -> bool:
    """Whether any term's postings up to a level name that chunk. Reads all of its block: for finding out what is wrong."""
    rows = connection.execute(
        "SELECT entries FROM postings WHERE place & ? = ? AND place >> ? & 7 <= ?",
        ((1 << blocks.LEVEL_SHIFT) - 1, key >> blocks.BLOCK_BITS, blocks.LEVEL_SHIFT, highest_level),
    )
    return any(blocks.names(entries, key) for (entries,) in rows)


def _counters(connection: sqlite3.Connection) -> tuple[int, int]:
    rows = dict(
        connection.execute(
            "SELECT name, value FROM counters WHERE name IN ('term_epoch', 'next_term_id')"
        ).fetchall()
    )
    return rows["term_epoch"], rows["next_term_id"]
