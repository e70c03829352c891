"""Citation markers printed into an answer, in each of the forms that readers of answers expect.

Markers stand before the final stop of their sentence. What is printed is read back by ``parse_markers``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Literal

from pincite.findings import Pointer
from pincite.text.brackets import SUPERSCRIPTS, Found, find_markers, replace_markers
from pincite.text.grammar import Ids
from pincite.text.markup import inside, opaque_spans
from pincite.text.sentences import CLOSERS, STOPS, split_sentences
from pincite.types import Span

MarkerStyle = Literal["n", "c", "source", "chunk", "superscript"]

_CLOSING_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})\Z")
_NUMBER = re.compile(r"\d+\Z")
_TO_SUPERSCRIPT = str.maketrans("0123456789", SUPERSCRIPTS)
_DENSE = re.compile(
    "[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff9f]"
)


def print_markers(
    plain: str,
    pointers: Iterable[Pointer],
    style: MarkerStyle = "n",
    *,
    labels: Mapping[str, str] | None = None,
    sentences: Sequence[Span] | None = None,
) -> str:
    """``plain`` with a marker for every pointer, each once at its place.

    Args:
        plain: A text without markers.
        pointers: What is cited, and where (``at`` is in ``plain``). Several at one place keep their order.
        style: ``n`` [1], ``c`` [c-3], ``source`` [Source 3], ``chunk`` [doc-returns-chunk-3], ``superscript`` ¹.
        labels: What stands for an id: its number, or its name for ``c`` and ``chunk``. ``None`` counts numbers by first
            appearance, but a source keeps the number of its id (``c-3`` is Source 3); names are the ids themselves.
            An unknown id, and one without a label, is printed as it was written: ``[c-9]``.
        sentences: The sentences of ``plain``, when they are at hand.

    >>> print_markers(
    ...     "Entry is free. Tours: 5 EUR.", [Pointer("c-4", 14), Pointer("c-2", 28), Pointer("c-4", 28)]
    ... )
    'Entry is free [1]. Tours: 5 EUR [2][1].'
    """
    spans = split_sentences(plain) if sentences is None else sentences
    ends = {span.end: span.start for span in spans}
    opaque = opaque_spans(plain)
    ordered = sorted(pointers, key=lambda pointer: pointer.at)
    names = _names(ordered, style) if labels is None else labels
    marks: dict[int, list[str]] = {}
    last = 0
    for pointer in ordered:
        last = max(last, _place(plain, pointer.at, ends, opaque))
        mark = _mark(names[pointer.id], style) if pointer.known and pointer.id in names else f"[{pointer.id}]"
        if mark not in marks.setdefault(last, []):
            marks[last].append(mark)
    out: list[str] = []
    written = 0
    for at, here in marks.items():
        out += [plain[written:at], *_spaced(plain, at, here)]
        written = at
    return "".join([*out, plain[written:]])


def _mark(name: str, style: MarkerStyle) -> str:
    if style == "superscript" and name.isascii() and name.isdecimal():
        return name.translate(_TO_SUPERSCRIPT)
    return f"[Source {name}]" if style == "source" else f"[{name}]"


def _spaced(plain: str, at: int, marks: Sequence[str]) -> list[str]:
    """The markers of one place with the blank before them, or behind where they lead their line."""
    before = plain[at - 1 : at] if at else ""
    joined = [marks[0]]
    for one, following in pairwise(marks):
        joined += ["˒" if one[-1] in SUPERSCRIPTS and following[0] in SUPERSCRIPTS else "", following]
    if not before or before in "\n\r\f":
        return [*joined, " "] if at < len(plain) and not plain[at].isspace() else joined
    if _CLOSING_FENCE.match(plain[plain.rfind("\n", 0, at) + 1 : at]):
        # On the same line it would keep the fence from closing.
        return ["\n", *joined]
    if marks[0][0] in SUPERSCRIPTS:
        return ["\u2009" if before.isdigit() or before in SUPERSCRIPTS else "", *joined]
    return joined if before.isspace() or _DENSE.match(before) else [" ", *joined]


def _names(ordered: Sequence[Pointer], style: MarkerStyle) -> dict[str, str]:
    ids = dict.fromkeys(pointer.id for pointer in ordered if pointer.known)
    if style in ("c", "chunk"):
        return {one: one for one in ids}
    if style == "source":
        own = {one: found.group() for one in ids if (found := _NUMBER.search(one))}
        if len(set(own.values())) == len(ids):
            return own
    return {one: str(number) for number, one in enumerate(ids, start=1)}


def _place(plain: str, at: int, ends: Mapping[int, int], opaque: Sequence[Span]) -> int:
    """Before the final stop when ``at`` is the end of a sentence; never inside code, links or words."""
    at = min(max(at, 0), len(plain))
    if at in ends:
        first = ends[at]
        stop = at
        while stop > first and plain[stop - 1] in CLOSERS:
            stop -= 1
        before = stop
        while before > first and plain[before - 1] in STOPS:
            before -= 1
        if first < before < stop and not inside(opaque, before):
            return before
    while inside(opaque, at) and at < len(plain) and (not at or inside(opaque, at - 1)):
        at += 1
    return at


def renumber(answer: str, context_ids: Iterable[str] | Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """Number the markers of an answer by first appearance, in one pass.

    Returns:
        The answer with ``[1]``, ``[2]``, … and the old ids in the order of their new numbers. An unknown id keeps
        its marker, unless that could be taken for a new number: then it becomes ``[?]``.

    >>> renumber("The fee is 5 EUR [5]. It is due monthly [2]. Late payers pay more [5][1].", ["1", "2", "5"])
    ('The fee is 5 EUR [1]. It is due monthly [2]. Late payers pay more [1][3].', ('5', '2', '1'))
    """
    found = tuple(find_markers(answer, Ids(context_ids)))
    order = tuple(dict.fromkeys(one.id for marker in found for one in marker.cited if one.known))
    numbers = {one: str(number) for number, one in enumerate(order, start=1)}
    taken = set(numbers.values())

    def printed(marker: Found) -> str:
        names = [numbers[one.id] if one.known else "?" if one.id in taken else one.id for one in marker.cited]
        return "[" + ", ".join(dict.fromkeys(names)) + "]"

    return replace_markers(answer, found, printed), order


def without_stop(value: str) -> str:
    """A value without the full stop of its sentence.

    >>> without_stop("8 am."), without_stop("8 a.m."), without_stop("9 EUR")
    ('8 am', '8 a.m.', '9 EUR')
    """
    return value.removesuffix(".") if "." not in value[:-1].rsplit(" ", 1)[-1] else value
