"""What a monitoring system reads at ``/metrics``: the same measures, by the same names, as telemetry sends.

Labels have a few fixed values, but for the ids of documents whose citations failed: a key sees only those it may read.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any

from pincite import telemetry_names as names
from pincite.events import Event, Finished
from pincite.telemetry import MAX_LABEL_CHARS, Documents, Record, clean, measures
from pincite.telemetry_names import Instrument, prometheus_label, prometheus_name
from pincite.types import Question, Reader


class Metrics:
    """Counters of one service, in a registry of its own."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry

        self.registry = CollectorRegistry()
        self._made = {
            one.name: _made(one, self.registry)
            for one in (*names.INSTRUMENTS, names.STREAMS)
            if one is not names.BY_DOCUMENT
        }
        self._failed = _FailedByDocument()

    def watched(self, events: Generator[Event], question: Question, model: str) -> Generator[Event]:
        """The events as they are, counted as they pass; how the request ended, too."""
        record, begun = Record(question, model), time.perf_counter()
        with closing(events):
            try:
                for event in events:
                    record.tell(event)
                    if isinstance(event, Finished):
                        self._count(record, time.perf_counter() - begun)
                    yield event
            except BaseException as error:
                if record.answer is None:
                    self._count(record, time.perf_counter() - begun, error)
                raise

    def _count(self, record: Record, whole: float, error: BaseException | None = None) -> None:
        told = record.citations()
        answer = record.answer
        seconds = {} if answer is None else {one: spent / 1_000 for one, spent in answer.timing_ms.items()}
        for instrument, value, labels in measures(
            record, told, seconds=seconds, whole=whole, outcome=record.outcome(error)
        ):
            made = self._made[instrument.name]
            series = made.labels(*(clean(label, MAX_LABEL_CHARS) for label in labels)) if labels else made
            series.inc(value) if instrument.kind == "counter" else series.observe(value)
        for one in told:
            if one.failed and one.hit is not None:
                self._failed.count(one.hit.document.doc_id, one.hit.document.access_level)

    def text(self, *, streams: int, reader: Reader) -> bytes:
        """The exposition in the text format of Prometheus, as ``reader`` may see it."""
        from prometheus_client import CollectorRegistry, generate_latest

        self._made[names.STREAMS.name].set(streams)
        by_document = CollectorRegistry()
        by_document.register(_Visible(self._failed, reader))
        return generate_latest(self.registry) + generate_latest(by_document)


def _made(one: Instrument, registry: Any) -> Any:
    from prometheus_client import Counter, Gauge, Histogram

    name, labels = prometheus_name(one), [prometheus_label(label) for label in one.labels]
    if one.kind == "counter":
        counter = Counter(name, one.about, labels, registry=registry)
        for values in one.known:
            counter.labels(*values)
        return counter
    if one.kind == "gauge":
        return Gauge(name, one.about, labels, registry=registry)
    return Histogram(name, one.about, labels, buckets=one.buckets, registry=registry)


class _FailedByDocument:
    """Failed citations by document. ``levels`` say who may be told of one: its own, as it was last cited."""

    def __init__(self) -> None:
        self._documents = Documents()
        self._lock = threading.Lock()
        self._counts: dict[str, int] = {names.OTHER_DOCUMENTS: 0}
        self._levels: dict[str, str | None] = {}

    def count(self, doc_id: str, level: str | None) -> None:
        with self._lock:
            label = self._documents.label(doc_id)
            self._counts[label] = self._counts.get(label, 0) + 1
            self._levels[label] = level

    def visible(self, reader: Reader) -> Iterator[tuple[str, int]]:
        """Labels with their counts; those of documents the reader may not see are left out."""
        with self._lock:
            counts = tuple(self._counts.items())
        for label, count in counts:
            if label == names.OTHER_DOCUMENTS or reader.may_read(self._levels[label]):
                yield label, count


class _Visible:
    """What ``prometheus_client`` collects for one reader."""

    def __init__(self, failed: _FailedByDocument, reader: Reader) -> None:
        self._failed, self._reader = failed, reader

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import CounterMetricFamily

        one = names.BY_DOCUMENT
        family = CounterMetricFamily(prometheus_name(one), one.about, labels=list(one.labels))
        for label, count in self._failed.visible(self._reader):
            family.add_metric([label], count)
        yield family
