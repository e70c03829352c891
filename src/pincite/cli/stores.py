"""``store copy`` and ``store check``: everything in another place, and whether all of it is whole."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, cast

from pincite.cli.output import complain, counted, emit, paint
from pincite.cli.session import Session

if TYPE_CHECKING:
    from pincite.ports.stores import Copied

INTERRUPTED = "\ninterrupted; what was copied is there. The same command goes on where it stopped"


def copy(
    session: Session,
    *,
    source: str,
    target: str,
    source_blobs: str | None,
    target_blobs: str | None,
    as_json: bool,
) -> int:
    """Copy a store to another place."""
    from pincite.copying import copy as copy_store

    with (
        closing(_opened(session, source, source_blobs, create=False)) as here,
        closing(_opened(session, target, target_blobs, create=True)) as there,
    ):
        try:
            with _progress(session) as progress:
                report = copy_store(here, there, progress=progress)
        except KeyboardInterrupt:
            session.note(INTERRUPTED)
            return 130
    for problem in (*report.lost, *(f"the log: {fault}" for fault in report.faults)):
        complain(paint(f"✗ {''.join(filter(str.isprintable, problem))}", "red", on=session.colour_errors))
    if as_json:
        emit(json.dumps(asdict(report)))
    else:
        emit(
            f"{counted(report.documents, 'document')} · {counted(report.chunks, 'chunk')} · "
            f"{counted(report.vectors, 'vector')} · {counted(report.originals, 'original')} · "
            f"{counted(report.answers, 'answer')} · all compared by their hashes"
        )
    if report.lost or report.faults:
        session.note("the copy is as its source is, which is not whole: pincite store check says more")
    return int(bool(report.lost or report.faults))


def check(session: Session, *, as_json: bool) -> int:
    """Read everything and say what is damaged."""
    from pincite.checkup import checkup

    with session.stored() as pipeline:
        store = cast("Copied", pipeline.parts.store)  # every store of ours can be
        found = [(problem, step) for problem, step in checkup(store)]
        count = sum(
            store.content_hash(one) is not None for one in store.doc_ids()
        )  # not those that were removed
    if as_json:
        problems = [{"problem": problem, "next_step": step} for problem, step in found]
        emit(json.dumps({"ok": not found, "problems": problems}, ensure_ascii=False))
        return int(bool(found))
    for problem, step in found:
        shown = "".join(filter(str.isprintable, problem))
        emit(paint(f"✗ {shown}", "red", on=session.colour) + f"  → {step}")
    if not found:
        emit(
            paint("✓", "green", on=session.colour)
            + f" {counted(count, 'document')}, their passages, words, vectors, originals and the log are whole"
        )
    return int(bool(found))


def _opened(session: Session, place: str, blobs: str | None, *, create: bool) -> Copied:
    """The store at a path or an address, with the settings of this folder for all else."""
    from pincite.config.addresses import is_address
    from pincite.wiring.stores import open_store

    own = session.settings()
    if is_address(place):
        chosen, is_own = session.with_setting("store.url", place), place == own.config.store.url
    else:
        chosen = session.with_setting("store.url", "").with_setting("store.path", place)
        is_own = not own.config.store.url and chosen.settings().database == own.database
    # The setting says where the originals of the store of the settings are, not those of another.
    if blobs is not None or not is_own:
        chosen = chosen.with_setting("store.blobs", blobs or "")
    return cast("Copied", open_store(chosen.settings(), create=create))


@contextmanager
def _progress(session: Session) -> Iterator[Callable[[int, int], None] | None]:
    if session.quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True, no_color=not session.colour_errors), transient=True) as bar:
        task = bar.add_task("documents", total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield advance
