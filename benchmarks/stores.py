"""Do all stores find the same, and how fast is each?

    python benchmarks/stores.py --check [DATA] [--stores memory sqlite postgres …] [--questions 500] [--limit N] [--json]
    python benchmarks/stores.py --speed [DATA] [--stores …] [--chunks 100000] [--json]

`--check` brings three corpora into every store by the same additions, changes and removals: documentation of many
languages (DATA/docs), paragraphs of eight languages (DATA/xquad), and texts of random words with copies, odd characters
and ties. Without DATA all three are of random words. Documents have all levels; questions are words that stand near each
other, asked by readers of all levels, with and without filters, by words, by words and vectors, and joined by ranks. The
hits must have the same ids in the same order as those of the first store; scores may differ by 1e-6 (Qdrant, which
computes in single precision: 1e-4).

`--speed` puts the chunks of `benchmarks/index.py` (384 random numbers each; a third of the documents is `internal`, a
tenth `confidential`) into each store in one run, and asks as `internal`. A new store gets a line in STORES.

The dumbest rule beside the check: a store that ignores levels and filters, which finds something else (`no fence`); beside the
speed: reading every text again for each question, in `benchmarks/index.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from index import BATCH, CHUNKS_PER_DOCUMENT, WHEN, Random, chunks, documents, questions

from pincite.chunk import chunk
from pincite.ports.stored import IndexedChunk
from pincite.ports.stores import Store
from pincite.search import search
from pincite.stores.memory import MemoryStore
from pincite.stores.sqlite import SqliteStore
from pincite.text.words import terms
from pincite.types import AccessLevel, DocId, Document, Hit, Question, Reader

sys.path.insert(0, str(Path(__file__).parents[1]))  # the servers of the tests
from tests import postgres_server, qdrant_local

DIMENSION = 64
CORPUS_DOCUMENTS = 400
TOLERANCE = {"qdrant": 1e-4, "qdrant-engine": 1e-4}
READERS = tuple(Reader(level) for level in AccessLevel)


@dataclass(frozen=True)
class Opened:
    """An empty store. ``size`` is what it takes on disk, in bytes, now."""

    store: Store
    size: Callable[[], int]


# --- stores -------------------------------------------------------------------------------------


@contextmanager
def memory(_folder: Path) -> Iterator[Opened]:
    yield Opened(MemoryStore(), lambda: 0)


@contextmanager
def sqlite(folder: Path) -> Iterator[Opened]:
    store = SqliteStore(folder / "bench.db")
    yield Opened(store, lambda: sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()))
    store.close()


def _postgres(**options: Any) -> Callable[[Path], Any]:
    @contextmanager
    def open_one(_folder: Path) -> Iterator[Opened]:
        schema = postgres_server.new_schema()
        server = postgres_server.server()
        store = postgres_server.opened(schema, **options)

        def size() -> int:
            if options.get("vectors") == "hnsw":
                store.build_graph()
            server.admin(f"VACUUM (ANALYZE) {schema}.postings", "CHECKPOINT")
            query = f"SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relnamespace = '{schema}'::regnamespace AND relkind = 'r'"
            return int(server.admin(query)[0][0])

        yield Opened(store, size)
        store.close()
        server.admin(f"DROP SCHEMA {schema} CASCADE")

    return open_one


@contextmanager
def qdrant(folder: Path) -> Iterator[Opened]:
    """Beside SQLite, by the client's local mode."""
    both: Any = qdrant_local.over(SqliteStore(folder / "truth.db"))
    yield Opened(both, lambda: sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()))
    both.close()


@contextmanager
def qdrant_engine(folder: Path) -> Iterator[Opened]:
    """Beside SQLite, by one shard of the engine of Qdrant's servers in this process: `pip install qdrant-edge-py`."""
    from tests.qdrant_edge_client import EdgeClient

    from pincite.stores.qdrant_collection import Collection, QdrantOptions

    collection = Collection(EdgeClient(folder), QdrantOptions("http://in-this-process"))  # type: ignore[arg-type]
    both: Any = qdrant_local.over(SqliteStore(folder / "truth.db"), collection)
    yield Opened(both, lambda: sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()))
    both.close()


STORES: dict[str, Callable[[Path], Any]] = {"memory": memory, "sqlite": sqlite}
if postgres_server.INSTALLED:
    STORES["postgres"] = _postgres()
    STORES["postgres-server"] = _postgres(vectors="server")
    STORES["postgres-hnsw"] = _postgres(vectors="hnsw")
