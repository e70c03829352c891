"""Kill the writer, then the server, at random moments: is everything there that was acknowledged, and nothing by half?

    python benchmarks/kill_postgres.py [--times 20] [--seed 1] [--json]

A process adds and changes documents in a PostgreSQL of its own (with the defaults of the server: every commit is flushed), in
batches of one to five, each with vectors, an original and some with an answer, and notes each batch once the store has
returned. First the process gets SIGKILL at a random moment, `--times` times; then the first process of the server does, while the
writer goes on as a service does: it takes the error and tries again when the server is back.

After each kill: nothing is damaged (`problems()`: hashes, spans, statistics, originals), every acknowledged document is there in
that edition or in the one that was under way, a search finds the words of that edition and of no other, the log of the answers is
whole with every acknowledged answer, and no passage id denotes two texts. Where the store said that nothing was stored, nothing was.

The dumbest rule beside it: a writer that counts a batch as stored when it hands it over (`unacknowledged`).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import sys
import time
from hashlib import sha256
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from pincite.chain import check
from pincite.errors import StoreError
from pincite.ports.stored import IndexedChunk, StoredAnswer
from pincite.types import AccessLevel, AnswerId, Chunk, ChunkId, DocId, Document, Reader, Span

sys.path.insert(0, str(Path(__file__).parents[1]))  # the servers of the tests
from tests import postgres_server

EVERYONE = Reader(AccessLevel.CONFIDENTIAL)
NAMES = 60
PARTS = 6
SCHEMA = "killed"


def entry(name: str, edition: int, first_number: int) -> tuple[Document, list[IndexedChunk]]:
    texts = [f"room {name} part{part} edition{edition}x{name}" for part in range(PARTS)]
    data = f"{name} {edition}".encode()
    source = Document(
        name, "\n".join(texts), access_level="internal", blob=sha256(data).hexdigest(), original=data
    )
    chunks, start = [], 0
    for ordinal, text in enumerate(texts):
        chunk = Chunk(
            ChunkId(f"{name}-chunk-{first_number + ordinal}"),
            DocId(name),
            ordinal,
            Span(start, start + len(text)),
            text,
        )
        vector = np.random.default_rng([edition, ordinal]).standard_normal(16).astype(np.float32)
        chunks.append(IndexedChunk(chunk, tuple(text.split()), vector / np.linalg.norm(vector)))
        start += len(text) + 1
    return source, chunks


def open_store(url: str) -> Any:
    from pincite.stores.postgres import PostgresStore

    return PostgresStore(url, schema=SCHEMA, timeout_s=20)


def write(url: str, seed: int, told: Connection) -> None:
    """Write until killed. Tells ``("under way", names, edition)``, ``("stored", …)``, ``("refused", …)``, ``("answer", id)``."""
    chance = random.Random(seed)
    store = open_store(url)
    for turn in range(10**9):
        names, edition = (
            [f"d{number}" for number in chance.sample(range(NAMES), chance.randint(1, 5))],
            seed * 10_000 + turn,
        )
        told.send(("under way", names, edition))
        try:
            with store.writing():
                batch = [entry(name, edition, store.chunk_numbers(DocId(name))[1]) for name in names]
                store.put_many(batch, added_at="2026-01-01T00:00:00Z", embedder="e")
            told.send(("stored", names, edition))
            if turn % 3 == 0:
                body = json.dumps(
                    {"citations": [{"doc_id": names[0], "document_hash": batch[0][0].content_hash}]}
                )
                store.save_answer(
                    StoredAnswer(AnswerId(f"ans_{edition}"), str(edition), "internal", "q", "ANSWERED", body)
                )
                told.send(("answer", f"ans_{edition}", 0))
        except StoreError as error:
            told.send(("refused" if "nothing was stored" in error.message else "unknown", names, edition))
            time.sleep(0.1)


class Ledger:
    """What the writer said."""

    def __init__(self) -> None:
        self.stored: dict[str, int] = {}
        self.under_way: dict[str, set[int]] = {}
        self.refused: set[tuple[str, int]] = set()
        self.answers: list[str] = []
        self.batches = self.errors = 0

    def hear(self, told: Connection) -> None:
        try:
            while told.poll():
                self._note(*told.recv())
        except (EOFError, OSError):
            return

    def _note(self, what: str, names: Any, edition: int) -> None:
        if what == "answer":
            self.answers.append(names)
            return
        for name in names:
            if what == "under way":
                self.under_way.setdefault(name, set()).add(edition)
            elif what == "stored":
                self.stored[name] = edition
                self.under_way[name] = set()
            elif what == "refused":
                self.under_way[name].discard(edition)
                self.refused.add((name, edition))
        self.batches += what == "stored"
        self.errors += what in ("refused", "unknown")


def faults(store: Any, ledger: Ledger, texts: dict[str, str]) -> list[str]:
    """What is not as it was acknowledged. ``texts`` are passages by id as they were seen before; new ones are added."""
    found = list(store.problems())
    there = {one.info.doc_id: one for one in store.documents(EVERYONE)}
    for name in [f"d{number}" for number in range(NAMES)]:
        allowed = {*ledger.under_way.get(name, ()), *([ledger.stored[name]] if name in ledger.stored else [])}
        if name not in there:
            if name in ledger.stored:
                found.append(f"{name} was acknowledged and is gone")
            continue
        chunks, _ = store.chunk_numbers(DocId(name))
        editions = {int(chunk.text.partition("edition")[2].partition("x")[0]) for chunk in chunks}
        if len(editions) != 1 or len(chunks) != PARTS or there[name].vector_count != PARTS:
            found.append(f"{name} is there by half: {len(chunks)} passages of editions {sorted(editions)}")
            continue
        (edition,) = editions
        if edition not in allowed:
            found.append(f"{name} is there in edition {edition}, acknowledged were {sorted(allowed)}")
        ledger.stored[name], ledger.under_way[name] = edition, set()
        match = store.postings((f"edition{edition}x{name}",), EVERYONE, ()).matches[0]
        if len(match.keys) != PARTS:
            found.append(f"the words of {name} are found {len(match.keys)} times instead of {PARTS}")
        for chunk in chunks:
            if texts.setdefault(chunk.chunk_id, chunk.text) != chunk.text:
                found.append(f"{chunk.chunk_id} denotes two texts")
    words = store._session
    with store.reading():
        known = [term for (term,) in words.rows("SELECT term FROM terms WHERE term LIKE %b", ("edition%",))]
    current = {f"edition{edition}x{name}" for name, edition in ledger.stored.items()}
    if stale := {*known} - current:
        found.append(f"{len(stale)} words of editions that are gone are still there")
    answers = {one.answer_id for one in store.answers(EVERYONE, limit=10**6)}
    found += [f"answer {name} was acknowledged and is gone" for name in ledger.answers if name not in answers]
    report = check(store.log_entries(), store.log_head(), store.log_rows())
    found += [f"the log: {fault.what}" for fault in report.faults]
    return found


def measure(times: int, seed: int) -> dict[str, Any]:
    chance = random.Random(seed)
    server = postgres_server.another_server()
    server.admin("ALTER SYSTEM RESET fsync", "ALTER SYSTEM RESET full_page_writes", "SELECT pg_reload_conf()")
    context = multiprocessing.get_context("spawn")
    texts: dict[str, str] = {}
    ledger = Ledger()
    runs: list[dict[str, Any]] = []
    store = open_store(server.url)
    start = 0
    try:
        for number in range(times):
            told, tell = context.Pipe(duplex=False)
            writer = context.Process(target=write, args=(server.url, seed * 1_000 + start + number, tell))
            writer.start()
            tell.close()
            while not told.poll(0.02):  # it has begun
                pass
            time.sleep(chance.uniform(0.02, 1.5))
            os.kill(writer.pid or 0, signal.SIGKILL)
            writer.join()
            ledger.hear(told)
            runs.append(
                {"killed": "client", "batches": ledger.batches, "faults": faults(store, ledger, texts)}
            )
        told, tell = context.Pipe(duplex=False)
        writer = context.Process(target=write, args=(server.url, seed * 1_000 + 500, tell))
        writer.start()
        tell.close()
        while not told.poll(0.02):
            pass
        for _ in range(times):
            until = time.monotonic() + chance.uniform(0.3, 1.5)
            while time.monotonic() < until:
                ledger.hear(told)
                time.sleep(0.01)
            server.kill()
            time.sleep(chance.uniform(0.0, 0.5))
            os.kill(writer.pid or 0, signal.SIGSTOP)  # so that what is looked at stands still
            server.start()
            ledger.hear(told)
            runs.append(
                {"killed": "server", "batches": ledger.batches, "faults": faults(store, ledger, texts)}
            )
            os.kill(writer.pid or 0, signal.SIGCONT)
        os.kill(writer.pid or 0, signal.SIGKILL)
        writer.join()
    finally:
        store.close()
        server.stop()
    return {
        "kills": len(runs),
        "without_fault": sum(not run["faults"] for run in runs),
        "batches_acknowledged": ledger.batches,
        "answers_acknowledged": len(ledger.answers),
        "errors_told": ledger.errors,
        "passages_seen": len(texts),
        "runs": runs,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.times, options.seed)
    if options.json:
        print(json.dumps(found))
    else:
        for run in found["runs"]:
            print(run)
        print({name: value for name, value in found.items() if name != "runs"})
    return 0 if found["without_fault"] == found["kills"] else 1


if __name__ == "__main__":
    sys.exit(main())
