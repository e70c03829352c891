"""One function over many items in several processes, with the results in the order of the items."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")

_AHEAD = 4
"""Items that are handed out per process before the first result is taken: enough that none waits, few in memory."""


def in_order(
    function: Callable[[A], B], items: Iterable[A], *, jobs: int, lost: Callable[[A], B]
) -> Iterator[B]:
    """``function(item)`` for each item, in order, computed in ``jobs`` processes; in this one when ``jobs`` is 1.

    The results are those of ``map(function, items)``, however many processes there are.

    Args:
        function: A function at the top of a module; it and the items are pickled. What it raises is raised here.
        jobs: At least 1.
        lost: What stands for the result of an item whose process died, such as for want of memory.

    >>> list(in_order(len, ["a", "bcd"], jobs=1, lost=lambda item: -1))
    [1, 3]
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, got {jobs}")
    if jobs == 1:
        yield from map(function, items)
        return
    waiting: deque[tuple[A, Future[B]]] = deque()
    pool = _pool(jobs)
    try:
        for item in items:
            waiting.append((item, _submit(pool, function, item)))
            if len(waiting) >= _AHEAD * jobs:
                pool, result = _first(pool, function, waiting, jobs, lost)
                yield result
        while waiting:
            pool, result = _first(pool, function, waiting, jobs, lost)
            yield result
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _pool(jobs: int) -> ProcessPoolExecutor:
    # Started anew rather than forked: a fork copies locks that other threads hold.
    return ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_begin)


def _begin() -> None:
    """Ctrl-C goes to all processes of a terminal: the one that hands out the work decides what it means. When that one is
    gone without a word, nobody will ever hand out work again."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _submit(pool: ProcessPoolExecutor, function: Callable[[A], B], item: A) -> Future[B]:
    try:
        return pool.submit(function, item)
    except BrokenProcessPool as error:
        broken: Future[B] = Future()
        broken.set_exception(error)
        return broken


def _first(
    pool: ProcessPoolExecutor,
    function: Callable[[A], B],
    waiting: deque[tuple[A, Future[B]]],
    jobs: int,
    lost: Callable[[A], B],
) -> tuple[ProcessPoolExecutor, B]:
    """The result of the first item. When a process dies, all that was handed out fails; each is then tried again, the
    first one alone, so that only the item that kills its process is lost."""
    item, future = waiting.popleft()
    try:
        return pool, future.result()
    except BrokenProcessPool:
        pool.shutdown(wait=False, cancel_futures=True)
    with _pool(1) as alone:
        try:
            result = alone.submit(function, item).result()
        except BrokenProcessPool:
            result = lost(item)
    pool = _pool(jobs)
    again = [(one, _submit(pool, function, one)) for one, _ in waiting]
    waiting.clear()
    waiting.extend(again)
    return pool, result
