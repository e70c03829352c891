"""The kind of value a question asks for (an amount of money, a time, a number, a place, a name, a person, a reason), and whether a sentence
holds one that the question does not hold itself.

The words are in ``lexicons/question_words.json``. Everything here is linear in its input.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from pincite.text.dates import months, weekdays
from pincite.text.lexicon import base_language, load_lexicon
from pincite.text.names import find_names
from pincite.text.numerals import number_words
from pincite.text.words import UNSPACED, fold, words

MAX_QUESTION_CHARS = 500
"""What is read of a question to know what it asks for."""


class Expected(StrEnum):
    """What a question asks for."""

    PERSON = "person"
    MONEY = "money"
    TIME = "time"
    NUMBER = "number"
    PLACE = "place"
    NAME = "name"
    REASON = "reason"


# The first that the question asks for: "when" goes before "how many", "for what reason" before "what".
_ORDER = (
    Expected.MONEY,
    Expected.TIME,
    Expected.NUMBER,
    Expected.PLACE,
    Expected.REASON,
    Expected.NAME,
    Expected.PERSON,
)
# Names of people and places are written with a capital; scripts without capitals do not tell.
_NAMED = (Expected.PERSON, Expected.PLACE, Expected.NAME)
_UNCASED = frozenset({"ar", "fa", "he", "hi", "de"})
"""German writes every noun with a capital."""
_CASED = re.compile("[A-Za-zÀ-ɏͰ-ϿЀ-ӿ]")
_YEAR = re.compile(r"(?<!\d)\d{3,4}(?!\d)")
_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
# Chinese and Japanese write small numbers in words everywhere; one alone says little, but it may be the answer.
_HAN_NUMBER = re.compile("[二三四五六七八九十百千万億亿两兩]")
_UNSPACED = re.compile(f"[{UNSPACED}]")
# "何日に" asks for a date, "何日以内" for how many days.
_SPANS_OF_TIME = re.compile(
    "何(?:日|年|週)(?:間|以内|前|後|ごと|おき|目)|何(?:時間|分間|秒|営業日|[かヶカケヵ]月|週間)"
)
# A share is asked for, though of a price: "何パーセント割引になりますか".
_SHARE_ASKED = re.compile(
    r"何(?:パーセント|割|[%％])|\b(?:how many|what)\s+(?:percent|per cent)|wie\s*viel\w*\s+prozent|百分之(?:几|多少)|"
    r"(?:كم|ما)\s+(?:نسبة|النسبة)"
)
_PHONE = re.compile(r"\+\d[\d\u00a0 ()-]{6,24}\d")
"""A telephone number tells no time, amount or count."""
_CALENDAR = re.compile("[年月日]|세기|พ\\.ศ|ค\\.ศ")


def expected(question: str, language: str | None) -> Expected | None:
    """What the question asks for; ``None`` when its words do not tell, or its language is not known.

    >>> expected("In what year did it open?", "en"), expected("Wie viele Räder hat es?", "de")
    (<Expected.TIME: 'time'>, <Expected.NUMBER: 'number'>)
    >>> expected("Can I return shoes?", "en") is None
    True
    """
    code = base_language(language)
    if code is None:
        return None
    patterns = _patterns(code)
    text = question[:MAX_QUESTION_CHARS].casefold()
    if (code == "ja" and _SPANS_OF_TIME.search(text)) or _SHARE_ASKED.search(text):
        return Expected.NUMBER
    for kind in _ORDER:
        pattern = patterns.get(kind)
        if pattern is not None and pattern.search(text):
            return kind
    return None


def holds(kind: Expected, sentence: str, question: str, language: str | None) -> bool | None:
    """Whether ``sentence`` holds a value of that kind which ``question`` does not hold; ``None``: cannot be told.

    >>> holds(Expected.TIME, "It opened in 1921.", "When did it open?", "en")
    True
    >>> holds(Expected.NUMBER, "It has wheels.", "How many wheels?", "en")
    False
    >>> holds(Expected.PERSON, "它是李明写的。", "谁写的？", "zh") is None
    True
    """
    code = base_language(language)
    if kind is Expected.REASON:
        pattern = _listed("reasons", code)
        return None if pattern is None else pattern.search(sentence.casefold()) is not None
    if kind is Expected.MONEY:
        return _money().search(sentence.casefold()) is not None
    if kind in _NAMED:
        return _new_name(sentence, question, code)
    if _new_number(sentence, question, code, needs_year=kind is Expected.TIME):
        return True
    if kind is Expected.NUMBER:
        return False
    times = _listed("times", code)
    low = sentence.casefold()
    if times is not None and times.search(low):
        return True
    spelled = months().keys() | weekdays().keys()
    return any(fold(surface) in spelled for _, surface in words(sentence))


# Written for this project: words that deny.
_DENIALS = {
    "en": r"\b(?:no|not|never|none|cannot|nothing)\b|n't\b",
    "de": r"\b(?:kein\w*|nicht|nie|niemals|nichts)\b",
    "es": r"\b(?:no|nunca|ningún|ninguna|nada)\b",
    "fr": r"\b(?:pas|aucune?|jamais|rien)\b",
    "ja": r"ません|ない|なし",
    "zh": r"不|没有|無|无",
    "ar": r"\b(?:لا|ليس|ليست|لن|لم|دون)\b",
    "hi": r"नहीं|बिना",
}


# Written for this project: how "can" and "may" are asked, and said.
_WHETHER = {
    "en": (
        r"^\W*(?:can|could|may|am i allowed|is it possible)\b",
        r"\b(?:can|cannot|may|allowed|possible)\b|\bcan't\b",
    ),
    "de": (
        r"^\W*(?:kann|können|darf|dürfen)\b|\bmöglich\b",
        r"\b(?:kann|können|darf|dürfen|möglich|erlaubt)\b",
    ),
    "es": (r"^\W*(?:se )?(?:puedo|puede|pueden|podemos)\b", r"\b(?:puede|pueden|posible)\b"),
    "fr": (
        r"^\W*(?:puis-je|peut-on|pouvons|est-ce qu'on peut|peut)\b",
        r"\b(?:peut|peuvent|pouvez|possible)\b",
    ),
    "ja": (
        r"(?:でき|れ|え|け|せ|て|べ|め)ますか|可能ですか|いいですか",
        r"でき(?:ます|ません|る|ない)|可能|不可",
    ),
    "zh": (r"(?:可以|能|能否|可否|是否).{0,40}(?:吗|？|\?)", r"可以|不能|能够|不可|不得|可"),
    "ar": (r"\bهل\s+(?:يمكن|أستطيع|يجوز|بإمكان)", r"يمكن|يجوز|تستطيع|بإمكان"),
}


def asks_whether(question: str, language: str | None) -> bool:
    """Whether the question is for what can or may be done.

    >>> asks_whether("Can I return shoes?", "en"), asks_whether("How can I return shoes?", "en")
    (True, False)
    """
    pattern = _WHETHER.get(base_language(language) or "")
    return (
        pattern is not None
        and re.search(pattern[0], question[:MAX_QUESTION_CHARS], re.IGNORECASE) is not None
    )


def says_whether(sentence: str, language: str | None) -> bool:
    """Whether a sentence has a word for what can or may be done, or not.

    >>> says_whether("Shoes cannot be returned.", "en"), says_whether("Shoes cost 5 EUR.", "en")
    (True, False)
    """
    pattern = _WHETHER.get(base_language(language) or "")
    return pattern is not None and re.search(pattern[1], sentence, re.IGNORECASE) is not None


def denies(sentence: str, language: str | None) -> bool:
    """Whether a sentence says that something is not so: it may answer without a value.

    >>> denies("There is no phone support on Solo.", "en"), denies("It takes 3 days.", "en")
    (True, False)
    """
    pattern = _DENIALS.get(base_language(language) or "")
    return pattern is not None and re.search(pattern, sentence, re.IGNORECASE) is not None


def _new_number(sentence: str, question: str, code: str | None, *, needs_year: bool) -> bool:
    asked = set(_DIGITS.findall(question))
    sentence = _PHONE.sub(" ", sentence)
    fresh = [found for found in _DIGITS.findall(sentence) if found not in asked]
    if fresh:
        return (
            not needs_year
            or any(_YEAR.search(one) or ":" in one for one in fresh)
            or bool(_CALENDAR.search(sentence))
        )
    if needs_year:
        return False
    if _HAN_NUMBER.search(sentence):
        return True
    table = number_words(code) if code else None
    if table is None:
        return False
    return any(
        (low := fold(surface)) in table.values or low in table.multipliers for _, surface in words(sentence)
    )


def _new_name(sentence: str, question: str, code: str | None) -> bool | None:
    if not _CASED.search(sentence) or _UNSPACED.search(sentence) or code in _UNCASED:
        return None
    asked = {fold(surface) for _, surface in words(question)}
    for start, end in find_names(sentence, code):
        if any(fold(surface) not in asked for _, surface in words(sentence[start:end])):
            return True
    return False


@lru_cache(maxsize=32)
def _patterns(code: str) -> dict[Expected, re.Pattern[str]]:
    table = load_lexicon("question_words")["languages"].get(code, {})
    return {Expected(kind): _pattern(phrases) for kind, phrases in table.items()}


@lru_cache(maxsize=64)
def _listed(name: str, code: str | None) -> re.Pattern[str] | None:
    phrases = load_lexicon("question_words")[name].get(code)
    return _pattern(phrases) if phrases else None


@lru_cache(maxsize=1)
def _money() -> re.Pattern[str]:
    return _pattern(load_lexicon("question_words")["money"])


def _pattern(phrases: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(_one(phrase.casefold()) for phrase in sorted(phrases, key=len, reverse=True)))


def _one(phrase: str) -> str:
    if (_UNSPACED.search(phrase) and " " not in phrase) or not phrase[0].isalnum():
        return re.escape(phrase)
    body = re.escape(phrase.removesuffix("*")).replace(r"\ ", r"\s+").replace(r"\*", r"\w+(?:\s+\w+){0,3}")
    return rf"(?<!\w){body}" if phrase.endswith("*") else rf"(?<!\w){body}(?!\w)"
