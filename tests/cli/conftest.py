"""A folder of its own for each test, and ``pincite`` run in it: in this process, or as a process of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from pincite.cli.app import run

SOURCE = Path(__file__).resolve().parents[2] / "src"


class Ran(NamedTuple):
    """What a command did: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the person who runs the tests is read."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    for name in [name for name in os.environ if name.startswith(("PINCITE_", "GITHUB_"))]:
        monkeypatch.delenv(name)
    for name in ("HOME", "USERPROFILE", "APPDATA", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.fixture
def pincite(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """``pincite("ask", "Why?", stdin="…")`` in this process."""

    def ran(*words: str, stdin: str | bytes = "") -> Ran:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8"))
        capsys.readouterr()
        code = run(words)
        return Ran(code, *capsys.readouterr())

    return ran


@pytest.fixture
def command() -> list[str]:
    """The words that start ``pincite`` as a process of its own."""
    return [sys.executable, "-m", "pincite.cli"]


@pytest.fixture
def process(command: list[str]) -> Run:
    """``process("docs")``: the same as a real process."""

    def ran(*words: str, stdin: str = "", cwd: Path | None = None) -> Ran:
        done = subprocess.run(
            [*command, *words],
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            env=environment(),
            cwd=cwd,
            timeout=120,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return ran


def environment() -> dict[str, str]:
    """The environment of a process: this one's, with the source on the path."""
    return {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": "utf-8"}


@pytest.fixture
def shop(pincite: Run) -> Run:
    """Two public documents and an internal one, added; gives ``pincite`` on."""
    Path("docs").mkdir()
    Path("docs", "limits.md").write_text("# Limits\n\nA single file may be up to 25 MB.\n", "utf-8")
    Path("docs", "trash.md").write_text(
        "# Trash\n\nA deleted file stays in the trash for 30 days.\n", "utf-8"
    )
    Path("docs", "margins.md").write_text(
        "---\naccess_level: internal\n---\n# Margins\n\nThe margin on scanners is 31 %.\n", "utf-8"
    )
    assert pincite("add", "docs").code == 0
    return pincite
