"""How long the walk takes beside the model: search, check, repair, answer, over 10 passages of the samples.

    python benchmarks/loop.py [--json]

`loop`: a whole request with a scripted model that answers at once, three statements a reply (those of damage.py, one in
three of them damaged and repaired), without keeping the answer. `first`: from the moment the line of the first statement
arrives until its sentence is shown, on the right replies. The dumbest loop beside it: the same search, no check at all.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import damage

from pincite import Pipeline
from pincite.events import Checked
from pincite.llms.scripted import ScriptedModel
from pincite.ports import Delta, ModelRequest
from pincite.samples import samples_dir

ROUNDS = 10


def percentiles(seconds: list[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    at = min(len(ordered) - 1, int(0.99 * len(ordered)))
    return {
        "p50": round(1_000 * statistics.median(ordered), 2),
        "p99": round(1_000 * ordered[at], 2),
        "n": len(ordered),
    }


def first_shown(rag: Pipeline, question: str, reply: str) -> float:
    """Seconds between the arrival of the first line and the first sentence shown."""
    arrived = []

    def model(request: ModelRequest) -> Iterator[Delta]:
        arrived.append(time.perf_counter())
        yield Delta(reply)

    for event in Pipeline(replace(rag.parts, model=model), rag.settings).events(question):
        if isinstance(event, Checked) and event.shown:
            return time.perf_counter() - arrived[0]
    raise SystemExit(f"nothing was shown: {question}")


def main() -> None:
    rag = Pipeline(store="memory", embedder="none")
    rag.add(samples_dir() / "en")
    rag = Pipeline(replace(rag.parts, serialise=None), rag.settings)
    loop, first, search = [], [], []
    for turn in range(ROUNDS + 1):
        for index, (question, statements) in enumerate(damage.BASE):
            hits = rag.retrieve(question)
            ids = [
                next(f"c-{hit.rank}" for hit in hits if quote in hit.chunk.text) for _, quote in statements
            ]
            kind = ("altered number", "wrong id", "broken JSON")[index % 3]
            reply = damage.damaged(kind, index, ids)
            good = "".join(damage.line(text, quote, ids[at]) for at, (text, quote) in enumerate(statements))
            begun = time.perf_counter()
            rag.retrieve(question)
            searched = time.perf_counter()
            model = ScriptedModel([reply.first, reply.second])
            Pipeline(replace(rag.parts, model=model), rag.settings).ask(question)
            ended = time.perf_counter()
            shown = first_shown(rag, question, good)
            if turn:  # the first round reads tables
                search.append(searched - begun)
                loop.append(ended - searched)
                first.append(shown)
    found = {"loop_ms": percentiles(loop), "first_ms": percentiles(first), "no_check_ms": percentiles(search)}
    print(
        json.dumps(found)
        if "--json" in sys.argv
        else "\n".join(f"{one}: {value}" for one, value in found.items())
    )


if __name__ == "__main__":
    main()
