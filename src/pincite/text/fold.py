"""A reading copy of a text for the fact parsers: plain digits, blanks, dashes and letters, with the way back.

Narrower than the squeezed form that quotes are found in: punctuation stays, because it decides what a
number is.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from pincite.types import Span

_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t\n\r\x0b\x0c"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u02d7\uff0d\ufe63\u2796\u301c\uff5e\u223c"
_APOSTROPHES = "\u2018\u2019\u02bc\u201b\uff07\u2032"
_ALEF_FORMS = {"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ة": "ه", "ک": "ك", "ی": "ي"}

_ASCII_TABLE = {
    ord("*"): " ",
    ord("`"): " ",
    ord("\t"): " ",
    ord("\n"): " ",
    ord("\r"): " ",
    0x0B: " ",
    0x0C: " ",
}
_TABLE: dict[int, str] = {
    **_ASCII_TABLE,
    **{ord(char): " " for char in _SPACES},
    **{ord(char): "-" for char in _DASHES},
    **{ord(char): "'" for char in _APOSTROPHES},
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if code not in (0xFF0D, 0xFF07, 0xFF5E)},
    **{ord(char): plain for char, plain in _ALEF_FORMS.items()},
    0x0958: "क", 0x0959: "ख", 0x095A: "ग", 0x095B: "ज", 0x095C: "ड", 0x095D: "ढ", 0x095E: "फ", 0x095F: "य",
    0x066A: "%", 0xFE6A: "%", 0xFE69: "$", 0xFFE0: "¢", 0xFFE1: "£", 0xFFE5: "¥", 0xFFE6: "₩",
}  # fmt: skip
_DIGIT = re.compile(r"(?![0-9])\d")
_DROPPED = re.compile(
    "[\u00ad\u034f\u061c\u0640\u064b-\u0652\u0670\u093c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe0e\ufe0f\ufeff]"
)
# At most two marks: composing is quadratic on floods of marks, and no letter of tier 1 has more.
_COMBINED = re.compile("[a-zA-Z\u00c0-\u024f\u0391-\u03c9\u0410-\u044f][\u0300-\u036f]{1,2}")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8}[0-9]{0,2});")


@dataclass(frozen=True, slots=True)
class Folded:
    """``plain`` keeps letter case, ``low`` has none; both have the same length.

    ``origins`` maps each of their indexes, the end included, to the text's code points; ``None`` when they
    are the same.
    """

    plain: str
    low: str
    origins: tuple[int, ...] | None = None

    def span(self, start: int, end: int) -> Span:
        """The text's span of ``plain[start:end]``."""
        if self.origins is None:
            return Span(start, end)
        if end <= start:
            return Span(self.origins[start], self.origins[start])
        return Span(self.origins[start], self.origins[end - 1] + self._width(end - 1))

    def _width(self, index: int) -> int:
        assert self.origins is not None
        # A letter with marks, or an entity, is as long as the way to the next kept character; marks that
        # were dropped after it stay with it.
        return max(self.origins[index + 1] - self.origins[index], 0)


def fold(text: str) -> Folded:
    """Fold digits of every script, blanks, dashes, width, Arabic and Devanagari spelling variants.

    Invisible characters, Arabic vowel marks, Markdown emphasis and HTML entities do not count.

    >>> fold("Ｇültig bis ٣٠\\u00a0Tage").low
    'gültig bis 30 tage'
    """
    if text.isascii():
        plain = text.translate(_ASCII_TABLE)
        if "&" not in plain or not _ENTITY.search(plain):
            return Folded(plain, plain.lower())
    origins: list[int] | None = None
    plain = text
    if "&" in plain and _ENTITY.search(plain):
        plain, origins = _replace(plain, None, _ENTITY, _unescaped)
    if _DROPPED.search(plain):
        plain, origins = _replace(plain, origins, _DROPPED, lambda _: "")
    if _COMBINED.search(plain):
        plain, origins = _replace(
            plain, origins, _COMBINED, lambda found: unicodedata.normalize("NFC", found)
        )
    plain = plain.translate(_TABLE)
    if _DIGIT.search(plain):
        plain = _DIGIT.sub(lambda found: str(unicodedata.decimal(found[0])), plain)
    low = plain.lower()
    if len(low) != len(plain):  # "İ" has a lower case of two characters
        low = "".join(char.lower() if len(char.lower()) == 1 else char for char in plain)
    if (
        "ς" in low
    ):  # lower() writes it at the end of a word only, so the same name would differ by its neighbour
        low = low.replace("ς", "σ")
    return Folded(plain, low, None if origins is None else tuple(origins))


def _unescaped(entity: str) -> str:
    char = html.unescape(entity)
    return char if len(char) == 1 else entity


def _replace(
    text: str, origins: list[int] | None, pattern: re.Pattern[str], by: Callable[[str], str]
) -> tuple[str, list[int]]:
    """Replace matches and return the way back; a replacement as long as its match keeps its places."""
    known = origins if origins is not None else list(range(len(text) + 1))
    parts: list[str] = []
    back: list[int] = []
    last = 0
    for found in pattern.finditer(text):
        start, end = found.span()
        parts.append(text[last:start])
        back.extend(known[last:start])
        new = by(found[0])
        parts.append(new)
        back.extend(known[start : start + len(new)])
        last = end
    parts.append(text[last:])
    back.extend(known[last:])
    return "".join(parts), back
