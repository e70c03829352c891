"""A server on this machine that answers as Qdrant's REST API does for the calls that are made to it, and fails on request.

The work is done by the client's local mode; what is tested is what goes over the wire, and what comes back when it fails.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from qdrant_client import QdrantClient, models

Fault = Callable[[str, str], "tuple[int, bytes] | None"]
"""Method and path to what is sent in place of an answer: a status and a body; status 0 closes the connection."""


class RestServer:
    """``url`` while it runs. ``calls`` are the requests so far: method, path, body."""

    def __init__(self, key: str | None = None) -> None:
        self.local = QdrantClient(":memory:")
        self.key = key
        self.calls: list[tuple[str, str, dict[str, Any]]] = []
        self.fault: Fault | None = None
        self.delay_s = 0.0
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def _any(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length) or b"{}")
                path = self.path.partition("?")[0]
                if server.key is not None and self.headers.get("api-key") != server.key:
                    return self._send(403, b'{"status":{"error":"forbidden"},"time":0}')
                server.calls.append((self.command, self.path, body))
                time.sleep(server.delay_s)
                faulty = server.fault(self.command, path) if server.fault else None
                if faulty is not None:
                    if faulty[0] == 0:
                        self.close_connection = True
                        self.connection.close()
                        return None
                    return self._send(*faulty)
                try:
                    with server._lock:
                        result = server.answer(self.command, path, body)
                except KeyError:
                    return self._send(404, b'{"status":{"error":"Not found"},"time":0}')
                except ValueError as error:
                    said = json.dumps({"status": {"error": str(error)}, "time": 0})
                    return self._send(404 if "not found" in str(error) else 400, said.encode())
                return self._send(200, json.dumps({"result": result, "status": "ok", "time": 0.0}).encode())

            def _send(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_PUT = do_POST = do_DELETE = _any

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def answer(self, method: str, path: str, body: dict[str, Any]) -> Any:
        """What a server would put into ``result``."""
        _, _, name, *rest = path.split("/")
        return {
            ("GET", "exists"): self._exists,
            ("GET", ""): self._about,
            ("PUT", ""): self._create,
            ("DELETE", ""): self._drop,
            ("PUT", "index"): lambda *_: _DONE,
            ("PUT", "points"): self._upsert,
            ("POST", "points"): self._retrieve,
            ("POST", "points/payload"): self._set_payload,
            ("POST", "points/delete"): self._delete,
            ("POST", "points/query"): self._query,
            ("POST", "points/scroll"): self._scroll,
            ("POST", "points/count"): self._count,
        }[method, "/".join(rest)](name, body)

    def _exists(self, name: str, _: dict[str, Any]) -> Any:
        return {"exists": self.local.collection_exists(name)}

    def _about(self, name: str, _: dict[str, Any]) -> Any:
        return json.loads(self.local.get_collection(name).model_dump_json())

    def _create(self, name: str, body: dict[str, Any]) -> Any:
        wanted = models.CreateCollection(**body)
        return self.local.create_collection(
            name, vectors_config=wanted.vectors, sparse_vectors_config=wanted.sparse_vectors
        )

    def _drop(self, name: str, _: dict[str, Any]) -> Any:
        return self.local.delete_collection(name)

    def _upsert(self, name: str, body: dict[str, Any]) -> Any:
        wanted = models.PointsList(**body)
        self.local.upsert(name, wanted.points, update_filter=wanted.update_filter)
        return _DONE

    def _retrieve(self, name: str, body: dict[str, Any]) -> Any:
        return _dumped(self.local.retrieve(name, body["ids"], with_payload=body["with_payload"]))

    def _set_payload(self, name: str, body: dict[str, Any]) -> Any:
        self.local.set_payload(name, body["payload"], points=models.Filter(**body["filter"]))
        return _DONE

    def _delete(self, name: str, body: dict[str, Any]) -> Any:
        self.local.delete(name, models.FilterSelector(filter=models.Filter(**body["filter"])))
        return _DONE

    def _query(self, name: str, body: dict[str, Any]) -> Any:
        wanted = models.QueryRequest(**body)
        query = wanted.query.nearest if isinstance(wanted.query, models.NearestQuery) else wanted.query
        found = self.local.query_points(
            name, query=query, using=wanted.using, query_filter=wanted.filter, limit=wanted.limit,
            with_payload=False,
        )  # fmt: skip
        return {"points": _dumped(found.points)}

    def _scroll(self, name: str, body: dict[str, Any]) -> Any:
        wanted = models.ScrollRequest(**body)
        found, following = self.local.scroll(
            name, limit=wanted.limit, offset=wanted.offset, with_payload=wanted.with_payload
        )
        return {"points": _dumped(found), "next_page_offset": following}

    def _count(self, name: str, body: dict[str, Any]) -> Any:
        return {"count": self.local.count(name, models.CountRequest(**body).filter).count}


_DONE = {"operation_id": 1, "status": "completed"}


def _dumped(found: Any) -> Any:
    return [json.loads(one.model_dump_json()) for one in found]


@contextmanager
def serving(key: str | None = None) -> Iterator[RestServer]:
    """A server for as long as the block runs."""
    server = RestServer(key)
    try:
        yield server
    finally:
        server.close()
