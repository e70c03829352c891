"""A plain text with markers in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pincite.types import Quote


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """An answer as some system gave it: its text, what it says it quotes, and its sources if it brought any.

    ``sources`` are in any form that ``pincite.readers.sources.read_sources`` takes.
    """

    text: str
    quotes: tuple[Quote, ...] = ()
    sources: tuple[Any, ...] | None = None


def plain(answer: Any) -> ReadAnswer | None:
    """Accepts a string."""
    return ReadAnswer(answer) if isinstance(answer, str) else None
