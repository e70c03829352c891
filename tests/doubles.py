"""Small real parts for tests: hits made by hand, a judge that was told what to say, a whole pipeline in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from pincite.answer import Answer
from pincite.checks.rules import rules
from pincite.errors import ParseError
from pincite.findings import Support
from pincite.llms.extractive import extractive
from pincite.llms.scripted import ScriptedModel
from pincite.parts import Parts, Settings
from pincite.pipeline import Pipeline
from pincite.ports import ClaimTask, Judgement, PassageJudgement
from pincite.readers.sources import read_sources
from pincite.renderers.json import answer_json
from pincite.search import search
from pincite.stores.memory import MemoryStore
from pincite.types import AnswerId, Document, Hit, Span
from pincite.workers import Workers

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


def hits(*texts: str) -> tuple[Hit, ...]:
    """Each text as a passage of a document of its own: ``c-1``, ``c-2``, …"""
    return read_sources(texts)


def statement(text: str, *quotes: tuple[str, str | None]) -> str:
    """One line of model output."""
    return (
        json.dumps(
            {"statement": text, "quotes": [{"id": prompt_id, "quote": quote} for prompt_id, quote in quotes]}
        )
        + "\n"
    )


class ScriptedJudge:
    """Says of each claim what it was told, by the first key that occurs in the claim; supported otherwise.

    The whole passage counts as the place that backs the claim. Keeps the tasks it saw.
    """

    def __init__(self, **verdicts: Support) -> None:
        self.verdicts = verdicts
        self.tasks: list[ClaimTask] = []

    def __call__(self, tasks: Sequence[ClaimTask]) -> tuple[Judgement, ...]:
        self.tasks += tasks
        return tuple(self._judge(task) for task in tasks)

    def _judge(self, task: ClaimTask) -> Judgement:
        support = next((said for key, said in self.verdicts.items() if key in task.claim), Support.SUPPORTED)
        parts = tuple(
            PassageJudgement(passage.id, support, 1.0, (Span(0, len(passage.text)),))
            for passage in task.passages
        )
        return Judgement(support, 1.0, f"judged {support}", parts)


def pipeline(
    *documents: Document,
    replies: Sequence[str] | None = None,
    settings: Settings | None = None,
    keep_answers: bool = True,
) -> Pipeline:
    """A pipeline in memory with the real judge and search. With ``replies`` a scripted model, else the extractive one.

    Answers are numbered ``ans_1``, ``ans_2``, …; it is always noon.
    """
    numbers = iter(range(1, 1_000))

    def load(
        sources: Sequence[str | Path | Document], *, workers: Workers | None = None
    ) -> Iterator[Document | ParseError]:
        return iter([source for source in sources if isinstance(source, Document)])

    serialise: Callable[[Answer], str] | None = answer_json if keep_answers else None
    made = Pipeline(
        Parts(
            store=MemoryStore(),
            search=lambda question, store, embedder: search(question, store, embedder=embedder),
            load=load,
            model=extractive if replies is None else ScriptedModel(replies),
            model_name="extractive" if replies is None else "scripted",
            judge=rules,
            embedder=None,
            clock=lambda: NOON,
            new_id=lambda _: AnswerId(f"ans_{next(numbers)}"),
            serialise=serialise,
        ),
        settings or Settings(),
    )
    if documents:
        made.add(*documents)
    return made
