"""Boxes as the reader sees the page, and characters printed once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.parsers.boxes import PageFrame, PlacedChar, Rect, bbox_to_view, dedupe_chars

BOX = (72.0, 700.0, 200.0, 712.0)


@pytest.mark.parametrize(
    ("rotate", "view"),
    [
        (0, (72, 80, 200, 92)),
        (90, (700, 72, 712, 200)),
        (180, (412, 700, 540, 712)),
        (270, (80, 412, 92, 540)),
        (-90, (80, 412, 92, 540)),
        (450, (700, 72, 712, 200)),
    ],
)
def test_a_box_turns_with_its_page(rotate: int, view: Rect) -> None:
    assert bbox_to_view(PageFrame(612, 792, rotate), BOX) == view


def test_a_box_is_counted_from_the_crop_box() -> None:
    frame = PageFrame(612, 792, crop=(50, 100, 550, 750))
    assert bbox_to_view(frame, BOX) == (22, 38, 150, 50)


def test_a_box_from_the_top_left_gives_the_same_view() -> None:
    frame = PageFrame(612, 792, rotate=90, crop=(50, 100, 550, 750))
    assert bbox_to_view(frame, (72, 80, 200, 92), "top-left") == bbox_to_view(frame, BOX)


def test_corners_may_come_in_any_order() -> None:
    assert bbox_to_view(PageFrame(612, 792), (200, 712, 72, 700)) == bbox_to_view(PageFrame(612, 792), BOX)


numbers = st.integers(0, 500)


@given(numbers, numbers, numbers, numbers, st.sampled_from((0, 90, 180, 270)))
def test_the_view_keeps_the_size_of_a_box(x0: int, y0: int, x1: int, y1: int, rotate: int) -> None:
    left, top, right, bottom = bbox_to_view(PageFrame(500, 500, rotate), (x0, y0, x1, y1))
    assert sorted((right - left, bottom - top)) == sorted((abs(x1 - x0), abs(y1 - y0)))
    assert 0 <= left <= right <= 500
    assert 0 <= top <= bottom <= 500


def text(*chars: tuple[str, float, float], tolerance: float = 1.0) -> str:
    return "".join(char.char for char in dedupe_chars([PlacedChar(*char) for char in chars], tolerance))


def test_a_letter_printed_twice_at_one_place_is_one() -> None:
    assert text(("A", 0, 0), ("A", 0.4, 0), ("b", 8, 0), ("b", 8, 0.4)) == "Ab"


def test_a_word_printed_twice_is_one_word() -> None:
    assert text(("A", 0, 0), ("b", 8, 0), ("A", 0.4, 0), ("b", 8.4, 0)) == "Ab"


def test_doubled_letters_of_a_word_stay() -> None:
    assert text(("l", 0, 0), ("l", 3, 0)) == "ll"


def test_other_letters_and_other_lines_stay() -> None:
    assert text(("A", 0, 0), ("B", 0.4, 0), ("A", 0, 12)) == "ABA"


def test_places_on_both_sides_of_zero_are_near() -> None:
    assert text(("A", -0.2, 0), ("A", 0.2, 0)) == "A"


def test_without_tolerance_only_the_very_place_counts() -> None:
    assert text(("A", 0, 0), ("A", 0, 0), ("A", 0.1, 0), tolerance=0) == "AA"
