"""The shapes of the interchangeable parts. To join a family, write a function or class of its shape.

The contract of stores has a module of its own, ``stores``, and so has what they hold, ``stored``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from pincite.findings import Difference, Support
from pincite.types import ChunkId, Document, Hit, Question, Span, Statement, Usage

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# As text, so that a check without an index does not wait for numpy.
Floats: TypeAlias = "npt.NDArray[np.float32]"
Ints: TypeAlias = "npt.NDArray[np.int64]"


# --- parsers, embedders -------------------------------------------------------------------------

Parser = Callable[[bytes, str], tuple[Document, ...]]
"""Bytes and the name of their source to documents. Raises ``ParseError`` naming the source."""


class Embedder(Protocol):
    """Texts to unit vectors. ``fingerprint`` names model, weights and tokenizer; it is kept with the index."""

    @property
    def fingerprint(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def documents(self, texts: Sequence[str]) -> Floats:
        """One row per text, L2-normalised, shape ``(len(texts), dimension)``."""
        ...

    def query(self, text: str) -> Floats:
        """Shape ``(dimension,)``, L2-normalised."""
        ...


Reranker = Callable[[str, Sequence[str]], Sequence[float]]
"""A question and texts to one score in 0-1 for each text, in order; higher is better. Raises ``ModelError``."""


# --- models -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What a generator gets: the prompt as text, and the same as values for generators that need no prompt.

    ``failed`` holds statements to be replaced, with ``feedback`` saying why; empty on the first call.
    ``form`` is what the reply must be: ``statements`` (lines, see ``text.statements``), ``verdict`` (the one object of
    ``checks.llm``) or ``text``; ``language`` is that of fixed sentences. ``left_out`` are chunks that did not fit into the model's context; not in ``hits``.
    """

    question: Question
    hits: tuple[Hit, ...]
    system: str
    prompt: str
    failed: tuple[Statement, ...] = ()
    feedback: str = ""
    form: Literal["statements", "verdict", "text"] = "statements"
    language: str | None = None
    left_out: tuple[ChunkId, ...] = ()


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of model output. The joined texts are statement lines (``text.statements``).

    ``usage`` is that of the whole call. ``cut`` says that the reply ended here, too early, and why: ``length``,
    ``connection`` or ``refusal``.
    """

    text: str
    usage: Usage | None = None
    cut: str = ""


Model = Callable[[ModelRequest], Iterator[Delta]]
"""Closing the iterator stops the work behind it. Raises ``ModelError``."""


# --- judges -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Passage:
    """One cited passage as a judge reads it: context (heading, table header …) and chunk as one text.

    ``focus`` are spans in ``text`` where the quote was found, empty when there is none. ``before`` and
    ``after`` are the neighbouring chunks' texts: they help to understand, they are not evidence.
    """

    id: str
    text: str
    focus: tuple[Span, ...] = ()
    before: str = ""
    after: str = ""
    language: str | None = None


@dataclass(frozen=True, slots=True)
class ClaimTask:
    """A sentence and the passages it cites, to be judged together."""

    claim: str
    passages: tuple[Passage, ...]
    language: str | None = None


@dataclass(frozen=True, slots=True)
class PassageJudgement:
    """What one passage does for the claim. ``spans`` are the sentences of its text that back it best."""

    id: str
    support: Support
    score: float
    spans: tuple[Span, ...] = ()
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """What all passages together say of the claim. ``unsupported_words`` are spans in ``ClaimTask.claim``.

    ``score`` is in 0-1, higher is better supported; one ``PassageJudgement`` for each passage, in order.
    """

    support: Support
    score: float
    reason: str
    passages: tuple[PassageJudgement, ...]
    differences: tuple[Difference, ...] = ()
    unsupported_words: tuple[Span, ...] = ()
    method: str = "rules"


Judge = Callable[[Sequence[ClaimTask]], tuple[Judgement, ...]]
"""One judgement for each task, in order. May batch."""
