"""Any sentence-embedding model as an ONNX graph with its tokenizer, from a folder or from a hub."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pincite.embedders.options import EmbedderOptions
from pincite.errors import ConfigError
from pincite.onnx_folder import digest, find_folder, find_graph, read_json
from pincite.ports import Floats, Ints

EXTRA = "onnx"

MAX_TOKENS = 512
"""Longest input, when neither the tokenizer's nor the sentence transformer's settings say."""

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

    def __init__(
        self, session: Any, tokenizer: Any, manner: _Manner, fingerprint: str, batch_size: int
    ) -> None:
        self._session, self._tokenizer, self._manner = session, tokenizer, manner
        self._batch_size = batch_size
        self._inputs = tuple(item.name for item in session.get_inputs())
        self.fingerprint = fingerprint
        self.dimension = len(self.query("dimension"))

    def __repr__(self) -> str:
        return f"OnnxEmbedder({self.fingerprint})"

    def documents(self, texts: Sequence[str]) -> Floats:
        """See ``Embedder.documents``. A text longer than the model takes is cut there."""
        return self._embed([self._manner.document_prefix + text for text in texts])

    def query(self, text: str) -> Floats:
        """See ``Embedder.query``."""
        return np.asarray(self._embed([self._manner.query_prefix + text])[0], dtype=np.float32)

    def _embed(self, texts: Sequence[str]) -> Floats:
        # The tokenizer is Rust and takes no lone surrogates.
        encodings = self._tokenizer.encode_batch([_clean(text) for text in texts])
        if not encodings:
            return np.empty((0, self.dimension), dtype=np.float32)
        # Texts of like length go together: padding is work for nothing.
        order = sorted(range(len(encodings)), key=lambda place: len(encodings[place].ids))
        rows: list[Floats] = []
        for at in range(0, len(order), self._batch_size):
            rows.append(self._run([encodings[place] for place in order[at : at + self._batch_size]]))
        found = np.concatenate(rows)
        out = np.empty_like(found)
        out[order] = found
        return out

    def _run(self, encodings: Sequence[Any]) -> Floats:
        width = max(1, *(len(item.ids) for item in encodings))
        ids, mask = (np.zeros((len(encodings), width), dtype=np.int64) for _ in range(2))
        for row, item in enumerate(encodings):
            ids[row, : len(item.ids)] = item.ids
            mask[row, : len(item.ids)] = 1
        known = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        output = self._session.run(None, {name: known[name] for name in self._inputs if name in known})[0]
        return unit_rows(pool(np.asarray(output, dtype=np.float32), mask, self._manner.pooling))


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
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ConfigError(
            "the onnx embedder is not installed", hint=f'pip install "pincite[{EXTRA}]"'
        ) from error
    folder = find_folder(options.model, "embedder.model")
    graph = find_graph(folder, "embedder.model")
    manner = _manner(folder, options)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(manner.max_tokens)
    settings = onnxruntime.SessionOptions()
    if options.threads:
        settings.intra_op_num_threads = options.threads
    session = onnxruntime.InferenceSession(str(graph), settings, providers=["CPUExecutionProvider"])
    name = f"onnx:{folder.name}:{digest(graph, folder / 'tokenizer.json')}:{_digest_of(manner)}"
    return OnnxEmbedder(session, tokenizer, manner, name, options.batch_size)


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


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
