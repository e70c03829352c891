"""The api embedder against a real HTTP server on loopback."""

from __future__ import annotations

from typing import Any

import pytest
from tests.integration.loopback import Answer, server

from pincite.embedders import EMBEDDERS, EmbedderOptions
from pincite.errors import ConfigError, ModelError

pytest.importorskip("openai", reason="the openai extra is not installed")


def vectors(body: dict[str, Any]) -> Answer:
    rows = [
        {"object": "embedding", "index": i, "embedding": [len(text), 1.0]}
        for i, text in enumerate(body["input"])
    ]
    return 200, {"object": "list", "model": body["model"], "data": rows[::-1], "usage": {}}


def test_texts_go_in_batches_and_come_back_in_order_with_length_one() -> None:
    with server(vectors) as (address, asked):
        model = EMBEDDERS["api"](EmbedderOptions("m", batch_size=2, base_url=address, document_prefix="d: "))
        found = model.documents(["", "abcd", "ab"])
        assert [row[0] / row[1] for row in found.tolist()] == pytest.approx([3, 7, 5])
        assert (found**2).sum(axis=1).tolist() == pytest.approx([1, 1, 1])
        assert [body["input"] for body in asked] == [["d: ", "d: abcd"], ["d: ab"]]
        assert model.dimension == 2


def test_a_server_that_refuses_is_a_model_error_with_its_reason() -> None:
    with server(lambda body: (404, {"error": {"message": f"no model {body['model']}"}})) as (address, _):
        model = EMBEDDERS["api"](EmbedderOptions("absent", base_url=address))
        with pytest.raises(ModelError, match=r"answered 404.*no model absent") as caught:
            model.query("x")
    assert not caught.value.retryable
    assert caught.value.where.startswith(address)


def test_a_server_that_is_away_is_a_model_error_that_may_pass() -> None:
    model = EMBEDDERS["api"](EmbedderOptions("m", base_url="http://127.0.0.1:9/v1"))
    with pytest.raises(ModelError) as caught:
        model.query("x")
    assert caught.value.retryable


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{"object": "embedding", "index": 0, "embedding": [1.0, "x"]}],
        [
            {"object": "embedding", "index": 0, "embedding": []},
            {"object": "embedding", "index": 1, "embedding": [1.0]},
        ],
    ],
)
def test_a_server_that_talks_nonsense_is_a_model_error(rows: list[dict[str, Any]]) -> None:
    with server(lambda body: (200, {"object": "list", "model": "m", "data": rows, "usage": {}})) as (
        address,
        _,
    ):
        model = EMBEDDERS["api"](EmbedderOptions("m", base_url=address))
        with pytest.raises(ModelError, match="gave"):
            model.query("x")


def test_no_model_or_no_key_is_a_config_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="needs a model"):
        EMBEDDERS["api"](EmbedderOptions(base_url="http://127.0.0.1:9"))
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        EMBEDDERS["api"](EmbedderOptions("m"))
