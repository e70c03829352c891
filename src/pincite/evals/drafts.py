"""Drafts of golden items out of the log: from what reviewers decided, and from what went wrong. A person completes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from pincite.answer import GOOD
from pincite.audit import WITHHELD, Body
from pincite.evals.values import GoldenItem
from pincite.logbook import NEGATIVE
from pincite.ports.stored import StoredAnswer, StoredFeedback, StoredReview
from pincite.reviewing import part_of
from pincite.types import Turn

INCOMPLETE = "incomplete"
"""Tag of an item of which nobody has decided what a right answer is."""
_TO_COMPLETE = "to be completed: expected_doc_ids and must_include, or must_abstain"

_GOOD = {status.value for status in GOOD}


def item_fields(item: GoldenItem) -> dict[str, Any]:
    """An item as a line of a golden file has it, without what is empty.

    >>> item_fields(GoldenItem("g-1", "Why?", must_include=(("25 MB",),)))
    {'id': 'g-1', 'question': 'Why?', 'must_include': [['25 MB']], 'reader': 'public'}
    """
    fields = {name: _plain(value) for name, value in asdict(item).items()}
    fields["history"] = [{"question": one.question, "answer": one.answer} for one in item.history]
    return {name: value for name, value in fields.items() if value not in (None, "", [], False, {})}


def _plain(value: Any) -> Any:
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


# --- from decisions -----------------------------------------------------------------------------


def from_reviews(
    stored: StoredAnswer, body: Body, reviews: Sequence[StoredReview], history: Sequence[Turn] = ()
) -> GoldenItem | None:
    """What reviewers decided of one answer, as what is expected of it from now on.

    A sentence that is wrong must not be said; a source that is wrong is not expected; a statement that was withheld and is
    right must be said; an answer that is right is the reference, and the statement of one that is wrong must not be said when
    it has only one. What nobody decided is left to be said by a person: such an item has the tag ``incomplete``. Of several decisions on one part the newest holds;
    ``None`` where nothing was decided, or nothing but that it is unclear.

    Args:
        reviews: Of this answer, newest first.
    """
    held = {part_of(one.citation_id, one.sentence_index): one for one in reversed(reviews)}
    clear = {part: one.decision for part, one in held.items() if one.decision != "unclear"}
    if not clear:
        return None
    whole = clear.get("")
    wrong = [_words(body, part) for part, decision in clear.items() if decision == "wrong"]
    right = [
        _words(body, part)
        for part, decision in clear.items()
        if decision == "right" and part.startswith("removed-")
    ]
    bad_sources = {part for part, decision in clear.items() if decision == "wrong"}
    cited = [
        one
        for one in body["citations"]
        if one["doc_id"] and one["id"] not in bad_sources and "tombstone" not in one and whole != "wrong"
    ]
    told = [one["index"] for one in body["sentences"] if one["factual"]]
    if whole == "wrong" and len(told) == 1 and clear.get(f"s-{told[0]}") != "right":
        wrong.append(_words(body, f"s-{told[0]}"))  # of several it is not known which was wrong
    abstains = bool(body["abstained"]) and whole == "right"
    all_right = "wrong" not in clear.values() and not body["abstained"]
    include = [one for one in right if one]
    exclude = [one for one in dict.fromkeys(wrong) if one and one not in include]
    is_incomplete = whole == "wrong" and not include
    return GoldenItem(
        id=f"rv-{stored.answer_id}",
        question=body["question"],
        expected_doc_ids=() if abstains else _unique(one["doc_id"] for one in cited),
        expected_chunk_ids=() if abstains else _unique(one["chunk_id"] for one in cited),
        reference_answer=body["plain"] if all_right and WITHHELD not in body["plain"] else "",
        must_abstain=abstains,
        must_include=tuple((one,) for one in include),
        must_not_include=tuple(exclude),
        language=body.get("language"),
        tags=("review", *((INCOMPLETE,) if is_incomplete else ())),
        note=_note(held.values()) + (f"; {_TO_COMPLETE}" if is_incomplete else ""),
        reader=stored.level,
        history=tuple(history),
    )


def _words(body: Body, part: str) -> str:
    """The text that a decision is about; empty for a citation, whose sentence may be right, and for a whole answer."""
    if part.startswith("s-"):
        found = [one["text"] for one in body["sentences"] if f"s-{one['index']}" == part]
        return found[0] if found and found[0] != WITHHELD else ""
    if part.startswith("removed-"):
        place = int(part.removeprefix("removed-")) - 1
        return str(body["removed"][place]["text"]) if place < len(body["removed"]) else ""
    return ""


def _note(reviews: Iterable[StoredReview]) -> str:
    told = [
        f"{part_of(one.citation_id, one.sentence_index) or 'answer'}: {one.decision}"
        + (f" ({one.note})" if one.note else "")
        + (f", {one.reviewer}" if one.reviewer else "")
        for one in reviews
    ]
    return "; ".join(told)


# --- from misses --------------------------------------------------------------------------------


def from_miss(
    stored: StoredAnswer, body: Body, feedback: Sequence[StoredFeedback], history: Sequence[Turn] = ()
) -> GoldenItem | None:
    """An answer that missed something, as a draft of an item: declined, citations that do not hold, sentences that were
    taken out, or readers who said so. ``None`` for any other answer.

    What is expected is for a person to say: ``note`` tells what went wrong and which documents were near.
    """
    why = misses(body, feedback)
    if not why:
        return None
    cited = [
        one
        for one in body["citations"]
        if one["status"] in _GOOD and "tombstone" not in one and one["doc_id"]
    ]
    reactions = {one.reaction for one in feedback}
    sure = cited if not reactions & {"wrong_source", "wrong_claim"} else []
    near = _unique(one["doc_id"] for one in (*body.get("snippets", ()), *body["citations"]) if one["doc_id"])
    said = [one.note for one in feedback if one.note]
    told = [
        _TO_COMPLETE,
        *([f"reason {body['reason_code']}"] if body.get("reason_code") else []),
        *([f"near: {', '.join(near)}"] if near else []),
        *([f"readers said: {' / '.join(said)}"] if said else []),
    ]
    return GoldenItem(
        id=f"miss-{stored.answer_id}",
        question=body["question"],
        expected_doc_ids=_unique(one["doc_id"] for one in sure),
        language=body.get("language"),
        tags=("miss", *why),
        note="; ".join(told),
        reader=stored.level,
        history=tuple(history),
    )


def misses(body: Body, feedback: Sequence[StoredFeedback] = ()) -> tuple[str, ...]:
    """What an answer missed: ``abstained``, ``unverified``, ``removed`` and the reactions of readers; empty: nothing."""
    found = [
        name
        for name, holds in (
            ("abstained", body["abstained"]),
            ("unverified", body["metrics"].get("unverified")),
            ("removed", body.get("removed")),
        )
        if holds
    ]
    return (*found, *sorted({one.reaction for one in feedback} & NEGATIVE))


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
