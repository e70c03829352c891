"""Sentences that look like their source and are wrong, and right ones that look like the wrong: both sides by kind.

    python benchmarks/lookalikes.py            table on the screen (Markdown)
    python benchmarks/lookalikes.py --json     the same as JSON

Records: ``tests/cases/lookalikes.json`` (pairs) and ``lists.json`` (proof of absence). The judge gets claim and source
texts only. Beside it the dumbest rule: word overlap > 0.3. The pairs were written to attack the judge and then used to
mend it: they say what is caught, not how much of what nobody thought of is.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from pincite.checks.rules import rules
from pincite.findings import Support
from pincite.ports import ClaimTask, Passage
from pincite.text.words import content_words

CASES = Path(__file__).parent.parent / "tests" / "cases"
OVERLAP = 0.3
COLUMNS = ("n", "wrong_green", "n_right", "right_green", "right_red", "overlap_wrong", "overlap_right")


def claims() -> Iterator[tuple[str, str, str, bool]]:
    """Kind, source, claim and whether it is right."""
    for pair in json.loads((CASES / "lookalikes.json").read_text(encoding="utf-8")):
        yield pair["kind"], pair["source"], pair["wrong"], False
        yield pair["kind"], pair["source"], pair["right"], True
    for case in json.loads((CASES / "lists.json").read_text(encoding="utf-8")):
        yield "complete_list", case["source"], case["claim"], case["is_right"]


def overlaps(claim: str, source: str) -> bool:
    own = {token.term for token in content_words(claim)}
    return bool(own) and len(own & {token.term for token in content_words(source)}) / len(own) > OVERLAP


def count() -> dict[str, dict[str, int]]:
    rows: dict[str, dict[str, int]] = {}
    for kind, source, claim, is_right in claims():
        found = rules([ClaimTask(claim, (Passage("c-1", source),))])[0].support
        for name in (kind, "all"):
            row = rows.setdefault(name, dict.fromkeys(COLUMNS, 0))
            row["n_right" if is_right else "n"] += 1
            row["right_green" if is_right else "wrong_green"] += found is Support.SUPPORTED
            row["right_red"] += is_right and found is Support.CONTRADICTED
            row["overlap_right" if is_right else "overlap_wrong"] += overlaps(claim, source)
    return {name: rows[name] for name in (*(name for name in rows if name != "all"), "all")}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true")
    rows = count()
    if parser.parse_args().json:
        print(json.dumps(rows, indent=1))
        return
    print("| kind | wrong | green | overlap says yes | right | green | red | overlap says yes |")
    print("|---|---|---|---|---|---|---|---|")
    for name, row in rows.items():
        shown = ("n", "wrong_green", "overlap_wrong", "n_right", "right_green", "right_red", "overlap_right")
        print(f"| {name} | " + " | ".join(str(row[key]) for key in shown) + " |")


if __name__ == "__main__":
    main()
