"""The nearest vectors of a PostgreSQL store: in this process's memory, or found by the server.

In memory there is a matrix of an earlier content of the index, and beside it what came and went since: a process that
notices a change reads the changed rows alone.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from pgvector import HalfVector
from psycopg import sql

from pincite.ports import Floats, Ints
from pincite.ports.stores import Filters
from pincite.stores import blocks, vectors
from pincite.stores import postgres_statements as statements
from pincite.stores.postgres_session import Session, State
from pincite.stores.postgres_text import encode
from pincite.types import AccessLevel

Where = Literal["memory", "server", "hnsw"]

HIGHEST = len(AccessLevel) - 1
"""The highest rank that there is a reader for."""

LOOSE_ROWS = 5_000
"""Changed rows that may stand beside the matrix; more of them, and more than a tenth of it, go into a new one."""

HNSW_EF_SEARCH = 200
"""Candidates that the graph keeps while it searches; pgvector takes 40. See docs/postgres.md for what that finds."""


@dataclass(frozen=True, slots=True)
class Live:
    """All vectors of one content of the index: ``base`` without the keys in ``dead`` (ranges, ascending, shape (n, 2)), and
    ``fresh``."""

    index: tuple[str, int, str]
    base: vectors.Matrix
    dead: Ints
    fresh: vectors.Matrix


_NO_RANGES = np.empty((0, 2), dtype=np.int64)


class LiveVectors:
    """What ``Live`` is at present. May be shared between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: list[Live] = []  # oldest first; a thread may still read the content before the last

    def at(self, session: Session, state: State) -> Live:
        """The vectors that this thread's transaction sees."""
        with self._lock:
            for live in self._known:
                if live.index == state.index:
                    return live
            before = self._known[-1] if self._known else None
            if before is not None and before.index[1] > state.generation:
                return _read(session, state)  # a thread that is behind the others: rare, and theirs stays
            made = _advanced(before, session, state) if before is not None else None
            made = made or _read(session, state)
            self._known = [*self._known[-1:], made]
            return made

    def forget(self) -> None:
        """Let go of the memory."""
        with self._lock:
            self._known = []


def _read(session: Session, state: State) -> Live:
    width = state.dimension or 0
    query = (
        "SELECT key, level, halfvec_send(embedding) FROM vectors WHERE level <= %b AND embedding IS NOT NULL"
    )
    return Live(
        state.index,
        _matrix(session.rows(query, (HIGHEST,), top=HIGHEST), width),
        _NO_RANGES,
        _matrix((), width),
    )


def _matrix(found: Sequence[tuple[int, int, bytes]], width: int) -> vectors.Matrix:
    keys = np.array([row[0] for row in found], dtype=np.int64)
    levels = np.array([row[1] for row in found], dtype=np.int64)
    rows = statements.halves([row[2] for row in found], width).reshape(len(keys), width)
    return _made(rows, keys, levels)


def _made(rows: vectors.Halves, keys: Ints, levels: Ints) -> vectors.Matrix:
    made = vectors.matrix(rows, keys, levels, len(AccessLevel))
    # With codes the rows are read for the last candidates only: halves are the same numbers in half the memory.
    return made if made.codes is None else replace(made, rows=made.rows.astype(np.float16))


