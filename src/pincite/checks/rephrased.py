"""Turning words that both sides have in another form: "must not" is "prohibited", "if you do not" is "unless"."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pincite.checks.binding import Problem
from pincite.checks.duties import has, pattern
from pincite.checks.evidence import ClaimWords
from pincite.checks.reading import Unit
from pincite.findings import Difference
from pincite.text.light_words import light_terms
from pincite.text.words import stop_words
from pincite.types import Span

# Written for this project.
_CONVERSE = tuple(
    frozenset(pair.split())
    for pair in (
        "lend borrow",
        "buy sell",
        "parent child",
        "teach learn",
        "teacher student",
        "employer employee",
        "give receive",
        "send receive",
        "landlord tenant",
        "leihen verleihen",
        "kaufen verkaufen",
        "eltern kind",
        "prestar tomar",
        "comprar vender",
        "padre hijo",
        "acheter vendre",
        "prêter emprunter",
        "parent enfant",
    )
)
"""Two sides of one matter: who lends lets another borrow. The same stem, not the same word, is enough."""

_ARTICLES = frozenset(
    "the a an this that one der die das den dem ein eine einen einem el la un una le l une ce cette".split()
)

CONVERSE_LETTERS = 4
"""Letters in which a word must agree with one of these."""

SHORT_NAME = 3
"""Letters of a name from which it may be another one cut short."""

ANCHOR_WORDS = 3
"""Content words behind (and before) "only", of which the claim must have one before leaving it out is harmless."""

IDIOM_REACH = 12
"""Characters before a turning word in which an idiom that holds it may begin."""


def real_problems(
    problems: Sequence[Problem], claim: ClaimWords, units: Sequence[Unit], said: Callable[[Unit], str]
) -> list[Problem]:
    """``problems`` without those about words which the other side has in another form, or that say next to nothing.

    Args:
        said: The text of a unit.
    """
    if not problems:
        return []
    sides = _Sides(claim, units, tuple(said(unit) for unit in units))
    left = [one for one in problems if not _is_excused(one, sides)]
    return [_weighed(one, sides) for one in left]


def untold_problems(
    problems: Sequence[Problem], claim: ClaimWords, units: Sequence[Unit], said: Callable[[Unit], str]
) -> list[Problem]:
    """``problems`` without those about something that the claim leaves out in the source's words, but tells in its own."""
    if not problems:
        return []
    sides = _Sides(claim, units, tuple(said(unit) for unit in units))
    return [one for one in problems if not _is_told_otherwise(one.difference, sides)]


def _is_told_otherwise(one: Difference, sides: _Sides) -> bool:
    if not one.answer and one.kind in ("unit", "comparator"):
        # "Uploads may be 25 MB" tells a limit: "up to 25 MB".
        return has("permitted", sides.claim.language, sides.claim.text)
    if one.answer or one.kind not in _TURNING:
        return False
    if one.kind == "modality":
        return _modality(one, sides)
    return _is_idiom(one, sides.claim, sides.texts) or (one.kind == "condition" and _is_told(one, sides))


def _weighed(problem: Problem, sides: _Sides) -> Problem:
    """``problem``, or a milder one where the source also says what the claim says."""
    one = problem.difference
    if _is_converse(one) or _is_of_other_verb(one, sides) or _is_dated_otherwise(one, sides):
        return _undecided(problem)
    if problem.is_same_subject and _stands_there(one, sides.claim, sides.units):
        return replace(problem, is_same_subject=False)
    return problem


def _is_dated_otherwise(one: Difference, sides: _Sides) -> bool:
    """Two events, two dates: the claim's stands in another sentence than the one that seems to differ."""
    if one.kind != "date" or one.source_span is None:
        return False
    others = [unit for unit in sides.units if not unit.span.contains(one.source_span) and not unit.is_row]
    return _stands_there(one, sides.claim, others)


def _stands_there(one: Difference, claim: ClaimWords, units: Sequence[Unit]) -> bool:
    fact = next((f for f in claim.facts if f.span == one.answer_span and f.is_counted), None)
    return fact is not None and any(fact.same(other) for unit in units for other in unit.counted)


@dataclass(frozen=True, slots=True)
class _Sides:
    """A claim and the units that back it, with their texts."""

    claim: ClaimWords
    units: Sequence[Unit]
    texts: Sequence[str]

    @property
    def whole(self) -> str:
        return " ".join(self.texts)


def _is_excused(problem: Problem, sides: _Sides) -> bool:
    one = problem.difference
    excuse = _EXCUSES.get(one.kind)
    if one.kind in _TURNING and _is_idiom(one, sides.claim, sides.texts):
        return True
    return excuse is not None and excuse(one, sides)


def _undecided(problem: Problem) -> Problem:
    return replace(problem, is_change=False, is_same_subject=False)


def _is_converse(one: Difference) -> bool:
    """Whether a pair of opposites are the two sides of one matter."""
    if one.kind != "opposite":
        return False
    ours, theirs = one.answer.casefold(), one.source.casefold()
    return any(
        (_is_form(ours, a) and _is_form(theirs, b)) or (_is_form(ours, b) and _is_form(theirs, a))
        for a, b in map(sorted, _CONVERSE)
    )


