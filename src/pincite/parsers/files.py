"""Folders and files to documents, one bad file at a time. The only module here that touches a disk."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pincite.errors import ParseError
from pincite.parsers import SUFFIXES, parse
from pincite.types import Document, Origin

MAX_FILE_BYTES = 200_000_000
"""A file of this size or more is refused before it is read."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read. ``source`` is its path in the folder that was given, with ``/``; its name if it was given itself.
    ``root`` is that folder."""

    path: Path
    source: str
    root: Path | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What lies under the given paths.

    Attributes:
        files: To be read, folders in sorted order.
        skipped: Files of a kind that no parser reads, and links to what is found at its own place anyway.
        refused: Paths that cannot be read, with the reason.
    """

    files: tuple[SourceFile, ...]
    skipped: tuple[Path, ...] = ()
    refused: tuple[ParseError, ...] = ()


def find_files(paths: Iterable[str | Path]) -> Found:
    """List the files under ``paths``; folders with all below them. Names that begin with a dot are left out.

    Nothing is read. A link that leads out of its folder is refused: who may write there could have us read
    anything.
    """
    files: list[SourceFile] = []
    skipped: list[Path] = []
    refused: list[ParseError] = []
    for given in paths:
        path = Path(given)
        if path.is_dir():
            _walk(path, files, skipped, refused)
        elif not path.exists():
            refused.append(ParseError("no such file or folder", where=str(path)))
        elif not path.is_file():
            refused.append(ParseError("neither a file nor a folder", where=str(path)))
        else:
            files.append(SourceFile(path, path.name))
    return Found(tuple(files), tuple(skipped), tuple(refused))


def load_file(file: SourceFile, *, max_bytes: int = MAX_FILE_BYTES) -> tuple[Document, ...]:
    """Read and parse one file. Its documents bring the bytes (``original``) and where they were (``origin``).

    Raises:
        ParseError: Naming the file, whatever is wrong with it.
    """
    try:
        with file.path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            # One byte more than it had: a file that is being written is not read in half.
            data = stream.read(size + 1) if size < max_bytes else b""
    except OSError as error:
        raise ParseError(f"cannot be read: {error.strerror or error}", where=file.source) from error
    if size >= max_bytes:
        raise ParseError(
            f"has {size / 1e6:.0f} MB; files of {max_bytes / 1e6:.0f} MB and more are not read",
            where=file.source,
            hint="split it",
        )
    if len(data) != size:
        raise ParseError("changed while it was read", where=file.source, hint="add it again")
    origin = Origin(str(file.path.absolute()), "" if file.root is None else str(file.root.absolute()))
    return tuple(replace(one, original=data, origin=origin) for one in parse(data, file.source))


def load_paths(
    paths: Iterable[str | Path], *, max_bytes: int = MAX_FILE_BYTES
) -> Iterator[Document | ParseError]:
    """All documents under ``paths``, in order; an error in place of each file that cannot be read.

    A ``doc_id`` that an earlier file used is an error too: one would silently replace the other.
    """
    found = find_files(paths)
    yield from found.refused
    used: dict[str, str] = {}
    for file in found.files:
        try:
            documents = load_file(file, max_bytes=max_bytes)
        except ParseError as error:
            yield error
            continue
        for document in documents:
            if document.doc_id not in used:
                used[document.doc_id] = file.source
                yield document
                continue
            yield ParseError(
                f"doc_id {document.doc_id!r} is already that of {used[document.doc_id]}",
                where=file.source,
                hint="give each document a doc_id of its own",
            )


def _walk(root: Path, files: list[SourceFile], skipped: list[Path], refused: list[ParseError]) -> None:
    real_root = root.resolve()

    def note(error: OSError) -> None:
        refused.append(ParseError(f"cannot be read: {error.strerror or error}", where=str(error.filename)))

    for folder, folders, names in os.walk(root, onerror=note):
        # os.walk goes into the folders in the order of this list.
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names + [name for name in folders if Path(folder, name).is_symlink()]):
            path = Path(folder, name)
            if name.startswith("."):
                continue
            if path.is_symlink():
                if problem := _link_problem(path, real_root):
                    refused.append(ParseError(problem, where=str(path)))
                else:
                    skipped.append(path)
            elif path.suffix.lower() in SUFFIXES and path.is_file():
                files.append(SourceFile(path, path.relative_to(root).as_posix(), root))
            else:
                skipped.append(path)


def _link_problem(link: Path, real_root: Path) -> str:
    """Why a link is refused; empty when it leads to a place below ``real_root``, which is read there anyway."""
    try:
        target = link.resolve()
    except (OSError, RuntimeError):  # Python 3.11 and 3.12 raise RuntimeError for a loop
        return "a link that leads nowhere"
    return "" if target.is_relative_to(real_root) else "a link that leads out of the folder"
