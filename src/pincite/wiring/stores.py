"""Settings to stores: the database, where originals are kept, and where it is searched."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pincite.config import Loaded
from pincite.errors import ConfigError, StoreMissing, install_line
from pincite.ports import Embedder
from pincite.ports.stores import Originals, Store

if TYPE_CHECKING:
    from pincite.ports.stores import Truth


def open_store(loaded: Loaded, *, create: bool) -> Store:
    """The store that is set: the PostgreSQL database at ``[store] url``, otherwise the file at ``[store] path``.

    Raises:
        ConfigError: What it needs is not installed.
        StoreError: It cannot be opened, or is not there and ``create`` is false.
    """
    settings = loaded.config.store
    blobs = open_originals(loaded)
    if not settings.url:
        return open_database(loaded.database, create=create, blobs=blobs)
    try:
        from pincite.stores.postgres import PostgresStore
    except ImportError as error:
        raise ConfigError(
            "[store] url needs the client of PostgreSQL, which is not installed",
            where=loaded.where("store", "url"),
            hint=install_line("postgres"),
        ) from error
    return PostgresStore(
        settings.url,
        schema=settings.schema_name,
        create=create,
        vectors=settings.vectors,
        pool_size=settings.pool_size,
        timeout_s=settings.timeout_s,
        blobs=blobs,
    )


def open_originals(loaded: Loaded) -> Originals | None:
    """Where the settings say that originals are kept; ``None``: where the store itself would.

    Raises:
        ConfigError: The place cannot be one, or what it needs is not installed.
    """
    settings = loaded.config.store
    if loaded.blobs is not None:
        from pincite.blobs import Blobs

        return Blobs(loaded.blobs)
    if not settings.blobs:
        return None
    from pincite.blobs_cloud import CloudBlobs

    try:
        return CloudBlobs(settings.blobs, endpoint=settings.blobs_endpoint)
    except ConfigError as error:
        raise ConfigError(error.message, where=loaded.where("store", "blobs"), hint=error.hint) from error


def has_store(loaded: Loaded) -> bool:
    """Whether the store that is set is there. Raises ``StoreError`` when its server cannot be asked."""
    if not loaded.config.store.url:
        return loaded.database.exists()
    try:
        open_store(loaded, create=False).close()
    except StoreMissing:
        return False
    return True


def open_database(path: Path, *, create: bool, blobs: Originals | None = None) -> Store:
    """The SQLite store at ``path``."""
    from pincite.stores.sqlite import SqliteStore

    return SqliteStore(path, create=create, blobs=blobs)


def searched(loaded: Loaded, store: Store, embedder: Embedder | None = None) -> Store:
    """A store that is searched where the settings say; the store itself without such a setting.

    Raises:
        ConfigError: The setting names nothing that there is, or what it needs is not installed.
    """
    settings, where = loaded.config.store, loaded.where("store", "search")
    if not settings.search:
        return store
    kind, _, address = settings.search.partition(":")
    if kind != "qdrant" or not address:
        raise ConfigError(
            f"cannot search in {settings.search!r}",
            where=where,
            hint='write it as "qdrant:http://host:6333", or leave it empty to search in the database',
        )
    try:
        from pincite.stores.qdrant import QdrantStore
        from pincite.stores.qdrant_collection import KEY_VARIABLE, Collection, QdrantOptions, open_client
    except ImportError as error:
        raise ConfigError(
            "the client of Qdrant is not installed", where=where, hint=install_line("qdrant")
        ) from error
    options = QdrantOptions(
        address=address,
        collection=settings.search_collection,
        shards=settings.search_shards,
        replicas=settings.search_replicas,
        on_disk=settings.search_on_disk,
        exact=settings.search_exact,
        timeout_s=settings.search_timeout_s,
        api_key=os.environ.get(KEY_VARIABLE) or None,
        where=where,
    )
    both = QdrantStore(
        cast("Truth", store),  # every database of ours is one
        Collection(open_client(options), options),
        fallback=settings.search_fallback,
        dimension=lambda: embedder.dimension if embedder is not None else 0,
    )
    return cast("Store", both)  # what the class does not have is the database's, which types cannot say
