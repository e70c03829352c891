"""The nearest 100 of 100,000 vectors with an access filter: ours, and two libraries, in the same run.

    pip install usearch lancedb   # not among the project's dependencies
    python benchmarks/index_beside.py [--chunks 100000]

The vectors are random directions of 384 numbers: the hardest case for an approximate index, the same for an exact
one. A tenth is `confidential` and must not be found. `recall` is the share of the true 100 nearest permitted ones.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from pincite.ports.stored import IndexedChunk
from pincite.stores.sqlite import SqliteStore
from pincite.types import AccessLevel, Chunk, ChunkId, DocId, Document, Reader, Span

DIMENSION, LIMIT, QUERIES = 384, 100, 100

Find = Callable[[np.ndarray], np.ndarray]


def ours(folder: Path, rows: np.ndarray, levels: np.ndarray) -> Find:
    store = SqliteStore(folder / "ours.db")
    names = [level.value for level in AccessLevel]
    for at in range(0, len(rows), 2_000):
        batch = []
        for key in range(at, min(at + 2_000, len(rows))):
            name = f"d{key}"
            chunk = Chunk(ChunkId(f"{name}-chunk-0"), DocId(name), 0, Span(0, 1), "x")
            document = Document(name, "x", access_level=names[levels[key]])
            batch.append((document, [IndexedChunk(chunk, (), rows[key])]))
        store.put_many(batch, added_at="", embedder="random")
    reader = Reader(AccessLevel.INTERNAL)
    return lambda query: store.nearest(query, reader, (), LIMIT)[0]


def usearch_exact(_: Path, rows: np.ndarray, levels: np.ndarray) -> Find:
    from usearch.index import MetricKind, search

    permitted = np.flatnonzero(levels < 2)
    table = rows[permitted]
    return lambda query: permitted[search(table, query, LIMIT, MetricKind.IP, exact=True).keys]


def usearch_hnsw(_: Path, rows: np.ndarray, levels: np.ndarray) -> Find:
    """It has no filter in Python: half as many again are fetched, and the forbidden ones dropped afterwards."""
    from usearch.index import Index

    index = Index(ndim=DIMENSION, metric="ip", dtype="f16")
    index.add(np.arange(len(rows)), rows)

    def find(query: np.ndarray) -> np.ndarray:
        keys = index.search(query, LIMIT + LIMIT // 2).keys
        return keys[levels[keys.astype(np.int64)] < 2][:LIMIT]

    return find


def lancedb(folder: Path, rows: np.ndarray, levels: np.ndarray) -> Find:
    """Without an index, as it is until somebody builds one: exact, filter first."""
    import lancedb
    import pyarrow

    vectors = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(rows.ravel()), DIMENSION)
    table = lancedb.connect(folder / "lance").create_table(
        "t", pyarrow.table({"key": np.arange(len(rows)), "level": levels, "vector": vectors})
    )

    def find(query: np.ndarray) -> np.ndarray:
        found = table.search(query).metric("dot").where("level < 2", prefilter=True).limit(LIMIT)
        return found.select(["key", "_distance"]).to_arrow()["key"].to_numpy()

    return find


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--chunks", type=int, default=100_000)
    options = parser.parse_args()
    chance = np.random.default_rng(5)
    rows = chance.standard_normal((options.chunks + QUERIES, DIMENSION), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows, queries = rows[:-QUERIES], rows[-QUERIES:]
    levels = np.array([0, 0, 0, 0, 0, 0, 0, 1, 1, 2])[np.arange(len(rows)) % 10]
    permitted = np.flatnonzero(levels < 2)
    true = [set(permitted[np.argsort(-(rows[permitted] @ query))[:LIMIT]].tolist()) for query in queries]
    print(f"load before: {os.getloadavg()[0]:.1f}")
    for make in (ours, usearch_exact, usearch_hnsw, lancedb):
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            try:
                find = make(Path(folder), rows, levels)
            except ImportError as error:
                print(f"{make.__name__:14} {error}")
                continue
            built = time.perf_counter() - start
            find(queries[0])
            times, hits = [], 0
            for query, wanted in zip(queries, true, strict=True):
                start = time.perf_counter()
                keys = find(query)
                times.append(1e3 * (time.perf_counter() - start))
                hits += len(wanted & set(np.asarray(keys).tolist()))
            recall = hits / (LIMIT * QUERIES)
            p50, p99 = statistics.median(times), statistics.quantiles(times, n=100)[98]
            print(
                f"{make.__name__:14} build {built:6.1f} s  p50 {p50:6.1f} ms  p99 {p99:6.1f} ms  recall {recall:.3f}"
            )


if __name__ == "__main__":
    main()
