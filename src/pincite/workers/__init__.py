"""One function over many items at once, with the results in the order of the items: in several processes of this machine, or
on a Ray cluster. Which of them it is changes nothing in the results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from pincite.errors import ConfigError

A = TypeVar("A")
B = TypeVar("B")

MOST_JOBS = 64


class Workers(Protocol):
    """Hands out work. Several streams of ``in_order`` may be under way at a time; all share the same processes."""

    @property
    def count(self) -> int:
        """How many items are worked on at a time; 1: in this process."""
        ...

    def in_order(
        self,
        function: Callable[[A], B],
        items: Iterable[A],
        *,
        lost: Callable[[A], B],
        size: Callable[[A], int] | None = None,
    ) -> Iterator[B]:
        """``function(item)`` for each item, in order, as ``map`` gives it. Items are taken as they are needed: a few for
        each process are under way.

        Args:
            function: A function at the top of a module, or a ``partial`` of one; it and the items are pickled. What it raises
                is raised here.
            lost: What stands for the result of an item whose process died, such as for want of memory, when the item was
                tried again alone.
            size: Bytes that an item holds; no more than ``processes.MOST_BYTES`` are under way, or one item.
        """
        ...


@contextmanager
def open_workers(jobs: int = 1, ray_address: str = "") -> Iterator[Workers]:
    """Workers for the time of the block, however it ends: work that is under way then is dropped.

    Args:
        jobs: Processes on this machine; 1 is this process alone. Beside ``ray_address`` it has no meaning.
        ray_address: Of a Ray cluster: ``host:port``, ``ray://host:port``, ``auto`` for the one of this machine, or ``local`` to
            start one of ``jobs`` workers here.

    Raises:
        ConfigError: ``jobs`` is out of range, Ray is not installed, or there is no cluster at that address.
    """
    if not 1 <= jobs <= MOST_JOBS:
        raise ConfigError(f"jobs must be between 1 and {MOST_JOBS}, got {jobs}")
    if ray_address:
        from pincite.workers.ray_cluster import ray_workers

        with ray_workers(ray_address, jobs) as cluster:
            yield cluster
        return
    from pincite.workers.processes import Processes

    with Processes(jobs) as processes:
        yield processes


def map_tasks(
    function: Callable[[A], B],
    items: Iterable[A],
    *,
    jobs: int = 1,
    ray_address: str = "",
    lost: Callable[[A], B],
    size: Callable[[A], int] | None = None,
) -> Iterator[B]:
    """``map(function, items)`` on ``jobs`` processes or a Ray cluster; arguments as for ``open_workers`` and
    ``Workers.in_order``. Close the iterator, or read it to its end, to let go of the processes.

    >>> list(map_tasks(len, ["a", "bcd"], lost=lambda item: -1))
    [1, 3]
    """
    with open_workers(jobs, ray_address) as workers:
        yield from workers.in_order(function, items, lost=lost, size=size)
