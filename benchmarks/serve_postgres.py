"""Two services on one PostgreSQL: streams on both at once, and documents that come through one and are asked for at the other.

    python benchmarks/serve_postgres.py [--seconds 30] [--streams 20] [--chunks 10000]

The streams of `benchmarks/serve.py`, half of them at each service, while every two seconds a document is sent to one service,
and, once its job is done, asked for at the other: the first answer must cite it. Told are answers, errors, streams with lost events,
documents found at the first question, and at the end what `problems()` finds. The dumbest rule beside it: a service that keeps what it
found at its start finds none of them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import serve

sys.path.insert(0, str(Path(__file__).parents[1]))  # the servers of the tests
from tests import postgres_server

PORTS = (8771, 8772)


def post(port: int, path: str, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as reply:
        return dict(json.load(reply))


def get(port: int, path: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as reply:
        return dict(json.load(reply))


def through_one_to_the_other(number: int) -> bool:
    """Add a document through one service; whether the other one's first answer cites it."""
    here, there = PORTS[number % 2], PORTS[(number + 1) % 2]
    name = serve.town(9_999 - number)
    text = f"The observatory of {name} has {30 + number} telescopes and is closed on Mondays."
    job = post(
        here,
        "/api/documents",
        {"doc_id": f"new-{number}", "title": f"Observatory of {name}", "url": "", "text": text},
    )
    while (found := get(here, f"/api/jobs/{job['job_id']}"))["state"] not in ("ready", "failed", "cancelled"):
        time.sleep(0.02)
    answer = post(there, "/chat", {"question": f"How many telescopes has the observatory of {name}?"})
    return found["state"] == "ready" and any(one["doc_id"] == f"new-{number}" for one in answer["citations"])


async def streams(parallel: int, seconds: float, chunks: int) -> list[tuple[float, bool, bool]]:
    until = time.monotonic() + seconds
    found: list[tuple[float, bool, bool]] = []

    async def one(seed: int) -> None:
        chance = random.Random(seed)
        while time.monotonic() < until:
            try:
                found.append(await serve.ask(serve.question(chance, chunks), PORTS[seed % 2]))
            except OSError:
                found.append((float("nan"), False, False))

    async def adding() -> None:
        number = 0
        while time.monotonic() < until:
            came.append(await asyncio.to_thread(through_one_to_the_other, number))
            number += 1
            await asyncio.sleep(2)

    came: list[bool] = []
    await asyncio.gather(adding(), *(one(seed) for seed in range(parallel)))
    print(
        f"documents added through one service and asked for at the other: {len(came)}, found at the first question: {sum(came)}"
    )
    return found


def main() -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--seconds", type=float, default=30)
    options.add_argument("--streams", type=int, default=20)
    options.add_argument("--chunks", type=int, default=10_000)
    given = options.parse_args()
    server = postgres_server.server()
    serve.fill(server.url, given.chunks)  # type: ignore[arg-type]  # a store's address goes where a path does
    services = [
        subprocess.Popen([sys.executable, "-c", serve.SERVER, server.url, str(port), "log"], env=os.environ)
        for port in PORTS
    ]
    try:
        for port in PORTS:
            for _ in range(600):
                try:
                    get(port, "/api/documents?limit=1")
                    break
                except OSError:
                    time.sleep(0.1)
        found = asyncio.run(streams(given.streams, given.seconds, given.chunks))
        serve.told(f"{given.streams} streams at two services", found, given.seconds)
    finally:
        for one in services:
            one.terminate()
        for one in services:
            one.wait(30)
    from pincite.stores.postgres import PostgresStore

    store = PostgresStore(server.url)
    wrong = list(store.problems())
    print("damaged:", wrong or "nothing")
    store.close()
    server.stop()
    return int(any(not good or not whole for _, good, whole in found) or bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
