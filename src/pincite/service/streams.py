"""Answers that are being written, so that a client that was cut off can read on where it stopped."""

from __future__ import annotations

import asyncio
import logging
import queue
import secrets
import threading
import time
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

log = logging.getLogger("pincite.service")

Frame = tuple[str, dict[str, Any]]
"""The name of a server-sent event and its data."""

GRACE_SECONDS = 10.0
"""How long an answer is written on when nobody reads it any more."""
KEPT_SECONDS = 15.0
"""How long a finished one can still be read from its middle."""
PING_SECONDS = 15.0
LOOK_SECONDS = 0.5
"""How often it is looked whether a client that waits for a whole answer is still there."""

NAME_BYTES = 12


@dataclass(slots=True, eq=False)
class Stream:
    """One answer on its way. A thread of its own drives the generator; readers follow its frames.

    ``owner`` is the name of the key that asked: nobody else can read on. ``error`` is what ended the generator, if
    something did.
    """

    name: str
    owner: str
    frames: list[Frame] = field(default_factory=list)
    finished: bool = False
    error: BaseException | None = None
    grace_s: float = GRACE_SECONDS
    _readers: int = 0
    _left_at: float = field(default_factory=time.monotonic)
    _stopped: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _bells: list[Callable[[], None]] = field(default_factory=list)

    def drive(self, make: Callable[[Stream], Generator[Frame]]) -> None:
        """Take frames until the end, or until nobody has read for a while; then close the generator."""
        events: Generator[Frame] | None = None
        try:
            events = make(self)
            for frame in events:
                with self._lock:
                    self.frames.append(frame)
                self._ring()
                if self.is_abandoned():
                    return
        except BaseException as error:
            self.error = error
        finally:
            try:
                if events is not None:
                    events.close()
            finally:
                with self._lock:
                    self.finished = True
                    self._left_at = time.monotonic()
                self._ring()

    def is_abandoned(self) -> bool:
        """Whether nobody waits for it any more."""
        with self._lock:
            return self._stopped or (self._readers == 0 and time.monotonic() - self._left_at > self.grace_s)

    def is_old(self) -> bool:
        """Whether it may be forgotten."""
        with self._lock:
            return self.finished and not self._readers and time.monotonic() - self._left_at > KEPT_SECONDS

    def stop(self) -> None:
        """Write no further, whoever reads."""
        self._stopped = True

    async def follow(self, after: int = 0) -> AsyncIterator[tuple[int, Frame] | None]:
        """Frames from number ``after`` + 1 on, with their numbers; ``None`` when it is time for a sign of life."""
        at = max(0, after)
        with self._reading() as wake:
            while True:
                wake.clear()
                ready, done = self._since(at)
                for frame in ready:
                    at += 1
                    yield at, frame
                if ready:
                    continue
                if done:
                    return
                try:
                    await asyncio.wait_for(wake.wait(), PING_SECONDS)
                except TimeoutError:
                    yield None

    async def whole(self, is_gone: Callable[[], Any]) -> bool:
        """Wait for the end; false when ``is_gone`` (awaited now and then) says that the client is not there any more."""
        with self._reading() as wake:
            while not self._is_finished():
                wake.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(wake.wait(), LOOK_SECONDS)
                if not self._is_finished() and await is_gone():
                    self.stop()
                    return False
        return True

    def _since(self, at: int) -> tuple[list[Frame], bool]:
        with self._lock:
            return self.frames[at:], self.finished

    def _is_finished(self) -> bool:
        with self._lock:
            return self.finished

    def _ring(self) -> None:
        with self._lock:
            bells = tuple(self._bells)
        for bell in bells:
            bell()

    @contextmanager
    def _reading(self) -> Iterator[asyncio.Event]:
        """While it lasts somebody reads; the event is set whenever there is something new."""
        loop, wake = asyncio.get_running_loop(), asyncio.Event()

        def bell() -> None:
            with suppress(RuntimeError):  # the loop has ended, and with it whoever read
                loop.call_soon_threadsafe(wake.set)

        with self._lock:
            self._readers += 1
            self._bells.append(bell)
        try:
            yield wake
        finally:
            with self._lock:
                self._readers -= 1
                self._bells.remove(bell)
                self._left_at = time.monotonic()


class Streams:
    """All answers on their way, at most ``limit`` at a time.

    Threads are used again: a thread may hold a connection of the store, and a new one for each answer would hold ever
    more of them.
    """

    def __init__(self, limit: int, *, grace_s: float = GRACE_SECONDS) -> None:
        self.limit = limit
        self._grace_s = grace_s
        self._changed = threading.Condition()
        self._streams: dict[str, Stream] = {}
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._running = self._threads = 0
        self._closed = False

    @property
    def running(self) -> int:
        """How many answers are being written."""
        return self._running

    def start(self, owner: str, events: Callable[[Stream], Generator[Frame]]) -> Stream | None:
        """Begin to write an answer; ``None`` when all places are taken."""
        stream = Stream(secrets.token_hex(NAME_BYTES), owner, grace_s=self._grace_s)
        with self._changed:
            if self._closed or self._running >= self.limit:
                return None
            self._streams = {name: one for name, one in self._streams.items() if not one.is_old()}
            self._streams[stream.name] = stream
            self._running += 1
            if self._running > self._threads:
                self._threads += 1
                threading.Thread(target=self._serve, name=f"answers-{self._threads}", daemon=True).start()
        self._work.put(lambda: stream.drive(events))
        return stream

    def _serve(self) -> None:
        while (work := self._work.get()) is not None:
            try:
                work()
            except Exception:  # the thread outlives every answer
                log.exception("an answer did not end as it should")
            finally:
                del work  # until the next one comes it would keep an answer
                with self._changed:
                    self._running -= 1
                    self._changed.notify_all()

    def find(self, name: str, owner: str) -> Stream | None:
        """The stream of that name, for who started it."""
        with self._changed:
            stream = self._streams.get(name)
        return stream if stream is not None and stream.owner == owner else None

    def close(self, wait_s: float) -> None:
        """Begin no more, stop those on their way, and wait until they have let go of what they hold."""
        with self._changed:
            self._closed = True
            for stream in self._streams.values():
                stream.stop()
            self._changed.wait_for(lambda: self._running == 0, wait_s)
            for _ in range(self._threads):
                self._work.put(None)
