"""Whether the passages answer, before anything is drafted, and when it is better to ask back."""

from __future__ import annotations

import pytest

from pincite.answerable import is_vague, likelihood
from pincite.findings import ReasonCode
from pincite.types import Document
from tests.doubles import pipeline

TOURS = Document(
    "tours", "Guided tours cost 5 EUR per person. Tours start at noon and last two hours.", language="en"
)
BOATS = Document(
    "boats", "Boats are rented by the hour. A deposit of 40 EUR is due for each boat.", language="en"
)


def test_passages_that_hold_the_question_are_likelier_to_answer_it() -> None:
    rag = pipeline(TOURS, BOATS)
    about = likelihood(question := "What do guided tours cost?", rag.retrieve(question), "en")
    beside = likelihood(
        question := "Which tours does the museum in Lisbon offer on Sundays?", rag.retrieve(question), "en"
    )
    assert about is not None
    assert beside is not None
    assert 0 <= beside < about <= 1


def test_without_passages_there_is_nothing_to_weigh() -> None:
    assert likelihood("What do tours cost?", (), "en") is None


def test_passages_in_another_language_are_not_weighed_by_words_alone() -> None:
    rag = pipeline(TOURS)
    assert likelihood("Was kosten die Führungen?", rag.retrieve("tours cost"), "de") is None


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("What about it?", "en"),
        ("Tell me more, please.", "en"),
        ("Was ist damit?", "de"),
        ("¿Y eso?", "es"),
        ("Et ça ?", "fr"),
        ("それについて教えてください", "ja"),
        ("关于那个呢？", "zh"),
        ("ماذا عن ذلك؟", "ar"),
        ("उसके बारे में बताइए", "hi"),
    ],
)
def test_a_question_that_names_nothing_is_vague(question: str, language: str) -> None:
    assert is_vague(question, (), language)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("What do tours cost?", "en"),
        ("Wie lange ist die Garantie?", "de"),
        ("返品は何日以内ですか", "ja"),
        ("كم مدة الضمان؟", "ar"),
    ],
)
def test_a_question_that_names_something_is_not(question: str, language: str) -> None:
    assert not is_vague(question, (), language)


def test_one_word_that_many_documents_speak_of_is_asked_back() -> None:
    many = [
        Document(name, f"The costs of {name} differ from year to year.", language="en")
        for name in ("a1", "b2", "c3")
    ]
    rag = pipeline(*many)
    assert is_vague("Costs?", rag.retrieve("Costs?"), "en")
    titled = [
        Document(name, f"The costs of {name} differ.", title="Costs", language="en")
        for name in ("a1", "b2", "c3")
    ]
    assert not is_vague("Costs?", pipeline(*titled).retrieve("Costs?"), "en")


def test_a_vague_question_is_answered_with_a_question_in_its_language() -> None:
    back = pipeline(Document("touren", "Eine Führung kostet 5 EUR. Was damit gemeint ist, steht hier.")).ask(
        "Was ist damit?"
    )
    assert back.abstained
    assert back.reason_code is ReasonCode.VAGUE_QUESTION
    assert back.plain.startswith("Was genau möchten Sie wissen?")
    assert back.reason is not None
    assert back.reason.startswith("Die Frage sagt nicht, worum es geht.")
