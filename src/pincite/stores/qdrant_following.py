"""Bringing a collection of Qdrant up to date with its database, and finding out whether it is."""

from __future__ import annotations

import math
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from qdrant_client import models

from pincite.access import EVERYTHING
from pincite.errors import StoreError
from pincite.ports.stored import Indexed, StoredDocument
from pincite.ports.stores import Truth
from pincite.stores import qdrant_points as made
from pincite.stores.levels import rank
from pincite.stores.qdrant_collection import (
    REBUILD,
    Collection,
    Mark,
    OutOfStep,
    SearchDown,
)
from pincite.types import DocId

CHANGES_AT_ONCE = 500
"""Changed documents that are read together; the mark is moved behind each of these."""

LAST = "\U0010ffff" * 8
"""Behind the ids of documents, but for those made of the like."""

CHUNKS_AT_ONCE = 2_000
"""Chunks whose points are in memory together, or those of one document."""

USUAL_LENGTH = 14
"""Terms of a chunk while there are none to count, as half a power of two: 128."""

LONGER, MANY = 1.5, 10_000
"""So many passages that are so many times as long as those that weights were made for make questions read too much."""

MOST_NAMED = 10
"""Documents that are named when Qdrant and the database differ."""


class Following:
    """What a collection has of the changes in its database."""

    def __init__(self, truth: Truth, collection: Collection, dimension: Callable[[], int] = int) -> None:
        self._truth, self._collection, self._expected = truth, collection, dimension
        self._identity = ""
        self._lock = threading.RLock()
        self._mark: Mark | None = None
        self._dimension: int | None = None

    def version(self) -> str:
        """Of the server."""
        return self._collection.version()

    def mean(self) -> float:
        """The chunk length that the weights in Qdrant are made for."""
        mark = self._mark or self.check()
        if mark is None:
            raise self._missing()
        return mark.mean

    def dimension(self) -> int:
        """Of the vectors in Qdrant; 0 without any."""
        if self._dimension is None:
            self._dimension = self._collection.dimension()
        return self._dimension

    def check(self) -> Mark | None:
        """The mark as it is now; ``None`` when there is no collection.

        Raises:
            StoreError: The collection is another database's, or none of ours.
        """
        mark = self._collection.mark()
        if mark is None:
            return None
        self._identity = self._identity or self._truth.identity
        if mark.identity != self._identity:
            raise StoreError(
                "the collection is another database's, or that of a copy of this one",
                where=self._collection.where,
                hint=f"set [store] search_collection to a name of its own, or make it anew: {REBUILD} --anew",
            )
        if self._mark is not None and mark.made != self._mark.made:
            self._dimension = None
        self._mark = mark
        return mark

    def confirm(self, generation: int) -> None:
        """After a question, inside what its reader sees of the database: whether the collection was up to date with that.

        Raises:
            OutOfStep: It was not, or was changed meanwhile.
        """
        before = self._mark
        mark = self.check()
        if mark is None:
            raise self._missing()
        where = self._collection.where
        if before is None or before.made != mark.made or mark.begun > generation:
            raise OutOfStep("Qdrant was changed meanwhile", where=where, hint="ask again")
        if self._changes(mark.generation, None, 1):
            raise OutOfStep("changes are not in Qdrant yet", where=where, hint=f"ask again, or {REBUILD}")

    def follow(self, limit: int | None = None, progress: Callable[[int], None] | None = None) -> None:
        """Bring all changes to Qdrant, in their order. What an interruption leaves undone is done by the next one.

        Args:
            limit: So many documents at most.
            progress: Called with the number of documents each time some have been brought.

        Raises:
            SearchDown: Qdrant cannot be reached, or there are more changes than ``limit``.
        """
        with self._lock:
            mark = self.check() or self._make(in_place=False)
            if mark.generation > self._truth.generation:
                # The database was put back to an earlier state, and will count up to the same numbers again.
                self._collection.move(replace(mark, identity="put back", begun=2**62))
                raise StoreError(
                    "Qdrant has changes that the database has not: it was put back to an earlier state",
                    where=self._collection.where,
                    hint=f"make the collection anew: {REBUILD} --anew",
                )
            if limit is not None and len(self._changes(mark.generation, None, limit + 1)) > limit:
                raise SearchDown(
                    f"more than {limit:,} changed documents are not in Qdrant yet",
                    where=self._collection.where,
                    hint=REBUILD,
                )
            after: tuple[int, str] | None = None
            while True:
                moved = self._step(mark, after)
                if moved is None:
                    return
                mark, after, count = moved
                if progress is not None and count:
                    progress(count)

    def _step(
        self, mark: Mark, after: tuple[int, str] | None
    ) -> tuple[Mark, tuple[int, str] | None, int] | None:
        """Bring the next changes: the mark then, the last of them, and how many documents. ``None`` when there are none."""
        held_by = self.check()
        if held_by is None or held_by.made != mark.made:
            raise OutOfStep("the collection was made anew", where=self._collection.where, hint="try again")
        with self._truth.reading():
            generation = self._truth.generation
            changes = self._changes(mark.generation, after, CHANGES_AT_ONCE)
            mark = replace(mark, begun=max(mark.begun, generation))
            if changes:
                self._collection.move(mark)
            changed: list[tuple[int, DocId, Indexed | None]] = []
            for at, doc_id in changes:
                held = self._truth.indexed(doc_id)
                if held is not None and held.vectors.size and self.dimension() != held.vectors.shape[1]:
                    return self._make(held.vectors.shape[1], in_place=True), None, 0
                changed.append((at, doc_id, held))
                if sum(len(one.keys) for _, _, one in changed if one is not None) >= CHUNKS_AT_ONCE:
                    self._bring(changed, mark.mean, generation)
                    changed = []
            self._bring(changed, mark.mean, generation)
        # A generation may go on behind these changes.
        last = changes[-1] if changes else after
        whole = 0 if last is None else last[0] - (len(changes) == CHANGES_AT_ONCE)
        if whole > mark.generation:
            mark = replace(mark, generation=whole)
            self._collection.move(mark)
            self._mark = mark
        return (mark, last, len(changes)) if changes else None

    def _changes(self, generation: int, after: tuple[int, str] | None, limit: int) -> list[tuple[int, DocId]]:
        """The changes of later generations, behind one of them."""
        found: list[tuple[int, DocId]] = []
        after = after or (generation, LAST)
        while len(found) < limit:
            page = self._truth.changes(after, limit)
            # No id is the last one in every order; those of the generation itself that come behind are few.
            found += [pair for pair in page if pair[0] > generation]
            if len(page) < limit:
                break
            after = page[-1]
        return found[:limit]

    def _bring(self, changed: list[tuple[int, DocId, Indexed | None]], mean: float, generation: int) -> None:
        """Write the points of these documents, then delete what is left of their earlier versions."""
        last = [int(held.keys[-1]) for _, _, held in changed if held is not None and len(held.keys)]
        ages = self._collection.ages(last) if last else {}
        points: list[models.PointStruct] = []
        left: list[models.Condition] = []
        for at, doc_id, held in changed:
            of_it = [] if held is None else made.points(held, at, mean, with_vectors=True)
            # Points are written in order: when the last one is there, an interruption came later.
            if of_it and ages.get(int(of_it[-1].id), -1) < at:
                points += of_it
            left.append(made.of_document(doc_id, before=at if of_it else at + 1))
        self._collection.put(points, made.not_newer(generation))
        if left:
            self._collection.remove(models.Filter(should=left))

    def anew(self) -> None:
        """Make the collection anew, empty."""
        with self._lock:
            self._make(in_place=True)

    def _make(self, dimension: int | None = None, *, in_place: bool) -> Mark:
        mean = self._truth.postings((), EVERYTHING, ()).mean_length
        # Longer by up to a half: what is scored in Qdrant is then a bound as it is, also when passages get longer.
        steps = math.ceil(2 * math.log2(mean)) if mean > 0 else USUAL_LENGTH
        mark = Mark(self._truth.identity, os.urandom(8).hex(), 2 ** (steps / 2))
        width = self._expected() if dimension is None else dimension
        self._collection.create(mark, width, in_place=in_place)
        self._mark, self._dimension = mark, width
        return mark

    def _missing(self) -> SearchDown:
        return SearchDown("there is no such collection", where=self._collection.where, hint=REBUILD)

    # --- whether it is what it should be --------------------------------------------------------

    def divergence(self) -> Iterator[str]:
        """What Qdrant has otherwise than the database, one sentence each. Reads a little of every point."""
        try:
            yield from self._divergence()
        except StoreError as error:
            yield str(error)

    def _divergence(self) -> Iterator[str]:
        mark = self.check()
        if mark is None:
            yield f"there is no collection in Qdrant yet: {REBUILD}"
            return
        with self._truth.reading():
            behind = len(self._changes(mark.generation, None, 10_000))
            lacking, orphans = self._compared(lambda _keys: None)
            listed = self._truth.documents(EVERYTHING)
        vectors, wanted = self._collection.vector_count(), sum(one.vector_count for one in listed)
        if behind:
            yield f"{behind:,} changed documents are not in Qdrant yet: {REBUILD}"
        for one in lacking[:MOST_NAMED]:
            yield f"Qdrant lacks passages of document {one.info.doc_id!r}, or has others: {REBUILD}"
        if len(lacking) > MOST_NAMED:
            yield f"and of {len(lacking) - MOST_NAMED:,} more documents"
        if orphans:
            yield f"Qdrant has {orphans:,} passages that the database has not: {REBUILD}"
        if vectors != wanted:
            yield f"Qdrant has {vectors:,} vectors, the database {wanted:,}: {REBUILD} --anew"
        counted = self._truth.postings((), EVERYTHING, ())
        if counted.chunk_count >= MANY and counted.mean_length > LONGER * mark.mean:
            yield (
                f"passages have {counted.mean_length:.0f} words on average, weights in Qdrant are made for {mark.mean:.0f}, "
                f"so questions read more than they need: {REBUILD} --anew"
            )

    def repair(self) -> int:
        """Bring documents to Qdrant of which it lacks passages, and delete passages that the database has not; returns how
        many of both. Changes must have been followed before."""
        mark = self.check() or self._make(in_place=False)
        with self._truth.reading():
            generation = self._truth.generation
            before = made.of_keys
            lacking, orphans = self._compared(lambda keys: self._collection.remove(before(keys, generation)))
            for one in lacking:
                held = self._truth.indexed(one.info.doc_id)
                if held is not None:
                    points = made.points(held, generation, mark.mean, with_vectors=bool(self.dimension()))
                    self._collection.put(points, made.not_newer(generation))
        return len(lacking) + orphans

    def _compared(self, loose: Callable[[list[int]], None]) -> tuple[list[StoredDocument], int]:
        """Documents of which Qdrant has not every passage as it should be, and how many passages it has too many, each of
        which is given to ``loose``. Inside one reading."""
        counted: Counter[tuple[str, int, str, int]] = Counter()
        orphans = 0
        for keys, documents in self._collection.chunks():
            there = np.isin(keys, self._truth.permitted(keys.tolist(), EVERYTHING, ()))
            counted.update(one for one, is_there in zip(documents, there.tolist(), strict=True) if is_there)
            if not there.all():
                orphans += int((~there).sum())
                loose(keys[~there].tolist())
        lacking = [
            one
            for one in self._truth.documents(EVERYTHING)
            if one.chunk_count and counted[_as_stored(one)] != one.chunk_count
        ]
        return lacking, orphans


def _as_stored(one: StoredDocument) -> tuple[str, int, str, int]:
    info = one.info
    return made.keyword(info.doc_id), rank(info.access_level), info.content_hash[:16], one.chunk_count
