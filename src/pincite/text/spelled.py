"""Numbers in words, and Chinese and Japanese numerals, with their units."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from pincite.text import dates
from pincite.text.han import HAN_NUMERALS, read_han, read_han_decimals
from pincite.text.item import Item, timed_item
from pincite.text.measure import with_unit
from pincite.text.numerals import HALVED, NUMBER, Amount, NumberWords, next_word, read_literal, read_words
from pincite.text.quantity import Reading
from pincite.text.units import ONE, unit_words

HAN_START = rf"百分之|千分之|[{HAN_NUMERALS}]+|半|正午|中午|午夜|真夜中"
"""Where a Chinese or Japanese number or time word may begin."""

_OF_WORDS = frozenset("of de der des von du d la las los le les".split())

_ARABIC_PREFIXES = ("ال", "ب", "ل", "و", "وال", "لل")


def spelled_item(plain: str, low: str, word: str, start: int, end: int, words: NumberWords) -> Item | None:
    if word in words.duals:
        value, unit = words.duals[word]
        return Item(start, end, (start, end), ((Amount(Fraction(value), ONE), unit),))
    if word in HALVED:
        for phrase in words.halves:
            if low.startswith(phrase, end + 1):
                stop = end + 1 + len(phrase)
                return Item(
                    start, stop, (start, stop), ((Amount(Fraction(3, 2), Fraction(1, 10)), HALVED[word]),)
                )
        return None
    if word in words.articles:
        following, _ = next_word(low, end)
        if (
            following not in unit_words()
            and following not in words.multipliers
            and following not in words.fractions
        ):
            return None
    number = read_words(low, word, end, words)
    if number is None:
        return _ordinal(word, start, end, words)
    if number.end == end and word in words.ordinals and number.fraction:
        following, _ = next_word(low, end)
        if following not in _OF_WORDS:
            return _ordinal(word, start, end, words)
    following, after = next_word(low, number.end)
    if following in words.ordinals and low[number.end : number.end + 1] == "-" and number.value % 10 == 0:
        return Item(
            start,
            after,
            (start, after),
            readings=(Reading("ordinal", number.value + words.ordinals[following]),),
            kind="ordinal",
        )
    step = Fraction(0) if number.fraction else ONE
    item = with_unit(plain, low, start, number.end, (Amount(number.value, step),), words)
    has_unit = any(unit for _, unit in item.options)
    if number.only_one:
        if not has_unit:
            return (
                replace(item, weak=True)
                if word in ("one", "واحد", "eins", "uno") and word not in words.articles
                else None
            )
        return replace(item, weak=True)
    if number.fraction and not has_unit and following not in _OF_WORDS:
        return replace(item, weak=True)
    return item


def _ordinal(word: str, start: int, end: int, words: NumberWords) -> Item | None:
    value = words.ordinals.get(word)
    if value is None:
        return None
    return Item(
        start, end, (start, end), readings=(Reading("ordinal", Fraction(value)),), kind="ordinal", weak=True
    )


def arabic_item(plain: str, low: str, word: str, start: int, end: int, words: NumberWords) -> Item | None:
    """An Arabic number word behind an article or a particle."""
    for prefix in _ARABIC_PREFIXES:
        rest = word.removeprefix(prefix)
        if (
            rest != word
            and len(rest) > 2
            and (rest in words.values or rest in words.multipliers or rest in words.duals)
        ):
            return spelled_item(plain, low, rest, start + len(prefix), end, words)
    return None


# --- Chinese and Japanese ---------------------------------------------------------------------------

_HAN_WORDS = tuple("一部 一般 一些 一定 一样 一樣 一起 一切 一旦 一直 一体 一番 一方 一流 一致 一律 二维码 二手 三明治 三星 三角 四川 四季 五金 七夕"
                   " 八卦 九州 九龙 万一 千万别".split())  # fmt: skip
"""Words that begin with a numeral and count nothing."""

_HAN_IDIOMS = frozenset("万一 千万 一一 三三 百万分 十分 万万 千千".split())
_COUNTERS = frozenset("个個人名位件台次回枚本册冊页頁条條項项階阶家种種张張岁歳才款部份层層楼号號間间つ社校都国國州県市区座场場只頭头匹辆輛艘架"
                      "支首篇字行列组組段批套双對对道门門科类類冊点點代級级册倍步歩章节節室票")  # fmt: skip
_NOT_BEFORE_HAN = frozenset("周週期拜统统一唯之第数數几幾")
_FRACTION_PARTS = re.compile(r"分[之の]")


def han_item(plain: str, low: str, start: int, end: int, words: NumberWords) -> Item | None:
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
    if low.startswith(_HAN_WORDS, start):
        return None
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
    decimals = read_han_decimals(low, stop)
    if decimals and number.length <= 3 and value < 1000:
        return with_unit(
            plain, low, start, decimals[1], (Amount(value + decimals[0].value, decimals[0].step),), words
        )
    if value < 25 and (timed := dates.read_time(low, start, stop, int(value), None)):
        return timed_item(timed, start, stop)
    if low.startswith("半", stop) and text == "一":
        return Item(start, stop + 1, (start, stop + 1), ((Amount(Fraction(1, 2), Fraction(0)), ""),))
    item = with_unit(plain, low, start, stop, (Amount(value, ONE),), words)
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
    item = with_unit(plain, low, start, end, (amount,), words)
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
        ((Amount(value, ONE), ""),),
        (Reading("ordinal", value),),
        kind="ordinal",
    )


def percent_before(low: str, start: int, end: int, language: str | None) -> Item | None:
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
    amount = Amount(number.value, ONE)
    decimals = read_han_decimals(low, stop)
    if decimals:
        amount, stop = Amount(number.value + decimals[0].value, decimals[0].step), decimals[1]
    return Item(start, stop, (start, stop), ((amount, unit),), kind="percent")
