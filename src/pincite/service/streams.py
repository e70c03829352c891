"""Answers that are being written, so that a client that was cut off can read on where it stopped."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

Frame = tuple[str, dict[str, Any]]
"""The name of a server-sent event and its data."""

GRACE_SECONDS = 10.0
"""How long an answer is written on when nobody reads it any more."""
KEPT_SECONDS = 60.0
"""How long a finished one can still be read from its middle."""
PING_SECONDS = 15.0

NAME_BYTES = 12


@dataclass(slots=True)
class Stream:
    """One answer on its way. A thread of its own drives the generator; readers follow its frames.

    ``owner`` is the name of the key that asked: nobody else can read on.
    """

    name: str
    owner: str
    frames: list[Frame] = field(default_factory=list)
    finished: bool = False
    readers: int = 0
    left_at: float = 0.0
    changed: threading.Condition = field(default_factory=threading.Condition)

    def drive(self, events: Generator[Frame]) -> None:
        """Take frames until the end, or until nobody has read for a while; then close the generator."""
        try:
            for frame in events:
                with self.changed:
                    self.frames.append(frame)
                    self.changed.notify_all()
                if self._is_abandoned():
                    return
        finally:
            events.close()
            with self.changed:
                self.finished = True
                self.left_at = time.monotonic()
                self.changed.notify_all()

    def _is_abandoned(self) -> bool:
        with self.changed:
            return self.readers == 0 and time.monotonic() - self.left_at > GRACE_SECONDS

    def follow(self, after: int = 0) -> Iterator[tuple[int, Frame] | None]:
        """Frames from number ``after`` + 1 on, with their numbers; ``None`` when it is time for a sign of life."""
        with self.changed:
            self.readers += 1
        try:
            at = max(0, after)
            while True:
                with self.changed:
                    if at >= len(self.frames) and not self.finished:
                        self.changed.wait(PING_SECONDS)
                    ready, done = self.frames[at:], self.finished
                for frame in ready:
                    at += 1
                    yield at, frame
                if not ready:
                    if done:
                        return
                    yield None
        finally:
            with self.changed:
                self.readers -= 1
                self.left_at = time.monotonic()


class Streams:
    """All answers on their way, at most ``limit`` at a time."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._streams: dict[str, Stream] = {}
        self._running = 0

    @property
    def running(self) -> int:
        return self._running

    def begin(self) -> bool:
        """Take a place for an answer; false when all are taken. ``end`` gives it back."""
        with self._lock:
            if self._running >= self.limit:
                return False
            self._running += 1
            return True

    def end(self) -> None:
        with self._lock:
            self._running -= 1

    def start(self, owner: str, events: Callable[[], Generator[Frame]]) -> Stream | None:
        """Begin to write an answer; ``None`` when all places are taken."""
        if not self.begin():
            return None
        stream = Stream(secrets.token_hex(NAME_BYTES), owner, left_at=time.monotonic())
        with self._lock:
            self._forget_old()
            self._streams[stream.name] = stream

        def work() -> None:
            try:
                stream.drive(events())
            finally:
                self.end()

        threading.Thread(target=work, name=f"answer-{stream.name}", daemon=True).start()
        return stream

    def find(self, name: str, owner: str) -> Stream | None:
        """The stream of that name, for who started it."""
        with self._lock:
            stream = self._streams.get(name)
        return stream if stream is not None and stream.owner == owner else None

    def _forget_old(self) -> None:
        now = time.monotonic()
        for name, stream in tuple(self._streams.items()):
            if stream.finished and now - stream.left_at > KEPT_SECONDS:
                del self._streams[name]
