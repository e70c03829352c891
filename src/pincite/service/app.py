"""The HTTP service: routes put together, errors told as problems, what operations need."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

import anyio.to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

from pincite import __version__
from pincite.errors import PinciteError
from pincite.service import answers, chat, compatible, documents, evals, reviews, uploads
from pincite.service.limits import MAX_BODY_BYTES, Guard
from pincite.service.problems import KINDS, Problem, of_error, response
from pincite.service.settings import Service
from pincite.types import AccessLevel, Reader

log = logging.getLogger("pincite.service")

THREADS = 40
"""For requests; answers are written by threads of their own."""

_STATUS_KINDS = {
    404: "not-found",
    405: "method-not-allowed",
    401: "unauthorized",
    403: "forbidden",
    408: "too-slow",
    413: "body-too-large",
}
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def create_app(service: Service) -> FastAPI:
    """The ASGI application of a service."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        yield
        await anyio.to_thread.run_sync(service.close)

    app = FastAPI(
        title="pincite",
        version=__version__,
        summary="Answers from your documents, with every citation checked.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
    )
    app.add_middleware(Guard, max_upload_bytes=service.max_upload_bytes)
    _tell_errors(app)
    for part in (chat, uploads, documents, answers, reviews, evals, compatible):
        app.include_router(part.routes(service))
    _operations(app, service)
    _page(app)
    return app


def _tell_errors(app: FastAPI) -> None:
    @app.exception_handler(Problem)
    def problem(request: Request, error: Problem) -> JSONResponse:
        return response(error, request)

    @app.exception_handler(PinciteError)
    def known(request: Request, error: PinciteError) -> JSONResponse:
        return response(of_error(error), request)

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        found = [
            {"pointer": "/" + "/".join(str(part) for part in one["loc"][1:]), "detail": one["msg"]}
            for one in error.errors()
        ]
        first = found[0] if found else {"pointer": "", "detail": "is not valid"}
        where = first["pointer"].strip("/")
        detail = f"{where}: {first['detail']}" if where else _about_body(request, first["detail"])
        return response(Problem("validation", detail, errors=found), request)

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> JSONResponse:
        kind = _STATUS_KINDS.get(error.status_code, "validation" if error.status_code < 500 else "internal")
        problem = Problem(kind, KINDS[kind][1] + ".")
        problem.headers = error.headers or {}
        if error.status_code == 405:
            problem.headers = {"Allow": ", ".join(_methods(app, request))}
        return response(problem, request)

    @app.exception_handler(Exception)
    def unexpected(request: Request, error: Exception) -> JSONResponse:
        log.error("unexpected %s at %s", type(error).__name__, request.url.path[:200], exc_info=error)
        return response(Problem("internal", "The request could not be carried out."), request)


