"""From passages to a draft: the prompt a model gets, and its output read as statement lines."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice

from pincite.deltas import deltas
from pincite.ports import Model, ModelRequest
from pincite.prompts import fill, phrase
from pincite.text.replies import MAX_STATEMENTS
from pincite.text.shown import asked, label, shown_text
from pincite.text.statements import MAX_PROBLEMS, OutputLine, StatementReader, statement_line
from pincite.types import Draft, Hit, Question, Statement, Usage

NONCE_CHARS = 12

MAX_OUTPUT_CHARS = 100_000
"""What is read of one reply: some forty pages. A model that goes on, or never ends, is cut off there."""

MAX_ASPECTS = 20


def build_request(
    question: Question,
    hits: Sequence[Hit],
    *,
    language: str | None,
    context_tokens: int = 0,
    reply_tokens: int = 0,
) -> ModelRequest:
    """The first request for an answer. ``hits`` become ``c-1``, ``c-2``, … in order, counted on from earlier turns.

    Args:
        question: With its earlier turns.
        hits: Best first.
        language: Of the answer's fixed sentences; ``None`` leaves it to the model.
        context_tokens: What the model can read and write in one call; 0 when nobody knows. The last hits are left out
            (``ModelRequest.left_out``) until the rest fits; the first always stays.
        reply_tokens: The part of ``context_tokens`` that is kept free for the reply.
    """
    nonce = _nonce(question.text, hits)
    system = fill(
        "answer",
        no_information=phrase("no_information", language),
        partial=phrase("partial", language),
        language=language or "as the question is written",
        nonce=nonce,
    )
    shown_question = asked(question)
    passages = [passage(place, hit, nonce=nonce) for place, hit in enumerate(hits, start=question.first_id)]
    room = context_tokens - reply_tokens - estimated_tokens(system + shown_question)
    count = fitting(passages, room) if context_tokens else len(passages)
    prompt = f"{_joined(passages[:count])}\n\n{shown_question}"
    left_out = tuple(hit.chunk.chunk_id for hit in hits[count:])
    return ModelRequest(question, tuple(hits[:count]), system, prompt, language=language, left_out=left_out)


def estimated_tokens(text: str) -> int:
    """How many tokens a text has at most, for tokenizers that nobody has at hand: a third of its bytes.

    English has about a quarter, other scripts up to a third.

    >>> estimated_tokens("Ice melts at 0 °C.")
    7
    """
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


def fitting(passages: Sequence[str], tokens: int) -> int:
    """How many of the first passages fit into ``tokens``; at least one, if there are any."""
    used = 0
    for count, one in enumerate(passages):
        used += estimated_tokens(one) + 1
        if used > tokens:
            return max(count, 1)
    return len(passages)


def build_revision(request: ModelRequest, failed: Sequence[Statement], feedback: str) -> ModelRequest:
    """The one retry: only the failed statements, with what was wrong with each."""
    lines = "".join(statement_line(statement) for statement in failed)
    text = fill("revise", feedback=f"{lines}\n{feedback}")
    prompt = f"{request.prompt}\n\n{text}"
    return replace(request, prompt=prompt, failed=tuple(failed), feedback=feedback)


def build_context(hits: Sequence[Hit], *, nonce: str) -> str:
    """The source block of the prompt: one label and one fence for each hit.

    Markers, labels and fences that stand inside a document are made harmless for the model only, so that no
    document can pass for another source; quotes are looked up in the untouched text.
    """
    return _joined([passage(place, hit, nonce=nonce) for place, hit in enumerate(hits, start=1)])


def passage(place: int, hit: Hit, *, nonce: str) -> str:
    """One source as the prompt shows it."""
    return f"{label(place, hit)}\n<<{nonce}\n{shown_text(hit)}\n{nonce}>>"


def _joined(passages: Sequence[str]) -> str:
    return "\n\n".join(passages)


def run(model: Model, request: ModelRequest) -> Generator[OutputLine, None, None]:
    """Call the model and read its statements as they become whole. Closing the iterator closes the model's.

    Of a reply that is too long what came first is read; a statement that is cut off there is not.

    Raises:
        ModelError: If the model fails, or what it gives are no ``Delta``s.
    """
    with closing(deltas(model, request)) as given:
        reader = StatementReader()
        usage = None
        chars = statements = 0
        cut = ""
        for delta in given:
            usage = delta.usage or usage
            cut = delta.cut or cut
            chars += len(delta.text) or 1  # a model may go on for ever and say nothing
            for line in reader.feed(delta.text):
                statements += line.statement is not None
                yield line
                if statements > MAX_STATEMENTS:
                    break
            if chars > MAX_OUTPUT_CHARS or statements > MAX_STATEMENTS:
                yield OutputLine(problem=f"the reply was cut off after {chars} characters", cut="length")
                break
        else:
            yield from islice(reader.finish(cut), MAX_STATEMENTS + 2 * MAX_PROBLEMS)
        if usage is not None:
            yield OutputLine(usage=usage)


def draft_of(lines: Sequence[OutputLine]) -> Draft:
    """All lines as a draft: those of one model call, and the usage of others. Statements without text are left out."""
    ratings = [line.self_rating for line in lines if line.self_rating is not None]
    return Draft(
        statements=tuple(line.statement for line in lines if line.statement and line.statement.text.strip()),
        uncovered_aspects=tuple(
            dict.fromkeys(
                aspect for line in lines for aspect in line.uncovered_aspects or () if aspect.strip()
            )
        )[:MAX_ASPECTS],
        usage=sum((line.usage for line in lines if line.usage is not None), Usage()),
        self_rating=ratings[-1] if ratings else None,
        problems=tuple(line.problem for line in lines if line.problem),
        cut=next((line.cut for line in reversed(lines) if line.cut), ""),
    )


def _nonce(question: str, hits: Sequence[Hit]) -> str:
    """A key that no document can contain, since it depends on all that was retrieved; the same for the same input."""
    digest = hashlib.sha256(question.encode("utf-8", "surrogatepass"))
    for hit in hits:
        digest.update(hit.chunk.content_hash.encode())
    return digest.hexdigest()[:NONCE_CHARS]
