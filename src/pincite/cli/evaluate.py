"""``eval``: how trustworthy the answers to a golden set are, and whether they got worse."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pincite.cli.errors import UsageError
from pincite.cli.evaluation import changed_figures, summary
from pincite.cli.output import emit, paint_lines
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

GOLDEN = "golden.jsonl"
"""The golden file of a folder, which is taken where none is named."""

SHIPPED = "samples"
"""Names the shipped questions where a folder has its own."""

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
    compare_unchanged: bool,
    save_baseline: bool,
    accept_drop: bool,
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
    from pincite.evals.run import Options, run
    from pincite.wiring.chance import new_answer_id, now

    if accept_drop and not save_baseline:
        raise UsageError("--accept-drop is for --save-baseline: nothing else accepts what got worse")
    if compare_unchanged and baseline is None:
        raise UsageError("--compare-unchanged needs a report to compare with", hint="name it with --baseline")
    targets = [one for given in output or () for one in given.split(",") if one]
    for target in targets:
        writer_of(target)
    file = Path(baseline or BASELINE)
    if baseline is not None and not file.exists() and not save_baseline:
        raise UsageError("there is no such baseline", where=baseline, hint="make it with --save-baseline")
    before = read_report(file) if (baseline is not None or save_baseline) and file.exists() else None
    golden = _chosen(session, golden, is_told=form == "text" and not as_json)
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
    report, refused = _compared(
        report,
        before,
        file,
        save_baseline,
        max_drop=max_drop,
        only_significant=max_drop_significant,
        unchanged_only=compare_unchanged,
        accept_drop=accept_drop,
    )
    _keep(session, report, golden)
    for target in targets:
        write_report(report, target)
    form = "json" if as_json else form
    _show(session, report, form, golden)
    _tell_github(report, golden or GOLDEN, annotated=form == "github")
    if refused is not None and not save_baseline:
        raise refused
    if save_baseline:
        _save_baseline(session, report, before, file, why="" if refused is None else refused.message)
    return int(report.gate is not None and not report.gate.passed)


def _chosen(session: Session, golden: str | None, *, is_told: bool) -> str | None:
    """The golden file that is meant: the one named, the one in this folder, or (``None``) the shipped one. Text reports name
    it themselves."""
    if golden == SHIPPED and not Path(golden).exists():
        return None
    chosen = golden or (GOLDEN if Path(GOLDEN).is_file() else None)
    if golden is None and not is_told:
        session.note(_asked(chosen))
    return chosen


def _asked(golden: str | None) -> str:
    return (
        "the questions that pincite ships, over its samples"
        if golden is None
        else f"the questions of {golden}"
    )


def _compared(
    report: EvalReport, before: EvalReport | None, file: Path, replaces: bool, **how: Any
) -> tuple[EvalReport, ConfigError | None]:
    """The report with its gate, and why the baseline cannot be compared with it, if it cannot: the run is not lost by it.
    One that is to be replaced may be about something else, and its figures are compared all the same."""
    from pincite.evals.run import gated, not_compared

    try:
        if replaces:
            how["unchanged_only"] = False  # what is replaced is compared whole
        return gated(report, baseline=before, where=str(file), **how), None
    except ConfigError as error:
        if replaces:
            return gated(report, baseline=before, where=str(file), replaces=True, **how), error
        return not_compared(report, error.message), error


def _save_baseline(
    session: Session, report: EvalReport, before: EvalReport | None, file: Path, *, why: str
) -> None:
    """Write the baseline unless it would be a worse one, and say what it was. ``why``: it was about something else."""
    from pincite.evals.baseline import slim
    from pincite.evals.reports import facts, write_report

    broken = [
        rule
        for rule in (report.gate.rules if report.gate else ())
        if not rule.passed and rule.rule != "target"
    ]
    for name, was, now in changed_figures(report, before):
        session.note(f"{name}: {was} → {now}")
    if broken:
        session.note(f"{file} stays as it is: {broken[0].metric} {facts.rule_text(broken[0])}")
        if all(rule.rule != "errors" for rule in broken):
            session.note("--accept-drop writes it all the same")
        return
    write_report(slim(report), file)
    session.note(
        f"{file} is the baseline now" + (f", though what was there is another run: {why}" if why else "")
    )


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


def _show(session: Session, report: EvalReport, form: str, golden: str | None) -> None:
    from pincite.evals.reports import github_annotations, report_dict
    from pincite.evals.reports.markdown import report_markdown

    if form == "json":
        emit(json.dumps(report_dict(report), ensure_ascii=False))
    elif form == "markdown":
        emit(report_markdown(report).rstrip("\n"))
    elif form == "github":
        lines = github_annotations(report, golden=golden or GOLDEN)
        if lines:
            emit(lines.rstrip("\n"))
    else:
        what = _asked(golden)
        emit(paint_lines(f"{what[0].upper()}{what[1:]}\n\n{summary(report)}", on=session.colour))


def _progress(session: Session) -> Callable[[int, int], None] | None:
    """A line that counts, where somebody is looking."""
    if session.quiet or not sys.stderr.isatty():
        return None

    def tell(done: int, count: int) -> None:
        sys.stderr.write(f"\r{done}/{count}" + ("\r\x1b[K" if done == count else ""))
        sys.stderr.flush()

    return tell
