"""A kept answer becomes the answer again, and can then be printed in every form."""

from __future__ import annotations

import json

import pytest

from pincite import Document, Pipeline
from pincite.renderers import ANSWER_FORMS
from pincite.renderers.json import answer_dict
from pincite.renderers.restored import restored
from pincite.types import ChunkId, Reader

TRASH = Document(
    "trash",
    "# Trash\n\nA deleted file stays in the trash for 30 days.",
    title="Trash",
    url="https://example.org/trash",
    published_date="2024-03-01",
    access_level="public",
)


def rag_and_answer(question: str = "How long does a deleted file stay in the trash?"):  # type: ignore[no-untyped-def]
    rag = Pipeline(store="memory", embedder="none")
    rag.add(TRASH)
    return rag, rag.ask(question)


def passages(rag: Pipeline, answer):  # type: ignore[no-untyped-def]
    ids = [hit.chunk.chunk_id for hit in answer.hits]
    found = {one: rag.parts.store.chunk(ChunkId(one), Reader()) for one in ids}
    return {one: known for one, known in found.items() if known is not None}


@pytest.mark.parametrize("question", ["How long does a deleted file stay in the trash?", "Who painted it?"])
def test_the_json_of_a_restored_answer_is_the_one_it_came_from(question: str) -> None:
    rag, answer = rag_and_answer(question)
    told = json.loads(json.dumps(answer_dict(answer)))
    assert answer_dict(restored(told, passages(rag, answer))) == told


@pytest.mark.parametrize("form", sorted(ANSWER_FORMS))
def test_every_form_is_the_same_as_of_the_answer_itself(form: str) -> None:
    rag, answer = rag_and_answer()
    again = restored(json.loads(answer.to("json")), passages(rag, answer))
    assert again.to(form) == answer.to(form)


def test_a_passage_that_changed_since_has_no_text() -> None:
    _, answer = rag_and_answer()
    again = restored(json.loads(answer.to("json")), {})
    assert [hit.chunk.text for hit in again.hits] == [""]
    assert again.text == answer.text


def test_sources_go_to_programs_that_keep_references() -> None:
    _, answer = rag_and_answer()
    (item,) = json.loads(answer.to("csl-json"))
    assert item["issued"] == {"date-parts": [[2024, 3, 1]]}
    (note,) = json.loads(answer.to("webannotation"))["items"]
    quote, position = note["target"]["selector"][:2]
    assert TRASH.text[position["start"] : position["end"]] == quote["exact"]
    assert note["target"]["source"] == "https://example.org/trash"
