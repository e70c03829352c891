"""Sentences, blocks and words keep their promises on any text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.text.blocks import BlockKind, blocks
from pincite.text.sentences import split_sentences
from pincite.text.words import content_words, detect_language, fold, terms, tokens, words

PIECES = [
    *("Fees are low. ", "Is it free? ", "Dr. Ames ", "No. 5 ", "am 29. Juli ", "z. B. ", "3.5 kg ", "e.g. ", "U.S. ", "etc. ", "退款期限为三十天。", "「はい。」と", "क्या? हाँ। ", "هل؟ نعم. ", "ไทย ภาษา "),
    *("\n", "\n\n", "\r\n", "\f", "\u2028", "\n- ", "\n2. ", "\n## ", "\n> ", "\n```\n", "\n| a | b |\n|---|---|\n", "\n---\n", "\t", "\u00a0", "\u3000", " "),
    *(".", "!", "…", "。", "\"", "“", "”", "(", ")", "*", "_", "`", "|", "#", "é", "\u0301", "\u00ad", "🎈", "👩‍👩‍👧", "\ud800", "\0", "\u202e", "İ", "ß", "ﬁ", "½"),
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=20).map("".join) | st.text(max_size=80)


@settings(max_examples=200)
@given(texts)
def test_sentences_are_ordered_trimmed_and_inside(text: str) -> None:
    at = 0
    for span in split_sentences(text):
        assert at <= span.start < span.end <= len(text)
        assert span.of(text) == span.of(text).strip()
        at = span.end


@settings(max_examples=200)
@given(texts)
def test_sentences_lose_nothing_but_white_space_and_block_signs(text: str) -> None:
    kept = {at for span in split_sentences(text) for at in range(span.start, span.end)}
    signs = {
        at
        for block in blocks(text)
        for at in range(block.span.start, block.span.end)
        if not block.body.start <= at < block.body.end
    }
    lost = [char for at, char in enumerate(text) if at not in kept and at not in signs and not char.isspace()]
    assert not [char for char in lost if char != ">"]  # an empty line of a quotation is in no block


@settings(max_examples=150)
@given(texts)
def test_blocks_are_ordered_and_hold_their_bodies(text: str) -> None:
    at = 0
    for block in blocks(text):
        assert at <= block.span.start <= block.span.end <= len(text)
        assert block.span.contains(block.body)
        assert block.body.start < block.body.end or block.kind in (
            BlockKind.RULE,
            BlockKind.TABLE_RULE,
            BlockKind.HEADING,
            BlockKind.LIST_ITEM,
        )
        at = block.span.end


@settings(max_examples=150)
@given(texts, st.sampled_from([None, "en", "de", "ja", "th", "ar"]))
def test_splitting_twice_gives_the_same(text: str, language: str | None) -> None:
    assert split_sentences(text, language=language) == split_sentences(text, language=language)


@settings(max_examples=200)
@given(texts)
def test_words_give_their_surface_back(text: str) -> None:
    at = 0
    for span, surface in words(text):
        assert at <= span.start < span.end <= len(text)
        assert span.of(text) == surface
        at = span.end


@settings(max_examples=200)
@given(texts, st.sampled_from([None, "en", "de", "ja", "ru"]))
def test_tokens_are_the_terms_in_order(text: str, language: str | None) -> None:
    found = tokens(text, language)
    assert tuple(token.term for token in found) == terms(text, language)
    assert all(0 <= token.span.start < token.span.end <= len(text) for token in found)
    assert set(content_words(text, language)) <= set(found)


@settings(max_examples=200)
@given(texts)
def test_terms_are_folded_and_splitting_is_not_moved_by_case(text: str) -> None:
    assert all(term == term.casefold() for term in terms(text))
    assert terms(text.upper().lower()) == terms(text.upper().lower().upper().lower())


@settings(max_examples=150)
@given(st.text(max_size=40))
def test_folding_twice_changes_nothing(word: str) -> None:
    assert fold(fold(word)) == fold(word)


@settings(max_examples=100)
@given(texts)
def test_a_guessed_language_is_a_code_or_nothing(text: str) -> None:
    guess = detect_language(text)
    assert guess is None or (len(guess) == 2 and guess.isalpha())
