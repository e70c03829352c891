"""The address that stock clients of chat models call: ``/v1/chat/completions``. What they get is checked all the same."""

from __future__ import annotations

import json
import logging
from collections.abc import Generator
from contextlib import closing
from datetime import datetime
from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from pincite.answer import Answer
from pincite.errors import PinciteError
from pincite.events import Checked, Event, Finished, Started
from pincite.findings import Citation
from pincite.renderers.json import answer_dict
from pincite.service.asking import Asked
from pincite.service.chat import GONE, answered, busy, client_of, streamed, turns_of
from pincite.service.frames import printed
from pincite.service.limits import traceparent_of
from pincite.service.problems import Problem, of_error, responses
from pincite.service.settings import Service
from pincite.service.streams import Frame
from pincite.text.brackets import find_markers
from pincite.text.grammar import Ids
from pincite.types import Question

log = logging.getLogger("pincite.service")

MODEL = "pincite"
END = "[DONE]"


class Part(BaseModel):
    model_config = ConfigDict(extra="allow")

    type: str = Field(max_length=40)
    text: str = Field(default="", max_length=200_000)


class Message(BaseModel):
    model_config = ConfigDict(extra="allow")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = Field(default=None)

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="allow")

    include_usage: bool = Field(default=False, strict=True)


