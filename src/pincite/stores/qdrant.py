"""Search in Qdrant, everything else in a database: the database is the truth, Qdrant says where to look.

A change is committed in the database first and then told to Qdrant. What Qdrant answers is only ever a list of chunks that may
be among the best; which of them are there and may be seen, what they score, and what their text is, the database says. So a
stale, damaged or forged point can neither show nor move anything. What could be missed instead is excluded in two ways:
whatever Qdrant did not name must score less than what it named (else more is asked for), and its mark, read *after* it
answered, must say that every change the reader sees is in it, and that no later one was begun. Otherwise, as when Qdrant is
down, the database searches itself: the same result, more slowly.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from pincite.errors import StoreError
from pincite.ports import Floats, Ints
from pincite.ports.stored import IndexedChunk, Postings, StoredAnswer
from pincite.ports.stores import Filters, Truth
from pincite.ranking import K1, bm25, weigh
from pincite.stores import qdrant_points as made
from pincite.stores.filters import check_filters
from pincite.stores.levels import highest
from pincite.stores.qdrant_collection import Collection, OutOfStep, SearchDown
from pincite.stores.qdrant_following import Following
from pincite.types import DocId, Document, Reader

logger = logging.getLogger(__name__)

T = TypeVar("T")

QUERY_WAITS_FOR = 50
"""Changed documents that a question waits for; while there are more, the database searches."""

WRITE_WAITS_FOR = 5_000
"""Changed documents that a writer brings to Qdrant by the way: a batch and some more."""

VECTORS_AT_ONCE = 2_000
"""New vectors after which a writer brings them to Qdrant: a document is written whole each time."""

TRY_AGAIN_S = 30.0
"""How long a Qdrant that failed is left alone."""

ASKED, MORE, MOST = 2, 4, 20_000
"""Chunks asked for: twice as many as wanted, then four times as many each time, then the database searches."""


class QdrantStore:
    """A ``Store`` on top of another one. May be shared between threads.

    What is not written here is the other store's: documents, answers, the log, whatever the contract holds.
    """

    def __init__(
        self,
        truth: Truth,
        collection: Collection,
        *,
        fallback: bool = True,
        dimension: Callable[[], int] = int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Nothing is asked of Qdrant before something is searched or written.

        Args:
            truth: The database.
            collection: Made when it is not there.
            fallback: Whether the database searches when Qdrant cannot.
            dimension: Of the embedder that is set, 0 without one, so that the collection need not be made anew for the
                first vector.
            clock: Seconds.
        """
        self.truth = truth
        self.following = Following(truth, collection, dimension)
        self._collection, self._fallback, self._clock = collection, fallback, clock
        self._lock = threading.RLock()
        self._local = threading.local()
        self._down_until = -1.0
        self._down: SearchDown | None = None
        self._in_step_at = -1
        self._new_vectors = 0

    def __repr__(self) -> str:
        return f"QdrantStore({self.truth!r}, {self._collection.where!r})"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "truth":
            raise AttributeError(name)
        return getattr(self.truth, name)

    # --- writing --------------------------------------------------------------------------------

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
        with self._changing():
            self.truth.put_many(batch, added_at=added_at, embedder=embedder)

    def append_vectors(self, doc_id: DocId, vectors: Floats, *, embedder: str) -> None:
        """See ``Store.append_vectors``. They come to Qdrant with the next question, or when there are many."""
        self._new_vectors += len(vectors)
        with self._changing(at_once=self._new_vectors >= VECTORS_AT_ONCE):
            self.truth.append_vectors(doc_id, vectors, embedder=embedder)

    def remove(
        self,
        doc_id: DocId,
        *,
        removed_at: str = "",
        rewrite: Callable[[StoredAnswer], StoredAnswer] | None = None,
    ) -> bool:
        """See ``Store.remove``."""
        with self._changing():
            return self.truth.remove(doc_id, removed_at=removed_at, rewrite=rewrite)

    def forget_vectors(self) -> None:
        """See ``Store.forget_vectors``."""
        with self._changing(at_once=False):
            self.truth.forget_vectors()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """See ``Store.writing``."""
        with self._changing(), self.truth.writing():
            yield

    @contextmanager
    def _changing(self, *, at_once: bool = True) -> Iterator[None]:
        """A change of documents, which Qdrant is told of once it is committed."""
        depth, wants = getattr(self._local, "changes", (0, False))
        if depth == 0:
            # What somebody must set right is said before anything is written; that Qdrant is down is no reason not to.
            if not self._is_down():
                self._worked(self.following.check)
        self._local.changes = depth + 1, wants or at_once
        try:
            yield
        finally:
            _, wants = self._local.changes
            self._local.changes = depth, wants and depth > 0
        if depth == 0 and (wants or self._new_vectors >= VECTORS_AT_ONCE):
            self._follow(WRITE_WAITS_FOR)

    # --- searching ------------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See ``Store.reading``."""
        depth = getattr(self._local, "reads", 0)
        if depth == 0 and getattr(self._local, "changes", (0, False))[0] == 0:
            self._prepare()
        self._local.reads = depth + 1
        try:
            with self.truth.reading():
                yield
        finally:
            self._local.reads = depth

    def narrowed(
        self,
        words: Sequence[Sequence[str]],
        function_words: Sequence[Sequence[str]],
        reader: Reader,
        filters: Filters,
        limit: int,
    ) -> Postings:
        """See ``Narrowing.narrowed``."""
        check_filters(filters)
        terms = tuple(dict.fromkeys(term for word in (*words, *function_words) for term in word))
        with self.reading():
            found = self._ask(lambda: self._by_words(terms, words, function_words, reader, filters, limit))
            return self.truth.postings(terms, reader, filters) if found is None else found

    def _by_words(
        self,
        terms: tuple[str, ...],
        words: Sequence[Sequence[str]],
        function_words: Sequence[Sequence[str]],
        reader: Reader,
        filters: Filters,
        limit: int,
    ) -> Postings | None:
        places = {term: place for place, term in enumerate(terms)}
        postings = self.truth.postings_at(terms, (), reader)
        weighed = [
            ([terms[number] for number in numbers], weight * (K1 + 1))
            for numbers, weight in weigh(words, places, postings, function_words=function_words)
        ]
        if not any(postings.document_frequency):
            return postings
        query, which = made.sparse_query(weighed), made.permitted(highest(reader), filters)
        more = made.slack(postings.mean_length, self.following.mean())

        def scores(keys: Ints) -> Floats:
            nonlocal postings
            postings = self.truth.postings_at(terms, keys.tolist(), reader)
            return bm25(words, places, postings, function_words=function_words)[1].astype(np.float32)

        def ask(count: int) -> tuple[Ints, Floats]:
            keys, approximate = self._collection.by_words(query, which, count)
            return keys, approximate * more

        held = self._best(ask, scores, reader, filters, limit)
        return None if held is None else postings

    def nearest(self, vector: Floats, reader: Reader, filters: Filters, limit: int) -> tuple[Ints, Floats]:
        """See ``Store.nearest``. Exact unless ``[store] search_exact`` is off."""
        check_filters(filters)
        with self.reading():
            found = self._ask(lambda: self._by_meaning(vector, reader, filters, limit))
            return self.truth.nearest(vector, reader, filters, limit) if found is None else found

    def _by_meaning(
        self, vector: Floats, reader: Reader, filters: Filters, limit: int
    ) -> tuple[Ints, Floats] | None:
        dimension = self.following.dimension()
        if not dimension or dimension != len(vector):
            return None  # there are no vectors yet, or the database says what is wrong
        which = made.permitted(highest(reader), filters)
        wrong = made.dense_error(vector)

        def scores(keys: Ints) -> Floats:
            return self.truth.cosines(vector, keys.tolist())

        def ask(count: int) -> tuple[Ints, Floats]:
            keys, approximate = self._collection.by_meaning(vector, which, count)
            return keys, approximate + wrong

        keys = self._best(ask, scores, reader, filters, limit)
        if keys is None:
            return None
        cosines = scores(keys)
        there = ~np.isnan(cosines)
        keys, cosines = keys[there], cosines[there]
        order = np.lexsort((keys, -cosines))[:limit]
        return keys[order], cosines[order]

    def _best(
        self,
        ask: Callable[[int], tuple[Ints, Floats]],
        scores: Callable[[Ints], Floats],
        reader: Reader,
        filters: Filters,
        limit: int,
    ) -> Ints | None:
        """Chunks that may be seen, among them the ``limit`` best and what ties with the last.

        ``ask`` gives that many chunks, best first, with what each could score at most, and ``scores`` what they do score: when
        the last one asked for could not reach the ``limit`` best, nobody behind it can. ``None``: too many could.
        """
        count = ASKED * limit
        while count <= MOST:
            keys, most = ask(count)
            seen = self.truth.permitted(keys.tolist(), reader, filters)
            exact = np.sort(scores(seen))  # NaN, which has no score, last
            exact = exact[~np.isnan(exact)]
            if len(keys) < count:
                return seen
            if len(exact) >= limit and most[-1] < exact[-limit]:
                return seen
            count *= MORE
        return None

    # --- whether Qdrant may be believed ---------------------------------------------------------

    def _prepare(self) -> None:
        """Before a question: bring Qdrant up to date when little is missing."""
        if not self._is_down() and self.truth.generation != self._in_step_at:
            self._follow(QUERY_WAITS_FOR)

    def _follow(self, limit: int) -> None:
        with self._lock:
            generation = self.truth.generation
            if generation == self._in_step_at or self._is_down():
                return
            if self._worked(lambda: self.following.follow(limit)):
                self._in_step_at, self._new_vectors = generation, 0

    def _ask(self, question: Callable[[], T | None]) -> T | None:
        """What Qdrant answers, if what it answers is true; ``None`` when the database must search."""
        found: T | None = None

        def ask() -> None:
            nonlocal found
            found = question()
            if found is not None:
                self.following.confirm(self.truth.generation)

        if not self._is_down() and self._worked(ask):
            if found is not None and self._down is not None:
                logger.info("Qdrant searches again")
                self._down = None
            return found
        if not self._fallback and self._down is not None:
            raise StoreError(self._down.message, where=self._down.where, hint=self._down.hint)
        return None

    def _worked(self, call: Callable[[], object]) -> bool:
        """Whether Qdrant could be asked. When not, it is left alone for a while."""
        try:
            call()
        except OutOfStep as error:
            logger.debug("the database searches without Qdrant, once: %s", error)
            self._in_step_at, self._down = -1, error
            return False
        except SearchDown as error:
            if self._down is None or self._down.message != error.message:
                logger.warning("the database searches without Qdrant: %s", error)
            self._down, self._down_until = error, self._clock() + TRY_AGAIN_S
            return False
        return True

    def _is_down(self) -> bool:
        return self._clock() < self._down_until

    # --- state ----------------------------------------------------------------------------------

    def close(self) -> None:
        """Bring what is left to Qdrant, and close the database."""
        if self._new_vectors:
            self._follow(WRITE_WAITS_FOR)
        self._collection.close()
        self.truth.close()
