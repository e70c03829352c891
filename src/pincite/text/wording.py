"""The words of a quote or passage in folded form, with the way back made only where it is needed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from pincite.text.characters import UNSPACED
from pincite.text.normalize import blanked_ascii, fold_words

_SPACED_TOKEN = re.compile(r"\S+")
_BEYOND_SPACED = re.compile("[\u0e00-\U0010ffff]")
"""One range is searched many times faster than the exact class of characters."""


class Word(NamedTuple):
    """A folded word and its place in the text it is from."""

    folded: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Words:
    """The folded words of a text, in order.

    ``letters`` is the folded text they were cut from; ``at`` leads from its places to the text's, and is
    ``None`` where the two are the same.
    """

    folded: list[str]
    letters: str
    at: Sequence[int] | None

    def ranges(self) -> list[tuple[int, int]]:
        """Where each word stands in ``letters``."""
        pattern = _SPACED_TOKEN if self.at is None else _pattern(self.letters)
        return [match.span() for match in pattern.finditer(self.letters)]

    def place(self, number: int, ranges: Sequence[tuple[int, int]]) -> Word:
        """Word ``number`` with its place in the text; ``ranges`` is what ``ranges()`` gave."""
        start, end = ranges[number]
        if self.at is None:
            return Word(self.folded[number], start, end)
        return Word(self.folded[number], self.at[start], self.at[end - 1] + 1)


def split_words(text: str) -> Words:
    """The words of ``text``, folded; in scripts without blanks every character is one.

    >>> split_words("Can't infor-\\nmation 東京").folded
    ['cant', 'information', '東', '京']
    """
    letters = blanked_ascii(text)
    if letters is not None:
        return Words(letters.split(), letters, None)
    letters, at = fold_words(text)
    pattern = _pattern(letters)
    found = letters.split() if pattern is _SPACED_TOKEN else pattern.findall(letters)
    return Words(found, letters, at)


@dataclass(frozen=True, slots=True)
class Wording:
    """A quote, or a piece of one, with its words and its squeezed letters."""

    text: str
    words: Words
    letters: str


def wording_of(text: str) -> Wording:
    """Fold a quote once.

    >>> wording_of("Don't panic").letters
    'dontpanic'
    """
    words = split_words(text)
    return Wording(text, words, "".join(words.folded))


@cache
def _token() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED}][^\\s{UNSPACED}\\w]*|[^\\s{UNSPACED}]+")


def _pattern(letters: str) -> re.Pattern[str]:
    return _token() if _BEYOND_SPACED.search(letters) else _SPACED_TOKEN
