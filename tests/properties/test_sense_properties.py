"""Joints, frames, limits and lists of a sentence: any text, and the same result for the same text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.checks.amounts import words_beside
from pincite.checks.frames import frames
from pincite.checks.listings import listings
from pincite.text.numbers import parse_quantities
from pincite.text.tables import find_cell
from pincite.types import Span

WORDS = st.lists(
    st.sampled_from(
        "only the following are supported : PDF , PNG and | - \n |---| 5 € per month at least it is false that "
        "because critics say 因为 之前 のみ まで または 以下の 最大 nur für bis zu 12,5 İ ﬁ \u0301 \0 \ud800".split(
            " "
        )
    ),
    max_size=30,
).map(" ".join)
LANGUAGES = st.sampled_from(("en", "de", "ja", "zh", None))


@settings(max_examples=60)
@given(WORDS, LANGUAGES)
def test_words_beside_amounts_and_frames_lie_in_their_text(text: str, language: str | None) -> None:
    for span in words_beside(text, parse_quantities(text, language=language), language):
        assert 0 <= span.start < span.end <= len(text)
    for frame in frames(text, language):
        assert 0 <= frame.span.start < frame.span.end <= len(text)
        assert 0 <= frame.inside.start <= frame.inside.end <= len(text)


@settings(max_examples=60)
@given(WORDS, LANGUAGES)
def test_a_complete_list_has_items_and_lies_in_its_text(text: str, language: str | None) -> None:
    for one in listings(text, language):
        assert not one.is_complete or one.items
        assert len(one.items) == len(one.terms)
        assert all(0 <= span.start <= span.end <= len(text) for span in one.spans)


@settings(max_examples=40)
@given(WORDS, WORDS)
def test_any_text_has_a_cell_or_none(text: str, claim: str) -> None:
    cell = find_cell(text, Span(0, len(text)), claim)
    assert cell is None or cell.row >= 1
