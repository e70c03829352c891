"""Quantities of a text: values, units, bounds, ranges, dates, times, versions and labels."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pincite.text.numbers import Quantity, compare_quantities, parse_quantities, restates, same_quantity
from pincite.types import Span


def one(text: str, language: str | None = "en") -> Quantity:
    (quantity,) = parse_quantities(text, language=language)
    return quantity


def amounts(quantity: Quantity) -> set[Fraction | str]:
    return {reading.low for reading in quantity.readings}


# --- decimal and grouping signs


def test_a_literal_that_could_be_grouped_or_decimal_keeps_both_readings_without_a_language() -> None:
    assert amounts(one("1.234 km", None)) == {Fraction(1234000), Fraction(1234)}


def test_the_language_narrows_an_open_literal_to_one_reading() -> None:
    assert amounts(one("1.234 m", "en")) == {Fraction(1234, 1000), Fraction(1234000)}  # metres, or millions
    assert amounts(one("1.234 km", "de")) == {Fraction(1234000)}
    assert amounts(one("1,234 km", "de")) == {Fraction(1234)}


def test_regions_with_a_decimal_point_override_their_language() -> None:
    assert amounts(one("1.234 km", "es-MX")) == {Fraction(1234)}
    assert amounts(one("1'234.50 km", "de-CH")) == {Fraction(1234500)}


def test_the_last_of_two_signs_sets_off_the_decimals_in_every_language() -> None:
    for language in ("en", "de", None):
        assert amounts(one("1.234,5 kg", language)) == {Fraction(1234500)}
        assert amounts(one("1,234.5 kg", language)) == {Fraction(1234500)}


def test_a_leading_zero_or_a_short_tail_is_always_a_decimal() -> None:
    assert amounts(one("0.125 kg", "de")) == {Fraction(125)}
    assert amounts(one("1,5 kg", "en")) == {Fraction(1500)}


def test_indian_grouping_is_read() -> None:
    assert amounts(one("₹1,23,45,678")) == {Fraction(12345678)}


@pytest.mark.parametrize("text", ["٣٠ kg", "३० kg", "３０ kg", "৩০ kg", "๓๐ kg", "𝟛𝟘 kg"])
def test_digits_of_every_script_are_digits(text: str) -> None:
    assert amounts(one(text, None)) == {Fraction(30000)}


# --- spans


def test_the_span_covers_sign_currency_number_and_unit() -> None:
    assert [
        q.surface for q in parse_quantities("It fell to -12 °C and cost US$20 or 5 Mio. Euro.", language="de")
    ] == [
        "-12 °C",
        "US$20",
        "5 Mio. Euro",
    ]


def test_invisible_characters_and_entities_do_not_move_the_span() -> None:
    text = "max 2\u200b5&nbsp;MB now"
    (quantity,) = parse_quantities(text, language="en")
    assert quantity.span.of(text) == "2\u200b5&nbsp;MB"
    assert amounts(quantity) == {Fraction(200_000_000)}


def test_markdown_emphasis_between_number_and_unit_is_looked_through() -> None:
    assert one("within **30** days").kind == "duration"


def test_lower_case_letters_that_grow_do_not_move_the_span() -> None:
    assert one("İİİ 30 days", "tr").span == Span(4, 11)


# --- kinds


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("30", "plain"),
        ("30 %", "percent"),
        ("30 days", "duration"),
        ("30 months", "months"),
        ("30 business days", "working days"),
        ("30 MB", "data"),
        ("30 Mbit/s", "data rate"),
        ("30 km", "length"),
        ("30 kg", "mass"),
        ("30 ml", "volume"),
        ("30 ha", "area"),
        ("30 km/h", "speed"),
        ("30 °C", "temperature"),
        ("€30", "money"),
        ("30 percentage points", "percentage points"),
        ("2025-03-04", "date"),
        ("14:30", "time"),
        ("version 3.0", "version"),
        ("30th", "ordinal"),
        ("0030", "id"),
        ("1:3", "ratio"),
    ],
)
def test_a_quantity_knows_what_it_counts(text: str, kind: str) -> None:
    assert one(text).kind == kind


def test_a_year_and_twelve_months_are_one_dimension_and_days_another() -> None:
    assert same_quantity(one("1 year"), one("12 months"))
    assert not same_quantity(one("1 month"), one("30 days"))


def test_a_range_has_a_low_and_a_high_end_in_one_unit() -> None:
    (reading,) = one("10-20 days").readings
    assert (reading.low, reading.high) == (Fraction(864000), Fraction(1728000))


def test_two_parts_of_one_amount_are_added_up() -> None:
    assert same_quantity(one("1 h 30 min"), one("90 min"))
    assert same_quantity(one("5 ft 10 in."), one("70 inches"))


def test_an_article_before_a_unit_is_a_weak_quantity() -> None:
    assert one("a month").weak
    assert not one("one hundred").weak


def test_words_that_give_only_a_size_are_no_number() -> None:
    assert parse_quantities("millions of users", language="en") == ()


def test_short_words_that_are_also_months_are_read_beside_a_number_only() -> None:
    assert parse_quantities("You may march on.", language="en") == ()
    assert one("on 5 May").readings[0].low == "-----05-05"


def test_an_open_numeric_date_has_two_readings() -> None:
    assert amounts(one("03/04/2025", None)) == {"2025-04-03", "2025-03-04"}
    assert amounts(one("03/04/2025", "fr")) == {"2025-04-03"}


def test_a_number_glued_to_letters_is_a_label() -> None:
    assert [q.kind for q in parse_quantities("COVID-19, E-401, H2O and 3D", language="en")] == ["id"] * 4


def test_numbers_inside_addresses_are_not_quantities() -> None:
    assert parse_quantities("See https://example.org/a/30 or a30@example.org", language="en") == ()


def test_number_words_of_languages_outside_tier_1_are_not_guessed() -> None:
    assert parse_quantities("trenta giorni", language="it") == ()
    assert one("30 giorni", "it").kind == "duration"


# --- sameness


def test_bounds_agree_when_their_direction_does() -> None:
    assert same_quantity(one("up to 25 MB"), one("25 MB"))
    assert not same_quantity(one("up to 25 MB"), one("at least 25 MB"))
    assert not same_quantity(one("more than 25 MB"), one("25 MB"))


def test_rates_must_agree_where_both_have_one() -> None:
    assert same_quantity(one("$5 per month"), one("$5"))
    assert not same_quantity(one("$5 per month"), one("$5 a year"))
    assert same_quantity(one("5 GB/user"), one("5 GB per user"))


def test_signs_that_may_be_no_unit_do_not_make_two_units_the_same() -> None:
    assert not same_quantity(one("5 V"), one("5 W"))
    assert same_quantity(one("5 V"), one("5 volts"))


def test_rounding_needs_a_mark_fewer_digits_and_nearness() -> None:
    exact = one("4,523,000")
    assert restates(one("4.5 million"), exact)
    assert restates(one("about 4.5 million"), exact)
    assert not restates(one("4,500,000"), exact)
    assert not restates(one("4.6 million"), exact)
    assert not restates(one("5 million"), exact)


def test_rounding_goes_one_way() -> None:
    assert restates(one("4.5 million"), one("4,523,000"))
    assert not restates(one("4,523,000"), one("4.5 million"))


def test_a_date_may_be_restated_less_exactly_but_not_more() -> None:
    assert restates(one("March 2025"), one("4 March 2025"))
    assert not restates(one("4 March 2025"), one("March 2025"))


def test_texts_without_a_quantity_are_compared_as_texts() -> None:
    assert compare_quantities("no limit", "No  limit")
    assert not compare_quantities("no limit", "a limit")


def test_a_quantity_on_one_side_only_is_a_difference() -> None:
    assert not compare_quantities("30 days", "days")
    assert not compare_quantities("30 days and 5 files", "30 days")


def test_arabic_thousands_without_decimals_are_a_whole_number() -> None:
    (found,) = parse_quantities("١٬٢٣٤ كم", language="ar")
    assert found.numbers == (1234,)
