"""Settings: which value holds, where it came from, and what is wrong with one.

From strong to weak: arguments and ``-c``, the environment, ``pincite.toml`` (or what ``--config`` or ``PINCITE_CONFIG``
name instead), ``[tool.pincite]`` in ``pyproject.toml``, the user's own ``pincite.toml``, the defaults.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from annotated_types import Le
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from pincite.config.addresses import has_secret, is_plain, shown_address
from pincite.config.layers import Layer, assigned, environment, files
from pincite.config.sections import SECTIONS, Config, allowed, shown
from pincite.errors import ConfigError, did_you_mean

SECRET_VARIABLES = ("PINCITE_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "PINCITE_QDRANT_API_KEY")
"""Secrets are read from here by what needs them; ``config show`` says no more than that they are set."""

_ADDRESSES = (("store", "url"), ("telemetry", "endpoint"))

_SECRET_KEY = re.compile(r"(?:api_?key|token|secret|password)s?\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings that hold, and where each was set: ``origins`` maps ``(section, key)`` to a place, with
    ``default`` for those that nobody set. ``files`` were read; ``secrets`` are names of variables that are set; ``blobs`` is
    the folder for originals, where one is set."""

    config: Config
    origins: Mapping[tuple[str, str], str]
    database: Path
    files: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    blobs: Path | None = None

    @property
    def place(self) -> str:
        """The database that is set, as a message may name it."""
        url = self.config.store.url
        return shown_address(url) if url else str(self.database)

    def where(self, section: str, key: str) -> str:
        """The place of a setting for an error; empty for a default."""
        origin = self.origins[section, key]
        return "" if origin in ("default", "argument") else origin


SHAPING = ("llm", "embedder", "parse", "chunk", "retrieval", "verify", "answer")
"""Sections that shape answers. Where a server listens, or the database is, changes none."""


def config_hash(config: Config) -> str:
    """What tells settings that shape answers from others: 16 characters of SHA-256 (hex).

    >>> from pincite.config.sections import ServerSection
    >>> config_hash(Config()) == config_hash(Config(server=ServerSection(port=1)))
    True
    """
    values = {name: getattr(config, name).model_dump(mode="json") for name in SHAPING}
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def load(
    path: str | Path | None = None,
    *,
    assignments: Sequence[str] = (),
    arguments: Mapping[str, Mapping[str, object]] | None = None,
) -> Loaded:
    """Read all places, check every value, and say which holds.

    Args:
        path: A settings file to read in place of ``./pincite.toml``; it must exist.
        assignments: ``section.key=value``, as ``-c`` takes them; the last of one key holds.
        arguments: Values given in Python: section -> key -> value.

    Raises:
        ConfigError: If a file cannot be read, or a setting is unknown or cannot be right.
    """
    layers = [
        Layer("argument", "argument", arguments or {}),
        assigned(assignments),
        environment(),
        *files(path),
    ]
    for layer in layers:
        _check_names(layer)
    holding = {
        (section, key): layer
        for layer in reversed(layers)
        for section in layer.values
        for key in layer.values[section]
    }
    merged: dict[str, dict[str, object]] = {}
    for (section, key), layer in holding.items():
        merged.setdefault(section, {})[key] = layer.values_of(section)[key]
    config = _checked(merged, holding)
    place, blobs = holding.get(("store", "path")), holding.get(("store", "blobs"))
    return Loaded(
        config=config,
        origins={
            (section, key): _origin(holding.get((section, key)), section, key)
            for section, model in SECTIONS.items()
            for key in model.model_fields
        },
        database=(place.folder if place else Path()) / Path(config.store.path).expanduser(),
        blobs=None
        if not config.store.blobs or config.store.blobs.startswith("s3://")
        else (blobs.folder if blobs else Path()) / Path(config.store.blobs).expanduser(),
        files=tuple(layer.name for layer in layers if layer.kind == "file"),
        secrets=tuple(name for name in SECRET_VARIABLES if os.environ.get(name)),
    )


def _origin(layer: Layer | None, section: str, key: str) -> str:
    return (layer.where(section, key) or layer.name) if layer else "default"


