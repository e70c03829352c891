"""Answers that a model wrote in another form than statement lines: source 004's object, source 003's, or prose.

Each becomes statements of one sentence, or of one block where a block cannot be cut (tables, code).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from pincite.text.markers import ParsedAnswer, parse_markers
from pincite.text.objects import FoundObject, find_object, without_thinking
from pincite.types import Quote, Span, Statement

MAX_STATEMENTS = 500
"""Of one reply. Of a longer one no more than one further statement is read, so that it is seen to be too long."""

# The shapes that a model may write for a source; whichever number it bears.
_ANY_ID = ("c-1", "1", "doc-chunk-1")
_ANSWER_KEYS = ("answer", "citations", "uncovered_aspects")
_UNDIVIDED = re.compile(r"^[ \t]*(?:\||```|~~~)", re.MULTILINE)
_TORN_TEXT = re.compile(r'"(?:answer|text)"\s{0,20}:\s{0,20}"((?:[^"\\]|\\.)*)')


@dataclass(frozen=True, slots=True)
class ReadReply:
    """The statements of a reply, and where its parts do not fit together."""

    statements: tuple[Statement, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerObject:
    """Source 004's object in a reply. ``ok``: everything of it was read, though perhaps mended.

    ``citation_ids`` are those of the citations that arrived whole, in order.
    """

    ok: bool
    parsed: dict[str, object]
    truncated: bool
    citation_ids: tuple[str, ...]


def read_answer_object(raw: str) -> AnswerObject:
    """Find source 004's ``{"answer", "citations", "uncovered_aspects"}`` in what a model wrote.

    >>> read_answer_object(
    ...     '```json\\n{"answer": "Yes [c-1].", "citations": [{"id": "c-1", "quote": "yes"}],}\\n```'
    ... ).ok
    True
    """
    found = find_object(without_thinking(raw), _ANSWER_KEYS)
    if found is None:
        return AnswerObject(False, {}, False, ())
    ids = tuple(str(one["id"]) for one in _citations(found.value) if "id" in one)
    whole = isinstance(found.value.get("answer"), str)
    if found.truncated:
        whole = whole and all(key in found.value for key in _ANSWER_KEYS)
    return AnswerObject(whole, found.value, found.truncated, ids)


def statements_of_object(found: FoundObject, raw: str) -> ReadReply:
    """The statements of an object in the form of source 004 (``answer``) or 003 (``text``).

    ``raw`` is the text in which it was found: of an answer that was cut off, the whole sentences are taken from there.
    """
    value = found.value
    citations = _citations(value)
    if isinstance(value.get("answer"), str):
        return _quoted(str(value["answer"]), citations)
    if isinstance(value.get("text"), str):
        return (
            _grounded(str(value["text"]), citations) if value.get("abstained") is not True else ReadReply(())
        )
    torn = _TORN_TEXT.search(raw, found.start) if found.truncated else None
    if torn is None:
        return ReadReply((), ("an object without statements",))
    try:
        text = json.loads(f'"{torn[1]}"', strict=False)
    except ValueError:
        return ReadReply((), ("an object without statements",))
    return ReadReply(statements_of_text(text)[:-1])


def statements_of_text(text: str) -> tuple[Statement, ...]:
    """Prose, cut into statements; markers stay where they are.

    >>> [
    ...     one.text
    ...     for one in statements_of_text("Entry is free. [c-1] Tours cost 5 EUR [2].\\n\\n- Dogs pay, too.")
    ... ]
    ['Entry is free. [c-1]', 'Tours cost 5 EUR [2].', '- Dogs pay, too.']
    """
    return tuple(Statement(span.of(text).strip()) for span in islice(_pieces(text), MAX_STATEMENTS + 1))


def _pieces(text: str) -> Iterator[Span]:
    """Spans of ``text`` that are one sentence with its markers, or an undivided block."""
    at = 0
    for paragraph in re.split(r"(\n\s*\n)", text):
        span = Span(at, at + len(paragraph))
        at = span.end
        if not paragraph.strip():
            continue
        if _UNDIVIDED.search(paragraph):
            yield span
            continue
        start = 0
        for end in _ends(parse_markers(paragraph, _ANY_ID)):
            if paragraph[start:end].strip():
                yield Span(span.start + start, span.start + end)
            start = max(start, end)
        if paragraph[start:].strip():
            yield Span(span.start + start, span.end)


def _ends(parsed: ParsedAnswer) -> list[int]:
    """Where the sentences end in the text as written, their markers included."""
    ends = [parsed.original(sentence).end for sentence in parsed.sentences]
    for marker in parsed.markers:
        if marker.sentence is not None:
            ends[marker.sentence] = max(ends[marker.sentence], marker.span.end)
    return ends


_ARGUMENTS = ("arguments", "input", "parameters")
_PROSE_FENCE = re.compile(r"```(?:json|markdown|md|te?xt|plaintext)?[ \t]*\n", re.IGNORECASE)


def unwrapped(reply: str) -> str:
    """What a reply holds that is nothing but a wrapping: a JSON string, a list of strings, a tool call whose arguments
    are a string, or prose with markers in one code fence. Empty when it is none of these.

    >>> unwrapped('["Entry is free [c-1].", "Dogs pay [c-2]."]'), unwrapped("Entry is free [c-1].")
    ('Entry is free [c-1].\\n\\nDogs pay [c-2].', '')
    >>> unwrapped("```\\nEntry is free [c-1].\\n```"), unwrapped("```\\nmake install\\n```")
    ('Entry is free [c-1].', '')
    """
    text = reply.strip()
    fence = _PROSE_FENCE.match(text)
    if fence and text.endswith("```") and text.count("```") == 2:
        inner = text[fence.end() : -3].strip()
        return inner if parse_markers(inner, _ANY_ID).markers else ""
    if not text.startswith(('"', "[", "{")):
        return ""
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return ""
    if isinstance(value, dict):
        value = next((value[key] for key in _ARGUMENTS if isinstance(value.get(key), str)), "")
    if isinstance(value, list):
        return "\n\n".join(value) if all(isinstance(one, str) for one in value) else ""
    return value if isinstance(value, str) else ""


# --- source 004: markers and a list of quotes ---------------------------------------------------


def _quoted(answer: str, citations: Sequence[Mapping[str, object]]) -> ReadReply:
    statements = statements_of_text(answer)
    marked = [[one.id for one in parse_markers(one.text, _ANY_ID).markers] for one in statements]
    printed = Counter(_number(spelled) for ids in marked for spelled in ids)
    quotes = [Quote(name, _text(one.get("quote"))) for one in citations if (name := _id(one))]
    if not printed:
        return ReadReply(tuple(Statement(one.text, tuple(quotes)) for one in statements))
    given: dict[str, list[Quote]] = {}
    for quote in quotes:
        given.setdefault(_number(quote.id), []).append(quote)
    used = dict.fromkeys(given, 0)
    read = []
    for statement, ids in zip(statements, marked, strict=True):
        here = []
        for spelled in ids:
            name = _number(spelled)
            if name not in given:
                continue
            # As many quotes as markers: each marker has its own.
            place = used[name] if printed[name] == len(given[name]) else 0
            used[name] += 1
            here.append(Quote(spelled, given[name][place].quote))
        read.append(Statement(statement.text, tuple(dict.fromkeys(here))))
    unprinted = [name for name in given if name not in printed]
    return ReadReply(tuple(read), tuple(f"a citation without a marker: {name[:40]}" for name in unprinted))


def _citations(value: Mapping[str, object]) -> list[dict[str, object]]:
    items = value.get("citations")
    return [one for one in items if isinstance(one, dict)] if isinstance(items, list) else []


def _id(citation: Mapping[str, object]) -> str:
    for key in ("id", "chunk_id"):
        value = citation.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip("[] ")
    return ""


def _number(spelled: str) -> str:
    """One name for ``c-3``, ``3`` and ``[3]``."""
    return spelled.casefold().removeprefix("c-")


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


# --- source 003: numbers into the list of citations ---------------------------------------------


def _grounded(text: str, citations: Sequence[Mapping[str, object]]) -> ReadReply:
    """``[n]`` is ``citations[n - 1]``. A number without an entry stands for a source that nobody knows."""
    statements, problems = [], []
    for piece in statements_of_text(text):
        parsed = parse_markers(piece.text, _ANY_ID)
        quotes: list[Quote] = []
        for marker in parsed.markers:
            place = (
                int(marker.id) if marker.id.isascii() and marker.id.isdecimal() and len(marker.id) < 6 else 0
            )
            if 1 <= place <= len(citations):
                quotes += _spans(citations[place - 1])
            else:
                quotes.append(Quote(f"citations[{marker.id}]"))
                problems.append(f"a marker without a citation: [{marker.id[:40]}]")
        statements.append(Statement(parsed.plain.strip(), tuple(dict.fromkeys(quotes))))
    return ReadReply(tuple(statements), tuple(problems))


def _spans(citation: Mapping[str, object]) -> list[Quote]:
    spans = citation.get("spans")
    items = [one for one in spans if isinstance(one, dict)] if isinstance(spans, list) else []
    name = _id(citation)
    found = [
        Quote(
            chunk_id if isinstance(chunk_id := one.get("chunk_id"), str) and chunk_id else name, _preview(one)
        )
        for one in items
    ]
    return [quote for quote in found if quote.id] or (
        [Quote(name, _text(citation.get("quote")))] if name else []
    )


def _preview(span: Mapping[str, object]) -> str | None:
    """The words of a span without the dots that show where it was cut."""
    words = _text(span.get("preview") if "preview" in span else span.get("quote"))
    return None if words is None else words.strip().strip("…").strip() or None
