"""Numbers that are names: ids such as AES-256 or 0012, phone numbers, versions. Leading zeros count."""

from __future__ import annotations

import re

from pincite.text.item import Item, id_item
from pincite.text.numerals import read_literal
from pincite.text.quantity import Reading
from pincite.text.units import CURRENCY_CODES

_PREFIX_WORDS = frozenset("mid pre post non top sub age day max min per ex".split())
_LABEL = re.compile(r"[a-z]+[-_.]?\d\w*(?:[-_.]\w+)*")
_ASCII_LETTERS = "abcdefghijklmnopqrstuvwxyz"
VERSION_WORDS = re.compile(
    r"(?:\b(?:version|versions|versión|release|releases|ver|build|firmware|v|rev|revision|الاصدار|اصدار|نسخه|संस्करण|वर्जन)|版本|バージョン|ヴァージョン|版)"
    r"[ :.]{0,2}$"
)
VERSION_NEAR = re.compile(r"\b(?:version|versión|release|版本|バージョン|संस्करण|الاصدار|اصدار)\b")


def label_item(plain: str, low: str, start: int) -> Item | None:
    """The id or version that begins with letters at ``start``; ``None`` when letters and number are apart."""
    found = _LABEL.match(low, start)
    if not found or (start and (low[start - 1].isalnum() or low[start - 1] == "_")):
        return None
    label = found[0]
    rest = label.lstrip(_ASCII_LETTERS)
    letters = plain[start : start + len(label) - len(rest)]
    if letters.upper() in CURRENCY_CODES or letters.lower() in ("us", "rs", "kr", "ca", "cn"):
        return None  # "EUR20": the number is read with its currency
    if letters.islower() and (len(letters) > 3 or rest[0] in "._") and rest[0] in "-._":
        return None  # "top-10", "see.5": words beside a number
    if letters in _PREFIX_WORDS and rest[0] == "-":
        return None  # "mid-2023"
    if letters.lower() == "v" and re.fullmatch(r"[-.]?\d+(?:\.\w+)*", rest):
        number = rest.lstrip("-.")
        return version_item(start, found.end(), number)
    if rest[0] == "." and not letters.islower():
        return None
    return id_item(start, found.end(), re.sub(r"[-_]", "", label))


def version_item(start: int, end: int, number: str) -> Item:
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
