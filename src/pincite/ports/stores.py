"""The contract of stores: what all of them do, and what those do that are searched elsewhere or copied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pincite.ports import Floats, Ints
from pincite.ports.stored import (
    Held,
    Indexed,
    IndexedChunk,
    LogEntry,
    LoggedRow,
    LogHead,
    LogPart,
    Postings,
    StoredAnswer,
    StoredDocument,
    StoredFeedback,
    StoredReview,
    StoredRun,
    Tombstone,
)
from pincite.types import AnswerId, Chunk, ChunkId, DocId, Document, DocumentInfo, Origin, Reader

if TYPE_CHECKING:
    from pathlib import Path

Filters = tuple[tuple[str, str], ...]
"""``(field of DocumentInfo, value)`` pairs that all must hold."""


class Originals(Protocol):
    """Original bytes of documents by the SHA-256 (hex) of what they are; see ``pincite.blobs.Blobs``.

    Nothing here asks who reads: look up the document for its reader first, then the bytes of its ``blob``.
    """

    def put(self, data: bytes) -> str: ...

    def get(self, key: str) -> bytes | None:
        """``None`` when there are none of that key. ``StoreError`` when they are not those that were kept."""
        ...

    def has(self, key: str) -> bool:
        """Whether there are bytes of that key; they are not read."""
        ...

    def path(self, key: str) -> Path | None:
        """The file with these bytes; ``None`` when there is none, and where originals are kept in memory or in a database. It
        may be a copy that goes when others are asked for: open it at once."""
        ...

    def remove(self, key: str) -> None: ...

    def all_keys(self) -> Iterator[str]:
        """All keys, sorted."""
        ...


class Store(Protocol):
    """Documents, chunks, terms, vectors and answers, each change in one transaction.

    Every method that shows text takes the reader and returns nothing above their level: a hidden chunk
    behaves exactly like an unknown one. Chunk keys order and address chunks inside the store; they never
    reach a result. Raises ``StoreError`` when the store cannot be read or written.
    """

    def put(
        self,
        document: Document,
        chunks: Sequence[IndexedChunk],
        *,
        added_at: str,
        embedder: str | None = None,
    ) -> None:
        """Add a document or replace the one of that id, with all its chunks, in one transaction.

        ``embedder`` is the fingerprint of what made the vectors; needed when there are any. Raises
        ``StoreError`` when the index holds vectors of another embedder, or a chunk id of another document.
        """
        ...

    def put_many(
        self,
        batch: Sequence[tuple[Document, Sequence[IndexedChunk]]],
        *,
        added_at: str,
        embedder: str | None = None,
    ) -> None:
        """``put`` for several documents of different ids in one transaction: all of them or none.

        About 2,000 chunks a batch are fastest. A version that is replaced while stored answers cite it is kept, see
        ``version``. The bytes in ``Document.original`` go to ``blobs``.
        """
        ...

    def append_vectors(self, doc_id: DocId, vectors: Floats, *, embedder: str) -> None:
        """Give the next chunks of a document, behind those that have vectors, theirs: ``vectors`` has a row for each.

        ``StoreError`` when the index holds vectors of another embedder.
        """
        ...

    def vectors_of(self, doc_id: DocId) -> Floats:
        """The vectors of the first chunks of a document, shape ``(how many have one, dimension)``."""
        ...

    def remove(
        self,
        doc_id: DocId,
        *,
        removed_at: str = "",
        rewrite: Callable[[StoredAnswer], StoredAnswer] | None = None,
    ) -> bool:
        """Remove a document with its chunks, vectors, earlier versions and original bytes; ``removed`` lists it then.

        ``rewrite`` is applied, in the same transaction, to each stored answer that holds text of the document, and what it
        changes is logged (``chain.of_rewriting``). False when there is no such document.
        """
        ...

    def removed(self, reader: Reader) -> tuple[Tombstone, ...]:
        """Documents that the reader could see, were removed, and were not added again; by ``doc_id``."""
        ...

    def version(self, doc_id: DocId, content_hash: str, reader: Reader) -> Document | None:
        """The version of a document with that content hash: the present one, or one that stored answers cite. A reader
        who may not see the present version sees no earlier one."""
        ...

    def warnings(self) -> tuple[tuple[str, str], ...]:
        """What holds here that an operator should know, one sentence each, with the next step: for ``pincite doctor``."""
        ...

    def refreshing(self) -> AbstractContextManager[None]:
        """Inside, this is the only refresh of the documents, in whatever process; ``StoreError`` when there is another.
        A store of one machine may let several follow each other."""
        ...

    def sweep(self) -> int:
        """Delete originals that no document needs, such as an interruption leaves; how many there were."""
        ...

    def problems(self) -> Iterator[str]:
        """What is damaged, one sentence each; reads everything. Nothing when all is well."""
        ...

    def backup(self, target: Path) -> tuple[str, ...]:
        """Copy everything to a new database at ``target`` while others read and write; returns what could not be copied,
        one sentence each. ``StoreError`` when ``target`` is there already or cannot be written."""
        ...

    def note_origins(self, origins: Sequence[tuple[DocId, Origin]]) -> None:
        """Note where unchanged documents were read this time."""
        ...

    def forget_vectors(self) -> None:
        """Drop all vectors and the fingerprint of their embedder, so that another one may be used."""
        ...

    def content_hash(self, doc_id: DocId) -> str | None:
        """``Document.content_hash`` of what is stored; ``None`` when nothing is."""
        ...

    def chunk_numbers(self, doc_id: DocId) -> tuple[tuple[Chunk, ...], int]:
        """The stored chunks of a document, in order, and the next chunk number that was never given.

        The number outlives the removal of the document.
        """
        ...

    def writing(self) -> AbstractContextManager[None]:
        """Inside, all reads and writes of this thread are one transaction: other writers wait, and after an error nothing
        of it is kept. For short work only."""
        ...

    def reading(self) -> AbstractContextManager[None]:
        """Inside, all reads of this thread see the same generation. May be nested; not for writing."""
        ...

    def document(self, doc_id: DocId, reader: Reader) -> Document | None: ...

    def documents(self, reader: Reader) -> tuple[StoredDocument, ...]:
        """By ``doc_id``."""
        ...

    def chunk(self, chunk_id: ChunkId, reader: Reader) -> tuple[Chunk, DocumentInfo] | None: ...

    def neighbours(self, chunk: Chunk, before: int, after: int, reader: Reader) -> tuple[Chunk, ...]:
        """The chunks of the same document round ``chunk``, in order, itself included."""
        ...

    def postings(self, terms: Sequence[str], reader: Reader, filters: Filters) -> Postings:
        """See ``Postings``. A filter on a field that ``DocumentInfo`` does not have is a ``ConfigError``."""
        ...

    def nearest(self, vector: Floats, reader: Reader, filters: Filters, limit: int) -> tuple[Ints, Floats]:
        """Keys and cosines of the nearest permitted chunks, best first; ties by key. Exact.

        ``StoreError`` when the index has vectors of another dimension.
        """
        ...

    def cosines(self, vector: Floats, keys: Sequence[int]) -> Floats:
        """Cosine of ``vector`` with each key's vector; NaN where a chunk has none. Each value depends on
        nothing but its own two vectors."""
        ...

    def load(self, keys: Sequence[int], reader: Reader) -> tuple[tuple[Chunk, DocumentInfo], ...]:
        """Chunks by key, in the order asked for; a key that the reader may not see is an ``AssertionError``."""
        ...

    def languages(self, reader: Reader) -> tuple[str, ...]:
        """Languages of the documents that the reader may see, sorted."""
        ...

    def save_answer(self, answer: StoredAnswer, *, at: str = "") -> None:
        """Log an answer: the row and the next link of the chain, in one transaction.

        ``at`` is when it was finished; ``created_at`` without it. Answers are never replaced: the same one again changes
        nothing, another one of an id that was logged before is a ``StoreError``.
        """
        ...

    def answer(self, answer_id: AnswerId, reader: Reader) -> StoredAnswer | None: ...

    def answers(self, reader: Reader, *, limit: int = 100) -> tuple[StoredAnswer, ...]:
        """Newest first, by their position in the log: clocks may go back."""
        ...

    def erase_answer(self, answer_id: AnswerId, *, at: str, why: str) -> bool:
        """Drop an answer with its feedback and reviews; the log says so. False when there is none of that id."""
        ...

    def prune_answers(self, before: str, *, at: str) -> int:
        """Drop the answers that were logged before that time, with their feedback and reviews, and versions of documents
        that only they cite; how many answers. Leaves a link ``pruned`` (see ``chain.of_pruning``) when there were any.
        The oldest links go where nothing is left of what they are about, see ``chain.end_of_prefix``."""
        ...

    def save_feedback(self, feedback: StoredFeedback) -> None:
        """Log what a reader said of an answer; what has that id is replaced, and both links stay.

        Raises:
            StoreError: There is no such answer (any more).
        """
        ...

    def feedback(
        self, reader: Reader, *, answer_id: AnswerId | None = None, limit: int = 100
    ) -> tuple[StoredFeedback, ...]:
        """Of one answer, or of all; newest first; of the same time, by id."""
        ...

    def save_review(self, review: StoredReview) -> None:
        """Log a decision. Decisions are never replaced: see ``save_answer``.

        Raises:
            StoreError: There is no such answer (any more), or another decision has that id.
        """
        ...

    def reviews(
        self, reader: Reader, *, answer_id: AnswerId | None = None, limit: int = 100
    ) -> tuple[StoredReview, ...]:
        """Of one answer, or of all; newest first, in the order in which they were saved."""
        ...

    def note_in_log(self, kind: str, *, at: str, detail: str) -> None:
        """Append a link about no row, such as ``gap``; ``detail`` is a JSON object without texts."""
        ...

    def log_head(self) -> LogHead:
        """The newest link, from where it is kept apart from the chain."""
        ...

    def log_entries(self, *, after: int = 0, subject: str | None = None) -> Iterator[LogEntry]:
        """The links with positions above ``after``, of one subject or of all, by position. Nothing here asks who reads:
        show of one subject what its reader may see. Do not write before it has ended: it may be one transaction."""
        ...

    def log_rows(self) -> Iterator[LoggedRow]:
        """All answers, feedback and reviews that are there, whoever may read them, in any order."""
        ...

    def save_run(self, run: StoredRun) -> None:
        """Keep an evaluation, or replace the one of that id."""
        ...

    def run(self, run_id: str, reader: Reader) -> StoredRun | None: ...

    def runs(self, reader: Reader, *, limit: int = 100) -> tuple[StoredRun, ...]:
        """Newest first; of the same time, by id."""
        ...

    @property
    def blobs(self) -> Originals:
        """The original bytes of its documents."""
        ...

    @property
    def generation(self) -> int:
        """Grows with every change of documents, in whichever process it happened."""
        ...

    @property
    def embedder_fingerprint(self) -> str | None:
        """Of the vectors in the index; ``None`` when there are none."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class Narrowing(Protocol):
    """What a ``Store`` has besides when its words are searched elsewhere, where reading all postings would cost too much."""

    def narrowed(
        self,
        words: Sequence[Sequence[str]],
        function_words: Sequence[Sequence[str]],
        reader: Reader,
        filters: Filters,
        limit: int,
    ) -> Postings:
        """``Store.postings`` of the different terms of these words, in the order in which they first appear, less chunks
        that by BM25 are neither among the ``limit`` best nor tie with the last of them."""
        ...


