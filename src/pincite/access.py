"""Names of levels, as people and files write them, to readers."""

from __future__ import annotations

from pincite.errors import ConfigError
from pincite.types import AccessLevel, Reader


def as_reader(reader: Reader | str) -> Reader:
    """A reader from the name of a level.

    Raises:
        ConfigError: If it is not a level.
    """
    return reader if isinstance(reader, Reader) else Reader(level_of(reader))


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
