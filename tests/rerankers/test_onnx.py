from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.embedders.tiny_onnx import write_model

from pincite.errors import ConfigError
from pincite.rerankers import RERANKERS, RerankerOptions

pytest.importorskip("onnxruntime", reason="the onnx extra is not installed")
pytest.importorskip("tokenizers", reason="the onnx extra is not installed")


def pair_model(folder: Path) -> Path:
    """A "cross-encoder" whose output for a pair starts with the vector of the question's first word.

    Flattened to one row a pair, the margin of last over first number then depends on what stands last.
    """
    write_model(folder)
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    tokenizer["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [{"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {},
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    return folder


def test_each_text_gets_a_score_in_order_whatever_the_batches(tmp_path: Path) -> None:
    folder = str(pair_model(tmp_path))
    together = RERANKERS["onnx"](RerankerOptions(folder))("east", ["north", "south", "north"])
    apart = RERANKERS["onnx"](RerankerOptions(folder, batch_size=1))("east", ["north", "south", "north"])
    # last number of the text's word minus first number of the question's: 1 - 1 and -1 - 1, as logits
    assert together == pytest.approx([0.5, 0.1192, 0.5], abs=1e-3)
    assert apart == pytest.approx(together)


def test_a_long_question_leaves_room_for_the_passage(tmp_path: Path) -> None:
    folder = pair_model(tmp_path)
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 8}', "utf-8")
    # last number of the passage's word minus first number of the question's: 1 - 1, not cut away
    assert RERANKERS["onnx"](RerankerOptions(str(folder)))("east " * 99, ["north"]) == pytest.approx([0.5])


@pytest.mark.parametrize("text", ["\ud800", "", "east " * 5_000])
def test_hostile_pairs_have_scores(text: str, tmp_path: Path) -> None:
    rerank = RERANKERS["onnx"](RerankerOptions(str(pair_model(tmp_path))))
    assert all(0 <= score <= 1 for score in rerank("east", [text, "north"]))
    assert all(0 <= score <= 1 for score in rerank(text + "east", ["north"]))


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ConfigError, match=r'pip install "(?:pincite|\.)\[onnx\]"'):
        RERANKERS["onnx"](RerankerOptions("folder"))
