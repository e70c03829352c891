"""What checking found: of a quote, a claim, a citation, an answer. Spans as in ``types``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pincite.types import Box, ChunkId, DocId, DocumentInfo, Span, shorten

QUOTE_PREVIEW_CHARS = 279
"""Longest ``Citation.quote``, ellipsis included (source 004: under 280)."""


class QuoteMatchKind(StrEnum):
    """Is the quoted text in the cited chunk, and how exactly."""

    EXACT = "exact"
    NORMALIZED = "normalized"
    UNIT_EQUIVALENT = "unit_equivalent"
    FUZZY = "fuzzy"
    DERIVED = "derived"
    NONE = "none"


class Support(StrEnum):
    """Do the cited passages back the sentence."""

    SUPPORTED = "supported"
    PARTIAL = "partial"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"
    UNCHECKED = "unchecked"


class CitationStatus(StrEnum):
    """What ``QuoteMatchKind`` and ``Support`` together make of one citation (``verdict.citation_status``), best first."""

    VERIFIED = "verified"
    PARAPHRASED = "paraphrased"
    NOT_CHECKABLE = "not_checkable"
    MISATTRIBUTED = "misattributed"
    UNVERIFIED = "unverified"
    CONTRADICTED = "contradicted"
    INVALID = "invalid"


class AnswerStatus(StrEnum):
    """What an answer is, by its sentences (``review.answer_status``); ``ABSTAINED`` when it declines, with a ``ReasonCode``."""

    ANSWERED = "ANSWERED"
    PARTIAL = "PARTIAL"
    UNCITED = "UNCITED"
    ABSTAINED = "ABSTAINED"


class ReasonCode(StrEnum):
    """Why an answer abstains."""

    NO_DOCUMENTS = "no_documents"
    WEAK_RETRIEVAL = "weak_retrieval"
    NO_CITATIONS = "no_citations"
    UNVERIFIED_AFTER_RETRY = "unverified_after_retry"
    BELOW_CONFIDENCE = "below_confidence"
    VAGUE_QUESTION = "vague_question"
    FILTERED_BY_ACCESS = "filtered_by_access"
    MODEL_UNAVAILABLE = "model_unavailable"


@dataclass(frozen=True, slots=True)
class Difference:
    """One fact or word that is not the same on both sides.

    ``kind`` is number, unit, date, currency, negation, comparator, quantifier, modality, name, opposite or word.
    ``answer`` or ``source`` is empty when that side has nothing in its place. ``answer_span`` is in the
    text that was checked (a quote or a claim), ``source_span`` in the text it was checked against.
    """

    kind: str
    answer: str
    source: str
    answer_span: Span | None = None
    source_span: Span | None = None

    def __str__(self) -> str:
        if not self.source:
            return f"“{self.answer}” is not in the source"
        if not self.answer:
            return f"answer leaves out “{self.source}”"
        return f"answer says {self.answer}, source says {self.source}"


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """Where a quote stands in a chunk's text, or why it does not.

    Args:
        kind: ``NONE`` when it is not there or a fact differs; then ``start`` and ``end`` are ``None``.
        start, end: In the text that was searched, exactly as given.
        score: Similarity in 0-1; 1.0 for exact and normalized.
        differences: Words or facts that differ; empty for exact and normalized.
        near: The look-alike passage when ``kind`` is ``NONE``, if there is one.
        pieces: The parts of a stitched quote in order; one part otherwise; empty when ``NONE``.
        occurrences: Every place where the same words stand, the chosen one included.
    """

    kind: QuoteMatchKind
    start: int | None = None
    end: int | None = None
    score: float = 0.0
    differences: tuple[Difference, ...] = ()
    near: Span | None = None
    pieces: tuple[Span, ...] = ()
    occurrences: tuple[Span, ...] = ()

    @property
    def span(self) -> Span | None:
        """The whole match as one span."""
        return None if self.start is None or self.end is None else Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Pointer:
    """One printed marker of a claim: the id as the answer wrote it, and where it stood.

    ``id`` is a prompt id (``c-3``) known to the context, or as written when ``known`` is false.
    ``at`` is an offset in the marker-free answer, ``clause`` the part of it that the marker backs (``None``: the
    whole sentence). ``quote`` is what the model said it cites.
    """

    id: str
    at: int
    quote: str | None = None
    known: bool = True
    clause: Span | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer. ``span`` is in ``Answer.plain``; claims are ordered and do not overlap.

    ``factual`` is false for greetings, questions, headings, lead-ins and refusals: they need no citation.
    """

    index: int
    span: Span
    text: str
    factual: bool = True
    pointers: tuple[Pointer, ...] = ()

    @property
    def cited_ids(self) -> tuple[str, ...]:
        """Known ids in order of first appearance, each once."""
        return tuple(dict.fromkeys(pointer.id for pointer in self.pointers if pointer.known))


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """What one cited passage does for one sentence. ``spans`` are in the document's text.

    ``necessary`` says whether the support of the sentence vanishes without it; ``None`` where the sentence is not
    supported or cites nothing else.
    """

    citation_id: str
    status: CitationStatus
    quote_match: QuoteMatchKind
    match_score: float
    support: Support
    spans: tuple[Span, ...] = ()
    differences: tuple[Difference, ...] = ()
    occurrences: int = 1
    suggested_chunk_id: ChunkId | None = None
    necessary: bool | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What all checks together say of a claim, judged against all its cited passages.

    ``score`` is in 0-1. ``unsupported_words`` are spans in ``Answer.plain``. ``backed_by`` names passages that
    back a sentence which cites none.
    """

    support: Support
    score: float
    reason: str
    method: str = "rules"
    checks: tuple[CitationCheck, ...] = ()
    differences: tuple[Difference, ...] = ()
    unsupported_words: tuple[Span, ...] = ()
    backed_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Sentence:
    """A claim with its verdict, as an answer or a report shows it."""

    claim: Claim
    verdict: Verdict

    def __repr__(self) -> str:
        return f"Sentence({self.index}, {self.support}, {self.text!r})"

    @property
    def index(self) -> int:
        return self.claim.index

    @property
    def text(self) -> str:
        return self.claim.text

    @property
    def span(self) -> Span:
        return self.claim.span

    @property
    def factual(self) -> bool:
        return self.claim.factual

    @property
    def support(self) -> Support:
        return self.verdict.support

    @property
    def reason(self) -> str:
        return self.verdict.reason

    @property
    def citations(self) -> tuple[str, ...]:
        """Ids of the chunks it cites, in order of first appearance."""
        return self.claim.cited_ids


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell as a reader finds it, by its place in a table, by the cells of a table file, or by both.

    ``row`` counts the rows below the header, from 1; ``None``, with ``table`` and ``column`` empty, where no one cell of
    a table is meant. ``table`` may be empty beside a row. ``cell`` is where the cited places stood in the file,
    ``Prices!B7`` or ``A3:B3, A9``; empty for tables that are no spreadsheet's.

    >>> str(TableCell("Table 3", 2, "Price")), str(TableCell(cell="Prices!B7"))
    ('Table 3, row 2, Price', 'cell Prices!B7')
    """

    table: str = ""
    row: int | None = None
    column: str = ""
    cell: str = ""

    def __str__(self) -> str:
        row = "" if self.row is None else f"row {self.row}"
        cell = f"cell {self.cell}" if self.cell else ""
        return ", ".join(part for part in (cell, self.table, row, self.column) if part)


