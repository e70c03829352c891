"""The checks on one claim: where each quote stands, what the passages say, and the status that follows.

Model mistakes are data here: an invented id or a false quote is a ``CitationCheck``, never an exception.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pincite.context import Context, Source
from pincite.findings import (
    CitationCheck,
    CitationStatus,
    Claim,
    Difference,
    Pointer,
    QuoteMatch,
    QuoteMatchKind,
    Support,
    Verdict,
)
from pincite.judging import Judged, judge_each_alone_too
from pincite.ports import ClaimTask, Judge, Judgement, Passage, PassageJudgement
from pincite.quotes import match_quote
from pincite.text.blocks import fence_round
from pincite.text.passages import header_of
from pincite.types import Span

_NO_MATCH = QuoteMatch(QuoteMatchKind.NONE)
_NOT_FACTUAL = "Not a factual sentence."

# How many differences a reason names: enough to find the place; all of them stand in the check.
_SHOWN_FACTS = 3
_SHOWN_WORDS = 5


def citation_status(
    *,
    retrieved: bool,
    searchable: bool,
    support: Support,
    quote_match: QuoteMatchKind,
    found_elsewhere: bool,
) -> CitationStatus:
    """The status of one citation, of what was found of its quote and what its passage says; the first row that fits.

    >>> citation_status(
    ...     retrieved=True,
    ...     searchable=True,
    ...     support=Support.SUPPORTED,
    ...     quote_match=QuoteMatchKind.EXACT,
    ...     found_elsewhere=False,
    ... ).value
    'verified'
    """
    if not retrieved:
        return CitationStatus.INVALID
    if not searchable:
        return CitationStatus.NOT_CHECKABLE
    if support is Support.CONTRADICTED:
        return CitationStatus.CONTRADICTED
    in_cited = quote_match is not QuoteMatchKind.NONE and support is Support.SUPPORTED
    if found_elsewhere and not in_cited:
        return CitationStatus.MISATTRIBUTED
    if quote_match is QuoteMatchKind.NONE or support in (Support.UNSUPPORTED, Support.PARTIAL):
        return CitationStatus.UNVERIFIED
    if support is Support.UNCHECKED:
        return CitationStatus.NOT_CHECKABLE
    if quote_match is QuoteMatchKind.FUZZY:
        return CitationStatus.PARAPHRASED
    return CitationStatus.VERIFIED


def check_claims(claims: Sequence[Claim], context: Context, judge: Judge) -> tuple[Verdict, ...]:
    """Judge every claim against what it cites.

    A sentence is judged against all its passages together; where several markers bind to clauses of
    their own, each clause is judged against its own passages too, and the clauses decide what a single citation backs.
    A factual claim that cites nothing known is judged against every passage of the context: its support is told
    truthfully, and it has no checks. So is a heading, lead-in or question with a figure in it; its support is
    unchecked, unless it contradicts them or brings an amount that they do not have.

    Returns:
        One verdict for each claim, in order.
    """
    located = [tuple(_locate(pointer, context) for pointer in claim.pointers) for claim in claims]
    jobs: list[ClaimTask] = []
    plans: list[_Plan] = []
    for claim, places in zip(claims, located, strict=True):
        plan = _plan(claim, places, context, first=len(jobs))
        plans.append(plan)
        jobs.extend(plan.tasks)
    judgements = judge_each_alone_too(judge, jobs)
    drafts = [
        _verdict(claim, places, plan, judgements[plan.first : plan.first + len(plan.tasks)])
        for claim, places, plan in zip(claims, located, plans, strict=True)
    ]
    return _suggest_other_sources(claims, drafts, context, judge)


# --- where a quote stands -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """A pointer with its source and what was found of its quote. ``match`` is in the source's view."""

    pointer: Pointer
    source: Source | None
    match: QuoteMatch

    @property
    def quoted(self) -> bool:
        return bool(self.pointer.quote and self.pointer.quote.strip())


