"""Markdown with front matter. The text is kept exactly as written; headings become sections."""

from __future__ import annotations

import re

from pincite.parsers.fields import make_document, repaired
from pincite.parsers.plain import decode
from pincite.text.outline import outline, sections
from pincite.text.pages import form_feed_pages
from pincite.types import Document

_FENCE = re.compile(r"---[ \t]*(?:\r\n?|\n)")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)", re.MULTILINE)
_PAIR = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*)|[ \t]*)\Z")
_NOTHING = ("", "null", "~")


def parse(data: bytes, source: str) -> tuple[Document, ...]:
    """Read a Markdown file.

    Front matter may hold the fields of document JSON, one ``name: value`` a line. It is not part of the text.
    The title comes from there, else from the first heading of level 1, else from the file name.

    >>> (page,) = parse(b"---\\nversion: 2.10\\n---\\n# Fees\\n\\nEntry is free.\\n", "fees.md")
    >>> page.title, page.version, page.text
    ('Fees', '2.10', '# Fees\\n\\nEntry is free.\\n')
    """
    fields, text = split_front_matter(decode(data, source))
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
    )
    return (document,)


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """Fields and the text behind them. Text without front matter comes back whole.

    Simple front matter is read: ``name: value``, quoted or not, lists and folded values (joined), comments.
    The values of indented names are kept as one text.

    >>> split_front_matter("---\\ntitle: 'A: b'\\ntags:\\n  - x\\n  - y\\n---\\nText")
    ({'title': 'A: b', 'tags': 'x, y'}, 'Text')
    """
    opening = _FENCE.match(text)
    closing = _END.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return {}, text
    lines = [line for line in text[opening.end() : closing.start()].splitlines() if line.strip()]
    lines = [line for line in lines if not line.lstrip().startswith("#")]
    # A rule above a text is no front matter.
    if lines and not _PAIR.match(lines[0].rstrip()):
        return {}, text
    values: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        pair = _PAIR.match(line.rstrip())
        if pair and not line[0].isspace():
            name = pair[1]
            first = _scalar(pair[2] or "")
            values[name] = [] if first in (">", "|", ">-", "|-") else [first]
        elif name:
            values[name].append(_scalar(line.strip().removeprefix("- ")))
    joined = {key: _joined(parts) for key, parts in values.items()}
    return {key: value for key, value in joined.items() if value not in _NOTHING}, text[closing.end() :]


def _joined(parts: list[str]) -> str:
    # ``tags:`` and lines below it are a list; a value and lines below it are one text that was wrapped.
    if len(parts) > 1 and not parts[0]:
        return ", ".join(parts[1:])
    return " ".join(part for part in parts if part)


def _scalar(value: str) -> str:
    value = value.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1].replace('\\"', '"') if value[0] == '"' else value[1:-1].replace("''", "'")
    comment = value.find(" #")
    if comment >= 0:
        value = value[:comment].rstrip()
    if value.startswith("[") and value.endswith("]"):
        return ", ".join(_scalar(part) for part in value[1:-1].split(","))
    return "" if value in _NOTHING else value
