"""How many passages a second `add` makes, indexes and stores, without an embedder, in one process.

    python benchmarks/ingest.py [DATA] [--languages en] [--json]

DATA is a folder with `docs/*.jsonl` (records with `id`, `lang`, `title` and `markdown`); without it the samples are
used, forty times. CPU seconds count, since machines are shared; of RUNS runs into a new database, each beside the
dumbest rule, the first (all words are new and have to be stemmed), the fastest and the middle one are shown.

The dumbest rule beside it: cut each text at blank lines and insert the pieces as rows, in one transaction. Its pieces
are shorter (a heading is one), so characters a second are the fair comparison.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from pincite import Document, Pipeline
from pincite.parsers.files import load_paths
from pincite.samples import samples_dir

RUNS = 9
SAMPLE_COPIES = 40


def documents(data: Path | None, languages: str) -> list[Document]:
    """The pages of DATA in these languages (`all` or codes with commas), or copies of the samples."""
    found: list[Document] = []
    for file in sorted((data / "docs").glob("*.jsonl")) if data else ():
        for line in file.read_text("utf-8").splitlines():
            page = json.loads(line)
            if languages == "all" or page["lang"] in languages.split(","):
                found.append(
                    Document(
                        f"{page['id']}-{page['lang']}",
                        page["markdown"],
                        title=page["title"],
                        format="markdown",
                        language=page["lang"],
                        access_level="public",
                    )
                )
    if not found:
        samples = [one for one in load_paths([samples_dir()]) if isinstance(one, Document)]
        found = [replace(one, doc_id=f"{one.doc_id}-{n}") for n in range(SAMPLE_COPIES) for one in samples]
    return found


def add(pages: Sequence[Document], folder: Path) -> tuple[int, float]:
    """Passages that `Pipeline.add` made, and CPU seconds."""
    pipeline = Pipeline(store=str(folder / "pincite.db"), embedder="none")
    pipeline.add(Document("warm", "# Fees\n\nEntry is *free*.", language=pages[0].language))
    start = time.process_time()
    report = pipeline.add(*pages)
    seconds = time.process_time() - start
    if len(report.added) != len(pages):
        raise SystemExit(f"{len(pages) - len(report.added)} documents were not added")
    return report.chunks, seconds


def dumbest(pages: Sequence[Document], folder: Path) -> tuple[int, float]:
    """The same for pieces between blank lines, as rows of one table."""
    database = sqlite3.connect(folder / "rows.db")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("CREATE TABLE pieces (doc_id TEXT, number INTEGER, text TEXT)")
    start = time.process_time()
    rows = [
        (page.doc_id, number, piece)
        for page in pages
        for number, piece in enumerate(page.text.split("\n\n"))
        if piece.strip()
    ]
    with database:
        database.executemany("INSERT INTO pieces VALUES (?, ?, ?)", rows)
    seconds = time.process_time() - start
    database.close()
    return len(rows), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--languages", default="en")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    pages = documents(asked.data, asked.languages)
    characters = sum(len(page.text) for page in pages)
    ways: dict[str, Callable[[Sequence[Document], Path], tuple[int, float]]] = {
        "pincite add": add,
        "cut at blank lines, insert rows": dumbest,
    }
    pieces: dict[str, int] = {}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(RUNS):
        for name, way in ways.items():
            with tempfile.TemporaryDirectory() as folder:
                pieces[name], took = way(pages, Path(folder))
            seconds[name].append(took)
    results = [
        {
            "way": name,
            "documents": len(pages),
            "pieces": pieces[name],
            "characters_per_piece": round(characters / pieces[name]),
            "pieces_per_second_first": round(pieces[name] / seconds[name][0]),
            "pieces_per_second_fastest": round(pieces[name] / min(seconds[name])),
            "pieces_per_second_median": round(pieces[name] / statistics.median(seconds[name])),
            "million_characters_per_second_fastest": round(characters / min(seconds[name]) / 1e6, 2),
        }
        for name in ways
    ]
    if asked.json:
        print(json.dumps(results))
        return
    print(f"{len(pages)} documents, {characters:,} characters, {RUNS} runs, CPU time\n")
    print(
        "| way | pieces | characters each | pieces/s, first run | fastest | median | million characters/s |"
    )
    print("|---|---|---|---|---|---|---|")
    for row in results:
        print("| " + " | ".join(str(value) for key, value in row.items() if key != "documents") + " |")


if __name__ == "__main__":
    main()
