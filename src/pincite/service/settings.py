"""What a running service has in hand."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field

from starlette.requests import Request

from pincite.answer import Answer
from pincite.events import Event, Finished
from pincite.pipeline import Pipeline
from pincite.service.jobs import Jobs
from pincite.service.keys import LOCAL, Keys, Principal
from pincite.service.metrics import Metrics
from pincite.service.problems import Problem
from pincite.service.rates import Rates
from pincite.service.streams import Streams
from pincite.types import AccessLevel, Question, Reader


@dataclass(frozen=True, slots=True)
class Service:
    """``keys`` is ``None`` where nobody but the machine's own user can reach the server."""

    pipeline: Pipeline
    keys: Keys | None = None
    max_upload_bytes: int = 50_000_000
    max_streams: int = 50
    streams: Streams = field(default_factory=lambda: Streams(50))
    jobs: Jobs = field(default_factory=Jobs)
    metrics: Metrics = field(default_factory=Metrics)
    rates: Rates = field(default_factory=lambda: Rates(0))

    def events(self, question: Question) -> Generator[Event]:
        """The events of a question, counted."""
        return self.metrics.watched(self.pipeline.events(question))  # type: ignore[arg-type]

    def ask(self, question: Question) -> Answer:
        """The answer to a question, counted."""
        for event in self.events(question):
            if isinstance(event, Finished):
                return event.answer
        raise AssertionError("a request always ends with Finished")

    def principal(self, request: Request) -> Principal:
        """Who asks, by the ``Authorization`` header.

        Raises:
            Problem: ``unauthorized``, when there are keys and this is none of them.
        """
        if self.keys is None:
            return LOCAL
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        found = self.keys.principal(secret.strip()) if scheme.lower() == "bearer" else None
        if found is None:
            raise Problem("unauthorized", "This address needs a key.")
        self.rates.count(found.name)
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

    def writer(self, request: Request) -> Principal:
        """Who asks, if they may change documents.

        Raises:
            Problem: ``forbidden``, when the key only reads.
        """
        found = self.principal(request)
        if not found.writes:
            raise Problem("forbidden", "This key may read, and may not change documents.")
        return found
