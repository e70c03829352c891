"""A Messages response of Anthropic, whose text blocks carry their citations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pincite.readers.marks import Mark, Shape, as_mapping, own_source, with_markers
from pincite.readers.plain import ReadAnswer
from pincite.types import Document, Span

_SHAPE = Shape("Anthropic")
# What a citation calls its source, most telling first.
_NAMES = ("source", "url", "file_id", "document_title", "title")


def anthropic(answer: Any) -> ReadAnswer | None:
    """Accepts a message (mapping or object of the ``anthropic`` library) or the list of its content blocks.

    Each citation of a text block becomes a marker at the end of the block, and of each sentence in it; ``cited_text``
    is its quote. ``document_index`` or ``search_result_index`` is the place among the sources that are given to
    ``verify``, unless one of them bears the citation's title or address. Without such sources each cited text is a
    source of its own, of kind ``cited text``.

    Raises:
        ConfigError: If it is such a message and something in it is not as it must be.
    """
    if isinstance(answer, list | tuple):
        content: Any = answer
        if not answer:
            return None
    elif isinstance(answer, str):
        return None
    else:
        message = as_mapping(answer)
        if message is None or "annotations" in message:
            return None
        content = message.get("content")
        if not isinstance(content, list | tuple):
            return None
        if not content and message.get("type") != "message":
            return None
    kinds = [one.get("type") for item in content if (one := as_mapping(item)) is not None]
    if content and ("text" not in kinds or "output_text" in kinds):
        return None
    return _read(_SHAPE.items(content, "content"))


def _read(content: list[Mapping[str, Any]]) -> ReadAnswer:
    plain = ""
    cited: list[tuple[Span, str]] = []
    marks: list[Mark] = []
    own: dict[tuple[str, str], tuple[int, Document]] = {}
    blocks = [
        (f"content[{number}]", block) for number, block in enumerate(content) if block.get("type") == "text"
    ]
    citations = [
        [
            (f"{where}.citations[{number}]", one)
            for number, one in enumerate(_SHAPE.items(block.get("citations"), f"{where}.citations"))
        ]
        for where, block in blocks
    ]
    # Documents and search results are counted apart: with both, an index alone tells no place.
    mixed = len({_counted(one) for found in citations for _, one in found} - {""}) > 1
    for (where, block), found in zip(blocks, citations, strict=True):
        text = _SHAPE.string(block, "text", where, needed=True)
        span = Span(len(plain), len(plain) + len(text))
        plain += text
        for place, citation in found:
            mark = _mark(citation, place, len(marks) + 1, own, mixed=mixed)
            marks.append(mark)
            cited.append((span, mark.spelling))
    shown = [(span, spelling) for span, spelling in cited if span.of(plain).strip()]
    return ReadAnswer(
        with_markers(plain, shown),
        sources=tuple(document for _, document in own.values()) or None,
        marks=tuple(marks),
    )


def _counted(citation: Mapping[str, Any]) -> str:
    names = ("document_index", "search_result_index")
    return next((name for name in names if citation.get(name) is not None), "")


def _mark(
    citation: Mapping[str, Any],
    where: str,
    number: int,
    own: dict[tuple[str, str], tuple[int, Document]],
    *,
    mixed: bool,
) -> Mark:
    text = _SHAPE.string(citation, "cited_text", where, needed=True)
    names = tuple(
        dict.fromkeys(name for key in _NAMES if (name := _SHAPE.string(citation, key, where).strip()))
    )
    counted = _counted(citation)
    index = _SHAPE.index(citation, counted, where) if counted else None
    title = _SHAPE.string(citation, "document_title", where) or _SHAPE.string(citation, "title", where)
    shown = title or next(iter(names), f"{counted.removesuffix('_index').replace('_', ' ') or 'source'}")
    key = (f"{counted} {index} {shown}", text)
    if key not in own:
        address = _SHAPE.string(citation, "url", where) or _SHAPE.string(citation, "source", where)
        label = shown if title or names or index is None else f"{shown} {index + 1}"
        own[key] = (len(own) + 1, own_source(len(own) + 1, text, label, address))
    return Mark(
        f"cited-{number}",
        quote=text.strip(),
        own=own[key][0],
        place=None if index is None or mixed else index + 1,
        names=names,
    )
