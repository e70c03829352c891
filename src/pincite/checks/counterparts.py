"""Meanings that exclude each other, and ways that lead back: "fell" for "rose", "from May to March" for "from March to May"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords, Matcher
from pincite.checks.reading import Unit, Word
from pincite.text.synonyms import concept
from pincite.types import Difference, Span

SURELY_SAME = 0.75
"""Share of the claim's other content words in a unit before it contradicts."""

REST_FROM = 0.4
"""The same before two meanings count as put in each other's place."""

# Names of groups of ``synonyms.json`` that exclude each other, written for this project.
_AGAINST = (
    ("increase", "decrease"),
    ("improve", "worsen"),
    ("begin", "end"),
    ("expand", "restrict"),
    ("approve", "refuse"),
    ("turn_on", "turn_off"),
    ("arrive", "depart"),
    ("large", "small"),
    ("largest", "smallest"),
    ("cheap", "expensive"),
    ("late", "early"),
    ("rich", "poor"),
    ("temporarily", "permanent"),
    ("safe", "dangerous"),
    ("easy", "difficult"),
    ("in_stock", "sold_out"),
    ("extend", "cancel"),
    ("win", "lose"),
    ("keep", "delete"),
    ("keep", "lose"),
    ("facilitate", "hinder"),
    ("strong", "weak"),
    ("combine", "divide"),
    ("jointly", "separately"),
    ("accidentally", "deliberately"),
    ("voluntarily", "mandatory_field"),
    ("weight_gain", "weight_loss"),
    ("dawn", "dusk"),
    ("outdoors", "indoors"),
    ("lend", "repay"),
    ("sender", "recipient"),
    ("tenant", "landlord"),
)
_SIDES: Mapping[str, tuple[str, ...]] = {
    name: tuple(b if a == name else a for a, b in _AGAINST if name in (a, b))
    for name in dict.fromkeys(name for pair in _AGAINST for name in pair)
}
_PERSONS = frozenset({"sender", "recipient", "tenant", "landlord"})
"""Groups that name a person: both may be right in two sentences, so these count in the same place only."""

# From where to where, written for this project. A name, a month or a number of one or two words.
_WAYS: Mapping[str, str] = {
    "en": r"\bfrom (?:the )?(\w+(?: \d+)?) (?:to|until|till|through) (?:the )?(\w+(?: \d+)?)",
    "de": r"\b(?:von|vom) (\w+) (?:nach|auf|bis|zum|in) (\w+)",
    "es": r"\b(?:de|desde|del) (\w+) (?:a|al|hasta) (\w+)",
    "fr": r"\b(?:de|du|d['’]) ?(\w+) (?:à|au|jusqu['’]en|jusqu['’]à) (\w+)",
    "ja": r"([\w]{1,8}?)から([\w]{1,6}?)(?:に|へ|まで|の)",
    "zh": r"(?:从|由|自)(\w{1,6}?)(?:推迟到|提前到|提前至|推迟至|延期至|延至|搬到|迁至|改到|改为|增加到|到|至)(\w{1,4})",
}


@cache
def _way(language: str) -> re.Pattern[str] | None:
    source = _WAYS.get(language)
    return re.compile(source, re.IGNORECASE) if source else None


def counterpart_problems(
    claim: ClaimWords, units: Sequence[Unit], texts: Sequence[str], matcher: Matcher
) -> list[Problem]:
    """What the claim says with a word that excludes the source's, or the other way round in direction.

    Args:
        texts: Those of ``units``, in order.
    """
    problems = _turned_ways(claim, units, texts)
    denied = [fact.span for fact in claim.facts if fact.kind == "negation"]
    known = _concepts([word for unit in units for word in unit.words])
    own = _concepts(claim.words)
    for name, word in own.items():
        if name in known or denied:
            continue
        for other_name in _SIDES.get(name, ()):
            if other_name not in known or other_name in own:
                continue
            unit = next(one for one in units if other_name in _concepts(one.words))
            other = _concepts(unit.words)[other_name]
            rest = [one for one in claim.content if not one.span.overlaps(word.span)]
            share = matcher.share(rest, unit.terms)
            if share < REST_FROM or any(fact.kind == "negation" for fact in unit.facts):
                continue
            if name in _PERSONS and not _same_place(claim, word, unit, other):
                continue
            difference = Difference("opposite", word.surface, other.surface, word.span, other.span)
            problems.append(Problem(difference, True, share >= SURELY_SAME))
    return problems


def _concepts(words: Sequence[Word]) -> dict[str, Word]:
    found: dict[str, Word] = {}
    for word in words:
        # A word that stands in groups of several senses says none of them for sure.
        if len(word.groups) == 1:
            found.setdefault(concept(word.groups[0]), word)
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
    way = _way(claim.language or "")
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
