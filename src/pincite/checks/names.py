"""Names: those of a claim must stand in its sources, and who does what to whom must stay."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pincite.checks.binding import SAME_SUBJECT, Problem
from pincite.checks.evidence import ClaimWords, Matcher
from pincite.checks.reading import Reading, Unit, Word
from pincite.text.words import UNSPACED
from pincite.types import Difference

_HAS_UNSPACED = re.compile(f"[{UNSPACED}]")


def name_problems(
    claim: ClaimWords, units: Sequence[Unit], readings: Sequence[Reading], matcher: Matcher
) -> list[Problem]:
    """Names that no passage has, and single words put in the place of others."""
    problems: list[Problem] = []
    for at, word in enumerate(claim.words):
        if _HAS_UNSPACED.match(word.surface):
            continue
        if not word.is_content or word not in claim.content:
            continue
        if any(matcher.holds(word.term, unit.terms) for unit in units):
            continue
        other, unit = _in_its_place(claim, at, units)
        if _is_name(claim, word):
            if any(matcher.holds(word.term, reading.terms) for reading in readings):
                continue
            same = unit is not None and matcher.share(claim.content, unit.terms) >= SAME_SUBJECT
            problems.append(_problem("name", word, other, is_change=other is not None, same=same))
        elif other is not None:
            problems.append(_problem("word", word, other, is_change=False, same=False))
    return problems


def _is_name(claim: ClaimWords, word: Word) -> bool:
    surface = word.span.shift(-claim.span.start).of(claim.text)
    return surface[:1].isupper() and claim.language != "de" and word.span.start > claim.span.start


def _in_its_place(claim: ClaimWords, at: int, units: Sequence[Unit]) -> tuple[Word | None, Unit | None]:
    """The word of the source between the same neighbours as word ``at`` of the claim, itself not in the claim."""
    if at == 0 and len(claim.words) < 3:
        return None, None
    before = claim.words[at - 1].term if at else None
    after = claim.words[at + 1].term if at + 1 < len(claim.words) else None
    said = {word.term for word in claim.words}
    for unit in units:
        for n, other in enumerate(unit.own):
            if not other.is_content or other.term in said:
                continue
            left = unit.own[n - 1].term if n else None
            right = unit.own[n + 1].term if n + 1 < len(unit.own) else None
            if left == before and right == after:
                return other, unit
    return None, None


def _problem(kind: str, word: Word, other: Word | None, *, is_change: bool, same: bool) -> Problem:
    difference = Difference(
        kind, word.surface, other.surface if other else "", word.span, other.span if other else None
    )
    return Problem(difference, is_change, is_change and same)
