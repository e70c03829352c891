"""A small HTTP server for tests, on this machine only."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, Any]


@contextmanager
def server(answer: Callable[[dict[str, Any]], Answer]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Answers every POST; yields its address and the bodies it was sent."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            status, body = answer(asked[-1])
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{running.server_port}/v1", asked
        finally:
            running.shutdown()
