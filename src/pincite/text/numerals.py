"""Bare numbers as people write them: literals with decimal and grouping signs, and number words.

Everything here reads *folded* text (``fold``): ASCII digits, plain blanks, lower case. Values are exact
fractions. A literal can be open ("1.234"): then there are two values, and language narrows them to one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from pincite.text.fold import fold
from pincite.text.german import GERMAN_UNITS, read_german
from pincite.text.lexicon import TIER1, base_language, load_lexicon

LETTERS = (
    "a-zA-Zªµºß-öø-ʯÀ-ÖØ-ß\u0300-\u036f\u0370-\u037d\u037f-\u0386\u0388-\u0559\u0561-\u0587\u0591-\u05bd\u05d0-\u05ea"
    "\u0620-\u065f\u066e-\u06d3\u06d5-\u06ef\u06fa-\u0963\u0971-\u0e3a\u0e40-\u0e4e\u0e80-\u0eff\u1000-\u1049"
    "\u10a0-\u10fa\u1100-\u135f\u1780-\u17d3\u1e00-\u1fff\ua960-\ua97c\uac00-\ud7a3"
)
"""Inside of a character class: letters and marks of scripts with blanks between words, Thai and Khmer too."""

# Which sign sets off decimals, by language (CLDR). Languages in neither set leave "1.234" open; so does
# Arabic, whose countries differ.
_DECIMAL_POINT = frozenset("en zh ja ko hi th he bn ta te ur ms mr gu pa kn ml sw cy ga".split())
_DECIMAL_COMMA = frozenset(
    "de es fr it pt ru nl pl tr id vi el ro cs sk da sv no nb nn fi uk bg hr sr sl hu lt lv et ca gl eu fa az kk".split()
)
_POINT_REGIONS = frozenset(
    {"es-mx", "es-us", "es-pr", "es-gt", "es-hn", "es-ni", "es-pa", "es-pe", "de-ch", "de-li"}
)

NUMBER = r"\d{1,3}(?:[ ']\d{3})+(?![\d'])(?:[.,]\d+)?|\d+(?:[.,٫٬']\d+)*"

# Words of one language that mean something else in another: read only when the language is known.
_ONLY_WHEN_SURE = frozenset(
    "once elf cent cents dos neuf sept six mil mille second seconde media medio double tiers quart quarts cuarto cuarta"
    " sexto octavo quinto mal a an un una une uno ein eine einen einem einer eines billion billions billón dix".split()
)
HALVED = {
    "hora": "hour",
    "ساعه": "hour",
    "سنه": "year",
    "شهر": "month",
    "año": "year",
    "día": "day",
    "heure": "hour",
}
"""Units that "and a half" may follow without a number before them: one and a half."""
_NEXT_WORD = re.compile(rf"[ -]{{1,2}}([{LETTERS}]+)")
_VAGUE = frozenset(
    "hundreds millions billions lakhs crores millionen milliarden billionen millones billones docenas cents millions milliards"
    " douzaines الاف ملايين مليارات".split()
)
"""Plurals that give a size, not a number, when none stands before them: "millions of users"."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A value and the worth of its last digit that counts (trailing zeros of whole numbers do not)."""

    value: Fraction
    step: Fraction


def decimal_sign(language: str | None) -> str | None:
    """``"."`` or ``","`` as the language writes decimals; ``None`` when open.

    >>> decimal_sign("en-GB"), decimal_sign("de"), decimal_sign("de-CH"), decimal_sign(None)
    ('.', ',', '.', None)
    """
    base = base_language(language)
    if base is None or language is None:
        return None
    if language.lower().replace("_", "-") in _POINT_REGIONS or base in _DECIMAL_POINT:
        return "."
    return "," if base in _DECIMAL_COMMA else None


