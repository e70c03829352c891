"""Rate each citation from 1 to 5: from our own verdicts, without a model, or by a language model.

The scale is source 004's, as in ``prompts/judge.md``: 5 says all of it, 4 all of it in other words, 3 part of it, 2 hardly
any of it, 1 nothing of it, the opposite, or a source that does not exist. Rated 4 or better counts as precise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pincite.answer import GOOD
from pincite.checks.llm import MAX_REPLY_CHARS, judge_prompt
from pincite.context import Context
from pincite.deltas import collect_text
from pincite.errors import ModelError
from pincite.findings import CitationCheck, CitationStatus, QuoteMatchKind, Sentence, Support
from pincite.ports import ClaimTask, Model, ModelRequest, Passage
from pincite.text.objects import find_object, without_thinking
from pincite.types import Hit, Question

PRECISE_FROM = 4

_WORD_FOR_WORD = frozenset({QuoteMatchKind.EXACT, QuoteMatchKind.NORMALIZED})
_RATINGS: Mapping[CitationStatus, int] = {
    CitationStatus.NOT_CHECKABLE: 3,
    CitationStatus.MISATTRIBUTED: 2,
    CitationStatus.UNVERIFIED: 2,
    CitationStatus.CONTRADICTED: 1,
    CitationStatus.INVALID: 1,
}


class JudgeError(Exception):
    """A judge that failed, or said what is no rating. Never counted as one."""


def rate_by_verdict(check: CitationCheck) -> int:
    """The rating that our verdict about one citation amounts to. Deterministic; 4 or 5 just when its status is good.

    >>> found = CitationCheck("c-1", CitationStatus.VERIFIED, QuoteMatchKind.EXACT, 1.0, Support.SUPPORTED)
    >>> rate_by_verdict(found)
    5
    """
    if check.status in GOOD:
        return 5 if check.status is CitationStatus.VERIFIED and check.quote_match in _WORD_FOR_WORD else 4
    if check.status is CitationStatus.UNVERIFIED and check.support is Support.PARTIAL:
        return 3
    return _RATINGS[check.status]


def ratings_by_verdict(sentences: Sequence[Sentence]) -> tuple[int, ...]:
    """One rating for each citation of each sentence, in order."""
    return tuple(rate_by_verdict(check) for sentence in sentences for check in sentence.verdict.checks)


def ratings_by_model(
    sentences: Sequence[Sentence], hits: Sequence[Hit], model: Model, *, first_id: int = 1
) -> tuple[int, ...]:
    """What a language model rates the same citations, in the same order; one call for each that exists.

    Raises:
        JudgeError: The model failed, or a reply holds no whole number from 1 to 5.
    """
    context = Context.of(hits, first_id=first_id)
    rated: list[int] = []
    for sentence in sentences:
        for check in sentence.verdict.checks:
            source = context.sources.get(check.citation_id)
            if source is None:  # there is no text that anybody could rate
                rated.append(1)
                continue
            task = ClaimTask(sentence.text, (Passage(source.id, source.view.text),))
            rated.append(_asked(model, task))
    return tuple(rated)


def _asked(model: Model, task: ClaimTask) -> int:
    request = ModelRequest(Question(task.claim), (), "", judge_prompt(task), form="verdict")
    try:
        text = collect_text(model, request, max_chars=MAX_REPLY_CHARS)
    except ModelError as error:
        raise JudgeError(f"the judge failed: {error}") from error
    found = find_object(without_thinking(text), ("supports", "contradicts", "rating"))
    rating = None if found is None else found.value.get("rating")
    if not isinstance(rating, int) or isinstance(rating, bool) or not 1 <= rating <= 5:
        shown = " ".join(text.split())[:80]
        raise JudgeError(f"the judge gave no rating from 1 to 5: {shown!r}")
    return rating
