"""Writers that are killed while they bring documents to Qdrant. PINCITE_KILLS=20 for more of them."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import cast

import pytest

pytest.importorskip("qdrant_client", reason="the extra qdrant is not installed")

from tests.integration.qdrant_server import serving

from pincite.ports.stores import Store
from pincite.search import search
from pincite.stores.qdrant import QdrantStore
from pincite.stores.qdrant_collection import Collection, QdrantOptions, open_client
from pincite.stores.sqlite import SqliteStore
from pincite.types import DocId, Question, Reader

ROOT = Path(__file__).resolve().parents[2]
KILLS = int(os.environ.get("PINCITE_KILLS", "2"))

WRITER = """
import sys
from pathlib import Path
from pincite.ports.stored import IndexedChunk
from pincite.stores.qdrant import QdrantStore
from pincite.stores.qdrant_collection import Collection, QdrantOptions, open_client
from pincite.stores.sqlite import SqliteStore
from pincite.text.words import terms
from pincite.types import Chunk, ChunkId, DocId, Document, Span

path, url, life = sys.argv[1:]
options = QdrantOptions(url)
store = QdrantStore(SqliteStore(Path(path)), Collection(open_client(options), options))
for number in range(10_000):
    made = []
    for doc_id, text in ((f"new-{life}-{number}", f"fee {life} {number}"), ("again", f"visa {life} {number}")):
        chunk = Chunk(ChunkId(f"{doc_id}-chunk-{life}{number:05}"), DocId(doc_id), 0, Span(0, len(text)), text)
        made.append((Document(doc_id, text, access_level="public"), [IndexedChunk(chunk, terms(text))]))
    store.put_many(made, added_at="2026-01-02T03:04:05Z")
    print(number, flush=True)
"""


def test_what_was_acknowledged_is_found_in_qdrant_after_a_kill(tmp_path: Path) -> None:
    chance = random.Random(5)
    with serving() as server:
        for life in range(KILLS):
            writer = subprocess.Popen(
                [sys.executable, "-c", WRITER, str(tmp_path / "truth.db"), server.url, str(life)],
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            )
            assert writer.stdout is not None
            first = writer.stdout.readline()
            time.sleep(chance.random() * 0.5)
            writer.kill()
            acknowledged = int((first + writer.stdout.read()).split()[-1])
            writer.wait()
            writer.stdout.close()
            _check(tmp_path / "truth.db", server.url, life, acknowledged)


def _check(path: Path, url: str, life: int, acknowledged: int) -> None:
    options = QdrantOptions(url)
    store = QdrantStore(SqliteStore(path), Collection(open_client(options), options), fallback=False)
    for number in range(acknowledged + 1):
        assert store.content_hash(DocId(f"new-{life}-{number}")) is not None
    for text in (f"fee {acknowledged}", "visa", f"visa {life} {acknowledged}"):
        question = Question(text, reader=Reader(), top_k=20)
        mine, theirs = (search(question, cast("Store", one)) for one in (store, store.truth))
        assert [(hit.chunk, hit.score) for hit in mine] == [(hit.chunk, hit.score) for hit in theirs]
        assert mine
    assert [hit.document.doc_id for hit in search(Question("visa"), cast("Store", store))] == ["again"]
    assert list(store.following.divergence()) == []
    store.close()
