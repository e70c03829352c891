"""Any sentence-embedding model as an ONNX graph with its tokenizer, from a folder or from a hub."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pincite.embedders.options import EmbedderOptions
from pincite.onnx_folder import MAX_TOKENS, OnnxModel, digest, open_model, read_json
from pincite.ports import Floats, Ints

PREFIXES: tuple[tuple[str, str, str], ...] = (
    ("e5-", "query: ", "passage: "),
    ("bge-", "Represent this sentence for searching relevant passages: ", ""),
    ("nomic-embed", "search_query: ", "search_document: "),
)
"""Part of a model's name, and what its card says to put before questions and passages. For models whose folder
has no ``config_sentence_transformers.json`` with ``prompts``. Multilingual bge-m3 takes none."""

_NO_PREFIX = ("bge-m3",)


@dataclass(frozen=True, slots=True)
class _Manner:
    """How a model wants to be used. ``pooling`` is ``mean``, ``cls`` or ``last``."""

    query_prefix: str
    document_prefix: str
    pooling: str
    max_tokens: int


class OnnxEmbedder:
    """An ONNX graph that gives ``last_hidden_state`` (or token vectors under another name), pooled here."""

    def __init__(self, model: OnnxModel, manner: _Manner, fingerprint: str, batch_size: int) -> None:
        self._model, self._manner, self._batch_size = model, manner, batch_size
        self.fingerprint = fingerprint
        self.dimension = len(self.query("dimension"))

    def __repr__(self) -> str:
        return f"OnnxEmbedder({self.fingerprint})"

    def documents(self, texts: Sequence[str]) -> Floats:
        """See ``Embedder.documents``. A text longer than the model takes is cut there."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return self._embed([self._manner.document_prefix + text for text in texts])

    def query(self, text: str) -> Floats:
        """See ``Embedder.query``."""
        return np.asarray(self._embed([self._manner.query_prefix + text])[0], dtype=np.float32)

    def _embed(self, texts: Sequence[str]) -> Floats:
        rows: dict[int, Floats] = {}
        for places, states, mask in self._model.batches(texts, self._batch_size):
            rows.update(zip(places, unit_rows(pool(states, mask, self._manner.pooling)), strict=True))
        return np.array([rows[place] for place in range(len(texts))], dtype=np.float32)


def pool(states: Floats, mask: Ints, how: str) -> Floats:
    """One vector for each text. ``states``: (texts, tokens, dimension), or (texts, dimension) when pooled already.

    >>> states = np.array([[[1.0], [3.0], [9.0]]], dtype=np.float32)
    >>> [pool(states, np.array([[1, 1, 0]]), how).tolist() for how in ("mean", "cls", "last")]
    [[[2.0]], [[1.0]], [[3.0]]]
    """
    if states.ndim == 2:
        return states
    if how == "cls":
        return states[:, 0]
    if how == "last":
        return np.asarray(states[np.arange(len(states)), mask.sum(axis=1) - 1])
    weights = mask[:, :, None].astype(np.float32)
    return np.asarray((states * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1.0), dtype=np.float32)


def unit_rows(rows: Floats) -> Floats:
    """Each row with length 1; a row of zeros stays.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32)).tolist()
    [[0.6..., 0.8...], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)


def open_onnx(options: EmbedderOptions) -> OnnxEmbedder:
    """Load a model: ``options.model`` is a folder, or a hub name that is fetched once into the hub's cache.

    The folder holds ``tokenizer.json`` and the graph; ``1_Pooling/config.json``,
    ``config_sentence_transformers.json`` and ``sentence_bert_config.json`` are heeded where present.

    Raises:
        ConfigError: The extra is not installed, or the folder lacks the graph or the tokenizer.
    """
    model = open_model(
        options.model,
        what="the onnx embedder",
        where="embedder.model",
        max_tokens=lambda folder: _manner(folder, options).max_tokens,
        threads=options.threads,
    )
    folder, manner = model.folder, _manner(model.folder, options)
    name = f"onnx:{folder.name}:{digest(model.graph, folder / 'tokenizer.json')}:{_digest_of(manner)}"
    return OnnxEmbedder(model, manner, name, options.batch_size)


def _digest_of(manner: _Manner) -> str:
    return hashlib.sha256(repr(manner).encode()).hexdigest()[:6]


def _manner(folder: Path, options: EmbedderOptions) -> _Manner:
    prompts = read_json(folder / "config_sentence_transformers.json").get("prompts") or {}
    pooling = read_json(folder / "1_Pooling" / "config.json")
    length = read_json(folder / "sentence_bert_config.json").get("max_seq_length")
    longest = length or read_json(folder / "tokenizer_config.json").get("model_max_length") or MAX_TOKENS
    named = f"{options.model}/{read_json(folder / 'config.json').get('_name_or_path', '')}".casefold()
    query, document = next(
        ((query, document) for part, query, document in PREFIXES if part in named),
        ("", ""),
    )
    if any(part in named for part in _NO_PREFIX):
        query, document = "", ""
    return _Manner(
        query_prefix=_first(options.query_prefix, prompts.get("query"), query),
        document_prefix=_first(
            options.document_prefix, prompts.get("document"), prompts.get("passage"), document
        ),
        pooling=_pooling(pooling),
        max_tokens=min(int(longest), 8_192),
    )


def _pooling(settings: Mapping[str, Any]) -> str:
    if settings.get("pooling_mode_cls_token"):
        return "cls"
    return "last" if settings.get("pooling_mode_lasttoken") else "mean"


def _first(*values: Any) -> str:
    return next((str(value) for value in values if value is not None), "")
