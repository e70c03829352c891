"""Folders that hold a model as an ONNX graph with its tokenizer, on disk or fetched from a hub."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from pincite.errors import ConfigError

GRAPHS = ("onnx/model.onnx", "model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
"""Where model folders keep the graph; the first that is there is taken."""


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
