"""The script that source 004 names runs the same evaluation as the command."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "eval_citations.py"


@pytest.mark.parametrize(("answer", "code"), [("Kept for 30 days [1].", 0), ("Kept for 90 days [1].", 1)])
def test_the_script_exits_as_the_command_does(
    answer: str,
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    item = {
        "id": "g-1",
        "question": "How long?",
        "answer": answer,
        "sources": [{"text": "Kept for 30 days."}],
    }
    Path("golden.jsonl").write_text(json.dumps(item) + "\n", "utf-8")
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), "golden.jsonl", "--output", "report.md"])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(SCRIPT), run_name="__main__")
    assert end.value.code == code
    assert "citation_accuracy" in capsys.readouterr().out
    assert Path("report.md").exists()
