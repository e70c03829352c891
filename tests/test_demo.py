"""The demo answers its four questions right, offline, as a customer reads them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pincite.samples import DEMO_QUESTIONS, DemoQuestion
from pincite.samples.demo import _command, main


@pytest.fixture(scope="module")
def printed() -> str:
    return run_demo().stdout


@pytest.fixture(scope="module")
def answers() -> list[dict[str, Any]]:
    done = run_demo("--json")
    return [json.loads(line) for line in done.stdout.splitlines()]


def run_demo(*arguments: str) -> subprocess.CompletedProcess[str]:
    code = "import sys; from pincite.samples.demo import main; sys.exit(main(sys.argv[1:]))"
    source = str(Path(__file__).resolve().parent.parent / "src")
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=300,
    )


def flat(text: str) -> str:
    return " ".join(text.split())


def test_the_first_line_says_how_is_searched(printed: str) -> None:
    first = printed.splitlines()[0]
    assert first.startswith("40 documents in 4 languages, ")
    assert "by words" in first


def test_every_question_is_printed_with_its_answer(printed: str) -> None:
    assert all(demo.question in printed for demo in DEMO_QUESTIONS)
    assert printed.count("citations verified") == 3


def test_the_last_lines_say_how_to_add_a_pdf_and_plug_in_a_model(printed: str) -> None:
    last = "\n".join(printed.splitlines()[-2:])
    assert "pincite add handbook.pdf" in last
    assert "llm=my_model" in last


def test_pincite_is_called_where_it_is_when_no_path_leads_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = tmp_path / "bin" / ("pincite.exe" if os.name == "nt" else "pincite")
    command.parent.mkdir()
    command.touch()
    monkeypatch.setattr(sys, "executable", str(command.with_name("python")))
    monkeypatch.setenv("PATH", "")
    monkeypatch.chdir(tmp_path)
    assert _command() == str(Path("bin", command.name))
    monkeypatch.setenv("PATH", str(command.parent))
    command.chmod(0o755)
    assert _command() == "pincite"


def test_json_is_four_answers_and_nothing_else(answers: list[dict[str, Any]]) -> None:
    assert [answer["question"] for answer in answers] == [demo.question for demo in DEMO_QUESTIONS]


@pytest.mark.parametrize("place", range(len(DEMO_QUESTIONS)), ids=[demo.shows for demo in DEMO_QUESTIONS])
def test_the_answer_is_right(answers: list[dict[str, Any]], place: int) -> None:
    demo: DemoQuestion = DEMO_QUESTIONS[place]
    answer = answers[place]
    assert answer["abstained"] is demo.must_abstain
    assert [words for words in demo.must_include if words not in flat(answer["plain"])] == []
    assert [words for words in demo.must_not_include if words in flat(answer["plain"])] == []
    cited = {citation["doc_id"] for citation in answer["citations"]}
    assert set(demo.expected_doc_ids) <= cited
    uncovered = " ".join(answer["uncovered_aspects"])
    assert all(words in uncovered for words in demo.expected_uncovered)
    assert answer["metrics"]["unverified"] == 0


def test_other_words_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--jsn"]) == 2
    assert capsys.readouterr().out == ""
