"""How well a search ranks what is expected. Ids are relevant or not; rank counts from 1."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

DEPTH = 10
"""nDCG is taken of the first ten."""


def recall(ranking: Sequence[str], relevant: Collection[str]) -> float | None:
    """The share of what is relevant that was found at all; ``None`` when nothing is.

    >>> recall(["a", "b"], ["b", "c"])
    0.5
    """
    wanted = set(relevant)
    return len(wanted & set(ranking)) / len(wanted) if wanted else None


def reciprocal_rank(ranking: Sequence[str], relevant: Collection[str]) -> float | None:
    """One over the rank of the first that is relevant, 0 when none was found; ``None`` when nothing is relevant.

    >>> reciprocal_rank(["a", "b"], ["b"])
    0.5
    """
    wanted = set(relevant)
    if not wanted:
        return None
    return next((1 / rank for rank, one in enumerate(distinct(ranking), start=1) if one in wanted), 0.0)


def ndcg(ranking: Sequence[str], relevant: Collection[str], *, depth: int = DEPTH) -> float | None:
    """Normalised discounted cumulative gain of the first ``depth`` (Järvelin and Kekäläinen 2002), gain 1, discount
    ``1 / log2(rank + 1)``; ``None`` when nothing is relevant.

    >>> round(ndcg(["a", "b", "c"], ["a", "c"]), 4)
    0.9197
    """
    wanted = set(relevant)
    if not wanted:
        return None
    first = distinct(ranking)[:depth]
    gained = math.fsum(1 / math.log2(rank + 1) for rank, one in enumerate(first, start=1) if one in wanted)
    best = math.fsum(1 / math.log2(rank + 1) for rank in range(1, min(depth, len(wanted)) + 1))
    return gained / best


def distinct(ranking: Sequence[str]) -> list[str]:
    """Each id at its best rank: several passages of one document rank it once."""
    return list(dict.fromkeys(ranking))
