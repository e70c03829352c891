"""Documents and passages: lists, uploads, originals, pictures of pages, passages with those round them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, UploadFile
from fastapi.responses import JSONResponse, Response, StreamingResponse

from pincite.errors import ConfigError, ParseError, StoreError
from pincite.parsers import SUFFIXES, parse
from pincite.service.chat import Access
from pincite.service.jobs import Job
from pincite.service.paging import page_of
from pincite.service.problems import Problem, of_error, responses
from pincite.service.settings import Service
from pincite.service.streams import PING_SECONDS
from pincite.types import Chunk, DocId, Document, DocumentInfo, Reader

MAX_WINDOW_CHARS = 100_000
MAX_AROUND = 5
MAX_IMAGE_WIDTH = 2_400
MAX_NAME_CHARS = 200

UPLOAD = {
    "required": True,
    "content": {
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "required": ["file"],
                "properties": {"file": {"type": "string", "format": "binary"}, "access": {"type": "string"}},
            }
        },
        "application/json": {
            "schema": {
                "anyOf": [
                    {"type": "object", "required": ["url"], "properties": {"url": {"type": "string"}}},
                    {
                        "type": "object",
                        "required": ["doc_id", "title", "url", "text"],
                        "properties": {
                            name: {"type": "string"} for name in ("doc_id", "title", "url", "text")
                        },
                    },
                ]
            }
        },
    },
}

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

    @router.post(
        "/api/documents",
        summary="Add a document",
        status_code=202,
        response_model=None,
        openapi_extra={"requestBody": UPLOAD},
    )
    async def add_document(
        request: Request,
        idempotency_key: Annotated[str, Header(max_length=200)] = "",
    ) -> JSONResponse:
        principal = service.writer(request)
        access = request.query_params.get("access")
        if access is not None:
            service.reader(request, access)
        job = await _queued(service, request, principal.name, access, idempotency_key)
        if job is None:
            raise Problem("busy", "Too many documents are waiting.", retry_after=10)
        return JSONResponse(job.told(), 202, headers={"Location": f"/api/jobs/{job.job_id}"})

    @router.get("/api/documents/{doc_id}", summary="One document", response_model=None)
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
            {**info_dict(document.info), "chars": len(document.text), "chunk_count": chunks, "pages": pages}
        )

    @router.delete(
        "/api/documents/{doc_id}", summary="Remove a document", status_code=204, response_model=None
    )
    def remove_document(doc_id: str, request: Request) -> Response:
        principal = service.writer(request)
        document_of(doc_id, principal.reader)
        service.pipeline.remove(doc_id)
        return Response(status_code=204)

    @router.get(
        "/api/documents/{doc_id}/content",
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

    @router.get("/api/documents/{doc_id}/text", summary="A window of the text", response_model=None)
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
        "/api/documents/{doc_id}/pages/{index}.png",
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
        try:
            picture = page_image(data, index, width, source=document.title or document.doc_id)
        except ParseError as error:
            raise of_error(error) from error
        return Response(picture, media_type="image/png", headers={"ETag": tag, "Cache-Control": "private"})

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

    @router.get("/api/jobs", summary="Uploads and what came of them", response_model=None)
    def list_jobs(request: Request) -> JSONResponse:
        jobs = service.jobs.all(service.writer(request).name)
        return JSONResponse({"items": [job.told() for job in jobs], "next_cursor": None})

    @router.get(
        "/api/jobs/{job_id}",
        summary="One upload",
        response_model=None,
        responses={200: {"content": {"application/json": {}, "text/event-stream": {}}}},
    )
    def show_job(
        job_id: str, request: Request, accept: Annotated[str, Header()] = "application/json"
    ) -> JSONResponse | StreamingResponse:
        job = service.jobs.find(job_id, service.writer(request).name)
        if job is None:
            raise Problem("not-found", "There is no such job.")
        if "text/event-stream" in accept:
            return StreamingResponse(_watched(job), media_type="text/event-stream")
        return JSONResponse(job.told())

    return router


# --- uploads ------------------------------------------------------------------------------------


async def _queued(
    service: Service, request: Request, owner: str, access: str | None, idempotency_key: str
) -> Job | None:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        async with request.form(max_files=1, max_fields=10) as form:
            file = form.get("file")
            given = form.get("access")
            if not isinstance(file, UploadFile) and not hasattr(file, "read"):
                raise Problem(
                    "validation",
                    "file: a file is needed.",
                    errors=[{"pointer": "/file", "detail": "is missing"}],
                )
            name = _safe_name(getattr(file, "filename", None) or "upload")
            data = await file.read()  # type: ignore[union-attr]
        access = str(given) if isinstance(given, str) and given else access
        if access is not None:
            service.reader(request, access)
        if len(data) > service.max_upload_bytes:
            raise Problem(
                "document-too-large", "The file is too large.", limit_bytes=service.max_upload_bytes
            )
        return service.jobs.add(
            owner,
            name,
            lambda job: _store(service, job, lambda: _parsed(name, data), access),
            idempotency_key=idempotency_key,
        )
    if kind != "application/json":
        raise Problem(
            "unsupported-document",
            "Send a file as multipart/form-data, or JSON with a url or a document.",
            supported=sorted(SUFFIXES),
        )
    body = await _json(request)
    if set(body) == {"url"} and isinstance(body["url"], str):
        url = body["url"]
        return service.jobs.add(
            owner,
            url[:MAX_NAME_CHARS],
            lambda job: _store(service, job, lambda: (url,), access),
            idempotency_key=idempotency_key,
        )
    data = json.dumps(body).encode()
    return service.jobs.add(
        owner,
        str(body.get("doc_id", "document"))[:MAX_NAME_CHARS],
        lambda job: _store(service, job, lambda: _parsed("document.json", data), access),
        idempotency_key=idempotency_key,
    )


async def _json(request: Request) -> dict[str, Any]:
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise Problem("validation", "The body is not JSON.", errors=[]) from error
    if not isinstance(body, dict):
        raise Problem("validation", "The body must be an object.", errors=[])
    return body


def _parsed(name: str, data: bytes) -> tuple[Document, ...]:
    """The documents of an upload, with the file kept as their original."""
    return tuple(replace(one, original=data) for one in parse(data, name))


def _safe_name(name: str) -> str:
    """The last part of a file name, without control characters: it is shown, and its suffix tells the kind."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(char for char in last if char.isprintable())[-MAX_NAME_CHARS:] or "upload"


