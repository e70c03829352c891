"""What people pass as sources, read into hits: strings, mappings, our own values, objects with a text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pincite.errors import ConfigError
from pincite.text.slug import slug
from pincite.text.words import detect_language
from pincite.types import AccessLevel, Chunk, ChunkId, DocId, Document, DocumentInfo, Hit, Span

_TEXT_KEYS = ("text", "content", "page_content", "snippet")
_ID_KEYS = ("chunk_id", "id", "doc_id")


def read_sources(sources: Sequence[Any]) -> tuple[Hit, ...]:
    """Each source as a hit with one chunk that covers it, in order; ranks from 1.

    Raises:
        ConfigError: If ``sources`` is no list, or a source has no text that can be read.
    """
    if isinstance(sources, str | bytes | Mapping) or not isinstance(sources, Iterable):
        raise ConfigError(
            "sources must be a list", hint="write sources=[…], one entry for each numbered source"
        )
    return tuple(_hit(source, place) for place, source in enumerate(sources, start=1))


def _hit(source: Any, place: int) -> Hit:
    if isinstance(source, Hit):
        return Hit(place, source.chunk, source.document, source.score)
    if isinstance(source, Chunk):
        info = DocumentInfo(source.doc_id, title=source.doc_id, language=detect_language(source.text))
        return Hit(place, source, info, score=1.0)
    if isinstance(source, Document):
        return _whole(place, source.doc_id, source.text, source.info)
    if isinstance(source, str):
        return _whole(
            place, f"source-{place}", source, DocumentInfo(DocId(f"source-{place}"), title=f"source {place}")
        )
    values = source if isinstance(source, Mapping) else _attributes(source)
    text = next((values[key] for key in _TEXT_KEYS if isinstance(values.get(key), str)), None)
    if text is None:
        raise ConfigError(
            f"source {place} has no text: {type(source).__name__}",
            hint="pass strings, dicts with `text` or `content`, Document, Chunk or Hit",
        )
    name = next((str(values[key]) for key in _ID_KEYS if values.get(key)), f"source-{place}")
    return _whole(place, name, text, _info(values, name, place))


def _attributes(source: Any) -> dict[str, Any]:
    names = (
        *_TEXT_KEYS,
        *_ID_KEYS,
        "title",
        "url",
        "metadata",
        "published_date",
        "version",
        "language",
        "status",
    )
    return {name: getattr(source, name) for name in names if hasattr(source, name)}


def _info(values: Mapping[str, Any], name: str, place: int) -> DocumentInfo:
    inner = values.get("metadata")
    more = {
        **(inner if isinstance(inner, Mapping) else {}),
        **{key: value for key, value in values.items() if value},
    }

    def string(key: str) -> str | None:
        return more[key] if isinstance(more.get(key), str) else None

    return DocumentInfo(
        doc_id=DocId(string("doc_id") or name),
        title=string("title")
        or string("document_name")
        or (name if name != f"source-{place}" else f"source {place}"),
        url=string("url") or string("source") or "",
        published_date=string("published_date"),
        version=string("version"),
        language=string("language"),
        status=string("status") or "current",
        access_level=AccessLevel.PUBLIC,
    )


def _whole(place: int, name: str, text: str, info: DocumentInfo) -> Hit:
    language = info.language or detect_language(text)
    described = replace(info, language=language)
    chunk = Chunk(ChunkId(slug(name)), info.doc_id, ordinal=0, span=Span(0, len(text)), text=text)
    return Hit(place, chunk, described, score=1.0, score_kind="given")
