"""What a monitoring system reads at ``/metrics``. Labels have a few fixed values: no text and no id is ever one."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any

from pincite.events import Event, Finished, Repaired


class Metrics:
    """Counters of one service, in a registry of its own."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self.registry = CollectorRegistry()
        given: dict[str, Any] = {"registry": self.registry}
        self.answers = Counter("pincite_answers", "Answers by outcome", ["outcome"], **given)
        self.citations = Counter("pincite_citations", "Citations of answers by status", ["status"], **given)
        self.repairs = Counter("pincite_repairs", "Sentences that were mended", ["kind"], **given)
        self.removed = Counter("pincite_removed_sentences", "Sentences that were withheld", **given)
        self.confidence = Histogram(
            "pincite_confidence",
            "Confidence of answers",
            buckets=[round(0.1 * step, 1) for step in range(1, 11)],
            **given,
        )
        self.seconds = Histogram(
            "pincite_stage_seconds",
            "Time of the stages of an answer",
            ["stage"],
            buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
            **given,
        )
        self.streams = Gauge("pincite_streams", "Answers that are being written", **given)

    def watched(self, events: Generator[Event]) -> Generator[Event]:
        """The events as they are, counted as they pass."""
        with closing(events):
            for event in events:
                if isinstance(event, Repaired):
                    self.repairs.labels(event.repair.kind).inc()
                elif isinstance(event, Finished):
                    self._count(event)
                yield event

    def _count(self, event: Finished) -> None:
        answer = event.answer
        self.answers.labels(answer.answer_status.value.lower()).inc()
        for sentence in answer.sentences:
            for check in sentence.verdict.checks:
                self.citations.labels(check.status.value).inc()
        self.removed.inc(len(answer.removed))
        if not answer.abstained:
            self.confidence.observe(answer.confidence)
        for stage, milliseconds in answer.timing_ms.items():
            self.seconds.labels(stage).observe(milliseconds / 1_000)

    def text(self, *, streams: int) -> Iterator[bytes]:
        """The exposition, in the text format of Prometheus."""
        from prometheus_client import generate_latest

        self.streams.set(streams)
        yield generate_latest(self.registry)
