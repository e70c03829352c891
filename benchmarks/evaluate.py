"""A large golden set of recorded answers: how long, how much memory, and does a run that was killed go on?

    python benchmarks/evaluate.py [--items 100000] [--json]
    python benchmarks/evaluate.py --dumb

Writes a golden file of that many items, each with an answer of two sentences and its sources, begins ``pincite eval`` and kills it
(SIGKILL) once a third is done; then goes on with ``--resume``, and compares the report with that of a run that nobody killed
(``--whole``). Peak memory is that of the process (``VmHWM``). Beside it the dumbest rule: read all lines into a list.

``--dumb``: what the dumbest rules reach on the shipped golden set, by words: answer with the first sentence of the best passage, or with
all of it, and never decline. Right is what has the right words.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

WORDS = ("-q", "eval", "golden.jsonl", "--output", "report.json", "--format", "github")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument(
        "--whole", action="store_true", help="also run it without an interruption, and compare"
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--dumb", action="store_true")
    options = parser.parse_args()
    if options.dumb:
        print(json.dumps(dumb()))
        return
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), options.items, whole=options.whole)
    print(
        json.dumps(found)
        if options.json
        else "\n".join(f"{name:24} {value}" for name, value in found.items())
    )


def measure(folder: Path, items: int, *, whole: bool) -> dict[str, Any]:
    golden = folder / "golden.jsonl"
    with golden.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(_item(number)) + "\n" for number in range(items))
    journal = folder / "report.json.journal"
    begun = time.monotonic()
    first = _start(folder)
    while first.poll() is None and _lines(journal) < items // 3:
        time.sleep(0.2)
    first.kill()
    first.wait()
    done = _lines(journal) - 1
    killed_after = time.monotonic() - begun
    begun = time.monotonic()
    second = _start(folder, "--resume")
    peak = 0
    while second.poll() is None:
        peak = max(peak, _peak_kb(second.pid))
        time.sleep(0.2)
    report = json.loads((folder / "report.json").read_text("utf-8"))
    found = {
        "items": report["run"]["n"],
        "golden_mb": round(golden.stat().st_size / 1e6, 1),
        "killed_after_items": done,
        "seconds_until_killed": round(killed_after, 1),
        "seconds_after": round(time.monotonic() - begun, 1),
        "peak_mb": round(peak / 1000),
        "report_mb": round((folder / "report.json").stat().st_size / 1e6, 1),
        "all_lines_mb": _list_mb(golden),
    }
    if whole:
        _start(folder).wait()
        again = json.loads((folder / "report.json").read_text("utf-8"))
        found["same_as_uninterrupted"] = all(
            again[name] == report[name] for name in ("metrics", "items", "slices")
        )
    return found


def dumb() -> dict[str, Any]:
    from pincite.cli.evaluate import with_samples
    from pincite.evals.golden import read_golden, wording_faults
    from pincite.evals.values import GoldenItem
    from pincite.pipeline import Pipeline
    from pincite.samples import samples_dir
    from pincite.text.sentences import split_sentences

    right = {"first sentence": 0, "first passage": 0}
    count = declined = unanswerable = 0
    with with_samples(Pipeline(store="memory", embedder="none")) as rag:
        for item in read_golden(samples_dir() / "golden.jsonl"):
            assert isinstance(item, GoldenItem)
            hits = rag.retrieve(item.question, reader=item.reader)
            if item.must_abstain:
                unanswerable, declined = unanswerable + 1, declined + (not hits)
                continue
            count += 1
            text = hits[0].chunk.text if hits else ""
            sentences = split_sentences(text, language=item.language)
            first = sentences[0].of(text) if sentences else ""
            right["first sentence"] += bool(hits) and not wording_faults(item, first)
            right["first passage"] += bool(hits) and not wording_faults(item, text)
    shares = {name: round(one / count, 3) for name, one in right.items()}
    return {
        "answer_correct": shares,
        "abstain_recall": round(declined / unanswerable, 3),
        "n": [count, unanswerable],
    }


def _item(number: int) -> dict[str, Any]:
    days, size = number % 97 + 2, number % 53 + 5
    wrong = number % 10 == 0
    return {
        "id": f"g-{number:06}",
        "question": f"How long are files of plan {number} kept?",
        "must_include": [f"{days} days"],
        "language": "en",
        "tags": [f"tag-{number % 7}"],
        "answer": f"Files are kept for {days + wrong} days [1]. Uploads may be up to {size} MB [2].",
        "sources": [
            {"id": f"doc-{number}-a", "text": f"Files are kept for {days} days after they were deleted."},
            {"id": f"doc-{number}-b", "text": f"Uploads may be up to {size} MB. Larger ones are refused."},
        ],
    }


def _start(folder: Path, *more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "pincite.cli", *WORDS, *more],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _lines(path: Path) -> int:
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


def _peak_kb(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text("utf-8")
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0)


def _list_mb(golden: Path) -> int:
    code = f"lines = [__import__('json').loads(line) for line in open({str(golden)!r}, encoding='utf-8')]"
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    program = f"{code}\nimport resource\nprint(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    return round(int(done.stdout or before) / 1000)


if __name__ == "__main__":
    main()