def read_literal(literal: str, language: str | None = None) -> tuple[Amount, ...]:
    """The one or two amounts of a literal of digits and signs; none when it is no number.

    >>> [str(amount.value) for amount in read_literal("1,234.5")]
    ['2469/2']
    >>> [str(amount.value) for amount in read_literal("1.234")], read_literal("1.2.3")
    (['1234', '617/500'], ())
    >>> [str(amount.value) for amount in read_literal("1.234", "de")]
    ['1234']
    """
    if literal.isdecimal():
        return (_whole(literal),) if len(literal) <= 40 else ()
    if len(literal) > 60:
        return ()
    bare = literal.replace("٬", "").replace("٫", ".") if "٫" in literal or "٬" in literal else literal
    if bare != literal:  # the Arabic signs are never open
        whole, _, decimals = bare.partition(".")
        if not (whole + decimals).isdecimal():
            return ()
        return (_decimal(whole, decimals) if decimals else _whole(whole),)
    bare = bare.replace(" ", "").replace("'", "")
    if bare.isdecimal():
        return (_whole(bare),)
    grouped = bare != literal
    points, commas = bare.count("."), bare.count(",")
    if points and commas:
        return _mixed(bare)
    sign = "." if points else ","
    parts = bare.split(sign)
    if len(parts) > 2:
        whole_number = "".join(parts)
        return (_whole(whole_number),) if _are_groups(parts, sign) else ()
    left, right = parts
    if grouped or len(right) != 3 or len(left) > 3 or left.startswith("0") or not left:
        return (_decimal(left, right),)
    decimal = decimal_sign(language)
    if decimal is None:
        return (_whole(left + right), _decimal(left, right))
    return (_decimal(left, right),) if decimal == sign else (_whole(left + right),)


def _mixed(bare: str) -> tuple[Amount, ...]:
    """Both signs occur: the last one sets off the decimals."""
    sign = "." if bare.rfind(".") > bare.rfind(",") else ","
    head, _, decimals = bare.rpartition(sign)
    other = "," if sign == "." else "."
    if sign in head or not _are_groups(head.split(other), other):
        return ()
    return (_decimal(head.replace(other, ""), decimals),)


def _are_groups(parts: list[str], sign: str) -> bool:
    if not 1 <= len(parts[0]) <= 3 or len(parts[-1]) != 3:
        return False
    western = all(len(part) == 3 for part in parts[1:])
    indian = sign == "," and len(parts[0]) <= 2 and all(len(part) == 2 for part in parts[1:-1])
    return western or indian


def _whole(digits: str) -> Amount:
    value = int(digits)
    zeros = len(digits) - len(digits.rstrip("0")) if value else 0
    return Amount(Fraction(value), Fraction(10**zeros))


def _decimal(left: str, right: str) -> Amount:
    scale = 10 ** len(right)
    return Amount(Fraction(int(left or "0") * scale + int(right), scale), Fraction(1, scale))


# --- number words -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NumberWords:
    """The number words of one language, or of all of them, folded."""

    language: str | None
    values: dict[str, int]
    multipliers: dict[str, int]
    fractions: dict[str, Fraction]
    ones: frozenset[str]
    articles: frozenset[str]
    joins: frozenset[str]
    halves: tuple[str, ...]
    specials: dict[str, Fraction]
    ordinals: dict[str, int]
    duals: dict[str, tuple[int, str]]
    quarters: dict[str, Fraction]
    starts: frozenset[str]
    """Every word that can begin a number, or be a unit that "and a half" follows ("hora y media")."""


