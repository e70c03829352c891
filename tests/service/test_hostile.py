"""Clients that go away, dawdle or lie; documents that mean harm; an end in the middle of work."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")
pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")

from fastapi.testclient import TestClient

from pincite import Document, Pipeline
from pincite.ports import Delta, ModelRequest
from pincite.service import limits, server
from pincite.service.app import create_app
from pincite.service.jobs import Job, Jobs
from pincite.service.settings import Service
from pincite.service.streams import Streams

TRASH = Document("trash", "A deleted file stays in the trash for 30 days.", title="Trash")
QUESTION = "How long does a deleted file stay in the trash?"
LINE = '{"statement": "Deleted files stay for 30 days [c-1].", "quotes": [{"id": "c-1", "quote": "for 30 days"}]}\n'


class SlowModel:
    """Says one sentence, and then goes on in pieces that never become another. ``closed`` when it was told to stop."""

    def __init__(self) -> None:
        self.closed = threading.Event()
        self.begun = threading.Event()

    def __call__(self, request: ModelRequest) -> Iterator[Delta]:
        try:
            yield Delta(LINE)
            self.begun.set()
            for _ in range(3_000):
                time.sleep(0.01)
                yield Delta(" ")
        finally:
            self.closed.set()


def service_of(model: Any = None, *, grace_s: float = 0.2, **options: Any) -> Service:
    rag = Pipeline(store="memory", embedder="none", **({"llm": model} if model else {}))
    rag.add(TRASH)
    return Service(rag, streams=Streams(options.pop("places", 5), grace_s=grace_s), **options)


@contextmanager
def running(service: Service) -> Iterator[tuple[int, Any]]:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    one = server.server_of(create_app(service), host="127.0.0.1", port=port)
    thread = threading.Thread(target=one.run, daemon=True)
    thread.start()
    until(lambda: one.started)
    try:
        yield port, one
    finally:
        one.should_exit = True
        thread.join(15)
        assert not thread.is_alive()


def until(holds: Callable[[], bool], seconds: float = 8.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


def request_bytes(body: dict[str, Any], path: str = "/chat") -> bytes:
    data = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    return head.encode() + data


# --- clients that go away -----------------------------------------------------------------------

MESSAGES = {"messages": [{"role": "user", "content": QUESTION}]}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/chat", {"question": QUESTION, "stream": True}),
        ("/chat", {"question": QUESTION}),
        ("/v1/chat/completions", {**MESSAGES, "stream": True}),
        ("/v1/chat/completions", MESSAGES),
    ],
)
def test_a_client_that_goes_away_stops_the_model_and_gives_its_place_back(
    path: str, body: dict[str, Any]
) -> None:
    model = SlowModel()
    service = service_of(model)
    with running(service) as (port, _):
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(request_bytes(body, path))
        assert model.begun.wait(8)
        client.close()
        assert model.closed.wait(8)
        until(lambda: service.streams.running == 0)


@pytest.mark.parametrize("share", [0.1, 0.4, 0.7, 0.95])
def test_a_client_may_break_off_anywhere_in_its_request(share: float) -> None:
    whole = request_bytes({"question": QUESTION, "stream": True})
    service = service_of()
    with running(service) as (port, _):
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(whole[: int(share * len(whole))])
        client.close()
        with socket.create_connection(("127.0.0.1", port)) as other:
            other.sendall(whole)
            assert other.recv(15) == b"HTTP/1.1 200 OK"
        until(lambda: service.streams.running == 0)


def test_who_comes_back_within_the_grace_time_misses_nothing() -> None:
    model = SlowModel()
    service = service_of(model, grace_s=5)
    with running(service) as (port, _):
        import httpx

        def read(last: str, most: int) -> list[str]:
            ids: list[str] = []
            with httpx.stream(
                "POST",
                f"http://127.0.0.1:{port}/chat",
                json={"question": QUESTION, "stream": True},
                headers={"Last-Event-ID": last} if last else {},
                timeout=10,
            ) as got:
                for line in got.iter_lines():
                    if line.startswith("id: "):
                        ids.append(line.removeprefix("id: "))
                        if len(ids) == most:
                            return ids
            return ids

        first = read("", 2)
        rest = read(first[-1], 2)
        assert [one.partition(":")[2] for one in first + rest] == ["1", "2", "3", "4"]
        assert not model.closed.is_set()


# --- clients that dawdle ------------------------------------------------------------------------


def test_headers_that_never_end_end_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HEADER_SECONDS", 0.2)
    with running(service_of()) as (port, _), socket.create_connection(("127.0.0.1", port)) as client:
        client.settimeout(8)
        client.sendall(b"GET /healthz HTTP/1.1\r\nX-A: ")
        assert client.recv(100) == b""


def test_headers_of_a_second_request_are_not_waited_for_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HEADER_SECONDS", 0.2)
    with running(service_of()) as (port, _), socket.create_connection(("127.0.0.1", port)) as client:
        client.settimeout(8)
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        until(lambda: b"ok\n" in client.recv(4_000))
        client.sendall(b"GET /he")
        assert client.recv(100) == b""


def test_a_body_that_stops_coming_is_a_408(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BODY_SECONDS", 0.2)
    with running(service_of()) as (port, _), socket.create_connection(("127.0.0.1", port)) as client:
        client.settimeout(8)
        client.sendall(request_bytes({"question": QUESTION})[:-5])
        assert client.recv(12) == b"HTTP/1.1 408"


def test_headers_that_are_too_large_are_refused() -> None:
    with running(service_of()) as (port, _), socket.create_connection(("127.0.0.1", port)) as client:
        client.settimeout(8)
        client.sendall(b"GET /healthz HTTP/1.1\r\nX-A: " + b"a" * 200_000)
        assert client.recv(12) in (b"HTTP/1.1 400", b"HTTP/1.1 431")


# --- what they send -----------------------------------------------------------------------------


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(create_app(service_of()), raise_server_exceptions=False) as found:
        yield found


def test_ten_thousand_sources_are_refused_before_any_is_read(client: TestClient) -> None:
    got = client.post("/api/verify", json={"answer": "x", "sources": ["y"] * 10_000})
    assert got.status_code == 422


def finished(client: TestClient, job_id: str) -> dict[str, Any]:
    until(lambda: client.get(f"/api/jobs/{job_id}").json()["state"] not in ("queued", "running"))
    told: dict[str, Any] = client.get(f"/api/jobs/{job_id}").json()
    return told


HOSTILE_IDS = [
    "a/b",
    "../../etc/passwd",
    "a\x00b",
    "a b",
    "é",
    "a?b#c",
    '"><script>',
    "x" * 3_000,
    "content",
    "a/content",
]


@pytest.mark.parametrize("doc_id", HOSTILE_IDS)
def test_a_document_is_reached_whatever_its_id(client: TestClient, doc_id: str) -> None:
    from urllib.parse import quote

    path = f"/api/documents/{quote(doc_id, safe='')}"
    assert client.get(path).status_code == 404
    assert client.delete(path).status_code == 404
    body = {"doc_id": doc_id, "title": "t", "url": "", "text": "Ice melts at 0 °C."}
    job_id = client.post("/api/documents", json=body).json()["job_id"]
    if finished(client, job_id)["state"] == "failed":
        return  # the parser of documents takes no such id
    if doc_id not in ("content", "a/content"):
        assert client.get(path).json()["doc_id"] == doc_id
    assert client.get(f"{path}/text").json()["text"] == "Ice melts at 0 °C."


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e%2fapp.py",
        "/static/..%5capp.py",
        "/static/main.js%00",
        "/static/.js",
    ],
)
def test_nothing_beside_the_page_is_served(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


HOSTILE_NAMES = [
    'a"; filename=evil.html',
    "a\r\nX-Evil: 1",
    "../../etc/passwd.txt",
    "\u202egnp.txt",
    "日本.txt",
    "a" * 5_000 + ".txt",
    "\x00.txt",
]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_name_or_title_never_becomes_a_header(name: str) -> None:
    service = service_of()
    service.pipeline.add(Document("evil", "Ice melts.", title=name, original=b"Ice melts."))
    with TestClient(create_app(service), raise_server_exceptions=False) as client:
        got = client.get("/api/documents/evil/content")
    assert got.status_code == 200
    assert "x-evil" not in got.headers
    shown = got.headers["content-disposition"]
    assert shown.count('"') == 2
    assert (
        "evil.html" not in shown.partition("filename*")[0]
        or "evil.html" in shown.partition(";")[2].partition(";")[0]
    )
    assert all(32 <= ord(char) < 127 for char in shown)


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "https://a\nb", "file:///etc/passwd"]
)
def test_an_address_that_is_none_of_the_web_is_no_link(url: str) -> None:
    service = service_of()
    service.pipeline.add(Document("evil", "The ferry to Ostwick leaves at 9:15.", title="<b>", url=url))
    with TestClient(create_app(service)) as client:
        answer = client.post("/chat", json={"question": "When does the ferry to Ostwick leave?"}).json()
        page = client.get(f"/api/answers/{answer['id']}?format=html").text
        parts = client.post("/chat", json={"question": "When does the ferry leave?", "stream": "aisdk"}).text
    assert "href='javascript" not in page
    assert "href='data" not in page
    assert "href='file" not in page
    assert "<b>" not in page
    assert "source-url" not in parts


def test_a_document_on_this_machine_is_not_read_by_its_address(client: TestClient, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The code is 4711.", "utf-8")
    for url in (str(secret), secret.as_uri(), "secret.txt", "ftp://example.org/x", " /etc/hosts"):
        assert client.post("/api/documents", json={"url": url}).status_code == 422, url


def test_what_stands_on_the_servers_own_network_is_not_fetched(client: TestClient) -> None:
    for url in ("http://127.0.0.1:1/x", "http://[::1]:1/x", "http://localhost:1/"):
        job_id = client.post("/api/documents", json={"url": url}).json()["job_id"]
        assert finished(client, job_id)["state"] == "failed"


# --- work and its end ---------------------------------------------------------------------------


def test_an_upload_that_waits_can_be_cancelled() -> None:
    go = threading.Event()
    jobs = Jobs()

    def slow(job: Job) -> None:
        go.wait(8)
        job.set(state="ready")

    first = jobs.add("me", "first", slow)
    waiting = jobs.add("me", "second", lambda job: job.set(state="ready"))
    assert first is not None
    assert waiting is not None
    assert jobs.cancel(waiting)
    go.set()
    until(lambda: first.finished)
    assert not jobs.cancel(first)
    assert (first.state, waiting.state) == ("ready", "cancelled")


def test_a_service_that_ends_stops_what_is_being_written() -> None:
    model = SlowModel()
    service = service_of(model, grace_s=60)
    with running(service) as (port, one):
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(request_bytes({"question": QUESTION, "stream": True}))
        assert model.begun.wait(8)
        one.config.timeout_graceful_shutdown = 1
        one.should_exit = True
        assert model.closed.wait(8)
        client.close()
    assert service.streams.start("me", lambda stream: iter(())) is None  # type: ignore[arg-type, return-value]


def test_two_processes_share_a_database(tmp_path: Path) -> None:
    path = tmp_path / "both.db"
    with Pipeline(store=path, embedder="none") as one, Pipeline(store=path, embedder="none") as other:
        one.add(TRASH)
        with TestClient(create_app(Service(one))) as first, TestClient(create_app(Service(other))) as second:
            answer = first.post("/chat", json={"question": QUESTION}).json()
            assert second.get(f"/api/answers/{answer['id']}").json()["text"] == answer["text"]
            other.add(Document("pool", "The pool opens at 7 in the morning."))
            assert "at 7" in first.post("/chat", json={"question": "When does the pool open?"}).json()["text"]
            assert first.delete("/api/documents/trash").status_code == 204
            assert second.get("/api/chunks/trash-chunk-0").status_code == 404
