"""What a running service has in hand."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.requests import Request

from pincite.errors import ConfigError
from pincite.events import Event
from pincite.pipeline import Pipeline
from pincite.ports import Judge
from pincite.service.asking import Asked, pipeline_of
from pincite.service.jobs import Job, Jobs
from pincite.service.keys import LOCAL, Keys, Principal
from pincite.service.metrics import Metrics
from pincite.service.problems import Problem
from pincite.service.rates import RATE, Rates
from pincite.service.streams import Streams
from pincite.types import AccessLevel, Reader
from pincite.wiring.models import judge_by_name

if TYPE_CHECKING:
    from pincite.evals.run import Options

SEARCHES = max(2, os.cpu_count() or 1)
"""Searches at a time: they are work for processors, and more of them at once only wait for each other. With 20 streams on
two cores the slowest hundredth of first sentences came after 1.5-1.8 s, without this after 2.1-3.2 s (benchmarks/serve.py)."""

PRINCIPAL = "pincite.principal"
"""Where a request keeps who it comes from, once that is known."""

CLOSING_SECONDS = 5.0
"""How long the end of the service waits for what is being written and read."""


@dataclass(frozen=True, slots=True)
class Service:
    """``keys`` is ``None`` where nobody but the machine's own user can reach the server. ``eval_options`` are the targets and
    settings that evaluations report."""

    pipeline: Pipeline
    keys: Keys | None = None
    max_upload_bytes: int = 50_000_000
    max_streams: int = 50
    streams: Streams = field(default_factory=lambda: Streams(50))
    jobs: Jobs = field(default_factory=Jobs)
    evaluations: Jobs = field(default_factory=lambda: Jobs("evaluate", first_stage="evaluate", stops=True))
    eval_options: Options | None = None
    metrics: Metrics = field(default_factory=Metrics)
    rates: Rates = field(default_factory=lambda: Rates(0))
    open_judge: Callable[[str], Judge] = judge_by_name
    judges: dict[str, Judge] = field(default_factory=dict)
    searching: threading.BoundedSemaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(SEARCHES)
    )

    def events(self, asked: Asked, is_gone: Callable[[], bool]) -> Generator[Event]:
        """The events of a question, counted. The model ends when ``is_gone``.

        Raises:
            ConfigError: If the question cannot be right, or there is no such judge.
        """
        pipeline = pipeline_of(self.pipeline, asked, self.judge, is_gone, self.searching)
        events = pipeline.events(asked.question)
        return self.metrics.watched(events, asked.question, pipeline.parts.model_name)

    def judge(self, name: str) -> Judge:
        """The judge of that name. Each is opened once: a model behind it takes long to load."""
        if name not in self.judges:
            try:
                self.judges[name] = self.open_judge(name)
            except ConfigError as error:
                raise ConfigError(f"the judge {name!r} is not set up on this server") from error
        return self.judges[name]

    def close(self) -> None:
        """Stop what is being written; wait for what is being stored."""
        self.streams.close(CLOSING_SECONDS)
        self.evaluations.close(CLOSING_SECONDS)
        self.jobs.close(CLOSING_SECONDS)

    def job(self, job_id: str, owner: str) -> tuple[Jobs, Job]:
        """The job of that id with those it is one of, for the key it came from.

        Raises:
            Problem: ``not-found``.
        """
        for jobs in (self.jobs, self.evaluations):
            found = jobs.find(job_id, owner)
            if found is not None:
                return jobs, found
        raise Problem("not-found", "There is no such job.")

    def principal(self, request: Request) -> Principal:
        """Who asks, by the ``Authorization`` header. Each request counts once against the key's rate.

        Raises:
            Problem: ``unauthorized``, when there are keys and this is none of them; ``rate-limited``.
        """
        if self.keys is None:
            return LOCAL
        known = request.scope.get(PRINCIPAL)
        if isinstance(known, Principal):
            return known
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        found = self.keys.principal(secret.strip()) if scheme.lower() == "bearer" else None
        if found is None:
            raise Problem("unauthorized", "This address needs a key.")
        request.scope[RATE] = self.rates.count(found.name)
        request.scope[PRINCIPAL] = found
        return found

    def reader(self, request: Request, access: str | None = None) -> Reader:
        """The reader of a request. ``access`` can only narrow what the key allows."""
        own = self.principal(request).reader
        if access is None:
            # Without keys the asker may see everything, but a page shows what the public sees unless it asks for more.
            return own if self.keys is not None else Reader(AccessLevel.PUBLIC)
        if access not in tuple(AccessLevel):
            raise Problem(
                "validation",
                f"access must be one of {', '.join(AccessLevel)}.",
                errors=[{"pointer": "/access", "detail": f"choose from {', '.join(AccessLevel)}"}],
            )
        return Reader(AccessLevel(access), own.groups) if own.may_read(access) else own

    def operator(self, request: Request) -> Principal:
        """Who asks, if they may read the counts of all readers.

        Raises:
            Problem: ``forbidden``, when the key is for neither documents nor metrics.
        """
        found = self.principal(request)
        if not (found.writes or found.metrics):
            raise Problem("forbidden", "This key may not read metrics.")
        return found

    def writer(self, request: Request) -> Principal:
        """Who asks, if they may change documents.

        Raises:
            Problem: ``forbidden``, when the key only reads.
        """
        found = self.principal(request)
        if not found.writes:
            raise Problem("forbidden", "This key may read, and may not change documents.")
        return found