if qdrant_local.INSTALLED:
    STORES["qdrant"] = qdrant
    if find_spec("qdrant_edge") is not None:
        STORES["qdrant-engine"] = qdrant_engine

CHECKED = tuple(name for name in STORES if name != "postgres-hnsw")
TIMED = tuple(name for name in STORES if name not in ("memory", "qdrant", "qdrant-engine"))
"""Local mode is for tests: it says nothing of the speed of a Qdrant server."""


# --- the same hits ------------------------------------------------------------------------------


class Hashed:
    """An embedder that adds a random direction for each word: near texts share words, in every run the same."""

    fingerprint = "hashed"
    dimension = DIMENSION

    def __init__(self) -> None:
        self._directions: dict[str, np.ndarray] = {}

    def documents(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([self.query(text) for text in texts], dtype=np.float32).reshape(len(texts), DIMENSION)

    def query(self, text: str) -> np.ndarray:
        total = np.full(DIMENSION, 1e-3)
        for word in terms(text):
            if word not in self._directions:
                seed = zlib.crc32(word.encode("utf-8", "surrogatepass"))
                self._directions[word] = np.random.default_rng(seed).standard_normal(DIMENSION)
            total += self._directions[word]
        return np.asarray(total / np.linalg.norm(total), dtype=np.float32)


Entry = tuple[Document, list[IndexedChunk]]


def corpora(data: Path | None, limit: int) -> Iterator[tuple[str, list[Document]]]:
    chance = random.Random(5)
    if data is not None:
        found = [
            json.loads(line)
            for file in sorted((data / "docs").glob("*.jsonl"))
            for line in file.open(encoding="utf-8")
        ]
        chosen = chance.sample(found, min(limit, len(found)))
        yield (
            "documentation",
            [
                Document(
                    f"{one['lang']}/{one['id']}",
                    one["markdown"],
                    title=one["title"],
                    kind="docs",
                    language=one["lang"][:2],
                )
                for one in chosen
            ],
        )
        texts: dict[tuple[str, str], str] = {}
        for file in sorted((data / "xquad").glob("*.jsonl")):
            for line in file.open(encoding="utf-8"):
                one = json.loads(line)
                texts.setdefault((one["lang"], f"{one['doc_id']}-{one['para_index']}"), one["context"])
        names = chance.sample(sorted(texts), min(limit, len(texts)))
        yield (
            "paragraphs",
            [Document(f"{at[1]}-{at[0]}", texts[at], kind="encyclopedia", language=at[0]) for at in names],
        )
    for name in ("random words",) if data is not None else ("random words", "more of them", "and more"):
        yield name, [_random_document(chance, number) for number in range(limit)]


def _random_document(chance: random.Random, number: int) -> Document:
    words = [
        "fee",
        "visa",
        "Straße",
        "返品",
        "क्षमा",
        "e\u0301",
        "a\x00b",
        "x\ud800",
        "١٢",
        "no-op",
        "ﬁne",
        "sea",
        "map",
        "ink",
    ]
    parts = [
        " ".join(chance.choices(words, weights=range(len(words), 0, -1), k=chance.randint(1, 12)))
        for _ in range(chance.randint(1, 5))
    ]
    return Document(
        f"r-{number}",
        "\n\n".join(parts),
        kind=chance.choice(["faq", "policy"]),
        language=chance.choice(["en", "de", None]),
    )


def entries(sources: Sequence[Document], embedder: Hashed) -> list[Entry]:
    """With levels, cut into chunks with terms and vectors; some chunks have none."""
    chance = random.Random(9)
    made = []
    for source in sources:
        level = chance.choices(["public", "internal", "confidential", None], weights=(6, 3, 2, 1))[0]
        document = replace(source, access_level=level)
        cut = chunk(document)
        vectors = embedder.documents([one.text for one in cut])
        has = chance.random() < 0.9
        made.append(
            (
                document,
                [
                    IndexedChunk(one, terms(one.text, document.language), row if has else None)
                    for one, row in zip(cut, vectors, strict=True)
                ],
            )
        )
    return made


def fill(store: Store, made: Sequence[Entry]) -> None:
    """Add in batches, then change a tenth, remove a twentieth, and open some that were hidden."""
    chance = random.Random(13)
    for at in range(0, len(made), 50):
        store.put_many(made[at : at + 50], added_at=WHEN, embedder="hashed")
    for document, cut in chance.sample(list(made), len(made) // 10):
        store.put(
            replace(document, access_level=chance.choice(["public", "confidential"])),
            cut,
            added_at=WHEN,
            embedder="hashed",
        )
    for document, _ in chance.sample(list(made), len(made) // 20):
        store.remove(DocId(document.doc_id), removed_at=WHEN)


def asked(sources: Sequence[Document], count: int) -> list[tuple[Question, str, str]]:
    """Questions with the mode and the way of joining."""
    chance = random.Random(17)
    found = []
    for _ in range(count):
        words = chance.choice(sources).text.split()
        at = chance.randrange(max(1, len(words) - 12))
        text = " ".join(
            chance.sample(words[at : at + 12], min(len(words[at : at + 12]), chance.randint(1, 8)))
        )
        filters = chance.choice(
            [(), (), (), (("language", "de"),), (("kind", "faq"),), (("language", "en"), ("kind", "docs"))]
        )
        question = Question(
            text, reader=chance.choice(READERS), filters=filters, top_k=chance.choice([1, 5, 10, 30])
        )
        found.append(
            (question, chance.choice(["hybrid", "hybrid", "words"]), chance.choice(["score", "score", "rrf"]))
        )
    return found


def answers(
    store: Store, questions_: Sequence[tuple[Question, str, str]], embedder: Hashed
) -> list[tuple[Hit, ...]]:
    return [
        search(question, store, embedder=embedder, mode=mode, fusion=fusion)  # type: ignore[arg-type]
        for question, mode, fusion in questions_
    ]


def differences(first: Sequence[tuple[Hit, ...]], other: Sequence[tuple[Hit, ...]]) -> dict[str, float]:
    """Questions whose hits have other ids or other contents, and the largest difference of a score."""
    ids = contents = 0
    largest = 0.0
    for one, two in zip(first, other, strict=True):
        if [hit.chunk.chunk_id for hit in one] != [hit.chunk.chunk_id for hit in two]:
            ids += 1
            continue
        contents += [(hit.chunk, hit.document) for hit in one] != [(hit.chunk, hit.document) for hit in two]
        for hit, again in zip(one, two, strict=True):
            parts = [abs(hit.parts[name] - again.parts[name]) for name in hit.parts]
            largest = max(largest, abs(hit.score - again.score), abs(hit.fused - again.fused), *parts)
    return {"other_ids": ids, "other_contents": contents, "largest_difference": largest}


def check(data: Path | None, names: Sequence[str], count: int, limit: int) -> dict[str, Any]:
    embedder = Hashed()
    report: dict[str, Any] = {
        name: {"questions": 0, "hits": 0, "other_ids": 0, "other_contents": 0, "largest_difference": 0.0}
        for name in (*names, "no fence")
    }
    all_corpora = list(corpora(data, limit))
    for number, (_, sources) in enumerate(all_corpora):
        made = entries(sources, embedder)
        share = count // len(all_corpora) + (number < count % len(all_corpora))
        questions_ = asked(sources, share)
        first: list[tuple[Hit, ...]] | None = None
        for name in names:
            with tempfile.TemporaryDirectory() as folder, STORES[name](Path(folder)) as opened:
                fill(opened.store, made)
                found = answers(opened.store, questions_, embedder)
                first = first if first is not None else found
                _add(report[name], first, found)
                if name == names[0]:
                    open_to_all = [
                        (replace(question, reader=READERS[-1], filters=()), mode, fusion)
                        for question, mode, fusion in questions_
                    ]
                    _add(report["no fence"], first, answers(opened.store, open_to_all, embedder))
    for name in names:
        one = report[name]
        one["same"] = (
            not one["other_ids"]
            and not one["other_contents"]
            and one["largest_difference"] <= TOLERANCE.get(name, 1e-6)
        )
    return report


def _add(to: dict[str, Any], first: Sequence[tuple[Hit, ...]], found: Sequence[tuple[Hit, ...]]) -> None:
    differ = differences(first, found)
    to["questions"] += len(found)
    to["hits"] += sum(map(len, found))
    for name in ("other_ids", "other_contents"):
        to[name] += differ[name]
    to["largest_difference"] = max(to["largest_difference"], differ["largest_difference"])


# --- speed --------------------------------------------------------------------------------------


def speed(data: Path | None, names: Sequence[str], count: int) -> dict[str, Any]:
    sources = list(documents(data, count))
    asked_ = questions(sources)
    embedder = Random()
    every = DOCUMENTS_AT_ONCE
    # The same vectors for all, and made beforehand; cutting into terms is part of adding, as it is of ``pincite add``.
    rows = [embedder.documents([""] * CHUNKS_PER_DOCUMENT).astype(np.float16) for _ in sources]
    asking = _Given()
    report: dict[str, Any] = {}
    exact: list[tuple[str, ...]] = []
    for name in names:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            opened = stack.enter_context(STORES[name](folder))
            store, spent, cpu = opened.store, time.perf_counter(), time.process_time()
            for at in range(0, len(sources), every):
                batch = [
                    (source, chunks(source, row.astype(np.float32)))
                    for source, row in zip(sources[at : at + every], rows[at : at + every], strict=True)
                ]
                store.put_many(batch, added_at=WHEN, embedder="random")
            spent, cpu = time.perf_counter() - spent, time.process_time() - cpu
            size = opened.size()
            report[name] = {
                "ingest_s": spent,
                "ingest_cpu_s": cpu,
                "chunks_per_s": count / spent,
                "disk_mb": size / 1e6,
                **_asked(store, asked_, asking, exact),
            }
            started = time.perf_counter()
            store.put(
                sources[0], chunks(sources[0], rows[0].astype(np.float32)), added_at=WHEN, embedder="random"
            )
            report[name]["replace_one_ms"] = 1e3 * (time.perf_counter() - started)
            report[name]["ask_after_change_ms"] = _ms(
                lambda s=store: search(Question(asked_[0], reader=READERS[1]), s, embedder=asking)
            )
    return report


DOCUMENTS_AT_ONCE = BATCH // CHUNKS_PER_DOCUMENT


class _Given:
    """An embedder that gives the same text the same direction in every store. It takes next to no time."""

    fingerprint = "random"
    dimension = 384

    def query(self, text: str) -> np.ndarray:
        made = np.random.default_rng(zlib.crc32(text.encode("utf-8", "surrogatepass"))).standard_normal(384)
        return np.asarray(made / np.linalg.norm(made), dtype=np.float32)

    def documents(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([self.query(text) for text in texts])


def _asked(
    store: Store, texts: Sequence[str], asking: _Given, exact: list[tuple[str, ...]]
) -> dict[str, float]:
    """Times, and the share of the hits and of the 100 nearest that the first store has too."""
    reader = READERS[1]
    cold = _ms(lambda: search(Question(texts[0], reader=reader), store, embedder=asking))
    times, found = [], []
    for text in texts:
        started = time.perf_counter()
        hits = search(Question(text, reader=reader), store, embedder=asking)
        times.append(1e3 * (time.perf_counter() - started))
        found.append(tuple(hit.chunk.chunk_id for hit in hits))
    words = [_ms(lambda t=text: search(Question(t, reader=reader), store)) for text in texts]
    vectors, near = [], []
    for text in texts[:50]:
        vector = asking.query(text)
        started = time.perf_counter()
        keys, _ = store.nearest(vector, reader, (), 100)
        vectors.append(1e3 * (time.perf_counter() - started))
        near.append(tuple(chunk_.chunk_id for chunk_, _ in store.load(keys.tolist(), reader)))
    if not exact:
        exact += [*found, *near]
    same = exact[: len(found)]
    return {
        "first_ms": cold,
        "ask_p50_ms": statistics.median(times),
        "ask_p99_ms": statistics.quantiles(times, n=100)[98],
        "words_p50_ms": statistics.median(words),
        "words_p99_ms": statistics.quantiles(words, n=100)[98],
        "nearest_p50_ms": statistics.median(vectors),
        "same_hits": sum(len({*one} & {*two}) for one, two in zip(found, same, strict=True))
        / max(1, sum(map(len, same))),
        "recall_100": sum(len({*one} & {*two}) for one, two in zip(near, exact[len(found) :], strict=True))
        / max(1, sum(map(len, exact[len(found) :]))),
    }


def _ms(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - started)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--stores", nargs="+", choices=list(STORES))
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument(
        "--limit", type=int, default=CORPUS_DOCUMENTS, help="documents of each corpus, for --check"
    )
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    good = True
    report: dict[str, Any] = {"load_before": os.getloadavg()[0]}
    if options.check:
        names = options.stores or CHECKED
        report["check"] = check(options.data, names, options.questions, options.limit)
        good = all(report["check"][name]["same"] for name in names)
    if options.speed:
        report["speed"] = speed(options.data, options.stores or TIMED, options.chunks)
    if options.json:
        print(json.dumps(report))
    else:
        print(f"load before: {report['load_before']:.1f}")
        for part in ("check", "speed"):
            for name, found in report.get(part, {}).items():
                print(f"{name:16}", "  ".join(f"{key} {value:,.7g}" for key, value in found.items()))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
