"""Source 002's HTML: markers as links to a list of sources below. Everything from outside is escaped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_MARKER = re.compile(r"\[Source (\d{1,6})\]")


def cited_html(text: str, sources: Sequence[Mapping[str, Any]]) -> str:
    """``text`` with each ``[Source N]`` of ``sources`` as a link to its entry in the list below.

    A marker of no source stays text. ``sources`` have the fields of 002's list (``profiles.source_002``).

    >>> print(
    ...     cited_html(
    ...         "Free <now> [Source 1].", [{"number": 1, "document_name": "A&B", "content_preview": "free"}]
    ...     )
    ... )
    <div class="cited-answer">Free &lt;now&gt; <a class="citation" href="#source-1" title="A&amp;B" data-source="1">[Source 1]</a>.</div>
    <ol class="source-list">
    <li id="source-1" value="1"><span class="source-title">A&amp;B</span> <q class="source-preview">free</q></li>
    </ol>
    """
    by_number = {str(source["number"]): source for source in sources}
    out: list[str] = []
    at = 0
    for marker in _MARKER.finditer(text):
        source = by_number.get(marker[1])
        if source is not None:
            out += [_escaped(text[at : marker.start()]), _link(marker[0], source)]
            at = marker.end()
    body = "".join([*out, _escaped(text[at:])]).replace("\n", "<br>\n")
    items = "".join(_item(source) for source in sources)
    return f'<div class="cited-answer">{body}</div>\n<ol class="source-list">\n{items}</ol>'


def _link(marker: str, source: Mapping[str, Any]) -> str:
    number = source["number"]
    return (
        f'<a class="citation" href="#source-{number}" title="{_escaped(_title(source))}" '
        f'data-source="{number}">{marker}</a>'
    )


def _item(source: Mapping[str, Any]) -> str:
    preview = source.get("content_preview")
    shown = f' <q class="source-preview">{_escaped(str(preview))}</q>' if preview else ""
    number = source["number"]
    return (
        f'<li id="source-{number}" value="{number}">'
        f'<span class="source-title">{_escaped(_title(source))}</span>{shown}</li>\n'
    )


def _title(source: Mapping[str, Any]) -> str:
    """Name, page and section."""
    parts = [str(source.get("document_name") or f"source {source['number']}")]
    if source.get("page_number") is not None:
        parts.append(f"page {source['page_number']}")
    if source.get("section_header"):
        parts.append(f"§ {source['section_header']}")
    return ", ".join(parts)


def _escaped(text: str) -> str:
    """For text and attributes; characters that HTML cannot hold are replaced."""
    safe = text.encode("utf-8", "replace").decode("utf-8")
    return escape("".join(char if char in "\n\t" or char >= " " else "\ufffd" for char in safe), quote=True)
