"""Where a Markdown text is not prose: code, mathematics, links, addresses, tags.

What stands there is never a citation marker. Every construct ends inside its block; all is found in linear time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from pincite.text.blocks import Block, BlockKind, blocks
from pincite.types import Span

_TICKS = re.compile(r"`+")
_MATHS_SIGNS = re.compile(r"[\\^_=+<>{}*|~]|\b[a-zA-Z]\b")
_DESTINATION = re.compile(
    r"""\(\s*(?:<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?\s*\)"""
)
_DEFINITION = re.compile(
    r"[ \t>]*\[(?:\^[^\]\s]{1,80}\]:|[^\]\n]{1,200}\]:[ \t]*(?:<|https?:|www\.|mailto:|[/#.])[^\n]*)"
)
_CHECKBOX = re.compile(r"[ \t>]*[-*+][ \t]+(\[[ xX]\])[ \t]")
_URL = re.compile(r"(?:https?|ftp)://[^\s<>\[\]]*(?:\[[^\s\[\]]*\][\w=&/%+~-][^\s<>\[\]]*)*")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_LINE_BREAK = re.compile("[\n\r\f\u2028\u2029]")
_BRACKETS = re.compile(r"[\[\]]")


def opaque_spans(text: str, parts: Iterable[Block] | None = None) -> tuple[Span, ...]:
    """Spans of ``text`` that are code, mathematics, links (text and target), addresses or tags with attributes.

    Args:
        text: A Markdown or plain text.
        parts: Its ``blocks``, when they are at hand.

    Returns:
        Ordered, without overlap. A code fence is one span.

    >>> text = "Call `rates[1]`, see [the list](https://example.org/[2]) [3]."
    >>> [span.of(text) for span in opaque_spans(text)]
    ['`rates[1]`', '[the list](https://example.org/[2])']
    """
    out: list[Span] = []
    for block in parts if parts is not None else blocks(text):
        if block.kind is BlockKind.CODE:
            out.append(block.span)
        else:
            out += _inline(text, block.span)
    return tuple(out)


def inside(spans: Sequence[Span], at: int) -> bool:
    """Whether ``at`` lies in one of ``spans``, which are ordered and do not overlap."""
    place = bisect_right(spans, at, key=lambda span: span.start) - 1
    return place >= 0 and at < spans[place].end


def _inline(text: str, span: Span) -> list[Span]:
    if not any(sign in text[span.start : span.end] for sign in "[［【〖\ue200"):
        return list(_code_spans(text, span))
    found = list(_code_spans(text, span))
    found = _merged([*found, *_outside(found, _maths(text, span))])
    links = [*_definitions(text, span), *_links(text, span, found)]
    found = _merged([*found, *links])
    patterns = [Span(*m.span()) for m in _URL.finditer(text, span.start, span.end) if "[" in m.group()]
    patterns += [
        Span(*m.span())
        for m in _TAG.finditer(text, span.start, span.end)
        if "=" in m.group() and "[" in m.group()
    ]
    return _merged([*found, *_outside(found, patterns)])


def _outside(taken: Sequence[Span], spans: Iterable[Span]) -> Iterator[Span]:
    return (span for span in spans if not inside(taken, span.start))


def _merged(spans: list[Span]) -> list[Span]:
    out: list[Span] = []
    for span in sorted(spans):
        if out and span.start < out[-1].end:
            out[-1] = Span(out[-1].start, max(out[-1].end, span.end))
        else:
            out.append(span)
    return out


def _code_spans(text: str, span: Span) -> Iterator[Span]:
    """A run of backticks opens code when a run of the same length follows."""
    runs = [m.span() for m in _TICKS.finditer(text, span.start, span.end)]
    later: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[index][1] - runs[index][0], []).append(index)
    at = 0
    while at < len(runs):
        start, end = runs[at]
        if start > span.start and text[start - 1] == "\\":
            at += 1
            continue
        same = later[end - start]
        while same and same[-1] <= at:
            same.pop()
        if not same:
            at += 1
            continue
        yield Span(start, runs[same[-1]][1])
        at = same[-1] + 1


def _maths(text: str, span: Span) -> Iterator[Span]:
    for opening, closing in (("$$", "$$"), ("\\(", "\\)"), ("\\[", "\\]")):
        at = text.find(opening, span.start, span.end)
        while at >= 0:
            end = text.find(closing, at + 2, span.end)
            if end < 0:
                break
            # Some models write a marker as \[1\].
            if opening != "\\[" or _MATHS_SIGNS.search(text, at + 2, end):
                yield Span(at, end + 2)
            at = text.find(opening, end + 2, span.end)
    yield from _dollars(text, span)


def _dollars(text: str, span: Span) -> Iterator[Span]:
    """``$x[1]$``: no blank inside at either end, no digit behind, and something in it that prices do not have."""
    opened = -1
    at = text.find("$", span.start, span.end)
    while at >= 0:
        before, after = text[at - 1 : at] if at > span.start else "", text[at + 1 : at + 2]
        closes = opened >= 0 and not before.isspace() and not after.isdigit() and at > opened + 1
        inner = text[opened + 1 : at] if closes and at - opened < 1_000 else ""
        if inner and "\n\n" not in inner and (_MATHS_SIGNS.search(inner) or not any(map(str.isspace, inner))):
            yield Span(opened, at + 1)
            opened = -1
        elif after and not after.isspace() and not before.isalnum() and before != "\\":
            opened = at
        at = text.find("$", at + 1, span.end)


def _definitions(text: str, span: Span) -> Iterator[Span]:
    """``[1]: https://…`` and ``[^1]: …`` at the start of a line say what a label stands for; ``- [x]`` is a check box."""
    at = span.start
    while at < span.end:
        if found := _DEFINITION.match(text, at, span.end):
            yield Span(*found.span())
        elif box := _CHECKBOX.match(text, at, span.end):
            yield Span(*box.span(1))
        line_break = _LINE_BREAK.search(text, at, span.end)
        at = line_break.end() if line_break else span.end


def _links(text: str, span: Span, taken: Sequence[Span]) -> Iterator[Span]:
    """``[text](target)`` and ``![text](target)``, the outermost where they nest."""
    opened: list[int] = []
    for found in _BRACKETS.finditer(text, span.start, span.end):
        at = found.start()
        if inside(taken, at):
            continue
        if found.group() == "[":
            opened.append(at)
            continue
        start = opened.pop() if opened else -1
        if start >= 0 and (target := _DESTINATION.match(text, at + 1, span.end)):
            image = start > span.start and text[start - 1] == "!"
            yield Span(start - image, target.end())
