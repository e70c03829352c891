"""Questions and the answers that were given: ``ask`` and ``log``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pincite.cli.errors import NotFoundError
from pincite.cli.output import counted, emit, paint_lines, standard_input, table
from pincite.cli.session import Session

if TYPE_CHECKING:
    from pincite.answer import Answer
    from pincite.pipeline import Pipeline
    from pincite.types import Question


def ask(
    session: Session,
    *,
    question: str,
    form: str,
    as_json: bool,
    top_k: int | None,
    reader: str,
    judge: str | None,
    show: str,
    no_log: bool,
    go_on: bool,
    after: str | None,
    fail_on_abstain: bool,
) -> int:
    """Answer a question from the documents, or say that they do not."""
    form = "json" if as_json else form
    text = standard_input() if question == "-" else question
    with session.pipeline(log=not no_log, judge=judge) as pipeline:
        earlier = _latest(pipeline, reader) if go_on else after
        answer = pipeline.ask(_question(pipeline, text, earlier, top_k=top_k, reader=reader))
    if form == "text" and show == "none":
        emit(_without_evidence(answer))
    else:
        shown = answer.to(form)
        emit(paint_lines(shown, on=session.colour) if form == "text" else shown)
    return 1 if answer.abstained and fail_on_abstain else 0


def _latest(pipeline: Pipeline, reader: str) -> str:
    from pincite.access import as_reader

    found = pipeline.parts.store.answers(as_reader(reader), limit=1)
    if not found:
        raise NotFoundError(
            f"there is no answer to go on from for a reader of level {reader}",
            hint="ask once without --continue",
        )
    return found[0].answer_id


def _question(
    pipeline: Pipeline, text: str, earlier: str | None, *, top_k: int | None, reader: str
) -> Question:
    from pincite.access import as_reader
    from pincite.types import Question

    turns = () if earlier is None else pipeline.conversation(earlier, reader=reader)
    return Question(
        text,
        history=turns,
        reader=as_reader(reader),
        top_k=pipeline.settings.top_k if top_k is None else top_k,
        conversation_id=turns[0].answer_id if turns else None,
        client="pincite ask",
    )


def _without_evidence(answer: Answer) -> str:
    from pincite.renderers.text import printable

    return printable("\n\n".join((answer.plain, *answer.notes)))


# --- log ----------------------------------------------------------------------------------------


def list_answers(session: Session, *, limit: int, stale: bool, reader: str, as_json: bool) -> int:
    """List answers, the newest first."""
    from pincite.renderers.text import one_line

    with session.stored() as pipeline:
        found = pipeline.kept_answers(reader, limit=limit, stale=stale)
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
    elsewhere = "" if found else "; --reader LEVEL lists those of another"
    which = " that rest on what changed" if stale else ""
    session.note(f"{counted(len(found), 'answer')}{which} for a reader of level {reader}{elsewhere}")
    return 0


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
        found = pipeline.kept_answer(answer_id, reader)
    if found is None:
        raise NotFoundError(
            f"there is no answer {answer_id!r} for a reader of level {reader}",
            hint="`pincite log` lists them; --reader LEVEL is for another reader",
        )
    if as_json:
        emit(json.dumps(found, ensure_ascii=False))
    else:
        emit(paint_lines("\n".join(_answer_lines(found)), on=session.colour))
    return 0


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