def _about_body(request: Request, said: str) -> str:
    """What is wrong with a body as a whole: mostly that nothing says it is JSON, as curl's ``-d`` does not."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json" or kind.endswith("+json"):
        return f"The body: {said}"
    return "The body must be JSON, with the header `content-type: application/json`."


def _methods(app: FastAPI, request: Request) -> list[str]:
    """What an address takes, over all its routes."""
    taken = {
        method
        for route in app.routes
        if isinstance(route, Route) and route.matches(dict(request.scope))[0] is not Match.NONE
        for method in route.methods or ()
    }
    return sorted(taken)


def _operations(app: FastAPI, service: Service) -> None:
    @app.get(
        "/healthz",
        tags=["operations"],
        summary="Whether the process runs",
        response_class=PlainTextResponse,
    )
    def healthz() -> PlainTextResponse:
        return PlainTextResponse("ok\n")

    @app.get(
        "/readyz",
        tags=["operations"],
        summary="Whether questions can be answered",
        response_class=PlainTextResponse,
        responses={503: {"description": "The index cannot be read", "content": {"text/plain": {}}}},
    )
    def readyz() -> PlainTextResponse:
        try:
            service.pipeline.parts.store.languages(Reader(AccessLevel.PUBLIC))
        except PinciteError:
            return PlainTextResponse("the index cannot be read\n", 503)
        if (
            service.pipeline.parts.unlogged.count
        ):  # answers go on: a load balancer must not take them all away
            return PlainTextResponse("ready, but answers cannot be logged\n")
        return PlainTextResponse("ready\n")

    @app.get(
        "/metrics", tags=["operations"], summary="Counters for monitoring", response_class=PlainTextResponse
    )
    def metrics(request: Request) -> Response:
        who = service.operator(request)  # counts of all readers are for those who run the service
        data = service.metrics.text(streams=service.streams.running, reader=who.reader)
        return Response(data, media_type="text/plain; version=0.0.4; charset=utf-8")

    @app.get(
        "/api/config",
        tags=["operations"],
        summary="What a page must know before it sends",
        response_model=None,
    )
    def config() -> JSONResponse:
        from pincite.parsers import SUFFIXES

        return JSONResponse(
            {
                "max_upload_bytes": service.max_upload_bytes,
                "max_body_bytes": MAX_BODY_BYTES,
                "suffixes": sorted(SUFFIXES),
                "needs_key": service.keys is not None,
                "version": __version__,
            }
        )

    @app.get("/problems/{kind}", include_in_schema=False, response_model=None)
    def help_on(kind: str) -> Response:
        if kind not in KINDS:
            raise Problem("not-found", "There is no such problem.")
        status, title, step = KINDS[kind]
        return PlainTextResponse(f"{title} ({status})\n\n{step}\n")


def _page(app: FastAPI) -> None:
    """The page and what it needs, from the package. Unknown addresses of answers are the page's own."""
    folder = files("pincite.service") / "static"

    def static(name: str) -> Response:
        suffix = name[name.rfind(".") :]
        try:
            data = (folder / name).read_bytes()
        except OSError as error:
            raise Problem("not-found", "There is no such file.") from error
        return Response(data, media_type=_TYPES[suffix], headers={"Cache-Control": "no-cache"})

    @app.get("/static/{name}", include_in_schema=False, response_model=None)
    def asset(name: str) -> Response:
        known = name.replace("-", "").replace("_", "").replace(".", "").isalnum()
        if not known or name[name.rfind(".") :] not in _TYPES:
            raise Problem("not-found", "There is no such file.")
        return static(name)

    @app.get("/", include_in_schema=False, response_model=None)
    @app.get("/a/{answer_id}", include_in_schema=False, response_model=None)
    @app.get("/verify", include_in_schema=False, response_model=None)
    @app.get("/documents", include_in_schema=False, response_model=None)
    @app.get("/history", include_in_schema=False, response_model=None)
    @app.get("/reviews", include_in_schema=False, response_model=None)
    @app.get("/evals", include_in_schema=False, response_model=None)
    @app.get("/evals/{answer_id}", include_in_schema=False, response_model=None)
    @app.get("/evals/{answer_id}/{item_id:path}", include_in_schema=False, response_model=None)
    def page(answer_id: str = "", item_id: str = "") -> Response:
        return static("index.html")

    @app.get("/docs", include_in_schema=False, response_model=None)
    def docs() -> HTMLResponse:
        return HTMLResponse(_docs_page(app.openapi()))


def _docs_page(schema: dict[str, Any]) -> str:
    """The routes as a plain page: what FastAPI would show needs scripts of other people's servers."""
    import html

    rows = []
    for path, methods in schema["paths"].items():
        for method, about in methods.items():
            what = html.escape(f"{method.upper()} {path}")
            rows.append(
                f"<tr><td><code>{what}</code></td><td>{html.escape(about.get('summary', ''))}</td></tr>"
            )
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>pincite: HTTP interface</title>"
        '<link rel=stylesheet href="/static/page.css"><main><h1>HTTP interface</h1><p>The whole description, with examples: '
        f'<a href="/openapi.json">openapi.json</a>.</p><table>{"".join(rows)}</table></main></html>'
    )
