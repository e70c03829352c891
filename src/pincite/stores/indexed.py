"""What is indexed of a document, read back out of an inverted index: the same for every database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pincite.ports import Floats, Ints
from pincite.ports.stored import Indexed, TermPostings
from pincite.stores.blocks import BLOCK_BITS, ENTRY, LEVEL_SHIFT, TERM_SHIFT
from pincite.types import DocumentInfo

MOST_PLACES = 10_000
"""Rows of one term that are asked for one by one; for more, all of its rows are read. SQLite takes 32,766 variables."""


def gather(
    info: DocumentInfo,
    first_key: int,
    chunk_count: int,
    words: Mapping[int, str],
    rows: Sequence[tuple[int, bytes]],
    vectors: Floats,
) -> Indexed:
    """From the rows of the postings of its terms, by row number, which may name other documents' chunks too.

    ``words`` are the terms by their ids.
    """
    entries = np.frombuffer(b"".join(row[1] for row in rows), ENTRY)
    of_row = np.array([row[0] for row in rows], dtype=np.int64)
    numbers = np.repeat(of_row, [len(row[1]) // ENTRY.itemsize for row in rows])
    places = ((numbers & (1 << LEVEL_SHIFT) - 1) << BLOCK_BITS) + entries["local"] - first_key
    ours = np.flatnonzero((places >= 0) & (places < chunk_count))
    found = (places[ours], numbers[ours] >> TERM_SHIFT, entries["frequency"][ours], entries["length"][ours])
    terms: tuple[dict[str, int], ...] = tuple({} for _ in range(chunk_count))
    lengths = [0] * chunk_count
    for place, term_id, frequency, length in zip(*(part.tolist() for part in found), strict=True):
        terms[place][words[term_id]] = frequency
        lengths[place] = length
    return Indexed(info, np.arange(first_key, first_key + chunk_count), terms, tuple(lengths), vectors)


def term_range(term_id: int, top: int) -> tuple[int, int]:
    """First and one-past-last row number of a term up to a level."""
    first = term_id << TERM_SHIFT
    return first, first + (top + 1 << LEVEL_SHIFT)


def places_at(term_id: int, keys: Ints, top: int) -> list[int] | None:
    """The rows of a term up to a level that may name these chunks; ``None`` when they are too many to be named."""
    blocks = np.unique(keys >> BLOCK_BITS).tolist()
    if len(blocks) * (top + 1) > MOST_PLACES:
        return None
    return [
        term_id << TERM_SHIFT | level << LEVEL_SHIFT | block for level in range(top + 1) for block in blocks
    ]


def only_keys(match: TermPostings, keys: Ints) -> TermPostings:
    """Of a term's postings those of these chunks."""
    here = np.isin(match.keys, keys)
    return TermPostings(match.keys[here], match.frequencies[here], match.lengths[here])
