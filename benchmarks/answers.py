"""Extractive answers with retrieval: does what the answer cites contain the gold answer, and is it short?

    python benchmarks/answers.py DATA [--json] [--languages en de …] [--embedder none|local] [--limit N]

Pool: all paragraphs of one language in DATA (``xquad``, ``jsquad``), each a document, cut by the default chunker. A question
is right when the text that its answer cites is at most one sentence and contains a gold answer. Declining counts as
wrong. ``within`` counts only answers that are at most 35 % of their paragraph. Beside it the dumbest rules: the first
sentence of the best passage, and the sentence with the most words of the question.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pincite.answer import Answer
from pincite.checks.rules import rules
from pincite.llms.extractive import make_extractive
from pincite.parts import Parts, Settings
from pincite.pipeline import Pipeline
from pincite.ports import Embedder
from pincite.search import search
from pincite.stores.memory import MemoryStore
from pincite.text.sentences import split_sentences
from pincite.text.words import terms
from pincite.types import AnswerId, Document, Hit, Span

MAX_SHARE = 0.35
FALLBACK = ("xquad", "jsquad")


@dataclass(frozen=True, slots=True)
class Item:
    """A question on a paragraph; ``group`` is the article, whose hash decides the half."""

    id: str
    group: str
    question: str
    answers: tuple[str, ...]
    paragraph: str
    doc_id: str

    @property
    def is_even(self) -> bool:
        return hashlib.sha256(self.group.encode()).digest()[-1] % 2 == 0


class CachedEmbedder:
    """Remembers vectors on disk, so that a second run costs nothing."""

    def __init__(self, inner: Embedder, path: Path) -> None:
        import numpy as np

        self._inner, self._path, self._np = inner, path, np
        self.fingerprint, self.dimension = inner.fingerprint, inner.dimension
        loaded = np.load(path) if path.exists() else {}
        self._known = {key: loaded[key] for key in loaded}
        self._fresh = 0

    def documents(self, texts: Sequence[str]) -> Any:
        keys = ["d" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        missing = dict.fromkeys(key for key in keys if key not in self._known)
        wanted = [text for key, text in zip(keys, texts, strict=True) if key in missing]
        if wanted:
            names = [key for key in keys if key in missing]
            for key, vector in zip(names, self._inner.documents(wanted), strict=True):
                self._known[key] = vector.astype(self._np.float16)
            self._fresh += len(wanted)
        return self._np.stack([self._known[key] for key in keys]).astype(self._np.float32)

    def query(self, text: str) -> Any:
        key = "q" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        if key not in self._known:
            self._known[key] = self._inner.query(text).astype(self._np.float16)
            self._fresh += 1
        return self._known[key].astype(self._np.float32)

    def save(self) -> None:
        if self._fresh:
            self._np.savez(self._path, **self._known)
            self._fresh = 0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--languages", nargs="*")
    parser.add_argument("--embedder", choices=("none", "local"), default="local")
    parser.add_argument("--limit", type=int, default=0, help="questions per set, 0 for all")
    parser.add_argument("--cache", type=Path, default=Path("/tmp/pincite-answers"))
    parser.add_argument("--cross", action="store_true", help="also: question in de, source in en")
    parser.add_argument("--half", choices=("even", "odd", "all"), default="all")
    parser.add_argument("--fails", type=int, default=0)
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = {}
    for name, path in _sets(arguments.data, arguments.languages):
        items = [item for item in _items(path) if _wanted(item, arguments.half)]
        embedder = _embedder(arguments.embedder, arguments.cache / f"{name}.npz")
        results[name] = measure(_pool(path), items, embedder, arguments.limit, arguments.fails)
        _save(embedder)
        print(name, results[name], file=sys.stderr)
    if arguments.cross:
        english = arguments.data / "xquad" / "xquad.en.jsonl"
        for language in ("de", "es", "zh", "ar"):
            asked = list(_items(arguments.data / "xquad" / f"xquad.{language}.jsonl"))
            gold = {item.id: item for item in _items(english)}
            crossed = [
                Item(
                    one.id,
                    one.group,
                    one.question,
                    gold[one.id].answers,
                    gold[one.id].paragraph,
                    gold[one.id].doc_id,
                )
                for one in asked
                if one.id in gold and _wanted(one, arguments.half)
            ]
            embedder = _embedder(arguments.embedder, arguments.cache / f"{language}-en.npz")
            name = f"{language}>en"
            results[name] = measure(_pool(english), crossed, embedder, arguments.limit, arguments.fails)
            _save(embedder)
            print(name, results[name], file=sys.stderr)
    if arguments.json:
        print(json.dumps({"qa": results}))
    else:
        _print(results)


def _wanted(item: Item, half: str) -> bool:
    return half == "all" or item.is_even == (half == "even")


def _embedder(name: str, cache: Path) -> CachedEmbedder | None:
    if name == "none":
        return None
    from pincite.embedders import EMBEDDERS
    from pincite.embedders.options import EmbedderOptions

    return CachedEmbedder(EMBEDDERS["local"](EmbedderOptions()), cache)


def _save(embedder: CachedEmbedder | None) -> None:
    if embedder is not None:
        embedder.save()


def _sets(data: Path, languages: list[str] | None) -> Iterator[tuple[str, Path]]:
    for folder in FALLBACK:
        for path in sorted((data / folder).glob("*.jsonl")):
            name = path.name.removesuffix(".jsonl")
            if languages is None or name.rpartition(".")[2] in languages:
                yield name, path


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _pool(path: Path) -> list[Document]:
    return [
        Document(row["id"], row["context"], language=row["lang"], access_level="public")
        for row in _rows(path)
    ]


def _items(path: Path) -> Iterator[Item]:
    for row in _rows(path):
        for qa in row["qas"]:
            answers = tuple(dict.fromkeys(answer["text"] for answer in qa["answers"]))
            yield Item(qa["id"], row["doc_id"], qa["question"], answers, row["context"], row["id"])


def pipeline(embedder: Embedder | None) -> Pipeline:
    parts = Parts(
        store=MemoryStore(),
        search=lambda question, store, used: search(question, store, embedder=used),
        load=lambda sources: iter([one for one in sources if isinstance(one, Document)]),
        model=make_extractive(embedder),
        model_name="extractive",
        judge=rules,
        embedder=embedder,
        clock=lambda: datetime(2026, 1, 1, tzinfo=UTC),
        new_id=lambda _: AnswerId("ans"),
        serialise=None,
    )
    return Pipeline(parts, Settings())


def measure(
    pool: Sequence[Document], items: Sequence[Item], embedder: Embedder | None, limit: int, fails: int
) -> dict[str, Any]:
    rag = pipeline(embedder)
    rag.add(*pool)
    step = max(1, len(items) // limit) if limit else 1
    asked = list(items)[::step][: limit or None]
    counts = dict.fromkeys(
        ("right", "within", "declined", "sentences", "cited", "verified", "first", "overlap", "found"), 0.0
    )
    share = 0.0
    for item in asked:
        answer = rag.ask(item.question)
        cited = _cited(answer)
        text = " ".join(span.of(document) for document, span in cited)
        one = len(cited) <= 1
        right = one and any(gold in text for gold in item.answers)
        counts["right"] += right
        counts["within"] += right and len(text) <= MAX_SHARE * len(item.paragraph)
        counts["found"] += any(hit.document.doc_id == item.doc_id for hit in answer.hits[:1])
        if answer.abstained:
            counts["declined"] += 1
        else:
            counts["sentences"] += len(cited)
            share += sum(len(span) for _, span in cited) / max(1, len(cited[0][0])) if cited else 0.0
        counts["cited"] += len(answer.citations)
        counts["verified"] += sum(citation.status == "verified" for citation in answer.citations)
        if answer.hits:
            counts["first"] += _holds(_first_sentence(answer.hits[0]), item)
            counts["overlap"] += _holds(_most_words(answer.hits, item.question), item)
        if fails and not right:
            fails -= 1
            print(
                f"\nQ {item.question}\n  gold {item.answers}\n  got  {text or answer.reason}", file=sys.stderr
            )
    answered = max(1.0, len(asked) - counts["declined"])

    def percent(name: str) -> float:
        return round(100 * counts[name] / max(1, len(asked)), 1)

    return {
        "cited_contains_answer": percent("right"),
        "within_35_percent": percent("within"),
        "mean_sentences": round(counts["sentences"] / answered, 3),
        "mean_share": round(share / answered, 3),
        "declined": percent("declined"),
        "quotes_verified": round(100 * counts["verified"] / max(1.0, counts["cited"]), 1),
        "dumb_first_sentence": percent("first"),
        "dumb_most_words": percent("overlap"),
        "right_paragraph_first": percent("found"),
        "n": len(asked),
    }


def _cited(answer: Answer) -> list[tuple[str, Span]]:
    """Each cited span with the text of its document (a paragraph is one chunk, or a few that cover it)."""
    chunks = {hit.chunk.chunk_id: hit.chunk for hit in answer.hits}
    found = []
    for citation in answer.citations:
        chunk = chunks[citation.chunk_id]
        for span in citation.spans:
            found.append((" " * chunk.span.start + chunk.text, span))
    return found


def _holds(text: str, item: Item) -> bool:
    return any(gold in text for gold in item.answers)


def _sentences(hit: Hit) -> list[str]:
    return [
        span.of(hit.chunk.text) for span in split_sentences(hit.chunk.text, language=hit.document.language)
    ]


def _first_sentence(hit: Hit) -> str:
    return _sentences(hit)[0]


def _most_words(hits: Sequence[Hit], question: str) -> str:
    language = hits[0].document.language
    wanted = set(terms(question, language))
    every = [sentence for hit in hits for sentence in _sentences(hit)]
    return max(every, key=lambda sentence: len(wanted & set(terms(sentence, language))))


def _print(results: dict[str, Any]) -> None:
    columns = list(next(iter(results.values())))
    print("| set | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for name, row in results.items():
        print(f"| {name} | " + " | ".join(str(row[column]) for column in columns) + " |")


if __name__ == "__main__":
    main()
