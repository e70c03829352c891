"""Do the quantities of a claim stand in its evidence, and with the same words round them?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pincite.checks.evidence import ClaimWords, Matcher
from pincite.checks.reading import Reading, Unit, Word
from pincite.checks.said import Fact, difference
from pincite.findings import Difference

SAME_SUBJECT = 0.6
"""Share of a claim's other content words that a unit must hold before a differing fact in it contradicts."""

RESPECTIVELY = frozenset({"respectively", "jeweils", "respectivamente", "respectivement"})

MAX_AMOUNTS, MAX_RIVALS = 24, 40
"""Amounts of a claim that are bound one by one, and amounts of one sentence among which a place can be told."""

BOUND_FROM = 0.25
"""Below this share of the words round a quantity, an equal one elsewhere is a coincidence."""

BETTER_BY = 0.25
"""A rival is believed instead when its unit holds so much more of the words round the quantity."""


_BRACKETS = re.compile(r"[()（）]")
_TIMES = frozenset({"duration", "months", "working days"})


@dataclass(frozen=True, slots=True)
class Problem:
    """A fact of the claim that its evidence does not bear, or the other way round.

    ``is_change`` when both sides say something different, ``False`` when one side is silent. ``is_same_subject`` when
    the differing fact stands in a unit that is about the same thing.
    """

    difference: Difference
    is_change: bool
    is_same_subject: bool = False


def quantity_problems(
    claim: ClaimWords, units: Sequence[Unit], readings: Sequence[Reading], matcher: Matcher
) -> list[Problem]:
    """What is wrong with the numbers and dates of the claim, in order.

    Args:
        units: The evidence; rivals are looked for here.
        readings: All passages; an equal quantity counts wherever it stands with the right words.
    """
    counted = [fact for fact in claim.facts if fact.is_counted]
    problems: list[Problem] = []
    rest = counted[MAX_AMOUNTS:]
    known = {value for unit in units for other in unit.counted for value in other.values} if rest else set()
    for fact in rest:
        if not fact.is_weak and known.isdisjoint(fact.values):
            problems.append(Problem(Difference(fact.kind, fact.text, "", fact.span), is_change=False))
    for fact in counted[:MAX_AMOUNTS]:
        near = _near(claim, fact)
        if fact.quantity is not None and fact.quantity.kind == "ordinal":
            # The word itself is no word round it: "third reminder" and "fourth reminder" are about reminders.
            near = tuple(word for word in near if not word.span.overlaps(fact.span)) or near
        # "On Pro, storage is 5 GB": of a single amount the other clauses tell the subject too.
        about = claim.content if len(counted) == 1 else near
        wanted = {word.term for word in about}
        bond, is_evident = _best_bond(fact, near, wanted, units, readings, matcher)
        rival, pull = _rival(fact, near, wanted, units, counted, matcher)
        partner = _torn_pair(claim, fact, counted, units, matcher) if bond is not None else None
        if partner is not None:
            problems.append(
                Problem(Difference(fact.kind, fact.text, partner.text, fact.span, partner.span), True)
            )
            continue
        is_found = bond is not None and (is_evident or bond >= BOUND_FROM) and pull - bond < BETTER_BY
        if is_found or (fact.is_weak and (bond is not None or rival is None or pull < SAME_SUBJECT)):
            continue
        told = difference(fact, rival) if rival else None
        problems.append(
            Problem(
                told or Difference(fact.kind, fact.text, "", fact.span),
                is_change=told is not None or bond is not None,
                is_same_subject=rival is not None
                and _is_same_subject(claim, fact, rival, units, pull, matcher),
            )
        )
    return problems


def _is_spelled(claim: ClaimWords, fact: Fact, units: Sequence[Unit]) -> bool:
    """Whether every part of a date stands in the evidence, if apart: "January 1983 and 1984" has January 1984."""
    parts = [word.term for word in claim.words if word.span.overlaps(fact.span)]
    return bool(parts) and all(any(part in unit.terms for unit in units) for part in parts)


