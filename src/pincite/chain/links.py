"""How links are made and what is hashed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pincite.errors import StoreError
from pincite.ports.stored import LogEntry, LogHead, StoredAnswer, StoredFeedback, StoredReview

FORM = 1
"""Goes into every hash. Another way to hash is another number."""

ABOUT_ANSWERS = frozenset({"answer", "rewritten", "erased"})
ABOUT_ITS_ROWS = frozenset({"feedback", "review"})
"""Kinds of links about rows that belong to an answer, whose id is in the detail as ``answer_id``."""


# --- hashes -------------------------------------------------------------------------------------


def content_hash(row: StoredAnswer | StoredFeedback | StoredReview) -> str:
    """SHA-256 (hex) of all fields of a row.

    >>> one = StoredAnswer("a", "2026-01-02T03:04:05Z", "public", "Why?", "ANSWERED", "{}")
    >>> len(content_hash(one)), content_hash(one) == content_hash(StoredAnswer("a", *("",) * 5))
    (64, False)
    """
    if isinstance(row, StoredAnswer):
        fields: tuple[Any, ...] = (
            "answer", row.answer_id, row.created_at, row.level, row.question, row.status, row.body, row.context,
        )  # fmt: skip
    elif isinstance(row, StoredFeedback):
        fields = (
            "feedback", row.feedback_id, row.answer_id, row.given_at, row.level, row.reaction, row.citation_id,
            row.sentence_index, row.note,
        )  # fmt: skip
    else:
        fields = (
            "review", row.review_id, row.answer_id, row.decided_at, row.level, row.decision, row.reviewer,
            row.citation_id, row.sentence_index, row.note,
        )  # fmt: skip
    return _sha256((FORM, *map(_plain, fields)))


def link_hash(entry: LogEntry) -> str:
    """The link that an entry must have: SHA-256 (hex) of its other fields."""
    texts = (entry.kind, entry.subject, entry.at, entry.level, entry.content, entry.detail, entry.previous)
    return _sha256((FORM, entry.position, *map(_plain, texts)))


def _sha256(fields: tuple[Any, ...]) -> str:
    # ASCII, so that a lone surrogate has a form; JSON, so that no two lists of fields run into one text.
    return hashlib.sha256(json.dumps(fields, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


def _plain(value: Any) -> Any:
    """Enumerations as the text that comes back from a store."""
    return str(value) if isinstance(value, str) else value


# --- making links -------------------------------------------------------------------------------


def of_answer(head: LogHead, answer: StoredAnswer, *, at: str = "", imported: bool = False) -> LogEntry:
    """The link of an answer that is given, or (``imported``) that an older database held without a chain."""
    detail = {"imported": True} if imported else {}
    return _entry(
        head, "answer", answer.answer_id, at or answer.created_at, answer.level, content_hash(answer), detail
    )


def of_rewriting(head: LogHead, old: StoredAnswer, new: StoredAnswer, *, at: str, doc_id: str) -> LogEntry:
    """The link of an answer that lost the words of a document, which was removed."""
    detail = {"why": "document removed", "doc_id": doc_id, "was": content_hash(old)}
    return _entry(head, "rewritten", new.answer_id, at, new.level, content_hash(new), detail)


def of_erasure(head: LogHead, answer: StoredAnswer, *, at: str, why: str) -> LogEntry:
    """The link of an answer that was dropped by itself."""
    detail = {"why": why, "was": content_hash(answer)}
    return _entry(head, "erased", answer.answer_id, at, answer.level, "", detail)


def of_feedback(head: LogHead, given: StoredFeedback) -> LogEntry:
    """The link of what a reader said."""
    detail = {"answer_id": given.answer_id}
    return _entry(
        head, "feedback", given.feedback_id, given.given_at, given.level, content_hash(given), detail
    )


def of_review(head: LogHead, review: StoredReview) -> LogEntry:
    """The link of a decision."""
    detail = {"answer_id": review.answer_id}
    return _entry(
        head, "review", review.review_id, review.decided_at, review.level, content_hash(review), detail
    )


def of_note(head: LogHead, kind: str, *, at: str, detail: str) -> LogEntry:
    """A link about no row; ``detail`` is a JSON object."""
    return _entry(head, kind, "", at, "", "", json.loads(detail))


def of_pruning(
    head: LogHead, *, at: str, before: str, count: int, first: str, last: str, start: LogHead
) -> LogEntry:
    """The checkpoint that retention leaves.

    Args:
        before: Answers that were logged before this time were dropped.
        count, first, last: How many, and when the first and the last of them were logged, by the clock.
        start: The newest link that was dropped: the chain begins behind it now.
    """
    detail = {
        "before": before,
        "count": count,
        "first": first,
        "last": last,
        "start": start.position,
        "start_link": start.link,
    }
    return _entry(head, "pruned", "", at, "", "", detail)


def _entry(
    head: LogHead, kind: str, subject: str, at: str, level: str, content: str, detail: Mapping[str, Any]
) -> LogEntry:
    noted = dict(detail)
    if at and head.at and at < head.at:
        noted["clock_back_from"] = head.at
    made = LogEntry(
        position=head.position + 1,
        kind=kind,
        subject=str(subject),
        at=at or head.at,
        level=str(level),
        content=content,
        detail=json.dumps(noted, ensure_ascii=True, separators=(",", ":"), sort_keys=True),
        previous=head.link,
        link="",
    )
    return LogEntry(*(*_fields(made)[:-1], link_hash(made)))


def _fields(entry: LogEntry) -> tuple[Any, ...]:
    return (
        entry.position, entry.kind, entry.subject, entry.at, entry.level, entry.content, entry.detail,
        entry.previous, entry.link,
    )  # fmt: skip


def head_of(entry: LogEntry) -> LogHead:
    """The head when ``entry`` is the newest link."""
    return LogHead(entry.position, entry.link, entry.at)


def start_of(entries: Iterable[LogEntry]) -> LogHead:
    """The newest link that retention dropped, of a chain as it is kept."""
    first = next(iter(entries), None)
    return LogHead() if first is None else LogHead(first.position - 1, first.previous)


def logged_before(what: str, subject: str) -> StoreError:
    """The error for another row of an id that was logged."""
    return StoreError(
        f"{what} with the id {subject!r} was logged before",
        hint="what is logged is never replaced; use a new id",
    )


def no_answer(answer_id: str) -> StoreError:
    """The error for feedback or a decision about an answer that is not there: nothing would say when it may go."""
    return StoreError(
        f"there is no answer {answer_id!r}, or it was erased meanwhile: nothing was stored",
        hint="`pincite log` lists the answers there are",
    )


def end_of_prefix(
    entries: Iterable[LogEntry], *, before: str, is_there: Callable[[str, str], bool]
) -> LogEntry | None:
    """The last of the oldest links that need not be kept: nothing is left of what they are about.

    Args:
        entries: From the oldest on; read no further than needed.
        before: Links about no row go when they are older than this.
        is_there: Whether there is an ``answer``, ``feedback`` or ``review`` of that id.
    """
    last = None
    for entry in entries:
        if entry.kind in ABOUT_ANSWERS or entry.kind in ABOUT_ITS_ROWS:
            goes = not is_there("answer" if entry.kind in ABOUT_ANSWERS else entry.kind, entry.subject)
        else:
            goes = entry.at < before
        if not goes:
            return last
        last = entry
    return last


def detail_of(entry: LogEntry) -> dict[str, Any]:
    """The detail, read; empty when it is none that was written."""
    try:
        found = json.loads(entry.detail)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def count_of(detail: Mapping[str, Any]) -> int:
    """How many answers a link is about; 0 when it does not say."""
    count = detail.get("count")
    return count if isinstance(count, int) else 0
