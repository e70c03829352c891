"""JSON objects in what a model wrote: found between prose and fences, mended when damaged, told from cut-off ones."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

MAX_CANDIDATES = 50
"""Opening braces that are tried; a reply with more of them before its object is not one."""

MAX_MEND_BRACKETS = 2_000
"""Mending is slow on nests of brackets; no reply has that many."""

_IN_STRING = re.compile(r'["\\]')
_OUTSIDE = re.compile(r'["{}\[\]]')
_KEY = re.compile(r"""\{\s{0,200}["'“”]?[^\W\d]\w{0,40}["'“”]?\s{0,200}:""")
_WHOLE_END = re.compile(r'(?:["\]}]|\d|true|false|null)\s*\}\Z', re.IGNORECASE)
_PAIRS = {"}": "{", "]": "["}
_CLOSING = {"{": "}", "[": "]"}
_THINKING = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FoundObject:
    """An object with what could be read of it.

    ``truncated``: the text ends inside it; ``value`` then holds only what arrived whole. ``mended``: it was no valid
    JSON. ``start`` and ``end`` are in the text that was searched.
    """

    value: dict[str, object]
    start: int
    end: int
    mended: bool = False
    truncated: bool = False


class Nesting:
    """Follows the brackets of one JSON value through a text that may arrive in pieces.

    ``safe`` is the last place behind a value that arrived whole, at most one list deep in the outermost object;
    ``stack`` holds the brackets that are open.
    """

    def __init__(self, start: int = 0) -> None:
        self.at = start
        self.stack: list[str] = []
        self.in_string = False
        self.safe = start
        self._safe_stack: tuple[str, ...] = ()
        self._is_value = False

    def advance(self, text: str) -> int | None:
        """Read on to the end of ``text``. The place behind the outermost closing bracket, if it is reached."""
        while True:
            step = (_IN_STRING if self.in_string else _OUTSIDE).search(text, self.at)
            if step is None:
                self.at = len(text)
                return None
            at, sign = step.start(), step[0]
            if sign == "\\":
                if at + 1 >= len(text):
                    self.at = at
                    return None
                self.at = at + 2
                continue
            self.at = at + 1
            if sign == '"':
                self._quote(text, at)
            elif sign in _CLOSING:
                self.stack.append(sign)
            elif self._close(sign):
                return self.at

    def closed(self, text: str) -> str:
        """``text`` up to ``safe`` with the brackets that are open there closed."""
        return text[: self.safe] + "".join(_CLOSING[sign] for sign in reversed(self._safe_stack))

    def _quote(self, text: str, at: int) -> None:
        if not self.in_string:
            before = at - 1
            while before >= 0 and text[before].isspace():
                before -= 1
            sign = text[before] if before >= 0 else ""
            self._is_value = sign == ":" or (sign in "[," and self.stack[-1:] == ["["])
        elif self._is_value:
            self._mark_safe()
        self.in_string = not self.in_string

    def _close(self, sign: str) -> bool:
        # A bracket that was left open inside is closed with the one around it.
        while self.stack and self.stack.pop() != _PAIRS[sign]:
            pass
        self._mark_safe()
        return not self.stack

    def _mark_safe(self) -> None:
        if tuple(self.stack) in (("{",), ("{", "[")):
            self.safe, self._safe_stack = self.at, tuple(self.stack)


def without_thinking(text: str) -> str:
    """``text`` without what a reasoning model thought aloud before it answered.

    >>> without_thinking("<think>maybe {}?</think>So: yes")
    'So: yes'
    """
    kept, at = [], 0
    while opening := _THINKING.search(text, at):
        closing = _THOUGHT.search(text, opening.end())
        kept.append(text[at : opening.start()])
        if closing is None:
            return "".join(kept)
        at = closing.end()
    return "".join((*kept, text[at:]))


def load(text: str) -> object:
    """The value of ``text`` as JSON, mended when it is none; ``None`` when that is not possible.

    >>> load("{'a': 1, 'b': [2,],}")
    {'a': 1, 'b': [2]}
    """
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        pass
    if "{" not in text or text.count("{") + text.count("[") > MAX_MEND_BRACKETS:
        return None
    from json_repair import repair_json

    try:
        return repair_json(text, return_objects=True)
    except (ValueError, RecursionError):
        return None


def find_object(text: str, wanted: Collection[str]) -> FoundObject | None:
    """The object of ``text`` with the most keys of ``wanted``, the last of several such; prose and fences may surround it.

    An object that is whole and valid goes before one that must be mended. ``None`` when nothing looks like one.

    >>> find_object('Sure:\\n{"answer": "Yes."}\\nAnything else?', ["answer"]).value
    {'answer': 'Yes.'}
    >>> found = find_object('{"answer": "Yes.", "citations": [{"id": "c-1"}, {"id": "c-', ["answer"])
    >>> found.value, found.truncated
    ({'answer': 'Yes.', 'citations': [{'id': 'c-1'}]}, True)
    """
    best: FoundObject | None = None
    for one in _valid(text):
        score, record = _score(one, wanted), -1 if best is None else _score(best, wanted)
        best = one if score >= max(record, 1) else best
    if best is not None:
        return best
    return _damaged(text, wanted)


def _score(found: FoundObject, wanted: Collection[str]) -> int:
    return sum(key in wanted for key in found.value)


def _valid(text: str) -> Iterator[FoundObject]:
    decoder = json.JSONDecoder(strict=False)
    at = 0
    for _ in range(MAX_CANDIDATES):
        start = text.find("{", at)
        if start < 0:
            return
        at = start + 1
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield FoundObject(value, start, end)
            at = end


def _damaged(text: str, wanted: Collection[str]) -> FoundObject | None:
    openings = [found.start() for found in islice(_KEY.finditer(text), MAX_CANDIDATES)]
    start = next((at for at in openings if _first_key(text, at) in wanted), None)
    if start is None:
        return None
    nesting = Nesting(start)
    end = nesting.advance(text)
    if end is None and _is_cut(text, nesting):
        value = load(nesting.closed(text)[start:])
        kept = value if isinstance(value, dict) else {}
        return FoundObject(kept, start, len(text), mended=True, truncated=True)
    if end is None or nesting.in_string:
        end = text.rfind("}", start) + 1 or len(text)
    value = _one_object(load(text[start:end]), wanted)
    if value is None or not any(key in wanted for key in value):
        # A stray quotation mark may have closed the object too early for the brackets to tell.
        end = text.rfind("}", start) + 1 or len(text)
        value = _one_object(load(text[start:end]), wanted)
    return None if value is None else FoundObject(value, start, end, mended=True)


def _first_key(text: str, at: int) -> str:
    return text[at + 1 : at + 260].lstrip().strip("\"'“”").split(":", 1)[0].strip().strip("\"'“”")


def _is_cut(text: str, nesting: Nesting) -> bool:
    """Whether an object that never closes was cut off. Where it ends like a whole one, inside what seems a string, a
    quotation mark is stray."""
    tail = text.rstrip().removesuffix("```").rstrip()[-80:]
    return not (nesting.in_string and _WHOLE_END.search(tail))


def _one_object(value: object, wanted: Collection[str]) -> dict[str, object] | None:
    if isinstance(value, list):
        objects = [one for one in value if isinstance(one, dict)]
        return next((one for one in reversed(objects) if any(key in wanted for key in one)), None)
    return value if isinstance(value, dict) else None
