"""Kinds of characters that comparisons care about: scripts without blanks, marks, what continues a character."""

from __future__ import annotations

import re
import unicodedata

APOSTROPHES = "'\u2018\u2019\u201b\u02bc\uff07"
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
)
"""Character class of scripts written without blanks: Thai, Lao, Myanmar, Khmer, Han, Kana."""
UNSPACED_CHAR = re.compile(f"[{UNSPACED}]")
UNSPACED_LANGUAGES = ("ja", "zh")
"""Languages with a lexicon that put no blanks between words or sentences."""
PAIRED_LANGUAGES = (*UNSPACED_LANGUAGES, "ko", "th", "lo", "km", "my")
"""Languages whose terms are pairs of characters, or threes (see ``text.words``)."""

_MOST_MARKS = 256
"""Nobody reads a letter with more marks than this; a flood of them is cut here."""


def whole_end(text: str, end: int) -> int:
    """Move ``end`` behind the combining marks that continue the character before it.

    >>> whole_end("e\\u0301t", 1)
    2
    """
    if end < len(text) and text[end] >= "\u0300":
        return _skip_marks(text, end)
    return end


def _skip_marks(text: str, end: int) -> int:
    high = min(len(text), end + _MOST_MARKS)
    while end < high and continues_character(text, end):
        end += 1
    return end


def continues_character(text: str, place: int) -> bool:
    """Whether the character at ``place`` is part of the one before: a mark, a joiner or what it joins.

    >>> continues_character("e\\u0301", 1), continues_character("et", 1)
    (True, False)
    """
    char = text[place]
    if char < "\u0300":
        return False
    if (
        unicodedata.category(char)[0] == "M"
        or char in "\u200d\uff9e\uff9f"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
    ):
        return True
    if "\u1160" <= char <= "\u11ff":  # second and third part of a Korean syllable
        return place > 0 and "\u1100" <= text[place - 1] <= "\u11ff"
    return char >= "\u2600" and place > 0 and text[place - 1] == "\u200d"


def is_letter(char: str) -> bool:
    """Whether ``char`` is a letter or a mark on one."""
    return char.isalpha() or (char >= "\u0300" and unicodedata.category(char)[0] == "M")


def sendable(text: str) -> str:
    """``text`` without what JSON cannot carry or servers refuse: lone surrogates and NULs. No character more or less.

    >>> sendable("a\\x00b\\ud800")
    'a b?'
    """
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", " ")


def mostly_unspaced(text: str) -> bool:
    """Whether at least a third of a text is of scripts without blanks, going by samples of it.

    >>> mostly_unspaced("返品は14日以内"), mostly_unspaced("the word 返品 in Japanese")
    (True, False)
    """
    if text.isascii():
        return False
    sample = (
        text if len(text) <= 600 else text[:200] + text[len(text) // 2 : len(text) // 2 + 200] + text[-200:]
    )
    return len(UNSPACED_CHAR.findall(sample)) * 3 >= len(sample)