def _is_of_other_verb(one: Difference, sides: _Sides) -> bool:
    """How often: "rarely use" is about using, and says nothing against "commonly rely", when relying stands elsewhere."""
    if one.kind != "opposite" or one.answer.casefold() not in _HOW_OFTEN or one.answer_span is None:
        return False
    end = one.answer_span.end
    verb = next((w for w in sides.claim.words if w.span.start >= end and w.is_content), None)
    if verb is None or one.source_span is None:
        return False
    for unit in sides.units:
        after = [w.term for w in unit.own if w.is_content and w.span.start >= one.source_span.end]
        if verb.term in after:
            return verb.term not in after[:ANCHOR_WORDS]
    return False


_HOW_OFTEN = frozenset(
    "commonly rarely often seldom usually frequently infrequently generally häufig selten oft meist frecuentemente raramente "
    "fréquemment rarement souvent".split()
)


def _is_form(word: str, of: str) -> bool:
    return word[:CONVERSE_LETTERS] == of[:CONVERSE_LETTERS]


def _is_idiom(one: Difference, claim: ClaimWords, texts: Sequence[str]) -> bool:
    """Whether the turning word that one side has turns nothing there: "without undue delay", "n'importe"."""
    if one.answer and not one.source and one.answer_span is not None:
        return _in_idiom(claim.text, one.answer_span.start - claim.span.start, len(one.answer))
    if one.source and not one.answer:
        word = one.source.lower()
        places = [(text, text.lower().find(word)) for text in texts]
        known = [(text, at) for text, at in places if at >= 0]
        return bool(known) and all(_in_idiom(text, at, len(word)) for text, at in known)
    return False


def _in_idiom(text: str, at: int, size: int) -> bool:
    begin = max(0, at - IDIOM_REACH)
    idioms = pattern("idioms", "all")
    assert idioms is not None
    return any(
        match.start() + begin <= at < match.end() + begin or at <= match.start() + begin < at + size
        for match in idioms.finditer(text[begin : at + size + 40])
    )


def _modality(one: Difference, sides: _Sides) -> bool:
    """A duty of the claim is one of the source's as well: an order, a need, a prohibition."""
    language, text = sides.claim.language, sides.claim.text
    if not one.answer:
        # "Visitors are asked to" and "should"; "could not" and "were unable to".
        if has("duty", language, one.source):
            return has("duty", language, text) or has("advice", language, text)
        return has("permitted", language, one.source) and (
            has("permitted", language, text) or has("forbidden", language, text)
        )
    if one.source or not has("duty", language, one.answer):
        return False
    forbids = has("forbidden", language, sides.claim.text)
    return any(
        has("duty", language, text) or (forbids and has("forbidden", language, text)) for text in sides.texts
    )


def _negation(one: Difference, sides: _Sides) -> bool:
    claim, language = sides.claim, sides.claim.language
    if not one.answer or one.source:
        return False
    if has("unless", language, sides.whole) and any(
        fact.kind == "condition" and fact.key == "if" for fact in claim.facts
    ):
        return True
    if has("idioms", "as_long_as", claim.text) and has("until", language, sides.whole):
        return True
    return has("forbidden", language, claim.text) and any(
        has("forbidden", language, text) for text in sides.texts
    )


def _condition(one: Difference, sides: _Sides) -> bool:
    """A condition that only the claim has says less than the source, not more; "if not" is "unless"."""
    claim, language = sides.claim, sides.claim.language
    denies = any(fact.kind == "negation" for fact in claim.facts)
    if not one.answer:
        return _is_told(one, sides)
    if has("unless", language, sides.whole):
        return denies and not has("unless", language, claim.text)
    if has("idioms", "as_long_as", one.answer):
        return denies and has("until", language, sides.whole)
    return not one.source and not has("unless", language, one.answer)


def _is_told(one: Difference, sides: _Sides) -> bool:
    """Whether the claim has every word and amount of what it is said to leave out, in its own words."""
    span = one.source_span
    if span is None:
        return False
    known = {term for word in sides.claim.words for term in (word.term, *word.groups)}
    light = light_terms(sides.claim.terms_in)
    for unit in sides.units:
        amounts = [f for f in unit.counted if span.contains(f.span)]
        taken = [f.span for f in amounts]
        words = [
            word
            for word in unit.own
            if span.contains(word.span) and word.is_content and not any(word.span.overlaps(s) for s in taken)
        ]
        rest = [w for w in words if w.term not in light and known.isdisjoint((w.term, *w.groups))]
        if (words or amounts) and not rest:
            return all(any(own.same(f) for own in sides.claim.facts) for f in amounts)
    return False


def _quantifier(one: Difference, sides: _Sides) -> bool:
    language = sides.claim.language
    if not one.answer:
        return _is_told_without_only(one, sides)
    if one.source or one.answer_span is None:
        return False
    text, at = sides.claim.text, one.answer_span.start - sides.claim.span.start
    each, each_of = pattern("each", language or ""), pattern("any", language or "")
    if each is not None and each.match(text, at) and has("rate", language, sides.whole):
        return True
    if each_of is None or not each_of.match(text, at) or has("limited", language, sides.whole):
        return False
    return _is_general(sides, one.answer_span)


