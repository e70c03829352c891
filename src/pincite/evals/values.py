"""What an evaluation is made of: golden items, what came of each, the report. ``report_dict`` is its file form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pincite.types import Turn

SCHEMA_VERSION = "1.0"
"""Of golden files and reports. Fields are added, never repurposed."""


@dataclass(frozen=True, slots=True)
class GoldenItem:
    """One question with what is expected of its answer.

    Each entry of ``must_include`` is a row of wordings of which the answer needs one (see ``golden.wording_faults``, which
    compares them). ``answer`` and ``sources`` may hold a recorded answer: it is then checked instead of a new one.
    ``history`` are earlier turns of the same conversation; ``reader`` the level of who asks.
    """

    id: str
    question: str
    expected_doc_ids: tuple[str, ...] = ()
    reference_answer: str = ""
    expected_chunk_ids: tuple[str, ...] = ()
    must_abstain: bool = False
    expected_uncovered: tuple[str, ...] = ()
    must_include: tuple[tuple[str, ...], ...] = ()
    must_not_include: tuple[str, ...] = ()
    language: str | None = None
    tags: tuple[str, ...] = ()
    note: str = ""
    reader: str = "public"
    history: tuple[Turn, ...] = ()
    answer: str | Mapping[str, Any] | None = None
    sources: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What came of one item. ``values`` are its metrics by name; ``None`` where a metric does not apply to it.

    ``answer`` is the canonical JSON (default profile); ``verdicts`` the supports of its sentences; ``ratings`` 1-5 of each
    citation by judge; ``reasons`` say what was wrong, empty when ``passed``. ``margins`` tell, for each decision that
    rests on a number, how far that was from its threshold: items within 0.01 may fall otherwise on another machine.
    """

    id: str
    question: str
    passed: bool
    values: Mapping[str, float | None]
    answer: Mapping[str, Any] = field(default_factory=dict)
    verdicts: tuple[str, ...] = ()
    ratings: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    margins: Mapping[str, float] = field(default_factory=dict)
    language: str | None = None
    tags: tuple[str, ...] = ()
    doc_ids: tuple[str, ...] = ()
    asked: str = ""
    """Hash of the question and of what is expected (``selection.asked_hash``)."""
    weights: Mapping[str, int] = field(default_factory=dict)
    """How much an item counts in a metric that is pooled over citations or sentences: how many it has. 1 where none is given."""

    @property
    def machine_sensitive(self) -> bool:
        """Whether a decision hung on less than 0.01."""
        return any(abs(margin) < SENSITIVE_MARGIN for margin in self.margins.values())


SENSITIVE_MARGIN = 0.01
"""Two machines differ in the last bits of their arithmetic, and rounding on the way makes them more."""


LOWER_IS_BETTER = frozenset(
    {
        "hallucination_rate",
        "wrong_citation_rate",
        "uncited_rate",
        "withheld_rate",
        "answerable_declined",
        "ece",
        "ece_floor",
    }
)
"""Metrics of which less is better; all others are better when they rise."""


@dataclass(frozen=True, slots=True)
class Metric:
    """The mean of one metric over the ``n`` items it applies to (weighted, where it is pooled); ``value`` is ``None`` when it
    applies to none.

    ``ci95`` is a bootstrap interval; ``target`` what is aimed at, if anything is: the least it may be, or the most where
    ``lower_is_better``.
    """

    value: float | None
    n: int
    ci95: tuple[float, float] | None = None
    target: float | None = None
    lower_is_better: bool = False

    @property
    def meets_target(self) -> bool | None:
        """``None`` without a target or a value."""
        if self.target is None or self.value is None:
            return None
        return self.value <= self.target if self.lower_is_better else self.value >= self.target


@dataclass(frozen=True, slots=True)
class Delta:
    """Against the baseline: ``points`` are percentage points (value x 100), positive when the metric rose; ``None``
    when it is missing on a side. ``flipped`` are ids of items that were right on one side and wrong on the other."""

    points: float | None
    significant: bool | None = None
    p_value: float | None = None
    flipped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a report was compared with. ``deltas`` are by name of the metric."""

    run_id: str
    deltas: Mapping[str, Delta]
    left_out: tuple[str, ...] = ()
    """Machine-sensitive items, which are listed and not counted."""
    aside: Mapping[str, str] = field(default_factory=dict)
    """Items that are shown and not counted, as they are about something else now: why, by id."""
    changed_documents: tuple[str, ...] = ()
    """Documents of these items that changed, came or went."""


@dataclass(frozen=True, slots=True)
class GateRule:
    """``rule`` is ``max_drop``, ``max_drop_significant``, ``target``, ``errors`` or ``comparable`` (of the ``baseline``). Of the first two ``limit`` and ``value``
    are points: by how many the metric may get worse, and did (negative: it got better). Of ``target`` they are values, of
    ``errors`` counts. ``value`` is ``None`` when it is missing or not a number: such a rule is not passed."""

    metric: str
    rule: str
    limit: float
    value: float | None
    passed: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Gate:
    """What must hold, and whether it does. Without a rule it is passed."""

    rules: tuple[GateRule, ...]

    @property
    def passed(self) -> bool:
        return all(rule.passed for rule in self.rules)


@dataclass(frozen=True, slots=True)
class Run:
    """How a report came about. Two reports can be compared when ``corpus_fingerprint`` and ``golden_sha256`` agree."""

    id: str
    created_at: str
    n: int
    judge: str
    model: str
    config_hash: str
    golden_sha256: str
    corpus_fingerprint: str
    git_sha: str | None = None
    seed: int = 0
    limit: int | None = None
    only: str | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ItemError:
    """An item that came to no result: a broken line, a judge that failed. ``id`` may be ``line 17``."""

    id: str
    stage: str
    detail: str


@dataclass(frozen=True, slots=True)
class EvalReport:
    """One evaluation. ``slices`` hold metrics by ``language:de``, ``tag:number``, ``document:doc-returns``; ``baseline_items``
    are the items of the baseline that flipped, by id, to be shown beside the new ones, and ``aside_items`` those that are about
    something else now. ``documents`` are hashes of the documents that the readers of the items may see, by id. ``curves`` hold the points of plots:
    ``calibration`` (confidence, share right, count) and ``risk_coverage`` (coverage, risk)."""

    run: Run
    metrics: Mapping[str, Metric]
    items: tuple[ItemResult, ...]
    slices: Mapping[str, Mapping[str, Metric]] = field(default_factory=dict)
    agreement: Mapping[str, float | None] = field(default_factory=dict)
    curves: Mapping[str, tuple[tuple[float, ...], ...]] = field(default_factory=dict)
    baseline: Baseline | None = None
    baseline_items: Mapping[str, ItemResult] = field(default_factory=dict)
    aside_items: Mapping[str, ItemResult] = field(default_factory=dict)
    config_diff: Mapping[str, tuple[str | None, str | None]] = field(default_factory=dict)
    gate: Gate | None = None
    errors: tuple[ItemError, ...] = ()
    config: Mapping[str, str] = field(default_factory=dict)
    documents: Mapping[str, str] = field(default_factory=dict)
