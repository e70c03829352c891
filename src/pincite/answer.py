"""What the reader gets: an answer to a question, or a report on somebody else's answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pincite.findings import AnswerStatus, Citation, CitationStatus, Pointer, ReasonCode, Sentence, Support
from pincite.text.printing import print_markers
from pincite.types import AnswerId, DocumentInfo, Hit, Span, Turn, Usage

REMOVAL_NOTE = "[Note: part of this answer could not be verified against the sources and was removed.]"
"""Appended when a sentence was stripped (source 004, word for word)."""

GOOD = frozenset({CitationStatus.VERIFIED, CitationStatus.PARAPHRASED})
"""Statuses that count as valid. A green mark needs one of these and a supported sentence."""


@dataclass(frozen=True, slots=True)
class Metrics:
    """How well an answer is cited. Shares are in 0-1; ``None`` where there is nothing to count.

    The sources count differently and are not harmonised: ``citation_accuracy`` counts markers (002),
    ``confidence_score`` (sentence, id) pairs (000), ``verification_rate`` distinct ids (001).
    ``ids_alone`` is the share of pairs whose id exists: what a check of ids without texts would say.
    """

    citation_coverage: float | None
    citation_accuracy: float | None
    verification_rate: float | None
    confidence_score: float | None
    ids_alone: float | None
    retrieval_count: int
    verified: int
    unverified: int
    meets_target: bool
    grounded: bool


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage near the question, shown when an answer abstains. ``why`` says what it shares with it."""

    chunk_id: str
    document: DocumentInfo
    preview: str
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class Removed:
    """A sentence that was withheld, and the reason a reader may see."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Repair:
    """How a sentence was mended before it was shown. ``place`` is that of its statement in the draft, from 0.

    ``kind``: ``cited`` (it had no citation, a passage that says it was found), ``repointed`` (its citation named the
    wrong passage), ``replaced`` (by the model, asked once more), ``marker_removed`` (a failed citation beside one that
    supports it), ``quote_removed`` (the quote is nowhere, but the passage says it), ``connective_removed`` (what it was joined to was withheld). ``before`` and ``after`` have no markers.
    """

    place: int
    kind: str
    before: str
    after: str
    reason: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two passages that do not say the same, with the dates of their documents; the newer one first.

    ``citation_ids`` are prompt ids (``c-3``); a passage that was retrieved may differ without being cited. ``superseded``
    is the id of the one whose document is no longer current.
    """

    citation_ids: tuple[str, str]
    values: tuple[str, str]
    dates: tuple[str | None, str | None]
    reason: str
    superseded: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """A checked answer. Offsets of sentences and pointers are in ``plain``, which holds no markers.

    ``hits`` are the passages that were read, best first; ``citations`` those that the shown sentences
    cite, in order of first appearance (``citations[n - 1].n == n``). ``previous_id`` is the
    answer it goes on from, ``first_id`` the number of the first prompt id of this turn: no two turns share an id.
    ``left_out`` are ids of passages that were found but did not fit into the model's context. ``logged`` says whether it
    was written to the log; ``None`` where none is kept.
    """

    id: AnswerId
    created_at: str
    question: str
    plain: str
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    metrics: Metrics
    answer_status: AnswerStatus
    confidence: float
    confidence_label: str
    confidence_parts: Mapping[str, float | None] = field(default_factory=dict)
    language: str | None = None
    hits: tuple[Hit, ...] = ()
    uncovered_aspects: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    reason: str | None = None
    reason_code: ReasonCode | None = None
    snippets: tuple[Snippet, ...] = ()
    removed: tuple[Removed, ...] = ()
    repairs: tuple[Repair, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    timing_ms: Mapping[str, float] = field(default_factory=dict)
    usage: Usage = Usage()
    model: str = ""
    prompt_hash: str = ""
    left_out: tuple[str, ...] = ()
    conversation_id: str | None = None
    previous_id: str | None = None
    first_id: int = 1
    trace_id: str | None = None
    logged: bool | None = None

    def __repr__(self) -> str:
        cited = (
            f"{self.metrics.verified}/{self.metrics.verified + self.metrics.unverified} citations verified"
        )
        return f"Answer({self.id}, {self.answer_status}, {cited}, {self.plain[:60]!r})"

    def __str__(self) -> str:
        return self.to("text")

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        from pincite.renderers import html_fragment

        return html_fragment(self)

    @property
    def turn(self) -> Turn:
        """What a later question of the conversation needs to know of this one."""
        return Turn(self.question, self.plain, self.first_id + len(self.hits) - 1, self.id)

    @property
    def abstained(self) -> bool:
        """Whether the question was declined; ``reason`` then says why."""
        return self.answer_status is AnswerStatus.ABSTAINED

    @property
    def pointers(self) -> tuple[Pointer, ...]:
        """All markers of the answer, in order; each ``at`` is an offset in ``plain``."""
        return tuple(pointer for sentence in self.sentences for pointer in sentence.claim.pointers)

    @property
    def text(self) -> str:
        """The answer with ``[n]``, ``n`` counting cited chunks by first appearance (source 003)."""
        numbers = {citation.id: str(citation.n) for citation in self.citations}
        return self._with_notes(self._printed(numbers))

    @property
    def answer(self) -> str:
        """The answer with ``[c-N]``, the ids of the prompt (source 004)."""
        ids = {citation.id: citation.id for citation in self.citations}
        return self._with_notes(self._printed(ids))

    def citation(self, citation_id: str) -> Citation:
        """The citation of that id (``c-3``). Raises ``KeyError`` when the answer does not cite it."""
        for citation in self.citations:
            if citation.id == citation_id:
                return citation
        raise KeyError(f"{self.id} does not cite {citation_id!r}")

    def to(self, form: str) -> str:
        """Print the answer in a form: text, markdown, json, or JSON of another shape such as grounded-003.

        Raises:
            ConfigError: If the form is unknown; the message lists those there are.
        """
        from pincite.renderers import render_answer

        return render_answer(self, form)

    @property
    def sentence_spans(self) -> tuple[Span, ...]:
        """Where the sentences stand in ``plain``."""
        return tuple(sentence.span for sentence in self.sentences)

    def _printed(self, labels: Mapping[str, str]) -> str:
        return print_markers(self.plain, self.pointers, labels=labels, sentences=self.sentence_spans)

    def _with_notes(self, body: str) -> str:
        return "\n\n".join((body, *self.notes)) if self.notes else body


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """What checking somebody else's answer found. Offsets of sentences are in ``plain``.

    ``hits`` are the sources as they were given, in order. ``format_drift`` lists markers that were written in a
    form nobody agreed on, such as ``(1)``: they are reported, not resolved. ``stripped`` is the answer without what
    does not hold, when that was asked for.
    """

    plain: str
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    metrics: Metrics
    answer_status: AnswerStatus
    hits: tuple[Hit, ...] = ()
    format_drift: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    stripped: str | None = None

    def __repr__(self) -> str:
        failed = sum(not _holds(sentence) for sentence in self.sentences)
        return f"Report({len(self.sentences)} sentences, {failed} do not hold, {self.answer_status})"

    def __str__(self) -> str:
        return self.to("lines")

    def shown_id(self, citation_id: str) -> str:
        """The id of a source as people count it: ``c-3`` is the third source, ``3``. Unknown ids as written."""
        return citation_id.removeprefix("c-")

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        from pincite.renderers import html_fragment

        return html_fragment(self)

    @property
    def ok(self) -> bool:
        """Whether every factual sentence is supported and every citation holds."""
        return all(_holds(sentence) for sentence in self.sentences)

    @property
    def failed(self) -> tuple[Sentence, ...]:
        """The sentences that do not hold, in order."""
        return tuple(sentence for sentence in self.sentences if not _holds(sentence))

    def to(self, form: str) -> str:
        """Print the report in a form: text, lines, markdown, html, json.

        Raises:
            ConfigError: If the form is unknown; the message lists those there are.
        """
        from pincite.renderers import render_report

        return render_report(self, form)


def _holds(sentence: Sentence) -> bool:
    checks = sentence.verdict.checks
    if not sentence.factual and not checks:
        return True
    return (
        sentence.support is Support.SUPPORTED
        and bool(checks)
        and all(check.status in GOOD for check in checks)
    )
