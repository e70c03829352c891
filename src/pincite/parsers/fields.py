"""The fields of a document as files give them: names, checks, and which were left to a default.

JSON keys and Markdown front matter have the same names. A field that is there must be right; a field that
is not there is recorded in ``Document.defaulted``. Nothing is made up: a missing date stays ``None``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date, datetime
from pathlib import PurePath

from pincite.errors import ParseError
from pincite.text.slug import slug
from pincite.types import AccessLevel, Document, Page, Section

NAMES = {
    "doc_id": "doc_id",
    "title": "title",
    "url": "url",
    "owner": "owner",
    "published_date": "published_date",
    "version": "version",
    "access_level": "access_level",
    "source_type": "kind",
    "kind": "kind",
    "language": "language",
    "status": "status",
    "licence": "licence",
    "license": "licence",
}
"""Names in files, and the ``Document`` field of each. Source 001 calls the kind ``source_type``."""

SYNONYMS = {
    "access": "access_level",
    "date": "published_date",
    "author": "owner",
    "authors": "owner",
    "lang": "language",
}
"""What people write as well; counts where the name itself is not given."""

WRITTEN_BY_PARSERS = (
    "cells", "warnings", "links", "running_lines", "ocr_words", "pages_without_text", "pages_not_read",
)  # fmt: skip
"""Metadata that say where a text came from. Taken over from a file that says them of itself, they would be believed."""

_LEVEL_NAMES = frozenset({"access", "accesslevel"})

ENDED = {"superseded": "superseded", "superseded_by": "superseded", "retracted": "retracted"}
"""What says of a document that it no longer holds, by being there and not false."""
_FALSE = ("false", "no", "off", "0")

EXPECTED = ("doc_id", "title", "url", "kind", "owner", "published_date", "version", "access_level")
"""Fields whose absence is recorded, in this order."""

MAX_TEXT_CHARS = 50_000_000
"""Of one document. The Bible has four million."""
MAX_LINES = 1_200_000
"""Of one document: each costs what the structure of a text costs, half a kilobyte while it is read. Excel's sheets have
1,048,576 rows."""

STATUSES = ("current", "superseded", "retracted")
_MAX_FIELD_CHARS = 2_000
_MAX_LABEL_CHARS = 40
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")
_DOC_ID_SUFFIXES = (".md", ".markdown")
"""Suffixes that are left out of a ``doc_id`` made of a file name."""


def make_document(
    given: Mapping[str, object],
    text: str,
    *,
    source: str,
    format: str,  # noqa: A002 - the name of the field
    title: str = "",
    sections: tuple[Section, ...] = (),
    pages: tuple[Page, ...] = (),
    warnings: tuple[str, ...] = (),
) -> Document:
    """A document of checked fields.

    Args:
        given: Fields by their name in the file. ``None`` and blank strings count as not given; names that are
            not in ``NAMES`` become ``metadata``.
        text: The canonical text.
        source: Name of the file, for messages; gives the ``doc_id`` when the file does not.
        title: Used when the file gives none; after that its name is.
        warnings: What was left out or guessed, for whoever adds the file; kept as ``metadata["warnings"]``.

    Raises:
        ParseError: If a field is of the wrong type or has a value that cannot be, or if the text is empty.
    """
    if not text.strip():
        raise ParseError("text is empty", where=source, hint="add text or remove the file")
    check_size(text, source)
    values, rest, said = read_values(given, source)
    warnings = (*warnings, *said)
    defaulted = tuple(field for field in EXPECTED if field not in values)
    return Document(
        doc_id=values.get("doc_id", doc_id_of(source)),
        text=text,
        title=values.get("title") or title or PurePath(source).stem,
        url=values.get("url", ""),
        kind=values.get("kind", ""),
        format=format,
        access_level=values.get("access_level"),
        owner=values.get("owner"),
        published_date=values.get("published_date"),
        version=values.get("version"),
        language=values.get("language"),
        status=values.get("status", "current"),
        licence=values.get("licence"),
        sections=sections,
        pages=pages,
        metadata=_metadata({**rest, "warnings": "; ".join(warnings)} if warnings else rest, source),
        defaulted=defaulted,
    )


def read_values(
    given: Mapping[str, object], source: str
) -> tuple[dict[str, str], dict[str, object], tuple[str, ...]]:
    """Checked fields by their name in ``Document``, all that is none of them, and what to tell."""
    level = _level(given, source)
    values = {"access_level": level} if level else {}
    rest = {
        name: value
        for name, value in given.items()
        if name not in NAMES and value is not None and not is_level_name(name)
    }
    said: list[str] = []
    for name, field in NAMES.items():
        if value := _checked(name, field, given.get(name), source):
            values.setdefault(field, value)
    for name, field in SYNONYMS.items():
        if name not in rest or field in values:
            continue
        if isinstance(written := rest[name], list) and all(isinstance(one, str) for one in written):
            written = ", ".join(written)
        if field == "published_date":
            # Many programs write a date their own way under this short name.
            written = written[:10] if isinstance(written, str) and _DAY.match(written) else written
            try:
                values[field] = _published_date(str(written), source)
            except ParseError:
                said.append(f"{name} {_shown(rest[name])} is no date; write it as 2026-03-31")
                continue
        elif value := _checked(name, field, written, source):
            values[field] = value
        del rest[name]
    for name, status in ENDED.items():
        if name in rest and str(rest[name]).strip().casefold() not in _FALSE and "status" not in values:
            values["status"] = status
    for name in ("superseded", "retracted"):
        if str(rest.get(name)).strip().casefold() in (*_FALSE, "true", "yes", "on", "1"):
            rest.pop(name, None)
    return values, rest, tuple(said)


def is_level_name(name: str) -> bool:
    """Whether people mean the access level by a name, however they write it. One that is overlooked opens a document.

    >>> [is_level_name(name) for name in ("access", "Access-Level", "accessLevel", "accessories")]
    [True, True, True, False]
    """
    return len(name) < 20 and re.sub("[-_ ]", "", name).casefold() in _LEVEL_NAMES


def _level(given: Mapping[str, object], source: str) -> str:
    """The access level; empty where none is given. Raises ``ParseError`` where two are."""
    nested = given.get("metadata")
    found: dict[str, str] = {}
    for name, value in (*given.items(), *(nested.items() if isinstance(nested, Mapping) else ())):
        if isinstance(name, str) and is_level_name(name):
            if isinstance(value, list) and all(isinstance(one, str) for one in value):
                value = ", ".join(value)
            if level := _checked(name, "access_level", value, source):
                found.setdefault(level, name)
    if len(found) > 1:
        both = " and ".join(f"{name}: {level}" for level, name in found.items())
        raise ParseError(f"two access levels: {both}", where=source, hint="keep one")
    return next(iter(found), "")


def _checked(name: str, field: str, value: object, source: str) -> str:
    """The value of a field as a text; empty when there is none. Raises ``ParseError`` when it cannot be."""
    text = _string(name, value, source)
    if not text:
        return ""
    if field == "access_level":
        return access_level(text, source)
    if field == "published_date":
        return _published_date(text, source)
    return _status(text, source) if field == "status" else text


def check_size(text: str, source: str) -> None:
    """Refuse a text whose structure would take too much memory. Ask before it is read.

    Raises:
        ParseError: If it has more than ``MAX_TEXT_CHARS`` characters or ``MAX_LINES`` lines.
    """
    if len(text) > MAX_TEXT_CHARS:
        said = f"has {len(text):,} characters; texts of more than {MAX_TEXT_CHARS:,} are not read"
    elif (lines := text.count("\n") + text.count("\r")) > MAX_LINES:
        said = f"has {lines:,} lines; texts of more than {MAX_LINES:,} are not read"
    else:
        return
    raise ParseError(said, where=source, hint="split it")


def doc_id_of(source: str) -> str:
    """The ``doc_id`` of a file that gives none: its path in the folder, as a slug.

    >>> doc_id_of("refunds.md"), doc_id_of("eu/refunds.md"), doc_id_of("refunds.pdf")
    ('refunds', 'eu--refunds', 'refunds-pdf')
    """
    path = source.replace("\\", "/")
    for suffix in _DOC_ID_SUFFIXES:
        path = path.removesuffix(suffix)
    stem, dot, suffix = path.rpartition(".")
    if dot and re.fullmatch("[a-z0-9]{1,8}", suffix) and stem:
        path = f"{stem}-{suffix}"
    plain = path.replace("/", "--")
    # Two paths with one slug would be one document: what is not a plain name carries a hash of the whole path.
    return plain if slug(plain) == plain else slug(path)


def page_label(said: str, index: int) -> str:
    """The label that a file gives a page, on one line; its number where there is none that could be printed on a page.

    >>> page_label("iv", 3), page_label(" A\\n-1", 3), page_label("x" * 1000, 3)
    ('iv', 'A -1', '4')
    """
    shown = "".join(char if char.isprintable() else " " for char in repaired(said[: 2 * _MAX_LABEL_CHARS]))
    label = " ".join(shown.split())
    return label if 0 < len(label) <= _MAX_LABEL_CHARS else str(index + 1)


def repaired(text: str) -> str:
    """``text`` with lone surrogates, which cannot be stored or sent, as U+FFFD; offsets stay.

    >>> repaired("a\\ud800") == "a\\ufffd"
    True
    """
    return _SURROGATE.sub("\ufffd", text)


def _string(name: str, value: object, source: str) -> str:
    if value is None:
        return ""
    if name == "version" and isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        hint = 'write it in quotes: "2.10"' if isinstance(value, float) else ""
        raise ParseError(f"{name} must be a string, got {_shown(value)}", where=source, hint=hint)
    value = repaired(value).strip()
    if len(value) > _MAX_FIELD_CHARS:
        raise ParseError(
            f"{name} has {len(value)} characters, at most {_MAX_FIELD_CHARS} are allowed", where=source
        )
    if name in ("doc_id", "access_level", "published_date") and _CONTROL.search(value):
        raise ParseError(f"{name} holds a control character", where=source)
    return " ".join(value.split()) if name == "title" else value


def access_level(value: str, source: str) -> str:
    """``value``, if it is a level. Raises ``ParseError`` otherwise."""
    levels = [level.value for level in AccessLevel]
    if value not in levels:
        # A level that we cannot place would have to be read by everybody or by nobody; neither is a guess to make.
        raise ParseError(
            f"unknown access_level {_shown(value)}", where=source, hint=f"choose from {', '.join(levels)}"
        )
    return value


def _published_date(value: str, source: str) -> str:
    for read in (date.fromisoformat, lambda text: datetime.fromisoformat(text).date()):
        try:
            return read(value).isoformat()
        except ValueError:
            continue
    raise ParseError(
        f"published_date {_shown(value)} is no date", where=source, hint="write it as 2026-03-31"
    )


def _status(value: str, source: str) -> str:
    if value not in STATUSES:
        raise ParseError(
            f"unknown status {_shown(value)}", where=source, hint=f"choose from {', '.join(STATUSES)}"
        )
    return value


def _metadata(given: Mapping[str, object], source: str) -> tuple[tuple[str, str], ...]:
    pairs: list[tuple[str, str]] = []
    for name, value in given.items():
        try:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
        except RecursionError as error:
            raise ParseError(f"{name[:60]} is nested too deep", where=source) from error
        pairs.append((repaired(name), repaired(text)))
    return tuple(sorted(pairs))


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:59]}…"
