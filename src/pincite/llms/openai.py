"""OpenAI's chat completions, and every server that speaks them (Ollama, vLLM, llama.cpp, LM Studio, Azure and others)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
from pincite.llms.options import ModelOptions
from pincite.llms.sent import wrapped_system
from pincite.llms.wire import ReplyFault
from pincite.ports import Delta, Model, ModelRequest
from pincite.prompts import schema
from pincite.text.characters import sendable

EXTRA = "openai"

Format = Literal["schema", "object", "text"]

_LESS: Mapping[Format, Format] = {"schema": "object", "object": "text"}
_CUTS = {"length": "length", "content_filter": "refusal"}
_FORMAT_WORDS = (
    "response_format",
    "json_schema",
    "json_object",
    "json mode",
    "schema",
    "structured output",
    "grammar",
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server understands. It is tried from the most to the least, and what it refuses is not sent again."""

    format: Format = "schema"
    temperature: bool = True
    usage: bool = True
    limit: str = "max_tokens"


def lesser(dialect: Dialect, refusal: str) -> Dialect | None:
    """The next dialect to try after a server refused a request with these words; ``None`` when it means something else.

    >>> lesser(Dialect(), "response_format.type json_schema is not supported").format
    'object'
    >>> lesser(Dialect(format="text", temperature=False), "no such model")
    """
    said = refusal.casefold()
    if dialect.temperature and "temperature" in said:
        return replace(dialect, temperature=False)
    if "max_completion_tokens" in said and dialect.limit == "max_tokens":
        return replace(dialect, limit="max_completion_tokens")
    if dialect.limit in said and dialect.limit == "max_completion_tokens":
        return replace(dialect, limit="max_tokens")
    if dialect.usage and ("stream_options" in said or "include_usage" in said):
        return replace(dialect, usage=False)
    if any(word in said for word in _FORMAT_WORDS) or not said:
        return _without_format(dialect)
    return None


def _without_format(dialect: Dialect) -> Dialect | None:
    less = _LESS.get(dialect.format)
    return None if less is None else replace(dialect, format=less)


class OpenAIModel:
    """A model of a server. What the server cannot do is learnt from its first refusal and remembered."""

    def __init__(self, client: Any, options: ModelOptions, dialect: Dialect) -> None:
        self._client, self._options, self._dialect = client, options, dialect

    def __repr__(self) -> str:
        return f"OpenAIModel({self._options.name!r} at {host_of(self._client.base_url)})"

    @property
    def dialect(self) -> Dialect:
        """What the server is known to understand."""
        return self._dialect

    def __call__(self, request: ModelRequest) -> Iterator[Delta]:
        """See ``ports.Model``."""
        import openai

        server = Server(
            self._options, lambda: self._opened(request), (openai.OpenAIError, *transport_failures())
        )
        return call(server, self._read)

    def _opened(self, request: ModelRequest) -> AbstractContextManager[Response]:
        import openai

        def create(dialect: Dialect) -> AbstractContextManager[Response]:
            arguments = _arguments(request, self._options, dialect)
            opened: AbstractContextManager[Response] = (
                self._client.chat.completions.with_streaming_response.create(**arguments)
            )
            return opened

        return understood(
            create,
            self._dialect,
            lesser=lesser,
            refusals=(openai.BadRequestError, openai.UnprocessableEntityError),
            learnt=self._learn,
            name=self._options.name,
        )

    def _learn(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def _read(self, events: Iterator[Mapping[str, object]]) -> Iterator[Delta]:
        ended = False
        cut = ""
        usage = None
        for event in events:
            if event.get("error"):
                raise _refused(event["error"])
            usage = self._usage(event.get("usage")) or usage
            choice = _first(event.get("choices"))
            message = choice.get("delta") or choice.get("message")
            if isinstance(message, dict):
                if message.get("refusal"):
                    cut = "refusal"
                text = _text(message.get("content"))
                if text:
                    yield Delta(text)
            reason = choice.get("finish_reason")
            if reason:
                ended = True
                cut = _CUTS.get(str(reason), cut)
        if not ended and usage is None:
            raise ReplyFault("closed the connection before the end of the reply", retryable=True)
        yield Delta("", usage=usage, cut=cut)

    def _usage(self, reported: object) -> Any:
        if not isinstance(reported, dict):
            return None
        return self._options.usage(reported.get("prompt_tokens"), reported.get("completion_tokens"))


def _arguments(request: ModelRequest, options: ModelOptions, dialect: Dialect) -> dict[str, Any]:
    """What is sent, as arguments of the library."""
    as_lines = request.form != "statements" or dialect.format == "text"
    system = request.system if as_lines else wrapped_system(request)
    messages = [{"role": "system", "content": sendable(system)}] if system.strip() else []
    arguments: dict[str, Any] = {
        "model": options.name,
        "messages": [*messages, {"role": "user", "content": sendable(request.prompt)}],
        "stream": True,
        dialect.limit: options.max_reply_tokens,
    }
    if dialect.temperature:
        arguments["temperature"] = options.temperature
    if dialect.usage:
        arguments["stream_options"] = {"include_usage": True}
    if request.form != "text" and dialect.format != "text":
        arguments["response_format"] = _format(request.form, dialect.format)
    return arguments


def _format(form: str, kind: str) -> dict[str, Any]:
    if kind == "object":
        return {"type": "json_object"}
    name = "judge" if form == "verdict" else "answer"
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema(name)}}


