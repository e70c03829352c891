"""The unit after a number, the currency before it, its sign: from a bare number to an ``Item``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from pincite.text.han import HAN_NUMERALS, read_han_multiplier
from pincite.text.item import Item, id_item
from pincite.text.numerals import LETTERS, Amount, NumberWords, next_word
from pincite.text.quantity import Reading
from pincite.text.units import (
    CURRENCY_CODES,
    CURRENCY_SIGNS,
    MAGNITUDE_SYMBOLS,
    ONE,
    SOFT_SYMBOLS,
    SYMBOLS,
    UNSURE_MAGNITUDES,
    is_unspaced,
    unit_words,
    unspaced_unit_words,
)

_SIGNS = frozenset("%‰°º℃℉€$£¥₹₩₽₺₫฿₪₴₦₱×¢")
_UNIT_TOKEN = re.compile(
    rf"( {{0,3}}-?)([{''.join(sorted(_SIGNS))}]|[{LETTERS}]+(?:[²³]|/[a-zA-Z]+|\^[23]|[23](?![\w.]))?)"
)
_DEGREE_LETTER = re.compile(r" ?([CFcf])(?![a-zA-Z])")
_PREPOSITION = re.compile(r" [a-z0-9$€£]")
_OF = re.compile(r" (?:de |of |d')|'")

_NONE = ((ONE, ""),)
_ORDINAL_SUFFIX = frozenset("st nd rd th er re e ème eme ère ª º".split())
_DECADE = re.compile(r"(?: ?'s|s|er|er-jahren?|er jahren?)(?![a-z])")
_LABEL_REST = re.compile(r"[\w-]*")
_MINUS_BEFORE = re.compile(
    r"(?:(?<![\w-])(?:minus|negative|menos|moins|سالب|ناقص|माइनस) |零下|マイナス|氷点下|负|負)$"
)
_SIGN_BEFORE = re.compile(r"(?:([a-zA-Z]{1,3})?([$€£¥₹₩₽₺₫฿₪₴₦₱])|([A-Z]{3})|(Rs\.?|kr\.?|रु\.?|₨))[ ]?$")
_HANGUL_CALENDAR = {"년": "year", "월": "month", "일": "day"}
_HANGUL_MAGNITUDES = ("천만", "백만", "만", "억", "조", "천")
_HALF = Fraction(1, 2)
_CALENDAR = {"年": "year", "月": "month", "日": "day", "号": "day", "號": "day"}


@dataclass(frozen=True, slots=True)
class _Unit:
    """What follows a number: factors and unit names, where it ends; ``label``: letters that make it an id."""

    options: tuple[tuple[Fraction, str], ...]
    end: int
    approximate: bool = False
    label: bool = False
    ordinal: bool = False
    calendar: str = ""


def with_unit(
    plain: str, low: str, start: int, end: int, amounts: tuple[Amount, ...], words: NumberWords
) -> Item:
    """The item for the number at ``low[start:end]`` with the unit after it and the currency before it."""
    begin, currency = _currency_before(plain, start)
    if currency and low[start].isalpha() and plain[max(0, begin - 2) : begin].strip()[-1:].isdigit():
        begin, currency = start, ()  # "4 EUR a day": the currency has its number, and it is not "a"
    value = amounts[0].value
    decade = (
        _DECADE.match(low, end)
        if value.denominator == 1 and 1000 <= value <= 2190 and value % 10 == 0
        else None
    )
    if decade:
        return Item(start, decade.end(), (start, end), readings=(Reading("decade", value),), kind="date")
    unit = _read_unit(plain, low, end, bool(currency), words, value)
    if unit.label:
        stop = _LABEL_REST.match(low, end)
        assert stop is not None
        return id_item(start, stop.end(), low[start : stop.end()].replace("-", ""))
    if unit.ordinal:
        return Item(start, unit.end, (start, end), readings=(Reading("ordinal", value),), kind="ordinal")
    if value and unit.options[0][1]:
        unit = _with_half(low, unit, value, words)
    word = _MINUS_BEFORE.search(low, max(0, begin - 10), begin)
    if word:
        begin = word.start()
    negative = word is None and _is_negative(plain, begin)
    options = tuple(
        (_scaled(amount, factor, negative or word is not None), one)
        for factor, name in unit.options
        for amount in amounts
        for one in (currency if currency and not name else (name,))
    )
    whole = value.denominator == 1
    calendar = (unit.calendar, int(value)) if unit.calendar and whole else None
    return Item(
        begin - negative, unit.end, (start, end), options, approximate=unit.approximate, calendar=calendar
    )


def _with_half(low: str, unit: _Unit, value: Fraction, words: NumberWords) -> _Unit:
    """The unit with "and a half" behind it ("une heure et demie")."""
    for phrase in words.halves:
        if low.startswith(phrase, unit.end + 1) and not low[unit.end + 1 + len(phrase) :][:1].isalnum():
            share = (value + _HALF) / value
            return replace(unit, options=tuple((factor * share, name) for factor, name in unit.options),
                           end=unit.end + 1 + len(phrase))  # fmt: skip
    return unit


def _scaled(amount: Amount, factor: Fraction, negative: bool) -> Amount:
    if factor is not ONE:
        amount = Amount(amount.value * factor, amount.step * factor)
    return Amount(-amount.value, amount.step) if negative else amount


def _currency_before(plain: str, start: int) -> tuple[int, tuple[str, ...]]:
    """Where the amount begins, and the currencies written before it."""
    if not start:
        return start, ()
    last = plain[start - 1]
    if last == " " and start > 1:
        last = plain[start - 2]
    if last not in "$€£¥₹₩₽₺₫฿₪₴₦₱.rs₨ु" and not ("A" <= last <= "Z"):
        return start, ()
    found = _SIGN_BEFORE.search(plain, max(0, start - 5), start)
    if not found:
        return start, ()
    letters, sign, code, word = found.groups()
    if sign:
        prefixed = CURRENCY_SIGNS.get((letters or "").lower() + sign)
        names = prefixed or CURRENCY_SIGNS[sign]
        begin = found.start() if prefixed else found.start(2)
    elif code:
        if code not in CURRENCY_CODES or (found.start() and plain[found.start() - 1].isalnum()):
            return start, ()
        names, begin = (code,), found.start()
    else:
        if found.start() and plain[found.start() - 1].isalnum():
            return start, ()
        names, begin = ("INR",) if word[0] in "Rर₨" else CURRENCY_SIGNS["kr"], found.start()
    return begin, tuple(f"money:{name}" for name in names)


def _is_negative(plain: str, begin: int) -> bool:
    """Whether the hyphen before the number is a sign: nothing that it could join stands before it."""
    if not begin or plain[begin - 1] != "-":
        return False
    if begin == 1:
        return True
    before = plain[begin - 2]
    if before == " ":
        return not plain[max(0, begin - 3) : begin - 2].isdecimal()
    return not before.isalnum() and before not in ")]%°€$£¥-"


def _read_unit(
    plain: str, low: str, end: int, has_currency: bool, words: NumberWords, value: Fraction
) -> _Unit:
    char = plain[end : end + 1]
    if char == " ":
        char = plain[end + 1 : end + 2]
    if not char:
        return _Unit(_NONE, end)
    if "\uac00" <= char <= "\ud7a3":
        return _read_hangul_unit(low, end, value)
    if is_unspaced(char):
        return _read_unspaced_unit(plain, low, end, has_currency, words, value)
    found = _UNIT_TOKEN.match(plain, end)
    if not found:
        return _Unit(_NONE, end)
    gap, token = found.groups()
    stop = found.end()
    if token[0] in _SIGNS:
        return _read_sign(plain, token, end, stop, gap)
    if (
        "/" in token
        and token not in SYMBOLS
        and token.lower() not in SYMBOLS
        and token.lower() not in unit_words()
    ):
        token = token.partition("/")[0]  # "5 GB/user": the rest is a rate
        stop = found.start(2) + len(token)
    lower = low[stop - len(token) : stop]
    if not gap and lower in _ORDINAL_SUFFIX and value.denominator == 1 and value > 0:
        return _Unit(_NONE, stop, ordinal=True)
    options: list[tuple[Fraction, str]] = []
    if lower == "in" and gap and _PREPOSITION.match(low, stop):
        return _Unit(_NONE, end)
    many = _longer_unit(low, lower, stop)
    if many and (not has_currency or many[0][0].startswith("money")):
        return _Unit(tuple((ONE, name) for name in many[0]), many[1])
    factor = MAGNITUDE_SYMBOLS.get(token)
    if factor is None and lower in words.multipliers and lower not in ("hundert",):
        factor = Fraction(words.multipliers[lower])
    if factor is not None:
        after_dot = stop + 1 if plain[stop : stop + 1] == "." and plain[stop + 1 : stop + 2] == " " else stop
        following = _unit_after_magnitude(plain, low, after_dot, has_currency, words)
        options.extend((factor * inner, name) for inner, name in following.options)
        sure = has_currency or token not in UNSURE_MAGNITUDES or any(name for _, name in following.options)
        if sure:
            return _Unit(
                tuple(options), following.end if following.options != _NONE else stop, approximate=True
            )
    if (
        has_currency
        and token not in CURRENCY_CODES
        and not unit_words().get(lower, ("",))[0].startswith("money")
    ):
        return _Unit(_NONE, end)
    names = SYMBOLS.get(token) or (SYMBOLS.get(lower) if token.isupper() and len(token) > 1 else None)
    by_word = unit_words().get(lower, ()) if not names or len(lower) > 2 else ()
    options.extend((ONE, name) for name in dict.fromkeys((*(names or ()), *by_word)))
    if token in CURRENCY_CODES:
        options.append((ONE, f"money:{token}"))
    elif lower in ("kr", "zł", "kč", "rs", "rmb", "sfr"):
        options.extend((ONE, f"money:{code}") for code in CURRENCY_SIGNS[lower])
    if not options:
        if not gap:
            return _Unit(_NONE, stop, label=True)
        return _Unit(_NONE, end)
    if gap and (token in SOFT_SYMBOLS or (token in UNSURE_MAGNITUDES and token != "m")):
        options.append((ONE, ""))
    return _Unit(tuple(options), stop, approximate=factor is not None)


def _unit_after_magnitude(plain: str, low: str, end: int, has_currency: bool, words: NumberWords) -> _Unit:
    of = _OF.match(low, end)
    if of and of[0] != "'":
        unit = _read_unit(
            plain, low, of.end() - 1 if of[0][-1] == " " else of.end(), has_currency, words, Fraction(0)
        )
        if any(name for _, name in unit.options) and not unit.label:
            return unit
        return _Unit(_NONE, end)
    unit = _read_unit(plain, low, end, has_currency, words, Fraction(0))
    return _Unit(_NONE, end) if unit.label or unit.ordinal else unit


def _read_sign(plain: str, token: str, end: int, stop: int, gap: str) -> _Unit:
    if token in "°º":
        letter = _DEGREE_LETTER.match(plain, stop)
        if letter:
            name = "celsius" if letter[1] in "Cc" else "fahrenheit"
            return _Unit(((ONE, name),), letter.end())
        return _Unit(((ONE, "degree"),), stop)
    if "-" in gap:
        return _Unit(_NONE, end)
    if token == "¢":
        return _Unit(((ONE, "money:USD/100"), (ONE, "money:EUR/100")), stop)
    if token in CURRENCY_SIGNS:
        return _Unit(tuple((ONE, f"money:{code}") for code in CURRENCY_SIGNS[token]), stop)
    return _Unit(tuple((ONE, name) for name in SYMBOLS[token]), stop)


def _longer_unit(low: str, first: str, stop: int) -> tuple[tuple[str, ...], int] | None:
    """A unit of two or three words ("business days", "pour cent"), the longest first."""
    second, after = next_word(low, stop)
    if not second:
        if low.startswith(". ", stop):
            second, after = next_word(low, stop + 1)
        if not second:
            return None
    dictionary = unit_words()
    third, end = next_word(low, after)
    names = dictionary.get(f"{first} {second} {third}") if third else None
    if names:
        return names, end
    names = dictionary.get(f"{first} {second}") or dictionary.get(f"{first}. {second}")
    return (names, after) if names else None


def _read_hangul_unit(low: str, end: int, value: Fraction) -> _Unit:
    """Korean units: particles are glued to them, so the longest beginning counts, as in Chinese."""
    at = end + 1 if low[end] == " " else end
    for magnitude in _HANGUL_MAGNITUDES:
        if low.startswith(magnitude, at):
            factor, stop = MAGNITUDE_SYMBOLS[magnitude], at + len(magnitude)
            inner = _read_hangul_unit(low, stop, Fraction(0)) if stop < len(low) else _Unit(_NONE, stop)
            return _Unit(
                tuple((factor * scale, name) for scale, name in inner.options), inner.end, approximate=True
            )
    part = _HANGUL_CALENDAR.get(low[at : at + 1])
    if (
        part
        and low[at : at + 2] not in ("년간", "일간", "월간")
        and (part != "year" or value >= 1000 or value == 0)
    ):
        return _Unit(((ONE, "day"),) if part == "day" else _NONE, at + 1, calendar=part)
    dictionary = unit_words()
    for length in range(min(6, len(low) - at), 0, -1):
        names = dictionary.get(low[at : at + length])
        if names and "\uac00" <= low[at] <= "\ud7a3":
            return _Unit(tuple((ONE, name) for name in names), at + length)
    return _Unit(_NONE, end)


def _inner_unit(plain: str, low: str, position: int, has_currency: bool, words: NumberWords) -> _Unit:
    """The unit at ``position``, behind a multiplier or 个半."""
    if position >= len(low):
        return _Unit(_NONE, position)
    unit = _read_unit(plain, low, position, has_currency, words, Fraction(0))
    return _Unit(_NONE, position) if unit.label or unit.ordinal else unit


def _read_unspaced_unit(
    plain: str, low: str, end: int, has_currency: bool, words: NumberWords, value: Fraction
) -> _Unit:
    """The unit of a script without blanks: the longest entry that the text goes on with."""
    at = end + 1 if low[end] == " " else end
    multiplied = read_han_multiplier(low, at, value or ONE) if low[at] in HAN_NUMERALS else None
    if multiplied:
        factor, stop = multiplied[0] / (value or ONE), multiplied[1]
        inner = _inner_unit(plain, low, stop, has_currency, words)
        return _Unit(
            tuple((factor * scale, name) for scale, name in inner.options), inner.end, approximate=True
        )
    dictionary = unspaced_unit_words()
    if value and low.startswith(("个半", "個半"), at):
        inner = _inner_unit(plain, low, at + 2, has_currency, words)
        if inner.options != _NONE:
            return _Unit(tuple(((value + _HALF) / value, name) for _, name in inner.options), inner.end)
    for length in range(min(8, len(low) - at), 0, -1):
        names = dictionary.get(low[at : at + length])
        if names:
            stop = at + length
            factor = ONE
            if low.startswith("半", stop) and value and names[0] in ("hour", "year", "day", "month", "week"):
                factor, stop = (value + _HALF) / value, stop + 1
            return _Unit(tuple((factor, name) for name in names), stop)
    part = _CALENDAR.get(low[at])
    if part and not (part == "day" and low[at] in "号號" and value > 31):
        if part == "year" and low.startswith("半", at + 1) and 0 < value < 1000:
            return _Unit((((value + _HALF) / value, "year"),), at + 2)
        options = (
            ((ONE, part),)
            if (part == "day" and low[at] == "日") or (part == "year" and value < 1000)
            else _NONE
        )
        return _Unit(options, at + 1, calendar=part)
    return _Unit(_NONE, end)
