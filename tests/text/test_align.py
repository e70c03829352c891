"""Finding the passage most like a quote, and what differs in it."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.text.align import LONGEST_QUOTE, diff, find_passages, similarity
from pincite.text.changes import compare
from pincite.text.figures import compare_figures, numbers_agree
from pincite.text.literals import find_literals, same_literal
from pincite.text.meaning import are_opposites
from pincite.types import Span

TEXT = "thequickbrownfoxjumpsoverthelazydogandthenthecatsatonthematnexttothedog"


def same_quantity(a: str, b: str, language: str | None = None) -> bool:
    first, second = find_literals(a, language), find_literals(b, language)
    return bool(first) and len(first) == len(second) and all(map(same_literal, first, second))


def best(quote: str, letters: str) -> str:
    passages = find_passages(quote, letters)
    return letters[passages[0].start : passages[0].end] if passages else ""


def test_a_passage_with_typos_is_found_from_end_to_end() -> None:
    assert best("quikbrownfoxjumsoverthelazydog", TEXT) == "quickbrownfoxjumpsoverthelazydog"


def test_a_passage_with_a_word_left_out_is_found_from_end_to_end() -> None:
    assert best("thecatsatonthematthedog", TEXT) == "thecatsatonthematnexttothedog"


def test_of_two_places_for_the_first_word_the_one_beside_the_rest_is_taken() -> None:
    assert (
        best("thetowerwasbuiltin1889inparis", "withthethetowerwasbuiltin1888inparis")
        == "thetowerwasbuiltin1888inparis"
    )


def test_nothing_alike_is_nothing() -> None:
    assert find_passages("zzzzqqqqxxxxjjjjvvvv", TEXT) == ()
    assert find_passages("a", "") == ()


def test_the_better_of_two_look_alikes_comes_first() -> None:
    letters = "feeisfiveeurosforallmembers" + "x" * 80 + "feeisfiveeurosforallguests"
    assert best("feeisfiveeurosforalguests", letters) == "feeisfiveeurosforallguests"


def test_a_quote_of_book_length_is_not_compared() -> None:
    assert find_passages("a" * (LONGEST_QUOTE + 1), "a" * LONGEST_QUOTE) == ()


@settings(max_examples=60)
@given(st.text("abc", max_size=25), st.text("abc", max_size=25))
def test_similarity_is_the_length_of_the_longest_common_subsequence(one: str, other: str) -> None:
    lengths = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            lengths[i + 1][j + 1] = lengths[i][j] + 1 if a == b else max(lengths[i][j + 1], lengths[i + 1][j])
    total = len(one) + len(other)
    assert similarity(one, other) == pytest.approx(2 * lengths[-1][-1] / total if total else 1.0)


@settings(max_examples=100)
@given(st.lists(st.sampled_from("abcd"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12))
def test_a_diff_turns_one_list_into_the_other(one: list[str], other: list[str]) -> None:
    made, place = [], 0
    for a1, a2, b1, b2 in diff(one, other):
        made += one[place:a1] + other[b1:b2]
        place = a2
        assert one[a1:a2] != other[b1:b2]
    assert made + one[place:] == other
    assert (diff(one, other) == []) == (difflib.SequenceMatcher(None, one, other).ratio() == 1)


# --- quantities ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1 GB", "1000 MB"), ("1 GiB", "1024 MiB"), ("8 Gb", "1 GB"), ("1.5 h", "90 minutes"), ("1 h 30 min", "90 min"), ("25 %", "0.25"),
        ("50%", "50 percent"), ("1,234.5 euros", "1.234,5 euros"), ("$1.2 million", "$1,200,000"), ("2.5 km", "2,500 metres"), ("3 t", "3000 kg"),
        ("10-20 days", "10–20 days"), ("3 weeks", "21 days"), ("٣٠ days", "30 days"), ("−5 °C", "-5 °C"),
    ],
)  # fmt: skip
def test_equal_quantities(one: str, other: str) -> None:
    assert same_quantity(one, other)
    assert same_quantity(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1 GB", "100 MB"), ("1 Gb", "1 GB"), ("1 GiB", "1 GB"), ("1.5", "15"), ("-3.2", "3.2"), ("1:3", "13"), ("0.05", "0.5"), ("$5", "€5"),
        ("5%", "5"), ("7 %", "7"), ("version 2.10", "version 2.1"), ("10²", "102"), ("5 kg", "5 km"), ("30 days", "30 weeks"), ("> 5", "< 5"),
        (">5", ">=5"), ("36 hours", "36 days"), ("12,345 yen", "12.345 dollars"), ("3 miles", "3 km"), ("two", "three"),
    ],
)  # fmt: skip
def test_unequal_quantities(one: str, other: str) -> None:
    assert not same_quantity(one, other)


def test_an_ambiguous_literal_is_read_by_language() -> None:
    assert same_quantity("1.234 EUR", "1234 EUR", "de")
    assert not same_quantity("1.234 EUR", "1234 EUR", "en")


def test_a_literal_holds_its_sign_currency_and_unit() -> None:
    text = "from -3 °C to US$ 1.5 million and 25 %"
    assert [text[one.start : one.end] for one in find_literals(text)] == ["-3 °C", "US$ 1.5 million", "25 %"]


def test_numbers_that_are_written_alike_need_no_reading() -> None:
    assert compare_figures("5 days, 3 EUR", "5 days; 3 EUR", None).ours == ()
    assert numbers_agree("mil-\nlion 5", "million 5", None) is True


# --- changes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quote", "source", "kinds"),
    [
        ("we take shoes", "we accept shoes", ["word"]),
        ("we take old shoes", "we take shoes", ["word"]),
        ("long-term plan", "long-\nterm plan", []),
        ("the plan [3]", "the plan", ["number"]),
        ("the plan", "the plan [3]", []),
        ("it is possible", "it is impossible", ["negation"]),
        ("with a fee", "without a fee", ["negation"]),
        ("30 working days", "30 days", ["number", "unit"]),
        ("met Ana there", "met Eva there", ["name"]),
    ],
)
def test_the_kind_of_what_changed(quote: str, source: str, kinds: list[str]) -> None:
    assert [one.kind for one in compare(quote, source, source, 0, None).differences] == kinds


def test_a_word_in_another_place_is_noticed() -> None:
    assert compare("shoes we take back", "we take shoes back", "we take shoes back", 0, None).moved


def test_spans_of_a_difference_are_in_the_whole_text() -> None:
    text = "Here: we accept shoes."
    (difference,) = compare("we take shoes", text[6:21], text, 6, None).differences
    assert difference.source_span == Span(9, 15)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rises", "fell"),
        ("mehr", "weniger"),
        ("größte", "kleinste"),
        ("antes", "después"),
        ("avec", "sans"),
        ("больше", "меньше"),
        ("useless", "useful"),
    ],
)
def test_opposites(one: str, other: str) -> None:
    assert are_opposites(one, other)
