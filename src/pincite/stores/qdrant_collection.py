"""A collection of Qdrant: making it, its mark, and every call that is made to it, with errors that say what to do."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from pincite.errors import ConfigError, StoreError
from pincite.ports import Floats, Ints
from pincite.stores.filters import FILTER_FIELDS
from pincite.stores.qdrant_points import AT, CONTENT, COUNT, DENSE, DOCUMENT, LEVEL, SPARSE

SCHEMA = 1
"""Of points and mark. A change of either raises it: the collection is then made anew."""

KEY_VARIABLE = "PINCITE_QDRANT_API_KEY"
"""Environment variable of the API key: it stands in no settings file."""

MARK_ID = "70696e63-6974-6500-0000-000000000001"
"""The point that says what the collection is of. It has no vector and no level, so no search finds it."""

MARK = "pincite"
BEGUN, MADE = f"{MARK}.begun", f"{MARK}.made"

POINTS_AT_ONCE = 256
SCROLL_AT_ONCE = 4_096
"""Points of one request: some megabytes."""

REBUILD = "pincite store rebuild-search"


class SearchDown(StoreError):
    """Qdrant cannot answer now, or not truly: the database can."""


class _NoCollection(SearchDown):
    """There is no collection of that name."""


class OutOfStep(SearchDown):
    """Qdrant was changed while it was asked, or has not been told of everything: the next question may go well."""


@dataclass(frozen=True, slots=True)
class QdrantOptions:
    """See ``[store]`` of the settings. ``address`` is a URL, ``memory``, or a folder: the last two are the client's local
    mode, for tests and for looking around."""

    address: str
    collection: str = "pincite"
    shards: int = 1
    replicas: int = 1
    on_disk: bool = True
    exact: bool = True
    timeout_s: float = 10.0
    api_key: str | None = field(default=None, repr=False)
    where: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """What the collection is of. ``identity`` is the database's; ``made`` tells it from another one of that name before or
    after it; ``mean`` is the chunk length that weights are made for.

    All changes up to ``generation`` are in it; those up to ``begun`` may be, in part.
    """

    identity: str
    made: str
    mean: float
    generation: int = 0
    begun: int = 0
    schema: int = SCHEMA


def open_client(options: QdrantOptions) -> QdrantClient:
    """A client. Nothing is asked of the server yet.

    Raises:
        ConfigError: The address cannot be one.
    """
    if options.address == "memory":
        return QdrantClient(":memory:")
    if not options.address.startswith(("http://", "https://")):
        try:
            return QdrantClient(path=os.fspath(Path(options.address)), force_disable_check_same_thread=True)
        except RuntimeError as error:
            raise StoreError(
                "another process has this folder of Qdrant open",
                where=options.address,
                hint="a folder is for one process; run a Qdrant server for several",
            ) from error
    try:
        parts = urlsplit(options.address)
        if not parts.hostname:
            raise ValueError("it names no host")
        if parts.username or parts.password:
            raise ValueError(f"a key does not belong in it; set {KEY_VARIABLE}")
        with warnings.catch_warnings():
            # That a key goes over http is told by doctor; behind a proxy of one's own it is right.
            warnings.simplefilter("ignore")
            return QdrantClient(
                url=options.address,
                api_key=options.api_key,
                timeout=max(1, round(options.timeout_s)),
                check_compatibility=False,
            )
    except ValueError as error:
        raise ConfigError(
            f"cannot be the address of a Qdrant server: {error}",
            where=options.where,
            hint='write it as "qdrant:http://host:6333"',
        ) from error


class Collection:
    """The calls that are made to one collection. Raises ``SearchDown`` when one fails for the moment, ``StoreError`` when
    it cannot go well before somebody acts."""

    def __init__(self, client: QdrantClient, options: QdrantOptions) -> None:
        self._client, self._options, self._name = client, options, options.collection
        self.where = f"{options.address} collection {options.collection}"
        # Local mode has neither indexes nor approximate search, and warns of each call that names one.
        self._is_server = options.address.startswith(("http://", "https://"))
        # Replicas may lag behind one another: what most of them say counts.
        self._consistency = models.ReadConsistencyType.MAJORITY if options.replicas > 1 else None

    # --- what it is -----------------------------------------------------------------------------

    def mark(self) -> Mark | None:
        """Its mark; ``None`` when there is no such collection.

        Raises:
            StoreError: It is somebody else's, or of another version.
        """
        try:
            with self._errors():
                found = self._client.retrieve(
                    self._name, [MARK_ID], with_payload=True, consistency=self._consistency
                )
        except _NoCollection:
            return None
        if found:
            return self._read_mark(found[0].payload or {})
        with self._errors():
            self._refuse_foreign()
        return None

    def _read_mark(self, payload: dict[str, Any]) -> Mark:
        held = payload.get(MARK)
        if not isinstance(held, dict):
            raise self._other_schema("an unknown one")
        if held.get("schema") != SCHEMA:
            raise self._other_schema(str(held.get("schema")))
        whole = all(type(held.get(name)) is int for name in ("generation", "begun"))
        texts = all(type(held.get(name)) is str for name in ("identity", "made"))
        if not whole or not texts or type(held.get("mean")) not in (int, float):
            raise self._other_schema("an unknown one")
        mark = Mark(held["identity"], held["made"], float(held["mean"]), held["generation"], held["begun"])
        if not mark.mean > 0:
            raise self._other_schema("an unknown one")
        return mark

    def _other_schema(self, schema: str) -> StoreError:
        return StoreError(
            f"the collection has schema {schema}, this pincite reads {SCHEMA}",
            where=self.where,
            hint=f"make it anew: {REBUILD} --anew",
        )

    def _refuse_foreign(self) -> None:
        if self._client.count(self._name, exact=True).count:
            raise StoreError(
                "the collection was not made by pincite",
                where=self.where,
                hint="choose another name: [store] search_collection",
            )

    def dimension(self) -> int:
        """Numbers in its dense vectors; 0 when it has none."""
        with self._errors():
            params = self._client.get_collection(self._name).config.params
        held = params.vectors.get(DENSE) if isinstance(params.vectors, dict) else None
        return 0 if held is None else held.size

    def create(self, mark: Mark, dimension: int, *, in_place: bool = False) -> None:
        """Make it, empty. ``dimension`` 0: without dense vectors. ``in_place`` of one of that name, which is dropped.

        Raises:
            SearchDown: There is one, which somebody may be making just now.
        """
        options, on_disk = self._options, self._options.on_disk
        dense = models.VectorParams(
            size=max(1, dimension),
            # Rows are unit vectors as float16: their products are the cosines, of the very numbers that are stored.
            distance=models.Distance.DOT,
            datatype=models.Datatype.FLOAT16,
            on_disk=on_disk,
            hnsw_config=models.HnswConfigDiff(m=0) if options.exact else None,
        )
        with self._errors():
            if self._client.collection_exists(self._name):
                if not in_place:
                    raise SearchDown(
                        "the collection is being made by another process, or was left half made",
                        where=self.where,
                        hint=f"wait a little, or {REBUILD} --anew",
                    )
                self._client.delete_collection(self._name)
            self._client.create_collection(
                self._name,
                vectors_config={DENSE: dense} if dimension else {},
                sparse_vectors_config={
                    SPARSE: models.SparseVectorParams(index=models.SparseIndexParams(on_disk=on_disk))
                },
                shard_number=options.shards,
                replication_factor=options.replicas,
                write_consistency_factor=options.replicas // 2 + 1,
                on_disk_payload=on_disk,
            )
            if self._is_server:
                self._index_payload()
            self._client.upsert(
                self._name,
                [models.PointStruct(id=MARK_ID, vector={}, payload={MARK: asdict(mark)})],
                wait=True,
            )

    def _index_payload(self) -> None:
        on_disk = self._options.on_disk
        whole = models.IntegerIndexParams(
            type=models.IntegerIndexType.INTEGER, lookup=False, range=True, on_disk=on_disk
        )
        word = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, on_disk=on_disk)
        for name in (LEVEL, AT, BEGUN):
            self._client.create_payload_index(self._name, name, whole)
        for name in (*FILTER_FIELDS, MADE):
            self._client.create_payload_index(self._name, name, word)

    def move(self, mark: Mark) -> None:
        """Write its mark over, unless somebody has begun later changes or made the collection anew meanwhile."""
        not_begun_later = models.Filter(
            must=[
                models.HasIdCondition(has_id=[MARK_ID]),
                models.FieldCondition(key=MADE, match=models.MatchValue(value=mark.made)),
                models.FieldCondition(key=BEGUN, range=models.Range(lte=mark.begun)),
            ]
        )
        with self._errors():
            self._client.set_payload(self._name, {MARK: asdict(mark)}, points=not_begun_later, wait=True)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def version(self) -> str:
        """Of the server; empty in local mode."""
        if not self._is_server:
            return ""
        with self._errors():
            return str(self._client.info().version)

    # --- writing --------------------------------------------------------------------------------

    def put(self, points: Sequence[models.PointStruct], not_newer: models.Filter) -> None:
        """Add or write over points, but for those that are newer already."""
        with self._errors():
            for at in range(0, len(points), POINTS_AT_ONCE):
                self._client.upsert(
                    self._name, points[at : at + POINTS_AT_ONCE], wait=True, update_filter=not_newer
                )

    def remove(self, which: models.Filter) -> None:
        """Delete the points that pass."""
        with self._errors():
            self._client.delete(self._name, models.FilterSelector(filter=which), wait=True)

    # --- reading --------------------------------------------------------------------------------

    def by_words(self, query: models.SparseVector, which: models.Filter, limit: int) -> tuple[Ints, Floats]:
        """Keys and scores of the chunks whose words weigh most, best first."""
        return self._query(query, SPARSE, which, limit)

    def by_meaning(self, vector: Floats, which: models.Filter, limit: int) -> tuple[Ints, Floats]:
        """Keys and scores of the nearest chunks, best first."""
        return self._query(vector.tolist(), DENSE, which, limit)

    def _query(self, query: Any, using: str, which: models.Filter, limit: int) -> tuple[Ints, Floats]:
        with self._errors():
            found = self._client.query_points(
                self._name,
                query=query,
                using=using,
                query_filter=which,
                search_params=models.SearchParams(exact=self._options.exact) if self._is_server else None,
                limit=limit,
                with_payload=False,
                with_vectors=False,
                consistency=self._consistency,
            ).points
            # An id that no chunk can have was forged.
            kept = [
                (point.id, point.score) for point in found if isinstance(point.id, int) and point.id < 2**62
            ]
        keys = np.array([key for key, _ in kept], dtype=np.int64)
        return keys, np.array([score for _, score in kept], dtype=np.float32)

    def ages(self, keys: Sequence[int]) -> dict[int, int]:
        """Of these chunks that are there the generation in which their document had last changed."""
        with self._errors():
            found = self._client.retrieve(
                self._name, list(keys), with_payload=[AT], consistency=self._consistency
            )
            return {int(point.id): int((point.payload or {}).get(AT, -1)) for point in found}

    def chunks(self) -> Iterator[tuple[Ints, tuple[tuple[str, int, str, int], ...]]]:
        """Of every chunk its key and of its document the hash, rank, content hash and number of chunks, page by page."""
        offset = None
        wanted = [DOCUMENT, LEVEL, CONTENT, COUNT]
        while True:
            with self._errors():
                found, offset = self._client.scroll(
                    self._name, limit=SCROLL_AT_ONCE, offset=offset, with_payload=wanted, with_vectors=False
                )
            ours = [(point.id, point.payload or {}) for point in found if isinstance(point.id, int)]
            yield (
                np.array([key for key, _ in ours], dtype=np.int64),
                tuple(
                    (str(held.get(DOCUMENT)), held.get(LEVEL, -1), str(held.get(CONTENT)), held.get(COUNT, 0))
                    for _, held in ours
                ),
            )
            if offset is None:
                return

    def vector_count(self) -> int:
        """Points with a dense vector."""
        if not self.dimension():
            return 0
        with self._errors():
            which = models.Filter(must=[models.HasVectorCondition(has_vector=DENSE)])
            return int(self._client.count(self._name, which, exact=True).count)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except UnexpectedResponse as error:
            raise self._refused(error) from error
        except ResponseHandlingException as error:
            raise SearchDown(
                f"Qdrant cannot be reached: {_cause(error.source)}", where=self.where, hint="see that it runs"
            ) from error
        except (ApiException, QdrantException, ValueError, TypeError, OSError) as error:
            if not self._is_server and str(error).endswith(" not found"):
                raise _NoCollection("there is no such collection", where=self.where, hint=REBUILD) from error
            # Local mode raises ValueError for what a server refuses; servers that go mid-sentence leave no JSON.
            raise SearchDown(
                f"Qdrant does not answer as it should: {_cause(error)}", where=self.where, hint=REBUILD
            ) from error

    def _refused(self, error: UnexpectedResponse) -> StoreError:
        said = error.content[:300].decode("utf-8", "replace")
        if error.status_code in (401, 403):
            return StoreError(
                f"Qdrant refuses the API key ({error.status_code})",
                where=self.where,
                hint=f"set {KEY_VARIABLE} to a key that may read and write this collection",
            )
        if error.status_code == 404:
            return _NoCollection("there is no such collection", where=self.where, hint=REBUILD)
        return SearchDown(
            f"Qdrant refuses ({error.status_code}): {said}", where=self.where, hint="see Qdrant's own log"
        )


def _cause(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:200]}".rstrip(": ")
