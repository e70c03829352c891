"""Every public set in DATA in one table: what was measured on which part of it, beside the dumbest rule and published figures.

    python benchmarks/public.py DATA [--parts support abstain qa retrieval] [--embedder local-fast|local|none] [--limit N] [--json]

The figures come from the scripts named in PARTS, which say how they are made; this one runs them and sets their figures
side by side. ``--limit`` is handed to those that take it, for a quick look. Published figures are of other systems, most
of them models trained for the set, on the whole set; DATA holds half of each set or less, so that they tell how hard a
set is and no more. Where none stands, none was found that could be looked up.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent

PUBLISHED: dict[str, str] = {
    "summedits.en": "GPT-4 82.4, people 90.9 (Laban et al. 2023, ten domains)",
    "fever_symmetric.en": "the claim alone: 50 by construction (Schuster et al. 2019)",
    "tabfact.en": "TAPAS large, trained on it: 81.0 accuracy (Eisenschlos et al. 2020, test)",
    "jnli.ja": "trained on it: 91.9 accuracy, three classes (Kurihara et al. 2022, validation)",
    "nomiracl.all": "GPT-4: 33.2 % answered where nothing answers, 14.9 % missed: 76.0 (Thakur et al. 2023, 18 languages)",
}

EVEN = "even half of these sets"
SHIPPED = "settings as shipped (fitted on even articles of XQuAD)"
NONE = "none needed"


class Row(NamedTuple):
    """One line of the table. ``interval`` is half of a 95 % interval, in points; ``dumbest`` names rule and figure."""

    data: str
    subset: str
    n: int
    measure: str
    value: float | None
    interval: float | None
    threshold: str
    model: str
    dumbest: str
    published: str = ""


def support(found: Mapping[str, Any], _model: str) -> Iterator[Row]:
    names = [name for name in found if "." in name and not name.endswith(".by_kind")]
    for name in names:
        one = found[name]
        rules = {key.removeprefix("naive_"): one[key] for key in one if key.startswith("naive_")}
        best = max(rules, key=lambda key: rules[key])
        yield Row(
            name,
            "sources with odd hash",
            one["n"],
            "balanced accuracy: supported or not",
            one["bacc"],
            one["interval"],
            EVEN,
            "none",
            f"{best}: {rules[best]}",
            PUBLISHED.get(name, ""),
        )
    for name, one in found.get("kept", {}).items():
        share = one["kept"]
        yield Row(
            name,
            "right answers, odd half",
            one["n"],
            "kept: not withheld",
            share,
            half_width(share, one["n"]),
            EVEN,
            "none",
            "keep all: 100.0",
        )


def abstain(found: Mapping[str, Any], model: str) -> Iterator[Row]:
    for name, one in found.get("abstain", {}).items():
        if "balanced_accuracy" not in one:
            continue
        low, high = one["interval"]
        yield Row(
            name,
            "all in DATA",
            one["n"],
            "declined or not: balanced accuracy",
            one["balanced_accuracy"],
            round((high - low) / 2, 1),
            SHIPPED,
            model,
            "always answer: 50.0",
            PUBLISHED.get(name, ""),
        )


def qa(found: Mapping[str, Any], model: str) -> Iterator[Row]:
    for name, one in found.get("qa", {}).items():
        value = one["cited_contains_answer"]
        yield Row(
            name,
            "all in DATA",
            one["n"],
            "one cited sentence holds the answer",
            value,
            half_width(value, one["n"]),
            SHIPPED,
            model,
            f"most words: {one['dumb_most_words']}",
        )


def retrieval(found: Mapping[str, Any], model: str) -> Iterator[Row]:
    for kind, label in (("recall", "pool of its language"), ("cross", "pool in the other language")):
        for name, one in found.get(kind, {}).items():
            place = "r1" if kind == "recall" else "r5"
            yield Row(
                f"{'jsquad' if name == 'ja' else 'xquad'}.{name}",
                label,
                one["n"],
                f"right paragraph {'first' if place == 'r1' else 'in the first five'}",
                one[place],
                half_width(one[place], one["n"]),
                NONE,
                model,
                f"shared words: {one['dumb']}" if "dumb" in one else "",
            )


class Part(NamedTuple):
    script: str
    arguments: tuple[str, ...]
    with_model: bool
    rows: Callable[[Mapping[str, Any], str], Iterator[Row]]


PARTS: dict[str, Part] = {
    "support": Part("support.py", (), False, support),
    "abstain": Part("answers.py", ("--parts", "abstain"), True, abstain),
    "qa": Part("answers.py", ("--parts", "qa", "cross"), True, qa),
    "retrieval": Part("retrieval.py", (), True, retrieval),
}


def half_width(percent: float, n: int) -> float:
    """Half of a 95 % interval of a share (Wilson), in points.

    >>> half_width(90.0, 100), half_width(100.0, 10)
    (6.0, 13.9)
    """
    share, z = percent / 100, 1.96
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return round(100 * spread, 1)


def run(part: Part, data: Path, embedder: str, limit: int) -> Mapping[str, Any]:
    command = [sys.executable, str(HERE / part.script), str(data), "--json", *part.arguments]
    if part.with_model:
        command += ["--embedder", embedder, *(["--limit", str(limit)] if limit else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"{part.script} failed (exit {done.returncode})")
    found: Mapping[str, Any] = json.loads(done.stdout)
    return found


def table(rows: Sequence[Row]) -> str:
    lines = [
        "| set | part of it | n | measure | pincite | ± | model | threshold from | dumbest rule | published, other systems |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = (
            row.data, row.subset, row.n, row.measure, row.value, row.interval, row.model, row.threshold, row.dumbest,
            row.published,
        )  # fmt: skip
        lines.append("| " + " | ".join("" if cell is None else str(cell) for cell in cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--parts", nargs="*", choices=tuple(PARTS), default=list(PARTS))
    parser.add_argument("--embedder", choices=("none", "local", "local-fast"), default="local-fast")
    parser.add_argument("--limit", type=int, default=0, help="questions per set where the script takes it")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.data.is_dir():
        sys.exit(f"there is no folder {options.data}; its README says where the originals of the sets are")
    rows: list[Row] = []
    for name in options.parts:
        part = PARTS[name]
        model = "none" if options.embedder == "none" else f"multilingual-e5-small ({options.embedder})"
        rows += part.rows(run(part, options.data, options.embedder, options.limit), model)
        print(f"{name}: done", file=sys.stderr)
    print(json.dumps([row._asdict() for row in rows], ensure_ascii=False) if options.json else table(rows))


if __name__ == "__main__":
    main()
