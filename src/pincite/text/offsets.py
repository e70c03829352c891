"""Offsets in other units than code points: here, and nowhere else, where they leave Python or come in."""

from __future__ import annotations

from collections.abc import Callable

from pincite.types import Span


def utf16_span(text: str, span: Span) -> Span:
    """``span`` of ``text`` in UTF-16 units, as JavaScript counts them.

    >>> utf16_span("🎈 ice", Span(2, 5))
    Span(start=3, end=6)
    """
    start = _utf16_length(text[: span.start])
    return Span(start, start + _utf16_length(text[span.start : span.end]))


def utf8_span(text: str, span: Span) -> Span:
    """``span`` of ``text`` in bytes of UTF-8. A lone surrogate counts three.

    >>> utf8_span("🎈 ice", Span(2, 5))
    Span(start=5, end=8)
    """
    start = _utf8_length(text[: span.start])
    return Span(start, start + _utf8_length(text[span.start : span.end]))


def span_from_utf16(text: str, span: Span) -> Span:
    """The code points of ``text`` that ``span``, in UTF-16 units, covers; a half character counts whole.

    >>> span_from_utf16("🎈 ice", Span(3, 6))
    Span(start=2, end=5)
    """
    data = text.encode("utf-16-le", "surrogatepass")
    return _covering(text, span, len(data) // 2, _utf16_length)


def span_from_utf8(text: str, span: Span) -> Span:
    """The code points of ``text`` that ``span``, in bytes of UTF-8, covers; a half character counts whole.

    >>> span_from_utf8("🎈 ice", Span(5, 8))
    Span(start=2, end=5)
    """
    return _covering(text, span, _utf8_length(text), _utf8_length)


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _utf8_length(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _covering(text: str, span: Span, total: int, length: Callable[[str], int]) -> Span:
    if span.end > total:
        raise ValueError(f"the span ends at {span.end}, the text at {total}")
    start = _last_at_or_before(text, span.start, length)
    end = _last_at_or_before(text, span.end, length)
    inside = length(text[:end]) < span.end
    return Span(start, end + 1 if inside else end)


def _last_at_or_before(text: str, units: int, length: Callable[[str], int]) -> int:
    """The greatest number of characters of ``text`` that take at most ``units``."""
    low, high, done = 0, len(text), 0
    while low < high:
        middle = (low + high + 1) // 2
        step = length(text[low:middle])
        if done + step <= units:
            low, done = middle, done + step
        else:
            high = middle - 1
    return low
