"""Properties of the quote matcher, over texts made of the pieces that folding and matching trip over."""

from __future__ import annotations

import string
import unicodedata
from itertools import pairwise

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pincite.findings import QuoteMatch, QuoteMatchKind
from pincite.quotes import match_quote, match_quote_across, prepare
from pincite.text.normalize import fold, fold_words, letters_of
from pincite.text.offsets import span_from_utf8, span_from_utf16, utf8_span, utf16_span
from pincite.types import Span

PIECES = (
    "Refunds ", "are paid ", "within 30 days", " of delivery. ", "1.5 GB", "-3 °C", "25 %", "$5", "not ", "unavailable ",
    "Dr. Meier ", "ﬁnal ", "İstanbul ", "straße ", "e\u0301", "\u0301", "\u0301" * 30, "返品は", "可能", "ไทย ", "नहीं है ", "ﻻ ", "가", "가",
    "infor-\nmation ", "so\u00adft ", "\u200b", "\ufeff", "**bold** ", "[a](http://x.y/1) ", "&amp; ", "&#45;5 ", "<b>x</b> ", "| ",
    " … ", "...", "[1]", "【2】", "¹", "👩\u200d👧", "🇩🇪", "\ud800", "\0", "\u202e", "\n", "\r\n", " ", "'", "’t ", "-", "x" * 60, "½", "²",
)  # fmt: skip

texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=50)
ACCEPTED = (QuoteMatchKind.EXACT, QuoteMatchKind.NORMALIZED, QuoteMatchKind.UNIT_EQUIVALENT)


def assert_sound(match: QuoteMatch, quote: str, chunk: str) -> None:
    for span in (match.span, match.near, *match.pieces, *match.occurrences):
        assert span is None or (span.end <= len(chunk) and span.of(chunk).strip())
    for one in match.differences:
        assert one.answer_span is None or one.answer_span.end <= len(quote)
        assert one.source_span is None or one.source_span.end <= len(chunk)
    if match.kind == QuoteMatchKind.NONE:
        assert match.span is None
        assert not match.pieces
    else:
        assert match.span is not None
        assert match.span in match.occurrences
        assert 0.85 <= match.score <= 1
    if match.kind == QuoteMatchKind.EXACT:
        assert match.span
        assert match.span.of(chunk) == quote.strip()
    if match.kind in ACCEPTED:
        assert not match.differences


@settings(max_examples=300)
@given(texts, texts)
def test_every_span_lies_in_its_text(quote: str, chunk: str) -> None:
    assert_sound(match_quote(quote, chunk), quote, chunk)


@settings(max_examples=200)
@given(texts, texts, texts)
def test_what_was_found_is_found_again_by_its_own_words(before: str, quote: str, after: str) -> None:
    chunk = before + quote + after
    match = match_quote(quote, chunk)
    assert_sound(match, quote, chunk)
    if match.span is not None and match.kind in ACCEPTED:
        words = match.span.of(chunk)
        assert match_quote(words, chunk).kind in ACCEPTED
        # exact is a case of normalized: the same words in other clothes are found at the same place
        dressed = match_quote(words.replace(" ", "\n"), chunk)
        assert dressed.kind in ACCEPTED
        assert any(place.overlaps(match.span) for place in dressed.occurrences) or len(match.occurrences) > 1


@settings(max_examples=150)
@given(texts, texts)
def test_a_prepared_chunk_matches_like_its_text(quote: str, chunk: str) -> None:
    prepared = prepare(chunk)
    assert match_quote(quote, prepared) == match_quote(quote, chunk) == match_quote(quote, prepared)


WORDS = st.lists(
    st.sampled_from("the fee of this plan is due when your order has come to our store".split()),
    min_size=3,
    max_size=12,
)


