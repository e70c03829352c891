"""Fixed words of answers stand in the language of the answer; programs read them in English."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from string import Formatter

import pytest
from tests.doubles import pipeline

from pincite import Document
from pincite.answer import REMOVAL_NOTE, Answer, Conflict
from pincite.cli.output import paint_lines
from pincite.findings import CitationStatus, TableCell
from pincite.prompts import in_language, phrase
from pincite.record import NOT_LOGGED
from pincite.renderers.text import cell_of, status_word

PHRASES = json.loads((files("pincite.prompts") / "phrases.json").read_text("utf-8"))
LANGUAGES = ("en", "de", "es", "fr", "ja", "zh", "ar", "hi")
FEES = Document(
    "preise",
    "Eine Führung kostet 5 EUR für jede Person. Hunde sind an der Leine willkommen.",
    title="Preise",
    language="de",
    access_level="public",
)
WEAK = "The passages found are only loosely related to the question."


def german() -> Answer:
    answer = pipeline(FEES).ask("Was kostet eine Führung für jede Person?")
    assert not answer.abstained
    return replace(
        answer,
        language="de",
        confidence=0.5,
        confidence_label="MEDIUM",
        uncovered_aspects=("Gibt es Gruppenpreise?",),
        conflicts=(
            Conflict(("c-1", "c-2"), ("5", "6"), (None, None), "a.md (undated) says 5; b.md says 6.", None),
        ),
        notes=(REMOVAL_NOTE,),
        warnings=(WEAK, "The last 2 of 9 passages did not fit into the model's context."),
    )


@pytest.mark.parametrize("name", [name for name in PHRASES if name != "source"])
def test_every_phrase_is_there_in_all_languages_with_the_same_placeholders(name: str) -> None:
    assert tuple(PHRASES[name]) == LANGUAGES
    fields = {
        language: {field for _, field, *_ in Formatter().parse(text) if field}
        for language, text in PHRASES[name].items()
    }
    assert all(found == fields["en"] for found in fields.values())


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_a_german_answer_has_no_english_words(form: str) -> None:
    shown = german().to(form)
    for said in (
        "bestätigt",
        "Die Quellen widersprechen sich",
        "Hinweis: Ein Teil",
        "a.md (undated): 5; b.md: 6.",
    ):
        assert said in shown
    for english in (
        "verified",
        "confidence",
        "MEDIUM",
        "Sources",
        "disagree",
        "says",
        "loosely",
        "Note:",
        "Source 1",
    ):
        assert english not in shown.replace("color-scheme", "")


def test_warnings_and_the_last_line_of_the_terminal_are_in_the_language_of_the_answer() -> None:
    shown = german().to("text")
    assert "! Die gefundenen Textstellen hängen nur lose mit der Frage zusammen." in shown
    assert "! Die letzten 2 von 9 Textstellen passten nicht in den Kontext des Modells." in shown
    assert "1/1 Belege bestätigt · Sicherheit 0.50 (MITTEL) · " in shown


def test_json_keeps_english_for_programs() -> None:
    body = json.loads(german().to("json"))
    assert body["warnings"][0] == WEAK
    assert body["confidence_label"] == "MEDIUM"
    assert body["citations"][0]["status"] == "verified"


def test_a_cell_is_named_in_the_language_of_the_answer() -> None:
    cited = replace(german().citations[0], section=(), address=TableCell("Tarife", 2, "Preis", "Blatt!B3"))
    assert cell_of(cited, "ja") == ["セル Blatt!B3, Tarife, 2行目, Preis"]
    assert cell_of(cited, None) == [str(cited.address)]


def test_every_status_has_a_word() -> None:
    assert len({status_word(status, "de") for status in CitationStatus}) == len(CitationStatus)


@pytest.mark.parametrize("sentence", [REMOVAL_NOTE, NOT_LOGGED])
def test_what_others_read_word_for_word_is_what_is_translated(sentence: str) -> None:
    assert in_language(sentence, "en") == sentence
    assert in_language(sentence, "ja") != sentence


@pytest.mark.parametrize(
    "sentence", ["", "Else.", "{why}", "a says b", "says ; says .", "\0", "x; " * 50_000]
)
def test_other_sentences_stay_as_they_are(sentence: str) -> None:
    assert in_language(sentence, "de") == sentence


def test_braces_of_a_source_stay_as_they_are() -> None:
    assert in_language("{a} says {0.x}; b says {newer}.", "de") == "{a}: {0.x}; b: {newer}."


def test_headings_have_their_colour_in_every_language() -> None:
    for language in LANGUAGES:
        heading = phrase("heading.sources", language)
        assert paint_lines(heading, on=True) == f"\x1b[1m{heading}\x1b[0m"
