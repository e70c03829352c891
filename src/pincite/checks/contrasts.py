"""Clauses that only say what the one before does not hold for ("…, but not in the pool"), and hours from when to when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords, Matcher
from pincite.checks.reading import Unit, Word
from pincite.checks.said import Fact
from pincite.findings import Difference
from pincite.types import Span

# Written for this project. The words after it, to the end of the clause, are what is left out.
_BUT_NOT = re.compile(
    r",? (?:but not|though not|just not|aber nicht|jedoch nicht|nicht aber|mais pas|mais non|pero no|mas no) (?P<rest>[^,;.:!?()]{2,80})[.!]?\s*$",
    re.IGNORECASE,
)
# "May not be rented" forbids; "may not be available" does not.
_FORBIDS = re.compile(
    r"\bmay not be (?:\w+ed|\w+own|taken|given|eaten|driven|ridden|hidden|written|broken|sold|told|held|made|sent|lent|left|"
    r"put|cut|kept|brought|bought|used)\b|\b(?:guests|visitors|members|customers|users|children|employees|students|"
    r"tenants|passengers|dogs|pets|you) may not\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:cannot|can not|can['’]t|must not|mustn['’]t|may not|not (?:be )?(?:allowed|permitted))\b",
    re.IGNORECASE,
)
_CANNOT = re.compile(r"\bcannot\b", re.IGNORECASE)
_IMPOSSIBLE = re.compile(
    r"\b(?:can(?:['’]?t|not| not| never| only)|could(?:n['’]t| not)|must(?:n['’]t| not| never)|(?:is|are|was|were|be)(?:n['’]t| not) "
    r"(?:\w+ly )?(?:allowed|permitted|possible|able|eligible|\w+able|\w+ible)|unable|impossible|prohibited|forbidden|banned|"
    r"not (?:allowed|permitted|possible)|no longer|un\w+able|non-?\w+able|no|never|only|except|unless)\b",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"\b(?:opens?|öffnet|öffnen|ouvre|ouvrent|abre|abren)\b|開く|開館し|開店し", re.IGNORECASE
)
_ENDS = re.compile(
    r"\b(?:closes?|schließt|schließen|ferme|ferment|cierra|cierran)\b|閉まる|閉館し|閉店し", re.IGNORECASE
)
_IS_OPEN = re.compile(
    r"\b(?:open|opening hours|hours|geöffnet|offen|öffnungszeiten|ouvert\w{0,2}|horaires|abiert\w{1,2}|horarios?)\b|営業|開館|開いて",
    re.IGNORECASE,
)


def settled(problems: Sequence[Problem], claim: ClaimWords, units: Sequence[Unit]) -> list[Problem]:
    """``problems`` without those that the source settles in words of its own.

    "Dogs are allowed in the garden, but not in the pool" says that they are not allowed in the pool; what "may not be
    rented" cannot be; a hall that is open from 10:00 to 22:30 closes at 22:30.
    """
    left = list(problems)
    for unit in units:
        if _is_left_out(claim, unit):
            left = [
                p for p in left if p.difference.kind not in ("negation", "opposite") or not _is_in(p, unit)
            ]
        if _FORBIDS.search(unit.text) and _DENIES.search(claim.text):
            left = [p for p in left if p.difference.kind != "modality" or not _is_in(p, unit)]
        hours = _hours(claim, unit)
        if hours is not None and hours[0]:
            left = [p for p in left if p.difference.kind != "opposite" or not _is_in(p, unit)]
    return left


def contrast_problems(claim: ClaimWords, units: Sequence[Unit], matcher: Matcher) -> list[Problem]:
    """What the claim denies and the source affirms, beside something else that it denies; the end of opening hours that is
    given for their beginning; and "cannot" where the source says nothing so strong."""
    problems: list[Problem] = []
    barred = _CANNOT.search(claim.text)
    if barred is not None and not any(_IMPOSSIBLE.search(u.text) or _FORBIDS.search(u.text) for u in units):
        span = Span(*barred.span()).shift(claim.span.start)
        problems.append(Problem(Difference("modality", barred.group(), "", span, None), is_change=False))
    for unit in units:
        cut = _cut(unit)
        denied = next((fact for fact in claim.facts if fact.kind == "negation"), None)
        if cut is not None and denied is not None and not _has(claim, cut[1]) and _has(claim, cut[0]):
            if matcher.share(claim.content, unit.terms) >= _ABOUT:
                told = Difference("negation", denied.text, "", denied.span, None)
                problems.append(Problem(told, is_change=True))
        hours = _hours(claim, unit)
        if hours is not None and not hours[0]:
            fact, rival = hours[1], hours[2]
            problems.append(Problem(Difference("number", fact.text, rival.text, fact.span, rival.span), True))
    return problems[:2]


_ABOUT = 0.75


def _is_in(problem: Problem, unit: Unit) -> bool:
    """Whether it is about words of ``unit``, or of the claim alone."""
    span = problem.difference.source_span
    return span is None or (unit.span.start <= span.start and span.end <= unit.span.end)


# --- but not ---------------------------------------------------------------------------------------


def _cut(unit: Unit) -> tuple[list[Word], list[Word]] | None:
    """The content words before and in a clause that only says what is left out."""
    found = None if unit.is_row else _BUT_NOT.search(unit.text, max(0, len(unit.text) - 120))
    if found is None:
        return None
    at = unit.span.start + found.start("rest")
    words = [word for word in unit.own if word.is_content]
    before = [word for word in words if word.span.end <= unit.span.start + found.start()]
    return before, [word for word in words if word.span.start >= at]


def _has(claim: ClaimWords, words: Sequence[Word]) -> bool:
    said = {word.term for word in claim.words if word.is_content}
    return any(word.term in said for word in words)


def _is_left_out(claim: ClaimWords, unit: Unit) -> bool:
    """Whether the claim denies, of the subject of ``unit``, what its last clause leaves out, and names nothing else."""
    cut = _cut(unit)
    if cut is None or sum(fact.kind == "negation" for fact in claim.facts) != 1:
        return False
    before, out = cut
    said = _terms(claim.words, claim.facts)
    left_out = {word.term for word in out}
    subject = _subject(unit, before)
    return bool(left_out) and left_out <= said and said - left_out <= subject and bool(said - left_out)


def _terms(words: Sequence[Word], facts: Sequence[Fact]) -> set[str]:
    """Of content words, without the predicate ("allowed") and what denies it."""
    taken = [fact.span for fact in facts if fact.kind in ("opposite", "negation")]
    return {word.term for word in words if word.is_content and not _is_at(word, taken)}


def _subject(unit: Unit, before: Sequence[Word]) -> set[str]:
    """Terms of the first words of a sentence, up to the first small word behind one of them; a predicate is none."""
    predicates = [fact.span for fact in unit.facts if fact.kind == "opposite"]
    found: list[Word] = []
    for word in unit.own:
        if word.is_content and any(word is one for one in before) and not _is_at(word, predicates):
            found.append(word)
        elif found:
            break
    return {word.term for word in found}


def _is_at(word: Word, spans: Sequence[Span]) -> bool:
    return any(word.span.overlaps(span) for span in spans)


# --- hours -----------------------------------------------------------------------------------------


def _hours(claim: ClaimWords, unit: Unit) -> tuple[bool, Fact, Fact] | None:
    """Whether a claim of when something opens or closes has the right end of the source's hours, and both amounts.

    ``None`` when the claim says neither, or both, or its time is at no end of the hours.
    """
    begins, ends = _BEGINS.search(claim.text), _ENDS.search(claim.text)
    times = [fact for fact in claim.facts if fact.quantity is not None and fact.quantity.kind == "time"]
    if (begins is None) == (ends is None) or len(times) != 1 or not _IS_OPEN.search(unit.text):
        return None
    hours = [f for f in unit.counted if f.quantity is not None and f.quantity.kind == "time"]
    ends_of = [value for fact in hours for value in _times_of(fact)]
    value = _times_of(times[0])
    if len(ends_of) != 2 or len(value) != 1:
        return None
    first, last = ends_of
    if first == last or value[0] not in (first, last):
        return None
    is_right = value[0] == (first if begins is not None else last)
    return is_right, times[0], hours[0] if begins is not None else hours[-1]


def _times_of(fact: Fact) -> tuple[Fraction, ...]:
    """The time that an amount says, or both ends of its range."""
    for one in fact.quantity.readings if fact.quantity is not None else ():
        if one.dimension == "time":
            return tuple(end for end in (one.low, one.high) if isinstance(end, Fraction))
    return ()
