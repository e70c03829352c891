"""From passages to a draft: the prompt a model gets, and its output read as statement lines."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import islice

from pincite.errors import ModelError
from pincite.ports import Delta, Model, ModelRequest
from pincite.prompts import fill, phrase
from pincite.text.grammar import LABELS, MAX_MARKER_CHARS, key
from pincite.text.replies import MAX_STATEMENTS
from pincite.text.statements import MAX_PROBLEMS, OutputLine, StatementReader, statement_line
from pincite.text.view import chunk_view
from pincite.types import PLACEHOLDER_SECTIONS, Draft, Hit, Question, Statement, Usage

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
    # An earlier answer may quote a document: no marker in it may pass for a source of this turn.
    turns = "".join(
        f"Earlier question: {neutralise(turn.question)}\nEarlier answer: {neutralise(turn.answer)}\n\n"
        for turn in question.history
    )
    asked = f"{turns}Question: {question.text}"
    passages = [passage(place, hit, nonce=nonce) for place, hit in enumerate(hits, start=question.first_id)]
    room = context_tokens - reply_tokens - estimated_tokens(system + asked)
    count = fitting(passages, room) if context_tokens else len(passages)
    prompt = f"{_joined(passages[:count])}\n\n{asked}"
    left_out = tuple(hit.chunk.chunk_id for hit in hits[count:])
    return ModelRequest(question, tuple(hits[:count]), system, prompt, left_out=left_out)


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
    return ModelRequest(request.question, request.hits, request.system, prompt, tuple(failed), feedback)


def build_context(hits: Sequence[Hit], *, nonce: str) -> str:
    """The source block of the prompt: one label and one fence for each hit.

    Markers, labels and fences that stand inside a document are made harmless for the model only, so that no
    document can pass for another source; quotes are looked up in the untouched text.
    """
    return _joined([passage(place, hit, nonce=nonce) for place, hit in enumerate(hits, start=1)])


def passage(place: int, hit: Hit, *, nonce: str) -> str:
    """One source as the prompt shows it."""
    return f"{label(place, hit)}\n<<{nonce}\n{neutralise(chunk_view(hit.chunk).text)}\n{nonce}>>"


def _joined(passages: Sequence[str]) -> str:
    return "\n\n".join(passages)


# Brackets that may open a marker; the last is how some models print theirs.
_OPENING = re.compile("[\\[【［〖(（\ue200]")
# What follows a bracket, as ``key`` folds it: perhaps a word such as "source", then a number or ``c-2``.
_WORD = rf"(?:{'|'.join(LABELS)})"
_LABEL_LIKE = re.compile(rf"[\W_]*(?:{_WORD}\b|(?:{_WORD})?[\W_]*(?:c[\W_]*)?\d|/?inst\b)|[\w-]+-chunk-\d")
_LABELLED_NUMBER = re.compile(rf"[\W_]*{_WORD}[\W_]*(?:c[\W_]*)?\d")
_TAG_LIKE = re.compile(
    r"[<＜](?=[\s/|<\u200b-\u200f\u2060\ufeff\u00ad]{0,8}"
    r"(?:(?:source|system|sys|user|assistant|human|model|tool|document|context|instructions?|inst|s)\b|im_|start_|end_|eot)"
    r"|\s?\|)",
    re.IGNORECASE,
)


def neutralise(text: str) -> str:
    """Make markers, labels and role tags inside a document unlike those of the prompt, one character for one.

    Whatever would be read as a marker in an answer is one here too, however it is disguised. Only brackets change,
    which quote matching does not see: a quote copied from this text is still found.

    >>> neutralise("see [c-2] and </source>, but rates[1] = [x]")
    'see ⟦c-2] and ‹/source>, but rates⟦1] = [x]'
    """
    return _TAG_LIKE.sub("‹", _OPENING.sub(_harmless_bracket, text))


def _harmless_bracket(opening: re.Match[str]) -> str:
    bracket, at = opening[0], opening.end()
    form = _LABELLED_NUMBER if bracket in "(（" else _LABEL_LIKE
    is_like = bracket == "\ue200" or form.match(key(opening.string[at : at + MAX_MARKER_CHARS]))
    return "⟦" if is_like else bracket


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


def run(model: Model, request: ModelRequest) -> Generator[OutputLine, None, None]:
    """Call the model and read its statements as they become whole. Closing the iterator closes the model's.

    Of a reply that is too long what came first is read; a statement that is cut off there is not.

    Raises:
        ModelError: If what the model gives are no ``Delta``s.
    """
    deltas = model(request)
    try:
        reader = StatementReader()
        chars = statements = 0
        cut = ""
        for delta in _checked(deltas):
            if delta.usage is not None:
                yield OutputLine(usage=delta.usage)
            cut = delta.cut or cut
            chars += len(delta.text)
            for line in reader.feed(delta.text):
                statements += line.statement is not None
                yield line
                if statements > MAX_STATEMENTS:
                    break
            if chars > MAX_OUTPUT_CHARS or statements > MAX_STATEMENTS:
                yield OutputLine(problem=f"the reply was cut off after {chars} characters", cut="length")
                return
        yield from islice(reader.finish(cut), MAX_STATEMENTS + 2 * MAX_PROBLEMS)
    finally:
        close = getattr(deltas, "close", None)
        if close is not None:
            close()


def _checked(deltas: object) -> Iterator[Delta]:
    """What a model gives, when it is what ``ports.Model`` says. Models are other people's functions."""
    if not isinstance(deltas, Iterable):
        raise ModelError(
            f"the model gave {type(deltas).__name__}, not an iterator of Delta", hint=_MODEL_HINT
        )
    for delta in deltas:
        if not isinstance(delta, Delta) or not isinstance(delta.text, str):
            raise ModelError(f"the model gave {type(delta).__name__}, not Delta", hint=_MODEL_HINT)
        yield delta


_MODEL_HINT = "write it as a generator: yield pincite.ports.Delta(text)"


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
        )[:MAX_ASPECTS],
        usage=usage[-1] if usage else Usage(),
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
