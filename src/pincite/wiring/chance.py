"""Time and chance, which are passed in to all that needs them."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime

from pincite.types import AnswerId

_BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's: no I, L, O or U."""


def now() -> datetime:
    """The time, with its zone."""
    return datetime.now(UTC)


def new_answer_id(moment: datetime, *, chance: Callable[[int], bytes] = os.urandom) -> AnswerId:
    """An id that sorts by time: 48 bits of milliseconds and 80 of chance as 26 letters (the form of ULID).

    >>> new_answer_id(datetime(2026, 11, 30, tzinfo=UTC), chance=bytes)
    'ans_01M8MW0N000000000000000000'
    """
    milliseconds = int(moment.timestamp() * 1000)
    number = (milliseconds << 80) | int.from_bytes(chance(10))
    return AnswerId("ans_" + "".join(_BASE32[(number >> shift) & 31] for shift in range(125, -1, -5)))