def _locate(pointer: Pointer, context: Context) -> _Place:
    source = context.sources.get(pointer.id) if pointer.known else None
    if source is None or not pointer.quote or not source.searchable:
        return _Place(pointer, source, _NO_MATCH)
    language = source.hit.document.language
    return _Place(pointer, source, match_quote(pointer.quote, source.view.text, language=language))


def _passage(source: Source, places: Sequence[_Place]) -> Passage:
    focus = tuple(
        piece
        for place in places
        if place.source is source
        for piece in place.match.pieces or _whole(place.match)
    )
    return Passage(
        id=source.id,
        text=source.view.text,
        focus=focus,
        before=source.before,
        after=source.after,
        language=source.hit.document.language,
    )


def _whole(match: QuoteMatch) -> tuple[Span, ...]:
    return () if match.span is None else (match.span,)


# --- which questions to put to the judge --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Clause:
    """Part of a claim and the pointers that stand at its end. ``span`` is in the claim's text."""

    span: Span
    places: tuple[_Place, ...]


@dataclass(frozen=True, slots=True)
class _Plan:
    """The judge's tasks for one claim: the whole sentence first, then one for each clause."""

    first: int
    tasks: tuple[ClaimTask, ...]
    clauses: tuple[_Clause, ...]
    uncited: bool


def _plan(claim: Claim, places: Sequence[_Place], context: Context, *, first: int) -> _Plan:
    usable = [place for place in places if place.source is not None and place.source.searchable]
    if not usable:
        is_plain = not claim.factual and (places or not any(map(str.isdigit, claim.text)))
        if is_plain or any(place.source is not None for place in places):
            return _Plan(first, (), (), uncited=not places)
        passages = tuple(_passage(source, ()) for source in context.nearest(claim.text))
        tasks = (ClaimTask(claim.text, passages),) if passages else ()
        return _Plan(first, tasks, (), uncited=True)
    whole = ClaimTask(claim.text, _passages(usable))
    clauses = _clauses(claim, places)
    return _Plan(
        first,
        (whole, *(ClaimTask(clause.span.of(claim.text), _passages(clause.places)) for clause in clauses)),
        clauses,
        uncited=False,
    )


def _passages(places: Sequence[_Place]) -> tuple[Passage, ...]:
    sources = {place.source.id: place.source for place in places if place.source and place.source.searchable}
    return tuple(_passage(source, places) for source in sources.values())


def _clauses(claim: Claim, places: Sequence[_Place]) -> tuple[_Clause, ...]:
    """The parts of the claim that have markers of their own; empty when all markers back the same part."""
    groups: dict[Span, list[_Place]] = {}
    for place in places:
        groups.setdefault(_own_part(claim, place.pointer), []).append(place)
    if len(groups) < 2:
        return ()
    clauses = []
    for span in sorted(groups):
        searchable = tuple(
            place for place in groups[span] if place.source is not None and place.source.searchable
        )
        if span.of(claim.text).strip() and searchable:
            clauses.append(_Clause(span, searchable))
    return tuple(clauses)


def _own_part(claim: Claim, pointer: Pointer) -> Span:
    """The clause of a pointer in the claim's text."""
    clause = pointer.clause
    if clause is None or not claim.span.contains(clause):
        return Span(0, len(claim.text))
    return Span(clause.start - claim.span.start, clause.end - claim.span.start)


# --- putting it together ------------------------------------------------------------------------


def _verdict(claim: Claim, places: Sequence[_Place], plan: _Plan, judged: Sequence[Judged]) -> Verdict:
    if not judged:
        return _without_judgement(claim, places)
    whole, of_clauses = judged[0], judged[1:]
    if plan.uncited:
        return _uncited(claim, places, whole.judgement)
    checks = [_check(place, whole, plan.clauses, of_clauses) for place in places]
    verdict = _combined(claim, whole.judgement, [one.judgement for one in of_clauses], plan.clauses)
    if verdict.support is not Support.SUPPORTED or len({check.citation_id for check in checks}) < 2:
        checks = [replace(check, necessary=None) for check in checks]
    return replace(verdict, checks=tuple(checks))


