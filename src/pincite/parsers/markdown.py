"""Markdown with front matter. The text is kept exactly as written; headings become sections."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import date, time
from typing import Any

from pincite.errors import ParseError
from pincite.parsers.fields import WRITTEN_BY_PARSERS, is_level_name, make_document, repaired
from pincite.parsers.plain import read_text
from pincite.parsers.yamls import MAX_CHARS, read_yaml
from pincite.text.outline import outline, sections
from pincite.text.pages import form_feed_pages
from pincite.types import Document

_FENCE = re.compile(r"\s*(---|\+\+\+)[ \t]*(?:\r\n?|\n)")
_END = {
    "---": re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)", re.MULTILINE),
    "+++": re.compile(r"^\+\+\+[ \t]*(?:\r\n?|\n|\Z)", re.MULTILINE),
}
_PAIR = re.compile(r"[\"']?[A-Za-z_][\w.-]*[\"']?[ \t]*[:=](?:[ \t]|\Z)|[\"']?[A-Za-z_][\w.-]*[\"']?=")
"""How the first line of front matter begins."""
_LEVEL_LINE = re.compile(r"[\s\"']*([A-Za-z_][A-Za-z_ -]{0,20})[\"']?[ \t]*[:=]")
_LEVEL_IN_BRACES = re.compile(r"[{,]\s*[\"']?([A-Za-z_][A-Za-z_ -]{0,20})[\"']?\s*:")
_MAX_LINE = 2_000
_MAX_DOTS = 2_000
"""Of TOML: the time of a dotted name grows with the square of its parts."""
_MAX_DEPTH = 20


def parse(data: bytes, source: str) -> tuple[Document, ...]:
    """Read a Markdown file.

    Front matter, YAML between ``---`` or TOML between ``+++``, may hold the fields of document JSON; it is not part of the
    text. The title comes from there, else from the first heading of level 1, else from the file name.

    >>> (page,) = parse(b"---\\nversion: 2.10\\n---\\n# Fees\\n\\nEntry is free.\\n", "fees.md")
    >>> page.title, page.version, page.text
    ('Fees', '2.10', '# Fees\\n\\nEntry is free.\\n')
    """
    whole, warnings = read_text(data, source)
    fields, text = split_front_matter(whole, source)
    nodes = outline(text)
    title = next((node.title for node in nodes if node.kind == "heading" and node.level == 1), "")
    document = make_document(
        fields,
        repaired(text),
        source=source,
        format="markdown",
        title=title,
        sections=sections(nodes, len(text)),
        pages=form_feed_pages(text),
        warnings=warnings,
    )
    return (document,)


def split_front_matter(text: str, source: str = "") -> tuple[dict[str, object], str]:
    """Fields and the text behind them. Text without front matter comes back whole.

    Every value of YAML is a text; lists of texts are joined.

    Raises:
        ParseError: Naming file and line, if what looks like front matter cannot be read.

    >>> split_front_matter("---\\ntitle: 'A: b'\\ntags:\\n  - x\\n  - y\\n---\\nText")
    ({'title': 'A: b', 'tags': 'x, y'}, 'Text')
    """
    opening = _FENCE.match(text)
    if opening is None:
        return {}, text
    first_line = text.count("\n", 0, opening.end()) + 1
    closing = _END[opening[1]].search(text, opening.end())
    if closing is None:
        if _says_level(text[opening.end() :].lstrip().split("\n", 1)[0]):
            raise ParseError("front matter is not closed", where=source, hint=f"end it with {opening[1]}")
        return {}, text
    inside = text[opening.end() : closing.start()]
    lines = [line for line in inside.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    # A rule above a text is no front matter. What names a level is meant as such, however it begins.
    meant = any(map(_says_level, lines))
    if not meant and (opening.start(1) > 0 or (lines and not _PAIR.match(lines[0].rstrip()))):
        return {}, text
    said = _toml(inside, source) if opening[1] == "+++" else read_yaml(
        inside, source, what="front matter", first_line=first_line
    )  # fmt: skip
    if said is not None and not isinstance(said, dict):
        if meant:
            raise ParseError("front matter does not hold names and values", where=source)
        return {}, text
    fields = {name: _joined(value, source) for name, value in (said or {}).items() if value is not None}
    return {name: value for name, value in fields.items() if name not in WRITTEN_BY_PARSERS}, text[
        closing.end() :
    ]


def _says_level(line: str) -> bool:
    """Whether a line gives the access level, though perhaps in a way that cannot be read."""
    line = line[:_MAX_LINE].lstrip()
    if line.startswith("{"):
        return any(is_level_name(name) for name in _LEVEL_IN_BRACES.findall(line))
    match = _LEVEL_LINE.match(line)
    return match is not None and is_level_name(match[1])


def _toml(text: str, source: str) -> Mapping[str, Any]:
    if len(text) > MAX_CHARS:
        raise ParseError(
            f"front matter has {len(text)} characters, at most {MAX_CHARS} are read", where=source
        )
    if text.count(".") > _MAX_DOTS:
        raise ParseError(f"front matter has more than {_MAX_DOTS} dots", where=source)
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits
        raise ParseError(f"front matter: no TOML: {error}", where=source) from error


def _joined(value: Any, source: str, depth: int = 0) -> object:
    if depth > _MAX_DEPTH:
        raise ParseError(f"front matter is nested more than {_MAX_DEPTH} deep", where=source)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    if isinstance(value, list):
        return [_joined(one, source, depth + 1) for one in value]
    if isinstance(value, dict):
        return {name: _joined(one, source, depth + 1) for name, one in value.items()}
    return value.strip() if isinstance(value, str) else value
