"""Answers, feedback, reviews and the chain over them, and evaluation runs.

What writes takes a connection as the writer and runs in its transaction; the row of ``log_head`` is locked before anything
else is looked at, so that links follow one another in whatever process they are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple
from typing import Any

from pincite import chain
from pincite.ports.stored import (
    LogEntry,
    LoggedRow,
    LogHead,
    LogPart,
    StoredAnswer,
    StoredFeedback,
    StoredReview,
    StoredRun,
)
from pincite.stores.levels import rank
from pincite.stores.mentions import mentions
from pincite.stores.postgres_session import Connection, Row, Session
from pincite.stores.postgres_text import decode, encode, reference
from pincite.types import AnswerId

_ANSWER = "answer_id, created_at, level, question, status, body, context"
_FEEDBACK = "feedback_id, answer_id, given_at, level, reaction, citation_id, sentence_index, note"
_REVIEW = "review_id, answer_id, decided_at, level, decision, reviewer, citation_id, sentence_index, note"
_ENTRY = "position, kind, subject, at, level, content, detail, previous, link"
_TABLES = {
    "answer": ("answers", "answer_id"),
    "feedback": ("feedback", "feedback_id"),
    "review": ("reviews", "review_id"),
}
_AT_ONCE = 500
"""Rows fetched together while everything is read."""


# --- the chain ----------------------------------------------------------------------------------


def head(session: Session) -> LogHead:
    """See ``Store.log_head``."""
    ((position, link, at),) = session.rows("SELECT position, link, at FROM log_head")
    return LogHead(position, link, decode(at))


def _locked(db: Connection) -> LogHead:
    """The head, which nobody else moves before this transaction ends."""
    row = db.execute("SELECT position, link, at FROM log_head FOR UPDATE").fetchone()
    assert row is not None, "the log has no head"
    return LogHead(row[0], row[1], decode(row[2]))


def _append(db: Connection, entry: LogEntry) -> LogHead:
    values = _bound(entry)
    db.execute(f"INSERT INTO log ({_ENTRY}) VALUES ({_marks(9)})", values)
    new = chain.head_of(entry)
    db.execute(
        "UPDATE log_head SET position = %s, link = %s, at = %s", (new.position, new.link, encode(new.at))
    )
    return new


def entries(session: Session, *, after: int = 0, subject: str | None = None) -> Iterator[LogEntry]:
    """See ``Store.log_entries``. Read in parts: what is in between may be something else."""
    only = "" if subject is None else "AND subject = %b"
    while True:
        with session.reading():
            found = session.rows(
                f"SELECT {_ENTRY} FROM log WHERE position > %b::bigint {only} ORDER BY position LIMIT {_AT_ONCE}",
                (after, *([] if subject is None else [encode(subject)])),
            )
        yield from map(_entry, found)
        if len(found) < _AT_ONCE:
            return
        after = found[-1][0]


def _entry(row: Row) -> LogEntry:
    return LogEntry(row[0], *map(decode, row[1:]))


def rows(session: Session) -> Iterator[LoggedRow]:
    """See ``Store.log_rows``."""
    for *row, position in _all(session, "answers", "answer_id", f"{_ANSWER}, position"):
        answer_ = _answer(row)
        yield LoggedRow("answer", answer_.answer_id, chain.content_hash(answer_), position)
    for row in _all(session, "feedback", "feedback_id", _FEEDBACK):
        given = _feedback(row)
        yield LoggedRow("feedback", given.feedback_id, chain.content_hash(given))
    for *row, position in _all(session, "reviews", "review_id", f"{_REVIEW}, position"):
        review = _review(row)
        yield LoggedRow("review", review.review_id, chain.content_hash(review), position)


def _all(session: Session, table: str, key: str, columns: str) -> Iterator[Any]:
    last = ""
    while True:
        with session.reading():
            found = session.rows(
                f"SELECT {columns} FROM {table} WHERE {key} > %b ORDER BY {key} LIMIT {_AT_ONCE}", (last,)
            )
        yield from found
        if len(found) < _AT_ONCE:
            return
        last = found[-1][0]


def note(db: Connection, kind: str, at: str, detail: str) -> None:
    """See ``Store.note_in_log``."""
    _append(db, chain.of_note(_locked(db), kind, at=at, detail=detail))


# --- answers ------------------------------------------------------------------------------------


def save_answer(db: Connection, answer: StoredAnswer, at: str) -> None:
    """See ``Store.save_answer``."""
    before = _locked(db)
    held = _held(db, answer.answer_id)
    logged = db.execute(
        "SELECT 1 FROM log WHERE subject = %s LIMIT 1", (encode(answer.answer_id),)
    ).fetchone()
    if held is not None or logged is not None:
        if held is None or chain.content_hash(held) != chain.content_hash(answer):
            raise chain.logged_before("an answer", answer.answer_id)
        return
    entry = chain.of_answer(before, answer, at=at)
    _append(db, entry)
    db.execute(
        f"INSERT INTO answers ({_ANSWER}, position, rank) VALUES ({_marks(9)})",
        (*_bound(answer), entry.position, rank(answer.level)),
    )
    _mention(db, answer)


def _mention(db: Connection, answer: StoredAnswer) -> None:
    """Note which documents an answer holds text of, in place of what was noted before."""
    answer_id = encode(answer.answer_id)
    db.execute("DELETE FROM mentions WHERE answer_id = %s", (answer_id,))
    found = [(reference(doc_id), encode(content_hash)) for doc_id, content_hash in mentions(answer.body)]
    db.execute(
        "INSERT INTO mentions SELECT doc_ref, %s, content_hash FROM unnest(%s::text[], %s::text[]) n (doc_ref, content_hash) "
        "ON CONFLICT DO NOTHING",
        (answer_id, [one[0] for one in found], [one[1] for one in found]),
    )


def rewrite_answers(
    db: Connection, doc_id: str, at: str, rewrite: Callable[[StoredAnswer], StoredAnswer]
) -> None:
    """Change the answers that hold text of a document, which is being removed."""
    before = _locked(db)
    found = db.execute(
        f"SELECT {_ANSWER} FROM answers WHERE answer_id IN (SELECT answer_id FROM mentions WHERE doc_ref = %s) "
        "ORDER BY position",
        (reference(doc_id),),
    ).fetchall()
    for old in map(_answer, found):
        new = rewrite(old)
        if new == old:
            continue
        before = _append(db, chain.of_rewriting(before, old, new, at=at, doc_id=doc_id))
        db.execute(
            "UPDATE answers SET created_at = %s, level = %s, question = %s, status = %s, body = %s, context = %s, rank = %s "
            "WHERE answer_id = %s",
            (*_bound(new)[1:], rank(new.level), encode(old.answer_id)),
        )
        _mention(db, new)


def answer(session: Session, answer_id: str, top: int) -> StoredAnswer | None:
    """See ``Store.answer``."""
    found = session.rows(
        f"SELECT {_ANSWER} FROM answers WHERE answer_id = %b AND rank <= %b",
        (encode(answer_id), top),
        top=top,
    )
    return _answer(found[0]) if found else None


def answers(session: Session, top: int, limit: int) -> tuple[StoredAnswer, ...]:
    """See ``Store.answers``."""
    found = session.rows(
        f"SELECT {_ANSWER} FROM answers WHERE rank <= %b ORDER BY position DESC LIMIT %b::bigint",
        (top, max(0, limit)),
        top=top,
    )
    return tuple(map(_answer, found))


def erase(db: Connection, answer_id: str, at: str, why: str) -> bool:
    """See ``Store.erase_answer``."""
    before = _locked(db)
    held = _held(db, answer_id)
    if held is None:
        return False
    _append(db, chain.of_erasure(before, held, at=at, why=why))
    _drop(db, [encode(answer_id)])
    return True


def prune(db: Connection, before: str, at: str) -> int:
    """See ``Store.prune_answers``."""
    newest = _locked(db)
    found = db.execute(
        "SELECT a.answer_id, l.at FROM answers a JOIN log l USING (position) WHERE l.kind = 'answer' AND l.at < %s",
        (encode(before),),
    ).fetchall()
    times = [decode(row[1]) for row in found]
    if found:
        _drop(db, [row[0] for row in found])
    for table, when in (("feedback", "given_at"), ("reviews", "decided_at")):
        db.execute(
            f"DELETE FROM {table} WHERE {when} < %s AND answer_id NOT IN (SELECT answer_id FROM answers)",
            (encode(before),),
        )
    oldest = (_entry(row) for row in _pages(db))
    start = chain.start_of(
        _entry(row) for row in db.execute(f"SELECT {_ENTRY} FROM log ORDER BY position LIMIT 1")
    )
    end = chain.end_of_prefix(
        oldest, before=before, is_there=lambda kind, subject: _is_there(db, kind, subject)
    )
    if not found and end is None:
        return 0
    start = start if end is None else chain.head_of(end)
    entry = chain.of_pruning(
        newest,
        at=at,
        before=before,
        count=len(found),
        first=min(times, default=""),
        last=max(times, default=""),
        start=start,
    )
    _append(db, entry)
    db.execute("DELETE FROM log WHERE position <= %s", (start.position,))
    return len(found)


def _pages(db: Connection) -> Iterator[Row]:
    after = 0
    while True:
        page = db.execute(
            f"SELECT {_ENTRY} FROM log WHERE position > %s ORDER BY position LIMIT {_AT_ONCE}",
            (after,),
        ).fetchall()
        yield from page
        if len(page) < _AT_ONCE:
            return
        after = page[-1][0]


def _drop(db: Connection, answer_ids: Sequence[str]) -> None:
    """Drop answers, with all that hangs on them."""
    for table in ("mentions", "feedback", "reviews", "answers"):
        db.execute(f"DELETE FROM {table} WHERE answer_id = ANY(%s)", (list(answer_ids),))
    db.execute(
        "DELETE FROM versions WHERE NOT EXISTS (SELECT 1 FROM mentions m WHERE m.doc_ref = versions.doc_ref "
        "AND m.content_hash = versions.content_hash)"
    )


def _is_there(db: Connection, kind: str, subject: str) -> bool:
    table, key = _TABLES[kind]
    return db.execute(f"SELECT 1 FROM {table} WHERE {key} = %s", (encode(subject),)).fetchone() is not None


def _held(db: Connection, answer_id: str) -> StoredAnswer | None:
    row = db.execute(f"SELECT {_ANSWER} FROM answers WHERE answer_id = %s", (encode(answer_id),)).fetchone()
    return None if row is None else _answer(row)


def _answer(row: Sequence[Any]) -> StoredAnswer:
    answer_id, *rest = map(decode, row)
    return StoredAnswer(AnswerId(answer_id), *rest)


# --- feedback and reviews -----------------------------------------------------------------------


def save_feedback(db: Connection, given: StoredFeedback) -> None:
    """See ``Store.save_feedback``."""
    before = _locked(db)
    if not _is_there(db, "answer", given.answer_id):
        raise chain.no_answer(given.answer_id)
    _append(db, chain.of_feedback(before, given))
    db.execute("DELETE FROM feedback WHERE feedback_id = %s", (encode(given.feedback_id),))
    db.execute(
        f"INSERT INTO feedback ({_FEEDBACK}, rank) VALUES ({_marks(9)})",
        (*_bound(given), rank(given.level)),
    )


def feedback(session: Session, top: int, answer_id: str | None, limit: int) -> tuple[StoredFeedback, ...]:
    """See ``Store.feedback``."""
    only = "" if answer_id is None else "AND answer_id = %b"
    found = session.rows(
        f"SELECT {_FEEDBACK} FROM feedback WHERE rank <= %b {only} ORDER BY given_at DESC, feedback_id LIMIT %b::bigint",
        (top, *([] if answer_id is None else [encode(answer_id)]), max(0, limit)),
        top=top,
    )
    return tuple(map(_feedback, found))


def _feedback(row: Sequence[Any]) -> StoredFeedback:
    own, answer_id, given_at, level, reaction, cited, sentence, said = map(_text, row)
    return StoredFeedback(own, AnswerId(answer_id), given_at, level, reaction, cited, sentence, said)


def save_review(db: Connection, review: StoredReview) -> None:
    """See ``Store.save_review``."""
    before = _locked(db)
    row = db.execute(
        f"SELECT {_REVIEW} FROM reviews WHERE review_id = %s",
        (encode(review.review_id),),
    ).fetchone()
    if row is not None:
        if _review(row) != review:
            raise chain.logged_before("a review", review.review_id)
        return
    if not _is_there(db, "answer", review.answer_id):
        raise chain.no_answer(review.answer_id)
    entry = chain.of_review(before, review)
    _append(db, entry)
    db.execute(
        f"INSERT INTO reviews ({_REVIEW}, position, rank) VALUES ({_marks(11)})",
        (*_bound(review), entry.position, rank(review.level)),
    )


def reviews(session: Session, top: int, answer_id: str | None, limit: int) -> tuple[StoredReview, ...]:
    """See ``Store.reviews``."""
    only = "" if answer_id is None else "AND answer_id = %b"
    found = session.rows(
        f"SELECT {_REVIEW} FROM reviews WHERE rank <= %b {only} ORDER BY position DESC LIMIT %b::bigint",
        (top, *([] if answer_id is None else [encode(answer_id)]), max(0, limit)),
        top=top,
    )
    return tuple(map(_review, found))


def _review(row: Sequence[Any]) -> StoredReview:
    own, answer_id, decided_at, level, decision, who, cited, sentence, said = map(_text, row)
    return StoredReview(own, AnswerId(answer_id), decided_at, level, decision, who, cited, sentence, said)


# --- evaluation runs ----------------------------------------------------------------------------


def save_run(db: Connection, run: StoredRun) -> None:
    """See ``Store.save_run``."""
    db.execute(
        "INSERT INTO runs VALUES (%s, %s, %s, %s, %s) ON CONFLICT (run_id) DO UPDATE SET "
        "(created_at, level, body, rank) = (excluded.created_at, excluded.level, excluded.body, excluded.rank)",
        (*_bound(run), rank(run.level)),
    )


def runs(session: Session, top: int, run_id: str | None, limit: int) -> tuple[StoredRun, ...]:
    """The run of that id, or all; newest first."""
    only = "" if run_id is None else "AND run_id = %b"
    found = session.rows(
        f"SELECT run_id, created_at, level, body FROM runs WHERE rank <= %b {only} "
        "ORDER BY created_at DESC, run_id LIMIT %b::bigint",
        (top, *([] if run_id is None else [encode(run_id)]), max(0, limit)),
        top=top,
    )
    return tuple(StoredRun(*map(decode, row)) for row in found)


# --- rows ---------------------------------------------------------------------------------------


# --- copies -------------------------------------------------------------------------------------


def drop_row(db: Connection, kind: str, subject: str) -> None:
    """Drop a row, and no link of it."""
    table, key = _TABLES[kind]
    db.execute(f"DELETE FROM {table} WHERE {key} = %s", (encode(subject),))
    if kind == "answer":
        db.execute("DELETE FROM mentions WHERE answer_id = %s", (encode(subject),))


def insert_rows(db: Connection, part: LogPart) -> None:
    """Write links and rows just as they are."""
    _locked(db)
    for table, columns, values in (
        ("log", _ENTRY, [_bound(one) for one in part.entries]),
        (
            "answers",
            f"{_ANSWER}, position, rank",
            [[*_bound(one), position, rank(one.level)] for one, position in part.answers],
        ),
        ("feedback", f"{_FEEDBACK}, rank", [[*_bound(one), rank(one.level)] for one in part.feedback]),
        (
            "reviews",
            f"{_REVIEW}, position, rank",
            [[*_bound(one), position, rank(one.level)] for one, position in part.reviews],
        ),
    ):
        names = columns.split(", ")
        for row in values:
            db.execute(f"DELETE FROM {table} WHERE {names[0]} = %s", (row[0],))
            db.execute(f"INSERT INTO {table} ({columns}) VALUES ({_marks(len(names))})", row)
    for answer_, _ in part.answers:
        _mention(db, answer_)
    if part.head is not None:
        db.execute(
            "UPDATE log_head SET position = %s, link = %s, at = %s",
            (part.head.position, part.head.link, encode(part.head.at)),
        )


def _bound(row: Any) -> list[Any]:
    return [encode(str(one)) if isinstance(one, str) else one for one in astuple(row)]


def _text(value: Any) -> Any:
    return decode(value) if isinstance(value, str) else value


def _marks(count: int) -> str:
    return ", ".join(["%s"] * count)
