"""Which parts a question has, and what sort of value it asks for."""

from __future__ import annotations

import pytest

from pincite.text.questions import asks_for_code, aspects, topic


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Can I return worn shoes, and who pays postage?", ("Can I return worn shoes", "who pays postage")),
        ("What is the fee? When is it due?", ("What is the fee", "When is it due")),
        ("What is the policy for shoes and boots?", ("What is the policy for shoes and boots",)),
        ("Wie lange gilt das und wer zahlt?", ("Wie lange gilt das", "wer zahlt")),
        ("¿Cuánto cuesta y cuándo llega?", ("¿Cuánto cuesta", "cuándo llega")),
        ("Combien ça coûte et quand est-ce livré ?", ("Combien ça coûte", "quand est-ce livré")),
        ("返品は何日以内ですか。送料は誰が払いますか。", ("返品は何日以内ですか", "送料は誰が払いますか")),
        ("返品は何日以内ですか。送料は誰が払いますか？", ("返品は何日以内ですか", "送料は誰が払いますか")),
        ("", ()),
        ("???", ()),
    ],
)
def test_a_question_is_cut_where_another_question_begins(question: str, parts: tuple[str, ...]) -> None:
    assert aspects(question) == parts


def test_asking_words_are_no_topic() -> None:
    assert topic("How many days do I have?").strip() == "days do I have?"
    assert topic("Wie viele Tage habe ich?").strip() == "Tage habe ich?"


def test_asking_words_within_other_words_stay() -> None:
    assert topic("The whole showroom, somewhat later") == "The whole showroom, somewhat later"
    assert topic("Show me the price list").strip() == "the price list"
    assert topic("Wie lang ist die Frist?").strip() == "ist die Frist?"


@pytest.mark.parametrize(
    "question", ["Which command lists them?", "Wie heißt der Befehl?", "コマンドは何ですか"]
)
def test_questions_for_code_are_known(question: str) -> None:
    assert asks_for_code(question)


def test_a_postcode_is_no_code() -> None:
    assert not asks_for_code("Which postcodes are delivered to?")
