"""What a model is shown of a document: its label, and its text in which nothing can pass for a part of the prompt."""

from __future__ import annotations

import re

from pincite.text.grammar import LABELS, MAX_MARKER_CHARS, key
from pincite.text.view import chunk_view
from pincite.types import PLACEHOLDER_SECTIONS, Hit, Question

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


def shown_text(hit: Hit) -> str:
    """The passage with its context, as the model sees it."""
    return neutralise(chunk_view(hit.chunk).text)


def label(place: int, hit: Hit) -> str:
    """``[c-3: Returns policy, page 5, § Shoes > Worn shoes, 2024-03-01]``; every part but the id may be missing."""
    return f"[c-{place}: {described(hit)}]"


def described(hit: Hit) -> str:
    """What a label says beside the id: title, page, section and date, in one line that cannot forge another label."""
    parts = [hit.document.title or hit.document.doc_id]
    if hit.chunk.page_index is not None:
        parts.append(f"page {hit.chunk.page_label or hit.chunk.page_index + 1}")
    if hit.chunk.section and hit.chunk.section not in PLACEHOLDER_SECTIONS:
        parts.append("§ " + " > ".join(hit.chunk.section))
    if hit.document.published_date:
        parts.append(hit.document.published_date)
    return neutralise(", ".join(" ".join(part.split()) for part in parts))


def asked(question: Question) -> str:
    """The question behind the earlier turns of its conversation.

    An earlier answer may quote a document: no marker in it may pass for a source of this turn.
    """
    turns = "".join(
        f"Earlier question: {neutralise(turn.question)}\nEarlier answer: {neutralise(turn.answer)}\n\n"
        for turn in question.history
        if turn.question or turn.answer
    )
    return f"{turns}Question: {question.text}"
