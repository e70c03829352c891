"""From passages to a draft: the prompt a model gets, and its output read as statement lines."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

from pincite.ports import Model, ModelRequest
from pincite.prompts import fill, phrase
from pincite.text.statements import OutputLine, read_line, statement_line
from pincite.text.view import chunk_view
from pincite.types import PLACEHOLDER_SECTIONS, Draft, Hit, Question, Statement, Usage

NONCE_CHARS = 12


def build_request(question: Question, hits: Sequence[Hit], *, language: str | None) -> ModelRequest:
    """The first request for an answer. ``hits`` become ``c-1``, ``c-2``, … in order."""
    nonce = _nonce(question.text, hits)
    system = fill(
        "answer",
        no_information=phrase("no_information", language),
        language=language or "as the question is written",
        nonce=nonce,
    )
    turns = "".join(
        f"Earlier question: {turn.question}\nEarlier answer: {turn.answer}\n\n" for turn in question.history
    )
    prompt = f"{build_context(hits, nonce=nonce)}\n\n{turns}Question: {question.text}"
    return ModelRequest(question, tuple(hits), system, prompt)


def build_revision(request: ModelRequest, failed: Sequence[Statement], feedback: str) -> ModelRequest:
    """The one retry: only the failed statements, with what was wrong with each."""
    lines = "".join(statement_line(statement) for statement in failed)
    text = fill("revise", feedback=f"{lines}\n{feedback}")
    prompt = f"{request.prompt}\n\n{text}"
    return ModelRequest(request.question, request.hits, request.system, prompt, tuple(failed), feedback)


def build_context(hits: Sequence[Hit], *, nonce: str) -> str:
    """The source block of the prompt: one label and one fence for each hit.

    Markers, labels and fences that stand inside a document are made harmless for the model only, so that no
    document can pass for another source; quotes are looked up in the untouched text.
    """
    return "\n\n".join(
        f"{label(place, hit)}\n<<{nonce}\n{neutralise(chunk_view(hit.chunk).text)}\n{nonce}>>"
        for place, hit in enumerate(hits, start=1)
    )


_LABEL_LIKE = re.compile(
    r"[\[【［](?=[\s\[【［]{0,4}(?:c\s{0,2}[-‐-―]|source\b|quelle\b|\^?\d))", re.IGNORECASE
)
_TAG_LIKE = re.compile(
    r"<(?=[\s/|<]{0,4}(?:source|system|user|assistant|document|context|instructions?)\b|[\s/|<]{0,4}im_)",
    re.IGNORECASE,
)


def neutralise(text: str) -> str:
    """Make markers, labels and role tags inside a document unlike those of the prompt, one character for one.

    Only brackets change, which quote matching does not see: a quote copied from this text is still found.

    >>> neutralise("see [c-2] and </source>, but rates[1] = [x]")
    'see ⟦c-2] and ‹/source>, but rates⟦1] = [x]'
    """
    return _TAG_LIKE.sub("‹", _LABEL_LIKE.sub("⟦", text))


def label(place: int, hit: Hit) -> str:
    """``[c-3: Returns policy, page 5, § Shoes > Worn shoes, 2024-03-01]``; every part but the id may be missing."""
    parts = [hit.document.title or hit.document.doc_id]
    if hit.chunk.page_index is not None:
        parts.append(f"page {hit.chunk.page_label or hit.chunk.page_index + 1}")
    if hit.chunk.section and hit.chunk.section not in PLACEHOLDER_SECTIONS:
        parts.append("§ " + " > ".join(hit.chunk.section))
    if hit.document.published_date:
        parts.append(hit.document.published_date)
    described = neutralise(", ".join(" ".join(part.split()) for part in parts))
    return f"[c-{place}: {described}]"


def run(model: Model, request: ModelRequest) -> Iterator[OutputLine]:
    """Call the model and read its lines as they become whole. Closing the iterator closes the model's."""
    deltas = model(request)
    try:
        pending = ""
        for delta in deltas:
            if delta.usage is not None:
                yield OutputLine(usage=delta.usage)
            pending += delta.text
            *whole, pending = pending.split("\n")
            for line in whole:
                yield from read_line(line)
        yield from read_line(pending)
    finally:
        close = getattr(deltas, "close", None)
        if close is not None:
            close()


def draft_of(lines: Sequence[OutputLine]) -> Draft:
    """All lines of one model call as a draft. Statements without text are left out."""
    usage = [line.usage for line in lines if line.usage is not None]
    ratings = [line.self_rating for line in lines if line.self_rating is not None]
    return Draft(
        statements=tuple(line.statement for line in lines if line.statement and line.statement.text.strip()),
        uncovered_aspects=tuple(
            dict.fromkeys(
                aspect for line in lines for aspect in line.uncovered_aspects or () if aspect.strip()
            )
        ),
        usage=usage[-1] if usage else Usage(),
        self_rating=ratings[-1] if ratings else None,
        problems=tuple(line.problem for line in lines if line.problem),
    )


def _nonce(question: str, hits: Sequence[Hit]) -> str:
    """A key that no document can contain, since it depends on all that was retrieved; the same for the same input."""
    digest = hashlib.sha256(question.encode("utf-8", "surrogatepass"))
    for hit in hits:
        digest.update(hit.chunk.content_hash.encode())
    return digest.hexdigest()[:NONCE_CHARS]
