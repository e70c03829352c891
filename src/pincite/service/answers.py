"""Answers that were given: history, and each again as it may be seen today."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse

from pincite.service.chat import Access
from pincite.service.problems import Problem, responses
from pincite.service.settings import Service

MAX_LISTED = 1_000


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
        found = [
            one
            for one in rag.kept_answers(reader, limit=MAX_LISTED)
            if _wanted(one, status=status, words=q, since=since)
        ]
        start = next((at + 1 for at, one in enumerate(found) if one["id"] == cursor), 0) if cursor else 0
        given = found[start : start + limit]
        more = start + limit < len(found)
        return JSONResponse(
            {"items": [summary(one) for one in given], "next_cursor": given[-1]["id"] if more else None}
        )

    @router.get("/api/answers/{answer_id}", summary="One answer", response_model=None)
    def show_answer(answer_id: str, request: Request, access: Access | None = None) -> JSONResponse:
        reader = service.reader(request, access)
        found = rag.kept_answer(answer_id, reader)
        if found is None:
            raise Problem("not-found", "There is no such answer.")
        return JSONResponse(found)

    return router


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


def _wanted(body: dict[str, Any], *, status: str | None, words: str | None, since: str | None) -> bool:
    if since and str(body["created_at"]) < since:
        return False
    if words and words.casefold() not in f"{body['question']} {body['plain']}".casefold():
        return False
    if status == "unverified":
        return bool(body["metrics"]["unverified"])
    if status == "removed":
        return bool(body["removed"])
    return status is None or str(body["answer_status"]).casefold() == status
