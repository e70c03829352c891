"""The example with Flask works as it says."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from pincite import Document, Pipeline

pytest.importorskip("flask", reason="Flask is not installed; it is no dependency of pincite")

SCRIPT = Path(__file__).parents[2] / "examples" / "flask_chat.py"


@pytest.fixture
def client() -> Any:
    spec = importlib.util.spec_from_file_location("flask_chat", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rag = Pipeline(store="memory", embedder="none")
    rag.add(Document("trash", "A deleted file stays in the trash for 30 days.", title="Trash"))
    return module.create_app(rag).test_client()


def test_chat_gives_the_canonical_answer(client: Any) -> None:
    answer = client.post(
        "/chat", json={"question": "How long does a deleted file stay in the trash?"}
    ).get_json()
    assert "30 days [1]" in answer["text"]
    assert client.post("/chat", json={"question": ""}).status_code == 422
    assert client.post("/chat", data="x").status_code == 422


def test_the_page_shows_the_quote_at_the_number(client: Any) -> None:
    tree = LexborHTMLParser(client.get("/?q=How+long+does+a+deleted+file+stay+in+the+trash%3F").text)
    card = tree.css_first(".citation-group .card q")
    assert card is not None
    assert card.text() == "A deleted file stays in the trash for 30 days."


def test_a_question_cannot_bring_markup(client: Any) -> None:
    tree = LexborHTMLParser(client.get("/?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E").text)
    assert tree.css("script") == []
