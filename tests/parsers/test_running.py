"""Running heads and feet are found by what they are on every page; text is not."""

from __future__ import annotations

import pytest

from pincite.parsers.running import clean_pages, running_lines


@pytest.mark.parametrize(
    "pages",
    [
        [["Fees 2031", "One.", "1"], ["Fees 2031", "Two.", "2"]],
        [["Page 1 of 2", "One."], ["Page 2 of 2", "Two."]],
        [["One.", "- iii -"], ["Two.", "- iii -"]],
        [["One.", "iii"], ["Two.", "iv"]],
        [["12 Fees", "One."], ["Fees 13", "Two."], ["14 Fees", "Three."], ["Fees 15", "Four."]],
        [["One."], ["Fees", "Two."], ["Fees", "Three."]],
        [
            ["Vol. 85, No. 152, 6 August 2031, 47699", "One."],
            ["Vol. 85, No. 152, 6 August 2031, 47700", "Two."],
        ],
        [["Fees", "2031", "One."], ["Fees", "2031", "Two."]],
    ],
)
def test_what_stands_on_page_after_page_is_left_out(pages: list[list[str]]) -> None:
    assert clean_pages(pages) in ("One. Two.", "One. Two. Three.", "One. Two. Three. Four.")


@pytest.mark.parametrize(
    "pages",
    [
        [["Fee 10 EUR", "One."], ["Fee 12 EUR", "Two."]],
        [["Fees", "One."], ["Hours", "Two."]],
        [["One.", "Total", "Two."], ["Three.", "Four.", "Total"]],
        [["a", "b", "c", "Total", "d", "e", "f"], ["g", "h", "i", "Total", "j", "k", "l"]],
        [["One."]],
        [["Same page."], ["Same page."]],
        [[], [""]],
    ],
)
def test_text_is_not_taken_for_a_running_line(pages: list[list[str]]) -> None:
    assert running_lines(pages) == frozenset()


def test_a_sentence_over_two_pages_is_whole() -> None:
    pages = [["Fees 2031", "Adults and their"], ["Fees 2031", "children pay 5 EUR."]]
    assert clean_pages(pages) == "Adults and their children pay 5 EUR."


def test_a_word_broken_at_a_line_end_is_one_word() -> None:
    assert clean_pages([["Keep the infor-", "mation safe."]]) == "Keep the information safe."


def test_a_hyphen_that_the_pages_write_elsewhere_stays() -> None:
    assert (
        clean_pages([["A long-term plan. Any long-", "term plan."]])
        == "A long-term plan. Any long-term plan."
    )


def test_a_hyphen_before_a_capital_or_a_number_stays() -> None:
    assert clean_pages([["The COVID-", "19 plan of Baden-", "Baden."]]) == "The COVID-19 plan of Baden-Baden."
