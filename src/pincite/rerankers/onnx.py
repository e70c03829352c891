"""Any cross-encoder as an ONNX graph: reads question and passage together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pincite.errors import ConfigError
from pincite.onnx_folder import find_folder, find_graph, read_json
from pincite.ports import Floats, Reranker
from pincite.rerankers.options import RerankerOptions

EXTRA = "onnx"
MAX_TOKENS = 512


def open_onnx(options: RerankerOptions) -> Reranker:
    """Load a cross-encoder with one output (relevance) or two (no, yes).

    Raises:
        ConfigError: The extra is not installed, or the folder lacks the graph or the tokenizer.
    """
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ConfigError(
            "the onnx reranker is not installed", hint=f'pip install "pincite[{EXTRA}]"'
        ) from error
    folder = find_folder(options.model, "reranker.model")
    graph = find_graph(folder, "reranker.model")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    longest = read_json(folder / "tokenizer_config.json").get("model_max_length") or MAX_TOKENS
    # The passage is what is cut, never the question.
    tokenizer.enable_truncation(min(int(longest), MAX_TOKENS), strategy="only_second")
    settings = onnxruntime.SessionOptions()
    if options.threads:
        settings.intra_op_num_threads = options.threads
    session = onnxruntime.InferenceSession(str(graph), settings, providers=["CPUExecutionProvider"])
    names = [item.name for item in session.get_inputs()]

    def rerank(question: str, texts: Sequence[str]) -> list[float]:
        # A question longer than the model takes would leave no room for the passage.
        asked = _clean(question)[:MAX_TOKENS]
        pairs = tokenizer.encode_batch([(asked, _clean(text)) for text in texts])
        scores: list[float] = []
        for at in range(0, len(pairs), options.batch_size):
            output = session.run(None, _inputs(pairs[at : at + options.batch_size], names))[0]
            scores += relevance(np.asarray(output, dtype=np.float32)).tolist()
        return scores

    return rerank


def relevance(logits: Floats) -> Floats:
    """Logits of shape (pairs,), (pairs, 1) or (pairs, 2) to relevance in 0-1.

    >>> relevance(np.array([[0.0], [2.0]], dtype=np.float32)).round(2).tolist()
    [0.5, 0.8...]
    >>> relevance(np.array([[1.0, 1.0], [3.0, 1.0]], dtype=np.float32)).round(2).tolist()
    [0.5, 0.1...]
    """
    table = logits.reshape(len(logits), -1)
    margin = table[:, -1] - table[:, 0] if table.shape[1] > 1 else table[:, 0]
    return np.asarray(1 / (1 + np.exp(-np.clip(margin, -60, 60))), dtype=np.float32)


def _inputs(pairs: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
    width = max(len(pair.ids) for pair in pairs)
    known = {name: np.zeros((len(pairs), width), dtype=np.int64) for name in names}
    for row, pair in enumerate(pairs):
        for name, values in (
            ("input_ids", pair.ids),
            ("attention_mask", pair.attention_mask),
            ("token_type_ids", pair.type_ids),
        ):
            if name in known:
                known[name][row, : len(values)] = values
    return known


def _clean(text: str) -> str:
    """The tokenizer is Rust and takes no lone surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8")
