from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.embedders.tiny_onnx import write_model

from pincite.embedders import EMBEDDERS, EmbedderOptions
from pincite.errors import ConfigError

pytest.importorskip("onnxruntime", reason="the onnx extra is not installed")
pytest.importorskip("tokenizers", reason="the onnx extra is not installed")

open_onnx = EMBEDDERS["onnx"]


def options(folder: Path, **changes: object) -> EmbedderOptions:
    return replace(EmbedderOptions(model=str(folder), batch_size=2), **changes)  # type: ignore[arg-type]


def test_vectors_are_means_of_length_one_in_the_order_of_the_texts(tmp_path: Path) -> None:
    model = open_onnx(options(write_model(tmp_path)))
    found = model.documents(["north east north east", "west", "south south west west", "", "east"])
    root = 0.5**0.5
    assert found.tolist() == pytest.approx(np.array([[root, root], [-1, 0], [-root, -root], [0, 0], [1, 0]]))
    assert model.query("north").tolist() == [0, 1]
    assert model.dimension == 2
    assert model.documents([]).shape == (0, 2)


def test_pooling_comes_from_the_models_folder(tmp_path: Path) -> None:
    first = write_model(tmp_path / "cls", **{"1_Pooling__config": {"pooling_mode_cls_token": True}})
    last = write_model(tmp_path / "last", **{"1_Pooling__config": {"pooling_mode_lasttoken": True}})
    texts = ["north east", "west"]
    assert open_onnx(options(first)).documents(texts).tolist() == [[0, 1], [-1, 0]]
    assert open_onnx(options(last)).documents(texts).tolist() == [[1, 0], [-1, 0]]


def test_prefixes_come_from_the_options_else_the_folder_else_the_name(tmp_path: Path) -> None:
    plain = write_model(tmp_path / "plain")
    told = write_model(
        tmp_path / "e5-told",
        config_sentence_transformers={"prompts": {"query": "east ", "document": "west "}},
    )
    named = write_model(tmp_path / "tiny-e5-small", **{"1_Pooling__config": {"pooling_mode_cls_token": True}})
    assert open_onnx(options(told, query_prefix="")).query("north").tolist() == [0, 1]
    assert open_onnx(options(told)).query("east").tolist() == [1, 0]
    assert open_onnx(options(told)).documents(["west"]).tolist() == [[-1, 0]]
    assert open_onnx(options(plain, query_prefix="north ")).query("").tolist() == [0, 1]
    # "query:" comes first now, and its vector is zero.
    assert open_onnx(options(named)).query("north").tolist() == [0, 0]


def test_a_long_text_is_cut_where_the_model_ends(tmp_path: Path) -> None:
    folder = write_model(tmp_path, sentence_bert_config={"max_seq_length": 3})
    assert open_onnx(options(folder)).query("east east east" + " west" * 9).tolist() == [1, 0]


@pytest.mark.parametrize("text", ["\ud800", "\x00", "east" * 50_000])
def test_hostile_text_has_a_vector(text: str, tmp_path: Path) -> None:
    assert np.isfinite(open_onnx(options(write_model(tmp_path))).query(text)).all()


def test_the_fingerprint_tells_graphs_tokenizers_and_manners_apart(tmp_path: Path) -> None:
    same, again = write_model(tmp_path / "m"), write_model(tmp_path / "x" / "m")
    changed = write_model(tmp_path / "y" / "m")
    (changed / "tokenizer.json").write_text((changed / "tokenizer.json").read_text("utf-8") + "\n", "utf-8")
    assert open_onnx(options(same)).fingerprint == open_onnx(options(again)).fingerprint
    assert open_onnx(options(same)).fingerprint != open_onnx(options(changed)).fingerprint
    assert open_onnx(options(same)).fingerprint != open_onnx(options(same, query_prefix="q ")).fingerprint


def test_a_folder_without_a_graph_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"holds no ONNX model.*tokenizer\.json and one of onnx/model\.onnx"
    ):
        open_onnx(options(tmp_path))


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ConfigError, match=r'pip install "(?:pincite|\.)\[onnx\]"'):
        open_onnx(options(tmp_path))
