"""How long each step took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Timer:
    """Adds up the time of named steps. ``milliseconds`` maps each step to what it took in all."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time what happens inside; the same name again adds to it."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[name] = self._seconds.get(name, 0.0) + time.perf_counter() - started

    @property
    def milliseconds(self) -> dict[str, float]:
        return {name: round(seconds * 1000, 1) for name, seconds in self._seconds.items()}
