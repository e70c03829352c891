"""Quantities of a text: numbers with unit, currency, bound and range, dates, times, versions and labels."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from pincite.text import dates
from pincite.text.fold import Folded, fold
from pincite.text.item import Item
from pincite.text.lexicon import TIER1, base_language, load_lexicon
from pincite.text.quantity import Quantity, Reading, bounds_agree, restates, same_quantity
from pincite.text.rates import find_rate
from pincite.text.scan import Words, find_words, scan
from pincite.text.units import ONE, UNITS, convert

__all__ = [
    "Quantity",
    "Reading",
    "bounds_agree",
    "compare_quantities",
    "parse_quantities",
    "restates",
    "same_quantity",
]


@lru_cache(maxsize=4096)
def parse_quantities(text: str, *, language: str | None = None) -> tuple[Quantity, ...]:
    """The quantities of ``text`` in order; spans are in ``text`` and do not overlap.

    Args:
        language: Tag of the text's language, ``None`` when unknown: then "1.234" keeps two readings and number
            words of all tier-1 languages are read, save those that mean something else elsewhere.

    >>> [(q.surface, q.kind, q.bound) for q in parse_quantities("Refunds take up to 1.5 h and cost €20.")]
    [('1.5 h', 'duration', '<='), ('€20', 'money', '')]
    """
    folded = fold(text)
    return quantities_of(text, folded, find_words(folded.low), language)


def quantities_of(text: str, folded: Folded, words: Words, language: str | None) -> tuple[Quantity, ...]:
    """``parse_quantities`` for a text that is folded and cut into words already."""
    items = scan(folded, words, language)
    if not items:
        return ()
    items = _join(folded.low, items)
    bounds = _bounds(base_language(language))
    found: list[Quantity] = []
    for item in items:
        quantity = _quantity(text, folded, item, bounds)
        if quantity is None or (quantity.weak and found and _is_rate_of(found[-1], quantity)):
            continue
        found.append(quantity)
    return tuple(found)


def _is_rate_of(quantity: Quantity, following: Quantity) -> bool:
    """Whether the "a month" that follows is the other's rate and no amount of its own."""
    return bool(quantity.rate) and following.span.start == quantity.span.end + 1


def compare_quantities(
    claim: str, source: str, *, claim_language: str | None = "en", source_language: str | None = "en"
) -> bool:
    """Whether two short texts state the same quantities, whatever the unit, spelling or script.

    Every quantity of each side must have its like on the other; the claim may be rounded (``restates``).
    Without a quantity on either side the texts themselves must be equal, layout aside.

    >>> (
    ...     compare_quantities("1 GB", "1000 MB"),
    ...     compare_quantities("8 Gb", "1 GB"),
    ...     compare_quantities("25 MB", "250 MB"),
    ... )
    (True, True, False)
    """
    ours = _stated(parse_quantities(claim, language=claim_language))
    theirs = _stated(parse_quantities(source, language=source_language))
    if not ours and not theirs:
        return " ".join(fold(claim).low.split()) == " ".join(fold(source).low.split())
    if bool(ours) != bool(theirs):
        return False
    return all(any(restates(a, b) for b in theirs) for a in ours) and all(
        any(restates(a, b) for a in ours) for b in theirs
    )


def _stated(quantities: tuple[Quantity, ...]) -> tuple[Quantity, ...]:
    strong = tuple(quantity for quantity in quantities if not quantity.weak)
    return strong or quantities


# --- joining neighbours ----------------------------------------------------------------------------

_RANGE_GAP = re.compile(
    r" ?(?:-|\.\.\.?|…|to|bis|à|a|al|til|tot|do|до|から|~|到|至|الى|حتي|से|through|until|bis zu|hasta) ?"
)
_AND_GAP = re.compile(r" (?:and|und|y|et|e|и|og|en|&) | ?(?:و|और|और|と|和|与|與|、) ?")
_BETWEEN = re.compile(r"(?:between|zwischen|entre|بين|ما بين|बीच|tra|fra|mellan|tussen|между) ?$")
_PART_GAP = re.compile(r"(?:,? (?:and |und |y |et |and )?| ?و ?| और |,)?")


def _join(low: str, items: list[Item]) -> list[Item]:
    """Dates of 年月日, compound amounts ("1 h 30 min") and ranges ("10-20 days")."""
    joined: list[Item] = []
    for item in items:
        previous = joined[-1] if joined else None
        if previous is not None and item.kind == "time":
            joined[-1] = _hour_of_range(low, previous, item)
        elif previous is not None:
            merged = (
                _join_calendar(low, previous, item)
                or _join_compound(low, previous, item)
                or _join_range(low, previous, item)
            )
            if merged is not None:
                joined[-1] = merged
                continue
        joined.append(item)
    return joined


