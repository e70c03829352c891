"""Read the sources of the stored documents again: what is new, changed, unchanged, no longer there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from pincite.access import EVERYTHING
from pincite.errors import ParseError
from pincite.ingest import AddReport, Cut, ingest
from pincite.ports import Embedder
from pincite.ports.stored import StoredDocument
from pincite.ports.stores import Store
from pincite.types import AccessLevel, Document, Origin, Skipped
from pincite.upkeep import remove
from pincite.vectorise import Wanted, check_same_embedder, vectorise
from pincite.workers import Workers


class Load(Protocol):
    """Reads files, folders and URLs; ``workers`` may parse them."""

    def __call__(
        self, sources: Sequence[str | Path], *, workers: Workers | None = None
    ) -> Iterator[Document | ParseError | Skipped]: ...


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """What a refresh found: document ids, and what could not be read.

    Args:
        removed: Their file, or their part of it, is no longer there. They are still stored unless ``pruned``.
        left_out: Found again, but removed on purpose before: `add` takes them in, a refresh does not.
        vectors: How many passages got one, such as after an embedder was set.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    failed: tuple[ParseError, ...] = ()
    left_out: tuple[str, ...] = ()
    chunks: int = 0
    pruned: bool = False
    vectors: int = 0

    def __repr__(self) -> str:
        return (
            f"RefreshReport({len(self.added)} added, {len(self.changed)} changed, {len(self.unchanged)} unchanged, "
            f"{len(self.removed)} removed, {len(self.failed)} failed, {self.chunks} chunks)"
        )


def refresh(
    store: Store,
    load: Load,
    *,
    cut: Cut,
    embedder: Embedder | None,
    default_access: AccessLevel,
    clock: Callable[[], datetime],
    progress: Callable[[str, int], None] | None = None,
    workers: Workers | None = None,
    prune: bool = False,
    dry_run: bool = False,
) -> RefreshReport:
    """Read every source of the stored documents again, and store what is new or changed.

    Folders that were added are read whole, so what is new in them is found. A document without a source, such as a program
    made, is left alone. Where a whole folder is not there, its documents are failures, not removals: it may only be
    a disk that is not connected.

    Args:
        load: Reads files, folders and URLs.
        prune: Remove the documents whose file is no longer there.
        dry_run: Do all but write.
    """
    stored = store.documents(EVERYTHING)
    origins = {one.info.doc_id: one.origin for one in stored if one.origin is not None}
    seen = _Seen({one.doc_id for one in store.removed(EVERYTHING)})
    report = ingest(
        seen.watched(
            load(sources(origins.values()))
            if workers is None
            else load(sources(origins.values()), workers=workers)
        ),
        store,
        cut=cut,
        embedder=embedder,
        default_access=default_access,
        clock=clock,
        progress=progress,
        workers=workers,
        dry_run=dry_run,
    )
    gone, unreachable = _missing(stored, seen, report)
    vectors = report.vectors
    if not dry_run:
        if embedder is not None:
            vectors += _vectors_for_the_rest(store, embedder)
        for doc_id in gone if prune else ():
            remove(store, doc_id, clock=clock)
        store.sweep()
    return RefreshReport(
        report.added,
        report.changed,
        report.unchanged,
        gone,
        (*report.failed, *unreachable),
        tuple(seen.left_out),
        report.chunks,
        prune and not dry_run,
        vectors,
    )


def _vectors_for_the_rest(store: Store, embedder: Embedder) -> int:
    """Documents without a source may lack vectors too, since an embedder was set after they were added. How many passages
    got one."""
    lacking = [one for one in store.documents(EVERYTHING) if one.vector_count < one.chunk_count]
    if not lacking:
        return 0
    check_same_embedder(store, embedder)
    return vectorise([Wanted(one.info.doc_id, one.info.title, {}) for one in lacking], store, embedder)


def sources(origins: Iterable[Origin]) -> tuple[str | Path, ...]:
    """What to read: each folder, file and URL once, in order. What is gone is not read, nor a file twice that was given
    itself and lies in a folder that was given too.

    >>> sources([Origin("https://example.org/a"), Origin("https://example.org/a")])
    ('https://example.org/a',)
    """
    folders = sorted({origin.root for origin in origins if origin.root})
    files = sorted({origin.place for origin in origins if not origin.root and not origin.is_url})
    urls = sorted({origin.place for origin in origins if origin.is_url})
    return (
        *(Path(folder) for folder in folders if Path(folder).is_dir()),
        *(Path(file) for file in files if Path(file).exists() and str(Path(file).parent) not in folders),
        *urls,
    )


class _Seen:
    """What a reading of the sources brought: by place, and the names of what could not be read."""

    def __init__(self, removed: set[str]) -> None:
        self._removed = removed
        self.places: set[str] = set()
        self.doc_ids: set[str] = set()
        self.left_out: list[str] = []

    def watched(
        self, loaded: Iterable[Document | ParseError | Skipped]
    ) -> Iterator[Document | ParseError | Skipped]:
        """The same, less what was removed on purpose."""
        for item in loaded:
            if isinstance(item, Document):
                if item.origin is not None:
                    self.places.add(item.origin.place)
                self.doc_ids.add(item.doc_id)
                if item.doc_id in self._removed:
                    self.left_out.append(item.doc_id)
                    continue
            yield item


def _missing(
    stored: Sequence[StoredDocument], seen: _Seen, report: AddReport
) -> tuple[tuple[str, ...], tuple[ParseError, ...]]:
    """Documents whose source is gone, and errors for those of which nobody can tell."""
    broken = [error.where for error in report.failed]
    gone: list[str] = []
    unreachable: dict[str, ParseError] = {}
    for one in stored:
        if one.origin is None or one.info.doc_id in seen.doc_ids or one.origin.is_url:
            continue
        place = Path(one.origin.place)
        folder = Path(one.origin.root) if one.origin.root else place.parent
        if not folder.is_dir():
            unreachable.setdefault(
                str(folder),
                ParseError(
                    "the folder is not there",
                    where=str(folder),
                    hint="its documents stay; pincite docs rm ID removes one",
                ),
            )
        elif not place.exists() or (str(place) in seen.places and not _is_among(place, folder, broken)):
            gone.append(one.info.doc_id)
    return tuple(gone), tuple(unreachable.values())


def _is_among(place: Path, folder: Path, broken: Sequence[str]) -> bool:
    """Whether an error is about that file: it names it by its path, or by its path in the folder, and may add a line."""
    names = (
        str(place),
        place.name,
        place.relative_to(folder).as_posix() if place.is_relative_to(folder) else "",
    )
    return any(where == name or where.startswith(f"{name}:") for where in broken for name in names if name)


def signatures(paths: Iterable[Path]) -> dict[str, tuple[int, int]]:
    """Size and time of change (nanoseconds) of each file, by path; folders with all below them."""
    found: dict[str, tuple[int, int]] = {}
    for path in paths:
        files = (file for file in path.rglob("*")) if path.is_dir() else iter([path])
        for file in files:
            try:
                stat = file.stat()
            except OSError:  # it went while we looked
                continue
            if file.is_file():
                found[str(file)] = stat.st_size, stat.st_mtime_ns
    return found
