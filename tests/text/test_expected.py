"""What kind of value a question asks for, and which sentences hold one."""

from __future__ import annotations

import pytest

from pincite.text.expected import Expected, expected, holds
from pincite.text.lexicon import TIER1, load_lexicon


@pytest.mark.parametrize(
    ("question", "language", "kind"),
    [
        ("What do the plans cost?", "en", Expected.MONEY),
        ("How many pages may a file have?", "en", Expected.NUMBER),
        ("When is the chat open?", "en", Expected.TIME),
        ("In welchem Jahr wurde sie gegründet? Seit wann?", "de", Expected.TIME),
        ("Wie teuer ist das?", "de", Expected.MONEY),
        ("¿Dónde está la tienda?", "es", Expected.PLACE),
        ("Pourquoi est-ce fermé ?", "fr", Expected.REASON),
        ("返品は誰が払いますか", "ja", Expected.PERSON),
        ("保修期有多长？", "zh", Expected.NUMBER),
        ("متى يفتح المتجر؟", "ar", Expected.TIME),
        ("दुकान कब खुलती है?", "hi", Expected.TIME),
        ("Can I return worn shoes?", "en", None),
        ("Quis custodiet?", None, None),
    ],
)
def test_the_kind_of_value_is_read_from_the_asking_words(
    question: str, language: str | None, kind: Expected | None
) -> None:
    assert expected(question, language) is kind


def test_a_size_is_no_price() -> None:
    assert not holds(Expected.MONEY, "A file may have up to 25 MB.", "What does a file cost?", "en")
    assert holds(Expected.MONEY, "Plan: Solo; Monthly, EUR: 6.00", "What does Solo cost?", "en")


def test_a_number_of_the_question_itself_is_no_answer() -> None:
    assert not holds(Expected.NUMBER, "The 25 MB limit holds.", "How many files has the 25 MB limit?", "en")
    assert holds(
        Expected.NUMBER, "The 25 MB limit holds for 3 files.", "How many files has the 25 MB limit?", "en"
    )


def test_a_script_without_capitals_does_not_tell_whether_there_is_a_name() -> None:
    assert holds(Expected.PERSON, "这是李明写的。", "谁写的？", "zh") is None
    assert holds(Expected.PERSON, "It was written by Ann Lee.", "Who wrote it?", "en") is True


def test_every_tier_one_language_asks_for_every_kind() -> None:
    table = load_lexicon("question_words")["languages"]
    for language in TIER1:
        assert set(table[language]) == {kind.value for kind in Expected}, language


def test_floods_of_letters_take_no_time() -> None:
    flood = "what " + "a" * 200_000 + " costs " + "́" * 50_000
    assert expected(flood, "en") is None
    assert holds(Expected.TIME, flood, "when?", "en") in (True, False)