def _hour_of_range(low: str, a: Item, b: Item) -> Item:
    """The "8" of "8 bis 17 Uhr" as a time; of "9 to 5 pm" it is open between morning and evening."""
    plain = len(a.options) == 1 and not a.readings and not a.options[0][1] and a.bare == (a.start, a.end)
    if not plain or not _RANGE_GAP.fullmatch(low, a.end, b.start):
        return a
    hour = a.options[0][0].value
    if hour.denominator != 1 or not 0 <= hour <= 24:
        return a
    open_half = "p" in low[b.bare[1] : b.end] and hour < 12
    minutes = (hour * 60, (hour + 12) * 60) if open_half else (hour * 60 % 1440,)
    return replace(a, options=(), readings=tuple(Reading("time", value) for value in minutes), kind="time")


def _join_calendar(low: str, a: Item, b: Item) -> Item | None:
    order = ("year", "month", "day")
    if a.calendar is None or b.calendar is None or low[a.end : b.start].strip():
        return None
    first, last = a.calendar[0].split("+")[-1], b.calendar[0]
    if order.index(last) != order.index(first) + 1:
        return None
    year, month, day = _calendar_parts(a)
    if last == "month":
        month = b.calendar[1]
    else:
        day = b.calendar[1]
    value = dates.canonical(year, month, day)
    if value is None:
        return None
    return Item(
        a.start,
        b.end,
        (a.start, b.end),
        readings=(Reading("date", value),),
        kind="date",
        calendar=(last, b.calendar[1]),
    )


def _calendar_parts(item: Item) -> tuple[int | None, int | None, int | None]:
    assert item.calendar is not None
    if item.kind == "date" and item.readings and isinstance(item.readings[0].low, str):
        text = item.readings[0].low
        year, month = text[:4], text[5:7]
        return (int(year) if year.isdecimal() else None, int(month) if month.isdecimal() else None, None)
    part, value = item.calendar
    return (
        value if part == "year" else None,
        value if part == "month" else None,
        value if part == "day" else None,
    )


_COMPOUND = frozenset({"duration", "months", "length", "mass"})


def _join_compound(low: str, a: Item, b: Item) -> Item | None:
    """Parts of one amount, each smaller than the unit before it."""
    if len(a.options) != 1 or not b.options or a.readings or not _PART_GAP.fullmatch(low, a.end, b.start):
        return None
    (first, unit), options = a.options[0], b.options
    if not unit or unit.startswith("money") or UNITS[unit].dimension not in _COMPOUND:
        return None
    for second, name in options:
        if not name or name.startswith("money") or UNITS[name].dimension != UNITS[unit].dimension:
            continue
        big, small = UNITS[unit].factor, UNITS[name].factor
        if small < big and second.value * small < big and first.value.denominator == 1 and second.value > 0:
            scaled = (first.value * big + second.value * small) / small
            return Item(
                a.start, b.end, (a.start, b.end), ((type(second)(scaled, second.step), name),), weak=False
            )
    return None


def _join_range(low: str, a: Item, b: Item) -> Item | None:
    if not a.options or not b.options or a.kind not in ("", "ordinal") or b.kind != "":
        return None
    between = _AND_GAP.fullmatch(low, a.end, b.start) and _BETWEEN.search(low, max(0, a.start - 10), a.start)
    if not between and not _RANGE_GAP.fullmatch(low, a.end, b.start):
        return None
    readings: list[Reading] = []
    for low_end, own in a.options:
        for high_end, written in b.options:
            name = own if own.startswith("money") and not written else written  # "$10-20"
            if own and own != name and (own.startswith("money") or name.startswith("money") or not name):
                continue
            dimension, high = convert(name, high_end.value) if name else ("plain", high_end.value)
            own_dimension, value = (
                convert(own or name, low_end.value) if own or name else ("plain", low_end.value)
            )
            if dimension == own_dimension and value < high:
                readings.append(Reading(dimension, value, high, high_end.step))
    if not readings:
        return None
    kind = "range"
    return Item(
        a.start,
        b.end,
        (a.start, b.end),
        options=b.options if any(name for _, name in b.options) else a.options,
        readings=tuple(dict.fromkeys(readings)),
        kind=kind,
    )


# --- from items to quantities -----------------------------------------------------------------------


