"""Folders and files to documents, one bad file at a time. With ``about`` the only module here that touches a disk."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath

from pincite.errors import ParseError, did_you_mean
from pincite.parsers import NOT_READ, SUFFIXES, parse
from pincite.parsers.about import Abouts, is_sidecar
from pincite.ports import Parser
from pincite.types import Document, Origin, Skipped
from pincite.workers import Workers

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
        skipped: What is not read and need not be, with the reason: files of a kind that no parser reads, and links to
            what is found at its own place anyway.
        refused: Paths that cannot be read, with the reason.
    """

    files: tuple[SourceFile, ...]
    skipped: tuple[Skipped, ...] = ()
    refused: tuple[ParseError, ...] = ()


def find_files(paths: Iterable[str | Path]) -> Found:
    """List the files under ``paths``; folders with all below them. Names that begin with a dot are left out.

    Nothing is read. A link that leads out of its folder is refused: who may write there could have us read
    anything.
    """
    files: list[SourceFile] = []
    skipped: list[Skipped] = []
    refused: list[ParseError] = []
    for given in paths:
        path = Path(given)
        if path.is_dir():
            _walk(path, files, skipped, refused)
        elif not path.exists():
            refused.append(ParseError("no such file or folder", where=str(path), hint=_near(path)))
        elif not path.is_file():
            refused.append(ParseError("neither a file nor a folder", where=str(path)))
        else:
            files.append(SourceFile(path, path.name))
    return Found(tuple(files), tuple(skipped), tuple(refused))


def _near(path: Path) -> str:
    """What else of nearly that name is beside it; else from where the path was taken."""
    try:
        beside = sorted(one.name for one in path.parent.iterdir() if not one.name.startswith("."))
    except OSError:
        return f"there is no folder {path.parent} either; paths are taken from {Path.cwd()}"
    return did_you_mean(path.name, beside, "" if path.is_absolute() else f"paths are taken from {Path.cwd()}")


def load_file(
    file: SourceFile,
    *,
    max_bytes: int = MAX_FILE_BYTES,
    abouts: Abouts | None = None,
    parse: Parser = parse,
) -> tuple[Document, ...]:
    """Read and parse one file. Its documents bring the bytes (``original``) and where they were (``origin``).

    Args:
        abouts: What stands beside files; without it only the file itself is read.
        parse: What reads the bytes.

    Raises:
        ParseError: Naming the file, whatever is wrong with it.
    """
    data = _bytes(file, max_bytes)
    return _finished(file, data, parse(data, file.source), abouts)


def _bytes(file: SourceFile, max_bytes: int) -> bytes:
    try:
        with file.path.open("rb") as stream:
            before = os.fstat(stream.fileno())
            size = before.st_size
            # One byte more than it had: a file that is being written is not read in half.
            data = stream.read(size + 1) if size < max_bytes else b""
            after = os.fstat(stream.fileno())
    except OSError as error:
        raise ParseError(
            f"cannot be read: {error.strerror or error}",
            where=file.source,
            hint="make it readable and add it again",
        ) from error
    if size >= max_bytes:
        raise ParseError(
            f"has {size / 1e6:.0f} MB; files of {max_bytes / 1e6:.0f} MB and more are not read",
            where=file.source,
            hint="split it",
        )
    if len(data) != size or (before.st_mtime_ns, size) != (after.st_mtime_ns, after.st_size):
        raise ParseError("changed while it was read", where=file.source, hint="add it again")
    return data


def _finished(
    file: SourceFile, data: bytes, documents: Sequence[Document], abouts: Abouts | None
) -> tuple[Document, ...]:
    """The documents of a file with what stands beside it, its bytes and where it is."""
    origin = Origin(str(file.path.absolute()), "" if file.root is None else str(file.root.absolute()))
    if abouts is not None:
        documents = abouts.apply(documents, file.path)
    return tuple(replace(one, original=data, origin=origin) for one in documents)


def _told_apart(one: SourceFile, other: SourceFile) -> tuple[str, str]:
    """Their sources; of the same name in two folders, with that of the folder in front."""
    if one.source != other.source or one.path == other.path:
        return one.source, other.source
    first, second = (f"{(file.root or file.path.parent).name}/{file.source}" for file in (one, other))
    return first, second


