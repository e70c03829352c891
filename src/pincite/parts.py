"""What a pipeline is made of: its interchangeable parts, and the settings that the walk itself reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from pincite.answer import Answer
from pincite.errors import ParseError
from pincite.ingest import Cut
from pincite.places import Boxes
from pincite.ports import Embedder, Judge, Model
from pincite.ports.stores import Store
from pincite.record import Unlogged
from pincite.telemetry import Telemetry
from pincite.types import AccessLevel, AnswerId, Document, Hit, Question, Skipped
from pincite.workers import Workers

Search = Callable[[Question, Store, Embedder | None], tuple[Hit, ...]]
Source = str | Path | Document | Iterable[Document]
"""A path, an address, a document, or any number of documents such as a generator makes."""


class Load(Protocol):
    """Reads sources in order. ``workers`` may parse them; the result does not depend on it."""

    def __call__(
        self, sources: Sequence[Source], *, workers: Workers | None = None
    ) -> Iterator[Document | ParseError | Skipped]: ...


@dataclass(frozen=True, slots=True)
class Settings:
    """What of the configuration the walk itself reads. Shares and scores are in 0-1; tokens as for ``build_request``.
    ``vectors_command`` would make an index without vectors one that is searched by meaning; empty where none would."""

    top_k: int = 10
    weak_below: float = 0.30
    abstain_below: float = 0.40
    require_citation: bool = True
    show_partial: bool = True
    retry_once: bool = True
    default_access: AccessLevel = AccessLevel.PUBLIC
    cut: Cut = field(default_factory=Cut)
    language: str | None = None
    context_tokens: int = 0
    reply_tokens: int = 0
    vectors_command: str = ""


@dataclass(frozen=True, slots=True)
class Parts:
    """The interchangeable parts of a pipeline, chosen by ``wiring``. ``clock`` and ``new_id`` keep time and chance
    out of the walk; ``serialise`` turns an answer into what the store keeps, ``None`` when answers are not kept;
    ``boxes`` finds quotes on the pages of originals; ``share`` lets workers do what the embedder does for documents; ``telemetry`` listens to requests; ``made_with``
    is what the log says of all answers: ``config_hash``, ``judge``, ``pincite``; ``unlogged`` are those that could not be logged."""

    store: Store
    search: Search
    load: Load
    model: Model
    model_name: str
    judge: Judge
    embedder: Embedder | None
    clock: Callable[[], datetime]
    new_id: Callable[[datetime], AnswerId]
    serialise: Callable[[Answer], str] | None
    boxes: Boxes | None = None
    share: Callable[[Embedder, Workers], Embedder] | None = None
    telemetry: Telemetry | None = None
    made_with: Mapping[str, str] = field(default_factory=dict)
    unlogged: Unlogged = field(default_factory=Unlogged)
