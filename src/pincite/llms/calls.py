"""One call to a model's server: tried again when that may help, bounded in time, and never silent about its end."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

from pincite.errors import ConfigError, ModelError
from pincite.llms.options import ModelOptions
from pincite.llms.wire import OutOfTime, ReplyFault, events, in_time
from pincite.ports import Delta

logger = logging.getLogger(__name__)

CONNECT_TIMEOUT_S = 10.0
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 8.0
"""Of the waits that double from try to try; a server that says how long is believed beyond it."""

MAX_MESSAGE_CHARS = 300

_RETRYABLE = frozenset({408, 409, 425, 429})
_OUT_OF_MONEY = re.compile(r"insufficient_quota|billing|credit balance", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context.{0,20}(?:length|window|size)|maximum context|too many tokens|prompt is too long", re.IGNORECASE
)
_RESETS = re.compile(r"(?:x-|anthropic-)ratelimit-.{0,40}-?reset|x-ratelimit-reset-.{1,40}", re.IGNORECASE)
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class Response(Protocol):
    """What both libraries give for a reply that is still arriving."""

    @property
    def headers(self) -> Mapping[str, str]: ...

    def iter_bytes(self) -> Iterator[bytes]: ...


@dataclass(frozen=True, slots=True)
class Server:
    """A model's server as this package sees it.

    Args:
        options: Of the model.
        open: Makes the request; its context closes the connection.
        failures: What the library raises, its HTTP library included.
    """

    options: ModelOptions
    open: Callable[[], AbstractContextManager[Response]]
    failures: tuple[type[Exception], ...]


D = TypeVar("D")
"""What a library's server understands, in that library's words."""


@dataclass(frozen=True, slots=True)
class _Fault:
    message: str
    retryable: bool
    hint: str
    wait_s: float | None = None


def call(
    server: Server, read: Callable[[Iterator[Mapping[str, object]]], Iterator[Delta]]
) -> Iterator[Delta]:
    """The deltas that ``read`` makes of a reply's events. Closing the iterator closes the connection.

    A call that fails before its first word is made again, when that may help and time is left. One that breaks off
    later ends with ``Delta.cut``: what came whole can still be checked and shown.

    Raises:
        ModelError: If there is no reply.
    """
    options = server.options
    faults: tuple[type[Exception], ...] = (ReplyFault, OutOfTime, *server.failures)
    deadline = options.clock() + options.timeout_s
    attempt = 0
    while True:
        began = False
        try:
            with server.open() as response:
                chunks = in_time(response.iter_bytes(), deadline, options.clock)
                kind = response.headers.get("content-type", "")
                for delta in read(events(chunks, content_type=kind)):
                    began = began or bool(delta.text)
                    yield delta
            return
        except faults as error:
            fault = _fault(error, options)
            if began:
                logger.warning("reply of model=%s broke off: %s", options.name, fault.message)
                yield Delta("", cut="connection")
                return
            attempt += 1
            wait_s = _wait(fault, attempt)
            late = options.clock() + wait_s > deadline
            if not fault.retryable or attempt > options.max_retries or late:
                raise _error(fault, options) from _harmless(error, options)
            logger.warning(
                "retrying model=%s attempt=%d wait_s=%.1f: %s", options.name, attempt, wait_s, fault.message
            )
        options.sleep(wait_s)


@contextmanager
def understood(
    create: Callable[[D], AbstractContextManager[Response]],
    dialect: D,
    *,
    lesser: Callable[[D, str], D | None],
    refusals: tuple[type[Exception], ...],
    learnt: Callable[[D], None],
    name: str,
) -> Iterator[Response]:
    """A response in the first dialect that the server does not refuse. Leaving the block closes the connection.

    Args:
        create: Makes the request in a dialect.
        dialect: The one to begin with.
        lesser: The next one after a refusal with these words; ``None`` when the refusal means something else, and is raised.
        refusals: What the library raises when a server does not understand; they have a ``message``.
        learnt: Is told the dialect that was understood.
        name: Of the model, for the log.
    """
    while True:
        opened = create(dialect)
        try:
            response = opened.__enter__()
            break
        except refusals as error:
            less = lesser(dialect, str(getattr(error, "message", error)))
            if less is None:
                raise
            logger.info("model=%s refused a request, trying %s", name, less)
            dialect = less
    learnt(dialect)
    try:
        yield response
    finally:
        opened.__exit__(None, None, None)


def transport_failures() -> tuple[type[Exception], ...]:
    """What the HTTP library raises while a reply is read. Which one it is depends on the version of the model's library."""
    loaded = (sys.modules.get(name) for name in ("httpx", "httpx2"))
    return tuple(module.HTTPError for module in loaded if module is not None)


