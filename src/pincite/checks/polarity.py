"""Words that turn, limit or soften a sentence: are they the same in a claim and in what backs it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pincite.checks._standin import Fact
from pincite.checks.reading import Word
from pincite.types import Difference, Span

REACH = 4
"""How many words from a cue its word is looked for."""

CUE_KINDS = frozenset({"negation", "quantifier", "modality", "condition", "comparator"})
"""Kinds of facts that are words about other words. The others stand for themselves."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A fact of the claim that its evidence does not bear, or the other way round.

    ``is_change`` when both sides say something different, ``False`` when one side is silent.
    """

    difference: Difference
    is_change: bool


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


def compare(
    claim: Sequence[Fact],
    claim_cues: Sequence[Cue],
    source: Sequence[Fact],
    source_cues: Sequence[Cue],
    *,
    claim_terms: frozenset[str],
    source_terms: frozenset[str],
) -> Iterator[Problem]:
    """Problems of turning words, both ways. ``*_terms`` are all terms of each side."""
    ours, theirs = _signs(claim, claim_cues), _signs(source, source_cues)
    turned: set[Span] = set()
    for group, (sides, fact) in ours.items():
        if group in theirs:
            turned |= {
                cue.fact.span
                for found, around in ((claim, claim_cues), (source, source_cues))
                for cue in around
                for fact in found
                if fact.group == group and any(word.span == fact.span for word in cue.anchors)
            }
            if not sides & theirs[group][0]:
                yield _problem("opposite", fact, theirs[group][1], is_change=True)
    for kind in ("negation", "quantifier", "condition", "modality"):
        here = [cue for cue in claim_cues if cue.fact.kind == kind and cue.fact.span not in turned]
        there = [cue for cue in source_cues if cue.fact.kind == kind and cue.fact.span not in turned]
        for cue in here:
            if not any(_same(cue, other) for other in there):
                rival = next((other for other in there if _shared(cue, other)), None)
                known = any(word.term in source_terms for word in cue.anchors)
                yield _problem(
                    kind, cue.fact, rival.fact if rival else None, is_change=known or rival is not None
                )
        for other in there:
            if not any(_same(cue, other) for cue in here) and not any(_shared(cue, other) for cue in here):
                if any(word.term in claim_terms for word in other.anchors):
                    yield _problem(kind, None, other.fact, is_change=kind in ("negation", "condition"))


def _same(cue: Cue, other: Cue) -> bool:
    return cue.fact.group == other.fact.group


def _shared(cue: Cue, other: Cue) -> bool:
    terms = {word.term for word in other.anchors}
    return any(word.term in terms for word in cue.anchors)


def _signs(found: Sequence[Fact], around: Sequence[Cue]) -> Mapping[str, tuple[frozenset[str], Fact]]:
    """For each pair of opposites the sides that are said, a negated one as the other side."""
    turned = {word.span for cue in around if cue.fact.kind == "negation" for word in cue.anchors}
    signs: dict[str, tuple[frozenset[str], Fact]] = {}
    for fact in found:
        if fact.kind == "opposite":
            side = {"a": "b", "b": "a"}[fact.key] if fact.span in turned else fact.key
            before = signs.get(fact.group, (frozenset[str](), fact))
            signs[fact.group] = (before[0] | {side}, before[1])
    return signs


def _problem(kind: str, answer: Fact | None, source: Fact | None, *, is_change: bool) -> Problem:
    return Problem(
        Difference(
            kind,
            answer.text if answer else "",
            source.text if source else "",
            answer.span if answer else None,
            source.span if source else None,
        ),
        is_change,
    )
