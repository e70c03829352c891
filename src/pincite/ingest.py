"""Documents in: complete what was not given, cut into chunks, number them, write them in batches, add vectors."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from pincite import chunk as chunking
from pincite.access import EVERYTHING
from pincite.blobs import blob_key
from pincite.errors import ParseError
from pincite.ports import Embedder
from pincite.ports.stored import IndexedChunk, StoredDocument
from pincite.ports.stores import Store
from pincite.text.hyphens import rejoined_words
from pincite.text.slug import slug
from pincite.text.words import detect_language, terms
from pincite.types import AccessLevel, Chunk, DocId, Document, Origin, Skipped
from pincite.vectorise import Wanted, check_same_embedder, known_vectors, vectorise, view_of
from pincite.workers import Workers

BATCH_CHUNKS = 2_000
"""Chunks written in one transaction: what an interruption can cost, and never more."""
BATCH_CHUNKS_EMBEDDED = 128
"""The same with an embedder: their vectors are made next, and somebody watches."""
BATCH_TIME = timedelta(seconds=3)
"""A batch that took longer than this to read is written although it is small: a scan of paper takes its time."""

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
    """What ``add`` did: document ids, and the files that could not be read. ``vectors``: passages that got theirs.
    ``warnings``: ids of documents, changed or not, and what was left out of them or guessed."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    failed: tuple[ParseError, ...] = ()
    chunks: int = 0
    vectors: int = 0
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        return (
            f"AddReport({len(self.added)} added, {len(self.changed)} changed, {len(self.unchanged)} unchanged, "
            f"{len(self.failed)} failed, {self.chunks} chunks)"
        )


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A document that is new or changed, cut, with the terms of each chunk. ``fault``: why it cannot be stored."""

    document: Document
    chunks: tuple[Chunk, ...] = ()
    terms: tuple[tuple[str, ...], ...] = ()
    fault: ParseError | None = None


def ingest(
    loaded: Iterable[Document | ParseError | Skipped],
    store: Store,
    *,
    cut: Cut,
    embedder: Embedder | None,
    default_access: AccessLevel,
    clock: Callable[[], datetime],
    access: AccessLevel | None = None,
    progress: Callable[[str, int], None] | None = None,
    workers: Workers | None = None,
    dry_run: bool = False,
    again: bool = False,
) -> AddReport:
    """Store every document that is new or changed. One that cannot be read does not stop the others.

    The texts of a batch are stored before their vectors are made, so words find at once what meaning finds a little later,
    and an interruption costs seconds. A document that is there unchanged and lacks vectors gets them.

    Args:
        loaded: Documents, errors for files that could not be read, and files that were left alone.
        access: Level for documents that bring none. ``None``: a document that is stored already keeps its level, so that
            adding a folder again cannot open what was closed.
        default_access: Level of new documents for which nobody said one; recorded in ``defaulted``.
        progress: Called after each document with its id and the number of chunks so far.
        workers: Who cuts texts and counts their terms; this process without them. The result does not depend on it.
        dry_run: Do all but write.
        again: Cut and index unchanged documents too; chunks that come out the same keep their ids.

    Raises:
        StoreError: If the database cannot be written, or holds vectors of another embedder. Batches written before stay.
    """
    stored: dict[str, StoredDocument] = {one.info.doc_id: one for one in store.documents(EVERYTHING)}
    writer = _Writer(
        store, stored, clock, None if dry_run else embedder, progress, dry_run=dry_run, again=again
    )
    notes = _Notes()
    complete = (
        _completed(item, access or _stored_level(stored, item) or default_access)
        for item in notes.taken(loaded)
    )
    news = ((cut, document) for document in writer.news(complete))
    try:
        prepared_news = (
            map(_prepare, news) if workers is None else workers.in_order(_prepare, news, lost=_lost)
        )
        for prepared in prepared_news:
            writer.take(prepared)
    except KeyboardInterrupt:
        writer.write()
        raise
    writer.flush()
    return replace(writer.report(), skipped=tuple(notes.skipped), warnings=tuple(notes.warnings))


class _Notes:
    """What there is to tell of files beside what is stored."""

    def __init__(self) -> None:
        self.skipped: list[Skipped] = []
        self.warnings: list[tuple[str, str]] = []

    def taken(self, loaded: Iterable[Document | ParseError | Skipped]) -> Iterator[Document | ParseError]:
        """The same, less what was left alone."""
        for item in loaded:
            if isinstance(item, Skipped):
                self.skipped.append(item)
                continue
            if isinstance(item, Document):
                said = next((value for name, value in item.metadata if name == "warnings"), "")
                if said:
                    self.warnings.append((item.doc_id, said))
            yield item


def indexed_terms(text: str, language: str | None) -> tuple[str, ...]:
    """The terms of a passage, also those of words that a line end parts."""
    return terms(text, language) + terms(rejoined_words(text), language)


def _prepare(item: tuple[Cut, Document]) -> _Prepared:
    """Cut a document and count its terms: all of the work that needs nothing but the document."""
    cut, document = item
    try:
        chunks = chunking.chunk(
            document, strategy=cut.strategy, max_chars=cut.max_chars, size=cut.size, overlap=cut.overlap
        )
    except ParseError as error:
        return _Prepared(document, fault=error)
    counted = tuple(indexed_terms(view_of(document.title, chunk), document.language) for chunk in chunks)
    return _Prepared(document, chunks, counted)


def _lost(item: tuple[Cut, Document]) -> _Prepared:
    _, document = item
    reason = "the process that cut it into passages died, perhaps for want of memory"
    return _Prepared(document, fault=ParseError(reason, where=document.url or document.doc_id))


class _Writer:
    """Knows what is stored, collects what is new, and writes it in batches, each in one transaction."""

    def __init__(
        self,
        store: Store,
        stored: Mapping[str, StoredDocument],
        clock: Callable[[], datetime],
        embedder: Embedder | None,
        progress: Callable[[str, int], None] | None,
        *,
        dry_run: bool,
        again: bool,
    ) -> None:
        self._store, self._clock, self._embedder = store, clock, embedder
        self._progress = progress or (lambda doc_id, chunks: None)
        self._dry_run, self._again = dry_run, again
        self._stored = stored
        self._batch_chunks = BATCH_CHUNKS if embedder is None else BATCH_CHUNKS_EMBEDDED
        self._originals: dict[str, bytes | None] = {}
        self._batch: list[_Prepared] = []
        self._written_at = clock()
        self._wanted: list[Wanted] = []
        self._origins: list[tuple[DocId, Origin]] = []
        self._seen: dict[str, str] = {}
        self._slugs: dict[str, str] = {}
        self._pending = 0
        self._chunks = 0
        self._vectors = 0
        self._added: list[str] = []
        self._changed: list[str] = []
        self._unchanged: list[str] = []
        self._failed: list[ParseError] = []

    def news(self, items: Iterable[Document | ParseError]) -> Iterator[Document]:
        """The documents that are not stored as they are. Their original bytes stay here: they need not go to a process
        that only cuts texts."""
        # Whether a file still gives an id that now another claims is known when all have been read.
        claimed: list[tuple[Document, str]] = []
        read: set[str] = set()
        for item in items:
            if isinstance(item, ParseError):
                self._failed.append(item)
                continue
            read.add(item.origin.place if item.origin else "")
            if (other := self._other_file(item)) is not None:
                claimed.append((item, other))
            else:
                yield from self._news(item)
        for item, other in claimed:
            if other in read or item.doc_id in self._seen:
                yield from self._news(item)
                continue
            self._failed.append(
                ParseError(
                    f"doc_id {item.doc_id!r} is already that of {other}",
                    where=item.origin.place if item.origin else item.doc_id,
                    hint=f"give it another doc_id, or remove that one: pincite docs rm {item.doc_id}",
                )
            )

    def _news(self, item: Document) -> Iterator[Document]:
        if item.doc_id in self._seen:
            self._failed.append(
                ParseError(
                    f"doc_id {item.doc_id!r} is used twice: also in {self._seen[item.doc_id]}",
                    where=item.url or item.title,
                    hint="give each document an id of its own",
                )
            )
        elif self._is_stored(item):
            self._leave(item)
        else:
            self._seen[item.doc_id] = item.url or item.title or item.doc_id
            self._originals[item.doc_id] = item.original
            yield replace(item, original=None)

    def _other_file(self, document: Document) -> str | None:
        """Where the document of that id came from, when that is another place and still there: two files, not one that was
        moved. The second would silently take the place of the first, whoever may read either."""
        stored = self._stored.get(document.doc_id)
        if stored is None or stored.origin is None or document.origin is None:
            return None
        old, new = stored.origin, document.origin
        if old.place == new.place or new.is_url:
            return None
        try:
            there = old.is_url or not os.path.samefile(old.place, new.place)
        except OSError:
            there = False
        return old.place if there else None

    def _is_stored(self, document: Document) -> bool:
        stored = self._stored.get(document.doc_id)
        return stored is not None and not self._again and stored.info.content_hash == document.content_hash

    def _leave(self, document: Document) -> None:
        """An unchanged document: all it may need is its new place, and vectors."""
        self._seen[document.doc_id] = document.url or document.title or document.doc_id
        stored = self._stored[document.doc_id]
        self._unchanged.append(document.doc_id)
        if document.origin is not None and document.origin != stored.origin:
            self._origins.append((stored.info.doc_id, document.origin))
        if self._embedder is not None and stored.vector_count < stored.chunk_count:
            self._wanted.append(Wanted(stored.info.doc_id, document.title, {}))
        self._progress(document.doc_id, self._chunks)

    def take(self, prepared: _Prepared) -> None:
        """Put a document into the batch, and write the batch when it is large or took long."""
        document = replace(prepared.document, original=self._originals.pop(prepared.document.doc_id, None))
        if prepared.fault is not None:
            self._failed.append(prepared.fault)
            return
        self._batch.append(replace(prepared, document=document))
        self._pending += len(prepared.chunks)
        self._chunks += len(prepared.chunks)
        self._progress(document.doc_id, self._chunks)
        if self._pending >= self._batch_chunks or self._clock() - self._written_at >= BATCH_TIME:
            self.flush()

    def flush(self) -> None:
        """Write the batch, then make its vectors."""
        self.write()
        if self._embedder is not None:
            if self._wanted:
                check_same_embedder(self._store, self._embedder)
            self._vectors += vectorise(self._wanted, self._store, self._embedder)
        self._wanted = []
        self._written_at = self._clock()

    def write(self) -> None:
        """Write the texts of the batch: all of it or nothing."""
        batch, self._batch, self._pending = self._batch, [], 0
        if self._embedder is not None and batch:
            check_same_embedder(self._store, self._embedder)
        ready: list[tuple[Document, tuple[IndexedChunk, ...]]] = []
        wanted: list[Wanted] = []
        # Numbers are given inside the transaction: of two processes that add a document, the second sees the first one's.
        with self._store.reading() if self._dry_run else self._store.writing():
            for one in batch:
                numbered = self._numbered(one)
                if numbered is None:
                    continue
                indexed = zip(numbered, one.terms, strict=True)
                ready.append((one.document, tuple(IndexedChunk(chunk, found) for chunk, found in indexed)))
                if self._embedder is not None:
                    doc_id = DocId(one.document.doc_id)
                    known = known_vectors(self._store, self._store.document(doc_id, EVERYTHING))
                    wanted.append(Wanted(doc_id, one.document.title, known))
            if not self._dry_run:
                added_at = self._clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
                self._store.put_many(ready, added_at=added_at)
                self._store.note_origins(self._origins)
        self._origins = []
        self._wanted += wanted
        for document, _ in ready:
            there = document.doc_id in self._stored
            (self._changed if there else self._added).append(document.doc_id)

    def _numbered(self, one: _Prepared) -> tuple[Chunk, ...] | None:
        """The chunks with their ids; ``None``, and a failure noted, when these are another document's."""
        held, next_number = self._store.chunk_numbers(DocId(one.document.doc_id))
        numbered, _ = chunking.assign_ids(one.chunks, held, next_number)
        name = slug(one.document.doc_id)
        if not _MADE_SLUG.search(name):
            return numbered
        # ``Fees 2024`` has the slug ``fees-2024-66bc15bb``: a document of just that name would share its chunk ids.
        found = (self._store.chunk(chunk.chunk_id, EVERYTHING) for chunk in numbered)
        if (
            all(other is None or other[1].doc_id == one.document.doc_id for other in found)
            and self._slugs.setdefault(name, one.document.doc_id) == one.document.doc_id
        ):
            return numbered
        self._failed.append(
            ParseError(
                f"the chunks of doc_id {one.document.doc_id!r} would have the ids of another document's chunks",
                where=one.document.url or one.document.doc_id,
                hint="give it another doc_id",
            )
        )
        return None

    def report(self) -> AddReport:
        return AddReport(
            tuple(self._added),
            tuple(self._changed),
            tuple(self._unchanged),
            tuple(self._failed),
            self._chunks,
            self._vectors,
        )


def _stored_level(stored: Mapping[str, StoredDocument], item: Document | ParseError) -> AccessLevel | None:
    """The level of the stored document of that id."""
    if isinstance(item, ParseError) or item.access_level is not None or item.doc_id not in stored:
        return None
    level = stored[item.doc_id].info.access_level
    return AccessLevel(level) if level else None


def _completed(item: Document | ParseError, default: AccessLevel) -> Document | ParseError:
    """The document with its level, its language and the key of its original; what was not given is in ``defaulted``."""
    if isinstance(item, ParseError):
        return item
    document, defaulted = item, list(item.defaulted)
    if document.access_level is None:
        document = replace(document, access_level=default)
        defaulted.append("access_level")
    elif document.access_level not in tuple(AccessLevel):
        return ParseError(
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
