"""The review queue over HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")

from fastapi.testclient import TestClient

from pincite import Document, Pipeline
from pincite.logbook import verify
from pincite.service.app import create_app
from pincite.service.keys import Keys
from pincite.service.settings import Service
from pincite.types import AnswerId, Reader

QUESTION = "How long does a deleted file stay in the trash?"
WRITER = {"Authorization": "Bearer cccccccccccccccc"}
READER = {"Authorization": "Bearer aaaaaaaaaaaaaaaa", "User-Agent": "test/1 \tβ".encode()}
INNER = {"Authorization": "Bearer bbbbbbbbbbbbbbbb"}

KEYS = Keys(["public:aaaaaaaaaaaaaaaa", "internal+write:bbbbbbbbbbbbbbbb", "public+write:cccccccccccccccc"])
NAMES = [KEYS.principal(char * 16).name for char in "abc"]  # type: ignore[union-attr]


@pytest.fixture
def rag() -> Iterator[Pipeline]:
    with Pipeline(store="memory", embedder=None) as made:
        made.add(
            Document("trash", "A deleted file stays in the trash for 30 days.", access_level="public"),
            Document("margins", "The margin on scanners is 31 %.", access_level="internal"),
        )
        yield made


@pytest.fixture
def client(rag: Pipeline) -> Iterator[TestClient]:
    keys = Keys(
        ["public:aaaaaaaaaaaaaaaa", "internal+write:bbbbbbbbbbbbbbbb", "public+write:cccccccccccccccc"]
    )
    with TestClient(create_app(Service(rag, keys=keys))) as made:
        yield made


def flagged(client: TestClient, headers: dict[str, str] = READER, question: str = QUESTION) -> str:
    answer = client.post("/chat", json={"question": question}, headers=headers).json()
    said = {
        "answer_id": answer["id"],
        "citation_id": answer["citations"][0]["id"],
        "reaction": "wrong_source",
    }
    assert client.post("/api/feedback", json=said, headers=headers).status_code == 201
    return str(answer["id"])


def test_what_a_reader_calls_wrong_waits_for_a_decision(client: TestClient, rag: Pipeline) -> None:
    answer_id = flagged(client)
    (item,) = client.get("/api/reviews", headers=WRITER).json()["items"]
    assert (item["id"], item["reasons"], item["decided"]) == (f"{answer_id}.c-1", ["wrong_source"], False)
    said = {"decision": "wrong", "note": "old"}
    done = client.post(f"/api/reviews/{item['id']}", json=said, headers=WRITER)
    assert (done.status_code, done.json()["reviewer"], done.json()["decision"]) == (201, NAMES[2], "wrong")
    assert client.get("/api/reviews", headers=WRITER).json()["items"] == []
    (item,) = client.get("/api/reviews?decided=true", headers=WRITER).json()["items"]
    assert item["decisions"][0]["note"] == "old"
    assert verify(rag.parts.store).whole


def test_those_who_only_read_neither_see_the_queue_nor_decide(client: TestClient) -> None:
    answer_id = flagged(client)
    assert client.get("/api/reviews", headers=READER).status_code == 403
    decided = client.post(f"/api/reviews/{answer_id}", json={"decision": "right"}, headers=READER)
    assert decided.status_code == 403


def test_answers_of_another_level_are_not_in_the_queue(client: TestClient) -> None:
    answer_id = flagged(client, INNER, "What is the margin on scanners?")
    assert client.get("/api/reviews", headers=WRITER).json()["items"] == []
    decided = client.post(f"/api/reviews/{answer_id}.c-1", json={"decision": "right"}, headers=WRITER)
    assert decided.status_code == 404
    assert len(client.get("/api/reviews", headers=INNER).json()["items"]) == 1
    assert client.get("/api/reviews?access=public", headers=INNER).json()["items"] == []


@pytest.mark.parametrize("body", [{}, {"decision": "perhaps"}, {"decision": "right", "more": 1}])
def test_a_decision_must_be_one(client: TestClient, body: dict[str, object]) -> None:
    answer_id = flagged(client)
    assert client.post(f"/api/reviews/{answer_id}", json=body, headers=WRITER).status_code == 422
    assert client.get("/api/reviews?since=yesterday", headers=WRITER).status_code == 422


@pytest.mark.parametrize("what", ["save_feedback", "save_review"])
def test_an_answer_that_is_erased_between_look_up_and_saving_is_not_there(
    client: TestClient, rag: Pipeline, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    answer_id = flagged(client)
    store = rag.parts.store
    save = getattr(store, what)

    def too_late(row: object) -> None:
        store.erase_answer(AnswerId(answer_id), at="2026-11-30T12:00:00Z", why="asked for")
        save(row)

    monkeypatch.setattr(store, what, too_late)
    if what == "save_feedback":
        said: dict[str, object] = {"answer_id": answer_id, "reaction": "helpful"}
        done = client.post("/api/feedback", json=said, headers=WRITER)
    else:
        done = client.post(f"/api/reviews/{answer_id}", json={"decision": "right"}, headers=WRITER)
    assert done.status_code == 404
    assert verify(store).whole


def test_the_log_keeps_the_name_of_the_key_and_the_program(client: TestClient, rag: Pipeline) -> None:
    flagged(client)
    (stored,) = rag.parts.store.answers(Reader())
    assert f'"principal": "{NAMES[0]}"' in stored.context
    assert '"client": "test/1' in stored.context
    assert "aaaaaaaa" not in stored.context
    assert NAMES[0] not in client.get("/api/answers", headers=READER).text


def test_readiness_says_when_answers_cannot_be_logged(client: TestClient, rag: Pipeline) -> None:
    assert client.get("/readyz").text == "ready\n"
    rag.parts.unlogged.count = 1
    ready = client.get("/readyz")
    assert (ready.status_code, ready.text) == (200, "ready, but answers cannot be logged\n")
