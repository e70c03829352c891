"""An amount that the claim gives "a month" or "per user", and of which the passages never say what it is for each of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords
from pincite.checks.reading import Reading
from pincite.findings import Difference
from pincite.text.lexicon import base_language, load_lexicon
from pincite.text.words import content_words


def rate_problems(claim: ClaimWords, readings: Sequence[Reading]) -> list[Problem]:
    """The first rate of the claim that no passage names in any way: beside an amount, in a heading or in a column's title."""
    for fact in claim.facts:
        rate = fact.quantity.rate if fact.quantity else ""
        if not rate or not fact.beside or any(_names(reading, rate) for reading in readings):
            continue
        span = fact.beside[-1]
        said = span.shift(-claim.span.start).of(claim.text)
        return [Problem(Difference("unit", f"{fact.text} {said}", "", span), is_change=False)]
    return []


def _names(reading: Reading, rate: str) -> bool:
    if any(
        f.quantity is not None and f.quantity.rate == rate for unit in reading.units for f in unit.counted
    ):
        return True
    wanted = _terms(rate, base_language(reading.language))
    # A language without such a list, or a rate of its own ("per seat"), is left to the words.
    return not wanted or not wanted.isdisjoint(reading.terms)


@lru_cache(maxsize=256)
def _terms(rate: str, language: str | None) -> frozenset[str]:
    """Terms of the phrases that say ``rate`` in a language: "monthly", "month"."""
    phrases = load_lexicon("rates")["rates"].get(rate, {}).get(language or "", ())
    names = load_lexicon("unit_words")["units"].get(rate, {}).get(language or "", ())
    return frozenset(token.term for phrase in (*phrases, *names) for token in content_words(phrase, language))
