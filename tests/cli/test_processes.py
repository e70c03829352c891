"""What only a process of its own can show: signals, pipes, colour, and which modules are loaded."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.conftest import Run, environment

posix_only = pytest.mark.skipif(
    sys.platform == "win32", reason="signals and pseudo terminals as POSIX has them"
)


def stored_documents(database: Path) -> int:
    """How many documents another process sees; none while there is no database."""
    if not database.exists():
        return 0
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)
    try:
        return int(connection.execute("SELECT count(*) FROM documents").fetchone()[0])
    except sqlite3.OperationalError:
        return 0  # the tables are not there yet
    finally:
        connection.close()


@posix_only
def test_ctrl_c_during_add_keeps_what_was_stored_and_the_same_command_goes_on(
    command: list[str], process: Run
) -> None:
    for count in (6_000, 12_000, 24_000):  # a machine may have stored the fewer ones before the signal comes
        documents = [
            {"doc_id": f"d{n}", "title": f"Document {n}", "url": "", "text": f"Room {n} opens at nine."}
            for n in range(count)
        ]
        Path("many.json").write_text(json.dumps(documents), "utf-8")
        database = Path(f"{count}.db")
        adding = subprocess.Popen(
            [*command, "-c", f"store.path={database}", "add", "many.json"],
            env=environment(),
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        give_up = time.monotonic() + 100
        while not stored_documents(database) and adding.poll() is None and time.monotonic() < give_up:
            time.sleep(0.02)
        adding.send_signal(signal.SIGINT)
        _, err = adding.communicate(timeout=60)
        kept = stored_documents(database)
        if adding.returncode != 0:
            break
    assert adding.returncode == 130
    assert "interrupted; what was stored before is still there" in err
    assert "Traceback" not in err
    assert 0 < kept < count
    assert process("-c", f"store.path={database}", "doctor").code == 0
    again = process("-c", f"store.path={database}", "add", "many.json", "--dry-run")
    assert f"{count - kept} added, 0 changed, {kept} unchanged" in again.out


@posix_only
def test_a_reader_that_goes_away_is_no_error(command: list[str], process: Run) -> None:
    Path("long.md").write_text(
        "".join(f"# Part {number}\n\nIt opens at nine.\n\n" for number in range(3_000)), "utf-8"
    )
    process("add", "long.md")
    with subprocess.Popen(
        [*command, "docs", "show", "long"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as showing:
        assert showing.stdout is not None
        assert showing.stderr is not None
        showing.stdout.readline()
        showing.stdout.close()
        assert showing.stderr.read() == ""
    assert showing.returncode == 0


@posix_only
def test_a_failed_check_fails_even_when_its_reader_goes_away(command: list[str]) -> None:
    Path("answer.md").write_text("Rooms open at nine [1]. " * 400, "utf-8")
    Path("rooms.txt").write_text("Rooms open at ten.", "utf-8")
    read, write = os.pipe()
    os.close(read)
    checking = subprocess.run(
        [*command, "verify", "answer.md", "--sources", "rooms.txt"],
        env=environment(),
        stdout=write,
        stderr=subprocess.PIPE,
        timeout=60,
    )
    os.close(write)
    assert (checking.returncode, checking.stderr) == (1, b"")


@posix_only
def test_colour_is_for_terminals_and_can_be_switched_off(command: list[str], process: Run) -> None:
    import pty

    Path("answer.md").write_text("Rooms open at nine [1].", "utf-8")
    Path("rooms.txt").write_text("Rooms open at ten.", "utf-8")
    words = ["verify", "answer.md", "--sources", "rooms.txt"]
    colourful = {key: value for key, value in environment().items() if key != "NO_COLOR"}

    def on_a_terminal(*more: str, env: dict[str, str]) -> str:
        leader, follower = pty.openpty()
        subprocess.run([*command, *more, *words], env=env, stdout=follower, stderr=follower, timeout=60)
        os.close(follower)
        shown = os.read(leader, 100_000).decode()
        os.close(leader)
        return shown

    assert "\x1b[31m" in on_a_terminal(env=colourful)
    assert "\x1b[" not in on_a_terminal("--no-color", env=colourful)
    assert "\x1b[" not in on_a_terminal(env={**colourful, "NO_COLOR": "1"})
    assert "\x1b[" not in process(*words).out


@posix_only
def test_add_shows_a_bar_on_a_terminal_and_none_elsewhere(command: list[str], process: Run) -> None:
    import pty

    Path("rooms.txt").write_text("Rooms open at ten.", "utf-8")
    leader, follower = pty.openpty()
    subprocess.run(
        [*command, "add", "rooms.txt"], env=environment(), stdout=subprocess.PIPE, stderr=follower, timeout=60
    )
    os.close(follower)
    assert "chunks" in os.read(leader, 100_000).decode()
    os.close(leader)
    assert process("add", "rooms.txt").err == ""


def test_verify_loads_no_settings_no_database_and_no_parser_of_other_files(command: list[str]) -> None:
    Path("answer.md").write_text("Rooms open at nine [1].", "utf-8")
    Path("rooms.txt").write_text("Rooms open at nine.", "utf-8")
    code = (
        "import sys; from pincite.cli.app import run; run(['verify', 'answer.md', '--sources', 'rooms.txt']);"
        "print(*sorted({'pydantic', 'rich', 'sqlite3', 'pypdfium2', 'pincite.pipeline'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, encoding="utf-8", timeout=60
    )
    assert done.stdout.splitlines()[-1] == "", done.stdout


def test_version_and_help_are_data(process: Run) -> None:
    assert process("--version").out.startswith("pincite 0.")
    ran = process("ask", "--help")
    assert (ran.code, ran.err) == (0, "")
    assert "--fail-on-abstain" in ran.out


def test_without_a_command_the_help_is_an_error(process: Run) -> None:
    ran = process()
    assert (ran.code, ran.out) == (2, "")
    assert "verify" in ran.err


def test_global_options_may_stand_before_and_behind_the_command(process: Run) -> None:
    before = process("-c", "retrieval.top_k=3", "config", "show").out
    assert "top_k = 3" in before
    assert process("config", "show", "-c", "retrieval.top_k=3").out == before
