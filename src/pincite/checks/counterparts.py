"""Meanings that exclude each other, and ways that lead back: "fell" for "rose", "from May to March" for "from March to May"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords, Matcher
from pincite.checks.reading import GROUP, Unit, Word
from pincite.findings import Difference
from pincite.text.lexicon import load_lexicon
from pincite.text.synonyms import concept
from pincite.text.words import terms
from pincite.types import Span

SURELY_SAME = 0.75
"""Share of the claim's other content words in a unit before it contradicts."""

REST_FROM = 0.4
"""The same before two meanings count as put in each other's place."""

PASSIVE_REACH = 16
"""Characters before a party in which the passive shows."""

_FREE = "free_of_charge"
_PAID = ("price", "fee")


@cache
def _table(name: str) -> Mapping[str, tuple[str, ...]]:
    """Name of a group -> those that exclude it."""
    found: dict[str, tuple[str, ...]] = {}
    for one, other in load_lexicon("counterparts")[name]:
        found[one] = (*found.get(one, ()), other)
        found[other] = (*found.get(other, ()), one)
    return found


@cache
def _pattern(name: str, language: str) -> re.Pattern[str] | None:
    source = load_lexicon("counterparts")[name].get(language)
    return re.compile(source, re.IGNORECASE) if source else None


def counterpart_problems(
    claim: ClaimWords, units: Sequence[Unit], texts: Sequence[str], matcher: Matcher
) -> list[Problem]:
    """What the claim says with a word that excludes the source's, or the other way round in direction.

    Args:
        texts: Those of ``units``, in order.
    """
    problems = _turned_ways(claim, units, texts)
    problems += _turned_times(claim, units, texts)
    problems += _turned_parties(claim, units, texts)
    denied = [fact.span for fact in claim.facts if fact.kind == "negation"]
    known = _concepts([word for unit in units for word in unit.words])
    own = _concepts(claim.words)
    problems += _free_or_paid(claim, units, own, known)
    for name, word in own.items():
        if name in known or denied:
            continue
        for other_name in _table("against").get(name, ()):
            if other_name not in known or other_name in own:
                continue
            unit = next(one for one in units if other_name in _concepts(one.words))
            other = _concepts(unit.words)[other_name]
            rest = [one for one in claim.content if not one.span.overlaps(word.span)]
            share = matcher.share(rest, unit.terms)
            if share < REST_FROM or any(fact.kind == "negation" for fact in unit.facts):
                continue
            if name in load_lexicon("counterparts")["persons"] and not _same_place(claim, word, unit, other):
                continue
            difference = Difference("opposite", word.surface, other.surface, word.span, other.span)
            problems.append(Problem(difference, True, share >= SURELY_SAME))
    return problems


def _concepts(words: Sequence[Word]) -> dict[str, Word]:
    found: dict[str, Word] = {}
    for word in words:
        # A word that stands in groups of several senses says none of them for sure.
        groups = [group for group in word.groups if group.startswith(GROUP)]
        if len(groups) == 1:
            found.setdefault(concept(groups[0]), word)
    return found


def _same_place(claim: ClaimWords, word: Word, unit: Unit, other: Word) -> bool:
    """Whether the same word follows both, or stands before both."""
    return bool(_beside(claim.words, word) & _beside(unit.own, other))


def _beside(words: Sequence[Word], word: Word) -> frozenset[tuple[int, str]]:
    content = [one for one in words if one.is_content or one is word]
    at = next((n for n, one in enumerate(content) if one is word), None)
    if at is None:
        return frozenset()
    beside = [(step, content[at + step]) for step in (-1, 1) if 0 <= at + step < len(content)]
    return frozenset((step, term) for step, one in beside for term in (one.term, *one.groups))


