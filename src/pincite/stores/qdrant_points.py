"""What Qdrant is given: points made of chunks, and filters. Numbers and hashes only; no text, title or word leaves.

A point's id is the chunk's key. Its dense vector is the chunk's, its sparse one says of each term how much it would weigh
in BM25 if chunks of the collection's ``mean`` length were the average. The weight that counts is computed by us from the
database, for each reader; Qdrant's order only says where to look, and ``slack`` how far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from qdrant_client import models

from pincite.ports import Floats
from pincite.ports.stored import Indexed
from pincite.ports.stores import Filters
from pincite.ranking import K1, B
from pincite.stores.filters import FILTER_FIELDS
from pincite.stores.levels import NOBODY, rank
from pincite.types import DocumentInfo

DENSE, SPARSE = "meaning", "words"
"""Names of a point's two vectors."""

LEVEL, DOCUMENT, AT, COUNT, CONTENT = "level", "doc_id", "at", "chunks", "content"
"""Payload beside the fields of filters: rank of the access level; of the document its id, the generation in which it last
changed, its number of chunks and its content hash (the last three tell whether a copy is whole)."""

ROUNDING = 1e-3
"""More than Qdrant's numbers can be wrong by: sums of float32, and products of float16 on machines that sum in it."""


def index_of(term: str) -> int:
    """The place of a term in sparse vectors. Terms that share one (one pair in 4,000 million) only widen what is looked at.

    >>> index_of("fee"), index_of("fee") == index_of("fees")
    (215793189, False)
    """
    return int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big")


def keyword(value: str) -> str:
    """A field's value as payload: a hash, so that neither titles nor names leave, however long they are.

    >>> keyword("policy")
    'dfacc36f6cd64c1b'
    """
    return blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def saturation(frequency: int, length: int, mean: float) -> float:
    """The part of BM25 that is the chunk's own, in 0-1: 0 for a term that is not there.

    >>> round(saturation(1, 80, 80.0), 3), round(saturation(3, 80, 80.0), 3)
    (0.455, 0.714)
    """
    return frequency / (frequency + K1 * (1 - B + B * length / mean))


def slack(reader_mean: float, mean: float) -> float:
    """By what the saturation for a reader's mean length can exceed the one for the collection's, as a factor.

    >>> slack(90.0, 100.0) < 1.01 < slack(150.0, 100.0) < 1.51
    True
    """
    return max(1.0, reader_mean / mean) * (1 + ROUNDING)


def sparse(terms: Mapping[str, int], length: int, mean: float) -> models.SparseVector:
    """A chunk's terms. Terms that share a place are added up there: what is found is then more, never less."""
    weights: dict[int, float] = {}
    for term, frequency in terms.items():
        place = index_of(term)
        weights[place] = weights.get(place, 0.0) + saturation(frequency, length, mean)
    places = sorted(weights)
    return models.SparseVector(indices=places, values=[weights[place] for place in places])


def sparse_query(weighed: Sequence[tuple[Sequence[str], float]]) -> models.SparseVector:
    """Words of a question, each the terms it may have become and its weight."""
    weights: dict[int, float] = {}
    for terms, weight in weighed:
        for term in terms:
            place = index_of(term)
            weights[place] = weights.get(place, 0.0) + weight
    places = sorted(weights)
    return models.SparseVector(indices=places, values=[weights[place] for place in places])


def points(held: Indexed, at: int, mean: float, *, with_vectors: bool) -> list[models.PointStruct]:
    """A document's chunks as points. None for a document that nobody may read."""
    if rank(held.info.access_level) == NOBODY:
        return []
    payload = payload_of(held.info, at, len(held.keys))
    made = []
    for place, key in enumerate(held.keys.tolist()):
        vectors: dict[str, Any] = {}
        if held.terms[place]:
            vectors[SPARSE] = sparse(held.terms[place], held.lengths[place], mean)
        if with_vectors and has_vector(held, place):
            vectors[DENSE] = held.vectors[place].tolist()
        made.append(models.PointStruct(id=key, vector=vectors, payload=payload))
    return made


def has_vector(held: Indexed, place: int) -> bool:
    """Whether the chunk at that place of a document has a vector."""
    return place < len(held.vectors) and not np.isnan(held.vectors[place, :1]).any()


def payload_of(info: DocumentInfo, at: int, chunk_count: int) -> dict[str, Any]:
    """What filters read. A field that a document does not have is left out, and no filter finds it then."""
    fields = {field: getattr(info, field) for field in FILTER_FIELDS}
    return {
        **{field: keyword(str(value)) for field, value in fields.items() if value is not None},
        LEVEL: rank(info.access_level),
        AT: at,
        COUNT: chunk_count,
        CONTENT: info.content_hash[:16],
    }


def permitted(top: int, filters: Filters) -> models.Filter:
    """The filter that is part of every search: nothing above the reader's level, and what the question asks for."""
    must: list[models.Condition] = [models.FieldCondition(key=LEVEL, range=models.Range(lte=top))]
    for field, value in filters:
        must.append(models.FieldCondition(key=field, match=models.MatchValue(value=keyword(value))))
    return models.Filter(must=must)


def of_document(doc_id: str, *, before: int) -> models.Filter:
    """What is left of a document from changes before a generation."""
    return models.Filter(
        must=[
            models.FieldCondition(key=DOCUMENT, match=models.MatchValue(value=keyword(doc_id))),
            models.FieldCondition(key=AT, range=models.Range(lt=before)),
        ]
    )


def of_keys(keys: Sequence[int], at: int) -> models.Filter:
    """Chunks that are no newer than a generation."""
    return models.Filter(
        must=[
            models.HasIdCondition(has_id=list(keys)),
            models.FieldCondition(key=AT, range=models.Range(lte=at)),
        ]
    )


def not_newer(at: int) -> models.Filter:
    """A point may be written over by a change that is as new as its own, or newer."""
    return models.Filter(must=[models.FieldCondition(key=AT, range=models.Range(lte=at))])


def dense_error(vector: Floats) -> float:
    """By how much the cosines can be wrong that Qdrant computes, which rounds a question's vector to float16 too."""
    return float(np.linalg.norm(vector - vector.astype(np.float16).astype(np.float32))) + ROUNDING
