"""Work in several processes of this machine."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Generic, Self, TypeVar

A = TypeVar("A")
B = TypeVar("B")

AHEAD = 4
"""Items that are handed out per process before the first result is taken: enough that none waits, few in memory."""
MOST_BYTES = 256_000_000
"""What the items that are handed out may hold together, where their size is known; one item may be larger."""


class Processes:
    """See ``Workers``. The processes are started with the first item, and end with the block, whatever they are at."""

    def __init__(self, jobs: int) -> None:
        self.count = jobs
        # Made when they are wanted: one process needs none, and some systems cannot make any.
        self._pool: _Pool | None = None
        self._alone: _Pool | None = None

    def __repr__(self) -> str:
        return f"Processes({self.count})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pool in (self._pool, self._alone):
            if pool is not None:
                pool.end()
        self._pool = self._alone = None

    def in_order(
        self,
        function: Callable[[A], B],
        items: Iterable[A],
        *,
        lost: Callable[[A], B],
        size: Callable[[A], int] | None = None,
    ) -> Iterator[B]:
        """See ``Workers.in_order``."""
        if self.count == 1:
            yield from map(function, items)
            return
        waiting: deque[_Task[A, B]] = deque()
        held = 0
        for item in items:
            bytes_ = 0 if size is None else size(item)
            while waiting and (len(waiting) >= AHEAD * self.count or held + bytes_ > MOST_BYTES):
                held -= waiting[0].size
                yield self._result(function, waiting.popleft(), lost)
            waiting.append(_Task(item, bytes_, self._begun(function, item)))
            held += bytes_
        while waiting:
            yield self._result(function, waiting.popleft(), lost)

    def _begun(self, function: Callable[[A], B], item: A) -> Future[B]:
        if self._pool is not None:
            try:
                return self._pool.submit(function, item)
            except BrokenProcessPool:
                self._pool.end()
        self._pool = _Pool(self.count)
        return self._pool.submit(function, item)

    def _result(self, function: Callable[[A], B], task: _Task[A, B], lost: Callable[[A], B]) -> B:
        """When a process dies, all that was handed out fails; each item of that is then tried again alone, so that only the
        one that kills its process is lost."""
        try:
            return task.future.result()
        except BrokenProcessPool:
            pass
        if self._alone is None:
            self._alone = _Pool(1)
        try:
            return self._alone.submit(function, task.item).result()
        except BrokenProcessPool:
            self._alone.end()
            self._alone = None
            return lost(task.item)


class _Task(Generic[A, B]):
    __slots__ = ("future", "item", "size")

    def __init__(self, item: A, size: int, future: Future[B]) -> None:
        self.item, self.size, self.future = item, size, future


class _Pool:
    """Processes that end when this one says so, or is gone without a word: their end of a pipe tells them."""

    def __init__(self, jobs: int) -> None:
        # Started anew rather than forked: a fork copies locks that other threads hold.
        context = get_context("spawn")
        self._reader, self._writer = context.Pipe(duplex=False)
        self._executor = ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=(self._reader,))

    def submit(self, function: Callable[[A], B], item: A) -> Future[B]:
        return self._executor.submit(function, item)

    def end(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._writer.close()
        self._reader.close()


def _begin(reader: Connection) -> None:
    """Ctrl-C goes to all processes of a terminal: the one that hands out the work decides what it means."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(reader,), daemon=True).start()


def _end_with_parent(reader: Connection) -> None:
    try:
        reader.recv_bytes()  # nobody ever writes
    except (EOFError, OSError):
        os._exit(1)