def _uncited(claim: Claim, places: Sequence[_Place], whole: Judgement) -> Verdict:
    """Without a marker: what all passages say. With invented ones: not supported by what it cites."""
    if not claim.factual:
        return _of_what_is_no_claim(whole)
    backed_by = _backing(whole)
    if places:
        checks = tuple(_check_without_text(place) for place in places)
        return Verdict(Support.UNSUPPORTED, 0.0, checks[0].reason, checks=checks, backed_by=backed_by)
    told = f"{backed_by[0]} says it." if backed_by else whole.reason
    return Verdict(
        support=whole.support,
        score=whole.score,
        reason=f"Carries no citation; {told}",
        method=whole.method,
        differences=whole.differences,
        unsupported_words=_words(claim, whole),
        backed_by=backed_by,
    )


def _of_what_is_no_claim(whole: Judgement) -> Verdict:
    """A heading, lead-in or question may count ("3 steps:") but not bring an amount ("900 EUR") of its own."""
    against = whole.support is Support.CONTRADICTED
    if against or (whole.support is not Support.SUPPORTED and any(map(_is_amount, whole.differences))):
        support = Support.CONTRADICTED if against else Support.UNSUPPORTED
        return Verdict(support, 0.0, whole.reason, whole.method, differences=whole.differences)
    return Verdict(Support.UNCHECKED, 0.0, _NOT_FACTUAL)


def _is_amount(difference: Difference) -> bool:
    is_bare = all(char.isdigit() or char in ".,- " for char in difference.answer)
    return difference.kind in ("number", "currency", "unit") and not is_bare


def _combined(
    claim: Claim, whole: Judgement, of_clauses: Sequence[Judgement], clauses: Sequence[_Clause]
) -> Verdict:
    """Let the clauses speak where every part of the sentence has markers of its own.

    A number of one clause may look like a contradiction of another clause's passage; judged
    against its own passage it is not. So a contradiction counts only when a clause has it.
    """
    words = _words(claim, whole)
    verdict = Verdict(whole.support, whole.score, whole.reason, whole.method, (), whole.differences, words)
    if not of_clauses:
        return verdict
    if all(judgement.support is Support.SUPPORTED for judgement in of_clauses):
        weakest = min(of_clauses, key=lambda judgement: judgement.score)
        if _covered(claim, clauses):
            return Verdict(Support.SUPPORTED, weakest.score, weakest.reason, whole.method)
        return verdict
    contradicted = [judgement for judgement in of_clauses if judgement.support is Support.CONTRADICTED]
    if contradicted and whole.support is not Support.SUPPORTED:
        first = contradicted[0]
        return Verdict(
            Support.CONTRADICTED, first.score, first.reason, first.method, (), first.differences, words
        )
    return verdict


def _covered(claim: Claim, clauses: Sequence[_Clause]) -> bool:
    """Whether nothing but punctuation stands outside the clauses."""
    rest = claim.text
    for clause in reversed(clauses):
        rest = rest[: clause.span.start] + rest[clause.span.end :]
    return not any(char.isalnum() for char in rest)


def _check(
    place: _Place, whole: Judged, clauses: Sequence[_Clause], of_clauses: Sequence[Judged]
) -> CitationCheck:
    source = place.source
    if source is None:
        return _check_without_text(place)
    judged = whole
    for clause, of_clause in zip(clauses, of_clauses, strict=True):
        if any(other.pointer is place.pointer for other in clause.places):
            judged = of_clause
    judgement = judged.judgement
    part = next((part for part in judgement.passages if part.id == source.id), None)
    support = _support_of_citation(judgement, part)
    kind, spans = _quote_result(place, source, part, support)
    differences = (
        place.match.differences if place.quoted and place.match.differences else judgement.differences
    )
    status = citation_status(
        retrieved=True, searchable=source.searchable, support=support, quote_match=kind, found_elsewhere=False
    )
    return CitationCheck(
        citation_id=source.id,
        status=status,
        quote_match=kind,
        match_score=place.match.score if place.quoted else (part.score if part else 0.0),
        support=support,
        spans=spans,
        differences=() if status is CitationStatus.VERIFIED else differences,
        occurrences=max(1, len(place.match.occurrences)),
        necessary=judged.needed.get(source.id),
        reason=_reason(place, status, kind, judgement),
    )


