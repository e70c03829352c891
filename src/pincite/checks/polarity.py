"""Words that turn, limit or soften a sentence: are they the same in a claim and in what backs it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords, Matcher, all_terms
from pincite.checks.reading import Unit, Word
from pincite.checks.said import Fact
from pincite.text.meaning import are_opposites
from pincite.types import Difference, Span

REACH = 4
"""How many words from a cue its word is looked for."""

# What a claim may say instead: less than the source says.
WEAKER = {"all": ("most", "many", "some"), "most": ("many", "some"), "many": ("some",), "must": ("should",)}
CLOSE = (
    {"most", "many"},
    {"some", "many"},
    {"may", "might"},
    {"must", "should"},
    {"must", "sure"},
    {"few", "some"},
)
HARMLESS_WHEN_ADDED = frozenset({"some", "many", "may", "might"})
HARMLESS_WHEN_LEFT_OUT = frozenset({"all", "many", "must", "sure", "should"})

SURELY_SAME = 0.75
"""As ``SAME_SUBJECT``, where only one side has a word to show."""

TOLD_FROM = 0.5
"""Share of a source's clause that a claim must tell before leaving out its turning word is a fault."""

CUE_KINDS = ("negation", "quantifier", "condition", "modality")
"""Kinds of facts that are words about other words. The others stand for themselves."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue with the words it is about: the next content word of its clause, else the one before."""

    fact: Fact
    anchors: tuple[Word, ...]


def cues(found: Sequence[Fact], words: Sequence[Word], segments: Sequence[int]) -> tuple[Cue, ...]:
    """The cues among ``found`` with their anchors among ``words`` (of clause ``segments``)."""
    return tuple(Cue(fact, _anchors(fact, words, segments)) for fact in found if fact.kind in CUE_KINDS)


@lru_cache(maxsize=8192)
def _cues_of(unit: Unit) -> tuple[Cue, ...]:
    return cues(unit.facts, unit.words, unit.segments)


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
    theirs = [(unit, cue) for unit in units for cue in _cues_of(unit)]
    terms = all_terms(units)
    problems, turned = _other_sides(claim, units, matcher), set[Span]()
    found, undone = _opposites(claim, units, ours, [cue for _, cue in theirs], terms, matcher)
    problems += found
    turned |= undone
    for kind in CUE_KINDS:
        here = [cue for cue in ours if cue.fact.kind == kind and cue.fact.span not in turned]
        there = [(unit, cue) for unit, cue in theirs if cue.fact.kind == kind and cue.fact.span not in turned]
        for cue in here:
            problems += _unborne(claim, cue, there, units, matcher)
        for unit, other in there:
            problems += _left_out(claim, unit, other, here, matcher)
    return problems


def _unborne(
    claim: ClaimWords, cue: Cue, there: Sequence[tuple[Unit, Cue]], units: Sequence[Unit], matcher: Matcher
) -> list[Problem]:
    """A turning word of the claim that the source does not have, or has otherwise."""
    if any(cue.fact.key == other.fact.key for _, other in there):
        return []
    near = next(((unit, other) for unit, other in there if _shared(cue, other)), None)
    if near is not None:
        if cue.fact.key in WEAKER.get(near[1].fact.key, ()):
            return []
        is_change = {cue.fact.key, near[1].fact.key} not in CLOSE
        return [_problem(cue.fact.kind, cue.fact, near[1].fact, is_change=is_change, same_subject=False)]
    if cue.fact.key in HARMLESS_WHEN_ADDED:
        return []
    if cue.fact.kind != "negation":
        return [_problem(cue.fact.kind, cue.fact, None, is_change=False, same_subject=False)]
    content = {word.term for word in claim.content}
    held = [
        unit
        for unit in units
        if any(word.term in content and matcher.holds(word.term, unit.terms) for word in cue.anchors)
    ]
    same = any(matcher.share(claim.content, unit.terms) >= SURELY_SAME for unit in held)
    return [_problem(cue.fact.kind, cue.fact, None, is_change=bool(held), same_subject=same)]


