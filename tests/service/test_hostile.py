"""Clients that lie and documents that mean harm; uploads, and two processes on one database."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")
pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")

from fastapi.testclient import TestClient
from tests.pdf_files import PdfPage, write_pdf

from pincite import Document, Pipeline
from pincite.errors import ParseError
from pincite.parsers import parse
from pincite.service.app import create_app
from pincite.service.jobs import Job, Jobs
from pincite.service.settings import Service
from pincite.service.streams import Streams

TRASH = Document("trash", "A deleted file stays in the trash for 30 days.", title="Trash")
QUESTION = "How long does a deleted file stay in the trash?"


def service_of(model: Any = None, *, grace_s: float = 0.2, **options: Any) -> Service:
    rag = Pipeline(store="memory", embedder="none", **({"llm": model} if model else {}))
    rag.add(TRASH)
    return Service(rag, streams=Streams(options.pop("places", 5), grace_s=grace_s), **options)


def until(holds: Callable[[], bool], seconds: float = 8.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


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


@pytest.mark.parametrize(
    ("state", "status", "kind"),
    [
        ("too_large", 413, "document-too-large"),
        ("too_slow", 422, "document-unreadable"),
        ("broken", 422, "document-unreadable"),
    ],
)
def test_a_page_that_cannot_be_drawn_within_its_limits_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, state: str, status: int, kind: str
) -> None:
    from pincite.parsers.pdf import places

    def refuse(*args: Any, **options: Any) -> bytes:
        raise ParseError(
            "the page needs more memory than a file may have", where="/srv/secret.pdf", status=state
        )

    monkeypatch.setattr(places, "page_image", refuse)
    service = service_of()
    data = write_pdf(PdfPage().text(72, 700, "The ferry leaves at 9:15."))
    service.pipeline.add(*(replace(one, original=data) for one in parse(data, "ferry.pdf")))
    (doc_id,) = (one.info.doc_id for one in service.pipeline.documents() if one.info.format == "pdf")
    with TestClient(create_app(service), raise_server_exceptions=False) as client:
        got = client.get(f"/api/documents/{doc_id}/pages/0.png")
        assert (got.status_code, got.json()["type"]) == (status, f"/problems/{kind}")
        assert "secret" not in got.text
        assert client.get(f"/api/documents/{doc_id}/pages/7.png").status_code == 404


def test_a_picture_that_could_run_as_the_page_is_not_taken(client: TestClient) -> None:
    drawing = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    job_id = client.post("/api/documents", files={"file": ("x.svg", drawing)}).json()["job_id"]
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
