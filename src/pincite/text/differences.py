"""Word-level differences between the facts of a claim and those of its source, with reasons.

Both directions count: a fact that the claim adds or changes, and a condition of the source that it drops.
A further number in the source is no difference.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from unicodedata import normalize

from rapidfuzz import fuzz

from pincite.findings import Difference
from pincite.text.fact import Fact
from pincite.text.fold import fold
from pincite.text.lexicon import base_language
from pincite.text.quantity import Quantity, Reading, bounds_agree, restates, same_quantity
from pincite.text.scan import WORD
from pincite.text.side import Side
from pincite.text.small_words import differences_across_languages, small_word_differences
from pincite.text.units import unit_words

_NAME_LIKENESS = 60
"""rapidfuzz ratio (0-100) above which an unknown name is shown beside one of the source."""

_Stated = dict[Reading, list[Fact]]
_ALIKE = 64
"""Equal amounts kept apart by their bounds and rates."""
_LONGEST_NAME = 64


def fact_differences(
    claim_facts: tuple[Fact, ...],
    source_facts: tuple[Fact, ...],
    *,
    claim_text: str = "",
    source_text: str = "",
    claim_language: str | None = None,
    source_language: str | None = None,
) -> tuple[Difference, ...]:
    """What the claim says otherwise than the source, by place in the claim; dropped conditions last.

    Args:
        claim_facts, source_facts: Of ``facts``. Give the facts of the one or two sentences that the claim is
            judged by: every number of the source is taken as about the same subject.
        claim_text, source_text: The texts they are of. Without them names and small words are compared with the
            facts alone.
        claim_language, source_language: When both are given and differ, names are compared only where their
            writing is the same in both (acronyms, identifiers), and small words by their meaning alone.

    Returns:
        ``Difference.kind`` is the reason. ``source`` is empty when the source has nothing in its place,
        ``answer`` when the claim drops a condition.

    >>> from pincite.text.facts import facts
    >>> claim, source = "Refunds take 90 days.", "A refund takes 30 days."
    >>> [str(d) for d in fact_differences(facts(claim), facts(source), claim_text=claim, source_text=source)]
    ['answer says 90 days, source says 30 days']
    """
    across = bool(claim_language and source_language) and base_language(claim_language) != base_language(
        source_language
    )
    found = [
        *_quantity_differences(claim_facts, source_facts, source_text),
        *_weekday_differences(claim_facts, source_facts),
        *_name_differences(claim_facts, source_facts, source_text, across),
    ]
    claim = Side(claim_facts, claim_text, claim_language)
    source = Side(source_facts, source_text, source_language or claim_language)
    found += differences_across_languages(claim, source) if across else small_word_differences(claim, source)
    found = list(dict.fromkeys(found))
    return tuple(sorted(found, key=_place))


def _place(difference: Difference) -> tuple[bool, int, int, str]:
    own, other = difference.answer_span, difference.source_span
    return (own is None, own.start if own else 0, other.start if other else 0, difference.kind)


# --- quantities --------------------------------------------------------------------------------------


_COMPARED = 256
"""Quantities of the source that are looked through for a rounded, partial or near value; equal ones are all found."""
_REPORTED = 64
"""Most differences in quantities that are given: a text of thousands of numbers is hostile."""


def _quantity_differences(
    claim: tuple[Fact, ...], source: tuple[Fact, ...], source_text: str
) -> list[Difference]:
    theirs = [fact for fact in source if fact.quantity is not None]
    stated = _by_reading(theirs)
    matched = {id(other) for fact in claim if fact.quantity for other in _same(fact.quantity, stated)}
    first = theirs[:_COMPARED]
    free = [other for other in first if id(other) not in matched] or first
    found: list[Difference] = []
    for fact in claim:
        quantity = fact.quantity
        if quantity is None or _same(quantity, stated) or _is_stated(quantity, first, source_text):
            continue
        near = _nearest(quantity, free)
        other = near.quantity if near else None
        if quantity.weak and (other is None or not quantity.kind == other.kind == "ordinal"):
            continue
        found.append(
            Difference(
                _reason(quantity, other),
                _shown(quantity),
                _shown(other) if other else "",
                fact.span,
                near.span if near else None,
            )
        )
        if len(found) == _REPORTED:
            break
    return found


def _by_reading(found: list[Fact]) -> _Stated:
    table: _Stated = {}
    for fact in found:
        assert fact.quantity is not None
        for reading in fact.quantity.readings:
            entries = table.setdefault(reading, [])
            said = (fact.quantity.bound, fact.quantity.rate)
            if len(entries) < _ALIKE and all(
                (entry.quantity.bound, entry.quantity.rate) != said for entry in entries if entry.quantity
            ):
                entries.append(fact)
    return table


def _same(quantity: Quantity, stated: _Stated) -> list[Fact]:
    return [
        fact
        for reading in quantity.readings
        for fact in stated.get(reading, ())
        if fact.quantity is not None and same_quantity(quantity, fact.quantity)
    ]


def _shown(quantity: Quantity) -> str:
    """The surface, with the bound when it is one a reader would miss."""
    sign = {"<=": "at most ", ">=": "at least ", ">": "more than ", "<": "less than "}.get(quantity.bound, "")
    return sign + quantity.surface


def _is_stated(quantity: Quantity, theirs: list[Fact], source_text: str) -> bool:
    if quantity.kind == "id" and source_text and _is_written(quantity, source_text):
        return True
    for fact in theirs:
        other = fact.quantity
        assert other is not None
        if restates(quantity, other) or _is_end_of_range(quantity, other) or _is_year_of(quantity, other):
            return True
        if _is_label_of(quantity, other):
            return True
        if quantity.unit and not other.unit and set(quantity.numbers) & set(other.numbers) and source_text:
            if bounds_agree(quantity.bound, other.bound) and _names_unit(source_text, quantity.unit):
                return True
    return False


def _is_written(quantity: Quantity, source_text: str) -> bool:
    """Whether the label stands in the source with other signs between: PlayStation3, PlayStation 3."""
    label = str(quantity.readings[0].low)
    squeezed = _squeezed(source_text)
    at = squeezed.find(label)
    return at >= 0 and not (
        label[-1:].isdecimal() and squeezed[at + len(label) : at + len(label) + 1].isdecimal()
    )


@lru_cache(maxsize=1024)
def _squeezed(text: str) -> str:
    return "".join(WORD.findall(fold(text).low))


def _is_end_of_range(quantity: Quantity, other: Quantity) -> bool:
    """Whether it is an end of the range: "up to 20 days" of "10-20 days"."""
    for own in quantity.readings:
        for reading in other.readings:
            if reading.high is None or own.dimension != reading.dimension or own.high is not None:
                continue
            if (own.low == reading.high and quantity.bound == "<=") or (
                own.low == reading.low and quantity.bound == ">="
            ):
                return True
    return False


def _is_year_of(quantity: Quantity, other: Quantity) -> bool:
    """Whether it is the year of the other's date: "in 2024" of 6 May 2024."""
    if quantity.kind != "plain" or len(quantity.surface) != 4:
        return False
    return any(
        isinstance(reading.low, str) and reading.low[:4] == quantity.surface
        for reading in other.readings
        if reading.dimension == "date"
    )


