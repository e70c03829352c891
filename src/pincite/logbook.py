"""What a reader may see of the log: listed, exported, and whether it is whole."""

from __future__ import annotations

import csv
import io
import json
import logging
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

from pincite.audit import Body
from pincite.chain import LogReport, check, detail_of
from pincite.errors import ConfigError, StoreError
from pincite.ports.stored import LogEntry, LogHead, StoredAnswer
from pincite.ports.stores import Store
from pincite.text.redaction import redacted_entry
from pincite.types import AccessLevel, AnswerId, Reader
from pincite.upkeep import Today, reading

log = logging.getLogger(__name__)

MOST = 1_000_000
"""Answers that are looked through for those that are wanted."""

AT_ONCE = 1_000
"""Answers that are held in memory together: of 10 kB each."""

STATUSES = ("answered", "partial", "uncited", "abstained", "unverified", "removed")
"""By which answers can be chosen: their own, and whether they have citations that do not hold or lost sentences."""

NEGATIVE = frozenset({"wrong_source", "wrong_claim", "incomplete"})
"""Reactions of readers that say that something is wrong."""

_AGE = re.compile(r"([0-9]{1,6})([mhdw])\Z")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]{5,15}Z?)?\Z")


def since_when(text: str, now: datetime) -> str:
    """A time as answers have it, from an age or a date.

    >>> since_when("7d", datetime(2026, 1, 8, tzinfo=UTC)), since_when("2026-01-02", datetime.now(UTC))
    ('2026-01-01T00:00:00Z', '2026-01-02')

    Raises:
        ConfigError: If it is neither.
    """
    found = _AGE.match(text)
    if found:
        try:
            then = now.astimezone(UTC) - timedelta(**{_UNITS[found[2]]: int(found[1])})
        except OverflowError:
            return ""
        return then.strftime("%Y-%m-%dT%H:%M:%SZ")
    if not _TIME.match(text):
        raise ConfigError(
            f"{text!r} is no time", hint="write an age such as 7d or 12h, or a date such as 2026-01-31"
        )
    return text


def find(
    store: Store, reader: Reader, *, since: str = "", status: str | None = None, limit: int = MOST
) -> Iterator[tuple[StoredAnswer, Body]]:
    """Answers that the reader may see, newest first, each with its JSON without what they may not see of it.

    Args:
        since: None that was given before this time.
        status: One of ``STATUSES``.
    """
    today = Today(store, reader)
    left = limit
    for stored in _newest_first(store, reader, since=since, limit=MOST if since or status else limit):
        if left <= 0:
            return
        try:
            body = today.visible(stored)
            with reading(stored):
                is_wanted = status is None or has_status(body, status)
        except StoreError as error:
            log.error("left out: %s", error.message)
            continue
        if is_wanted:
            left -= 1
            yield stored, body


def _newest_first(store: Store, reader: Reader, *, since: str, limit: int) -> Iterator[StoredAnswer]:
    """Answers as the store has them. Of many, the ids are held and each answer is read when it is wanted."""
    if limit <= AT_ONCE:
        yield from store.answers(reader, limit=limit)
        return
    ids = [one.subject for one in store.log_entries() if one.kind == "answer" and one.at >= since]
    for answer_id in reversed(ids):
        stored = store.answer(AnswerId(answer_id), reader)
        if stored is not None and stored.created_at >= since:
            yield stored


def as_it_is_today(today: Today, stored: StoredAnswer) -> Body | None:
    """See ``Today.answer``; ``None`` when somebody damaged the row, which is told to the log of the program."""
    try:
        return today.answer(stored)
    except StoreError as error:
        log.error("left out: %s", error.message)
        return None


def has_status(body: Body, status: str) -> bool:
    """Whether an answer has one of ``STATUSES``.

    >>> has_status({"answer_status": "PARTIAL", "metrics": {"unverified": 2}}, "unverified")
    True
    """
    if status == "unverified":
        return bool(body["metrics"]["unverified"])
    if status == "removed":
        return bool(body["removed"])
    return str(body["answer_status"]).casefold() == status


# --- export -------------------------------------------------------------------------------------


