"""Documents and chunks as rows, and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from pincite.stores.binding import bind, unbind
from pincite.stores.filters import FILTER_FIELDS
from pincite.types import (
    Chunk,
    ChunkId,
    DocId,
    Document,
    DocumentInfo,
    Origin,
    Page,
    Run,
    Section,
    Span,
)

INFO_COLUMNS = (*FILTER_FIELDS, "content_hash", "blob")
"""Columns of ``documents`` that hold the text fields of ``DocumentInfo``, under the same names."""

Row = Sequence[Any]
"""What sqlite3 returns."""


def info_values(info: DocumentInfo) -> list[str | bytes | None]:
    """``INFO_COLUMNS`` of a document, then ``defaulted``."""
    values = [getattr(info, column) for column in INFO_COLUMNS]
    return [*(None if value is None else bind(str(value)) for value in values), json.dumps(info.defaulted)]


def info(row: Row) -> DocumentInfo:
    """The way back of ``info_values``."""
    fields = {
        column: None if value is None else unbind(value)
        for column, value in zip(INFO_COLUMNS, row[:-1], strict=True)
    }
    return DocumentInfo(**fields, defaulted=tuple(json.loads(row[-1])))  # type: ignore[arg-type]  # from SQLite


def document_detail(document: Document) -> str:
    """What ``DocumentInfo`` and the text leave out, as JSON."""
    return json.dumps(
        {
            "sections": [[s.path, s.span.start, s.span.end, s.level, s.anchor] for s in document.sections],
            "pages": [
                [p.index, p.span.start, p.span.end, p.label, p.width, p.height] for p in document.pages
            ],
            "runs": [[r.span.start, r.span.end, r.page_index, r.first_char, r.step] for r in document.runs],
            "metadata": document.metadata,
        },
        separators=(",", ":"),
    )


def origin_value(origin: Origin | None) -> str | None:
    """The column ``origin``."""
    return None if origin is None else json.dumps(astuple(origin))


def origin(value: str | None) -> Origin | None:
    """The way back of ``origin_value``."""
    return None if value is None else Origin(*json.loads(value))


def document(known: DocumentInfo, text: str, detail: str, origin_text: str | None = None) -> Document:
    """A document from its parts."""
    rest = json.loads(detail)
    return Document(
        doc_id=known.doc_id,
        text=text,
        title=known.title,
        url=known.url,
        kind=known.kind,
        format=known.format,
        access_level=known.access_level,
        owner=known.owner,
        published_date=known.published_date,
        version=known.version,
        language=known.language,
        status=known.status,
        licence=known.licence,
        sections=tuple(
            Section(tuple(path), Span(start, end), level, anchor)
            for path, start, end, level, anchor in rest["sections"]
        ),
        pages=tuple(
            Page(index, Span(start, end), label, width, height)
            for index, start, end, label, width, height in rest["pages"]
        ),
        runs=tuple(
            Run(Span(start, end), page, first, step) for start, end, page, first, step in rest["runs"]
        ),
        metadata=tuple((key, value) for key, value in rest["metadata"]),
        defaulted=known.defaulted,
        blob=known.blob,
        origin=origin(origin_text),
    )


def chunk_detail(chunk: Chunk) -> str:
    """What the other columns of ``chunks`` leave out, as JSON."""
    return json.dumps(
        (_flat(chunk.context), chunk.section, chunk.page_index, chunk.page_label, chunk.cells),
        separators=(",", ":"),
    )


def chunk(chunk_id: str | bytes, doc_id: DocId, ordinal: int, span: Span, detail: str, text: str) -> Chunk:
    """A chunk from its columns and the document's whole text."""
    context, section, page_index, page_label, *more = json.loads(detail)
    context_spans = _spans(context)
    return Chunk(
        chunk_id=ChunkId(unbind(chunk_id)),
        doc_id=doc_id,
        ordinal=ordinal,
        span=span,
        text=span.of(text),
        context=context_spans,
        context_texts=tuple(part.of(text) for part in context_spans),
        section=tuple(section),
        page_index=page_index,
        page_label=page_label,
        cells=more[0] if more else "",  # databases of before have none
    )


def _flat(spans: Sequence[Span]) -> list[int]:
    return [place for span in spans for place in (span.start, span.end)]


def _spans(places: Sequence[int]) -> tuple[Span, ...]:
    return tuple(Span(start, end) for start, end in zip(places[::2], places[1::2], strict=True))
