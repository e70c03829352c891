"""PDF files are read in a process of their own: one that crashes, hangs or eats memory takes nothing else with it."""

from __future__ import annotations

import atexit
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pincite.errors import ParseError
from pincite.parsers.pdf.frames import Reply, read_frame, write_frame

_KEPT_VARIABLES = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
)
"""Nothing else of the environment reaches the process that opens files of strangers: there may be keys in it."""
_MEMORY_SIGNALS = (-4, -5, -6, -9)
"""SIGILL, SIGTRAP, SIGABRT: how pdfium ends when it gets no memory. SIGKILL: how a system ends who takes too much."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may cost. Memory is limited on Linux and other systems that know ``RLIMIT_AS``; elsewhere it is not.

    Args:
        memory_bytes: Of the process that reads, all in all.
        start_s: Until the process is there and has opened the file.
        page_s: For one page, its boxes or its picture.
        file_s: For all pages of a file.
        pages: A file with more is refused.
    """

    memory_bytes: int = 1_500_000_000
    start_s: float = 60.0
    page_s: float = 30.0
    file_s: float = 900.0
    pages: int = 20_000


DEFAULT_LIMITS = Limits()


class WorkerLost(Exception):
    """The process ended or was ended; ``status`` as in ``ParseError``."""

    def __init__(self, message: str, status: str) -> None:
        super().__init__(message)
        self.status = status


class Worker:
    """One process. Not for two threads at once."""

    def __init__(self, memory_bytes: int) -> None:
        environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        environment["PYTHONPATH"] = os.pathsep.join(_import_paths())
        environment["OPENBLAS_NUM_THREADS"] = "1"
        self.key = ""
        self.memory_bytes = memory_bytes
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "pincite.parsers.pdf.worker", str(memory_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self._replies: queue.SimpleQueue[Reply | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, name="pincite-pdf", daemon=True).start()

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def send(self, request: dict[str, Any], data: bytes = b"") -> None:
        """Ask. Raises ``WorkerLost`` when nobody is there."""
        assert self._process.stdin is not None
        try:
            write_frame(self._process.stdin, request, data)
        except OSError as error:
            raise self._lost() from error

    def receive(self, timeout_s: float) -> Reply | None:
        """The next reply; ``None`` when that was all. Raises ``WorkerLost`` when it does not come in time."""
        try:
            reply = self._replies.get(timeout=max(timeout_s, 0.0))
        except queue.Empty:
            raise WorkerLost("took too long", "too_slow") from None
        if reply is None:
            raise self._lost()
        return None if reply[0].get("done") else reply

    def end(self) -> None:
        """Kill it."""
        with suppress(OSError):
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with suppress(OSError, ValueError):
            while (reply := read_frame(self._process.stdout)) is not None:
                self._replies.put(reply)
        self._replies.put(None)

    def _lost(self) -> WorkerLost:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5)
        if self._process.returncode in _MEMORY_SIGNALS:
            allowed = f"{self.memory_bytes / 1e9:.1f} GB"
            return WorkerLost(f"needs more than the {allowed} of memory that a PDF may take", "too_large")
        return WorkerLost("makes the PDF reader crash", "broken")


class Pool:
    """Workers that wait for the next file. At most ``limit`` at work at once; others wait for one."""

    def __init__(self, limit: int) -> None:
        self._idle: list[Worker] = []
        self._lock = threading.Lock()
        self._free = threading.BoundedSemaphore(limit)
        self._owner = os.getpid()

    @contextmanager
    def worker(self, memory_bytes: int, key: str = "") -> Iterator[Worker]:
        """A worker for the time of the block, one that has file ``key`` open if there is one. It is ended when the
        block ends in an error, for nobody knows what it is still doing."""
        with self._free:
            one = self._take(memory_bytes, key)
            try:
                yield one
            except BaseException:
                one.end()
                raise
            with self._lock:
                self._idle.append(one)

    def close(self) -> None:
        """End the workers that wait."""
        with self._lock:
            idle, self._idle = self._idle, []
        if os.getpid() == self._owner:
            for one in idle:
                one.end()

    def _take(self, memory_bytes: int, key: str) -> Worker:
        with self._lock:
            if os.getpid() != self._owner:
                # After a fork they are the other process's.
                self._idle, self._owner = [], os.getpid()
            for one in [one for one in self._idle if not one.is_alive]:
                self._idle.remove(one)
                one.end()
            usable = [one for one in self._idle if one.memory_bytes == memory_bytes]
            if usable:
                one = min(usable, key=lambda one: one.key != key)
                self._idle.remove(one)
                return one
        return Worker(memory_bytes)


