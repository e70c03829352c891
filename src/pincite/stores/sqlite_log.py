"""Answers, feedback, reviews and the chain over them, and evaluation runs.

All of it runs inside a transaction of the caller.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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
from pincite.stores.binding import bind, told, unbind
from pincite.stores.sqlite_schema import add_mentions
from pincite.types import AnswerId

_ANSWER = "answer_id, created_at, level, question, status, body, context"
_FEEDBACK = "feedback_id, answer_id, given_at, level, reaction, citation_id, sentence_index, note"
_REVIEW = (
    "review_id, answer_id, decided_at, level, decision, reviewer, citation_id, sentence_index, note, position"
)
_ENTRY = "position, kind, subject, at, level, content, detail, previous, link"
_HEAD = ("log_position", "log_link", "log_at")
_TABLES = {
    "answer": ("answers", "answer_id"),
    "feedback": ("feedback", "feedback_id"),
    "review": ("reviews", "review_id"),
}
_AT_ONCE = 500
"""Rows fetched together while everything is read."""


# --- the chain ----------------------------------------------------------------------------------


def head(db: sqlite3.Connection) -> LogHead:
    """See ``Store.log_head``. Raises ``ValueError`` when its position is no number: nothing can follow it."""
    found = known_head(db)
    if found.position < 0:
        raise ValueError("the head of the log is no number")
    return found


def known_head(db: sqlite3.Connection) -> LogHead:
    """The head as it stands; its position is -1 when it is no number."""
    found = dict(db.execute("SELECT name, value FROM counters WHERE name IN (?, ?, ?)", _HEAD).fetchall())
    position, link, at = (found.get(name) for name in _HEAD)
    return LogHead(_place(position or 0), told(link or ""), told(at or ""))


def _place(value: object) -> int:
    return value if isinstance(value, int) else -1


@contextmanager
def _as_it_stands(db: sqlite3.Connection) -> Iterator[None]:
    """Texts that are no UTF-8 are told too, so that a check can name their row and go on."""
    db.text_factory = _told_text
    try:
        yield
    finally:
        db.text_factory = str


def _told_text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return f"\ufffd text {data.hex()}"


def append(db: sqlite3.Connection, entry: LogEntry) -> LogHead:
    """Add the next link, and note it as the head."""
    values = [bind(one) if isinstance(one, str) else one for one in astuple(entry)]
    db.execute(f"INSERT INTO log ({_ENTRY}) VALUES ({_marks(9)})", values)
    new = chain.head_of(entry)
    db.executemany(
        "INSERT OR REPLACE INTO counters VALUES (?, ?)",
        list(zip(_HEAD, (new.position, new.link, bind(new.at)), strict=True)),
    )
    return new


def entries(db: sqlite3.Connection, *, after: int = 0, subject: str | None = None) -> Iterator[LogEntry]:
    """See ``Store.log_entries``."""
    only = "" if subject is None else "AND subject = ?"
    values = [after, *([] if subject is None else [bind(subject)])]
    with _as_it_stands(db):
        found = db.execute(f"SELECT {_ENTRY} FROM log WHERE position > ? {only} ORDER BY position", values)
        for row in _rows(found):
            yield LogEntry(int(row[0]), *map(told, row[1:]))


def rows(db: sqlite3.Connection) -> Iterator[LoggedRow]:
    """See ``Store.log_rows``."""
    with _as_it_stands(db):
        for *row, position in _rows(db.execute(f"SELECT {_ANSWER}, position FROM answers")):
            one = _answer(list(map(told, row)))
            yield LoggedRow("answer", one.answer_id, chain.content_hash(one), _place(position))
        for row in _rows(db.execute(f"SELECT {_FEEDBACK} FROM feedback")):
            given = _feedback(_told(row))
            yield LoggedRow("feedback", given.feedback_id, chain.content_hash(given))
        for row in _rows(db.execute(f"SELECT {_REVIEW} FROM reviews")):
            review = _review(_told(row))
            yield LoggedRow("review", review.review_id, chain.content_hash(review), _place(row[-1]))


def note(db: sqlite3.Connection, kind: str, at: str, detail: str) -> None:
    """See ``Store.note_in_log``."""
    append(db, chain.of_note(head(db), kind, at=at, detail=detail))


def import_rows(db: sqlite3.Connection) -> None:
    """Begin the chain with what an older database holds."""
    ids = [row[0] for row in db.execute("SELECT answer_id FROM answers ORDER BY created_at, answer_id")]
    for answer_id in ids:
        found = db.execute(f"SELECT {_ANSWER} FROM answers WHERE answer_id = ?", (answer_id,)).fetchone()
        entry = chain.of_answer(head(db), _answer(found), imported=True)
        append(db, entry)
        db.execute("UPDATE answers SET position = ? WHERE answer_id = ?", (entry.position, answer_id))
    for row in db.execute(f"SELECT {_FEEDBACK} FROM feedback ORDER BY given_at, feedback_id").fetchall():
        append(db, chain.of_feedback(head(db), _feedback(row)))


# --- answers ------------------------------------------------------------------------------------


def save_answer(db: sqlite3.Connection, answer: StoredAnswer, at: str) -> None:
    """See ``Store.save_answer``."""
    held = _held(db, answer.answer_id)
    if held is not None or next(entries(db, subject=answer.answer_id), None) is not None:
        if held is None or chain.content_hash(held) != chain.content_hash(answer):
            raise chain.logged_before("an answer", answer.answer_id)
        return
    entry = chain.of_answer(head(db), answer, at=at)
    append(db, entry)
    db.execute(
        f"INSERT INTO answers ({_ANSWER}, position) VALUES ({_marks(8)})",
        (*_bound(answer), entry.position),
    )
    add_mentions(db, bind(answer.answer_id), answer.body)


def rewrite_answers(
    db: sqlite3.Connection, doc_id: str, at: str, rewrite: Callable[[StoredAnswer], StoredAnswer]
) -> None:
    """Change the answers that hold text of a document, which is being removed."""
    found = db.execute(
        f"SELECT {_ANSWER} FROM answers WHERE answer_id IN (SELECT answer_id FROM mentions WHERE doc_id = ?) "
        "ORDER BY position",
        (bind(doc_id),),
    ).fetchall()
    for old in map(_answer, found):
        new = rewrite(old)
        if new == old:
            continue
        append(db, chain.of_rewriting(head(db), old, new, at=at, doc_id=doc_id))
        db.execute(
            "UPDATE answers SET created_at = ?, level = ?, question = ?, status = ?, body = ?, context = ? "
            "WHERE answer_id = ?",
            (*_bound(new)[1:], bind(old.answer_id)),
        )
        add_mentions(db, bind(new.answer_id), new.body)


def answer(db: sqlite3.Connection, answer_id: str, levels: Sequence[str]) -> StoredAnswer | None:
    """See ``Store.answer``."""
    row = db.execute(
        f"SELECT {_ANSWER} FROM answers WHERE answer_id = ? AND level IN ({_marks(len(levels))})",
        (bind(answer_id), *levels),
    ).fetchone()
    return None if row is None else _answer(row)


def answers(db: sqlite3.Connection, levels: Sequence[str], limit: int) -> tuple[StoredAnswer, ...]:
    """See ``Store.answers``."""
    found = db.execute(
        f"SELECT {_ANSWER} FROM answers WHERE level IN ({_marks(len(levels))}) ORDER BY position DESC LIMIT ?",
        (*levels, max(0, limit)),
    ).fetchall()
    return tuple(map(_answer, found))


def erase(db: sqlite3.Connection, answer_id: str, at: str, why: str) -> bool:
    """See ``Store.erase_answer``."""
    held = _held(db, answer_id)
    if held is None:
        return False
    append(db, chain.of_erasure(head(db), held, at=at, why=why))
    _drop(db, "SELECT ?", (bind(answer_id),))
    return True


def prune(db: sqlite3.Connection, before: str, at: str) -> int:
    """See ``Store.prune_answers``."""
    chosen = (
        "SELECT a.answer_id FROM answers a JOIN log l USING (position) WHERE l.kind = 'answer' AND l.at < ?"
    )
    count, first, last = db.execute(
        f"SELECT count(*), min(at), max(at) FROM log JOIN answers USING (position) WHERE answers.answer_id IN ({chosen})",
        (bind(before),),
    ).fetchone()
    if count:
        _drop(db, chosen, (bind(before),))
    for table, when in (("feedback", "given_at"), ("reviews", "decided_at")):
        db.execute(
            f"DELETE FROM {table} WHERE {when} < ? AND answer_id NOT IN (SELECT answer_id FROM answers)",
            (bind(before),),
        )
    start = chain.start_of(entries(db))
    end = chain.end_of_prefix(
        entries(db), before=before, is_there=lambda kind, subject: _is_there(db, kind, subject)
    )
    if not count and end is None:
        return 0
    start = start if end is None else chain.head_of(end)
    entry = chain.of_pruning(
        head(db),
        at=at,
        before=before,
        count=count,
        first=unbind(first or ""),
        last=unbind(last or ""),
        start=start,
    )
    append(db, entry)
    db.execute("DELETE FROM log WHERE position <= ?", (start.position,))
    return int(count)


def _drop(db: sqlite3.Connection, chosen: str, values: Sequence[Any]) -> None:
    """Drop the answers whose ids ``chosen`` selects, with all that hangs on them."""
    for table in ("mentions", "feedback", "reviews", "answers"):
        db.execute(f"DELETE FROM {table} WHERE answer_id IN ({chosen})", values)
    db.execute(
        "DELETE FROM versions WHERE NOT EXISTS (SELECT 1 FROM mentions m WHERE m.doc_id = versions.doc_id "
        "AND m.content_hash = versions.content_hash)"
    )


def _is_there(db: sqlite3.Connection, kind: str, subject: str) -> bool:
    table, key = _TABLES[kind]
    return db.execute(f"SELECT 1 FROM {table} WHERE {key} = ?", (bind(subject),)).fetchone() is not None


def _held(db: sqlite3.Connection, answer_id: str) -> StoredAnswer | None:
    row = db.execute(f"SELECT {_ANSWER} FROM answers WHERE answer_id = ?", (bind(answer_id),)).fetchone()
    return None if row is None else _answer(row)


def _answer(row: Sequence[Any]) -> StoredAnswer:
    answer_id, *rest = map(unbind, row)
    return StoredAnswer(AnswerId(answer_id), *rest)


# --- feedback and reviews -----------------------------------------------------------------------


def save_feedback(db: sqlite3.Connection, given: StoredFeedback) -> None:
    """See ``Store.save_feedback``."""
    if not _is_there(db, "answer", given.answer_id):
        raise chain.no_answer(given.answer_id)
    append(db, chain.of_feedback(head(db), given))
    db.execute(f"INSERT OR REPLACE INTO feedback ({_FEEDBACK}) VALUES ({_marks(8)})", _bound(given))


def feedback(
    db: sqlite3.Connection, levels: Sequence[str], answer_id: str | None, limit: int
) -> tuple[StoredFeedback, ...]:
    """See ``Store.feedback``."""
    only = "" if answer_id is None else "AND answer_id = ?"
    found = db.execute(
        f"SELECT {_FEEDBACK} FROM feedback WHERE level IN ({_marks(len(levels))}) {only} "
        "ORDER BY given_at DESC, feedback_id LIMIT ?",
        (*levels, *([] if answer_id is None else [bind(answer_id)]), max(0, limit)),
    ).fetchall()
    return tuple(map(_feedback, found))


def _feedback(row: Sequence[Any]) -> StoredFeedback:
    own, answer_id, given_at, level, reaction, cited, sentence, note_ = map(_text, row)
    return StoredFeedback(own, AnswerId(answer_id), given_at, level, reaction, cited, sentence, note_)


def save_review(db: sqlite3.Connection, review: StoredReview) -> None:
    """See ``Store.save_review``."""
    row = db.execute(
        f"SELECT {_REVIEW} FROM reviews WHERE review_id = ?", (bind(review.review_id),)
    ).fetchone()
    if row is not None:
        if _review(row) != review:
            raise chain.logged_before("a review", review.review_id)
        return
    if not _is_there(db, "answer", review.answer_id):
        raise chain.no_answer(review.answer_id)
    entry = chain.of_review(head(db), review)
    append(db, entry)
    db.execute(f"INSERT INTO reviews ({_REVIEW}) VALUES ({_marks(10)})", (*_bound(review), entry.position))


def reviews(
    db: sqlite3.Connection, levels: Sequence[str], answer_id: str | None, limit: int
) -> tuple[StoredReview, ...]:
    """See ``Store.reviews``."""
    only = "" if answer_id is None else "AND answer_id = ?"
    found = db.execute(
        f"SELECT {_REVIEW} FROM reviews WHERE level IN ({_marks(len(levels))}) {only} "
        "ORDER BY position DESC LIMIT ?",
        (*levels, *([] if answer_id is None else [bind(answer_id)]), max(0, limit)),
    ).fetchall()
    return tuple(map(_review, found))


def _review(row: Sequence[Any]) -> StoredReview:
    own, answer_id, decided_at, level, decision, who, cited, sentence, note_ = map(_text, row[:9])
    return StoredReview(own, AnswerId(answer_id), decided_at, level, decision, who, cited, sentence, note_)


# --- evaluation runs ----------------------------------------------------------------------------


def save_run(db: sqlite3.Connection, run: StoredRun) -> None:
    """See ``Store.save_run``."""
    db.execute("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)", _bound(run))


def runs(
    db: sqlite3.Connection, levels: Sequence[str], run_id: str | None, limit: int
) -> tuple[StoredRun, ...]:
    """The run of that id, or all; newest first."""
    only = "" if run_id is None else "AND run_id = ?"
    found = db.execute(
        f"SELECT * FROM runs WHERE level IN ({_marks(len(levels))}) {only} ORDER BY created_at DESC, run_id LIMIT ?",
        (*levels, *([] if run_id is None else [bind(run_id)]), max(0, limit)),
    ).fetchall()
    return tuple(StoredRun(*map(unbind, row)) for row in found)


# --- copies -------------------------------------------------------------------------------------


def drop_row(db: sqlite3.Connection, kind: str, subject: str) -> None:
    """Drop a row, and no link of it."""
    table, key = _TABLES[kind]
    db.execute(f"DELETE FROM {table} WHERE {key} = ?", (bind(subject),))
    if kind == "answer":
        db.execute("DELETE FROM mentions WHERE answer_id = ?", (bind(subject),))


def insert_rows(db: sqlite3.Connection, part: LogPart) -> None:
    """Write links and rows just as they are."""
    for table, columns, values in (
        ("log", _ENTRY, [_bound(one) for one in part.entries]),
        ("answers", f"{_ANSWER}, position", [[*_bound(one), position] for one, position in part.answers]),
        ("feedback", _FEEDBACK, [_bound(one) for one in part.feedback]),
        ("reviews", _REVIEW, [[*_bound(one), position] for one, position in part.reviews]),
    ):
        marks = _marks(columns.count(",") + 1)
        db.executemany(f"INSERT OR REPLACE INTO {table} ({columns}) VALUES ({marks})", values)
    if part.head is not None:
        head_values = (part.head.position, part.head.link, bind(part.head.at))
        db.executemany(
            "INSERT OR REPLACE INTO counters VALUES (?, ?)", list(zip(_HEAD, head_values, strict=True))
        )


# --- rows ---------------------------------------------------------------------------------------


def _rows(cursor: sqlite3.Cursor) -> Iterator[Any]:
    while found := cursor.fetchmany(_AT_ONCE):
        yield from found


def _bound(row: Any) -> list[Any]:
    return [bind(str(one)) if isinstance(one, str) else one for one in astuple(row)]


def _told(row: Sequence[Any]) -> list[Any]:
    """The texts of a row of feedback or a decision as they stand; ``None`` and numbers may stand there too."""
    return [one if one is None or isinstance(one, int) else told(one) for one in row]


def _text(value: Any) -> Any:
    return unbind(value) if isinstance(value, str | bytes) else value


def _marks(count: int) -> str:
    return ",".join("?" * count)
