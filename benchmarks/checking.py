"""How long it takes to check an answer in a process that is warm: the median of several calls.

    python benchmarks/checking.py DATA [--json]

Ten sentences, each citing one of ten sources of 1,000 characters (XQuAD, English, in DATA). `verify` is the whole check; `quotes` looks for
ten lower-cased quotes in ten prepared chunks. The dumbest rule beside it: `str.find` of each sentence in its source.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pincite import verify
from pincite.quotes import match_quote, prepare

CHARS, SOURCES = 1_000, 10


def median_ms(work: Callable[[], object], calls: int) -> float:
    """The median time of ``calls`` calls, in milliseconds, after three that do not count."""
    took = []
    for call in range(calls + 3):
        begun = time.perf_counter()
        work()
        if call >= 3:
            took.append(time.perf_counter() - begun)
    return round(1_000 * statistics.median(took), 3)


def main() -> None:
    rows = (Path(sys.argv[1]) / "xquad" / "xquad.en.jsonl").read_text("utf-8").splitlines()[: 2 * SOURCES]
    texts = [json.loads(row)["context"] for row in rows]
    sources = [f"{one} {two}"[:CHARS] for one, two in zip(texts[::2], texts[1::2], strict=True)]
    sentences = [source.split(". ")[1] for source in sources]
    answer = " ".join(f"{sentence} [{place}]." for place, sentence in enumerate(sentences, start=1))
    chunks = [prepare(source) for source in sources]
    quotes = [sentence.lower() for sentence in sentences]
    found = {
        "verify_ms": median_ms(lambda: verify(answer, sources), 30),
        "quotes_ms": median_ms(
            lambda: [match_quote(*pair) for pair in zip(quotes, chunks, strict=True)], 100
        ),
        "find_ms": median_ms(lambda: [a.find(b) for a, b in zip(sources, sentences, strict=True)], 100),
    }
    print(
        json.dumps(found)
        if "--json" in sys.argv
        else "\n".join(f"{name}  {ms}" for name, ms in found.items())
    )


if __name__ == "__main__":
    main()
