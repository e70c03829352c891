"""The sources' own arithmetic, kept apart on purpose: each counts other things (see ``profiles``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

GROUNDED_CONFIDENCE = 0.90
GROUNDED_COVERAGE = 0.80
"""Source 000: grounded is at least this much of both."""

TARGET_ACCURACY = 0.90
"""Source 002."""


@dataclass(frozen=True, slots=True)
class PairShares:
    """Source 000: valid of all (sentence, id) pairs, and sentences with an id of all. Both 0 where there are none."""

    confidence: float
    coverage: float


def pair_shares(valid: Sequence[bool], cited: Sequence[bool]) -> PairShares:
    """``valid`` has an entry for each pair, ``cited`` one for each sentence.

    >>> pair_shares([True, True, False], [True, True, False, False])
    PairShares(confidence=0.6666666666666666, coverage=0.5)
    """
    return PairShares(_share(sum(valid), len(valid)), _share(sum(cited), len(cited)))


def is_grounded(shares: PairShares) -> bool:
    """Source 000's one word for callers."""
    return shares.confidence >= GROUNDED_CONFIDENCE and shares.coverage >= GROUNDED_COVERAGE


def marker_share(verified: int, total: int) -> float:
    """Source 002: verified of all printed markers; 0 without any.

    >>> marker_share(9, 10) >= TARGET_ACCURACY
    True
    """
    return _share(verified, total)


def label_001(verified: int, hallucinated: int, *, high: int = 2) -> str:
    """Source 001's word: an invented id, or none at all, is LOW; ``high`` ids that were retrieved are HIGH.

    >>> label_001(3, 0), label_001(1, 0), label_001(3, 1), label_001(0, 0)
    ('HIGH', 'MEDIUM', 'LOW', 'LOW')
    """
    if hallucinated or not verified:
        return "LOW"
    return "HIGH" if verified >= high else "MEDIUM"


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
