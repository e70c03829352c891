from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

GOOD = "A single file may be up to 25 MB [1]. A deleted file stays in the trash for 30 days [2].\n"
BAD = "A single file may be up to 25 MB [1]. A deleted file stays in the trash for 90 days [2].\n"


@pytest.fixture(autouse=True)
def _files(_own_folder: None) -> None:
    Path("limits.txt").write_text("A single file may be up to 25 MB.", "utf-8")
    Path("trash.txt").write_text("A deleted file stays in the trash for 30 days.", "utf-8")
    Path("good.md").write_text(GOOD, "utf-8")
    Path("bad.md").write_text(BAD, "utf-8")


SOURCES = ("--sources", "limits.txt", "trash.txt")


def test_an_answer_that_holds_is_fine(pincite: Run) -> None:
    ran = pincite("verify", "good.md", *SOURCES)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("good.md   2 sentences · 2 citations")
    assert ran.out.rstrip().endswith("exit 0")


def test_a_changed_number_fails_and_both_values_are_shown(pincite: Run) -> None:
    ran = pincite("verify", "bad.md", *SOURCES)
    assert ran.code == 1
    assert "✗ [2]" in ran.out
    assert "90 days" in ran.out
    assert "30 days" in ran.out


@pytest.mark.parametrize(
    ("judge", "told"),
    [
        ("entailment", 'set [verify] entailment = "FOLDER"'),
        ("llm", "set [llm] model"),
        ("entailmant", "did you mean entailment?"),
    ],
)
def test_a_judge_says_what_it_needs(pincite: Run, judge: str, told: str) -> None:
    ran = pincite("verify", "good.md", *SOURCES, "--judge", judge)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


def test_rules_are_a_judge_by_name_too(pincite: Run) -> None:
    assert pincite("verify", "good.md", *SOURCES, "--judge", "rules").code == 0


def test_sources_are_counted_in_the_order_in_which_they_are_named(pincite: Run) -> None:
    assert pincite("verify", "good.md", "--sources", "trash.txt", "limits.txt").code == 1
    assert pincite("verify", "good.md", "--sources", "limits.txt", "--sources", "trash.txt").code == 0


def test_a_folder_is_its_files_in_order(pincite: Run) -> None:
    Path("sources").mkdir()
    Path("sources", "1.txt").write_text("A single file may be up to 25 MB.", "utf-8")
    Path("sources", "2.txt").write_text("A deleted file stays in the trash for 30 days.", "utf-8")
    ran = pincite("verify", "good.md", "--sources", "sources")
    assert ran.code == 0
    assert "sources/2.txt" in ran.out


def test_the_answer_may_come_from_standard_input(pincite: Run) -> None:
    assert pincite("verify", "-", *SOURCES, stdin=GOOD).code == 0
    assert pincite("verify", "-", *SOURCES, stdin=BAD).code == 1


def test_a_source_may_come_from_standard_input(pincite: Run) -> None:
    Path("one.md").write_text("A single file may be up to 25 MB [1].", "utf-8")
    assert pincite("verify", "one.md", "--sources", "-", stdin="A single file may be up to 25 MB.").code == 0


def test_json_may_bring_its_sources_along(pincite: Run) -> None:
    answer = {
        "answer": "A single file may be up to 25 MB [1].",
        "sources": ["A single file may be up to 25 MB."],
    }
    assert pincite("verify", "-", stdin=json.dumps(answer)).code == 0


@pytest.mark.parametrize(
    "passages",
    [
        ["A single file may be up to 25 MB.", "A deleted file stays in the trash for 30 days."],
        [
            {"text": "A single file may be up to 25 MB."},
            {"content": "A deleted file stays in the trash for 30 days."},
        ],
        {"sources": ["A single file may be up to 25 MB.", "A deleted file stays in the trash for 30 days."]},
    ],
)
def test_json_sources_are_a_list_of_passages(pincite: Run, passages: object) -> None:
    Path("passages.json").write_text(json.dumps(passages), "utf-8")
    assert pincite("verify", "good.md", "--sources", "passages.json").code == 0


@pytest.mark.parametrize(
    "piped",
    [
        '["A single file may be up to 25 MB.", "A deleted file stays in the trash for 30 days."]',
        '{"text": "A single file may be up to 25 MB."}\n{"text": "A deleted file stays in the trash for 30 days."}\n',
    ],
)
def test_json_sources_may_come_from_standard_input(pincite: Run, piped: str) -> None:
    assert pincite("verify", "good.md", "--sources", "-", stdin=piped).code == 0


@pytest.mark.parametrize("piped", ["[1] A single file may be up to 25 MB.", "[1]", "[" * 100_000])
def test_a_text_from_standard_input_that_only_begins_like_json_is_a_text(pincite: Run, piped: str) -> None:
    Path("one.md").write_text("A single file may be up to 25 MB [1].", "utf-8")
    ran = pincite("verify", "one.md", "--sources", "-", stdin=piped)
    assert ran.err == ""
    assert f"source 1  “{piped[:3]}" in ran.out


