"""Calendar dates, months and times of day in folded text.

A date is ``YYYY-MM-DD`` with ``----`` and ``--`` in the place of what is not said: ``----07-29`` is 29 July
of some year. An open numeric date ("03/04/2025") has two readings. A time of day is in minutes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from pincite.text.fold import fold
from pincite.text.lexicon import base_language, load_lexicon

NUMERIC_DATE = (
    r"(?<![\d.,/-])\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?![\d/-])"
    r"|(?<![\d.,/-])\d{1,2}[./-]\d{1,2}[./-]\d{4}(?![\d/-])"
    r"|(?<![\d.,/-])\d{1,2}/\d{1,2}/\d{2}(?![\d/-])"
    r"|(?<![\d.,/-])\d{2}\.\d{2}\.\d{2}(?![\d/.-])"
)
CLOCK = r"(?<![\d:.,])\d{1,2}:\d{2}(?::\d{2})?(?![\d:])"

# Month first only in the United States; the languages listed write the day first, the others the year.
_MONTH_FIRST = frozenset({"en-us"})
_DAY_FIRST = frozenset("de es fr it pt ru nl pl tr ar hi id vi el ro cs da fi uk he bn".split())

# Forms that are other words as well: a month only beside a day or a year.
_UNSURE_ALONE = frozenset("may march mar sept sep jan jun jul dec oct nov feb apr aug ago ene abr dez mai mars mei maj august sun sat mon"
                          " okt mär juin out set".split()) | {"mayo", "маю", "مه"}  # fmt: skip

_ENGLISH_UNSURE = frozenset({"may", "march", "august", "sept"})
"""Of these, those that English writes with a capital when they are months."""

_DAY_BEFORE = re.compile(
    r"(?<![\d.,])(\d{1,2})(?:st|nd|rd|th|er|º|ª|°|\.)?(?: (?:day )?(?:of|de|del) | d'| )?(?:the )?$"
)
_YEAR_AFTER = re.compile(r"\.? ?,? ?(?:de |del |of |g\. )?((?:1[0-9]|20|21)\d\d)(?![\d%]|[.,]\d)")
_DAY_AFTER = re.compile(
    r"\.? (?:the )?(\d{1,2})(?:st|nd|rd|th)?(?![\d:%]|[.,]\d)(?: ?,? {0,2}(?<=[ ,])((?:1[0-9]|20|21)\d\d)(?!\d))?"
)
_MONTH_CONTEXT = re.compile(
    r"(?:\b(?:in|of|by|since|until|till|before|after|every|last|next|early|mid|late|from|to|through|during|this|each|im|bis|seit|ab|vor|nach|anfang|mitte"
    r"|ende|en|de|desde|hasta|depuis|au|à|fin|début|mi|and|und|y|et|between|per|on) |-)$"
)
_ENGLISH_CAPITALISED = frozenset(
    "january february march april may june july august september october november december".split()
)
_AM_PM = re.compile(
    r"\.? ?(?:(?P<am>a\.?m\b\.?|morgens|vormittags|de la mañana|du matin|صباحا|ص(?![\u0600-\u06ff]))"
    r"|(?P<pm>p\.?m\b\.?|nachmittags|abends|de la tarde|de la noche|du soir|de l'après-midi|مساء|م(?![\u0600-\u06ff]))"
    r"|(?P<clock>uhr(?: (?P<m1>\d{1,2})(?!\d| ?(?:uhr|:)))?|o'clock|बजे|時(?!間)(?:(?P<m2>\d{1,2})分|(?P<half1>半))?"
    r"|点(?!击)钟?(?:(?P<m3>\d{1,2})分|(?P<half2>半))?|點鐘?(?:(?P<m4>\d{1,2})分|(?P<half3>半))?|시(?!간)(?: ?(?P<m5>\d{1,2})분)?"
    r"|h ?(?P<m6>[0-5]\d)(?!\d| ?[mks°$€%]|[.,]\d)))"
)
_HALF_DAY_BEFORE = re.compile(
    r"(?:(?P<am>午前|上午|早上|凌晨|清晨|सुबह|오전)|(?P<pm>午後|下午|晚上|傍晚|शाम|रात|दोपहर|오후)) ?(?:के |को )?$"
)
TIME_WORDS: dict[str, int] = {
    "noon": 720, "midday": 720, "midnight": 0, "mittags": 720, "mittag": 720, "mitternacht": 0, "mediodía": 720,
    "medianoche": 0, "midi": 720, "minuit": 0, "正午": 720, "中午": 720, "午夜": 0, "真夜中": 0,
}  # fmt: skip
"""Words for a time of day, to minutes after midnight."""


@dataclass(frozen=True, slots=True)
class DateFound:
    """``values`` are one or two canonical dates for ``low[start:end]``."""

    start: int
    end: int
    values: tuple[str, ...]


@lru_cache(maxsize=1)
def months() -> dict[str, int]:
    """Month names and short forms of all languages, folded, to 1-12."""
    return _numbered("months")


@lru_cache(maxsize=1)
def weekdays() -> dict[str, int]:
    """Weekday names of tier 1, folded, to 1 (Monday) - 7."""
    return _numbered("weekdays")


def _numbered(key: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for names in load_lexicon("months")[key].values():
        for number, forms in enumerate(names, start=1):
            for form in forms:
                found.setdefault(fold(form).low, number)
    return found


def canonical(year: int | None, month: int | None, day: int | None) -> str | None:
    """The canonical form, or ``None`` when there is no such date.

    >>> canonical(2025, 3, None), canonical(None, 2, 30)
    ('2025-03---', None)
    """
    if month is not None and not 1 <= month <= 12:
        return None
    if day is not None and not 1 <= day <= (29 if month == 2 else 30 if month in (4, 6, 9, 11) else 31):
        return None
    shown_year = f"{year:04d}" if year is not None else "----"
    shown_month = f"{month:02d}" if month is not None else "--"
    return f"{shown_year}-{shown_month}-{f'{day:02d}' if day is not None else '--'}"


def refines(exact: str, rough: str) -> bool:
    """Whether ``exact`` says all that ``rough`` says, and perhaps more.

    >>> refines("2025-03-04", "2025-03---"), refines("2025-03---", "2025-03-04")
    (True, False)
    """
    return all(b == "-" or a == b for a, b in zip(exact, rough, strict=True))


def read_numeric_date(literal: str, language: str | None) -> tuple[str, ...]:
    """Canonical dates of a numeric literal; none when it is no date.

    >>> read_numeric_date("03/04/2025", None), read_numeric_date("4.3.2025", "de")
    (('2025-04-03', '2025-03-04'), ('2025-03-04',))
    """
    first, second, third = (int(part) for part in re.split(r"[-/.]", literal))
    if len(re.split(r"[-/.]", literal)[0]) == 4:
        found = [canonical(first, second, third)]
    else:
        year = third if third > 99 else third + (2000 if third < 70 else 1900)
        day_first, month_first = canonical(year, second, first), canonical(year, first, second)
        base = base_language(language)
        tag = (language or "").lower().replace("_", "-")
        if "." in literal or base in _DAY_FIRST or (base == "en" and tag not in ("en", "en-us")):
            found = [day_first or month_first]
        elif tag in _MONTH_FIRST:
            found = [month_first or day_first]
        else:
            found = [day_first, month_first]
    return tuple(dict.fromkeys(value for value in found if value))


def read_month(plain: str, low: str, word: str, start: int, end: int) -> DateFound | None:
    """The date around a month name at ``low[start:end]``; ``None`` when the word is not used as a month."""
    number = months()[word]
    before = _DAY_BEFORE.search(low, max(0, start - 16), start)
    if before:
        year = _YEAR_AFTER.match(low, end)
        value = canonical(int(year[1]) if year else None, number, int(before[1]))
        if value:
            return DateFound(before.start(), year.end() if year else end, (value,))
    after = _DAY_AFTER.match(low, end)
    if after and len(word) > 2:
        value = canonical(int(after[2]) if after[2] else None, number, int(after[1]))
        if value and not (word == "may" and not plain[start].isupper()):
            return DateFound(start, after.end(), (value,))
    year = _YEAR_AFTER.match(low, end)
    if year:
        value = canonical(int(year[1]), number, None)
        return DateFound(start, year.end(), (value,)) if value else None
    if word in _UNSURE_ALONE:
        has_context = _MONTH_CONTEXT.search(low, max(0, start - 10), start) is not None
        long_enough = len(word) > 3 or word in ("may", "mai", "mei")
        if not has_context or not long_enough or (word in _ENGLISH_UNSURE and not plain[start].isupper()):
            return None
    if (len(word) < 3 and word.isascii()) or (
        plain[start].islower() and word.isascii() and word in _ENGLISH_CAPITALISED
    ):
        return None
    value = canonical(None, number, None)
    return DateFound(start, end, (value,)) if value else None


@dataclass(frozen=True, slots=True)
class TimeFound:
    """``minutes`` after midnight, one or two readings."""

    start: int
    end: int
    minutes: tuple[int, ...]


def read_time(low: str, start: int, end: int, hour: int, minute: int | None) -> TimeFound | None:
    """The time of day whose hour (and minute) stand at ``low[start:end]``; ``None`` when nothing says it is one.

    Noon is 12:00 pm. "3 o'clock" is open between 3:00 and 15:00.
    """
    after = _AM_PM.match(low, end) if end < len(low) else None
    before = None
    if start and (low[start - 1] > "\u0600" or low[start - 2 : start - 1] > "\u0600"):
        before = _HALF_DAY_BEFORE.search(low, max(0, start - 8), start)
    half = before.lastgroup if before else None
    if after is None and minute is None and half is None:
        return None
    if after and after["clock"]:
        written = next((after[name] for name in ("m1", "m2", "m3", "m4", "m5", "m6") if after[name]), None)
        if minute is None and written is not None:
            minute = int(written)
        elif any(after[name] for name in ("half1", "half2", "half3")):
            minute = 30
    elif after:
        half = "am" if after["am"] else "pm"
    elif minute is None:
        return None
    if hour > 24 or (minute or 0) > 59:
        return None
    base = hour * 60 + (minute or 0)
    begin = before.start() if before and before.lastgroup == half else start
    stop = after.end() if after else end
    if half and hour <= 12:
        base = (hour % 12) * 60 + (minute or 0) + (720 if half == "pm" else 0)
        return TimeFound(begin, stop, (base,))
    word = after["clock"] if after else None
    if word and word.startswith(("o'clock", "बजे", "点", "點", "時", "시")) and 1 <= hour <= 12:
        return TimeFound(begin, stop, (base % 1440, (base + 720) % 1440))
    return TimeFound(begin, stop, (base % 1440,))
