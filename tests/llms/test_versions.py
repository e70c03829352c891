"""The time that a question is about chooses among versions; names, codes and rows are told apart; no model."""

from __future__ import annotations

import pytest

from pincite.pipeline import Pipeline
from pincite.text.moments import NOW, moment_of
from pincite.types import Document

OLD = Document(
    "returns-2024", "You may return a lamp within 14 days of delivery.",
    title="Returning a lamp (orders before 2026)", published_date="2024-03-11", language="en",
)  # fmt: skip
NEW = Document(
    "returns-2026", "You may return a lamp within 30 days of delivery.",
    title="Returns and refunds", published_date="2026-02-02", language="en",
)  # fmt: skip
LIGHTS = Document(
    "codes",
    "# Exit codes\n\nThe program ends with one of these codes.\n\n| Code | Meaning |\n|---|---|\n| 0 | all was sent |\n| 3 | some files were refused |\n"
    "| 4 | the token has expired |\n\n# Install the program\n\nIt needs little space.\n\n```bash\npip install lamp\n```\n",
    title="The program",
    language="en",
)
TARIFF = Document("tarife", "Der Tarif Solo kostet 6 Euro im Monat.", title="Tarife", language="de")


def said(question: str, *documents: Document) -> str:
    with Pipeline(store="memory", embedder="none", log=False) as pipeline:
        pipeline.add(documents)
        answer = pipeline.ask(question)
        return "" if answer.abstained else answer.plain


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("I ordered a lamp in December 2025. Within how many days can I return it?", "14 days"),
        ("I ordered a lamp in May 2026. Within how many days can I return it?", "30 days"),
        ("Within how many days can I return a lamp today?", "30 days"),
        ("Within how many days can I return a lamp?", "30 days"),
    ],
)
def test_what_held_at_the_time_asked_about_answers_and_otherwise_what_holds_now(
    question: str, days: str
) -> None:
    assert days in said(question, OLD, NEW)


def test_a_row_is_found_by_the_one_digit_that_is_asked_for() -> None:
    assert "the token has expired" in said("What does exit code 4 of the program mean?", LIGHTS)


def test_an_exit_code_is_no_wish_for_a_block_of_code_and_a_way_to_install_is_one() -> None:
    assert "pip install lamp" in said("How do I install the program?", LIGHTS)
    assert "```" not in said("What does exit code 3 mean?", LIGHTS)


def test_a_german_name_behind_a_noun_that_no_text_has_is_not_answered_by_another() -> None:
    assert "6 Euro" in said("Was kostet der Tarif Solo im Monat?", TARIFF)
    assert said("Was kostet der Tarif Premium im Monat?", TARIFF) == ""


def test_the_time_of_a_question_is_its_last_full_date_or_now_or_nothing() -> None:
    assert moment_of("2025年12月に注文しました。返品できますか？", "ja").date == "2025-12"  # type: ignore[union-attr]
    assert moment_of("هل تتقاضون الآن رسومًا؟", "ar").date == NOW  # type: ignore[union-attr]
    assert moment_of("Who won in 1972?", "en") is None


def test_a_long_question_of_dates_is_read_in_part_only() -> None:
    assert moment_of("x " * 100_000 + "in May 2026?", "en") is None
