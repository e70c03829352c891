"""What every store asks of the chunks it is given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pincite.ports.stored import IndexedChunk
from pincite.types import Document

_NUMBER = re.compile(r"-chunk-([0-9]{1,18})\Z")


def next_number(chunk_ids: Iterable[str], at_least: int = 0) -> int:
    """The lowest number above those at the end of ``chunk_ids``, and not below ``at_least``.

    >>> next_number(["a-chunk-0", "a-chunk-7"]), next_number(["a-chunk-1"], at_least=5), next_number(["odd"])
    (8, 5, 0)
    """
    matches = (_NUMBER.search(chunk_id) for chunk_id in chunk_ids)
    return max([at_least, *(int(match[1]) + 1 for match in matches if match)])


def check_chunks(document: Document, chunks: Sequence[IndexedChunk]) -> None:
    """Raise ``AssertionError`` when a chunk is not the slice of ``document`` that it says it is."""
    for place, item in enumerate(chunks):
        chunk = item.chunk
        assert chunk.doc_id == document.doc_id, f"{chunk.chunk_id} belongs to {chunk.doc_id}"
        assert chunk.ordinal == place, f"{chunk.chunk_id} has ordinal {chunk.ordinal} at place {place}"
        assert chunk.span.of(document.text) == chunk.text, f"{chunk.chunk_id} is not at its span"


MOST_ROWS = 2**31
"""More than any document has passages, or store answers; larger numbers do not go into SQLite."""


def around(ordinal: int, before: int, after: int) -> tuple[int, int]:
    """First and last ordinal of the passages round one, whatever numbers were asked for.

    >>> around(5, 1, 2), around(0, 10**20, -3)
    ((4, 7), (0, 0))
    """
    return max(0, ordinal - max(0, before)), min(ordinal + max(0, after), MOST_ROWS)
