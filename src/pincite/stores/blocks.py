"""The inverted index as blobs: which chunk holds which term, packed alike for every database.

A blob holds the entries of one term, in one access level, in one block of 4,096 chunk keys, so that a reader's
postings are one range of rows, a hidden text's are never read, and an addition rewrites little. The row number
packs the three: ``term id << 24 | level << 21 | block``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pincite.ports import Ints
from pincite.ports.stored import TermPostings

ENTRY = np.dtype([("local", "<u2"), ("frequency", "<u2"), ("length", "<u2")])
"""One chunk of a blob: its key within the block, how often the term occurs, the chunk's length in terms."""

MOST = 65_535
"""Frequencies and lengths stop here."""

BLOCK_BITS, LEVEL_SHIFT, TERM_SHIFT = 12, 21, 24
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


@dataclass(frozen=True, slots=True)
class Packed:
    """What a batch adds. ``blobs`` are row numbers, ascending, with the entries to be appended; ``documents`` the distinct
    term ids of each document; ``counts`` level, chunks and terms."""

    blobs: tuple[tuple[int, bytes], ...]
    documents: dict[int, Ints]
    counts: tuple[tuple[int, int, int], ...]


def pack(batch: Batch, ids: Sequence[int]) -> Packed:
    """``ids`` are the ids of the terms of all chunks, one after the other."""
    lengths = np.array([len(words) for words in batch.terms], dtype=np.int64)
    owners = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    pairs, frequencies = np.unique(np.array(ids, dtype=np.int64) << _OWNER_BITS | owners, return_counts=True)
    term_ids, owners = pairs >> _OWNER_BITS, pairs & (1 << _OWNER_BITS) - 1
    lengths = np.minimum(lengths, MOST)
    places = term_ids << TERM_SHIFT | batch.levels[owners] << LEVEL_SHIFT | batch.keys[owners] >> BLOCK_BITS
    return Packed(
        blobs=_blobs(places, _entries(batch.keys[owners], frequencies, lengths[owners])),
        documents=_by_document(batch.documents[owners], term_ids),
        counts=tuple(
            (level, int(here.sum()), int(lengths[here].sum()))
            for level in np.unique(batch.levels).tolist()
            for here in (batch.levels == level,)
        ),
    )


def _by_document(documents: Ints, term_ids: Ints) -> dict[int, Ints]:
    # Term ids stay below 2**39 (see the row numbers above), documents of a batch below 2**24.
    if not len(term_ids):
        return {}
    pairs = np.unique(documents << 39 | term_ids)
    numbers, starts = np.unique(pairs >> 39, return_index=True)
    parts = np.split(pairs & (1 << 39) - 1, starts[1:])
    return dict(zip(numbers.tolist(), parts, strict=True))


def _entries(keys: Ints, frequencies: Ints, lengths: Ints) -> Entries:
    entries = np.empty(len(keys), ENTRY)
    entries["local"] = keys & (1 << BLOCK_BITS) - 1
    entries["frequency"] = np.minimum(frequencies, MOST)
    entries["length"] = lengths
    return entries


def _blobs(places: Ints, entries: Entries) -> tuple[tuple[int, bytes], ...]:
    if not len(places):
        return ()
    # Stable: inside a place the chunks stay in the order of their keys.
    order = np.argsort(places, kind="stable")
    places, data = places[order], entries[order].tobytes()
    starts = np.concatenate(([0], np.flatnonzero(np.diff(places)) + 1))
    ends = np.append(starts[1:], len(places)) * ENTRY.itemsize
    rows = zip(places[starts].tolist(), (starts * ENTRY.itemsize).tolist(), ends.tolist(), strict=True)
    return tuple((place, data[start:end]) for place, start, end in rows)


def unpack(rows: Sequence[tuple[int, bytes]]) -> TermPostings:
    """The postings of one term from its rows, in their order."""
    if not rows:
        return EMPTY
    entries = np.frombuffer(b"".join(row[1] for row in rows), ENTRY)
    blocks = np.array([row[0] & (1 << LEVEL_SHIFT) - 1 for row in rows], dtype=np.int64)
    sizes = [len(row[1]) // ENTRY.itemsize for row in rows]
    keys = np.repeat(blocks << BLOCK_BITS, sizes) + entries["local"]
    return TermPostings(keys, entries["frequency"].astype(np.float32), entries["length"].astype(np.float32))


def places_of(term_ids: Sequence[int], level: int, first_key: int, chunk_count: int) -> list[int]:
    """The rows that may name the chunks ``first_key`` …, at least one, of these terms."""
    blocks = range(first_key >> BLOCK_BITS, ((first_key + chunk_count - 1) >> BLOCK_BITS) + 1)
    return [term_id << TERM_SHIFT | level << LEVEL_SHIFT | block for term_id in term_ids for block in blocks]


def without(place: int, entries: bytes, first_key: int, lengths: Ints) -> bytes:
    """A blob without the chunks ``first_key`` …, as many as ``lengths`` has places; their lengths are noted there."""
    block = place & (1 << LEVEL_SHIFT) - 1
    found = np.frombuffer(entries, ENTRY)
    ordinals = found["local"].astype(np.int64) + (block << BLOCK_BITS) - first_key
    ours = (ordinals >= 0) & (ordinals < len(lengths))
    lengths[ordinals[ours]] = found["length"][ours]
    return found[~ours].tobytes()


def names(entries: bytes, key: int) -> bool:
    """Whether a blob of the key's block names it."""
    return bool((np.frombuffer(entries, ENTRY)["local"] == (key & (1 << BLOCK_BITS) - 1)).any())


def inside(keys: Ints, ranges: Ints) -> npt.NDArray[np.bool_]:
    """Which keys lie in one of the ranges; these are ascending, shape (n, 2)."""
    if not len(ranges):
        return np.zeros(len(keys), dtype=np.bool_)
    place = np.searchsorted(ranges[:, 0], keys, side="right") - 1
    return np.asarray((place >= 0) & (keys < ranges[place, 1]))


def only(match: TermPostings, ranges: Ints) -> TermPostings:
    """The postings of the chunks in these ranges."""
    here = inside(match.keys, ranges)
    return TermPostings(match.keys[here], match.frequencies[here], match.lengths[here])
