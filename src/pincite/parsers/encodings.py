"""The encoding of a text that does not say it: UTF-8 when it is that, else an older one when the text leaves no doubt.

A wrong guess would give a document that says something else, so doubt is an error. What is expected of each encoding is
its alphabet, in words that are whole: ``Ïðèâåò`` is no word of any language that windows-1252 is used for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pincite.text.words import detect_language

SAMPLE_BYTES = 200_000
"""Bytes that are looked at; all are decoded in the end, strictly."""

_ENOUGH = 0.95
"""Share of the characters outside ASCII that must be what is expected of the encoding."""
_AHEAD = 0.15
"""By how much another encoding must fall behind."""
_MIN_BYTES = 16
"""Shorter texts tell nothing."""

_WESTERN = ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "id", "ca")
_CENTRAL = ("pl", "cs", "sk", "hu", "ro")

_MARKS = frozenset("“”‘’„‚«»‹›–—…•·×÷½¼¾²³°§©®™€£¥¢¿¡ºª±µ¶†‡‰\xa0\xad¨´¸")
"""Signs that stand between words; ``’ · º ª \\xad`` may stand in one."""
_IN_WORDS = frozenset("’·ºª\xad´")
_WEST = frozenset("äöüÄÖÜßàâçéèêëîïôùûÿœæÀÂÉÈÊËÇÎÏÔÙÛŒÆáíóúñÁÍÓÚÑìòÌÒãõÃÕåøÅØ")
_CENTRAL_LETTERS = frozenset("ąćęłńóśźżĄĆĘŁŃÓŚŹŻáčďéěíňřšťúůýžÁČĎÉĚÍŇŘŠŤÚŮÝŽäôľĺŕÄÔĽöüőűÖÜŐŰăâîşţĂÂÎŞŢß")
_TURKISH = frozenset("çğıöşüâîûÇĞİÖŞÜÂÎÛ")
_CYRILLIC_WORDS = frozenset("аивкосуябжйєії")
"""Words of one letter."""
_WORD = re.compile(r"[^\W\d_]+")
_KANA_OR_WIDE = re.compile("[\u3000-\u3015\u3040-\u30ff\uff01-\uff5e]")
_KANA = re.compile("[\u3041-\u30ff]")
_HAN = re.compile("[\u4e00-\u9fff]")
_HAN_BLANK_HAN = re.compile("[\u4e00-\u9fff] (?=[\u4e00-\u9fff])")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_FOREIGN_RUN = re.compile(r"[^\x00-\x7f]{2,}")
_WIDE_MARKS = re.compile("[\u3000-\u3015\uff01-\uff5e·—…“”‘’《》【】]")


_LABELS = {
    "iso-8859-1": "cp1252", "latin1": "cp1252", "latin-1": "cp1252", "us-ascii": "cp1252", "ascii": "cp1252",
    "iso-8859-9": "cp1254", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "shift-jis": "cp932",
    "x-sjis": "cp932", "euc-kr": "cp949", "ks_c_5601-1987": "cp949", "big5": "big5hkscs", "utf8": "utf-8",
    "iso-8859-11": "cp874", "tis-620": "cp874", "x-mac-roman": "mac_roman", "macintosh": "mac_roman",
}  # fmt: skip
"""What browsers do with labels that Python reads otherwise or not at all. Source: the WHATWG's Encoding Standard."""
_LABEL = re.compile(
    r"utf-?8|utf-16(?:le|be)?|cp(?:932|949|874|125[0-8]|866)|windows-(?:125[0-8]|874)|iso-8859-(?:[2-8]|10|1[3-6])|koi8-[ru]|"
    r"gb18030|big5hkscs|euc[-_]jp|iso-2022-jp|mac_roman|ibm866|hz-gb-2312"
)
"""Only these: Python has codecs that are no encodings of texts, and slow ones."""


def codec_of(label: str) -> str | None:
    """The codec for an encoding as a page or server names it; ``None`` when it is none that pages have.

    >>> codec_of("ISO-8859-1"), codec_of("Shift_JIS"), codec_of("punycode")
    ('cp1252', 'cp932', None)
    """
    name = label.strip().strip("\"'").lower()
    name = _LABELS.get(name, name)
    return name if _LABEL.fullmatch(name) else None


