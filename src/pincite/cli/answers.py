"""Questions and the answers that were given: ``ask`` and ``log``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pincite.cli.documents import JsonOption, ReaderOption
from pincite.cli.output import emit, paint_lines, table
from pincite.cli.session import session_of
from pincite.errors import ConfigError

if TYPE_CHECKING:
    from pincite.answer import Answer


class Evidence(StrEnum):
    """What ``ask`` prints beside the answer."""

    EVIDENCE = "evidence"
    NONE = "none"


def ask(
    context: typer.Context,
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help="The question; - reads it from standard input.")
    ],
    form: Annotated[str, typer.Option("--format", metavar="FORMAT", help="text, markdown or json.")] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    top_k: Annotated[
        int | None,
        typer.Option("--top-k", metavar="N", help="How many passages the answer may use, 1 to 100."),
    ] = None,
    reader: ReaderOption = "public",
    show: Annotated[
        Evidence, typer.Option("--show", help="With text: sources and what was checked, or the answer alone.")
    ] = Evidence.EVIDENCE,
    no_log: Annotated[bool, typer.Option("--no-log", help="Do not keep this answer.")] = False,
    fail_on_abstain: Annotated[
        bool,
        typer.Option("--fail-on-abstain", help="Exit with 1 when the sources do not answer the question."),
    ] = False,
) -> None:
    """Answer a question from the documents, or say that they do not."""
    from pincite.renderers import ANSWER_FORMS

    session = session_of(context)
    form = _known_form("json" if as_json else form, list(ANSWER_FORMS))
    text = sys.stdin.read() if question == "-" else question
    with session.pipeline(log=not no_log) as pipeline:
        answer = pipeline.ask(text, top_k=top_k, reader=reader)
    if form == "text" and show is Evidence.NONE:
        emit(_without_evidence(answer))
    else:
        shown = answer.to(form)
        emit(paint_lines(shown, on=session.colour) if form == "text" else shown)
    if answer.abstained and fail_on_abstain:
        raise typer.Exit(1)


def _without_evidence(answer: Answer) -> str:
    from pincite.renderers.text import printable

    return printable("\n\n".join((answer.plain, *answer.notes)))


def _known_form(form: str, forms: list[str]) -> str:
    """Wrong words are told before anything is opened or asked."""
    from difflib import get_close_matches

    if form not in forms:
        close = get_close_matches(form, forms, n=1)
        raise ConfigError(
            f"unknown format {form!r}",
            where="--format",
            hint=f"did you mean {close[0]}?" if close else f"choose from {', '.join(forms)}",
        )
    return form


# --- log ----------------------------------------------------------------------------------------

log_app = typer.Typer(help="The answers that were given.", invoke_without_command=True, rich_markup_mode=None)


@log_app.callback()
def log(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        list_answers(context)


@log_app.command("list")
def list_answers(
    context: typer.Context,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=10_000, help="No more than these.")
    ] = 20,
    reader: ReaderOption = "public",
    as_json: JsonOption = False,
) -> None:
    """List answers, the newest first. JSON gives each whole, as ``ask --json`` printed it."""
    from pincite.access import as_reader
    from pincite.renderers.text import one_line

    session = session_of(context)
    with session.stored() as pipeline:
        found = pipeline.parts.store.answers(as_reader(reader), limit=limit)
    if as_json:
        for one in found:
            emit(one.body)
        return
    if found:
        rows = [(one.answer_id, one.created_at, one.status, one_line(one.question)[:80]) for one in found]
        emit(table([("id", "time", "status", "question"), *rows]))
    session.note(f"{len(found)} answers for a reader of level {reader}")


@log_app.command("show")
def show_answer(
    context: typer.Context,
    answer_id: Annotated[str, typer.Argument(metavar="ID")],
    reader: ReaderOption = "public",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the answer whole, as `ask --json` did.")
    ] = False,
) -> None:
    """Show an answer as it was given."""
    from pincite.access import as_reader
    from pincite.types import AnswerId

    session = session_of(context)
    with session.stored() as pipeline:
        found = pipeline.parts.store.answer(AnswerId(answer_id), as_reader(reader))
    if found is None:
        raise ConfigError(f"there is no answer {answer_id!r}", hint="`pincite log` lists them")
    if as_json:
        emit(found.body)
    else:
        emit(paint_lines("\n".join(_answer_lines(json.loads(found.body))), on=session.colour))


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
            citation["title"] or citation["doc_id"],
            citation["section"] or "",
            citation["chunk_id"],
            citation["status"],
        ]
        yield f"  [{citation['n']}] " + " · ".join(one_line(part) for part in place if part)
        yield f"      “{one_line(citation['quote'])}”"
    if body["uncovered_aspects"]:
        yield ""
        yield "Not covered:"
        yield from (f"  {one_line(aspect)}" for aspect in body["uncovered_aspects"])
