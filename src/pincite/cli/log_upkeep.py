"""The log of answers: whether it is whole, judged once more, taken out, cut off."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from pincite.cli.errors import NotFoundError, UsageError
from pincite.cli.output import counted, emit, paint_lines
from pincite.cli.session import Session

if TYPE_CHECKING:
    from pincite.audit import Body
    from pincite.chain import Change, LogReport
    from pincite.pipeline import Pipeline
    from pincite.ports.stored import LogHead, StoredAnswer
    from pincite.replay import Replay
    from pincite.types import Reader, Turn

MOST_SHOWN = 50
"""Faults and lawful changes that are printed; JSON has all."""


# --- verify, head -------------------------------------------------------------------------------


def verify_log(session: Session, *, heads: Sequence[str], heads_file: str | None, as_json: bool) -> int:
    """Check the chain; 1 when something was changed but lawfully."""
    from pincite.logbook import verify

    anchors = _anchors(heads, heads_file)
    with session.stored() as pipeline:
        report = verify(pipeline.parts.store, anchors)
    if as_json:
        emit(json.dumps({**asdict(report), "whole": report.whole}, ensure_ascii=False))
    else:
        emit(paint_lines("\n".join(_report_lines(report, anchors)), on=session.colour))
    return 0 if report.whole else 1


def _anchors(heads: Sequence[str], file: str | None) -> tuple[LogHead, ...]:
    from pincite.logbook import read_head

    lines = list(heads)
    if file is not None:
        try:
            lines += Path(file).read_text("utf-8").splitlines()
        except (OSError, UnicodeError) as error:
            raise UsageError(f"the file of heads cannot be read: {error}", where=file) from error
    # What `log head` printed: the head first, then when that was.
    return tuple(read_head(line.split()[0]) for line in lines if line.strip())


def _report_lines(report: LogReport, anchors: Sequence[LogHead]) -> Iterator[str]:
    sign = "✓" if report.whole else "✗"
    what = "is whole" if report.whole else f"has {counted(report.fault_count, 'fault')}"
    yield f"{sign} the log {what}: {counted(report.entries, 'link')}, {counted(report.answers, 'answer')}, head {_head(report.head)}"
    if report.start.position:
        yield f"  positions 1-{report.start.position} were pruned"
    for fault in report.faults[:MOST_SHOWN]:
        place = "" if fault.position is None else f"position {fault.position}: "
        yield f"✗ {place}{fault.subject + ': ' if fault.subject else ''}{fault.what}"
    if report.fault_count > MOST_SHOWN:
        yield f"  … and {report.fault_count - MOST_SHOWN:,} more; --json has {'all' if report.fault_count == len(report.faults) else 'the first of them'}"
    for change in report.changes[-MOST_SHOWN:]:
        yield f"  changed lawfully at position {change.position}, {change.at}: {_change(change)}"
    if len(report.changes) > MOST_SHOWN:
        yield f"  … and {len(report.changes) - MOST_SHOWN:,} lawful changes before these"
    if report.clock_back:
        places = ", ".join(map(str, report.clock_back[:MOST_SHOWN]))
        yield f"  the clock stood before that of the link before at {places}; the order is that of the positions"
    old = [one.position for one in anchors if one.position < report.start.position]
    if old:
        yield f"! heads at {', '.join(map(str, old))} cannot be compared: those links were pruned"
    if not anchors and report.whole:
        yield "! compared with its own head alone; --head with one that was kept elsewhere proves that nobody wrote it anew"


def _change(change: Change) -> str:
    from pincite.chain import count_of

    detail = change.detail
    if change.kind == "pruned":
        return (
            f"{counted(count_of(detail), 'answer')} of {detail.get('first', '')} to {detail.get('last', '')} "
            f"dropped, older than {detail.get('before', '')}"
        )
    if change.kind == "gap":
        return (
            f"{counted(count_of(detail), 'answer')} given and not logged, {detail.get('first', '')} to "
            f"{detail.get('last', '')}: {detail.get('why', '')}"
        )
    return f"{change.subject} {change.kind}: {detail.get('why', '')} {detail.get('doc_id', '')}".rstrip()


def show_head(session: Session, *, as_json: bool) -> int:
    """Print the head of the chain, to be kept elsewhere."""
    with session.stored() as pipeline:
        head = pipeline.parts.store.log_head()
    emit(json.dumps(asdict(head)) if as_json else f"{_head(head)} {head.at}".rstrip())
    return 0


def _head(head: LogHead) -> str:
    return f"{head.position}:{head.link or '0'}"


# --- replay -------------------------------------------------------------------------------------


def replay_answer(session: Session, *, answer_id: str, judge: str | None, reader: str, as_json: bool) -> int:
    """Judge an answer once more; 1 when anything is not as it was, or could not be judged."""
    with session.pipeline(embedder=None, judge=judge or _judge_of(session, answer_id, reader)) as pipeline:
        found = pipeline.replay(answer_id, reader)
    if found is None:
        raise NotFoundError(
            f"there is no answer {answer_id!r} for a reader of level {reader}",
            hint="`pincite log` lists them; --reader LEVEL is for another reader",
        )
    if as_json:
        emit(json.dumps({**asdict(found), "same": found.same}, ensure_ascii=False))
    else:
        emit(paint_lines("\n".join(_replay_lines(found)), on=session.colour))
    return 0 if found.same else 1


def _judge_of(session: Session, answer_id: str, reader: str) -> str | None:
    """The judge of that time, when it is one that can be named."""
    from pincite.access import as_reader
    from pincite.cli.commands import JUDGES
    from pincite.logbook import context_of
    from pincite.types import AnswerId

    with session.stored() as pipeline:
        stored = pipeline.parts.store.answer(AnswerId(answer_id), as_reader(reader))
    name = None if stored is None else context_of(stored)["judge"]
    return name if name in JUDGES else None


def _replay_lines(found: Replay) -> Iterator[str]:
    from pincite.renderers.text import one_line

    of_all = f"{found.replayed} of {counted(found.sentences, 'sentence')} judged once more"
    if found.same:
        yield f"✓ {found.answer_id}: the same verdicts; {of_all}"
    else:
        yield f"✗ {found.answer_id}: {counted(len(found.differences), 'difference')}; {of_all}"
    for one in found.differences:
        yield f"✗ sentence {one.sentence_index}, {one.field}: {one.then or '∅'} → {one.now or '∅'}   “{one_line(one.text)[:80]}”"
    for why in found.left_out:
        yield f"! {one_line(why)}"
    for change in found.changes:
        yield f"  since then: {one_line(' '.join(filter(None, (change.what, change.subject))))} {one_line(change.then)} → {one_line(change.now)}"


# --- export -------------------------------------------------------------------------------------


def export(
    session: Session,
    *,
    form: str,
    since: str,
    status: str | None,
    misses: bool,
    redact: str | None,
    out: str | None,
    reader: str,
) -> int:
    """Print answers as the log has them, or drafts of golden items out of those that missed something."""
    from pincite.access import as_reader
    from pincite.logbook import csv_rows, exported, find, since_when

    kinds = _kinds(session, redact)
    who = as_reader(reader)
    if misses and form == "csv":
        raise UsageError("--misses makes golden items, which are JSON", hint="leave --format away")
    with session.stored() as pipeline, Out(out) as written:
        store = pipeline.parts.store
        found = find(
            store, who, since=since_when(since, pipeline.parts.clock()) if since else "", status=status
        )
        if misses:
            lines: Iterator[str] = (_json(one) for one in _missed(pipeline, found, who, kinds))
        else:
            entries = exported(store, found, who, redact=kinds)
            lines = csv_rows(entries) if form == "csv" else map(_json, entries)
        for line in lines:
            written.line(line)
    noun = ("draft", "drafts") if misses else ("answer", "answers")
    number = written.count - (form == "csv")
    session.note(f"{counted(number, *noun)} for a reader of level {reader}" + (f" in {out}" if out else ""))
    return 0


def _kinds(session: Session, redact: str | None) -> tuple[str, ...]:
    """What is blacked out: what the option says, or else the settings."""
    from pincite.errors import did_you_mean
    from pincite.text.redaction import CHOICES, PERSONAL

    set_ = tuple(session.settings().config.log.redact)
    if redact is None:
        return set_
    if redact == "":
        return tuple(dict.fromkeys((*set_, *PERSONAL)))
    named = tuple(word.strip() for word in redact.split(",") if word.strip())
    for word in named:
        if word not in CHOICES:
            hint = did_you_mean(word, CHOICES, f"choose from {', '.join(CHOICES)}")
            raise UsageError(
                f"nothing is called {word!r} that could be blacked out", where="--redact", hint=hint
            )
    return tuple(dict.fromkeys((*set_, *named)))


def _missed(
    pipeline: Pipeline, found: Iterable[tuple[StoredAnswer, Body]], who: Reader, kinds: Sequence[str]
) -> Iterator[Body]:
    from pincite.evals.drafts import from_miss, item_fields
    from pincite.logbook import NEGATIVE
    from pincite.text.redaction import redacted_entry

    store = pipeline.parts.store
    for stored, body in found:
        given = [
            one
            for one in store.feedback(who, answer_id=stored.answer_id, limit=1_000)
            if one.reaction in NEGATIVE
        ]
        item = from_miss(stored, body, given, history_of(pipeline, body, who))
        if item is not None:
            fields = item_fields(item)
            yield redacted_entry(fields, kinds) if kinds else fields


def history_of(pipeline: Pipeline, body: Body, who: Reader) -> tuple[Turn, ...]:
    """The turns that an answer goes on from, as far as they are kept."""
    from pincite.errors import ConfigError

    if not body.get("previous_id"):
        return ()
    try:
        return pipeline.conversation(body["previous_id"], reader=who)
    except ConfigError:
        return ()


class Out:
    """Lines to a file, or to standard output."""

    def __init__(self, path: str | None) -> None:
        self.count = 0
        self._path = path
        self._file: TextIO | None = None

    def __enter__(self) -> Out:
        if self._path is not None:
            try:
                self._file = Path(self._path).open(
                    "w", encoding="utf-8", errors="surrogatepass", newline="\n"
                )
            except OSError as error:
                raise UsageError(f"cannot be written: {error.strerror}", where=self._path) from error
        return self

    def line(self, text: str) -> None:
        self.count += 1
        if self._file is None:
            emit(text)
        else:
            self._file.write(f"{text}\n")

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


# --- less of it ---------------------------------------------------------------------------------


def prune(session: Session, *, keep_days: int | None, dry_run: bool) -> int:
    """Drop answers that are older than the settings say."""
    from pincite.logbook import prune_before, stamp

    days = session.settings().config.log.keep_days if keep_days is None else keep_days
    if not days:
        session.note("nothing is dropped: [log] keep_days is 0")
        return 0
    with session.stored() as pipeline:
        now = pipeline.parts.clock()
        before = prune_before(now, days)
        store = pipeline.parts.store
        if dry_run:
            old = sum(one.kind == "answer" and one.at < before for one in store.log_entries())
            emit(f"{counted(old, 'answer')} logged before {before} would be dropped")
            return 0
        dropped = store.prune_answers(before, at=stamp(now))
        head = store.log_head()
    emit(f"{counted(dropped, 'answer')} logged before {before} dropped; head {_head(head)}")
    return 0


def erase(session: Session, *, answer_id: str, why: str, reader: str) -> int:
    """Drop one answer with what was said of it."""
    from pincite.access import as_reader
    from pincite.logbook import stamp
    from pincite.types import AnswerId

    with session.stored() as pipeline:
        store = pipeline.parts.store
        there = store.answer(AnswerId(answer_id), as_reader(reader)) is not None
        if not there or not store.erase_answer(
            AnswerId(answer_id), at=stamp(pipeline.parts.clock()), why=why
        ):
            raise NotFoundError(
                f"there is no answer {answer_id!r} for a reader of level {reader}",
                hint="`pincite log` lists them; --reader LEVEL is for another reader",
            )
    session.note(f"{answer_id} is erased; the log says that it was, and keeps its hash")
    return 0
