"""Questions: ``ask``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.cli.errors import NotFoundError
from pincite.cli.output import emit, paint_lines, standard_input
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
    from pincite.prompts import in_language
    from pincite.renderers.text import printable

    notes = (in_language(note, answer.language) for note in answer.notes)
    return printable("\n\n".join((answer.plain, *notes)))
