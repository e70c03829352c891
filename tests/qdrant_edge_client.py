"""The calls that ``Collection`` makes, answered by one shard of the real engine in this process (package qdrant-edge-py).

It is what a Qdrant server runs for each shard: storage of float16, sparse index, payload indexes, filters, conditional
writes. What a cluster adds (REST, shards, replicas, consistency) is not there.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from httpx import Headers
from qdrant_client import models
from qdrant_client.http.exceptions import UnexpectedResponse

INSTALLED = find_spec("qdrant_edge") is not None


class EdgeClient:
    """One collection, in a folder. ``client`` for ``Collection``."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._made = folder, 0
        self._shard: Any = None
        self._dense: Any = {}

    def collection_exists(self, _name: str) -> bool:
        return self._shard is not None

    def delete_collection(self, _name: str) -> None:
        self._shard.close()
        self._shard = None

    def create_collection(
        self, _name: str, *, vectors_config: Any, sparse_vectors_config: Any, on_disk_payload: bool, **_: Any
    ) -> None:
        import qdrant_edge as edge

        self._made += 1
        self._dense = vectors_config
        path = self._folder / f"shard-{self._made}"
        path.mkdir()
        self._shard = edge.EdgeShard.create(
            str(path),
            edge.EdgeConfig(
                vectors={
                    name: edge.EdgeVectorParams(
                        size=one.size,
                        distance=edge.Distance.Dot,
                        on_disk=one.on_disk,
                        datatype=edge.VectorStorageDatatype.Float16,
                        hnsw_config=edge.HnswIndexConfig(m=0, ef_construct=100, full_scan_threshold=10_000)
                        if one.hnsw_config
                        else None,
                    )
                    for name, one in vectors_config.items()
                },
                sparse_vectors={
                    name: edge.EdgeSparseVectorParams(on_disk=one.index.on_disk)
                    for name, one in sparse_vectors_config.items()
                },
                on_disk_payload=on_disk_payload,
            ),
        )

    def create_payload_index(self, _name: str, field: str, schema: Any) -> None:
        import qdrant_edge as edge

        of = (
            edge.IntegerIndexParams(lookup=schema.lookup, range=schema.range, on_disk=schema.on_disk)
            if isinstance(schema, models.IntegerIndexParams)
            else edge.KeywordIndexParams(on_disk=schema.on_disk)
        )
        self._shard.update(edge.UpdateOperation.create_field_index(field, of))

    def get_collection(self, _name: str) -> Any:
        return SimpleNamespace(config=SimpleNamespace(params=SimpleNamespace(vectors=self._dense)))

    def upsert(self, _name: str, points: Any, *, wait: bool, update_filter: Any = None) -> None:
        import qdrant_edge as edge

        assert wait
        self._shard.update(
            edge.UpdateOperation.upsert_points(
                [
                    edge.Point(_id(one.id), {k: _vector(v) for k, v in one.vector.items()}, one.payload)
                    for one in points
                ],
                condition=_filter(update_filter),
            )
        )

    def set_payload(self, _name: str, payload: Any, *, points: Any, wait: bool) -> None:
        import qdrant_edge as edge

        assert wait
        self._shard.update(edge.UpdateOperation.set_payload_by_filter(_filter(points), payload))

    def delete(self, _name: str, selector: Any, *, wait: bool) -> None:
        import qdrant_edge as edge

        assert wait
        self._shard.update(edge.UpdateOperation.delete_points_by_filter(_filter(selector.filter)))

    def retrieve(self, _name: str, ids: Any, *, with_payload: Any, consistency: Any) -> Any:
        if self._shard is None:
            raise UnexpectedResponse(404, "Not Found", b"", Headers())
        return self._shard.retrieve([_id(one) for one in ids], with_payload, False)

    def query_points(
        self,
        _name: str,
        *,
        query: Any,
        using: str,
        query_filter: Any,
        search_params: Any,
        limit: int,
        **_: Any,
    ) -> Any:
        import qdrant_edge as edge

        request = edge.QueryRequest(
            limit=limit,
            query=edge.Query.Nearest(_vector(query), using=using),
            filter=_filter(query_filter),
            params=edge.SearchParams(exact=search_params.exact),
            with_payload=False,
            with_vector=False,
        )
        return SimpleNamespace(points=self._shard.query(request))

    def scroll(self, _name: str, *, limit: int, offset: Any, with_payload: Any, with_vectors: bool) -> Any:
        import qdrant_edge as edge

        return self._shard.scroll(
            edge.ScrollRequest(
                offset=offset, limit=limit, with_payload=with_payload, with_vector=with_vectors
            )
        )

    def count(self, _name: str, which: Any = None, *, exact: bool) -> Any:
        import qdrant_edge as edge

        return SimpleNamespace(count=self._shard.count(edge.CountRequest(exact=exact, filter=_filter(which))))

    def info(self) -> Any:
        return SimpleNamespace(version="edge")

    def close(self) -> None:
        if self._shard is not None:
            self._shard.close()


def _id(value: Any) -> Any:
    from uuid import UUID

    return value if isinstance(value, int) else UUID(value)


def _vector(value: Any) -> Any:
    import qdrant_edge as edge

    if isinstance(value, models.SparseVector):
        return edge.SparseVector(value.indices, value.values)
    return value


def _filter(given: Any) -> Any:
    import qdrant_edge as edge

    def condition(one: Any) -> Any:
        if isinstance(one, models.Filter):
            return _filter(one)
        if isinstance(one, models.HasIdCondition):
            return edge.HasIdCondition({_id(key) for key in one.has_id})
        if isinstance(one, models.HasVectorCondition):
            return edge.HasVectorCondition(one.has_vector)
        match = edge.MatchValue(one.match.value) if one.match is not None else None
        limits = one.range
        between = (
            edge.RangeFloat(gte=limits.gte, gt=limits.gt, lte=limits.lte, lt=limits.lt) if limits else None
        )
        return edge.FieldCondition(one.key, match=match, range=between)

    if given is None:
        return None
    must, should = ([condition(one) for one in some or ()] or None for some in (given.must, given.should))
    return edge.Filter(must=must, should=should)
