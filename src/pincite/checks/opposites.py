"""Opposites: the claim has one side, its source the other."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords, Matcher, all_terms
from pincite.checks.reading import Unit, Word
from pincite.checks.said import Fact
from pincite.findings import Difference
from pincite.text.meaning import are_opposites
from pincite.types import Span

SURELY_SAME = 0.75
"""Share of a claim's other content words in a unit before a differing word contradicts."""

_ARTICLES = frozenset(
    "the a an any all die der das den dem alle el la los las un una todos le les un une des l".split()
)

_OF = frozenset("from of in by von aus in de del du dans por par".split())

MAX_WORDS = 300
"""Longer sentences are not searched word by word for opposites."""

FUNCTION_PAIRS = ("before", "over")
"""Pairs whose words are function words and still say something by themselves."""


def opposite_problems(
    claim: ClaimWords, units: Sequence[Unit], matcher: Matcher
) -> tuple[list[Problem], frozenset[Span]]:
    """Opposites, and the negations on both sides that are part of one, or of a pair that agrees.

    "Not allowed" is "prohibited": the negation of the one needs no negation in the other.
    """
    ours, theirs = _sides(claim.facts), _sides([fact for unit in units for fact in unit.facts])
    turned: list[Span] = []
    for key in ours.keys() & theirs.keys():
        turned += [_negation_of(fact, claim.facts) or fact.span for fact in ours[key] if _is_flipped(fact)]
        for unit in units:
            turned += [_negation_of(f, unit.facts) or f.span for f in theirs[key] if _is_flipped(f)]
    problems: list[Problem] = []
    excepted = any(fact.key == "except" for unit in units for fact in unit.facts)
    for key, facts in ours.items():
        pair, _, side = key.partition(":")
        other_key = f"{pair}:{'b' if side == 'a' else 'a'}"
        if other_key not in theirs or other_key in ours:
            continue
        if key in theirs:
            continue
        fact, other = facts[0], theirs[other_key][0]
        if excepted:
            turned.append(_negation_of(fact, claim.facts) or fact.span)
            if not _is_flipped(fact):
                problems.append(
                    Problem(Difference("opposite", fact.text, theirs[other_key][0].text, fact.span), False)
                )
            continue
        unit = next(one for one in units if any(other is own for own in one.facts))
        is_function = any(word.span.overlaps(fact.span) and not word.is_content for word in claim.words)
        if is_function and pair not in FUNCTION_PAIRS:
            continue
        if _around(claim.words, fact.span) & _around(unit.own, other.span):
            rest = [word for word in claim.content if not word.span.overlaps(fact.span)]
            same = matcher.share(rest, unit.terms) >= SURELY_SAME
            answer, source = _shown(fact, claim.facts), _shown(other, unit.facts)
            difference = Difference("opposite", answer, source, fact.span, other.span)
            problems.append(Problem(difference, is_change=True, is_same_subject=same))
            turned += [span for one, among in ((fact, claim.facts), (other, unit.facts))
                       if (span := _negation_of(one, among))]  # fmt: skip
    found, undone = _opposite_words(claim, units, matcher)
    seen = [problem.difference.answer_span for problem in problems]
    problems += [p for p in found if not any(p.difference.answer_span == span for span in seen)]
    return problems, frozenset((*turned, *undone))


def clause_problems(claim: ClaimWords, units: Sequence[Unit], matcher: Matcher) -> list[Problem]:
    """Opposites of which the source has both sides, where the claim says the one of what stands with the other."""
    ours, theirs = _sides(claim.facts), _sides([fact for unit in units for fact in unit.facts])
    problems: list[Problem] = []
    for key, facts in ours.items():
        pair, _, side = key.partition(":")
        other_key = f"{pair}:{'b' if side == 'a' else 'a'}"
        if key in theirs and other_key in theirs and other_key not in ours:
            problems += _in_another_clause(claim, facts[0], key, other_key, units, matcher)
    return problems


def _in_another_clause(
    claim: ClaimWords, fact: Fact, key: str, other_key: str, units: Sequence[Unit], matcher: Matcher
) -> list[Problem]:
    """The source has both sides, and what the claim says of the one stands with the other.

    Of "the warranty covers defects; water damage is excluded", "the warranty covers water damage" is not borne.
    """
    wanted = [word for word in claim.content if not word.span.overlaps(fact.span)]
    same: set[str] = set()
    against: dict[str, tuple[Unit, Fact]] = {}
    for unit in units:
        for other in unit.facts:
            if other.kind != "opposite" or other.key not in (key, other_key):
                continue
            clause = unit.segment(other.span.start)
            terms = frozenset(
                term
                for word in unit.own
                if unit.segment(word.span.start) == clause
                for term in (word.term, *word.groups)
            )
            held = {word.term for word in wanted if matcher.holds(word.term, terms)}
            if other.key == key:
                same |= held | _subject_before(claim, unit, other, clause)
            else:
                against.update(dict.fromkeys(held, (unit, other)))
    lost = [word for word in wanted if word.term in against and word.term not in same]
    kept = [word for word in wanted if word.term in same and word.term not in against]
    if any(word.is_pair for word in wanted):
        is_lost = len(lost) > len(kept)
    else:
        thing = _thing(claim, fact)
        is_lost = thing is not None and any(word.term == thing.term for word in lost)
    if not is_lost:
        return []
    unit, other = against[lost[0].term]
    answer, source = _shown(fact, claim.facts), _shown(other, unit.facts)
    return [Problem(Difference("opposite", answer, source, fact.span, other.span), is_change=True)]


