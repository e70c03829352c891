"""Exact search over vectors that fit in memory, for every store alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pincite.errors import StoreError
from pincite.ports import Floats, IndexedChunk, Ints

Halves = npt.NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class Matrix:
    """All vectors of one generation, one row each, sorted by level, then key.

    What a reader may see is then a beginning of the matrix: a hidden vector is never read, nor does it move
    a visible row. ``ends[r]`` is the number of rows up to rank ``r``. ``by_key`` are the rows' places in the
    order of their keys.
    """

    rows: Floats
    keys: Ints
    ends: tuple[int, ...]
    by_key: Ints


def matrix(rows: Halves, keys: Ints, levels: Ints, ranks: int) -> Matrix:
    """Sort rows by level and key. Rows of NaN, and those above the last of ``ranks`` levels, are left out."""
    order = np.lexsort((keys, levels))
    order = order[(levels[order] < ranks) & ~np.isnan(rows[order, :1]).any(axis=1)]
    ends = np.searchsorted(levels[order], np.arange(ranks), side="right")
    if not np.array_equal(order, np.arange(len(keys))):
        rows, keys = rows[order], keys[order]
    return Matrix(rows.astype(np.float32), keys, tuple(ends.tolist()), np.argsort(keys, kind="stable"))


def nearest(
    found: Matrix, vector: Floats, highest: int, allowed: npt.NDArray[np.bool_] | None, limit: int
) -> tuple[Ints, Floats]:
    """The ``limit`` best of the rows up to rank ``highest``; ``allowed`` is a mask over exactly these rows.

    Best first; ties by key.
    """
    end = found.ends[highest]
    scores = found.rows[:end] @ vector
    keys = found.keys[:end]
    if allowed is not None:
        scores, keys = scores[allowed], keys[allowed]
    if len(scores) > limit:
        # Everything that ties with the last place goes on to the sort, so that the key decides there too.
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        inside = np.flatnonzero(scores >= least)
        scores, keys = scores[inside], keys[inside]
    order = np.lexsort((keys, -scores))[:limit]
    return keys[order], scores[order]


def cosines(found: Matrix, vector: Floats, keys: Ints) -> Floats:
    """Cosine of each key's row, NaN where there is none.

    Row by row in double precision: a value does not depend on how many rows there are, nor on their order.
    """
    wanted = np.full(len(keys), np.nan, dtype=np.float32)
    if not len(found.keys):
        return wanted
    places = np.minimum(np.searchsorted(found.keys, keys, sorter=found.by_key), len(found.keys) - 1)
    places = found.by_key[places]
    held = found.keys[places] == keys
    rows = found.rows[places[held]].astype(np.float64)
    wanted[held] = (rows * vector.astype(np.float64)).sum(axis=1)
    return wanted


def halves(chunks: Sequence[IndexedChunk]) -> Halves | None:
    """One float16 row for each chunk, NaN where it has no vector; ``None`` when none has one."""
    vectors = [item.vector for item in chunks]
    dimension = next((len(vector) for vector in vectors if vector is not None), None)
    if dimension is None:
        return None
    missing = np.full(dimension, np.nan, dtype=np.float16)
    return np.array([missing if vector is None else vector for vector in vectors], dtype=np.float16)


def check_dimension(vector: Floats, dimension: int) -> None:
    """Raise ``StoreError`` when a query's vector cannot be compared with the index's."""
    if len(vector) != dimension:
        raise StoreError(
            f"the index holds vectors of {dimension} numbers, the embedder makes {len(vector)}",
            hint="build the index again: pincite add --rebuild",
        )


def check_embedder(stored: str | None, given: str | None) -> str:
    """The fingerprint to keep when vectors made by ``given`` are added to an index with vectors of ``stored``."""
    if given is None:
        raise ValueError("vectors need the fingerprint of their embedder")
    if stored is not None and stored != given:
        raise StoreError(
            f"the index was built with embedder {stored}, now {given} is set",
            hint="build the index again: pincite add --rebuild",
        )
    return given
