"""Compare the numbers of two texts: are they the same, the same in another form, or changed?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from pincite.findings import Difference
from pincite.text.literals import Literal, find_literals, same_literal, with_digits
from pincite.text.rewrite import LINK_TARGET, plain, seen, without_unseen
from pincite.types import Span

_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d[\d.,:/'\u2019]*")
_BEHIND = re.compile(r"(\s?[^\w\s]{0,2})(\s{0,2}[^\W\d_]*\s{0,2}[^\W\d_]*)")
_MEANT = frozenset(
    "-+\u2212\u2013\u00b1<>\u2264\u2265=\u2260~\u2248%\u2030\u066a\u00b0\u2032\u2033$\u20ac\u00a3\u00a5\u20b9\u20a9\u00a7\u00b2\u00b3\u00b9#^/\u00d7"
)
_SIGNS = 3
_CURRENCIES = "$€£¥₹₩"

_LOOK_AHEAD = 12


@dataclass(frozen=True, slots=True)
class Figures:
    """The literals of a quote and of a passage, in order, and what became of them.

    ``changed``: the differences; their source spans count from the start of the passage. ``converted``: one is
    said in another form. ``ours`` and ``theirs`` are empty when all are written alike.
    """

    changed: tuple[Difference, ...] = ()
    converted: bool = False
    ours: tuple[Literal, ...] = ()
    theirs: tuple[Literal, ...] = ()


def numbers_agree(quote: str, source: str, language: str | None) -> bool | None:
    """Whether two texts name the same numbers in order: ``None`` if so in another written form.

    >>> (
    ...     numbers_agree("1 GB", "1 GB", None),
    ...     numbers_agree("1 GB", "1000 MB", None),
    ...     numbers_agree("1.5", "15", None),
    ... )
    (True, None, False)
    """
    figures = compare_figures(quote, source, language)
    if figures.changed:
        return False
    return None if figures.converted else True


def compare_figures(quote: str, source: str, language: str | None) -> Figures:
    """Pair the literals of both texts and compare each pair. Linear but for a handful of numbers."""
    if _DIGIT.search(quote) is None and _DIGIT.search(source) is None:
        return Figures()
    if _as_written(seen(quote)) == _as_written(seen(source)):
        return Figures()
    figures = _compare(quote, source, language)
    if figures.changed:
        # Perhaps one side spells its numbers out.
        spelled = with_digits(quote), with_digits(source)
        if spelled != (quote, source):
            ours = _over_words(_literals(spelled[0], language), quote, spelled[0])
            theirs = _over_words(_literals(spelled[1], language), source, spelled[1])
            if len(ours) == len(theirs) and all(map(same_literal, ours, theirs)):
                return Figures((), True, ours, theirs)
    return figures


def _over_words(literals: Sequence[Literal], text: str, spelled: str) -> tuple[Literal, ...]:
    """The literals of ``spelled`` with the whole of the number words that ``text`` has in their place."""
    found = []
    for literal in literals:
        start = literal.start
        while start and spelled[start - 1] == " " and not text[start - 1].isspace():
            start -= 1
        found.append(literal if start == literal.start else replace(literal, start=start))
    return tuple(found)


def _compare(quote: str, source: str, language: str | None) -> Figures:
    ours, theirs = _literals(quote, language), _literals(source, language)
    changed: list[Difference] = []
    converted = False
    for one, two in _pair(ours, theirs):
        if one and two and same_literal(one, two):
            converted = converted or not _same_form(one, two)
        else:
            changed.append(_difference(quote, source, one, two))
    if not changed and not converted:
        return Figures()
    return Figures(tuple(changed), converted, ours, theirs)


@lru_cache(maxsize=32)
def _as_written(text: str) -> list[tuple[str, str, str, list[str]]]:
    """Each number with the signs before it and two words behind it. Where all of this is the same on both sides
    the numbers are too, and nothing needs to be read."""
    if "](" in text:
        text = LINK_TARGET.sub("", text)
    found = []
    for match in _NUMBER.finditer(text):
        start, end = match.span()
        low = start
        while low and start - low < _SIGNS and not text[low - 1].isalnum():
            low -= 1
        behind = _BEHIND.match(text, end)
        assert behind is not None  # it may match nothing, but it always matches
        signs = "".join(filter(_MEANT.__contains__, text[low:start]))
        after = "".join(filter(_MEANT.__contains__, behind.group(1)))
        found.append((signs, match.group(), after, behind.group(2).split()))
    return found


@lru_cache(maxsize=32)
def _literals(text: str, language: str | None) -> tuple[Literal, ...]:
    """The literals of a text, whatever unseen characters run through them; places are in the text as given."""
    rewritten = without_unseen(text)
    if rewritten is None:
        return find_literals(plain(text), language)
    found = []
    for literal in find_literals(plain(rewritten.text), language):
        span = rewritten.original(Span(literal.start, literal.end))
        found.append(replace(literal, start=span.start, end=span.end))
    return tuple(found)


def _same_form(one: Literal, two: Literal) -> bool:
    return one.raw.casefold() == two.raw.casefold()


def _pair(ours: Sequence[Literal], theirs: Sequence[Literal]) -> list[tuple[Literal | None, Literal | None]]:
    """Literals side by side: equal ones in order first, then the rest between them."""
    if len(ours) == len(theirs):
        return list(zip(ours, theirs, strict=True))
    pairs: list[tuple[Literal | None, Literal | None]] = []
    place = 0
    for one in ours:
        nearby = range(place, min(len(theirs), place + _LOOK_AHEAD))
        match = next((i for i in nearby if same_literal(one, theirs[i])), None)
        if match is None:
            if place < len(theirs) and len(ours) >= len(theirs):
                pairs.append((one, theirs[place]))
                place += 1
            else:
                pairs.append((one, None))
            continue
        pairs += [(None, theirs[i]) for i in range(place, match)]
        pairs.append((one, theirs[match]))
        place = match + 1
    return pairs + [(None, theirs[i]) for i in range(place, len(theirs))]


def _difference(quote: str, source: str, one: Literal | None, two: Literal | None) -> Difference:
    return Difference(
        _kind(one, two),
        quote[one.start : one.end] if one else "",
        source[two.start : two.end] if two else "",
        Span(one.start, one.end) if one else None,
        Span(two.start, two.end) if two else None,
    )


def _kind(one: Literal | None, two: Literal | None) -> str:
    if one is None or two is None:
        return "number"
    if one.dimensions != two.dimensions and one.raw.strip(_CURRENCIES) == two.raw.strip(_CURRENCIES):
        return "currency"
    return "unit" if one.readings & two.readings else "number"
