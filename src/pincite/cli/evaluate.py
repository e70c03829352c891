"""``eval``: how trustworthy the answers to a golden set are, and whether they got worse."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.cli.errors import UsageError
from pincite.cli.output import emit, paint_lines, table
from pincite.cli.session import Session
from pincite.errors import ConfigError

if TYPE_CHECKING:
    from pincite.evals.measures.items import Thresholds
    from pincite.evals.run import Tools
    from pincite.evals.values import EvalReport
    from pincite.pipeline import Pipeline
    from pincite.ports import Model

BASELINE = "baseline.json"
"""Where ``--save-baseline`` writes when no ``--baseline`` is named."""

JOURNAL = "pincite-eval.journal"
"""The journal of a run that writes no report."""

_CONFIG_SECTIONS = ("llm", "embedder", "parse", "chunk", "retrieval", "verify", "answer", "targets")
"""Settings that decide about answers, or about what is aimed at."""
_PRIVATE = frozenset(
    {"llm.base_url", "embedder.base_url", "retrieval.rerank_base_url", "parse.password_file"}
)
"""Addresses and paths of somebody's own: a report goes to others."""


def evaluate(
    session: Session,
    *,
    golden: str | None,
    answers: str | None,
    baseline: str | None,
    max_drop: float,
    max_drop_significant: bool,
    save_baseline: bool,
    limit: int | None,
    seed: int,
    only: str | None,
    judge: str | None,
    output: list[str] | None,
    form: str,
    as_json: bool,
    jobs: int,
    ray_address: str,
    resume: bool,
) -> int:
    """Evaluate a golden set. Exit code 1 when a rule of the gate is broken."""
    from pincite.evals.recorded import RecordedAnswers
    from pincite.evals.reports import read_report, write_report, writer_of
    from pincite.evals.run import Options, gated, run
    from pincite.wiring.chance import new_answer_id, now

    targets = [one for given in output or () for one in given.split(",") if one]
    for target in targets:
        writer_of(target)
    file = Path(baseline or BASELINE)
    if baseline is not None and not file.exists() and not save_baseline:
        raise UsageError("there is no such baseline", where=baseline, hint="make it with --save-baseline")
    before = read_report(file) if baseline is not None and file.exists() else None
    if judge == "entailment":
        session = session.with_setting("verify.judge", "entailment")
    config, lines = config_of(session)
    with tempfile.TemporaryDirectory(prefix="pincite-eval-") as scratch:
        # Hosts of a cluster share no disk: each reads the samples itself.
        samples = _samples(session, golden, answers, Path(scratch), 1 if ray_address else jobs)
        opener = OpenTools(session, samples, judge == "llm")
        report = run(
            Path(golden) if golden is not None else _shipped(),
            opener,
            Options(
                only=only,
                limit=limit,
                seed=seed,
                jobs=jobs,
                ray_address=ray_address,
                thresholds=config.thresholds,
                targets=config.targets,
                config=lines,
                git_sha=_commit(),
            ),
            answers=None if answers is None else RecordedAnswers(Path(answers)),
            journal=Path(f"{targets[0]}.journal" if targets else JOURNAL) if targets or resume else None,
            resume=resume,
            new_id=lambda moment: f"run_{new_answer_id(moment).removeprefix('ans_')}",
            clock=now,
            progress=_progress(session),
        )
    report = _gated(session, gated, report, before, file, max_drop, max_drop_significant, save_baseline)
    _keep(session, report, golden)
    for target in targets:
        write_report(report, target)
    if save_baseline:
        _save_baseline(session, report, file)
    form = "json" if as_json else form
    _show(session, report, form, golden or "golden.jsonl")
    _tell_github(report, golden or "golden.jsonl", annotated=form == "github")
    return int(report.gate is not None and not report.gate.passed)


def _gated(
    session: Session,
    gated: Callable[..., EvalReport],
    report: EvalReport,
    before: EvalReport | None,
    file: Path,
    max_drop: float,
    only_significant: bool,
    save_baseline: bool,
) -> EvalReport:
    """With ``--save-baseline`` a baseline about something else is no error: it is what gets replaced."""
    try:
        return gated(
            report, baseline=before, where=str(file), max_drop=max_drop, only_significant=only_significant
        )
    except ConfigError as error:
        if not save_baseline:
            raise
        session.note(f"{file} is replaced, not compared: {error.message}")
        return gated(report)