def _check_names(layer: Layer) -> None:
    for section, given in layer.values.items():
        if section not in SECTIONS:
            sections = [f"[{name}]" for name in SECTIONS]
            hint = did_you_mean(f"[{section}]", sections, f"there are {', '.join(SECTIONS)}")
            # A file has a line with the section's name, the other places name it only with a key.
            first = next(iter(given), None) if layer.kind != "file" and isinstance(given, Mapping) else None
            raise ConfigError(f"unknown section [{section}]", where=layer.where(section, first), hint=hint)
        if not isinstance(given, Mapping):
            raise ConfigError(
                f"[{section}] must be a table, got {shown(given)}",
                where=layer.where(section),
                hint=f"write [{section}] on a line of its own, and its settings below",
            )
        for key in given:
            if key not in SECTIONS[section].model_fields:
                raise ConfigError(
                    f"unknown setting [{section}] {key}",
                    where=layer.where(section, key),
                    hint=_hint_for_unknown(section, key),
                )


def _hint_for_unknown(section: str, key: str) -> str:
    if _SECRET_KEY.search(key):
        return (
            f"keys and passwords do not belong in settings; they are read from {', '.join(SECRET_VARIABLES)}"
        )
    own = SECTIONS[section].model_fields
    elsewhere = [name for name, model in SECTIONS.items() if key in model.model_fields]
    otherwise = f"did you mean [{elsewhere[0]}] {key}?" if elsewhere else f"[{section}] has {', '.join(own)}"
    return did_you_mean(key, own, otherwise)


def _checked(merged: Mapping[str, Mapping[str, object]], holding: Mapping[tuple[str, str], Layer]) -> Config:
    try:
        config = Config(**merged)  # type: ignore[arg-type]  # that is what is being checked
    except ValidationError as error:
        section, key = (str(part) for part in error.errors()[0]["loc"][:2])
        value = merged[section][key]
        info = SECTIONS[section].model_fields[key]
        raise ConfigError(
            f"[{section}] {key} must be {_wanted(info, value)}, got {_shown_safely(section, key, value)}",
            where=holding[section, key].where(section, key),
            hint=_hint_for_value(info, value),
        ) from None
    source = holding.get(("store", "url"))
    if has_secret(config.store.url) and source is not None and source.kind in ("file", "-c"):
        readers = (
            "others can read there" if source.kind == "file" else "others can see in the list of processes"
        )
        raise ConfigError(
            f"[store] url has a password in it, which {readers}",
            where=source.where("store", "url"),
            hint="leave it out, and set PINCITE_STORE__URL or PGPASSWORD, or write it into ~/.pgpass",
        )
    collector = config.telemetry.endpoint
    if collector and not is_plain(collector):
        raise ConfigError(
            "[telemetry] endpoint must be a host with at most a port and a path",
            where=holding["telemetry", "endpoint"].where("telemetry", "endpoint"),
            hint="such as http://127.0.0.1:4318; names, passwords and keys go into OTEL_EXPORTER_OTLP_HEADERS, beside the "
            "address in OTEL_EXPORTER_OTLP_ENDPOINT",
        )
    if config.chunk.overlap >= config.chunk.size:
        layer = holding.get(("chunk", "overlap"))
        key = "overlap" if layer else "size"
        raise ConfigError(
            f"[chunk] overlap must be less than size ({config.chunk.size}), got {config.chunk.overlap}",
            where=holding["chunk", key].where("chunk", key),
            hint="the default is size = 300, overlap = 50",
        )
    return config


def _shown_safely(section: str, key: str, value: object) -> str:
    """What cannot be read as an address may hold a password all the same."""
    return "what is there" if (section, key) in _ADDRESSES else shown(value)


def _wanted(info: FieldInfo, value: object) -> str:
    """What a setting must be. The bounds alone when ``value`` has the right type."""
    whole = allowed(info)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    _, noun, bounds = whole.partition("number ")
    return bounds.removeprefix("of ") if is_number and noun else whole


def _hint_for_value(info: FieldInfo, value: object) -> str:
    choices = [str(choice) for choice in get_args(info.annotation)]
    if slip := did_you_mean(str(value), choices):
        return slip
    is_share = any(isinstance(item, Le) and item.le == 1 for item in info.metadata)
    if is_share and isinstance(value, int | float) and 1 < value <= 100:
        return f"write {value / 100:g}: shares are between 0 and 1"
    return f"the default is {shown(info.default)}"
