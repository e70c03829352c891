"""Finds numbers in folded text, each with its unit. ``numbers.py`` joins neighbours to quantities."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from pincite.text import dates
from pincite.text.fold import Folded
from pincite.text.german import read_german
from pincite.text.item import Item, id_item, timed_item
from pincite.text.labels import VERSION_NEAR, VERSION_WORDS, label_item, version_item
from pincite.text.measure import with_unit
from pincite.text.numerals import (
    LETTERS,
    NUMBER,
    Amount,
    NumberWords,
    number_words,
    read_literal,
)
from pincite.text.quantity import Reading
from pincite.text.spelled import HAN_START, arabic_item, han_item, percent_before, spelled_item
from pincite.text.words import stop_words

WORD = re.compile(rf"[{LETTERS}0-9_]+(?:'[{LETTERS}]+)*")
"""A word of folded text, digits and inner apostrophes included."""

Words = Sequence[tuple[int, int, str]]
"""Start, end and text of each word, in order."""

_VULGAR = {"½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5),
           "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8)}  # fmt: skip

_DIGIT = re.compile(rf"[0-9{''.join(_VULGAR)}]")
_NUMERIC = re.compile(
    rf"(?P<date>{dates.NUMERIC_DATE})"
    r"|(?P<phone>(?<![\d+])\+\d[\d ()./-]{6,20}\d(?!\d)|(?<![\d(])\(\d{2,5}\) ?\d[\d -]{4,12}\d(?!\d)"
    r"|(?<![\d.,-])(?:\d-)?\d{3}-\d{3}-\d{4}(?!\d)|(?<![\d.,:])0\d{1,5}(?:[ /-]\d{2,8}){1,5}(?!\d))"
    rf"|(?P<clock>{dates.CLOCK})"
    rf"|(?P<num>{NUMBER}|(?<![\w.])\.\d+)"
    rf"|(?P<vulgar>[{''.join(_VULGAR)}])"
)
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>\"]+|(?<![\w.+-])[a-z0-9_.+-]{1,64}@[a-z0-9-]+\.[a-z0-9.-]+")
_HAN = re.compile(HAN_START)

_LABEL_JOINS = frozenset("-.")
_PLAIN_DIGIT = re.compile(r"[0-9]")
_SHORTEST_PHONE = 7
_NUMBER = re.compile(r"\d+")
_ACRONYM_BEFORE = re.compile(r"(?<![\w-])([A-Z]{2,6}) $")
_WORD_BEFORE = re.compile(r"(?<![\w'])([A-Za-z][\w+#]*) $")


def find_words(low: str) -> list[tuple[int, int, str]]:
    """The words of a folded text.

    >>> find_words("don't pay 25mb")
    [(0, 5, "don't"), (6, 9, 'pay'), (10, 14, '25mb')]
    """
    return [(*found.span(), found[0]) for found in WORD.finditer(low)]


def scan(folded: Folded, words: Words, language: str | None) -> list[Item]:
    """All numbers, dates, times and number-like labels, in order, without overlap. ``words``: of ``find_words``."""
    starts = list(_candidates(folded.low, words, language))
    if not starts:
        return []
    starts.sort(key=lambda start: (start[0], start[2] != "address"))
    known = number_words(language)
    items: list[Item] = []
    done = 0
    for start, end, sort in starts:
        if start < done:
            continue
        if sort == "address":
            done = end
            continue
        item = _read(folded.plain, folded.low, start, end, sort, language, known)
        if item is not None:
            while items and items[-1].end > item.start:
                items.pop()
            items.append(item)
            done = item.end
    return items


def _candidates(low: str, words: Words, language: str | None) -> Iterator[tuple[int, int, str]]:
    """Where a number may begin: start, end, and the sort of reader to try there."""
    hot = _hot_words(language)
    german = language is None or language[:2] == "de"
    arabic = language is None or language[:2] == "ar"
    has_digit = _DIGIT.search(low) is not None
    for start, end, word in words:
        if word in hot:
            yield start, end, "word"
        elif has_digit and _is_label(low, word, end):
            yield start, end, "label"
        elif "'" in word and (last := word.rpartition("'")[2]) in hot:
            yield end - len(last), end, "word"
        elif german and len(word) > 5 and (read_german(word) is not None or word.endswith("einhalb")):
            yield start, end, "word"
        elif arabic and word[0] > "\u0600" and word not in dates.weekdays():
            yield start, end, "arabic"
    if has_digit:
        yield from _numeric_candidates(low)
        if "@" in low or "www." in low or "://" in low:
            yield from ((*found.span(), "address") for found in _ADDRESS.finditer(low))
    if not low.isascii():
        yield from (
            (*found.span(), "percent" if found[0][-1] == "之" else "han") for found in _HAN.finditer(low)
        )


def _numeric_candidates(low: str) -> Iterator[tuple[int, int, str]]:
    position = 0
    while digit := _DIGIT.search(low, position):
        start = digit.start()
        found = _NUMERIC.match(low, start - 1) if start > position and low[start - 1] in "+(." else None
        found = found or _NUMERIC.match(low, start)
        if found is None:
            position = start + 1
            continue
        yield found.start(), found.end(), found.lastgroup or ""
        position = found.end()


@lru_cache(maxsize=32)
def _hot_words(language: str | None) -> frozenset[str]:
    """Words at which reading a number is worth a try."""
    return number_words(language).starts.union(dates.months(), dates.TIME_WORDS)


def _is_label(low: str, word: str, end: int) -> bool:
    """Whether a word runs on into digits, so that it is a label such as AES-256 or v2."""
    if word.isalpha():
        return low[end : end + 1] in _LABEL_JOINS and low[end + 1 : end + 2].isdecimal()
    if word[0].isdecimal():
        return False
    return _PLAIN_DIGIT.search(word) is not None or (
        low[end : end + 1] in _LABEL_JOINS and low[end + 1 : end + 2].isdecimal()
    )


def _read(
    plain: str, low: str, start: int, end: int, sort: str, language: str | None, known: NumberWords
) -> Item | None:
    if sort == "num":
        return _literal(plain, low, start, end, language, known)
    if sort == "word":
        return _word(plain, low, start, end, known)
    if sort == "label":
        return label_item(plain, low, start)
    if sort == "arabic":
        return arabic_item(plain, low, low[start:end], start, end, known)
    if sort == "han":
        return han_item(plain, low, start, end, known)
    if sort == "percent":
        return percent_before(low, start, end, language)
    if sort == "date":
        return _numeric_date(low, start, end, language)
    if sort == "clock":
        return _clock(low, start, end)
    if sort == "vulgar":
        return with_unit(
            plain, low, start, end, (Amount(Fraction(*_VULGAR[low[start]]), Fraction(0)),), known
        )
    digits = re.sub(r"\D", "", low[start:end])
    if len(digits) < _SHORTEST_PHONE:
        first = _NUMBER.match(low, start)
        return _literal(plain, low, start, first.end(), language, known) if first else None
    return id_item(start, end, "00" + digits if low[start] == "+" else digits)


def _word(plain: str, low: str, start: int, end: int, known: NumberWords) -> Item | None:
    word = low[start:end]
    item = _month(plain, low, word, start, end) if word in dates.months() else None
    if item is None and (word in known.starts or len(word) > 5):
        item = spelled_item(plain, low, word, start, end, known)
    if item is None and word in dates.TIME_WORDS:
        item = Item(
            start,
            end,
            (start, end),
            readings=(Reading("time", Fraction(dates.TIME_WORDS[word])),),
            kind="time",
        )
    return item


# --- dates and times --------------------------------------------------------------------------------


def _month(plain: str, low: str, word: str, start: int, end: int) -> Item | None:
    found = dates.read_month(plain, low, word, start, end)
    if found is None:
        return None
    readings = tuple(Reading("date", value) for value in found.values)
    return Item(found.start, found.end, (found.start, found.end), readings=readings, kind="date")


def _numeric_date(low: str, start: int, end: int, language: str | None) -> Item:
    values = dates.read_numeric_date(low[start:end], language)
    if values:
        return Item(
            start, end, (start, end), readings=tuple(Reading("date", value) for value in values), kind="date"
        )
    return id_item(start, end, low[start:end])


def _clock(low: str, start: int, end: int) -> Item:
    hour, minute, *seconds = (int(part) for part in low[start:end].split(":"))
    found = dates.read_time(low, start, end, hour, minute)
    if found is None or seconds:
        return id_item(start, end, low[start:end])
    times = tuple(Reading("time", Fraction(value)) for value in found.minutes)
    ratio = (
        (Reading("ratio", Fraction(hour, minute)),)
        if minute and found.end == end and found.start == start
        else ()
    )
    return Item(found.start, found.end, (start, end), readings=(*times, *ratio), kind="time")


# --- literals ---------------------------------------------------------------------------------------

# "1.5e6", "1.5 × 10^6", "1.5 × 10⁶"
_POWER_TAIL = re.compile(r"e([+-]?\d{1,2})(?!\w)| ?[×x·] ?10(?:\^([+-]?\d{1,2})(?!\d)|(⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}))")
_POWER_STARTS = frozenset("e ×x·")
_FRACTION_STARTS = frozenset("/ ")
_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_FRACTION_TAIL = re.compile(r" ?/ ?(\d{1,4})(?![\d/.,]{0,6}\d)")
_MIXED_TAIL = re.compile(r" (\d{1,2})/(\d{1,3})(?![\d/])")
_POINTED_TIME = re.compile(r"(\d{1,2})\.(\d{2})")
_PARTS_TAIL = re.compile(r"分[之の](\d{1,3})(?!\d)")
_RATIO_TAIL = re.compile(r":(\d{1,4})(?![\d:])")


def _literal(
    plain: str, low: str, start: int, end: int, language: str | None, words: NumberWords
) -> Item | None:
    literal = low[start:end]
    if " " in literal and low[start - 1 : start].isalpha():
        literal = literal.split(" ")[0]
        end = start + len(literal)
    if plain[end : end + 1] == ":":
        ratio = _RATIO_TAIL.match(low, end)
        if ratio and literal.isdecimal() and int(ratio[1]):
            return Item(start, ratio.end(), (start, ratio.end()), readings=(Reading("ratio", Fraction(int(literal), int(ratio[1]))),),
                        kind="ratio")  # fmt: skip
    version_before = VERSION_WORDS.search(low, max(0, start - 14), start)
    if version_before and "," not in literal:
        return version_item(start, end, literal)
    if "." in literal and (pointed := _POINTED_TIME.fullmatch(literal)):
        timed = dates.read_time(low, start, end, int(pointed[1]), int(pointed[2]))
        if timed and timed.end > end:
            return timed_item(timed, start, end)
    amounts = read_literal(literal, language)
    if not amounts:
        return _listed(start, end, literal)
    following = low[end : end + 1]
    power = _POWER_TAIL.match(low, end) if following in _POWER_STARTS else None
    if power and len(amounts) == 1:
        exponent = int(power[1] or power[2] or power[3].translate(_SUPERSCRIPTS))
        scale = Fraction(10) ** exponent
        amounts = (Amount(amounts[0].value * scale, amounts[0].step * scale),)
        return with_unit(plain, low, start, power.end(), amounts, words)
    if literal.isdecimal():
        if literal[0] == "0" and len(literal) > 1 and plain[end : end + 1] != "%":
            timed = dates.read_time(low, start, end, int(literal), None) if len(literal) == 2 else None
            return timed_item(timed, start, end) if timed else id_item(start, end, literal)
        timed = dates.read_time(low, start, end, int(literal), None) if len(literal) < 3 else None
        if timed:
            return timed_item(timed, start, end)
        parts = _PARTS_TAIL.match(low, end) if following == "分" else None
        if parts and int(literal):
            return _fraction(plain, low, start, parts.end(), int(parts[1]), int(literal), words)
        tail = _FRACTION_TAIL.match(low, end) if following in _FRACTION_STARTS else None
        if tail and int(tail[1]) and low[end : end + 1] in "/ ":
            return _fraction(plain, low, start, tail.end(), int(literal), int(tail[1]), words)
        mixed = _MIXED_TAIL.match(low, end) if low[end + 1 : end + 2].isdecimal() else None
        if mixed and 0 < int(mixed[1]) < int(mixed[2]):
            value = Amount(int(literal) + Fraction(int(mixed[1]), int(mixed[2])), Fraction(0))
            return with_unit(plain, low, start, mixed.end(), (value,), words)
    if low[end : end + 1] in _VULGAR:
        value = Amount(amounts[0].value + Fraction(*_VULGAR[low[end]]), Fraction(0))
        return with_unit(plain, low, start, end + 1, (value,), words)
    item = with_unit(plain, low, start, end, amounts, words)
    if (
        literal.isdecimal()
        and len(literal) < 3
        and language
        and language[:2] == "fr"
        and low[end : end + 2].strip()[:1] == "h"
    ):
        hours = amounts[0].value
        return (
            replace(item, readings=(*item.readings, Reading("time", hours * 60 % 1440)))
            if hours <= 24
            else item
        )
    if literal.isdecimal() and start > 2 and plain[start - 1] == " " and plain[start - 2].isupper():
        return _after_acronym(plain, item)
    if (
        "." in literal
        and item.options
        and not item.approximate
        and all(unit == "" for _, unit in item.options)
    ):
        item = _perhaps_version(plain, low, item, literal)
    return item


def _after_acronym(plain: str, item: Item) -> Item:
    """The number with the label that it may be part of: AES 256, AES-256."""
    found = _ACRONYM_BEFORE.search(plain, max(0, item.start - 8), item.start)
    if found is None or any(unit for _, unit in item.options) or not item.options:
        return item
    label = found[1].lower() + plain[slice(*item.bare)]
    return replace(item, readings=(*item.readings, Reading("id", label)))


def _perhaps_version(plain: str, low: str, item: Item, literal: str) -> Item:
    """A decimal that stands after a name ("Python 3.10") or beside "version" is one; others may be."""
    before = _WORD_BEFORE.search(plain, max(0, item.start - 20), item.start)
    named = before is not None and before[1][0].isupper() and before[1].lower() not in stop_words("en")
    near = VERSION_NEAR.search(low, max(0, item.start - 60), item.start) or low.startswith(
        " version", item.end
    )
    reading = Reading("version", literal)
    if (named or near) and "," not in literal:
        return replace(item, options=(), readings=(reading,), kind="version")
    return replace(item, readings=(*item.readings, reading))


def _listed(start: int, end: int, literal: str) -> Item:
    """A literal that is no number: a version with its points, or some other label."""
    if "," not in literal and "'" not in literal and literal.count(".") > 1:
        return version_item(start, end, literal)
    return id_item(start, end, literal)


def _fraction(plain: str, low: str, start: int, end: int, top: int, bottom: int, words: NumberWords) -> Item:
    if (top, bottom) in ((24, 7), (24, 365)):
        return id_item(start, end, f"{top}/{bottom}")
    return with_unit(plain, low, start, end, (Amount(Fraction(top, bottom), Fraction(0)),), words)
