"""What the log keeps of an answer, and what happens when it cannot be written."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from pincite import Document, Pipeline
from pincite.errors import StoreError
from pincite.ports.stored import StoredAnswer
from pincite.record import NOT_LOGGED
from pincite.stores.memory import MemoryStore
from pincite.types import Question, Reader

TRASH = Document("trash", "A deleted file stays in the trash for 30 days.", access_level="public")
QUESTION = "How long does a deleted file stay in the trash?"


class FullDisk(MemoryStore):
    """A store whose log cannot be written while ``full``."""

    full = False

    def save_answer(self, answer: StoredAnswer, *, at: str = "") -> None:
        if self.full:
            raise StoreError("database or disk is full")
        super().save_answer(answer, at=at)


@pytest.fixture
def rag() -> Pipeline:
    made = Pipeline(store=FullDisk(), embedder=None)
    made.add(TRASH)
    return made


def test_an_answer_is_kept_with_how_it_came_about(rag: Pipeline) -> None:
    answer = rag.ask(Question(QUESTION, principal="key-2", client="curl/8"))
    (stored,) = rag.parts.store.answers(Reader())
    context = json.loads(stored.context)
    assert context == {
        "client": "curl/8",
        "config_hash": rag.parts.made_with["config_hash"],
        "judge": "rules",
        "pincite": rag.parts.made_with["pincite"],
        "principal": "key-2",
    }
    assert answer.logged is True
    assert json.loads(stored.body)["logged"] is True
    assert "principal" not in json.loads(stored.body)


def test_an_answer_without_a_log_says_nothing_of_it() -> None:
    with Pipeline(store="memory", embedder=None, log=False) as rag:
        rag.add(TRASH)
        assert rag.ask(QUESTION).logged is None


def test_a_full_disk_costs_the_log_entry_and_not_the_answer(rag: Pipeline) -> None:
    store = rag.parts.store
    assert isinstance(store, FullDisk)
    rag.ask(QUESTION)
    store.full = True
    lost = [rag.ask(QUESTION) for _ in range(2)]
    assert [one.logged for one in lost] == [False, False]
    assert all("30 days" in one.plain and NOT_LOGGED in one.warnings for one in lost)
    assert rag.parts.unlogged.count == 2
    store.full = False
    assert rag.ask(QUESTION).logged is True
    assert rag.parts.unlogged.count == 0
    assert [one.kind for one in store.log_entries()] == ["answer", "answer", "gap"]
    gap = json.loads(list(store.log_entries())[-1].detail)
    assert (gap["count"], gap["answer_ids"], gap["why"]) == (
        2,
        [one.id for one in lost],
        "database or disk is full",
    )


def test_the_log_has_the_time_when_an_answer_was_finished() -> None:
    times = iter(datetime.fromisoformat(f"2026-01-02T03:04:{second:02}+00:00") for second in range(60))
    with Pipeline(store="memory", embedder=None) as plain:
        from dataclasses import replace

        rag = Pipeline(replace(plain.parts, clock=lambda: next(times)), plain.settings)
        answer = rag.ask(QUESTION)
        (entry,) = rag.parts.store.log_entries()
        assert answer.created_at < entry.at
