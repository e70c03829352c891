"""All metrics of one observed answer, what speaks against it, and how much it weighs in pooled metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from pincite.answer import GOOD
from pincite.evals.golden import wording_faults
from pincite.evals.judges import PRECISE_FROM
from pincite.evals.measures.ranking import ndcg, recall, reciprocal_rank
from pincite.evals.measures.sets import precision_recall
from pincite.evals.observe import Observed
from pincite.evals.values import GoldenItem
from pincite.findings import Sentence, Support
from pincite.review import GROUNDED_CONFIDENCE, GROUNDED_COVERAGE
from pincite.text.fold import fold
from pincite.text.numbers import parse_quantities
from pincite.text.quantity import same_quantity

Values = dict[str, float | None]

DECIMALS = 6
"""Values are rounded when they are made, so that a report that was read again compares equal."""

SHOWN_CHARS = 120


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When an answer is grounded (source 000): its ``confidence_score`` and its coverage reach these."""

    confidence: float = GROUNDED_CONFIDENCE
    coverage: float = GROUNDED_COVERAGE


@dataclass(frozen=True, slots=True)
class Measured:
    """Of one item: ``values`` by metric, ``weights`` of the pooled ones, ``reasons`` against it."""

    values: Mapping[str, float | None]
    weights: Mapping[str, int]
    reasons: tuple[str, ...]


def measure(
    item: GoldenItem,
    seen: Observed,
    ratings: Mapping[str, Sequence[int]],
    thresholds: Thresholds | None = None,
) -> Measured:
    """Take every metric of an answer.

    Args:
        item: What was expected.
        seen: What was given.
        ratings: 1-5 of each citation by judge; ``rules`` must be there.
        thresholds: When an answer is grounded.
    """
    values: Values = {}
    weights: dict[str, int] = {}
    _shown(seen, ratings, thresholds or Thresholds(), values, weights)
    _written(seen, values, weights)
    _declining(item, seen, values)
    _expected(item, seen, values)
    correct, faults = _is_right(item, seen)
    values["answer_correct"] = correct
    values["uncovered_recall"], missed = _uncovered(item, seen)
    reasons = (*faults, *missed, *_ungrounded(seen))
    rounded = {name: None if value is None else round(value, DECIMALS) for name, value in values.items()}
    return Measured(rounded, weights, reasons)


# --- what the reader is shown -------------------------------------------------------------------


def _shown(
    seen: Observed,
    ratings: Mapping[str, Sequence[int]],
    thresholds: Thresholds,
    values: Values,
    weights: dict[str, int],
) -> None:
    """Of an answer that was given; a declined question has nothing of this."""
    factual = () if seen.abstained else seen.factual
    checks = [check for one in seen.sentences for check in one.verdict.checks if not seen.abstained]
    counts = seen.shown.metrics
    given = bool(factual)
    covered = share(sum(bool(one.claim.cited_ids) for one in factual), len(factual))
    values["coverage"] = covered
    weights["coverage"] = len(factual)
    values["verified_rate"] = share(sum(check.status in GOOD for check in checks), len(checks))
    weights["verified_rate"] = len(checks)
    for judge, suffix in (("rules", ""), ("llm", "_llm")):
        rated = ratings.get(judge)
        if rated is not None:
            precise = None if seen.abstained else share(sum(one >= PRECISE_FROM for one in rated), len(rated))
            values[f"precision{suffix}"] = values[f"mean_precision{suffix}"] = precise
            weights[f"precision{suffix}"] = len(rated)
    values["fully_grounded_rate"] = float(all(map(holds, factual))) if given else None
    values["citation_coverage"] = covered
    values["confidence_score"] = counts.confidence_score if given else None
    values["citation_accuracy"] = counts.citation_accuracy if given else None
    values["verification_rate"] = counts.verification_rate if given else None
    is_grounded = (counts.confidence_score or 0.0) >= thresholds.confidence
    values["grounded_rate"] = (
        float(is_grounded and (covered or 0.0) >= thresholds.coverage) if given else None
    )
    values["alce_citation_recall"] = (
        fmean(one.support is Support.SUPPORTED and bool(one.claim.cited_ids) for one in factual)
        if given
        else None
    )
    precise_ones = [said for one in factual for said in alce_precise(one)]
    values["alce_citation_precision"] = share(sum(precise_ones), len(precise_ones))


def holds(sentence: Sentence) -> bool:
    """Whether a factual sentence is supported and each of its citations holds."""
    checks = sentence.verdict.checks
    return (
        sentence.support is Support.SUPPORTED
        and bool(checks)
        and all(check.status in GOOD for check in checks)
    )


def alce_precise(sentence: Sentence) -> list[bool]:
    """For each citation of a sentence whether ALCE counts it: the sentence is supported by all of them together, and this one
    supports it alone, or the others do not support it without this one."""
    checks = sentence.verdict.checks
    supported = sentence.support is Support.SUPPORTED
    return [
        supported
        and (len(checks) == 1 or check.support is Support.SUPPORTED or check.necessary is True)
        and check.status in GOOD
        for check in checks
    ]


