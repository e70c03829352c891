"""Meanings of any text: in order, inside it, and the same again."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.text.lexicon import TIER1, load_lexicon
from pincite.text.synonyms import meanings

_ENTRIES = tuple(
    phrase.replace(" … ", " das Paket ")
    for groups in load_lexicon("synonyms")["groups"].values()
    for phrases in groups.values()
    for phrase in phrases[:2]
)
_TEXTS = st.lists(
    st.one_of(st.text(max_size=12), st.sampled_from(_ENTRIES), st.sampled_from(" .,\u00ad\u0301 zurück und")),
    max_size=12,
).map("".join)


@settings(max_examples=60, deadline=None)
@given(text=_TEXTS, language=st.sampled_from(TIER1))
def test_meanings_stand_inside_their_text_in_order_without_overlap(text: str, language: str) -> None:
    found = meanings(text, language)
    for meaning in found:
        assert 0 <= meaning.span.start < meaning.span.end <= len(text)
        assert meaning.surface.startswith(meaning.span.of(text))
        assert meaning.group.startswith(f"{language}:")
        assert meaning.tail is None or meaning.span.end <= meaning.tail.start < meaning.tail.end <= len(text)
    spans = sorted({meaning.span for meaning in found})
    assert all(one.end <= other.start for one, other in pairwise(spans))
    assert [meaning.span for meaning in found] == sorted(meaning.span for meaning in found)
    assert meanings(text, language) == found
