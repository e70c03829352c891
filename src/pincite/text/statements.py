"""Statement lines: what a model writes, one JSON object per line, read and written in one place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from pincite.types import Quote, Statement, Usage


@dataclass(frozen=True, slots=True)
class OutputLine:
    """One thing a model wrote: a statement, the closing line, or something that is neither."""

    statement: Statement | None = None
    uncovered_aspects: tuple[str, ...] | None = None
    self_rating: int | None = None
    problem: str = ""
    usage: Usage | None = None


def read_line(line: str) -> Iterator[OutputLine]:
    """Read one line of model output. Damaged JSON is mended; what cannot be read is a problem, never an error.

    >>> [item.statement.text for item in read_line('{"statement": "Ice melts.", "quotes": []}')]
    ['Ice melts.']
    """
    stripped = line.strip().rstrip(",")
    if not stripped or stripped in ("[", "]", "{", "}") or stripped.startswith("```"):
        return
    value = _load(stripped)
    if not isinstance(value, dict):
        yield OutputLine(problem=f"not a statement line: {stripped[:80]!r}")
        return
    if isinstance(value.get("statement"), str):
        yield OutputLine(statement=_statement(value))
    elif value.get("statement") is not None:
        yield OutputLine(problem=f"a statement that is no text: {stripped[:80]!r}")
    if "uncovered_aspects" in value:
        yield OutputLine(uncovered_aspects=_strings(value["uncovered_aspects"]), self_rating=_rating(value))
    if "statement" not in value and "uncovered_aspects" not in value:
        yield OutputLine(problem=f"a line without statement: {stripped[:80]!r}")


def statement_line(statement: Statement) -> str:
    """The statement as a model writes it; ``read_line`` reads it back."""
    return json.dumps(_as_line(statement), ensure_ascii=False) + "\n"


def _as_line(statement: Statement) -> dict[str, object]:
    quotes = [{"id": quote.id, "quote": quote.quote} for quote in statement.quotes]
    return {"statement": statement.text, "quotes": quotes}


def _load(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        pass
    if "{" not in text:
        return None
    from json_repair import repair_json

    return repair_json(text, return_objects=True)


def _statement(value: dict[str, object]) -> Statement:
    quotes = value.get("quotes")
    items = quotes if isinstance(quotes, list) else []
    return Statement(str(value["statement"] or ""), tuple(quote for item in items for quote in _quote(item)))


def _quote(item: object) -> Iterator[Quote]:
    if isinstance(item, str) and item.strip():
        yield Quote(item.strip())
    if isinstance(item, dict) and isinstance(item.get("id"), str | int):
        words = item.get("quote")
        yield Quote(str(item["id"]).strip(), words if isinstance(words, str) and words.strip() else None)


def _strings(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    return tuple(" ".join(item.split()) for item in items if isinstance(item, str) and item.strip())


def _rating(value: dict[str, object]) -> int | None:
    rating = value.get("self_rating")
    return rating if isinstance(rating, int) and 1 <= rating <= 5 else None