@settings(max_examples=250)
@given(
    WORDS,
    WORDS,
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.sampled_from(["{}", "{}.5", "1,{:03d}", "-{}", "${}", "{} %", "٣{}"]),
)
def test_a_changed_digit_is_never_accepted(
    head: list[str], tail: list[str], one: int, other: int, form: str
) -> None:
    one, other = one % 1000, other % 1000
    assume(one != other)
    said, written = (" ".join([*head, form.format(number), *tail]) for number in (one, other))
    match = match_quote(said, f"Before. {written}. After.")
    assert match.kind == QuoteMatchKind.NONE
    assert any(difference.kind == "number" for difference in match.differences) or match.near is None


@settings(max_examples=150)
@given(WORDS, WORDS, st.sampled_from(["not", "never", "no longer", "cannot"]))
def test_an_added_or_dropped_negation_is_never_accepted(
    head: list[str], tail: list[str], negation: str
) -> None:
    plain = " ".join([*head, *tail])
    negated = " ".join([*head, negation, *tail])
    assert match_quote(negated, f"Before. {plain}. After.").kind == QuoteMatchKind.NONE
    assert match_quote(plain, f"Before. {negated}. After.").kind == QuoteMatchKind.NONE


@settings(max_examples=150)
@given(texts, st.lists(st.integers(0, 200), max_size=3))
def test_parts_over_chunks_lie_in_their_chunks(text: str, cuts: list[int]) -> None:
    bounds = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    chunks = [(str(number), text[low:high]) for number, (low, high) in enumerate(pairwise(bounds))]
    match = match_quote_across(text[3:40], chunks)
    by_id = dict(chunks)
    assert [name for name, _ in match.parts] == sorted((name for name, _ in match.parts), key=int)
    assert all(0 <= span.start < span.end <= len(by_id[name]) for name, span in match.parts)


def has_stray_marks(text: str) -> bool:
    return any(
        unicodedata.category(char)[0] == "M" and (not at or unicodedata.category(text[at - 1])[0] not in "LM")
        for at, char in enumerate(text)
    )


# --- folding ------------------------------------------------------------------------------------


@settings(max_examples=300)
@given(texts)
def test_folding_is_idempotent_and_places_rise(text: str) -> None:
    folded = fold(text)
    assert letters_of(text) == folded.letters
    if not has_stray_marks(text):  # the letter before the blank would take such a mark once the blank is gone
        assert letters_of(folded.letters) == folded.letters
    places = [folded.start(i) for i in range(len(folded.letters))]
    assert places == sorted(places)
    assert all(0 <= place < len(text) for place in places)
    assert all(folded.index(place) <= i for i, place in enumerate(places))


@settings(max_examples=200)
@given(texts)
def test_the_words_are_the_letters_with_blanks(text: str) -> None:
    letters, places = fold_words(text)
    assert letters.replace(" ", "") == letters_of(text)
    assert len(letters) == len(places)


@settings(max_examples=200)
@given(st.lists(st.sampled_from("äöüßéñçőşğ한국ộệがぎ" + string.ascii_letters), max_size=30).map("".join))
def test_composed_and_decomposed_text_fold_to_the_same_letters(text: str) -> None:
    forms = {letters_of(unicodedata.normalize(form, text)) for form in ("NFC", "NFD", "NFKC", "NFKD")}
    assert len(forms) == 1


# --- offsets ------------------------------------------------------------------------------------


@settings(max_examples=200)
@given(
    st.text(alphabet=st.characters(codec=None) | st.sampled_from("🎈\ud800é日"), max_size=30),
    st.integers(0, 30),
    st.integers(0, 30),
)
def test_offsets_in_other_units_lead_back(text: str, one: int, other: int) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    span = Span(start, end)
    wide, bytes_ = utf16_span(text, span), utf8_span(text, span)
    # A high and a low surrogate side by side are one character in UTF-16, and no text has them.
    if not any("\ud800" <= char <= "\udfff" for char in text):
        assert text.encode("utf-16-le")[2 * wide.start : 2 * wide.end].decode("utf-16-le") == span.of(text)
        assert text.encode()[bytes_.start : bytes_.end].decode() == span.of(text)
    assert span_from_utf16(text, wide) == span
    assert span_from_utf8(text, bytes_) == span