def _save_baseline(session: Session, report: EvalReport, file: Path) -> None:
    from pincite.evals.baseline import slim
    from pincite.evals.reports import write_report

    broken = [
        rule
        for rule in (report.gate.rules if report.gate else ())
        if not rule.passed and rule.rule != "target"
    ]
    if broken:
        session.note(f"{file} stays as it is: {broken[0].metric} did not pass")
        return
    write_report(slim(report), file)
    session.note(f"{file} is the baseline now")


# --- what answers -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenTools:
    """Makes the tools of a run; it is sent to each process.

    Args:
        samples: For the shipped golden set: ``memory``, or a database that holds the samples. Empty: what the settings say.
        rates: Whether the language model of the settings rates citations too.
    """

    session: Session
    samples: str
    rates: bool

    def __call__(self, needs_pipeline: bool) -> Tools:
        from pincite.evals.run import Tools
        from pincite.wiring.models import open_judge

        loaded = self.session.settings()
        rater = _rater(self.session) if self.rates else None
        if not needs_pipeline:
            return Tools(None, open_judge(loaded), rater)
        pipeline = self._pipeline()
        return Tools(pipeline, pipeline.parts.judge, rater)

    def _pipeline(self) -> Pipeline:
        if not self.samples:
            return _opened(self.session, {})
        if self.samples != "memory":
            from pincite.stores.sqlite import SqliteStore

            return _opened(self.session, {"store": SqliteStore(Path(self.samples), create=False)})
        from pincite.stores.memory import MemoryStore

        return with_samples(_opened(self.session, {"store": MemoryStore()}))


def with_samples(pipeline: Pipeline) -> Pipeline:
    """The pipeline with the sample documents in all their languages."""
    from pincite.samples import samples_dir

    pipeline.add(*sorted(path for path in samples_dir().iterdir() if path.is_dir() and path.name[:1] != "_"))
    return pipeline


def _opened(session: Session, given: dict[str, object]) -> Pipeline:
    from pincite.pipeline import Pipeline
    from pincite.wiring import assemble

    unwatched = session.with_setting("telemetry.enabled", "false")  # nobody asked these questions
    return Pipeline(*assemble(unwatched.settings(), {**given, "log": False}, create=False))


def _samples(session: Session, golden: str | None, answers: str | None, scratch: Path, jobs: int) -> str:
    """Several processes share a database of the samples: one has to read and embed them, not all."""
    if golden is not None or answers is not None:
        return ""
    if jobs == 1:
        return "memory"
    from pincite.stores.sqlite import SqliteStore

    path = scratch / "samples.db"
    with_samples(_opened(session, {"store": SqliteStore(path, create=True)})).close()
    return str(path)


def _shipped() -> Path:
    from pincite.samples import samples_dir

    return samples_dir() / "golden.jsonl"


def _rater(session: Session) -> Model:
    from pincite.wiring.models import choose_model

    loaded = session.settings()
    if loaded.config.llm.model == "extractive":
        raise ConfigError(
            "the judge llm needs a language model, and [llm] model is extractive",
            where=loaded.where("llm", "model"),
            hint="set [llm] model, such as -c llm.model=openai:NAME, or leave --judge out",
        )
    return choose_model(loaded.config.llm, loaded.where("llm", "model"))(None)


# --- settings -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Aims:
    thresholds: Thresholds
    targets: dict[str, float]


def config_of(session: Session) -> tuple[_Aims, dict[str, str]]:
    """What is aimed at, and the settings by name as the report lists them. 0, or 1 of what should be low, is no target."""
    from pincite.config.sections import shown
    from pincite.evals.measures.items import Thresholds
    from pincite.evals.values import LOWER_IS_BETTER

    config = session.settings().config
    aims = config.targets.model_dump()
    thresholds = Thresholds(aims.pop("grounded_confidence"), aims.pop("grounded_coverage"))
    targets = {name: aim for name, aim in aims.items() if aim != (1.0 if name in LOWER_IS_BETTER else 0.0)}
    lines = {
        f"{section}.{key}": shown(value)
        for section in _CONFIG_SECTIONS
        for key, value in getattr(config, section).model_dump().items()
        if f"{section}.{key}" not in _PRIVATE
    }
    return _Aims(thresholds, targets), lines


def _commit() -> str | None:
    """The commit that is evaluated, as the build says it, or the folder's own."""
    named = next((os.environ[name] for name in ("GITHUB_SHA", "CI_COMMIT_SHA") if os.environ.get(name)), None)
    if named is not None:
        return named
    try:
        head = Path(".git/HEAD").read_text("utf-8").strip()
        reference = head.removeprefix("ref: ")
        return head if reference == head else Path(".git", reference).read_text("utf-8").strip()
    except (OSError, UnicodeError):
        return None


# --- what is kept and shown ---------------------------------------------------------------------


