"""What a copy of the PostgreSQL store asks for, and what is written into one; see ``ports.stores.Copied``."""

from __future__ import annotations

import json

from pincite.ports.stored import Held, HeldVersion, LogPart, Tombstone
from pincite.stores import postgres_log as log
from pincite.stores import postgres_statements as statements
from pincite.stores import sqlite_rows as rows
from pincite.stores.levels import rank
from pincite.stores.postgres_session import Connection, Session
from pincite.stores.postgres_text import decode, encode, reference
from pincite.stores.sqlite_copies import kept_version, read_version
from pincite.types import DocId


def doc_ids(session: Session) -> tuple[DocId, ...]:
    """See ``Copied.doc_ids``."""
    live = session.rows("SELECT doc_id FROM documents ORDER BY doc_key")
    dead = session.rows("SELECT doc_id FROM tombstones")
    return (*(DocId(decode(row[0])) for row in live), *sorted(DocId(decode(row[0])) for row in dead))


def held(session: Session, doc_id: DocId) -> Held:
    """See ``Copied.held``."""
    key = (reference(doc_id),)
    found = session.rows(
        f"SELECT {statements.INFO}, t.text, t.detail, d.origin, d.added_at FROM documents d JOIN texts t USING (doc_key) "
        "WHERE d.doc_ref = %b",
        key,
    )
    document, content_hash, added_at = None, "", ""
    if found:
        *known, text, detail, origin, added_at = found[0]
        info = statements.info(tuple(known))
        document, content_hash = rows.document(info, decode(text), detail, origin), info.content_hash
    number = session.rows("SELECT next_number FROM numbers WHERE doc_ref = %b", key)
    versions = session.rows(
        'SELECT document, text, content_hash, replaced_at FROM versions WHERE doc_ref = %b ORDER BY content_hash COLLATE "C"',
        key,
    )
    stone = session.rows("SELECT removed_at, hashes, level FROM tombstones WHERE doc_ref = %b", key)
    return Held(
        doc_id,
        document,
        content_hash,
        added_at,
        number[0][0] if number else 0,
        tuple(
            HeldVersion(read_version(kept, decode(text)), version, replaced_at)
            for kept, text, version, replaced_at in versions
        ),
        Tombstone(doc_id, stone[0][0], tuple(json.loads(stone[0][1]))) if stone else None,
        stone[0][2] if stone else 0,
    )


def hold(db: Connection, what: Held) -> None:
    """See ``Copied.hold``."""
    doc_ref = reference(what.doc_id)
    db.execute("UPDATE documents SET content_hash = %s WHERE doc_ref = %s", (what.content_hash, doc_ref))
    db.execute(
        "INSERT INTO numbers VALUES (%s, %s) ON CONFLICT (doc_ref) DO UPDATE SET next_number = excluded.next_number",
        (doc_ref, what.next_number),
    )
    db.execute("DELETE FROM versions WHERE doc_ref = %s", (doc_ref,))
    for one in what.versions:
        document = one.document
        db.execute(
            "INSERT INTO versions VALUES (%s, %s, %s, %s, %s, %s, %s)",
            (
                doc_ref,
                one.content_hash,
                rank(document.access_level),
                one.replaced_at,
                document.blob,
                kept_version(one),
                encode(document.text),
            ),
        )
    db.execute("DELETE FROM tombstones WHERE doc_ref = %s", (doc_ref,))
    if what.tombstone is not None:
        stone = what.tombstone
        db.execute(
            "INSERT INTO tombstones VALUES (%s, %s, %s, %s, %s)",
            (doc_ref, encode(what.doc_id), what.tombstone_rank, stone.removed_at, json.dumps(stone.hashes)),
        )


def import_log(db: Connection, part: LogPart) -> None:
    """See ``Copied.import_log``."""
    db.execute("DELETE FROM log WHERE position < %s", (part.start,))
    for kind, subject in part.gone:
        log.drop_row(db, kind, subject)
    log.insert_rows(db, part)


def note(db: Connection, name: str, value: str) -> None:
    """See ``Copied.note``."""
    db.execute(
        "INSERT INTO notes VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, value),
    )


def noted(session: Session, name: str) -> str:
    """See ``Copied.noted``."""
    found = session.rows("SELECT value FROM notes WHERE name = %b", (name,))
    return str(found[0][0]) if found else ""
