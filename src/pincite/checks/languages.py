"""Are a claim and its passages in two languages?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pincite.checks.reading import Reading
from pincite.text.words import fold, stop_words
from pincite.text.words import words as surfaces


def is_foreign(claim: str, language: str | None, readings: Sequence[Reading]) -> bool:
    """Whether claim and passages are in different languages for certain: by script, or by function words of both."""
    theirs = {reading.language for reading in readings}
    if language is None or None in theirs or language in theirs:
        return False
    for reading in readings:
        passage = reading.text[:2000]
        if scripts(claim).isdisjoint(scripts(passage)):
            continue
        own, other = function_words(claim, language), function_words(claim, reading.language)
        if own <= other or function_words(passage, reading.language) < max(
            2, function_words(passage, language) + 1
        ):
            return False
    return True


@lru_cache(maxsize=4096)
def function_words(text: str, language: str | None) -> int:
    stop = stop_words(language)
    return sum(fold(surface) in stop for _, surface in surfaces(text))


@lru_cache(maxsize=4096)
def scripts(text: str) -> frozenset[str]:
    """Blocks of 128 code points with letters in ``text``, plain Latin as one."""
    return frozenset("latin" if char < "\u0250" else str(ord(char) >> 8) for char in text if char.isalpha())
