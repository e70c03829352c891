"""Exact search over vectors that fit in memory, for every store alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from pincite.errors import StoreError
from pincite.ports import Floats, Ints
from pincite.ports.stored import IndexedChunk

Halves = npt.NDArray[np.float16]
Bytes = npt.NDArray[np.int8]

CODED_FROM_ROWS = 20_000
"""Fewer rows are scanned as they are."""

SCAN_ROWS = 1_024
"""Rows decoded together: they stay in the processor's cache. 512 and 2,048 take a tenth longer (100,000 rows)."""

ROUNDING = 1e-5
"""More than float32 can be wrong by in a sum of 384 products of a unit vector's numbers."""


@dataclass(frozen=True, slots=True)
class Codes:
    """Rows as bytes: ``row = centre + scales * numbers``, wrong by a vector of the length in ``errors`` at most.

    The cosine of a unit vector with the row is then wrong by at most that, so rows that cannot be among the best are
    told from the others exactly, from a quarter of the memory: reading it is what a scan waits for.
    """

    centre: Floats
    numbers: Bytes
    scales: Floats
    errors: Floats


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Matrix:
    """All vectors of one generation, one row each, sorted by level, then key.

    What a reader may see is then a beginning of the matrix: a hidden vector is never read, nor does it move
    a visible row. ``ends[r]`` is the number of rows up to rank ``r``. ``by_key`` are the rows' places in the
    order of their keys. ``codes`` are there for many rows.
    """

    rows: Floats
    keys: Ints
    ends: tuple[int, ...]
    by_key: Ints
    codes: Codes | None = None


def matrix(rows: Halves, keys: Ints, levels: Ints, ranks: int) -> Matrix:
    """Sort rows by level and key. Rows of NaN, and those above the last of ``ranks`` levels, are left out."""
    order = np.lexsort((keys, levels))
    order = order[(levels[order] < ranks) & ~np.isnan(rows[order, :1]).any(axis=1)]
    ends = np.searchsorted(levels[order], np.arange(ranks), side="right")
    if not np.array_equal(order, np.arange(len(keys))):
        rows, keys = rows[order], keys[order]
    found = rows.astype(np.float32)
    codes = encode(found) if len(found) >= CODED_FROM_ROWS else None
    return Matrix(found, keys, tuple(ends.tolist()), np.argsort(keys, kind="stable"), codes)


def encode(rows: Floats) -> Codes:
    """Rows as bytes. 100,000 take 0.1 s."""
    count, dimension = rows.shape
    centre = rows[:: max(1, count // 4_096)].mean(axis=0, dtype=np.float64).astype(np.float32)
    numbers = np.empty((count, dimension), dtype=np.int8)
    scales, errors = np.empty(count, dtype=np.float32), np.empty(count, dtype=np.float32)
    for at in range(0, count, SCAN_ROWS):
        part = slice(at, at + SCAN_ROWS)
        apart = rows[part] - centre
        scale = np.abs(apart).max(axis=1) / 127
        scale[scale == 0] = 1
        rounded = np.rint(apart / scale[:, None])
        numbers[part], scales[part] = rounded, scale
        errors[part] = np.linalg.norm(apart - rounded * scale[:, None], axis=1)
    return Codes(centre, numbers, scales, errors)


def nearest(
    found: Matrix, vector: Floats, highest: int, allowed: npt.NDArray[np.bool_] | None, limit: int
) -> tuple[Ints, Floats]:
    """The ``limit`` best of the rows up to rank ``highest``; ``allowed`` is a mask over exactly these rows.

    Best first; ties by key. Exact: a scan, with bytes where there are codes, leaves aside what cannot be among the best;
    the cosines of the others are computed in double precision.
    """
    end = found.ends[highest]
    least, most = _last_bounds(found, vector, end)
    places = np.arange(end)
    if allowed is not None:
        places, least, most = places[allowed], least[allowed], most[allowed]
    if len(places) > limit:
        places = places[most >= np.partition(least, len(least) - limit)[len(least) - limit]]
    keys = found.keys[places]
    scores = products(found.rows[places], vector)
    order = np.lexsort((keys, -scores))[:limit]
    return keys[order], scores[order]


_scanned: WeakKeyDictionary[Matrix, tuple[bytes, int, Floats, Floats]] = WeakKeyDictionary()
"""The last scan of each matrix: a question looks for the nearest in each language of the index, with one vector."""


def _last_bounds(found: Matrix, vector: Floats, end: int) -> tuple[Floats, Floats]:
    """``_bounds``, not made again for the vector that was asked for last."""
    asked = vector.tobytes()
    last = _scanned.get(found)
    if last is not None and last[:2] == (asked, end):
        return last[2:]
    least, most = _bounds(found, vector, end)
    _scanned[found] = (asked, end, least, most)
    return least, most


def _bounds(found: Matrix, vector: Floats, end: int) -> tuple[Floats, Floats]:
    """What each of the first ``end`` rows' cosine is at least, and at most."""
    codes = found.codes
    if codes is None:
        scores = found.rows[:end] @ vector
        return scores - ROUNDING, scores + ROUNDING
    length = float(np.linalg.norm(vector))
    scores = np.empty(end, dtype=np.float32)
    decoded = np.empty((SCAN_ROWS, len(vector)), dtype=np.float32)
    for at in range(0, end, SCAN_ROWS):
        coded = codes.numbers[at : min(at + SCAN_ROWS, end)]
        decoded[: len(coded)] = coded
        np.dot(decoded[: len(coded)], vector, out=scores[at : at + len(coded)])
    scores = scores * codes.scales[:end] + np.float32(codes.centre @ vector)
    wrong = codes.errors[:end] * np.float32(length) + np.float32(ROUNDING)
    return scores - wrong, scores + wrong


def products(rows: Floats, vector: Floats) -> Floats:
    """Products of ``rows`` with a vector, row by row in double precision: a value does not depend on how many rows there are, nor on their order."""
    return np.asarray((rows.astype(np.float64) * vector.astype(np.float64)).sum(axis=1), dtype=np.float32)


def cosines(found: Matrix, vector: Floats, keys: Ints) -> Floats:
    """Cosine of each key's row, NaN where there is none."""
    wanted = np.full(len(keys), np.nan, dtype=np.float32)
    if not len(found.keys):
        return wanted
    places = np.minimum(np.searchsorted(found.keys, keys, sorter=found.by_key), len(found.keys) - 1)
    places = found.by_key[places]
    held = found.keys[places] == keys
    wanted[held] = products(found.rows[places[held]], vector)
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
