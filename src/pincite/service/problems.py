"""What goes wrong, as RFC 9457 problem details. Clients get one shape for every error, and never a traceback."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

from pincite.errors import ConfigError, ModelError, ParseError, PinciteError, StoreError

MEDIA_TYPE = "application/problem+json"

# slug -> status, title, and what the help page says to do about it.
KINDS: Mapping[str, tuple[int, str, str]] = {
    "validation": (422, "Request is not valid", "`errors` names each field that cannot be right, and what it may be."),
    "not-found": (404, "There is no such thing", "Ids are opaque: take them from a list or an answer. What you may not see is not there for you."),
    "method-not-allowed": (405, "This address does not take that method", "See /docs for what each address takes."),
    "unauthorized": (401, "A key is needed", "Send `Authorization: Bearer KEY`."),
    "forbidden": (403, "This key may not do that", "Reading keys cannot change documents. Ask for a key of another kind."),
    "unsupported-document": (415, "Documents of this kind are not read", "`supported` lists the kinds that are."),
    "document-too-large": (413, "The document is too large", "`limit_bytes` is the most that is taken."),
    "document-unreadable": (422, "The document cannot be read", "`hint` says what to do; nothing was stored."),
    "body-too-large": (413, "The request is too large", "`limit_bytes` is the most that is taken."),
    "index-stale": (409, "The index was made by another embedder", "Run the command in `fix` on the server."),
    "conflict": (409, "That is no longer possible", "See `detail`."),
    "rate-limited": (429, "Too many requests", "Wait `retry_after` seconds."),
    "busy": (503, "Too many answers are being written", "Wait `retry_after` seconds."),
    "too-slow": (408, "The request came too slowly", "Send the body without long pauses."),
    "model-unavailable": (503, "The model cannot be reached", "`retryable` says whether the same call may work later; `snippets` are the passages that match."),
    "model-timeout": (504, "The model did not answer in time", "The same call may work later."),
    "internal": (500, "Something went wrong here", "Give `request_id` to whoever runs this server: it is in the log."),
}  # fmt: skip


SCHEMA = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "instance", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "instance": {"type": "string"},
        "request_id": {"type": "string"},
        "errors": {"type": "array", "items": {"type": "object"}},
    },
}


def responses() -> dict[int | str, dict[str, Any]]:
    """How routes describe their errors."""
    titles: dict[int | str, str] = {}
    for status, title, _ in KINDS.values():
        titles.setdefault(status, title)
    return {
        status: {"description": title, "content": {MEDIA_TYPE: {"schema": SCHEMA}}}
        for status, title in titles.items()
    }


class Problem(Exception):
    """A request that ends with problem details. ``extra`` are the members of its kind."""

    def __init__(self, kind: str, detail: str, **extra: Any) -> None:
        super().__init__(detail)
        self.kind, self.detail, self.extra = kind, detail, extra
        self.headers: Mapping[str, str] = {}

    @property
    def status(self) -> int:
        return KINDS[self.kind][0]

    def body(self, request_id: str, instance: str) -> dict[str, Any]:
        status, title, _ = KINDS[self.kind]
        return {
            "type": f"/problems/{self.kind}",
            "title": title,
            "status": status,
            "detail": self.detail,
            "instance": instance,
            "request_id": request_id,
            **self.extra,
        }


def of_error(error: PinciteError) -> Problem:
    """What an error of the library is for a client. Nothing of the machine (paths, addresses) is told."""
    if isinstance(error, ConfigError):
        return Problem("validation", error.message, errors=[{"pointer": "", "detail": error.message}])
    if isinstance(error, ParseError):
        return _of_document(error)
    if isinstance(error, ModelError):
        kind = "model-timeout" if "time" in error.message and error.retryable else "model-unavailable"
        return Problem(kind, "The model did not answer.", retryable=error.retryable)
    if isinstance(error, StoreError) and "embedder" in error.message:
        return Problem("index-stale", "The index was made by another embedder.", fix="pincite add --rebuild")
    return Problem("internal", "The request could not be carried out.")


def _of_document(error: ParseError) -> Problem:
    status = getattr(error, "status", "unreadable")
    if status == "too_large":
        return Problem("document-too-large", error.message)
    return Problem("document-unreadable", error.message, stage="parse", hint=error.hint)


def response(problem: Problem, request: Request) -> JSONResponse:
    """The problem as it is sent. The path is given without its query: that may hold what nobody should log."""
    headers = {"Cache-Control": "no-store", **problem.headers}
    if problem.kind == "unauthorized":
        headers["WWW-Authenticate"] = "Bearer"
    if "retry_after" in problem.extra:
        headers["Retry-After"] = str(problem.extra["retry_after"])
    body = problem.body(request_id_of(request), request.url.path[:200])
    return JSONResponse(body, problem.status, headers=headers, media_type=MEDIA_TYPE)


def request_id_of(request: Request) -> str:
    """The id of the request: what the client sent as ``X-Request-Id``, or one made for it."""
    return str(request.scope.get("pincite.request_id", ""))
