"""All checks of what joins, frames, limits and turns round a sentence, in one call."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.checks.binding import Problem
from pincite.checks.complements import complement_problems
from pincite.checks.evidence import ClaimWords, Matcher
from pincite.checks.frames import frame_problems
from pincite.checks.limits import limit_problems
from pincite.checks.links import link_problems
from pincite.checks.narrow import narrow_problems
from pincite.checks.opposites import clause_problems
from pincite.checks.polarity import denied_clause_problems
from pincite.checks.reading import Unit
from pincite.checks.tense import tense_problems
from pincite.checks.voice import voice_problems


def sense_problems(claim: ClaimWords, units: Sequence[Unit], matcher: Matcher) -> list[Problem]:
    """What the sentences that back a claim say with other joints, frames, tenses or limits."""
    return [
        *link_problems(claim, units, matcher),
        *frame_problems(claim, units, matcher),
        *tense_problems(claim, units, matcher),
        *limit_problems(claim, units, matcher),
        *clause_problems(claim, units, matcher),
        *denied_clause_problems(claim, units),
        *voice_problems(claim, units),
        *narrow_problems(claim, units, matcher),
        *complement_problems(claim, units, matcher),
    ]
