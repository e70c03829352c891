"""What an Office file says of itself: title, author, date, version, language. What cannot be is not taken over."""

from __future__ import annotations

import re
from datetime import datetime

from pincite.parsers.package import Package

_NAMES = {"title": "title", "creator": "owner", "version": "version", "language": "language"}
"""Of the core properties, and ours. Source: ECMA-376 part 2, 11."""
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")
_MAX_CHARS = 300
_TEMPLATE = "python-docx"
"""Files that this library makes bear its name and the date of its template, 2013, until somebody sets others."""
_PROGRAMS = ("openpyxl", "Apache POI", "docx", "Microsoft Office User")
"""What programs write where nobody gave a name."""


def core_properties(package: Package) -> dict[str, object]:
    """Fields for ``make_document``. ``published_date`` is the day of the last change, else that of the making."""
    root = package.xml(package.related().get("core-properties", "docProps/core.xml"))
    said: dict[str, str] = {}
    for one in root if root is not None else ():
        text = " ".join((one.text or "").split())
        if text and len(text) <= _MAX_CHARS and text.isprintable():
            said.setdefault(one.tag.rpartition("}")[2], text)
    if said.get("creator") in _PROGRAMS:
        del said["creator"]
    if said.get("creator") == _TEMPLATE:
        return {"title": said.get("title")}
    found: dict[str, object] = {ours: said[theirs] for theirs, ours in _NAMES.items() if theirs in said}
    if not _LANGUAGE.fullmatch(said.get("language", "")):
        found.pop("language", None)
    for name in ("modified", "created"):
        try:
            found["published_date"] = datetime.fromisoformat(said[name].removesuffix("Z")).date().isoformat()
            break
        except (KeyError, ValueError):
            continue
    return found
