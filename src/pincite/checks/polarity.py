"""Words that turn, limit or soften a sentence: are they the same in a claim and in what backs it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pincite.checks.binding import SAME_SUBJECT, Problem
from pincite.checks.evidence import ClaimWords, Matcher, all_terms
from pincite.checks.reading import Fact, Unit, Word
from pincite.text.meaning import are_opposites
from pincite.types import Difference, Span

REACH = 4
"""How many words from a cue its word is looked for."""

TOLD_FROM = 0.5
"""Share of a source's clause that a claim must tell before leaving out its turning word is a fault."""

CUE_KINDS = frozenset({"negation", "quantifier", "modality", "condition", "comparator"})
"""Kinds of facts that are words about other words. The others stand for themselves."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue with the words it is about: the next content word of its clause, else the one before."""

    fact: Fact
    anchors: tuple[Word, ...]


def cues(found: Sequence[Fact], words: Sequence[Word], segments: Sequence[int]) -> tuple[Cue, ...]:
    """The cues among ``found`` with their anchors among ``words`` (of clause ``segments``)."""
    return tuple(Cue(fact, _anchors(fact, words, segments)) for fact in found if fact.kind in CUE_KINDS)


def _anchors(fact: Fact, words: Sequence[Word], segments: Sequence[int]) -> tuple[Word, ...]:
    inside = [n for n, word in enumerate(words) if word.span.overlaps(fact.span)]
    if not inside:
        return ()
    clause = segments[inside[0]]
    after = [
        words[n]
        for n in range(inside[-1] + 1, min(inside[-1] + 1 + REACH, len(words)))
        if segments[n] == clause
    ]
    before = [
        words[n] for n in range(inside[0] - 1, max(inside[0] - 1 - REACH, -1), -1) if segments[n] == clause
    ]
    for side in (after, before):
        for word in side:
            if word.is_content:
                return (word,)
    return ()


def word_problems(claim: ClaimWords, units: Sequence[Unit], matcher: Matcher) -> list[Problem]:
    """Turning, limiting and softening words that are not the same on both sides, and opposites."""
    ours = cues(claim.facts, claim.words, claim.segments)
    theirs = [cue for unit in units for cue in cues(unit.facts, unit.words, unit.segments)]
    terms = all_terms(units)
    content = {word.term for word in claim.content}
    opposites, turned = _opposites(claim, units, ours, theirs, terms, matcher)
    problems = list(opposites)
    for kind in ("negation", "quantifier", "condition", "modality"):
        here = [cue for cue in ours if cue.fact.kind == kind and cue.fact.span not in turned]
        there = [
            (unit, cue)
            for unit in units
            for cue in cues(unit.facts, unit.words, unit.segments)
            if cue.fact.kind == kind and cue.fact.span not in turned
        ]
        for cue in here:
            if not any(cue.fact.key == other.fact.key for _, other in there):
                rival = next((other for _, other in there if _shared(cue, other)), None)
                known = any(word.term in content and matcher.holds(word.term, terms) for word in cue.anchors)
                same = known and matcher.share(claim.content, terms) >= SAME_SUBJECT
                problems.append(_problem(kind, cue.fact, rival.fact if rival else None, known or rival is not None, same))
        for unit, other in there:
            if any(cue.fact.key == other.fact.key or _shared(cue, other) for cue in here):
                continue
            if any(word.term in content for word in other.anchors) and _told(unit, other, content) >= TOLD_FROM:
                same = matcher.share(claim.content, unit.terms) >= SAME_SUBJECT
                problems.append(_problem(kind, None, other.fact, kind in ("negation", "condition"), same))
    return problems


def _told(unit: Unit, cue: Cue, content: set[str]) -> float:
    """How much of the clause of a cue in the source the claim tells."""
    clause = unit.segment(cue.fact.span.start)
    inside = [
        word.term
        for word, of in zip(unit.words, unit.segments, strict=True)
        if of == clause and word.is_content and word.span.start >= unit.span.start
    ]
    return sum(term in content for term in inside) / len(inside) if inside else 0.0


def _opposites(
    claim: ClaimWords,
    units: Sequence[Unit],
    ours: Sequence[Cue],
    theirs: Sequence[Cue],
    terms: frozenset[str],
    matcher: Matcher,
) -> tuple[list[Problem], set[Span]]:
    """Words of the claim that the source lacks and whose opposite it has; and the negations that undo one."""
    problems: list[Problem] = []
    turned: set[Span] = set()
    content = {word.term for word in claim.content}
    for word in claim.words:
        if word.term in terms:
            continue
        for unit in units:
            other = next(
                (o for o in unit.own if o.term not in content and are_opposites(word.surface, o.surface)), None
            )
            if other is None:
                continue
            undoing = [cue.fact.span for cue in ours if cue.fact.kind == "negation" and word in cue.anchors]
            undoing += [cue.fact.span for cue in theirs if cue.fact.kind == "negation" and other in cue.anchors]
            turned.update(undoing)
            if not undoing:
                same = matcher.share([w for w in claim.content if w != word], unit.terms) >= SAME_SUBJECT
                difference = Difference("opposite", word.surface, other.surface, word.span, other.span)
                problems.append(Problem(difference, is_change=True, is_same_subject=same))
            break
    return problems, turned


def _shared(cue: Cue, other: Cue) -> bool:
    terms = {word.term for word in other.anchors}
    return any(word.term in terms for word in cue.anchors)


def _problem(kind: str, answer: Fact | None, source: Fact | None, is_change: bool, same_subject: bool) -> Problem:
    difference = Difference(
        kind,
        answer.text if answer else "",
        source.text if source else "",
        answer.span if answer else None,
        source.span if source else None,
    )
    return Problem(difference, is_change, is_change and same_subject)