def _advanced(live: Live, session: Session, state: State) -> Live | None:
    """``live`` with what changed since; ``None`` when that is not known."""
    width = state.dimension or 0
    if live.index[0] != state.token or live.base.rows.shape[1] != width:
        return None
    _, generation, token = live.index
    log = session.rows(
        "SELECT generation, token, first_keys, ends FROM writes WHERE generation >= %b ORDER BY generation",
        (generation,),
    )
    if [row[0] for row in log] != list(range(generation, state.generation + 1)) or log[0][1] != token:
        return None
    ranges = [pair for row in log[1:] for pair in zip(row[2], row[3], strict=True)]
    changed = _merged(ranges)
    found = session.rows(
        "SELECT v.key, v.level, halfvec_send(v.embedding) FROM unnest(%b::bigint[], %b::bigint[]) r (first_key, past) "
        "CROSS JOIN LATERAL (SELECT key, level, embedding FROM vectors WHERE key >= r.first_key AND key < r.past "
        "AND level <= %b AND embedding IS NOT NULL OFFSET 0) v",
        (changed[:, 0].tolist(), changed[:, 1].tolist(), HIGHEST),
        top=HIGHEST,
    )
    new = _matrix(found, width)
    fresh = _joined(_without(live.fresh, changed), new)
    dead = _merged([*live.dead.tolist(), *ranges])
    gone = int(blocks.inside(live.base.keys, dead).sum())
    if gone + len(fresh.keys) > max(LOOSE_ROWS, len(live.base.keys) // 10):
        return Live(state.index, _joined(_without(live.base, dead), fresh), _NO_RANGES, _matrix((), width))
    return Live(state.index, live.base, dead, fresh)


def _merged(ranges: Sequence[Sequence[int]]) -> Ints:
    """Ranges in order, those that touch made one; shape (n, 2)."""
    merged: list[list[int]] = []
    for first, past in sorted(map(tuple, ranges)):
        if merged and first <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], past)
        else:
            merged.append([first, past])
    return np.array(merged, dtype=np.int64).reshape(-1, 2)


_Parts = tuple[vectors.Halves, Ints, Ints]


def _without(found: vectors.Matrix, ranges: Ints) -> _Parts:
    keep = ~blocks.inside(found.keys, ranges)
    return found.rows[keep].astype(np.float16), found.keys[keep], _levels(found)[keep]


def _levels(found: vectors.Matrix) -> Ints:
    return np.searchsorted(np.array(found.ends), np.arange(len(found.keys)), side="right")


def _joined(some: _Parts, more: vectors.Matrix) -> vectors.Matrix:
    rows, keys, levels = some
    return _made(
        np.concatenate((rows, more.rows.astype(np.float16))),
        np.concatenate((keys, more.keys)),
        np.concatenate((levels, _levels(more))),
    )


def nearest(live: Live, vector: Floats, top: int, ranges: Ints | None, limit: int) -> tuple[Ints, Floats]:
    """The ``limit`` best up to rank ``top``, in ``ranges`` if these are given. Best first; ties by key. Exact."""
    found = []
    for part, dead in ((live.base, live.dead), (live.fresh, _NO_RANGES)):
        keys = part.keys[: part.ends[top]]
        allowed = None if ranges is None else blocks.inside(keys, ranges)
        if len(dead):
            alive = ~blocks.inside(keys, dead)
            allowed = alive if allowed is None else allowed & alive
        found.append(vectors.nearest(part, vector, top, allowed, limit))
    keys, scores = (np.concatenate([one[place] for one in found]) for place in (0, 1))
    order = np.lexsort((keys, -scores))[:limit]
    return keys[order], scores[order]


def cosines(live: Live, vector: Floats, keys: Ints) -> Floats:
    """Cosine of each key's row, NaN where there is none."""
    found = vectors.cosines(live.base, vector, keys)
    found[blocks.inside(keys, live.dead)] = np.nan
    fresh = vectors.cosines(live.fresh, vector, keys)
    return np.where(np.isnan(fresh), found, fresh)


# --- by the server ------------------------------------------------------------------------------


