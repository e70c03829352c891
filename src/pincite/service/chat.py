"""Questions and checks: ``POST /chat``, ``/api/verify``, ``/api/search``."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from pincite.answer import Answer
from pincite.errors import ConfigError
from pincite.ports import Judge
from pincite.renderers.json import report_dict
from pincite.renderers.profiles import PROFILES
from pincite.review import uncovered_aspects
from pincite.service.aisdk import HEADERS as AISDK_HEADERS
from pincite.service.aisdk import encoded as aisdk
from pincite.service.asking import Asked
from pincite.service.frames import Call, frames, told, whole
from pincite.service.frames import encoded as frame_form
from pincite.service.limits import traceparent_of
from pincite.service.problems import Problem, request_id_of, responses
from pincite.service.settings import Service
from pincite.service.streams import Frame, Stream
from pincite.types import Hit, Question, Turn

MAX_SOURCES = 1_000
MAX_ANSWER_CHARS = 200_000
MAX_CLIENT_CHARS = 200
RETRY_SECONDS = 2
GONE = 499
"""What the log says of a client that did not wait. Nobody reads it."""

SSE_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


Access = Literal["public", "internal", "confidential"]

JudgeName = Literal["rules", "entailment", "llm"]

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


class Options(Body):
    threshold: float | None = Field(
        default=None, ge=0, le=1, description="Decline when the passages are less likely than this to answer"
    )


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
    judge: JudgeName | None = None
    include: list[Literal["retrieved", "prompt", "raw"]] = Field(default_factory=list, max_length=10)
    options: Options | None = None
    stream: bool | Literal["checked", "draft", "aisdk"] | None = None

    def asked(self) -> tuple[str, tuple[Turn, ...]]:
        """The question and the turns before it, as the messages tell them."""
        if self.messages:
            *before, last = self.messages
            if last.role != "user":
                raise invalid("/messages", "the last message must be the user's")
            return last.content, turns_of((one.role, one.content) for one in before)
        text = self.question if self.question is not None else self.message
        if text is None:
            raise invalid("/question", "a question is needed")
        return text, ()


def turns_of(said: Iterable[tuple[str, str]]) -> tuple[Turn, ...]:
    """Earlier questions with the answers behind them, of messages as ``(role, text)``.

    Ids in them belong to nobody: they are not ours to count.
    """
    turns: list[Turn] = []
    question = ""
    for role, text in said:
        if role == "user":
            question = text
        elif role == "assistant" and question:
            turns.append(Turn(question, text))
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
    marker_style: Literal["auto"] = "auto"
    judge: JudgeName | None = None
    question: str | None = Field(
        default=None,
        max_length=10_000,
        description="What was asked; its parts that no source covers are told",
    )


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
    async def chat(
        body: ChatBody,
        request: Request,
        profile: Annotated[Profile | None, Query()] = None,
        accept: Annotated[str, Header()] = "application/json",
        last_event_id: Annotated[str, Header(max_length=100)] = "",
    ) -> Response:
        principal = service.principal(request)
        form: Form = aisdk if body.stream == "aisdk" else frame_form
        name, _, number = last_event_id.partition(":")
        if name and number.isascii() and number.isdecimal():
            stream = service.streams.find(name, principal.name)
            if stream is None:
                raise Problem("not-found", "This stream is over; the answer is kept under its id.")
            return streamed(stream, int(number), form)
        asked = await run_in_threadpool(_asked, service, request, body)
        if body.stream or (body.stream is None and "text/event-stream" in accept):
            call = Call(request_id_of(request), request.url.path, drafts=body.stream == "draft")
            found = service.streams.start(
                principal.name,
                lambda stream: frames(service.events(asked, stream.is_abandoned), asked, call),
            )
            if found is None:
                raise busy()
            return streamed(found, 0, form)
        answer = await answered(service, principal.name, asked, request)
        if answer is None:
            return Response(status_code=GONE)
        return JSONResponse(await run_in_threadpool(_told, answer, asked, profile or _profile_in(accept)))

    @router.post("/api/verify", summary="Check an answer that somebody else gave", response_model=None)
    def verify(body: VerifyBody, request: Request) -> JSONResponse:
        service.principal(request)
        if isinstance(body.answer, str) and len(body.answer) > MAX_ANSWER_CHARS:
            raise invalid("/answer", f"must have at most {MAX_ANSWER_CHARS:,} characters")
        judge = None if body.judge is None else _judge(service, body.judge)
        from pincite.verification import verify as check

        try:
            report = check(body.answer, body.sources, judge=judge or service.pipeline.parts.judge)
        except ConfigError as error:
            raise invalid("/sources", error.message) from error
        missing = (
            uncovered_aspects(body.question, report.sentences, report.citations, None)
            if body.question
            else ()
        )
        return JSONResponse({**report_dict(report), "uncovered_aspects": list(missing), "lines": str(report)})

    @router.post("/api/search", summary="Find passages", response_model=None)
    def search(body: SearchBody, request: Request) -> JSONResponse:
        reader = service.reader(request, body.access)
        hits = rag.retrieve(
            body.query, top_k=body.top_k, reader=reader, filters=tuple(sorted(body.filters.items()))
        )
        return JSONResponse({"hits": [search_hit(hit) for hit in hits]})

    return router


def _asked(service: Service, request: Request, body: ChatBody) -> Asked:
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
        raise invalid("/question", "the question is empty")
    if body.judge is not None:
        _judge(service, body.judge)
    settings = service.pipeline.settings
    question = Question(
        text,
        history=turns,
        reader=reader,
        language=body.language,
        top_k=settings.top_k if body.top_k is None else body.top_k,
        filters=tuple(sorted(body.filters.items())),
        conversation_id=conversation,
        traceparent=traceparent_of(request),
        principal=service.principal(request).name,
        client=client_of(request),
    )
    threshold = None if body.options is None else body.options.threshold
    return Asked(question, threshold=threshold, judge=body.judge, include=frozenset(body.include))


def client_of(request: Request) -> str:
    """The program that asks, as it calls itself: for the log."""
    named = request.headers.get("user-agent", "")[:MAX_CLIENT_CHARS]
    return "".join(char if char.isprintable() else "\ufffd" for char in named)


def _judge(service: Service, name: str) -> Judge:
    try:
        return service.judge(name)
    except ConfigError as error:
        raise invalid("/judge", error.message) from error


async def answered(service: Service, owner: str, asked: Asked, request: Request) -> Answer | None:
    """The answer, or ``None`` when the client has gone: the model is stopped then."""
    stream = service.streams.start(owner, lambda stream: whole(service.events(asked, stream.is_abandoned)))
    if stream is None:
        raise busy()
    if not await stream.whole(request.is_disconnected):
        return None
    if stream.error is not None:
        raise stream.error
    if not stream.frames:
        raise busy()  # the service is being stopped
    answer: Answer = stream.frames[-1][1]["answer"]
    return answer


def busy() -> Problem:
    """All places for answers are taken."""
    return Problem("busy", "As many answers as allowed are being written.", retry_after=RETRY_SECONDS)


def _profile_in(accept: str) -> str | None:
    """The profile that ``Accept: application/json;profile="quoted-004"`` asks for."""
    for part in accept.split(",")[:20]:
        for option in part.split(";")[1:]:
            name, _, value = option.partition("=")
            if name.strip().lower() == "profile" and value.strip(' "') in PROFILES:
                return value.strip(' "')
    return None


def _told(answer: Answer, asked: Asked, profile: str | None) -> Any:
    if profile not in (None, "default"):
        return PROFILES[profile](answer)
    return told(answer, asked)


Form = Callable[[str, Frame], str]
"""How a frame and its number go over the wire."""


def streamed(stream: Stream, after: int, form: Form) -> StreamingResponse:
    """The frames of a stream as server-sent events, from behind number ``after``."""

    async def lines() -> AsyncIterator[str]:
        async for item in stream.follow(after):
            yield ": ping\n\n" if item is None else form(f"{stream.name}:{item[0]}", item[1])

    headers = {**SSE_HEADERS, **(AISDK_HEADERS if form is aisdk else {})}
    return StreamingResponse(lines(), media_type="text/event-stream", headers=headers)


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


def invalid(pointer: str, detail: str) -> Problem:
    """A field of the body that cannot be right."""
    return Problem(
        "validation", f"{pointer.strip('/')}: {detail}.", errors=[{"pointer": pointer, "detail": detail}]
    )