@pytest.mark.parametrize("words", [("long.json", "--sources", "s.md"), ("a.md", "--sources", "long.json")])
def test_numbers_of_thousands_of_digits_are_refused(pincite: Run, words: tuple[str, ...]) -> None:
    Path("s.md").write_text("Entry is free.", "utf-8")
    Path("a.md").write_text("Entry is free [1].", "utf-8")
    Path("long.json").write_text('{"answer": ' + "9" * 5_000 + "}", "utf-8")
    ran = pincite("verify", *words)
    assert (ran.code, ran.err) == (
        2,
        "error[parse]: the JSON holds a number of thousands of digits\n  --> long.json\n",
    )


def test_sources_nested_too_deeply_are_refused(pincite: Run) -> None:
    Path("deep.json").write_text("[" * 100_000, "utf-8")
    ran = pincite("verify", "good.md", "--sources", "deep.json")
    assert (ran.code, ran.err) == (2, "error[parse]: the JSON is nested too deeply\n  --> deep.json\n")


def test_json_lines_are_passages_too(pincite: Run) -> None:
    Path("p.jsonl").write_text(
        '{"text": "A single file may be up to 25 MB."}\n"A deleted file stays in the trash for 30 days."\n',
        "utf-8",
    )
    assert pincite("verify", "good.md", "--sources", "p.jsonl").code == 0


# --- forms and gates ----------------------------------------------------------------------------


def test_json_is_the_report(pincite: Run) -> None:
    report = json.loads(pincite("verify", "bad.md", *SOURCES, "--json").out)
    assert report["ok"] is False
    assert len(report["sentences"]) == 2


def test_the_github_form_names_file_and_line(pincite: Run) -> None:
    Path("bad.md").write_text(
        "A single file may be up to 25 MB [1].\n\nA deleted file stays in the trash for 90 days [2].\n",
        "utf-8",
    )
    ran = pincite("verify", "bad.md", *SOURCES, "--format", "github")
    assert ran.code == 1
    (line,) = ran.out.splitlines()
    assert line.startswith("::error file=bad.md,line=3,title=citation ")


def test_the_report_can_be_written_to_a_file_whose_suffix_gives_the_form(pincite: Run) -> None:
    ran = pincite("verify", "good.md", *SOURCES, "--output", "report.json")
    assert (ran.code, ran.out) == (0, "")
    assert json.loads(Path("report.json").read_text("utf-8"))["ok"] is True


def test_with_gates_only_the_gates_decide(pincite: Run) -> None:
    assert pincite("verify", "bad.md", *SOURCES, "--min-precision", "0.5").code == 0
    missed = pincite("verify", "bad.md", *SOURCES, "--min-precision", "0.9", "--min-coverage", "0.5")
    assert (missed.code, missed.err) == (1, "precision 0.50 is below 0.9\n")


def test_an_answer_without_a_factual_sentence_misses_no_gate(pincite: Run) -> None:
    assert pincite("verify", "-", *SOURCES, "--min-coverage", "1", stdin="Thank you!\n").code == 0


# --- what can be wrong --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.md", *SOURCES], "error[usage]: there is no such file\n  --> none.md\n"),
        (["good.md"], "error[usage]: there are no sources to check against\n"),
        (
            ["good.md", "--sources", "none.txt"],
            "error[parse]: no such file or folder\n  --> none.txt\n   = help: ",
        ),
        (
            ["good.md", "--sources", "empty"],
            "error[usage]: there is nothing to read in empty\n  --> --sources\n",
        ),
        (["-", "--sources", "-"], "error[usage]: standard input can be the answer or a source, not both\n"),
        (["good.md", *SOURCES, "--format", "jsn"], "error[usage]: unknown format 'jsn'\n"),
        (
            ["good.md", *SOURCES, "--min-coverage", "2"],
            "error[usage]: --min-coverage: must be a number between 0 and 1, got '2'\n",
        ),
        (["broken.json"], "error[parse]: invalid JSON: "),
        (["latin.txt", *SOURCES], "error[parse]: not UTF-8: byte 0xfc at position 1\n  --> latin.txt\n"),
    ],
)
def test_what_cannot_be_checked_says_why(pincite: Run, words: list[str], message: str) -> None:
    Path("broken.json").write_text('{"answer": ', "utf-8")
    Path("latin.txt").write_bytes(b"f\xfcnf [1]")
    Path("empty").mkdir()
    ran = pincite("verify", *words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(message)


def test_verify_reads_no_settings(pincite: Run) -> None:
    Path("pincite.toml").write_text("[nonsense]\n", "utf-8")
    assert pincite("verify", "good.md", *SOURCES).code == 0
