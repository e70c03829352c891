"""The api reranker against a real HTTP server on loopback."""

from __future__ import annotations

from typing import Any

import pytest
from tests.integration.loopback import server

from pincite.errors import ConfigError, ModelError
from pincite.rerankers import RERANKERS, RerankerOptions

pytest.importorskip("openai", reason="the openai extra is not installed")


def by_length(body: dict[str, Any]) -> tuple[int, Any]:
    rows = [{"index": i, "relevance_score": 1 / len(text)} for i, text in enumerate(body["documents"])]
    return 200, {"results": rows[::-1]}


def test_scores_come_back_in_the_order_of_the_texts() -> None:
    with server(by_length) as (address, asked):
        rerank = RERANKERS["api"](RerankerOptions("m", base_url=address))
        assert rerank("q \ud800", ["ab", "abcd"]) == [0.5, 0.25]
    assert asked == [{"model": "m", "query": "q ?", "documents": ["ab", "abcd"]}]


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"results": [{"index": 0}]},
        {"results": [{"index": 7, "relevance_score": 1.0}]},
        {"results": None},
    ],
)
def test_a_server_that_talks_nonsense_is_a_model_error(body: object) -> None:
    with server(lambda _: (200, body)) as (address, _), pytest.raises(ModelError) as caught:
        RERANKERS["api"](RerankerOptions("m", base_url=address))("q", ["a"])
    assert not caught.value.retryable


def test_a_server_that_refuses_is_a_model_error() -> None:
    with (
        server(lambda _: (401, {"error": {"message": "who are you"}})) as (address, _),
        pytest.raises(ModelError, match=r"answered 401.*who are you"),
    ):
        RERANKERS["api"](RerankerOptions("m", base_url=address))("q", ["a"])


def test_no_address_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match="needs a model and a base_url"):
        RERANKERS["api"](RerankerOptions("m"))
