"""Events of a request as server-sent events: what they are called and what they hold."""

from __future__ import annotations

import json
import logging
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from pincite.answer import Answer
from pincite.errors import ModelError, PinciteError
from pincite.events import Checked, Drafted, Event, Finished, Repaired, Retrieved, Revised, Started
from pincite.findings import Pointer, Sentence
from pincite.renderers.json import answer_dict, citation_dict, difference_dict, hit_dict, snippet_dict
from pincite.review import snippets
from pincite.service.asking import Asked
from pincite.service.problems import Problem, of_error
from pincite.service.streams import Frame
from pincite.text.printing import print_markers

log = logging.getLogger("pincite.service")


@dataclass(frozen=True, slots=True)
class Call:
    """The request whose events are told, as far as its frames name it."""

    request_id: str
    path: str
    drafts: bool = False


def frames(events: Generator[Event], asked: Asked, call: Call) -> Generator[Frame]:
    """The frames of one request. ``answer`` is the last with data and the truth; ``done`` ends every stream.

    With ``drafts`` a sentence also comes before it is checked. An error after the first frame is a ``problem``.
    """
    teller = _Teller(asked, call)
    try:
        with closing(events):
            for event in events:
                yield from teller.tell(event)
    except PinciteError as error:
        yield "problem", teller.problem(error).body(call.request_id, call.path)
    except Exception:  # a stream that has begun has no status left to say it with
        yield (
            "problem",
            Problem("internal", "The request could not be carried out.").body(call.request_id, call.path),
        )
        log.exception("unexpected, request=%s", call.request_id)
    yield "done", {}


def whole(events: Generator[Event]) -> Generator[Frame]:
    """One frame with the finished ``Answer``. An error is a ``Problem``, with the passages that were found."""
    found: Retrieved | None = None
    started: Started | None = None
    try:
        with closing(events):
            for event in events:
                if isinstance(event, Started):
                    started = event
                elif isinstance(event, Retrieved):
                    found = event
                elif isinstance(event, Finished):
                    yield "answer", {"answer": event.answer}
    except PinciteError as error:
        raise problem_of(error, started, found) from error


def problem_of(error: PinciteError, started: Started | None, found: Retrieved | None) -> Problem:
    """The problem, and of a model that failed the passages it would have read: they are evidence without an answer."""
    problem = of_error(error)
    if isinstance(error, ModelError) and started is not None and found is not None:
        near = snippets(started.searched_for, found.hits, started.language)
        problem.extra["snippets"] = [snippet_dict(one) for one in near]
    return problem


def told(answer: Answer, asked: Asked) -> dict[str, Any]:
    """The canonical JSON with the parts that the request asks for."""
    body = answer_dict(answer)
    if "retrieved" not in asked.include:
        del body["retrieved"]
    if "prompt" in asked.include:
        body["prompt"] = list(asked.exchange.prompts)
    if "raw" in asked.include:
        body["raw"] = list(asked.exchange.replies)
    return body


class _Teller:
    """Keeps what later frames need of earlier events: numbers of citations, the stage that runs."""

    def __init__(self, asked: Asked, call: Call) -> None:
        self._asked, self._call = asked, call
        self._drafts = call.drafts
        self._started: Started | None = None
        self._found: Retrieved | None = None
        self._numbers: dict[str, int] = {}
        self._stage = ""
        self._parts: dict[int, int] = {}
        self._shown: set[int] = set()

    def tell(self, event: Event) -> Iterator[Frame]:
        match event:
            case Started():
                self._started = event
                yield (
                    "start",
                    {
                        "answer_id": event.answer_id,
                        "language": event.language,
                        "searched_for": event.searched_for,
                        "trace_id": event.trace_id,
                    },
                )
                yield from self._at("retrieve")
            case Retrieved():
                self._found = event
                yield "sources", {"hits": [_source(place, hit) for place, hit in enumerate(event.hits)]}
                yield from self._at("generate")
            case Drafted():
                if self._drafts:
                    text = event.statement.text
                    yield "sentence", {"index": event.place, "part": 0, "text": text, "state": "checking"}
            case Checked():
                yield from self._checked(event)
            case Repaired():
                one = event.repair
                yield (
                    "repair",
                    {
                        "index": one.place,
                        "kind": one.kind,
                        "before": one.before,
                        "after": one.after,
                        "why": one.reason,
                    },
                )
            case Revised():
                yield from self._at("repair")
            case Finished():
                yield from self._finished(event.answer)

    def problem(self, error: PinciteError) -> Problem:
        """What to tell of an error, with what was found before it."""
        return problem_of(error, self._started, self._found)

    def _at(self, stage: str) -> Iterator[Frame]:
        if self._stage:
            yield "stage", {"stage": self._stage, "state": "end"}
        if stage:
            yield "stage", {"stage": stage, "state": "start"}
        self._stage = stage

    def _checked(self, event: Checked) -> Iterator[Frame]:
        sentence, verdict = event.sentence, event.sentence.verdict
        if event.shown:
            self._shown.add(event.place)
            part = self._parts[event.place] = self._parts.get(event.place, -1) + 1
            for citation in event.citations:
                if citation.id not in self._numbers:
                    self._numbers[citation.id] = len(self._numbers) + 1
                    yield "citation", {**citation_dict(citation), "n": self._numbers[citation.id]}
            yield (
                "sentence",
                {
                    "index": event.place,
                    "part": part,
                    "text": printed(sentence, {one: str(n) for one, n in self._numbers.items()}),
                    "answer": printed(sentence, {one: one for one in self._numbers}),
                    "plain": sentence.text,
                    "citations": list(sentence.citations),
                    "state": "checked",
                },
            )
        elif not self._drafts:
            return
        yield (
            "check",
            {
                "index": event.place,
                "shown": event.shown,
                "support": verdict.support.value,
                "reason": verdict.reason,
                "differences": [difference_dict(one) for one in verdict.differences],
            },
        )

    def _finished(self, answer: Answer) -> Iterator[Frame]:
        yield from self._at("")
        for one in answer.removed:
            yield "replace", {"text": None, "removed": one.text if self._drafts else None, "why": one.reason}
        if answer.uncovered_aspects:
            yield "uncovered", {"aspects": list(answer.uncovered_aspects)}
        body = told(answer, self._asked)
        if answer.abstained:
            yield "abstain", {name: body[name] for name in ("reason", "reason_code", "snippets")}
        yield "answer", body


def _source(place: int, hit: Any) -> dict[str, Any]:
    return {
        **hit_dict(hit),
        "title": hit.document.title or hit.document.doc_id,
        "source": hit.document.url or hit.document.title or hit.document.doc_id,
        "section": " > ".join(hit.chunk.section) or None,
        "page": None
        if hit.chunk.page_index is None
        else {"index": hit.chunk.page_index, "label": hit.chunk.page_label},
    }


def printed(sentence: Sentence, labels: dict[str, str]) -> str:
    """A shown sentence with its markers."""
    start = sentence.span.start
    moved = [Pointer(one.id, max(0, one.at - start), one.quote, one.known) for one in sentence.claim.pointers]
    return print_markers(sentence.text, moved, labels=labels)


def encoded(number: str, frame: Frame) -> str:
    """One frame as it goes over the wire. JSON has no line break, so one ``data`` line holds it."""
    name, data = frame
    return f"id: {number}\nevent: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
