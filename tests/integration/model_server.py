"""A model's server for tests, on this machine only: it sends what it was told to, byte for byte, and keeps what it saw."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

EVENTS = "text/event-stream; charset=utf-8"


@dataclass(frozen=True)
class Reply:
    """One reply. ``chunks`` are bytes to send and seconds to wait; ``broken``: the connection ends in the middle;
    ``endless``: the last chunk comes again and again until the other side has had enough."""

    chunks: Sequence[bytes | float] = ()
    status: int = 200
    content_type: str = EVENTS
    headers: tuple[tuple[str, str], ...] = ()
    broken: bool = False
    endless: bool = False


@dataclass
class Seen:
    """What reached the server: bodies and headers of the requests, and whether the client hung up on a reply."""

    address: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    hung_up: threading.Event = field(default_factory=threading.Event)


@contextmanager
def model_server(*replies: Reply) -> Iterator[Seen]:
    """Gives the replies in turn, the last one again and again."""
    seen = Seen()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            seen.bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            seen.headers.append({name.lower(): value for name, value in self.headers.items()})
            seen.paths.append(self.path)
            reply = replies[min(len(seen.bodies), len(replies)) - 1]
            self.close_connection = True
            try:
                self._send(reply)
            except OSError:
                seen.hung_up.set()

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            self.send_header("content-type", reply.content_type)
            self.send_header("transfer-encoding", "chunked")
            self.send_header("connection", "close")
            for name, value in reply.headers:
                self.send_header(name, value)
            self.end_headers()
            for chunk in reply.chunks:
                self._chunk(chunk)
            while reply.endless:
                self._chunk(reply.chunks[-1])
                time.sleep(0.01)
            if not reply.broken:
                self.wfile.write(b"0\r\n\r\n")

        def _chunk(self, chunk: bytes | float) -> None:
            if isinstance(chunk, bytes):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                self.wfile.flush()
            else:
                time.sleep(chunk)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.daemon_threads = True
        threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        seen.address = f"http://127.0.0.1:{running.server_port}"
        try:
            yield seen
        finally:
            running.shutdown()


def event(data: object, name: str = "") -> bytes:
    """One server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


# --- as OpenAI's servers write ------------------------------------------------------------------

DONE = b"data: [DONE]\n\n"


def words(text: str) -> bytes:
    """A piece of a chat completion."""
    return _chat({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})


def finished(reason: str = "stop", usage: tuple[int, int] | None = None) -> bytes:
    """The end of a chat completion, as the API sends it: the reason, the usage, the sign."""
    end = _chat({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    counted = b""
    if usage:
        tokens = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
        counted = _chat({"choices": [], "usage": tokens})
    return end + counted + DONE


def _chat(values: dict[str, Any]) -> bytes:
    frame = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return event({**frame, **values})


def chat(text: str, *, reason: str = "stop", usage: tuple[int, int] | None = None) -> Reply:
    """A whole streamed completion in pieces of 9 characters."""
    role = _chat({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})
    pieces = [words(text[start : start + 9]) for start in range(0, len(text), 9)]
    return Reply((role, *pieces, finished(reason, usage)))


def refusal(status: int, message: str, *, code: str = "", headers: tuple[tuple[str, str], ...] = ()) -> Reply:
    """An error as OpenAI's servers send it."""
    body = {
        "error": {"message": message, "type": "invalid_request_error", "param": None, "code": code or None}
    }
    return Reply((json.dumps(body).encode(),), status, "application/json", headers)


# --- as Anthropic's servers write ---------------------------------------------------------------


def message(*blocks: Sequence[dict[str, Any]], reason: str = "end_turn", whole: bool = True) -> Reply:
    """A streamed message; each block is a list of deltas."""
    usage = {"input_tokens": 20, "cache_read_input_tokens": 5, "output_tokens": 1}
    start = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": "m",
        "usage": usage,
    }
    chunks = [
        event({"type": "message_start", "message": start}, "message_start"),
        event({"type": "ping"}, "ping"),
    ]
    for index, deltas in enumerate(blocks):
        block = {"type": "text", "text": ""}
        began = {"type": "content_block_start", "index": index, "content_block": block}
        chunks.append(event(began, "content_block_start"))
        for delta in deltas:
            chunks.append(
                event({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta")
            )
        chunks.append(event({"type": "content_block_stop", "index": index}, "content_block_stop"))
    if whole:
        end = {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 7}}
        chunks += [event(end, "message_delta"), event({"type": "message_stop"}, "message_stop")]
    return Reply(tuple(chunks))


def tool_input(text: str) -> list[dict[str, Any]]:
    """The deltas of a tool's input."""
    return [
        {"type": "input_json_delta", "partial_json": text[start : start + 11]}
        for start in range(0, len(text), 11)
    ]


def prose(text: str, *citations: tuple[int, str]) -> list[dict[str, Any]]:
    """The deltas of a block of text with the provider's own citations."""
    cited = [
        {
            "type": "citations_delta",
            "citation": {
                "type": "char_location",
                "cited_text": quote,
                "document_index": place,
                "document_title": None,
                "file_id": None,
                "start_char_index": 0,
                "end_char_index": len(quote),
            },
        }
        for place, quote in citations
    ]
    return [{"type": "text_delta", "text": text}, *cited]


def failure(status: int, kind: str, said: str, headers: tuple[tuple[str, str], ...] = ()) -> Reply:
    """An error as Anthropic's servers send it."""
    body = {"type": "error", "error": {"type": kind, "message": said}}
    return Reply((json.dumps(body).encode(),), status, "application/json", headers)
