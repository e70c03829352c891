"""Properties of views, against a slow and obvious model: for each character its slice and its place in the origin."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.text.view import SEPARATOR, View
from pincite.types import Span


@st.composite
def slices(draw: st.DrawFn) -> tuple[str, list[Span]]:
    """A text and slices of it in any order, overlapping, empty or not, as context and chunk are."""
    origin = draw(st.text("abcde", max_size=12))
    ends = st.integers(0, len(origin))
    spans = [Span(*sorted((draw(ends), draw(ends)))) for _ in range(draw(st.integers(0, 3)))]
    return origin, spans


def places(spans: list[Span]) -> list[tuple[int, int | None]]:
    """For each character of the view: number of its slice, and place in the origin (``None`` for a separator)."""
    found: list[tuple[int, int | None]] = []
    for number, span in enumerate(span for span in spans if len(span)):
        if number:
            found.append((number, None))
        found += [(number, at) for at in range(span.start, span.end)]
    return found


def slow_back(spans: list[Span], span: Span) -> tuple[Span, ...]:
    by_slice: dict[int, list[int]] = {}
    for number, at in places(spans)[span.start : span.end]:
        if at is not None:
            by_slice.setdefault(number, []).append(at)
    return tuple(Span(found[0], found[-1] + 1) for found in by_slice.values())


def spans_of(length: int) -> list[Span]:
    return [Span(start, end) for start in range(length + 1) for end in range(start, length + 1)]


@given(slices())
@settings(max_examples=200)
def test_back_agrees_with_the_slow_model(given_slices: tuple[str, list[Span]]) -> None:
    origin, spans = given_slices
    view = View.joined([(span, span.of(origin)) for span in spans])
    assert len(places(spans)) == len(view.text)
    for span in spans_of(len(view.text)):
        assert view.back(span) == slow_back(spans, span)


@given(slices())
@settings(max_examples=100)
def test_a_view_is_the_words_at_the_places_it_gives_back(given_slices: tuple[str, list[Span]]) -> None:
    origin, spans = given_slices
    view = View.joined([(span, span.of(origin)) for span in spans])
    whole = view.back(Span(0, len(view.text)))
    assert SEPARATOR.join(place.of(origin) for place in whole) == view.text


def test_a_span_beyond_the_text_is_refused() -> None:
    with pytest.raises(ValueError, match="beyond a text of 3"):
        View.joined([(Span(5, 8), "abc")]).back(Span(2, 4))


def test_a_slice_must_be_as_long_as_its_text() -> None:
    with pytest.raises(ValueError, match="is 3 long, its text 2"):
        View.joined([(Span(5, 8), "ab")])
