"""Who asks: keys with the level of their reader. Secrets are kept as hashes and compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pincite.access import level_of
from pincite.errors import ConfigError
from pincite.types import AccessLevel, Reader

SECRET_BYTES = 32
MIN_SECRET_CHARS = 16
"""A shorter key can be guessed."""


@dataclass(frozen=True, slots=True)
class Key:
    """``digest`` is the SHA-256 (hex) of the secret. ``writes`` says whether it may change documents, ``metrics`` whether it may read
    /metrics, which a key that writes always may."""

    name: str
    level: AccessLevel
    digest: str
    writes: bool = False
    metrics: bool = False


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a request comes from."""

    name: str
    reader: Reader
    writes: bool
    metrics: bool = False


LOCAL = Principal("local", Reader(AccessLevel.CONFIDENTIAL), writes=True)
"""Whoever sits at the machine, when no keys are set and nobody else can reach the server."""


class Keys:
    """The keys that are known: those of the settings, and those of a file that is read again when it changes.

    Args:
        given: Keys from the environment: ``LEVEL:SECRET``, ``LEVEL+write:SECRET`` or ``LEVEL+metrics:SECRET``.
        file: A TOML file of ``[[key]]`` tables with ``name``, ``level``, ``sha256`` and, perhaps, ``writes`` or ``metrics``.

    Raises:
        ConfigError: If a key cannot be right.
    """

    def __init__(self, given: Sequence[str] = (), file: Path | None = None) -> None:
        self._given = tuple(_of_setting(one, place) for place, one in enumerate(given, start=1))
        self._file = file
        self._read: tuple[tuple[int, int], tuple[Key, ...]] | None = None
        self._of_file()

    @property
    def any(self) -> bool:
        return bool(self._given or self._file)

    def principal(self, secret: str) -> Principal | None:
        """Who holds this secret. Every key is compared, so that the time tells nothing."""
        digest = _digest(secret)
        found = None
        for key in (*self._given, *self._of_file()):
            if hmac.compare_digest(key.digest, digest):
                found = key
        if found is None:
            return None
        return Principal(found.name, Reader(found.level), found.writes, found.metrics)

    def _of_file(self) -> tuple[Key, ...]:
        if self._file is None:
            return ()
        try:
            status = self._file.stat()
        except OSError as error:
            raise ConfigError(
                f"the file of keys cannot be read: {error.strerror}", where=str(self._file)
            ) from error
        version = (status.st_mtime_ns, status.st_size)
        if self._read is None or self._read[0] != version:
            self._read = (version, read_keys(self._file))
        return self._read[1]


def read_keys(file: Path) -> tuple[Key, ...]:
    """The keys of a file.

    Raises:
        ConfigError: If it is not TOML, or a key of it cannot be right.
    """
    try:
        tables = tomllib.loads(file.read_text("utf-8")).get("key", [])
    except (OSError, ValueError) as error:
        raise ConfigError(f"the file of keys cannot be read: {error}", where=str(file)) from error
    keys = []
    for place, table in enumerate(tables, start=1):
        where = f"{file}: key {place}"
        unknown = set(table) - {"name", "level", "sha256", "writes", "metrics"}
        if unknown or not {"level", "sha256"} <= set(table):
            raise ConfigError(
                "a key has level and sha256, and may have name, writes and metrics", where=where
            )
        digest = str(table["sha256"]).lower()
        if len(digest) != 64 or any(char not in "0123456789abcdef" for char in digest):
            raise ConfigError("sha256 must have 64 hexadecimal digits", where=where, hint=_MAKE)
        name = str(table.get("name") or digest[:8])
        rights = [table.get(right) is True for right in ("writes", "metrics")]
        keys.append(Key(name, level_of(str(table["level"])), digest, *rights))
    return tuple(keys)


def new_key(name: str, level: str, *, writes: bool = False) -> tuple[str, str]:
    """A secret, and the lines for the file of keys: the secret itself is nowhere in them."""
    secret = secrets.token_urlsafe(SECRET_BYTES)
    lines = [
        "[[key]]",
        f'name = "{name}"',
        f'level = "{level_of(level)}"',
        f'sha256 = "{_digest(secret)}"',
    ]
    return secret, "\n".join([*lines, "writes = true"] if writes else lines) + "\n"


_MAKE = "`pincite serve --new-key LEVEL` makes one"


def _of_setting(text: str, place: int) -> Key:
    what, colon, secret = text.strip().partition(":")
    level, plus, right = what.partition("+")
    if not colon or (plus and right not in ("write", "metrics")):
        raise ConfigError(
            f"key {place} of PINCITE_SERVER__API_KEYS must read LEVEL:SECRET, LEVEL+write:SECRET or "
            "LEVEL+metrics:SECRET",
            hint=_MAKE,
        )
    if len(secret) < MIN_SECRET_CHARS:
        raise ConfigError(
            f"key {place} of PINCITE_SERVER__API_KEYS has fewer than {MIN_SECRET_CHARS} characters",
            hint=_MAKE,
        )
    digest = _digest(secret)
    return Key(digest[:8], level_of(level), digest, right == "write", right == "metrics")


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