def nearest_by_server(
    session: Session, vector: Floats, top: int, filters: Filters, limit: int, *, hnsw: bool
) -> tuple[Ints, Floats]:
    """As ``nearest``, from candidates that the server picks; their cosines are computed here. Exact without ``hnsw``.

    The server rounds the question's vector to halves and adds up in single precision: whatever it finds within that error
    of the last one comes too. The last one must be among them, so none of the best is missing.
    """
    rounded = vector.astype(np.float16)
    tests = [sql.SQL("d.{} = %b").format(sql.Identifier(field)) for field, _ in filters]
    source = (
        sql.SQL(
            "(SELECT w.* FROM documents d CROSS JOIN LATERAL (SELECT key, level, embedding FROM vectors "
            "WHERE key >= d.first_key AND key < d.first_key + d.chunk_count OFFSET 0) w WHERE {}) v"
        ).format(sql.SQL(" AND ").join(tests))
        if filters
        else sql.SQL("vectors v")
    )
    names = {"source": source, "width": sql.Literal(len(vector)), "limit": sql.Literal(limit)}
    chosen = tuple(encode(value) for _, value in filters)
    if hnsw:
        session.run(lambda db: db.execute(_GRAPH_SETTINGS, (str(max(HNSW_EF_SEARCH, limit)),)), top=top)
        query = _HNSW.format(**names)
        values = (*chosen, top, HalfVector(rounded))
    else:
        wrong = float(np.linalg.norm(vector.astype(np.float64) - rounded)) + vectors.ROUNDING
        query = _SCAN.format(**names)
        values = (HalfVector(rounded), *chosen, top, limit, 2 * wrong * LONGEST)
    found = session.run(lambda db: db.execute(query, values, binary=True).fetchall(), top=top)
    keys = np.array([row[0] for row in found], dtype=np.int64)
    scores = vectors.products(
        statements.halves([row[1] for row in found], len(vector)).astype(np.float32), vector
    )
    order = np.lexsort((keys, -scores))[:limit]
    return keys[order], scores[order]


_GRAPH_SETTINGS = (
    "SELECT set_config('hnsw.ef_search', %s, true), set_config('hnsw.iterative_scan', 'strict_order', true)"
)
"""Iterative: as long as fewer than asked for pass the filter, the graph is searched further."""

LONGEST = 1.01
"""Length of a stored vector at most: they are of length 1, each number rounded to halves."""

_SCAN = sql.SQL(
    "WITH permitted AS MATERIALIZED ("
    "SELECT v.key, v.embedding <#> %b::halfvec AS distance FROM {source} "
    "WHERE v.level <= %b AND v.embedding IS NOT NULL), "
    "cut AS (SELECT max(distance) AS distance FROM (SELECT distance FROM permitted ORDER BY distance LIMIT %b) best) "
    "SELECT p.key, halfvec_send(v.embedding) FROM permitted p JOIN vectors v USING (key) "
    "WHERE p.distance <= (SELECT distance FROM cut) + %b::float8"
)

_HNSW = sql.SQL(
    "SELECT v.key, halfvec_send(v.embedding) FROM {source} WHERE v.level <= %b AND v.embedding IS NOT NULL "
    "ORDER BY v.embedding::halfvec({width}) <#> %b::halfvec({width}) LIMIT {limit}"
)


def cosines_by_server(session: Session, vector: Floats, keys: Sequence[int]) -> Floats:
    """As ``cosines``."""
    wanted = np.full(len(keys), np.nan, dtype=np.float32)
    found = session.rows(
        "SELECT key, halfvec_send(embedding) FROM vectors WHERE key = ANY(%b::bigint[]) AND level <= %b AND embedding IS NOT NULL",
        (list(map(int, keys)), HIGHEST),
        top=HIGHEST,
    )
    if found and len(found[0][1]) == 4 + 2 * len(vector):
        scores = vectors.products(
            statements.halves([row[1] for row in found], len(vector)).astype(np.float32), vector
        )
        by_key = {row[0]: score for row, score in zip(found, scores, strict=True)}
        wanted[:] = [by_key.get(int(key), np.nan) for key in keys]
    return wanted


def build_hnsw(session: Session, width: int) -> None:
    """Make the graph, if it is not there. Others read and write meanwhile; an hour for ten million."""
    session.outside(
        sql.SQL(
            "CREATE INDEX CONCURRENTLY IF NOT EXISTS {} ON vectors USING hnsw ((embedding::halfvec({})) halfvec_ip_ops)"
        ).format(sql.Identifier(f"vectors_hnsw_{width}"), sql.Literal(width))
    )