def _left_out(
    claim: ClaimWords, unit: Unit, other: Cue, here: Sequence[Cue], matcher: Matcher
) -> list[Problem]:
    """A turning word of a clause that the claim tells, without its like in the claim."""
    content = {word.term for word in claim.content}
    if other.fact.key in HARMLESS_WHEN_LEFT_OUT or any(
        cue.fact.key == other.fact.key or _shared(cue, other) for cue in here
    ):
        return []
    if not any(word.term in content for word in other.anchors) or _told(unit, other, content) < TOLD_FROM:
        return []
    is_change = other.fact.kind == "negation"
    same = is_change and matcher.share(claim.content, unit.terms) >= SURELY_SAME
    return [_problem(other.fact.kind, None, other.fact, is_change=is_change, same_subject=same)]


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
    for at, word in enumerate(claim.words):
        if word.term in terms or not word.is_content:
            continue
        for unit in units:
            found = next(
                (
                    n
                    for n, other in enumerate(unit.own)
                    if other.is_content
                    and other.term not in content
                    and are_opposites(word.surface, other.surface)
                ),
                None,
            )
            if found is None or not _neighbours(claim.words, at) & _neighbours(unit.own, found):
                continue
            other = unit.own[found]
            undoing = [cue.fact.span for cue in ours if cue.fact.kind == "negation" and word in cue.anchors]
            undoing += [
                cue.fact.span for cue in theirs if cue.fact.kind == "negation" and other in cue.anchors
            ]
            turned.update(undoing)
            if not undoing:
                same = matcher.share([w for w in claim.content if w != word], unit.terms) >= SURELY_SAME
                difference = Difference("opposite", word.surface, other.surface, word.span, other.span)
                problems.append(Problem(difference, is_change=True, is_same_subject=same))
            break
    return problems, turned


def _other_sides(claim: ClaimWords, units: Sequence[Unit], matcher: Matcher) -> list[Problem]:
    """Pairs of policy language of which the claim has one side and the source only the other."""
    problems: list[Problem] = []
    theirs: dict[str, Fact] = {
        fact.key: fact for unit in units for fact in unit.facts if fact.kind == "opposite"
    }
    ours = {fact.key for fact in claim.facts if fact.kind == "opposite"}
    for fact in claim.facts:
        if fact.kind != "opposite" or fact.key in theirs:
            continue
        pair, _, side = fact.key.partition(":")
        other = theirs.get(f"{pair}:{'b' if side == 'a' else 'a'}")
        if other is None or other.key in ours:
            continue
        if any(word.span.overlaps(fact.span) and not word.is_content for word in claim.words):
            continue
        if not _around(claim.words, fact.span) & _around(
            next(u for u in units if other in u.facts).own, other.span
        ):
            continue
        rest = [word for word in claim.content if not word.span.overlaps(fact.span)]
        same = any(other in unit.facts and matcher.share(rest, unit.terms) >= SURELY_SAME for unit in units)
        difference = Difference("opposite", fact.text, other.text, fact.span, other.span)
        problems.append(Problem(difference, is_change=True, is_same_subject=same))
    return problems


def _around(words: Sequence[Word], span: Span) -> frozenset[str]:
    at = [n for n, word in enumerate(words) if word.span.overlaps(span)]
    if not at:
        return frozenset()
    if words[at[0]].is_pair:
        return frozenset(word.term for word in words[max(0, at[0] - 5) : at[-1] + 6] if word.is_content)
    return _neighbours(words[: at[0] + 1], at[0]) | _neighbours(words[at[-1] :], 0)


def _neighbours(words: Sequence[Word], at: int) -> frozenset[str]:
    """The nearest two content words on each side."""
    before = [word.term for word in words[max(0, at - 6) : at] if word.is_content][-2:]
    after = [word.term for word in words[at + 1 : at + 7] if word.is_content][:2]
    return frozenset((*before, *after))


def _shared(cue: Cue, other: Cue) -> bool:
    terms = {word.term for word in other.anchors}
    return any(word.term in terms for word in cue.anchors)


def _problem(
    kind: str, answer: Fact | None, source: Fact | None, *, is_change: bool, same_subject: bool
) -> Problem:
    difference = Difference(
        kind,
        answer.text if answer else "",
        source.text if source else "",
        answer.span if answer else None,
        source.span if source else None,
    )
    return Problem(difference, is_change, is_change and same_subject)
