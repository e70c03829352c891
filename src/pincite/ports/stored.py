"""What stores are given and give: documents as they are kept and searched, and all that is logged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pincite.ports import Floats, Ints
from pincite.types import AnswerId, Chunk, DocId, Document, DocumentInfo, Origin


@dataclass(frozen=True, slots=True)
class TermPostings:
    """The chunks that hold one term: ``keys`` are the store's own chunk keys, each once; ``frequencies``
    how often the term occurs in each; ``lengths`` each chunk's length in terms. Both stop at 65,535."""

    keys: Ints
    frequencies: Floats
    lengths: Floats


@dataclass(frozen=True, slots=True)
class Postings:
    """Where the query's terms occur among the chunks that a reader may see, and the statistics to weigh them.

    ``matches`` has one entry for each term asked for, in order, with the chunks that pass the filters.
    ``chunk_count``, ``document_frequency`` (chunks per term) and ``mean_length`` are counted over what the
    reader may see, filters left aside, so that a hidden document changes no byte of a visible result.
    """

    matches: tuple[TermPostings, ...]
    document_frequency: tuple[int, ...]
    chunk_count: int
    mean_length: float


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk with what the search part needs: its terms (repeated as they occur) and its vector.

    Stores keep vectors as float16.
    """

    chunk: Chunk
    terms: tuple[str, ...]
    vector: Floats | None = None


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """What ``documents()`` lists."""

    info: DocumentInfo
    chunk_count: int
    added_at: str
    origin: Origin | None = None
    vector_count: int = 0


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What is left of a document that was removed: its id, when that was (RFC 3339, UTC), and the content hashes of its
    versions, by which stored answers name what they cited."""

    doc_id: DocId
    removed_at: str
    hashes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer as it was given. ``body`` is its canonical JSON; ``level`` the level of its reader; ``context`` a JSON
    object of what else an audit asks for: ``config_hash``, ``judge``, ``pincite``, ``principal``, ``client``."""

    answer_id: AnswerId
    created_at: str
    level: str
    question: str
    status: str
    body: str
    context: str = "{}"


@dataclass(frozen=True, slots=True)
class StoredFeedback:
    """What a reader said of an answer, or of one citation or sentence of it. ``level`` is that of the reader; ``given_at``
    is RFC 3339, UTC."""

    feedback_id: str
    answer_id: AnswerId
    given_at: str
    level: str
    reaction: str
    citation_id: str | None = None
    sentence_index: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class StoredReview:
    """What a person decided of an answer, or of one citation or sentence of it. ``decision`` is ``right``, ``wrong`` or
    ``unclear``; ``level`` that of the reviewer, ``reviewer`` their name; ``decided_at`` RFC 3339, UTC."""

    review_id: str
    answer_id: AnswerId
    decided_at: str
    level: str
    decision: str
    reviewer: str
    citation_id: str | None = None
    sentence_index: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """An evaluation that was run. ``body`` is its report as JSON; ``level`` the lowest level that may read it."""

    run_id: str
    created_at: str
    level: str
    body: str


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One link of the chain over all that was logged; ``pincite.chain`` makes and checks them.

    ``position`` counts from 1 without gaps, and alone says what came before what: ``at`` is what a clock said (RFC 3339,
    UTC). ``kind`` is ``answer``, ``rewritten``, ``erased``, ``feedback``, ``review``, ``pruned`` or ``gap``; ``subject`` the
    id of what it is about; ``content`` the SHA-256 of that, empty where there is none; ``detail`` a JSON object. ``link`` is
    the SHA-256 of all the other fields, of which ``previous`` is the link before. No text of answers or documents is in it.
    """

    position: int
    kind: str
    subject: str
    at: str
    level: str
    content: str
    detail: str
    previous: str
    link: str


@dataclass(frozen=True, slots=True)
class LogHead:
    """The newest link of the chain, kept apart from it; position 0 and an empty link when nothing was logged."""

    position: int = 0
    link: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class LoggedRow:
    """What a store holds of something that was logged: ``content`` is computed from what stands there now. ``position``
    is where the row says it was logged first; ``None`` for feedback."""

    kind: str
    subject: str
    content: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Indexed:
    """What the search part holds of a document: of each chunk its key, how often which term occurs in it and how many terms
    it has, both stopping at 65,535. ``vectors`` has a row for each of the first chunks, NaN where one has none."""

    info: DocumentInfo
    keys: Ints
    terms: tuple[Mapping[str, int], ...]
    lengths: tuple[int, ...]
    vectors: Floats


@dataclass(frozen=True, slots=True)
class HeldVersion:
    """An earlier version of a document. ``content_hash`` is the one under which answers know it: an older release may have
    counted it otherwise."""

    document: Document
    content_hash: str
    replaced_at: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """What a store holds of one document id beside passages and search: the document without its original bytes, or what is
    left of it. ``content_hash`` as in ``HeldVersion``; ``versions`` are sorted by theirs; ``tombstone_rank`` is that of the
    level of what was removed."""

    doc_id: DocId
    document: Document | None
    content_hash: str
    added_at: str
    next_number: int
    versions: tuple[HeldVersion, ...] = ()
    tombstone: Tombstone | None = None
    tombstone_rank: int = 0


@dataclass(frozen=True, slots=True)
class LogPart:
    """A part of a log as another store has it. ``answers`` and ``reviews`` come with their positions; ``gone`` names rows by
    kind and id that are there no longer; links before position ``start`` are there no longer either."""

    entries: tuple[LogEntry, ...] = ()
    answers: tuple[tuple[StoredAnswer, int], ...] = ()
    feedback: tuple[StoredFeedback, ...] = ()
    reviews: tuple[tuple[StoredReview, int], ...] = ()
    gone: tuple[tuple[str, str], ...] = ()
    start: int = 0
    head: LogHead | None = None
