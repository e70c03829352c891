"""What a reranker can be told."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RerankerOptions:
    """
    Args:
        model: A folder or hub name for ``onnx``, the server's model name for ``api``.
        batch_size: Pairs handed over together. At least 1.
        threads: For ``onnx``. ``None``: as many as there are cores.
        base_url, api_key: Of the server, for ``api``.
    """

    model: str = ""
    batch_size: int = 16
    threads: int | None = None
    base_url: str | None = None
    api_key: str | None = None