def _torn_pair(
    claim: ClaimWords, fact: Fact, counted: Sequence[Fact], units: Sequence[Unit], matcher: Matcher
) -> Fact | None:
    """The amount that the source gives where the claim gives ``fact``, when it pairs its amounts otherwise.

    "5 million in 2021, 7 million in 2022" does not say "5 million in 2022", though both are there.
    """
    at = _clause(claim, fact)
    for other in counted:
        if other is fact or _clause(claim, other) != at or matcher.is_rival(fact, other) or fact.same(other):
            continue
        for unit in units:
            if len(unit.counted) > MAX_RIVALS:
                continue
            ours = [f for f in unit.counted if matcher.same(fact, f)]
            theirs = [f for f in unit.counted if matcher.same(other, f)]
            if len(ours) != 1 or len(theirs) != 1 or unit.is_row:
                continue
            kin = [ours[0], *(f for f in unit.counted if matcher.is_rival(ours[0], f))]
            partners = [theirs[0], *(f for f in unit.counted if matcher.is_rival(theirs[0], f))]
            if len(kin) < 2 or len(partners) < 2:
                continue
            if _partner(theirs[0], kin, partners, unit) is not ours[0] and (
                _partner(ours[0], partners, kin, unit) is not theirs[0]
            ):
                return _partner(theirs[0], kin, partners, unit)
    return None


def _clause(claim: ClaimWords, fact: Fact) -> int | None:
    return next(
        (s for w, s in zip(claim.words, claim.segments, strict=True) if w.span.overlaps(fact.span)), None
    )


def _partner(fact: Fact, among: Sequence[Fact], like: Sequence[Fact], unit: Unit) -> Fact:
    """Which of ``among`` goes with ``fact``: the nearest, clause borders counting as far; in order under "respectively"."""
    if any(word.surface in RESPECTIVELY for word in unit.own) and len(among) == len(like):
        ordered = sorted(among, key=lambda one: one.span)
        return ordered[sorted(like, key=lambda one: one.span).index(fact)]

    def distance(other: Fact) -> int:
        first, second = sorted((fact.span, other.span))
        between = sum(first.end <= border <= second.start for border in unit.borders)
        return second.start - first.end + 1000 * between

    return min(among, key=distance)


def _best_bond(
    fact: Fact,
    near: Sequence[Word],
    wanted: set[str],
    units: Sequence[Unit],
    readings: Sequence[Reading],
    matcher: Matcher,
) -> tuple[float | None, bool]:
    """The best bond of an equal quantity, ``None`` without one; and whether it stands in the evidence."""
    bond: float | None = None
    is_evident = False
    for reading in readings:
        for unit in reading.units:
            alike = [other for other in unit.counted if matcher.same(fact, other)]
            share = matcher.share(near, unit.terms) if alike else 0.0
            for other in alike:
                if bond is None or share > bond:
                    found = _bond(near, wanted, unit, other, matcher, share)
                    if bond is None or found > bond:
                        bond, is_evident = found, any(unit is one for one in units)
    return bond, is_evident


def _is_same_subject(
    claim: ClaimWords, fact: Fact, rival: Fact, units: Sequence[Unit], pull: float, matcher: Matcher
) -> bool:
    if fact.kind == "date" and _is_spelled(claim, fact, units):
        return False
    about = tuple(word for word in claim.content if not word.span.overlaps(fact.span))
    return pull >= SAME_SUBJECT and any(
        rival in unit.facts and matcher.share(about, unit.terms) >= SAME_SUBJECT for unit in units
    )


def _near(claim: ClaimWords, fact: Fact) -> tuple[Word, ...]:
    """The content words of the fact's clause; all of the claim's when there are none."""
    at = next(
        (s for w, s in zip(claim.words, claim.segments, strict=True) if w.span.overlaps(fact.span)), None
    )
    inside = {w.span for w, s in zip(claim.words, claim.segments, strict=True) if s == at}
    near = tuple(word for word in claim.content if word.span in inside)
    return near or claim.content


def _rival(
    fact: Fact,
    near: Sequence[Word],
    wanted: set[str],
    units: Sequence[Unit],
    counted: Sequence[Fact],
    matcher: Matcher,
) -> tuple[Fact | None, float]:
    """The quantity of the same sort that stands in the place of ``fact``: not one that the claim gives elsewhere."""
    best: Fact | None = None
    pull = 0.0
    for unit in units:
        share = matcher.share(near, unit.terms) if unit.counted else 0.0
        for other in unit.counted[:MAX_RIVALS]:
            if (
                share <= pull
                or any(matcher.same(one, other) for one in counted[:MAX_AMOUNTS])
                or not _may_be_mistaken(fact, other, matcher)
            ):
                continue
            strength = _bond(near, wanted, unit, other, matcher, share)
            if strength > pull:
                best, pull = other, strength
    return best, pull


