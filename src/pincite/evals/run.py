"""Run a golden set: each item answered (or its recorded answer read), checked, measured; then the figures of all.

Items are read, answered and written to a journal one at a time. What is held of each is its figures; whole answers are held of
the first thousand items alone, and stand in the journal for the others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from pincite.access import as_reader
from pincite.checks.rules import rules
from pincite.errors import ConfigError, PinciteError
from pincite.evals.aggregate import agreement_of, calibration_of, metrics_of, slices_of
from pincite.evals.compact import compact
from pincite.evals.compare import CHANGES, check_comparable, compare, compare_replaced, set_aside
from pincite.evals.gate import MAX_DROP, judge_run
from pincite.evals.golden import check_against
from pincite.evals.journal import Journal, Outcome
from pincite.evals.judges import JudgeError, ratings_by_model, ratings_by_verdict
from pincite.evals.kept import level_of
from pincite.evals.measures.items import Thresholds, measure
from pincite.evals.observe import Observed, observe, observe_recorded
from pincite.evals.recorded import RecordedAnswers
from pincite.evals.selection import Survey, asked_hash, survey
from pincite.evals.values import EvalReport, Gate, GateRule, GoldenItem, ItemError, ItemResult, Run
from pincite.pipeline import Pipeline
from pincite.ports import Judge, Model
from pincite.ports.stores import Store
from pincite.types import Reader
from pincite.workers import map_tasks

WHOLE_ITEMS = 1_000
"""Items whose whole answers a report holds."""

RECORDED = "recorded"
"""Fingerprint of the corpus where answers bring their own sources."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What items are worked on with.

    Args:
        pipeline: What answers; ``None`` where every answer is recorded.
        judge: What checks recorded answers; the pipeline has its own.
        rater: The language model that rates citations beside our own verdicts, if any.
    """

    pipeline: Pipeline | None = None
    judge: Judge = rules
    rater: Model | None = None


Opener = Callable[[bool], Tools]
"""Makes the tools, with a pipeline or without; with several processes it is pickled, and called once in each."""


@dataclass(frozen=True, slots=True)
class Options:
    """What of a golden set is run, and how. ``targets`` are values by metric; ``config`` the settings by name, for the
    report."""

    only: str | None = None
    limit: int | None = None
    seed: int = 0
    jobs: int = 1
    ray_address: str = ""
    thresholds: Thresholds = field(default_factory=Thresholds)
    targets: Mapping[str, float] = field(default_factory=dict)
    config: Mapping[str, str] = field(default_factory=dict)
    git_sha: str | None = None


def run(
    golden: Path,
    open_tools: Opener,
    options: Options | None = None,
    *,
    answers: RecordedAnswers | None = None,
    journal: Path | None = None,
    resume: bool = False,
    new_id: Callable[[datetime], str],
    clock: Callable[[], datetime],
    progress: Callable[[int, int], None] | None = None,
) -> EvalReport:
    """Evaluate a golden set. The report has no gate yet: see ``gated``.

    Args:
        golden: The file.
        open_tools: Called here at once, and in each further process.
        options: What is run, and how.
        answers: Recorded answers; without them those in the golden file, and the pipeline where there are none.
        journal: Where outcomes are written as they come. It stays when it holds more than the report.
        resume: Go on with the journal that is there.
        new_id, clock: Time and chance.
        progress: Called after each item with how many are done, of how many.

    Raises:
        ConfigError: If the file cannot be read, holds nothing to run, or a journal belongs to another run.
        StoreError: If the index cannot be opened.
    """
    options = options or Options()
    began = clock()
    found = survey(
        golden,
        only=options.only,
        limit=options.limit,
        seed=options.seed,
        recorded=answers is not None,
    )
    tools = open_tools(found.needs_pipeline)
    if found.needs_pipeline and tools.pipeline is None:
        raise ConfigError("there are items without a recorded answer, and no pipeline to answer them")
    fingerprint, documents = _corpus(found, tools)
    about = _about(found, tools, options, fingerprint)
    kept = (
        None
        if journal is None
        else Journal(
            journal,
            {
                **_identity(about, options),
                "answers_sha256": found.recorded_sha256 if answers is None else answers.sha256,
            },
            resume=resume,
        )
    )
    items: list[ItemResult] = []
    errors: list[ItemError] = list(answers.errors) if answers is not None else []
    given: list[tuple[float, bool]] = []
    try:
        for done, outcome in enumerate(_outcomes(found, open_tools, tools, options, answers, kept), start=1):
            errors += outcome.errors
            if outcome.confidence is not None:
                given.append(outcome.confidence)
            if outcome.result is not None:
                whole = len(items) < WHOLE_ITEMS
                result = compact(outcome.result)
                items.append(result if whole else replace(result, answer={}))
            if progress is not None:
                progress(min(done, found.count), found.count)
    finally:
        if kept is not None:
            kept.close()
    if kept is not None:
        kept.close(remove=len(items) <= WHOLE_ITEMS and not errors)
    metrics = metrics_of(items, targets=options.targets, seed=options.seed)
    sure, curves = calibration_of(given, seed=options.seed)
    return EvalReport(
        run=replace(
            about,
            id=new_id(began),
            created_at=began.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            n=len(items),
            seconds=round((clock() - began).total_seconds(), 1),
        ),
        metrics={**metrics, **sure},
        items=tuple(items),
        slices=slices_of(items, seed=options.seed),
        agreement=agreement_of(items),
        curves=curves,
        errors=tuple(errors),
        config=dict(options.config),
        documents=documents,
    )


def gated(
    report: EvalReport,
    *,
    baseline: EvalReport | None = None,
    where: str = "",
    max_drop: float = MAX_DROP,
    only_significant: bool = False,
    unchanged_only: bool = False,
    replaces: bool = False,
    accept_drop: bool = False,
) -> EvalReport:
    """The report with the comparison and the gate.

    Args:
        unchanged_only: Compare, though documents or questions changed, the items that are about the same as before.
        replaces: The baseline is to be replaced by this run: it may be about something else (``compare_replaced``).
        accept_drop: What got worse breaks no rule.

    Raises:
        ConfigError: If the baseline is about other documents, questions or ratings; ``where`` is its file.
    """
    compared = None
    if baseline is not None and replaces:
        compared = compare_replaced(report, baseline)
    elif baseline is not None:
        check_comparable(report, baseline, where, despite=CHANGES if unchanged_only else ())
        compared = compare(report, baseline, set_aside(report, baseline, where) if unchanged_only else None)
    declined = [item.values.get("abstain_recall") is not None for item in report.items]
    meant = {
        *(["unanswerable"] if any(declined) else []),
        *(["answerable"] if not all(declined) else []),
    }
    gate = judge_run(
        report.metrics,
        report.errors,
        meant=frozenset(meant),
        baseline=None if compared is None else compared.baseline,
        max_drop=max_drop,
        only_significant=only_significant,
        accept_drop=accept_drop,
    )
    if compared is None:
        return replace(report, gate=gate)
    return replace(
        report,
        gate=gate,
        baseline=compared.baseline,
        baseline_items=compared.items,
        aside_items=compared.aside,
        config_diff=compared.config_diff,
    )


def not_compared(report: EvalReport, why: str) -> EvalReport:
    """The report with a gate that says that its baseline cannot be compared: a broken rule, so that nobody takes it for passed."""
    found = gated(report)
    rules = found.gate.rules if found.gate is not None else ()
    return replace(
        found, gate=Gate((*rules, GateRule("baseline", "comparable", 0.0, None, passed=False, reason=why)))
    )


def corpus_of(store: Store, reader: Reader) -> tuple[str, dict[str, str]]:
    """What a reader can see: SHA-256 (hex) over ids, content hashes and numbers of passages of the documents, and 16 digits of
    hash of each by its id. Nothing above the reader's level changes it."""
    sha, documents = hashlib.sha256(), dict[str, str]()
    for one in sorted(store.documents(reader), key=lambda one: one.info.doc_id):
        state = f"{one.info.content_hash} {one.chunk_count}"
        sha.update(f"{one.info.doc_id} {state}\n".encode("utf-8", "surrogatepass"))
        documents[one.info.doc_id] = hashlib.sha256(state.encode()).hexdigest()[:16]
    return sha.hexdigest(), documents


