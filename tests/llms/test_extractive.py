"""The answer without a model: only words of the sources, and nothing when they do not speak of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from tests.doubles import pipeline

from pincite.findings import Support
from pincite.generate import build_request, draft_of, run
from pincite.llms.extractive import extractive, make_extractive
from pincite.ports import Floats
from pincite.types import Document, Draft, Question, Statement

PLANS = Document(
    "plans",
    "# Plans\n\nThe limits per plan are:\n\n| Plan | Largest file | Price |\n|---|---|---|\n"
    "| Solo | 25 MB | 4 EUR |\n| Studio | 250 MB | 15 EUR |\n",
    format="markdown",
)
TOURS = Document(
    "tours",
    "# Tours\n\nGuided tours cost 5 EUR per person. Tours start at noon and last two hours.\n\n"
    "## What to bring\n\nPlease bring to the tour:\n\n- a warm jacket\n- solid shoes\n- some water\n",
    format="markdown",
)


def draft(question: str, *documents: Document) -> Draft:
    rag = pipeline(*documents)
    request = build_request(Question(question), rag.retrieve(question), language="en")
    return draft_of(tuple(run(extractive, request)))


def texts(question: str, *documents: Document) -> list[str]:
    return [statement.text for statement in draft(question, *documents).statements]


def test_the_sentence_that_answers_comes_after_a_lead_in_and_alone() -> None:
    assert texts("What do guided tours cost?", TOURS) == [
        "Your sources say:",
        "Guided tours cost 5 EUR per person.",
    ]


def test_every_statement_but_the_lead_in_quotes_its_source_word_for_word() -> None:
    rag = pipeline(TOURS, PLANS)
    lead_in, *rest = draft(
        "What do guided tours cost, and what is the price of Studio?", TOURS, PLANS
    ).statements
    assert lead_in.quotes == ()
    for statement in rest:
        (quote,) = statement.quotes
        documents = [rag.parts.store.document(name, Question("x").reader) for name in ("tours", "plans")]  # type: ignore[arg-type]
        assert any(quote.quote in document.text for document in documents if document and quote.quote)


def test_reference_marks_of_the_source_are_quoted_and_not_said() -> None:
    ducks = Document(
        "ducks", "Ducks pair for the winter.[25] A duck partnership lasts one year.[26] Geese stay.[note 3]"
    )
    rag = pipeline(ducks)
    answer = rag.ask("How long does a duck partnership last?")
    (sentence,) = (one for one in answer.sentences if one.factual)
    assert (sentence.text, sentence.support) == ("A duck partnership lasts one year.", Support.SUPPORTED)
    assert answer.citations[0].quote == "A duck partnership lasts one year.[26]"
    assert answer.removed == ()


def test_a_table_row_is_read_with_its_name_and_the_columns_that_are_asked_for() -> None:
    (_, row) = texts("What is the largest file on the Studio plan?", PLANS)
    assert row == "Plan: Studio; Largest file: 250 MB."


def test_a_row_found_by_a_cell_shows_that_cell_too() -> None:
    zones = Document(
        "zones",
        "# Shipping\n\n| Zone | Countries | Standard price | Express price |\n|---|---|---|---|\n"
        "| 1 | Germany, Austria | 4 EUR | 9 EUR |\n| 2 | Norway, Switzerland | 14 EUR | 27 EUR |\n",
        format="markdown",
    )
    (_, row) = texts("What is the express price to Switzerland?", zones)
    assert row == "Zone: 2; Countries: Norway, Switzerland; Express price: 27 EUR."


def test_a_near_miss_number_belongs_to_another_row() -> None:
    (_, row) = texts("What is the largest file on the Solo plan?", PLANS)
    assert "25 MB" in row
    assert "250" not in row


def test_a_list_is_answered_as_a_whole() -> None:
    found = texts("What shall I bring to the tour?", TOURS)
    assert [text for text in found if text.startswith("- ")] == [
        "- a warm jacket",
        "- solid shoes",
        "- some water",
    ]


def test_each_part_of_a_question_is_answered_and_a_missing_one_is_told() -> None:
    found = draft("What do guided tours cost, and is there an aquarium for sharks?", TOURS)
    assert "Guided tours cost 5 EUR per person." in [statement.text for statement in found.statements]
    assert found.uncovered_aspects == ("is there an aquarium for sharks",)


@pytest.mark.parametrize(
    "question", ["Do you repair submarines in winter?", "What is the warranty of the Zephyr tour?"]
)
def test_what_the_sources_do_not_speak_of_is_not_answered(question: str) -> None:
    found = draft(question, TOURS, PLANS)
    assert [statement.text for statement in found.statements] == ["The sources do not answer this question."]


def test_the_lead_in_is_in_the_language_of_the_question() -> None:
    document = Document(
        "touren", "Eine Führung kostet 5 EUR pro Person und beginnt am Mittag.", language="de"
    )
    assert texts("Was kostet eine Führung pro Person?", document)[0] == "In den Quellen steht:"


def test_a_heading_without_a_verb_is_no_answer() -> None:
    document = Document("odd", "6 Faults and warranty\n\nThe warranty lasts for 24 months from delivery.")
    assert "6 Faults and warranty" not in texts("How long is the warranty?", document)


def test_a_retry_has_nothing_better_to_offer() -> None:
    rag = pipeline(TOURS)
    request = build_request(
        Question("What do tours cost?"), rag.retrieve("What do tours cost?"), language="en"
    )
    from pincite.generate import build_revision

    assert list(extractive(build_revision(request, (Statement("x"),), "wrong"))) == []


class Meaning:
    """Texts about money are near to each other, and so are all others."""

    fingerprint, dimension = "meaning", 2

    def documents(self, given: Sequence[str]) -> Floats:
        return np.asarray([self.query(text) for text in given], dtype=np.float32)

    def query(self, text: str) -> Floats:
        about_money = any(word in text for word in ("5 EUR", "kostet", "teuer"))
        return np.asarray([1.0, 0.0] if about_money else [0.0, 1.0], dtype=np.float32)


def test_with_an_embedder_a_question_in_another_language_is_answered() -> None:
    question = Question("Wie teuer ist das?", language="de")
    rag = pipeline(
        Document("tours", "Tours last two hours. Guided tours cost 5 EUR per person.", language="en")
    )
    request = build_request(question, rag.retrieve("tours cost hours"), language="de")
    by_words = draft_of(tuple(run(extractive, request)))
    by_meaning = draft_of(tuple(run(make_extractive(Meaning()), request)))
    assert by_words.statements[0].text == "Die Quellen beantworten diese Frage nicht."
    assert [one.text for one in by_meaning.statements][1:] == ["Guided tours cost 5 EUR per person."]


def test_all_rows_are_given_when_the_question_names_none_of_them() -> None:
    assert texts("What are the limits?", PLANS)[1:] == [
        "- Plan: Solo; Largest file: 25 MB; Price: 4 EUR.",
        "- Plan: Studio; Largest file: 250 MB; Price: 15 EUR.",
    ]


SETTINGS = Document(
    "settings",
    "# Uploads\n\nThe size of an upload is limited to 25 MB.\n\nThe settings of the client:\n\n"
    "```toml\n[upload]\nsize = 8\nupload_retries = 3\n```\n",
    format="markdown",
)


def test_code_is_an_answer_only_where_some_is_asked_for() -> None:
    assert texts("upload size", SETTINGS)[1:] == ["The size of an upload is limited to 25 MB."]
    (_, shown) = texts("Show me the settings file of the upload client", SETTINGS)
    assert shown.startswith("```toml")


def test_the_very_words_of_a_question_are_found_in_a_document_of_another_language() -> None:
    notes = Document(
        "notes",
        "The coffee machine is cleaned every Friday by the team on duty.\n\n"
        "Frau Müller ist montags bis donnerstags von 9 bis 16 Uhr erreichbar.\n",
        language="en",
    )
    rag = pipeline(notes)
    question = "Wann ist Frau Müller erreichbar?"
    request = build_request(Question(question, language="de"), rag.retrieve(question), language="de")
    _, answer = draft_of(tuple(run(extractive, request))).statements
    assert answer.text == "Frau Müller ist montags bis donnerstags von 9 bis 16 Uhr erreichbar."


SIZES = Document(
    "sizes",
    "# File sizes\n\n| Plan | Largest single file | Pages per PDF | Files per upload |\n|---|---|---|---|\n"
    "| Solo | 25 MB | 150 | 20 |\n| Studio | 250 MB | 1,500 | 100 |\n\nThe PDF is refused when it has a password.\n",
    format="markdown",
    language="en",
)
SCANNERS = Document(
    "scanners",
    "# Scanner prices\n\n| Model | Price, EUR | Price, USD | Weight |\n|---|---|---|---|\n| Reed | 229.00 | 249.00 | 2 kg |\n"
    "| Reed Mini | 149.00 | 165.00 | 400 g |\n\nPrices in US dollars do not include sales tax.\n",
    format="markdown",
    language="en",
)
HOURS = Document(
    "hours",
    "# Support hours\n\n| Line | Mon-Fri | Sat | Sun |\n|---|---|---|---|\n| Phone | 8:00-18:00 | 9:00-13:00 | closed |\n"
    "| Chat | 7:00-22:00 | 8:00-16:00 | 10:00-14:00 |\n",
    format="markdown",
    language="en",
)


@pytest.mark.parametrize(
    ("question", "document", "rows"),
    [
        (
            "How large may an upload be?",
            SIZES,
            ["- Plan: Solo; Largest single file: 25 MB.", "- Plan: Studio; Largest single file: 250 MB."],
        ),
        (
            "How large can a single file be on the Studio plan?",
            SIZES,
            ["Plan: Studio; Largest single file: 250 MB."],
        ),
        (
            "How many files are there per upload on the Solo plan?",
            SIZES,
            ["Plan: Solo; Files per upload: 20."],
        ),
        (
            "How many pages may a PDF have?",
            SIZES,
            ["- Plan: Solo; Pages per PDF: 150.", "- Plan: Studio; Pages per PDF: 1,500."],
        ),
        (
            "How much does the Reed Mini cost in US dollars?",
            SCANNERS,
            ["Model: Reed Mini; Price, USD: 165.00."],
        ),
        ("How much does the Reed Mini cost in euros?", SCANNERS, ["Model: Reed Mini; Price, EUR: 149.00."]),
        ("How heavy is the Reed Mini?", SCANNERS, ["Model: Reed Mini; Weight: 400 g."]),
        (
            "When is support open on Saturday?",
            HOURS,
            ["- Line: Phone; Sat: 9:00-13:00.", "- Line: Chat; Sat: 8:00-16:00."],
        ),
        ("When is the phone line open on Tuesday?", HOURS, ["Line: Phone; Mon-Fri: 8:00-18:00."]),
    ],
)
def test_a_column_is_known_by_what_its_name_stands_for(
    question: str, document: Document, rows: list[str]
) -> None:
    assert texts(question, document)[1:] == rows


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("How much does the Reed Mini cost in Canadian dollars?", SCANNERS),
        ("How much does the Zephyr cost in US dollars?", SCANNERS),
        ("When is support open on Christmas?", HOURS),
        ("What does the Studio plan cost?", SIZES),
    ],
)
def test_a_table_without_the_column_or_the_row_is_not_read(question: str, document: Document) -> None:
    assert texts(question, document) == ["The sources do not answer this question."]


SICK = Document(
    "sick",
    "# Sickness\n\nTell your manager by 9 am on the first day. A doctor's note is needed from the fourth day on.\n\n"
    "Scanners are kept in the office.\n",
    format="markdown",
    language="en",
)


def test_a_verb_that_the_source_puts_otherwise_does_not_hide_the_value_asked_for() -> None:
    assert texts("When must I hand in a doctor's note?", SICK)[1:] == [
        "A doctor's note is needed from the fourth day on."
    ]


@pytest.mark.parametrize(
    "question",
    [
        "When must I hand in my passport?",
        "When must I hand in a police report?",
        "Can I rent a scanner?",
    ],
)
def test_a_noun_or_a_yes_that_no_source_has_is_not_made_up(question: str) -> None:
    assert texts(question, SICK) == ["The sources do not answer this question."]


WARDS = tuple(
    Document(
        f"ward-{n}",
        f"# Note {n}\n\nThe doctor visits team {n}. A note hangs at door {n}. Hands are washed.",
        format="markdown",
        language="en",
    )
    for n in range(6)
)


def test_among_many_that_share_words_the_verb_may_be_missing_but_no_noun() -> None:
    assert texts("When must I submit a doctor's note?", SICK, *WARDS)[1:] == [
        "A doctor's note is needed from the fourth day on."
    ]
    assert texts("When must I submit a doctor's bill?", SICK, *WARDS) == [
        "The sources do not answer this question."
    ]
