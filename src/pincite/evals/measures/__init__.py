"""Measures: what each figure of an evaluation is, and how it is taken of one item.

Every metric is a mean over the items it applies to. Those that are *pooled* weigh an item by how many citations or sentences
it has, so that they are shares of all citations or sentences of the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Meant = Literal["answerable", "unanswerable", "uncovered", "expected", "any"]


@dataclass(frozen=True, slots=True)
class Definition:
    """A metric of ``docs/evaluation.md``.

    Args:
        title: What it is, in words.
        source: Who asked for it or defined it.
        pooled: Over all ``citations`` or ``sentences`` of the run, or empty: the mean of what each answer has.
        gated: Whether a drop breaks ``--max-drop``.
        meant: Items that must be in the run for it to have a value: one that is missing although they are there misses
            its target. ``expected``: those that expect something, which always give it one.
    """

    title: str
    source: str
    pooled: str = ""
    gated: bool = True
    meant: Meant = "any"


METRICS: Mapping[str, Definition] = {
    "coverage": Definition("factual sentences that cite a source", "source 004", "sentences", meant="answerable"),
    "precision": Definition("citations rated 4 or 5", "source 004", "citations", meant="answerable"),
    "verified_rate": Definition("citations that were verified", "source 004", "citations", meant="answerable"),
    "fully_grounded_rate": Definition("answers in which everything holds", "source 004", meant="answerable"),
    "mean_precision": Definition("precision of an answer, in the mean", "source 004", meant="answerable"),
    "citation_coverage": Definition("coverage of an answer, in the mean", "source 000", meant="answerable"),
    "confidence_score": Definition("(sentence, id) pairs of an answer that hold", "source 000", meant="answerable"),
    "grounded_rate": Definition("answers that are grounded, by both thresholds", "source 000", meant="answerable"),
    "citation_accuracy": Definition("markers of an answer that hold", "source 002", meant="answerable"),
    "verification_rate": Definition("distinct ids of an answer that hold", "source 001", meant="answerable"),
    "hallucination_rate": Definition("citations as written that name no source", "source 001", "citations", meant="answerable"),
    "wrong_citation_rate": Definition("citations as written that name a source which does not say it", "source 001", "citations", meant="answerable"),
    "uncited_rate": Definition("factual sentences as written that cite nothing", "ours", "sentences", meant="answerable"),
    "withheld_rate": Definition("factual sentences as written that were withheld", "ours", "sentences", gated=False),
    "answer_correct": Definition("answerable questions that were answered rightly", "ours", meant="expected"),
    "abstain_precision": Definition("declined questions that nothing answers", "source 003", meant="unanswerable"),
    "abstain_recall": Definition("unanswerable questions that were declined", "source 003", meant="unanswerable"),
    "answerable_declined": Definition("answerable questions that were declined", "ours", meant="answerable"),
    "uncovered_recall": Definition("parts without an answer that were named", "source 004", meant="uncovered"),
    "retrieval_recall": Definition("expected passages or documents that were found", "source 001", meant="answerable"),
    "mrr": Definition("one over the rank of the first expected one", "Voorhees 1999", gated=False),
    "ndcg_10": Definition("nDCG of the first ten", "Järvelin and Kekäläinen 2002", gated=False),
    "expected_citation_precision": Definition("cited passages or documents that were expected", "source 001", meant="answerable"),
    "expected_citation_recall": Definition("expected passages or documents that were cited", "source 001", meant="answerable"),
    "alce_citation_recall": Definition("sentences that their citations together support", "Gao et al. 2023 (ALCE)", meant="answerable"),
    "alce_citation_precision": Definition("citations that support, or without which the others do not", "Gao et al. 2023 (ALCE)", meant="answerable"),
    "precision_llm": Definition("citations that a language model rates 4 or 5", "source 004", "citations", gated=False),
    "mean_precision_llm": Definition("the same of an answer, in the mean", "source 004", gated=False),
}  # fmt: skip
"""In the order in which reports show them. Beside them stand ``ece`` and ``ece_floor``, which are no means."""
