"""First comparison of numbers with units: enough to let a quote say 1000 MB for 1 GB, and nothing else.

A literal is a number with its sign, currency, percent sign, scale word and unit. It has one or two readings
("1.234" is 1.234 or 1234); two literals say the same when they share a reading, narrowed by language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

_F = Fraction


@dataclass(frozen=True, slots=True)
class Literal:
    """A number as written: ``text[start:end]`` holds sign, currency and unit too.

    ``readings`` are amounts in the base unit of ``dimension``; ``raw`` is the literal without blanks.
    ``exact`` marks what is compared as written: versions, times, ratios, dates.
    """

    start: int
    end: int
    raw: str
    readings: frozenset[Fraction]
    dimensions: frozenset[str]
    exact: bool = False
    comparator: str = ""


_UNIT_TABLE = {
    "time": "s sec secs second seconds=1 ms millisecond milliseconds=1/1000 min mins minute minutes=60 "
    "h hr hrs hour hours=3600 d day days=86400 week weeks=604800",
    "months": "month months=1 year years yr yrs=12",
    "bits": "byte bytes B=8 bit bits b=1",
    "length": "mm millimetre millimetres millimeter millimeters=1/1000 cm centimetre centimetres centimeter "
    "centimeters=1/100 m metre metres meter meters=1 km kilometre kilometres kilometer kilometers=1000 "
    "mi mile miles=201168/125 ft foot feet=381/1250 yd yard yards=1143/1250 inch inches=127/5000",
    "mass": "mg milligram milligrams=1/1000 g gram grams gramme grammes=1 kg kilogram kilograms=1000 "
    "t tonne tonnes=1000000 lb lbs pound pounds=45359237/100000 oz ounce ounces=45359237/1600000",
    "volume": "ml millilitre millilitres milliliter milliliters=1/1000 l litre litres liter liters L=1",
    "%": "% ٪ percent pct Prozent %-ig=1",
    "‰": "‰=1",
    "degree": "° degree degrees=1",
    "C": "°C=1",
    "F": "°F=1",
    "power": "W watt watts=1 kW kilowatt kilowatts=1000 MW megawatt megawatts=1000000 GW=1000000000",
    "energy": "Wh=1 kWh=1000 MWh=1000000",
    "frequency": "Hz=1 kHz=1000 MHz=1000000 GHz=1000000000",
    "dollar": "$ dollar dollars USD US$=1",
    "euro": "€ euro euros EUR=1",
    "pound sterling": "£ GBP=1",
    "yen": "¥ yen JPY 円=1",
    "rupee": "₹ rupee rupees INR=1",
    "franc": "CHF=1",
    "won": "₩ KRW=1",
}
_SCALES = {
    "thousand": 10**3,
    "million": 10**6,
    "millions": 10**6,
    "billion": 10**9,
    "billions": 10**9,
    "trillion": 10**12,
    "k": 10**3,
    "m": 10**6,
    "bn": 10**9,
    "Million": 10**6,
    "Millionen": 10**6,
    "Milliarde": 10**9,
    "Milliarden": 10**9,
    "millones": 10**6,
    "millón": 10**6,
    "milliards": 10**9,
    "milliard": 10**9,
    "万": 10**4,
    "亿": 10**8,
    "億": 10**8,
}
_SAYS_DECIMAL_POINT = frozenset({"en", "zh", "ja", "hi", "th", "ko", "he"})
_SAYS_DECIMAL_COMMA = frozenset(
    {"de", "es", "fr", "it", "pt", "nl", "ru", "pl", "tr", "sv", "da", "cs", "uk", "el", "ro", "vi"}
)
_ENGLISH = re.compile(r"\b(?:the|of|and|is|are|was|were|to|in|for|per|within)\b")

_BLANK = " \\t\\n\\u00a0\\u202f\\u2009"
_NUMBER = re.compile(
    rf"\d{{1,3}}(?:[{_BLANK}]\d{{3}})+(?!\d)(?:[.,]\d+)?"
    r"|\d+(?:[.,:/'\u2019\u00b7\u066b\u066c]\d+)*"
)
_CURRENCY_BEFORE = re.compile(r"(?:US\$|[$€£¥₹₩]|\b(?:USD|EUR|GBP|CHF|JPY|INR|KRW))\s{0,8}$")
_SIGN_BEFORE = re.compile(r"(?:^|[^\w\s]|\s|[^\x00-\x7f])([-+\u2212\u2013\u00b1])\s?$")
_COMPARATOR_BEFORE = re.compile(r"(<=|>=|!=|[<>≤≥≠≈~=])\s?$")
_EXACT_BEFORE = re.compile(
    r"(?:\b(?:version|release|section|chapter|clause|article|paragraph|rev)|\bv|\bv\.|§)\s?$", re.IGNORECASE
)
_AFTER = re.compile(
    r"[\s\-\u2010\u2011]{0,8}(per ?cent\b|[%٪‰]|°\s?[CF]?\b|°|US\$|[$€£¥₹₩円万亿億]|[A-Za-zµéóú]+(?![^\W\d_]|[\u0300-\u036f]))",
    re.IGNORECASE,
)
_OTHER_DIGIT = re.compile(r"(?![0-9])\d|[\uff0c\uff0e\uff05\uff0d\uff0b\uffe5\uff04\uff1a\uff0f]")
_DASHES = str.maketrans("\u2010\u2011\u2013\u2212", "----")
_LOOK_BEHIND = 12
_SUPERSCRIPT = re.compile("[\u00b2\u00b3\u00b9\u2070-\u2079]")


@lru_cache(maxsize=1)
def _units() -> dict[str, tuple[tuple[str, Fraction], ...]]:
    """Unit as written -> its meanings. Byte and bit keep their case; other names have none."""
    table: dict[str, set[tuple[str, Fraction]]] = {}
    for dimension, row in _UNIT_TABLE.items():
        names: list[str] = []
        for item in row.split():
            name, _, factor = item.partition("=")
            names.append(name)
            if factor:
                for each in names:
                    table.setdefault(each, set()).add((dimension, _F(factor)))
                names = []
    for power, prefix in enumerate(("k", "M", "G", "T", "P"), 1):
        for short, bits in (("b", 1), ("bit", 1), ("bits", 1), ("B", 8), ("byte", 8), ("bytes", 8)):
            table.setdefault(prefix + short, set()).add(("bits", _F(bits * 1000**power)))
            table.setdefault(prefix.upper() + "i" + short, set()).add(("bits", _F(bits * 1024**power)))
        table.setdefault(prefix.upper() + "B", set()).add(("bits", _F(8 * 1000**power)))
    for power, word in enumerate(("kilo", "mega", "giga", "tera", "peta"), 1):
        for short, bits in (("bit", 1), ("bits", 1), ("byte", 8), ("bytes", 8)):
            table[word + short] = {("bits", _F(bits * 1000**power))}
    for name in list(table):
        if name.lower() not in table:
            table[name.lower()] = {
                meaning for other in table if other.lower() == name.lower() for meaning in table[other]
            }
    return {name: tuple(sorted(meanings)) for name, meanings in table.items()}


_NUMBER_WORDS = {
    word: value
    for value, words in {
        0: "zero null cero zéro",
        1: "one eins uno",
        2: "two zwei dos deux",
        3: "three drei tres trois",
        4: "four vier cuatro quatre",
        5: "five fünf cinco cinq",
        6: "six sechs seis",
        7: "seven sieben siete sept",
        8: "eight acht ocho huit",
        9: "nine neun nueve neuf",
        10: "ten zehn diez dix",
        11: "eleven elf onze",
        12: "twelve zwölf doce douze",
        13: "thirteen dreizehn trece treize",
        14: "fourteen vierzehn catorce quatorze",
        15: "fifteen fünfzehn quince quinze",
        16: "sixteen sechzehn seize",
        17: "seventeen siebzehn",
        18: "eighteen achtzehn",
        19: "nineteen neunzehn",
        20: "twenty zwanzig veinte vingt",
        30: "thirty dreißig treinta trente",
        40: "forty vierzig cuarenta quarante",
        50: "fifty fünfzig cincuenta cinquante",
        60: "sixty sechzig sesenta soixante",
        70: "seventy siebzig setenta",
        80: "eighty achtzig ochenta",
        90: "ninety neunzig noventa",
        100: "hundred hundert cien cent",
    }.items()
    for word in words.split()
}
_SPELLED = re.compile(
    r"(?<![^\W_])("
    + "|".join(sorted(_NUMBER_WORDS, key=lambda word: (-len(word), word)))
    + r")(?:[- ](?!\d)(\w+))?",
    re.IGNORECASE,
)


def with_digits(text: str) -> str:
    """``text`` with number words up to a hundred in digits, at its old length.

    English, German, Spanish and French; "thirty-one" is read, longer numbers in words are not.

    >>> with_digits("thirty days"), with_digits("twenty-five days"), with_digits("often")
    ('    30 days', '         25 days', 'often')
    """
    return _SPELLED.sub(_in_digits, text)


def _in_digits(match: re.Match[str]) -> str:
    word, after = match.group(1), match.group(2)
    value = _NUMBER_WORDS[word.lower()]
    unit = _NUMBER_WORDS.get(after.lower(), 0) if after else 0
    if 0 < unit < 10 and 20 <= value < 100:
        return str(value + unit).rjust(len(match.group()))
    end = match.end(1)
    if end < len(match.string) and (match.string[end].isalpha() or match.string[end] in "'\u2019"):
        return match.group()
    return str(value).rjust(len(word)) + match.group()[len(word) :]


def find_literals(text: str, language: str | None = None) -> tuple[Literal, ...]:
    """The literals of ``text`` in order. Digits of any script are read.

    >>> [(literal.raw, sorted(literal.dimensions)) for literal in find_literals("from -3 °C to 1.5 GB")]
    [('-3°C', ['C']), ('1.5GB', ['bits'])]
    """
    text = _ascii_digits(text)
    found: list[Literal] = []
    for match in _NUMBER.finditer(text):
        literal = _literal(text, match, language)
        last = found[-1] if found else None
        if last and _continues(text, last, literal):
            found[-1] = _joined(text, last, literal)
        elif not last or literal.start >= last.end:
            found.append(literal)
    return tuple(found)


def same_literal(a: Literal, b: Literal) -> bool:
    """Whether two literals share a reading, in one dimension, with the same comparator."""
    if a.comparator != b.comparator:
        return False
    if a.raw == b.raw:
        return True
    if a.exact or b.exact:
        return a.raw.lower().lstrip("v") == b.raw.lower().lstrip("v")
    if a.dimensions & b.dimensions or (not a.dimensions and not b.dimensions):
        return bool(a.readings & b.readings)
    if a.dimensions == {"%"} and not b.dimensions:
        return _is_share(a, b)
    if b.dimensions == {"%"} and not a.dimensions:
        return _is_share(b, a)
    return False


def _is_share(percent: Literal, plain: Literal) -> bool:
    """25 % is 0.25, but 7 % is not 7, and 100 % is not said as 1."""
    return any(value / 100 in plain.readings and abs(value) < 100 for value in percent.readings)


def _ascii_digits(text: str) -> str:
    if text.isascii() or _OTHER_DIGIT.search(text) is None:
        return text
    return "".join(
        char
        if char < "\u0660" or (not char.isdecimal() and char not in _WIDE)
        else _WIDE.get(char) or str(int(char))
        for char in text
    )


_WIDE = {"．": ".", "，": ",", "％": "%", "－": "-", "＋": "+", "￥": "¥", "＄": "$", "：": ":", "／": "/"}


def _literal(text: str, match: re.Match[str], language: str | None) -> Literal:
    start, end = match.span()
    number = match.group()
    before = text[max(0, start - _LOOK_BEHIND) : start]
    dimension_names: set[str] = set()
    currency = _CURRENCY_BEFORE.search(before)
    if currency:
        start -= len(before) - currency.start()
        before = before[: currency.start()]
        dimension_names.update(name for name, _ in _units().get(currency.group().strip(), ()))
    sign = _SIGN_BEFORE.search(before)
    negative = False
    mark = ""
    if sign and not (sign.start(1) > 0 and before[sign.start(1) - 1].isalnum()):
        mark = sign.group(1)
        blank = len(before) - sign.end(1)
        if blank and mark in "\u2013-":  # a dash between blanks is punctuation
            mark = ""
        else:
            negative = mark in "-\u2212\u2013"
            start -= len(before) - sign.start(1)
            before = before[: sign.start(1)]
    compared = _COMPARATOR_BEFORE.search(before)
    comparator = ""
    if compared:
        comparator = {"<=": "≤", ">=": "≥", "!=": "≠"}.get(compared.group(1), compared.group(1))
    exact = bool(_EXACT_BEFORE.search(before)) or (number.count(".") > 1 and not _grouped(number))
    exact = exact or any(char in number for char in ":/")
    readings = frozenset() if exact and _plain_value(number) is None else _readings(number, language, text)
    superscript = text[end : end + 1]
    if superscript and _SUPERSCRIPT.match(superscript):
        exact = True
    if mark == "\u00b1":
        exact = True
    if negative:
        readings = frozenset(-value for value in readings)
    scale, factors, end = _unit_after(text, end, dimension_names, exact)
    if factors:
        readings = frozenset(value * scale * factor for value in readings for factor in factors)
    elif scale != 1:
        readings = frozenset(value * scale for value in readings)
    return Literal(
        start,
        end,
        "".join(text[start:end].split()).translate(_DASHES),
        readings,
        frozenset(dimension_names),
        exact,
        comparator,
    )


def _unit_after(
    text: str, end: int, dimensions: set[str], exact: bool
) -> tuple[int, tuple[Fraction, ...], int]:
    """Scale, unit factors, and where the literal ends. Adds to ``dimensions``."""
    scale = 1
    for _ in range(2):
        match = _AFTER.match(text, end)
        if match is None:
            break
        word = match.group(1)
        glued = match.start(1) == end
        if (
            scale == 1
            and not exact
            and (word in _SCALES or word.lower() in ("million", "billion", "thousand"))
        ):
            if word not in ("k", "m", "bn") or (glued and dimensions):
                scale = _SCALES.get(word) or _SCALES[word.lower()]
                end = match.end()
                continue
        meanings = _meanings(word)
        if not meanings or (exact and word in ("s", "m", "h", "d", "t", "l", "g")):
            break
        if dimensions and not any(name in dimensions for name, _ in meanings):
            break  # a currency before the number and another unit after it
        dimensions.update(name for name, _ in meanings)
        return scale, tuple(factor for _, factor in meanings), match.end()
    return scale, (), end


def _meanings(word: str) -> tuple[tuple[str, Fraction], ...]:
    units = _units()
    if word in units:
        return units[word]
    if word.lower().replace(" ", "") == "percent":
        return (("%", _F(1)),)
    if word[:1] == "°":
        return units.get("".join(word.split()).upper(), ())
    found = units.get(word.lower(), ())
    return () if found and found[0][0] == "bits" and word.lower()[-1] == "b" and len(word) > 1 else found


def _grouped(number: str) -> bool:
    return bool(re.fullmatch(r"\d{1,3}(?:\.\d{3})+", number) or re.fullmatch(r"\d{1,3}(?:,\d{3})+", number))


def _plain_value(number: str) -> Fraction | None:
    return _F(number) if re.fullmatch(r"\d+(?:\.\d+)?", number) and len(number) < 40 else None


def _readings(number: str, language: str | None, text: str) -> frozenset[Fraction]:
    """The values a written number can have.

    >>> sorted(map(float, _readings("1.234", None, ""))), sorted(map(float, _readings("1.234", "en", "")))
    ([1.234, 1234.0], [1.234])
    """
    if len(number) > 60:  # nobody computes with it
        return frozenset()
    number = re.sub(r"[\s\u00a0'\u2019\u066c]", "", number).replace("\u066b", ".").replace("\u00b7", ".")
    points, commas = number.count("."), number.count(",")
    if points and commas:
        decimal = "." if number.rfind(".") > number.rfind(",") else ","
        group = "," if decimal == "." else "."
        whole = number.replace(group, "").replace(decimal, ".")
        return frozenset({_F(whole)}) if whole.count(".") == 1 else frozenset()
    if not points and not commas:
        return frozenset({Fraction(int(number))})
    mark = "." if points else ","
    if points + commas > 1:
        return frozenset({_F(number.replace(mark, ""))}) if _grouped(number) else frozenset()
    as_decimal = _F(number.replace(",", "."))
    if not _grouped(number) or number.startswith("0"):
        return frozenset({as_decimal})
    as_group = _F(number.replace(mark, ""))
    base = (language or "").split("-")[0].lower() or ("en" if _ENGLISH.search(text) else "")
    if base in _SAYS_DECIMAL_POINT:
        return frozenset({as_decimal if mark == "." else as_group})
    if base in _SAYS_DECIMAL_COMMA:
        return frozenset({as_decimal if mark == "," else as_group})
    return frozenset({as_decimal, as_group})


def _continues(text: str, first: Literal, second: Literal) -> bool:
    """1 h 30 min: one quantity in two units."""
    between = text[first.end : second.start]
    return (
        first.dimensions == second.dimensions == {"time"}
        and between.strip() in ("", "and", "und", "y", "et")
        and len(first.readings) == len(second.readings) == 1
        and max(first.readings) > max(second.readings)
        and second.start >= first.end
    )


def _joined(text: str, first: Literal, second: Literal) -> Literal:
    total = max(first.readings) + max(second.readings)
    raw = "".join(text[first.start : second.end].split())
    return Literal(
        first.start, second.end, raw, frozenset({total}), first.dimensions, False, first.comparator
    )
