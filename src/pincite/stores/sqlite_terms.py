"""The inverted index inside SQLite: which chunk holds which term, as blobs.

A blob holds the entries of one term, in one access level, in one block of 4,096 chunk keys, so that a reader's
postings are one range of rows, a hidden text's are never read, and an addition rewrites little. The row number
packs the three: ``term id << 24 | level << 21 | block``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pincite.ports import Ints, TermPostings
from pincite.stores.binding import bind
from pincite.stores.sqlite_schema import APPEND_POSTINGS

ENTRY = np.dtype([("local", "<u2"), ("frequency", "<u2"), ("length", "<u2")])
"""One chunk of a blob: its key within the block, how often the term occurs, the chunk's length in terms."""

MOST = 65_535
"""Frequencies and lengths stop here."""

TERMS_KEPT = 500_000
"""Terms whose ids are remembered between batches; then the memory starts anew."""

_BLOCK_BITS, _LEVEL_SHIFT, _TERM_SHIFT = 12, 21, 24
_OWNER_BITS = 24  # chunks of a batch, in one number with the term id

Entries = npt.NDArray[np.void]

EMPTY = TermPostings(np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.float32))


@dataclass(frozen=True, slots=True)
class Batch:
    """Chunks to be indexed. ``keys``, ``levels``, ``documents`` (a number each) and ``terms`` belong together."""

    keys: Ints
    levels: Ints
    documents: Ints
    terms: Sequence[Sequence[str]]


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


def index(connection: sqlite3.Connection, terms: Terms, batch: Batch) -> dict[int, Ints]:
    """Write the batch's postings and add to the statistics; returns each document's distinct term ids."""
    terms.open(connection)
    ids: list[int] = []
    for words in batch.terms:
        ids.extend(map(terms.__getitem__, words))
    terms.close()
    lengths = np.array([len(words) for words in batch.terms], dtype=np.int64)
    owners = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    pairs, frequencies = np.unique(np.array(ids, dtype=np.int64) << _OWNER_BITS | owners, return_counts=True)
    term_ids, owners = pairs >> _OWNER_BITS, pairs & (1 << _OWNER_BITS) - 1
    lengths = np.minimum(lengths, MOST)
    _write(
        connection,
        _places(term_ids, batch.levels[owners], batch.keys[owners]),
        _entries(batch.keys[owners], frequencies, lengths[owners]),
    )
    for level in np.unique(batch.levels).tolist():
        here = batch.levels == level
        count(connection, level, int(here.sum()), int(lengths[here].sum()))
    return _by_document(batch.documents[owners], term_ids)


def _by_document(documents: Ints, term_ids: Ints) -> dict[int, Ints]:
    # Term ids stay below 2**39 (see the row numbers above), documents of a batch below 2**24.
    if not len(term_ids):
        return {}
    pairs = np.unique(documents << 39 | term_ids)
    numbers, starts = np.unique(pairs >> 39, return_index=True)
    parts = np.split(pairs & (1 << 39) - 1, starts[1:])
    return dict(zip(numbers.tolist(), parts, strict=True))


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
    blocks = range(first_key >> _BLOCK_BITS, ((first_key + chunk_count - 1) >> _BLOCK_BITS) + 1)
    kept: list[tuple[bytes, int]] = []
    emptied: list[tuple[int]] = []
    for term_id in term_ids.tolist():
        for block in blocks:
            place = term_id << _TERM_SHIFT | level << _LEVEL_SHIFT | block
            row = connection.execute("SELECT entries FROM postings WHERE place = ?", (place,)).fetchone()
            if row is None:
                continue
            entries = np.frombuffer(row[0], ENTRY)
            ordinals = entries["local"].astype(np.int64) + (block << _BLOCK_BITS) - first_key
            ours = (ordinals >= 0) & (ordinals < chunk_count)
            lengths[ordinals[ours]] = entries["length"][ours]
            rest = entries[~ours]
            if len(rest):
                kept.append((rest.tobytes(), place))
            else:
                emptied.append((place,))
    connection.executemany("UPDATE postings SET entries = ? WHERE place = ?", kept)
    connection.executemany("DELETE FROM postings WHERE place = ?", emptied)
    count(connection, level, -chunk_count, -int(lengths.sum()))
    _drop_unused(connection, sorted({place >> _TERM_SHIFT for (place,) in emptied}))


def _drop_unused(connection: sqlite3.Connection, term_ids: Sequence[int]) -> None:
    """A word that stood in a removed text only must not stay in the file."""
    gone = [
        (term_id,)
        for term_id in term_ids
        if connection.execute(
            "SELECT 1 FROM postings WHERE place >= ? AND place < ? LIMIT 1",
            (term_id << _TERM_SHIFT, term_id + 1 << _TERM_SHIFT),
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
    if not rows:
        return EMPTY
    entries = np.frombuffer(b"".join(row[1] for row in rows), ENTRY)
    blocks = np.array([row[0] & (1 << _LEVEL_SHIFT) - 1 for row in rows], dtype=np.int64)
    sizes = [len(row[1]) // ENTRY.itemsize for row in rows]
    keys = np.repeat(blocks << _BLOCK_BITS, sizes) + entries["local"]
    return TermPostings(keys, entries["frequency"].astype(np.float32), entries["length"].astype(np.float32))


def is_listed(connection: sqlite3.Connection, key: int, highest_level: int) -> bool:
    """Whether any term's postings up to a level name that chunk. Reads all of its block: for finding out what is wrong."""
    rows = connection.execute(
        "SELECT entries FROM postings WHERE place & ? = ? AND place >> ? & 7 <= ?",
        ((1 << _LEVEL_SHIFT) - 1, key >> _BLOCK_BITS, _LEVEL_SHIFT, highest_level),
    )
    local = key & (1 << _BLOCK_BITS) - 1
    return any((np.frombuffer(entries, ENTRY)["local"] == local).any() for (entries,) in rows)


def _counters(connection: sqlite3.Connection) -> tuple[int, int]:
    rows = dict(
        connection.execute(
            "SELECT name, value FROM counters WHERE name IN ('term_epoch', 'next_term_id')"
        ).fetchall()
    )
    return rows["term_epoch"], rows["next_term_id"]


def _places(ids: Ints, levels: Ints, keys: Ints) -> Ints:
    return ids << _TERM_SHIFT | levels << _LEVEL_SHIFT | keys >> _BLOCK_BITS


def _entries(keys: Ints, frequencies: Ints, lengths: Ints) -> Entries:
    entries = np.empty(len(keys), ENTRY)
    entries["local"] = keys & (1 << _BLOCK_BITS) - 1
    entries["frequency"] = np.minimum(frequencies, MOST)
    entries["length"] = lengths
    return entries


def _write(connection: sqlite3.Connection, places: Ints, entries: Entries) -> None:
    if not len(places):
        return
    # Stable: inside a place the chunks stay in the order of their keys.
    order = np.argsort(places, kind="stable")
    places, data = places[order], entries[order].tobytes()
    starts = np.concatenate(([0], np.flatnonzero(np.diff(places)) + 1))
    ends = np.append(starts[1:], len(places)) * ENTRY.itemsize
    offsets = starts * ENTRY.itemsize
    rows = zip(places[starts].tolist(), offsets.tolist(), ends.tolist(), strict=True)
    connection.executemany(APPEND_POSTINGS, [(place, data[start:end]) for place, start, end in rows])
