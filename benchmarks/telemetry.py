"""What telemetry costs a request: the loop of loop.py, off and on, in turn.

    python benchmarks/telemetry.py [--rounds N] [--json]

Five ways to ask the same question:

    bare       the walk without its hooks for telemetry, as it was before there were any: the dumbest way to cost nothing
    off        telemetry off, which is the default
    off again  the same once more: what differs between the two is noise
    memory     on; spans, events and measures are kept in this process
    collector  on; sent over OTLP/HTTP to a receiver in a process of its own, on this machine

Each request is asked in all ways before the next, the first of them in turn. `request_ms` is wall-clock time, `thread_ms`
processor time of the thread that asks, which other work on the machine hardly moves; medians. `over_off_%` compares the
`thread_ms` of each request with that of `off` a moment before or after: the median, and the middle 95 % of 2,000
bootstrapped medians. `sending_ms` is what a thread of the SDK does later: processor time to encode and
send what the requests of a round told, for each of them.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

import damage
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from pincite import Pipeline, walk
from pincite.events import Event
from pincite.llms.scripted import ScriptedModel
from pincite.otel import OtelTelemetry, open_otel
from pincite.samples import samples_dir

ROUNDS = 30
WAYS = ("bare", "off", "off again", "memory", "collector")

RECEIVER = """
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200); self.send_header("content-length", "0"); self.end_headers()
    def log_message(self, *_): pass
running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(running.server_port, flush=True)
running.serve_forever()
"""


def asks(rag: Pipeline) -> list[tuple[str, str, str]]:
    """Questions with the two replies of the model, one in three damaged, as loop.py has them."""
    made = []
    for index, (question, statements) in enumerate(damage.BASE):
        hits = rag.retrieve(question)
        ids = [next(f"c-{hit.rank}" for hit in hits if quote in hit.chunk.text) for _, quote in statements]
        reply = damage.damaged(("altered number", "wrong id", "broken JSON")[index % 3], index, ids)
        made.append((question, reply.first, reply.second))
    return made


def without_hooks() -> Callable[[], None]:
    """Take the hooks out of the walk; gives what puts them back."""
    hooked = walk.Walk.watched

    def bare(self: Any, events: Generator[Event]) -> Generator[Event]:
        return events

    walk.Walk.watched = bare  # type: ignore[method-assign]

    def put_back() -> None:
        walk.Walk.watched = hooked  # type: ignore[method-assign]

    return put_back


def flushed(telemetry: OtelTelemetry | None) -> None:
    for queue in () if telemetry is None else telemetry._queues:
        queue.force_flush()


def bootstrapped(ratios: list[float], draws: int = 2_000) -> tuple[float, float]:
    """The middle 95 % of the medians of samples as large as this one."""
    chance = random.Random(1)
    medians = sorted(statistics.median(chance.choices(ratios, k=len(ratios))) for _ in range(draws))
    return medians[int(0.025 * draws)], medians[int(0.975 * draws)]


def main() -> None:
    rounds = int(sys.argv[sys.argv.index("--rounds") + 1]) if "--rounds" in sys.argv else ROUNDS
    # Nothing is sent but when it is measured.
    for name in ("OTEL_BSP_SCHEDULE_DELAY", "OTEL_BLRP_SCHEDULE_DELAY", "OTEL_METRIC_EXPORT_INTERVAL"):
        os.environ[name] = "3600000"
    receiver = subprocess.Popen([sys.executable, "-c", RECEIVER], stdout=subprocess.PIPE, text=True)
    assert receiver.stdout is not None
    address = f"http://127.0.0.1:{receiver.stdout.readline().strip()}"
    rag = Pipeline(store="memory", embedder="none")
    rag.add(samples_dir() / "en")
    asked = asks(rag)
    spans = InMemorySpanExporter()
    events = InMemoryLogRecordExporter()
    listening: dict[str, OtelTelemetry | None] = dict.fromkeys(WAYS)
    listening["memory"] = OtelTelemetry(spans=spans, events=events, metrics=InMemoryMetricReader())
    listening["collector"] = open_otel(address)
    wall: dict[str, list[float]] = {way: [] for way in WAYS}
    thread: dict[str, list[float]] = {way: [] for way in WAYS}
    sending: dict[str, list[float]] = {way: [] for way in WAYS}

    def ask(way: str, question: str, replies: tuple[str, str], *, counts: bool) -> None:
        put_back = without_hooks() if way == "bare" else lambda: None
        parts = replace(rag.parts, serialise=None, telemetry=listening[way], model=ScriptedModel(replies))
        pipeline = Pipeline(parts, rag.settings)
        begun, busy = time.perf_counter(), time.thread_time()
        pipeline.ask(question)
        ended, done = time.perf_counter(), time.thread_time()
        put_back()
        if counts:
            wall[way].append(ended - begun)
            thread[way].append(done - busy)

    def send(way: str, *, counts: bool) -> None:
        before = time.thread_time()
        flushed(listening[way])
        if counts:
            sending[way].append((time.thread_time() - before) / len(asked))
        spans.clear()
        events.clear()

    try:
        for turn in range(rounds + 1):
            for index, (question, first, second) in enumerate(asked):
                for place in range(len(WAYS)):
                    way = WAYS[(turn + index + place) % len(WAYS)]
                    ask(way, question, (first, second), counts=turn > 0)  # the first round reads tables
            for way in WAYS:
                send(way, counts=turn > 0)
    finally:
        for telemetry in listening.values():
            if telemetry is not None:
                telemetry.close()
        receiver.terminate()
        receiver.wait(10)

    found: dict[str, Any] = {"requests": len(wall["off"])}
    for way in WAYS:
        ratios = [100 * (one / off - 1) for one, off in zip(thread[way], thread["off"], strict=True)]
        low, high = bootstrapped(ratios)
        found[way] = {
            "request_ms": round(1_000 * statistics.median(wall[way]), 2),
            "over_off_%": round(statistics.median(ratios), 2),
            "ci95_%": (round(low, 2), round(high, 2)),
            "thread_ms": round(1_000 * statistics.median(thread[way]), 2),
            "sending_ms": round(1_000 * statistics.median(sending[way]), 2),
        }
    print(
        json.dumps(found)
        if "--json" in sys.argv
        else "\n".join(f"{one}: {value}" for one, value in found.items())
    )


if __name__ == "__main__":
    main()
