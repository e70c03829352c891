"""Everything in one store to another one, of whatever kinds, while the first is read and written.

A copy reads the source inside one transaction, so it is of one generation. What it writes it writes in small transactions, each
whole; after an interruption the same call goes on where it was. Nothing is ever changed in the source.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import zip_longest

import numpy as np

from pincite import chain
from pincite.access import EVERYTHING
from pincite.errors import StoreError
from pincite.ports.stored import Held, IndexedChunk, LogEntry, LogPart, StoredDocument
from pincite.ports.stores import Copied
from pincite.types import AnswerId, DocId

MARK = "copy"
"""Note in the target: of which store it is a copy, which call writes it, and whether it is complete."""
BATCH_CHUNKS = 1_000
BATCH_CHARS = 8_000_000
"""Passages or characters that are written in one transaction, whichever comes first."""
LINKS_AT_ONCE = 200
ROUNDS = 5
"""A copy looks again when originals go while it is made, or what was written is not what was read; so often in a row, somebody
is doing it on purpose, or a disk lies."""
MOST = 2**31 - 1
"""As a limit: all."""


@dataclass(frozen=True, slots=True)
class CopyReport:
    """What a copy holds at its end, all of it checked against the source.

    ``copied`` documents were written by this call, ``checked`` were compared by their hashes; ``lost`` names what the source
    itself lacks or has damaged, one sentence each; ``faults`` what its log has against it, which the copy then has too.
    """

    generation: int
    documents: int
    chunks: int
    vectors: int
    versions: int
    tombstones: int
    originals: int
    links: int
    answers: int
    feedback: int
    reviews: int
    runs: int
    copied: int
    lost: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Work:
    """``run`` tells this call from another one that writes into the same target."""

    source: Copied
    target: Copied
    run: str
    progress: Callable[[int, int], None]


def copy(source: Copied, target: Copied, *, progress: Callable[[int, int], None] | None = None) -> CopyReport:
    """Copy all that ``source`` holds into ``target``, which must be empty or an earlier, perhaps unfinished copy of it.

    Args:
        progress: Called after each transaction with the documents that are there and those that there will be.

    Raises:
        StoreError: The two are one store; the target is another one's, or was changed since it was copied; another copy into it
            has begun meanwhile; it cannot be written; or it is not what was read after several rounds.
    """
    work = _Work(source, target, os.urandom(8).hex(), progress or (lambda done, total: None))
    _claim(work)
    copied = 0
    differing: tuple[str, ...] = ()
    for _ in range(ROUNDS):
        with source.reading():
            number, lost = _copy_documents(work, differing)
            copied += number
            _copy_log(work)
            _copy_runs(work)
            differing = _differing(work, lost)
            report = _counted(source, copied, lost)
        # What is lost may only have gone with a document that somebody removed meanwhile.
        if not differing and (not lost or source.generation == report.generation):
            break
    else:
        named = ", ".join(one or "the log" for one in differing[:5]) or lost[0]
        raise StoreError(
            f"the copy is not what was read: {named}",
            hint="run the same command again; when that does not help, pincite store check says what is damaged",
        )
    with target.writing():
        _own(work)
        _mark(work, done=True)
    return report


# --- whose target it is -------------------------------------------------------------------------


def _claim(work: _Work) -> None:
    source, target = work.source, work.target
    if source.identity == target.identity:
        raise StoreError(
            "source and target are one store, or one is a plain copy of the other's file",
            hint="name another place to copy to",
        )
    with target.writing():
        mark = _read_mark(target)
        if not mark:
            if target.doc_ids() or target.log_head().position or target.runs(EVERYTHING, limit=1):
                raise StoreError(
                    "the target is not empty, and no copy of this store",
                    hint="name a place where nothing is yet",
                )
        elif mark["of"] != source.identity:
            raise StoreError(
                "the target is a copy of another store", hint="name a place where nothing is yet"
            )
        elif mark["done"] and mark["state"] != _state_of(target):
            raise StoreError(
                "the target was changed since it was copied, which would be lost",
                hint="name a place where nothing is yet",
            )
        head = target.log_head()
        if head.position and not _is_part_of_log(source, head.position, head.link):
            raise StoreError(
                "answers were logged in the target since it was copied, which would be lost",
                hint="name a place where nothing is yet",
            )
        _mark(work, done=False)


def _state_of(target: Copied) -> str:
    """What changes when somebody writes documents into the copy. Counted without this note."""
    ids = target.doc_ids()
    listed = [(one.info.doc_id, one.info.content_hash, one.added_at) for one in target.documents(EVERYTHING)]
    return hashlib.sha256(repr((ids, listed)).encode("utf-8", "surrogatepass")).hexdigest()


def _is_part_of_log(source: Copied, position: int, link: str) -> bool:
    found = next(iter(source.log_entries(after=position - 1)), None)
    # Links before the first one have been dropped there, on purpose.
    return found is not None and (found.position > position or found.link == link)


def _read_mark(target: Copied) -> dict[str, str]:
    found: dict[str, str] = json.loads(target.noted(MARK) or "{}")
    return found


def _mark(work: _Work, *, done: bool) -> None:
    state = _state_of(work.target) if done else ""
    mark = {"of": work.source.identity, "run": work.run, "done": "yes" if done else "", "state": state}
    work.target.note(MARK, json.dumps(mark))


def _own(work: _Work) -> None:
    """Inside a transaction: whoever began last goes on, the other one stops before it writes."""
    if _read_mark(work.target).get("run") != work.run:
        raise StoreError(
            "another copy into this target has begun and goes on in place of this one",
            hint="let that one end; it copies all that this one would have",
        )


# --- documents ----------------------------------------------------------------------------------


def _copy_documents(work: _Work, again: Sequence[str]) -> tuple[int, tuple[str, ...]]:
    """Copy what the target lacks, in the order of the source; how many documents, and what the source lacks."""
    source, target = work.source, work.target
    _same_embedder(work)
    ids = source.doc_ids()
    known = set(ids)
    for foreign in [one for one in target.doc_ids() if one not in known]:
        raise StoreError(
            f"the target holds a document that the source never had: {foreign!r}",
            hint="name a place where nothing is yet",
        )
    here, there = _listed(source), _listed(target)
    # What nobody may read any more is not listed.
    needed = {
        one for one in ids if here.get(one) != there.get(one) or source.held(one) != target.held(one)
    } | set(again)
    anew = {one for one in needed if one in again or not _is_same_text(here.get(one), there.get(one))}
    # Passages of the same score stand in the order of their documents, and what is written comes last: from the first document
    # that is not in its place, all are written.
    order = iter([one for one in target.doc_ids() if one not in anew and _is_there(target, one)])
    live = [one for one in ids if _is_there(source, one)]
    same = next((at for at, one in enumerate(live) if one in anew or next(order, None) != one), len(live))
    anew |= set(live[same:])
    needed |= anew
    lost: list[str] = []
    done = len(ids) - len(needed)
    copied = 0
    for batch in _batches(source, [one for one in ids if one in needed]):
        for held in batch:
            lost += _copy_originals(work, held)
        with target.writing():
            _own(work)
            for held in batch:
                _write(work, held, anew=held.doc_id in anew)
                for _ in _copy_originals(work, held, again=True):
                    pass
        copied += sum(held.document is not None for held in batch)
        done += len(batch)
        work.progress(done, len(ids))
    return copied, tuple(lost)


def _is_same_text(one: StoredDocument | None, two: StoredDocument | None) -> bool:
    """Whether nothing need be written but what may be added to a document in its place."""
    if one is None or two is None:
        return False
    return replace(one, origin=two.origin, vector_count=two.vector_count) == two and (
        one.vector_count >= two.vector_count
    )


def _is_there(store: Copied, doc_id: DocId) -> bool:
    return store.content_hash(doc_id) is not None


def _listed(store: Copied) -> dict[str, StoredDocument]:
    return {one.info.doc_id: one for one in store.documents(EVERYTHING)}


def _same_embedder(work: _Work) -> None:
    built = work.target.embedder_fingerprint
    if built is not None and built != work.source.embedder_fingerprint:
        with work.target.writing():
            _own(work)
            work.target.forget_vectors()


def _batches(source: Copied, ids: Sequence[DocId]) -> Iterator[list[Held]]:
    batch: list[Held] = []
    chunks = chars = 0
    for doc_id in ids:
        held = source.held(doc_id)
        batch.append(held)
        if held.document is not None:
            chunks += len(source.chunk_numbers(doc_id)[0])
            chars += len(held.document.text)
        chars += sum(len(one.document.text) for one in held.versions)
        if chunks >= BATCH_CHUNKS or chars >= BATCH_CHARS or len(batch) >= BATCH_CHUNKS:
            yield batch
            batch, chunks, chars = [], 0, 0
    if batch:
        yield batch


def _write(work: _Work, held: Held, *, anew: bool) -> None:
    """One document, as it is in the source, inside a transaction of the target."""
    source, target, doc_id = work.source, work.target, held.doc_id
    if held.document is None:
        target.remove(doc_id)
    elif anew:
        indexed = source.indexed(doc_id)
        assert indexed is not None, f"{doc_id!r} has a text and no place in the index"
        chunks, _ = source.chunk_numbers(doc_id)
        words = (
            tuple(word for word, count in terms.items() for _ in range(count)) for terms in indexed.terms
        )
        passages = tuple(IndexedChunk(chunk, found) for chunk, found in zip(chunks, words, strict=True))
        target.put_many([(held.document, passages)], added_at=held.added_at)
    elif held.document.origin is not None:
        target.note_origins([(doc_id, held.document.origin)])
    if held.document is not None:
        rows = source.vectors_of(doc_id)[len(target.vectors_of(doc_id)) :]
        if len(rows):
            embedder = source.embedder_fingerprint
            assert embedder is not None, "vectors of no embedder"
            target.append_vectors(doc_id, rows, embedder=embedder)
    target.hold(held)


# --- originals ----------------------------------------------------------------------------------


def _copy_originals(work: _Work, held: Held, *, again: bool = False) -> Iterator[str]:
    """Copy the original bytes of a document and its versions; yields what the source lacks. ``again``: those alone that are no
    longer there, as nothing needed them before."""
    for key in _blobs(held):
        if again and work.target.blobs.has(key):
            continue
        try:
            data = work.source.blobs.get(key)
        except StoreError as error:
            yield f"the original {key[:12]}… of {held.doc_id!r}: {error.message}"
            continue
        if data is None:
            yield f"the original {key[:12]}… of {held.doc_id!r} is missing"
        else:
            work.target.blobs.put(data)


def _blobs(held: Held) -> tuple[str, ...]:
    documents = [held.document, *(one.document for one in held.versions)]
    return tuple(dict.fromkeys(one.blob for one in documents if one is not None and one.blob))


# --- the log ------------------------------------------------------------------------------------


def _copy_log(work: _Work) -> None:
    """The links that the target lacks, and then the rows that are new, changed or gone."""
    source = work.source
    entries: list[LogEntry] = []
    for entry in source.log_entries(after=work.target.log_head().position):
        entries.append(entry)
        if len(entries) == LINKS_AT_ONCE:
            # With its head: what is written is then a whole beginning of the log.
            _write_log(work, LogPart(tuple(entries), head=chain.head_of(entry)))
            entries = []
    head = source.log_head()
    first = next(iter(source.log_entries()), None)
    start = head.position + 1 if first is None else first.position
    _write_log(work, LogPart(tuple(entries), start=start, head=head))
    here, there = _rows(source), _rows(work.target)
    changed = sorted(row for row in here if here[row] != there.get(row))
    for at in range(0, len(changed), LINKS_AT_ONCE):
        _write_log(work, _part(source, changed[at : at + LINKS_AT_ONCE], here))
    if gone := sorted(row for row in there if row not in here):
        _write_log(work, LogPart(gone=tuple(gone)))


_Row = tuple[str, str]
"""Kind and id of something that was logged."""


def _rows(store: Copied) -> dict[_Row, tuple[str, int | None]]:
    return {(row.kind, row.subject): (row.content, row.position) for row in store.log_rows()}


def _part(source: Copied, wanted: Sequence[_Row], rows: Mapping[_Row, tuple[str, int | None]]) -> LogPart:
    ids = {kind: {subject for one, subject in wanted if one == kind} for kind, _ in wanted}
    answers = [
        (source.answer(AnswerId(one), EVERYTHING), rows["answer", one][1]) for one in ids.get("answer", ())
    ]
    given = source.feedback(EVERYTHING, limit=MOST) if "feedback" in ids else ()
    decided = source.reviews(EVERYTHING, limit=MOST) if "review" in ids else ()
    return LogPart(
        answers=tuple(
            sorted(((one, at or 0) for one, at in answers if one is not None), key=lambda pair: pair[1])
        ),
        feedback=tuple(one for one in given if one.feedback_id in ids["feedback"]),
        reviews=tuple(
            sorted(
                (
                    (one, rows["review", one.review_id][1] or 0)
                    for one in decided
                    if one.review_id in ids["review"]
                ),
                key=lambda pair: pair[1],
            )
        ),
    )


def _write_log(work: _Work, part: LogPart) -> None:
    with work.target.writing():
        _own(work)
        work.target.import_log(part)


def _copy_runs(work: _Work) -> None:
    there = {one.run_id: one for one in work.target.runs(EVERYTHING, limit=MOST)}
    for run in work.source.runs(EVERYTHING, limit=MOST):
        if there.get(run.run_id) != run:
            with work.target.writing():
                _own(work)
                work.target.save_run(run)


# --- the proof ----------------------------------------------------------------------------------


def _differing(work: _Work, lost: Sequence[str]) -> tuple[str, ...]:
    """Ids of documents that are not the same in both, and ``""`` when the logs or runs are not."""
    source, target = work.source, work.target
    with target.reading():
        ids = source.doc_ids()
        different = [
            doc_id
            for doc_id in ids
            if digest(source, doc_id) != digest(target, doc_id)
            or (not lost and any(target.blobs.get(key) is None for key in _blobs(source.held(doc_id))))
        ]
        live = [(one, two) for one, two in zip_longest(ids, target.doc_ids()) if one != two]
        logs_agree = (
            all(one == two for one, two in zip_longest(source.log_entries(), target.log_entries()))
            and source.log_head() == target.log_head()
            and _rows(source) == _rows(target)
            and source.runs(EVERYTHING, limit=MOST) == target.runs(EVERYTHING, limit=MOST)
        )
    if live and not different:
        different = [one for one, _ in live if one is not None]
    return tuple(different) if logs_agree else (*different, "")


def digest(store: Copied, doc_id: DocId) -> str:
    """SHA-256 over all that a store holds of a document id, vectors bit for bit; the same in every kind of store."""
    held = store.held(doc_id)
    chunks, number = store.chunk_numbers(doc_id)
    indexed = store.indexed(doc_id)
    words = () if indexed is None else [sorted(terms.items()) for terms in indexed.terms]
    lengths = () if indexed is None else indexed.lengths
    told = (
        None if held.document is None else astuple(held.document),
        (held.content_hash, held.added_at, held.next_number, number),
        [(one.content_hash, astuple(one.document)) for one in held.versions],
        None if held.tombstone is None else (astuple(held.tombstone), held.tombstone_rank),
        [astuple(chunk) for chunk in chunks],
        words,
        lengths,
    )
    hashed = hashlib.sha256(json.dumps(told).encode())
    hashed.update(store.vectors_of(doc_id).astype(np.float16).tobytes())
    return hashed.hexdigest()


def _counted(source: Copied, copied: int, lost: tuple[str, ...]) -> CopyReport:
    listed = source.documents(EVERYTHING)
    held = [source.held(doc_id) for doc_id in source.doc_ids()]
    rows = Counter(row.kind for row in source.log_rows())
    report = chain.check(source.log_entries(), source.log_head(), source.log_rows())
    return CopyReport(
        generation=source.generation,
        documents=sum(one.document is not None for one in held),
        chunks=sum(one.chunk_count for one in listed),
        vectors=sum(one.vector_count for one in listed),
        versions=sum(len(one.versions) for one in held),
        tombstones=sum(one.tombstone is not None for one in held),
        originals=len({key for one in held for key in _blobs(one)}),
        links=sum(1 for _ in source.log_entries()),
        answers=rows["answer"],
        feedback=rows["feedback"],
        reviews=rows["review"],
        runs=len(source.runs(EVERYTHING, limit=MOST)),
        copied=copied,
        lost=lost,
        faults=tuple(f"{fault.subject or 'the log'}: {fault.what}" for fault in report.faults),
    )
