"""What is damaged in a store is found and named with the next step."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from pincite import Document, Pipeline
from pincite.checkup import checkup
from pincite.stores.memory import MemoryStore
from pincite.stores.sqlite import SqliteStore
from tests.test_copying import Letters, fill


@pytest.fixture
def database(tmp_path: Path) -> Path:
    with closing(SqliteStore(tmp_path / "a.db")) as store:
        rag = Pipeline(store=store, embedder=Letters())
        rag.add(
            Document("fees", "Entry is free.\n\nDogs wait outside."), Document("hours", "Doors open at nine.")
        )
        rag.ask("When do doors open?")
    return tmp_path / "a.db"


def found(database: Path) -> list[tuple[str, str]]:
    with closing(SqliteStore(database)) as store:
        return list(checkup(store))


def test_a_whole_store_has_no_problems(tmp_path: Path) -> None:
    for store in (MemoryStore(), SqliteStore(tmp_path / "b.db")):
        fill(store, tmp_path)
        assert [problem for problem, _ in checkup(store)] == ["document 'words' lacks 1 of 1 vectors"]
        store.close()


DAMAGES = {
    "UPDATE texts SET text = replace(text, 'free', 'dear')": ("its content hash differs", "docs rm"),
    "UPDATE postings SET entries = CAST(substr(entries, 1, 2) || x'0900' || substr(entries, 5) AS BLOB)": (
        "the words in the index",
        "--rebuild",
    ),
    "DELETE FROM postings WHERE place = (SELECT min(place) FROM postings)": (
        "the words in the index",
        "--rebuild",
    ),
    "UPDATE levels SET chunk_count = 9": ("the search statistics count 9", "--rebuild"),
    "UPDATE answers SET body = '{}'": ("the log", "log verify"),
    "DELETE FROM chunks WHERE key = 0": ("has 1 passages where 2 were written|passages", "docs rm"),
}


@pytest.mark.parametrize("statement", list(DAMAGES))
def test_damage_is_named_with_the_next_step(database: Path, statement: str) -> None:
    with closing(sqlite3.connect(database)) as db, db:
        db.execute(statement)
    said, step = DAMAGES[statement]
    problems = found(database)
    told = " ".join(problem for problem, _ in problems)
    assert any(word in told for word in said.split("|")), told
    assert any(word in one for _, one in problems for word in step.split("|"))


def test_vectors_that_no_embedder_made_are_found(database: Path) -> None:
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("UPDATE vectors SET rows = ?", (np.full(26, np.nan, dtype="<f2").tobytes(),))
    problems = found(database)
    assert any("vectors that no embedder made" in problem for problem, _ in problems)


def test_an_original_that_is_gone_is_found(tmp_path: Path) -> None:
    (tmp_path / "fees.md").write_text("# Fees\n\nEntry is free.\n", "utf-8")
    with closing(SqliteStore(tmp_path / "a.db")) as store:
        Pipeline(store=store, embedder=None).add(tmp_path / "fees.md")
        store.blobs.remove(next(iter(store.blobs.all_keys())))
        ((problem, step),) = checkup(store)
    assert problem.startswith("the original")
    assert step == "add the document again, or restore a backup"
