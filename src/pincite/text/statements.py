"""Statement lines: what a model writes, one JSON object per line, read and written in one place.

Models that must write one object wrap the lines in an array; others answer in prose or in the shapes of older prompts.
``StatementReader`` reads them all, and gives each statement as soon as it is whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pincite.text.objects import FoundObject, Nesting, find_object, load
from pincite.text.replies import statements_of_object, statements_of_text, unwrapped
from pincite.types import Quote, Statement, Usage

MAX_LINE_CHARS = 10_000
"""A longer line is no statement; mending one of 100,000 braces would take ten seconds."""

MAX_PROBLEMS = 20

_KEYS = "statement|sentence|quotes|uncovered_aspects|self_rating"
# Only with double quotation marks it cannot stand inside a string: there they are escaped.
_NEXT = re.compile(rf'\{{\s{{0,20}}"(?:{_KEYS})"\s{{0,20}}:')
_START = re.compile(rf"""\{{\s{{0,20}}["'“”]?(?:{_KEYS})["'“”]?\s{{0,20}}:|<think(?:ing)?>""", re.IGNORECASE)
_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_START_CHARS = 64
"""Longest match of ``_START``."""

_OBJECT_KEYS = ("answer", "text", "citations", "lines", "statements", "uncovered_aspects", "self_rating")
# Fences, brackets, commas and what stands for a line that was read already: no prose.
_FRAME = re.compile(r"[\s\[\]{},;]*(?:(?:null|```\w*|</?think(?:ing)?>)[\s\[\]{},;]*)*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OutputLine:
    """One thing a model wrote: a statement, the closing line, or something that is neither. ``cut`` as in ``Delta``."""

    statement: Statement | None = None
    uncovered_aspects: tuple[str, ...] | None = None
    self_rating: int | None = None
    problem: str = ""
    usage: Usage | None = None
    cut: str = ""


# --- one line -----------------------------------------------------------------------------------


def read_line(line: str) -> Iterator[OutputLine]:
    """Read one line of model output. Damaged JSON is mended; what cannot be read is a problem, never an error.

    >>> [item.statement.text for item in read_line('{"quotes": [], "statement": "Ice melts."}')]
    ['Ice melts.']
    """
    stripped = line.strip().rstrip(",")
    if not stripped or stripped in ("[", "]", "{", "}") or stripped.startswith("```"):
        return
    if len(stripped) > MAX_LINE_CHARS:
        yield OutputLine(problem=f"a line of {len(stripped)} characters: {stripped[:80]!r}")
        return
    value = load(stripped)
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        value = value[0]
    if not isinstance(value, dict):
        yield OutputLine(problem=f"not a statement line: {stripped[:80]!r}")
        return
    said = value.get("statement", value.get("sentence"))
    if isinstance(said, str):
        yield OutputLine(statement=_statement(said, value))
    elif said is not None:
        yield OutputLine(problem=f"a statement that is no text: {stripped[:80]!r}")
    closing = _closing(value)
    if closing is not None:
        yield closing
    if said is None and closing is None and "statement" not in value:
        yield OutputLine(problem=f"a line without statement: {stripped[:80]!r}")


def statement_line(statement: Statement) -> str:
    """The statement as a model writes it, the quotes before what they prove; ``read_line`` reads it back."""
    quotes = [{"id": quote.id, "quote": quote.quote} for quote in statement.quotes]
    return json.dumps({"quotes": quotes, "statement": statement.text}, ensure_ascii=False) + "\n"


def _statement(said: str, value: dict[str, object]) -> Statement:
    quotes = value.get("quotes", value.get("citations"))
    items = quotes if isinstance(quotes, list) else []
    return Statement(said, tuple(quote for item in items for quote in _quote(item)))


def _quote(item: object) -> Iterator[Quote]:
    if isinstance(item, str) and item.strip():
        yield Quote(item.strip())
    if isinstance(item, dict) and isinstance(item.get("id"), str | int):
        words = item.get("quote")
        yield Quote(str(item["id"]).strip(), words if isinstance(words, str) and words.strip() else None)


def _closing(value: dict[str, object]) -> OutputLine | None:
    if "uncovered_aspects" not in value and "self_rating" not in value:
        return None
    aspects = _strings(value["uncovered_aspects"]) if "uncovered_aspects" in value else None
    return OutputLine(uncovered_aspects=aspects, self_rating=_rating(value.get("self_rating")))


def _strings(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    return tuple(" ".join(item.split()) for item in items if isinstance(item, str) and item.strip())


def _rating(value: object) -> int | None:
    """1 to 5, also written as text or as 4.0.

    >>> _rating("4"), _rating(4.0), _rating(True), _rating(9)
    (4, 4, None, None)
    """
    if isinstance(value, str):
        value = int(value) if value.strip() in ("1", "2", "3", "4", "5") else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        return None
    return int(value) if 1 <= value <= 5 else None


# --- a whole reply ------------------------------------------------------------------------------


class StatementReader:
    """Reads a reply that arrives in pieces: ``feed`` each, then ``finish``.

    What is understood: statement lines, with prose, fences and thoughts around them, or wrapped in an array of one
    object; and, when there are none, the object of source 004 (``answer``, ``citations``) or 003 (``text``,
    ``citations``), or plain prose with markers. Linear in the length of the reply.

    >>> reader = StatementReader()
    >>> [
    ...     line.statement.text
    ...     for line in reader.feed('{"lines": [{"statement": "Ice melts.", "quotes": []}, {"st')
    ... ]
    ['Ice melts.']
    >>> [line.cut for line in reader.finish()]
    ['length']
    """

    def __init__(self) -> None:
        self._text = ""
        self._outside: list[str] = []
        self._nesting: Nesting | None = None
        self._searched = 0
        self._thinks = False
        self._long = 0
        self._read_any = False

    def feed(self, text: str) -> Iterator[OutputLine]:
        """What became whole with ``text``, in order."""
        self._text += text
        while self._thinks or self._long or self._nesting is not None or self._find_start():
            if self._thinks:
                if not self._skip_thoughts():
                    return
            elif self._long:
                if not self._skip_line():
                    return
                yield from self._long_line()
            elif self._nesting is not None:
                segment = self._segment(self._nesting)
                if segment is None:
                    return
                yield from self._read(segment)

    def finish(self, cut: str = "") -> Iterator[OutputLine]:
        """What is left. ``cut`` says why the reply ended too early, if that is known."""
        if self._long:
            yield from self._long_line()
        rest, nesting = self._text, self._nesting
        self._text, self._nesting = "", None
        if nesting is not None:
            torn = bool(cut) or nesting.in_string or not rest.rstrip().endswith(("}", "]", '"'))
            if torn:
                cut = cut or "length"
                # A quote that did not arrive whole is none, a statement neither.
                yield from (line for line in self._read(nesting.closed(rest)) if not line.problem)
            else:
                yield from self._read(rest)
        elif not self._thinks:
            self._outside.append(rest)
        found, surrounding = self._object_outside()
        if found is not None:
            yield from self._of_object(found)
            cut = cut or ("length" if found.truncated else "")
        yield from self._prose(surrounding, known=found is not None)
        if cut:
            yield OutputLine(cut=cut, problem=f"the reply was cut off: {cut}")

    # --- lines

    def _find_start(self) -> bool:
        found = _START.search(self._text)
        if found is None:
            keep = self._text.rfind("{", max(0, len(self._text) - _START_CHARS))
            tag = self._text.rfind("<", max(0, len(self._text) - 10))
            at = min((place for place in (keep, tag) if place >= 0), default=len(self._text))
            self._outside.append(self._text[:at])
            self._text = self._text[at:]
            return False
        self._outside.append(self._text[: found.start()])
        if found[0][0] == "<":
            self._text, self._thinks = self._text[found.end() :], True
        else:
            self._outside.append("null")
            self._begin(found.start())
        return True

    def _begin(self, at: int) -> None:
        self._text = self._text[at:]
        self._nesting, self._searched = Nesting(), 1

    def _segment(self, nesting: Nesting) -> str | None:
        """The text of the next line, when it is whole or the one behind it has begun."""
        end = nesting.advance(self._text)
        stop = len(self._text) if end is None else end
        following = _NEXT.search(self._text, self._searched, stop)
        self._searched = max(1, stop - _START_CHARS)
        if following is not None:  # this one was never closed
            segment = self._text[: following.start()].rstrip(" \t\r\n,")
            self._begin(following.start())
            return segment
        if end is not None:
            segment, self._text, self._nesting = self._text[:end], self._text[end:], None
            return segment
        if len(self._text) > MAX_LINE_CHARS:
            self._nesting, self._long = None, 1
        return None if not self._long else ""

    def _read(self, segment: str) -> Iterator[OutputLine]:
        for line in read_line(segment):
            self._read_any = self._read_any or line.statement is not None
            yield line

    # --- what is passed over

    def _skip_thoughts(self) -> bool:
        end = _THOUGHT.search(self._text)
        if end is None:
            self._text = self._text[-12:]
            return False
        self._text, self._thinks = self._text[end.end() :], False
        return True

    def _skip_line(self) -> bool:
        ends = [found.start() for found in (_NEXT.search(self._text, 1),) if found]
        line_end = self._text.find("\n")
        at = min([*ends, *([line_end] if line_end >= 0 else [])], default=-1)
        if at < 0:
            self._long += max(0, len(self._text) - _START_CHARS)
            self._text = self._text[-_START_CHARS:]
            return False
        self._long += at
        self._text = self._text[at:]
        return True

    def _long_line(self) -> Iterator[OutputLine]:
        yield OutputLine(problem=f"a line of {self._long:,} characters")
        self._long = 0

    # --- what is no line

    def _object_outside(self) -> tuple[FoundObject | None, str]:
        outside = "".join(self._outside)
        found = find_object(outside, _OBJECT_KEYS)
        if found is None or not any(key in _OBJECT_KEYS for key in found.value):
            torn = found is not None and found.truncated
            return (found if torn else None), (outside[: found.start] if found and torn else outside)
        return found, f"{outside[: found.start]}\n{outside[found.end :]}"

    def _of_object(self, found: FoundObject) -> Iterator[OutputLine]:
        closing = _closing(found.value)
        if closing is not None:
            yield closing
        if self._read_any:
            return
        outside = "".join(self._outside)
        read = statements_of_object(found, outside)
        for one in read.statements:
            yield OutputLine(statement=one)
        self._read_any = bool(read.statements)
        for problem in read.problems[:MAX_PROBLEMS]:
            yield OutputLine(problem=problem)

    def _prose(self, text: str, *, known: bool) -> Iterator[OutputLine]:
        lines = [line.strip() for line in text.split("\n")]
        prose = [line for line in lines if line and not _FRAME.fullmatch(line)]
        wrapped = "" if self._read_any or known else unwrapped(text)
        if wrapped:
            inner = StatementReader()
            yield from inner.feed(wrapped)
            yield from inner.finish()
            return
        if prose and not self._read_any and not known and not text.lstrip().startswith(("{", "[")):
            yield OutputLine(problem="prose instead of statement lines")
            for one in statements_of_text(text):
                yield OutputLine(statement=one)
            return
        for line in prose[:MAX_PROBLEMS]:
            yield OutputLine(problem=f"not a statement line: {line[:80]!r}")
