"""Questions and checks: ``POST /chat``, ``/api/verify``, ``/api/search``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from pincite.answer import Answer
from pincite.errors import ConfigError
from pincite.renderers.json import answer_dict, report_dict
from pincite.service.frames import encoded, frames
from pincite.service.problems import Problem, request_id_of, responses
from pincite.service.settings import Service
from pincite.service.streams import Stream
from pincite.types import Hit, Question, Turn

MAX_SOURCES = 1_000
MAX_ANSWER_CHARS = 200_000
MAX_SOURCE_CHARS = 1_000_000
RETRY_SECONDS = 2

SSE_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


Access = Literal["public", "internal", "confidential"]

Profile = Literal["default", "grounded-003", "quoted-004", "numbered-000", "audited-001", "source-list-002"]

FilterName = Literal[
    "doc_id",
    "title",
    "url",
    "kind",
    "format",
    "owner",
    "published_date",
    "version",
    "language",
    "status",
    "licence",
]


class Body(BaseModel):
    """Unknown fields are errors: a misspelt one would be silently without effect."""

    model_config = ConfigDict(extra="forbid")


class Message(Body):
    role: Literal["user", "assistant", "system"]
    content: str = Field(max_length=MAX_ANSWER_CHARS)


class ChatBody(Body):
    """A question. ``message`` and ``messages`` are what other chat pages send."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"question": "Can I return worn shoes, and who pays postage?", "top_k": 10}],
            "anyOf": [{"required": [name]} for name in ("question", "message", "messages")],
        },
    )

    question: str | None = Field(default=None, pattern=r"\S", max_length=10_000)
    message: str | None = Field(default=None, pattern=r"\S", max_length=10_000)
    messages: list[Message] | None = Field(default=None, min_length=1, max_length=100)
    conversation_id: str | None = Field(default=None, max_length=100)
    previous_id: str | None = Field(
        default=None, max_length=100, description="The answer that this question goes on from"
    )
    top_k: int | None = Field(default=None, ge=1, le=100)
    filters: dict[FilterName, str] = Field(default_factory=dict)
    access: Access | None = None
    language: str | None = Field(default=None, pattern="^[a-z]{2,3}$")
    include: list[Literal["retrieved"]] = Field(default_factory=list)
    stream: bool | Literal["checked", "draft"] | None = None

    def asked(self) -> tuple[str, tuple[Turn, ...]]:
        """The question and the turns before it, as the messages tell them."""
        if self.messages:
            *before, last = self.messages
            if last.role != "user":
                raise _invalid("/messages", "the last message must be the user's")
            return last.content, _turns(before)
        text = self.question if self.question is not None else self.message
        if text is None:
            raise _invalid("/question", "a question is needed")
        return text, ()


def _turns(messages: list[Message]) -> tuple[Turn, ...]:
    """Earlier questions with the answers behind them. Ids in them belong to nobody: they are not ours to count."""
    turns: list[Turn] = []
    question = ""
    for message in messages:
        if message.role == "user":
            question = message.content
        elif message.role == "assistant" and question:
            turns.append(Turn(question, message.content))
            question = ""
    return tuple(turns)


