"""Units and currencies: exact factors, checked against outside tables when these are installed."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pincite.text.lexicon import TIER1, load_lexicon
from pincite.text.units import CURRENCY_CODES, CURRENCY_SIGNS, SYMBOLS, UNITS, convert, unit_words

# Our names in the words of pint; those that pint defines otherwise on purpose are left out.
_PINT = {
    "second": "second", "minute": "minute", "hour": "hour", "day": "day", "week": "week", "ms": "millisecond",
    "metre": "meter", "km": "kilometer", "cm": "centimeter", "mm": "millimeter", "inch": "inch", "foot": "foot",
    "yard": "yard", "mile": "mile", "nautical_mile": "nautical_mile", "gram": "gram", "kg": "kilogram",
    "tonne": "metric_ton", "ounce": "ounce", "pound": "pound", "stone": "stone", "short_ton": "short_ton",
    "litre": "liter", "ml": "milliliter", "gallon": "gallon", "imp_gallon": "imperial_gallon", "quart": "quart",
    "pint": "pint", "imp_pint": "imperial_pint", "fl_oz": "fluid_ounce", "m3": "meter**3", "cubic_foot": "foot**3",
    "m2": "meter**2", "hectare": "hectare", "sq_foot": "foot**2", "sq_mile": "mile**2", "km/h": "kilometer/hour",
    "mph": "mile/hour", "knot": "knot", "watt": "watt", "kWh": "kilowatt_hour", "joule": "joule", "hPa": "hectopascal",
    "bar": "bar", "Kibyte": "kibibyte", "Mibyte": "mebibyte", "Gbyte": "gigabyte", "Gbit": "gigabit", "byte": "byte",
    "GHz": "gigahertz",
}  # fmt: skip
_BASES = {"duration": "second", "length": "meter", "mass": "gram", "volume": "liter", "area": "meter**2", "speed": "meter/second",
          "power": "watt", "energy": "joule", "pressure": "pascal", "data": "bit", "frequency": "hertz"}  # fmt: skip


@pytest.mark.parametrize(("name", "theirs"), _PINT.items())
def test_factors_agree_with_pint(name: str, theirs: str) -> None:
    pint = pytest.importorskip("pint", reason="pint is an oracle for factors; not installed")
    registry = pint.UnitRegistry(non_int_type=Fraction)
    unit = UNITS[name]
    expected = registry.Quantity(Fraction(1), theirs).to(_BASES[unit.dimension]).magnitude
    assert unit.factor == pytest.approx(Fraction(expected), rel=1e-6)


def test_temperatures_convert_with_their_offset() -> None:
    assert convert("celsius", Fraction(20)) == convert("fahrenheit", Fraction(68))
    assert convert("celsius", Fraction(-40)) == convert("fahrenheit", Fraction(-40))
    assert convert("kelvin", Fraction(0)) == convert("celsius", Fraction(-27315, 100))


def test_binary_and_decimal_prefixes_are_apart() -> None:
    assert convert("Gibyte", Fraction(1)) == convert("Mibyte", Fraction(1024))
    assert convert("Gbyte", Fraction(1)) == convert("Mbyte", Fraction(1000))
    assert convert("Gibyte", Fraction(1)) != convert("Gbyte", Fraction(1))


def test_a_byte_is_eight_bits() -> None:
    assert convert("Gbit", Fraction(8)) == convert("Gbyte", Fraction(1))


def test_every_name_in_the_word_list_is_a_unit_or_a_currency() -> None:
    names = {name for names in unit_words().values() for name in names}
    unknown = {name for name in names if name not in UNITS and not name.startswith("money:")}
    assert unknown == set()
    assert {name[6:9] for name in names if name.startswith("money:")} <= CURRENCY_CODES


def test_every_sign_names_known_units() -> None:
    assert {name for names in SYMBOLS.values() for name in names} <= set(UNITS)
    assert {code for codes in CURRENCY_SIGNS.values() for code in codes} <= CURRENCY_CODES


@pytest.mark.parametrize("language", TIER1)
def test_each_tier_1_language_has_words_for_the_common_units(language: str) -> None:
    units = load_lexicon("unit_words")["units"]
    common = (
        "second",
        "minute",
        "hour",
        "week",
        "month",
        "percent",
        "km",
        "kg",
        "litre",
        "money:EUR",
        "money:USD",
    )
    assert [name for name in common if language not in units[name]] == []


@pytest.mark.parametrize(
    "name",
    [
        "unit_words",
        "number_words",
        "months",
        "bounds",
        "rates",
        "negation",
        "quantifiers",
        "modality",
        "opposites",
    ],
)
def test_every_data_file_says_where_it_comes_from_and_its_shape(name: str) -> None:
    data = load_lexicon(name)
    assert data["source"]
    assert data["shape"]


def test_month_names_agree_with_babel() -> None:
    dates = pytest.importorskip("babel.dates", reason="babel is an oracle for names; not installed")
    ours = load_lexicon("months")["months"]
    for language in (
        "en",
        "de",
        "es",
        "fr",
        "it",
        "pt",
        "nl",
        "ru",
        "pl",
        "tr",
        "sv",
        "ro",
        "da",
        "cs",
        "id",
        "uk",
    ):
        names = dates.get_month_names("wide", context="format", locale=language)
        missing = [
            names[number].lower()
            for number in range(1, 13)
            if names[number].lower() not in ours[language][number - 1]
        ]
        assert missing == [], language


def test_weekday_names_agree_with_babel() -> None:
    dates = pytest.importorskip("babel.dates", reason="babel is an oracle for names; not installed")
    ours = load_lexicon("months")["weekdays"]
    for language in TIER1:
        names = dates.get_day_names("wide", locale=language)
        missing = [
            names[number].lower()
            for number in range(7)
            if names[number].lower() not in ours[language][number]
        ]
        assert missing == [], language
