"""Documents and passages: lists, uploads, originals, pictures of pages, passages with those round them."""

from __future__ import annotations

import threading
from typing import Annotated, Any
from urllib.parse import quote as percent_encode

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response

from pincite.errors import ConfigError
from pincite.service.chat import Access
from pincite.service.paging import page_of
from pincite.service.problems import Problem, responses
from pincite.service.settings import Service
from pincite.service.uploads import safe_name
from pincite.types import Chunk, DocId, Document, DocumentInfo, Reader

MAX_WINDOW_CHARS = 100_000
MAX_AROUND = 5
MAX_SECTIONS = 200
"""Headings of a document that are listed; a page needs a few."""
MAX_IMAGE_WIDTH = 2_400
MAX_DRAWING = 2
"""Pages that are drawn at a time: each is a process of its own, and a hostile file takes all that it may."""
DRAWING_SECONDS = 20.0

# What a browser may show from our origin. Everything else is for saving: an HTML or SVG file could run as the page.
INLINE = {
    "pdf": "application/pdf",
    "text": "text/plain; charset=utf-8",
    "markdown": "text/plain; charset=utf-8",
}
SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def routes(service: Service) -> APIRouter:
    """The routes of this module."""
    router = APIRouter(tags=["documents"], responses=responses())
    store = service.pipeline.parts.store
    drawing = threading.BoundedSemaphore(MAX_DRAWING)

    def document_of(doc_id: str, reader: Reader) -> Document:
        found = store.document(DocId(doc_id), reader)
        if found is None:
            raise Problem("not-found", "There is no such document.")
        return found

    @router.get("/api/documents", summary="List documents", response_model=None)
    def list_documents(
        request: Request,
        access: Access | None = None,
        cursor: Annotated[str | None, Query(max_length=400)] = None,
        limit: Annotated[int, Query(ge=1, le=500)] = 100,
    ) -> JSONResponse:
        stored = store.documents(service.reader(request, access))
        items, next_cursor = page_of(stored, key=lambda one: one.info.doc_id, cursor=cursor, limit=limit)
        told = [
            {**info_dict(one.info), "chunk_count": one.chunk_count, "added_at": one.added_at} for one in items
        ]
        return JSONResponse({"items": told, "next_cursor": next_cursor})

    @router.get(
        "/api/documents/{doc_id:path}/content",
        summary="The original file",
        response_model=None,
        responses={
            200: {"content": {"*/*": {}}},
            206: {"description": "A part of it", "content": {"*/*": {}}},
            304: {"description": "Not changed"},
            416: {"description": "There is no such part"},
        },
    )
    def content(doc_id: str, request: Request, access: Access | None = None) -> Response:
        document = document_of(doc_id, service.reader(request, access))
        data = store.blobs.get(document.blob) if document.blob else None
        if data is None:
            raise Problem("not-found", "The original of this document is not kept.")
        return _bytes(request, document, data)

    @router.get("/api/documents/{doc_id:path}/text", summary="A window of the text", response_model=None)
    def text(
        doc_id: str,
        request: Request,
        start: Annotated[int, Query(ge=0)] = 0,
        end: Annotated[int | None, Query(ge=0)] = None,
        access: Access | None = None,
    ) -> JSONResponse:
        document = document_of(doc_id, service.reader(request, access))
        until = min(len(document.text), start + MAX_WINDOW_CHARS, len(document.text) if end is None else end)
        return JSONResponse(
            {
                "doc_id": document.doc_id,
                "start": start,
                "end": max(start, until),
                "length": len(document.text),
                "text": document.text[start:until],
            }
        )

    @router.get(
        "/api/documents/{doc_id:path}/pages/{index}.png",
        summary="A picture of a page",
        response_model=None,
        responses={200: {"content": {"image/png": {}}}, 304: {"description": "Not changed"}},
    )
    def page_picture(
        doc_id: str,
        index: int,
        request: Request,
        width: Annotated[int, Query(ge=100, le=MAX_IMAGE_WIDTH)] = 1_000,
        access: Access | None = None,
    ) -> Response:
        document = document_of(doc_id, service.reader(request, access))
        data = store.blobs.get(document.blob) if document.blob and document.format == "pdf" else None
        if data is None or not 0 <= index < len(document.pages):
            raise Problem("not-found", "There is no picture of such a page.")
        from pincite.parsers.pdf.places import page_image

        tag = f'"{document.blob}-{index}-{width}"'
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={"ETag": tag})
        if not drawing.acquire(timeout=DRAWING_SECONDS):
            raise Problem("busy", "As many pages as allowed are being drawn.", retry_after=2)
        try:
            picture = page_image(data, index, width, source=document.title or document.doc_id)
        finally:
            drawing.release()
        return Response(picture, media_type="image/png", headers={"ETag": tag, "Cache-Control": "private"})

    @router.get("/api/documents/{doc_id:path}", summary="One document", response_model=None)
    def show_document(doc_id: str, request: Request, access: Access | None = None) -> JSONResponse:
        document = document_of(doc_id, service.reader(request, access))
        _, chunks = _chunk_count(service, document)
        pages = [
            {
                "index": page.index,
                "label": page.label,
                "start": page.span.start,
                "end": page.span.end,
                "width": page.width,
                "height": page.height,
            }
            for page in document.pages
        ]
        return JSONResponse(
            {
                **info_dict(document.info),
                "chars": len(document.text),
                "chunk_count": chunks,
                "sections": [one.path[-1] for one in document.sections[:MAX_SECTIONS] if one.path],
                "pages": pages,
            }
        )

    @router.delete(
        "/api/documents/{doc_id:path}", summary="Remove a document", status_code=204, response_model=None
    )
    def remove_document(doc_id: str, request: Request) -> Response:
        principal = service.writer(request)
        document_of(doc_id, principal.reader)
        service.pipeline.remove(doc_id)
        return Response(status_code=204)

    @router.get(
        "/api/chunks/{chunk_id}",
        summary="A passage",
        response_model=None,
        responses={304: {"description": "Not changed"}},
    )
    def chunk(
        chunk_id: str,
        request: Request,
        before: Annotated[int, Query(ge=0, le=MAX_AROUND)] = 0,
        after: Annotated[int, Query(ge=0, le=MAX_AROUND)] = 0,
        answer: Annotated[str | None, Query(max_length=100)] = None,
        access: Access | None = None,
    ) -> Response:
        reader = service.reader(request, access)
        spans: list[dict[str, Any]] = []
        if answer is not None:
            citation = _cited(service, answer, chunk_id, reader)
            chunk_id, spans = str(citation["chunk_id"]), citation["spans"]
        try:
            found = service.pipeline.chunk(
                chunk_id, reader=reader, before=max(1, before), after=max(1, after)
            )
        except ConfigError as error:
            raise Problem("not-found", "There is no such passage.") from error
        told = _chunk_dict(found.chunk, found.document, found.chunks, before, after, spans)
        tag = f'"{found.chunk.content_hash}"'
        if request.headers.get("if-none-match") == tag and answer is None:
            return Response(status_code=304, headers={"ETag": tag})
        return JSONResponse(told, headers={"ETag": tag, "Cache-Control": "private, no-cache"})

    return router


