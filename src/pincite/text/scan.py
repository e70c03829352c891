"""Finds numbers in folded text, with the unit beside each. ``numbers.py`` joins them to quantities."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from pincite.text import dates
from pincite.text.fold import Folded
from pincite.text.numerals import (
    HAN_NUMERALS,
    LETTERS,
    NUMBER,
    Amount,
    NumberWords,
    next_word,
    number_words,
    read_german,
    read_han,
    read_han_multiplier,
    read_literal,
    read_words,
)
from pincite.text.quantity import Reading
from pincite.text.units import (
    CURRENCY_CODES,
    CURRENCY_SIGNS,
    MAGNITUDE_SYMBOLS,
    SOFT_SYMBOLS,
    SYMBOLS,
    UNSURE_MAGNITUDES,
    is_unspaced,
    unit_words,
    unspaced_unit_words,
)

_VULGAR = {"½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5),
           "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8)}  # fmt: skip

_ANCHOR = re.compile(
    r"(?P<url>(?:https?://|www\.)[^\s<>\"]+|(?<![\w.+-])[a-z0-9_.+-]{1,64}@[a-z0-9-]+\.[a-z0-9.-]+)"
    rf"|(?P<date>{dates.NUMERIC_DATE})"
    r"|(?P<phone>(?<![\d+])\+\d[\d ()./-]{6,20}\d(?!\d)|(?<![\d(])\(\d{2,5}\) ?\d[\d -]{4,12}\d(?!\d)"
    r"|(?<![\d.,-])(?:\d-)?\d{3}-\d{3}-\d{4}(?!\d)|(?<![\d.,:])0\d{2,5}[ /-]\d{3,8}(?!\d))"
    rf"|(?P<clock>{dates.CLOCK})"
    rf"|(?P<num>{NUMBER}|(?<![\w.])\.\d+)"
    rf"|(?P<vulgar>[{''.join(_VULGAR)}])"
    r"|(?P<percent>百分之|千分之)"
    rf"|(?P<han>[{HAN_NUMERALS}]+|半|正午|中午|午夜|真夜中)"
    rf"|(?P<word>[{LETTERS}]+)"
)


@dataclass(frozen=True, slots=True)
class Item:
    """A number at ``low[start:end]``, its unit included; ``bare`` is the span of the number alone.

    ``options`` are pairs of amount and unit name (empty: none). ``readings`` are those that are no amounts.
    ``calendar`` is ``(part, value)`` for 年, 月 and 日, which join to dates.
    """

    start: int
    end: int
    bare: tuple[int, int]
    options: tuple[tuple[Amount, str], ...] = ()
    readings: tuple[Reading, ...] = ()
    kind: str = ""
    approximate: bool = False
    weak: bool = False
    calendar: tuple[str, int] | None = None


def scan(folded: Folded, language: str | None) -> list[Item]:
    """All numbers, dates, times and number-like labels, in order, without overlap."""
    low, plain = folded.low, folded.plain
    words = number_words(language)
    months, unit_dictionary = dates.months(), unit_words()
    items: list[Item] = []
    done = 0
    for found in _ANCHOR.finditer(low):
        start, end = found.span()
        if start < done:
            continue
        sort = found.lastgroup
        item: Item | None = None
        if sort == "word":
            word = low[start:end]
            if word in months:
                item = _month(plain, low, word, start, end)
            if item is None and (_follows_letter(plain, start, end)):
                item = _label(plain, low, start, end, unit_dictionary)
            if item is None and (word in words.starts or (len(word) > 5 and _may_be_german(word, language))):
                item = _worded(plain, low, word, start, end, words, language)
            if item is None and word[0] > "\u0600" and language in ("ar", None):
                item = _arabic(plain, low, word, start, end, words, language)
            if item is None and word in dates.TIME_WORDS:
                item = Item(
                    start,
                    end,
                    (start, end),
                    readings=(Reading("time", Fraction(dates.TIME_WORDS[word])),),
                    kind="time",
                )
        elif sort == "num":
            item = _literal(plain, low, start, end, language, words)
        elif sort == "han":
            item = _han(plain, low, start, end, language, words)
        elif sort == "date":
            item = _numeric_date(low, start, end, language)
        elif sort == "clock":
            item = _clock(low, start, end)
        elif sort == "phone":
            digits = re.sub(r"\D", "", low[start:end])
            item = _id(start, end, "00" + digits if low[start] == "+" else digits)
        elif sort == "vulgar":
            amount = Amount(Fraction(*_VULGAR[low[start]]), Fraction(0))
            item = _with_unit(plain, low, start, end, (amount,), words)
        elif sort == "percent":
            item = _percent_before(low, start, end, language)
        elif sort == "url":
            done = end
        if item is not None:
            while items and items[-1].end > item.start:
                items.pop()
            items.append(item)
            done = item.end
    return items


def _follows_letter(plain: str, start: int, end: int) -> bool:
    """Whether a word runs on into digits, so that it is a label such as AES-256 or v2."""
    if end >= len(plain):
        return False
    char = plain[end]
    return char.isdecimal() or (
        char in "-_." and end + 1 < len(plain) and plain[end + 1].isdecimal() and plain[end - 1] < "\u0250"
    )


def _may_be_german(word: str, language: str | None) -> bool:
    return (language is None or language[:2] == "de") and read_german(word) is not None


# --- labels: ids and versions -----------------------------------------------------------------------

_LABEL = re.compile(r"[a-z]+[-_.]?\d\w*(?:[-_.]\w+)*")
_VERSION_WORDS = re.compile(
    r"(?:\b(?:version|versions|versión|release|releases|ver|build|firmware|v|rev|revision|الاصدار|اصدار|نسخه|संस्करण|वर्जन)|版本|バージョン|ヴァージョン|版)"
    r"[ :.]{0,2}$"
)
_VERSION_NEAR = re.compile(r"\b(?:version|versión|release|版本|バージョン|संस्करण|الاصدار|اصدار)\b")


def _id(start: int, end: int, text: str) -> Item:
    return Item(start, end, (start, end), readings=(Reading("id", text),), kind="id")


def _label(
    plain: str, low: str, start: int, end: int, unit_dictionary: dict[str, tuple[str, ...]]
) -> Item | None:
    found = _LABEL.match(low, start)
    if not found or (start and (low[start - 1].isalnum() or low[start - 1] == "_")):
        return None
    label = found[0]
    letters = plain[start:end]
    rest = label[len(letters) :]
    if letters.upper() in CURRENCY_CODES or low[start:end] in ("us", "rs", "kr", "ca", "cn"):
        return None  # "EUR20": the number is read with its currency
    if letters.islower() and (len(letters) > 3 or rest[0] in "._") and rest[0] in "-._":
        return None  # "top-10", "see.5": words beside a number
    if letters.lower() == "v" and re.fullmatch(r"[-.]?\d+(?:\.\w+)*", rest):
        number = rest.lstrip("-.")
        return _version(start, found.end(), number)
    if rest[0] == "." and not letters.islower():
        return None
    return _id(start, found.end(), re.sub(r"[-_]", "", label))


def _version(start: int, end: int, number: str) -> Item:
    readings = (Reading("version", number),)
    amounts = read_literal(number, "en") if number.isdecimal() else ()
    return Item(
        start,
        end,
        (start, end),
        options=tuple((amount, "") for amount in amounts),
        readings=readings,
        kind="version",
    )


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
    return _id(start, end, low[start:end])


def _clock(low: str, start: int, end: int) -> Item:
    hour, minute, *seconds = (int(part) for part in low[start:end].split(":"))
    found = dates.read_time(low, start, end, hour, minute)
    if found is None or seconds:
        return _id(start, end, low[start:end])
    times = tuple(Reading("time", Fraction(value)) for value in found.minutes)
    ratio = (
        (Reading("ratio", Fraction(hour, minute)),)
        if minute and found.end == end and found.start == start
        else ()
    )
    return Item(found.start, found.end, (start, end), readings=(*times, *ratio), kind="time")


# --- literals ---------------------------------------------------------------------------------------

_ORDINAL_SUFFIX = frozenset("st nd rd th er re e ème eme ère ª º".split())
_FRACTION_TAIL = re.compile(r" ?/ ?(\d{1,4})(?![\d/.,]*\d)")
_MIXED_TAIL = re.compile(r" (\d{1,2})/(\d{1,3})(?![\d/])")
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
    version_before = _VERSION_WORDS.search(low, max(0, start - 14), start)
    if version_before and "," not in literal:
        return _version(start, end, literal)
    amounts = read_literal(literal, language)
    if not amounts:
        return _listed(low, start, end, literal)
    if literal.isdecimal():
        if literal[0] == "0" and len(literal) > 1 and plain[end : end + 1] != "%":
            timed = dates.read_time(low, start, end, int(literal), None) if len(literal) == 2 else None
            return _timed(timed, start, end) or _id(start, end, literal)
        timed = dates.read_time(low, start, end, int(literal), None) if len(literal) < 3 else None
        if timed:
            return _timed(timed, start, end)
        tail = _FRACTION_TAIL.match(low, end)
        if tail and int(tail[1]) and low[end : end + 1] in "/ ":
            return _fraction(plain, low, start, tail.end(), int(literal), int(tail[1]), words)
        mixed = _MIXED_TAIL.match(low, end)
        if mixed and 0 < int(mixed[1]) < int(mixed[2]):
            value = Amount(int(literal) + Fraction(int(mixed[1]), int(mixed[2])), Fraction(0))
            return _with_unit(plain, low, start, mixed.end(), (value,), words)
    if low[end : end + 1] in _VULGAR:
        value = Amount(amounts[0].value + Fraction(*_VULGAR[low[end]]), Fraction(0))
        return _with_unit(plain, low, start, end + 1, (value,), words)
    item = _with_unit(plain, low, start, end, amounts, words)
    if (
        "." in literal
        and item.options
        and not item.approximate
        and all(unit == "" for _, unit in item.options)
    ):
        item = _perhaps_version(plain, low, item, literal)
    return item


def _perhaps_version(plain: str, low: str, item: Item, literal: str) -> Item:
    """A decimal that stands after a name ("Python 3.10") or beside "version" is one; others may be."""
    before = re.search(r"([A-Za-z][\w+#]*) $", plain[max(0, item.start - 20) : item.start])
    named = before is not None and before[1][0].isupper() and before.start() + max(0, item.start - 20) > 0
    near = _VERSION_NEAR.search(low, max(0, item.start - 60), item.start) or low.startswith(
        " version", item.end
    )
    reading = Reading("version", literal)
    if (named or near) and "," not in literal:
        return replace(item, options=(), readings=(reading,), kind="version")
    return replace(item, readings=(*item.readings, reading))


def _timed(found: dates.TimeFound | None, start: int, end: int) -> Item | None:
    if found is None:
        return None
    readings = tuple(Reading("time", Fraction(value)) for value in found.minutes)
    return Item(found.start, found.end, (start, end), readings=readings, kind="time")


def _listed(low: str, start: int, end: int, literal: str) -> Item:
    """A literal that is no number: a version with its points, or some other label."""
    if "," not in literal and "'" not in literal and literal.count(".") > 1:
        return _version(start, end, literal)
    return _id(start, end, literal)


def _fraction(plain: str, low: str, start: int, end: int, top: int, bottom: int, words: NumberWords) -> Item:
    if (top, bottom) in ((24, 7), (24, 365)):
        return _id(start, end, f"{top}/{bottom}")
    return _with_unit(plain, low, start, end, (Amount(Fraction(top, bottom), Fraction(0)),), words)


def _percent_before(low: str, start: int, end: int, language: str | None) -> Item | None:
    unit = "percent" if low[start] == "百" else "permille"
    found = re.compile(NUMBER).match(low, end)
    if found:
        amounts = read_literal(found[0], language)
        return Item(
            start,
            found.end(),
            (start, found.end()),
            tuple((amount, unit) for amount in amounts),
            kind="percent",
        )
    number = read_han(low, end)
    if number is None:
        return None
    stop = number.end
    amount = Amount(number.value, Fraction(1))
    decimals = re.compile(r"点([〇零一二三四五六七八九]+)").match(low, stop)
    if decimals:
        digits = "".join(
            str("〇一二三四五六七八九".index("〇" if char == "零" else char)) for char in decimals[1]
        )
        amount = Amount(
            number.value + Fraction(int(digits), 10 ** len(digits)), Fraction(1, 10 ** len(digits))
        )
        stop = decimals.end()
    return Item(start, stop, (start, stop), ((amount, unit),), kind="percent")


# --- numbers in words -------------------------------------------------------------------------------

_OF_WORDS = frozenset("of de der des von du d la las los le les".split())


def _worded(
    plain: str, low: str, word: str, start: int, end: int, words: NumberWords, language: str | None
) -> Item | None:
    if word in words.duals:
        value, unit = words.duals[word]
        return Item(start, end, (start, end), ((Amount(Fraction(value), Fraction(1)), unit),))
    number = read_words(low, word, end, words)
    if number is None:
        return _ordinal(low, word, start, end, words)
    if number.end == end and word in words.ordinals and number.fraction:
        following, _ = next_word(low, end)
        if following not in _OF_WORDS:
            return _ordinal(low, word, start, end, words)
    following, after = next_word(low, number.end)
    if following in words.ordinals and low[number.end : number.end + 1] == "-" and number.value % 10 == 0:
        return Item(
            start,
            after,
            (start, after),
            readings=(Reading("ordinal", number.value + words.ordinals[following]),),
            kind="ordinal",
        )
    step = Fraction(0) if number.fraction else Fraction(1)
    item = _with_unit(plain, low, start, number.end, (Amount(number.value, step),), words)
    has_unit = any(unit for _, unit in item.options)
    if number.only_one:
        if not has_unit:
            return (
                replace(item, weak=True)
                if word in ("one", "واحد", "eins", "uno") and not word in words.articles
                else None
            )
        return replace(item, weak=True)
    if number.fraction and not has_unit and following not in _OF_WORDS:
        return replace(item, weak=True)
    return item


def _ordinal(low: str, word: str, start: int, end: int, words: NumberWords) -> Item | None:
    value = words.ordinals.get(word)
    if value is None:
        return None
    return Item(
        start, end, (start, end), readings=(Reading("ordinal", Fraction(value)),), kind="ordinal", weak=True
    )


_ARABIC_PREFIXES = ("ال", "ب", "ل", "و", "وال", "لل")


def _arabic(
    plain: str, low: str, word: str, start: int, end: int, words: NumberWords, language: str | None
) -> Item | None:
    """An Arabic number word behind an article or a particle."""
    for prefix in _ARABIC_PREFIXES:
        rest = word.removeprefix(prefix)
        if (
            rest != word
            and len(rest) > 2
            and (rest in words.values or rest in words.multipliers or rest in words.duals)
        ):
            return _worded(plain, low, rest, start + len(prefix), end, words, language)
    return None


# --- Chinese and Japanese ---------------------------------------------------------------------------

_HAN_IDIOMS = frozenset("万一 千万 一一 三三 百万分 十分 万万 千千".split())
_COUNTERS = frozenset("个個人名位件台次回枚本册冊页頁条條项項家种種张張岁歳才款部份层層楼号號間间つ社校都国國州県市区座场場只頭头匹辆輛艘架"
                      "支首篇字行列组組段批套双對对道门門科类類冊点點代級级册倍步歩章节節室票")  # fmt: skip
_NOT_BEFORE_HAN = frozenset("周週期拜统统一唯之第数數几幾")
_FRACTION_PARTS = re.compile(r"分[之の]")


def _han(plain: str, low: str, start: int, end: int, language: str | None, words: NumberWords) -> Item | None:
    char = low[start]
    text = low[start:end]
    if text in dates.TIME_WORDS:
        return Item(
            start,
            end,
            (start, end),
            readings=(Reading("time", Fraction(dates.TIME_WORDS[text])),),
            kind="time",
        )
    previous = low[start - 1] if start else ""
    if char == "半":
        return _half(plain, low, start, end, previous, words)
    number = read_han(low, start)
    if number is None or (previous in _NOT_BEFORE_HAN and previous and previous != "第"):
        return None
    value, stop = number.value, number.end
    if previous == "第":
        return _numbered(start - 1, stop, value)
    parts = _FRACTION_PARTS.match(low, stop)
    if parts:
        top = read_han(low, parts.end())
        if top and value:
            amount = Amount(top.value / value, Fraction(0))
            return Item(start, top.end, (start, top.end), ((amount, ""),))
    decimals = re.compile(r"点([〇零一二三四五六七八九]+)").match(low, stop)
    if decimals and number.length <= 3 and value < 1000:
        digits = "".join(
            str("〇一二三四五六七八九".index("〇" if char == "零" else char)) for char in decimals[1]
        )
        amount = Amount(value + Fraction(int(digits), 10 ** len(digits)), Fraction(1, 10 ** len(digits)))
        return _with_unit(plain, low, start, decimals.end(), (amount,), words)
    if value < 25 and (timed := dates.read_time(low, start, stop, int(value), None)):
        return _timed(timed, start, stop)
    if low.startswith("半", stop) and text == "一":
        return Item(start, stop + 1, (start, stop + 1), ((Amount(Fraction(1, 2), Fraction(0)), ""),))
    item = _with_unit(plain, low, start, stop, (Amount(value, Fraction(1)),), words)
    if item.calendar or any(unit for _, unit in item.options):
        return item
    counted = low[stop : stop + 1] in _COUNTERS and stop < len(low)
    if counted:
        return replace(item, weak=number.length == 1 and value == 1)
    if number.length == 1 or low[start:stop] in _HAN_IDIOMS:
        return None
    return item


def _half(plain: str, low: str, start: int, end: int, previous: str, words: NumberWords) -> Item | None:
    amount = Amount(Fraction(1, 2), Fraction(0))
    item = _with_unit(plain, low, start, end, (amount,), words)
    if any(unit for _, unit in item.options):
        return item
    if low.startswith(("半年", "半月", "半日"), start):
        unit = {"年": "year", "月": "month", "日": "day"}[low[start + 1]]
        return Item(start, start + 2, (start, end), ((amount, unit),))
    if low.startswith(("半数", "半數", "半分"), start) or previous == "一":
        return Item(start, start + 2, (start, end), ((amount, ""),))
    return None


def _numbered(start: int, end: int, value: Fraction) -> Item:
    """第N: an ordinal in Chinese and Japanese, a plain number where other languages write "Article 3"."""
    return Item(
        start,
        end,
        (start, end),
        ((Amount(value, Fraction(1)), ""),),
        (Reading("ordinal", value),),
        kind="ordinal",
    )


# --- the unit after a number -------------------------------------------------------------------------

_UNIT_TOKEN = re.compile(
    rf"( {{0,3}}-?)([%‰°º℃℉€$£¥₹₩₽₺₫฿₪₴₦₱×¢]|[{LETTERS}]+(?:[²³]|/[a-zA-Z]+|\^[23]|[23](?![\w.]))?)"
)
_DEGREE_LETTER = re.compile(r" ?([CFcf])(?![a-zA-Z])")
_PREPOSITION = re.compile(r" [a-z0-9$€£]")
_OF = re.compile(r" (?:de |of |d')|'")


@dataclass(frozen=True, slots=True)
class _Unit:
    """What follows a number: factors and unit names, where it ends; ``label``: letters that make it an id."""

    options: tuple[tuple[Fraction, str], ...]
    end: int
    approximate: bool = False
    label: bool = False
    ordinal: bool = False
    decade: bool = False
    calendar: str = ""


_NONE = ((Fraction(1), ""),)


def _with_unit(
    plain: str, low: str, start: int, end: int, amounts: tuple[Amount, ...], words: NumberWords
) -> Item:
    begin, currency = _currency_before(plain, low, start)
    unit = _read_unit(plain, low, end, bool(currency), words, amounts[0].value)
    if unit.label:
        stop = re.compile(r"[\w-]*").match(low, end)
        assert stop is not None
        return _id(start, stop.end(), low[start : stop.end()].replace("-", ""))
    sign = -1 if _is_negative(plain, low, begin) else 1
    if sign < 0:
        begin -= 1
    if unit.ordinal:
        return Item(
            start, unit.end, (start, end), readings=(Reading("ordinal", amounts[0].value),), kind="ordinal"
        )
    if unit.decade:
        return Item(
            start, unit.end, (start, end), readings=(Reading("decade", amounts[0].value),), kind="date"
        )
    options: list[tuple[Amount, str]] = []
    for factor, name in unit.options:
        for amount in amounts:
            scaled = Amount(sign * amount.value * factor, amount.step * factor)
            names = currency if currency and not name else (name,)
            options.extend((scaled, one) for one in names)
    calendar = (
        (unit.calendar, int(amounts[0].value))
        if unit.calendar and amounts[0].value.denominator == 1
        else None
    )
    return Item(
        begin, unit.end, (start, end), tuple(options), approximate=unit.approximate, calendar=calendar
    )


_SIGN_BEFORE = re.compile(r"(?:([a-zA-Z]{1,3})?([$€£¥₹₩₽₺₫฿₪₴₦₱])|([A-Z]{3})|(Rs\.?|kr\.?|रु\.?|₨))[ ]?$")


def _currency_before(plain: str, low: str, start: int) -> tuple[int, tuple[str, ...]]:
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


_MINUS_WORDS = re.compile(
    r"(?:\b(?:minus|negative|menos|moins|سالب|ناقص|माइनस|ऋण)|零下|マイナス|氷点下|负|負) ?$"
)


def _is_negative(plain: str, low: str, begin: int) -> bool:
    if not begin or plain[begin - 1] != "-":
        return False
    return begin == 1 or not (
        plain[begin - 2].isalnum() or plain[begin - 2] in ")]%°€$£¥ " and plain[max(0, begin - 3)].isdecimal()
    )


def _read_unit(
    plain: str, low: str, end: int, has_currency: bool, words: NumberWords, value: Fraction
) -> _Unit:
    char = plain[end : end + 1]
    if char == " ":
        char = plain[end + 1 : end + 2]
    if not char:
        return _Unit(_NONE, end)
    if is_unspaced(char):
        return _read_unspaced_unit(plain, low, end, has_currency, words, value)
    found = _UNIT_TOKEN.match(plain, end)
    if not found:
        return _Unit(_NONE, end)
    gap, token = found.groups()
    stop = found.end()
    if not token[0].isalpha() or token[0] in "ºª":
        return _read_sign(plain, token, end, stop, gap)
    lower = low[stop - len(token) : stop]
    if not gap and lower in _ORDINAL_SUFFIX and value.denominator == 1 and value > 0:
        return _Unit(_NONE, stop, ordinal=True)
    if not gap and lower == "s" and value.denominator == 1 and 1000 <= value <= 2190 and value % 10 == 0:
        return _Unit(_NONE, stop, decade=True)
    options: list[tuple[Fraction, str]] = []
    if lower == "in" and gap and _PREPOSITION.match(low, stop):
        return _Unit(_NONE, end)
    many = _longer_unit(low, lower, stop)
    if many and (not has_currency or many[0][0].startswith("money")):
        return _Unit(tuple((Fraction(1), name) for name in many[0]), many[1])
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
    options.extend((Fraction(1), name) for name in dict.fromkeys((*(names or ()), *by_word)))
    if token in CURRENCY_CODES:
        options.append((Fraction(1), f"money:{token}"))
    elif lower in ("kr", "zł", "kč", "rs", "rmb", "sfr"):
        options.extend((Fraction(1), f"money:{code}") for code in CURRENCY_SIGNS[lower])
    if not options:
        if not gap:
            return _Unit(_NONE, stop, label=True)
        return _Unit(_NONE, end)
    if gap and (token in SOFT_SYMBOLS or token in UNSURE_MAGNITUDES and token != "m"):
        options.append((Fraction(1), ""))
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
    return _Unit(_NONE, end) if unit.label or unit.ordinal or unit.decade else unit


def _read_sign(plain: str, token: str, end: int, stop: int, gap: str) -> _Unit:
    if token in "°º":
        letter = _DEGREE_LETTER.match(plain, stop)
        if letter:
            name = "celsius" if letter[1] in "Cc" else "fahrenheit"
            return _Unit(((Fraction(1), name),), letter.end())
        return _Unit(((Fraction(1), "degree"),), stop)
    if "-" in gap:
        return _Unit(_NONE, end)
    if token == "¢":
        return _Unit(((Fraction(1), "money:USD/100"), (Fraction(1), "money:EUR/100")), stop)
    if token in CURRENCY_SIGNS:
        return _Unit(tuple((Fraction(1), f"money:{code}") for code in CURRENCY_SIGNS[token]), stop)
    return _Unit(tuple((Fraction(1), name) for name in SYMBOLS[token]), stop)


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


_CALENDAR = {"年": "year", "月": "month", "日": "day", "号": "day", "號": "day"}


def _read_unspaced_unit(
    plain: str, low: str, end: int, has_currency: bool, words: NumberWords, value: Fraction
) -> _Unit:
    """The unit of a script without blanks: the longest entry that the text goes on with."""
    at = end + 1 if low[end] == " " else end
    multiplied = read_han_multiplier(low, at, Fraction(1)) if low[at] in HAN_NUMERALS else None
    if multiplied:
        factor, _, stop = multiplied
        if stop < len(low) and is_unspaced(low[stop]):
            inner = _read_unspaced_unit(plain, low, stop, has_currency, words, Fraction(0))
        else:
            inner = (
                _read_unit(plain, low, stop, has_currency, words, Fraction(0))
                if stop < len(low)
                else _Unit(_NONE, stop)
            )
            inner = _Unit(_NONE, stop) if inner.label else inner
        return _Unit(
            tuple((factor * scale, name) for scale, name in inner.options), inner.end, approximate=True
        )
    dictionary = unspaced_unit_words()
    half = Fraction(1, 2) if low.startswith(("个半", "個半"), at) else None
    if half:
        inner = (
            _read_unspaced_unit(plain, low, at + 2, has_currency, words, Fraction(0))
            if at + 2 < len(low)
            else None
        )
        if inner and inner.options != _NONE and value:
            return _Unit(tuple(((value + half) / value, name) for _, name in inner.options), inner.end)
    for length in range(min(8, len(low) - at), 0, -1):
        names = dictionary.get(low[at : at + length])
        if names:
            stop = at + length
            factor = Fraction(1)
            if low.startswith("半", stop) and value and names[0] in ("hour", "year", "day", "month", "week"):
                factor, stop = (value + Fraction(1, 2)) / value, stop + 1
            return _Unit(tuple((factor, name) for name in names), stop)
    part = _CALENDAR.get(low[at])
    if part and not (part == "day" and low[at] in "号號" and value > 31):
        if part == "year" and low.startswith("半", at + 1) and 0 < value < 1000:
            return _Unit((((value + Fraction(1, 2)) / value, "year"),), at + 2)
        options = (
            ((Fraction(1), part),)
            if part == "day" and low[at] == "日" or part == "year" and value < 1000
            else _NONE
        )
        return _Unit(options, at + 1, calendar=part)
    return _Unit(_NONE, end)
