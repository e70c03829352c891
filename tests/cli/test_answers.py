from __future__ import annotations

import json

import pytest
from tests.cli.conftest import Run

QUESTION = "How long does a deleted file stay in the trash?"


def test_ask_takes_the_name_of_a_judge(shop: Run) -> None:
    assert "30 days" in shop("ask", QUESTION, "--judge", "rules").out
    assert "set [verify] entailment" in shop("ask", QUESTION, "--judge", "entailment").err


def test_ask_prints_the_answer_its_source_and_what_was_checked(shop: Run) -> None:
    ran = shop("ask", QUESTION)
    assert ran.code == 0
    assert "A deleted file stays in the trash for 30 days¹." in ran.out
    assert "[1]" in ran.out
    assert "1/1 citations verified" in ran.out
    assert ran.err == ""


def test_the_question_may_come_from_standard_input(shop: Run) -> None:
    assert "30 days" in shop("ask", "-", stdin=f"{QUESTION}\n").out


def test_a_question_that_is_not_utf_8_is_refused(shop: Run) -> None:
    ran = shop("ask", "-", stdin=b"f\xfcnf")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error[parse]: not UTF-8: byte 0xfc at position 1\n  --> standard input\n")


def test_json_is_the_canonical_answer(shop: Run) -> None:
    answer = json.loads(shop("ask", QUESTION, "--json").out)
    assert answer["citations"][0]["doc_id"] == "trash"
    kept = json.loads(shop("log", "show", answer["id"], "--json").out)
    assert {name: kept[name] for name in answer if name != "citations"} == {
        name: value for name, value in answer.items() if name != "citations"
    }
    assert [one | {"now": None} for one in answer["citations"]] == [
        one | {"now": None} for one in kept["citations"]
    ]
    assert json.loads(shop("ask", QUESTION, "--format", "json").out).keys() == answer.keys()


def test_markdown_has_footnotes(shop: Run) -> None:
    assert "[^1]: Trash" in shop("ask", QUESTION, "--format", "markdown").out


def test_without_evidence_only_the_answer_is_printed(shop: Run) -> None:
    out = shop("ask", QUESTION, "--show", "none").out
    assert "30 days" in out
    assert "Sources" not in out


def test_an_abstention_is_fine_unless_it_is_to_fail(shop: Run) -> None:
    assert shop("ask", "Who painted the ceiling?").code == 0
    assert shop("ask", "Who painted the ceiling?", "--fail-on-abstain").code == 1


def test_what_a_reader_may_not_see_answers_nothing(shop: Run) -> None:
    question = "What is the margin on scanners?"
    assert "31 %" not in shop("ask", question).out
    assert "31 %" in shop("ask", question, "--reader", "internal").out


def test_asking_before_anything_was_added_says_what_to_do(pincite: Run) -> None:
    ran = pincite("ask", QUESTION)
    assert ran.code == 2
    assert ran.err == (
        "error[store]: there is no database yet\n  --> pincite.db\n   = help: add documents first: pincite add FOLDER\n"
    )


def test_a_wrong_format_gets_a_suggestion(shop: Run) -> None:
    ran = shop("ask", QUESTION, "--format", "markdwon")
    assert (ran.code, ran.out) == (2, "")
    assert (
        ran.err
        == "error[usage]: unknown format 'markdwon'\n  --> --format\n   = help: did you mean markdown?\n"
    )


# --- log ----------------------------------------------------------------------------------------


def test_log_lists_answers_the_newest_first_and_shows_one(shop: Run) -> None:
    shop("ask", QUESTION)
    shop("ask", "How large may a single file be?")
    _, first, second = shop("log").out.splitlines()
    assert "How large" in first + second
    shown = shop("log", "show", second.split()[0] if QUESTION in second else first.split()[0]).out
    assert f"question: {QUESTION}" in shown
    assert "trash-chunk-0 · verified" in shown


def test_no_log_keeps_nothing(shop: Run) -> None:
    shop("ask", QUESTION, "--no-log")
    assert shop("log").out == ""


def test_an_answer_for_a_higher_reader_is_not_in_the_log_of_a_lower_one(shop: Run) -> None:
    given = json.loads(shop("ask", QUESTION, "--reader", "internal", "--json").out)
    assert shop("log") == (
        0,
        "",
        "0 answers for a reader of level public; --reader LEVEL lists those of another\n",
    )
    assert shop("log", "show", given["id"]).code == 2
    assert given["id"] in shop("log", "list", "--reader", "internal").out


@pytest.mark.parametrize("words", [["log", "show", "ans_none"], ["chunk", "none"], ["docs", "show", "none"]])
def test_an_unknown_id_is_an_error_that_says_where_to_look(shop: Run, words: list[str]) -> None:
    ran = shop(*words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error[not-found]: there is no ")
    assert "for a reader of level public\n   = help: " in ran.err


def test_a_chunk_above_the_readers_level_is_told_of_like_one_that_does_not_exist(shop: Run) -> None:
    hidden, missing = (shop("chunk", f"{name}-chunk-0").err for name in ("margins", "nothing"))
    assert hidden.replace("margins", "nothing") == missing
    assert shop("chunk", "margins-chunk-0", "--reader", "internal").code == 0


def test_a_chunk_that_its_document_does_not_have_is_looked_for_in_the_document(shop: Run) -> None:
    assert shop("chunk", "trash-chunk-9").err == (
        "error[not-found]: there is no chunk 'trash-chunk-9' for a reader of level public\n"
        "   = help: `pincite docs show trash` lists those of the document\n"
    )


def test_one_answer_is_not_counted_as_several(shop: Run) -> None:
    shop("ask", QUESTION)
    assert shop("log").err == "1 answer for a reader of level public\n"


def test_a_question_without_quotation_marks_is_told_to_take_some(shop: Run) -> None:
    ran = shop("ask", "How", "large", "may", "it", "be?")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "error[usage]: unexpected 'large'\n   = help: put quotation marks round the question: pincite ask \"…\"\n"
    )


def test_a_question_may_go_on_from_the_newest_answer(shop: Run) -> None:
    first = json.loads(shop("ask", QUESTION, "--json").out)
    second = json.loads(shop("ask", "And how long does it stay there?", "--continue", "--json").out)
    assert second["previous_id"] == second["conversation_id"] == first["id"]
    assert second["first_id"] == len(first["retrieved"]) + 1
    assert "30 days" in second["plain"]


def test_a_question_may_go_on_from_an_answer_by_its_id(shop: Run) -> None:
    first = json.loads(shop("ask", QUESTION, "--json").out)
    assert shop("ask", "Who painted the ceiling?", "--fail-on-abstain").code == 1
    third = json.loads(shop("ask", "And how long?", "--after", first["id"], "--json").out)
    assert "30 days" in third["plain"]
    assert "there is no answer 'ans_0'" in shop("ask", "And?", "--after", "ans_0").err


def test_an_answer_for_others_is_none_to_go_on_from(shop: Run) -> None:
    shop("ask", "What is the margin on scanners?", "--reader", "internal")
    ran = shop("ask", "And why?", "--continue")
    assert ran.code == 2
    assert "there is no answer to go on from" in ran.err
