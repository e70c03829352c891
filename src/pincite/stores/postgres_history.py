"""What outlives a change: versions that answers cite, tombstones, and the originals that are still needed.

All of it runs inside a transaction of the caller, as the writer where it writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from pincite.blobs import blob_key
from pincite.errors import StoreError
from pincite.ports.stored import Tombstone
from pincite.stores import postgres_statements as statements
from pincite.stores import sqlite_rows as rows
from pincite.stores.postgres_session import Connection, Session
from pincite.stores.postgres_text import decode, encode, reference
from pincite.types import DocId, Document, DocumentInfo

# --- versions and tombstones --------------------------------------------------------------------


def keep_version(db: Connection, new: Document, replaced_at: str) -> None:
    """Keep the stored version of ``new`` where answers cite it; one that is current again need not be kept."""
    doc_ref, content_hash = reference(new.doc_id), new.content_hash
    db.execute("DELETE FROM versions WHERE doc_ref = %s AND content_hash = %s", (doc_ref, content_hash))
    row = db.execute(
        f"SELECT {statements.INFO}, d.level, text, detail, origin FROM documents d JOIN texts USING (doc_key) "
        "WHERE doc_ref = %s AND content_hash != %s AND EXISTS (SELECT 1 FROM mentions m WHERE m.doc_ref = d.doc_ref "
        "AND m.content_hash = d.content_hash)",
        (doc_ref, content_hash),
    ).fetchone()
    if row is None:
        return
    *known, level, text, detail, origin = row
    info = statements.info(tuple(known))
    kept = json.dumps([asdict(info), detail, origin])
    db.execute(
        "INSERT INTO versions VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (doc_ref, content_hash) DO UPDATE SET "
        "(level, replaced_at, blob, document, text) = "
        "(excluded.level, excluded.replaced_at, excluded.blob, excluded.document, excluded.text)",
        (doc_ref, info.content_hash, level, replaced_at, info.blob, kept, text),
    )


def version(session: Session, doc_id: DocId, content_hash: str, top: int) -> Document | None:
    """A kept version, unless it or the present one is above ``top``."""
    found = session.rows(
        "SELECT v.document, v.text FROM versions v JOIN documents d USING (doc_ref) "
        "WHERE v.doc_ref = %b AND v.content_hash = %b AND greatest(v.level, d.level) <= %b",
        (reference(doc_id), encode(content_hash), top),
        top=top,
    )
    if not found:
        return None
    known, detail, origin = json.loads(found[0][0])
    info = DocumentInfo(**{**known, "defaulted": tuple(known["defaulted"])})
    return rows.document(info, decode(found[0][1]), detail, origin)


def bury(db: Connection, doc_id: DocId, removed_at: str) -> None:
    """Leave a tombstone in place of a document, and forget its versions."""
    doc_ref = reference(doc_id)
    hashes = [
        row[0]
        for row in db.execute(
            "SELECT content_hash FROM versions WHERE doc_ref = %s UNION SELECT content_hash FROM documents WHERE doc_ref = %s",
            (doc_ref, doc_ref),
        ).fetchall()
    ]
    db.execute(
        "INSERT INTO tombstones SELECT doc_ref, doc_id, level, %s, %s FROM documents WHERE doc_ref = %s "
        "ON CONFLICT (doc_ref) DO UPDATE SET (level, removed_at, hashes) = "
        "(excluded.level, excluded.removed_at, excluded.hashes)",
        (removed_at, json.dumps(sorted(hashes)), doc_ref),
    )
    db.execute("DELETE FROM versions WHERE doc_ref = %s", (doc_ref,))


def tombstones(session: Session, top: int) -> tuple[Tombstone, ...]:
    """What was removed of what ``top`` and below could see."""
    found = session.rows(
        "SELECT doc_id, removed_at, hashes FROM tombstones WHERE level <= %b", (top,), top=top
    )
    listed = (
        Tombstone(DocId(decode(doc_id)), removed_at, tuple(json.loads(hashes)))
        for doc_id, removed_at, hashes in found
    )
    return tuple(sorted(listed, key=lambda one: one.doc_id))


# --- originals ----------------------------------------------------------------------------------


class PostgresOriginals:
    """Original bytes in a table of the database, so that every machine has them and they change with the documents."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __repr__(self) -> str:
        return f"PostgresOriginals({self._session.where!r})"

    def put(self, data: bytes) -> str:
        """See ``Blobs.put``."""
        key = blob_key(data)
        self._session.storing(lambda db: keep_original(db, key, data))
        return key

    def get(self, key: str) -> bytes | None:
        """See ``Blobs.get``."""
        with self._session.reading():
            found = self._session.rows("SELECT data FROM originals WHERE key = %b", (encode(key),))
        if not found:
            return None
        data = bytes(found[0][0])
        if blob_key(data) != key:
            raise StoreError(
                "the original of a document is damaged",
                where=self._session.where,
                hint="add the document again, or restore a backup",
            )
        return data

    def has(self, key: str) -> bool:
        """See ``Blobs.has``."""
        with self._session.reading():
            return bool(self._session.rows("SELECT 1 FROM originals WHERE key = %b", (encode(key),)))

    def path(self, key: str) -> Path | None:
        """``None``: there is no file."""
        return None

    def remove(self, key: str) -> None:
        """See ``Blobs.remove``."""
        self._session.storing(lambda db: db.execute("DELETE FROM originals WHERE key = %s", (encode(key),)))

    def all_keys(self) -> Iterator[str]:
        """See ``Blobs.all_keys``."""
        with self._session.reading():
            found = self._session.rows("SELECT key FROM originals ORDER BY key")
        return iter([row[0] for row in found])


def keep_original(db: Connection, key: str, data: bytes) -> None:
    """Keep bytes under the key that they have."""
    db.execute("INSERT INTO originals VALUES (%s, %b) ON CONFLICT (key) DO NOTHING", (key, data))


def blobs_of(db: Connection, doc_ids: Sequence[str]) -> list[str]:
    """The keys of the originals of documents and of their kept versions."""
    references = [reference(doc_id) for doc_id in doc_ids]
    found = db.execute(
        "SELECT blob FROM documents WHERE doc_ref = ANY(%s) AND blob IS NOT NULL "
        "UNION SELECT blob FROM versions WHERE doc_ref = ANY(%s) AND blob IS NOT NULL ORDER BY 1",
        (references, references),
    ).fetchall()
    return [row[0] for row in found]


def all_blobs(session: Session) -> list[str]:
    """The keys of all originals that are needed, sorted."""
    found = session.rows(
        "SELECT blob FROM documents WHERE blob IS NOT NULL UNION SELECT blob FROM versions WHERE blob IS NOT NULL"
    )
    return sorted(row[0] for row in found)


def unneeded(db: Connection, keys: Sequence[str]) -> list[str]:
    """Those of the keys that no document and no kept version has."""
    found = db.execute(
        "SELECT k FROM unnest(%s::text[]) k WHERE NOT EXISTS (SELECT 1 FROM documents WHERE blob = k) "
        "AND NOT EXISTS (SELECT 1 FROM versions WHERE blob = k)",
        (list(keys),),
    ).fetchall()
    return [row[0] for row in found]
