"""What a model's server sends, read within bounds: server-sent events, or one JSON body."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterable, Iterator, Mapping

MAX_EVENT_CHARS = 1_000_000
"""One event is a few words. A server that sends more without an end is broken or hostile."""

MAX_BODY_CHARS = 10_000_000


class ReplyFault(Exception):
    """What a server sent is no reply. ``retryable`` says whether the same call may work later."""

    def __init__(self, message: str, *, retryable: bool) -> None:
        super().__init__(message)
        self.retryable = retryable


class OutOfTime(Exception):
    """The whole call took longer than it may."""


def in_time(chunks: Iterable[bytes], deadline: float, clock: Callable[[], float]) -> Iterator[bytes]:
    """``chunks`` as long as ``clock`` is before ``deadline``: a server that drips keeps no time-out of its own waiting."""
    for chunk in chunks:
        if clock() > deadline:
            raise OutOfTime
        yield chunk


def events(chunks: Iterable[bytes], *, content_type: str) -> Iterator[Mapping[str, object]]:
    """The JSON objects of a reply: each event of a stream, or the one body of a server that does not stream.

    Bytes that are no UTF-8 become replacement characters. An event without its empty line at the end is dropped.

    Raises:
        ReplyFault: If it is neither, or too large.

    >>> list(
    ...     events(
    ...         [b'data: {"a"', b": 1}\\r\\n\\r\\n: ping\\n\\ndata: [DONE]\\n\\n"],
    ...         content_type="text/event-stream",
    ...     )
    ... )
    [{'a': 1}]
    """
    if "html" in content_type:
        raise ReplyFault(f"answered with a web page ({content_type[:40]})", retryable=False)
    text = _text(chunks)
    first = next((piece for piece in text if piece.strip()), "")
    if first.lstrip().startswith(("{", "[")):
        yield _body(first, text)
        return
    is_stream = False
    for data in _data(_lines(first, text)):
        is_stream = True
        if data.strip() == "[DONE]":
            return
        yield _object(data)
    if first and not is_stream:
        raise ReplyFault(f"gave something that is no reply of a model: {first[:80]!r}", retryable=False)


def _text(chunks: Iterable[bytes]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for chunk in chunks:
        yield decoder.decode(chunk)
    yield decoder.decode(b"", final=True)


def _body(first: str, rest: Iterable[str]) -> Mapping[str, object]:
    parts, chars = [first], len(first)
    for piece in rest:
        parts.append(piece)
        chars += len(piece)
        if chars > MAX_BODY_CHARS:
            raise ReplyFault(f"sent more than {MAX_BODY_CHARS:,} characters", retryable=False)
    return _object("".join(parts))


def _object(data: str) -> Mapping[str, object]:
    try:
        value = json.loads(data, strict=False)
    except (ValueError, RecursionError):
        raise ReplyFault(f"sent JSON that cannot be read: {data[:80]!r}", retryable=True) from None
    if not isinstance(value, dict):
        raise ReplyFault(f"sent {type(value).__name__} where an object belongs", retryable=False)
    return value


def _lines(first: str, rest: Iterable[str]) -> Iterator[str]:
    r"""Lines without their ends (``\n``, ``\r\n`` or ``\r``), the last only when it is ended."""
    held, chars = [first.lstrip("\ufeff")], len(first)
    while True:
        joined = "".join(held)
        # A last \r may be the first half of \r\n.
        ready, last = (joined[:-1], "\r") if joined.endswith("\r") else (joined, "")
        *whole, open_end = ready.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        yield from whole
        held, chars = [open_end + last], len(open_end)
        for piece in rest:
            held.append(piece)
            chars += len(piece)
            if chars > MAX_EVENT_CHARS:
                raise ReplyFault(
                    f"sent an event of more than {MAX_EVENT_CHARS:,} characters", retryable=False
                )
            if "\n" in piece or "\r" in piece:
                break
        else:
            if last:
                yield open_end
            return


def _data(lines: Iterable[str]) -> Iterator[str]:
    """The data of each event."""
    held: list[str] = []
    chars = 0
    for line in lines:
        if not line:
            if held:
                yield "\n".join(held)
            held, chars = [], 0
        elif line.startswith("data:"):
            held.append(line.removeprefix("data:").removeprefix(" "))
            chars += len(line)
            if chars > MAX_EVENT_CHARS:
                raise ReplyFault(
                    f"sent an event of more than {MAX_EVENT_CHARS:,} characters", retryable=False
                )
    if held and "\n".join(held).strip() == "[DONE]":
        yield "[DONE]"
