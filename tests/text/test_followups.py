"""Follow-ups: what they carry over from the questions before."""

from __future__ import annotations

import pytest
from tests.doubles import pipeline

from pincite.types import Document, Question, Turn

CAMERAS = Document(
    "cameras",
    "# Rental\n\n| Camera | Weight | Price, EUR |\n|---|---|---|\n| Nova | 900 g | 22.00 |\n| Pico | 310 g | 11.00 |\n",
    format="markdown",
    language="en",
)
LEAVE = Document(
    "leave",
    "# Staff handbook\n\n## Paid leave\n\nFull-time staff get 28 days of paid leave per year. Up to 5 days of leave can "
    "be carried over to the next year. Carried-over days must be taken by 31 March.\n",
    format="markdown",
    language="en",
)
HOUSE = Document(
    "haus",
    "# Hausordnung\n\nFahrräder dürfen nicht im Treppenhaus abgestellt werden. Dafür gibt es den Fahrradkeller.\n\n"
    "## Tiere\n\nDas Halten von Hunden und Katzen bedarf der Zustimmung des Vermieters. Kleintiere sind erlaubt.\n",
    format="markdown",
    language="de",
)
NONE_EN, NONE_DE = "The sources do not answer this question.", "Die Quellen beantworten diese Frage nicht."


def talk(document: Document, *questions: str) -> list[str]:
    """What is answered to each, without the lead-in."""
    rag = pipeline(document)
    history: tuple[Turn, ...] = ()
    found = []
    for question in questions:
        plain = rag.ask(Question(question, history=history)).plain
        history = (*history, Turn(question, plain))
        found.append(plain.split("\n\n")[-1])
    return found


def test_a_follow_up_is_answered_by_what_holds_its_own_words() -> None:
    assert talk(
        LEAVE,
        "How many days of paid leave do I get?",
        "And how many can be carried over?",
        "And by when must they be taken?",
    ) == [
        "Full-time staff get 28 days of paid leave per year.",
        "Up to 5 days of leave can be carried over to the next year.",
        "Carried-over days must be taken by 31 March.",
    ]


def test_inflected_own_words_count_and_the_old_subject_does_not() -> None:
    bicycle, dog = talk(HOUSE, "Darf ich mein Fahrrad im Treppenhaus abstellen?", "Und einen Hund halten?")
    assert bicycle == "Fahrräder dürfen nicht im Treppenhaus abgestellt werden."
    assert dog == "Das Halten von Hunden und Katzen bedarf der Zustimmung des Vermieters."


def test_the_only_sentence_that_has_the_new_words_may_be_given_again() -> None:
    _, dog, cat = talk(
        HOUSE, "Darf ich mein Fahrrad im Treppenhaus abstellen?", "Und einen Hund halten?", "Und Katzen?"
    )
    assert cat == dog


@pytest.mark.parametrize(
    ("document", "first", "then", "declined"),
    [
        (LEAVE, "How many days of paid leave do I get?", "And how many for sabbaticals?", NONE_EN),
        (HOUSE, "Darf ich mein Fahrrad im Treppenhaus abstellen?", "Und ein Klavier?", NONE_DE),
        (CAMERAS, "How heavy is the Nova?", "And the Zeta?", NONE_EN),
        (CAMERAS, "How heavy is the Nova?", "And tripods?", NONE_EN),
    ],
)
def test_the_old_answer_is_not_given_for_what_no_source_speaks_of(
    document: Document, first: str, then: str, declined: str
) -> None:
    assert talk(document, first, then)[1] == declined


def test_the_column_that_a_follow_up_names_goes_before_the_one_carried_over() -> None:
    assert talk(CAMERAS, "How heavy is the Nova?", "And the Pico?", "And how much does it cost?") == [
        "Camera: Nova; Weight: 900 g.",
        "Camera: Pico; Weight: 310 g.",
        "Camera: Pico; Price, EUR: 11.00.",
    ]


def test_own_words_in_pairs_of_characters_choose_too() -> None:
    fees = Document(
        "fees", "标准运费是5欧元。快递运费是12欧元。退货期限为30天。换货期限为60天。", language="zh"
    )
    assert talk(fees, "标准运费是多少？", "那快递呢？", "换货期限呢？") == [
        "标准运费是5欧元。",
        "快递运费是12欧元。",
        "换货期限为60天。",
    ]
