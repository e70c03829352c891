"""A request as a trace: what its spans and evaluations are, before anything is sent. Pure; times come with the laps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pincite import telemetry_names as names
from pincite.answer import Answer
from pincite.findings import QuoteMatchKind, Support
from pincite.telemetry import Lap, Record, Told

Value = str | bool | int | float | Sequence[str] | Sequence[float]
Attributes = dict[str, Value]

MAX_CITATIONS = 200
"""Citations of one answer that get a span; those that failed come first. The rest is counted."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One score: ``value`` in 0-1, ``None`` where there is only a ``label``."""

    name: str
    label: str
    value: float | None = None
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class SpanOf:
    """One span. ``begun`` and ``ended`` are seconds since the request began; ``error`` is one word, never a text."""

    name: str
    begun: float
    ended: float
    attributes: Attributes = field(default_factory=dict)
    error: str = ""
    calls_out: bool = False
    children: tuple[SpanOf, ...] = ()
    evaluations: tuple[Evaluation, ...] = ()


def trace_of(
    record: Record,
    told: Sequence[Told],
    laps: Sequence[Lap],
    *,
    elapsed: float,
    error: BaseException | None = None,
    content: bool = False,
) -> SpanOf:
    """The spans of a request.

    Args:
        record: What it did; ``told``: ``record.citations()``.
        laps: The steps as they were taken; ``elapsed``: seconds from the first to the end.
        error: What ended it, where it did not end with an answer.
        content: Whether texts go along: the question, sentences, quotes and reasons.
    """
    children = (
        _retrieval(record, laps, content=content),
        _weigh(laps),
        _chat(record, laps, "generate", error),
        _verify(record, told, laps, content=content),
        _repair(record, laps),
    )
    outcome = record.outcome(error)
    return SpanOf(
        names.ASK,
        0.0,
        elapsed,
        attributes=_of_answer(record, outcome),
        error=type(error).__name__ if outcome == "error" else "",
        children=tuple(child for child in children if child is not None),
        evaluations=() if record.answer is None else tuple(_of_whole(record.answer)),
    )


def _of_answer(record: Record, outcome: str) -> Attributes:
    answer = record.answer
    given: dict[str, Value | None] = {
        names.OUTCOME: outcome,
        names.READER_LEVEL: record.question.reader.level.value,
        names.CONVERSATION: record.question.conversation_id,
    }
    if answer is not None:
        given |= {
            names.RESPONSE_ID: answer.id,
            names.LANGUAGE: answer.language,
            names.REASON_CODE: None if answer.reason_code is None else answer.reason_code.value,
        }
        if not answer.abstained:
            given |= {
                names.ANSWER_CONFIDENCE: answer.confidence,
                names.ANSWER_COVERAGE: answer.metrics.citation_coverage,
                names.GROUNDED: answer.metrics.grounded,
            }
    return _without_none(given)


def _of_whole(answer: Answer) -> Iterator[Evaluation]:
    """How the whole answer did. One that abstains claims nothing."""
    counts = answer.metrics
    if answer.abstained:
        return
    if counts.citation_coverage is not None:
        full = counts.citation_coverage == 1.0
        yield Evaluation(names.COVERAGE_OF, _passed(full), counts.citation_coverage)
    if counts.citation_accuracy is not None:
        yield Evaluation(names.ACCURACY_OF, _passed(counts.meets_target), counts.citation_accuracy)
    yield Evaluation(names.GROUNDED_OF, _passed(counts.grounded))
    yield Evaluation(names.CONFIDENCE_OF, answer.confidence_label, answer.confidence)


def _retrieval(record: Record, laps: Sequence[Lap], *, content: bool) -> SpanOf | None:
    when = _window(laps, "retrieve")
    if when is None:
        return None
    attributes: Attributes = {
        names.OPERATION: "retrieval",
        names.TOP_K: record.question.top_k,
        names.CHUNK_IDS: tuple(hit.chunk.chunk_id for hit in record.hits),
        names.SCORES: tuple(round(hit.score, 4) for hit in record.hits),
    }
    if record.answer is not None and record.answer.left_out:
        attributes[names.LEFT_OUT] = len(record.answer.left_out)
    if content:
        attributes[names.QUERY_TEXT] = record.question.alone
    return SpanOf(names.RETRIEVAL, when.begun, when.ended, attributes)


def _weigh(laps: Sequence[Lap]) -> SpanOf | None:
    """Whether the passages are enough to go on with."""
    when = _window(laps, "weigh")
    return None if when is None else SpanOf(names.WEIGH, when.begun, when.ended)


