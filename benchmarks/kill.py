"""Kill `pincite add` and `pincite refresh` at random moments: is the database whole each time, does the next call complete it?

    python benchmarks/kill.py [--times 20] [--documents 400] [--seed 1] [--json]

Half of the kills (SIGKILL) hit an `add` into a new database, half a `refresh` after half of the files changed and some
went. After each the database must be whole (`doctor`: SQLite's check, content hashes, spans, statistics, originals), and
the same command run again must end with exactly what one undisturbed run gives: the same documents, the same passages, all
originals, no passage id that ever denoted two texts. Then two processes add different folders at once: none may fail.

The dumbest rule beside it: a run that is not killed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pincite.stores.sqlite import SqliteStore
from pincite.types import AccessLevel, Reader

EVERYONE = Reader(AccessLevel.CONFIDENTIAL)
COMMAND = [sys.executable, "-m", "pincite.cli"]


def write_documents(folder: Path, count: int, *, edition: int) -> None:
    """Text files, of which the second edition changes every other one, leaves out some and brings some new ones."""
    folder.mkdir(exist_ok=True)
    for number in range(count):
        file = folder / f"room-{number}.md"
        if edition == 2 and number % 10 == 3:
            file.unlink(missing_ok=True)
            continue
        changed = edition == 2 and number % 2 == 0
        parts = [
            f"# Part {part}\n\nRoom {number} part {part} opens at {(number + part) % 24}"
            f"{' and closes early' if changed and part % 3 == 0 else ''}.\n"
            for part in range(12)
        ]
        file.write_text("\n".join(parts), "utf-8")
    for number in range(count // 20 if edition == 2 else 0):
        (folder / f"new-{number}.md").write_text(f"# New\n\nHall {number} is new.\n", "utf-8")


def run(*words: str, folder: Path, kill_after: float | None = None) -> tuple[int, float]:
    """Exit code (negative when killed) and seconds of a command in ``folder``."""
    started = time.monotonic()
    process = subprocess.Popen(
        [*COMMAND, "-q", *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    if kill_after is not None:
        time.sleep(kill_after)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    _, errors = process.communicate()
    if process.returncode not in (0, -signal.SIGKILL):
        print(errors.decode(), file=sys.stderr)
    return process.returncode, time.monotonic() - started


Contents = dict[str, tuple[str, tuple[str, ...]]]
"""By document: its content hash and its passages."""


def contents(database: Path) -> Contents:
    store = SqliteStore(database, create=False)
    try:
        return {
            one.info.doc_id: (
                one.info.content_hash,
                tuple(c.text for c in store.chunk_numbers(one.info.doc_id)[0]),
            )
            for one in store.documents(EVERYONE)
        }
    finally:
        store.close()


def passages(database: Path) -> dict[str, str]:
    """Every passage by its id."""
    if not database.exists():
        return {}
    store = SqliteStore(database, create=False)
    try:
        chunks = (c for one in store.documents(EVERYONE) for c in store.chunk_numbers(one.info.doc_id)[0])
        return {chunk.chunk_id: chunk.text for chunk in chunks}
    finally:
        store.close()


def problems(database: Path) -> list[str]:
    if not database.exists():
        return []
    store = SqliteStore(database)
    try:
        return list(store.problems())
    finally:
        store.close()


def killed_once(folder: Path, words: tuple[str, ...], moment: float, wanted: Contents) -> dict[str, object]:
    """Kill one command, look, run it again, look."""
    database = folder / "pincite.db"
    before = passages(database)
    code, _ = run(*words, folder=folder, kill_after=moment)
    damage = problems(database)
    between = passages(database)
    again, _ = run(*words, folder=folder)
    after = passages(database)
    return {
        "command": words[0],
        "moment_s": round(moment, 3),
        "was_killed": code == -signal.SIGKILL,
        "stored_when_killed": len(between),
        "whole": not damage,
        "completed": again == 0 and contents(database) == wanted and not problems(database),
        "ids_denote_one_text": all(
            one[name] == two[name] for one, two in ((before, between), (between, after), (before, after))
            for name in one.keys() & two.keys()
        ),
    }  # fmt: skip


def two_writers(folder: Path, documents: int) -> dict[str, object]:
    """Two processes that add at once."""
    for name in ("one", "two"):
        write_documents(folder / name, documents, edition=1)
        for file in (folder / name).iterdir():
            file.rename(file.with_name(f"{name}-{file.name}"))
    running = [
        subprocess.Popen([*COMMAND, "-q", "add", name], cwd=folder, stdout=subprocess.DEVNULL)
        for name in ("one", "two")
    ]
    codes = [process.wait() for process in running]
    return {
        "exit_codes": codes,
        "documents": len(contents(folder / "pincite.db")),
        "wanted": 2 * documents,
        "whole": not problems(folder / "pincite.db"),
    }


def measure(times: int, documents: int, seed: int) -> dict[str, object]:
    chance = random.Random(seed)
    runs: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        calm = base / "calm"
        calm.mkdir()
        write_documents(calm / "docs", documents, edition=1)
        _, add_s = run("add", "docs", folder=calm)
        added = contents(calm / "pincite.db")
        shutil.copytree(calm, base / "added")
        write_documents(calm / "docs", documents, edition=2)
        _, refresh_s = run("refresh", "--remove", folder=calm)
        refreshed = contents(calm / "pincite.db")
        for number in range(times):
            folder = base / f"run-{number}"
            if number % 2 == 0:
                folder.mkdir()
                write_documents(folder / "docs", documents, edition=1)
                runs.append(killed_once(folder, ("add", "docs"), chance.uniform(0.2, 1.0) * add_s, added))
            else:
                folder.mkdir()
                write_documents(folder / "docs", documents, edition=1)
                run("add", "docs", folder=folder)
                write_documents(folder / "docs", documents, edition=2)
                moment = chance.uniform(0.2, 1.0) * refresh_s
                runs.append(killed_once(folder, ("refresh", "--remove"), moment, refreshed))
            shutil.rmtree(folder)
        (base / "writers").mkdir()
        writers = two_writers(base / "writers", documents)
    checks = ("whole", "completed", "ids_denote_one_text")
    return {
        "calm": {"add_s": round(add_s, 2), "refresh_s": round(refresh_s, 2)},
        "kills": len(runs),
        "hit": sum(bool(one["was_killed"]) for one in runs),
        **{name: sum(bool(one[name]) for one in runs) for name in checks},
        "runs": runs,
        "two_writers": writers,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.times, options.documents, options.seed)
    if options.json:
        print(json.dumps(found))
    else:
        for one in found["runs"]:  # type: ignore[attr-defined]
            print(one)
        print({name: value for name, value in found.items() if name != "runs"})
    kills = found["kills"]
    good = all(found[name] == kills for name in ("whole", "completed", "ids_denote_one_text"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
