"""What outlives a change: versions that answers cite, tombstones, and the originals that are still needed.

All of it runs inside a transaction of the caller.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import asdict

from pincite.ports.stored import StoredAnswer, Tombstone
from pincite.stores import sqlite_log as log
from pincite.stores import sqlite_rows as rows
from pincite.stores.binding import bind, unbind
from pincite.types import DocId, Document, DocumentInfo

_INFO = ", ".join((*rows.INFO_COLUMNS, "defaulted"))


def keep_version(db: sqlite3.Connection, new: Document, replaced_at: str) -> None:
    """Keep the stored version of ``new`` where answers cite it; one that is current again need not be kept."""
    doc_id = bind(new.doc_id)
    db.execute("DELETE FROM versions WHERE doc_id = ? AND content_hash = ?", (doc_id, new.content_hash))
    row = db.execute(
        f"SELECT {_INFO}, level, text, detail, origin FROM documents d JOIN texts USING (doc_key) WHERE doc_id = ? "
        "AND content_hash != ? AND EXISTS (SELECT 1 FROM mentions m WHERE m.doc_id = d.doc_id "
        "AND m.content_hash = d.content_hash)",
        (doc_id, new.content_hash),
    ).fetchone()
    if row is None:
        return
    *known, level, text, detail, origin = row
    info = rows.info(known)
    kept = json.dumps([asdict(info), detail, origin])
    db.execute(
        "INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?, ?, ?)",
        (doc_id, info.content_hash, level, replaced_at, info.blob, kept, text),
    )


def version(db: sqlite3.Connection, doc_id: DocId, content_hash: str, top: int) -> Document | None:
    """A kept version, unless it or the present one is above ``top``."""
    row = db.execute(
        "SELECT v.document, v.text FROM versions v JOIN documents d USING (doc_id) "
        "WHERE v.doc_id = ? AND v.content_hash = ? AND max(v.level, d.level) <= ?",
        (bind(doc_id), content_hash, top),
    ).fetchone()
    if row is None:
        return None
    known, detail, origin = json.loads(row[0])
    info = DocumentInfo(**{**known, "defaulted": tuple(known["defaulted"])})
    return rows.document(info, unbind(row[1]), detail, origin)


def bury(
    db: sqlite3.Connection,
    doc_id: DocId,
    removed_at: str,
    rewrite: Callable[[StoredAnswer], StoredAnswer] | None,
) -> None:
    """Leave a tombstone in place of a document, forget its versions, and rewrite the answers that hold text of it."""
    key = bind(doc_id)
    hashes = [
        row[0]
        for row in db.execute(
            "SELECT content_hash FROM versions WHERE doc_id = ? UNION SELECT content_hash FROM documents WHERE doc_id = ?",
            (key, key),
        )
    ]
    db.execute(
        "INSERT OR REPLACE INTO tombstones SELECT doc_id, level, ?, ? FROM documents WHERE doc_id = ?",
        (removed_at, json.dumps(sorted(hashes)), key),
    )
    db.execute("DELETE FROM versions WHERE doc_id = ?", (key,))
    if rewrite is None:
        return
    log.rewrite_answers(db, doc_id, removed_at, rewrite)


def tombstones(db: sqlite3.Connection, top: int) -> tuple[Tombstone, ...]:
    """What was removed of what ``top`` and below could see."""
    found = db.execute(
        "SELECT doc_id, removed_at, hashes FROM tombstones WHERE level <= ?", (top,)
    ).fetchall()
    listed = (
        Tombstone(DocId(unbind(doc_id)), removed_at, tuple(json.loads(hashes)))
        for doc_id, removed_at, hashes in found
    )
    return tuple(sorted(listed, key=lambda one: one.doc_id))


def blobs_of(db: sqlite3.Connection, doc_ids: Sequence[str]) -> list[str]:
    """The keys of the originals of documents and of their kept versions."""
    return [
        row[0]
        for doc_id in doc_ids
        for table in ("documents", "versions")
        for row in db.execute(
            f"SELECT blob FROM {table} WHERE doc_id = ? AND blob IS NOT NULL", (bind(doc_id),)
        )
    ]


def all_blobs(db: sqlite3.Connection) -> list[str]:
    """The keys of all originals that are needed, sorted."""
    found = db.execute(
        "SELECT blob FROM documents WHERE blob IS NOT NULL UNION SELECT blob FROM versions WHERE blob IS NOT NULL"
    )
    return sorted(unbind(row[0]) for row in found)


def is_needed(db: sqlite3.Connection, blob: str) -> bool:
    """Whether a document or a kept version has that original."""
    row = db.execute(
        "SELECT EXISTS (SELECT 1 FROM documents WHERE blob = ?) OR EXISTS (SELECT 1 FROM versions WHERE blob = ?)",
        (blob, blob),
    ).fetchone()
    return bool(row[0])
