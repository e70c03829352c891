"""What a sentence permits, forbids, makes a duty or leaves open, and the patterns that tell it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords, Matcher
from pincite.checks.reading import Unit
from pincite.findings import Difference
from pincite.text.lexicon import load_lexicon

SURELY_SAME = 0.75
"""Share of the claim's other content words in a unit before "may" and "prohibited" contradict."""


@cache
def pattern(table: str, language: str) -> re.Pattern[str] | None:
    """The pattern of a table of ``duties.json`` in a language, compiled when first asked for."""
    source = load_lexicon("duties")[table].get(language)
    return re.compile(source, re.IGNORECASE) if source else None


def has(table: str, language: str | None, text: str) -> bool:
    """Whether ``text`` has what ``table`` lists.

    >>> has("forbidden", "en", "You must not park here."), has("forbidden", "en", "Park here.")
    (True, False)
    """
    found = pattern(table, language or "")
    return found is not None and found.search(text) is not None


def duty_problems(
    claim: ClaimWords, units: Sequence[Unit], said: Callable[[Unit], str], matcher: Matcher
) -> list[Problem]:
    """The claim permits what its source forbids without exception, or the other way round. At most one."""
    language = claim.language
    sides = _sides_of(claim.text, language)
    if len(sides) != 1:
        return []
    for unit in units:
        others = _sides_of(said(unit), language)
        if len(others) != 1 or frozenset((*sides, *others)) not in _AGAINST:
            continue
        same = matcher.share(claim.content, unit.terms) >= SURELY_SAME
        own = [word for word in unit.own if word.is_content]
        known = {term for word in claim.words for term in (word.term, *word.groups)}
        told = sum(not known.isdisjoint((word.term, *word.groups)) for word in own)
        if same or (own and told >= SURELY_SAME * len(own)):
            shown = _shown(claim.text, sides[0], language), _shown(said(unit), others[0], language)
            return [Problem(Difference("opposite", *shown, claim.span, unit.span), True, same)]
    return []


_AGAINST = (frozenset({"forbidden", "permitted"}), frozenset({"optional", "duty"}))


def _sides_of(text: str, language: str | None) -> tuple[str, ...]:
    """``forbidden``, ``permitted``, ``optional``, ``duty``: what a sentence without exception says of its matter."""
    if has("on_terms", language, text):
        return ()
    if has("optional", language, text):
        return ("optional",)
    against = pattern("forbidden", language or "")
    rest, forbids = against.subn(" ", text) if against is not None else (text, 0)
    found = ["forbidden"] if forbids else []
    found += ["permitted"] if has("permitted", language, rest) else []
    return tuple(found) or (("duty",) if has("duty", language, text) else ())


def _shown(text: str, side: str, language: str | None) -> str:
    wanted = pattern(side, language or "")
    found = wanted.search(text) if wanted is not None else None
    return found.group() if found else ""