def exported(
    store: Store, found: Iterable[tuple[StoredAnswer, Body]], reader: Reader, *, redact: Collection[str] = ()
) -> Iterator[Body]:
    """Log entries as an export has them: the canonical answer, what it came about with, what was said of it, and its
    links. The links only for readers of everything: positions count what others may not see.

    Args:
        redact: Of ``redaction.CHOICES``.
    """
    for stored, body in found:
        entry = {
            **body,
            "level": stored.level,
            **context_of(stored),
            "feedback": [
                asdict(one)
                for one in store.feedback(reader, answer_id=AnswerId(stored.answer_id), limit=1_000)
            ],
            "reviews": [
                asdict(one)
                for one in store.reviews(reader, answer_id=AnswerId(stored.answer_id), limit=1_000)
            ],
        }
        if reader.level is AccessLevel.CONFIDENTIAL:
            entry["log"] = links_of(store, stored.answer_id)
        yield redacted_entry(entry, redact) if redact else entry


def context_of(stored: StoredAnswer) -> dict[str, Any]:
    """What the log says of how an answer came about; ``None`` where it does not."""
    try:
        said = json.loads(stored.context)
    except ValueError:
        said = {}
    said = said if isinstance(said, dict) else {}
    names = ("config_hash", "judge", "pincite", "principal", "client")
    return {**dict.fromkeys(names), **said}


def links_of(store: Store, answer_id: str) -> list[Body]:
    """The links of an answer, as the chain has them."""
    return [
        {
            "position": one.position,
            "kind": one.kind,
            "at": one.at,
            "content": one.content,
            "link": one.link,
            "detail": _detail(one),
        }
        for one in store.log_entries(subject=answer_id)
    ]


def _detail(entry: LogEntry) -> Body:
    found = detail_of(entry)
    if not found and entry.detail != "{}":
        log.error("position %d of the log (%s): its detail was changed", entry.position, entry.subject)
    return found


COLUMNS = (
    "id", "created_at", "level", "question", "plain", "answer_status", "reason_code", "confidence", "confidence_label",
    "citations", "verified", "unverified", "removed", "feedback", "reviews", "language", "model", "judge", "prompt_hash",
    "config_hash", "pincite", "principal", "client", "conversation_id", "trace_id",
)  # fmt: skip
"""Of a CSV export. Lists are counted."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "﹦", "﹢", "﹣", "﹫", "\u2212")
"""What makes a spreadsheet take a cell for a formula when it comes first (OWASP, "CSV Injection"); the last is the minus sign."""

_UNSEEN = frozenset({"Zs", "Zl", "Zp", "Cf", "Cc"})
"""Categories of Unicode that a spreadsheet may pass over at the beginning: blanks of any width, and what has none."""


def csv_rows(entries: Iterable[Body]) -> Iterator[str]:
    """Entries as lines of CSV (RFC 4180), the names of the columns first; no cell is a formula."""
    yield _csv(COLUMNS)
    for entry in entries:
        flat = {**entry, **{name: entry["metrics"].get(name) for name in ("verified", "unverified")}}
        yield _csv([_cell(flat.get(name)) for name in COLUMNS])


def _cell(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return len(value)
    if isinstance(value, str):
        return safe_cell(value)
    return "" if value is None else value


def safe_cell(text: str) -> str:
    """A text as a spreadsheet takes it for a text.

    >>> safe_cell("=1+1"), safe_cell(" @x"), safe_cell("Why?"), safe_cell("\\u3000\\u200b=1")[0]
    ("'=1+1", "' @x", 'Why?', "'")
    """
    for sign in text:
        if sign in _FORMULA:
            return f"'{text}"
        if unicodedata.category(sign) not in _UNSEEN:
            return text
    return text


def _csv(cells: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, quoting=csv.QUOTE_ALL, lineterminator="").writerow(cells)
    return line.getvalue().replace("\x00", "\ufffd")


# --- is it whole --------------------------------------------------------------------------------


def verify(store: Store, anchors: Iterable[LogHead] = ()) -> LogReport:
    """Check the whole log, see ``chain.check``. For those who have the database: ids of all levels are in it."""
    with store.reading():
        return check(store.log_entries(), store.log_head(), store.log_rows(), anchors=anchors)


def read_head(text: str) -> LogHead:
    """A head as ``log head`` prints it: ``POSITION:LINK``.

    >>> read_head("7:ab12").position
    7

    Raises:
        ConfigError: If it is none.
    """
    position, _, link = text.strip().partition(":")
    if not position.isascii() or not position.isdigit() or not re.fullmatch(r"[0-9a-f]{1,64}", link):
        raise ConfigError(
            f"{text[:100]!r} is no head of a log", hint="write POSITION:LINK, as `pincite log head` prints it"
        )
    return LogHead(int(position), link)


def prune_before(now: datetime, keep_days: int) -> str:
    """The time before which answers are no longer kept."""
    return (now.astimezone(UTC) - timedelta(days=keep_days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def stamp(now: datetime) -> str:
    """A time as the log has it: RFC 3339, UTC, in seconds."""
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
