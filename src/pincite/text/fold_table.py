"""The table that says what each code point becomes when texts are compared. Built on first use, in about 50 ms.

A value below ``EXPAND`` is the folded character, ``SEPARATOR`` or ``NOTHING``. From ``EXPAND`` on it names a
folded form of several characters, from ``LOOSE`` on a mark that composes with the letter before it.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from pincite.text.characters import APOSTROPHES

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Codes = npt.NDArray[np.uint32]

SEPARATOR = 0
NOTHING = 1
BLANK = 0x20
EXPAND = 0x110000
"""Values from here on name a folded form of several characters."""
LOOSE = 0x200000
"""Added to the value of a mark that composes with the letter before it, so that one ``max`` finds them."""
_LAYOUT_SYMBOLS = "\u00a9\u00ae\u2117\u2120\u2122"
"""(c), (r), tm and the like say nothing that a quote must repeat, although NFKC spells some of them out."""
_IDENTITY = (  # large scripts without case or decomposition: Han, Hangul, Tangut and the like
    (0x3400, 0x4DC0),
    (0x4E00, 0xA000),
    (0xAC00, 0xD7A4),
    (0x12000, 0x12550),
    (0x13000, 0x14650),
    (0x17000, 0x18D09),
    (0x20000, 0x2F800),
    (0x30000, 0x323B0),
)
_ONE_BY_ONE = (
    (0x0000, 0x2600),
    (0x2C00, 0x2DE0),
    (0x2E80, 0x3400),
    (0xA000, 0xAC00),
    (0xF900, 0x10000),
    (0x10280, 0x11A00),
    (0x16E40, 0x16EA0),
    (0x1D100, 0x1D800),
    (0x1E000, 0x1F300),
    (0x2F800, 0x2FA20),
)
_DROPPED = (  # Hebrew points, Arabic vowel marks and Koranic signs, variation selectors, skin tones, tags
    (0x034F, 0x0350),
    (0x0591, 0x05BE),
    (0x05BF, 0x05C0),
    (0x05C1, 0x05C3),
    (0x05C4, 0x05C6),
    (0x05C7, 0x05C8),
    (0x0610, 0x061B),
    (0x0640, 0x0641),
    (0x064B, 0x0653),
    (0x0656, 0x0660),
    (0x0670, 0x0671),
    (0x06D6, 0x06DD),
    (0x06DF, 0x06E5),
    (0x06E7, 0x06E9),
    (0x06EA, 0x06EE),
    (0x08D3, 0x0900),
    (0x180B, 0x1810),
    (0xFE00, 0xFE10),
    (0x1F3FB, 0x1F400),
    (0xE0000, 0xE01F0),
)
_PICTURES = ((0x1F1E6, 0x1F200), (0x1F300, 0x1F3FB), (0x1F400, 0x1FB00), (0x2600, 0x27C0))
"""Emoji are kept like letters: a thumbs up is not a thumbs down."""


@dataclass(frozen=True, slots=True)
class Tables:
    """``fold`` and ``words`` (where a separator is a blank) have a value per code point; ``EXPAND + k`` is spelled ``spelled[offsets[k]:][:lengths[k]]``."""

    fold: Codes
    words: Codes
    offsets: Any
    lengths: Any
    spelled: Codes


@cache
def tables() -> Tables:
    import numpy as np

    fold_table = np.zeros(0x110000, dtype=np.uint32)
    for low, high in _IDENTITY + _PICTURES:
        fold_table[low:high] = np.arange(low, high, dtype=np.uint32)
    dropped = {code for low, high in _DROPPED for code in range(low, high)}
    pictures = {code for low, high in _PICTURES for code in range(low, high)}
    spellings: dict[str, int] = {}
    seconds: set[str] = set("\uff9e\uff9f")
    for low, high in _ONE_BY_ONE:
        for code in range(low, high):
            char = chr(code)
            category = unicodedata.category(char)
            if category == "Cn":
                continue
            folded = _fold_one(char, category, dropped, pictures)
            if folded is None:
                fold_table[code] = NOTHING
            elif len(folded) == 1:
                fold_table[code] = ord(folded)
            elif folded:
                fold_table[code] = EXPAND + spellings.setdefault(folded, len(spellings))
            parts = unicodedata.decomposition(char).split()
            if len(parts) == 2 and parts[0][0] != "<":
                pair = chr(int(parts[0], 16)) + chr(int(parts[1], 16))
                if unicodedata.normalize("NFC", pair) == char:
                    seconds.add(pair[1])
    for low, high in _DROPPED:
        fold_table[low:high] = NOTHING
    seconds.update(map(chr, range(0x1161, 0x1176)))
    seconds.update(map(chr, range(0x11A8, 0x11C3)))
    for mark in sorted(seconds):
        fold_table[ord(mark)] += LOOSE
    lengths = np.array([len(spelling) for spelling in spellings], dtype=np.int64)
    return Tables(
        fold=fold_table,
        words=np.where(fold_table == SEPARATOR, BLANK, fold_table).astype(np.uint32),
        offsets=np.cumsum(lengths) - lengths,
        lengths=lengths,
        spelled=np.array([ord(char) for spelling in spellings for char in spelling], dtype=np.uint32),
    )


def _fold_one(char: str, category: str, dropped: set[int], pictures: set[int]) -> str | None:
    """The letters a character becomes; empty for a separator, ``None`` for nothing at all."""
    if category == "Cf" or ord(char) in dropped or char in APOSTROPHES:
        return None
    if category == "Nd":
        return str(unicodedata.digit(char))
    if char in _LAYOUT_SYMBOLS:
        return ""
    if char == "\u0130":  # casefold would add a dot of its own
        return "i"
    if category[0] not in "LNM":
        if ord(char) in pictures:
            return char
        if category != "So" or not unicodedata.decomposition(char):
            return ""
    if not unicodedata.decomposition(char) and char.casefold() == char:
        return char
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", char).casefold())
    kept = "".join(one for one in folded if unicodedata.category(one)[0] in "LNM" and ord(one) not in dropped)
    if not kept:
        return None if category[0] == "M" else ""
    return kept


@lru_cache(maxsize=16_384)
def fold_cluster(cluster: str) -> tuple[int, ...]:
    """The folded code points of a letter with its loose marks, composed in canonical order."""
    return tuple(map(ord, _fold_characters(unicodedata.normalize("NFKC", cluster))))


def _fold_characters(text: str) -> str:
    table = tables()
    out: list[str] = []
    for char in text:
        value = int(table.fold[ord(char)])
        value = value - LOOSE if value >= LOOSE else value
        if value >= EXPAND:
            start = int(table.offsets[value - EXPAND])
            out.extend(
                chr(int(code)) for code in table.spelled[start : start + int(table.lengths[value - EXPAND])]
            )
        elif value > NOTHING:
            out.append(chr(value))
    return "".join(out)