def _keep(session: Session, report: EvalReport, golden: str | None) -> None:
    """A run over one's own documents is kept with them, for the page; the lowest level that may read it is the highest of
    those who asked."""
    from pincite.evals.run import RECORDED

    if golden is None or report.run.corpus_fingerprint == RECORDED:
        return
    from pincite.evals.golden import read_golden
    from pincite.evals.kept import level_of, stored_run
    from pincite.evals.values import GoldenItem

    readers = (one.reader for one in read_golden(golden) if isinstance(one, GoldenItem))
    with session.stored() as pipeline:
        pipeline.parts.store.save_run(stored_run(report, level_of(readers)))


def _tell_github(report: EvalReport, golden: str, *, annotated: bool) -> None:
    """In a step of GitHub Actions: the summary of the step, and annotations where they are not the output itself. Commands
    are read from standard error too, so that the output stays what was asked for."""
    from pincite.evals.reports import github_annotations, step_summary

    summary_file = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary_file:
        with Path(summary_file).open("a", encoding="utf-8", errors="replace") as file:
            file.write(step_summary(report))
    if os.environ.get("GITHUB_ACTIONS") == "true" and not annotated:
        sys.stderr.write(github_annotations(report, golden=golden))


def _show(session: Session, report: EvalReport, form: str, golden: str) -> None:
    from pincite.evals.reports import github_annotations, report_dict
    from pincite.evals.reports.markdown import report_markdown

    if form == "json":
        emit(json.dumps(report_dict(report), ensure_ascii=False))
    elif form == "markdown":
        emit(report_markdown(report).rstrip("\n"))
    elif form == "github":
        lines = github_annotations(report, golden=golden)
        if lines:
            emit(lines.rstrip("\n"))
    else:
        emit(paint_lines(summary(report), on=session.colour))


def summary(report: EvalReport) -> str:
    """The figures, what failed and what the gate says, for a terminal."""
    from pincite.evals.reports import facts

    parts = [_figures(report)]
    failed = facts.failed(report)
    if failed:
        rows = [(f"✗ {item.id}", facts_line(item.reasons)) for item in failed[:SHOWN_ITEMS]]
        parts.append(table(rows) + _and_more(len(failed)))
    if report.errors:
        errors = [(f"! {one.id}", f"{one.stage}: {one.detail}") for one in report.errors[:SHOWN_ITEMS]]
        parts.append(table(errors) + _and_more(len(report.errors)))
    if report.baseline is not None and report.baseline.left_out:
        left = ", ".join(report.baseline.left_out[:SHOWN_ITEMS])
        parts.append(f"~ machine-sensitive, left out of the comparison: {left}")
    broken = [rule for rule in (report.gate.rules if report.gate else ()) if not rule.passed]
    if broken:
        parts.append(table([(f"✗ {rule.metric}", facts.rule_text(rule)) for rule in broken]))
    sign = {True: "✓ ", False: "✗ ", None: ""}[facts.passed(report)]
    seconds = f"{report.run.seconds:.1f} s"
    parts.append(f"{sign}{facts.verdict(report)} {report.run.n} items in {seconds}.")
    return "\n\n".join(parts)


SHOWN_ITEMS = 20
"""Lines of a kind on a terminal; the report files have all."""


def facts_line(reasons: tuple[str, ...]) -> str:
    """The first reason on one line, and how many more there are."""
    from pincite.renderers.text import one_line
    from pincite.types import shorten

    if not reasons:
        return ""
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    return shorten(one_line(reasons[0]), 110) + more


def _and_more(number: int) -> str:
    return f"\n… and {number - SHOWN_ITEMS} more" if number > SHOWN_ITEMS else ""


def _figures(report: EvalReport) -> str:
    from pincite.evals.reports import facts

    deltas = {} if report.baseline is None else report.baseline.deltas
    head = ("metric", "value", "95 % interval", "n", "target", *(("change",) if report.baseline else ()))
    rows = [
        (
            name,
            facts.shown(metric.value),
            facts.shown_interval(metric),
            str(metric.n),
            facts.shown_target(metric),
            *((facts.shown_delta(name, deltas.get(name)),) if report.baseline else ()),
        )
        for name, metric in report.metrics.items()
    ]
    return table([head, *rows])


def _progress(session: Session) -> Callable[[int, int], None] | None:
    """A line that counts, where somebody is looking."""
    if session.quiet or not sys.stderr.isatty():
        return None

    def tell(done: int, count: int) -> None:
        sys.stderr.write(f"\r{done}/{count}" + ("\r\x1b[K" if done == count else ""))
        sys.stderr.flush()

    return tell