def _corpus(found: Survey, tools: Tools) -> tuple[str, dict[str, str]]:
    if not found.needs_pipeline or tools.pipeline is None:
        return RECORDED, {}
    return corpus_of(tools.pipeline.parts.store, as_reader(level_of(found.levels)))


def _about(found: Survey, tools: Tools, options: Options, fingerprint: str) -> Run:
    config = "\n".join(f"{name}={value}" for name, value in sorted(options.config.items()))
    from_pipeline = found.needs_pipeline and tools.pipeline is not None
    return Run(
        id="",
        created_at="",
        n=found.count,
        judge="rules" if tools.rater is None else "llm",
        model=tools.pipeline.parts.model_name if from_pipeline and tools.pipeline else RECORDED,
        config_hash=hashlib.sha256(config.encode()).hexdigest(),
        golden_sha256=found.sha256,
        corpus_fingerprint=fingerprint,
        git_sha=options.git_sha,
        seed=options.seed,
        limit=options.limit,
        only=options.only,
    )


def _identity(about: Run, options: Options) -> dict[str, object]:
    """What outcomes depend on."""
    return {
        "golden_sha256": about.golden_sha256,
        "corpus_fingerprint": about.corpus_fingerprint,
        "config_hash": about.config_hash,
        "judge": about.judge,
        "model": about.model,
        "only": options.only,
        "limit": options.limit,
        "seed": options.seed,
    }


