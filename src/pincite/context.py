"""The passages an answer may cite, as the checks see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pincite.text.view import View, chunk_view
from pincite.types import Chunk, ChunkId, Hit

NEIGHBOUR_CHARS = 400
"""How much of the chunks before and after a judge gets to see, to understand a pronoun or a lead-in."""


@dataclass(frozen=True, slots=True)
class Source:
    """One passage of the context as the checks see it. ``view`` is context and chunk as one text, with the way
    back to the document. ``searchable`` is false when there is no text to check against."""

    id: str
    hit: Hit
    view: View
    before: str = ""
    after: str = ""

    @property
    def chunk(self) -> Chunk:
        return self.hit.chunk

    @property
    def searchable(self) -> bool:
        return bool(self.view.text.strip())


@dataclass(frozen=True, slots=True)
class Context:
    """The passages an answer may cite, by their prompt ids, in prompt order."""

    sources: Mapping[str, Source]

    @classmethod
    def of(cls, hits: Sequence[Hit], neighbours: Mapping[ChunkId, tuple[str, str]] | None = None) -> Context:
        """Give ``hits`` the ids ``c-1``, ``c-2``, … in order. ``neighbours`` maps a chunk to the texts round it."""
        around = neighbours or {}
        return cls(
            {
                f"c-{place}": Source(
                    f"c-{place}", hit, chunk_view(hit.chunk), *around.get(hit.chunk.chunk_id, ("", ""))
                )
                for place, hit in enumerate(hits, start=1)
            }
        )