class Truth(Store, Protocol):
    """A store that another one may search for: what there is, what changed, and what of it a reader may see."""

    @property
    def identity(self) -> str:
        """Tells this store from every other one; a copy made by ``backup`` has another."""
        ...

    def changes(self, after: tuple[int, str], limit: int) -> tuple[tuple[int, DocId], ...]:
        """Documents that were put, removed or given vectors, each once, with the generation in which that was last, by both;
        only pairs above ``after``. Nothing here asks who reads."""
        ...

    def indexed(self, doc_id: DocId) -> Indexed | None:
        """See ``Indexed``; ``None`` when there is no such document. Nothing here asks who reads."""
        ...

    def permitted(self, keys: Sequence[int], reader: Reader, filters: Filters) -> Ints:
        """Those of ``keys`` that are chunks which the reader may see and which pass the filters, ascending."""
        ...

    def postings_at(self, terms: Sequence[str], keys: Sequence[int], reader: Reader) -> Postings:
        """``postings`` with the chunks of ``keys`` alone in its matches; the statistics are the same."""
        ...


class Copied(Truth, Protocol):
    """A store that can be copied, and copied into; see ``pincite.copying``. Nothing here asks who reads."""

    def doc_ids(self) -> tuple[DocId, ...]:
        """All that are there, in the order of their chunk keys, and then those that were removed, sorted."""
        ...

    def held(self, doc_id: DocId) -> Held:
        """See ``Held``."""
        ...

    def hold(self, held: Held) -> None:
        """Set what there is of an id beside its text and passages to that: content hash, next chunk number, versions and
        tombstone. ``put_many`` and ``remove`` go before, for the document itself."""
        ...

    def import_log(self, part: LogPart) -> None:
        """Write links and rows just as they are, in place of those with the same position or id."""
        ...

    def note(self, name: str, value: str) -> None:
        """Keep a short text under a name, in place of the one before; inside ``writing()`` with all that is written there."""
        ...

    def noted(self, name: str) -> str:
        """The text under a name; empty without one."""
        ...
