"""The line to a collector: the exporters of the OpenTelemetry SDK, each with one warning for an outage.

A collector that is down costs no more than its batches: each is given up in time, and the SDK's word about every single
one is held back.
"""

from __future__ import annotations

import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs.export import LogRecordExportResult
from opentelemetry.sdk.metrics.export import MetricExportResult
from opentelemetry.sdk.trace.export import SpanExportResult
from requests import Session
from requests.adapters import HTTPAdapter

from pincite.config.addresses import shown_web_address

log = logging.getLogger("pincite.telemetry")

PROBE_SECONDS = 2.0
"""The longest that it takes to see whether a collector is there."""

SEND_SECONDS = 5.0
"""The longest that one batch is sent, retries included."""

REFUSED = frozenset({404, 405, 501})
"""What a collector says that does not take this kind at all, as Jaeger does of metrics and logs."""

REFUSED_SECONDS = 600.0
"""How long it is not asked again then."""

_quiet = threading.local()
"""``on`` while our own data is sent: what the SDK then logs, for every batch, we say once."""


class _OncePerOutage(logging.Filter):
    """Holds back what the SDK says of our data, but for the first word that a queue is full."""

    full = False

    def filter(self, record: logging.LogRecord) -> bool:
        if not getattr(_quiet, "on", False):
            return True
        first = not self.full and str(record.msg).startswith("Queue full")
        self.full = self.full or first
        return first


ONE_FILTER = _OncePerOutage()
LOUD = (
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "opentelemetry.exporter.otlp.proto.http.metric_exporter",
    "opentelemetry.exporter.otlp.proto.http._log_exporter",
    "opentelemetry.sdk._shared_internal",
    "urllib3.connectionpool",
)


@contextmanager
def quietly() -> Iterator[None]:
    """What happens in it, on this thread, is our own data on its way."""
    before = getattr(_quiet, "on", False)
    _quiet.on = True
    try:
        yield
    finally:
        _quiet.on = before


def hold_back() -> None:
    """Let our filter hear the SDK's loggers. Again does no harm."""
    for name in LOUD:
        logging.getLogger(name).addFilter(ONE_FILTER)


# --- over the wire ------------------------------------------------------------------------------


class _Session(Session):
    """Remembers what the collector said last, and shares no connection with a process that was forked."""

    def __init__(self) -> None:
        super().__init__()
        self.last_status = 0
        if hasattr(os, "register_at_fork"):
            # The SDK starts its threads again in a child; the sockets would still be its parent's.
            mine = weakref.ref(self)
            os.register_at_fork(after_in_child=lambda: _mount_anew(mine()))

    def send(self, request: Any, **options: Any) -> Any:
        self.last_status = 0
        answer = super().send(request, **options)
        self.last_status = answer.status_code
        return answer


def _mount_anew(session: _Session | None) -> None:
    if session is not None:
        session.mount("http://", HTTPAdapter())
        session.mount("https://", HTTPAdapter())


class Outage:
    """Whether the collector is down, told once for all lines to it."""

    def __init__(self) -> None:
        self._down: set[str] = set()
        self._first: dict[str, str] = {}

    def begins(self, signal: str) -> bool:
        """A line failed; true for the first line of this outage, and once. Lines run on threads of their own."""
        if signal in self._down:
            return False
        self._down.add(signal)
        return self._first.setdefault("first", signal) == signal

    def ends(self, signal: str) -> bool:
        """A line works; true when it was the last that did not."""
        if signal not in self._down:
            return False
        self._down.discard(signal)
        return not self._down and self._first.pop("first", None) is not None


class _Line:
    """The line to the collector for one kind of data."""

    def __init__(self, signal: str, address: str, outage: Outage) -> None:
        self.signal, self.address, self.outage = signal, address, outage
        self.session = _Session()
        self._refused_at: float | None = None

    def sent(self, send: Callable[[], Any], success: Any) -> Any:
        """Send a batch; whatever comes of it, it is over then."""
        if self._refused_at is not None and time.monotonic() - self._refused_at < REFUSED_SECONDS:
            return success
        with quietly():
            done = send()
        if done is success:
            self._refused_at = None
            if self.outage.ends(self.signal):
                log.info("the collector takes everything again")
        elif self.session.last_status in REFUSED:
            if self._refused_at is None:
                log.warning(
                    "%s says %d: it takes no %s. OTEL_%s_EXPORTER=none keeps them from being sent",
                    self.address,
                    self.session.last_status,
                    self.signal,
                    self.signal.upper(),
                )
            self._refused_at = time.monotonic()
        elif self.outage.begins(self.signal):
            log.warning(
                "%s cannot be reached or takes nothing: telemetry is dropped until it does. Answers are not affected",
                self.address,
            )
        return done


class _Lined:
    """Puts a ``_Line`` in front of one of the SDK's exporters."""

    signal: str
    success: Any

    def __init__(self, endpoint: str, outage: Outage) -> None:
        address = address_of(self.signal, endpoint)
        self.line = _Line(self.signal, address or told_address(self.signal), outage)
        super().__init__(endpoint=address, session=self.line.session, timeout=SEND_SECONDS)  # type: ignore[call-arg]

    def export(self, batch: Any, *given: Any, **options: Any) -> Any:
        """Send a batch, and see what comes of it."""
        send = super().export  # type: ignore[misc]  # of the exporter beside us
        return self.line.sent(lambda: send(batch, *given, **options), self.success)


class Spans(_Lined, OTLPSpanExporter):  # type: ignore[misc]  # ``batch`` has another name in each of the three
    signal, success = "traces", SpanExportResult.SUCCESS


class Events(_Lined, OTLPLogExporter):
    signal, success = "logs", LogRecordExportResult.SUCCESS


class Metrics(_Lined, OTLPMetricExporter):  # type: ignore[misc]  # the same
    signal, success = "metrics", MetricExportResult.SUCCESS


def address_of(signal: str, endpoint: str) -> str | None:
    """Where one kind of data goes; ``None`` leaves it to the variables of the SDK."""
    return f"{endpoint.rstrip('/')}/v1/{signal}" if endpoint else None


def told_address(signal: str) -> str:
    """Where the variables of the SDK say that one kind of data goes, as it may be shown: they may hold a password."""
    names = (f"OTEL_EXPORTER_OTLP_{signal.upper()}_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
    address = next(filter(None, map(os.environ.get, names)), "")
    return shown_web_address(address) if address else "the collector"


def is_there(endpoint: str) -> bool:
    """Whether a collector takes traces: an empty batch is sent."""
    with quietly():
        one = OTLPSpanExporter(endpoint=address_of("traces", endpoint), timeout=PROBE_SECONDS)
        return one.export(()) is SpanExportResult.SUCCESS
