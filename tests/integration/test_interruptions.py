"""Real processes that are killed, or write at the same time: nothing is broken, nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from pincite.stores.sqlite import SqliteStore
from pincite.types import AccessLevel, Reader

EVERYONE = Reader(AccessLevel.CONFIDENTIAL)
COMMAND = [sys.executable, "-m", "pincite.cli", "-q"]
SOURCE = Path(__file__).resolve().parents[2] / "src"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows ends processes in another way")


def start(*words: str, folder: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "HOME": str(folder)}
    return subprocess.Popen(
        [*COMMAND, *words], cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def write(folder: Path, count: int, words: str = "") -> None:
    folder.mkdir(exist_ok=True)
    for number in range(count):
        parts = [f"# Part {part}\n\nRoom {number}.{part} opens at nine{words}.\n" for part in range(40)]
        (folder / f"{folder.name}-{number}.md").write_text("\n".join(parts), "utf-8")


def stored(database: Path) -> dict[str, str]:
    with closing(SqliteStore(database)) as store:
        assert list(store.problems()) == []
        return {one.info.doc_id: one.info.content_hash for one in store.documents(EVERYONE)}


def wait_until_written(folder: Path, process: subprocess.Popen[bytes], size: int) -> None:
    """Until the database has grown: the process is in the middle of its work then."""
    give_up = time.monotonic() + 60
    log = folder / "pincite.db-wal"
    while process.poll() is None and time.monotonic() < give_up:
        if log.exists() and log.stat().st_size > size:
            return
        time.sleep(0.005)


@pytest.mark.parametrize("command", [["add", "docs"], ["refresh"]], ids=["add", "refresh"])
def test_a_killed_command_leaves_a_whole_database_and_goes_on_where_it_was(
    tmp_path: Path, command: list[str]
) -> None:
    write(tmp_path / "docs", 80)
    if command == ["refresh"]:
        assert start("add", "docs", folder=tmp_path).wait(120) == 0
        write(tmp_path / "docs", 120, " and closes at ten")
    process = start(*command, folder=tmp_path)
    wait_until_written(tmp_path, process, 100_000)
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    if (tmp_path / "pincite.db").exists():
        stored(tmp_path / "pincite.db")
    assert start(*command, folder=tmp_path).wait(120) == 0
    after = stored(tmp_path / "pincite.db")
    assert len(after) == len(list((tmp_path / "docs").iterdir()))
    assert start("add", "docs", folder=tmp_path).wait(120) == 0
    assert stored(tmp_path / "pincite.db") == after


def test_of_two_writers_one_waits_and_none_fails(tmp_path: Path) -> None:
    write(tmp_path / "one", 40)
    write(tmp_path / "two", 40)
    processes = [start("add", name, folder=tmp_path) for name in ("one", "two")]
    assert [process.wait(120) for process in processes] == [0, 0]
    assert len(stored(tmp_path / "pincite.db")) == 80


def test_two_processes_that_add_the_same_folder_agree(tmp_path: Path) -> None:
    write(tmp_path / "one", 40)
    processes = [start("add", "one", folder=tmp_path) for _ in range(2)]
    assert [process.wait(120) for process in processes] == [0, 0]
    assert len(stored(tmp_path / "pincite.db")) == 40
    with closing(SqliteStore(tmp_path / "pincite.db")) as store:
        chunks, next_number = store.chunk_numbers("one-0")  # type: ignore[arg-type]
        assert [chunk.chunk_id for chunk in chunks] == [
            f"one-0-chunk-{number}" for number in range(next_number)
        ]


def test_watching_takes_in_what_is_written_until_it_is_interrupted(tmp_path: Path) -> None:
    write(tmp_path / "docs", 2)
    process = start("add", "docs", "--watch", folder=tmp_path)
    database, give_up = tmp_path / "pincite.db", time.monotonic() + 90
    while process.poll() is None and time.monotonic() < give_up:
        if database.exists() and len(stored(database)) == 2:
            break
        time.sleep(0.1)
    time.sleep(1)
    (tmp_path / "docs" / "late.md").write_text("# Late\n\nThis came later.\n", "utf-8")
    while len(stored(database)) < 3 and time.monotonic() < give_up:
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert "late" in stored(database)
