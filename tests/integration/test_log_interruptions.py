"""Processes that log answers at once, and are killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from pincite.logbook import verify
from pincite.stores.sqlite import SqliteStore
from pincite.types import AnswerId, Reader

WRITE = textwrap.dedent("""
    import sys
    from pathlib import Path
    from pincite.ports.stored import StoredAnswer
    from pincite.stores.sqlite import SqliteStore
    from pincite.types import AnswerId
    store = SqliteStore(Path(sys.argv[1]))
    for n in range(1_000_000):
        name = f"ans_{sys.argv[2]}_{n}"
        store.save_answer(StoredAnswer(AnswerId(name), "2026-01-02T03:04:05Z", "public", "?", "ANSWERED", "{}" * 2_000))
        print(name, flush=True)
""")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_two_processes_that_are_killed_lose_no_answer_that_they_said_was_logged(tmp_path: Path) -> None:
    path, said = tmp_path / "a.db", []
    for life in range(2):
        running = [
            subprocess.Popen(
                [sys.executable, "-c", WRITE, str(path), f"{life}{name}"], stdout=subprocess.PIPE, text=True
            )
            for name in "ab"
        ]
        for process in running:
            assert process.stdout is not None
            said += [process.stdout.readline().strip() for _ in range(30)]
        for process in running:
            process.send_signal(signal.SIGKILL)
        for process in running:
            rest, _ = process.communicate()
            said += [line for line in rest.split("\n")[:-1] if line]
        with closing(SqliteStore(path)) as store:
            assert [one for one in said if store.answer(AnswerId(one), Reader()) is None] == []
            report = verify(store)
            assert report.faults == ()
            assert report.answers >= len(said)
