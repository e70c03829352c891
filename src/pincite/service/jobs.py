"""Work in the background: a job for each upload and each evaluation, with its stage and what came of it."""

from __future__ import annotations

import logging
import queue
import secrets
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

log = logging.getLogger("pincite.service")

MAX_KEPT = 1_000
"""Jobs that are remembered; the oldest finished ones go first."""
MAX_WAITING = 1_000


@dataclass(slots=True)
class Job:
    """``state``: queued, running, ready, ready_with_warnings, failed or cancelled. ``owner`` is the key it came from.

    ``stops`` says whether its work looks at ``stopping`` and ends early; ``run_id`` is what an evaluation is kept under.
    """

    job_id: str
    owner: str
    name: str
    state: str = "queued"
    stage: str = "queued"
    done: int = 0
    total: int | None = None
    doc_ids: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    problem: Mapping[str, Any] | None = None
    run_id: str | None = None
    first_stage: str = "parse"
    stops: bool = False
    stopping: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)

    def told(self) -> dict[str, Any]:
        """The job as clients see it."""
        return {
            "job_id": self.job_id,
            "name": self.name,
            "state": self.state,
            "stage": self.stage,
            "done": self.done,
            "total": self.total,
            "doc_ids": list(self.doc_ids),
            "warnings": list(self.warnings),
            "problem": self.problem,
            **({} if self.run_id is None else {"run_id": self.run_id}),
        }

    def set(self, **values: Any) -> None:
        """Change it and wake those who watch."""
        with self.changed:
            for name, value in values.items():
                setattr(self, name, value)
            self.changed.notify_all()

    def begin(self) -> bool:
        """Take it in hand, unless it was cancelled."""
        with self.changed:
            if self.state != "queued":
                return False
            self.state, self.stage = "running", self.first_stage
            self.changed.notify_all()
        return True

    @property
    def finished(self) -> bool:
        return self.state in ("ready", "ready_with_warnings", "failed", "cancelled")


Work = Callable[[Job], None]
"""Does the job and sets what came of it. What it raises is a failure without further words."""


class Jobs:
    """One worker thread does one job after the other: a database has one writer.

    Args:
        name: Of the thread.
        first_stage: Of each job, once it is begun.
        stops: Whether jobs can be ended while they run.
    """

    def __init__(self, name: str = "ingest", *, first_stage: str = "parse", stops: bool = False) -> None:
        self._name, self._first_stage, self._stops = name, first_stage, stops
        self._jobs: dict[str, Job] = {}
        self._by_key: dict[tuple[str, str], str] = {}
        self._queue: queue.Queue[tuple[Job, Work] | None] = queue.Queue(MAX_WAITING)
        self._lock = threading.Lock()
        self._worker: threading.Thread | None = None
        self._closed = False

    def add(self, owner: str, name: str, work: Work, *, idempotency_key: str = "") -> Job | None:
        """Queue a job; ``None`` when too many wait. The same idempotency key again gives the same job."""
        with self._lock:
            known = self._by_key.get((owner, idempotency_key)) if idempotency_key else None
            if known is not None and known in self._jobs:
                return self._jobs[known]
            if self._closed:
                return None
            job = Job(
                f"job_{secrets.token_hex(8)}",
                owner,
                name,
                first_stage=self._first_stage,
                stops=self._stops,
            )
            try:
                self._queue.put_nowait((job, work))
            except queue.Full:
                return None
            self._jobs[job.job_id] = job
            if idempotency_key:
                self._by_key[owner, idempotency_key] = job.job_id
            self._forget_old()
            if self._worker is None:
                self._worker = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._worker.start()
        return job

    def find(self, job_id: str, owner: str) -> Job | None:
        """The job of that id, for the key it came from."""
        job = self._jobs.get(job_id)
        return job if job is not None and job.owner == owner else None

    def all(self, owner: str) -> tuple[Job, ...]:
        """The jobs of a key, the newest first."""
        with self._lock:
            return tuple(job for job in reversed(self._jobs.values()) if job.owner == owner)

    @property
    def unfinished(self) -> Job | None:
        """The job that runs or waits longest, whoever it belongs to."""
        with self._lock:
            return next((job for job in self._jobs.values() if not job.finished), None)

    def cancel(self, job: Job) -> bool:
        """Take a waiting job out of the queue, or ask one that runs to stop, if it can; false when it is too late."""
        with job.changed:
            if job.state == "running" and job.stops:
                job.stopping = True
                return True
            if job.state != "queued":
                return False
            job.state = job.stage = "cancelled"
            job.changed.notify_all()
        return True

    def close(self, wait_s: float) -> None:
        """Do the job at hand to its end, within ``wait_s``, and no other. What waits was never stored."""
        with self._lock:
            self._closed = True
            worker = self._worker
            for job in self._jobs.values():
                job.stopping = True
        if worker is not None:
            with suppress(queue.Full):
                self._queue.put_nowait(None)
            worker.join(wait_s)

    def _run(self) -> None:
        while not self._closed:
            item = self._queue.get()
            if item is None:
                return
            job, work = item
            if not job.begin():
                continue
            try:
                work(job)
            except Exception as error:  # the worker outlives every document
                log.error("unexpected %s in job %s", type(error).__name__, job.job_id, exc_info=error)
                job.set(state="failed", problem={"title": "Something went wrong here"})
            if not job.finished:
                job.set(state="failed", problem={"title": "The job ended without a result"})

    def _forget_old(self) -> None:
        for job_id, job in tuple(self._jobs.items()):
            if len(self._jobs) <= MAX_KEPT:
                return
            if job.finished:
                del self._jobs[job_id]
                self._by_key = {key: one for key, one in self._by_key.items() if one != job_id}