@dataclass(frozen=True, slots=True, repr=False)
class Citation:
    """A cited chunk, with the places in it that back the answer.

    Invariant: each of ``spans`` (in the document's text) lies in the chunk's span or one of its context spans.
    ``document``, ``exact``, ``prefix`` and ``suffix`` are kept so that the passage can be found again after the
    document has changed. ``id`` is its place in the prompt (``c-3``), ``n`` the number shown, from 1.
    ``status`` is the worst over the sentences that use it. ``address`` is the one cell of a table that its sentences
    rest on, with the cells of the file where the document is a table file.
    ``boxes`` are those of each span, on pages of a PDF; empty where there are none.
    """

    id: str
    n: int
    chunk_id: ChunkId
    document: DocumentInfo
    spans: tuple[Span, ...]
    exact: str
    prefix: str = ""
    suffix: str = ""
    section: tuple[str, ...] = ()
    page_index: int | None = None
    page_label: str | None = None
    chunk_span: Span = Span(0, 0)
    score: float = 0.0
    score_kind: str = "evidence"
    status: CitationStatus = CitationStatus.UNVERIFIED
    quote_match: QuoteMatchKind = QuoteMatchKind.NONE
    match_score: float = 0.0
    differences: tuple[Difference, ...] = ()
    occurrences: int = 1
    suggested_chunk_id: ChunkId | None = None
    reason: str = ""
    address: TableCell | None = None
    boxes: tuple[tuple[Box, ...], ...] = ()

    def __repr__(self) -> str:
        return f"Citation({self.id}, {self.status}, {self.chunk_id}, {self.quote!r})"

    @property
    def doc_id(self) -> DocId:
        return self.document.doc_id

    @property
    def source(self) -> str:
        """Where a person finds it: the URL, else the title, else the id of the document."""
        return self.document.url or self.document.title or self.document.doc_id

    @property
    def stale(self) -> bool:
        """Whether its document was superseded or retracted when it was cited. What has become of the passage since, a kept
        answer says: ``Pipeline.kept_answer``."""
        return self.document.status != "current"

    @property
    def quote_full(self) -> str:
        """The cited words as the source writes them."""
        return self.exact

    @property
    def quote(self) -> str:
        """``quote_full``, cut at a word to at most 279 characters, the ellipsis included."""
        return shorten(self.exact, QUOTE_PREVIEW_CHARS)
