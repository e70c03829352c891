"""Whether an index in PostgreSQL is whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import psycopg

from pincite.errors import StoreError
from pincite.ports.stores import Originals
from pincite.stores import postgres_history as history
from pincite.stores import postgres_statements as sql
from pincite.stores import sqlite_rows as rows
from pincite.stores.levels import rank
from pincite.stores.postgres_session import Session
from pincite.stores.postgres_text import decode
from pincite.stores.sqlite_health import DAMAGE, hashes_of
from pincite.types import Span


@contextmanager
def damaged(where: str) -> Iterator[None]:
    """Turn what decoding a damaged row raises into ``StoreError``."""
    try:
        yield
    except DAMAGE as error:
        raise damage(where, f"{type(error).__name__}: {str(error)[:100]}") from error


def damage(where: str, what: str) -> StoreError:
    """The error for an index with something in it that nobody wrote."""
    return StoreError(
        f"the index is damaged ({what})",
        where=where,
        hint="run pincite doctor; restore a backup, or drop the schema and add the documents again",
    )


def problems(session: Session, blobs: Originals) -> Iterator[str]:
    """What is wrong in the documents, the statistics, the originals and the answers. One read transaction."""
    try:
        keys = [row[0] for row in session.rows("SELECT doc_key FROM documents ORDER BY doc_key")]
    except psycopg.Error as error:
        yield f"the list of documents cannot be read: {error}"
        return
    for key in keys:
        yield from _told(f"document number {key}", partial(_document_problems, session, key))
    yield from _told("the search statistics", lambda: _statistics_problems(session))
    yield from _told("the originals", lambda: _blob_problems(session, blobs))
    yield from _told("the answers", lambda: _answer_problems(session))


def _told(what: str, look: Callable[[], Iterator[str]]) -> Iterator[str]:
    """What ``look`` finds; that it cannot even look is a finding too. A lost connection is none."""
    try:
        yield from look()
    except (*DAMAGE, psycopg.DataError, psycopg.InternalError) as error:
        yield f"{what} cannot be read: {type(error).__name__}: {str(error)[:100]}"


def _document_problems(session: Session, doc_key: int) -> Iterator[str]:
    (row,) = session.rows(
        f"SELECT {sql.INFO}, d.first_key, d.chunk_count, d.origin, d.vector_count, t.text, t.detail "
        "FROM documents d LEFT JOIN texts t USING (doc_key) WHERE doc_key = %b::bigint",
        (doc_key,),
    )
    info = sql.info(row[: sql.INFO_WIDTH])
    first_key, count, origin, vector_count, text, detail = row[sql.INFO_WIDTH :]
    if text is None:
        yield f"document {info.doc_id!r} has no text"
        return
    text = decode(text)
    if info.content_hash not in hashes_of(rows.document(info, text, detail, origin)):
        yield f"document {info.doc_id!r} is not what was added: its content hash differs"
    found = session.rows(
        "SELECT key, coalesce(chunk_id, chunk_ref), first, last, detail FROM chunks WHERE key >= %b::bigint "
        "AND key < %b::bigint AND doc_key = %b::bigint ORDER BY key",
        (first_key, first_key + count, doc_key),
    )
    if len(found) != count:
        yield f"document {info.doc_id!r} has {len(found)} passages where {count} were written"
    for key, chunk_id, first, last, chunk_detail in found:
        chunk = rows.chunk(
            decode(chunk_id), info.doc_id, key - first_key, Span(first, last), chunk_detail, text
        )
        inside = all(span.end <= len(text) for span in (chunk.span, *chunk.context))
        if not inside or not chunk.text:
            yield f"passage {chunk.chunk_id!r} lies outside the text of its document"
    (number,) = session.rows(
        "SELECT count(*) FROM vectors WHERE key >= %b::bigint AND key < %b::bigint",
        (first_key, first_key + count),
    )[0]
    if number != vector_count:
        yield f"document {info.doc_id!r} has {number} vectors where {vector_count} were written"


def _statistics_problems(session: Session) -> Iterator[str]:
    counted: dict[int, int] = dict(
        session.rows("SELECT level, sum(chunk_count)::bigint FROM documents GROUP BY level")
    )
    noted: dict[int, int] = dict(session.rows("SELECT level, chunk_count FROM levels"))
    for level in sorted({*counted, *noted}):
        if counted.get(level, 0) != noted.get(level, 0):
            yield f"the search statistics count {noted.get(level, 0)} passages of level {level}, there are {counted.get(level, 0)}"
    for what, query in (
        ("passages belong to no document", "SELECT count(*) FROM chunks c LEFT JOIN documents d USING (doc_key) WHERE d.doc_key IS NULL"),
        ("passages have another level than their document", "SELECT count(*) FROM chunks c JOIN documents d USING (doc_key) WHERE c.level != d.level"),
        ("texts have another level than their document", "SELECT count(*) FROM texts t JOIN documents d USING (doc_key) WHERE t.level != d.level"),
        ("vectors belong to no passage of their level", "SELECT count(*) FROM vectors v LEFT JOIN chunks c USING (key) WHERE c.level IS DISTINCT FROM v.level"),
    ):  # fmt: skip
        number = session.rows(query)[0][0]
        if number:
            yield f"{number} {what}"


def _blob_problems(session: Session, blobs: Originals) -> Iterator[str]:
    for key in history.all_blobs(session):
        try:
            if blobs.get(key) is None:
                yield f"the original {key[:12]}… of a document is missing"
        except StoreError as error:
            yield f"the original {key[:12]}…: {error.message}"


def _answer_problems(session: Session) -> Iterator[str]:
    for answer_id, body in session.rows("SELECT answer_id, body FROM answers ORDER BY answer_id"):
        if not isinstance(json.loads(decode(body)), dict):
            yield f"answer {decode(answer_id)} is no JSON object"
    for what, table, key in (("answer", "answers", "answer_id"), ("feedback", "feedback", "feedback_id"),
                             ("review", "reviews", "review_id"), ("evaluation", "runs", "run_id")):  # fmt: skip
        # The fence asks for the rank, the chain of the log holds the level.
        for subject, level, noted in session.rows(f"SELECT {key}, level, rank FROM {table} ORDER BY {key}"):
            if noted != rank(decode(level)):
                yield f"{what} {decode(subject)!r} is shown to readers of another level than its own"
