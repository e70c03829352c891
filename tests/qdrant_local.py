"""A store that is searched in Qdrant, by the client's local mode, which is not Qdrant but does what it does."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pincite.ports.stores import Truth
    from pincite.stores.qdrant import QdrantStore
    from pincite.stores.qdrant_collection import Collection

INSTALLED = find_spec("qdrant_client") is not None
"""Whether the extra ``qdrant`` is there."""


def local_collection(**options: object) -> Collection:
    """A collection in memory."""
    from pincite.stores.qdrant_collection import Collection, QdrantOptions, open_client

    settings = QdrantOptions("memory", **options)  # type: ignore[arg-type]  # a test says what it wants
    return Collection(open_client(settings), settings)


def over(truth: Truth, collection: Collection | None = None, *, fallback: bool = False) -> QdrantStore:
    """A store over ``truth``. Without ``fallback`` an answer that does not come from Qdrant is an error."""
    from pincite.stores.qdrant import QdrantStore

    return QdrantStore(truth, collection or local_collection(), fallback=fallback)
