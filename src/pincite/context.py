"""The passages an answer may cite, as the checks see them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pincite.text.view import View, chunk_view
from pincite.text.words import terms
from pincite.types import Chunk, ChunkId, Hit

NEIGHBOUR_CHARS = 400
"""How much of the chunks before and after a judge gets to see, to understand a pronoun or a lead-in."""

MAX_SEARCHED = 50
"""Passages that are asked whether they say what a sentence does not cite. Of more, those that share most words with it."""

_COMMON = 1_000
"""A word that stands in more passages does not tell them apart."""


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
    places: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """Of many sources: term -> ids of those that hold it."""

    def nearest(self, text: str) -> tuple[Source, ...]:
        """The sources with a text that may say ``text``, in prompt order: all, or the 50 that share most words with it.

        So that an answer of many sentences and many sources costs their sum, not their product.
        """
        searchable = tuple(source for source in self.sources.values() if source.searchable)
        if len(searchable) <= MAX_SEARCHED:
            return searchable
        languages = dict.fromkeys(source.hit.document.language for source in searchable)
        wanted = dict.fromkeys(term for language in languages for term in terms(text, language))
        holders = [self.places.get(term, ()) for term in wanted]
        shared = Counter(one for ids in holders if len(ids) <= _COMMON for one in ids)
        best = {one for one, _ in shared.most_common(MAX_SEARCHED)}
        return tuple(source for source in searchable if source.id in best) or searchable[:MAX_SEARCHED]

    @classmethod
    def of(
        cls,
        hits: Sequence[Hit],
        neighbours: Mapping[ChunkId, tuple[str, str]] | None = None,
        *,
        first_id: int = 1,
    ) -> Context:
        """Give ``hits`` the ids ``c-1``, ``c-2``, … in order. ``neighbours`` maps a chunk to the texts round it.

        ``first_id`` is the number to begin with (``Question.first_id``).
        """
        around = neighbours or {}
        sources = {
            f"c-{place}": Source(
                f"c-{place}", hit, chunk_view(hit.chunk), *around.get(hit.chunk.chunk_id, ("", ""))
            )
            for place, hit in enumerate(hits, start=first_id)
        }
        places: dict[str, list[str]] = {}
        for source in sources.values() if len(sources) > MAX_SEARCHED else ():
            for term in dict.fromkeys(terms(source.view.text, source.hit.document.language)):
                places.setdefault(term, []).append(source.id)
        return cls(sources, {term: tuple(ids) for term, ids in places.items()})
