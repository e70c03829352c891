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


# --- texts as people see them --------------------------------------------------------------------


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
