"""No address tells a reader anything of what is above their level: not its text, nor that it is there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")

from fastapi.testclient import TestClient

from pincite import Document, Pipeline
from pincite.service.app import create_app
from pincite.service.keys import Keys
from pincite.service.settings import Service

OPEN = (
    Document("trash", "A deleted file stays in the trash for 30 days.", title="Trash", access_level="public"),
    Document("pool", "The pool opens at 7 in the morning.", title="Pool", access_level="public"),
)
SECRETS = (
    Document(
        "kestrel",
        "Project Kestrel buys Zandvliet for 48,731 EUR.",
        title="Kestrel",
        access_level="confidential",
    ),
    Document(
        "quattro", "The Quattro ships from Plovdiv for 489 EUR.", title="Quattro", access_level="internal"
    ),
)
# That no question of a reader has: their own questions come back in their own history.
WORDS = {"confidential": ("zandvliet", "48,731", "48731"), "internal": ("plovdiv", "489")}
KEYS = {
    "public": "public:aaaaaaaaaaaaaaaa",
    "internal": "internal:bbbbbbbbbbbbbbbb",
    "confidential": "confidential+write:cccccccccccccccc",
}
HIDDEN = {"public": ("internal", "confidential"), "internal": ("confidential",), "confidential": ()}
QUESTIONS = (
    "What does Project Kestrel buy?",
    "Where does the Quattro ship from?",
    "How long are deleted files kept?",
)

# Whatever a reader can send. {secret} is an id that is hidden from some.
CALLS: tuple[tuple[str, str, Any], ...] = (
    *(("POST", "/chat", {"question": question}) for question in QUESTIONS),
    *(("POST", "/chat", {"question": question, "stream": "draft"}) for question in QUESTIONS),
    *(("POST", "/chat", {"question": question, "access": "confidential"}) for question in QUESTIONS),
    *(("POST", "/api/search", {"query": question, "top_k": 100}) for question in QUESTIONS),
    ("POST", "/api/search", {"query": "EUR", "filters": {"doc_id": "kestrel"}}),
    *(
        (
            "POST",
            "/v1/chat/completions",
            {"messages": [{"role": "user", "content": question}], "stream": stream},
        )
        for question in QUESTIONS
        for stream in (False, True)
    ),
    ("GET", "/api/documents", None),
    ("GET", "/api/documents?access=confidential", None),
    ("GET", "/api/answers", None),
    ("GET", "/api/answers?q=kestrel", None),
    ("GET", "/api/answers?since=7d&status=answered", None),
    ("GET", "/api/reviews?decided=false", None),
    ("GET", "/api/reviews?access=confidential", None),
    ("GET", "/api/config", None),
    ("GET", "/api/evals", None),
    ("GET", "/api/evals?access=confidential", None),
    ("POST", "/api/evals", {"golden": "samples", "limit": 1}),
    ("GET", "/api/jobs", None),
    ("GET", "/api/feedback", None),
    ("POST", "/chat", {"question": QUESTIONS[0], "include": ["prompt", "raw", "retrieved"]}),
    ("POST", "/chat", {"question": QUESTIONS[1], "stream": "aisdk"}),
    *(
        ("POST", f"/chat?profile={name}", {"question": QUESTIONS[0]})
        for name in ("numbered-000", "audited-001")
    ),
    ("GET", "/metrics", None),
    ("GET", "/readyz", None),
    ("GET", "/openapi.json", None),
    *(
        ("GET", path.format(secret=secret), None)
        for secret in ("kestrel", "quattro", "nothing")
        for path in (
            "/api/documents/{secret}",
            "/api/documents/{secret}/text",
            "/api/documents/{secret}/content",
            "/api/documents/{secret}/pages/0.png",
            "/api/chunks/{secret}-chunk-0",
            "/api/chunks/{secret}-chunk-0?before=5&after=5",
        )
    ),
)


def client_of(*documents: Document) -> TestClient:
    rag = Pipeline(store="memory", embedder="none")
    rag.add(*documents)
    return TestClient(
        create_app(Service(rag, keys=Keys(tuple(KEYS.values())))), raise_server_exceptions=False
    )


@pytest.fixture
def full() -> Iterator[TestClient]:
    with client_of(*OPEN, *SECRETS) as client:
        # Answers of those who may see everything are in the log, too.
        for question in QUESTIONS:
            client.post("/chat", json={"question": question}, headers=header("confidential"))
        yield client


def header(level: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {KEYS[level].partition(':')[2]}"}


def told(client: TestClient, level: str, method: str, path: str, body: Any) -> str:
    """Status, headers and body, without what differs from call to call."""
    got = client.request(method, path, json=body, headers={**header(level), "X-Request-Id": "same"})
    headers = sorted((name, value) for name, value in got.headers.items() if name != "content-length")
    text = re.sub(r"ans_\w+|[0-9a-f]{24}:|chatcmpl-\w+", "ID", got.text)
    text = re.sub(r'"(created_at|added_at|created|timing_ms)": ?("[^"]*"|\d+|\{[^}]*\})', "TIME", text)
    if path.startswith("/api/answers"):
        # Answers of one second come in the order of their ids, which are made by chance.
        items = sorted(got.json()["items"], key=lambda one: one["question"])
        text = json.dumps([{**one, "id": "", "created_at": "", "conversation_id": None} for one in items])
    return json.dumps([got.status_code, headers, text], ensure_ascii=False)


@pytest.mark.parametrize("level", ["public", "internal"])
def test_no_word_of_a_hidden_document_comes_out(full: TestClient, level: str) -> None:
    for method, path, body in CALLS:
        seen = told(full, level, method, path, body).casefold()
        for hidden in HIDDEN[level]:
            for word in WORDS[hidden]:
                assert word not in seen, (method, path, body, word)


@pytest.mark.parametrize("level", ["public", "internal"])
def test_every_reply_is_that_of_a_service_without_the_hidden_documents(full: TestClient, level: str) -> None:
    visible = [one for one in SECRETS if one.access_level not in HIDDEN[level]]
    with client_of(*OPEN, *visible) as bare:
        for method, path, body in CALLS:
            if path == "/metrics":
                continue  # counts what everybody asked; only writing keys may read it, see below
            assert told(full, level, method, path, body) == told(bare, level, method, path, body), (
                path,
                body,
            )


def test_counts_of_all_readers_are_for_those_who_run_the_service(full: TestClient) -> None:
    assert full.get("/metrics", headers=header("internal")).status_code == 403
    assert full.get("/metrics", headers=header("confidential")).status_code == 200


def test_a_hidden_document_can_be_neither_removed_nor_noticed(full: TestClient) -> None:
    for level in ("public", "internal"):
        for name in ("kestrel", "nothing"):
            assert full.delete(f"/api/documents/{name}", headers=header(level)).status_code == 403
