"""What is indexed of a document, read back out of an inverted index: the same for every database."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pincite.ports import Floats, Indexed, Ints, TermPostings
from pincite.stores.blocks import BLOCK_BITS, LEVEL_SHIFT, TERM_SHIFT
from pincite.types import DocumentInfo

MOST_PLACES = 10_000
"""Rows of one term that are asked for one by one; for more, all of its rows are read. SQLite takes 32,766 variables."""


def gather(
    info: DocumentInfo,
    first_key: int,
    chunk_count: int,
    matches: Iterable[tuple[str, TermPostings]],
    vectors: Floats,
) -> Indexed:
    """From the postings of the document's terms, which may name other documents' chunks too."""
    terms: tuple[dict[str, int], ...] = tuple({} for _ in range(chunk_count))
    lengths = [0] * chunk_count
    for term, match in matches:
        places = match.keys - first_key
        for number in np.flatnonzero((places >= 0) & (places < chunk_count)).tolist():
            place = int(places[number])
            terms[place][term] = int(match.frequencies[number])
            lengths[place] = int(match.lengths[number])
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