def share(part: int, whole: int) -> float | None:
    """``part / whole``; ``None`` when there is nothing to count, never a perfect or a zero score."""
    return part / whole if whole else None


# --- what was written ---------------------------------------------------------------------------


def _written(seen: Observed, values: Values, weights: dict[str, int]) -> None:
    of = seen.written
    for name, part in (("hallucination_rate", of.invented), ("wrong_citation_rate", of.wrong)):
        values[name] = share(part, of.citations)
        weights[name] = of.citations
    values["uncited_rate"] = share(of.uncited, of.factual)
    weights["uncited_rate"] = weights["withheld_rate"] = of.factual
    values["withheld_rate"] = None if of.withheld is None else share(of.withheld, of.factual)


# --- what was expected --------------------------------------------------------------------------


def _declining(item: GoldenItem, seen: Observed, values: Values) -> None:
    values["abstain_precision"] = float(item.must_abstain) if seen.abstained else None
    values["abstain_recall"] = float(seen.abstained) if item.must_abstain else None
    values["answerable_declined"] = None if item.must_abstain else float(seen.abstained)


def _expected(item: GoldenItem, seen: Observed, values: Values) -> None:
    """Against the expected passages; against the expected documents where no passages are named."""
    by_chunk = bool(item.expected_chunk_ids)
    gold = item.expected_chunk_ids or item.expected_doc_ids
    found = [str(hit.chunk.chunk_id if by_chunk else hit.document.doc_id) for hit in seen.hits]
    cited = cited_ids(seen, by_chunk=by_chunk)
    values["retrieval_recall"] = recall(found, gold)
    values["mrr"] = reciprocal_rank(found, gold)
    values["ndcg_10"] = ndcg(found, gold)
    precise, complete = precision_recall(gold, cited) if gold else (None, None)
    values["expected_citation_precision"] = precise
    values["expected_citation_recall"] = complete


def cited_ids(seen: Observed, *, by_chunk: bool) -> list[str]:
    """Ids of the passages, or of the documents, that the answer cites."""
    if seen.abstained:
        return []
    return [str(one.chunk_id if by_chunk else one.doc_id) for one in seen.shown.citations]


def _is_right(item: GoldenItem, seen: Observed) -> tuple[float | None, tuple[str, ...]]:
    """Whether an answerable question was answered rightly, and what speaks against the answer to any question."""
    if item.must_abstain:
        leaked = wording_faults(item, seen.text) if seen.abstained else ()
        return None, (*(() if seen.abstained else ("answers what nothing answers",)), *leaked)
    if seen.abstained:
        reason = getattr(seen.shown, "reason_code", None)
        return 0.0, (
            f"declines what can be answered ({reason.value})" if reason else "declines what can be answered",
        )
    faults = list(wording_faults(item, seen.text))
    if not item.must_include:
        numbers = missing_numbers(item.reference_answer, seen.text, item.language)
        faults += [f"does not say the {one} of the reference answer" for one in numbers]
        told = any(not one.weak for one in parse_quantities(item.reference_answer, language=item.language))
        if not told and not item.must_not_include:
            if not item.expected_doc_ids:
                return None, tuple(faults)
            if not set(cited_ids(seen, by_chunk=False)) & set(item.expected_doc_ids):
                faults.append("cites none of the expected documents")
    return float(not faults), tuple(faults)


def missing_numbers(reference: str, answer: str, language: str | None) -> tuple[str, ...]:
    """Amounts of the reference answer, as written there, that the answer does not have in any unit or spelling.

    >>> missing_numbers("30 days, 25 MB", "It takes thirty days.", "en")
    ('25 MB',)
    """
    said = parse_quantities(answer, language=language)
    return tuple(
        one.span.of(reference)
        for one in parse_quantities(reference, language=language)
        if not one.weak and not any(same_quantity(one, other) for other in said)
    )


def _uncovered(item: GoldenItem, seen: Observed) -> tuple[float | None, tuple[str, ...]]:
    """The share of the parts without an answer that the answer names as such."""
    if not item.expected_uncovered or seen.uncovered is None:
        return None, ()
    named = " \n ".join(" ".join(fold(one).low.split()) for one in seen.uncovered)
    missed = tuple(one for one in item.expected_uncovered if " ".join(fold(one).low.split()) not in named)
    hit = 1 - len(missed) / len(item.expected_uncovered)
    return hit, tuple(f'does not say that "{one}" is not covered' for one in missed)


def _ungrounded(seen: Observed) -> tuple[str, ...]:
    if seen.abstained:
        return ()
    return tuple(
        f"{one.text[:SHOWN_CHARS]!r}: {one.reason or one.support.value}"
        for one in seen.factual
        if not holds(one)
    )