def _is_general(sides: _Sides, span: Span) -> bool:
    """Whether the source speaks of what stands after "every" at ``span`` in general: without article or attribute."""
    stop = stop_words(sides.claim.language)
    noun = next((w for w in sides.claim.words if w.span.start >= span.end and w.is_content), None)
    if noun is None or noun.is_pair:
        return False
    wanted = {noun.term, *noun.groups}
    for unit in sides.units:
        for place, word in enumerate(unit.own):
            if wanted.isdisjoint((word.term, *word.groups)):
                continue
            before = unit.own[place - 1].surface if place else ""
            if not before or (before in stop and before not in _ARTICLES):
                return True
    return False


def _is_told_without_only(one: Difference, sides: _Sides) -> bool:
    """Leaving out "only" says less, as long as what it limits is told: "only members may" and "members may"."""
    known = {word.term for word in sides.claim.content}
    for unit in sides.units:
        fact = next((f for f in unit.facts if f.span == one.source_span and f.key == "only"), None)
        if fact is None:
            continue
        words = [word for word in unit.own if word.is_content]
        after = [w for w in words if w.span.start >= fact.span.end][:ANCHOR_WORDS]
        before = [w for w in words if w.span.end <= fact.span.start][-1:]
        amounts = [f for f in unit.counted if 0 <= f.span.start - fact.span.end <= 1]
        return bool(amounts) or (
            any(w.term in known for w in (*after[:1], *before)) and any(w.term in known for w in after)
        )
    return False


def _number(one: Difference, sides: _Sides) -> bool:
    """A bare number of the claim ("older than twelve") is that of an amount of the source ("12 years")."""
    if not one.answer:
        return False
    fact = next((f for f in sides.claim.facts if f.span == one.answer_span and f.is_counted), None)
    if fact is None or fact.quantity is None or fact.quantity.kind != "plain":
        return False
    if fact.nouns and fact.nouns[0] not in light_terms(sides.claim.terms_in):
        return False
    known = set(fact.quantity.numbers)
    return any(
        other.quantity is not None and not known.isdisjoint(other.quantity.numbers)
        for unit in sides.units
        for other in unit.counted
        if not unit.is_row
    )


def _comparator(one: Difference, sides: _Sides) -> bool:
    """Of a bound, "not more than" is "at most": a negation beside a bound turns it."""
    ours, _, amount = one.answer.partition(" than ") if " than " in one.answer else _halves(one.answer)
    theirs, _, other = one.source.partition(" than ") if " than " in one.source else _halves(one.source)
    if not ours or not theirs or not _is_amount_alike(amount, other):
        return False
    denied = any(fact.kind == "negation" for fact in sides.claim.facts)
    denying = any(fact.kind == "negation" for unit in sides.units for fact in unit.facts)
    return (denied and _TURNED.get(ours) == theirs) or (denying and _TURNED.get(theirs) == ours)


def _halves(bound: str) -> tuple[str, str, str]:
    for word in _TURNED:
        if bound.startswith(f"{word} "):
            return word, " ", bound[len(word) + 1 :]
    return "", "", bound


def _is_amount_alike(amount: str, other: str) -> bool:
    digits = [[char for char in text if char.isdigit()] for text in (amount, other)]
    return digits[0] == digits[1] or amount == other


_TURNED = {"more": "at most", "less": "at least", "at most": "more", "at least": "less"}


def _name(one: Difference, sides: _Sides) -> bool:
    """A name cut short is the same name: "Con", "Convention"."""
    ours, theirs = one.answer.casefold(), one.source.casefold()
    return len(ours) >= SHORT_NAME and theirs.startswith(ours) and len(theirs) > len(ours) + 1


def _opposite(one: Difference, sides: _Sides) -> bool:
    """Words that are opposites elsewhere and none here.

    A term of validity says when something ends: "有効期限" is not the opposite of "失効". And what the source says in another
    word beside the opposite is said: "send back" is "returned" there, though it speaks of what was "bought".
    """
    if bool(one.source) and f"{one.source}期" in sides.whole:
        return True
    span = one.answer_span
    groups = {g for word in sides.claim.words if span and word.span.overlaps(span) for g in word.groups}
    return any(
        not groups.isdisjoint(word.groups) and word.span != one.source_span
        for unit in sides.units
        for word in unit.own
    )


def _word(one: Difference, sides: _Sides) -> bool:
    """A word that says next to nothing need not be the source's."""
    light = light_terms(sides.claim.terms_in)
    return any(word.term in light for word in sides.claim.words if word.span == one.answer_span)


_TURNING = frozenset({"modality", "negation", "condition", "quantifier"})
_EXCUSES: Mapping[str, Callable[[Difference, _Sides], bool]] = {
    "modality": _modality,
    "negation": _negation,
    "condition": _condition,
    "quantifier": _quantifier,
    "number": _number,
    "opposite": _opposite,
    "comparator": _comparator,
    "name": _name,
    "word": _word,
}