def _is_label_of(quantity: Quantity, other: Quantity) -> bool:
    """Whether one is a label that ends in the other ("AES-256" and 256), or both number the same thing."""
    if quantity.kind not in ("plain", "id"):
        return False
    for own in quantity.readings:
        for reading in other.readings:
            if {own.dimension, reading.dimension} == {"plain", "id"}:
                number, label = (own.low, reading.low) if own.dimension == "plain" else (reading.low, own.low)
                if isinstance(label, str) and not isinstance(number, str) and number.denominator == 1:
                    digits = str(number.numerator)
                    if label.endswith(digits) and label[: -len(digits)].isalpha():
                        return True
            elif {own.dimension, reading.dimension} == {"ordinal", "plain"} and own.low == reading.low:
                return True
    return False


@lru_cache(maxsize=2048)
def _names_unit(text: str, unit: str) -> bool:
    """Whether a word for ``unit`` stands anywhere in ``text``: a table's heading, "duration in days: 30"."""
    low = fold(text).low
    dictionary = unit_words()
    return any(unit in dictionary.get(match[0], ()) for match in WORD.finditer(low))


def _nearest(quantity: Quantity, theirs: list[Fact]) -> Fact | None:
    """The source's quantity that stands in this one's place: same number, else same dimension and closest."""
    best: tuple[tuple[int, Fraction, int], Fact] | None = None
    for order, fact in enumerate(theirs):
        other = fact.quantity
        assert other is not None
        shared = quantity.dimensions & other.dimensions
        same_number = bool(set(quantity.numbers) & set(other.numbers)) and bool(quantity.unit or other.unit)
        money = quantity.kind == other.kind == "money"
        if not shared and not same_number and not money and quantity.kind != other.kind:
            continue
        if "id" in (quantity.kind, other.kind) and quantity.kind != other.kind:
            continue
        if _is_year(quantity) != _is_year(other) and other.kind != "date":
            continue
        rank = (
            0 if any(reading in other.readings for reading in quantity.readings) else 1 if same_number else 2
        )
        key = (rank, _distance(quantity, other), order)
        if best is None or key < best[0]:
            best = (key, fact)
    return best[1] if best else None


def _is_year(quantity: Quantity) -> bool:
    return quantity.kind == "plain" and len(quantity.surface) == 4 and quantity.surface.isdecimal()


