"""Documents in: complete what was not given, cut into chunks, number them, write them in batches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pincite import chunk as chunking
from pincite.blobs import blob_key
from pincite.errors import ParseError
from pincite.ports import Embedder, IndexedChunk, Store
from pincite.text.slug import slug
from pincite.text.words import detect_language, terms
from pincite.types import AccessLevel, Chunk, DocId, Document, Reader

BATCH_CHUNKS = 2_000
"""Chunks written in one transaction: what an interruption can cost, and never more."""

_MADE_SLUG = re.compile(r"-[0-9a-f]{8}\Z")
"""How slugs end that were made of another name."""


@dataclass(frozen=True, slots=True)
class Cut:
    """How documents are cut into chunks; see ``chunk.chunk``."""

    strategy: chunking.Strategy = "structure"
    max_chars: int = 1200
    size: int = 300
    overlap: int = 50


@dataclass(frozen=True, slots=True)
class AddReport:
    """What ``add`` did: document ids, and the files that could not be read."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    failed: tuple[ParseError, ...] = ()
    chunks: int = 0

    def __repr__(self) -> str:
        return (
            f"AddReport({len(self.added)} added, {len(self.changed)} changed, {len(self.unchanged)} unchanged, "
            f"{len(self.failed)} failed, {self.chunks} chunks)"
        )


