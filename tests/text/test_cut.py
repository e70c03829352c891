"""Where a text is cut."""

from __future__ import annotations

import pytest

from pincite.text.cut import between_words, cut, fixed_windows
from pincite.text.locate import locate_in_order
from pincite.types import Span


def pieces(text: str, limit: int, stops: tuple[int, ...] = ()) -> list[str]:
    return [piece.of(text) for piece in cut(text, Span(0, len(text)), stops, first_limit=limit, limit=limit)]


@pytest.mark.parametrize(
    ("text", "limit", "stops", "expected"),
    [
        ("Ab cd. Ef gh.", 10, (0, 7), ["Ab cd.", "Ef gh."]),
        ("ab\ncd ef", 7, (), ["ab", "cd ef"]),
        ("ab cd ef", 6, (), ["ab cd", "ef"]),
        ("abcdefgh", 3, (), ["abc", "def", "gh"]),
        ("我们在这里。你们在那里", 8, (), ["我们在这里。", "你们在那里"]),
        ("e\u0301e\u0301e\u0301", 3, (), ["e\u0301", "e\u0301", "e\u0301"]),
        ("👩\u200d👧👩\u200d👧", 4, (), ["👩\u200d👧", "👩\u200d👧"]),
        ("- one long sentence that goes on", 24, (2,), ["- one long sentence that", "goes on"]),
    ],
)
def test_the_best_place_near_the_limit_is_taken(
    text: str, limit: int, stops: tuple[int, ...], expected: list[str]
) -> None:
    assert pieces(text, limit, stops) == expected


def test_a_flood_of_marks_is_cut_all_the_same() -> None:
    assert all(len(piece) <= 100 for piece in pieces("a" + "\u0301" * 1000, 100))


def test_thai_vowels_stay_with_their_consonant() -> None:
    text = "ไทยเเก"
    assert [at for at in range(1, 6) if between_words(text, at)] == [2, 3]


def test_windows_of_a_script_without_blanks_end_at_a_mark() -> None:
    text = "我们在这里。你们在那里。他们在家里。"
    assert [window.of(text) for window in fixed_windows(text, 8, 2)] == [
        "我们在这里。",
        "你们在那里。",
        "他们在家里。",
    ]


# --- passages that were cut elsewhere -----------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "passages", "starts"),
    [
        ("a b a b", ["a b", "a b"], [0, 4]),
        ("Closed. Fees. Closed.", ["Closed.", "Closed."], [0, 14]),
        ("x a b a b c", ["x a b", "a b a b c"], [0, 2]),
        ("one two", ["one", "three", "two"], [0, None, 4]),
        ("one two", ["", "two"], [None, 4]),
        ("a\n\n\nb", ["a", "\nb"], [0, 3]),
        ("aaa", ["aa", "aa"], [0, 1]),
    ],
)
def test_passages_are_found_in_their_order(text: str, passages: list[str], starts: list[int | None]) -> None:
    assert [span.start if span else None for span in locate_in_order(text, passages)] == starts