POOL = Pool(max(2, os.cpu_count() or 2))
"""Of this process: a worker takes a quarter of a second to start, and is kept."""
atexit.register(POOL.close)


class OpenPdf:
    """A file that a worker has open. A worker that is lost is replaced at the next request.

    Attributes:
        pages: How many there are.
        said: What the file says of itself, by the names of PDF: ``Title``, ``Author``, ``ModDate``, ``CreationDate``.
    """

    def __init__(
        self, data: bytes, source: str, passwords: Sequence[str] = (), limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self._data, self._source, self._passwords, self._limits = data, source, list(passwords), limits
        self._key = sha256(data + "\0".join(("", *passwords)).encode("utf-8", "surrogatepass")).hexdigest()
        self.pages = 0
        self.said: dict[str, str] = {}
        with self._worker():
            pass

    def read_pages(self, first: int, last: int, *, tables: bool) -> Iterator[dict[str, Any]]:
        """What the worker says of each page, in order.

        Raises:
            WorkerLost: At the page where it happened.
        """
        end = time.monotonic() + self._limits.file_s
        with self._worker() as worker:
            worker.send({"do": "pages", "first": first, "last": last, "tables": tables})
            while (reply := worker.receive(min(self._limits.page_s, end - time.monotonic()))) is not None:
                yield self._checked(reply)[0]

    def ask(self, request: dict[str, Any], pages: int = 1) -> Reply:
        """The one reply to a request that concerns so many pages."""
        with self._worker() as worker:
            worker.send(request)
            reply = worker.receive(self._limits.page_s * max(pages, 1))
            assert reply is not None
            while worker.receive(self._limits.page_s) is not None:
                pass
        return self._checked(reply)

    @contextmanager
    def _worker(self) -> Iterator[Worker]:
        with POOL.worker(self._limits.memory_bytes, self._key) as worker:
            refused: ParseError | None = None
            if worker.key != self._key or not self.pages:
                worker.key = ""
                worker.send({"do": "open", "passwords": self._passwords}, self._data)
                reply = worker.receive(self._limits.start_s)
                assert reply is not None
                while worker.receive(self._limits.start_s) is not None:
                    pass
                try:
                    header, _ = self._checked(reply)
                except ParseError as error:
                    refused = error
                else:
                    worker.key = self._key
                    self.pages, self.said = header["pages"], header["said"]
            if refused is None:
                yield worker
        if refused is not None:
            raise refused

    def _checked(self, reply: Reply) -> Reply:
        if "refused" in reply[0]:
            raise ParseError(
                reply[0]["refused"],
                where=self._source,
                hint=_HINTS.get(reply[0]["status"], ""),
                status=reply[0]["status"],
            )
        return reply


_HINTS = {
    "encrypted": "give its password: --password-file FILE, or PINCITE_PDF_PASSWORD",
    "too_large": "split it",
    "too_slow": "split it",
}


def lost(source: str, error: WorkerLost, page: int | None = None) -> ParseError:
    """The error for a file at which the worker was lost; ``page`` counts from 0."""
    what = "the file" if page is None else f"page {page + 1}"
    return ParseError(f"{what} {error}", where=source, hint=_HINTS.get(error.status, ""), status=error.status)


def _import_paths() -> list[str]:
    """Where this process finds its modules, the working folder left out: any file may lie there."""
    package = str(Path(__file__).resolve().parents[3])
    return list(dict.fromkeys([package, *(path for path in sys.path if path and Path(path).is_absolute())]))
