"""Where words, characters and numbers begin and end: a match may cut none of them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from pincite.text.characters import APOSTROPHES, UNSPACED_CHAR, continues_character, is_letter
from pincite.text.meaning import PREFIX_BEFORE_HYPHEN

_CONTRACTION = re.compile(rf"[{APOSTROPHES}](?:t|s|d|m|re|ll|ve)(?![^\W_])", re.IGNORECASE)
_EMPHASIS = frozenset("*_`~[")
_NO_POSSESSIVE = frozenset("it that this he she what who there here let where when how one".split())
"""Before 's these make a verb (it's); after a noun it is a possessive, which a quote may leave off."""
_HYPHENS = "-\u2010\u2011"
_HYPHEN_AT_LINE_END = re.compile(r"[-\u00ad\u2010\u2011][ \t]*(?:\r\n|\r|\n)[ \t]*(?=[^\W\d_])")
_AFTER_SUSPENDED = re.compile(r"(?:und|oder|bzw|sowie|and|or|to|y|o|et|ou)\b", re.IGNORECASE)
"""A hyphen at a line end before these stands for a word left out ("Fernseh- und ..."), not for a broken one."""
_WORD_BEFORE = re.compile(r"[^\W\d_]{1,12}$")
_IN_NUMBER = frozenset(".,:/'\u2019\u066b\u066c\u00b7")
_SIGNS = frozenset("-+\u2212\u2013\u00b1")
_CURRENCIES = frozenset("$€£¥₹₩₽₺₫฿¢")
_AFTER_NUMBER = frozenset("%‰٪\u00b0") | _CURRENCIES
_SUPERSCRIPTS = frozenset("\u00b2\u00b3\u00b9\u2070\u2074\u2075\u2076\u2077\u2078\u2079")
_UNSEEN_LIMIT = 32
_MOST_PUNCTUATION = 16
_LONGEST_NUMBER = 40
_FIRST_WORD_CHARACTER = re.compile(r"[^\W_]")

_SAME_MARKS = {
    **dict.fromkeys("\"\u201c\u201d\u201e\u201f\u00ab\u00bb\uff02", '"'),
    **dict.fromkeys("'\u2018\u2019\u201a\u201b\u2039\u203a\uff07`", "'"),
    **dict.fromkeys("-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d", "-"),
    **dict(zip("\uff0c\u3001\u3002\uff01\uff1f\uff1a\uff1b\uff08\uff09\uff3b\uff3d", ",,.!?:;()[]", strict=True)),
}  # fmt: skip


def is_whole(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` begins and ends on whole words, characters and numbers."""
    return is_border(text, start) and is_border(text, end) and not cuts_number(text, start, end)


def is_border(text: str, place: int) -> bool:
    """Whether a word may begin or end at ``place``.

    In scripts without blanks any whole character will do. Not a border: inside a contraction (can't), behind
    a prefix (non-refundable), at a hyphen that breaks a word over two lines.

    >>> is_border("can't stop", 3), is_border("can't stop", 5), is_border("東京都", 1)
    (False, True, True)
    """
    if place <= 0 or place >= len(text):
        return True
    before, after = text[place - 1], text[place]
    if before.isspace() or after.isspace():
        return not (before.isspace() and _hyphen_break_ends(text, place))
    if continues_character(text, place) or before == "\u200d":
        return False
    if before in _EMPHASIS or after in _EMPHASIS:
        left, right = _beyond(text, place - 1, -1), _beyond(text, place, 1)
        if left and right and is_letter(left) and is_letter(right):
            return bool(UNSPACED_CHAR.match(left) or UNSPACED_CHAR.match(right))
    left, right = _seen(text, place - 1, -1), _seen(text, place, 1)
    if not left or not right:
        return True
    if _is_word(left) and _is_word(right):
        return bool(UNSPACED_CHAR.match(left) or UNSPACED_CHAR.match(right))
    if _is_word(left):
        if _CONTRACTION.match(text, place):
            return text[place + 1] in "sS" and _before(text, place) not in _NO_POSSESSIVE
        return not (after in "-\u00ad\u2010\u2011" and _HYPHEN_AT_LINE_END.match(text, place))
    if _is_word(right) and before in _HYPHENS:
        prefix = _before(text, place - 1)
        start = place - 1 - len(prefix)
        # In "Île-de-France" the "de" is a word between two, no prefix.
        return prefix not in PREFIX_BEFORE_HYPHEN or (start > 0 and text[start - 1] in _HYPHENS)
    if _is_word(right) and before in APOSTROPHES:
        return not (place >= 2 and text[place - 2].isalnum() and _CONTRACTION.match(text, place - 1))
    return True


def _before(text: str, place: int) -> str:
    """The letters right before ``place``, casefolded; empty when there are more than twelve."""
    word = _WORD_BEFORE.search(text, max(0, place - 13), place)
    return word.group().casefold() if word else ""


