"""How the two processes talk: a header in JSON and bytes behind it, both with their sizes in front."""

from __future__ import annotations

import json
import struct
from typing import IO, Any

Reply = tuple[dict[str, Any], bytes]
"""A header and bytes."""

_PREFIX = struct.Struct(">II")


def read_frame(stream: IO[bytes]) -> Reply | None:
    """The next header and its bytes; ``None`` at the end."""
    start = _exactly(stream, _PREFIX.size)
    if start is None:
        return None
    header_size, size = _PREFIX.unpack(start)
    header = _exactly(stream, header_size)
    data = _exactly(stream, size) if header is not None else None
    return None if header is None or data is None else (json.loads(header), data)


def write_frame(stream: IO[bytes], header: dict[str, Any], data: bytes = b"") -> None:
    """Send a header and bytes."""
    written = json.dumps(header, separators=(",", ":")).encode()
    stream.write(_PREFIX.pack(len(written), len(data)))
    stream.write(written)
    if data:
        stream.write(data)
    stream.flush()


def _exactly(stream: IO[bytes], size: int) -> bytes | None:
    data = stream.read(size) if size else b""
    return data if len(data) == size else None