def _first(choices: object) -> Mapping[str, Any]:
    found = choices[0] if isinstance(choices, list) and choices else None
    return found if isinstance(found, dict) else {}


def _text(content: object) -> str:
    """The text of a message; some servers send a list of parts."""
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _refused(error: object) -> ReplyFault:
    """An error that arrives inside a reply that had begun well."""
    said = error.get("message") if isinstance(error, dict) else error
    code = error.get("code") if isinstance(error, dict) else None
    lasting = isinstance(code, int) and 400 <= code < 500 and code not in (408, 429)
    return ReplyFault(f"reported an error: {str(said)[:200]}", retryable=not lasting)


# --- opening ------------------------------------------------------------------------------------


def _library() -> Any:
    try:
        import openai
    except ImportError as error:
        raise ConfigError("the library for this model is not installed", hint=install_line(EXTRA)) from error
    return openai


def _opened_with(dialect: Dialect) -> Callable[[ModelOptions], Model]:
    def open_one(options: ModelOptions) -> Model:
        openai = _library()
        check_address(options)
        client = openai.OpenAI(
            base_url=options.base_url,
            api_key=options.api_key or "none",  # a local server wants none; the library wants one
            max_retries=0,  # ``calls`` retries: within the time there is, and by the server's own word
            timeout=openai.Timeout(options.read_timeout_s, connect=min(CONNECT_TIMEOUT_S, options.timeout_s)),
        )
        return OpenAIModel(client, options, dialect)

    return open_one


def open_openai(options: ModelOptions) -> Model:
    """A model of OpenAI itself, or of its address in ``OPENAI_BASE_URL``.

    Raises:
        ConfigError: The extra is not installed, no model is named, or there is no key.
    """
    if not options.name:
        raise ConfigError("openai needs a model", where=options.where, hint='write it as "openai:NAME"')
    if not options.api_key and not options.base_url:
        raise ConfigError(
            "there is no key for OpenAI",
            where=options.where,
            hint=f"set {options.key_variable or 'OPENAI_API_KEY'}",
        )
    return _opened_with(Dialect(limit="max_completion_tokens"))(options)


def open_compatible(options: ModelOptions) -> Model:
    """A model of the server at ``options.base_url``.

    Raises:
        ConfigError: The extra is not installed, or no model or address is named.
    """
    if not options.name:
        raise ConfigError(
            "openai-compatible needs a model",
            where=options.where,
            hint='write it as "openai-compatible:NAME"',
        )
    if not options.base_url:
        raise ConfigError(
            "openai-compatible needs the address of the server",
            where=options.where,
            hint='set [llm] base_url, such as "http://127.0.0.1:11434/v1"',
        )
    return _opened_with(Dialect())(options)
