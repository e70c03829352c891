"""A plain text with markers in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pincite.readers.marks import Mark
from pincite.types import Quote


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """An answer as some system gave it: its text, what it says it quotes, and its sources if it brought any.

    ``sources`` are in any form that ``pincite.readers.sources.read_sources`` takes. ``marks`` says what the markers stand
    for that a reader put into the text.
    """

    text: str
    quotes: tuple[Quote, ...] = ()
    sources: tuple[Any, ...] | None = None
    marks: tuple[Mark, ...] = ()


def plain(answer: Any) -> ReadAnswer | None:
    """Accepts a string."""
    return ReadAnswer(answer) if isinstance(answer, str) else None
