"""Uploads: a file, an address or a document becomes a job, whose progress can be followed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, UploadFile
from fastapi.responses import JSONResponse, StreamingResponse

from pincite.errors import ConfigError, ParseError, StoreError
from pincite.parsers import SUFFIXES, parse
from pincite.renderers.links import web_url
from pincite.service.chat import SSE_HEADERS
from pincite.service.jobs import Job
from pincite.service.problems import Problem, of_error, responses
from pincite.service.settings import Service
from pincite.service.streams import PING_SECONDS
from pincite.types import Document

MAX_NAME_CHARS = 200
LOOK_SECONDS = 0.25
"""How often it is looked what has become of a job that somebody follows."""

DOCUMENT_FIELDS = ("doc_id", "title", "url", "text")
"""That a document in JSON must have (source 001)."""

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
                        "required": list(DOCUMENT_FIELDS),
                        "properties": {name: {"type": "string"} for name in DOCUMENT_FIELDS},
                    },
                ]
            }
        },
    },
}


def routes(service: Service) -> APIRouter:
    """The routes of this module."""
    router = APIRouter(tags=["documents"], responses=responses())

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

    @router.get("/api/jobs", summary="Uploads and what came of them", response_model=None)
    def list_jobs(request: Request) -> JSONResponse:
        jobs = service.jobs.all(service.writer(request).name)
        return JSONResponse({"items": [job.told() for job in jobs], "next_cursor": None})

    @router.delete(
        "/api/jobs/{job_id}", summary="Cancel an upload that waits, or an evaluation", response_model=None
    )
    def cancel_job(job_id: str, request: Request) -> JSONResponse:
        jobs, job = service.job(job_id, service.writer(request).name)
        if not jobs.cancel(job):
            raise Problem("conflict", "This upload is being read, or was; remove its document instead.")
        return JSONResponse(job.told())

    @router.get(
        "/api/jobs/{job_id}",
        summary="One upload or evaluation",
        response_model=None,
        responses={200: {"content": {"application/json": {}, "text/event-stream": {}}}},
    )
    def show_job(
        job_id: str, request: Request, accept: Annotated[str, Header()] = "application/json"
    ) -> JSONResponse | StreamingResponse:
        _, job = service.job(job_id, service.writer(request).name)
        if "text/event-stream" in accept:
            return StreamingResponse(_watched(job), media_type="text/event-stream", headers=SSE_HEADERS)
        return JSONResponse(job.told())

    return router


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
            name = safe_name(getattr(file, "filename", None) or "upload")
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
        # A path would be read too, and with the rights of the server.
        if not web_url(url):
            raise Problem(
                "validation",
                "url: must begin with http:// or https://.",
                errors=[{"pointer": "/url", "detail": "must begin with http:// or https://"}],
            )
        return service.jobs.add(
            owner,
            url[:MAX_NAME_CHARS],
            lambda job: _store(service, job, lambda: (url,), access),
            idempotency_key=idempotency_key,
        )
    wrong = [
        {"pointer": f"/{name}", "detail": "must be a text"}
        for name in DOCUMENT_FIELDS
        if not isinstance(body.get(name), str)
    ]
    if wrong:
        raise Problem("validation", "A document has doc_id, title, url and text.", errors=wrong)
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


def safe_name(name: str) -> str:
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


async def _watched(job: Job) -> AsyncIterator[str]:
    number, before, quiet = 0, None, 0.0
    while True:
        told = job.told()
        if told != before:
            number, before, quiet = number + 1, told, 0.0
            yield f"id: {number}\nevent: job\ndata: {json.dumps(told)}\n\n"
        if job.finished:
            return
        await asyncio.sleep(LOOK_SECONDS)
        quiet += LOOK_SECONDS
        if quiet >= PING_SECONDS:
            quiet = 0.0
            yield ": ping\n\n"
