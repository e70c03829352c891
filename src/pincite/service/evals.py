"""Evaluations: runs that were kept, each in the forms of a report, and new ones in the background.

A run is shown to those who may see everything that was answered in it: its level is the highest of the readers its
questions were asked as. Starting one is for the key that may see and change everything.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import threading
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import ConfigDict, Field

from pincite.access import EVERYTHING
from pincite.audit import run_doc_ids, run_withheld
from pincite.errors import ConfigError, PinciteError
from pincite.evals.golden import read_golden
from pincite.evals.kept import level_of, stored_run
from pincite.evals.reports import FORMATS, facts, report_dict, report_from
from pincite.evals.run import Options, Tools, gated, run
from pincite.evals.values import EvalReport, ItemError
from pincite.pipeline import Pipeline
from pincite.ports import Judge
from pincite.ports.stored import StoredRun
from pincite.samples import samples_dir
from pincite.service.chat import Access, Body, invalid
from pincite.service.jobs import Job
from pincite.service.keys import Principal
from pincite.service.problems import Problem, of_error, responses
from pincite.service.settings import Service
from pincite.stores.memory import MemoryStore
from pincite.types import AccessLevel, DocId, Reader

MAX_ITEMS = 500
"""Of a golden set in a request: more are for ``pincite eval``, which goes on where it was interrupted."""
MAX_LISTED = 100
MAX_SUMMARIES = 1_000

SAMPLES = "samples"

_FINGERPRINT = "corpus_fingerprint"
"""It is over all documents: from one run to the next it would tell that one changed which the reader may not see."""

EvalForm = Literal["json", "markdown", "html", "junit"]
_FORMS = {
    "markdown": (".md", "text/markdown; charset=utf-8"),
    "html": (".html", "text/html; charset=utf-8"),
    "junit": (".xml", "application/xml; charset=utf-8"),
}
# The HTML form has its style inside and no script; nothing of it may run as the page.
_SHOWN = {"Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'"}


class EvalBody(Body):
    """What to run: golden items, or the shipped set over the shipped documents."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "golden": [
                        {
                            "id": "g-001",
                            "question": "How long are files kept?",
                            "expected_doc_ids": ["doc-retention"],
                            "must_include": ["30 days"],
                        }
                    ],
                    "baseline": "run_01JC",
                    "max_drop": 2.0,
                }
            ]
        },
    )

    golden: list[dict[str, Any]] | Literal["samples"] = Field(
        default="samples", description="Items as lines of a golden file have them; or `samples`"
    )
    limit: int | None = Field(default=None, ge=1, le=100_000)
    only: str | None = Field(
        default=None, min_length=1, max_length=200, description="A tag, or language:CODE, or document:ID"
    )
    seed: int = Field(default=0, ge=0, le=2**31)
    judge: Literal["rules", "entailment", "llm"] = "rules"
    baseline: str | None = Field(default=None, max_length=100, description="The id of an earlier run")
    max_drop: float = Field(default=2.0, ge=0, le=100)
    max_drop_significant: bool = False


