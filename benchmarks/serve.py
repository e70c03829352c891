"""The service under load: parallel streams over 10,000 passages, and single passages.

    python benchmarks/serve.py [--seconds 60] [--streams 20] [--chunks 10000]

A server of its own on loopback, with the model that needs none (extractive) and words alone. Told are: from asking to the
first checked sentence (p50, p99); with 50 streams errors, streams with a gap in their numbers or no end, and the
memory of the server in each third; requests for passages a second and their p99. The dumbest rule beside it: one
client at a time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

THINGS = (
    "lighthouse",
    "bridge",
    "tower",
    "harbour wall",
    "windmill",
    "chapel",
    "aqueduct",
    "viaduct",
    "dam",
    "pier",
)
SERVER = """
import sys
from pincite import Pipeline
from pincite.service.app import create_app
from pincite.service.server import server_of
from pincite.service.settings import Service
from pincite.service.streams import Streams
rag = Pipeline(store=sys.argv[1], embedder="none", log=sys.argv[3] == "log")
server_of(create_app(Service(rag, max_streams=100, streams=Streams(100))), host="127.0.0.1", port=int(sys.argv[2])).run()
"""
PORT = 8765


def town(number: int) -> str:
    syllables = ("bar", "den", "fol", "gri", "hal", "jun", "kor", "lem", "mip", "nus")
    return "".join(syllables[int(digit)] for digit in f"{number:04d}").capitalize()


def fill(path: Path, chunks: int) -> None:
    """A database of that many passages, two facts each."""
    from pincite import Document, Pipeline

    with Pipeline(store=path, embedder="none") as rag:
        documents = []
        for number in range(chunks):
            thing, place = THINGS[number % len(THINGS)], town(number)
            text = (
                f"The {thing} of {place} is {20 + number % 180} metres high. It was finished in {1500 + number % 500} "
                f"and is open to visitors on {1 + number % 6} days of the week, except in winter."
            )
            documents.append(Document(f"d{number}", text, title=f"{thing.capitalize()} of {place}"))
        for start in range(0, chunks, 2_000):
            rag.add(documents[start : start + 2_000])


def question(chance: random.Random, chunks: int) -> str:
    number = chance.randrange(chunks)
    return f"How high is the {THINGS[number % len(THINGS)]} of {town(number)}?"


async def ask(text: str, port: int = 0) -> tuple[float, bool, bool]:
    """Seconds to the first checked sentence; whether all went well; whether no event was lost."""
    body = json.dumps({"question": text, "stream": True}).encode()
    head = f"POST /chat HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    began = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port or PORT)
    writer.write(head.encode() + body)
    first, numbers, names, good = math.nan, [], [], True
    async for raw in reader:
        line = raw.decode()
        if line.startswith("id: "):
            numbers.append(int(line.rpartition(":")[2]))
        elif line.startswith("event: "):
            names.append(line.removeprefix("event: ").strip())
        elif line.startswith("data: ") and names[-1] == "sentence" and math.isnan(first):
            first = time.perf_counter() - began
        good = good and not (line.startswith("HTTP/") and " 200 " not in line)
    writer.close()
    good = good and "problem" not in names and "answer" in names
    return first, good, numbers == list(range(1, len(numbers) + 1)) and bool(names) and names[-1] == "done"


async def streams(parallel: int, seconds: float, chunks: int) -> list[tuple[float, bool, bool]]:
    until = time.monotonic() + seconds
    found: list[tuple[float, bool, bool]] = []

    async def one(seed: int) -> None:
        chance = random.Random(seed)
        while time.monotonic() < until:
            try:
                found.append(await ask(question(chance, chunks)))
            except OSError:
                found.append((math.nan, False, False))

    await asyncio.gather(*(one(seed) for seed in range(parallel)))
    return found


async def passages(parallel: int, seconds: float, chunks: int) -> list[float]:
    until = time.monotonic() + seconds
    found: list[float] = []

    async def one(seed: int) -> None:
        chance = random.Random(seed)
        reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
        while time.monotonic() < until:
            began = time.perf_counter()
            writer.write(
                f"GET /api/chunks/d{chance.randrange(chunks)}-chunk-0 HTTP/1.1\r\nHost: x\r\n\r\n".encode()
            )
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
            await reader.readexactly(int(length.partition(b":")[2]))
            found.append(time.perf_counter() - began)
        writer.close()

    await asyncio.gather(*(one(seed) for seed in range(parallel)))
    return found


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(value for value in values if not math.isnan(value))
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else math.nan


def memory_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return math.nan


def told(name: str, found: list[tuple[float, bool, bool]], seconds: float) -> None:
    firsts = [one[0] for one in found]
    print(
        f"{name}: {len(found)} answers, {len(found) / seconds:.1f}/s, first checked sentence p50 "
        f"{1000 * quantile(firsts, 0.5):.0f} ms p99 {1000 * quantile(firsts, 0.99):.0f} ms, "
        f"{sum(not one[1] for one in found)} errors, {sum(not one[2] for one in found)} with lost events"
    )


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--streams", type=int, default=20)
    options.add_argument("--chunks", type=int, default=10_000)
    options.add_argument("--no-log", action="store_true", help="do not keep the answers")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "load.db"
        fill(path, given.chunks)
        command = [sys.executable, "-c", SERVER, str(path), str(PORT), "none" if given.no_log else "log"]
        server = subprocess.Popen(command, env=os.environ)
        try:
            run(server.pid, given)
        finally:
            server.terminate()
            server.wait(20)


def run(pid: int, given: argparse.Namespace) -> None:
    for _ in range(200):
        try:
            asyncio.run(ask("How high is the bridge?"))
            break
        except OSError:
            time.sleep(0.1)
    told("1 client", asyncio.run(streams(1, given.seconds / 6, given.chunks)), given.seconds / 6)
    told(
        f"{given.streams} streams",
        asyncio.run(streams(given.streams, given.seconds, given.chunks)),
        given.seconds,
    )
    used, found = [memory_mb(pid)], []
    for _ in range(3):
        found += asyncio.run(streams(50, given.seconds / 3, given.chunks))
        used.append(memory_mb(pid))
    told("50 streams", found, given.seconds)
    print("memory of the server, MB, before and after each third:", ", ".join(f"{one:.0f}" for one in used))
    seconds = given.seconds / 6
    times = asyncio.run(passages(10, seconds, given.chunks))
    print(
        f"/api/chunks: {len(times) / seconds:.0f}/s, p99 {1000 * quantile(times, 0.99):.1f} ms, 10 connections"
    )


if __name__ == "__main__":
    main()