# --- what is told -------------------------------------------------------------------------------


def info_dict(info: DocumentInfo) -> dict[str, Any]:
    """A document without its text."""
    return {
        "doc_id": info.doc_id,
        "title": info.title,
        "url": info.url,
        "source_type": info.kind,
        "format": info.format,
        "access_level": info.access_level,
        "owner": info.owner,
        "published_date": info.published_date,
        "version": info.version,
        "language": info.language,
        "status": info.status,
        "licence": info.licence,
        "content_hash": info.content_hash,
        "defaulted": list(info.defaulted),
        "has_content": info.blob is not None,
    }


def _chunk_dict(
    chunk: Chunk,
    info: DocumentInfo,
    around: tuple[Chunk, ...],
    before: int,
    after: int,
    spans: list[dict[str, Any]],
) -> dict[str, Any]:
    earlier = [one for one in around if one.ordinal < chunk.ordinal]
    later = [one for one in around if one.ordinal > chunk.ordinal]
    return {
        "chunk_id": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "text": chunk.text,
        "section": " > ".join(chunk.section) or None,
        "section_path": list(chunk.section),
        "url": info.url,
        "page_index": chunk.page_index,
        "page_label": chunk.page_label,
        "start": chunk.span.start,
        "end": chunk.span.end,
        "language": info.language,
        "spans": spans,
        "metadata": info_dict(info),
        "context_texts": list(chunk.context_texts),
        "prev": earlier[-1].chunk_id if earlier else None,
        "next": later[0].chunk_id if later else None,
        "context": {
            "before": [{"chunk_id": one.chunk_id, "text": one.text} for one in earlier[-before:] if before],
            "after": [{"chunk_id": one.chunk_id, "text": one.text} for one in later[:after]],
        },
    }


