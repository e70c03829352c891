"""Kill processes that log answers: is every answer there that was said to be logged, and is the chain whole?

    python benchmarks/audit.py [--times 20] [--writers 2] [--answers 5000] [--seed 1] [--json]

Each time `--writers` processes append answers and feedback to one database, erase and prune, and print each id when the
store said that it is logged. All are killed (SIGKILL), each at a moment of its own. Then every id that was printed and
neither erased nor pruned must be there with the words that were written, and `pincite log verify` must find nothing, with
the heads that were noted after each earlier kill as anchors.

Then the database is forged in every way of a table (an edit, a deletion, an insertion, a swap, a cut) in copies, many times
each at random places: each must be found. The dumbest rule beside it: whether SQLite's own check finds it.

Last, what it costs: answers appended a second with the chain and with a plain INSERT, and links checked a second.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from pincite.chain import head_of
from pincite.logbook import verify
from pincite.ports.stored import LogHead, StoredAnswer, StoredFeedback
from pincite.stores.sqlite import SqliteStore
from pincite.types import AccessLevel, AnswerId, Reader

EVERYONE = Reader(AccessLevel.CONFIDENTIAL)
BODY = json.dumps({"plain": "x" * 6_000, "citations": [], "snippets": []})
"""As long as an answer with three citations."""


def answer(writer: str, number: int) -> StoredAnswer:
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return StoredAnswer(
        AnswerId(f"ans_{writer}_{number}"), when, "public", f"Why {number}?", "ANSWERED", BODY
    )


def write(path: Path, writer: str) -> None:
    """What a process does that is killed: log, and say so."""
    store = SqliteStore(path)
    for number in range(1_000_000):
        one = answer(writer, number)
        store.save_answer(one)
        print("+", one.answer_id, flush=True)
        if number % 7 == 3:
            said = StoredFeedback(f"fb_{writer}_{number}", one.answer_id, one.created_at, "public", "helpful")
            store.save_feedback(said)
        if number % 11 == 5:
            print("?", f"ans_{writer}_{number - 2}", flush=True)  # from here on it may be gone
            store.erase_answer(AnswerId(f"ans_{writer}_{number - 2}"), at=one.created_at, why="benchmark")


def killed_once(
    path: Path, writers: int, chance: random.Random, heads: list[LogHead], life: str
) -> dict[str, object]:
    """Start writers, kill each at its moment, and look."""
    running = [
        subprocess.Popen(
            [sys.executable, __file__, "--write", str(path), f"{life}-{number}"],
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(writers)
    ]
    said: list[str] = []
    for process in running:
        assert process.stdout is not None
        said.append(process.stdout.readline())  # it has begun
    for process in running:
        time.sleep(chance.uniform(0.0, 0.4))
        process.send_signal(signal.SIGKILL)
    for process in running:
        said += process.communicate()[0].splitlines()
    marks = [line.split() for line in said if len(line.split()) == 2]
    gone = {answer_id for mark, answer_id in marks if mark == "?"}
    promised = [answer_id for mark, answer_id in marks if mark == "+" and answer_id not in gone]
    with closing(SqliteStore(path)) as store:
        lost = [
            one
            for one in promised
            if (found := store.answer(AnswerId(one), EVERYONE)) is None or found.body != BODY
        ]
        report = verify(store, heads)
        damage = list(store.problems())
        heads.append(store.log_head())
    return {
        "acknowledged": len(promised),
        "lost": len(lost),
        "links": report.entries,
        "whole": report.whole and not damage,
        "faults": [one.what for one in report.faults[:3]],
    }


# --- forgeries ----------------------------------------------------------------------------------


def forgeries(chance: random.Random, last: int) -> dict[str, list[str]]:
    """One of each kind at random places, as SQL."""
    one, other = sorted(chance.sample(range(2, last - 2), 2))
    column = chance.choice(["question", "status", "created_at", "context"])
    swap = [
        f"UPDATE {{}} SET position = -1 WHERE position = {one}",
        f"UPDATE {{}} SET position = {one} WHERE position = {other}",
        f"UPDATE {{}} SET position = {other} WHERE position = -1",
    ]
    return {
        "edited answer": [f"UPDATE answers SET {column} = {column} || '.' WHERE position = {one}"],
        "one character of the body": [
            f"UPDATE answers SET body = replace(body, 'xx', 'xy') WHERE position = {one}"
        ],
        "deleted answer": [f"DELETE FROM answers WHERE position = {one}"],
        "deleted with its link": [
            f"DELETE FROM answers WHERE position = {one}",
            f"DELETE FROM log WHERE position = {one}",
        ],
        "answer put in": [
            f"INSERT INTO answers SELECT 'ans_x', created_at, level, question, status, body, context, position FROM answers WHERE position = {one}"
        ],
        "answers changed places": [line.format("answers") for line in swap],
        "links changed places": [line.format("log") for line in swap],
        "edited link": [f"UPDATE log SET at = '2020-01-01T00:00:00Z' WHERE position = {one}"],
        "cut-off tail": [
            f"DELETE FROM answers WHERE position > {last - 3}",
            f"DELETE FROM log WHERE position > {last - 3}",
        ],
        "cut-off beginning": ["DELETE FROM answers WHERE position < 4", "DELETE FROM log WHERE position < 4"],
    }


def forged(path: Path, times: int, chance: random.Random) -> dict[str, dict[str, int]]:
    """How many of each kind are found, by the chain and by SQLite's own check."""
    found: dict[str, dict[str, int]] = {}
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (last,) = db.execute("SELECT max(position) FROM log").fetchone()
    for _ in range(times):
        for kind, statements in forgeries(chance, last).items():
            copy = path.with_name("forged.db")
            shutil.copy(path, copy)
            with closing(sqlite3.connect(copy)) as db:
                for statement in statements:
                    db.execute(statement)
                db.commit()
                (quick,) = db.execute("PRAGMA integrity_check(1)").fetchone()
            with closing(SqliteStore(copy)) as store:
                whole = verify(store).whole
            told = found.setdefault(kind, {"made": 0, "found": 0, "found_by_sqlite": 0})
            told["made"] += 1
            told["found"] += not whole
            told["found_by_sqlite"] += quick != "ok"
            for left in path.parent.glob("forged.db*"):
                left.unlink() if left.is_file() else shutil.rmtree(left)
    return found


