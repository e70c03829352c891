"""What an embedder can be told."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EmbedderOptions:
    """
    Args:
        model: What stands behind the kind: a folder or hub name for ``onnx``, the server's model name for ``api``.
        batch_size: Texts handed over together. At least 1.
        threads: For engines that run here. ``None``: as many as there are cores.
        base_url, api_key: Of the server, for ``api``.
        query_prefix, document_prefix: Put before each text. ``None``: what the model's folder or name says.
    """

    model: str = ""
    batch_size: int = 64
    threads: int | None = None
    base_url: str | None = None
    api_key: str | None = None
    query_prefix: str | None = None
    document_prefix: str | None = None
