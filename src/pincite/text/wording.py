"""The words of a quote or passage in folded form, with the way back made only where it is needed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pincite.text.normalize import FIRST_UNSPACED, UNSPACED, blanked_ascii, fold

_TOKEN = re.compile(f"[{UNSPACED}][^\\s{UNSPACED}\\w]*|[^\\s{UNSPACED}]+")
_SPACED_TOKEN = re.compile(r"\S+")


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

    def placed(self) -> list[Word]:
        """Every word with its place in the text."""
        ranges = self.ranges()
        return [self.place(number, ranges) for number in range(len(ranges))]


def split_words(text: str) -> Words:
    """The words of ``text``, folded; in scripts without blanks every character is one.

    >>> split_words("Can't infor-\\nmation 東京").folded
    ['cant', 'information', '東', '京']
    """
    letters = blanked_ascii(text)
    if letters is not None:
        return Words(letters.split(), letters, None)
    folded = fold(text, words=True)
    letters = folded.letters
    pattern = _pattern(letters)
    found = letters.split() if pattern is _SPACED_TOKEN else pattern.findall(letters)
    return Words(found, letters, folded.at.tolist())


def _pattern(letters: str) -> re.Pattern[str]:
    return _SPACED_TOKEN if not letters or max(letters) < FIRST_UNSPACED else _TOKEN
