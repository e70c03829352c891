"""Any object with `.search()` and `.invoke()` will do, however it names its arguments and shapes its results."""

from __future__ import annotations

from itertools import repeat
from types import SimpleNamespace
from typing import Any

import pytest

from pincite.compat.calls import invoke, reply_text, search
from pincite.errors import ConfigError

HITS = [{"text": "Entry is free."}, {"text": "Tours cost 5 EUR."}]


class TopK:
    def search(self, query: str, top_k: int = 9) -> list[Any]:
        return HITS[:top_k]


class Short:
    def search(self, query: str, *, k: int) -> list[Any]:
        return HITS[:k]


class Positional:
    def search(self, query: str, how_many: int) -> list[Any]:
        return HITS[:how_many]


class Alone:
    def search(self, query: str) -> list[Any]:
        return HITS


class Anything:
    def search(self, query: str, **options: int) -> list[Any]:
        return HITS[: options["top_k"]]


@pytest.mark.parametrize("retriever", [TopK(), Short(), Positional(), Alone(), Anything()])
def test_the_limit_goes_by_whatever_name_it_has(retriever: Any) -> None:
    assert [one.content for one in search(retriever, "Is it free?", 1)] == ["Entry is free."]


@pytest.mark.parametrize(
    "hit",
    [
        "Entry is free.",
        {"content": "Entry is free."},
        {"page_content": "Entry is free.", "metadata": {}},
        SimpleNamespace(page_content="Entry is free.", metadata={}),
        ({"text": "Entry is free."}, 0.7),
    ],
)
def test_a_hit_may_have_any_known_shape(hit: object) -> None:
    (read,) = search(SimpleNamespace(search=lambda query: [hit]), "?", 5)
    assert read["content"] == "Entry is free."


def test_hits_that_never_end_are_cut_off() -> None:
    assert len(search(SimpleNamespace(search=lambda query: repeat("Free.")), "?", 3)) == 3


def test_the_score_of_a_pair_is_kept() -> None:
    (read,) = search(SimpleNamespace(search=lambda query: [("Free.", 0.7)]), "?", 5)
    assert read.score == 0.7


def test_a_model_that_takes_one_text_gets_the_rules_before_the_prompt() -> None:
    asked: list[object] = []
    model = SimpleNamespace(invoke=lambda prompt: asked.append(prompt) or "ok")
    assert invoke(model, "Why?", system="Be brief.") == "ok"
    assert asked == ["Be brief.\n\nWhy?"]


def test_a_model_that_takes_messages_gets_messages() -> None:
    asked: list[object] = []
    model = SimpleNamespace(invoke=lambda messages: asked.append(messages) or SimpleNamespace(content="ok"))
    assert invoke(model, "Why?", system="Be brief.") == "ok"
    assert asked == [[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]]


@pytest.mark.parametrize(
    "reply",
    [
        "Yes.",
        {"content": "Yes."},
        {"text": "Yes."},
        SimpleNamespace(content=[{"type": "text", "text": "Yes."}]),
    ],
)
def test_a_reply_may_have_any_known_shape(reply: object) -> None:
    assert reply_text(reply) == "Yes."


@pytest.mark.parametrize("call", [lambda: search(object(), "?", 1), lambda: invoke(object(), "?")])
def test_what_has_no_such_function_is_told_so(call: Any) -> None:
    with pytest.raises(ConfigError, match="has no"):
        call()


def test_a_hit_without_text_is_told_so() -> None:
    with pytest.raises(ConfigError, match="no text"):
        search(SimpleNamespace(search=lambda query: [{"id": 1}]), "?", 1)
