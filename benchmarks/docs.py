"""Real help and documentation in, questions in six languages out: to be read by somebody.

    python benchmarks/docs.py DATA [COLLECTION …] [--embedder none|local] [--cache FOLDER] [--show]

DATA holds `docs/<collection>.<language>.jsonl`. All pages go into one index as `pincite add` takes them: how long, how
many passages, how many errors. Then the questions of `docs_questions.jsonl` are asked; the table says whether the first
hit, one of the first five and the first citation are of the expected page, in whichever language, and in which. `--show`
prints every answer: whether it is right, only a reader can say (benchmarks/results/docs.md). Vectors are kept in FOLDER.

The dumbest rule beside it: the page that shares most different words with the question.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from retrieval import Cached, docs_pages

from pincite import Document, Pipeline
from pincite.embedders import EMBEDDERS, EmbedderOptions
from pincite.text.words import terms

QUESTIONS = Path(__file__).with_name("docs_questions.jsonl")


def page_of(doc_id: str) -> str:
    """The page without collection and language: `docs:antennapod.en:antennapod/queue/lock` is `antennapod/queue/lock`."""
    return doc_id.rpartition(":")[2]


def language_of(doc_id: str) -> str:
    return doc_id.split(":")[1].partition(".")[2] if doc_id else ""


def ask(rag: Pipeline, row: dict[str, str], *, show: bool) -> dict[str, object]:
    start = time.perf_counter()
    answer = rag.ask(row["question"])
    spent = time.perf_counter() - start
    hits = [hit.document.doc_id for hit in rag.retrieve(row["question"], top_k=5)]
    cited = next((citation.doc_id for citation in answer.citations), "")
    if show:
        print(
            f"\n=== [{row['lang']}] {row['question']}\n  wanted: {row['expected'] or 'to decline'}: {row['answer']}"
        )
        print(answer.to("text"))
    return {
        "declined": answer.abstained,
        "first": page_of(hits[0]) == row["expected"] if hits else False,
        "five": row["expected"] in map(page_of, hits),
        "cited": bool(cited) and page_of(cited) == row["expected"],
        "language": language_of(cited),
        "ms": 1e3 * spent,
    }


def by_shared_words(pages: list[Document], question: str) -> str:
    """The dumbest rule."""
    asked = set(terms(question))
    return page_of(max(pages, key=lambda page: len(asked & set(terms(page.text)))).doc_id)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("collections", nargs="*")
    parser.add_argument("--embedder", default="none", help="a kind of EMBEDDERS, with :MODEL, or none")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "pincite-vectors")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    kind, _, model = options.embedder.partition(":")
    embedder = None if kind == "none" else Cached(EMBEDDERS[kind](EmbedderOptions(model)), options.cache)
    pages = list(docs_pages(options.data, options.collections))
    if not pages:
        sys.exit(f"there are no pages in {options.data / 'docs'}")
    rows = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    rows = [
        row
        for row in rows
        if not options.collections
        or not row["expected"]
        or row["expected"].partition("/")[0] in options.collections
    ]
    with tempfile.TemporaryDirectory() as folder:
        rag = Pipeline(store=str(Path(folder) / "docs.db"), embedder=embedder, log=False)
        start, cpu = time.perf_counter(), time.process_time()
        report = rag.add(*pages)
        print(
            f"{len(report.added)} pages, {report.chunks} passages, {len(report.failed)} errors, "
            f"{time.perf_counter() - start:.1f} s, {time.process_time() - cpu:.1f} s of processor"
        )
        languages = Counter(item.info.language for item in rag.documents())
        print("languages found:", ", ".join(f"{name} {count}" for name, count in languages.most_common()))
        print("lang  first five cited in    declined ms    dumbest  question")
        total: Counter[str] = Counter()
        for row in rows:
            found = ask(rag, row, show=options.show)
            dumbest = bool(row["expected"]) and by_shared_words(pages, row["question"]) == row["expected"]
            total.update({name: bool(found[name]) for name in ("first", "five", "cited") if row["expected"]})
            total.update({"dumbest": dumbest, "declined": bool(found["declined"]) == (not row["expected"])})
            marks = "  ".join("yes" if found[name] else " - " for name in ("first", "five", "cited"))
            print(
                f"{row['lang']:4}  {marks}  {found['language']:5} {'yes' if found['declined'] else ' - ':8} "
                f"{found['ms']:5.0f}  {'yes' if dumbest else ' - '}      {row['question']}"
            )
        answerable = sum(bool(row["expected"]) for row in rows)
        print(
            f"of {answerable} that the pages answer: first {total['first']}, five {total['five']}, cited {total['cited']}, "
            f"dumbest {total['dumbest']}; declined or not as wanted {total['declined']} of {len(rows)}"
        )
        rag.close()


if __name__ == "__main__":
    main()
