"""A language model as a judge, one call for each claim: off unless it is asked for.

The rules speak first: a changed fact stays changed, whatever a model says (``combine``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from pincite.checks.combine import combine
from pincite.checks.rules import rules
from pincite.deltas import collect_text
from pincite.findings import Support
from pincite.ports import ClaimTask, Judgement, Model, ModelRequest, PassageJudgement
from pincite.prompts import fill
from pincite.text.objects import find_object, without_thinking
from pincite.types import Question

MAX_REPLY_CHARS = 4_000
"""A verdict or a rating needs a tenth of it, unless the model thinks aloud."""


@dataclass(frozen=True, slots=True)
class LlmJudge:
    """Asks ``model`` about every claim that the rules do not settle. A reply that cannot be read leaves the rules' word.

    Raises:
        ModelError: What the model raises.
    """

    model: Model

    def __call__(self, tasks: Sequence[ClaimTask]) -> tuple[Judgement, ...]:
        return tuple(
            combine(ours, [self._ask(task)] if task.passages else [])
            for task, ours in zip(tasks, rules(tasks), strict=True)
        )

    def _ask(self, task: ClaimTask) -> Judgement:
        prompt = judge_prompt(task)
        request = ModelRequest(Question(task.claim, language=task.language), (), "", prompt, form="verdict")
        text = collect_text(self.model, request, max_chars=MAX_REPLY_CHARS)
        return read_reply(without_thinking(text), task)


def judge_prompt(task: ClaimTask) -> str:
    """The prompt for one claim; its sources are fenced by a key that none of them can know."""
    joined = "\0".join((task.claim, *(passage.text for passage in task.passages)))
    nonce = hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    sources = "\n".join(f"--- {nonce} {p.id}\n{p.text}\n--- {nonce} end" for p in task.passages)
    return fill("judge", nonce=nonce, sources=sources, claim=" ".join(task.claim.split()))


def read_reply(reply: str, task: ClaimTask) -> Judgement:
    """What the model said, as a judgement; ``unchecked`` when that cannot be read.

    >>> from pincite.ports import Passage
    >>> task = ClaimTask("Ice melts.", (Passage("c-1", "Ice melts at 0 °C."),))
    >>> read_reply('{"supports": true, "rating": 5, "reason": "said"}', task).support.value
    'supported'
    """
    said = _load(reply)
    rating = said.get("rating")
    readable = isinstance(rating, int) and not isinstance(rating, bool) and 1 <= rating <= 5
    if not readable or not isinstance(rating, int):
        return _judgement(task, Support.UNCHECKED, 0.0, "the model's verdict could not be read")
    if said.get("contradicts") is True and rating <= 2:
        support = Support.CONTRADICTED
    elif said.get("supports") is True and rating >= 4:
        support = Support.SUPPORTED
    else:
        support = Support.PARTIAL if rating >= 3 else Support.UNSUPPORTED
    reason = said.get("reason")
    text = (
        " ".join(reason.split())[:200] if isinstance(reason, str) else f"a model finds this {support.value}"
    )
    return _judgement(task, support, (rating - 1) / 4, text)


def _judgement(task: ClaimTask, support: Support, score: float, reason: str) -> Judgement:
    passages = tuple(PassageJudgement(passage.id, support, score) for passage in task.passages)
    return Judgement(support, score, reason, passages, method="llm")


def _load(reply: str) -> dict[str, object]:
    found = find_object(reply, ("supports", "contradicts", "rating"))
    return {} if found is None else found.value
