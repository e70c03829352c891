"""What a request tells whoever operates it: how long each step took, what was checked, how it ended.

Nothing here knows where that goes. ``otel`` sends it to a collector, the service counts it at ``/metrics``.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple, Protocol

from pincite import telemetry_names as names
from pincite.answer import GOOD, Answer
from pincite.events import Checked, Drafted, Event, Finished, Retrieved
from pincite.findings import CitationCheck, CitationStatus, Sentence
from pincite.telemetry_names import Instrument
from pincite.types import Hit, Question

MAX_DOCUMENTS = 100
"""Documents that are counted by their id; those that fail later count together."""

MAX_LABEL_CHARS = 200

CANCELLED = "cancelled"
"""How a request ended that nobody waited for, and the ``kind`` of an error that says so."""

_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}\Z")
"""W3C Trace Context, 3.2: version, trace, parent, flags."""


def trace_id_of(traceparent: str) -> str | None:
    """The trace of a ``traceparent``; ``None`` where there is none or it cannot be right.

    >>> trace_id_of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), trace_id_of("nonsense")
    ('4bf92f3577b34da6a3ce929d0e0e4736', None)
    """
    found = _TRACEPARENT.match(traceparent)
    return found[1] if found else None


# --- time ---------------------------------------------------------------------------------------


class Lap(NamedTuple):
    """One step as it was taken, in seconds since the timer was made."""

    name: str
    begun: float
    ended: float


class Timer:
    """Adds up the time of named steps. ``milliseconds`` maps each step to what it took in all, ``laps`` has each turn."""

    def __init__(self) -> None:
        self._made = time.perf_counter()
        self._seconds: dict[str, float] = {}
        self.laps: list[Lap] = []

    @contextmanager
    def step(self, name: str, *, inside: bool = False) -> Iterator[None]:
        """Time what happens in it; the same name again adds to it. What is ``inside`` another step is a lap alone."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            ended = time.perf_counter()
            if not inside:
                self._seconds[name] = self._seconds.get(name, 0.0) + ended - begun
            self.laps.append(Lap(name, begun - self._made, ended - self._made))

    @property
    def milliseconds(self) -> dict[str, float]:
        return {name: round(seconds * 1000, 1) for name, seconds in self._seconds.items()}

    @property
    def seconds(self) -> Mapping[str, float]:
        """What each step took in all."""
        return self._seconds

    @property
    def elapsed(self) -> float:
        """Seconds since the timer was made."""
        return time.perf_counter() - self._made


# --- who listens --------------------------------------------------------------------------------


class Watch(Protocol):
    """Listens to one request. ``trace_id`` is that of its trace, if it has one."""

    @property
    def trace_id(self) -> str | None: ...

    def tell(self, event: Event) -> None:
        """What happened."""

    def end(self, timer: Timer, error: BaseException | None = None) -> None:
        """It is over; by an ``error``, or because nobody waits for it any more (``GeneratorExit``). Only once counts."""


class Telemetry(Protocol):
    """Listens to requests. Never raises, never waits: an answer does not depend on it."""

    def watch(self, question: Question, started: datetime, model: str) -> Watch:
        """What listens to a request that began at ``started``."""

    def close(self) -> None:
        """Send what is left, as far as that goes quickly."""


# --- what is told -------------------------------------------------------------------------------


class Told(NamedTuple):
    """One check of one citation. ``hit`` is the passage it names, ``None`` for an id that was never retrieved.

    ``place`` is that of its statement in the draft; ``shown`` whether the reader was shown the sentence as it was
    checked.
    """

    place: int
    sentence: Sentence
    check: CitationCheck
    hit: Hit | None
    shown: bool

    @property
    def failed(self) -> bool:
        return is_failed(self.check.status)


def is_failed(status: CitationStatus) -> bool:
    """Whether a citation was looked at and does not hold. What cannot be looked at has not failed.

    >>> [status.value for status in CitationStatus if is_failed(status)]
    ['misattributed', 'unverified', 'contradicted', 'invalid']
    """
    return status not in GOOD and status is not CitationStatus.NOT_CHECKABLE


