"""What holds for every request: an id, a largest body, and headers that keep a browser from doing harm."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from fastapi import HTTPException
from starlette.requests import Request

from pincite.service.problems import Problem, response
from pincite.service.rates import RATE

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_BODY_BYTES = 4_000_000
"""Of JSON: the longest answer to check, written with escapes alone. Uploads have a limit of their own."""

BODY_SECONDS = 30.0
"""The longest wait for the next piece of a body."""

REQUEST_ID = "pincite.request_id"
TRACE = "pincite.traceparent"

_TRACE = re.compile(rb"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}\Z")
"""W3C Trace Context, 3.2: version, trace, parent, flags."""

_GIVEN_ID = re.compile(rb"[\w.:-]{1,100}\Z")

# Everything comes from the server itself; nothing may be framed, sniffed or remembered by the next page.
SECURITY_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class Guard:
    """ASGI: gives each request its id, refuses bodies that are too large as they arrive, and adds the headers."""

    def __init__(self, app: App, *, max_upload_bytes: int) -> None:
        self._app, self._max_upload_bytes = app, max_upload_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        given = headers.get(b"x-request-id", b"")
        request_id = (given if _GIVEN_ID.match(given) else f"req_{secrets.token_hex(8)}".encode()).decode(
            "ascii"
        )
        scope[REQUEST_ID] = request_id
        trace = headers.get(b"traceparent", b"")
        scope[TRACE] = trace if _TRACE.match(trace) else b""
        uploads = headers.get(b"content-type", b"").startswith(b"multipart/form-data")
        limit = self._max_upload_bytes if uploads else MAX_BODY_BYTES

        async def sent(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in message.get("headers", [])}
                extra = [(name, value) for name, value in SECURITY_HEADERS if name not in own]
                message["headers"] = [
                    *message.get("headers", []),
                    *extra,
                    (b"x-request-id", request_id.encode()),
                    *([(b"traceparent", scope[TRACE])] if scope[TRACE] else []),
                    *(
                        (name.lower().encode(), value.encode())
                        for name, value in scope.get(RATE, {}).items()
                        if name.lower().encode() not in own
                    ),
                ]
            await send(message)

        length = headers.get(b"content-length", b"")
        if length.isdigit() and int(length) > limit:
            await _refuse(scope, receive, sent, limit)
            return
        await self._app(scope, _Limited(receive, limit), sent)


class _Limited:
    """A body that is read no further than its limit, whatever the headers said of its length, and not for ever."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive, self._left = receive, limit
        self._whole = False

    async def __call__(self) -> MutableMapping[str, Any]:
        if self._whole:
            return await self._receive()  # waits until the client goes away
        try:
            message = await asyncio.wait_for(self._receive(), BODY_SECONDS)
        except TimeoutError as error:
            raise HTTPException(408) from error
        if message["type"] == "http.request":
            self._whole = not message.get("more_body", False)
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                raise HTTPException(413)  # the one error that FastAPI lets through while it reads a body
        return message


def traceparent_of(request: Request) -> str:
    """The trace context that the request brings; empty where it brings none that can be right."""
    given: bytes = request.scope.get(TRACE, b"")
    return given.decode("ascii")


async def _refuse(scope: Scope, receive: Receive, send: Send, limit: int) -> None:
    problem = Problem("body-too-large", "The request has a larger body than is taken.", limit_bytes=limit)
    await response(problem, Request(scope))(scope, receive, send)
