"""Documents in, again and again, and out: ``add``, ``refresh`` and ``backup``."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pincite.cli.errors import UsageError
from pincite.cli.output import complain, counted, emit, error_text_of, paint
from pincite.cli.session import Session

if TYPE_CHECKING:
    from pincite.errors import ParseError
    from pincite.ingest import AddReport
    from pincite.pipeline import Pipeline
    from pincite.refresh import RefreshReport

LOOK_EVERY_S = 2.0
"""How often ``--watch`` looks at the files. Two looks that agree tell that nobody is writing."""

MOST_SKIPPED = 10
"""Skipped files that are named; of more the number is said."""

INTERRUPTED = (
    "\ninterrupted; what was stored before is still there. The same command goes on where it stopped"
)


# --- add ----------------------------------------------------------------------------------------


def add(
    session: Session,
    *,
    paths: list[str],
    access: str | None,
    dry_run: bool,
    watch: bool,
    password_file: str | None,
    jobs: int,
    ray_address: str,
    rebuild: bool,
    as_json: bool,
) -> int:
    """Take documents in."""
    session = session.with_setting("parse.password_file", password_file)
    if not paths and not rebuild:
        raise UsageError(
            "there is nothing to add", hint="name files, folders or addresses: pincite add docs/"
        )
    if watch and dry_run:
        raise UsageError("--watch stores what it finds", hint="leave out --dry-run or --watch")
    given = _nothing_stored(session) if dry_run else {}
    with session.pipeline(create=not dry_run, **given) as pipeline:
        try:
            with _progress(session, _count(paths)) as progress:
                if rebuild:
                    again = pipeline.rebuild(progress=progress, jobs=jobs, ray_address=ray_address)
                    said = f"{counted(len(again.changed), 'document')} indexed again · {counted(again.chunks, 'chunk')}"
                    (session.note if as_json else emit)(said)
                report = (
                    pipeline.add(
                        *paths,
                        access=access,
                        progress=progress,
                        jobs=jobs,
                        ray_address=ray_address,
                        dry_run=dry_run,
                    )
                    if paths
                    else None
                )
            if report is not None:
                _say_what_happened(session, report, dry_run=dry_run, as_json=as_json)
                _say_if_vectors_are_missing(session, pipeline, report, dry_run=dry_run)
            if watch:
                _watch(session, pipeline, jobs=jobs, ray_address=ray_address, prune=False)
        except KeyboardInterrupt:
            session.note(INTERRUPTED)
            return 130
        return 1 if report is not None and report.failed else 0


def _nothing_stored(session: Session) -> dict[str, Any]:
    """For ``--dry-run``: without a database there is nothing that could be unchanged."""
    from pincite.stores.memory import MemoryStore
    from pincite.wiring.stores import has_store

    return {"embedder": None} if has_store(session.settings()) else {"store": MemoryStore(), "embedder": None}


def _say_what_happened(session: Session, report: AddReport, *, dry_run: bool, as_json: bool) -> None:
    _complain_of(session, report.failed)
    if as_json:
        found = {
            "added": report.added, "changed": report.changed, "unchanged": report.unchanged,
            "failed": [{"where": one.where, "message": one.message, "hint": one.hint} for one in report.failed],
            "skipped": [{"where": one.where, "reason": one.reason} for one in report.skipped],
            "warnings": [{"doc_id": doc_id, "message": said} for doc_id, said in report.warnings],
            "chunks": report.chunks, "vectors": report.vectors, "dry_run": dry_run,
        }  # fmt: skip
        emit(json.dumps(found, ensure_ascii=False))
        return
    for doc_id, said in report.warnings:
        session.note(f"! {_shown(doc_id)}: {_shown(said)}")
    for one in report.skipped[:MOST_SKIPPED]:
        session.note(f"skipped {_shown(one.where)}: {_shown(one.reason)}")
    if len(report.skipped) > MOST_SKIPPED:
        session.note(f"skipped {len(report.skipped) - MOST_SKIPPED} more; --json lists them all")
    counts = [
        f"{len(report.added)} added",
        f"{len(report.changed)} changed",
        f"{len(report.unchanged)} unchanged",
    ]
    if report.failed:
        counts.append(paint(f"{len(report.failed)} failed", "red", on=session.colour))
    if report.skipped:
        counts.append(f"{len(report.skipped)} skipped")
    emit(
        f"{', '.join(counts)} · {counted(report.chunks, 'chunk')}"
        + (f" · {counted(report.vectors, 'vector')} made" if report.vectors and not report.chunks else "")
        + (" · nothing was stored" if dry_run else "")
    )


def _say_if_vectors_are_missing(
    session: Session, pipeline: Pipeline, report: AddReport, *, dry_run: bool
) -> None:
    built = pipeline.parts.store.embedder_fingerprint
    if built and pipeline.parts.embedder is None and not dry_run and (report.added or report.changed):
        session.note(
            f"! the other documents have vectors of {built}, these have none: set [embedder] model and run "
            "pincite add again"
        )


def _shown(text: str) -> str:
    return "".join(filter(str.isprintable, text))


def _complain_of(session: Session, failed: Sequence[ParseError]) -> None:
    for error in failed:
        complain(error_text_of(error, colour=session.colour_errors))


# --- refresh ------------------------------------------------------------------------------------


def refresh(
    session: Session,
    *,
    remove: bool,
    dry_run: bool,
    watch: bool,
    password_file: str | None,
    jobs: int,
    ray_address: str,
    as_json: bool,
) -> int:
    """Read the sources of the stored documents again."""
    session = session.with_setting("parse.password_file", password_file)
    if watch and dry_run:
        raise UsageError("--watch stores what it finds", hint="leave out --dry-run or --watch")
    given: dict[str, Any] = {"embedder": None} if dry_run else {}
    with session.pipeline(**given) as pipeline:
        try:
            with _progress(session, 0) as progress:
                report = pipeline.refresh(
                    prune=remove, progress=progress, jobs=jobs, ray_address=ray_address, dry_run=dry_run
                )
            _say_what_a_refresh_found(session, report, dry_run=dry_run, as_json=as_json)
            if watch:
                _watch(session, pipeline, jobs=jobs, ray_address=ray_address, prune=remove)
        except KeyboardInterrupt:
            session.note(INTERRUPTED)
            return 130
    return 1 if report.failed else 0


def _say_what_a_refresh_found(
    session: Session, report: RefreshReport, *, dry_run: bool = False, as_json: bool = False
) -> None:
    _complain_of(session, report.failed)
    if as_json:
        found = {
            "added": report.added, "changed": report.changed, "unchanged": report.unchanged, "removed": report.removed,
            "failed": [{"where": error.where, "message": error.message} for error in report.failed],
            "left_out": report.left_out, "chunks": report.chunks, "vectors": report.vectors, "pruned": report.pruned,
        }  # fmt: skip
        emit(json.dumps(found, ensure_ascii=False))
        return
    for sign, doc_ids in (("+", report.added), ("~", report.changed), ("-", report.removed)):
        for doc_id in doc_ids:
            emit(f"{sign} {''.join(filter(str.isprintable, doc_id))}")
    counts = [
        f"{len(report.added)} added",
        f"{len(report.changed)} changed",
        f"{len(report.unchanged)} unchanged",
        f"{len(report.removed)} removed",
    ]
    if report.failed:
        counts.append(paint(f"{len(report.failed)} failed", "red", on=session.colour))
    emit(
        f"{', '.join(counts)} · {counted(report.chunks, 'chunk')}"
        + (f" · {counted(report.vectors, 'vector')} made" if report.vectors else "")
        + (" · nothing was stored" if dry_run else "")
    )
    if report.removed and not report.pruned:
        session.note("the removed are no longer in their sources but still stored: --remove removes them")
    if report.left_out:
        session.note(
            f"{counted(len(report.left_out), 'document')} left out: removed on purpose before; pincite add takes them in"
        )


def _watch(session: Session, pipeline: Pipeline, *, jobs: int, ray_address: str, prune: bool) -> None:
    """Refresh whenever files change, until Ctrl-C."""
    from pincite.access import EVERYTHING
    from pincite.refresh import signatures, sources

    def look() -> dict[str, tuple[int, int]]:
        stored = pipeline.parts.store.documents(EVERYTHING)
        places = sources(one.origin for one in stored if one.origin is not None)
        return signatures(place for place in places if isinstance(place, Path))

    known = look()
    session.note(f"watching {counted(len(known), 'file')}; Ctrl-C ends")
    changing: dict[str, tuple[int, int]] | None = None
    while True:
        time.sleep(LOOK_EVERY_S)
        now = look()
        if now == known:
            changing = None
        elif now == changing:  # nobody has written since the last look
            _say_what_a_refresh_found(
                session, pipeline.refresh(prune=prune, jobs=jobs, ray_address=ray_address)
            )
            known, changing = now, None
        else:
            changing = now


# --- backup -------------------------------------------------------------------------------------


def backup(session: Session, *, file: str) -> int:
    """Copy the database and the originals."""
    with session.stored() as pipeline:
        with suppress(OSError):  # the copy itself then says what is wrong with the place
            Path(file).parent.mkdir(parents=True, exist_ok=True)
        lost = pipeline.parts.store.backup(Path(file))
        count = len(pipeline.documents("confidential"))
    for problem in lost:
        complain(paint(f"✗ {problem}", "red", on=session.colour_errors))
    emit(f"{counted(count, 'document')} copied to {file}, their originals to {file}.blobs")
    session.note(
        f"to use the copy: pincite -c store.path={file} …; to restore it, copy both back under the old name"
    )
    return int(bool(lost))


# --- progress -----------------------------------------------------------------------------------


def _count(paths: Sequence[str]) -> int:
    from pincite.parsers.files import find_files
    from pincite.parsers.urls import is_url

    return len(find_files(path for path in paths if not is_url(path)).files)


@contextmanager
def _progress(session: Session, total: int) -> Iterator[Callable[[str, int], None]]:
    """A bar on standard error while documents are added; nothing where that is no terminal."""
    if session.quiet or not sys.stderr.isatty():
        yield lambda doc_id, chunks: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(), MofNCompleteColumn(), TextColumn("documents · {task.fields[chunks]} chunks"), TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )  # fmt: skip
    console = Console(stderr=True, no_color=not session.colour_errors)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total or None, chunks=0)
        done = 0

        def advance(doc_id: str, chunks: int) -> None:
            nonlocal done
            done += 1  # a file may hold several documents
            shown = "".join(filter(str.isprintable, doc_id))[:40]
            bar.update(task, completed=done, total=max(total, done), chunks=chunks, description=shown)

        yield advance
