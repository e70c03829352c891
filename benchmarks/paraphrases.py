"""What the rules judge says of right paraphrases, changed facts and what is not said, on the set that it is tuned on.

    python benchmarks/paraphrases.py             table on the screen (Markdown)
    python benchmarks/paraphrases.py --json      the same as JSON
    python benchmarks/paraphrases.py --fails en  the wrong ones of one language

Records: ``tests/paraphrases`` (README there). These figures are no evidence of quality: ``benchmarks/claims.py`` reports on
sentences that were never tuned on.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pincite.checks.rules import rules
from pincite.findings import Support
from pincite.ports import ClaimTask, Judgement, Passage

RECORDS = Path(__file__).parent.parent / "tests" / "paraphrases"
LANGUAGES = ("en", "de", "es", "fr", "ja", "zh")
KINDS = ("right", "changed", "unsaid")
FIRST_FREE = 101
"""Numbers from here on are the freer part."""


def judged(language: str) -> Iterator[tuple[str, str, dict[str, str], Judgement]]:
    """Part, kind, record and judgement of every sentence of a language, one task at a time."""
    for line in (RECORDS / f"{language}.jsonl").read_text(encoding="utf-8").splitlines():
        record: dict[str, str] = json.loads(line)
        part = "free" if int(record["id"].partition("-")[2]) >= FIRST_FREE else "close"
        for kind in KINDS:
            if kind in record:
                (found,) = rules([ClaimTask(record[kind], (Passage("c-1", record["evidence"]),))])
                yield part, kind, record, found


def matrix() -> dict[str, dict[str, int]]:
    """For each part, kind and language, and for all languages: how often each status was given."""
    counts: dict[str, Counter[str]] = {}
    for language in LANGUAGES:
        for part, kind, _, found in judged(language):
            for name in (language, "all"):
                counts.setdefault(f"{part} {kind} {name}", Counter())[found.support.value] += 1
    return {name: {status.value: row[status.value] for status in Support} for name, row in counts.items()}


def print_fails(language: str) -> None:
    for _, kind, record, found in judged(language):
        if (found.support is Support.SUPPORTED) == (kind == "right"):
            continue
        print(f"{record['id']} {kind}: {found.support.value} ({found.reason})")
        print(f"  evidence  {record['evidence']}\n  claim     {record[kind]}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--fails", choices=LANGUAGES)
    chosen = parser.parse_args()
    if chosen.fails:
        print_fails(chosen.fails)
        return
    found = matrix()
    if chosen.json:
        print(json.dumps(found, indent=2))
        return
    statuses = [status.value for status in Support]
    print("| part | sentence | language | " + " | ".join(statuses) + " |\n|" + " --- |" * (3 + len(statuses)))
    for name, row in sorted(found.items()):
        print(
            "| "
            + " | ".join(name.split())
            + " | "
            + " | ".join(str(row[status]) for status in statuses)
            + " |"
        )


if __name__ == "__main__":
    main()
