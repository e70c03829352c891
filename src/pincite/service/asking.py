"""One question with what its request asks for: a threshold or a judge of its own, the prompt, the model's words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any

from pincite.errors import ModelError
from pincite.parts import Search
from pincite.pipeline import Pipeline
from pincite.ports import Delta, Embedder, Judge, Model, ModelRequest
from pincite.ports.stores import Store
from pincite.telemetry import CANCELLED
from pincite.types import Hit, Question

MAX_RAW_CHARS = 200_000
"""Of what a model said in all its calls, as far as it is told."""


class Gone(ModelError):
    """The client went away; no fault of the model."""

    kind = CANCELLED


@dataclass(slots=True)
class Exchange:
    """What the model was sent, and what it said: one entry for each call."""

    prompts: list[dict[str, str]] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its options. ``include`` names parts of the reply that are left out otherwise."""

    question: Question
    threshold: float | None = None
    judge: str | None = None
    include: frozenset[str] = frozenset()
    exchange: Exchange = field(default_factory=Exchange)


def pipeline_of(
    shared: Pipeline,
    asked: Asked,
    judge: Callable[[str], Judge],
    is_gone: Callable[[], bool],
    turn: AbstractContextManager[Any],
) -> Pipeline:
    """The pipeline for one question: the shared parts, and a model that stops when nobody waits for it any more.

    A search is begun when it has its ``turn``: many at once would all end late, one after the other some end soon.

    Raises:
        ConfigError: If the judge it asks for is not set up here.
    """
    parts = replace(
        shared.parts,
        model=_heard(shared.parts.model, asked.exchange, is_gone),
        search=_in_turn(shared.parts.search, turn),
    )
    if asked.judge is not None:
        parts = replace(parts, judge=judge(asked.judge), made_with={**parts.made_with, "judge": asked.judge})
    settings = shared.settings
    if asked.threshold is not None:
        settings = replace(settings, abstain_below=asked.threshold)
    return Pipeline(parts, settings)


def _in_turn(search: Search, turn: AbstractContextManager[Any]) -> Search:
    def find(question: Question, store: Store, embedder: Embedder | None) -> tuple[Hit, ...]:
        with turn:
            return search(question, store, embedder)

    return find


def _heard(model: Model, exchange: Exchange, is_gone: Callable[[], bool]) -> Model:
    """The model, its calls written down. Between any two pieces of a reply it ends when ``is_gone``."""

    def call(request: ModelRequest) -> Iterator[Delta]:
        exchange.prompts.append({"form": request.form, "system": request.system, "prompt": request.prompt})
        exchange.replies.append("")
        return _pieces(model(request), exchange, is_gone)

    return call


def _pieces(deltas: Iterable[Delta], exchange: Exchange, is_gone: Callable[[], bool]) -> Iterator[Delta]:
    try:
        for delta in deltas:
            if is_gone():
                raise Gone("nobody waits for the answer any more")
            if sum(map(len, exchange.replies)) < MAX_RAW_CHARS:
                exchange.replies[-1] += delta.text
            yield delta
    finally:
        close = getattr(deltas, "close", None)
        if close is not None:
            close()
