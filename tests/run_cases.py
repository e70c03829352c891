"""Run the case files of folders: ``python tests/run_cases.py [DIR…]``.

Each file holds one case or a list of cases (``op``, ``input``, ``expected``; the operations are in ``case_ops``).
Without folders: ``tests/cases`` and, when it is there, the shared folder beside the project (``PINCITE_SHARED``).
The last line is ``N passed, M failed, K not yet``; the exit code is 1 when a case failed.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if not __package__:  # run as a script: what pytest's pythonpath does
    sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.case_ops import OPS, NotYet  # noqa: E402
from tests.case_rules import problems  # noqa: E402


@dataclass(frozen=True, slots=True)
class Outcome:
    """``problems`` are lines of text; ``missing`` names the home of product code that does not exist yet."""

    case: dict[str, Any]
    problems: tuple[str, ...] = ()
    missing: str | None = None


def default_folders() -> list[Path]:
    shared = Path(os.environ.get("PINCITE_SHARED", ROOT.parent / "shared")) / "cases"
    return [ROOT / "tests" / "cases", *([shared] if shared.is_dir() else [])]


def read_cases(folder: Path) -> Iterator[dict[str, Any]]:
    """The cases of a folder, in the order of its file names."""
    for path in sorted(folder.glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        for case in found if isinstance(found, list) else [found]:
            if isinstance(case, dict) and "op" in case:
                yield case


def run_case(case: dict[str, Any]) -> Outcome:
    op = OPS.get(case["op"])
    if op is None:
        return Outcome(case, (f"there is no operation {case['op']!r}",))
    try:
        return Outcome(case, tuple(problems(case, op(case["input"]))))
    except NotYet as missing:
        return Outcome(case, missing=str(missing))
    except Exception:  # a crash is a failed case; the others still run
        return Outcome(case, (traceback.format_exc(limit=-3),))


def main(arguments: Sequence[str]) -> int:
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    folders = [Path(one) for one in arguments] or default_folders()
    outcomes = [run_case(case) for folder in folders for case in read_cases(folder)]
    for outcome in outcomes:
        if outcome.problems:
            print(
                f"FAILED {outcome.case['id']} ({outcome.case['op']}): {outcome.case.get('description', '')}"
            )
            for problem in outcome.problems:
                print("  " + problem.replace("\n", "\n  "))
    for outcome in outcomes:
        if outcome.missing is not None:
            print(f"not yet {outcome.case['id']} ({outcome.case['op']}): needs {outcome.missing}")
    failed = sum(bool(outcome.problems) for outcome in outcomes)
    missing = sum(outcome.missing is not None for outcome in outcomes)
    print(f"{len(outcomes) - failed - missing} passed, {failed} failed, {missing} not yet")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
