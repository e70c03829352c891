"""Citation markers printed into an answer, in each of the forms that readers of answers expect.

Markers stand before the final stop of their sentence. What is printed is read back by ``parse_markers``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Literal

from pincite.text.brackets import SUPERSCRIPTS, Found, find_markers, replace_markers
from pincite.text.grammar import Ids
from pincite.text.markup import inside, opaque_spans
from pincite.text.sentences import CLOSERS, STOPS, split_sentences
from pincite.types import Pointer, Span

MarkerStyle = Literal["n", "c", "source", "chunk", "superscript"]

_NUMBER = re.compile(r"\d+\Z")
_TO_SUPERSCRIPT = str.maketrans("0123456789", SUPERSCRIPTS)
_DENSE = re.compile(
    "[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff9f]"
)


def print_markers(
    plain: str,
    pointers: Iterable[Pointer],
    sentences: Sequence[Span] | None = None,
    labels: Mapping[str, str] | None = None,
    *,
    wrap: tuple[str, str] = ("[", "]"),
    only: Span | None = None,
) -> str:
    """``plain`` with a marker for every pointer, each once at its place.

    Args:
        plain: A text without markers.
        pointers: What is cited, and where (``at`` is in ``plain``). Several at one place keep their order.
        sentences: The sentences of ``plain``; ``None`` splits it.
        labels: What is printed for an id; ``None`` numbers the known ids by first appearance. An id without a label
            is printed as it was written, always in square brackets.
        wrap: What stands round a label; ``("", "")`` for superscripts.
        only: The part of ``plain`` to print; pointers elsewhere are left out.

    >>> print_markers(
    ...     "Entry is free. Tours: 5 EUR.", [Pointer("c-4", 14), Pointer("c-2", 28), Pointer("c-4", 28)]
    ... )
    'Entry is free [1]. Tours: 5 EUR [2][1].'
    """
    part = Span(0, len(plain)) if only is None else only
    spans = split_sentences(plain) if sentences is None else sentences
    ends = {span.end: span.start for span in spans}
    opaque = opaque_spans(plain)
    ordered = sorted((p for p in pointers if part.start <= p.at <= part.end), key=lambda pointer: pointer.at)
    names = marker_labels(ordered, "n") if labels is None else labels
    marks: dict[int, list[str]] = {}
    last = part.start
    for pointer in ordered:
        last = min(max(last, _place(plain, pointer.at, ends, opaque)), part.end)
        known = pointer.known and pointer.id in names
        mark = wrap[0] + names[pointer.id] + wrap[1] if known else f"[{pointer.id}]"
        if mark not in marks.setdefault(last, []):
            marks[last].append(mark)
    out: list[str] = []
    written = part.start
    for at, here in marks.items():
        out += [plain[written:at], *_spaced(plain, at, part, here)]
        written = at
    return "".join([*out, plain[written : part.end]])


def _spaced(plain: str, at: int, part: Span, marks: Sequence[str]) -> list[str]:
    """The markers of one place with the blank before them, or behind where they lead their line."""
    before = plain[at - 1 : at] if at > part.start else ""
    joined = [marks[0]]
    for one, following in pairwise(marks):
        joined += ["˒" if one[-1] in SUPERSCRIPTS and following[0] in SUPERSCRIPTS else "", following]
    if not before or before in "\n\r\f":
        return [*joined, " "] if at < part.end and not plain[at].isspace() else joined
    if marks[0][0] in SUPERSCRIPTS:
        return ["\u2009" if before.isdigit() or before in SUPERSCRIPTS else "", *joined]
    return joined if before.isspace() or _DENSE.match(before) else [" ", *joined]


def marker_labels(pointers: Iterable[Pointer], style: MarkerStyle) -> dict[str, str]:
    """What to print for each known id: ``n`` [1], ``c`` [c-3], ``source`` [Source 3], ``chunk`` [doc-x-chunk-3],
    ``superscript`` ¹ (with ``wrap=("", "")``).

    Numbers count by first appearance, but a source keeps the number of its id: ``c-3`` is Source 3.

    >>> marker_labels([Pointer("c-3", 0), Pointer("c-1", 5)], "source")
    {'c-3': 'Source 3', 'c-1': 'Source 1'}
    """
    ids = dict.fromkeys(pointer.id for pointer in pointers if pointer.known)
    if style in ("c", "chunk"):
        return {one: one for one in ids}
    numbers = {one: str(number) for number, one in enumerate(ids, start=1)}
    if style == "superscript":
        return {one: number.translate(_TO_SUPERSCRIPT) for one, number in numbers.items()}
    if style == "source":
        own = {one: found.group() for one in ids if (found := _NUMBER.search(one))}
        numbers = own if len(set(own.values())) == len(ids) else numbers
        return {one: f"Source {number}" for one, number in numbers.items()}
    return numbers


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
