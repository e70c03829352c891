"""Values of a spreadsheet as it shows them: 0.5 in a cell of the format ``0 %`` is read as 50 %."""

from __future__ import annotations

import datetime
import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import NamedTuple

_DIGITS = re.compile(r"([#0?,]*[#0?])(?:\.([#0?]+))?(,*)")
_BRACKETS = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]|\[[^\]]*\]")
"""``[$€-407]`` is a currency and the language it is written in; ``[Red]`` and ``[>100]`` show nothing."""
_PADDING = re.compile(r"[_*].")
_LITERAL = re.compile(r'"([^"]*)"|\\(.)')


_WIDE = Context(prec=450)
"""The largest float has 309 digits before the point, and a format at most a hundred behind it."""


class _Format(NamedTuple):
    before: str
    after: str
    decimals: int
    optional: int
    """Of the decimals, those that are not shown when they are 0."""
    thousands: bool
    scale: int
    """Each comma behind the digits leaves out three of them."""
    least: int
    """Digits before the point, zeros if need be: article numbers, codes."""


def shown(value: object, number_format: str | None = None) -> str:
    """A cell's value in words. Dates are ISO 8601, whatever their format: which of 3/4 is the month is not guessed.

    >>> [shown(0.125, "0.0%"), shown(1234.5, '#,##0.00 "€"'), shown(7, "000"), shown(True), shown(0.1 + 0.2)]
    ['12.5%', '1,234.50 €', '007', 'TRUE', '0.3']
    >>> shown(datetime.datetime(2031, 3, 31)), shown(datetime.datetime(2031, 3, 31, 14, 30))
    ('2031-03-31', '2031-03-31 14:30')
    >>> shown(datetime.timedelta(hours=25, minutes=30))  # of the format [h]:mm
    '25:30'
    """
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        how = _format(number_format or "General")
        return _plain(value) if how is None else _written(value, how)
    if isinstance(value, datetime.timedelta):
        seconds = round(value.total_seconds())
        minutes, rest = divmod(abs(seconds), 60)
        hours = f"{'-' * (seconds < 0)}{minutes // 60}:{minutes % 60:02}"
        return f"{hours}:{rest:02}" if rest else hours
    if isinstance(value, datetime.datetime):
        day, time = value.date().isoformat(), value.time()
        return day if time == datetime.time() else f"{day} {_clock(time)}"
    if isinstance(value, datetime.time):
        return _clock(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(value)


def _clock(time: datetime.time) -> str:
    return time.isoformat("seconds" if time.second or time.microsecond else "minutes")


def _plain(value: float) -> str:
    if isinstance(value, int):
        return (
            str(value) if abs(value) < 10**15 else f"{value if abs(value) < 10**300 else Decimal(value):.15g}"
        )
    return f"{value:.15g}"


def _written(value: float, how: _Format) -> str:
    # A half is rounded away from zero, and of the 15 digits that a spreadsheet shows: 1.005 with two decimals is 1.01.
    said = Decimal(value if isinstance(value, int) else f"{value:.15g}")
    exact = said.scaleb((2 if "%" in how.before + how.after else 0) - 3 * how.scale, _WIDE)
    rounded = abs(exact).quantize(Decimal(1).scaleb(-how.decimals), ROUND_HALF_UP, _WIDE)
    digits = f"{rounded:{',' if how.thousands else ''}f}"
    for _ in range(how.optional):
        digits = digits.removesuffix("0")
    digits = digits.removesuffix(".")
    whole = digits.partition(".")[0]
    if not how.thousands and len(whole) < how.least:
        digits = "0" * (how.least - len(whole)) + digits
    sign = "-" if value < 0 and digits.strip("0.,") else ""
    return f"{sign}{how.before}{digits}{how.after}".strip()


@lru_cache(maxsize=500)
def _format(code: str) -> _Format | None:
    """What a format says, of its first section; ``None`` for what is shown as it is."""
    section = code.split(";", 1)[0]
    if len(section) > 100 or section.strip().lower() in ("general", "@", ""):
        return None
    section = _BRACKETS.sub(lambda match: f'"{match[1]}"' if match[1] else "", section)
    # Literal text is put aside, so that its letters are not read as a format.
    literals: list[str] = []

    def aside(match: re.Match[str]) -> str:
        literals.append(match[1] if match[1] is not None else match[2])
        return chr(0xE000 + len(literals) - 1)

    section = _PADDING.sub("", _LITERAL.sub(aside, section))
    digits = _DIGITS.search(section)
    if digits is None:
        return None
    before, after = section[: digits.start()], section[digits.end() :]
    if any((char.isascii() and char.isalpha()) or char in "#0?/" for char in before + after):
        return None  # exponents, fractions
    fraction = digits[2] or ""

    def back(text: str) -> str:
        return re.sub("[\ue000-\ue063]", lambda match: literals[ord(match[0]) - 0xE000], text)

    return _Format(
        before=back(before),
        after=back(after),
        decimals=len(fraction),
        optional=len(fraction) - len(fraction.rstrip("#?")),
        thousands="," in digits[1],
        scale=min(len(digits[3]), 4),
        least=digits[1].count("0"),
    )
