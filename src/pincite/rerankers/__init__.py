"""Models that order hits anew: for ``search(…, reranker=…)``, which uses none unless it is given one."""

from __future__ import annotations

from collections.abc import Callable

from pincite.ports import Reranker
from pincite.rerankers.api import open_api
from pincite.rerankers.onnx import open_onnx
from pincite.rerankers.options import RerankerOptions

RERANKERS: dict[str, Callable[[RerankerOptions], Reranker]] = {"onnx": open_onnx, "api": open_api}
"""Kind to a function that opens one."""