def _support_of_citation(judgement: Judgement, part: PassageJudgement | None) -> Support:
    """What this passage does for the sentence.

    Where it takes several passages together to support the sentence, each that adds to it counts as supporting. Where one
    of them says it all, another has to say it all as well.
    """
    if part is None:
        return Support.UNCHECKED
    if part.support in (Support.CONTRADICTED, Support.SUPPORTED):
        return part.support
    if judgement.support is not Support.SUPPORTED:
        return _weaker(judgement.support, part.support)
    one_says_all = any(other.support is Support.SUPPORTED for other in judgement.passages)
    return Support.SUPPORTED if part.support is Support.PARTIAL and not one_says_all else part.support


# Strongest first.
_STRENGTH = (Support.SUPPORTED, Support.PARTIAL, Support.UNCHECKED, Support.UNSUPPORTED, Support.CONTRADICTED)


def _weaker(joint: Support, own: Support) -> Support:
    """A contradiction by another passage does not make this citation contradicted."""
    if joint is Support.CONTRADICTED:
        return own
    return max(joint, own, key=_STRENGTH.index)


def _quote_result(
    place: _Place, source: Source, part: PassageJudgement | None, support: Support
) -> tuple[QuoteMatchKind, tuple[Span, ...]]:
    """How the quote matched, and the places in the document that the citation points to."""
    best = tuple(part.spans) if part else ()
    if place.quoted:
        found = place.match.pieces or _whole(place.match)
        if place.match.kind is not QuoteMatchKind.NONE:
            return place.match.kind, _back(source, found)
        near = (place.match.near,) if place.match.near else best
        return QuoteMatchKind.NONE, _back(source, near)
    if support in (Support.UNSUPPORTED, Support.CONTRADICTED) and not best:
        return QuoteMatchKind.NONE, ()
    return (QuoteMatchKind.DERIVED if best else QuoteMatchKind.NONE), _back(source, best)


