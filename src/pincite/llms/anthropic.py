"""Anthropic's Messages: the answer as the input of a tool, or as prose with the citations that the provider itself makes.

The provider's citations are read like any model's quotes, and checked like them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Literal

from pincite.errors import ConfigError, install_line
from pincite.llms.calls import (
    CONNECT_TIMEOUT_S,
    Response,
    Server,
    call,
    check_address,
    host_of,
    transport_failures,
    understood,
)
from pincite.llms.cited import CitedText
from pincite.llms.options import ModelOptions
from pincite.llms.sent import native_system, wrapped_system
from pincite.llms.wire import ReplyFault
from pincite.ports import Delta, Model, ModelRequest
from pincite.prompts import schema
from pincite.text.characters import sendable
from pincite.text.shown import asked, described, shown_text
from pincite.types import Hit

EXTRA = "anthropic"

_CUTS = {"max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "refusal"}
_RETRYABLE = frozenset({"overloaded_error", "rate_limit_error", "api_error", "timeout_error"})


@dataclass(frozen=True, slots=True)
class Dialect:
    """What the server understands. ``form`` is how an answer is asked for; ``text`` is lines in plain text."""

    form: Literal["tool", "citations", "text"] = "tool"
    temperature: bool = True
    eager: bool = True


def lesser(dialect: Dialect, refusal: str) -> Dialect | None:
    """The next dialect to try after a server refused a request with these words; ``None`` when it means something else.

    >>> lesser(Dialect(), "tool_choice: forced tool use is not supported").form
    'text'
    """
    said = refusal.casefold()
    if dialect.temperature and "temperature" in said:
        return replace(dialect, temperature=False)
    if dialect.eager and "eager_input_streaming" in said:
        return replace(dialect, eager=False)
    if dialect.form != "text" and any(word in said for word in ("tool", "citations", "document")):
        return replace(dialect, form="text")
    return None


class AnthropicModel:
    """A model of Anthropic. What the server cannot do is learnt from its first refusal and remembered."""

    def __init__(self, client: Any, options: ModelOptions, dialect: Dialect) -> None:
        self._client, self._options, self._dialect = client, options, dialect

    def __repr__(self) -> str:
        return f"AnthropicModel({self._options.name!r} at {host_of(self._client.base_url)})"

    @property
    def dialect(self) -> Dialect:
        """What the server is known to understand."""
        return self._dialect

    def __call__(self, request: ModelRequest) -> Iterator[Delta]:
        """See ``ports.Model``."""
        import anthropic

        failures: tuple[type[Exception], ...] = (anthropic.AnthropicError, *transport_failures())
        server = Server(self._options, lambda: self._opened(request), failures)
        return call(server, lambda events: self._read(events, request))

    def _opened(self, request: ModelRequest) -> AbstractContextManager[Response]:
        import anthropic

        def create(dialect: Dialect) -> AbstractContextManager[Response]:
            arguments = _arguments(request, self._options, dialect)
            opened: AbstractContextManager[Response] = self._client.messages.with_streaming_response.create(
                **arguments
            )
            return opened

        return understood(
            create,
            self._dialect,
            lesser=lesser,
            refusals=(anthropic.BadRequestError, anthropic.UnprocessableEntityError),
            learnt=self._learn,
            name=self._options.name,
        )

    def _learn(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def _read(self, events: Iterator[Mapping[str, object]], request: ModelRequest) -> Iterator[Delta]:
        native = _is_native(request, self._dialect)
        cited = CitedText(first_id=request.question.first_id) if native else None
        ended = False
        cut = ""
        tokens: dict[str, int] = {}
        for event in _streamed(events):
            kind = event.get("type")
            if kind == "error":
                raise _refused(event.get("error"))
            _count(tokens, event.get("usage"))
            if kind == "message_start":
                _count(tokens, _mapping(event.get("message")).get("usage"))
            elif kind == "content_block_delta":
                delta = _mapping(event.get("delta"))
                text = _string(delta.get("text")) or _string(delta.get("partial_json"))
                if cited is None and text:
                    yield Delta(text)
                elif cited is not None:
                    yield Delta(cited.add_text(text))
                    cited.add_citation(_mapping(delta.get("citation")))
            elif kind == "content_block_stop":
                yield Delta("\n" if cited is None else cited.ended_block())
            elif kind == "message_delta":
                reason = _mapping(event.get("delta")).get("stop_reason")
                ended = ended or reason is not None
                cut = _CUTS.get(str(reason), cut)
            elif kind == "message_stop":
                ended = True
        if cited is not None:
            yield Delta(cited.rest(cut=bool(cut) or not ended))
        if not ended:
            raise ReplyFault("closed the connection before the end of the reply", retryable=True)
        yield Delta("", usage=self._options.usage(tokens.get("input"), tokens.get("output")), cut=cut)


def _arguments(request: ModelRequest, options: ModelOptions, dialect: Dialect) -> dict[str, Any]:
    """What is sent, as arguments of the library."""
    content: Any = sendable(request.prompt)
    system = request.system
    if _is_native(request, dialect):
        content, system = _documents(request), native_system(request)
    arguments: dict[str, Any] = {
        "model": options.name,
        "max_tokens": options.max_reply_tokens,
        "messages": [{"role": "user", "content": content}],
        "stream": True,
    }
    if dialect.form == "tool" and request.form != "text":
        name = "judge" if request.form == "verdict" else "answer"
        tool: dict[str, Any] = {"name": name, "input_schema": schema(name)}
        if dialect.eager:
            tool["eager_input_streaming"] = True  # otherwise the whole answer comes in one piece at the end
        arguments |= {"tools": [tool], "tool_choice": {"type": "tool", "name": name}}
        if request.form == "statements":
            system = wrapped_system(request)
    if system.strip():
        arguments["system"] = sendable(system)
    if dialect.temperature:
        arguments["extra_body"] = {
            "temperature": options.temperature
        }  # newer libraries have no argument for it
    return arguments


def _is_native(request: ModelRequest, dialect: Dialect) -> bool:
    """Whether the provider is to cite by itself. A retry shows the failed lines, so it is asked for in lines."""
    return dialect.form == "citations" and request.form == "statements" and not request.failed


def _documents(request: ModelRequest) -> list[dict[str, Any]]:
    """The sources as documents, in order, and the question behind them."""
    question = {"type": "text", "text": sendable(asked(request.question))}
    return [
        *(_document(place, hit) for place, hit in enumerate(request.hits, start=request.question.first_id)),
        question,
    ]


def _document(place: int, hit: Hit) -> dict[str, Any]:
    return {
        "type": "document",
        "source": {"type": "text", "media_type": "text/plain", "data": sendable(shown_text(hit))},
        "title": sendable(f"c-{place}: {described(hit)}")[:255],
        "citations": {"enabled": True},
    }


def _streamed(events: Iterator[Mapping[str, object]]) -> Iterator[Mapping[str, object]]:
    """The events of a stream; of a whole message, what its stream would have been."""
    for event in events:
        if event.get("type") != "message":
            yield event
            continue
        content = event.get("content")
        for block in content if isinstance(content, list) else []:
            yield from _block_events(_mapping(block))
        yield {
            "type": "message_delta",
            "delta": {"stop_reason": event.get("stop_reason")},
            "usage": event.get("usage"),
        }


def _block_events(block: Mapping[str, Any]) -> Iterator[Mapping[str, object]]:
    written = json.dumps(block["input"]) if isinstance(block.get("input"), dict) else ""
    yield {"type": "content_block_delta", "delta": {"text": block.get("text"), "partial_json": written}}
    citations = block.get("citations")
    for one in citations if isinstance(citations, list) else []:
        yield {"type": "content_block_delta", "delta": {"citation": one}}
    yield {"type": "content_block_stop"}


def _count(tokens: dict[str, int], usage: object) -> None:
    """Keep the latest counts; what was read from or written to a cache was read too."""
    values = _mapping(usage)
    read = [
        values.get(name)
        for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    ]
    numbers = [one for one in read if isinstance(one, int)]
    if isinstance(values.get("input_tokens"), int):
        tokens["input"] = sum(numbers)
    if isinstance(values.get("output_tokens"), int):
        tokens["output"] = values["output_tokens"]


def _refused(error: object) -> ReplyFault:
    values = _mapping(error)
    said = _string(values.get("message")) or str(error)
    return ReplyFault(f"reported an error: {said[:200]}", retryable=values.get("type") in _RETRYABLE)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


# --- opening ------------------------------------------------------------------------------------


def open_anthropic(options: ModelOptions) -> Model:
    """A model that gives its answer as the input of a tool. Raises ``ConfigError`` as ``open_citations``."""
    return _open(options, Dialect())


def open_citations(options: ModelOptions) -> Model:
    """A model that answers in prose with the provider's own citations.

    Raises:
        ConfigError: The extra is not installed, no model is named, or there is no key.
    """
    return _open(options, Dialect(form="citations"))


def _open(options: ModelOptions, dialect: Dialect) -> Model:
    try:
        import anthropic
    except ImportError as error:
        raise ConfigError("the library for this model is not installed", hint=install_line(EXTRA)) from error
    if not options.name:
        raise ConfigError("anthropic needs a model", where=options.where, hint='write it as "anthropic:NAME"')
    if not options.api_key and not options.base_url:
        raise ConfigError(
            "there is no key for Anthropic",
            where=options.where,
            hint=f"set {options.key_variable or 'ANTHROPIC_API_KEY'}",
        )
    check_address(options)
    client = anthropic.Anthropic(
        base_url=options.base_url,
        api_key=options.api_key or "none",
        max_retries=0,  # ``calls`` retries: within the time there is, and by the server's own word
        timeout=anthropic.Timeout(options.read_timeout_s, connect=min(CONNECT_TIMEOUT_S, options.timeout_s)),
    )
    client.auth_token = None  # some versions send what ANTHROPIC_AUTH_TOKEN holds as well, to any address
    return AnthropicModel(client, options, dialect)