def routes(service: Service) -> APIRouter:
    """The routes of this module."""
    router = APIRouter(tags=["evaluations"], responses=responses())
    summaries: dict[bytes, dict[str, Any]] = {}
    starting = threading.Lock()

    @router.get("/api/evals", summary="List evaluations, the newest first", response_model=None)
    def list_evals(
        request: Request,
        access: Access | None = None,
        limit: Annotated[int, Query(ge=1, le=MAX_LISTED)] = 50,
    ) -> JSONResponse:
        reader = _reader(service, request, access)
        found = service.pipeline.parts.store.runs(reader, limit=limit)
        items = []
        for stored in found:
            key = hashlib.sha256(stored.body.encode("utf-8", "surrogatepass")).digest()
            if len(summaries) > MAX_SUMMARIES:
                summaries.clear()
            if key not in summaries:
                summaries[key] = summary(stored)
            items.append(
                {**summaries[key], "level": stored.level} | ({} if _sees_all(reader) else {_FINGERPRINT: ""})
            )
        principal = service.principal(request)
        running = service.evaluations.unfinished if _may_start(principal) else None
        return JSONResponse(
            {
                "items": items,
                "next_cursor": None,
                "may_start": _may_start(principal),
                "running": running.told()
                if running is not None and running.owner == principal.name
                else None,
            }
        )

    @router.get(
        "/api/evals/{run_id}",
        summary="One evaluation, as JSON or as a report to read",
        response_model=None,
        responses={200: {"content": {"application/json": {}, **{media: {} for _, media in _FORMS.values()}}}},
    )
    def show_eval(
        run_id: str,
        request: Request,
        access: Access | None = None,
        format: Annotated[EvalForm, Query()] = "json",  # noqa: A002
    ) -> Response:
        reader = _reader(service, request, access)
        stored = service.pipeline.parts.store.run(run_id, reader)
        if stored is None:
            raise Problem("not-found", "There is no such evaluation.")
        report = _report(_visible(service, stored, reader))
        if not _sees_all(reader):
            report = replace(report, run=replace(report.run, corpus_fingerprint=""))
        if format == "json":
            return JSONResponse({**report_dict(report), "level": stored.level})
        suffix, media = _FORMS[format]
        text = FORMATS[suffix](report)
        headers = _SHOWN if format == "html" else {}
        return Response(text.encode("utf-8", "replace"), media_type=media, headers=headers)

    @router.post("/api/evals", summary="Start an evaluation", status_code=202, response_model=None)
    def start_eval(body: EvalBody, request: Request) -> JSONResponse:
        principal = service.writer(request)
        if not _may_start(principal):
            raise Problem(
                "forbidden", "Evaluations are started by a key of the highest level that may write."
            )
        wanted = _wanted(service, body, principal.reader)
        with starting:
            running = service.evaluations.unfinished
            if running is not None:
                raise Problem("conflict", "An evaluation is running; there is one at a time.")
            name = SAMPLES if body.golden == SAMPLES else f"{len(body.golden)} items"
            job = service.evaluations.add(principal.name, name, lambda job: _work(service, wanted, job))
        if job is None:
            raise Problem("busy", "The server is being stopped.", retry_after=10)
        return JSONResponse(job.told(), 202, headers={"Location": f"/api/jobs/{job.job_id}"})

    return router


def _reader(service: Service, request: Request, access: str | None) -> Reader:
    """Of evaluations one sees what one's key allows, without asking for it: they are for those who run the service."""
    principal = service.principal(request)
    return principal.reader if access is None else service.reader(request, access)


def _may_start(principal: Principal) -> bool:
    return principal.writes and _sees_all(principal.reader)


def _sees_all(reader: Reader) -> bool:
    return reader.may_read(AccessLevel.CONFIDENTIAL)


def _visible(service: Service, stored: StoredRun, reader: Reader) -> StoredRun:
    """The run without texts and ids of documents that this reader may not see any more."""
    if _sees_all(reader):
        return stored
    try:
        body = json.loads(stored.body)
    except (ValueError, RecursionError):
        return stored  # what is wrong with it is told where it is read
    store = service.pipeline.parts.store
    hidden = [
        doc_id
        for doc_id in run_doc_ids(body)
        if store.document(DocId(doc_id), reader) is None
        and store.document(DocId(doc_id), EVERYTHING) is not None
    ]
    if not hidden:
        return stored
    return replace(stored, body=json.dumps(run_withheld(body, hidden, ids=True)))


def _report(stored: StoredRun) -> EvalReport:
    try:
        return report_from(json.loads(stored.body), where=stored.run_id)
    except (ConfigError, ValueError, RecursionError) as error:
        raise Problem(
            "conflict", f"This evaluation was kept by another version of pincite: {error}"
        ) from error


def summary(stored: StoredRun) -> dict[str, Any]:
    """A run as a list shows it."""
    about: dict[str, Any] = {"id": stored.run_id, "created_at": stored.created_at}
    try:
        report = _report(stored)
    except Problem as problem:
        return {**about, "passed": None, "verdict": problem.detail, "metrics": {}}
    return {
        **about,
        "passed": facts.passed(report),
        "verdict": facts.verdict(report),
        "metrics": {
            name: {
                "value": metric.value,
                "ci95": metric.ci95,
                "n": metric.n,
                "target": metric.target,
                "meets_target": metric.meets_target,
            }
            for name, metric in report.metrics.items()
        },
        "items": len(report.items),
        "failed": len(facts.failed(report)),
        "errors": len(report.errors),
        "flipped": len(facts.changes(report)),
        "baseline": None if report.baseline is None else report.baseline.run_id,
        "judge": report.run.judge,
        "model": report.run.model,
        "git_sha": report.run.git_sha,
        "golden_sha256": report.run.golden_sha256,
        "corpus_fingerprint": report.run.corpus_fingerprint,
        "seconds": report.run.seconds,
    }


# --- a new one ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A run whose request was right. ``lines`` are its golden items as lines of a file; ``None`` for the shipped set."""

    body: EvalBody
    lines: tuple[str, ...] | None
    judge: Judge | None
    baseline: EvalReport | None


class _Stopped(Exception):
    """Somebody asked the job to end."""