def _quantity(text: str, folded: Folded, item: Item, bounds: _Bounds) -> Quantity | None:
    readings = list(item.readings)
    unit = ""
    if item.kind != "range":
        united = any(name for _, name in item.options)
        for amount, name in item.options:
            dimension, value = convert(name, amount.value) if name else ("plain", amount.value)
            step = amount.step
            if name and step and not name.startswith("money"):
                factor = UNITS[name].factor
                step = step if factor is ONE else step * factor
            elif name:
                step = convert(name, step)[1]
            readings.append(
                Reading(dimension, value, None, step, united and not name and not item.approximate)
            )
    unit = item.options[0][1] if item.options else ""
    if item.calendar is not None and item.kind != "date":
        part, _number = item.calendar
        value_text = dates.canonical(*_calendar_parts(item))
        if part != "year" and value_text:
            readings.append(Reading("date", value_text))
        if part != "year":
            readings = [reading for reading in readings if reading.dimension != "plain"]
    unique = tuple(readings) if len(readings) < 2 else tuple(dict.fromkeys(readings))
    if not unique:
        return None
    span = folded.span(item.start, item.end)
    kind = item.kind if item.kind not in ("", "range") else _kind(unique[0].dimension, unit)
    rate = find_rate(folded.low, item.start, item.end)
    bound = "" if kind in ("id", "version", "ordinal") else _find_bound(folded.low, item, bounds)
    return Quantity(
        span=span, kind=kind, surface=span.of(text), readings=unique, bound=bound, approximate=item.approximate,
        weak=item.weak, unit=unit, rate=rate, numbers=_numbers(item),
    )  # fmt: skip


def _numbers(item: Item) -> tuple[Fraction, ...]:
    values = tuple(amount.value for amount, _ in item.options)
    return values if len(values) < 2 else tuple(dict.fromkeys(values))


def _kind(dimension: str, unit: str) -> str:
    if dimension.startswith("money"):
        return "money"
    return "percent" if unit in ("percent", "permille", "basis_point") else dimension


# --- bounds -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Phrases before and after a quantity to their bound, and the words that such phrases end or begin with."""

    before: dict[str, str]
    after: dict[str, str]
    lasts: frozenset[str]
    firsts: frozenset[str]


@lru_cache(maxsize=32)
def _bounds(language: str | None) -> _Bounds:
    """The phrases of a language and of English, folded; of all languages when it is unknown."""
    tables = load_lexicon("bounds")["languages"]
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for code in TIER1 if language is None else (language, "en"):
        for side, target in (("before", before), ("after", after)):
            for bound, phrases in tables.get(code, {}).get(side, {}).items():
                for phrase in phrases:
                    target.setdefault(fold(phrase).low, bound)
    lasts = frozenset(phrase.rpartition(" ")[2] for phrase in before)
    return _Bounds(before, after, lasts, frozenset(phrase.partition(" ")[0] for phrase in after))


_SIGNS = {"<": "<", ">": ">", "≤": "<=", "≥": ">=", "~": "~", "≈": "~", "±": "~"}
_SMALL_WORDS = frozenset("the a of an is de den der die das un una le la".split())
_OPENING = "\"'`“„«‘(["
_FOLLOWING = re.compile(r"[^ ,.;:!?()\[\]]+")


def _find_bound(low: str, item: Item, bounds: _Bounds) -> str:
    before = bounds.before
    start = item.start
    head = low[max(0, start - 36) : start].rstrip(" (:")
    if head:
        sign = _SIGNS.get(head[-1])
        if sign:
            return sign
        if head.endswith(("<=", ">=")):
            return head[-2:]
        if head[-1] > "\u3000":
            for length in range(min(6, len(head)), 0, -1):
                found = before.get(head[-length:])
                if found:
                    return found
        else:
            words = [word.lstrip(_OPENING) for word in head.rsplit(" ", 5)[-5:]]
            while words and words[-1] in _SMALL_WORDS and " ".join(words[-2:]) not in before:
                words.pop()
            known = bool(words) and words[-1] in bounds.lasts
            for index in range(max(0, len(words) - 4), len(words) if known else 0):
                found = before.get(" ".join(words[index:]))
                if found:
                    return found
    return _find_bound_after(low, item.end, bounds)


def _find_bound_after(low: str, end: int, bounds: _Bounds) -> str:
    if low[end : end + 1] == "+":
        return ">="
    at = end
    while low[at : at + 1] in (" ", "(") and at < len(low):
        at += 1
    if at >= len(low):
        return ""
    if low[at] > "\u3000":
        for length in range(min(6, len(low) - at), 0, -1):
            found = bounds.after.get(low[at : at + length])
            if found:
                return found
        return ""
    tail = low[at : at + 40]
    first = _FOLLOWING.match(tail)
    if first is None or (first[0] not in bounds.firsts and f"{first[0]}." not in bounds.firsts):
        return ""
    words: list[str] = []
    for found_word in _FOLLOWING.finditer(tail):
        words.append(found_word[0])
        if len(words) == 4 or tail[found_word.end() : found_word.end() + 1] != " ":
            break
    for length in range(len(words), 0, -1):
        found = bounds.after.get(" ".join(words[:length]))
        if found:
            return found
    return ""