def check_address(options: ModelOptions) -> None:
    """Whether ``options.base_url`` can be asked at all.

    Raises:
        ConfigError: If it is no HTTP address, or holds a password: these do not belong in settings.
    """
    if not options.base_url:
        return
    parts = urlsplit(options.base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(
            "[llm] base_url must be an address that begins with http:// or https://",
            where=options.where,
            hint='write it as "http://127.0.0.1:11434/v1"',
        )
    if "@" in parts.netloc:
        raise ConfigError(
            "[llm] base_url holds a name or password",
            where=options.where,
            hint="keys do not belong in settings; set PINCITE_API_KEY",
        )


def host_of(address: object) -> str:
    """The host of a URL, with its port; no password that may stand before it.

    >>> host_of("http://user:secret@127.0.0.1:8080/v1")
    '127.0.0.1:8080'
    """
    return urlsplit(str(address)).netloc.rpartition("@")[2]


# --- what went wrong ----------------------------------------------------------------------------


def _fault(error: Exception, options: ModelOptions) -> _Fault:
    if isinstance(error, OutOfTime):
        return _Fault(f"took longer than {options.timeout_s:g} s", True, "raise [llm] timeout_s")
    if isinstance(error, ReplyFault):
        return _Fault(
            _safe(str(error), options), error.retryable, "check [llm] base_url, and that the server runs"
        )
    status = getattr(error, "status_code", None)
    message = _safe(str(getattr(error, "message", "") or error), options)
    if isinstance(status, int):
        return _of_status(status, message, _headers(error), options)
    if "timeout" in type(error).__name__.lower():
        hint = "check that the server runs, or raise [llm] read_timeout_s"
        return _Fault(f"did not answer within {options.read_timeout_s:g} s", True, hint)
    return _Fault(
        f"cannot be reached: {message or type(error).__name__}",
        True,
        "check [llm] base_url and that the server runs",
    )


def _of_status(status: int, message: str, headers: Mapping[str, str], options: ModelOptions) -> _Fault:
    said = f"answered {status}: {message}" if message else f"answered {status}"
    if _OUT_OF_MONEY.search(message) and status in (400, 402, 403, 429):
        return _Fault(said, False, "there is no credit left at the provider")
    if status in _RETRYABLE or status >= 500:
        wait_s = _asked_wait(headers)
        hint = "try again later" if wait_s is None else f"try again in {wait_s:.0f} s"
        return _Fault(said, headers.get("x-should-retry") != "false", hint, wait_s)
    if status in (401, 403):
        return _Fault(said, False, f"check the key in {options.key_variable or 'PINCITE_API_KEY'}")
    if _TOO_LONG.search(message) or status == 413:
        return _Fault(
            said, False, "set [llm] context_tokens to what the model can read, or lower retrieval.top_k"
        )
    return _Fault(said, False, "check [llm] model and base_url")


def _headers(error: Exception) -> Mapping[str, str]:
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    return {} if headers is None else {str(name).lower(): str(value) for name, value in headers.items()}


def _asked_wait(headers: Mapping[str, str]) -> float | None:
    """How long the server asks to wait, in seconds: ``Retry-After``, else the latest of its rate limits' resets.

    >>> (
    ...     _asked_wait({"retry-after": "3"}),
    ...     _asked_wait({"x-ratelimit-reset-tokens": "1m2.5s"}),
    ...     _asked_wait({}),
    ... )
    (3.0, 62.5, None)
    >>> _asked_wait({"retry-after": "Tue, 01 Dec 2026 00:00:09 GMT", "date": "Tue, 01 Dec 2026 00:00:00 GMT"})
    9.0
    """
    sent = _moment(headers.get("date", "")) or datetime.now(UTC)
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        wait = _seconds(headers.get(name, ""), sent)
        if wait is not None:
            return wait * unit
    resets = [
        wait
        for name, value in headers.items()
        if _RESETS.fullmatch(name)
        and (wait := _seconds(value, sent)) is not None
        and _is_empty(headers, name)
    ]
    return max(resets, default=None)


def _is_empty(headers: Mapping[str, str], reset: str) -> bool:
    """Whether the limit of that reset is used up; the others do not matter."""
    return headers.get(reset.replace("reset", "remaining"), "0").strip() in ("0", "")


def _seconds(value: str, sent: datetime) -> float | None:
    value = value.strip()[:60]
    parts = _DURATION.findall(value)
    if parts and "".join(number + unit for number, unit in parts) == value:
        return sum(float(number) * _SECONDS[unit] for number, unit in parts)
    try:
        wait = float(value)
    except ValueError:
        moment = _moment(value)
        wait = -1.0 if moment is None else (moment - sent).total_seconds()
        return max(wait, 0.0) if moment is not None else None
    return wait if 0 <= wait < 1e7 else None


def _moment(value: str) -> datetime | None:
    for convert in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            found = convert(value)
        except (ValueError, TypeError, IndexError):
            continue
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    return None


def _wait(fault: _Fault, attempt: int) -> float:
    if fault.wait_s is not None:
        return fault.wait_s
    return float(min(FIRST_WAIT_S * 2 ** (attempt - 1), LONGEST_WAIT_S))


def _safe(message: str, options: ModelOptions) -> str:
    """One line of what a server says, without the key, which some repeat."""
    cleaned = " ".join(message.split())
    if options.api_key:
        cleaned = cleaned.replace(options.api_key, "…")
    return cleaned if len(cleaned) <= MAX_MESSAGE_CHARS else cleaned[: MAX_MESSAGE_CHARS - 1] + "…"


def _harmless(error: Exception, options: ModelOptions) -> Exception | None:
    """The cause to chain, unless its text holds the key."""
    return None if options.api_key and options.api_key in f"{error!s}{error!r}" else error


def _error(fault: _Fault, options: ModelOptions) -> ModelError:
    return ModelError(
        f"the server of model {options.name} {fault.message}",
        where=host_of(options.base_url) if options.base_url else options.where,
        hint=fault.hint,
        retryable=fault.retryable,
    )
