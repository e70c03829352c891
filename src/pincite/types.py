"""The values that everything else passes around. They do not change once made.

Every offset is a Unicode code point into a text that is named beside it; every span is half-open.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import NewType, TypeVar

DocId = NewType("DocId", str)
ChunkId = NewType("ChunkId", str)
AnswerId = NewType("AnswerId", str)

QUOTE_PREVIEW_CHARS = 279
"""Longest ``Citation.quote``, ellipsis included (source 004: under 280)."""

PLACEHOLDER_SECTIONS = (("Preamble",), ("Main",))
"""Section paths that no heading gave (source 001's names): kept in data, not shown to people."""


# --- places -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open range of code points. Invariant: ``0 <= start <= end``.

    >>> Span(2, 5).of("🎈 ice")
    'ice'
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"a span needs 0 <= start <= end, got {self.start}, {self.end}")

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """The characters of ``text`` at this span."""
        return text[self.start : self.end]

    def shift(self, by: int) -> Span:
        """The same length, ``by`` code points further on."""
        return Span(self.start + by, self.end + by)

    def contains(self, other: Span) -> bool:
        """Whether ``other`` lies inside this span, borders included."""
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        """Whether the two share at least one character."""
        return self.start < other.end and other.start < self.end


# --- who may read -------------------------------------------------------------------------------


class AccessLevel(StrEnum):
    """Ordered levels of a document; a reader sees their own and those below."""

    PUBLIC = "public"
    INTERNAL = "internal"
    CONFIDENTIAL = "confidential"


_LEVEL_ORDER = {level.value: rank for rank, level in enumerate(AccessLevel)}


@dataclass(frozen=True, slots=True)
class Reader:
    """Who asks. ``groups`` is carried for stores that fence by group; levels decide here."""

    level: AccessLevel = AccessLevel.PUBLIC
    groups: frozenset[str] = frozenset()

    def may_read(self, access_level: str | None) -> bool:
        """Whether a text of that level may be shown. A missing or unknown level is for nobody.

        >>> Reader(AccessLevel.INTERNAL).may_read("public"), Reader().may_read("secret")
        (True, False)
        """
        rank = _LEVEL_ORDER.get(access_level) if access_level is not None else None
        return rank is not None and rank <= _LEVEL_ORDER[self.level]

    def levels(self) -> tuple[AccessLevel, ...]:
        """The levels this reader may see, lowest first."""
        return tuple(level for level in AccessLevel if self.may_read(level))