def load_paths(
    paths: Iterable[str | Path],
    *,
    max_bytes: int = MAX_FILE_BYTES,
    parse: Parser = parse,
    workers: Workers | None = None,
) -> Iterator[Document | ParseError | Skipped]:
    """All documents under ``paths``, in order, with what stands beside them (``parsers.about``); an error in place of each
    file that cannot be read, and last what was left alone.

    A ``doc_id`` that an earlier file used is an error too: one would silently replace the other.

    Args:
        workers: Who parses. This process reads the files, so that the others need not see them.
    """
    found = find_files(paths)
    yield from found.refused
    used: dict[str, SourceFile] = {}
    abouts = Abouts()
    for file, data, parsed in _parsed(found.files, max_bytes, parse, workers):
        try:
            if isinstance(parsed, ParseError):
                raise parsed
            documents = _finished(file, data, parsed, abouts)
        except ParseError as error:
            yield error
            continue
        for document in documents:
            if document.doc_id not in used:
                used[document.doc_id] = file
                yield document
                continue
            first, second = _told_apart(used[document.doc_id], file)
            yield ParseError(
                f"doc_id {document.doc_id!r} is already that of {first}",
                where=second,
                hint="give each document a doc_id of its own",
            )
    yield from found.skipped


def _parsed(
    files: Iterable[SourceFile], max_bytes: int, parse: Parser, workers: Workers | None
) -> Iterator[tuple[SourceFile, bytes, tuple[Document, ...] | ParseError]]:
    """Each file with its bytes and what the parser says, in order."""
    under_way: deque[tuple[SourceFile, bytes]] = deque()

    def read() -> Iterator[_Read]:
        for file in files:
            data: bytes | ParseError
            try:
                data = _bytes(file, max_bytes)
            except ParseError as error:
                data = error
            under_way.append((file, b"" if isinstance(data, ParseError) else data))
            yield data, file.source

    function = partial(_parse, parse)
    results = (
        map(function, read())
        if workers is None
        else workers.in_order(function, read(), lost=_lost, size=_size)
    )
    for result in results:
        yield *under_way.popleft(), result


_Read = tuple[bytes | ParseError, str]
"""The bytes of a file, or why there are none, and its source."""


def _parse(parse: Parser, item: _Read) -> tuple[Document, ...] | ParseError:
    data, source = item
    if isinstance(data, ParseError):
        return data
    try:
        return parse(data, source)
    except ParseError as error:
        return error


def _lost(item: _Read) -> ParseError:
    return ParseError(
        "the process that read it died, perhaps for want of memory",
        where=item[1],
        hint="the others go on; split the file, or leave it out",
    )


def _size(item: _Read) -> int:
    return 0 if isinstance(item[0], ParseError) else len(item[0])


def _walk(root: Path, files: list[SourceFile], skipped: list[Skipped], refused: list[ParseError]) -> None:
    real_root = root.resolve()

    def note(error: OSError) -> None:
        refused.append(ParseError(f"cannot be read: {error.strerror or error}", where=str(error.filename)))

    for folder, folders, names in os.walk(root, onerror=note):
        # os.walk goes into the folders in the order of this list.
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        beside = frozenset(names)
        stems = frozenset(PurePath(name).stem for name in names)
        for name in sorted(names + [name for name in folders if Path(folder, name).is_symlink()]):
            path = Path(folder, name)
            if name.startswith(".") or is_sidecar(name, beside, stems):
                continue
            source = path.relative_to(root).as_posix()
            if path.is_symlink():
                if problem := _link_problem(path, real_root):
                    refused.append(ParseError(problem, where=str(path)))
                else:
                    skipped.append(Skipped(source, "a link; what it leads to is read at its own place"))
            elif not path.is_file():
                skipped.append(Skipped(source, "no file"))
            elif path.suffix.lower() in SUFFIXES:
                files.append(SourceFile(path, source, root))
            else:
                skipped.append(Skipped(source, _why_skipped(path.suffix.lower())))


def _why_skipped(suffix: str) -> str:
    if suffix in NOT_READ:
        return f"{suffix} files are not read; {NOT_READ[suffix]}"
    return f"unknown kind of file {suffix or '(no suffix)'}"


def _link_problem(link: Path, real_root: Path) -> str:
    """Why a link is refused; empty when it leads to a place below ``real_root``, which is read there anyway."""
    try:
        target = link.resolve()
    except (OSError, RuntimeError):  # Python 3.11 and 3.12 raise RuntimeError for a loop
        return "a link that leads nowhere"
    return "" if target.is_relative_to(real_root) else "a link that leads out of the folder"