def _subject_before(claim: ClaimWords, unit: Unit, fact: Fact, clause: int) -> set[str]:
    """Content terms of the clauses before, when that of ``fact`` begins without a subject: "open … and closed on Sundays"."""
    before = [word for word in unit.own if word.is_content and word.span.end <= fact.span.start]
    if any(unit.segment(word.span.start) == clause for word in before):
        return set()
    terms = {term for word in before for term in (word.term, *word.groups)}
    return {word.term for word in claim.content if word.term in terms or not terms.isdisjoint(word.groups)}


def _thing(claim: ClaimWords, fact: Fact) -> Word | None:
    """What the word at ``fact`` is said of: right after it ("covers damage"), else right before it ("damage is covered")."""
    for word in claim.words:
        if word.span.start >= fact.span.end:
            if word.is_content:
                return word
            if word.surface not in _ARTICLES:
                break
    before = [word for word in claim.words if word.span.end <= fact.span.start]
    for n in range(len(before) - 1, -1, -1):
        lead = [word.surface for word in before[max(0, n - 2) : n] if word.surface not in _ARTICLES]
        if before[n].is_content and not (lead and lead[-1] in _OF):
            return before[n]
    return None


def _sides(facts: Sequence[Fact]) -> dict[str, list[Fact]]:
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        if fact.kind == "opposite":
            found.setdefault(fact.key, []).append(fact)
    return found


def _is_flipped(fact: Fact) -> bool:
    return fact.origin is not None and fact.origin.flipped


def _negation_of(fact: Fact, among: Sequence[Fact]) -> Span | None:
    """The negation nearest to a flipped opposite."""
    if not _is_flipped(fact):
        return None
    near = min(
        (one for one in among if one.kind == "negation"),
        key=lambda one: min(abs(fact.span.start - one.span.end), abs(one.span.start - fact.span.end)),
        default=None,
    )
    return near.span if near else None


def _shown(fact: Fact, among: Sequence[Fact]) -> str:
    """The word, with the negation that turns it."""
    span = _negation_of(fact, among)
    negation = next((one for one in among if one.kind == "negation" and one.span == span), None)
    if negation is None:
        return fact.text
    parts = (
        (negation.text, fact.text) if negation.span.start < fact.span.start else (fact.text, negation.text)
    )
    return " ".join(parts) if fact.text[:1].isascii() else "".join(parts)


def _opposite_words(
    claim: ClaimWords, units: Sequence[Unit], matcher: Matcher
) -> tuple[list[Problem], list[Span]]:
    """Single words of the claim that the source lacks and whose opposite it has between the same neighbours."""
    problems: list[Problem] = []
    undone: list[Span] = []
    terms = all_terms(units)
    content = {word.term for word in claim.content}
    if len(claim.words) > MAX_WORDS:
        return [], []
    beside = [span for fact in claim.facts for span in fact.beside]
    for at, word in enumerate(claim.words):
        if word.term in terms or not word.is_content or word.is_pair:
            continue
        if any(word.span.overlaps(span) for span in beside):
            continue
        for unit in units:
            if len(unit.own) > MAX_WORDS:
                continue
            other = next((o for o in unit.own if _is_opposite(word, o, content)), None)
            if other is None or not _neighbours(claim.words, at) & _neighbours(
                unit.own, unit.own.index(other)
            ):
                continue
            undoing = [
                *_negations_at(word, claim.words, claim.facts),
                *_negations_at(other, unit.own, unit.facts),
            ]
            undone += undoing
            if not undoing:
                rest = [one for one in claim.content if one != word]
                same = matcher.share(rest, unit.terms) >= SURELY_SAME
                difference = Difference("opposite", word.surface, other.surface, word.span, other.span)
                problems.append(Problem(difference, is_change=True, is_same_subject=same))
            break
    return problems, undone


def _is_opposite(word: Word, other: Word, said: set[str]) -> bool:
    return other.is_content and other.term not in said and are_opposites(word.surface, other.surface)


def _negations_at(word: Word, words: Sequence[Word], facts: Sequence[Fact]) -> list[Span]:
    """Negations at most three words before ``word``, nothing of content between."""
    found: list[Span] = []
    at = words.index(word)
    for before in reversed(words[max(0, at - 3) : at]):
        found += [fact.span for fact in facts if fact.kind == "negation" and fact.span.overlaps(before.span)]
        if before.is_content:
            break
    return found


def _around(words: Sequence[Word], span: Span) -> frozenset[str]:
    at = [n for n, word in enumerate(words) if word.span.overlaps(span)]
    if not at:
        return frozenset()
    if words[at[0]].is_pair:
        return frozenset(word.term for word in words[max(0, at[0] - 5) : at[-1] + 6] if word.is_content)
    return _neighbours(words[: at[0] + 1], at[0]) | _neighbours(words[at[-1] :], 0)


def _neighbours(words: Sequence[Word], at: int) -> frozenset[str]:
    """The nearest two content words on each side."""
    before = [word.term for word in words[max(0, at - 6) : at] if word.is_content][-2:]
    after = [word.term for word in words[at + 1 : at + 7] if word.is_content][:2]
    return frozenset((*before, *after))
