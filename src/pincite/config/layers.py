"""The places that settings come from, each read as it is."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import EnvSettingsSource, SettingsError

from pincite.config.sections import PREFIX, SECTIONS, Config
from pincite.errors import ConfigError

FILE = "pincite.toml"
CONFIG_VARIABLE = "PINCITE_CONFIG"
SECRETS = (("server", "api_keys"),)
"""What is only ever a variable, read where it is used: as a setting it could be shown."""


@dataclass(frozen=True, slots=True)
class Layer:
    """The values of one place: section -> key -> value.

    ``kind`` is ``argument``, ``-c``, ``environment`` or ``file``. ``text`` and ``prefix`` are a file's own: its lines,
    and the tables above ours.
    """

    kind: str
    name: str
    values: Mapping[str, Any]
    text: str = ""
    prefix: tuple[str, ...] = ()
    folder: Path = Path()

    def where(self, section: str, key: str | None = None) -> str:
        """The place of a value as an error names it: ``pincite.toml:14``, ``PINCITE_LLM__MODEL``, ``-c llm.model``."""
        if self.kind == "environment":
            return f"{PREFIX}{section}__{key or ''}".upper()
        if self.kind == "file":
            line = find_line(self.text, (*self.prefix, section), key)
            return f"{self.name}:{line}" if line else self.name
        return f"-c {section}.{key}" if self.kind == "-c" else ""

    def values_of(self, section: str) -> Mapping[str, Any]:
        """The keys of one section, text turned into the type of its setting where it can be."""
        given = self.values.get(section, {})
        if self.kind not in ("environment", "-c"):
            return given  # type: ignore[no-any-return]  # tomllib and callers give what they like
        fields = SECTIONS[section].model_fields
        return {key: _typed(value, fields.get(key)) for key, value in given.items()}


def _typed(value: object, info: FieldInfo | None) -> object:
    """Text from the environment or ``-c`` as its setting's type; as it is when it cannot be."""
    if info is None:
        return value
    try:
        return TypeAdapter[Any](info.annotation or object).validate_python(value)
    except ValidationError:
        return value


def assigned(assignments: Sequence[str]) -> Layer:
    """Values given as ``section.key=value``; the last of one key holds."""
    values: dict[str, dict[str, str]] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        section, dot, key = name.strip().partition(".")
        if not (equals and dot and key):
            raise ConfigError(
                f"cannot read {assignment!r}",
                where="-c",
                hint="write -c section.key=value, such as -c retrieval.top_k=5",
            )
        values.setdefault(section, {})[key] = value.strip()
    return Layer("-c", "-c", values)


def environment() -> Layer:
    """Variables such as ``PINCITE_LLM__MODEL``. One whose section does not exist is taken too, to be refused."""
    try:
        values: dict[str, Any] = dict(EnvSettingsSource(Config)())
    except SettingsError as error:
        # PINCITE_LLM=… sets a whole section and must be JSON.
        raise ConfigError(
            str(error), where="environment", hint=f"set one value: {PREFIX}LLM__MODEL=extractive"
        ) from error
    for section, key in SECRETS:
        if isinstance(values.get(section), dict):
            values[section].pop(key, None)
    for name in sorted(os.environ):
        section, _, key = name.removeprefix(PREFIX).lower().partition("__")
        if name.startswith(PREFIX) and key and section not in values and (section, key) not in SECRETS:
            values[section] = {key: os.environ[name]}
    return Layer("environment", "environment", values)


def files(path: str | Path | None) -> Iterator[Layer]:
    """The settings files that are there, strongest first; ``path`` stands in for ``./pincite.toml`` and must exist."""
    named = path or os.environ.get(CONFIG_VARIABLE)
    if named:
        yield _read(Path(named).expanduser(), str(named))
    elif Path(FILE).is_file():
        yield _read(Path(FILE), FILE)
    project = Path("pyproject.toml")
    if project.is_file() and "tool.pincite" in project.read_text("utf-8", errors="replace"):
        yield _read(project, project.name, ("tool", "pincite"))
    own = user_file()
    if own.is_file():
        yield _read(own, str(own))


def user_file() -> Path:
    """The settings of this user for all projects, where the system keeps such files."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return base / "pincite" / FILE


def _read(path: Path, name: str, prefix: tuple[str, ...] = ()) -> Layer:
    try:
        text = path.read_text("utf-8")
        values: Any = tomllib.loads(text)
    except FileNotFoundError:
        raise ConfigError(
            "there is no such settings file",
            where=name,
            hint="check --config and PINCITE_CONFIG; `pincite init` writes one",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the settings: {error}", where=name) from error
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        place = f"{name}:{line[1]}" if line else name
        raise ConfigError(
            f"not valid TOML: {error}", where=place, hint='text stands in quotes: model = "extractive"'
        ) from error
    for table in prefix:
        values = values.get(table, {})
        if not isinstance(values, Mapping):
            raise ConfigError(f"{table} must be a table", where=name)
    return Layer("file", name, values, text, prefix, path.parent)


def find_line(text: str, tables: Sequence[str], key: str | None = None) -> int | None:
    """The line, from 1, where a TOML file sets ``key`` in the table of that path, or opens the table.

    ``tomllib`` gives no positions. This serves messages only: a value inside a string of several lines may mislead it.

    >>> (
    ...     find_line("[llm]\\nmodel = 1\\n[store]\\n", ["llm"], "model"),
    ...     find_line("llm.model = 1", ["llm"], "model"),
    ... )
    (2, 1)
    """
    wanted = tuple(tables)
    here: tuple[str, ...] = ()
    opened: int | None = None
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        name, assigns, _ = line.partition("=")
        if line.startswith("["):
            here = _path(line.lstrip("[").partition("]")[0])
            opened = number if here == wanted and opened is None else opened
        elif assigns:
            path = (*here, *_path(name))
            # ``llm = { model = … }`` opens the table and sets all of it.
            if path == (*wanted, key) or (path == wanted and opened is None):
                return number
    return opened


def _path(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
