"""Ranks of access levels, as stores keep and compare them."""

from __future__ import annotations

from pincite.types import AccessLevel, Reader

NOBODY = 7
"""Rank of a text whose level is missing or unknown: above every reader."""

_RANKS = {level.value: rank for rank, level in enumerate(AccessLevel)}


def rank(access_level: str | None) -> int:
    """The rank of a level, 0 for public; ``NOBODY`` when it is missing or unknown.

    >>> rank("public"), rank("confidential"), rank("secret"), rank(None)
    (0, 2, 7, 7)
    """
    return NOBODY if access_level is None else _RANKS.get(access_level, NOBODY)


def highest(reader: Reader) -> int:
    """The highest rank that ``reader`` may see; -1, nothing at all, when their level is none that there is."""
    return _RANKS.get(reader.level, -1)
