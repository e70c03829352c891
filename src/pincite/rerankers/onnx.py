"""Any cross-encoder as an ONNX graph: reads question and passage together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pincite.onnx_folder import MAX_TOKENS, open_model, read_json
from pincite.ports import Floats, Reranker
from pincite.rerankers.options import RerankerOptions

MAX_QUESTION_CHARS = 512
"""The passage is what is cut to fit; a question beyond this would leave little room for it."""


def open_onnx(options: RerankerOptions) -> Reranker:
    """Load a cross-encoder with one output (relevance) or two (no, yes).

    Raises:
        ConfigError: The extra is not installed, or the folder lacks the graph or the tokenizer.
    """
    model = open_model(
        options.model,
        what="the onnx reranker",
        where="retrieval.rerank",
        max_tokens=_longest,
        threads=options.threads,
    )

    def rerank(question: str, texts: Sequence[str]) -> list[float]:
        pairs = [(question[:MAX_QUESTION_CHARS], text) for text in texts]
        scores = np.zeros(len(pairs), dtype=np.float32)
        for places, logits, _ in model.batches(pairs, options.batch_size):
            scores[places] = relevance(logits)
        return [float(score) for score in scores]

    return rerank


def _longest(folder: Path) -> int:
    return min(
        int(read_json(folder / "tokenizer_config.json").get("model_max_length") or MAX_TOKENS), MAX_TOKENS
    )


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
