"""German numbers below a million, written as one word."""

from __future__ import annotations

import re
from functools import lru_cache

GERMAN_UNITS = {"ein": 1, "eins": 1, "eine": 1, "zwei": 2, "zwo": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6,
                 "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwölf": 12, "dreizehn": 13, "vierzehn": 14,
                 "fünfzehn": 15, "sechzehn": 16, "siebzehn": 17, "achtzehn": 18, "neunzehn": 19}  # fmt: skip
_GERMAN_TENS = {"zwanzig": 20, "dreißig": 30, "dreissig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60,
                "siebzig": 70, "achtzig": 80, "neunzig": 90}  # fmt: skip
_GERMAN_SHAPE = re.compile(
    r"(?:ein(?:s|e)?|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|sech|sieb|und|hundert|tausend"
    r"|zwanzig|dreißig|dreissig|zig){1,16}"
)


@lru_cache(maxsize=2048)
def read_german(word: str) -> int | None:
    """A German number written as one word, below a million; ``None`` for any other word.

    >>> read_german("dreiundzwanzig"), read_german("zweihundertfünfzig"), read_german("hundertwasser")
    (23, 250, None)
    """
    if len(word) > 60 or not _GERMAN_SHAPE.fullmatch(word):
        return None
    thousands, found, rest = word.partition("tausend")
    if found:
        head = _german_hundreds(thousands) if thousands else 1
        tail = _german_hundreds(rest.removeprefix("und")) if rest else 0
        return None if head is None or tail is None else head * 1000 + tail
    return _german_hundreds(word)


def _german_hundreds(word: str) -> int | None:
    hundreds, found, rest = word.partition("hundert")
    if not found:
        return _german_tens(word)
    head = GERMAN_UNITS.get(hundreds) if hundreds else 1
    rest = rest if rest in GERMAN_UNITS else rest.removeprefix("und")
    tail = _german_tens(rest) if rest else 0
    return None if head is None or tail is None else head * 100 + tail


def _german_tens(word: str) -> int | None:
    if word in GERMAN_UNITS or word in _GERMAN_TENS:
        return GERMAN_UNITS.get(word) or _GERMAN_TENS[word]
    unit, found, ten = word.partition("und")
    if found and GERMAN_UNITS.get(unit, 10) < 10 and ten in _GERMAN_TENS:
        return GERMAN_UNITS[unit] + _GERMAN_TENS[ten]
    return None
