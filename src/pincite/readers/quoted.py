"""Answers that bring their quotes along: our own, and objects with ``answer`` and ``citations`` (source 004)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pincite.answer import Answer
from pincite.readers.plain import ReadAnswer
from pincite.types import Quote


def own(answer: Any) -> ReadAnswer | None:
    """Accepts an ``Answer``: its text with ``[c-N]``, its quotes, and the passages it read."""
    if not isinstance(answer, Answer):
        return None
    quotes = tuple(Quote(citation.id, citation.exact or None) for citation in answer.citations)
    return ReadAnswer(answer.answer, quotes, answer.hits)


def quoted(answer: Any) -> ReadAnswer | None:
    """Accepts a mapping with ``answer`` or ``text``; ``citations`` (``id``, ``quote``) and ``sources`` may be missing."""
    if not isinstance(answer, Mapping):
        return None
    text = answer.get("answer", answer.get("text"))
    if not isinstance(text, str):
        return None
    sources = answer.get("sources", answer.get("contexts"))
    return ReadAnswer(
        text,
        tuple(_quotes(answer.get("citations"))),
        tuple(sources) if isinstance(sources, list | tuple) else None,
    )


def _quotes(citations: Any) -> Iterator[Quote]:
    for citation in citations if isinstance(citations, list | tuple) else ():
        if (
            isinstance(citation, Mapping)
            and isinstance(citation.get("quote"), str)
            and citation["quote"].strip()
        ):
            named = next((citation[key] for key in ("id", "chunk_id", "doc_id") if citation.get(key)), None)
            if named is not None:
                yield Quote(str(named), citation["quote"])
