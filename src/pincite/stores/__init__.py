"""Where documents, chunks, terms, vectors and answers are kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pincite.ports.stores import Store
from pincite.stores.memory import MemoryStore
from pincite.stores.sqlite import SqliteStore

STORES: dict[str, Callable[[Path], Store]] = {
    "memory": lambda _path: MemoryStore(),
    "sqlite": SqliteStore,
}
"""Name to a function that opens a store. ``memory`` ignores the path and forgets everything when it ends."""
