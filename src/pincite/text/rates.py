"""What an amount is for each of: "5 € per month", "25 MB/user", 月額500円."""

from __future__ import annotations

import re
from functools import lru_cache

from pincite.text.fold import fold
from pincite.text.lexicon import load_lexicon
from pincite.text.numerals import LETTERS
from pincite.text.units import is_unspaced, unit_words

_PER = re.compile(
    rf" ?(?P<sure>/ ?|per |pro |je |por |par |لكل |प्रति )(?:1 )?(?P<noun>[{LETTERS}]+)|,? (?:a|an|each|every|al|la|pro|im|à l'|à la) (?P<time>[{LETTERS}]+)"
)
_PERIODS = frozenset({"second", "minute", "hour", "day", "week", "month", "quarter", "year"})
_LONGEST_PHRASE = 16

_RATE_GAPS = frozenset(" /,")
_FIRST = re.compile(rf"[ ,]{{1,2}}([{LETTERS}]+)")
_PER_WORDS = frozenset("per pro je por par لكل प्रति a an each every al la pro im à".split())
_WORD = re.compile(rf"[/.{LETTERS}]+")
_SMALL = frozenset({"of", "de", "von"})


@lru_cache(maxsize=1)
def _phrases() -> tuple[dict[str, str], dict[str, str]]:
    """Phrases of spaced and of unspaced scripts, folded, to their rate."""
    spaced: dict[str, str] = {}
    unspaced: dict[str, str] = {}
    for rate, by_language in load_lexicon("rates")["rates"].items():
        for phrases in by_language.values():
            for phrase in phrases:
                low = fold(phrase).low
                (unspaced if is_unspaced(low[-1]) else spaced).setdefault(low, rate)
    return spaced, unspaced


def find_rate(low: str, start: int, end: int) -> str:
    """The rate beside the quantity at ``low[start:end]``, such as ``month`` or ``user``; empty when there is none.

    >>> find_rate("5 € per month", 0, 3), find_rate("月額500円", 2, 6), find_rate("5 gb/users", 0, 4)
    ('month', 'month', 'user')
    """
    spaced, unspaced = _phrases()
    after = low[end : end + 1]
    if after in _RATE_GAPS:
        first = _FIRST.match(low, end)
        if after == "/" or (first and first[1] in _first_words()):
            rate = _rate_after(low, end, spaced)
            if rate:
                return rate
    if start and is_unspaced(low[start - 1]):
        head = low[max(0, start - 8) : start]
        for length in range(len(head), 1, -1):
            rate = unspaced.get(head[-length:], "")
            if rate:
                return rate
    if after and is_unspaced(after):
        return next(
            (
                unspaced[low[end : end + size]]
                for size in (6, 5, 4, 3, 2)
                if low[end : end + size] in unspaced
            ),
            "",
        )
    return _rate_before(low, start, spaced) if start else ""


@lru_cache(maxsize=1)
def _first_words() -> frozenset[str]:
    return _PER_WORDS.union(phrase.split(" ")[0].split(".")[0] for phrase in _phrases()[0])


def _rate_after(low: str, end: int, spaced: dict[str, str]) -> str:
    tail = low[end : end + _LONGEST_PHRASE + 1]
    at = 0 if tail[0] == "/" else 1
    for phrase_end in _word_ends(tail, at):
        rate = spaced.get(tail[at:phrase_end])
        if rate:
            return rate
    found = _PER.match(low, end)
    if not found:
        return ""
    noun = found["noun"] or found["time"]
    names = unit_words().get(noun, ())
    if names and names[0] in _PERIODS:
        return names[0]
    return noun.removesuffix("s") if found["sure"] and len(noun) > 1 else ""


def _word_ends(tail: str, at: int) -> list[int]:
    """Ends of the first three words of ``tail[at:]``, longest first."""
    ends = [found.end() for found in _WORD.finditer(tail, at)][:3]
    return ends[::-1]


def _rate_before(low: str, start: int, spaced: dict[str, str]) -> str:
    """An adjective before the amount: "monthly fee of 5 €", "monatlich 5 €"."""
    before = low[max(0, start - 30) : start]
    if before[-1:] != " ":
        return ""
    words = before.split()[-3:]
    if words and words[-1] not in _SMALL:
        words = words[-2:]
    return next((spaced[word] for word in reversed(words) if word in spaced), "")