def _wanted(service: Service, body: EvalBody, reader: Reader) -> _Wanted:
    """What the body asks for.

    Raises:
        Problem: ``validation``, with the field that cannot be right.
    """
    lines = None if isinstance(body.golden, str) else _lines(body.golden)
    parts = service.pipeline.parts
    judge = service.judge("entailment") if body.judge == "entailment" else None
    if body.judge == "llm" and parts.model_name == "extractive":
        raise invalid("/judge", "this server has no language model to rate citations with")
    baseline = None
    if body.baseline is not None:
        stored = parts.store.run(body.baseline, reader)
        if stored is None:
            raise invalid("/baseline", "there is no such evaluation")
        baseline = _report(stored)
    return _Wanted(body, lines, judge, baseline)


def _lines(items: list[dict[str, Any]]) -> tuple[str, ...]:
    if not items:
        raise invalid("/golden", "there is no item")
    if len(items) > MAX_ITEMS:
        raise invalid("/golden", f"at most {MAX_ITEMS} items; `pincite eval` takes more")
    lines = tuple(json.dumps(item) for item in items)
    with tempfile.TemporaryDirectory(prefix="pincite-eval-") as folder:
        found = list(read_golden(_written(Path(folder), lines)))
    errors = [
        {"pointer": f"/golden/{at}", "detail": one.detail[:500]}
        for at, one in enumerate(found)
        if isinstance(one, ItemError)
    ]
    if errors:
        raise Problem("validation", f"golden: {errors[0]['detail']}", errors=errors[:20])
    return lines


def _written(folder: Path, lines: tuple[str, ...]) -> Path:
    path = folder / "golden.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def _work(service: Service, wanted: _Wanted, job: Job) -> None:
    """Run it, compare it, keep it. What cannot be compared is kept with a warning: the work was done."""

    def progress(done: int, total: int) -> None:
        job.set(done=done, total=total)
        if job.stopping:
            raise _Stopped

    try:
        with tempfile.TemporaryDirectory(prefix="pincite-eval-") as folder:
            shipped = wanted.lines is None
            golden = samples_dir() / "golden.jsonl" if shipped else _written(Path(folder), wanted.lines or ())
            tools = _tools(service, wanted, shipped=shipped)
            options = service.eval_options or Options()
            report = run(
                golden,
                lambda _: tools,
                replace(
                    options,
                    only=wanted.body.only,
                    limit=wanted.body.limit,
                    seed=wanted.body.seed,
                    jobs=1,
                ),
                new_id=_new_id(service),
                clock=service.pipeline.parts.clock,
                progress=progress,
            )
            level = level_of(one.reader for one in read_golden(golden) if not isinstance(one, ItemError))
        report, warnings = _compared(report, wanted)
        service.pipeline.parts.store.save_run(stored_run(report, level))
    except _Stopped:
        job.set(state="cancelled", stage="cancelled")
        return
    except PinciteError as error:
        job.set(state="failed", problem=of_error(error).body("", ""))
        return
    if report.errors:
        warnings = (*warnings, f"{facts.plural(len(report.errors), 'item')} came to no result.")
    state = "ready_with_warnings" if warnings else "ready"
    job.set(state=state, stage="done", warnings=warnings, run_id=report.run.id)


def _tools(service: Service, wanted: _Wanted, *, shipped: bool) -> Tools:
    """The server's own pipeline, or one like it over the shipped documents; nothing it answers is logged or counted."""
    parts = replace(service.pipeline.parts, serialise=None, telemetry=None)
    if wanted.judge is not None:
        parts = replace(parts, judge=wanted.judge)
    if shipped:
        parts = replace(parts, store=MemoryStore())
    pipeline = Pipeline(parts, service.pipeline.settings)
    if shipped:
        folders = sorted(path for path in samples_dir().iterdir() if path.is_dir() and path.name[:1] != "_")
        pipeline.add(*folders)
    return Tools(pipeline, parts.judge, parts.model if wanted.body.judge == "llm" else None)


def _compared(report: EvalReport, wanted: _Wanted) -> tuple[EvalReport, tuple[str, ...]]:
    body, baseline = wanted.body, wanted.baseline
    try:
        compared = gated(
            report,
            baseline=baseline,
            where=body.baseline or "",
            max_drop=body.max_drop,
            only_significant=body.max_drop_significant,
        )
    except ConfigError as error:
        return gated(report), (f"Not compared with {body.baseline}: {error.message}",)
    return compared, ()


def _new_id(service: Service) -> Any:
    def new_id(moment: datetime) -> str:
        return f"run_{service.pipeline.parts.new_id(moment).removeprefix('ans_')}"

    return new_id
