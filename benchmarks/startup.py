"""How long the commands take that a person waits for, as whole processes: the best and the middle of several runs.

    python benchmarks/startup.py [--runs 10] [--python PATH] [--json]

--python names the interpreter of another environment, such as one with the base dependencies alone. Wall time grows with what
else the machine does; CPU time hardly. Compiled files are written once and kept for the runs.

The dumbest rule beside it: an interpreter that does nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pincite.samples import DEMO_QUESTIONS, samples_dir

SOURCE = Path(__file__).resolve().parent.parent / "src"

PAGE = """\
# Uploads, deliveries and returns

On the Solo plan a single file may be up to 25 MB [1]. On the Studio plan it may be up to 250 MB [1]. A deleted file stays in the
trash for 30 days [2]. During that time you can bring it back with one click [2]. Copies remain in encrypted backups for another 13
days [2].

- Standard orders placed before 15:30 CET on a working day leave the same day [3].
- For express, the cut-off is 13:30 CET [3].
- Express delivery to Switzerland costs EUR 27.00 [3].

You have 30 days from delivery to send a scanner back [4]. We do not ship to PO boxes [3]. Refunds are paid within 90 days [4].
"""
SOURCES = ("upload-limits.json", "retention.json", "shipping.md", "returns-2026.json")


def measure(words: list[str], folder: Path, runs: int) -> dict[str, float]:
    """Seconds of wall time and of CPU (all threads), best and median."""
    walls, cpus = [], []
    for run in range(runs + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begun = time.perf_counter()
        run_process(words, folder)
        wall = time.perf_counter() - begun
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if run:  # the first one compiles
            walls.append(wall)
            cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {
        "wall_best_s": min(walls),
        "wall_median_s": statistics.median(walls),
        "cpu_best_s": min(cpus),
        "cpu_median_s": statistics.median(cpus),
    }


def run_process(words: list[str], folder: Path) -> None:
    """Run in ``folder``, with compiled files beside it. Exit codes 0 and 1 are results."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr.decode())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    sources = [str(samples_dir() / "en" / name) for name in SOURCES]
    question = DEMO_QUESTIONS[0].question
    demo = "import sys; from pincite.samples.demo import main; sys.exit(main([]))"
    python = [chosen.python]
    pincite = [chosen.python, "-m", "pincite.cli"]
    cases = {
        "python -c pass": [*python, "-c", "pass"],
        "import pincite": [*python, "-c", "import pincite"],
        "pincite --version": [*pincite, "--version"],
        "pincite verify, one page, 4 sources": [*pincite, "verify", "page.md", "--sources", *sources],
        "pincite ask, 12 documents": [*pincite, "ask", question, "--no-log"],
        "pincite doctor": [*pincite, "doctor"],
        "the demo, installed": [*python, "-c", demo],
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "page.md").write_text(PAGE, "utf-8")
        run_process([*pincite, "init"], folder)
        run_process([*pincite, "add", "docs"], folder)
        found = {what: measure(words, folder, chosen.runs) for what, words in cases.items()}
    if chosen.json:
        print(json.dumps(found))
        return
    print("| what | wall, best | wall, median | CPU, best | CPU, median |\n| --- | --- | --- | --- | --- |")
    for what, seconds in found.items():
        print(f"| {what} | " + " | ".join(f"{value:.2f} s" for value in seconds.values()) + " |")


if __name__ == "__main__":
    main()
