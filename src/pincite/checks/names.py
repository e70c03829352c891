"""Words put in the place of others: names above all, which must be those of the source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from rapidfuzz.distance import Levenshtein

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords, Matcher, all_terms
from pincite.checks.reading import Reading, Unit, Word, is_at_particle
from pincite.findings import Difference
from pincite.types import Span

ALIKE_FROM = 0.5
"""Share of a claim's words that a unit must have in the same order before a word counts as put in another's place."""

SURELY_SAME = 0.75
"""Share of the claim's other content words in a unit, for a differing name to contradict."""

ADDED_FROM = 0.7
"""The same before a word counts as added to what the unit says."""

MAX_REPLACED = 3

MAX_CLAUSES, MAX_NAME_PARTS = 32, 16
"""Clauses that are compared with each other, and parts of one name that are looked for: floods stay linear."""

MAX_ALIGNED = 300
"""Words of a sentence that are aligned; the cost grows with the product of both sides."""

_LOADED = re.compile("[\u3400-\u9fff\uf900-\ufaff\u30a1-\u30fa]")
"""Han and Katakana: in scripts without blanks, what carries the sense. Hangul endings vary too much."""


def name_problems(
    claim: ClaimWords, units: Sequence[Unit], readings: Sequence[Reading], matcher: Matcher
) -> list[Problem]:
    """Names that no passage has, and words that stand in the place of other words of the source."""
    problems: list[Problem] = []
    swapped: dict[Word, tuple[Word, Unit]] = {}
    for unit in units:
        for word, other in _replaced(claim, unit):
            if word.is_content:
                swapped.setdefault(word, (other, unit))
    added = {word for unit in units for word in _added(claim.words, unit.own)}
    names = [fact.span for fact in claim.facts if fact.kind == "name"]
    for word in matcher.missing(claim.content, all_terms(units)):
        if word.is_pair and not _LOADED.search(word.surface):
            continue
        if word.is_pair and claim.terms_in == "zh" and is_at_particle(word.surface, "zh"):
            continue  # "您也可以" for "您可以"
        if word in added and not any(matcher.holds(word.term, reading.terms) for reading in readings):
            problems.append(_problem("word", word, None, is_change=False, same=False))
            continue
        name = next((span for span in names if span.overlaps(word.span)), None)
        pair = swapped.get(word)
        if name is None:
            if pair is not None:
                problems.append(_problem("word", word, pair[0], is_change=False, same=False))
        elif pair is not None and _is_name(*pair):
            other, unit = pair
            rest = [one for one in claim.content if one != word]
            same = matcher.share(rest, unit.terms) >= SURELY_SAME
            problems.append(_problem("name", word, other, is_change=True, same=same))
        elif not _is_known(word, name, claim, units, readings, matcher):
            problems.append(_problem("name", word, None, is_change=False, same=False))
    return problems


def attachment_problems(claim: ClaimWords, units: Sequence[Unit], matcher: Matcher) -> list[Problem]:
    """Words that the source says of another thing: two of its clauses are alike, and the claim mixes them.

    Of "Pro includes e-mail support, Team includes phone support", "Pro includes phone support" is borne by neither.
    """
    clauses = [clause for unit in units for clause in _clauses(unit)][:MAX_CLAUSES]
    if len(clauses) < 2:
        return []
    other_words = [
        (terms, {w.term: (w, o) for w, o in _between_equals(claim.words, words) if w.is_content})
        for words, terms in clauses
    ]
    for terms, replaced in other_words:
        for more, swapped in other_words:
            if terms is more:
                continue
            here = [pair for term, pair in replaced.items() if term in more and term not in terms]
            there = [pair for term, pair in swapped.items() if term in terms and term not in more]
            if here and there:
                word, other = here[0]
                return [_problem("word", word, other, is_change=True, same=False)]
    return []


def _clauses(unit: Unit) -> Iterator[tuple[Sequence[Word], frozenset[str]]]:
    """The unit when it is one clause, else its clauses, with their terms."""
    if not unit.borders or unit.is_row:
        yield unit.own, unit.terms
        return
    for start, end in pairwise((unit.span.start, *unit.borders, unit.span.end)):
        words = [word for word in unit.own if start <= word.span.start < end]
        if sum(word.is_content for word in words) >= 2:
            yield words, frozenset(word.term for word in words)


def _is_name(word: Word, unit: Unit) -> bool:
    return any(fact.kind == "name" and fact.span.overlaps(word.span) for fact in unit.facts)


def _is_known(
    word: Word,
    name: Span,
    claim: ClaimWords,
    units: Sequence[Unit],
    readings: Sequence[Reading],
    matcher: Matcher,
) -> bool:
    """Whether a passage has the word, or the evidence another part of the same name."""
    if any(matcher.holds(word.term, reading.terms) for reading in readings):
        return True
    inside = (one for one in claim.content if one != word and name.overlaps(one.span) and not one.is_pair)
    parts = list(islice(inside, MAX_NAME_PARTS))
    return any(matcher.holds(one.term, unit.terms) for one in parts for unit in units)


def _replaced(claim: ClaimWords, unit: Unit) -> Iterator[tuple[Word, Word]]:
    """Content words of the claim and of the unit that stand between the same neighbours."""
    return _between_equals(claim.words, unit.own)


def _added(words: Sequence[Word], others: Sequence[Word]) -> Iterator[Word]:
    """Words of a claim that is otherwise the unit's own words in order."""
    if len(words) > MAX_ALIGNED or len(others) > MAX_ALIGNED:
        return
    steps = Levenshtein.opcodes([word.term for word in words], [word.term for word in others])
    equal = sum(step.src_end - step.src_start for step in steps if step.tag == "equal")
    if equal >= ADDED_FROM * len(words):
        for step in steps:
            if step.tag == "delete":
                yield from (word for word in words[step.src_start : step.src_end] if word.is_content)


def _between_equals(words: Sequence[Word], others: Sequence[Word]) -> Iterator[tuple[Word, Word]]:
    if len(words) > MAX_ALIGNED or len(others) > MAX_ALIGNED:
        return
    ours, theirs = [word.term for word in words], [word.term for word in others]
    steps = Levenshtein.opcodes(ours, theirs)
    equal = sum(step.src_end - step.src_start for step in steps if step.tag == "equal")
    if not ours or equal < ALIKE_FROM * len(ours):
        return
    said = set(ours)
    for step in steps:
        if step.tag == "replace" and step.src_end - step.src_start <= MAX_REPLACED:
            fresh = [
                w for w in others[step.dest_start : step.dest_end] if w.is_content and w.term not in said
            ]
            for word in words[step.src_start : step.src_end]:
                if fresh:
                    yield word, fresh[0]


def _problem(kind: str, word: Word, other: Word | None, *, is_change: bool, same: bool) -> Problem:
    difference = Difference(
        kind, word.surface, other.surface if other else "", word.span, other.span if other else None
    )
    return Problem(difference, is_change, is_change and same)
