"""``pincite eval``: exit codes, baselines, reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run

SOURCES = [{"id": "limits", "text": "Uploads may be up to 25 MB. Larger uploads are refused."}]
RIGHT, WRONG = "Uploads may be up to 25 MB [1].", "Uploads may be up to 90 MB [1]."


def line(item_id: str, answer: str, **more: Any) -> dict[str, Any]:
    return {
        "id": item_id,
        "question": "How large?",
        "answer": answer,
        "sources": SOURCES,
        "tags": ["size"],
        **more,
    }


def write(name: str, *lines: dict[str, Any]) -> str:
    Path(name).write_text("".join(f"{json.dumps(one)}\n" for one in lines), "utf-8")
    return name


def test_recorded_answers_that_hold_pass_without_a_database_or_a_model(pincite: Run) -> None:
    ran = pincite("eval", write("golden.jsonl", line("g-1", RIGHT), line("g-2", RIGHT)))
    assert ran.code == 0, ran
    assert "citation_accuracy" in ran.out
    assert ran.out.splitlines()[-1].startswith("✓ Passed: 3 rules of the gate hold; 2 of 2 items passed.")
    assert not Path("pincite.db").exists()


def test_a_target_that_is_missed_exits_with_1(pincite: Run) -> None:
    ran = pincite("eval", write("golden.jsonl", line("g-1", RIGHT), line("g-2", WRONG)))
    assert ran.code == 1
    assert "✗ precision" in ran.out
    assert (
        pincite(
            "eval", "golden.jsonl", "-c", "targets.precision=0.5", "-c", "targets.citation_accuracy=0.5"
        ).code
        == 0
    )


def test_a_baseline_is_saved_compared_and_kept_when_something_got_worse(pincite: Run) -> None:
    good = [line(f"g-{number}", RIGHT) for number in range(40)]
    loose = ("-c", "targets.precision=0", "-c", "targets.citation_accuracy=0")
    saved = pincite(
        "eval", write("golden.jsonl", *good), "--baseline", "main.json", "--save-baseline", *loose
    )
    assert (saved.code, "main.json is the baseline now" in saved.err) == (0, True)
    before = Path("main.json").read_text("utf-8")

    write("golden.jsonl", line("g-0", WRONG), *good[1:])
    worse = pincite("eval", "golden.jsonl", "--baseline", "main.json", "--save-baseline", *loose)
    assert (worse.code, "main.json stays as it is" in worse.err) == (1, True)
    assert Path("main.json").read_text("utf-8") == before
    assert "got worse by 2.50 points" in worse.out

    assert pincite("eval", "golden.jsonl", "--baseline", "main.json", "--max-drop", "2.5", *loose).code == 0
    assert (
        pincite("eval", "golden.jsonl", "--baseline", "main.json", "--max-drop-significant", *loose).code == 0
    )


def own(pincite: Run) -> list[str]:
    """Two documents and a question about each, with the baseline that they make: the words of a run."""
    Path("limits.md").write_text("# Limits\n\nUploads may be up to 25 MB.\n", "utf-8")
    Path("trash.md").write_text("# Trash\n\nDeleted files are kept for 30 days.\n", "utf-8")
    assert pincite("add", "limits.md", "trash.md").code == 0
    write(
        "golden.jsonl",
        {"id": "g-1", "question": "How many MB may uploads be?", "expected_doc_ids": ["limits"], "must_include": ["25 MB"]},
        {"id": "g-2", "question": "How long are deleted files kept?", "expected_doc_ids": ["trash"], "must_include": ["30 days"]},
    )  # fmt: skip
    words = ["eval", "--baseline", "main.json"]
    saved = pincite(*words, "--save-baseline")
    assert saved.code == 0, saved
    return words


def test_after_a_document_changed_the_report_is_made_and_the_ways_on_are_named(pincite: Run) -> None:
    words = own(pincite)
    Path("limits.md").write_text("# Limits\n\nUploads may be up to 40 MB.\n", "utf-8")
    assert pincite("add", "limits.md").code == 0

    refused = pincite(*words, "--output", "report.json")
    assert refused.code == 2
    assert "✗ Failed: 1 of " in refused.out
    assert "must be about the same" in refused.out
    assert "--compare-unchanged" in refused.err
    assert "--save-baseline" in refused.err
    assert len(json.loads(Path("report.json").read_text("utf-8"))["items"]) == 2

    compared = pincite(*words, "--compare-unchanged")
    assert "Documents that changed: limits." in compared.out
    assert "~ g-1" in compared.out
    assert "right → wrong" in compared.out
    assert compared.code == 0

    before = Path("main.json").read_text("utf-8")
    stays = pincite(*words, "--save-baseline")
    assert stays.code == 1
    assert "answer_correct: 100.0 % → 50.0 %" in stays.err
    assert "main.json stays as it is" in stays.err
    assert "--accept-drop writes it all the same" in stays.err
    assert Path("main.json").read_text("utf-8") == before

    accepted = pincite(*words, "--save-baseline", "--accept-drop")
    assert accepted.code == 0
    assert "answer_correct: 100.0 % → 50.0 %" in accepted.err
    assert "main.json is the baseline now, though what was there is another run" in accepted.err
    assert pincite(*words).code == 0


def test_accepting_a_drop_is_for_saving_and_comparing_needs_a_baseline(pincite: Run) -> None:
    golden = write("golden.jsonl", line("g-1", RIGHT))
    assert "--accept-drop is for --save-baseline" in pincite("eval", golden, "--accept-drop").err
    assert "name it with --baseline" in pincite("eval", golden, "--compare-unchanged").err


def test_the_golden_file_of_a_folder_is_taken_and_named_in_the_first_line(pincite: Run) -> None:
    includes = {"must_include": ["25 MB"]}
    write("golden.jsonl", line("g-1", RIGHT, **includes), line("g-2", WRONG, **includes))
    loose = ("-c", "targets.precision=0", "-c", "targets.citation_accuracy=0")
    ran = pincite("eval", *loose)
    lines = ran.out.splitlines()
    assert lines[0] == "The questions of golden.jsonl"
    assert lines[2].startswith("✗ g-2")  # what failed stands above the figures
    assert "abstain_recall" not in ran.out  # nothing was measured of it
    assert lines[-1].startswith("No target missed; 1 of 2 items passed.")
    assert ran.code == 0
    assert "the questions of golden.jsonl" in pincite("eval", "--json", *loose).err


def test_the_word_samples_means_the_shipped_questions(pincite: Run) -> None:
    write("golden.jsonl", line("g-1", RIGHT))
    ran = pincite("eval", "samples", "--limit", "1", "-c", "retrieval.mode=words")
    assert ran.out.splitlines()[0] == "The questions that pincite ships, over its samples"


def test_a_baseline_of_another_golden_set_is_refused_with_the_next_step(pincite: Run) -> None:
    pincite("eval", write("golden.jsonl", line("g-1", RIGHT)), "--baseline", "main.json", "--save-baseline")
    write("golden.jsonl", line("g-1", RIGHT, must_include=["25 MB"]))
    ran = pincite("eval", "golden.jsonl", "--baseline", "main.json")
    assert ran.code == 2
    assert "another state of the golden set" in ran.err
    assert "--save-baseline" in ran.err
    again = pincite("eval", "golden.jsonl", "--baseline", "main.json", "--save-baseline")
    assert (again.code, "is another run: it was made" in again.err) == (0, True)


def test_a_baseline_that_is_not_there_is_said_before_anything_is_run(pincite: Run) -> None:
    ran = pincite("eval", write("golden.jsonl", line("g-1", RIGHT)), "--baseline", "none.json")
    assert (ran.code, ran.out) == (2, "")
    assert "make it with --save-baseline" in ran.err


@pytest.mark.parametrize("name", ["report.json", "report.md", "report.html", "report.xml"])
def test_a_report_is_written_in_the_form_of_its_suffix(pincite: Run, name: str) -> None:
    assert pincite("eval", write("golden.jsonl", line("g-1", RIGHT)), "--output", name).code == 0
    assert Path(name).stat().st_size > 500
    assert not Path(f"{name}.journal").exists()


def test_a_report_of_an_unknown_form_is_refused_before_anything_is_run(pincite: Run) -> None:
    ran = pincite("eval", write("golden.jsonl", line("g-1", RIGHT)), "--output", "report.pdf")
    assert (ran.code, "report.pdf" in ran.err) == (2, True)


def test_broken_lines_are_errors_and_exit_with_1(pincite: Run) -> None:
    Path("golden.jsonl").write_text(json.dumps(line("g-1", RIGHT)) + "\n{broken\n", "utf-8")
    ran = pincite("eval", "golden.jsonl", "--json")
    assert ran.code == 1
    body = json.loads(ran.out)
    assert [error["id"] for error in body["errors"]] == ["line 2"]
    assert [item["id"] for item in body["items"]] == ["g-1"]


def test_answers_may_stand_in_a_file_of_their_own(pincite: Run) -> None:
    write("golden.jsonl", {"id": "g-1", "question": "How large?"})
    write("answers.jsonl", {"id": "g-1", "answer": RIGHT, "sources": SOURCES})
    assert pincite("eval", "golden.jsonl", "--answers", "answers.jsonl").code == 0
    assert pincite("eval", "golden.jsonl", "--answers", "none.jsonl").code == 2


def test_without_a_golden_file_the_shipped_questions_are_asked_of_the_samples(pincite: Run) -> None:
    ran = pincite("eval", "--limit", "2", "--seed", "1", "--json", "-c", "retrieval.mode=words")
    body = json.loads(ran.out)
    assert ran.code in (0, 1)
    assert body["run"]["n"] == 2
    assert body["run"]["model"] == "extractive"
    assert body["errors"] == []


def test_a_language_model_as_judge_needs_a_language_model(pincite: Run) -> None:
    ran = pincite("eval", write("golden.jsonl", line("g-1", RIGHT)), "--judge", "llm")
    assert ran.code == 2
    assert "needs a language model" in ran.err


def test_a_run_over_ones_own_documents_is_kept_for_the_page(pincite: Run) -> None:
    Path("limits.md").write_text("# Limits\n\nUploads may be up to 25 MB.\n", "utf-8")
    assert pincite("add", "limits.md").code == 0
    ran = pincite(
        "eval", write("golden.jsonl", {"id": "g-1", "question": "How many MB may uploads be?"}), "--json"
    )
    from pincite.access import as_reader
    from pincite.stores.sqlite import SqliteStore

    store = SqliteStore(Path("pincite.db"), create=False)
    (kept,) = store.runs(as_reader("public"))
    store.close()
    assert kept.run_id == json.loads(ran.out)["run"]["id"]


def test_points_beyond_a_hundred_are_refused(pincite: Run) -> None:
    assert pincite("eval", "--max-drop", "101").code == 2
