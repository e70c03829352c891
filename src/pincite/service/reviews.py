"""The review queue: what people should look at, and what they decide."""

from __future__ import annotations

import secrets
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse
from pydantic import ConfigDict, Field

from pincite import reviewing
from pincite.errors import ConfigError, StoreError
from pincite.logbook import since_when, stamp
from pincite.reviewing import ReviewItem
from pincite.service.chat import Access, Body, invalid
from pincite.service.problems import Problem, responses
from pincite.service.settings import Service
from pincite.types import AnswerId

Decision = Literal["right", "wrong", "unclear"]


class ReviewBody(Body):
    """What a reviewer decides of one item."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"decision": "wrong", "note": "That is the old price."}]},
    )

    decision: Decision
    note: str = Field(default="", max_length=5_000)


def routes(service: Service) -> APIRouter:
    """The routes of this module. Those who only read may neither see the queue nor decide."""
    router = APIRouter(tags=["reviews"], responses=responses())
    store, clock = service.pipeline.parts.store, service.pipeline.parts.clock

    @router.get("/api/reviews", summary="What people should look at, the worst first", response_model=None)
    def list_reviews(
        request: Request,
        access: Access | None = None,
        decided: bool | None = False,
        since: Annotated[str, Query(max_length=30)] = "",
        limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
    ) -> JSONResponse:
        service.writer(request)
        try:
            start = since_when(since, clock()) if since else ""
        except ConfigError as error:
            raise invalid("/since", error.message) from error
        found = reviewing.queue(
            store, service.reader(request, access), decided=decided, since=start, limit=limit
        )
        return JSONResponse({"items": [item_dict(one) for one in found], "next_cursor": None})

    @router.post("/api/reviews/{item_id}", summary="Decide", status_code=201, response_model=None)
    def decide(
        item_id: str, body: ReviewBody, request: Request, access: Access | None = None
    ) -> JSONResponse:
        who = service.writer(request)
        reader = service.reader(request, access)
        item = reviewing.look_up(store, reader, item_id[:300])
        if item is None:
            raise Problem("not-found", "There is no such answer, or it has no such part.")
        try:
            made = reviewing.decide(
                store,
                reader,
                item,
                body.decision,
                reviewer=who.name,
                note=body.note,
                at=stamp(clock()),
                review_id=f"rev_{secrets.token_hex(10)}",
            )
        except StoreError as error:
            if store.answer(AnswerId(item.answer_id), reader) is None:  # erased since it was looked up
                raise Problem("not-found", "There is no such answer.") from error
            raise
        return JSONResponse(asdict(made), 201)

    return router


def item_dict(item: ReviewItem) -> dict[str, Any]:
    """An item as JSON."""
    return {**asdict(item), "decided": item.decided}
