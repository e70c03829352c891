"""`pincite prompt show`: what a language model would be sent."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run

from pincite.prompts import fingerprint


def added(pincite: Run) -> None:
    Path("tours.md").write_text("Tours start at noon.\n", "utf-8")
    assert pincite("add", "tours.md").code == 0


def test_the_prompt_of_a_question_holds_its_rules_sources_and_question(pincite: Run) -> None:
    added(pincite)
    ran = pincite("prompt", "show", "When do tours start?")
    assert ran.code == 0
    assert ran.out.startswith("You answer a question from the numbered sources")
    assert "[c-1: " in ran.out
    assert "Tours start at noon." in ran.out
    assert ran.out.rstrip().endswith("Question: When do tours start?")
    assert fingerprint() in ran.err


def test_without_a_question_the_rules_alone_are_shown(pincite: Run) -> None:
    ran = pincite("prompt", "show")
    assert ran.code == 0
    assert "Copy quotes letter by letter" in ran.out
    assert "Question:" not in ran.out


def test_a_model_is_neither_asked_nor_needed(pincite: Run) -> None:
    added(pincite)
    ran = pincite("-c", "llm.model=openai:gpt", "prompt", "show", "When do tours start?")
    assert ran.code == 0
    assert "one JSON object instead of lines" in ran.out
    assert "reads no prompt" not in ran.err


def test_a_provider_that_cites_by_itself_is_sent_documents(pincite: Run) -> None:
    added(pincite)
    ran = pincite("-c", "llm.model=anthropic-citations:m", "prompt", "show", "When do tours start?")
    assert "document c-1: " in ran.out
    assert "JSON" not in ran.out


def test_json_tells_the_hash_and_what_was_left_out(pincite: Run) -> None:
    added(pincite)
    shown = json.loads(pincite("prompt", "show", "When do tours start?", "--json").out)
    assert shown["prompt_hash"] == fingerprint()
    assert shown["left_out"] == []
    assert 0 < shown["tokens_at_most"] < 5000


def test_a_reader_is_shown_no_more_than_they_may_see(pincite: Run) -> None:
    Path("tours.md").write_text("Tours start at noon.\n", "utf-8")
    pincite("add", "--access", "confidential", "tours.md")
    assert "noon" not in pincite("prompt", "show", "When do tours start?").out
    assert "noon" in pincite("prompt", "show", "When do tours start?", "--reader", "confidential").out
