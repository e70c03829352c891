"""For tests of your own: ``assert_grounded(answer)``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pincite.answer import GOOD, Answer, Report
from pincite.evals.measures.items import holds
from pincite.findings import Sentence
from pincite.types import shorten
from pincite.verification import verify

MAX_SHOWN = 20
"""Sentences that a failure shows whole."""
SENTENCE_CHARS, QUOTE_CHARS = 200, 120


def assert_grounded(
    answer: Answer | Report | Any,
    min_coverage: float = 0.95,
    min_precision: float = 0.95,
    *,
    sources: Sequence[Any] | None = None,
    may_abstain: bool = False,
) -> None:
    """Fail unless an answer is borne out by what it cites; the message shows the sentences that are not.

    Args:
        answer: An ``Answer`` or a ``Report``. Anything else is checked first, as ``pincite.verify`` takes it.
        min_coverage: Least share of factual sentences that cite a source.
        min_precision: Least share of citations that hold.
        sources: For an answer that has not been checked: what its markers point to.
        may_abstain: Whether declining the question is fine. An answer without any factual sentence is not, otherwise.

    Raises:
        AssertionError: With what is missed, and why.
        ValueError: If a share is not between 0 and 1.

    >>> assert_grounded("Files stay for 30 days [1].", sources=["Files stay for 30 days."])
    >>> assert_grounded("Files stay for 90 days [1].", sources=["Files stay for 30 days."])
    Traceback (most recent call last):
    AssertionError: not grounded: precision 0.00 is below 0.95 (0 of 1 citations hold)
      ✗ Files stay for 90 days.
          contradicted: number differs: answer 90 days, source 30 days
          [1] contradicted: "Files stay for 30 days."
    """
    __tracebackhide__ = True  # the caller's line is what failed
    for name, share in (("min_coverage", min_coverage), ("min_precision", min_precision)):
        if not 0 <= share <= 1:
            raise ValueError(f"{name} must be between 0 and 1, got {share}")
    checked = answer if isinstance(answer, Answer | Report) else verify(answer, sources)
    if not any(sentence.factual for sentence in checked.sentences):
        if not may_abstain:
            raise AssertionError(_nothing_said(checked))
        return
    missed = [*_missed(checked, min_coverage, min_precision)]
    if missed:
        raise AssertionError(_message(checked, missed))


def _nothing_said(checked: Answer | Report) -> str:
    why = (checked.reason if isinstance(checked, Answer) else None) or shorten(checked.plain, SENTENCE_CHARS)
    return f"not grounded: the answer says nothing that could be ({why!r}); may_abstain=True lets that pass"


def _missed(checked: Answer | Report, min_coverage: float, min_precision: float) -> list[str]:
    counts = checked.metrics
    factual = [one for one in checked.sentences if one.factual]
    cited = sum(bool(one.claim.cited_ids) for one in factual)
    held = f"{counts.verified} of {counts.verified + counts.unverified} citations hold"
    missed = []
    if (counts.citation_coverage or 0.0) < min_coverage:
        missed.append(
            f"coverage {counts.citation_coverage or 0.0:.2f} is below {min_coverage:g} "
            f"({cited} of {len(factual)} sentences cite)"
        )
    if (counts.citation_accuracy or 0.0) < min_precision:
        missed.append(f"precision {counts.citation_accuracy or 0.0:.2f} is below {min_precision:g} ({held})")
    return missed


def _message(checked: Answer | Report, missed: Sequence[str]) -> str:
    failing = [one for one in checked.sentences if one.factual and not holds(one)]
    lines = [f"not grounded: {'; '.join(missed)}"]
    for sentence in failing[:MAX_SHOWN]:
        lines += _sentence_lines(checked, sentence)
    if len(failing) > MAX_SHOWN:
        lines.append(f"  … and {len(failing) - MAX_SHOWN} more")
    return "\n".join(lines)


def _sentence_lines(checked: Answer | Report, sentence: Sentence) -> list[str]:
    cited = {one.id: one for one in checked.citations}
    lines = [
        f"  ✗ {shorten(' '.join(sentence.text.split()), SENTENCE_CHARS)}",
        f"      {sentence.support.value}: {sentence.reason}",
    ]
    for check in sentence.verdict.checks:
        shown = checked.shown_id(check.citation_id) if isinstance(checked, Report) else check.citation_id
        found = cited.get(check.citation_id)
        quote = " ".join(found.exact.split()) if found is not None else ""
        told = f'"{shorten(quote, QUOTE_CHARS)}"' if quote else check.reason
        sign = "" if check.status in GOOD else f" {check.status.value}"
        lines.append(f"      [{shown}]{sign}: {told}")
    return lines
