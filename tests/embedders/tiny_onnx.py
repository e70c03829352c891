"""A sentence-embedding model of a few numbers, written out by hand as ONNX sees it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

WORDS = ("[UNK]", "query", "passage", ":", "north", "east", "south", "west")
TABLE = np.array([[0, 0], [0, 0], [0, 0], [0, 0], [0, 1], [1, 0], [0, -1], [-1, 0]], dtype=np.float32)
"""A vector for each word; a text's vectors are its words', so that pooling does the rest."""


def write_model(folder: Path, **files: Mapping[str, object]) -> Path:
    """A model folder whose graph looks each token's vector up. ``files``: further JSON files, ``__`` for ``/``."""
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word: i for i, word in enumerate(WORDS)},
            "unk_token": "[UNK]",
        },
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    (folder / "model.onnx").write_bytes(_model())
    for name, content in files.items():
        path = folder / f"{name.replace('__', '/')}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content), "utf-8")
    return folder


def _model() -> bytes:
    table = _numbers(1, TABLE.shape[0]) + _numbers(1, TABLE.shape[1]) + _numbers(2, 1)
    table += _bytes(8, b"table") + _bytes(9, TABLE.tobytes())
    node = (
        _bytes(1, b"table") + _bytes(1, b"input_ids") + _bytes(2, b"last_hidden_state") + _bytes(4, b"Gather")
    )
    graph = _bytes(1, node) + _bytes(2, b"tiny") + _bytes(5, table)
    graph += _bytes(11, _value(b"input_ids", 7, (b"texts", b"tokens")))
    graph += _bytes(12, _value(b"last_hidden_state", 1, (b"texts", b"tokens", None)))
    return _numbers(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, b"") + _numbers(2, 13))


def _value(name: bytes, kind: int, sizes: tuple[bytes | None, ...]) -> bytes:
    shape = b"".join(_bytes(1, _bytes(2, size) if size else _numbers(1, TABLE.shape[1])) for size in sizes)
    return _bytes(1, name) + _bytes(2, _bytes(1, _numbers(1, kind) + _bytes(2, shape)))


def _numbers(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
