"""Properties of quantities and facts: no text raises, spans lie inside, comparison is an equivalence of amounts."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.text.facts import fact_differences, facts
from pincite.text.lexicon import TIER1
from pincite.text.numbers import compare_quantities, parse_quantities, restates, same_quantity
from pincite.text.units import UNITS, convert

LANGUAGES = st.sampled_from([*TIER1, "it", "ko", None])
PIECES = st.sampled_from(
    "5 30 1.5 1,234 1.234 ½ 0012 2025-03-04 14:30 3pm - – + ( ) % € $ USD kg MB GiB days months h min m °C and to of per up at least"
    " more than not only except million m bn thirty twenty-five half a one two thirds first Uhr Tage zwei Mio. eine halbe millón y media"
    " jours quatre-vingt demi 三 十 百 万 亿 年 月 日 半 个 分之 第 以内 円 元 時 分 ٣٠ يوم ألف و ثلاثة तीन लाख साढ़े दिन May March 5 v2.10 AES-256 . , : ; / x".split()
)
SOUP = st.lists(PIECES, max_size=14).flatmap(lambda parts: st.sampled_from([" ".join(parts), "".join(parts)]))
TEXTS = st.one_of(st.text(max_size=80), SOUP)


@settings(max_examples=250, deadline=None)
@given(TEXTS, LANGUAGES)
def test_no_text_raises_and_every_span_gives_its_surface(text: str, language: str | None) -> None:
    end = 0
    for quantity in parse_quantities(text, language=language):
        assert end <= quantity.span.start <= quantity.span.end <= len(text)
        assert quantity.span.of(text) == quantity.surface
        assert quantity.readings
        end = quantity.span.end
    for fact in facts(text, language=language):
        assert 0 <= fact.span.start <= fact.span.end <= len(text)
        assert fact.span.of(text) == fact.surface


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS, LANGUAGES)
def test_sameness_is_reflexive_and_symmetric(a: str, b: str, language: str | None) -> None:
    ours, theirs = parse_quantities(a, language=language), parse_quantities(b, language=language)
    for quantity in (*ours, *theirs):
        assert same_quantity(quantity, quantity)
        assert restates(quantity, quantity)
    for one in ours:
        for other in theirs:
            assert same_quantity(one, other) == same_quantity(other, one)


@settings(max_examples=100, deadline=None)
@given(TEXTS, LANGUAGES)
def test_a_text_says_the_same_quantities_as_itself(text: str, language: str | None) -> None:
    assert compare_quantities(text, text, claim_language=language, source_language=language)


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS, LANGUAGES)
def test_differences_of_any_two_texts_point_into_them(claim: str, source: str, language: str | None) -> None:
    found = fact_differences(
        facts(claim, language=language),
        facts(source, language=language),
        claim_text=claim,
        source_text=source,
        claim_language=language,
        source_language=language,
    )
    for difference in found:
        assert difference.answer or difference.source
        if difference.answer_span is not None:
            assert difference.answer_span.end <= len(claim)
        if difference.source_span is not None:
            assert difference.source_span.end <= len(source)


@settings(max_examples=100, deadline=None)
@given(TEXTS, LANGUAGES)
def test_a_text_has_no_difference_from_itself(text: str, language: str | None) -> None:
    found = facts(text, language=language)
    assert (
        fact_differences(
            found, found, claim_text=text, source_text=text, claim_language=language, source_language=language
        )
        == ()
    )


DIMENSIONS = sorted({unit.dimension for unit in UNITS.values()})


@settings(max_examples=150, deadline=None)
@given(st.data(), st.fractions(0, 10**6), st.fractions(0, 10**6))
def test_conversion_keeps_order_within_a_unit(data: st.DataObject, a: Fraction, b: Fraction) -> None:
    name = data.draw(st.sampled_from(sorted(UNITS)))
    assert (convert(name, a)[1] < convert(name, b)[1]) == (a < b)


@settings(max_examples=150, deadline=None)
@given(st.data(), st.integers(1, 10**6))
def test_an_amount_equals_its_conversion_and_no_other_amount_of_that_unit(
    data: st.DataObject, number: int
) -> None:
    dimension = data.draw(
        st.sampled_from(["duration", "months", "data", "length", "mass", "volume", "energy"])
    )
    names = sorted(name for name, unit in UNITS.items() if unit.dimension == dimension)
    first, second = data.draw(st.sampled_from(names)), data.draw(st.sampled_from(names))
    _, base = convert(first, Fraction(number))
    other = base / UNITS[second].factor
    assert convert(second, other) == convert(first, Fraction(number))
    assert convert(second, other + 1) != convert(first, Fraction(number))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(["MB", "kg", "km", "days", "€", "%", "hours"]))
def test_a_written_amount_is_read_back_exactly_and_a_changed_digit_is_another(number: int, unit: str) -> None:
    grouped = f"{number:,}"
    assert compare_quantities(f"{grouped} {unit}", f"{number} {unit}")
    assert not compare_quantities(f"{number + 1} {unit}", f"{number} {unit}")
    german = grouped.replace(",", ".")
    assert compare_quantities(f"{grouped} {unit}", f"{german} {unit}", source_language="de")