# --- documents and chunks -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it. ``span`` is in the document's text."""

    path: tuple[str, ...]
    span: Span
    level: int = 1
    anchor: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One page. ``index`` counts from 0, ``label`` is what is printed on it; ``span`` is in the document's text.
    ``width`` and ``height`` are in points, of the page as seen."""

    index: int
    span: Span
    label: str | None = None
    width: float | None = None
    height: float | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """Maps ``span`` of the document's text to page characters ``first_char, first_char + step, …``."""

    span: Span
    page_index: int
    first_char: int
    step: int = 1


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a document was read, so that it can be read again.

    Args:
        place: Absolute path of the file, or the URL as it was given.
        root: The folder that was given, of which the file is a part (absolute path); empty for a file or URL that was
            given itself. What is new in ``root`` is found by a refresh.
        fetched_at: When a URL was read (RFC 3339, UTC); ``None`` for files.
        final_url: Where its redirects led; ``None`` when there were none.
        etag, last_modified: What the server said of the version that was read.
    """

    place: str
    root: str = ""
    fetched_at: str | None = None
    final_url: str | None = None
    etag: str | None = None
    last_modified: str | None = None

    @property
    def is_url(self) -> bool:
        """Whether ``place`` is an address. The scheme may be in capitals: it is kept as it was given."""
        return self.place.lower().startswith(("http://", "https://"))


@dataclass(frozen=True, slots=True)
class Box:
    """A place on a page, in shares (0-1) of the page as seen, turned and cropped, from its top left."""

    page_index: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """What is known of a document beside its text: enough to show and date a source. ``blob`` is the key of its
    original bytes, if they are kept: ``store.blobs.get(info.blob)``."""

    doc_id: DocId
    title: str = ""
    url: str = ""
    kind: str = ""
    format: str = ""
    access_level: str | None = AccessLevel.PUBLIC
    owner: str | None = None
    published_date: str | None = None
    version: str | None = None
    language: str | None = None
    status: str = "current"
    licence: str | None = None
    content_hash: str = ""
    defaulted: tuple[str, ...] = ()
    blob: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Document:
    """A source as text. ``text`` never changes; everything points into it.

    Args:
        doc_id: Unique in the store.
        text: The canonical text; all spans of the document are in it.
        access_level: One of ``AccessLevel``, or ``None``: the configured default is applied when it is added.
        published_date: ISO 8601 date, or ``None`` when the source does not say.
        kind: What it is for: policy, faq, ... (source 001's ``source_type``).
        format: How it came: markdown, json, pdf, ... (source 002's ``source_type``).
        sections: In document order; each runs to the next heading.
        pages, runs: In document order; gaps are allowed.
        metadata: Further string pairs, sorted by key.
        defaulted: Names of fields that were not given and got a default.
        blob: Key of the original bytes (see ``pincite.blobs``); given when the document is added.
        origin: Where it was read; ``None`` for a text that a program made. Moving a file does not change a document.
        original: The bytes it was read from, until they are stored. Not part of what a document is: two documents that
            differ in nothing else are equal.
    """

    doc_id: str
    text: str
    title: str = ""
    url: str = ""
    kind: str = ""
    format: str = "text"
    access_level: str | None = None
    owner: str | None = None
    published_date: str | None = None
    version: str | None = None
    language: str | None = None
    status: str = "current"
    licence: str | None = None
    sections: tuple[Section, ...] = ()
    pages: tuple[Page, ...] = ()
    runs: tuple[Run, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()
    defaulted: tuple[str, ...] = ()
    blob: str | None = None
    origin: Origin | None = field(default=None, compare=False)
    original: bytes | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return f"Document({self.doc_id!r}, {len(self.text)} characters, access={self.access_level})"

    @property
    def content_hash(self) -> str:
        """SHA-256 (hex) over the text and every other field that is compared, so that a changed level is a change."""
        digest = hashlib.sha256()
        for item in fields(self):
            if not item.compare or (item.name == "blob" and self.blob is None):
                continue
            digest.update(f"{item.name}={getattr(self, item.name)!r}\n".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    @property
    def info(self) -> DocumentInfo:
        """The document without its text."""
        return DocumentInfo(
            doc_id=DocId(self.doc_id),
            title=self.title,
            url=self.url,
            kind=self.kind,
            format=self.format,
            access_level=self.access_level,
            owner=self.owner,
            published_date=self.published_date,
            version=self.version,
            language=self.language,
            status=self.status,
            licence=self.licence,
            content_hash=self.content_hash,
            defaulted=self.defaulted,
            blob=self.blob,
        )


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was found and left alone, and why. ``where`` is its path."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage cut from a document.

    Invariants: ``text == span.of(document.text)``; each of ``context_texts`` is the document's text at the
    span of the same place in ``context`` (table header row, heading, caption, lead-in).

    ``span`` and ``context`` are in the document's text. ``ordinal`` is the place among the document's chunks,
    from 0. ``page_index`` is that of the first character; ``section`` is the heading path. Its sentences:
    ``text.sentences.sentences_of``. ``cells`` says where its rows stood in a table file; see ``text.cells``.
    """

    chunk_id: ChunkId
    doc_id: DocId
    ordinal: int
    span: Span
    text: str
    context: tuple[Span, ...] = ()
    context_texts: tuple[str, ...] = ()
    section: tuple[str, ...] = ()
    page_index: int | None = None
    page_label: str | None = None
    cells: str = ""

    @property
    def content_hash(self) -> str:
        """SHA-256 (hex) of the view's text: what a reader of this chunk sees."""
        joined = "\n".join((*self.context_texts, self.text))
        return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search returned. ``rank`` counts from 1.

    ``score`` is evidence in 0-1, comparable between questions; ``fused`` only orders.
    ``parts`` names what the score was made of, such as ``{"bm25": 4.1, "cosine": 0.83}``.
    """

    rank: int
    chunk: Chunk
    document: DocumentInfo
    score: float
    fused: float = 0.0
    score_kind: str = "evidence"
    parts: Mapping[str, float] = field(default_factory=dict)


# --- questions and drafts -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question of the conversation and the answer that was shown, without markers.

    ``last_id`` is the highest number among the prompt ids (``c-10``: 10) that its passages had: later turns count on
    from there, so that an id of this turn can never name a passage of theirs. ``answer_id`` is that of the kept answer.
    """

    question: str
    answer: str
    last_id: int = 0
    answer_id: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, by whom. ``filters`` are ``(field of DocumentInfo, value)`` pairs that all must hold.

    ``history`` are the earlier turns of the conversation, oldest first. ``standalone`` is the question as it reads
    without them: what is searched for; worked out from the history when it is empty. ``traceparent`` is the W3C trace
    context of the request that asks, where there is one. ``principal`` is the name of the key that asks, ``client`` the
    program: for the log alone.
    """

    text: str
    history: tuple[Turn, ...] = ()
    reader: Reader = Reader()
    language: str | None = None
    top_k: int = 10
    filters: tuple[tuple[str, str], ...] = ()
    conversation_id: str | None = None
    standalone: str = ""
    traceparent: str = ""
    principal: str = ""
    client: str = ""

    @property
    def alone(self) -> str:
        """The question as it reads without the conversation."""
        return self.standalone or self.text

    @property
    def first_id(self) -> int:
        """The number of the first prompt id of this turn: 1, or one more than any that earlier turns used."""
        return 1 + max((turn.last_id for turn in self.history), default=0)


@dataclass(frozen=True, slots=True)
class Quote:
    """What a model says it cites: the prompt id as written (``c-3``) and the words. Nothing is checked yet."""

    id: str
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """One line of model output: a sentence, or a heading or lead-in, and its quotes."""

    text: str
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens a model reported, and what they cost. ``None`` means it did not say, or that no prices are set.

    ``cost`` is in the currency of ``[llm] price_in`` and ``price_out``.

    >>> Usage(10, 2) + Usage(5, None, 0.5)
    Usage(input_tokens=15, output_tokens=2, cost=0.5)
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        """Of two calls together."""
        return Usage(
            _sum(self.input_tokens, other.input_tokens),
            _sum(self.output_tokens, other.output_tokens),
            _sum(self.cost, other.cost),
        )


_Number = TypeVar("_Number", int, float)


def _sum(one: _Number | None, other: _Number | None) -> _Number | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other


@dataclass(frozen=True, slots=True)
class Draft:
    """Unverified output of a generator. ``problems`` are contract faults of the output itself; ``cut`` says why it
    ends too early (``length``, ``connection``, ``refusal``), and is empty for a whole reply."""

    statements: tuple[Statement, ...]
    uncovered_aspects: tuple[str, ...] = ()
    usage: Usage = Usage()
    self_rating: int | None = None
    problems: tuple[str, ...] = ()
    cut: str = ""


# --- what checking found ------------------------------------------------------------------------


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
        return f"answer says {self.answer or 'nothing'}, source says {self.source or 'nothing'}"


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


def shorten(text: str, max_chars: int) -> str:
    """Cut ``text`` at a word border to at most ``max_chars`` characters, one ellipsis included.

    A text without a blank to cut at is cut between characters.

    >>> shorten("one two three", 9)
    'one two…'
    """
    if max_chars < 1:
        raise ValueError(f"max_chars must be at least 1, got {max_chars}")
    if len(text) <= max_chars:
        return text
    head = text[: max_chars - 1]
    if not text[max_chars - 1].isspace():
        cut = max(head.rfind(" "), head.rfind("\n"), head.rfind("\t"))
        head = head[:cut] if cut > 0 else head
    return head.rstrip().rstrip("…").rstrip() + "…"
