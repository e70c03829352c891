"""The public question sets of benchmarks/answers.py, read as documents and questions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from retrieval import Cached

from pincite.checks.rules import rules
from pincite.embedders import EMBEDDERS
from pincite.embedders.options import EmbedderOptions
from pincite.llms.extractive import make_extractive
from pincite.parts import Parts, Settings
from pincite.pipeline import Pipeline
from pincite.ports import Embedder
from pincite.search import search
from pincite.stores.memory import MemoryStore
from pincite.types import AnswerId, Document


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
        return is_even(self.group)


@dataclass(frozen=True, slots=True)
class Given:
    """A question with the passages to answer it from, and whether they do."""

    id: str
    group: str
    language: str
    question: str
    documents: tuple[Document, ...]
    answerable: bool

    @property
    def is_even(self) -> bool:
        return is_even(self.group)


def is_even(group: str) -> bool:
    """The half of a group: weights are fitted on even ones, figures that nothing was fitted on come from odd ones."""
    return hashlib.sha256(group.encode()).digest()[-1] % 2 == 0


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def path_of(data: Path, language: str) -> Path:
    return (
        data
        / ("jsquad" if language == "ja" else "xquad")
        / f"{'jsquad' if language == 'ja' else 'xquad'}.{language}.jsonl"
    )


def pool(path: Path) -> list[Document]:
    """One document for each paragraph."""
    return [
        Document(row["id"], row["context"], language=row["lang"], access_level="public") for row in rows(path)
    ]


def items(path: Path) -> list[Item]:
    return [
        Item(
            qa["id"],
            row["doc_id"],
            qa["question"],
            tuple(dict.fromkeys(answer["text"] for answer in qa["answers"])),
            row["context"],
            row["id"],
        )
        for row in rows(path)
        for qa in row["qas"]
    ]


def crossed(asked: list[Item], held: list[Item]) -> list[Item]:
    """The questions of one language with the answers and paragraphs of another: XQuAD's are aligned."""
    known = {item.id: item for item in held}
    return [replace(known[one.id], question=one.question) for one in asked if one.id in known]


def clapnq(data: Path) -> list[Given]:
    """Each question with its one passage."""
    return [
        Given(
            row["id"],
            row["title"],
            "en",
            row["question"],
            (Document(row["id"], row["passage"], title=row["title"], language="en", access_level="public"),),
            row["answerable"],
        )
        for row in rows(data / "clapnq" / "clapnq.en.jsonl")
    ]


def nomiracl(data: Path, languages: list[str] | None = None) -> list[Given]:
    """Each question with its ten passages, all languages together."""
    found = []
    for path in sorted((data / "nomiracl").glob("nomiracl.*.jsonl")):
        if languages is not None and path.name.split(".")[1] not in languages:
            continue
        for row in rows(path):
            documents = {
                one["docid"]: Document(
                    one["docid"], one["text"], title=one["title"], language=row["lang"], access_level="public"
                )
                for one in row["passages"]
                if one["text"].strip()
            }
            found.append(
                Given(
                    row["id"],
                    row["id"],
                    row["lang"],
                    row["question"],
                    tuple(documents.values()),
                    row["answerable"],
                )
            )
    return found


def open_embedder(name: str, cache: Path) -> Embedder | None:
    return None if name == "none" else Cached(EMBEDDERS[name](EmbedderOptions()), cache)


def pipeline(embedder: Embedder | None) -> Pipeline:
    """What the product does with its default settings, in memory."""
    parts = Parts(
        store=MemoryStore(),
        search=lambda question, store, used: search(question, store, embedder=used),
        load=lambda sources, *, workers=None: iter([one for one in sources if isinstance(one, Document)]),
        model=make_extractive(embedder),
        model_name="extractive",
        judge=rules,
        embedder=embedder,
        clock=lambda: datetime(2026, 1, 1, tzinfo=UTC),
        new_id=lambda _: AnswerId("ans"),
        serialise=None,
    )
    return Pipeline(parts, Settings())
