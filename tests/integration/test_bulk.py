"""Several processes store byte for byte what one process stores, and lose only the file that kills one of them."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pincite.embedders.shared import SharedEmbedder
from pincite.errors import ModelError
from pincite.ingest import AddReport, Cut, ingest
from pincite.parsers import parse
from pincite.parsers.files import load_paths
from pincite.ports import Embedder, Floats
from pincite.stores.sqlite import SqliteStore
from pincite.types import AccessLevel, Document
from pincite.workers import open_workers

TABLES = ("documents", "texts", "chunks", "numbers", "terms", "postings", "levels", "vectors")
"""All that is stored of documents, with the store's own numbers for documents, chunks and terms."""


def deadly_parse(data: bytes, source: str) -> tuple[Document, ...]:
    """A parser that a hostile file takes down with its process."""
    if b"deadly" in data:
        os._exit(11)
    return parse(data, source)


@dataclass(frozen=True)
class HashEmbedder:
    """Vectors that depend on nothing but their text."""

    fingerprint: str = "hash"
    dimension: int = 8

    def documents(self, texts: Sequence[str]) -> Floats:
        if any("deadly" in text for text in texts):
            os._exit(9)
        rows = [np.frombuffer(sha256(text.encode()).digest()[:8], np.uint8) + 1.0 for text in texts]
        return np.array([row / np.linalg.norm(row) for row in rows], dtype=np.float32)

    def query(self, text: str) -> Floats:
        found: Floats = self.documents([text])[0]
        return found


def write_files(folder: Path, count: int) -> None:
    folder.mkdir()
    for number in range(count):
        parts = (f"# Part {part}\n\nRoom {number}.{part} opens at nine for visitors." for part in range(3))
        (folder / f"page-{number}.md").write_text("\n\n".join(parts), "utf-8")
    (folder / "broken.json").write_text("{", "utf-8")
    (folder / "twice.txt").write_text("---\n", "utf-8")


def add(
    folder: Path, database: Path, *, jobs: int, ray_address: str = "", embedder: Embedder | None
) -> AddReport:
    with closing(SqliteStore(database)) as store, open_workers(jobs, ray_address) as workers:
        shared = (
            SharedEmbedder(embedder, HashEmbedder, workers) if embedder and workers.count > 1 else embedder
        )
        return ingest(
            load_paths([folder], parse=deadly_parse, workers=workers),
            store,
            cut=Cut(),
            embedder=shared,
            default_access=AccessLevel.PUBLIC,
            clock=lambda: datetime(2026, 11, 30, tzinfo=UTC),
            workers=workers,
        )


def contents(database: Path) -> dict[str, list[tuple[Any, ...]]]:
    with closing(sqlite3.connect(database)) as db:
        return {table: db.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in TABLES}


def test_several_processes_store_byte_for_byte_what_one_stores(tmp_path: Path) -> None:
    write_files(tmp_path / "docs", 20)
    one = add(tmp_path / "docs", tmp_path / "1.db", jobs=1, embedder=HashEmbedder())
    three = add(tmp_path / "docs", tmp_path / "3.db", jobs=3, embedder=HashEmbedder())
    assert contents(tmp_path / "1.db") == contents(tmp_path / "3.db")
    assert replace(one, failed=()) == replace(three, failed=())
    assert list(map(str, one.failed)) == list(map(str, three.failed)) != []


def test_a_file_that_kills_its_process_is_reported_and_the_others_are_stored(tmp_path: Path) -> None:
    write_files(tmp_path / "docs", 6)
    (tmp_path / "docs" / "page-3.md").write_text("deadly", "utf-8")
    report = add(tmp_path / "docs", tmp_path / "a.db", jobs=2, embedder=None)
    assert "page-3.md: the process that read it died" in "\n".join(map(str, report.failed))
    assert [doc_id for doc_id in report.added if doc_id.startswith("page")] == [
        f"page-{number}" for number in (0, 1, 2, 4, 5)
    ]


def test_a_text_that_kills_the_embedder_twice_and_another_model_are_errors() -> None:
    with open_workers(2) as workers:
        with pytest.raises(ModelError, match="fewer --jobs"):
            SharedEmbedder(HashEmbedder(), HashEmbedder, workers).documents(["deadly"])
        with pytest.raises(ModelError, match="a worker has hash, not other"):
            SharedEmbedder(HashEmbedder("other"), HashEmbedder, workers).documents(["a"])