def _turned_ways(claim: ClaimWords, units: Sequence[Unit], texts: Sequence[str]) -> list[Problem]:
    way = _pattern("ways", claim.language or "")
    if way is None:
        return []
    theirs = {
        (found[1].casefold(), found[2].casefold()): (found, unit)
        for unit, text in zip(units, texts, strict=True)
        for found in way.finditer(text)
    }
    problems = []
    for ours in way.finditer(claim.text):
        ends = ours[1].casefold(), ours[2].casefold()
        turned = theirs.get((ends[1], ends[0]))
        if turned is None or ends[0] == ends[1] or ends in theirs:
            continue
        found, unit = turned
        start = claim.span.start
        difference = Difference(
            "word",
            ours.group(),
            found.group(),
            Span(start + ours.start(), start + ours.end()),
            Span(unit.span.start + found.start(), unit.span.start + found.end()),
        )
        problems.append(Problem(difference, True, False))
    return problems


def _free_or_paid(
    claim: ClaimWords, units: Sequence[Unit], own: Mapping[str, Word], known: Mapping[str, Word]
) -> list[Problem]:
    """A claim's "free"  where the source has a price and nothing free."""
    word = own.get(_FREE)
    if word is None or _FREE in known or any(name in own for name in _PAID):
        return []
    money = [
        fact for unit in units for fact in unit.counted if fact.quantity and fact.quantity.kind == "money"
    ]
    if not money or any(f.quantity and f.quantity.kind == "money" for f in claim.facts):
        return []
    return [
        Problem(Difference("opposite", word.surface, money[0].text, word.span, money[0].span), True, False)
    ]


def _turned_times(claim: ClaimWords, units: Sequence[Unit], texts: Sequence[str]) -> list[Problem]:
    """Before on one side and after on the other, and nothing of the other kind on either. Not sure enough to withhold."""
    sides = [_pattern(side, claim.language or "") for side in ("before", "after")]
    patterns = [side for side in sides if side is not None]
    if not patterns:
        return []
    ours = [pattern.search(claim.text) for pattern in patterns]
    theirs = [[found for text in texts if (found := pattern.search(text))] for pattern in patterns]
    for here, there in ((0, 1), (1, 0)):
        mine = ours[here]
        if mine and not ours[there] and theirs[there] and not theirs[here]:
            start = claim.span.start
            span = Span(start + mine.start(), start + mine.end())
            return [Problem(Difference("opposite", mine.group(), theirs[there][0].group(), span), False)]
    return []


@cache
def _parties(language: str) -> frozenset[str]:
    return frozenset(terms(load_lexicon("counterparts")["parties"].get(language, ""), language))


def _turned_parties(claim: ClaimWords, units: Sequence[Unit], texts: Sequence[str]) -> list[Problem]:
    """Two parties in turned order and the same voice: who acts has become who is acted on."""
    language = claim.language or ""
    parties = _parties(language)
    ours = [word for word in claim.words if word.term in parties]
    if len(ours) != 2 or language != claim.terms_in:
        return []
    for unit, text in zip(units, texts, strict=True):
        theirs = [word for word in unit.own if word.term in parties]
        if len(theirs) != 2 or not (_alike(ours[0], theirs[1]) and _alike(ours[1], theirs[0])):
            continue
        if _alike(ours[0], ours[1]):
            continue
        passive = (
            _is_passive(claim.text, claim.span.start, ours, language),
            _is_passive(text, unit.span.start, theirs, language),
        )
        if passive[0] == passive[1]:
            answer, source = (f"{a.surface} … {b.surface}" for a, b in (ours, theirs))
            span = Span(ours[0].span.start, ours[1].span.end)
            return [Problem(Difference("name", answer, source, span, unit.span), True, False)]
    return []


def _is_passive(text: str, shift: int, parties: Sequence[Word], language: str) -> bool:
    passive = _pattern("passive", language)
    ends = (word.span.start - shift for word in parties)
    return passive is not None and any(
        passive.search(text[max(0, end - PASSIVE_REACH) : end]) for end in ends
    )


def _alike(word: Word, other: Word) -> bool:
    return word.term == other.term or not set(word.groups).isdisjoint(other.groups)