# --- what it costs ------------------------------------------------------------------------------


def timed(work: Callable[[], object]) -> float:
    """Seconds of processor time: a commit waits for other programs' disk as well."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def costs(folder: Path, answers: int) -> dict[str, float]:
    with closing(SqliteStore(folder / "costs.db")) as store:
        chained = timed(lambda: [store.save_answer(answer("c", number)) for number in range(answers)])
        checking = timed(lambda: verify(store))
        reading = timed(lambda: list(store.log_entries()))
        (size,) = (
            store._connection()
            .execute(
                "SELECT sum(length(link) + length(previous) + length(content) + length(subject) + length(at) + length(detail) + 20) FROM log"
            )
            .fetchone()
        )
        db = store._connection()
        values = [(f"p{number}", "t", "public", "q", "s", BODY, "{}", 0) for number in range(answers)]

        def plain() -> None:
            for row in values:
                db.execute("BEGIN IMMEDIATE")
                db.execute("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
                db.execute("COMMIT")

        unchained = timed(plain)
    return {
        "answers": answers,
        "append_cpu_ms": round(1000 * chained / answers, 3),
        "plain_insert_cpu_ms": round(1000 * unchained / answers, 3),
        "verify_per_cpu_s": round(answers / checking),
        "read_links_per_cpu_s": round(answers / reading),
        "bytes_a_link": round(size / answers),
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--answers", type=int, default=5_000)
    parser.add_argument("--forgeries", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write:
        write(Path(options.write[0]), options.write[1])
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        path, heads = Path(name, "pincite.db"), []
        runs = [
            killed_once(path, options.writers, chance, heads, str(number)) for number in range(options.times)
        ]
        small = Path(name, "small.db")
        with closing(SqliteStore(small)) as store:
            for number in range(40):
                store.save_answer(answer("s", number))
            assert head_of(list(store.log_entries())[-1]).link == store.log_head().link
        found = forged(small, options.forgeries, chance)
        cost = costs(Path(name), options.answers)
    told = {
        "kills": options.times * options.writers,
        "acknowledged": sum(int(str(one["acknowledged"])) for one in runs),
        "lost": sum(int(str(one["lost"])) for one in runs),
        "whole": sum(bool(one["whole"]) for one in runs),
        "of": len(runs),
        "forgeries": found,
        "costs": cost,
    }
    print(json.dumps(told) if options.json else json.dumps(told, indent=2))
    bad = [one for one in runs if one["lost"] or not one["whole"]]
    for one in bad:
        print(one, file=sys.stderr)
    return int(bool(bad) or any(one["found"] != one["made"] for one in found.values()))


if __name__ == "__main__":
    sys.exit(main())
