"""``store rebuild-search``, and what ``doctor`` says of a search beside the database."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pincite.cli.output import counted
from pincite.cli.session import Session
from pincite.errors import ConfigError

if TYPE_CHECKING:
    from pincite.config import Loaded
    from pincite.stores.qdrant import QdrantStore

MOST_DIFFERENCES = 10
"""How many differences ``doctor`` names."""


@contextlib.contextmanager
def opened(loaded: Loaded) -> Iterator[QdrantStore]:
    """The store that is searched in Qdrant, closed at the end."""
    from pincite.wiring.models import choose_embedder
    from pincite.wiring.stores import open_store, searched

    if not loaded.config.store.search:
        raise ConfigError(
            "nothing is searched beside the database",
            where=loaded.where("store", "search"),
            hint='set [store] search to "qdrant:http://host:6333"',
        )
    store = open_store(loaded, create=False)
    try:
        embedder = choose_embedder(
            loaded.config.embedder, loaded.where("embedder", "model"), built=store.embedder_fingerprint
        )
        both = searched(loaded, store, embedder)
    except BaseException:
        store.close()
        raise
    from pincite.stores.qdrant import QdrantStore

    assert isinstance(both, QdrantStore)
    try:
        yield both
    finally:
        both.close()


def rebuild(session: Session, *, anew: bool) -> int:
    """Bring Qdrant in line with the database."""
    with opened(session.settings()) as store:
        brought = 0

        def tell(count: int) -> None:
            nonlocal brought
            brought += count
            session.note(f"{counted(brought, 'document')} brought to Qdrant")

        if anew:
            store.following.anew()
        store.following.follow(progress=tell)
        mended = 0 if anew else store.following.repair()
        if mended:
            session.note(f"{counted(mended, 'difference')} mended")
        session.note("Qdrant is in line with the database")
    return 0


def differences(loaded: Loaded, *, quick: bool) -> tuple[str, list[str]]:
    """What is searched, in words, and how it differs from the database; ``quick`` only asks whether it can be reached.

    Raises:
        PinciteError: It cannot be asked.
    """
    from pincite.stores.qdrant_collection import REBUILD

    with opened(loaded) as store:
        version, mark = store.following.version(), store.following.check()
        found = f"{loaded.config.store.search} · collection {loaded.config.store.search_collection}"
        found += f" · Qdrant {version}" if version else ""
        if mark is None:
            return found, [f"there is no collection in Qdrant yet: {REBUILD}"]
        return found, [] if quick else list(store.following.divergence())
