"""Reference marks of a source's own (``[26]``, ``[note 3]``): they number its notes and cite none of our passages."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from pincite.text.blocks import blocks
from pincite.text.brackets import Found, find_markers
from pincite.text.grammar import Ids
from pincite.text.markup import opaque_spans
from pincite.text.stops import MISSING, NOTE, PAGES
from pincite.text.unmarked import take_out
from pincite.types import Span

_LABELLED = re.compile(rf"\[({NOTE} ?\d{{1,3}}|{MISSING})\](?!\()", re.IGNORECASE)
_LETTER = re.compile(r"(?<=[.!?,;:)”\"])\[([a-z])\](?!\()")
_NUMBERED = Ids(["1"])
# Behind these words two numbers in brackets are an interval. Source: by hand.
_INTERVAL = re.compile(
    r"(?:\b(?:in|within|range|interval|between|from|im|von|zwischen|bereich|intervall|entre|dans|intervalle|intervalo|en)|[=∈])"
    r"\s{1,3}\Z",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"\[[^\[\]]{0,40}\]|【[^【】]{0,40}】|［[^［］]{0,40}］")
_LAST_WORD = re.compile(r"(\w{1,12})\W*\Z")
_WORD = re.compile(r"[^\W_]")
_CONTEXT_CHARS = 80


def without_marks(text: str) -> str:
    """``text`` of a source without its reference marks; as it is when nothing else would be left.

    Code, links and intervals stay.

    >>> (
    ...     without_marks("Most pairs last a year.[26][note 3] Larger ones [4] last longer."),
    ...     without_marks("in [0, 10]"),
    ... )
    ('Most pairs last a year. Larger ones last longer.', 'in [0, 10]')
    """
    if "[" not in text:
        return text
    parts = blocks(text)
    opaque = opaque_spans(text, parts)
    found = [one for one in find_markers(text, _NUMBERED, opaque=opaque) if _is_mark(text, one)]
    for pattern in (_LABELLED, _LETTER):
        found += find_markers(text, _NUMBERED, styles=pattern, opaque=opaque)
    return _without(text, [_with_pages(text, one) for one in found])


def without_copied(text: str, quotes: Collection[str], ids: Ids, may_be: Callable[[str], bool]) -> str:
    """``text`` without the reference marks that were copied along from ``quotes``; see ``copied``."""
    return _without(text, [one for one in _copied(text, quotes, ids, may_be) if _is_mark(text, one)])


def copied(text: str, quotes: Collection[str], ids: Ids, may_be: Callable[[str], bool]) -> tuple[Span, ...]:
    """Brackets of ``text`` that a marker could be, but that stand so in the words that are quoted for it.

    Args:
        text: What a writer says.
        quotes: What it quotes of the sources for that.
        ids: Of the sources.
        may_be: Whether an id, as a marker names it, can be one that the source wrote: it is in any case not one
            that is quoted.

    Returns:
        Spans in ``text``, in order: the same bracket stands behind the same word in a quote.
    """
    return tuple(one.span for one in _copied(text, quotes, ids, may_be))


def _copied(text: str, quotes: Collection[str], ids: Ids, may_be: Callable[[str], bool]) -> Iterator[Found]:
    there = {
        (_word_before(quote, bracket.start()), bracket.group())
        for quote in quotes
        for bracket in _BRACKETED.finditer(quote)
    }
    for one in find_markers(text, ids) if there else ():
        here = (_word_before(text, one.span.start), one.span.of(text))
        if here in there and all(may_be(cited.id) for cited in one.cited):
            yield one


def _word_before(text: str, at: int) -> str:
    found = _LAST_WORD.search(_BRACKETED.sub("", text[max(0, at - _CONTEXT_CHARS) : at]))
    return found[1].casefold() if found else ""


def _is_mark(text: str, found: Found) -> bool:
    """Whether the numbers in a bracket are those of notes and no interval."""
    if any(cited.id.lstrip("0") == "" for cited in found.cited):
        return False
    before = text[max(0, found.span.start - 20) : found.span.start]
    return len(found.cited) != 2 or not _INTERVAL.search(before)


def _with_pages(text: str, found: Found) -> Found:
    pages = PAGES.match(text, found.span.end)
    return replace(found, span=Span(found.span.start, pages.end())) if pages else found


def _without(text: str, found: Collection[Found]) -> str:
    ordered = sorted(found, key=lambda one: one.span)
    if not ordered:
        return text
    parts = blocks(text)
    plain = take_out(text, ordered, parts, opaque_spans(text, parts))[0]
    return plain if _WORD.search(plain) else text