class Record:
    """What one request did, gathered from its events."""

    def __init__(self, question: Question, model: str) -> None:
        self.question = question
        self.model = model
        self.hits: tuple[Hit, ...] = ()
        self.statements = 0
        self.answer: Answer | None = None
        self._shown: list[tuple[int, Sentence]] = []
        self._failed: list[tuple[int, Sentence]] = []

    def tell(self, event: Event) -> None:
        """Take an event in."""
        if isinstance(event, Checked):
            (self._shown if event.shown else self._failed).append((event.place, event.sentence))
        elif isinstance(event, Drafted):
            self.statements += 1
        elif isinstance(event, Retrieved):
            self.hits = event.hits
        elif isinstance(event, Finished):
            self.answer = event.answer

    def citations(self) -> tuple[Told, ...]:
        """Every citation of the answer, and before them those of the draft that failed and were not shown."""
        first = self.question.first_id
        by_id = {f"c-{first + place}": hit for place, hit in enumerate(self.hits)}
        kept = {
            (place, sentence.text, check.citation_id)
            for place, sentence in self._shown
            for check in sentence.verdict.checks
        }
        caught = dict.fromkeys(self._failed)  # a sentence that was checked again comes again
        told = [
            Told(place, sentence, check, by_id.get(check.citation_id), False)
            for place, sentence in caught
            for check in sentence.verdict.checks
            if is_failed(check.status) and (place, sentence.text, check.citation_id) not in kept
        ]
        told += [
            Told(place, sentence, check, by_id.get(check.citation_id), True)
            for place, sentence in self._shown
            for check in sentence.verdict.checks
        ]
        return tuple(told)

    def outcome(self, error: BaseException | None = None) -> str:
        """How it ended: the answer's status in small letters, ``error``, or ``CANCELLED`` when nobody waited."""
        if self.answer is not None:
            return self.answer.answer_status.value.lower()
        given_up = error is None or isinstance(error, GeneratorExit | KeyboardInterrupt)
        return CANCELLED if given_up or getattr(error, "kind", "") == CANCELLED else "error"

    @property
    def provider(self) -> str:
        """Whose model it is: ``openai`` of ``openai:NAME``. What runs in this process is our own."""
        kind, colon, _ = self.model.partition(":")
        return ("anthropic" if kind == "anthropic-citations" else kind) if colon else names.SCOPE

    @property
    def model_name(self) -> str:
        """The model's name without its provider."""
        return self.model.partition(":")[2] or self.model


class Measure(NamedTuple):
    """One value for one instrument; ``labels`` in the instrument's order."""

    instrument: Instrument
    value: float
    labels: tuple[str, ...] = ()


def measures(
    record: Record,
    told: tuple[Told, ...],
    *,
    seconds: Mapping[str, float],
    whole: float,
    outcome: str,
) -> Iterator[Measure]:
    """What a request counts for, except by document.

    Args:
        told: ``record.citations()``.
        seconds: What each stage took in all; ``whole``: all of it.
        outcome: ``record.outcome(…)``.
    """
    yield Measure(names.ANSWERS, 1, (outcome,))
    yield Measure(names.ASK_DURATION, whole, (outcome,))
    for stage, spent in seconds.items():
        yield Measure(names.STAGE_DURATION, spent, (stage,))
    if "retrieve" in seconds:
        yield Measure(names.RETRIEVAL_DURATION, seconds["retrieve"])
    if "verify" in seconds:
        yield Measure(names.VERIFY_DURATION, seconds["verify"])
    model = ("chat", record.provider, record.model_name)
    if "generate" in seconds:
        yield Measure(names.CLIENT_DURATION, seconds["generate"], model)
    for (shown, status), count in Counter((one.shown, one.check.status.value) for one in told).items():
        yield Measure(names.CITATIONS if shown else names.CAUGHT, count, (status,))
    answer = record.answer
    if answer is None:
        return
    if answer.reason_code is not None:
        yield Measure(names.ABSTENTIONS, 1, (answer.reason_code.value,))
    else:
        yield Measure(names.CONFIDENCE, answer.confidence, (outcome,))
    for kind, count in Counter(repair.kind for repair in answer.repairs).items():
        yield Measure(names.REPAIRS, count, ("mended", kind))
    if answer.removed:
        yield Measure(names.REPAIRS, len(answer.removed), ("withheld", ""))
    for kind, tokens in (("input", answer.usage.input_tokens), ("output", answer.usage.output_tokens)):
        if tokens is not None:
            yield Measure(names.TOKEN_USAGE, tokens, (kind, *model))


class Documents:
    """Names documents as labels, the first ``MAX_DOCUMENTS`` by their ids: labels must not grow without end."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def label(self, doc_id: str) -> str:
        """The label of a document: its id, or ``OTHER_DOCUMENTS``."""
        if doc_id not in self._known:
            if len(self._known) >= MAX_DOCUMENTS:
                return names.OTHER_DOCUMENTS
            self._known.add(doc_id)
        return clean(doc_id, MAX_LABEL_CHARS)


def clean(text: str, limit: int) -> str:
    """A text as it may go over a wire: at most ``limit`` characters, lone surrogates replaced.

    >>> clean("a\\ud800bc", 3)
    'a?b'
    """
    if text.isascii() and len(text) <= limit:  # as ids and words of lists are
        return text
    return text[:limit].encode("utf-8", "replace").decode("utf-8")
