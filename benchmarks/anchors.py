"""Is a cited passage found again after its document was edited?

    python benchmarks/anchors.py [--json]

Every sentence with a number in the sample articles (English) that stands once, under eight kinds of made edits
(`tests/test_anchors.py`): what became of the passage and its words in the new text must both be right. Three ways of
looking: with the old text, as a store that keeps cited versions has it; with the words, their place and 32 characters on
each side, as an answer alone has them; and the dumbest rule, `str.find` of the words.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.test_anchors import EDITS, passages

from pincite.anchors import Anchor, Anchored, AnchorStatus, anchor_of, find_again
from pincite.types import Span


def with_old_text(old: str, span: Span, new: str) -> Anchored:
    return find_again(anchor_of(old, span), new, old_text=old)


def alone(old: str, span: Span, new: str) -> Anchored:
    before, after = old[max(0, span.start - 32) : span.start], old[span.end : span.end + 32]
    return find_again(Anchor(span.of(old), before, after, span), new)


def by_find(old: str, span: Span, new: str) -> Anchored:
    place = new.find(span.of(old))
    if place < 0:
        return Anchored(AnchorStatus.GONE)
    status = AnchorStatus.SAME if place == span.start else AnchorStatus.MOVED
    return Anchored(status, Span(place, place + len(span)), span.of(old))


WAYS = {"with the old text": with_old_text, "words and surroundings": alone, "str.find": by_find}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    right: dict[str, dict[str, int]] = {}
    cases = passages()
    for edit in EDITS:
        counts = dict.fromkeys(WAYS, 0)
        chance = random.Random(11)
        for old, span in cases:
            new, status, words = edit(old, span, chance)
            for name, look in WAYS.items():
                found = look(old, span, new)
                counts[name] += (found.status, found.text) == (status, words)
        right[edit.__name__] = counts
    if options.json:
        print(json.dumps({"passages": len(cases), "right": right}))
        return 0
    print(
        f"{len(cases)} passages, {len(EDITS)} kinds of edits\n\n| edit | {' | '.join(WAYS)} |\n|---|{'---|' * len(WAYS)}"
    )
    for name, counts in right.items():
        print(f"| {name.replace('_', ' ')} | {' | '.join(str(counts[way]) for way in WAYS)} |")
    sums = [sum(counts[way] for counts in right.values()) for way in WAYS]
    print(f"| all of {len(cases) * len(EDITS)} | {' | '.join(map(str, sums))} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
