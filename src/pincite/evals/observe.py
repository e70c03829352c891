"""Get an answer to one golden item, from the pipeline or as it was recorded, and note all that measures need of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pincite.answer import GOOD, Answer, Report
from pincite.answerable import likelihood
from pincite.checks.score import weights
from pincite.claims import Parsed, aliases, is_frame, is_refusal, parse_claims
from pincite.errors import ConfigError
from pincite.evals.values import GoldenItem
from pincite.events import Checked, Drafted, Event, Finished, Repaired, Retrieved, Revised, Started
from pincite.findings import CitationStatus, Sentence, Support
from pincite.pipeline import Pipeline
from pincite.ports import Judge
from pincite.renderers.json import answer_dict, report_dict
from pincite.text.questions import aspects
from pincite.types import AccessLevel, Hit, Question, Reader, Statement
from pincite.verification import verify
from pincite.walk import ENOUGH_EVIDENCE

_UNSTABLE = ("id", "created_at", "timing_ms", "trace_id")
"""Of a canonical answer: what differs in every run. Reports hold none of it, so that two of the same can be compared."""

_NOT_WRONG = GOOD | {CitationStatus.INVALID, CitationStatus.NOT_CHECKABLE}


@dataclass(frozen=True, slots=True)
class Written:
    """What stood there before anything was mended: citations that were written, those of them that name no source, and
    those that name one which does not bear the sentence out; factual sentences, those of them without any citation, and those
    that were withheld in the end (``None`` for a recorded answer, from which nothing is withheld)."""

    citations: int
    invented: int
    wrong: int
    factual: int
    uncited: int
    withheld: int | None


@dataclass(frozen=True, slots=True)
class Observed:
    """An answer as measures see it. ``hits`` are the passages it could use, best first; ``first_id`` the number of the first
    one's prompt id. ``confidence`` is ``None`` where none was given; ``margins`` as in ``ItemResult``."""

    sentences: tuple[Sentence, ...]
    hits: tuple[Hit, ...]
    shown: Answer | Report
    text: str
    abstained: bool
    written: Written
    body: Mapping[str, Any]
    uncovered: tuple[str, ...] | None = ()
    confidence: float | None = None
    first_id: int = 1
    margins: Mapping[str, float] = field(default_factory=dict)

    @property
    def factual(self) -> tuple[Sentence, ...]:
        """The sentences that need a citation."""
        return tuple(one for one in self.sentences if one.factual)


# --- from the pipeline --------------------------------------------------------------------------


def observe(pipeline: Pipeline, item: GoldenItem) -> Observed:
    """Ask the question of an item as its reader, after the turns of its history.

    Raises:
        ConfigError: If the question cannot be asked.
        ModelError: If the model cannot be reached.
    """
    question = Question(
        item.question,
        history=item.history,
        reader=Reader(AccessLevel(item.reader)),
        top_k=pipeline.settings.top_k,
    )
    events = tuple(pipeline.events(question))
    answer = next(event.answer for event in events if isinstance(event, Finished))
    asked = next(event.searched_for for event in events if isinstance(event, Started))
    return Observed(
        sentences=answer.sentences,
        hits=answer.hits,
        shown=answer,
        text=answer.plain,
        abstained=answer.abstained,
        written=_drafted(events, answer),
        body=_stable(answer_dict(answer)),
        uncovered=answer.uncovered_aspects,
        confidence=None if answer.abstained else answer.confidence,
        first_id=answer.first_id,
        margins=_margins(pipeline, asked, answer),
    )


def _drafted(events: Sequence[Event], answer: Answer) -> Written:
    """Counts of the draft. A sentence is looked at when it was checked first, before it was asked for again or mended."""
    hits = next((event.hits for event in events if isinstance(event, Retrieved)), ())
    known = aliases(hits, first_id=answer.first_id)
    parsed = [_parsed(event.statement, known) for event in events if isinstance(event, Drafted)]
    claims = [claim for one in parsed for claim in one.claims if not is_frame(claim.text)]
    pointers = [pointer for claim in claims for pointer in claim.pointers]
    factual = [claim for claim in claims if claim.factual and not is_refusal(claim.text)]
    invented = sum(not pointer.known for pointer in pointers)
    return Written(
        citations=len(pointers),
        invented=invented,
        wrong=min(_wrong(events), len(pointers) - invented),
        factual=len(factual),
        uncited=sum(not claim.pointers for claim in factual),
        withheld=min(len(answer.removed), len(factual)),
    )


