"""Folding for comparison: what disappears, what stays, and the way back."""

from __future__ import annotations

import time
import unicodedata

import pytest

from pincite.text import meaning
from pincite.text.characters import whole_end
from pincite.text.fold_table import tables
from pincite.text.normalize import fold, fold_words, letters_of
from pincite.text.offsets import span_from_utf8, span_from_utf16, utf8_span, utf16_span
from pincite.text.rewrite import plain, unescape
from pincite.types import Span


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"),
        ("ﬁnal oﬃce", "Final Office"),
        ("１２３ＡＢＣ", "123abc"),
        ("٣٠", "30"),
        ("३०", "30"),
        ("e\u0301", "é"),
        ("e\u0323\u0302", "ệ"),
        ("e\u0302\u0323", "ệ"),
        ("\u1112\u1161\u11ab", "한"),
        ("ｶﾞ", "ガ"),
        ("か\u3099", "が"),
        ("क\u093c", "\u0958"),
        ("ﻻ", "لا"),
        ("كَتَبَ", "كتب"),
        ("كـتب", "كتب"),
        ("أ", "ا\u0654"),
        ("ا\u064f\u0654", "أُ"),
        ("שָׁלוֹם", "שלום"),
        ("İstanbul", "istanbul"),
        ("½", "1/2"),
        ("№ 5", "no 5"),
        ("so\u00adft\u200b hy\ufeffphen", "soft hyphen"),
        ("can’t", "can't"),
        ("infor-\nmation", "information"),
        ("**bold**_x_", "bold x"),
        ('[a b](http://x.y/z_(1) "t")', "a b"),
        ("<b>a</b><br/>b", "a b"),
        ("Acme™", "Acme"),
    ],
)
def test_the_same_text_in_other_clothes_has_the_same_letters(one: str, other: str) -> None:
    assert letters_of(one) == letters_of(other)


@pytest.mark.parametrize(
    ("one", "other"), [("ü", "u"), ("ñ", "n"), ("в", "b"), ("ı", "i"), ("を", "お"), ("👍", "👎"), ("२", "3")]
)
def test_what_differs_for_a_reader_stays_different(one: str, other: str) -> None:
    assert letters_of(one) != letters_of(other)


def test_the_way_back_leads_to_the_character_a_letter_came_from() -> None:
    text = "¡Oﬃce, e\u0301t — 5"
    folded = fold(text)
    assert [text[folded.start(i) : folded.end(i)] for i in range(len(folded.letters))] == [
        "O", "ﬃ", "ﬃ", "ﬃ", "c", "e", "e\u0301", "t", "5",
    ]  # fmt: skip


def test_the_way_back_works_across_blocks() -> None:
    text = "Größe e\u0301 ﬁ, " * 4_000
    folded = fold(text)
    for i in (0, 1, 5_000, 20_000, len(folded.letters) - 1):
        place = folded.start(i)
        assert letters_of(text[place : folded.end(i)])[:1] == folded.letters[i] or folded.inside_character(i)
        assert folded.index(place) <= i
    assert folded.index(len(text)) == len(folded.letters)


def test_plain_text_takes_the_short_way_to_the_same_letters() -> None:
    text = "Plain TEXT, with 5 words & more.\n" * 600
    short, long = fold(text), fold(text + "é")
    assert short.letters + "é" == long.letters
    assert [short.start(i) for i in range(0, len(short.letters), 997)] == [
        long.start(i) for i in range(0, len(short.letters), 997)
    ]


def test_words_are_parted_by_separators_and_not_by_markup_or_line_hyphens() -> None:
    letters, _ = fold_words("long-term infor-\nmation, **un**done [x](y) it's 東京")
    assert letters.split() == ["long", "term", "information", "undone", "x", "its", "東京"]


def test_every_code_point_folds_like_the_standard_says() -> None:
    table = tables().fold
    for code in [*range(0x20, 0x3000, 7), *range(0xF900, 0x10000, 5), *range(0x1D400, 0x1D800, 11)]:
        char = chr(code)
        if char.isalpha() and unicodedata.category(char)[0] == "L" and table[code] > 1:
            oracle = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", char).casefold())
            kept = "".join(one for one in oracle if letters_of(one))
            assert letters_of(char) == letters_of(kept), hex(code)


def test_the_word_lists_are_in_folded_form() -> None:
    for word in (*meaning._kinds(), *meaning._poles()):
        assert fold_words(word)[0] == word


def test_a_flood_of_marks_takes_time_in_proportion() -> None:
    fold("é")
    start = time.thread_time()
    letters = fold("e" + "\u0301\u0323" * 500_000).letters
    assert len(letters) == 1_000_001
    assert time.thread_time() - start < 60  # quadratic would be hours


def test_a_letter_takes_its_marks_along_but_no_flood() -> None:
    assert whole_end("e\u0301\u0302t", 1) == 3
    assert whole_end("e" + "\u0301" * 10_000, 1) < 1_000


# --- entities and markup ------------------------------------------------------------------------


def test_entities_are_read_and_lead_back_whole() -> None:
    text = "R&amp;D costs 5&nbsp;% &unknown; & &#8364;"
    read = unescape(text)
    assert read is not None
    assert read.text == "R&D costs 5\u00a0% &unknown; & €"
    assert read.original(Span(1, 2)).of(text) == "&amp;"
    assert read.original(Span(0, len(read.text))) == Span(0, len(text))


def test_markup_is_blanked_in_place() -> None:
    text = "[5 EUR](http://x.org/99) <b>net</b>"
    assert plain(text) == "[5 EUR                      net    "


# --- offsets ------------------------------------------------------------------------------------


def test_offsets_in_other_units_lead_there_and_back() -> None:
    text = "📦é ships"
    assert utf16_span(text, Span(1, 4)) == Span(2, 5)
    assert utf8_span(text, Span(1, 4)) == Span(4, 8)
    assert span_from_utf16(text, Span(2, 5)) == Span(1, 4)
    assert span_from_utf8(text, Span(4, 8)) == Span(1, 4)


def test_half_a_character_counts_whole() -> None:
    assert span_from_utf16("📦x", Span(0, 1)) == Span(0, 1)
    assert span_from_utf8("éx", Span(1, 2)) == Span(0, 1)


def test_a_span_beyond_the_text_is_refused() -> None:
    with pytest.raises(ValueError, match="the text at 1"):
        span_from_utf16("x", Span(0, 2))