def _back(source: Source, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Where ``spans`` of the view stand in the document. A table row comes with its header row before it, a piece of fenced
    code is the whole block: half of a setting misleads."""
    wanted: dict[Span, None] = {}
    for span in spans:
        header = header_of(source.view.text, span)
        span = fence_round(source.view.text, span) or span
        wanted |= dict.fromkeys([span] if header is None else [header, span])
    return tuple(dict.fromkeys(origin for span in wanted for origin in source.view.back(span)))


def _check_without_text(place: _Place) -> CitationCheck:
    """Of a citation whose source has no text to look into, or that names no source at all."""
    if place.source is not None:
        return CitationCheck(
            citation_id=place.source.id,
            status=CitationStatus.NOT_CHECKABLE,
            quote_match=QuoteMatchKind.NONE,
            match_score=0.0,
            support=Support.UNCHECKED,
            reason="There is no text to check against.",
        )
    return CitationCheck(
        citation_id=place.pointer.id,
        status=CitationStatus.INVALID,
        quote_match=QuoteMatchKind.NONE,
        match_score=0.0,
        support=Support.UNSUPPORTED,
        reason=f"No such source: [{place.pointer.id}] was never retrieved.",
    )


def _without_judgement(claim: Claim, places: Sequence[_Place]) -> Verdict:
    checks = tuple(_check_without_text(place) for place in places)
    if any(check.status is CitationStatus.INVALID for check in checks):
        return Verdict(Support.UNSUPPORTED, 0.0, checks[0].reason, checks=checks)
    if checks:
        return Verdict(Support.UNCHECKED, 0.0, checks[0].reason, checks=checks)
    if claim.factual:
        return Verdict(Support.UNSUPPORTED, 0.0, "There is no source to check against.")
    return Verdict(Support.UNCHECKED, 0.0, _NOT_FACTUAL)


def _backing(judgement: Judgement) -> tuple[str, ...]:
    """The passages that say the whole sentence by themselves, best first."""
    if judgement.support is not Support.SUPPORTED:
        return ()
    backing = [part for part in judgement.passages if part.support is Support.SUPPORTED]
    return tuple(part.id for part in sorted(backing, key=lambda part: -part.score))


def _words(claim: Claim, judgement: Judgement) -> tuple[Span, ...]:
    return tuple(span.shift(claim.span.start) for span in judgement.unsupported_words)


def _reason(place: _Place, status: CitationStatus, kind: QuoteMatchKind, judgement: Judgement) -> str:
    if place.quoted and kind is QuoteMatchKind.NONE:
        changed = "; ".join(f"{item.kind} differs: {item}" for item in place.match.differences[:_SHOWN_FACTS])
        return f"Quote not in source{': ' + changed if changed else ''}."
    if status is CitationStatus.PARAPHRASED:
        words = ", ".join(
            f"{item.answer or '∅'} → {item.source or '∅'}" for item in place.match.differences[:_SHOWN_WORDS]
        )
        return f"Quote found with other words: {words}." if words else "Quote found with other words."
    if status is CitationStatus.VERIFIED and kind is QuoteMatchKind.EXACT:
        # "The source says this word for word" would say it twice.
        more = "" if judgement.reason.endswith("word for word") else judgement.reason
        stop = "" if not more or more.endswith((".", "!", "?", "。")) else "."
        return f"Quote found word for word. {more[:1].upper()}{more[1:]}{stop}".strip()
    return judgement.reason


# --- right sentence, wrong source ---------------------------------------------------------------


def _suggest_other_sources(
    claims: Sequence[Claim], verdicts: Sequence[Verdict], context: Context, judge: Judge
) -> tuple[Verdict, ...]:
    """Where a cited passage does not say it but another one does, mark the citation misattributed."""
    wanted = [place for place, verdict in enumerate(verdicts) if _may_be_misattributed(verdict)]
    tasks: list[ClaimTask] = []
    owners: list[tuple[int, Source]] = []
    for place in wanted:
        cited = {check.citation_id for check in verdicts[place].checks}
        for source in context.nearest(claims[place].text):
            if source.id not in cited:
                tasks.append(ClaimTask(claims[place].text, (_passage(source, ()),)))
                owners.append((place, source))
    if not tasks:
        return tuple(verdicts)
    better: dict[int, Source] = {}
    for (place, source), judgement in zip(owners, judge(tasks), strict=True):
        if judgement.support is Support.SUPPORTED:
            better.setdefault(place, source)
    return tuple(
        _misattributed(verdict, better[place]) if place in better else verdict
        for place, verdict in enumerate(verdicts)
    )


def _may_be_misattributed(verdict: Verdict) -> bool:
    return verdict.support in (Support.UNSUPPORTED, Support.PARTIAL) and any(
        check.status is CitationStatus.UNVERIFIED for check in verdict.checks
    )


def _misattributed(verdict: Verdict, source: Source) -> Verdict:
    def moved(check: CitationCheck) -> CitationCheck:
        status = citation_status(
            retrieved=check.status is not CitationStatus.INVALID,
            searchable=check.status is not CitationStatus.NOT_CHECKABLE,
            support=check.support,
            quote_match=check.quote_match,
            found_elsewhere=True,
        )
        if status is not CitationStatus.MISATTRIBUTED:
            return check
        reason = f"{check.citation_id} does not say this; {source.id} does."
        return replace(check, status=status, suggested_chunk_id=source.chunk.chunk_id, reason=reason)

    checks = tuple(moved(check) for check in verdict.checks)
    reason = next(check.reason for check in checks if check.suggested_chunk_id is not None)
    return replace(verdict, checks=checks, reason=reason)