@dataclass(frozen=True, slots=True)
class Guess:
    """``name`` is a codec of Python, ``label`` what people call it."""

    name: str
    label: str


def decoded_by_guess(data: bytes) -> tuple[str, Guess] | None:
    """The text of ``data``, which is not UTF-8, and its encoding; ``None`` where there is doubt.

    UTF-16 without its mark is found by its zeros; Japanese, Chinese, Korean and Cyrillic encodings by their letters;
    the Latin ones, which share most letters, by the language.

    >>> text, guess = decoded_by_guess("Die Prüfung der Anträge dauert länger als üblich.".encode("cp1252"))
    >>> guess.label, text[4:11]
    ('windows-1252', 'Prüfung')
    """
    if len(data) < _MIN_BYTES:
        return None
    sample = data[:SAMPLE_BYTES]
    if wide := _utf_16(sample):
        return _whole(data, wide)
    if b"\0" in sample:
        return None
    scored: list[tuple[float, Guess]] = []
    for guess, expected in _CANDIDATES:
        text = _strictly(sample, guess.name)
        if text is not None and (foreign := sum(not char.isascii() for char in text)):
            scored.append((expected(text) / foreign, guess))
    scored.sort(key=lambda one: -one[0])
    if scored and scored[0][0] >= _ENOUGH and all(one[0] <= scored[0][0] - _AHEAD for one in scored[1:]):
        return _whole(data, scored[0][1])
    latin = None if scored and scored[0][0] > 1 - _AHEAD else _latin(sample)
    return _whole(data, latin) if latin else None


def _whole(data: bytes, guess: Guess) -> tuple[str, Guess] | None:
    text = _strictly(data, guess.name, final=True)
    return (text, guess) if text is not None else None


def _strictly(data: bytes, name: str, *, final: bool = False) -> str | None:
    """``None`` where it cannot be so encoded. A sample may end in the middle of a character."""
    import codecs

    try:
        return codecs.getincrementaldecoder(name)("strict").decode(data, final)
    except UnicodeDecodeError:
        return None


# --- what is expected ---------------------------------------------------------------------------


def _utf_16(sample: bytes) -> Guess | None:
    """Latin letters in UTF-16 have a zero in every second byte, and never in the other."""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > 0.4 * half and even < 0.01 * half:
        return Guess("utf-16-le", "UTF-16")
    if even > 0.4 * half and odd < 0.01 * half:
        return Guess("utf-16-be", "UTF-16")
    return None


def _stands_alone(text: str) -> bool:
    """Whether the characters outside ASCII are few and scattered: a degree sign and the letter behind it look like a
    Chinese character, words of such characters do not come about by chance."""
    in_runs = sum(map(len, _FOREIGN_RUN.findall(text)))
    return in_runs < 4 or in_runs * 5 < 4 * sum(not char.isascii() for char in text)


def _japanese(text: str) -> int:
    if _stands_alone(text):
        return 0
    kana, han = len(_KANA.findall(text)), len(_HAN.findall(text))
    if kana * 10 < han:
        return 0
    return len(_KANA_OR_WIDE.findall(text)) + sum(
        _is_common(char, "cp932", 0x88, 0x9F) for char in _HAN.findall(text)
    )


def _chinese(name: str, first: int, last: int) -> Callable[[str], int]:
    def expected(text: str) -> int:
        han = _HAN.findall(text)
        if _stands_alone(text):
            return 0
        if len(_KANA.findall(text)) * 10 > len(han):
            return 0
        # Korean words look like Chinese ones with blanks between them, of characters from the first half of the list alone;
        # Chinese has no blanks, and "is", "in" and "have" are in the other half.
        if len(_HAN_BLANK_HAN.findall(text)) * 12 > len(han) or (
            name == "gb18030" and sum(_is_common(char, name, 0xC9, 0xFE) for char in han) * 10 < len(han)
        ):
            return 0
        return len(_WIDE_MARKS.findall(text)) + sum(_is_common(char, name, first, last) for char in han)

    return expected


