"""Words that turn, limit or soften a sentence: are they the same in a claim and in what backs it?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pincite.checks.asides import MAX_WORDS, excepted, is_only_of_own_clause
from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords, Matcher, is_closed_list
from pincite.checks.reading import Unit, Word
from pincite.checks.said import Fact
from pincite.findings import Difference
from pincite.types import Span

_LOADED = re.compile("[\u3400-\u9fff\u30a1-\u30ff]")

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
HARMLESS_WHEN_ADDED = frozenset({"some", "many", "may", "might", "should"})
HARMLESS_WHEN_LEFT_OUT = frozenset({"all", "many", "must", "sure", "should"})

# Of the words for "may", those that tell an ability: "it can export" and "it exports" are one.
ABILITY = frozenset(
    "can able able to kann können konnte konnten puede pueden podía peut peuvent pouvait できる できます 可以 可 能 能够 يمكن "
    "يستطيع सकता सकते सकती सकता है सकते हैं सकती है possible möglich posible".split()
) | {"able to", "सकता है", "सकते हैं", "सकती है"}

SURELY_SAME = 0.75
"""As ``SAME_SUBJECT``, where only one side has a word to show."""

TOLD_FROM = 0.5
"""Share of a source's clause that a claim must tell before leaving out its turning word is a fault."""

NEARLY_TOLD_FROM = 0.66
"""The same for a turning word that is about a word which the claim does not have: "it is not true that"."""

SAID_FROM = 0.9
"""Share of a claim's content words from which a sentence says it by itself."""

CUE_KINDS = ("negation", "quantifier", "condition", "modality")
"""Kinds of facts that are words about other words. The others stand for themselves."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue with the words it is about: the next content word of its clause, else the one before."""

    fact: Fact
    anchors: tuple[Word, ...]


def cues(found: Sequence[Fact], words: Sequence[Word], segments: Sequence[int]) -> tuple[Cue, ...]:
    """The cues among ``found`` with their anchors among ``words`` (of clause ``segments``)."""
    turning = [fact for fact in found if fact.kind in CUE_KINDS]
    if not turning:
        return ()
    places: dict[int, list[int]] = {}
    for n, word in enumerate(words):
        for place in range(word.span.start, word.span.end):
            places.setdefault(place, []).append(n)
    return tuple(Cue(fact, _anchors(fact, words, segments, places)) for fact in turning)


@lru_cache(maxsize=8192)
def _cues_of(unit: Unit) -> tuple[Cue, ...]:
    found = cues(unit.facts, unit.words, unit.segments)
    context = tuple(w for w in unit.words[: len(unit.words) - len(unit.own)] if w.is_content)
    if not context or unit.is_row:
        return found
    # "Are pets allowed? No.": the answer's first word turns the whole question.
    start = unit.span.start
    return tuple(
        Cue(cue.fact, context) if cue.fact.kind == "negation" and cue.fact.span.start == start else cue
        for cue in found
    )


def _anchors(
    fact: Fact, words: Sequence[Word], segments: Sequence[int], places: Mapping[int, Sequence[int]]
) -> tuple[Word, ...]:
    inside = sorted({n for place in range(fact.span.start, fact.span.end) for n in places.get(place, ())})
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


def word_problems(
    claim: ClaimWords, units: Sequence[Unit], matcher: Matcher, turned: frozenset[Span]
) -> list[Problem]:
    """Turning, limiting and softening words that are not the same on both sides.

    ``turned`` are negations that are part of an opposite, on either side: they are not counted again.
    """
    ours = [cue for cue in cues(claim.facts, claim.words, claim.segments) if cue.fact.span not in turned]
    theirs = [(unit, cue) for unit in units for cue in _cues_of(unit) if cue.fact.span not in turned]
    problems: list[Problem] = []
    for kind in CUE_KINDS:
        here = [cue for cue in ours if cue.fact.kind == kind]
        there = [(unit, cue) for unit, cue in theirs if cue.fact.kind == kind]
        for cue in here:
            problems += _unborne(claim, cue, there, units, matcher)
        for unit, other in there:
            problems += _left_out(claim, unit, other, here, units, matcher)
    return problems


