"""Pages of spans."""

from __future__ import annotations

import pytest

from pincite.text.pages import PageIndex, form_feed_pages
from pincite.types import Page, Span

TEXT = "one\ftwo\f\fthree"


def pages(start: int, end: int, index: PageIndex | None = None) -> tuple[int, int] | None:
    found = (index or PageIndex(form_feed_pages(TEXT))).of(Span(start, end))
    return (found[0].index, found[1].index) if found else None


def test_a_form_feed_ends_a_page_and_is_on_none() -> None:
    assert [page.span.of(TEXT) for page in form_feed_pages(TEXT)] == ["one", "two", "", "three"]
    assert form_feed_pages("no pages") == ()
    assert [page.label for page in form_feed_pages("a\f")] == ["1"]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, 3, (0, 0)),
        (0, 4, (0, 0)),
        (0, 5, (0, 1)),
        (3, 5, (1, 1)),
        (3, 4, (0, 0)),
        (5, 12, (1, 3)),
        (7, 10, (3, 3)),
        (0, 14, (0, 3)),
    ],
)
def test_the_pages_are_those_of_the_first_and_last_character(
    start: int, end: int, expected: tuple[int, int]
) -> None:
    assert pages(start, end) == expected


def test_a_span_in_a_gap_is_on_the_page_before_it() -> None:
    index = PageIndex((Page(0, Span(2, 4)), Page(1, Span(8, 9))))
    assert pages(5, 7, index) == (0, 0)
    assert pages(0, 1, index) == (0, 0)
    assert pages(9, 20, index) == (1, 1)


def test_without_pages_there_is_no_page() -> None:
    assert PageIndex(()).of(Span(0, 3)) is None