def _bond(
    near: Sequence[Word], wanted: set[str], unit: Unit, found: Fact, matcher: Matcher, share: float
) -> float:
    """How well the words round ``found`` in ``unit`` are those round the claim's quantity, in 0-1.

    ``share`` is that of ``near`` which the unit holds: the bond is never more. ``wanted`` are terms that tell the subject.
    """
    if len(unit.counted) > MAX_RIVALS and not unit.is_row:
        return 0.2 * share
    rivals = [other for other in unit.counted if _may_be_mistaken(found, other, matcher)]
    if not rivals or not near:
        return share
    counted = [fact.span for fact in unit.counted]
    mine = _around(unit, found, rivals)
    foreign = [
        word
        for word in mine
        if not _is_wanted(word, wanted, matcher) and not any(word.span.overlaps(span) for span in counted)
    ]
    if not foreign:
        return share
    for rival in rivals:
        theirs = _around(unit, rival, [found, *(other for other in rivals if other is not rival)])
        if (
            theirs
            and not unit.is_row
            and all(
                _is_wanted(word, wanted, matcher) or any(word.span.overlaps(span) for span in counted)
                for word in theirs
            )
        ):
            # The rival's clause says the claim and nothing else; this one says more: "non-members pay 50".
            return 0.2 * share
        for word in theirs:
            if _is_wanted(word, wanted, matcher) and not any(word.term == other.term for other in mine):
                before = word.span.start < rival.span.start
                if unit.is_row or any((other.span.start < found.span.start) == before for other in foreign):
                    return 0.2 * share
    return share


def _may_be_mistaken(found: Fact, other: Fact, matcher: Matcher) -> bool:
    """Whether one may be given for the other: rivals, and two lengths of time ("14 days", "2 years")."""
    if matcher.is_rival(found, other):
        return True
    return found.dimensions <= _TIMES and other.dimensions <= _TIMES and not _is_idle(found, other)


def _is_idle(found: Fact, other: Fact) -> bool:
    return not found.dimensions or not other.dimensions or found.same(other) or other.same(found)


def _is_wanted(word: Word, wanted: set[str], matcher: Matcher) -> bool:
    return any(matcher.holds(term, frozenset((word.term,))) for term in wanted)


def _around(unit: Unit, fact: Fact, others: Sequence[Fact]) -> list[Word]:
    """Content words nearer to ``fact`` than to ``others``: those of its cell, or between the last clause borders."""
    spans = [fact.span, *(other.span for other in others)]
    if unit.is_row:
        cell = unit.segment(fact.span.start)
        return [
            word
            for word, of in zip(unit.words, unit.segments, strict=True)
            if of == cell and word.is_content and not any(word.span.overlaps(span) for span in spans)
        ]
    starts = sorted(other.span.start for other in others)
    left = max((s for s in starts if s < fact.span.start), default=None)
    right = min((s for s in starts if s > fact.span.start), default=None)
    begin = _border(unit, left, fact.span.start) if left is not None else unit.span.start
    end = _border(unit, fact.span.end, right) if right is not None else unit.span.end
    return [
        word
        for word in unit.own
        if begin <= word.span.start < end
        and word.is_content
        and not any(word.span.overlaps(s) for s in spans)
    ]


def _border(unit: Unit, left: int, right: int) -> int:
    """The last clause border between two quantities; the second itself when there is none.

    Brackets are borders only where nothing else is: "the lamp (40 W) costs 9 EUR, the heater (900 W) 60 EUR".
    """
    between = [border for border in unit.borders if left < border <= right]
    firm = [border for border in between if not _BRACKETS.search(unit.text, *_beside(unit, border))]
    return max(firm or between, default=right)


def _beside(unit: Unit, border: int) -> tuple[int, int]:
    at = border - unit.span.start
    return max(at - 1, 0), at + 1
