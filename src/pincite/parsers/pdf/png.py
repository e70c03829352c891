"""Pictures as PNG, with the standard library alone."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_TRUE_COLOUR = 2
_UP = 2
"""Filter of each row: the difference to the row above, which is nought in the white of a page."""


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """A picture of shape ``(height, width, 3)``, red, green, blue, as a PNG file.

    >>> import numpy as np
    >>> png(np.zeros((1, 1, 3), np.uint8))[:4]
    b'\\x89PNG'
    """
    import numpy as np

    height, width, _ = pixels.shape
    rows = np.ascontiguousarray(pixels).reshape(height, 3 * width)
    filtered = np.empty((height, 3 * width + 1), np.uint8)
    filtered[:, 0] = _UP
    filtered[0, 1:] = rows[0]
    filtered[1:, 1:] = rows[1:] - rows[:-1]
    header = struct.pack(">IIBBBBB", width, height, 8, _TRUE_COLOUR, 0, 0, 0)
    data = zlib.compress(filtered.tobytes(), 6)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
