"""Sends what requests tell to a collector, with the OpenTelemetry SDK (extra ``otel``). Imported only when it is on.

An answer never waits for the collector and never fails by it: spans, events and measures go into queues of bounded
length, threads of the SDK send them, and what a collector does not take in time is dropped, with one warning.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from opentelemetry import context as otel_context
from opentelemetry import trace as otel_trace
from opentelemetry._logs import SeverityNumber
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from pincite import telemetry_names as names
from pincite.collector import Events, Metrics, Outage, Spans, hold_back, quietly
from pincite.events import Event
from pincite.telemetry import Documents, Record, Timer, clean, measures, trace_id_of
from pincite.traces import Evaluation, SpanOf, trace_of
from pincite.types import Question

log = logging.getLogger("pincite.telemetry")

CLOSE_SECONDS = 2.0
"""The longest that ``close`` waits for what is left to be sent."""

MAX_VALUE_CHARS = 4_000
"""Of one attribute. Ids are short; texts go along only when they are asked for."""


def _wanted(signal: str) -> bool:
    return os.environ.get(f"OTEL_{signal.upper()}_EXPORTER", "").strip().lower() != "none"


def open_otel(endpoint: str = "", *, content: bool = False, version: str = "") -> OtelTelemetry:
    """Telemetry to a collector, as ``endpoint`` or the variables of the SDK say.

    What ``OTEL_…`` variables set holds: sampler, headers, resource, sizes of queues, ``OTEL_TRACES_EXPORTER=none`` and
    its like.
    """
    outage = Outage()
    return OtelTelemetry(
        spans=Spans(endpoint, outage) if _wanted("traces") else None,
        events=Events(endpoint, outage) if _wanted("logs") else None,
        metrics=PeriodicExportingMetricReader(Metrics(endpoint, outage)) if _wanted("metrics") else None,
        content=content,
        version=version,
        outage=outage,
    )


# --- what is sent -------------------------------------------------------------------------------


class OtelTelemetry:
    """Listens to requests, and hands what they did to the SDK.

    Args:
        spans, events, metrics: Where each kind goes; nowhere for ``None``.
        content: Whether texts go along.
        version: Of pincite.
        outage: What the lines to the collector know of it.
    """

    def __init__(
        self,
        *,
        spans: SpanExporter | None = None,
        events: LogRecordExporter | None = None,
        metrics: MetricReader | None = None,
        content: bool = False,
        version: str = "",
        outage: Outage | None = None,
    ) -> None:
        hold_back()
        self._outage = outage or Outage()
        resource = self._resource = _resource(version)
        self._scope = InstrumentationScope(names.SCOPE, version)
        self._spans: BatchSpanProcessor | None = None
        self.content = content
        self._queues: list[Any] = [one for one in (metrics,) if one is not None]
        tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
        if spans is not None:
            self._spans = BatchSpanProcessor(spans)
            self._queues.append(self._spans)
            tracers.add_span_processor(self._spans)
        loggers = LoggerProvider(resource=resource, shutdown_on_exit=False)
        if events is not None:
            self._queues.append(BatchLogRecordProcessor(events))
            loggers.add_log_record_processor(self._queues[-1])
        meters = MeterProvider(
            [metrics] if metrics is not None else (), resource=resource, shutdown_on_exit=False
        )
        self._new_id = tracers.id_generator.generate_span_id
        self._tracer = tracers.get_tracer(names.SCOPE, version)
        self._events = None if events is None else loggers.get_logger(names.SCOPE, version)
        self._instruments = {} if metrics is None else _instruments(meters.get_meter(names.SCOPE, version))
        self._documents = Documents()
        self._closed = False
        atexit.register(self.close)

    def watch(self, question: Question, started: datetime, model: str) -> OtelWatch:
        """What listens to one request. It is part of the trace that its ``traceparent`` names, or of the one that is
        current where it is asked."""
        begun_ns = int(started.timestamp() * 1_000_000) * 1_000
        parent = (
            TraceContextTextMapPropagator().extract({"traceparent": question.traceparent})
            if trace_id_of(question.traceparent)
            else otel_context.get_current()
        )
        span = self._tracer.start_span(names.ASK, context=parent, start_time=begun_ns)
        return OtelWatch(self, Record(question, model), span, begun_ns)

    def close(self) -> None:
        """Send what is left; after ``CLOSE_SECONDS`` it is dropped."""
        if self._closed:
            return
        self._closed = True
        atexit.unregister(self.close)
        threads = [
            threading.Thread(target=_shut, args=(queue,), daemon=True, name="pincite-telemetry-close")
            for queue in self._queues
        ]
        for thread in threads:
            thread.start()
        end = time.monotonic() + CLOSE_SECONDS
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))
        if any(thread.is_alive() for thread in threads) and self._outage.begins("the end"):
            log.warning("the collector did not take within %g s what was left; it is dropped", CLOSE_SECONDS)

    # --- one request ----------------------------------------------------------------------------

    def told(self, watch: OtelWatch, timer: Timer, error: BaseException | None) -> None:
        """Hand over what a request did."""
        record, citations = watch.record, watch.record.citations()
        elapsed = timer.elapsed
        if watch.span.is_recording():
            tree = trace_of(record, citations, timer.laps, elapsed=elapsed, error=error, content=self.content)
            response = clean(record.answer.id, MAX_VALUE_CHARS) if record.answer is not None else ""
            self._root(watch.span, tree, watch.begun_ns, response)
        if not self._instruments:
            return
        outcome = record.outcome(error)
        for instrument, value, labels in measures(
            record, citations, seconds=timer.seconds, whole=elapsed, outcome=outcome
        ):
            self._add(instrument, value, labels)
        for one in citations:
            if one.failed and one.hit is not None:
                self._add(names.BY_DOCUMENT, 1, (self._documents.label(one.hit.document.doc_id),))

    def _add(self, instrument: names.Instrument, value: float, labels: Sequence[str]) -> None:
        given = {name: label for name, label in zip(instrument.labels, labels, strict=True) if label}
        self._instruments[instrument.name](value, given)

    def _root(self, span: otel_trace.Span, told: SpanOf, origin_ns: int, response: str) -> None:
        """Fill the span of the request, tell all below it, and end it."""
        self._below(span.get_span_context(), told, origin_ns, response)
        span.set_attributes(_attributes(told))
        if told.error:
            span.set_status(Status(StatusCode.ERROR, told.error))
        span.end(origin_ns + int(told.ended * 1e9))

    def _below(self, above: SpanContext, told: SpanOf, origin_ns: int, response: str) -> None:
        """The children of a span and its evaluations.

        The spans are made as they are read: a tracer would sample, lock and check each of them once more, which is half
        of what all this costs. Whether the trace is told at all was decided with its first span.
        """
        for child in told.children:
            own = SpanContext(above.trace_id, self._new_id(), False, above.trace_flags, above.trace_state)
            self._below(own, child, origin_ns, response)
            if self._spans is not None:
                self._spans.on_end(
                    ReadableSpan(
                        child.name,
                        context=own,
                        parent=above,
                        resource=self._resource,
                        attributes=_attributes(child),
                        kind=SpanKind.CLIENT if child.calls_out else SpanKind.INTERNAL,
                        status=Status(StatusCode.ERROR, child.error) if child.error else _FINE,
                        start_time=origin_ns + int(child.begun * 1e9),
                        end_time=origin_ns + int(child.ended * 1e9),
                        instrumentation_scope=self._scope,
                    )
                )
        if self._events is None or not told.evaluations:
            return
        inside = otel_trace.set_span_in_context(NonRecordingSpan(above))
        at = origin_ns + int(told.ended * 1e9)
        for one in told.evaluations:
            self._events.emit(
                timestamp=at,
                observed_timestamp=at,
                context=inside,
                severity_number=SeverityNumber.INFO,
                event_name=names.EVALUATION,
                attributes=_of_evaluation(one, response),
            )


class OtelWatch:
    """Listens to one request."""

    def __init__(
        self, telemetry: OtelTelemetry, record: Record, span: otel_trace.Span, begun_ns: int
    ) -> None:
        self._telemetry = telemetry
        self.record, self.span, self.begun_ns = record, span, begun_ns
        self._ended = False

    @property
    def trace_id(self) -> str | None:
        """The trace, in 32 hexadecimal digits; none where the SDK is switched off."""
        found = self.span.get_span_context()
        return f"{found.trace_id:032x}" if found.is_valid else trace_id_of(self.record.question.traceparent)

    def tell(self, event: Event) -> None:
        """What happened."""
        self.record.tell(event)

    def end(self, timer: Timer, error: BaseException | None = None) -> None:
        """It is over. A fault in telling it is told to the log, not to whoever asked."""
        if self._ended:
            return
        self._ended = True
        try:
            with quietly():
                self._telemetry.told(self, timer, error)
        except Exception:  # the answer is there; what watches it must not take it away
            log.exception("telemetry of %s was lost", self.trace_id)


def _of_evaluation(one: Evaluation, response: str) -> dict[str, Any]:
    told: dict[str, Any] = {names.EVALUATION_NAME: one.name, names.EVALUATION_LABEL: one.label}
    if one.value is not None:
        told[names.EVALUATION_VALUE] = one.value
    if one.explanation:
        told[names.EVALUATION_EXPLANATION] = clean(one.explanation, MAX_VALUE_CHARS)
    if response:
        told[names.RESPONSE_ID] = response
    return told


_FINE = Status(StatusCode.UNSET)


def _attributes(told: SpanOf) -> dict[str, Any]:
    """What a span says; of one in error, beside checks, whose status has a name of its own, also the kind of error."""
    given = _cleaned(told.attributes)
    if told.error and told.name != names.CITATION_CHECK:
        given[names.ERROR_TYPE] = told.error
    return given


def _cleaned(given: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes as they can be sent: one text that is no Unicode would cost its whole batch."""
    return {
        name: clean(value, MAX_VALUE_CHARS)
        if isinstance(value, str)
        else tuple(clean(one, MAX_VALUE_CHARS) if isinstance(one, str) else one for one in value)
        if isinstance(value, tuple)
        else value
        for name, value in given.items()
    }


def _resource(version: str) -> Resource:
    """Who sends. The environment's word holds; without it the service is ``pincite``."""
    given = {
        "service.name": names.SCOPE,
        "service.version": version,
        "service.instance.id": str(uuid.uuid4()),
    }
    named = Resource.create().attributes
    if str(named.get("service.name", "unknown_service")).startswith("unknown_service"):
        named = {name: value for name, value in named.items() if name != "service.name"}
    return Resource({**given, **named})


def _instruments(meter: Any) -> dict[str, Callable[[float, Mapping[str, str]], None]]:
    """What takes a value and its labels, by the instrument's name."""
    made = {}
    for one in names.INSTRUMENTS:
        if one.kind == "counter":
            made[one.name] = meter.create_counter(one.name, one.unit, one.about).add
        else:
            made[one.name] = meter.create_histogram(
                one.name, one.unit, one.about, explicit_bucket_boundaries_advisory=list(one.buckets)
            ).record
    return made


def _shut(queue: Any) -> None:
    with quietly():
        queue.shutdown()
