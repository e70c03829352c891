"""Everything in dictionaries: for tests, for one-off checks, and as the plain description of what a store does."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pincite import chain
from pincite.blobs import MemoryBlobs
from pincite.errors import StoreError
from pincite.ports import Floats, Ints
from pincite.ports.stored import (
    Held,
    HeldVersion,
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
    TermPostings,
    Tombstone,
)
from pincite.ports.stores import Filters
from pincite.stores import vectors as matrices
from pincite.stores.blocks import MOST
from pincite.stores.chunks import around, check_chunks, next_number
from pincite.stores.filters import check_filters, passes
from pincite.stores.indexed import only_keys
from pincite.stores.levels import highest, rank
from pincite.stores.mentions import mentions
from pincite.types import AccessLevel, AnswerId, Chunk, ChunkId, DocId, Document, DocumentInfo, Origin, Reader


@dataclass(frozen=True, slots=True)
class _Kept:
    """A document as it is kept. A chunk's key is ``first_key`` plus its place in ``chunks``."""

    document: Document
    info: DocumentInfo
    first_key: int
    chunks: tuple[Chunk, ...]
    frequencies: tuple[Counter[str], ...]
    rows: matrices.Halves | None
    added_at: str


class MemoryStore:
    """A ``Store`` that forgets everything when it ends. May be shared between threads."""

    def __init__(self) -> None:
        self.blobs = MemoryBlobs()
        self._lock = threading.RLock()
        self._kept: dict[str, _Kept] = {}
        self._numbers: dict[str, int] = {}
        self._answers: dict[str, StoredAnswer] = {}
        self._feedback: dict[str, StoredFeedback] = {}
        self._reviews: dict[str, StoredReview] = {}
        self._runs: dict[str, StoredRun] = {}
        self._log: list[LogEntry] = []
        self._head = LogHead()
        self._notes: dict[str, str] = {}
        self._versions: dict[tuple[str, str], Document] = {}
        self._tombstones: dict[str, tuple[Tombstone, str | None]] = {}
        self._next_key = 0
        self._generation = 0
        self._changed: dict[str, int] = {}
        self._identity = os.urandom(8).hex()
        self._embedder: str | None = None
        self._dimension = 0
        self._matrix: tuple[int, matrices.Matrix] | None = None

    def __repr__(self) -> str:
        return f"MemoryStore({len(self._kept)} documents)"

    # --- writing ---

    def put(
        self,
        document: Document,
        chunks: Sequence[IndexedChunk],
        *,
        added_at: str,
        embedder: str | None = None,
    ) -> None:
        """See ``Store.put``."""
        self.put_many(((document, chunks),), added_at=added_at, embedder=embedder)

    def put_many(
        self,
        batch: Sequence[tuple[Document, Sequence[IndexedChunk]]],
        *,
        added_at: str,
        embedder: str | None = None,
    ) -> None:
        """See ``Store.put_many``."""
        if not batch:
            return
        with self._lock:
            new, key = [], self._next_key
            for given, chunks in batch:
                check_chunks(given, chunks)
                if given.original is not None:
                    assert self.blobs.put(given.original) == given.blob, (
                        "a document with the key of other bytes"
                    )
                document = replace(given, original=None)
                new.append(_keep(document, chunks, key, added_at))
                key += len(chunks)
            self._check_ids(new)
            with_vectors = [kept.rows for kept in new if kept.rows is not None]
            if with_vectors:
                self._embedder = matrices.check_embedder(self._embedder, embedder)
                self._dimension = with_vectors[0].shape[1]
            for kept in new:
                doc_id = kept.document.doc_id
                self._keep_version(kept)
                self._kept[doc_id] = kept
                self._tombstones.pop(doc_id, None)
                self._numbers[doc_id] = next_number(
                    [chunk.chunk_id for chunk in kept.chunks], self._numbers.get(doc_id, 0)
                )
            self._next_key = key
            self._note(*(kept.document.doc_id for kept in new))
            self.sweep()

    def _note(self, *doc_ids: str) -> None:
        self._generation += 1
        self._changed.update(dict.fromkeys(doc_ids, self._generation))

    def _check_ids(self, new: Sequence[_Kept]) -> None:
        replaced = {kept.document.doc_id for kept in new}
        others = [kept for doc_id, kept in self._kept.items() if doc_id not in replaced]
        counts = Counter(chunk.chunk_id for kept in (*others, *new) for chunk in kept.chunks)
        if len(replaced) < len(new) or any(count > 1 for count in counts.values()):
            raise StoreError(
                f"document {new[0].document.doc_id!r} repeats an id",
                hint="document ids and chunk ids must be unique in the store",
            )

    def _keep_version(self, new: _Kept) -> None:
        doc_id, old = new.document.doc_id, self._kept.get(new.document.doc_id)
        self._versions.pop((doc_id, new.info.content_hash), None)
        if old is None or old.info.content_hash == new.info.content_hash:
            return
        version = doc_id, old.info.content_hash
        if any(version in mentions(answer.body) for answer in self._answers.values()):
            self._versions[version] = old.document

    def append_vectors(self, doc_id: DocId, vectors: Floats, *, embedder: str) -> None:
        """See ``Store.append_vectors``."""
        with self._lock:
            self._embedder = matrices.check_embedder(self._embedder, embedder)
            kept, self._dimension = self._kept[doc_id], vectors.shape[1]
            before = () if kept.rows is None else (kept.rows,)
            rows = np.concatenate((*before, vectors.astype(np.float16)))
            assert len(rows) <= len(kept.chunks), f"{doc_id!r} has fewer passages than vectors"
            self._kept[doc_id] = replace(kept, rows=rows)
            self._note(doc_id)

    def vectors_of(self, doc_id: DocId) -> Floats:
        """See ``Store.vectors_of``."""
        kept = self._kept.get(doc_id)
        if kept is None or kept.rows is None:
            return np.empty((0, max(1, self._dimension)), dtype=np.float32)
        return kept.rows.astype(np.float32)

    def remove(
        self,
        doc_id: DocId,
        *,
        removed_at: str = "",
        rewrite: Callable[[StoredAnswer], StoredAnswer] | None = None,
    ) -> bool:
        """See ``Store.remove``."""
        with self._lock:
            kept = self._kept.get(doc_id)
            if kept is None:
                return False
            if rewrite is not None:
                for answer in tuple(self._answers.values()):
                    if any(mentioned == doc_id for mentioned, _ in mentions(answer.body)):
                        self._rewrite(answer, rewrite(answer), removed_at, doc_id)
            hashes = [kept.info.content_hash, *(version for of, version in self._versions if of == doc_id)]
            stone = Tombstone(doc_id, removed_at, tuple(sorted(hashes)))
            self._tombstones[doc_id] = stone, kept.info.access_level
            self._versions = {key: held for key, held in self._versions.items() if key[0] != doc_id}
            del self._kept[doc_id]
            self._note(doc_id)
            self.sweep()
            return True

    def removed(self, reader: Reader) -> tuple[Tombstone, ...]:
        """See ``Store.removed``."""
        seen = [stone for stone, level in self._tombstones.values() if rank(level) <= highest(reader)]
        return tuple(sorted(seen, key=lambda stone: stone.doc_id))

    def version(self, doc_id: DocId, content_hash: str, reader: Reader) -> Document | None:
        """See ``Store.version``."""
        current = self.document(doc_id, reader)
        if current is None or current.content_hash == content_hash:
            return current
        held = self._versions.get((doc_id, content_hash))
        return held if held is not None and rank(held.access_level) <= highest(reader) else None

    def warnings(self) -> tuple[tuple[str, str], ...]:
        """See ``Store.warnings``. There is nothing to say."""
        return ()

    def refreshing(self) -> AbstractContextManager[None]:
        """See ``Store.refreshing``. Two refreshes follow each other, document by document."""
        return nullcontext()

    def sweep(self) -> int:
        """See ``Store.sweep``."""
        documents = [*(kept.document for kept in self._kept.values()), *self._versions.values()]
        needed = {document.blob for document in documents}
        loose = [key for key in self.blobs.all_keys() if key not in needed]
        for key in loose:
            self.blobs.remove(key)
        return len(loose)

    def problems(self) -> Iterator[str]:
        """See ``Store.problems``. Memory has none."""
        return iter(())

    def backup(self, target: Path) -> tuple[str, ...]:
        """``StoreError``: there is no file to copy."""
        raise StoreError(
            "a store in memory cannot be copied to a file",
            where=str(target),
            hint="use a database: [store] path",
        )

    def note_origins(self, origins: Sequence[tuple[DocId, Origin]]) -> None:
        """See ``Store.note_origins``."""
        with self._lock:
            for doc_id, origin in origins:
                kept = self._kept[doc_id]
                self._kept[doc_id] = replace(kept, document=replace(kept.document, origin=origin))

    def forget_vectors(self) -> None:
        """See ``Store.forget_vectors``."""
        with self._lock:
            self._kept = {doc_id: replace(kept, rows=None) for doc_id, kept in self._kept.items()}
            self._embedder, self._dimension = None, 0
            self._note(*self._kept)

    # --- documents and chunks ---

    def _visible(self, reader: Reader) -> list[_Kept]:
        with self._lock:
            return [kept for kept in self._kept.values() if rank(kept.info.access_level) <= highest(reader)]

    def content_hash(self, doc_id: DocId) -> str | None:
        """See ``Store.content_hash``."""
        kept = self._kept.get(doc_id)
        return None if kept is None else kept.info.content_hash

    def chunk_numbers(self, doc_id: DocId) -> tuple[tuple[Chunk, ...], int]:
        """See ``Store.chunk_numbers``."""
        kept = self._kept.get(doc_id)
        return () if kept is None else kept.chunks, self._numbers.get(doc_id, 0)

    def document(self, doc_id: DocId, reader: Reader) -> Document | None:
        """See ``Store.document``."""
        return next((kept.document for kept in self._visible(reader) if kept.document.doc_id == doc_id), None)

    def documents(self, reader: Reader) -> tuple[StoredDocument, ...]:
        """See ``Store.documents``."""
        listed = [
            StoredDocument(kept.info, len(kept.chunks), kept.added_at, kept.document.origin, _row_count(kept))
            for kept in self._visible(reader)
        ]
        return tuple(sorted(listed, key=lambda item: item.info.doc_id))

    def chunk(self, chunk_id: ChunkId, reader: Reader) -> tuple[Chunk, DocumentInfo] | None:
        """See ``Store.chunk``."""
        for kept in self._visible(reader):
            for chunk in kept.chunks:
                if chunk.chunk_id == chunk_id:
                    return chunk, kept.info
        return None

    def neighbours(self, chunk: Chunk, before: int, after: int, reader: Reader) -> tuple[Chunk, ...]:
        """See ``Store.neighbours``."""
        for kept in self._visible(reader):
            if kept.document.doc_id == chunk.doc_id:
                first, last = around(chunk.ordinal, before, after)
                return kept.chunks[first : last + 1]
        return ()

    def load(self, keys: Sequence[int], reader: Reader) -> tuple[tuple[Chunk, DocumentInfo], ...]:
        """See ``Store.load``."""
        by_key = {
            kept.first_key + place: (chunk, kept.info)
            for kept in self._visible(reader)
            for place, chunk in enumerate(kept.chunks)
        }
        assert all(int(key) in by_key for key in keys), "asked for a chunk that the reader may not see"
        return tuple(by_key[int(key)] for key in keys)

    def languages(self, reader: Reader) -> tuple[str, ...]:
        """See ``Store.languages``."""
        return tuple(
            sorted({kept.info.language for kept in self._visible(reader) if kept.info.language is not None})
        )

    # --- search ---

    def postings(self, terms: Sequence[str], reader: Reader, filters: Filters) -> Postings:
        """See ``Store.postings``."""
        check_filters(filters)
        seen = self._visible(reader)
        lengths = [_length(counts) for kept in seen for counts in kept.frequencies]
        passing = [kept for kept in seen if passes(kept.info, filters)]
        return Postings(
            matches=tuple(_find(term, passing) for term in terms),
            document_frequency=tuple(
                sum(term in counts for kept in seen for counts in kept.frequencies) for term in terms
            ),
            chunk_count=len(lengths),
            mean_length=sum(lengths) / len(lengths) if lengths else 0.0,
        )

    def nearest(self, vector: Floats, reader: Reader, filters: Filters, limit: int) -> tuple[Ints, Floats]:
        """See ``Store.nearest``."""
        check_filters(filters)
        with self._lock:
            found = self._vectors()
            matrices.check_dimension(vector, found.rows.shape[1])
            permitted = {
                kept.first_key + place
                for kept in self._visible(reader)
                if passes(kept.info, filters)
                for place in range(len(kept.chunks))
            }
        top = highest(reader)
        allowed = np.array([int(key) in permitted for key in found.keys[: found.ends[top]]], dtype=np.bool_)
        return matrices.nearest(found, vector, top, allowed if filters else None, limit)

    def cosines(self, vector: Floats, keys: Sequence[int]) -> Floats:
        """See ``Store.cosines``."""
        with self._lock:
            return matrices.cosines(self._vectors(), vector, np.array(keys, dtype=np.int64))

    def _vectors(self) -> matrices.Matrix:
        if self._matrix is None or self._matrix[0] != self._generation:
            parts = [
                (kept.first_key + place, rank(kept.info.access_level), row)
                for kept in self._kept.values()
                if kept.rows is not None
                for place, row in enumerate(kept.rows)
            ]
            rows = np.array([row for _, _, row in parts], dtype=np.float16).reshape(
                len(parts), self._dimension
            )
            keys = np.array([key for key, _, _ in parts], dtype=np.int64)
            levels = np.array([level for _, level, _ in parts], dtype=np.int64)
            self._matrix = self._generation, matrices.matrix(rows, keys, levels, len(AccessLevel))
        return self._matrix[1]

    # --- for a search elsewhere ---

    @property
    def identity(self) -> str:
        """See ``Truth.identity``."""
        return self._identity

    def changes(self, after: tuple[int, str], limit: int) -> tuple[tuple[int, DocId], ...]:
        """See ``Truth.changes``."""
        with self._lock:
            found = sorted((at, DocId(doc_id)) for doc_id, at in self._changed.items())
        return tuple(pair for pair in found if pair > after)[:limit]

    def indexed(self, doc_id: DocId) -> Indexed | None:
        """See ``Truth.indexed``."""
        with self._lock:
            kept = self._kept.get(doc_id)
            if kept is None:
                return None
            return Indexed(
                info=kept.info,
                keys=np.arange(kept.first_key, kept.first_key + len(kept.chunks)),
                terms=tuple(
                    {term: min(count, MOST) for term, count in counts.items()} for counts in kept.frequencies
                ),
                lengths=tuple(map(_length, kept.frequencies)),
                vectors=self.vectors_of(doc_id),
            )

    def permitted(self, keys: Sequence[int], reader: Reader, filters: Filters) -> Ints:
        """See ``Truth.permitted``."""
        check_filters(filters)
        wanted = np.unique(np.array(keys, dtype=np.int64))
        seen = [
            np.arange(kept.first_key, kept.first_key + len(kept.chunks))
            for kept in self._visible(reader)
            if passes(kept.info, filters)
        ]
        return wanted[np.isin(wanted, np.concatenate(seen))] if seen else wanted[:0]

    def postings_at(self, terms: Sequence[str], keys: Sequence[int], reader: Reader) -> Postings:
        """See ``Truth.postings_at``."""
        found = self.postings(terms, reader, ())
        wanted = np.array(keys, dtype=np.int64)
        return replace(found, matches=tuple(only_keys(match, wanted) for match in found.matches))

    # --- for a copy ---

    def doc_ids(self) -> tuple[DocId, ...]:
        """See ``Copied.doc_ids``."""
        with self._lock:
            live = sorted(self._kept.values(), key=lambda kept: kept.first_key)
            return (*(DocId(kept.document.doc_id) for kept in live), *map(DocId, sorted(self._tombstones)))

    def held(self, doc_id: DocId) -> Held:
        """See ``Copied.held``."""
        with self._lock:
            kept = self._kept.get(doc_id)
            stone, level = self._tombstones.get(doc_id, (None, None))
            return Held(
                doc_id,
                None if kept is None else kept.document,
                "" if kept is None else kept.info.content_hash,
                "" if kept is None else kept.added_at,
                self._numbers.get(doc_id, 0),
                tuple(
                    HeldVersion(one, version)
                    for (of, version), one in sorted(self._versions.items(), key=lambda item: item[0])
                    if of == doc_id
                ),
                stone,
                0 if stone is None else rank(level),
            )

    def hold(self, held: Held) -> None:
        """See ``Copied.hold``."""
        with self._lock:
            doc_id = held.doc_id
            kept = self._kept.get(doc_id)
            if kept is not None:
                info = replace(kept.info, content_hash=held.content_hash)
                self._kept[doc_id] = replace(kept, info=info)
            self._numbers[doc_id] = held.next_number
            self._versions = {key: one for key, one in self._versions.items() if key[0] != doc_id}
            self._versions.update({(doc_id, one.content_hash): one.document for one in held.versions})
            self._tombstones.pop(doc_id, None)
            if held.tombstone is not None:
                level = next((one for one in AccessLevel if rank(one) == held.tombstone_rank), None)
                self._tombstones[doc_id] = held.tombstone, level

    def import_log(self, part: LogPart) -> None:
        """See ``Copied.import_log``."""
        with self._lock:
            links = {entry.position: entry for entry in (*self._log, *part.entries)}
            self._log = [links[position] for position in sorted(links) if position >= part.start]
            tables: dict[str, dict[str, Any]] = {
                "answer": self._answers,
                "feedback": self._feedback,
                "review": self._reviews,
            }
            for kind, subject in part.gone:
                tables[kind].pop(subject, None)
            self._answers.update({one.answer_id: one for one, _ in part.answers})
            self._feedback.update({one.feedback_id: one for one in part.feedback})
            self._reviews.update({one.review_id: one for one, _ in part.reviews})
            self._head = part.head or self._head

    def note(self, name: str, value: str) -> None:
        """See ``Copied.note``."""
        self._notes[name] = value

    def noted(self, name: str) -> str:
        """See ``Copied.noted``."""
        return self._notes.get(name, "")

    # --- answers ---

    def _append(self, entry: LogEntry) -> None:
        self._log.append(entry)
        self._head = chain.head_of(entry)

    def _rewrite(self, old: StoredAnswer, new: StoredAnswer, at: str, doc_id: str) -> None:
        if new != old:
            self._append(chain.of_rewriting(self._head, old, new, at=at, doc_id=doc_id))
            self._answers[new.answer_id] = new

    def save_answer(self, answer: StoredAnswer, *, at: str = "") -> None:
        """See ``Store.save_answer``."""
        with self._lock:
            held = self._answers.get(answer.answer_id)
            if held is None and not any(self.log_entries(subject=answer.answer_id)):
                self._append(chain.of_answer(self._head, answer, at=at))
                self._answers[answer.answer_id] = answer
            elif held != answer:
                raise chain.logged_before("an answer", answer.answer_id)

    def answer(self, answer_id: AnswerId, reader: Reader) -> StoredAnswer | None:
        """See ``Store.answer``."""
        found = self._answers.get(answer_id)
        return found if found is not None and reader.may_read(found.level) else None

    def answers(self, reader: Reader, *, limit: int = 100) -> tuple[StoredAnswer, ...]:
        """See ``Store.answers``."""
        with self._lock:
            seen = [answer for answer in self._answers.values() if reader.may_read(answer.level)]
        return tuple(seen[::-1][: max(0, limit)])

    def erase_answer(self, answer_id: AnswerId, *, at: str, why: str) -> bool:
        """See ``Store.erase_answer``."""
        with self._lock:
            found = self._answers.get(answer_id)
            if found is None:
                return False
            self._append(chain.of_erasure(self._head, found, at=at, why=why))
            self._drop({answer_id})
            return True

    def prune_answers(self, before: str, *, at: str) -> int:
        """See ``Store.prune_answers``."""
        with self._lock:
            found = [
                entry
                for entry in self._log
                if entry.kind == "answer" and entry.at < before and entry.subject in self._answers
            ]
            self._drop({entry.subject for entry in found})
            self._feedback = {
                key: one
                for key, one in self._feedback.items()
                if one.answer_id in self._answers or one.given_at >= before
            }
            self._reviews = {
                key: one
                for key, one in self._reviews.items()
                if one.answer_id in self._answers or one.decided_at >= before
            }
            tables: dict[str, Collection[str]] = {
                "answer": self._answers,
                "feedback": self._feedback,
                "review": self._reviews,
            }
            end = chain.end_of_prefix(
                self._log, before=before, is_there=lambda kind, subject: subject in tables[kind]
            )
            if not found and end is None:
                return 0
            times = sorted(entry.at for entry in found) or [""]
            start = chain.start_of(self._log) if end is None else chain.head_of(end)
            self._append(
                chain.of_pruning(
                    self._head,
                    at=at,
                    before=before,
                    count=len(found),
                    first=times[0],
                    last=times[-1],
                    start=start,
                )
            )
            self._log = [entry for entry in self._log if entry.position > start.position]
            return len(found)

    def _drop(self, answer_ids: set[str]) -> None:
        self._answers = {key: one for key, one in self._answers.items() if key not in answer_ids}
        self._feedback = {key: one for key, one in self._feedback.items() if one.answer_id not in answer_ids}
        self._reviews = {key: one for key, one in self._reviews.items() if one.answer_id not in answer_ids}
        cited = {mention for answer in self._answers.values() for mention in mentions(answer.body)}
        self._versions = {key: held for key, held in self._versions.items() if key in cited}
        self.sweep()

    def save_feedback(self, feedback: StoredFeedback) -> None:
        """See ``Store.save_feedback``."""
        with self._lock:
            if feedback.answer_id not in self._answers:
                raise chain.no_answer(feedback.answer_id)
            self._append(chain.of_feedback(self._head, feedback))
            self._feedback[feedback.feedback_id] = feedback

    def feedback(
        self, reader: Reader, *, answer_id: AnswerId | None = None, limit: int = 100
    ) -> tuple[StoredFeedback, ...]:
        """See ``Store.feedback``."""
        with self._lock:
            seen = sorted(
                (
                    one
                    for one in self._feedback.values()
                    if reader.may_read(one.level) and answer_id in (None, one.answer_id)
                ),
                key=lambda one: one.feedback_id,
            )
        return tuple(sorted(seen, key=lambda one: one.given_at, reverse=True)[:limit])

    def save_review(self, review: StoredReview) -> None:
        """See ``Store.save_review``."""
        with self._lock:
            if self._reviews.get(review.review_id, review) != review:
                raise chain.logged_before("a review", review.review_id)
            if review.review_id not in self._reviews:
                if review.answer_id not in self._answers:
                    raise chain.no_answer(review.answer_id)
                self._append(chain.of_review(self._head, review))
                self._reviews[review.review_id] = review

    def reviews(
        self, reader: Reader, *, answer_id: AnswerId | None = None, limit: int = 100
    ) -> tuple[StoredReview, ...]:
        """See ``Store.reviews``."""
        with self._lock:
            seen = [
                one
                for one in self._reviews.values()
                if reader.may_read(one.level) and answer_id in (None, one.answer_id)
            ]
        return tuple(seen[::-1][: max(0, limit)])

    def note_in_log(self, kind: str, *, at: str, detail: str) -> None:
        """See ``Store.note_in_log``."""
        with self._lock:
            self._append(chain.of_note(self._head, kind, at=at, detail=detail))

    def log_head(self) -> LogHead:
        """See ``Store.log_head``."""
        return self._head

    def log_entries(self, *, after: int = 0, subject: str | None = None) -> Iterator[LogEntry]:
        """See ``Store.log_entries``."""
        return (
            entry for entry in tuple(self._log) if entry.position > after and subject in (None, entry.subject)
        )

    def log_rows(self) -> Iterator[LoggedRow]:
        """See ``Store.log_rows``."""
        places: dict[tuple[str, str], int] = {}
        for entry in self._log:
            places.setdefault((entry.kind, entry.subject), entry.position)
        for answer in tuple(self._answers.values()):
            place = places.get(("answer", answer.answer_id))
            yield LoggedRow("answer", answer.answer_id, chain.content_hash(answer), place)
        for given in tuple(self._feedback.values()):
            yield LoggedRow("feedback", given.feedback_id, chain.content_hash(given))
        for review in tuple(self._reviews.values()):
            place = places.get(("review", review.review_id))
            yield LoggedRow("review", review.review_id, chain.content_hash(review), place)

    def save_run(self, run: StoredRun) -> None:
        """See ``Store.save_run``."""
        with self._lock:
            self._runs[run.run_id] = run

    def run(self, run_id: str, reader: Reader) -> StoredRun | None:
        """See ``Store.run``."""
        found = self._runs.get(run_id)
        return found if found is not None and reader.may_read(found.level) else None

    def runs(self, reader: Reader, *, limit: int = 100) -> tuple[StoredRun, ...]:
        """See ``Store.runs``."""
        with self._lock:
            seen = sorted(
                (one for one in self._runs.values() if reader.may_read(one.level)), key=lambda one: one.run_id
            )
        return tuple(sorted(seen, key=lambda one: one.created_at, reverse=True)[: max(0, limit)])

    # --- state ---

    @property
    def generation(self) -> int:
        """See ``Store.generation``."""
        return self._generation

    @property
    def embedder_fingerprint(self) -> str | None:
        """See ``Store.embedder_fingerprint``."""
        return self._embedder

    @contextmanager
    def writing(self) -> Iterator[None]:
        """See ``Store.writing``. After an error, what was written before it stays: nothing here outlives the process."""
        with self._lock:
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See ``Store.reading``."""
        with self._lock:
            yield

    def close(self) -> None:
        """Nothing to close."""


def _keep(document: Document, chunks: Sequence[IndexedChunk], first_key: int, added_at: str) -> _Kept:
    return _Kept(
        document=document,
        info=document.info,
        first_key=first_key,
        chunks=tuple(item.chunk for item in chunks),
        frequencies=tuple(Counter(item.terms) for item in chunks),
        rows=matrices.halves(chunks),
        added_at=added_at,
    )


def _row_count(kept: _Kept) -> int:
    return 0 if kept.rows is None else len(kept.rows)


def _length(counts: Counter[str]) -> int:
    return min(counts.total(), MOST)


def _find(term: str, passing: Sequence[_Kept]) -> TermPostings:
    found = [
        (kept.first_key + place, min(counts[term], MOST), _length(counts))
        for kept in passing
        for place, counts in enumerate(kept.frequencies)
        if term in counts
    ]
    keys, frequencies, lengths = zip(*found, strict=True) if found else ((), (), ())
    return TermPostings(
        np.array(keys, dtype=np.int64),
        np.array(frequencies, dtype=np.float32),
        np.array(lengths, dtype=np.float32),
    )