def _distance(a: Quantity, b: Quantity) -> Fraction:
    """0 for equal amounts towards 1 for far ones; 1 when they cannot be compared."""
    distances = [
        abs(own.low - other.low) / (abs(own.low) + abs(other.low))
        for own in a.readings
        for other in b.readings
        if own.dimension == other.dimension
        and isinstance(own.low, Fraction)
        and isinstance(other.low, Fraction)
        and (own.low or other.low)
    ]
    return min(distances, default=Fraction(1))


def _reason(quantity: Quantity, near: Quantity | None) -> str:
    if quantity.kind in ("date", "time"):
        return "date"
    if near is None:
        return "currency" if quantity.kind == "money" else "number"
    if any(reading in near.readings for reading in quantity.readings):
        return "unit" if quantity.rate and near.rate and quantity.rate != near.rate else "comparator"
    if set(quantity.numbers) & set(near.numbers) and not quantity.dimensions & near.dimensions:
        return "currency" if quantity.kind == near.kind == "money" else "unit"
    if set(quantity.numbers) & set(near.numbers) and quantity.unit != near.unit:
        return "unit"
    return "number"


# --- weekdays and names -------------------------------------------------------------------------------


def _weekday_differences(claim: tuple[Fact, ...], source: tuple[Fact, ...]) -> Iterable[Difference]:
    days = [fact for fact in source if fact.value.startswith("weekday:")]
    said = {fact.value for fact in days}
    own = {fact.value for fact in claim if fact.value.startswith("weekday:")}
    for fact in claim:
        if fact.value.startswith("weekday:") and fact.value not in said:
            near = next((day for day in days if day.value not in own), days[0] if days else None)
            yield Difference(
                "date", fact.surface, near.surface if near else "", fact.span, near.span if near else None
            )


def _name_differences(
    claim: tuple[Fact, ...], source: tuple[Fact, ...], source_text: str, across: bool
) -> Iterable[Difference]:
    names = [fact for fact in source if fact.kind == "name"]
    known = (
        _name_words(source_text)
        if source_text
        else frozenset(word for fact in source for word in WORD.findall(fact.value))
    )
    own = {word for fact in claim if fact.kind == "name" for word in WORD.findall(fact.value)}
    squeezed = _squeezed(source_text) if source_text else "".join(sorted(known))
    for fact in claim:
        if fact.kind != "name":
            continue
        if across and not (
            fact.surface.isascii()
            and (fact.surface.isupper() or any(char in "_.()" for char in fact.surface))
        ):
            continue
        missing = [word for word in WORD.findall(fact.value) if not _is_known(word, known)]
        if not missing or "".join(WORD.findall(fact.value)) in squeezed:
            continue
        if _is_acronym_of(fact.surface, source_text):
            continue
        near = _like_name(
            " ".join(missing), [name for name in names if not set(WORD.findall(name.value)) <= own]
        )
        yield Difference(
            "name", fact.surface, near.surface if near else "", fact.span, near.span if near else None
        )


@lru_cache(maxsize=2048)
def _name_words(text: str) -> frozenset[str]:
    return frozenset(_without_accents(word) for word in WORD.findall(fold(text).low))


@lru_cache(maxsize=8192)
def _without_accents(word: str) -> str:
    """Khloe for Khloé: names are written with and without. Words are short, so composing them is cheap."""
    if word.isascii() or len(word) > _LONGEST_NAME:
        return word
    return "".join(char for char in normalize("NFD", word) if not "\u0300" <= char <= "\u036f")


def _is_known(word: str, known: frozenset[str]) -> bool:
    """Whether the word or another ending of it stands in the source ("Acme" for "Acme's", "Germans" for "German")."""
    bare = _without_accents(word.removesuffix("'s").removesuffix("'"))
    if bare in known or f"{bare}'s" in known or f"{bare}s" in known or f"{bare}n" in known:
        return True
    if bare[-1:] in "sn" and bare[:-1] in known and len(bare) > 3:
        return True
    return len(bare) < 2


def _is_acronym_of(surface: str, source_text: str) -> bool:
    """Whether the capitals of ``surface`` are the first letters of words that stand together in the source."""
    letters = surface.replace(".", "").lower()
    if not (2 <= len(letters) <= 8 and letters.isalpha() and surface.replace(".", "").isupper()):
        return False
    initials = "".join(
        word[0] for word in WORD.findall(fold(source_text).low) if word not in ("of", "the", "and", "for")
    )
    return letters in initials


def _like_name(missing: str, names: list[Fact]) -> Fact | None:
    scored = [(fuzz.ratio(missing, fact.value), -order, fact) for order, fact in enumerate(names)]
    if not scored:
        return None
    score, _, best = max(scored, key=lambda item: item[:2])
    return best if score >= _NAME_LIKENESS or len(names) == 1 else None