def _parsed(statement: Statement, known: Mapping[str, tuple[str, ...]]) -> Parsed:
    return parse_claims(statement.text, known, statement.quotes)


def _wrong(events: Sequence[Event]) -> int:
    wrong = 0
    seen: set[tuple[int, str]] = set()
    for event in events:
        if isinstance(event, Revised):
            break
        if isinstance(event, Repaired) and event.repair.kind == "repointed":
            wrong += 1
        if isinstance(event, Checked) and (event.place, event.sentence.text) not in seen:
            seen.add((event.place, event.sentence.text))
            wrong += sum(check.status not in _NOT_WRONG for check in event.sentence.verdict.checks)
    return wrong


def _stable(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in _UNSTABLE}


# --- what was decided by how little -------------------------------------------------------------


def _margins(pipeline: Pipeline, asked: str, answer: Answer) -> dict[str, float]:
    """How far each number that decided was from its threshold: whether to decline, and whether a sentence is supported."""
    margins: dict[str, float] = {}
    if answer.hits:
        margins["abstain"] = _abstain_margin(pipeline, asked, answer)
    close = [
        one.verdict.score - weights().supported_from
        for one in answer.sentences
        if one.factual and one.support in (Support.SUPPORTED, Support.PARTIAL)
    ]
    if close:
        margins["support"] = min(close, key=abs)
    return {name: round(margin, 6) for name, margin in margins.items()}


def _abstain_margin(pipeline: Pipeline, asked: str, answer: Answer) -> float:
    """The same question as ``walk.Walk.too_little`` asks, of the same passages."""
    fingerprint = "" if pipeline.parts.embedder is None else pipeline.parts.embedder.fingerprint
    parts = aspects(asked)
    chances = [
        likelihood(part, answer.hits, answer.language, fingerprint)
        for part in (parts if len(parts) > 1 else (asked,))
    ]
    known = [one for one in chances if one is not None]
    if known:
        return max(known) - pipeline.settings.abstain_below
    return max(hit.score for hit in answer.hits) - ENOUGH_EVIDENCE


# --- recorded -----------------------------------------------------------------------------------


def observe_recorded(item: GoldenItem, judge: Judge) -> Observed:
    """Check the answer that an item brings, against the sources it brings.

    Raises:
        ConfigError: If it brings no answer or no sources, or they cannot be read.
        ModelError: If the judge is a model and cannot be reached.
    """
    if item.answer is None:
        raise ConfigError("there is no recorded answer", hint='write it into the field "answer"')
    given = item.answer
    said: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    report = verify(given, list(item.sources) or (None if said else []), judge=judge)
    uncovered = said.get("uncovered_aspects")
    sure = said.get("confidence")
    is_number = isinstance(sure, int | float) and not isinstance(sure, bool) and 0 <= sure <= 1
    abstained = _declines(report, said)
    return Observed(
        sentences=() if abstained else report.sentences,
        hits=report.hits,
        shown=report,
        text=report.plain,
        abstained=abstained,
        written=_recorded(report),
        body={**_stable(report_dict(report)), "abstained": abstained},
        uncovered=tuple(map(str, uncovered)) if isinstance(uncovered, list | tuple) else None,
        confidence=float(sure) if is_number and sure is not None and not abstained else None,
    )


def _declines(report: Report, said: Mapping[str, Any]) -> bool:
    """Whether a recorded answer declines: it says so in its fields, or in words and in no other."""
    if isinstance(said.get("abstained"), bool):
        return bool(said["abstained"])
    return not any(one.factual for one in report.sentences) and (
        not report.plain.strip() or any(is_refusal(one.text) for one in report.sentences)
    )


def _recorded(report: Report) -> Written:
    checks = [check for sentence in report.sentences for check in sentence.verdict.checks]
    factual = [sentence for sentence in report.sentences if sentence.factual]
    return Written(
        citations=len(checks),
        invented=sum(check.status is CitationStatus.INVALID for check in checks),
        wrong=sum(check.status not in _NOT_WRONG for check in checks),
        factual=len(factual),
        uncited=sum(not sentence.claim.pointers for sentence in factual),
        withheld=None,
    )