def _chunk_count(service: Service, document: Document) -> tuple[str, int]:
    chunks, _ = service.pipeline.parts.store.chunk_numbers(DocId(document.doc_id))
    return document.doc_id, len(chunks)


def _cited(service: Service, answer_id: str, citation_id: str, reader: Reader) -> dict[str, Any]:
    """A citation of a kept answer, by ``c-3`` or by the id of its passage."""
    body = service.pipeline.kept_answer(answer_id, reader)
    for citation in body["citations"] if body else ():
        if citation_id in (citation["id"], citation["chunk_id"]):
            return dict(citation)
    raise Problem("not-found", "There is no such passage.")


def _bytes(request: Request, document: Document, data: bytes) -> Response:
    """The original, whole or in part. What a browser could run is only for saving."""
    kind = INLINE.get(document.format, "application/octet-stream")
    headers = {
        "Content-Disposition": _disposition(document),
        "Content-Security-Policy": SANDBOX
        if document.format != "pdf"
        else "default-src 'none'; object-src 'self'",
        "ETag": f'"{document.blob}"',
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, no-cache",
    }
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers={"ETag": headers["ETag"]})
    wanted = _range(request.headers.get("range", ""), len(data))
    if wanted is None:
        return Response(data, media_type=kind, headers=headers)
    start, end = wanted
    if start >= end:
        return Response(status_code=416, headers={"Content-Range": f"bytes */{len(data)}"})
    headers["Content-Range"] = f"bytes {start}-{end - 1}/{len(data)}"
    return Response(data[start:end], 206, media_type=kind, headers=headers)


def _disposition(document: Document) -> str:
    """How a browser treats it, and under what name it saves it: letters, digits and ``._-`` alone, and beside them the
    whole name in percent-encoding (RFC 6266)."""
    name = safe_name(document.url or document.title or document.doc_id)
    plain = "".join(char for char in name if char.isascii() and (char.isalnum() or char in "._- ")).strip()
    how = "inline" if document.format in INLINE else "attachment"
    return f"{how}; filename=\"{plain or 'document'}\"; filename*=UTF-8''{percent_encode(name, safe='', errors='replace')}"


def _range(header: str, length: int) -> tuple[int, int] | None:
    """One range of bytes, half-open; ``None`` when all is wanted or the header is not understood."""
    unit, _, spec = header.partition("=")
    first, dash, last = spec.strip().partition("-")
    if unit.strip() != "bytes" or not dash or "," in spec or not (first or last).isdigit():
        return None
    if not first:
        return max(0, length - int(last)), length
    if last and not last.isdigit():
        return None
    return int(first), min(length, int(last) + 1 if last else length)