def _unborne(
    claim: ClaimWords, cue: Cue, there: Sequence[tuple[Unit, Cue]], units: Sequence[Unit], matcher: Matcher
) -> list[Problem]:
    """A turning word of the claim that the source does not have, or has otherwise."""
    if any(cue.fact.key == other.fact.key for _, other in there):
        return []
    if cue.fact.kind == "negation" and any(fact.key == "except" for unit in units for fact in unit.facts):
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
    if is_closed_list(claim, units, matcher):
        return []
    content = {word.term for word in claim.content}
    held = [
        unit
        for unit in units
        if any(word.term in content and matcher.holds(word.term, unit.terms) for word in cue.anchors)
    ]
    same = any(matcher.share(claim.content, unit.terms) >= SURELY_SAME for unit in held)
    return [_problem(cue.fact.kind, cue.fact, None, is_change=bool(held), same_subject=same)]


def _left_out(
    claim: ClaimWords, unit: Unit, other: Cue, here: Sequence[Cue], units: Sequence[Unit], matcher: Matcher
) -> list[Problem]:
    """A turning word of a clause that the claim tells, without its like in the claim."""
    content = {word.term for word in claim.content}
    if other.fact.key in HARMLESS_WHEN_LEFT_OUT or any(
        cue.fact.key == other.fact.key or _shared(cue, other) for cue in here
    ):
        return []
    is_told = any(word.term in content for word in other.anchors)
    aside = excepted(claim, unit, other.fact) if other.fact.key == "except" else None
    if aside is not None and aside.bears(claim, matcher):
        return []
    if aside is not None and aside.is_taken_for_rest(claim, matcher):
        return [_problem("condition", None, other.fact, is_change=True, same_subject=False)]
    if other.fact.key == "except" and is_told:
        # What the source excepts, the claim says without a word of it.
        if _has_negation(claim):
            return []
        return [_problem("condition", None, other.fact, is_change=True, same_subject=False)]
    if other.fact.kind == "condition" or other.fact.key == "only":
        if _is_said_in_another(claim, unit, units, matcher):
            return []
        if other.fact.key == "only" and is_only_of_own_clause(claim, unit, other.fact):
            return []
        # "Only members", "unless you are late": what is limited must be told, and the limit itself left out.
        if is_told or max(_told(unit, other, content), _told_before(unit, other, content)) < TOLD_FROM:
            return []
    elif len(other.anchors) > 1:
        if sum(word.term in content for word in other.anchors) < TOLD_FROM * len(content):
            return []
    elif _told(unit, other, content) < (TOLD_FROM if is_told else NEARLY_TOLD_FROM):
        return []
    if other.fact.kind == "negation" and (
        _is_told_elsewhere(unit, other, content) or _is_affirmed(other, unit, units, content)
    ):
        return []
    if other.fact.key == "may" and other.fact.text.casefold() in ABILITY:
        return []
    is_change = other.fact.kind == "negation" and is_told
    same = is_change and matcher.share(claim.content, unit.terms) >= SURELY_SAME
    return [_problem(other.fact.kind, None, other.fact, is_change=is_change, same_subject=same)]


def _is_said_in_another(claim: ClaimWords, own: Unit, units: Sequence[Unit], matcher: Matcher) -> bool:
    """Whether another sentence, without a limit of its own, says the whole claim: then this one's limit is not the claim's."""
    if len(own.own) > MAX_WORDS:
        return False
    counted = [fact for fact in claim.facts if fact.is_counted]
    return any(
        unit is not own
        and not any(fact.kind == "condition" or fact.key == "only" for fact in unit.facts)
        and matcher.share(claim.content, unit.terms) >= SAID_FROM
        and all(any(matcher.same(fact, other) for other in unit.counted) for fact in counted)
        for unit in units
    )


