"""``eval`` in a step of GitHub Actions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

ITEM = {
    "id": "g-1",
    "question": "How long does a deleted file stay in the trash?",
    "must_include": ["30 days"],
    "answer": "A deleted file stays in the trash for 90 days [1].",
    "sources": [{"id": "1", "text": "A deleted file stays in the trash for 30 days."}],
}


@pytest.fixture(autouse=True)
def _golden() -> None:
    Path("golden.jsonl").write_text("\n" + json.dumps(ITEM) + "\n", "utf-8")


def test_the_step_gets_annotations_beside_the_output_that_was_asked_for(
    pincite: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    ran = pincite("eval", "golden.jsonl", "--json")
    assert json.loads(ran.out)["run"]["n"] == 1
    assert any(line.startswith("::error title=Gate%3A precision::") for line in ran.err.splitlines())
    assert any(line.startswith("::warning file=golden.jsonl,line=2,") for line in ran.err.splitlines())


def test_annotations_that_were_asked_for_come_once(pincite: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    ran = pincite("eval", "golden.jsonl", "--format", "github")
    assert "::warning file=golden.jsonl,line=2," in ran.out
    assert "::" not in ran.err


def test_the_summary_of_the_step_is_added_to_what_is_there(
    pincite: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("# Before\n", "utf-8")
    assert pincite("eval", "golden.jsonl").code == 1
    assert Path("summary.md").read_text("utf-8").startswith("# Before\n# ✗ Failed: ")


def test_elsewhere_nothing_of_it_is_written(pincite: Run) -> None:
    ran = pincite("eval", "golden.jsonl")
    assert "::" not in ran.err + ran.out
    assert not Path("summary.md").exists()
