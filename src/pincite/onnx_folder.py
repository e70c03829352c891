"""Models as an ONNX graph with its tokenizer, in a folder or fetched from a hub: found, opened and run here alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pincite.errors import ConfigError, install_line
from pincite.ports import Floats, Ints

EXTRA = "onnx"

MAX_TOKENS = 512
"""Longest input of a model whose folder does not say."""

GRAPHS = ("onnx/model.onnx", "model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
"""Where model folders keep the graph; the first that is there is taken."""


class OnnxModel:
    """A graph with its tokenizer. May be shared between threads."""

    def __init__(self, folder: Path, graph: Path, session: Any, tokenizer: Any) -> None:
        self.folder, self.graph = folder, graph
        self._session, self._tokenizer = session, tokenizer
        self._inputs = tuple(item.name for item in session.get_inputs())

    def batches(
        self, texts: Sequence[str | tuple[str, str]], size: int
    ) -> Iterator[tuple[list[int], Floats, Ints]]:
        """Run texts, or pairs of texts, in batches of ``size``.

        Yields:
            The places in ``texts`` of a batch, the graph's first output for them, and their attention mask, of shape
            (texts, tokens). Every place comes once; texts of like length come together: padding is work for nothing.
        """
        encodings = self._tokenizer.encode_batch([_clean(text) for text in texts])
        order = sorted(range(len(encodings)), key=lambda place: len(encodings[place].ids))
        for at in range(0, len(order), size):
            places = order[at : at + size]
            yield places, *self._run([encodings[place] for place in places])

    def _run(self, encodings: Sequence[Any]) -> tuple[Floats, Ints]:
        width = max(1, *(len(item.ids) for item in encodings))
        ids, mask, kinds = (np.zeros((len(encodings), width), dtype=np.int64) for _ in range(3))
        for row, item in enumerate(encodings):
            length = len(item.ids)
            ids[row, :length], mask[row, :length], kinds[row, :length] = item.ids, 1, item.type_ids
        known = {"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds}
        output = self._session.run(None, {name: known[name] for name in self._inputs if name in known})[0]
        return np.asarray(output, dtype=np.float32), mask


def _clean(text: str | tuple[str, str]) -> str | tuple[str, str]:
    """The tokenizer is Rust and takes no lone surrogates."""
    if isinstance(text, str):
        return text.encode("utf-8", "replace").decode("utf-8")
    first, second = text
    return first.encode("utf-8", "replace").decode("utf-8"), second.encode("utf-8", "replace").decode("utf-8")


def open_model(
    model: str,
    *,
    what: str,
    where: str,
    max_tokens: Callable[[Path], int] = lambda folder: MAX_TOKENS,
    threads: int | None = None,
) -> OnnxModel:
    """Load a model from the folder ``model``, or from the hub's cache under that name.

    Args:
        what: Who wants it, such as ``the onnx reranker``, and ``where``: the setting that names it; for messages.
        max_tokens: What the folder says about it. Longer inputs are cut, of a pair the longer text first: a question
            or claim that is cut beforehand stays whole, and a tokenizer never finds too little to cut.
        threads: ``None``: as many as there are cores.

    Raises:
        ConfigError: The extra is not installed, or the folder lacks the graph or the tokenizer, or they cannot be read.
    """
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ConfigError(f"{what} is not installed", where=where, hint=install_line(EXTRA)) from error
    folder = find_folder(model, where)
    graph = find_graph(folder, where)
    settings = onnxruntime.SessionOptions()
    if threads:
        settings.intra_op_num_threads = threads
    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        session = onnxruntime.InferenceSession(str(graph), settings, providers=["CPUExecutionProvider"])
    except Exception as error:  # both libraries raise bare exceptions of their own
        raise ConfigError(
            f"{graph} or the tokenizer beside it cannot be read: {error}",
            where=where,
            hint="download the model again",
        ) from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens(folder), strategy="longest_first")
    return OnnxModel(folder, graph, session, tokenizer)


def find_folder(model: str, where: str) -> Path:
    """The folder of a model: as named, else from the hub. ``where`` is the setting that names it."""
    if not model:
        raise ConfigError(
            "the onnx kind needs a model", where=where, hint='write it as "onnx:FOLDER" or "onnx:HUB/NAME"'
        )
    folder = Path(model).expanduser()
    if folder.is_dir():
        return folder
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise ConfigError(
            f"there is no folder {model}",
            hint="name an existing folder, or pip install huggingface_hub",
            where=where,
        ) from error
    patterns = ["*.json", "*/config.json", *GRAPHS, *(f"{name}_data" for name in GRAPHS)]
    try:
        return Path(snapshot_download(model, allow_patterns=patterns))
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"there is no folder {model}, and the hub gave none: {error}",
            where=where,
            hint="download the model by hand",
        ) from error


def find_graph(folder: Path, where: str) -> Path:
    """The graph of a model folder that has a tokenizer too."""
    graph = next((folder / name for name in GRAPHS if (folder / name).is_file()), None)
    if graph is None or not (folder / "tokenizer.json").is_file():
        raise ConfigError(
            f"{folder} holds no ONNX model",
            where=where,
            hint=f"it needs tokenizer.json and one of {', '.join(GRAPHS)}",
        )
    return graph


def digest(*paths: Path) -> str:
    """Twelve hex digits of the files' SHA-256.

    The graph of a small model is 100 MB and takes 0.1 s; a wrong index would take a day to notice.
    """
    found = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            found.update(hashlib.file_digest(file, "sha256").digest())
    return found.hexdigest()[:12]


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file; empty when there is no such file."""
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ConfigError("not valid JSON", where=str(path), hint="download the model again") from error
    return found if isinstance(found, dict) else {}
