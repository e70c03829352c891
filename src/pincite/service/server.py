"""The server under the application: uvicorn, with an end to its patience."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0
"""The longest time from the first byte of a connection or request to the end of its headers."""
KEEP_ALIVE_SECONDS = 20
MAX_HEADER_BYTES = 64 * 1024
STOP_SECONDS = 10
"""What was begun has this long to end when the server stops."""


class Impatient(H11Protocol):
    """Closes a connection whose headers do not come: uvicorn itself would wait for ever."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Headers that are whole end the wait; the first bytes of the next request begin it again."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._watch()
        else:
            self._rest()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing to wait for."""
        self._rest()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(HEADER_SECONDS, self._give_up)

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()


def server_of(app: FastAPI, *, host: str, port: int, **options: Any) -> uvicorn.Server:
    """A server that is ready to ``run()``."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            host=host,
            port=port,
            http=Impatient,
            ws="none",
            log_level="warning",
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=STOP_SECONDS,
            h11_max_incomplete_event_size=MAX_HEADER_BYTES,
            **options,
        )
    )
