"""Who does it: "A was bought by B" is "B bought A", and "only A does B" is not "A does only B"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords
from pincite.checks.reading import Unit, Word
from pincite.checks.said import Fact
from pincite.findings import Difference
from pincite.text.lexicon import tabled

MAX_WORDS = 80
REACH = 4
"""Words from a verb in which the doer of a passive stands."""

# Written for this project: forms of "be" that make a passive, and the word before its doer.
_PASSIVE = {
    "en": (frozenset("is are was were be been being get got gets".split()), frozenset({"by"})),
    "es": (frozenset("es son fue fueron ser sido era eran será serán".split()), frozenset({"por"})),
    "fr": (frozenset("est sont été fut furent était étaient sera être".split()), frozenset({"par"})),
}
_ONLY_BEHIND = {"ja": ("だけ", "のみ", "しか", "限り"), "zh": ()}


def voice_problems(claim: ClaimWords, units: Sequence[Unit]) -> list[Problem]:
    """At most one problem: doer and done-to of a verb changed places between active and passive, or "only" moved."""
    language = tabled(claim.terms_in)
    if len(claim.words) > MAX_WORDS:
        return []
    near = [unit for unit in units if len(unit.own) <= MAX_WORDS and not unit.is_row]
    if language in _PASSIVE:
        for unit in near:
            for term, (before, after, verb) in _passives(claim.words, language):
                other = _active(unit.own, term, before, after, language)
                if other is not None:
                    return [_turned(verb, other, claim, unit)]
            for term, (before, after, verb) in _passives(unit.own, language):
                other = _active(claim.words, term, before, after, language)
                if other is not None:
                    return [_turned(other, verb, claim, unit)]
    return _only_moved(claim, near, language)


def _passives(words: Sequence[Word], language: str) -> Iterator[tuple[str, tuple[str, str, Word]]]:
    """Terms of passive verbs with the terms of the done-to before and the doer after, and the verb."""
    be, by = _PASSIVE[language]
    for n, word in enumerate(words):
        if word.surface not in by or n < 2:
            continue
        at = next((m for m in range(n - 1, max(n - REACH, 0) - 1, -1) if words[m].is_content), None)
        if at is None or not any(one.surface in be for one in words[max(0, at - 3) : at]):
            continue
        before = next((one for one in reversed(words[:at]) if one.is_content), None)
        after = next((one for one in words[n + 1 : n + 1 + REACH] if one.is_content), None)
        if before and after and before.term != after.term:
            yield words[at].term, (before.term, after.term, words[at])


def _active(words: Sequence[Word], verb: str, done_to: str, doer: str, language: str) -> Word | None:
    """The verb where ``words`` say actively that the done-to does it to the doer."""
    be, by = _PASSIVE[language]
    for n, word in enumerate(words):
        if word.term != verb or any(one.surface in be for one in words[max(0, n - 3) : n]):
            continue
        if any(one.surface in by for one in words[n + 1 : n + 1 + REACH]):
            continue
        before = next((one.term for one in reversed(words[:n]) if one.is_content), None)
        after = next((one.term for one in words[n + 1 :] if one.is_content), None)
        if before == done_to and after == doer:
            return word
    return None


def _turned(own: Word, other: Word, claim: ClaimWords, unit: Unit) -> Problem:
    answer = own.span.shift(-claim.span.start).of(claim.text)
    source = other.span.shift(-unit.span.start).of(unit.text)
    return Problem(Difference("name", answer, source, own.span, other.span), is_change=True)


# --- "only" ----------------------------------------------------------------------------------------


def _only_moved(claim: ClaimWords, units: Sequence[Unit], language: str) -> list[Problem]:
    """What the source limits stands before "only" in the claim, with something else right after it."""
    ours = [fact for fact in claim.facts if fact.key == "only"]
    for fact in ours:
        for unit in units:
            for other in unit.facts:
                if other.key != "only":
                    continue
                moved = (
                    _moved_behind(claim, fact, unit, other)
                    if language in _ONLY_BEHIND and fact.text.startswith(_ONLY_BEHIND[language] or "\0")
                    else _moved(claim, fact, unit, other)
                )
                if moved:
                    difference = Difference("quantifier", fact.text, other.text, fact.span, other.span)
                    return [Problem(difference, is_change=True)]
    return []


def _moved(claim: ClaimWords, fact: Fact, unit: Unit, other: Fact) -> bool:
    """The source's "only" stands right before its word; in the claim that word stands before "only"."""
    behind = [word for word in unit.own if word.span.start >= other.span.end]
    limited = next((word for word in behind[:2] if word.is_content), None)
    before_other = any(word.is_content for word in unit.own if word.span.end <= other.span.start)
    if limited is None or before_other:
        return False
    before = [word for word in claim.words if word.span.end <= fact.span.start]
    after = [word for word in claim.words if word.span.start >= fact.span.end]
    stands_before = any(word.term == limited.term for word in before)
    stands_after = any(word.term == limited.term for word in after)
    return stands_before and not stands_after and any(word.is_content for word in after)


def _moved_behind(claim: ClaimWords, fact: Fact, unit: Unit, other: Fact) -> bool:
    """The same where "only" stands behind its word: the character right before it is not the same."""
    at = fact.span.start - claim.span.start
    there = other.span.start - unit.span.start
    own, theirs = claim.text[at - 1 : at], unit.text[there - 1 : there]
    return own != theirs and own.isalnum() and theirs.isalnum() and own in unit.text and theirs in claim.text