def ingest(
    loaded: Iterable[Document | ParseError],
    store: Store,
    *,
    cut: Cut,
    embedder: Embedder | None,
    default_access: AccessLevel,
    clock: Callable[[], datetime],
    access: AccessLevel | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> AddReport:
    """Store every document that is new or changed. One that cannot be read does not stop the others.

    Args:
        loaded: Documents, and errors for files that could not be read.
        access: Level for documents that bring none. ``None``: a document that is stored already keeps its level, so that
            adding a folder again cannot open what was closed.
        default_access: Level of new documents for which nobody said one; recorded in ``defaulted``.
        progress: Called after each document with its id and the number of chunks so far.

    Raises:
        StoreError: If the database cannot be written. Batches written before stay.
    """
    writer = _Writer(store, cut, embedder, clock, progress)
    for item in loaded:
        if isinstance(item, ParseError):
            writer.failed.append(item)
            continue
        try:
            writer.take(_complete(item, access or _stored_level(store, item) or default_access))
        except ParseError as error:
            writer.failed.append(error)
    writer.flush()
    return writer.report()


class _Writer:
    """Collects documents and writes them in batches, each in one transaction."""

    def __init__(
        self,
        store: Store,
        cut: Cut,
        embedder: Embedder | None,
        clock: Callable[[], datetime],
        progress: Callable[[str, int], None] | None,
    ) -> None:
        self._store, self._embedder = store, embedder
        self._cut, self._clock = cut, clock
        self._progress = progress or (lambda doc_id, chunks: None)
        self._batch: list[tuple[Document, tuple[Chunk, ...]]] = []
        self._seen: dict[str, str] = {}
        self._slugs: dict[str, str] = {}
        self._pending = 0
        self._chunks = 0
        self._added: list[str] = []
        self._changed: list[str] = []
        self._unchanged: list[str] = []
        self.failed: list[ParseError] = []

    def take(self, document: Document) -> None:
        """Chunk a document and put it into the batch, unless it is stored already as it is."""
        if document.doc_id in self._seen:
            raise ParseError(
                f"doc_id {document.doc_id!r} is used twice: also in {self._seen[document.doc_id]}",
                where=document.url or document.title,
                hint="give each document an id of its own",
            )
        stored = self._store.content_hash(DocId(document.doc_id))
        self._seen[document.doc_id] = document.url or document.title or document.doc_id
        if stored is not None and stored == document.content_hash:
            self._unchanged.append(document.doc_id)
            self._progress(document.doc_id, self._chunks)
            return
        chunks = chunking.chunk(
            document,
            strategy=self._cut.strategy,
            max_chars=self._cut.max_chars,
            size=self._cut.size,
            overlap=self._cut.overlap,
        )
        if not chunks:
            raise ParseError("no chunks: the document has no text", where=document.url or document.doc_id)
        with self._store.reading():
            held, next_number = self._store.chunk_numbers(DocId(document.doc_id))
            numbered, _ = chunking.assign_ids(chunks, held, next_number)
            self._refuse_taken_ids(document, numbered)
        (self._added if stored is None else self._changed).append(document.doc_id)
        self._batch.append((document, numbered))
        self._pending += len(numbered)
        self._chunks += len(numbered)
        self._progress(document.doc_id, self._chunks)
        if self._pending >= BATCH_CHUNKS:
            self.flush()

    def _refuse_taken_ids(self, document: Document, numbered: Sequence[Chunk]) -> None:
        """``Fees 2024`` has the slug ``fees-2024-66bc15bb``: a document of just that name would share its chunk ids."""
        name = slug(document.doc_id)
        if not _MADE_SLUG.search(name):
            return
        everyone = Reader(AccessLevel.CONFIDENTIAL)
        found = (self._store.chunk(chunk.chunk_id, everyone) for chunk in numbered)
        if (
            any(one is not None and one[1].doc_id != document.doc_id for one in found)
            or self._slugs.setdefault(name, document.doc_id) != document.doc_id
        ):
            raise ParseError(
                f"the chunks of doc_id {document.doc_id!r} would have the ids of another document's chunks",
                where=document.url or document.doc_id,
                hint="give it another doc_id",
            )

    def flush(self) -> None:
        """Write the batch: all of it or nothing."""
        if not self._batch:
            return
        indexed = [(document, self._indexed(document, chunks)) for document, chunks in self._batch]
        fingerprint_of = self._embedder.fingerprint if self._embedder is not None else None
        added_at = self._clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._store.put_many(indexed, added_at=added_at, embedder=fingerprint_of)
        self._batch, self._pending = [], 0

    def _indexed(self, document: Document, chunks: Sequence[Chunk]) -> tuple[IndexedChunk, ...]:
        views = ["\n".join((document.title, *chunk.context_texts, chunk.text)) for chunk in chunks]
        counted = [terms(view, document.language) for view in views]
        if self._embedder is None:
            return tuple(IndexedChunk(chunk, found) for chunk, found in zip(chunks, counted, strict=True))
        vectors = self._embedder.documents(views)
        return tuple(
            IndexedChunk(chunk, found, vector)
            for chunk, found, vector in zip(chunks, counted, vectors, strict=True)
        )

    def report(self) -> AddReport:
        return AddReport(
            tuple(self._added),
            tuple(self._changed),
            tuple(self._unchanged),
            tuple(self.failed),
            self._chunks,
        )


def _stored_level(store: Store, document: Document) -> AccessLevel | None:
    """The level of the stored document of that id."""
    if document.access_level is not None:
        return None
    stored = store.document(DocId(document.doc_id), Reader(AccessLevel.CONFIDENTIAL))
    return AccessLevel(stored.access_level) if stored is not None and stored.access_level else None


def _complete(document: Document, default: AccessLevel) -> Document:
    """The document with its level and language; what was not given is recorded in ``defaulted``."""
    defaulted = list(document.defaulted)
    if document.access_level is None:
        document = replace(document, access_level=default)
        defaulted.append("access_level")
    elif document.access_level not in tuple(AccessLevel):
        raise ParseError(
            f"unknown access level {document.access_level!r}",
            where=document.url or document.doc_id,
            hint=f"choose from {', '.join(AccessLevel)}",
        )
    if document.language is None:
        document = replace(document, language=detect_language(document.text))
        defaulted.append("language")
    if document.original is not None:
        document = replace(document, blob=blob_key(document.original))
    return replace(document, defaulted=tuple(dict.fromkeys(defaulted)))
