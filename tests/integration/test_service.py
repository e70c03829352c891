"""The service on a socket of this machine: clients that go away or dawdle, and its end in the middle of work."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")
pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")

from pincite import Document, Pipeline
from pincite.ports import Delta, ModelRequest
from pincite.service import limits, server
from pincite.service.app import create_app
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


# --- the end ---


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
