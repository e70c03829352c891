"""The log of answers: ``log list`` and ``log show``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pincite.cli.errors import NotFoundError
from pincite.cli.output import counted, emit, paint_lines, table
from pincite.cli.session import Session

if TYPE_CHECKING:
    from pincite.pipeline import Pipeline
    from pincite.ports.stored import StoredAnswer


def list_answers(
    session: Session, *, limit: int, stale: bool, since: str, status: str | None, reader: str, as_json: bool
) -> int:
    """List answers, the newest first."""
    from pincite.renderers.text import one_line

    with session.stored() as pipeline:
        found = pipeline.kept_answers(
            reader, limit=limit + 1, stale=stale, since=_since(pipeline, since), status=status
        )
    has_more, found = len(found) > limit, found[:limit]
    if as_json:
        for one in found:
            emit(json.dumps(one, ensure_ascii=False))
        return 0
    if found:
        rows = [
            (
                one["id"],
                one["created_at"],
                one["answer_status"],
                _what_changed(one),
                one_line(one["question"])[:80],
            )
            for one in found
        ]
        emit(table([("id", "time", "status", "sources", "question"), *rows]))
    which = f" that {'rests' if len(found) == 1 else 'rest'} on what changed" if stale else ""
    session.note(
        f"{'the newest ' if has_more else ''}{counted(len(found), 'answer')}{which} for a reader of level {reader}"
        + ("; there are more, --limit N lists N of them" if has_more else "")
        + ("" if found else "; --reader LEVEL lists those of another")
    )
    return 0


def _since(pipeline: Pipeline, text: str) -> str:
    from pincite.logbook import since_when

    return since_when(text, pipeline.parts.clock()) if text else ""


def _what_changed(body: dict[str, Any]) -> str:
    """What became of the cited passages, in a few words; empty when all is as it was."""
    words = [_state(citation) for citation in body["citations"]]
    return ", ".join(dict.fromkeys(filter(None, words)))


def _state(citation: dict[str, Any]) -> str:
    """What became of one citation; empty when it is as it was."""
    if "tombstone" in citation:
        return "removed" if citation["tombstone"]["state"] == "removed" else "withheld"
    now = citation["now"]
    status = "" if now["document_status"] == "current" else now["document_status"]
    return status or ("" if now["anchor"] in ("same", "moved") else str(now["anchor"]))


def show_answer(session: Session, *, answer_id: str, reader: str, as_json: bool) -> int:
    """Show an answer as it was given, and what has become of its sources."""
    with session.stored() as pipeline:
        stored = _stored(pipeline, answer_id, reader)
        found = pipeline.kept_answer(answer_id, reader)
        told = tuple(_log_lines(pipeline, stored, reader))
    assert found is not None, "an answer that is stored cannot be shown"
    if as_json:
        emit(json.dumps(found, ensure_ascii=False))
    else:
        emit(paint_lines("\n".join((*_answer_lines(found), "", *told)), on=session.colour))
    return 0


def _stored(pipeline: Pipeline, answer_id: str, reader: str) -> StoredAnswer:
    from pincite.access import as_reader
    from pincite.types import AnswerId

    stored = pipeline.parts.store.answer(AnswerId(answer_id), as_reader(reader))
    if stored is None:
        raise NotFoundError(
            f"there is no answer {answer_id!r} for a reader of level {reader}",
            hint="`pincite log` lists them; --reader LEVEL is for another reader",
        )
    return stored


def _log_lines(pipeline: Pipeline, stored: StoredAnswer, reader: str) -> Iterator[str]:
    """How the answer came about, and what the log says has become of it."""
    from pincite.access import as_reader
    from pincite.chain import detail_of
    from pincite.logbook import context_of
    from pincite.renderers.text import one_line

    known = {name: value for name, value in context_of(stored).items() if value}
    if known:
        yield "Made with: " + " · ".join(f"{name} {one_line(str(value))}" for name, value in known.items())
    store, who = pipeline.parts.store, as_reader(reader)
    for link in store.log_entries(subject=stored.answer_id):
        if link.kind != "answer":
            detail = detail_of(link)
            yield f"Log: {link.kind} {link.at}: {detail.get('why', '')} {one_line(str(detail.get('doc_id', '')))}".rstrip()
    for given in store.feedback(who, answer_id=stored.answer_id):
        part = given.citation_id or (
            "" if given.sentence_index is None else f"sentence {given.sentence_index}"
        )
        yield " · ".join(
            filter(None, (f"Feedback: {given.reaction}", given.given_at, part, one_line(given.note)))
        )
    for review in store.reviews(who, answer_id=stored.answer_id):
        part = review.citation_id or (
            "" if review.sentence_index is None else f"sentence {review.sentence_index}"
        )
        yield " · ".join(
            filter(
                None,
                (
                    f"Review: {review.decision}",
                    review.decided_at,
                    one_line(review.reviewer),
                    part,
                    one_line(review.note),
                ),
            )
        )


def _answer_lines(body: dict[str, Any]) -> Iterator[str]:
    """A stored answer for people. It is read from its JSON, which later versions only ever add to."""
    from pincite.renderers.text import one_line, printable

    yield f"{body['id']} · {body['created_at']} · {body['answer_status']} · confidence {body['confidence']:.2f}"
    yield f"question: {one_line(body['question'])}"
    yield ""
    yield printable(body["text"])
    if body["reason"]:
        yield f"Why: {one_line(body['reason'])}"
    if body["citations"]:
        yield ""
        yield "Sources"
    for citation in body["citations"]:
        place = [
            citation["title"] or citation["doc_id"] or "a source that is not shown",
            citation["section"] or "",
            citation["chunk_id"] or "",
            citation["status"],
            _state(citation),
        ]
        yield f"  [{citation['n']}] " + " · ".join(one_line(part) for part in place if part)
        if citation["quote"]:
            yield f"      “{one_line(citation['quote'])}”"
        for span in (citation["now"] or {}).get("spans", ()):
            if span["anchor"] == "changed":
                yield f"      now: “{one_line(span['text'])}”"
    if body["uncovered_aspects"]:
        yield ""
        yield "Not covered:"
        yield from (f"  {one_line(aspect)}" for aspect in body["uncovered_aspects"])
