"""Names of levels, as people and files write them, to readers."""

from __future__ import annotations

from pincite.errors import ConfigError
from pincite.types import AccessLevel, Reader

EVERYTHING = Reader(AccessLevel.CONFIDENTIAL)
"""Sees every document that anybody may see: for work on the store as a whole, never for somebody's request."""


def as_reader(reader: Reader | str) -> Reader:
    """A reader from the name of a level, or the reader itself when its level is one.

    Raises:
        ConfigError: If it is not a level: such a reader must not be let through as one of no or of every level.
    """
    if isinstance(reader, Reader):
        return Reader(level_of(reader.level), reader.groups)
    return Reader(level_of(reader))


def level_of(name: str) -> AccessLevel:
    """The level of that name.

    Raises:
        ConfigError: If it is not a level.
    """
    try:
        return AccessLevel(name)
    except ValueError:
        raise ConfigError(
            f"unknown access level {name!r}", hint=f"choose from {', '.join(AccessLevel)}"
        ) from None
