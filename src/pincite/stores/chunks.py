"""What every store asks of the chunks it is given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pincite.ports import IndexedChunk
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
