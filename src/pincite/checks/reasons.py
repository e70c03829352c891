"""What the rules found, in plain words, and the words of a claim that it is about."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords
from pincite.checks.reading import Word
from pincite.text.printing import without_stop
from pincite.text.words import stop_words
from pincite.types import Span

_LATIN = ("en", "de", "es", "fr")

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
    answer, source = without_stop(one.answer), without_stop(one.source)
    if not source:
        return f"not in the source: {answer}"
    if not answer:
        return f"the source says “{source}”, the answer leaves it out"
    return f"{_KINDS[one.kind]}: answer {answer}, source {source}"


def part_reason(claim: ClaimWords, problems: Sequence[Problem], missing: Sequence[Word]) -> str:
    """Why a claim is borne in part: the first problem that is about more than a small word, else the words that are missing."""
    telling = [
        one for one in problems if not _is_small(one.difference.answer, claim) or one.difference.source
    ]
    return reason_of(telling[0]) if telling else missing_reason(claim, missing)


def missing_reason(claim: ClaimWords, missing: Sequence[Word]) -> str:
    """Names the content words among ``missing``: small ones, and letters that an apostrophe cut off, tell a reader nothing."""
    spans = merged([word.span for word in missing if not _is_small(word.surface, claim)][:8])
    shown = ", ".join(dict.fromkeys(span.shift(-claim.span.start).of(claim.text) for span in spans[:5]))
    return f"not in the source: {shown}" if shown else "the source says this only in part"


def _is_small(word: str, claim: ClaimWords) -> bool:
    """Whether it is a function word of the claim's language or of the passages'; of any with such a list when none is known."""
    if not word:
        return False
    if len(word) == 1 and word.isascii() and word.isalpha():
        return True
    known = [language for language in (claim.language, claim.terms_in) if language] or list(_LATIN)
    return any(word.casefold() in stop_words(language) for language in known)


def merged(spans: Sequence[Span]) -> tuple[Span, ...]:
    """In order, without overlaps: pairs of characters are joined."""
    made: list[Span] = []
    for span in sorted(spans):
        if made and span.start < made[-1].end:
            made[-1] = Span(made[-1].start, max(made[-1].end, span.end))
        else:
            made.append(span)
    return tuple(made)
