"""Embeddings from any server that speaks OpenAI's ``/embeddings``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pincite.embedders.options import EmbedderOptions
from pincite.errors import ConfigError, ModelError, install_line
from pincite.ports import Floats
from pincite.text.characters import sendable

EXTRA = "openai"

_RETRYABLE = (408, 409, 429)


class ApiEmbedder:
    """A server's model. Its fingerprint is the model's name: what the server runs cannot be seen from here."""

    def __init__(self, client: Any, options: EmbedderOptions) -> None:
        self._client, self._options = client, options
        self._dimension: int | None = None
        host = client.base_url.host
        self.fingerprint = f"api:{host}:{options.model}:{_prefixes(options)!r}"

    def __repr__(self) -> str:
        return f"ApiEmbedder({self._options.model!r} at {self._client.base_url.host})"

    @property
    def dimension(self) -> int:
        """Known after the first call; asking for it makes one."""
        if self._dimension is None:
            self.query("dimension")
        assert self._dimension is not None, "a call tells the dimension"
        return self._dimension

    def documents(self, texts: Sequence[str]) -> Floats:
        """See ``Embedder.documents``. Raises ``ModelError``."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        prefix = _prefixes(self._options)[1]
        size = self._options.batch_size
        parts = [
            self._embed([prefix + text for text in texts[at : at + size]])
            for at in range(0, len(texts), size)
        ]
        return np.concatenate(parts)

    def query(self, text: str) -> Floats:
        """See ``Embedder.query``. Raises ``ModelError``."""
        return np.asarray(self._embed([_prefixes(self._options)[0] + text])[0], dtype=np.float32)

    def _embed(self, texts: list[str]) -> Floats:
        import openai

        # Servers refuse empty inputs, and JSON has no lone surrogates.
        cleaned = [sendable(text) or " " for text in texts]
        try:
            answer = self._client.embeddings.create(
                model=self._options.model, input=cleaned, encoding_format="float"
            )
        except openai.APIStatusError as error:
            retryable = error.status_code in _RETRYABLE or error.status_code >= 500
            raise self._failed(f"answered {error.status_code}: {error.message}", retryable) from error
        except openai.OpenAIError as error:
            raise self._failed(str(error), retryable=True) from error
        rows = sorted(answer.data or (), key=lambda item: item.index)
        if len(rows) != len(texts):
            raise self._failed(f"gave {len(rows)} vectors for {len(texts)} texts", retryable=False)
        try:
            found = np.array([item.embedding for item in rows], dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise self._failed("gave vectors that are no rows of numbers", retryable=False) from error
        if found.ndim != 2 or not np.isfinite(found).all() or self._dimension not in (None, found.shape[1]):
            raise self._failed("gave vectors of another shape than before", retryable=False)
        self._dimension = int(found.shape[1])
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        return np.asarray(found / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)

    def _failed(self, what: str, retryable: bool) -> ModelError:
        return ModelError(
            f"the embedding server {what}",
            where=str(self._client.base_url),
            hint="check [embedder] model and base_url, and that the server runs",
            retryable=retryable,
        )


def _prefixes(options: EmbedderOptions) -> tuple[str, str]:
    return options.query_prefix or "", options.document_prefix or ""


def open_api(options: EmbedderOptions) -> ApiEmbedder:
    """An embedder at ``options.base_url`` (OpenAI's own without one); makes no request yet.

    Raises:
        ConfigError: The extra is not installed, no model is named, or there is no key for OpenAI itself.
    """
    try:
        import openai
    except ImportError as error:
        raise ConfigError("the api embedder is not installed", hint=install_line(EXTRA)) from error
    if not options.model:
        raise ConfigError("the api kind needs a model", hint='write it as "api:NAME"')
    try:
        # A local server wants no key; the client wants one.
        key = options.api_key or ("none" if options.base_url else None)
        client = openai.OpenAI(base_url=options.base_url, api_key=key, max_retries=2, timeout=60.0)
    except openai.OpenAIError as error:
        raise ConfigError(
            str(error), where="embedder", hint="set OPENAI_API_KEY or embedder.base_url"
        ) from error
    return ApiEmbedder(client, options)
