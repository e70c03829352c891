"""Check somebody else's answer against the sources it was given: no model, no index, no network."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

from pincite import claims, repair, review, verdict
from pincite.answer import GOOD, REMOVAL_NOTE, Report
from pincite.checks import JUDGES
from pincite.checks.rivals import differing_value
from pincite.checks.rules import rules
from pincite.conflicts import find_conflicts
from pincite.context import Context
from pincite.errors import ConfigError, VerificationError, did_you_mean
from pincite.findings import Sentence
from pincite.ports import Judge
from pincite.readers import read_answer
from pincite.readers.marks import quotes_of, resolved
from pincite.readers.plain import ReadAnswer
from pincite.readers.sources import read_sources
from pincite.text.strip import strip_failed

# What ``readers.marks`` puts into a text; the answer that is handed back has numbers again.
_OWN_MARKER = re.compile(r"\[(cited-\d+)\]")

OnFail = Literal["report", "strip", "raise"]


def verify(
    answer: Any,
    sources: Sequence[Any] | None = None,
    *,
    judge: str | Judge = "rules",
    on_fail: OnFail = "report",
) -> Report:
    """Check every sentence and citation of an answer. No model, no index, no network.

    Args:
        answer: Its text with markers in any known form (``[1]``, ``[c-1]``, ``[Source 1]``, an id, a file name),
            a mapping with ``answer`` and ``citations``, an ``Answer``, or a message of Anthropic or OpenAI with its
            citations, as an object of their libraries or as JSON.
        sources: What the markers point to, in order: strings, mappings with ``text`` or ``content``, ``Document``,
            ``Chunk`` or ``Hit``. ``None`` when the answer brings its own.
        judge: ``rules``, ``entailment`` or ``llm``, or a function of ``ports.Judge``'s shape. The latter two names read the
            settings, for their model.
        on_fail: ``strip`` puts the answer without what does not hold into ``Report.stripped``; ``raise`` raises when
            something does not hold.

    Returns:
        What was found. Nothing is changed or hidden; a sentence without a citation is judged against all sources.

    Raises:
        ConfigError: If answer, sources or judge cannot be used.
        VerificationError: With ``on_fail="raise"``, if a sentence does not hold; it carries the report.

    >>> report = verify(
    ...     "Uploads may be 25 MB [1] and stay for 90 days [2].",
    ...     sources=["Files up to 25 MB.", "Kept for 30 days."],
    ... )
    >>> print(report)
    ✓ [1] supported   ✗ [2] contradicted: answer says 90 days, source says 30 days
    """
    if on_fail not in get_args(OnFail):
        raise ConfigError(f"on_fail must be one of {', '.join(get_args(OnFail))}, got {on_fail!r}")
    read = read_answer(answer)
    given = sources if sources is not None else read.sources
    if given is None:
        raise ConfigError("there are no sources to check against", hint="pass sources=[…]")
    hits = read_sources(given)
    context = Context.of(hits)
    known = {**claims.aliases(hits), **resolved(read.marks, hits, own=sources is None)}
    parsed = claims.parse_claims(read.text, known, read.quotes, quotes_of(read.marks))
    verdicts = verdict.check_claims(parsed.claims, context, _judge(judge))
    sentences = tuple(Sentence(claim, found) for claim, found in zip(parsed.claims, verdicts, strict=True))
    cited = review.citations(sentences, context)
    report = Report(
        plain=parsed.plain,
        sentences=sentences,
        citations=cited,
        metrics=review.metrics(sentences, len(hits)),
        answer_status=review.answer_status(sentences, ()),
        hits=hits,
        format_drift=parsed.format_drift,
        conflicts=find_conflicts(sentences, context, differing_value),
    )
    if on_fail == "strip":
        return replace(report, stripped=_stripped(read, report, known))
    if on_fail == "raise" and not report.ok:
        failed = len(report.failed)
        raise VerificationError(
            f"{failed} of {len(report.sentences)} sentences do not hold",
            report=report,
            hint="see error.report",
        )
    return report


def _stripped(read: ReadAnswer, report: Report, known: claims.Aliases) -> str:
    """The answer without failed markers and without the sentences that nothing holds then, with the note."""
    doomed = [sentence.index for sentence in report.sentences if not repair.holds(sentence)]
    failed = {
        check.citation_id
        for sentence in report.sentences
        for check in sentence.verdict.checks
        if check.status not in GOOD and sentence.index not in doomed
    }
    spelled = [spelling for spelling, ids in known.items() if set(ids) <= failed]
    stripped = strip_failed(read.text, tuple(known), spelled, doomed)
    ours = {mark.spelling: ", ".join(map(report.shown_id, known[mark.spelling])) for mark in read.marks}
    body = _OWN_MARKER.sub(lambda found: f"[{ours.get(found[1], found[1])}]", stripped.body)
    return "\n\n".join((body, REMOVAL_NOTE) if stripped.removed else (body,)).strip()


def _judge(judge: str | Judge) -> Judge:
    if not isinstance(judge, str):
        if not callable(judge):
            raise ConfigError(f"a judge is a name or a function, got {type(judge).__name__}")
        return judge
    if judge not in JUDGES:
        hint = did_you_mean(judge, JUDGES, f"choose from {', '.join(JUDGES)}")
        raise ConfigError(f"unknown judge {judge!r}", hint=hint)
    if judge == "rules":
        return rules
    from pincite.wiring.models import judge_by_name  # reads the settings, which the rules do not need

    return judge_by_name(judge)