@lru_cache(maxsize=32)
def number_words(language: str | None) -> NumberWords:
    """The number words to read a text of ``language`` with: all when it is not known, none outside tier 1."""
    base = base_language(language)
    languages = TIER1 if base is None else (base,)
    data = [
        (code, table)
        for code, table in load_lexicon("number_words")["languages"].items()
        if code in languages
    ]

    def merged(key: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for code, table in data:
            for word, value in dict.items(table.get(key, {})):
                # English is what most unlabelled text is, so its own words stay readable.
                if base is None and word in _ONLY_WHEN_SURE and code != "en":
                    continue
                found.setdefault(fold(word).low, value)
        return found

    def words(key: str) -> frozenset[str]:
        every = (
            fold(word).low
            for code, table in data
            if base or code == "en" or key != "ones"
            for word in table.get(key, ())
        )
        return frozenset(every)

    values = {word: int(value) for word, value in merged("values").items()}
    multipliers = {word: int(value) for word, value in merged("multipliers").items()}
    fractions = {word: Fraction(value) for word, value in merged("fractions").items()}
    specials = {word: Fraction(value) for word, value in merged("specials").items()}
    ordinals = {word: int(value) for word, value in merged("ordinals").items()}
    duals = {word: (int(pair[0]), str(pair[1])) for word, pair in merged("duals").items()}
    quarters = {word: Fraction(value) for word, value in merged("quarters").items()}
    ones, articles = words("ones"), words("articles")
    starts = frozenset().union(
        values, multipliers, fractions, specials, ordinals, duals, quarters, ones, articles, HALVED
    )
    return NumberWords(
        language=base, values=values, multipliers=multipliers, fractions=fractions, ones=ones, articles=articles,
        joins=words("joins"), halves=tuple(sorted(words("halves"), key=len, reverse=True)), specials=specials,
        ordinals=ordinals, duals=duals, quarters=quarters, starts=starts,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class WordNumber:
    """A number in words: ``low[start:end]``. ``only_one`` means it may be an article ("a", "ein", "one")."""

    value: Fraction
    end: int
    only_one: bool = False
    fraction: bool = False


def next_word(low: str, position: int) -> tuple[str, int]:
    """The word after one blank or hyphen, and its end; ``("", position)`` when there is none."""
    found = _NEXT_WORD.match(low, position)
    return (found[1], found.end()) if found else ("", position)


def read_words(low: str, word: str, end: int, words: NumberWords) -> WordNumber | None:
    """The number that begins with ``word``, which ends at ``end`` of the folded text.

    >>> text = "two hundred and fifty items"
    >>> read_words(text, "two", 3, number_words("en"))
    WordNumber(value=Fraction(250, 1), end=21, only_one=False, fraction=False)
    """
    if word.endswith("einhalb") and (whole := GERMAN_UNITS.get(word.removesuffix("einhalb"))):
        return _times_multipliers(low, whole + Fraction(1, 2), end, words)
    if word in words.quarters:
        following, after = next_word(low, end)
        if following in words.multipliers:
            return _times_multipliers(low, 1 + words.quarters[word], end, words)
        if following not in words.values:
            return None
        return _times_multipliers(low, words.values[following] + words.quarters[word], after, words)
    if word in words.fractions:
        return _fraction_first(low, words.fractions[word], end, words)
    if word in words.specials:
        return _times_multipliers(low, words.specials[word], end, words)
    state = _start(low, word, end, words)
    if state is None:
        return None
    while longer := _step(low, state, words):
        state = longer
    return _finish(low, state, words)


@dataclass(frozen=True, slots=True)
class _Sum:
    """A number while it is read: ``total`` holds what thousands and more made, ``current`` the rest."""

    total: int
    current: int
    position: int
    biggest: int = 10**18
    only_one: bool = False


def _start(low: str, word: str, end: int, words: NumberWords) -> _Sum | None:
    if word in words.ones or word in words.articles:
        return _Sum(0, 1, end, only_one=True)
    if word in words.multipliers:
        if word in _VAGUE:
            return None
        return _multiplied(_Sum(0, 0, end), words.multipliers[word], end)
    value, after = _value_at(low, word, end, words)
    return None if value is None else _Sum(0, value, after)


def _step(low: str, state: _Sum, words: NumberWords) -> _Sum | None:
    """The number with one more word; ``None`` when the next word does not belong to it."""
    following, after = next_word(low, state.position)
    joined = following in words.joins
    if joined:
        following, after = next_word(low, after)
    elif following[:1] == "و" and following not in words.values and following not in words.multipliers:
        following, joined = following[1:], True
    if not following:
        return None
    multiplier = words.multipliers.get(following)
    if multiplier is not None:
        return None if joined and multiplier > 1000 else _multiplied(state, multiplier, after)
    if state.only_one and not joined:
        return None
    value, after = _value_at(low, following, after, words)
    if value is None and joined and following in words.ones:
        value = 1
    if value is None or not _may_follow(state, value, joined, words.language):
        return None
    current = 80 if (state.current, value) == (4, 20) else _joined_value(state.current, value)
    return _Sum(state.total, current, after, state.biggest)


def _multiplied(state: _Sum, multiplier: int, after: int) -> _Sum | None:
    if multiplier <= 100:
        return (
            None
            if state.current >= 100
            else _Sum(state.total, max(state.current, 1) * multiplier, after, state.biggest)
        )
    if state.total and multiplier > state.biggest:
        return _Sum((state.total + state.current) * multiplier, 0, after, multiplier)
    return _Sum(state.total + max(state.current, 1) * multiplier, 0, after, multiplier)


def _finish(low: str, state: _Sum, words: NumberWords) -> WordNumber:
    """The number with what follows it: a fraction ("two thirds") or a half ("two and a half")."""
    number = Fraction(state.total + state.current)
    following, after = next_word(low, state.position)
    is_fraction = following in words.fractions and (
        state.only_one or following not in words.ordinals or following[-1:] == "s"
    )
    if is_fraction and number < 100:
        return WordNumber(number * words.fractions[following], _over_article(low, after, words), False, True)
    for phrase in words.halves:
        if low.startswith(phrase, state.position + 1):
            return _times_multipliers(low, number + Fraction(1, 2), state.position + 1 + len(phrase), words)
    return WordNumber(number, state.position, state.only_one)


def _value_at(low: str, word: str, end: int, words: NumberWords) -> tuple[int | None, int]:
    """The value of ``word``, or of it and the next word ("ثلاثة عشر"), and where it ends."""
    if words.language in ("ar", None) and word and word[0] > "\u0600":
        following, after = next_word(low, end)
        pair = words.values.get(f"{word} {following}") if following else None
        if pair is not None:
            return pair, after
    value = words.values.get(word)
    if value is None and words.language in ("de", None) and len(word) >= 6:
        value = read_german(word)
    return value, end


def _may_follow(state: _Sum, value: int, joined: bool, language: str | None) -> bool:
    """Whether ``value`` adds to the number: "twenty" then "five" does, "two" then "three" does not."""
    current, rest = state.current, state.current % 100
    if current == 0:
        return state.total > 0
    if value >= 100:
        return joined and language in ("ar", None) and current < 100
    if (current, value) == (4, 20):
        return language in ("fr", None)
    if language == "ar":
        return joined and (rest < 10 or value < 10)
    if value < 10:
        tens = rest >= 20 or rest == 0 or (rest == 10 and language == "fr")
        return (tens and current % 10 == 0 and value > 0) or (
            joined and language is None and 20 <= value < 100
        )
    if value < 20:
        return rest == 0 or (rest in (60, 80) and language in ("fr", None))
    if 10 < current < 21 and language in ("en", None):
        return True  # nineteen eighty-four
    return rest == 0 or (joined and language is None and rest < 10)


def _joined_value(current: int, value: int) -> int:
    return current * 100 + value if 10 < current < 21 and value >= 20 else current + value


def _fraction_first(low: str, fraction: Fraction, end: int, words: NumberWords) -> WordNumber:
    after = _over_article(low, end, words)
    following, beyond = next_word(low, after)
    if following in words.multipliers:
        return WordNumber(fraction * words.multipliers[following], beyond, False, False)
    return WordNumber(fraction, after, False, True)


def _over_article(low: str, end: int, words: NumberWords) -> int:
    following, after = next_word(low, end)
    if following == "of":
        following, after = next_word(low, after)
    return after if following in ("a", "an") and following in words.articles else end


def _times_multipliers(low: str, value: Fraction, end: int, words: NumberWords) -> WordNumber:
    following, after = next_word(low, end)
    while following in words.multipliers:
        value, end = value * words.multipliers[following], after
        following, after = next_word(low, end)
    return WordNumber(value, end)