# --- item by item -------------------------------------------------------------------------------


def _outcomes(
    found: Survey,
    open_tools: Opener,
    tools: Tools,
    options: Options,
    answers: RecordedAnswers | None,
    journal: Journal | None,
) -> Iterator[Outcome]:
    """In the order of the file, those of the journal too."""

    def tasks() -> Iterator[GoldenItem | ItemError | Outcome]:
        for one in found.items():
            if isinstance(one, ItemError):
                yield one
            elif journal is not None and one.id in journal:
                yield journal.outcome(one.id)
            else:
                yield one if answers is None else answers.of(one)

    work = _Work(open_tools, found.needs_pipeline, options.thresholds)
    here: Callable[[GoldenItem | ItemError | Outcome], Outcome] = (
        work if options.jobs > 1 or options.ray_address else lambda task: work.with_tools(task, tools)
    )
    known = len(journal) if journal is not None else 0
    outcomes = map_tasks(here, tasks(), jobs=options.jobs, ray_address=options.ray_address, lost=_lost)
    for outcome in outcomes:
        is_known = bool(known) and journal is not None and outcome.id in journal
        if journal is not None and not is_known:
            journal.add(outcome)
        yield outcome


def _lost(task: GoldenItem | ItemError | Outcome) -> Outcome:
    return Outcome(task.id, None, (ItemError(task.id, "answer", "the process that worked on it died"),))


@cache
def _opened(open_tools: Opener, needs_pipeline: bool) -> Tools:
    return open_tools(needs_pipeline)


@dataclass(frozen=True, slots=True)
class _Work:
    open_tools: Opener
    needs_pipeline: bool
    thresholds: Thresholds

    def __call__(self, task: GoldenItem | ItemError | Outcome) -> Outcome:
        return self.with_tools(task, _opened(self.open_tools, self.needs_pipeline))

    def with_tools(self, task: GoldenItem | ItemError | Outcome, tools: Tools) -> Outcome:
        if isinstance(task, Outcome):
            return task
        if isinstance(task, ItemError):
            return Outcome(task.id, None, (task,))
        return evaluate_item(task, tools, self.thresholds)


def evaluate_item(item: GoldenItem, tools: Tools, thresholds: Thresholds | None = None) -> Outcome:
    """Answer, check and measure one item. What fails is an error, never a value."""
    recorded = item.answer is not None
    if not recorded and tools.pipeline is not None:
        unknown = check_against(item, tools.pipeline.parts.store)
        if unknown:
            return Outcome(item.id, None, unknown)
    try:
        if recorded or tools.pipeline is None:
            seen = observe_recorded(item, tools.judge)
        else:
            seen = observe(tools.pipeline, item)
    except PinciteError as error:
        return Outcome(item.id, None, (ItemError(item.id, "answer", str(error)),))
    ratings = {"rules": ratings_by_verdict(seen.sentences)}
    errors: tuple[ItemError, ...] = ()
    if tools.rater is not None:
        try:
            ratings["llm"] = ratings_by_model(seen.sentences, seen.hits, tools.rater, first_id=seen.first_id)
        except JudgeError as error:
            errors = (ItemError(item.id, "judge", str(error)),)
    return _outcome(item, seen, ratings, errors, thresholds)


def _outcome(
    item: GoldenItem,
    seen: Observed,
    ratings: dict[str, tuple[int, ...]],
    errors: tuple[ItemError, ...],
    thresholds: Thresholds | None,
) -> Outcome:
    measured = measure(item, seen, ratings, thresholds)
    right = measured.values["answer_correct"] if not item.must_abstain else 0.0
    is_sure = seen.confidence is not None and right is not None
    return Outcome(
        item.id,
        ItemResult(
            id=item.id,
            question=item.question,
            passed=not measured.reasons,
            values=measured.values,
            answer=seen.body,
            verdicts=tuple(one.support.value for one in seen.sentences),
            ratings=ratings,
            reasons=measured.reasons,
            margins=seen.margins,
            language=item.language,
            tags=item.tags,
            doc_ids=item.expected_doc_ids,
            asked=asked_hash(item),
            weights=measured.weights,
        ),
        errors,
        (round(seen.confidence or 0.0, 6), right == 1.0) if is_sure else None,
    )
