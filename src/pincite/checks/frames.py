"""What a source only reports, denies or plans is not so: "it is false that", "critics say that", "plans to"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords, Matcher
from pincite.checks.reading import Unit
from pincite.findings import Difference
from pincite.text.lexicon import load_lexicon, tabled
from pincite.types import Span

TOLD_FROM = 0.6
"""Share of a claim's words that a sentence must hold before its frame is missed."""

INSIDE_FROM = 0.5
"""Share of those words that must stand inside the frame."""

SURELY_SAME = 0.75

AFFIRMED_FROM = 0.9
"""Share of the claim's words in a sentence without such a frame that says it plainly."""

MAX_CHARS = 2000
"""Longer sentences are searched up to here."""

_SCOPE_ENDS = re.compile(
    r"[;:；：。]|, (?:but|yet|although|while|and|aber|doch|und|pero|aunque|mais|et)\b|，(?:但|而)"
)
_SORTS = ("denied", "doubted", "planned")
_STATES = {"denied": "negation", "doubted": "modality", "planned": "modality"}


@dataclass(frozen=True, slots=True)
class Frame:
    """``text`` at ``span`` says of what stands in ``inside`` that it is not so, not certain or not done yet; in the given text."""

    sort: str
    text: str
    span: Span
    inside: Span


@lru_cache(maxsize=8192)
def frames(text: str, language: str | None) -> tuple[Frame, ...]:
    """The frames of a sentence, by sort.

    >>> said = "It is false that pets are allowed."
    >>> [(one.sort, one.inside.of(said)) for one in frames(said, "en")][0]
    ('denied', ' pets are allowed.')
    """
    found: list[Frame] = []
    part = text[:MAX_CHARS]
    for sort, pattern, is_ahead in _patterns(language or "en"):
        match = pattern.search(part)
        if match is not None and match.group().strip():
            start, end = match.span()
            stop = _SCOPE_ENDS.search(part, end)
            begin = max((m.end() for m in _SCOPE_ENDS.finditer(part, 0, start)), default=0)
            inside = Span(end, stop.start() if stop else len(text)) if is_ahead else Span(begin, start)
            found.append(Frame(sort, match.group().strip(), Span(start, end), inside))
    return tuple(found)


@lru_cache(maxsize=16)
def _patterns(language: str) -> tuple[tuple[str, re.Pattern[str], bool], ...]:
    """Sort, pattern, and whether what it is about comes after it."""
    sorts = load_lexicon("frames")["languages"].get(language, {})
    return tuple(
        (sort, re.compile("|".join(sorts[sort][side]), re.IGNORECASE), side == "ahead")
        for sort in _SORTS
        for side in ("ahead", "behind")
        if sorts.get(sort, {}).get(side)
    )


def frame_problems(claim: ClaimWords, units: Sequence[Unit], matcher: Matcher) -> list[Problem]:
    """Frames of the sentences that back a claim which the claim leaves out, and denials that it adds."""
    language = tabled(claim.terms_in)
    ours = {frame.sort for frame in frames(claim.text, language)}
    has_negation = any(fact.kind == "negation" for fact in claim.facts)
    hedged = any(fact.key in ("might", "may") for fact in claim.facts)
    problems: list[Problem] = []
    said: set[str] = set()
    for unit in units:
        share = matcher.share(claim.content, unit.terms)
        if share < TOLD_FROM:
            continue
        theirs = frames(unit.text, language)
        said.update(frame.sort for frame in theirs)
        for frame in theirs:
            if frame.sort in ours or (frame.sort == "denied" and has_negation):
                continue
            if frame.sort != "denied" and (ours or hedged) and frame.sort == "doubted":
                continue
            if not _is_inside(claim, unit, frame, matcher) or _is_affirmed(claim, unit, units, matcher):
                continue
            is_denied = frame.sort == "denied"
            span = frame.span.shift(unit.span.start)
            difference = Difference(_STATES[frame.sort], "", frame.text, None, span)
            problems.append(Problem(difference, is_denied, is_denied and share >= SURELY_SAME))
            break
    if "denied" in ours and units and "denied" not in said:
        if not any(fact.kind == "negation" for unit in units for fact in unit.facts):
            frame = next(one for one in frames(claim.text, language) if one.sort == "denied")
            span = frame.span.shift(claim.span.start)
            problems.append(Problem(Difference("negation", frame.text, "", span), is_change=True))
    return problems


def _is_inside(claim: ClaimWords, unit: Unit, frame: Frame, matcher: Matcher) -> bool:
    """Whether what the claim tells of the sentence stands in the frame, for the most part."""
    inside = frame.inside.shift(unit.span.start)
    within = frozenset(
        term for word in unit.own if word.span.start >= inside.start and word.span.end <= inside.end
        for term in (word.term, *word.groups)
    )  # fmt: skip
    return bool(claim.content) and matcher.share(claim.content, within) >= INSIDE_FROM


def _is_affirmed(claim: ClaimWords, own: Unit, units: Sequence[Unit], matcher: Matcher) -> bool:
    return any(
        unit is not own
        and matcher.share(claim.content, unit.terms) >= AFFIRMED_FROM
        and not frames(unit.text, tabled(claim.terms_in))
        for unit in units
    )
