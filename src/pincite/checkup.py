"""Whether all that a store holds is what was put there: hashes, words counted anew, vectors, originals and the chain of the log.
Reads everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from pincite import chain
from pincite.access import EVERYTHING
from pincite.errors import StoreError
from pincite.ingest import indexed_terms
from pincite.ports.stored import Indexed
from pincite.ports.stores import Copied
from pincite.types import Chunk, DocId, Document, Reader
from pincite.vectorise import view_of

Problem = tuple[str, str]
"""What is damaged, one sentence, and the next step."""

MOST = 65_535  # as in Postings
TERMS_AT_ONCE = 200
UNIT = 0.01
"""How far from 1 a vector of 16-bit numbers may be long."""

REBUILD = "pincite add --rebuild counts and embeds all documents anew"
STEPS = (
    ("the original", "add the document again, or restore a backup"),
    ("the log", "see pincite log verify; restore a backup"),
    ("answer", "see pincite log verify; restore a backup"),
    ("the search statistics", REBUILD),
    ("passage", "remove the document (pincite docs rm) and add it again, or restore a backup"),
    ("document", "remove it (pincite docs rm) and add it again, or restore a backup"),
)
"""How a problem begins, and what to do then."""
OTHERWISE = "restore a backup"


def checkup(store: Copied) -> Iterator[Problem]:
    """What is damaged, with the next step for each; nothing when all is well. One read transaction."""
    with store.reading():
        log_told = False
        for problem in store.problems():
            log_told = log_told or problem.startswith("the log")
            yield problem, next((step for start, step in STEPS if problem.startswith(start)), OTHERWISE)
        yield from _index_problems(store)
        if not log_told:
            report = chain.check(store.log_entries(), store.log_head(), store.log_rows())
            for fault in report.faults:
                yield f"the log: {fault.subject} {fault.what}".strip(), STEPS[1][1]


def _index_problems(store: Copied) -> Iterator[Problem]:
    """What the texts do not say of words and vectors."""
    documents: Counter[str] = Counter()
    strange: list[str] = []
    for doc_id in store.doc_ids():
        try:
            held, indexed = store.held(doc_id), store.indexed(doc_id)
            chunks, _ = store.chunk_numbers(doc_id)
        except StoreError as error:
            yield f"document {doc_id!r}: {error.message}", STEPS[-1][1]
            continue
        if held.document is None or indexed is None:
            continue
        words = _words(held.document, chunks)
        # What nobody may read counts for nobody.
        if EVERYTHING.may_read(held.document.access_level):
            documents.update(word for terms, _ in words for word in terms)
        if [terms for terms, _ in words] != [dict(terms) for terms in indexed.terms] or (
            [length for _, length in words] != list(indexed.lengths)
        ):
            strange.append(doc_id)
        yield from _vector_problems(doc_id, indexed, store.embedder_fingerprint)
    if strange:
        named = ", ".join(strange[:3]) + (f" and {len(strange) - 3} more" if len(strange) > 3 else "")
        yield (
            f"the words in the index are not those of the text, or were counted by another release: {named}",
            REBUILD,
        )
        return
    yield from _frequency_problems(store, documents)


def _words(document: Document, chunks: Sequence[Chunk]) -> list[tuple[dict[str, int], int]]:
    """How often which word occurs in each passage, and how many there are."""
    counted = [Counter(indexed_terms(view_of(document.title, chunk), document.language)) for chunk in chunks]
    return [
        ({word: min(count, MOST) for word, count in found.items()}, min(found.total(), MOST))
        for found in counted
    ]


def _vector_problems(doc_id: DocId, indexed: Indexed, embedder: str | None) -> Iterator[Problem]:
    rows = indexed.vectors
    if embedder is None:
        return
    if len(rows) < len(indexed.keys):
        missing = len(indexed.keys) - len(rows)
        yield (
            f"document {doc_id!r} lacks {missing} of {len(indexed.keys)} vectors",
            "pincite refresh makes them",
        )
    if len(rows) and not (np.abs(np.linalg.norm(rows, axis=1) - 1) <= UNIT).all():  # also not for NaN
        yield f"document {doc_id!r} has vectors that no embedder made", REBUILD


def _frequency_problems(store: Copied, documents: Counter[str]) -> Iterator[Problem]:
    wrong: list[str] = []
    words = sorted(documents)
    for at in range(0, len(words), TERMS_AT_ONCE):
        some = words[at : at + TERMS_AT_ONCE]
        found = store.postings(some, EVERYTHING, ()).document_frequency
        wrong += [word for word, count in zip(some, found, strict=True) if count != documents[word]]
    if wrong:
        yield f"the search statistics of {len(wrong)} words are wrong, such as {wrong[0]!r}", REBUILD
    for reader in sorted({EVERYTHING, Reader()}, key=lambda one: one.level):
        counted = sum(one.chunk_count for one in store.documents(reader))
        noted = store.postings((), reader, ()).chunk_count
        if counted != noted:
            yield (
                f"the search statistics count {noted} passages for readers of {reader.level}, there are {counted}",
                REBUILD,
            )
