"""Whom or what an amount is for: "9 EUR for adults" is no price for children, though the next sentence speaks of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords, Matcher
from pincite.checks.reading import Unit, Word
from pincite.findings import Difference
from pincite.types import Span

# Written for this project: what opens a phrase that says for whom or what. In other languages it is not told apart.
_OPENERS = {
    "en": re.compile(
        r"\bfor\s+(?!example|instance|free|now|ever|more|less|up to|at least|at most)", re.IGNORECASE
    ),
    "de": re.compile(r"\bfür\s+(?!immer|mehr|bis zu|höchstens|mindestens)", re.IGNORECASE),
    "es": re.compile(r"\bpara\s+(?!que|siempre|más)", re.IGNORECASE),
    "fr": re.compile(r"\bpour\s+(?!que|toujours|plus)", re.IGNORECASE),
}
_PHRASE_END = re.compile(r"[.,;:!?()]|\s(?:and|or|but|und|oder|aber|y|o|pero|et|ou|mais)\s")
MAX_PHRASE_CHARS = 60
MAX_PHRASE_WORDS = 3

Phrase = tuple[Span, tuple[Word, ...]]


def complement_problems(claim: ClaimWords, units: Sequence[Unit], matcher: Matcher) -> list[Problem]:
    """An amount that every sentence which has it gives for somebody else than the claim does."""
    language = (claim.terms_in or "")[:2]
    opener = _OPENERS.get(language)
    if opener is None:
        return []
    ours = _phrases(claim.text, claim.span.start, claim.words, opener)
    amounts = [
        fact for fact in claim.facts if fact.is_counted and not fact.is_weak and fact.quantity is not None
    ]
    ours = [
        one for one in ours if not any(fact.span.overlaps(one[0]) for fact in claim.facts if fact.is_counted)
    ]
    if not ours or not amounts:
        return []
    for fact in amounts:
        holders = [unit for unit in units if any(matcher.same(fact, other) for other in unit.counted)]
        others = [_other(unit, ours, opener) for unit in holders]
        if holders and all(one is not None for one in others):
            own, (unit, theirs) = ours[0][0], next(one for one in others if one is not None)
            difference = Difference(
                "word",
                own.shift(-claim.span.start).of(claim.text),
                theirs.shift(-unit.span.start).of(unit.text),
                own,
                theirs,
            )
            return [Problem(difference, is_change=True)]
    return []


def _other(unit: Unit, ours: Sequence[Phrase], opener: re.Pattern[str]) -> tuple[Unit, Span] | None:
    """The phrase of a sentence that says for whom, when it names nobody of the claim's and none stands elsewhere in it."""
    theirs = _phrases(unit.text, unit.span.start, unit.own, opener)
    theirs = [one for one in theirs if not any(fact.span.overlaps(one[0]) for fact in unit.counted)]
    if not theirs:
        return None
    named = {name for _, words in ours for word in words for name in (word.term, *word.groups)}
    held = {name for word in unit.words for name in (word.term, *word.groups)}
    return None if named & held else (unit, theirs[0][0])


def _phrases(text: str, start: int, words: Sequence[Word], opener: re.Pattern[str]) -> list[Phrase]:
    """Phrases with what opens them, and their content words; the first few words count."""
    found: list[Phrase] = []
    for match in opener.finditer(text):
        end = _PHRASE_END.search(text, match.end(), match.end() + MAX_PHRASE_CHARS)
        stop = end.start() if end else min(len(text), match.end() + MAX_PHRASE_CHARS)
        inside = [
            word
            for word in words
            if word.is_content and match.end() + start <= word.span.start < stop + start
        ][:MAX_PHRASE_WORDS]
        if inside:
            found.append((Span(match.start() + start, inside[-1].span.end), tuple(inside)))
    return found