class CompletionBody(BaseModel):
    """Clients send many settings of sampling; there is nothing here that they could set."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {"model": MODEL, "messages": [{"role": "user", "content": "How long can I return shoes?"}]}
            ]
        },
    )

    model: str = Field(default=MODEL, max_length=200)
    messages: list[Message] = Field(min_length=1, max_length=200)
    stream: bool | None = Field(default=None, strict=True)
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = None


def routes(service: Service) -> APIRouter:
    """The routes of this module."""
    router = APIRouter(tags=["compatible"], responses=responses())

    @router.get("/v1/models", summary="The one model there is", response_model=None)
    def models(request: Request) -> JSONResponse:
        service.principal(request)
        model = {"id": MODEL, "object": "model", "created": 0, "owned_by": MODEL}
        return JSONResponse({"object": "list", "data": [model]})

    @router.post(
        "/v1/chat/completions",
        summary="Ask as a stock client of chat models does",
        response_model=None,
        responses={200: {"content": {"application/json": {}, "text/event-stream": {}}}},
    )
    async def completions(body: CompletionBody, request: Request) -> Response:
        owner = service.principal(request).name
        asked = Asked(_question(service, request, body))
        if body.stream:
            usage = body.stream_options is not None and body.stream_options.include_usage
            stream = service.streams.start(
                owner,
                lambda stream: _chunks(
                    service.events(asked, stream.is_abandoned), body.model, include_usage=usage
                ),
            )
            if stream is None:
                raise busy()
            return streamed(stream, 0, _encoded)
        answer = await answered(service, owner, asked, request)
        if answer is None:
            return Response(status_code=GONE)
        return JSONResponse(_completion(answer, body.model))

    return router


def _question(service: Service, request: Request, body: CompletionBody) -> Question:
    *before, last = body.messages
    if last.role != "user" or not last.text.strip():
        raise Problem(
            "validation",
            "messages: the last one must be the user's and say something.",
            errors=[{"pointer": "/messages", "detail": "must end with a message of the user"}],
        )
    return Question(
        last.text,
        history=turns_of((one.role, one.text) for one in before),
        reader=service.reader(request),
        top_k=service.pipeline.settings.top_k,
        traceparent=traceparent_of(request),
        principal=service.principal(request).name,
        client=client_of(request),
    )


def _completion(answer: Answer, model: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{answer.id}",
        "object": "chat.completion",
        "created": _unix(answer.created_at),
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": answer.text,
                    "refusal": None,
                    "annotations": _annotations(answer),
                },
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": _usage(answer),
        "sources": _sources(answer.citations),
        "pincite": answer_dict(answer),
    }


def _chunks(events: Generator[Event], model: str, *, include_usage: bool) -> Generator[Frame]:
    """Checked sentences as pieces of a message, in the order of showing; then annotations, and the end."""
    name, created = "chatcmpl-pincite", 0

    def chunk(delta: dict[str, Any] | None, finish: str | None = None, **extra: Any) -> Frame:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return (
            "chunk",
            {
                "id": name,
                "object": "chat.completion.chunk",
                "created": created,
                "model": model,
                "choices": [] if delta is None else [choice],
                **extra,
            },
        )

    numbers: dict[str, str] = {}
    said = False
    try:
        with closing(events):
            for event in events:
                if isinstance(event, Started):
                    name = f"chatcmpl-{event.answer_id}"
                    yield chunk({"role": "assistant", "content": ""})
                elif isinstance(event, Checked) and event.shown:
                    for citation in event.citations:
                        numbers.setdefault(citation.id, str(len(numbers) + 1))
                    text = printed(event.sentence, numbers)
                    yield chunk({"content": f" {text}" if said else text})
                    said = True
                elif isinstance(event, Finished):
                    answer = event.answer
                    created = _unix(answer.created_at)
                    rest = "\n\n".join(answer.notes) if said else answer.text
                    if rest:
                        yield chunk({"content": f"\n\n{rest}" if said else rest})
                    yield chunk(
                        {"annotations": _annotations(answer)},
                        "stop",
                        sources=_sources(answer.citations),
                        pincite=answer_dict(answer),
                    )
                    if include_usage:
                        yield chunk(None, usage=_usage(answer))
    except PinciteError as error:
        problem = of_error(error)
        yield "error", {"error": {"message": problem.detail, "type": problem.kind, "code": problem.status}}
    except Exception:  # a stream that has begun has no status left to say it with
        yield "error", {"error": {"message": "The request could not be carried out.", "type": "internal"}}
        log.exception("unexpected, in a completion")
    yield END, {}


def _encoded(number: str, frame: Frame) -> str:
    name, data = frame
    return f"data: {END if name == END else json.dumps(data, ensure_ascii=False)}\n\n"


def _annotations(answer: Answer) -> list[dict[str, Any]]:
    """Where the markers of ``answer.text`` stand, and what they point to. Offsets are code points in it."""
    text = answer.text
    by_number = {str(one.n): one for one in answer.citations}
    found = []
    for marker in find_markers(text, Ids(tuple(by_number))):
        for cited in marker.cited:
            citation = by_number.get(cited.id)
            if citation is not None:
                found.append(
                    {
                        "type": "url_citation",
                        "url_citation": {
                            "start_index": marker.span.start,
                            "end_index": marker.span.end,
                            "title": citation.document.title or citation.doc_id,
                            "url": citation.document.url or f"pincite://chunk/{citation.chunk_id}",
                        },
                    }
                )
    return found


def _sources(citations: tuple[Citation, ...]) -> list[dict[str, Any]]:
    """As Open WebUI shows sources: parallel lists, one entry for each cited passage. Its pages count from 0."""
    return [
        {
            "source": {
                "id": citation.chunk_id,
                "name": citation.document.title or citation.doc_id,
                "url": citation.document.url,
            },
            "document": [citation.quote_full],
            "metadata": [
                {
                    "source": citation.source,
                    "name": citation.document.title or citation.doc_id,
                    "page": citation.page_index,
                    "file_id": citation.doc_id,
                    "status": citation.status.value,
                }
            ],
            "distances": [round(citation.score, 4)],
        }
        for citation in citations
    ]


def _usage(answer: Answer) -> dict[str, int]:
    read, written = answer.usage.input_tokens or 0, answer.usage.output_tokens or 0
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _unix(created_at: str) -> int:
    return int(datetime.fromisoformat(created_at.replace("Z", "+00:00")).timestamp())