def _korean(text: str) -> int:
    common = sum(_is_common(char, "cp949", 0xB0, 0xC8) for char in _HANGUL.findall(text))
    return common + len(_WIDE_MARKS.findall(text)) if " " in text and not _stands_alone(text) else 0


def _is_common(char: str, name: str, first: int, last: int) -> bool:
    """Whether a Han character or Korean syllable is among those that the encoding lists first, as they are used most."""
    if char < "\u4e00":
        return False
    try:
        code = char.encode(name)
    except UnicodeEncodeError:
        return False
    return first <= code[0] <= last and (name in ("cp932", "big5") or code[1] >= 0xA1)


def _cyrillic(text: str) -> int:
    """Letters in words that are Cyrillic throughout, with capitals where words have them."""
    lower = upper = plain = 0
    for word in _WORD.findall(text):
        plain += len(word)
        if all("\u0400" <= char <= "\u045f" for char in word):
            if word[1:].islower() or word.lower() in _CYRILLIC_WORDS:
                lower += len(word)
            elif word.isupper() and len(word) > 1:
                upper += len(word)
    # The two encodings have capitals and small letters the other way round.
    found = lower + min(lower, upper)
    if found * 5 < plain:
        return 0
    return found + min(found, sum(char in _MARKS or char == "№" for char in text))


def _latin_letters(text: str, letters: frozenset[str]) -> float:
    """Share of the characters outside ASCII that are ``letters`` in a word with plain ones, or signs between words."""
    foreign = good = 0
    for match in _WORD.finditer(text):
        word = match.group()
        strange = [char for char in word if not char.isascii()]
        foreign += len(strange)
        if strange and (len(word) <= 2 or len(strange) < len(word)) and _case_fits(word):
            good += sum(char in letters or char in _IN_WORDS for char in strange)
    for i, char in enumerate(text):
        if not char.isascii() and not char.isalpha():
            foreign += 1
            inside = 0 < i < len(text) - 1 and text[i - 1].isalpha() and text[i + 1].isalpha()
            good += char in (_IN_WORDS | {"–", "—"} if inside else _MARKS)
    return good / foreign if foreign else 0.0


def _case_fits(word: str) -> bool:
    rest = word[1:]
    return rest == rest.lower() or word == word.upper().replace("ß".upper(), "ß") or word.isascii()


def _latin(sample: bytes) -> Guess | None:
    """The Latin encoding whose languages the text is in; where no language is found, the one that makes no difference."""
    fitting: list[tuple[Guess, str, str | None]] = []
    for guess, letters, languages in _LATIN:
        text = _strictly(sample, guess.name)
        if text is None or _latin_letters(text, letters) < _ENOUGH:
            continue
        language = detect_language(text)
        if language in languages or language is None:
            fitting.append((guess, text, language))
    sure = [one for one in fitting if one[2] is not None] or fitting
    return sure[0][0] if sure and all(text == sure[0][1] for _, text, _ in sure) else None


_CANDIDATES: tuple[tuple[Guess, Callable[[str], int]], ...] = (
    (Guess("cp932", "Shift-JIS"), _japanese),
    (Guess("euc_jp", "EUC-JP"), _japanese),
    (Guess("gb18030", "GB18030"), _chinese("gb18030", 0xB0, 0xD7)),
    (Guess("big5", "Big5"), _chinese("big5", 0xA4, 0xC6)),
    (Guess("cp949", "EUC-KR"), _korean),
    (Guess("cp1251", "windows-1251"), _cyrillic),
    (Guess("koi8_r", "KOI8-R"), _cyrillic),
)
"""The lead bytes are those of the most used characters. Source: GB 2312 level 1, Big5 level 1, JIS X 0208 level 1."""

_LATIN: tuple[tuple[Guess, frozenset[str], tuple[str, ...]], ...] = (
    (Guess("cp1252", "windows-1252"), _WEST, _WESTERN),
    (Guess("cp1250", "windows-1250"), _CENTRAL_LETTERS, _CENTRAL),
    (Guess("cp1254", "windows-1254"), _TURKISH, ("tr",)),
)