def denied_clause_problems(claim: ClaimWords, units: Sequence[Unit]) -> list[Problem]:
    """In scripts without blanks: what the source says only in a clause that denies it, the claim says plainly."""
    if _has_negation(claim) or not any(word.is_pair for word in claim.content):
        return []
    for unit in units:
        denied = {unit.segment(fact.span.start): fact for fact in unit.facts if fact.kind == "negation"}
        if not denied or unit.is_row:
            continue
        inside: dict[str, int] = {}
        outside: set[str] = set()
        # The topic, before the first は, is that of all clauses.
        topic = unit.span.start + unit.text.find("は") + 1
        for word in unit.own:
            if word.span.start < topic:
                continue
            clause = unit.segment(word.span.start)
            if clause in denied:
                inside.setdefault(word.term, clause)
            else:
                outside.add(word.term)
        telling = [word for word in claim.content if _LOADED.search(word.surface)]
        lost = [word for word in telling if word.term in inside and word.term not in outside]
        kept = [word for word in telling if word.term in outside and word.term not in inside]
        if lost and outside and not kept:
            fact = denied[inside[lost[0].term]]
            return [_problem("negation", None, fact, is_change=True, same_subject=False)]
    return []


def _has_negation(claim: ClaimWords) -> bool:
    return any(fact.kind == "negation" for fact in claim.facts)


def _told(unit: Unit, cue: Cue, content: set[str]) -> float:
    """How much of the clause of a cue in the source the claim tells."""
    clause = unit.segment(cue.fact.span.start)
    inside = [
        word.term
        for word, of in zip(unit.words, unit.segments, strict=True)
        if of == clause and word.is_content and word.span.start >= unit.span.start
    ]
    return sum(term in content for term in inside) / len(inside) if inside else 0.0


def _is_told_elsewhere(unit: Unit, cue: Cue, content: set[str]) -> bool:
    """Whether another clause of the unit, without a negation, says as much of the claim, the cue's word included."""
    held: dict[int, list[str]] = {}
    for word, of in zip(unit.words, unit.segments, strict=True):
        if word.is_content and of >= 0 and word.term in content:
            held.setdefault(of, []).append(word.term)
    negated = {unit.segment(fact.span.start) for fact in unit.facts if fact.kind == "negation"}
    own = len(held.get(unit.segment(cue.fact.span.start), ()))
    about = {word.term for word in cue.anchors if word.term in content}
    return any(
        len(told) >= max(own, 2) and about <= set(told) for of, told in held.items() if of not in negated
    )


def _is_affirmed(cue: Cue, own: Unit, units: Sequence[Unit], content: set[str]) -> bool:
    """Whether another unit, without a negation, has what the claim tells of the negated clause."""
    clause = own.segment(cue.fact.span.start)
    inside = zip(own.words, own.segments, strict=True)
    about = {word.term for word, of in inside if of == clause and word.term in content}
    return bool(about) and any(
        about <= unit.terms and not any(fact.kind == "negation" for fact in unit.facts)
        for unit in units
        if unit is not own
    )


def _told_before(unit: Unit, cue: Cue, content: set[str]) -> float:
    """How much of what stands before a limiting word the claim tells; after its clause when nothing stands before."""
    before = [word for word in unit.own if word.is_content and word.span.end <= cue.fact.span.start]
    clause = unit.segment(cue.fact.span.start)
    # In Japanese the word ends its clause: "使用していなければ、…".
    is_ending = cue.fact.key == "if" and all(
        word.is_pair and unit.segment(word.span.start) == clause for word in before
    )
    if not before or is_ending:
        before = [word for word in unit.own if word.is_content and unit.segment(word.span.start) > clause]
    return sum(word.term in content for word in before) / len(before) if before else 0.0


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