def _chat(
    record: Record, laps: Sequence[Lap], step: str, error: BaseException | None = None
) -> SpanOf | None:
    """A call of the model. Checks are made while it writes, so it was not busy all that time."""
    when = _window(laps, step)
    if when is None:
        return None
    given: dict[str, Value | None] = {
        names.OPERATION: "chat",
        names.PROVIDER: record.provider,
        names.REQUEST_MODEL: record.model_name,
        names.ACTIVE_SECONDS: round(sum(lap.ended - lap.begun for lap in laps if lap.name == step), 6),
        names.STATEMENTS: record.statements if step == "generate" else None,
    }
    if step == "generate" and record.answer is not None:
        given[names.RESPONSE_ID] = record.answer.id
        given[names.INPUT_TOKENS] = record.answer.usage.input_tokens
        given[names.OUTPUT_TOKENS] = record.answer.usage.output_tokens
    # An error that came later is not the model's.
    broke = record.outcome(error) == "error" and laps[-1].name == step
    return SpanOf(
        f"{names.CHAT} {record.model_name}",
        when.begun,
        when.ended,
        _without_none(given),
        error=type(error).__name__ if broke else "",
        calls_out=":" in record.model,
    )


def _verify(record: Record, told: Sequence[Told], laps: Sequence[Lap], *, content: bool) -> SpanOf | None:
    when = _window(laps, "verify")
    if when is None:
        return None
    by_place = [lap for lap in laps if lap.name == "verify"]
    failed = sum(one.failed for one in told)
    first = sorted(told, key=lambda one: not one.failed)[:MAX_CITATIONS]
    attributes: Attributes = {
        names.ACTIVE_SECONDS: round(sum(lap.ended - lap.begun for lap in by_place), 6),
        names.CITATIONS_CHECKED: len(told),
        names.CITATIONS_UNVERIFIED: failed,
    }
    if len(told) > len(first):
        attributes[names.CITATIONS_NOT_TOLD] = len(told) - len(first)
    return SpanOf(
        names.VERIFY,
        when.begun,
        when.ended,
        attributes,
        children=tuple(
            _check(one, by_place[one.place] if one.place < len(by_place) else when, content=content)
            for one in first
        ),
    )


def _check(one: Told, when: Lap, *, content: bool) -> SpanOf:
    """One citation, at the time its statement was checked. An id that the model made up is its text, not an id of ours."""
    check, known = one.check, one.hit is not None
    attributes: Attributes = {
        names.CITATION_STATUS: check.status.value,
        names.QUOTE_MATCH: check.quote_match.value,
        names.MATCH_SCORE: check.match_score,
        names.SUPPORT: check.support.value,
        names.SHOWN: one.shown,
    }
    if one.hit is not None:
        attributes[names.CHUNK_ID] = one.hit.chunk.chunk_id
        attributes[names.DOC_ID] = one.hit.document.doc_id
    if known or content:
        attributes[names.CITATION_ID] = check.citation_id
    if content:
        quotes = [
            pointer.quote
            for pointer in one.sentence.claim.pointers
            if pointer.id == check.citation_id and pointer.quote
        ]
        attributes[names.CONTENT_CLAIM] = one.sentence.text
        attributes[names.CONTENT_REASON] = check.reason
        if quotes:
            attributes[names.CONTENT_QUOTE] = tuple(quotes)
    reason = check.reason if content else ""
    found = check.quote_match is not QuoteMatchKind.NONE
    return SpanOf(
        names.CITATION_CHECK,
        when.begun,
        when.ended,
        attributes,
        error=check.status.value if one.failed else "",
        evaluations=(
            Evaluation(names.QUOTE_MATCH_OF, _passed(found), check.match_score, reason),
            Evaluation(names.SUPPORT_OF, check.support.value, _SUPPORT_SCORES.get(check.support), reason),
        ),
    )


_SUPPORT_SCORES: Mapping[Support, float] = {
    Support.SUPPORTED: 1.0,
    Support.PARTIAL: 0.5,
    Support.UNSUPPORTED: 0.0,
    Support.CONTRADICTED: 0.0,
}
"""What was not checked has no score."""


def _repair(record: Record, laps: Sequence[Lap]) -> SpanOf | None:
    """The mending, where there was something to mend; with the model's second call, if it was asked again."""
    when = _window(laps, "repair")
    again = _chat(record, laps, "revise")
    answer = record.answer
    mended = 0 if answer is None else len(answer.repairs)
    withheld = 0 if answer is None else len(answer.removed)
    if when is None or not (again or mended or withheld):
        return None
    attributes: Attributes = {names.MENDED: mended, names.WITHHELD: withheld}
    return SpanOf(names.REPAIR, when.begun, when.ended, attributes, children=(again,) if again else ())


def _window(laps: Sequence[Lap], name: str) -> Lap | None:
    """From the first lap of that name to the end of the last."""
    found = [lap for lap in laps if lap.name == name]
    return Lap(name, found[0].begun, found[-1].ended) if found else None


def _passed(holds: bool) -> str:
    return "pass" if holds else "fail"


def _without_none(given: Mapping[str, Value | None]) -> Attributes:
    return {name: value for name, value in given.items() if value is not None}