class VerifyBody(Body):
    """An answer that somebody else gave, and its sources in the order of their numbers."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "answer": "Uploads may be 25 MB [1] and stay for 90 days [2].",
                    "sources": ["Files up to 25 MB.", "Kept for 30 days."],
                }
            ]
        },
    )

    answer: str | dict[str, Any]
    sources: list[str | dict[str, Any]] | None = Field(default=None, max_length=MAX_SOURCES)


class SearchBody(Body):
    query: str = Field(pattern=r"\S", max_length=10_000)
    top_k: int = Field(default=10, ge=1, le=100)
    filters: dict[FilterName, str] = Field(default_factory=dict)
    access: Access | None = None


def routes(service: Service) -> APIRouter:
    """The routes of this module."""
    router = APIRouter(tags=["ask"], responses=responses())
    rag = service.pipeline

    @router.post(
        "/chat",
        summary="Ask a question",
        response_model=None,
        responses={200: {"content": {"application/json": {}, "text/event-stream": {}}}},
    )
    @router.post("/api/chat", include_in_schema=False, response_model=None)
    def chat(
        body: ChatBody,
        request: Request,
        profile: Annotated[Profile | None, Query()] = None,
        accept: Annotated[str, Header()] = "application/json",
        last_event_id: Annotated[str, Header(max_length=100)] = "",
    ) -> JSONResponse | StreamingResponse:
        principal = service.principal(request)
        name, _, number = last_event_id.partition(":")
        if name and number.isdigit():
            stream = service.streams.find(name, principal.name)
            if stream is None:
                raise Problem("not-found", "This stream is over; the answer is kept under its id.")
            return streamed(stream, int(number))
        question = _question(service, request, body)
        wants_stream = body.stream or (body.stream is None and "text/event-stream" in accept)
        if not wants_stream:
            return JSONResponse(_told(_answered(service, question), profile, body.include))
        found = service.streams.start(
            principal.name,
            lambda: frames(
                service.events(question),
                request_id=request_id_of(request),
                path=request.url.path,
                drafts=body.stream == "draft",
            ),
        )
        if found is None:
            raise busy()
        return streamed(found, 0)

    @router.post("/api/verify", summary="Check an answer that somebody else gave", response_model=None)
    def verify(body: VerifyBody, request: Request) -> JSONResponse:
        service.principal(request)
        if isinstance(body.answer, str) and len(body.answer) > MAX_ANSWER_CHARS:
            raise _invalid("/answer", f"must have at most {MAX_ANSWER_CHARS:,} characters")
        from pincite.verification import verify as check

        try:
            report = check(body.answer, body.sources)
        except ConfigError as error:
            raise _invalid("/sources", error.message) from error
        return JSONResponse({**report_dict(report), "lines": str(report)})

    @router.post("/api/search", summary="Find passages", response_model=None)
    def search(body: SearchBody, request: Request) -> JSONResponse:
        reader = service.reader(request, body.access)
        hits = rag.retrieve(
            body.query, top_k=body.top_k, reader=reader, filters=tuple(sorted(body.filters.items()))
        )
        return JSONResponse({"hits": [search_hit(hit) for hit in hits]})

    return router


def _question(service: Service, request: Request, body: ChatBody) -> Question:
    text, turns = body.asked()
    reader = service.reader(request, body.access)
    conversation = body.conversation_id
    if body.previous_id:
        try:
            turns = service.pipeline.conversation(body.previous_id, reader=reader)
        except ConfigError as error:
            raise Problem("not-found", "There is no such answer.") from error
        conversation = conversation or turns[0].answer_id
    if not text.strip():
        raise _invalid("/question", "the question is empty")
    settings = service.pipeline.settings
    return Question(
        text,
        history=turns,
        reader=reader,
        language=body.language,
        top_k=settings.top_k if body.top_k is None else body.top_k,
        filters=tuple(sorted(body.filters.items())),
        conversation_id=conversation,
    )


def _answered(service: Service, question: Question) -> Answer:
    if not service.streams.begin():
        raise busy()
    try:
        return service.ask(question)
    finally:
        service.streams.end()


def busy() -> Problem:
    """All places for answers are taken."""
    return Problem("busy", "As many answers as allowed are being written.", retry_after=RETRY_SECONDS)


def _told(answer: Answer, profile: str | None, include: list[Literal["retrieved"]]) -> Any:
    if profile not in (None, "default"):
        import json

        try:
            return json.loads(answer.to(profile))
        except (ConfigError, ValueError) as error:
            raise _invalid("/profile", f"there is no profile {profile!r}") from error
    told = answer_dict(answer)
    return (
        told if "retrieved" in include else {name: one for name, one in told.items() if name != "retrieved"}
    )


def streamed(stream: Stream, after: int) -> StreamingResponse:
    """The frames of a stream as server-sent events, from behind number ``after``."""

    def lines() -> Iterator[str]:
        for item in stream.follow(after):
            yield ": ping\n\n" if item is None else encoded(f"{stream.name}:{item[0]}", item[1])

    return StreamingResponse(lines(), media_type="text/event-stream", headers=SSE_HEADERS)


def search_hit(hit: Hit) -> dict[str, Any]:
    """A passage with source 001's names."""
    info = hit.document
    return {
        "rank": hit.rank,
        "chunk_id": hit.chunk.chunk_id,
        "doc_id": info.doc_id,
        "section": " > ".join(hit.chunk.section) or None,
        "text": hit.chunk.text,
        "url": info.url,
        "score": round(hit.score, 4),
        "score_kind": hit.score_kind,
        "metadata": {
            "title": info.title,
            "owner": info.owner,
            "published_date": info.published_date,
            "version": info.version,
            "access_level": info.access_level,
            "source_type": info.kind,
            "language": info.language,
            **{f"score_{name}": round(part, 4) for name, part in sorted(hit.parts.items())},
        },
    }


def _invalid(pointer: str, detail: str) -> Problem:
    return Problem(
        "validation", f"{pointer.strip('/')}: {detail}.", errors=[{"pointer": pointer, "detail": detail}]
    )
