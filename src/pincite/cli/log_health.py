"""What ``doctor`` says of the log."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from pincite.chain import count_of, detail_of
from pincite.cli.output import counted
from pincite.ports.stored import LogEntry
from pincite.ports.stores import Store
from pincite.types import AccessLevel, AnswerId, Reader

LITTLE_SPACE = 64_000_000
"""Bytes: of less, the log may soon not be written. An answer takes some 10,000."""


def findings(store: Store, database: Path, reader: Reader, *, before: str) -> Iterator[tuple[str, str, str]]:
    """State, what was found, and the next step; one line when all is well.

    Args:
        before: Answers that were logged before this time are older than the settings say; empty: none is.
    """
    sees_all = reader.level is AccessLevel.CONFIDENTIAL
    gaps, old = [], 0
    for entry in store.log_entries():
        if entry.kind == "gap":
            gaps.append(entry)
        elif before and entry.kind == "answer" and entry.at < before:
            old += store.answer(AnswerId(entry.subject), reader) is not None
    free = _free(database)
    if free is not None and free < LITTLE_SPACE:
        yield (
            "warning",
            f"{free // 1_000_000} MB are free: answers will be given and not logged when there is no space",
            "free some space",
        )
    if gaps:
        yield "warning", _gaps(gaps, counts=sees_all), "pincite log verify says when"
    if old:
        yield (
            "warning",
            f"{counted(old, 'answer')} for this reader are older than [log] keep_days",
            "pincite log prune",
        )
    if not gaps and not old and (free is None or free >= LITTLE_SPACE):
        yield "ok", "answers are logged", "pincite log head, kept elsewhere, proves that none was changed"


def _gaps(gaps: list[LogEntry], *, counts: bool) -> str:
    if not counts:
        return "some answers were given and not logged"
    number = sum(count_of(detail_of(one)) for one in gaps)
    return f"{counted(number, 'answer')} were given and not logged, the last before {gaps[-1].at}"


def _free(database: Path) -> int | None:
    try:
        return shutil.disk_usage(database.parent).free
    except OSError:
        return None
