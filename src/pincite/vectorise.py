"""Vectors for stored passages that have none yet, in small steps that are kept one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from pincite.errors import StoreError
from pincite.ports import Embedder, Floats
from pincite.ports.stores import Store
from pincite.types import Chunk, ChunkId, DocId, Document

AT_ONCE = 64
"""Passages that the embedder gets together and that are then written: an interruption costs the work on these."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A stored document whose passages shall have vectors. ``known``: by view, those that need not be made again."""

    doc_id: DocId
    title: str
    known: Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class _Missing:
    doc_id: DocId
    chunk_id: ChunkId
    view: str
    known: Floats | None


def view_of(title: str, chunk: Chunk) -> str:
    """What of a passage is indexed, as words and as a vector: the title, what it stands under, and its text."""
    return "\n".join((title, *chunk.context_texts, chunk.text))


def known_vectors(store: Store, document: Document | None) -> dict[str, Floats]:
    """The vectors of a stored document by view: passages that a new version leaves as they are keep theirs."""
    if document is None:
        return {}
    doc_id = DocId(document.doc_id)
    chunks, _ = store.chunk_numbers(doc_id)
    return dict(
        zip((view_of(document.title, chunk) for chunk in chunks), store.vectors_of(doc_id), strict=False)
    )


def check_same_embedder(store: Store, embedder: Embedder) -> None:
    """Raise ``StoreError`` when the index holds vectors of another embedder."""
    built = store.embedder_fingerprint
    if built not in (None, embedder.fingerprint):
        raise StoreError(
            f"the index was built with embedder {built}, now {embedder.fingerprint} is set",
            hint="build the index again: pincite add --rebuild",
        )


def vectorise(wanted: Sequence[Wanted], store: Store, embedder: Embedder) -> int:
    """Make and keep the vectors that the passages of these documents lack; returns how many passages got one.

    A document that somebody else changes meanwhile is left to them.
    """
    count = 0
    # One that is at work in several processes says how many passages give all of them something to do.
    at_once = max(AT_ONCE, getattr(embedder, "at_once", 0))
    for step in _steps((missing for one in wanted for missing in _missing(one, store)), at_once):
        views = [one.view for one in step if one.known is None]
        made = iter(embedder.documents(views) if views else ())
        vectors = [next(made) if one.known is None else one.known for one in step]
        with store.writing():
            at = 0
            for doc_id, group in groupby(step, key=lambda one: one.doc_id):
                ids = [one.chunk_id for one in group]
                if _are_next(store, doc_id, ids):
                    store.append_vectors(
                        doc_id, _stack(vectors[at : at + len(ids)]), embedder=embedder.fingerprint
                    )
                    count += len(ids)
                at += len(ids)
    return count


def _missing(wanted: Wanted, store: Store) -> Iterator[_Missing]:
    with store.reading():
        chunks, _ = store.chunk_numbers(wanted.doc_id)
        start = len(store.vectors_of(wanted.doc_id))
    for chunk in chunks[start:]:
        view = view_of(wanted.title, chunk)
        yield _Missing(wanted.doc_id, chunk.chunk_id, view, wanted.known.get(view))


def _steps(missing: Iterator[_Missing], at_once: int) -> Iterator[list[_Missing]]:
    step: list[_Missing] = []
    unknown = 0
    for one in missing:
        step.append(one)
        unknown += one.known is None
        if unknown == at_once or len(step) == 16 * at_once:
            yield step
            step, unknown = [], 0
    if step:
        yield step


def _are_next(store: Store, doc_id: DocId, ids: Sequence[ChunkId]) -> bool:
    chunks, _ = store.chunk_numbers(doc_id)
    start = len(store.vectors_of(doc_id))
    return [chunk.chunk_id for chunk in chunks[start : start + len(ids)]] == list(ids)


def _stack(vectors: Sequence[Floats]) -> Floats:
    import numpy as np  # without an embedder nobody waits for it

    return np.array(vectors, dtype=np.float32)
