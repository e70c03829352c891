"""How long `ask` takes with the embedder, in an index of 10,000 passages.

    python benchmarks/asking.py DATA [--chunks 10000] [--questions 200] [--languages en de zh] [--embedder local|local-fast]

The index holds the paragraphs of `DATA/xquad` in these languages with their real vectors, and filler of random pieces
(benchmarks/index.py) with random ones up to the number of chunks: the questions are real, and so are the answers to them.
Question and sentences are embedded anew each time, as a user's are; the vectors of paragraphs are kept in FOLDER.

Processor time stands beside the clock's. The dumbest rule beside it: read every text again and count the question's words.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from index import CHUNKS_PER_DOCUMENT, Random, chunks, documents
from retrieval import Cached, read_pool

from pincite import Pipeline
from pincite.embedders import EMBEDDERS, EmbedderOptions
from pincite.stores.sqlite import SqliteStore


def fill(store: SqliteStore, data: Path, count: int, fingerprint: str) -> list[str]:
    """Add ``count`` chunks of filler; their texts."""
    random = Random()
    batch = list(documents(data, count))
    store.put_many(
        [(one, chunks(one, random.documents([""] * CHUNKS_PER_DOCUMENT))) for one in batch],
        added_at="2026-01-01T00:00:00Z",
        embedder=fingerprint,
    )
    return [one.text.casefold() for one in batch]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--languages", nargs="+", default=["en", "de", "zh"])
    parser.add_argument("--threads", type=int)
    parser.add_argument("--embedder", choices=("local", "local-fast"), default="local")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "pincite-vectors")
    options = parser.parse_args()
    embedder = EMBEDDERS[options.embedder](EmbedderOptions(threads=options.threads))
    pools = [read_pool(options.data / "xquad" / f"xquad.{name}.jsonl") for name in options.languages]
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "asking.db")
        added = Pipeline(store=store, embedder=Cached(embedder, options.cache)).add(
            *(
                replace(document, doc_id=f"{pool.language}:{document.doc_id}")
                for pool in pools
                for document in pool.documents
            )
        )
        filler = fill(store, options.data, options.chunks - added.chunks, embedder.fingerprint)
        rag = Pipeline(store=store, embedder=embedder, log=False)
        each = -(-options.questions // len(pools))
        asked = [
            question.text
            for pool in pools
            for question in pool.questions[:: max(1, len(pool.questions) // each)][:each]
        ]
        rag.ask(asked[0])
        print(
            f"{added.chunks} paragraphs and {len(filler) * CHUNKS_PER_DOCUMENT} chunks of filler, {len(asked)} questions"
        )
        steps: list[tuple[str, Callable[[str], object]]] = [
            ("ask", rag.ask),
            ("retrieve", rag.retrieve),
            ("embed the question", embedder.query),
            (
                "scan of all texts",
                lambda q: max(filler, key=lambda text: sum(word in text for word in q.split())),
            ),
        ]
        for name, step in steps:
            clock, processor = [], []
            for question in asked if name != "scan of all texts" else asked[:10]:
                start, cpu = time.perf_counter(), time.process_time()
                step(question)
                clock.append(1e3 * (time.perf_counter() - start))
                processor.append(1e3 * (time.process_time() - cpu))
            print(
                f"{name:20} p50 {statistics.median(clock):7.1f} ms  p99 {np.quantile(clock, 0.99):7.1f} ms  "
                f"processor p50 {statistics.median(processor):7.1f} ms  p99 {np.quantile(processor, 0.99):7.1f} ms"
            )
        rag.close()


if __name__ == "__main__":
    main()
