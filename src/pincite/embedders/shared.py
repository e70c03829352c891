"""One embedder at work in several processes, or on the hosts of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial

import numpy as np

from pincite.errors import ModelError
from pincite.ports import Embedder, Floats
from pincite.workers import Workers

PIECE = 16
"""Texts that a worker gets together. The texts that come together go into the same pieces whoever works on them."""


class SharedEmbedder:
    """An ``Embedder`` whose documents are embedded by workers; questions by this process.

    Args:
        own: The same embedder in this process.
        make: Makes it in a worker, once in each. Can be pickled, and is equal to itself after that.
    """

    def __init__(self, own: Embedder, make: Callable[[], Embedder | None], workers: Workers) -> None:
        self._own, self._make, self._workers = own, make, workers

    def __repr__(self) -> str:
        return f"SharedEmbedder({self._own!r}, {self._workers!r})"

    @property
    def fingerprint(self) -> str:
        """See ``Embedder.fingerprint``."""
        return self._own.fingerprint

    @property
    def dimension(self) -> int:
        """See ``Embedder.dimension``."""
        return self._own.dimension

    @property
    def at_once(self) -> int:
        """How many texts give every worker something to do."""
        return PIECE * self._workers.count

    def documents(self, texts: Sequence[str]) -> Floats:
        """See ``Embedder.documents``. Raises ``ModelError`` when a worker dies of them twice, or has another model."""
        pieces = [tuple(texts[at : at + PIECE]) for at in range(0, len(texts), PIECE)]
        function = partial(_embedded, self._make, self.fingerprint)
        rows: list[Floats] = []
        for found in self._workers.in_order(function, pieces, lost=_lost):
            if isinstance(found, ModelError):
                raise found
            rows.append(found)
        return np.concatenate(rows) if rows else np.empty((0, self.dimension), dtype=np.float32)

    def query(self, text: str) -> Floats:
        """See ``Embedder.query``."""
        return self._own.query(text)


_opened = lru_cache(maxsize=1)(lambda make: make())


def _embedded(
    make: Callable[[], Embedder | None], fingerprint: str, texts: tuple[str, ...]
) -> Floats | ModelError:
    embedder: Embedder | None = _opened(make)
    if embedder is None or embedder.fingerprint != fingerprint:
        return ModelError(
            f"a worker has {'no embedder' if embedder is None else embedder.fingerprint}, not {fingerprint}",
            hint="install the same model and extras on every host",
        )
    return embedder.documents(texts)


def _lost(texts: tuple[str, ...]) -> ModelError:
    return ModelError(
        "the process that makes vectors died, perhaps for want of memory",
        hint="run the same command with fewer --jobs; it goes on where it stopped",
    )
