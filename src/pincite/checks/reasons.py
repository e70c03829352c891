"""What the rules found, in plain words, and the words of a claim that it is about."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords
from pincite.checks.reading import Word
from pincite.types import Span

_KINDS = {
    "number": "number differs",
    "date": "date differs",
    "unit": "unit differs",
    "currency": "currency differs",
    "negation": "negation differs",
    "comparator": "limit differs",
    "quantifier": "extent differs",
    "modality": "certainty differs",
    "condition": "condition differs",
    "opposite": "opposite",
    "name": "name differs",
    "word": "word differs",
}


def reason_of(problem: Problem) -> str:
    """A problem in plain words."""
    one = problem.difference
    if not one.source:
        return f"not in the source: {one.answer}"
    if not one.answer:
        return f"the source says “{one.source}”, the answer leaves it out"
    return f"{_KINDS[one.kind]}: answer {one.answer}, source {one.source}"


def missing_reason(claim: ClaimWords, missing: Sequence[Word]) -> str:
    spans = merged([word.span for word in missing[:8]])
    shown = ", ".join(dict.fromkeys(span.shift(-claim.span.start).of(claim.text) for span in spans[:5]))
    return f"not in the source: {shown}" if shown else "the source says this only in part"


def merged(spans: Sequence[Span]) -> tuple[Span, ...]:
    """In order, without overlaps: pairs of characters are joined."""
    made: list[Span] = []
    for span in sorted(spans):
        if made and span.start < made[-1].end:
            made[-1] = Span(made[-1].start, max(made[-1].end, span.end))
        else:
            made.append(span)
    return tuple(made)
