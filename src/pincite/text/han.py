"""Chinese and Japanese numerals in folded text: 三百五十, 二〇二四, 3万5千, 2.5億."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from pincite.text.numerals import Amount

_HAN_DIGITS = {char: value for value, chars in enumerate(
    ("〇零", "一壹壱", "二贰貳弐两兩", "三叁參参", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖")) for char in chars}  # fmt: skip
_HAN_SMALL = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_HAN_BIG = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
HAN_NUMERALS = "".join((*_HAN_DIGITS, *_HAN_SMALL, *_HAN_BIG))
_HAN_RUN = re.compile(rf"(?:[{HAN_NUMERALS}]|(?<=[{HAN_NUMERALS}])\d+(?:,\d{{3}})*(?=[十百千万萬亿億兆]))+")
_HAN_MULTIPLIER = re.compile(
    rf" ?([十百千万萬亿億兆]+(?:\d+(?:,\d{{3}})*[十百千万萬亿億兆]+)*)(?:[{HAN_NUMERALS}]*)"
)

_HAN_DECIMALS = re.compile(rf"点([{''.join(_HAN_DIGITS)}]+)")


@dataclass(frozen=True, slots=True)
class HanNumber:
    """A number that ends before ``end``; ``length`` counts its numerals, which may stand place by place ("二〇二四")."""

    value: Fraction
    end: int
    length: int


def read_han(low: str, start: int) -> HanNumber | None:
    """The Chinese or Japanese number that begins at ``start``.

    >>> read_han("三百五十万円", 0)
    HanNumber(value=Fraction(3500000, 1), end=5, length=5)
    >>> read_han("二〇二四年", 0).value
    Fraction(2024, 1)
    """
    found = _HAN_RUN.match(low, start, start + 40)
    if not found:
        return None
    run = found[0]
    if len(run) > 1 and all(char in _HAN_DIGITS for char in run):
        if len(run) == 2 and "〇" not in run and "零" not in run:
            return None  # "三四" is "three or four"
        return HanNumber(
            Fraction(int("".join(str(_HAN_DIGITS[char]) for char in run))), found.end(), len(run)
        )
    value = _han_value(run, None)
    return None if value is None else HanNumber(value, found.end(), len(run))


def read_han_decimals(low: str, position: int) -> tuple[Amount, int] | None:
    """The decimals after 点 at ``position``, and their end.

    >>> read_han_decimals("三点一四", 1)
    (Amount(value=Fraction(7, 50), step=Fraction(1, 100)), 4)
    """
    found = _HAN_DECIMALS.match(low, position, position + 20)
    if not found:
        return None
    digits = "".join(str(_HAN_DIGITS[char]) for char in found[1])
    scale = 10 ** len(digits)
    return Amount(Fraction(int(digits), scale), Fraction(1, scale)), found.end()


def read_han_multiplier(low: str, position: int, value: Fraction) -> tuple[Fraction, int] | None:
    """``value`` (digits just before ``position``) times the numerals there, and their end.

    >>> read_han_multiplier("2.5億円", 3, Fraction(5, 2)), read_han_multiplier("3万5千円", 1, Fraction(3))
    ((Fraction(250000000, 1), 4), (Fraction(35000, 1), 4))
    """
    found = _HAN_MULTIPLIER.match(low, position, position + 40)
    if not found:
        return None
    multiplied = _han_value(found[0].strip(), value)
    return None if multiplied is None else (multiplied, found.end())


def _han_value(run: str, first: Fraction | None) -> Fraction | None:
    total, section, digit = Fraction(0), Fraction(0), first
    for part in re.findall(r"\d[\d,]*|.", run):
        if part[0].isdecimal():
            digit = Fraction(int(part.replace(",", "")))
        elif part in _HAN_DIGITS:
            digit = Fraction(_HAN_DIGITS[part])
        elif part in _HAN_SMALL:
            section += (Fraction(1) if digit is None else digit) * _HAN_SMALL[part]
            digit = None
        else:
            section += digit or 0
            total += (section or Fraction(1)) * _HAN_BIG[part]
            section, digit = Fraction(0), None
    return total + section + (digit or 0)
