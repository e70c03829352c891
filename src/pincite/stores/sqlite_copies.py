"""What a copy of the SQLite store asks for, and what is written into one. All of it runs inside a transaction of the caller."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, replace

from pincite.ports.stored import Held, HeldVersion, LogPart, Tombstone
from pincite.stores import sqlite_log as log
from pincite.stores import sqlite_rows as rows
from pincite.stores.binding import bind, unbind
from pincite.stores.levels import NOBODY, rank
from pincite.stores.sqlite_schema import add_mentions
from pincite.types import DocId, Document, DocumentInfo

_INFO = ", ".join(f"d.{column}" for column in (*rows.INFO_COLUMNS, "defaulted"))
_NOTE = "note:"
"""How names of notes begin among the counters."""


def doc_ids(db: sqlite3.Connection) -> tuple[DocId, ...]:
    """See ``Copied.doc_ids``."""
    live = [row[0] for row in db.execute("SELECT doc_id FROM documents ORDER BY doc_key")]
    # Earlier releases left a removed document's next number alone.
    dead = [
        row[0]
        for row in db.execute(
            "SELECT doc_id FROM tombstones UNION SELECT doc_id FROM numbers WHERE doc_id NOT IN (SELECT doc_id FROM documents)"
        )
    ]
    return (*(DocId(unbind(one)) for one in live), *sorted(DocId(unbind(one)) for one in dead))


def held(db: sqlite3.Connection, doc_id: DocId) -> Held:
    """See ``Copied.held``."""
    key = (bind(doc_id),)
    row = db.execute(
        f"SELECT {_INFO}, t.text, t.detail, d.origin, d.added_at FROM documents d JOIN texts t USING (doc_key) "
        "WHERE d.doc_id = ?",
        key,
    ).fetchone()
    document, content_hash, added_at = None, "", ""
    if row is not None:
        *known, text, detail, origin, added_at = row
        info = rows.info(known)
        document, content_hash = rows.document(info, unbind(text), detail, origin), info.content_hash
    number = db.execute("SELECT next_number FROM numbers WHERE doc_id = ?", key).fetchone()
    versions = db.execute(
        "SELECT document, text, content_hash, replaced_at FROM versions WHERE doc_id = ? ORDER BY content_hash",
        key,
    ).fetchall()
    stone = db.execute("SELECT removed_at, hashes, level FROM tombstones WHERE doc_id = ?", key).fetchone()
    if row is None and stone is None and number is not None:
        stone = "", "[]", NOBODY  # so that a copy has the number: nobody is shown it
    return Held(
        doc_id,
        document,
        content_hash,
        added_at,
        0 if number is None else number[0],
        tuple(
            HeldVersion(read_version(kept, unbind(text)), version, replaced_at)
            for kept, text, version, replaced_at in versions
        ),
        None if stone is None else Tombstone(doc_id, stone[0], tuple(json.loads(stone[1]))),
        0 if stone is None else stone[2],
    )


def read_version(kept: str, text: str) -> Document:
    """The way back of ``kept_version``."""
    known, detail, origin = json.loads(kept)
    info = DocumentInfo(**{**known, "defaulted": tuple(known["defaulted"])})
    return rows.document(info, text, detail, origin)


def hold(db: sqlite3.Connection, what: Held) -> None:
    """See ``Copied.hold``."""
    key = bind(what.doc_id)
    db.execute("UPDATE documents SET content_hash = ? WHERE doc_id = ?", (what.content_hash, key))
    db.execute("INSERT OR REPLACE INTO numbers VALUES (?, ?)", (key, what.next_number))
    db.execute("DELETE FROM versions WHERE doc_id = ?", (key,))
    db.executemany(
        "INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (
                key,
                one.content_hash,
                rank(one.document.access_level),
                one.replaced_at,
                one.document.blob,
                kept_version(one),
                bind(one.document.text),
            )
            for one in what.versions
        ],
    )
    db.execute("DELETE FROM tombstones WHERE doc_id = ?", (key,))
    if what.tombstone is not None:
        stone = what.tombstone
        db.execute(
            "INSERT INTO tombstones VALUES (?, ?, ?, ?)",
            (key, what.tombstone_rank, stone.removed_at, json.dumps(stone.hashes)),
        )


def kept_version(one: HeldVersion) -> str:
    """The column ``document`` of ``versions``."""
    info = replace(one.document.info, content_hash=one.content_hash)
    detail = rows.document_detail(one.document)
    return json.dumps([asdict(info), detail, rows.origin_value(one.document.origin)])


def import_log(db: sqlite3.Connection, part: LogPart) -> None:
    """See ``Copied.import_log``."""
    db.execute("DELETE FROM log WHERE position < ?", (part.start,))
    for kind, subject in part.gone:
        log.drop_row(db, kind, subject)
    log.insert_rows(db, part)
    for answer, _ in part.answers:
        add_mentions(db, bind(answer.answer_id), answer.body)


def note(db: sqlite3.Connection, name: str, value: str) -> None:
    """See ``Copied.note``."""
    db.execute("INSERT OR REPLACE INTO counters VALUES (?, ?)", (_NOTE + name, value))


def noted(db: sqlite3.Connection, name: str) -> str:
    """See ``Copied.noted``."""
    row = db.execute("SELECT value FROM counters WHERE name = ?", (_NOTE + name,)).fetchone()
    return "" if row is None else str(row[0])
