"""Whether a database is whole, and copies of it."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from pincite.chain import check
from pincite.errors import StoreError
from pincite.ports.stores import Originals
from pincite.stores import sqlite_history as history
from pincite.stores import sqlite_log as log
from pincite.stores import sqlite_rows as rows
from pincite.stores.binding import unbind
from pincite.stores.sqlite_schema import errors
from pincite.types import AccessLevel, Document, Span

DAMAGE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError)
"""What decoding a row raises when its bytes are not those that were written."""

_FAULTS_TOLD = 5

_TRIES = 5
"""A copy begins anew when an original goes while it is made; so often in a row, somebody is doing it on purpose."""


@contextmanager
def damaged(path: Path) -> Iterator[None]:
    """Turn what decoding a damaged row raises into ``StoreError``."""
    try:
        yield
    except DAMAGE as error:
        raise damage(path, f"{type(error).__name__}: {str(error)[:100]}") from error


def damage(path: Path, what: str) -> StoreError:
    """The error for a database with something in it that nobody wrote."""
    return StoreError(
        f"the database is damaged ({what})",
        where=str(path),
        hint="run pincite doctor; restore a backup, or move the file away and add the documents again",
    )


def problems(db: sqlite3.Connection, blobs: Originals) -> Iterator[str]:
    """What is wrong in the file, the documents, the statistics, the originals and the answers. One read transaction."""
    yield from _told("the database", lambda: _file_problems(db))
    try:
        keys = [row[0] for row in db.execute("SELECT doc_key FROM documents ORDER BY doc_key").fetchall()]
    except sqlite3.Error as error:
        yield f"the list of documents cannot be read: {error}"
        return
    for key in keys:
        yield from _told(f"document number {key}", partial(_document_problems, db, key))
    yield from _told("the search statistics", lambda: _statistics_problems(db))
    yield from _told("the originals", lambda: _blob_problems(db, blobs))
    yield from _told("the answers", lambda: _answer_problems(db))
    yield from _told("the log", lambda: _log_problems(db))


def _told(what: str, look: Callable[[], Iterator[str]]) -> Iterator[str]:
    """What ``look`` finds; that it cannot even look is a finding too."""
    try:
        yield from look()
    except (*DAMAGE, sqlite3.Error) as error:
        yield f"{what} cannot be read: {type(error).__name__}: {str(error)[:100]}"


def _file_problems(db: sqlite3.Connection) -> Iterator[str]:
    for (line,) in db.execute("PRAGMA integrity_check(20)").fetchall():
        if line != "ok":
            yield f"SQLite: {line}"


def _blob_problems(db: sqlite3.Connection, blobs: Originals) -> Iterator[str]:
    for key in history.all_blobs(db):
        try:
            if blobs.get(key) is None:
                yield f"the original {key[:12]}… of a document is missing"
        except StoreError as error:
            yield f"the original {key[:12]}…: {error.message}"


def _answer_problems(db: sqlite3.Connection) -> Iterator[str]:
    for answer_id, body in db.execute("SELECT answer_id, body FROM answers ORDER BY answer_id"):
        if not isinstance(json.loads(unbind(body)), dict):
            yield f"answer {unbind(answer_id)} is no JSON object"


def _log_problems(db: sqlite3.Connection) -> Iterator[str]:
    report = check(log.entries(db), log.known_head(db), log.rows(db))
    for fault in report.faults[:_FAULTS_TOLD]:
        place = "" if fault.position is None else f" at position {fault.position}"
        yield f"the log{place}: {fault.subject + ': ' if fault.subject else ''}{fault.what}"
    if report.fault_count > _FAULTS_TOLD:
        yield f"the log has {report.fault_count:,} such faults; pincite log verify lists them"


def _document_problems(db: sqlite3.Connection, doc_key: int) -> Iterator[str]:
    columns = ", ".join((*rows.INFO_COLUMNS, "defaulted"))
    row = db.execute(
        f"SELECT {columns}, first_key, chunk_count, origin FROM documents WHERE doc_key = ?", (doc_key,)
    ).fetchone()
    *known, first_key, count, origin = row
    info = rows.info(known)
    held = db.execute("SELECT text, detail FROM texts WHERE doc_key = ?", (doc_key,)).fetchone()
    if held is None:
        yield f"document {info.doc_id!r} has no text"
        return
    text = unbind(held[0])
    if info.content_hash not in hashes_of(rows.document(info, text, held[1], origin)):
        yield f"document {info.doc_id!r} is not what was added: its content hash differs"
    found = db.execute(
        "SELECT key, chunk_id, first, last, detail FROM chunks WHERE doc_key = ? ORDER BY key", (doc_key,)
    ).fetchall()
    if [key for key, *_ in found] != list(range(first_key, first_key + count)):
        yield f"document {info.doc_id!r} has {len(found)} passages where {count} were written"
    for key, chunk_id, first, last, detail in found:
        chunk = rows.chunk(chunk_id, info.doc_id, key - first_key, Span(first, last), detail, text)
        inside = all(span.end <= len(text) for span in (chunk.span, *chunk.context))
        if not inside or not chunk.text:
            yield f"passage {chunk.chunk_id!r} lies outside the text of its document"


def hashes_of(document: Document) -> Iterator[str]:
    """The content hash of a document; a default level went into it as a member of ``AccessLevel``, not as text."""
    yield document.content_hash
    if document.access_level in tuple(AccessLevel):
        yield replace(document, access_level=AccessLevel(document.access_level)).content_hash


def _statistics_problems(db: sqlite3.Connection) -> Iterator[str]:
    counted = dict(db.execute("SELECT level, sum(chunk_count) FROM documents GROUP BY level").fetchall())
    noted = dict(db.execute("SELECT level, chunk_count FROM levels").fetchall())
    for level in sorted({*counted, *noted}):
        if counted.get(level, 0) != noted.get(level, 0):
            yield f"the search statistics count {noted.get(level, 0)} passages of level {level}, there are {counted.get(level, 0)}"
    loose = db.execute("SELECT count(*) FROM chunks WHERE doc_key NOT IN (SELECT doc_key FROM documents)")
    if (number := loose.fetchone()[0]) > 0:
        yield f"{number} passages belong to no document"


# --- copies -------------------------------------------------------------------------------------


def backup(
    db: sqlite3.Connection, blobs: Originals, target: Path, target_blobs: Originals
) -> tuple[str, ...]:
    """See ``Store.backup``. The copy appears under its name when it is complete."""
    if target.exists():
        raise StoreError("is there already", where=str(target), hint="choose another name for the copy")
    half = target.with_name(f"{target.name}.part")
    try:
        with errors(target):
            for _ in range(_TRIES):
                half.unlink(missing_ok=True)
                lost, left = _copy(db, half, blobs, target_blobs)
                if not lost:
                    break
            os.replace(half, target)
    except OSError as error:
        raise StoreError(
            f"the copy cannot be written: {error.strerror or error}",
            where=str(target),
            hint="choose another place",
        ) from error
    finally:
        with suppress(OSError):
            half.unlink(missing_ok=True)
    return (*left, *(f"the original {key[:12]}… of a document is missing" for key in lost))


def _copy(
    db: sqlite3.Connection, half: Path, blobs: Originals, target_blobs: Originals
) -> tuple[list[str], list[str]]:
    """Copy once: keys of originals that went meanwhile or were not there, and what is damaged."""
    with closing(sqlite3.connect(half, isolation_level=None)) as copy:
        db.backup(copy)
        # A mapped file of vectors is known by this token: one of another life of the database must not pass for ours.
        copy.execute("UPDATE counters SET value = lower(hex(randomblob(4))) WHERE name = 'token'")
        keys = history.all_blobs(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
    lost, left = [], []
    for key in keys:
        try:
            data = blobs.get(key)
        except StoreError as error:
            left.append(f"the original {key[:12]}…: {error.message}")
            continue
        if data is None:
            lost.append(key)
        else:
            target_blobs.put(data)
    return lost, left
