"""The facts of a text in the shape that judges compare: amounts and days, and words that turn, limit or soften."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from pincite.checks.amounts import words_beside
from pincite.checks.concessions import concessions, grants, is_or_not
from pincite.findings import Difference
from pincite.text.fact import Fact as TextFact
from pincite.text.facts import fact_differences
from pincite.text.facts import facts as find_facts
from pincite.text.quantity import Quantity, restates
from pincite.text.words import Token, content_words, stop_words
from pincite.types import Span

YEARS = range(1000, 2101)
"""Bare numbers in this range may be years: they are rivals of one another only."""


NOUN_WITHIN = 25
"""Characters after a bare number in which the noun that it counts is looked for."""

_WEEKDAY = "weekday:"
_LABELS = frozenset({"id", "ordinal"})
_KOREAN_AMOUNT = re.compile(r"[\d.,]+(?:[백천만억조]+)?\s?[\uac00-\ud7a3]")
_TOKENISED = re.compile(r" ([,;])(?= )")
"""Blanks before punctuation, as in text that a tokeniser wrote; turned round, so that no offset moves."""

_DESCRIBED = re.compile(r" ([^\W\d_]{3,20}) ([^\W\d_]{3,12})(?![^\W_])")
_TIMES = frozenset({"duration", "months", "working days"})
_RATES = frozenset("per every each pro jede jeden jedes je por cada par chaque times mal veces fois".split())
"""A word between a number and its noun, the kinds of amounts whose noun it may be, and words that say how often instead."""

_OTHER = {"a": "b", "b": "a"}
# Words right before or behind a date, written for this project.
_SIDES = (
    (
        "until",
        re.compile(r"(?:\b(?:until|till|through|ends on|expires on|bis|bis zum|hasta|hasta el|jusqu'au|jusqu'en|hasta en)"
                   r"|至|截至|حتى|لغاية)\s*(?:(?:the )?(?:end|start) of|early|late|mid|ende|anfang|mitte|finales de|fin)?\s*$", re.IGNORECASE),
        re.compile(r"\s*(?:まで|为止|止|तक)"),
    ),
    (
        "from",
        re.compile(r"(?:\b(?:from|since|after|starting|as of|starts on|begins on|ab|ab dem|seit|seit dem|desde|desde el|a partir de|"
                   r"a partir del|à partir du|à partir de|depuis|depuis le|dès le)|自|从|從|منذ|ابتداء من|اعتبارا من)\s*(?:(?:the )?(?:end|start) of|early|late|mid|ende|anfang|mitte|finales de|fin)?\s*$",
                   re.IGNORECASE),
        re.compile(r"\s*(?:から|以降|より|起|以来|以後|से)"),
    ),
)  # fmt: skip
_CONDITIONS = frozenset({"except", "unless"})
# Words that make a sentence hold only under a condition, written for this project.
_IF = {
    "en": re.compile(r"\bif\b(?! and only)", re.IGNORECASE),
    "de": re.compile(r"\b(?:falls|wenn)\b", re.IGNORECASE),
    "es": re.compile(r"\bsi\b", re.IGNORECASE),
    "fr": re.compile(r"\b(?:si|s'ils?)\b", re.IGNORECASE),
    "ja": re.compile("の場合|する場合|した場合|たら|れば(?!なら|なり|いけ)"),
    "zh": re.compile("如果|若是|假如|倘若"),
    "ar": re.compile(r"\b(?:إذا|إن كان)\b"),
    "hi": re.compile("(?:अगर|यदि)(?=\\s)"),
}
# Words that take back part of what a sentence says, written for this project.
_MORE = (
    (
        "quantifier",
        "one_of",
        {
            "en": re.compile(r"\bone of the\b", re.IGNORECASE),
            "de": re.compile(r"\bein(?:e|er|es|en)? der\b", re.IGNORECASE),
            "es": re.compile(r"\bun[oa] de l[oa]s\b", re.IGNORECASE),
            "fr": re.compile(r"\bl'une? des\b", re.IGNORECASE),
            "ja": re.compile("のひとつ|の一つ"),
            "zh": re.compile("之一"),
        },
    ),
    (
        "modality",
        "former",
        {
            "en": re.compile(r"\b(?:former|formerly|used to|previously)\b", re.IGNORECASE),
            "de": re.compile(r"\b(?:ehemalig\w{0,2}|ehemals|einstig\w{0,2})\b", re.IGNORECASE),
            "es": re.compile(r"\b(?:antiguamente|anteriormente|exdirector\w?)\b", re.IGNORECASE),
            "fr": re.compile(r"\b(?:autrefois|anciennement)\b", re.IGNORECASE),
            "ja": re.compile("かつて|以前は|元(?=社長|会長|代表)"),
            "zh": re.compile("曾经|曾任|曾是|原为"),
        },
    ),
)
_KOREAN_NEGATION = re.compile("않|아니|아닌|없|못하|못한|못했|안 ")
"""Korean has no lexicon of its own yet; without these, its negated sentences would pass for their opposite."""


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """One fact at ``span``. ``kind`` as ``Difference.kind``, or "condition"; ``key`` is equal for turning words that say the same.

    ``nouns`` are the terms after a bare number: what it counts; ``dimensions`` and ``values`` are those of its amount; ``is_loose`` when it may
    be the same as another value. ``side`` says whether a date begins
    (``from``) or ends (``until``) something. ``origin`` is the fact as the text module gives it; ``beside`` are the words of an
    amount's bound and rate.
    """

    kind: str
    text: str
    span: Span
    key: str = ""
    origin: TextFact | None = None
    nouns: tuple[str, ...] = ()
    side: str = ""
    dimensions: frozenset[str] = frozenset()
    values: frozenset[tuple[str, object]] = frozenset()
    is_loose: bool = False
    beside: tuple[Span, ...] = ()

    @property
    def quantity(self) -> Quantity | None:
        return self.origin.quantity if self.origin else None

    @property
    def is_counted(self) -> bool:
        """Whether it is an amount, a date or a weekday: something to be found in the source."""
        return self.quantity is not None or self.key.startswith(_WEEKDAY)

    @property
    def is_weak(self) -> bool:
        return self.quantity is not None and self.quantity.weak

    def same(self, other: Fact) -> bool:
        """Whether this amount or day, of a claim, says that of a source; false for other facts."""
        if not self.is_counted or not other.is_counted:
            return False
        a, b = self.quantity, other.quantity
        if self.side and other.side and self.side != other.side:
            return False
        if a is None or b is None:
            return a is b and self.key == other.key
        if (a.kind == "ordinal") != (b.kind == "ordinal") and set(a.numbers).isdisjoint(b.numbers):
            # "The third" and "5 euros" are not compared, which is not to say that they are the same.
            return False
        is_special = a.kind in _LABELS or b.kind in _LABELS or self.kind == other.kind == "date"
        if not is_special and self.dimensions.isdisjoint(other.dimensions):
            return _same_korean(a, b)
        if self.values.isdisjoint(other.values) and not (is_special or self.is_loose or other.is_loose):
            return _same_korean(a, b)
        if restates(a, b) or _is_year_in(a, b) or _same_korean(a, b):
            return True
        is_special = is_special or any(reading.high is not None for reading in b.readings)
        return is_special and difference(self, other) is None

    def is_rival(self, other: Fact) -> bool:
        """Whether both could stand in one place, and differ."""
        if not self.is_counted or not other.is_counted or self.same(other) or other.same(self):
            return False
        a, b = self.quantity, other.quantity
        if a is None or b is None:
            return a is b
        dates = [q.kind == "date" or _is_year(q) for q in (a, b)]
        if any(dates):
            return all(dates)
        if a.kind == "plain" and b.kind == "plain":
            return not self.nouns or not other.nouns or not set(self.nouns).isdisjoint(other.nouns)
        same_number = not set(a.numbers).isdisjoint(b.numbers) and bool(a.unit and b.unit)
        return not self.dimensions.isdisjoint(other.dimensions) or a.kind == b.kind == "money" or same_number


def difference(claim: Fact, source: Fact) -> Difference | None:
    """How two amounts or days differ, with the kind and both values as a reader names them."""
    if claim.origin is None or source.origin is None:
        return Difference(claim.kind, claim.text, source.text, claim.span, source.span)
    if claim.side and source.side and claim.side != source.side:
        answer, value = f"{claim.side} {claim.text}", f"{source.side} {source.text}"
        return Difference("date", answer, value, claim.span, source.span)
    found = next(iter(fact_differences((claim.origin,), (source.origin,))), None)
    if found is None:
        return None
    shown = found.kind == "comparator" and found.answer and found.source
    answer, value = (found.answer, found.source) if shown else (claim.text, source.text)
    return Difference(found.kind, answer, value, claim.span, source.span)


def _is_loose(quantity: Quantity) -> bool:
    """Whether it may be the same as an amount that is not equal: rounded, a range, a common fraction."""
    readings = quantity.readings
    return (
        quantity.approximate
        or quantity.bound in ("~", "<", ">")
        or any(reading.high is not None or not reading.step for reading in readings)
    )


def _is_year(quantity: Quantity) -> bool:
    if quantity.kind != "plain" or len(quantity.surface) != 4 or not quantity.numbers:
        return False
    return quantity.numbers[0].denominator == 1 and int(quantity.numbers[0]) in YEARS


def _is_year_in(a: Quantity, b: Quantity) -> bool:
    """A bare year that a date is in."""
    return _is_year(a) and b.kind == "date" and any(str(r.low).startswith(a.surface) for r in b.readings)


def _same_korean(a: Quantity, b: Quantity) -> bool:
    """Korean puts particles right behind a number: what counts are its digits and the syllable after them."""
    ours, theirs = _KOREAN_AMOUNT.match(a.surface), _KOREAN_AMOUNT.match(b.surface)
    return ours is not None and theirs is not None and ours.group() == theirs.group()


@lru_cache(maxsize=4096)
def _facts(text: str, language: str | None) -> tuple[Fact, ...]:
    found = find_facts(_TOKENISED.sub(r"\1 ", text), language=language)
    after = content_words(text, language) if any(fact.quantity for fact in found) else ()
    made = [_measured(text, fact, language) for one in found if (fact := _fact(text, one, after, language))]
    # "No more than", "or less" belong to their amount: they are no negation and no opposite.
    beside = [span for fact in made for span in fact.beside]
    if beside:
        made = [f for f in made if f.is_counted or not any(f.span.overlaps(span) for span in beside)]
    for kind, key, patterns in _MORE:
        if language in patterns:
            made += [Fact(kind, m.group(), Span(*m.span()), key) for m in patterns[language].finditer(text)]
    granted = concessions(text, language)
    if granted:
        # "Even if you have used it": no condition, and no limit.
        made = [
            fact
            for fact in made
            if not (fact.key == "only" or (fact.kind == "negation" and is_or_not(text, fact.span)))
            or not grants(granted, fact.span)
        ]
    if language in _IF:
        # "なければ" is both: "if not".
        kinds = ("condition",) if language == "ja" else ("condition", "negation")
        taken = [fact.span for fact in made if fact.kind in kinds]
        for match in _IF[language].finditer(text):
            span = Span(*match.span())
            if not grants(granted, span) and not any(span.overlaps(other) for other in taken):
                made.append(Fact("condition", match.group(), span, "if"))
    if language == "ko":
        made += [Fact("negation", m.group(), Span(*m.span()), "not") for m in _KOREAN_NEGATION.finditer(text)]
    return tuple(sorted(made, key=lambda fact: fact.span))


def _measured(text: str, fact: Fact, language: str | None) -> Fact:
    """``fact``, or when a unit of time stands behind the next word, that amount: "5 unused days" is days.

    The word between stays a word of the sentence: the span is that of the number.
    """
    if fact.quantity is None or fact.quantity.kind != "plain" or fact.is_weak or not fact.text[-1:].isdigit():
        return fact
    described = _DESCRIBED.match(text, fact.span.end)
    if described is None or described[1].casefold() in stop_words(language) | _RATES:
        return fact
    read = find_facts(f"{fact.quantity.surface} {described[2]}", language=language)
    whole = read[0].quantity if read else None
    if whole is None or whole.kind not in _TIMES or whole.numbers != fact.quantity.numbers:
        return fact
    quantity = replace(whole, span=fact.span, surface=fact.text, bound=fact.quantity.bound)
    assert fact.origin is not None
    return replace(
        fact,
        origin=replace(fact.origin, quantity=quantity),
        nouns=(),
        dimensions=quantity.dimensions,
        values=frozenset((reading.dimension, reading.low) for reading in quantity.readings),
    )


def _fact(text: str, found: TextFact, after: Sequence[Token], language: str | None) -> Fact | None:
    if found.quantity is not None:
        kind = "date" if _is_year(found.quantity) else found.kind
        side = _side(text, found) if kind == "date" else ""
        quantity = found.quantity
        return Fact(
            kind,
            found.surface,
            found.span,
            "",
            found,
            _nouns(quantity, after),
            side,
            quantity.dimensions,
            frozenset((reading.dimension, reading.low) for reading in quantity.readings),
            _is_loose(quantity),
            words_beside(text, (quantity,), language),
        )
    if found.kind == "negation":
        kind = "condition" if found.value in _CONDITIONS else "negation"
        return Fact(kind, found.surface, found.span, found.value if kind == "condition" else "not", found)
    if found.kind == "opposite":
        pair, _, side = found.value.partition(":")
        key = f"{pair}:{_OTHER[side] if found.flipped else side}"
        return Fact("opposite", found.surface, found.span, key, found)
    if found.kind in ("quantifier", "modality", "name", "date"):
        return Fact(found.kind, found.surface, found.span, found.value, found)
    return None


def _side(text: str, found: TextFact) -> str:
    """``from`` or ``until`` when a word beside a date says that something begins or ends with it."""
    before, after = (
        text[max(0, found.span.start - 16) : found.span.start],
        text[found.span.end : found.span.end + 6],
    )
    inside = found.surface
    for side, words_before, words_after in _SIDES:
        if words_before.search(before) or words_after.match(after) or words_before.match(inside):
            return side
    return ""


def _nouns(quantity: Quantity, after: Sequence[Token]) -> tuple[str, ...]:
    if quantity.kind != "plain":
        return ()
    end = quantity.span.end
    first = bisect_left(after, end, key=lambda token: token.span.start)
    nouns: list[str] = []
    for token in after[first : first + 2]:
        if token.span.start - end > NOUN_WITHIN or token.term[:1].isdigit():
            break
        nouns.append(token.term)
    return tuple(nouns)


def facts(text: str, language: str | None, shift: int = 0) -> tuple[Fact, ...]:
    """The facts of ``text`` in order, their spans moved by ``shift``. An opposite under a negation is given as its other side.

    >>> [(fact.kind, fact.text) for fact in facts("Not all of the 30 days count.", "en")]
    [('negation', 'Not'), ('quantifier', 'all'), ('number', '30 days')]
    """
    if not shift:
        return _facts(text, language)
    return tuple(
        replace(fact, span=fact.span.shift(shift), beside=tuple(span.shift(shift) for span in fact.beside))
        for fact in _facts(text, language)
    )
