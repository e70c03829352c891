"""How fast chunks go in, what they take, and how fast questions are answered from 1,000 to 100,000 of them.

    python benchmarks/index.py [DATA] [--chunks 10000 100000] [--languages all] [--hybrid] [--json]

DATA is a folder with `docs/*.jsonl` (records with `markdown` and `lang`); without it random words are used. Five
pieces of 200 characters, drawn at random, make a chunk, with new words put in, so that the vocabulary keeps growing
as that of real documents does. A third of the documents is `internal`, a tenth `confidential`; questions are asked as `internal`.
Vectors are random (the search does the same work whatever they mean).

Processor time is given beside the clock's, because it hardly changes when others use the machine too.

The dumbest rule beside it: read every text again for each question and count the question's words.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pincite.ports.stored import IndexedChunk
from pincite.search import search
from pincite.stores.sqlite import SqliteStore
from pincite.text.words import terms
from pincite.types import AccessLevel, Chunk, ChunkId, DocId, Document, Question, Reader, Span

CHARS = 1_000
PIECE_CHARS = 200
CHUNKS_PER_DOCUMENT = 10
BATCH = 2_000
DIMENSION = 384
QUESTIONS = 200
READER = Reader(AccessLevel.INTERNAL)
WHEN = "2026-01-01T00:00:00Z"


def passages(data: Path | None, count: int, languages: str) -> Iterator[tuple[str, str]]:
    """``count`` pairs of language and text of about 1,000 characters."""
    chance = random.Random(7)
    pieces: dict[str, list[str]] = {}
    for file in (
        sorted((data / "docs").glob("*.jsonl" if languages == "all" else "*.en.jsonl")) if data else ()
    ):
        for line in file.read_text("utf-8").splitlines():
            record = json.loads(line)
            text = record["markdown"].replace("\n\n", "\n")
            pieces.setdefault(record["lang"][:2], []).extend(
                text[at : at + PIECE_CHARS] for at in range(0, len(text), PIECE_CHARS)
            )
    if not pieces:
        words = ["".join(chance.choices("aeiounrstlm", k=chance.randint(2, 9))) for _ in range(20_000)]
        pieces["en"] = [" ".join(chance.choices(words, k=PIECE_CHARS // 6)) for _ in range(2_000)]
    names = sorted(pieces)
    for number in range(count):
        language = names[number // CHUNKS_PER_DOCUMENT % len(names)]
        text = " ".join(chance.choices(pieces[language], k=CHARS // PIECE_CHARS))
        yield language, _with_new_words(text, chance)[:CHARS]


def _with_new_words(text: str, chance: random.Random) -> str:
    """Every thirtieth word is a new one, as names, numbers and codes are: 16 million words, half a million kinds."""
    words = text.split(" ")
    for at in range(30, len(words), 30):
        words[at] = f"{chance.randrange(10**7):x}{'aeiou'[at % 5]}"
    return " ".join(words)


def documents(data: Path | None, count: int, languages: str = "en") -> Iterator[Document]:
    """Documents of ten such passages each."""
    found = passages(data, count, languages)
    for number in range(count // CHUNKS_PER_DOCUMENT):
        parts = [next(found) for _ in range(CHUNKS_PER_DOCUMENT)]
        level = (
            ("confidential", "internal", "internal", "internal")[number % 10] if number % 10 < 4 else "public"
        )
        yield Document(
            f"doc-{number}", "\n\n".join(text for _, text in parts), access_level=level, language=parts[0][0]
        )


def chunks(document: Document, vectors: np.ndarray | None) -> list[IndexedChunk]:
    """One chunk for each passage, tokenised here as ``pincite add`` does."""
    made, start = [], 0
    for ordinal, text in enumerate(document.text.split("\n\n")[:CHUNKS_PER_DOCUMENT]):
        start = document.text.index(text, start)
        chunk = Chunk(
            ChunkId(f"{document.doc_id}-chunk-{ordinal}"),
            DocId(document.doc_id),
            ordinal,
            Span(start, start + len(text)),
            text,
        )
        made.append(
            IndexedChunk(chunk, terms(text, document.language), None if vectors is None else vectors[ordinal])
        )
        start += len(text)
    return made


class Random:
    """An embedder of random directions."""

    fingerprint = "random"
    dimension = DIMENSION

    def __init__(self) -> None:
        self._chance = np.random.default_rng(3)

    def documents(self, texts: list[str]) -> np.ndarray:
        made = self._chance.standard_normal((len(texts), DIMENSION), dtype=np.float32)
        return made / np.linalg.norm(made, axis=1, keepdims=True)

    def query(self, text: str) -> np.ndarray:
        return self.documents([text])[0]


def questions(sources: list[Document]) -> list[str]:
    """Six to ten words that stand near each other, in one of the documents."""
    chance = random.Random(11)
    asked = []
    while len(asked) < QUESTIONS:
        words = chance.choice(sources).text.split()
        at = chance.randrange(len(words) - 30)
        asked.append("What " + " ".join(chance.sample(words[at : at + 30], chance.randint(5, 9))))
    return asked


def measure(data: Path | None, count: int, languages: str, hybrid: bool) -> dict[str, float]:
    """Build an index of ``count`` chunks, ask it, throw it away."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        store = SqliteStore(path)
        embedder = Random() if hybrid else None
        sources = list(documents(data, count, languages))
        spent = cpu = 0.0
        for at in range(0, len(sources), BATCH // CHUNKS_PER_DOCUMENT):
            batch = sources[at : at + BATCH // CHUNKS_PER_DOCUMENT]
            vectors = [embedder.documents([""] * CHUNKS_PER_DOCUMENT) if embedder else None for _ in batch]
            start, cpu_start = time.perf_counter(), time.process_time()
            store.put_many(
                [(source, chunks(source, row)) for source, row in zip(batch, vectors, strict=True)],
                added_at=WHEN,
                embedder="random" if hybrid else None,
            )
            spent += time.perf_counter() - start
            cpu += time.process_time() - cpu_start
        asked = questions(sources)
        naive = [sources[i].text.casefold() for i in range(len(sources))]
        search(Question("warm up", reader=READER), store, embedder=embedder)
        cpu_start = time.process_time()
        times = [
            _time(lambda q=q: search(Question(q, reader=READER), store, embedder=embedder)) for q in asked
        ]
        ask_cpu = 1e3 * (time.process_time() - cpu_start) / len(asked)
        words_only = [_time(lambda q=q: search(Question(q, reader=READER), store)) for q in asked]
        scan = [
            _time(lambda q=q: max(naive, key=lambda text: sum(word in text for word in q.casefold().split())))
            for q in asked[:5]
        ]
        with sqlite3.connect(path) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        found = {
            "chunks": count,
            "chunks_per_second": count / spent,
            "chunks_per_cpu_second": count / cpu,
            "megabytes": sum(file.stat().st_size for file in Path(folder).iterdir()) / 1e6,
            "text_megabytes": sum(len(source.text.encode()) for source in sources) / 1e6,
            "ask_p50_ms": statistics.median(times),
            "ask_p99_ms": statistics.quantiles(times, n=100)[98],
            "ask_mean_cpu_ms": ask_cpu,
            "words_p50_ms": statistics.median(words_only),
            "words_p99_ms": statistics.quantiles(words_only, n=100)[98],
            "scan_p50_ms": statistics.median(scan),
            "cold_ms": _cold(path, asked[0]),
            "rss_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
        }
        start = time.perf_counter()
        store.put(
            sources[0], chunks(sources[0], vectors[0]), added_at=WHEN, embedder="random" if hybrid else None
        )
        found["replace_one_ms"] = 1e3 * (time.perf_counter() - start)
        found["ask_after_change_ms"] = _time(
            lambda: search(Question(asked[0], reader=READER), store, embedder=embedder)
        )
        store.close()
    return found


def _time(call) -> float:  # type: ignore[no-untyped-def]
    start = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - start)


def _cold(path: Path, question: str) -> float:
    """A whole new process that asks by words and ends."""
    code = (
        "import sys; from pathlib import Path; from pincite.search import search; "
        "from pincite.stores.sqlite import SqliteStore; from pincite.types import Question; "
        "search(Question(sys.argv[2]), SqliteStore(Path(sys.argv[1])))"
    )
    return _time(lambda: subprocess.run([sys.executable, "-c", code, str(path), question], check=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--chunks", nargs="+", type=int, default=[1_000, 10_000])
    parser.add_argument("--languages", choices=["en", "all"], default="en")
    parser.add_argument(
        "--hybrid", action="store_true", help="with a random vector of 384 numbers for each chunk"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = [measure(options.data, count, options.languages, options.hybrid) for count in options.chunks]
    if options.json:
        print(json.dumps(results, indent=2))
        return
    print(f"load before: {os.getloadavg()[0]:.1f}")
    for found in results:
        print("  ".join(f"{name} {value:,.1f}" for name, value in found.items()))


if __name__ == "__main__":
    main()
