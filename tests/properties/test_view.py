"""Properties of offset maps, against a slow and obvious model: one origin range for each character."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.text.view import View
from pincite.types import Span


@dataclass(frozen=True)
class Slow:
    """For each character of the view: its piece, and where in the origin it comes from."""

    chars: tuple[tuple[int, int, int], ...]

    def back(self, span: Span) -> tuple[Span, ...]:
        found: dict[int, list[tuple[int, int]]] = {}
        for piece, start, end in self.chars[span.start : span.end]:
            found.setdefault(piece, []).append((start, end))
        hulls = ((ranges[0][0], ranges[-1][1]) for ranges in found.values())
        return tuple(Span(start, end) for start, end in hulls if start < end)

    def apply(self, span: Span) -> tuple[Span, ...]:
        found: dict[int, list[int]] = {}
        for at, (piece, start, end) in enumerate(self.chars):
            if max(start, span.start) < min(end, span.end):
                found.setdefault(piece, []).append(at)
        return tuple(Span(places[0], places[-1] + 1) for places in found.values())


def slow(view: View) -> Slow:
    chars: list[tuple[int, int, int]] = []
    for segment, (start, end) in enumerate(zip(view.origin_starts, view.origin_ends, strict=True)):
        piece = sum(1 for first in view.pieces if first <= segment) - 1
        length = view.starts[segment + 1] - view.starts[segment]
        if length == end - start:
            chars += [(piece, start + i, start + i + 1) for i in range(length)]
        else:
            assert length == 1
            chars.append((piece, start, end))
    return Slow(tuple(chars))


@st.composite
def kept(draw: st.DrawFn, origin: str) -> View:
    """Characters dropped, doubled, merged and put in, as folding does."""
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    while at < len(origin):
        step = draw(st.sampled_from(("keep", "keep", "keep", "drop", "double", "merge", "put in")))
        if step == "drop":
            at += 1
            continue
        width = min(draw(st.integers(2, 3)), len(origin) - at) if step == "merge" else step != "put in"
        for _ in range(2 if step == "double" else 1):
            letters.append(origin[at] if width else "+")
            starts.append(at)
            ends.append(at + width)
        at += width
    return View.of_kept("".join(letters), starts, ends)


@st.composite
def joined(draw: st.DrawFn, origin: str) -> View:
    """Slices in any order, overlapping or not, as context and chunk are."""
    spans = [
        Span(*sorted((draw(st.integers(0, len(origin))), draw(st.integers(0, len(origin))))))
        for _ in range(draw(st.integers(0, 3)))
    ]
    return View.joined([(span, span.of(origin)) for span in spans], draw(st.sampled_from(("", "\n", " … "))))


origins = st.text("abcde", max_size=12)


@st.composite
def one_view(draw: st.DrawFn) -> View:
    origin = draw(origins)
    view = draw(st.one_of(st.just(View.of(origin)), kept(origin), joined(origin)))
    return draw(kept(view.text)).compose(view) if draw(st.booleans()) else view


@st.composite
def chain(draw: st.DrawFn) -> tuple[View, View, View]:
    """Three views, each of the text of the one before it; only the first may have pieces."""
    first = draw(one_view())
    second = draw(kept(first.text))
    return first, second, draw(kept(second.text))


def spans_of(length: int) -> list[Span]:
    return [Span(start, end) for start in range(length + 1) for end in range(start, length + 1)]


@given(one_view())
@settings(max_examples=150)
def test_back_and_apply_agree_with_the_slow_model(view: View) -> None:
    model = slow(view)
    assert len(model.chars) == len(view.text)
    for span in spans_of(len(view.text)):
        assert view.back(span) == model.back(span)
    for span in spans_of(12):
        assert view.apply(span) == model.apply(span)


@given(one_view())
@settings(max_examples=150)
def test_a_span_is_covered_again_after_going_back_and_forth(view: View) -> None:
    model = slow(view)
    for span in spans_of(len(view.text)):
        again = {
            at
            for place in view.back(span)
            for part in view.apply(place)
            for at in range(part.start, part.end)
        }
        kept_chars = {at for at in range(span.start, span.end) if model.chars[at][1] < model.chars[at][2]}
        assert kept_chars <= again


@given(chain())
@settings(max_examples=150)
def test_a_composed_view_goes_back_where_its_two_steps_go(views: tuple[View, View, View]) -> None:
    first, second, _ = views
    both = second.compose(first)
    assert both.text == second.text
    for at in range(len(both.text)):
        place = second.back(Span(at, at + 1))
        steps = first.back(place[0]) if place else ()
        assert both.back(Span(at, at + 1))[:1] == steps[:1] or not place


@given(st.data())
@settings(max_examples=200)
def test_composing_is_associative(data: st.DataObject) -> None:
    origin = data.draw(origins)
    first = data.draw(kept(origin))
    second = data.draw(kept(first.text))
    third = data.draw(kept(second.text))
    left = third.compose(second).compose(first)
    right = third.compose(second.compose(first))
    for span in spans_of(len(third.text)):
        assert left.back(span) == right.back(span)
    for span in spans_of(len(origin)):
        assert left.apply(span) == right.apply(span)


@given(one_view())
@settings(max_examples=100)
def test_every_place_lies_inside_the_texts_and_never_runs_backwards_in_a_piece(view: View) -> None:
    chars = slow(view).chars
    for (piece, start, end), (next_piece, next_start, next_end) in pairwise(chars):
        assert piece <= next_piece
        assert piece < next_piece or (start <= next_start and end <= next_end)


@given(st.text(max_size=30), st.data())
@settings(max_examples=100)
def test_a_joined_view_gives_back_the_words_of_each_piece(origin: str, data: st.DataObject) -> None:
    view = data.draw(joined(origin))
    for place in view.back(Span(0, len(view.text))):
        (*_, part) = view.apply(place)
        assert place.of(origin) in view.text
        assert len(part) >= 1
