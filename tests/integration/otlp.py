"""A small collector for tests: takes OTLP over HTTP on this machine, and keeps what it was told."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass
class Collector:
    """What came, by path. ``statuses`` are the answers to a path; while ``going`` is not set, every request waits."""

    address: str = ""
    bodies: list[tuple[str, bytes]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    statuses: dict[str, int] = field(default_factory=dict)
    going: threading.Event = field(default_factory=threading.Event)

    def spans(self) -> list[Any]:
        return [
            span
            for path, body in tuple(self.bodies)
            if path == "/v1/traces"
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def resources(self) -> list[dict[str, str]]:
        return [
            values_of(resource.resource.attributes)
            for path, body in tuple(self.bodies)
            if path == "/v1/traces"
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        ]

    def events(self) -> list[Any]:
        return [
            record
            for path, body in tuple(self.bodies)
            if path == "/v1/logs"
            for resource in ExportLogsServiceRequest.FromString(body).resource_logs
            for scope in resource.scope_logs
            for record in scope.log_records
        ]

    def metrics(self) -> dict[str, Any]:
        return {
            metric.name: metric
            for path, body in tuple(self.bodies)
            if path == "/v1/metrics"
            for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }


def values_of(attributes: Any) -> dict[str, Any]:
    """Attributes of a protobuf message as a dictionary."""
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}


@contextmanager
def collector() -> Iterator[Collector]:
    """A collector that is up; ``going.clear()`` lets it hang."""
    found = Collector()
    found.going.set()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            found.going.wait(30)
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            status = found.statuses.get(self.path, 200)
            if status == 200:
                found.headers.append(dict(self.headers.items()))
                found.bodies.append((self.path, body))
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.daemon_threads = True
        found.address = f"http://127.0.0.1:{running.server_port}"
        threading.Thread(target=running.serve_forever, daemon=True).start()
        try:
            yield found
        finally:
            found.going.set()
            running.shutdown()