def _hyphen_break_ends(text: str, place: int) -> bool:
    """Whether the blanks before ``place`` follow a hyphen that breaks a word."""
    low = place
    while low > 0 and place - low < _UNSEEN_LIMIT and text[low - 1].isspace():
        low -= 1
    if low < 2 or text[low - 1] not in "-\u00ad\u2010\u2011" or not text[low - 2].isalpha():
        return False
    match = _HYPHEN_AT_LINE_END.match(text, low - 1)
    return bool(match and match.end() == place and _AFTER_SUSPENDED.match(text, place) is None)


def _beyond(text: str, place: int, step: int) -> str:
    """The first character that is no emphasis mark, in the direction of ``step``."""
    for _ in range(_UNSEEN_LIMIT):
        if not 0 <= place < len(text):
            return ""
        if text[place] not in _EMPHASIS:
            return text[place]
        place += step
    return ""


def _seen(text: str, place: int, step: int) -> str:
    """The character at ``place`` or the next one that can be seen, in the direction of ``step``."""
    for _ in range(_UNSEEN_LIMIT):
        if not 0 <= place < len(text):
            return ""
        char = text[place]
        if char < "\u00ad" or not _is_unseen(char):
            return char
        place += step
    return ""


@lru_cache(maxsize=4096)
def _is_unseen(char: str) -> bool:
    return unicodedata.category(char) == "Cf"


@lru_cache(maxsize=65_536)
def _is_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char)[0] == "M"


def cuts_number(text: str, start: int, end: int) -> bool:
    """Whether a literal goes on beyond the span: a sign, a decimal, a currency or a percent sign is cut off."""
    if start and text[start].isdigit() and _number_goes_on_before(text, start):
        return True
    return end < len(text) and text[end - 1].isdigit() and _number_goes_on_after(text, end)


def with_whole_numbers(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a span to the numbers that it cuts.

    >>> with_whole_numbers("for 1.5 days", 6, 12), with_whole_numbers("costs 25 %", 0, 8)
    ((4, 12), (0, 10))
    """
    low, high = max(0, start - _LONGEST_NUMBER), min(len(text), end + _LONGEST_NUMBER)
    while start > low and text[start].isdigit() and _number_goes_on_before(text, start):
        start -= 2 if text[start - 1].isspace() else 1
        while start > low and text[start - 1].isdigit():
            start -= 1
    while end < high and text[end - 1].isdigit() and _number_goes_on_after(text, end):
        end += 2 if text[end].isspace() else 1
        while end < high and text[end].isdigit():
            end += 1
    return start, end


def _number_goes_on_before(text: str, start: int) -> bool:
    before = text[start - 1]
    two = text[start - 2] if start > 1 else " "
    if before in _IN_NUMBER:
        return two.isdigit()
    if before in _SIGNS:
        return not (two.isalnum() or two == ")") and not (before in "-\u2013" and two in _SIGNS)
    return before in _CURRENCIES or (before.isspace() and two in _CURRENCIES)


def _number_goes_on_after(text: str, end: int) -> bool:
    after = text[end]
    two = text[end + 1] if end + 1 < len(text) else " "
    if after in _IN_NUMBER:
        return two.isdigit()
    if after in _AFTER_NUMBER or after in _SUPERSCRIPTS:
        return True
    return (
        after in " \u00a0\u202f\u2009"
        and two in _AFTER_NUMBER
        and not (two in _CURRENCIES and text[end + 2 : end + 3].isdigit())
    )


def word_start(text: str, place: int) -> int:
    """The beginning of the word that ``place`` is in."""
    low = max(0, place - 64)
    while place > low and not (_is_word(text[place]) and is_border(text, place)):
        place -= 1
    return place


def word_end(text: str, place: int) -> int:
    """The end of the word that ends at or holds ``place``."""
    high = min(len(text), place + 64)
    while place < high and not (_is_word(text[place - 1]) and is_border(text, place)):
        place += 1
    return place


def leading_punctuation(text: str) -> str:
    """What stands before the first letter or digit, at most the last 16 characters of it.

    >>> leading_punctuation("(see p. 3)"), trailing_punctuation("(see p. 3)")
    ('(', ')')
    """
    match = _FIRST_WORD_CHARACTER.search(text)
    end = match.start() if match else len(text)
    return text[max(0, end - _MOST_PUNCTUATION) : end]


def trailing_punctuation(text: str) -> str:
    """What stands after the last letter or digit, at most the first 16 characters of it."""
    start = len(text)
    while start and not _is_word(text[start - 1]):
        start -= 1
    return text[start : start + _MOST_PUNCTUATION]


def same_mark(a: str, b: str) -> bool:
    """Whether two punctuation marks are the same but for their form.

    >>> same_mark('"', "\\u201c"), same_mark("-", "\\u2014"), same_mark(".", ",")
    (True, True, False)
    """
    return a == b or (a.isspace() and b.isspace()) or _SAME_MARKS.get(a, a) == _SAME_MARKS.get(b, b)
