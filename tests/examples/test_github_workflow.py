"""The example of a workflow for GitHub Actions can be read, and says nothing that pincite does not know."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from pincite.cli.parser import make_parser
from pincite.evals.reports import writer_of

FILE = Path(__file__).parents[2] / "examples" / "github-workflow.yml"
WORKFLOW: dict[Any, Any] = yaml.safe_load(FILE.read_text("utf-8"))
STEPS: list[dict[str, Any]] = WORKFLOW["jobs"]["eval"]["steps"]
COMMANDS = [
    shlex.split(line)[1:]
    for step in STEPS
    for line in str(step.get("run", "")).splitlines()
    if line.strip().startswith("pincite ")
]


def test_it_runs_for_pull_requests_and_may_only_read() -> None:
    assert "pull_request" in WORKFLOW[True]  # YAML reads `on` so
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert all(set(step) <= {"name", "uses", "run", "with", "env", "if"} for step in STEPS)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_its_commands_exist_with_these_options(words: list[str]) -> None:
    assert make_parser().parse_args(words) is not None


def test_it_evaluates_with_the_gate_against_the_main_branch() -> None:
    (words,) = (words for words in COMMANDS if words[0] == "eval")
    given = make_parser().parse_args(words)
    assert (given.baseline, given.max_drop) == ("reports/main.json", 2.0)
    assert {writer_of(path).__name__ for path in given.output} == {
        "report_json",
        "report_markdown",
        "report_html",
        "report_junit",
    }
    assert any(
        "git show FETCH_HEAD:baseline.json > reports/main.json" in str(step.get("run")) for step in STEPS
    )


def test_the_reports_are_kept_also_when_the_gate_fails() -> None:
    assert STEPS[-1]["if"] == "always()"
    assert STEPS[-1]["with"]["path"] == "reports/"


def test_nothing_of_a_pull_request_is_written_into_a_script() -> None:
    assert not any(re.search(r"\$\{\{", str(step.get("run", ""))) for step in STEPS)