def _store(
    service: Service, job: Job, read: Callable[[], Sequence[str | Document]], access: str | None
) -> None:
    """Read and store the documents of a job."""
    try:
        sources = read()
        job.set(stage="embed" if service.pipeline.parts.embedder else "index", total=len(sources))
        report = service.pipeline.add(*sources, access=access)
    except (ParseError, ConfigError, StoreError) as error:
        job.set(state="failed", problem=of_error(error).body("", ""))
        return
    if report.failed:
        problem = of_error(report.failed[0]).body("", "")
        job.set(state="failed", problem=problem)
        return
    ids = (*report.added, *report.changed, *report.unchanged)
    warnings = tuple(text for _, text in report.warnings)
    if report.unchanged and not report.added and not report.changed:
        warnings = (*warnings, "This document is there already, unchanged.")
    job.set(
        state="ready_with_warnings" if warnings else "ready",
        stage="done",
        done=len(ids),
        doc_ids=ids,
        warnings=warnings,
    )


def _watched(job: Job) -> Iterator[str]:
    number = 0
    while True:
        told = job.told()
        number += 1
        yield f"id: {number}\nevent: job\ndata: {json.dumps(told)}\n\n"
        if job.finished:
            return
        with job.changed:
            job.changed.wait(PING_SECONDS)


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
    name = _safe_name(document.url or document.title or document.doc_id).encode("ascii", "ignore").decode()
    quoted = "".join(char for char in name if char.isalnum() or char in "._- ") or "document"
    disposition = "inline" if document.format in INLINE else "attachment"
    headers = {
        "Content-Disposition": f'{disposition}; filename="{quoted}"',
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
