"""How often a key may ask: so many requests a minute, counted in memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from pincite.service.problems import Problem

WINDOW_SECONDS = 60
RATE = "pincite.rate"
"""Where a request keeps the headers that say how much of the rate is left."""
MAX_KEYS = 10_000


Headers = dict[str, str]


class Rates:
    """A window of a minute for each key. ``limit`` 0: no limit.

    ``clock`` gives seconds; tests bring their own.
    """

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit, self._clock = limit, clock
        self._lock = threading.Lock()
        self._windows: dict[str, tuple[float, int]] = {}

    def count(self, name: str) -> Headers:
        """One more request of this key; the headers that say what is left.

        Raises:
            Problem: ``rate-limited``, when there were as many in this window.
        """
        if not self._limit:
            return {}
        now = self._clock()
        with self._lock:
            began, used = self._windows.get(name, (now, 0))
            if now - began >= WINDOW_SECONDS:
                began, used = now, 0
            allowed = used < self._limit
            if allowed:
                used += 1
                if len(self._windows) >= MAX_KEYS:
                    self._windows.clear()
                self._windows[name] = (began, used)
        wait = max(1, round(began + WINDOW_SECONDS - now))
        headers = {
            "RateLimit-Limit": str(self._limit),
            "RateLimit-Remaining": str(self._limit - used),
            "RateLimit-Reset": str(wait),
        }
        if allowed:
            return headers
        problem = Problem(
            "rate-limited", f"This key may send {self._limit} requests a minute.", retry_after=wait
        )
        problem.headers = headers
        raise problem
