"""Small words that change how much is said: "the second largest", "half of", "need not", "by 5" and "to 5"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords, Matcher
from pincite.checks.reading import Unit
from pincite.checks.said import Fact
from pincite.findings import Difference
from pincite.text.lexicon import load_lexicon, tabled
from pincite.types import Span

TOLD_FROM = 0.6
"""Share of a claim's words that a sentence must hold before such words of it are missed."""

MAX_CHARS = 2000
MAX_COUNTED = 40
_UNSPACED = ("ja", "zh")
_LAST_WORD = re.compile(r"([^\W\d_]+)\W{0,3}$")


def narrow_problems(claim: ClaimWords, units: Sequence[Unit], matcher: Matcher) -> list[Problem]:
    """What the sentences that back a claim say more narrowly, more freely or of another change, in order."""
    language = tabled(claim.terms_in)
    near = [
        unit for unit in units if not unit.is_row and matcher.share(claim.content, unit.terms) >= TOLD_FROM
    ]
    problems = list(_narrower(claim, near, language))
    for unit in near:
        found = _force(claim, unit, language)
        if found:
            problems.append(found)
            break
    problems += _changes(claim, near, matcher, language)
    return problems + list(_counted(claim, near))


@lru_cache(maxsize=64)
def _patterns(part: str, language: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(body, re.IGNORECASE) for body in load_lexicon("narrow")[part].get(language, ()))


def _narrower(claim: ClaimWords, units: Sequence[Unit], language: str) -> Iterator[Problem]:
    """A narrowing word of the source right before a word that the claim has without it."""
    said = {word.term for word in claim.content}
    for unit in units:
        for pattern in _patterns("narrower", language):
            match = pattern.search(unit.text[:MAX_CHARS])
            if match is None or pattern.search(claim.text[:MAX_CHARS]):
                continue
            span = Span(*match.span()).shift(unit.span.start)
            if _is_counted(claim, unit, span) or not _is_before_shared(unit, span, said, language):
                continue
            yield Problem(Difference("quantifier", "", match.group().strip(), None, span), is_change=False)
            return


def _is_counted(claim: ClaimWords, unit: Unit, span: Span) -> bool:
    """Whether the words are an amount that the claim gives too: "half of" and "50 %"."""
    theirs = [fact for fact in unit.counted if fact.span.overlaps(span)]
    return any(fact.same(other) for fact in claim.facts if fact.is_counted for other in theirs)


def _is_before_shared(unit: Unit, span: Span, said: set[str], language: str) -> bool:
    if language in _UNSPACED:
        after = [word for word in unit.own if word.span.start >= span.start][:12]
        return any(word.term in said for word in after)
    after = [word for word in unit.own if word.span.end > span.end][:4]
    first = next((word for word in after if word.is_content), None)
    if first is not None and first.span.start <= span.start:
        return True  # "zweitgrößte": the narrowing part is inside the word.
    if first is None or (first.term not in said and said.isdisjoint(first.groups)):
        return False
    # "The largest city, and the second largest on the island": said without the narrowing word as well.
    is_superlative = first.surface.endswith(("est", "most"))
    return not is_superlative or sum(word.term == first.term for word in unit.own) == 1


def _force(claim: ClaimWords, unit: Unit, language: str) -> Problem | None:
    """Whether one side frees from something ("you need not") and the other forbids it ("you must not")."""
    ours, theirs = _class(claim.text, language), _class(unit.text, language)
    if not ours or not theirs or ours[0] == theirs[0]:
        return None
    own, other = ours[1].shift(claim.span.start), theirs[1].shift(unit.span.start)
    difference = Difference("modality", ours[1].of(claim.text), theirs[1].of(unit.text), own, other)
    return Problem(difference, is_change=True)


def _class(text: str, language: str) -> tuple[str, Span] | None:
    found: list[tuple[str, Span]] = []
    for part in ("needless", "banned"):
        match = next((m for p in _patterns(part, language) if (m := p.search(text[:MAX_CHARS]))), None)
        if match:
            found.append((part, Span(*match.span())))
    return found[0] if len(found) == 1 else None


# --- by and to -------------------------------------------------------------------------------------


def _changes(claim: ClaimWords, units: Sequence[Unit], matcher: Matcher, language: str) -> list[Problem]:
    """An amount by which something changed is not the amount to which it did."""
    for fact in claim.facts:
        if fact.quantity is None or fact.kind == "date":
            continue
        own = _step(claim.text, claim.span.start, fact, language)
        if not own:
            continue
        others = [
            (unit, other, step)
            for unit in units
            for other in unit.counted
            if matcher.same(fact, other) and (step := _step(unit.text, unit.span.start, other, language))
        ]
        if others and all(step != own for _, _, step in others):
            unit, other, _ = others[0]
            answer = _with_lead(claim.text, fact.span.shift(-claim.span.start))
            source = _with_lead(unit.text, other.span.shift(-unit.span.start))
            return [Problem(Difference("number", answer, source, fact.span, other.span), is_change=True)]
    return []


def _step(text: str, start: int, fact: Fact, language: str) -> str:
    """``by`` or ``to``, by the word right before the amount; in Japanese the sign behind it."""
    span = fact.span.shift(-start)
    tables = load_lexicon("narrow")
    if language == "ja":
        after = text[span.end : span.end + 2]
        return "to" if after[:1] == "に" else "by" if re.match("値|上|下|増|減|引", after) else ""
    head = text[max(0, span.start - 12) : span.start].casefold().rstrip()
    if language == "zh":
        return next(
            (part for part in ("by", "to") if head.endswith(tuple(tables[part]["zh"]) or ("\0",))), ""
        )
    word = _LAST_WORD.search(head)
    return next((part for part in ("by", "to") if word and word[1] in tables[part].get(language, ())), "")


def _with_lead(text: str, span: Span) -> str:
    head = text[max(0, span.start - 12) : span.start]
    word = _LAST_WORD.search(head)
    return f"{word[1]} {span.of(text)}" if word else text[max(0, span.start - 1) : span.end + 1]


# --- what is counted -------------------------------------------------------------------------------


def _counted(claim: ClaimWords, units: Sequence[Unit]) -> Iterator[Problem]:
    """A bare number that the source gives for another noun, while it gives the claim's noun another number."""
    for fact in claim.facts:
        if not fact.nouns or fact.is_weak or fact.kind == "date":
            continue
        for unit in units:
            if len(unit.counted) > MAX_COUNTED:
                continue
            alike = [other for other in unit.counted if fact.same(other)]
            rivals = [
                other
                for other in unit.counted
                if other.nouns and other.nouns[0] == fact.nouns[0] and not fact.same(other)
            ]
            if alike and rivals and all(one.nouns and one.nouns[0] != fact.nouns[0] for one in alike):
                other = rivals[0]
                shown = Difference("number", fact.text, other.text, fact.span, other.span)
                yield Problem(shown, is_change=True)
                return
