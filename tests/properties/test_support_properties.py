from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.checks.rules import rules
from pincite.findings import Support
from pincite.ports import ClaimTask, Passage
from pincite.text.sentences import split_sentences

PIECES = st.sampled_from(
    "Refunds are paid within 30 days . Not all members pay 5 EUR ; except on 3 May 2024 , if late ! 退款 不 可 返品 は 14日 。 "
    "- | # * 1.5 % -3 °C 'x' é لا 30 يوما हाँ नहीं \u200d \u0301 \ud800 \n \n\n ``` ? No".split(" ")
)
TEXTS = st.lists(PIECES, max_size=25).map(" ".join) | st.text(max_size=60)


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS)
def test_every_span_lies_in_its_text_and_every_score_in_0_to_1(claim: str, passage: str) -> None:
    found = rules([ClaimTask(claim, (Passage("c-1", passage), Passage("c-2", "Refunds take 5 days.")))])[0]
    assert 0.0 <= found.score <= 1.0
    assert [one.id for one in found.passages] == ["c-1", "c-2"]
    for span in found.unsupported_words:
        assert span.end <= len(claim)
        assert len(span)
    for span in found.passages[0].spans:
        assert span.end <= len(passage)


@settings(max_examples=60, deadline=None)
@given(TEXTS)
def test_every_sentence_of_a_passage_is_supported_by_it(passage: str) -> None:
    for span in split_sentences(passage):
        sentence = span.of(passage)
        if any(char.isalnum() for char in sentence):
            found = rules([ClaimTask(sentence, (Passage("c-1", passage),))])[0]
            assert found.support in (Support.SUPPORTED, Support.UNCHECKED), sentence


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 400), st.integers(1, 400))
def test_a_changed_number_is_never_supported(claimed: int, said: int) -> None:
    text = f"The library lends each book for {said} days to members of the town."
    claim = f"Members may keep a book from the library for {claimed} days."
    found = rules([ClaimTask(claim, (Passage("c-1", text),))])[0]
    if claimed != said:
        assert found.support in (Support.CONTRADICTED, Support.UNSUPPORTED)


@settings(max_examples=30, deadline=None)
@given(TEXTS, TEXTS)
def test_the_same_input_gives_the_same_output(claim: str, passage: str) -> None:
    task = ClaimTask(claim, (Passage("c-1", passage),))
    assert rules([task]) == rules([task])
