"""Work on a Ray cluster: the same results as in one process, from as many hosts as there are.

Workers need this package, of this version, and what the settings name (a model's folder); nothing of the store and no shared
disk: what they work on is sent to them, and their results come back to this process, which alone writes.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import socket
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from pincite.errors import ConfigError, install_line
from pincite.workers.processes import AHEAD, MOST_BYTES

A = TypeVar("A")
B = TypeVar("B")

logger = logging.getLogger(__name__)

REACH_S = 5.0
"""How long the head of a cluster may take to be reached; Ray itself would wait for minutes."""
RETRIES = 2
"""How often Ray itself tries an item again whose worker or host was lost."""


class Cluster:
    """See ``Workers``."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self.count = max(1, int(ray.cluster_resources().get("CPU", 1)))

    def __repr__(self) -> str:
        return f"Cluster({self.count})"

    def in_order(
        self,
        function: Callable[[A], B],
        items: Iterable[A],
        *,
        lost: Callable[[A], B],
        size: Callable[[A], int] | None = None,
    ) -> Iterator[B]:
        """See ``Workers.in_order``."""
        # An item that takes all the memory of its host is not tried without end, as Ray would.
        task = self._ray.remote(_call).options(max_retries=RETRIES, num_cpus=1)
        function_once = self._ray.put(function)
        waiting: deque[tuple[A, int, Any]] = deque()
        held = 0
        try:
            for item in items:
                bytes_ = 0 if size is None else size(item)
                while waiting and (len(waiting) >= AHEAD * self.count or held + bytes_ > MOST_BYTES):
                    first, its_size, reference = waiting.popleft()
                    held -= its_size
                    yield self._result(reference, first, lost)
                waiting.append((item, bytes_, task.remote(function_once, item)))
                held += bytes_
            while waiting:
                first, _, reference = waiting.popleft()
                yield self._result(reference, first, lost)
        finally:
            for _, _, reference in waiting:
                self._ray.cancel(reference, force=True)

    def _result(self, reference: Any, item: A, lost: Callable[[A], B]) -> B:
        errors = self._ray.exceptions
        try:
            found: B = self._ray.get(reference)
        except errors.RayTaskError as error:
            if isinstance(error.cause, errors.RaySystemError):
                raise ConfigError(
                    f"the workers of the cluster cannot do this work: {str(error.cause).splitlines()[0]}",
                    hint="install there the pincite, the Python and the extras that are here",
                ) from error
            raise (error.cause if isinstance(error.cause, Exception) else error) from error
        except errors.RayError as error:  # the worker, its host or its result is lost
            logger.warning("a Ray worker was lost: %s", type(error).__name__)
            return lost(item)
        return found


def _call(function: Callable[[A], B], item: A) -> B:
    return function(item)


@contextmanager
def ray_workers(address: str, jobs: int) -> Iterator[Cluster]:
    """See ``open_workers``."""
    if importlib.util.find_spec("ray") is None:
        raise ConfigError("Ray is not installed", hint=f"install the extra: {install_line('ray')}")
    _reach(address)
    # Ray reports to its makers otherwise, and kills nothing but retries without end what takes too much memory.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_task_oom_retries", str(RETRIES))
    import ray

    ours = not ray.is_initialized()
    if ours:
        here: dict[str, Any] = {}
        if address == "local":
            paths = [path for path in sys.path if os.path.isabs(path)]
            here = {
                "num_cpus": jobs,
                "include_dashboard": False,
                "runtime_env": {"env_vars": {"PYTHONPATH": os.pathsep.join(paths)}},
            }
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **here)
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            raise ConfigError(
                f"no Ray cluster can be used at {address}: {str(error)[:200]}",
                hint="start one with `ray start --head`, of the same versions of Python and Ray, or use --jobs",
            ) from error
    try:
        yield Cluster(ray)
    finally:
        if ours:
            ray.shutdown()


def _reach(address: str) -> None:
    """Raise ``ConfigError`` when nobody listens at ``host:port``."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host and port in ("auto", "local"):
        return
    if not host or not port.isascii() or not port.isdigit():
        raise ConfigError(
            f"{address!r} is no address of a Ray cluster",
            hint="write host:port, ray://host:port, auto or local",
        )
    try:
        socket.create_connection((host, int(port)), timeout=REACH_S).close()
    except (OSError, OverflowError) as error:
        raise ConfigError(
            f"no Ray cluster can be reached at {address}: {error}",
            hint="see that `ray start --head` runs there and its port is open",
        ) from error
