"""Answers that were given: history, and each again as it may be seen today."""

from __future__ import annotations

import secrets
from dataclasses import asdict
from datetime import UTC
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import ConfigDict, Field

from pincite.errors import ConfigError, StoreError
from pincite.logbook import has_status, since_when
from pincite.ports.stored import StoredFeedback
from pincite.ports.stores import Store
from pincite.renderers.profiles import PROFILES
from pincite.renderers.restored import restored
from pincite.service.chat import Access, Body, Profile, invalid
from pincite.service.problems import Problem, responses
from pincite.service.settings import Service
from pincite.types import AnswerId, Chunk, ChunkId, DocumentInfo, Reader

MAX_LISTED = 1_000

AnswerForm = Literal["json", "markdown", "html", "text", "csl-json", "webannotation"]
MEDIA_TYPES = {
    "json": "application/json",
    "markdown": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "text": "text/plain; charset=utf-8",
    "csl-json": "application/vnd.citationstyles.csl+json",
    "webannotation": 'application/ld+json; profile="http://www.w3.org/ns/anno.jsonld"',
}
# The HTML form has its style inside and no script; nothing of it may run as the page.
_SHOWN = {"Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'"}

Reaction = Literal["helpful", "wrong_source", "wrong_claim", "incomplete"]


class FeedbackBody(Body):
    """What a reader says of an answer, of one citation of it (``c-3``), or of one sentence."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"answer_id": "ans_01JC", "citation_id": "c-2", "reaction": "wrong_source"}]
        },
    )

    answer_id: str = Field(max_length=100)
    citation_id: str | None = Field(default=None, max_length=100)
    sentence_index: int | None = Field(default=None, ge=0, le=100_000)
    reaction: Reaction
    note: str | None = Field(default=None, max_length=5_000)


def routes(service: Service) -> APIRouter:
    """The routes of this module."""
    router = APIRouter(tags=["answers"], responses=responses())
    rag = service.pipeline

    @router.get("/api/answers", summary="List answers, the newest first", response_model=None)
    def list_answers(
        request: Request,
        access: Access | None = None,
        status: Annotated[
            str | None, Query(pattern="^(answered|partial|uncited|abstained|unverified|removed)$")
        ] = None,
        q: Annotated[str | None, Query(max_length=200)] = None,
        since: Annotated[str | None, Query(max_length=30)] = None,
        cursor: Annotated[str | None, Query(max_length=100)] = None,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
    ) -> JSONResponse:
        reader = service.reader(request, access)
        try:
            start_at = since_when(since, rag.parts.clock()) if since else ""
        except ConfigError as error:
            raise invalid("/since", error.message) from error
        found = [
            one
            for one in rag.kept_answers(reader, limit=MAX_LISTED, since=start_at)
            if (status is None or has_status(one, status))
            and (q is None or q.casefold() in f"{one['question']} {one['plain']}".casefold())
        ]
        start = next((at + 1 for at, one in enumerate(found) if one["id"] == cursor), 0) if cursor else 0
        given = found[start : start + limit]
        more = start + limit < len(found)
        return JSONResponse(
            {"items": [summary(one) for one in given], "next_cursor": given[-1]["id"] if more else None}
        )

    def kept(answer_id: str, reader: Reader) -> dict[str, Any]:
        found = rag.kept_answer(answer_id, reader)
        if found is None:
            raise Problem("not-found", "There is no such answer.")
        return found

    @router.get(
        "/api/answers/{answer_id}",
        summary="One answer, in any form",
        response_model=None,
        responses={200: {"content": {kind: {} for kind in MEDIA_TYPES.values()}}},
    )
    def show_answer(
        answer_id: str,
        request: Request,
        access: Access | None = None,
        profile: Annotated[Profile | None, Query()] = None,
        form: Annotated[AnswerForm | None, Query(alias="format")] = None,
    ) -> Response:
        reader = service.reader(request, access)
        body = kept(answer_id, reader)
        if profile in (None, "default") and form in (None, "json"):
            return JSONResponse(body)
        answer = restored(body, _passages(rag.parts.store, body, reader))
        if form in (None, "json"):
            return JSONResponse(PROFILES[str(profile)](answer))
        return Response(answer.to(form), media_type=MEDIA_TYPES[form], headers=_SHOWN)

    @router.post(
        "/api/feedback", summary="Say what is wrong with an answer", status_code=201, response_model=None
    )
    def feedback(body: FeedbackBody, request: Request) -> JSONResponse:
        reader = service.reader(request)
        answer = kept(body.answer_id, reader)
        if body.citation_id is not None and body.citation_id not in {
            one["id"] for one in answer["citations"]
        }:
            raise invalid("/citation_id", "the answer has no such citation")
        if body.sentence_index is not None and body.sentence_index >= len(answer["sentences"]):
            raise invalid("/sentence_index", "the answer has no such sentence")
        given = StoredFeedback(
            feedback_id=f"fb_{secrets.token_hex(10)}",
            answer_id=AnswerId(body.answer_id),
            given_at=rag.parts.clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            level=reader.level,
            reaction=body.reaction,
            citation_id=body.citation_id,
            sentence_index=body.sentence_index,
            note=body.note or "",
        )
        try:
            rag.parts.store.save_feedback(given)
        except StoreError:
            kept(body.answer_id, reader)  # was it erased since it was looked up?
            raise
        return JSONResponse(asdict(given), 201)

    @router.get("/api/feedback", summary="What readers said, the newest first", response_model=None)
    def list_feedback(
        request: Request,
        answer_id: Annotated[str | None, Query(max_length=100)] = None,
        limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
    ) -> JSONResponse:
        reader = service.writer(request).reader
        only = None if answer_id is None else AnswerId(answer_id)
        found = rag.parts.store.feedback(reader, answer_id=only, limit=limit)
        return JSONResponse({"items": [asdict(one) for one in found], "next_cursor": None})

    return router


def _passages(store: Store, body: dict[str, Any], reader: Reader) -> dict[str, tuple[Chunk, DocumentInfo]]:
    """Texts of what was read and cited, of that which this reader may see today."""
    items = (*body.get("retrieved", ()), *body["citations"])
    ids = {one["chunk_id"] for one in items if one["chunk_id"]}
    found = {one: store.chunk(ChunkId(one), reader) for one in sorted(ids)}
    return {one: known for one, known in found.items() if known is not None}


def summary(body: dict[str, Any]) -> dict[str, Any]:
    """An answer as a list shows it."""
    return {
        "id": body["id"],
        "created_at": body["created_at"],
        "question": body["question"],
        "answer_status": body["answer_status"],
        "confidence_label": body["confidence_label"],
        "verified": body["metrics"]["verified"],
        "unverified": body["metrics"]["unverified"],
        "removed": len(body["removed"]),
        "conversation_id": body["conversation_id"],
        "model": body["model"],
    }
