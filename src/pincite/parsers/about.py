"""What people write about files beside them: a sidecar for one file, ``.pincite.yaml`` for all files of a folder.

The strongest first: the sidecar; the file itself (front matter, JSON fields, properties); the rules of its own folder; those
of the folders above, nearest first. After that comes what whoever adds the file says, then the settings. Each field is decided
alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any

from pincite.errors import ParseError, did_you_mean
from pincite.parsers.fields import ENDED, NAMES, SYNONYMS, WRITTEN_BY_PARSERS, read_values
from pincite.parsers.plain import decode
from pincite.parsers.yamls import MAX_CHARS, read_yaml
from pincite.types import Document

RULES_FILE = ".pincite.yaml"
_SUFFIXES = (".yaml", ".yml")

_OF_ONE_FILE = ("doc_id", "title", "url")
"""Fields that no rule for many files can give."""
_KEYS = (*NAMES, *SYNONYMS, *ENDED, "metadata")
_MAX_GLOB_CHARS = 200
_MAX_WILDCARDS = 10
"""The time of a match grows with each."""


@dataclass(frozen=True, slots=True)
class Said:
    """Fields by their name in ``Document``, checked, and further metadata."""

    values: Mapping[str, str] = field(default_factory=dict)
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Rule:
    """``globs`` are matched against the path below the folder; empty: all files."""

    globs: tuple[str, ...]
    said: Said


class Abouts:
    """Reads what stands beside files, each file once. ``ParseError`` where it cannot be right: then nobody knows who may
    read the document, and it is not added."""

    def __init__(self) -> None:
        self._rules: dict[Path, tuple[_Rule, ...] | ParseError] = {}

    def apply(self, documents: Sequence[Document], path: Path) -> tuple[Document, ...]:
        """The documents of the file at ``path``, with what is said of it.

        Raises:
            ParseError: Naming the sidecar or the rules, and the line or name in them.
        """
        path = path.absolute()
        beside = self._sidecar(path)
        above = self._above(path)
        if len(documents) > 1 and "doc_id" in beside.values:
            raise ParseError(
                f"doc_id cannot be that of {len(documents)} documents", where=f"the sidecar of {path.name}"
            )
        return tuple(_with(document, beside, above) for document in documents)

    def _sidecar(self, path: Path) -> Said:
        found = [
            one for one in map(path.with_name, sidecar_names(path.name)) if one.is_symlink() or one.exists()
        ]
        if not found:
            return Said()
        if len(found) > 1:
            raise ParseError(f"two sidecars: also {found[1].name}", where=found[0].name, hint="remove one")
        return _said(_loaded(found[0]), found[0].name, _KEYS)

    def _above(self, path: Path) -> Said:
        """What the rules of all folders above say, the nearest winning."""
        values: dict[str, str] = {}
        metadata: dict[str, str] = {}
        for folder in path.parents:
            if folder not in self._rules:
                self._rules[folder] = _rules(folder)
            rules = self._rules[folder]
            if isinstance(rules, ParseError):
                raise ParseError(rules.message, where=rules.where, hint=rules.hint)
            below = path.relative_to(folder).as_posix()
            for rule in reversed(rules):
                if not rule.globs or any(matches(below, glob) for glob in rule.globs):
                    values = {**rule.said.values, **values}
                    metadata = {**rule.said.metadata, **metadata}
        return Said(values, metadata)


def sidecar_names(name: str) -> tuple[str, ...]:
    """Names of the files that may be about a file of that name.

    >>> sidecar_names("report.pdf")
    ('report.pdf.yaml', 'report.pdf.yml', 'report.meta.yaml', 'report.meta.yml')
    """
    stem = PurePath(name).stem
    return tuple(dict.fromkeys(f"{base}{suffix}" for base in (name, f"{stem}.meta") for suffix in _SUFFIXES))


def is_sidecar(name: str, beside: frozenset[str], stems: frozenset[str]) -> bool:
    """Whether a file of that name is about one of the files beside it, of which the names and stems are given.

    >>> is_sidecar("report.pdf.yaml", frozenset({"report.pdf"}), frozenset({"report"}))
    True
    """
    if not name.endswith(_SUFFIXES):
        return False
    about = PurePath(name).stem
    return about in beside or (about.endswith(".meta") and about.removesuffix(".meta") in stems)


@lru_cache(maxsize=1000)
def _pattern(glob: str) -> re.Pattern[str]:
    # As in .gitignore: without a slash a pattern is about names, wherever they are.
    glob = glob.removeprefix("/") if "/" in glob else f"**/{glob}"
    parts: list[str] = []
    for piece in re.split(r"(\*\*/|\*\*|\*|\?)", glob):
        parts.append({"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(piece, re.escape(piece)))
    return re.compile("".join(parts), re.DOTALL)


def matches(path: str, glob: str) -> bool:
    """Whether a path with ``/`` fits a pattern. ``*`` stays within one name, ``**`` does not.

    >>> [matches("hr/2031/plan.pdf", glob) for glob in ("*.pdf", "hr/**", "hr/*.pdf", "**/plan.*")]
    [True, True, False, True]
    """
    return _pattern(glob).fullmatch(path) is not None


# --- reading ------------------------------------------------------------------------------------


def _loaded(path: Path) -> Any:
    name = path.name
    if path.is_symlink() or not path.is_file():
        raise ParseError("a link or no file, which is not followed", where=str(path))
    try:
        with path.open("rb") as stream:
            data = stream.read(4 * MAX_CHARS + 1)
    except OSError as error:
        raise ParseError(f"cannot be read: {error.strerror or error}", where=str(path)) from error
    return read_yaml(decode(data, name), name)


def _rules(folder: Path) -> tuple[_Rule, ...] | ParseError:
    names = [folder / RULES_FILE, (folder / RULES_FILE).with_suffix(".yml")]
    try:
        there = [path for path in names if path.is_symlink() or path.exists()]
        if not there:
            return ()
        if len(there) > 1:
            raise ParseError(f"also {there[1].name}", where=str(there[0]), hint="remove one")
        path = there[0]
        said = _loaded(path)
        if said is None:
            return ()
        if not isinstance(said, dict):
            raise ParseError("must hold names and values", where=str(path))
        own = [name for name in _KEYS if name not in _OF_ONE_FILE]
        listed = said.pop("rules", None) or []
        found = [_Rule((), _said(said, str(path), [*own, "rules"]))]
        if not isinstance(listed, list):
            raise ParseError("rules must be a list", where=str(path))
        for i, item in enumerate(listed):
            where = f"{path}: rules[{i}]"
            if not isinstance(item, dict):
                raise ParseError("must hold names and values", where=where)
            globs = item.pop("files", None)
            found.append(_Rule(_globs(globs, where), _said(item, where, [*own, "files"])))
    except ParseError as error:
        return error
    return tuple(found)


def _globs(value: Any, where: str) -> tuple[str, ...]:
    globs = value if isinstance(value, list) else [value]
    for glob in globs:
        if not isinstance(glob, str) or not glob:
            raise ParseError("files must be a pattern such as contracts/** or a list of them", where=where)
        if len(glob) > _MAX_GLOB_CHARS or glob.count("*") + glob.count("?") > _MAX_WILDCARDS:
            raise ParseError(f"the pattern {glob[:40]!r} is too long", where=where)
    if not globs:
        raise ParseError("files is empty", where=where)
    return tuple(globs)


def _said(value: Any, source: str, known: Sequence[str]) -> Said:
    """Fields and metadata. Unlike front matter, which other programs read too, it may hold nothing else."""
    if value is None:
        return Said()
    if not isinstance(value, dict):
        raise ParseError("must hold names and values", where=source)
    for name in value:
        if name not in known:
            raise ParseError(
                f"unknown name {name!r}",
                where=source,
                hint=did_you_mean(name, known, f"choose from {', '.join(known)}"),
            )
    more = value.pop("metadata", None) or {}
    if not isinstance(more, dict) or not all(isinstance(one, str) for one in more.values()):
        raise ParseError("metadata must hold names and texts", where=source)
    if taken := next((name for name in more if name in WRITTEN_BY_PARSERS), None):
        raise ParseError(f"metadata cannot hold {taken!r}, which is said of the file itself", where=source)
    values, rest, problems = read_values(value, source)
    if problems:
        raise ParseError(problems[0], where=source)
    return Said(values, {**{name: str(one) for name, one in rest.items()}, **more})


# --- applying -----------------------------------------------------------------------------------


def _with(document: Document, beside: Said, above: Said) -> Document:
    changes: dict[str, Any] = {
        name: value for name, value in above.values.items() if _is_open(document, name)
    }
    changes |= beside.values
    metadata = {**above.metadata, **dict(document.metadata), **beside.metadata}
    if not changes and metadata == dict(document.metadata):
        return document
    return replace(
        document,
        **changes,
        metadata=tuple(sorted(metadata.items())),
        defaulted=tuple(name for name in document.defaulted if name not in changes),
    )


def _is_open(document: Document, name: str) -> bool:
    """Whether the document itself does not say it."""
    if name == "status":
        return document.status == "current"
    return name in document.defaulted or not getattr(document, name)
