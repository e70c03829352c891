"""What people should look at: parts of answers that were flagged, and what was decided of them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pincite.answer import GOOD
from pincite.audit import Body
from pincite.errors import ConfigError, StoreError
from pincite.findings import Support
from pincite.logbook import NEGATIVE, find
from pincite.ports.stored import StoredAnswer, StoredFeedback, StoredReview
from pincite.ports.stores import Store
from pincite.types import AnswerId, Reader
from pincite.upkeep import Today, reading

log = logging.getLogger(__name__)

DECISIONS = ("right", "wrong", "unclear")

MOST_LOOKED_AT = 10_000
"""Newest answers that are looked through."""

REASONS = (
    "contradicted", "unsupported", "withheld", "wrong_claim", "wrong_source", "misattributed", "invalid", "unverified",
    "partial", "incomplete", "not_checkable", "low_confidence",
)  # fmt: skip
"""Why something is in the queue, the worst first."""

_SUPPORTS = {Support.CONTRADICTED.value, Support.UNSUPPORTED.value, Support.PARTIAL.value}


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """An answer or a part of one. ``id`` is that of the answer, with ``.s-3`` (sentence), ``.c-2`` (citation) or
    ``.removed-1`` (statement that was withheld) for a part; ``citation_id`` is ``removed-1`` for the latter. ``text`` is
    the sentence or the whole answer, ``quote`` what the source says. ``decisions`` are the newest first."""

    id: str
    answer_id: str
    created_at: str
    level: str
    question: str
    reasons: tuple[str, ...]
    text: str
    quote: str = ""
    source: str = ""
    why: str = ""
    citation_id: str | None = None
    sentence_index: int | None = None
    decisions: tuple[StoredReview, ...] = ()

    @property
    def decided(self) -> bool:
        """Whether somebody decided."""
        return bool(self.decisions)


def queue(
    store: Store, reader: Reader, *, decided: bool | None = False, since: str = "", limit: int = 100
) -> tuple[ReviewItem, ...]:
    """What was flagged, the worst first, and of equal the newest first.

    Args:
        reader: Sees only answers at their level, and nothing of documents above it.
        decided: Only what was decided, or only what was not; ``None``: all.
    """
    feedback, reviews = _by_answer(store, reader)
    found: list[ReviewItem] = []
    for stored, body in find(store, reader, since=since, limit=MOST_LOOKED_AT):
        said, judged = feedback.get(stored.answer_id, ()), reviews.get(stored.answer_id, ())
        try:
            with reading(stored):
                items = flagged(stored, body, said, judged)
        except StoreError as error:
            log.error("left out: %s", error.message)
            continue
        found += [item for item in items if decided is None or item.decided == decided]
    return tuple(sorted(found, key=lambda item: REASONS.index(item.reasons[0]))[:limit])


def _by_answer(
    store: Store, reader: Reader
) -> tuple[dict[str, list[StoredFeedback]], dict[str, list[StoredReview]]]:
    feedback: dict[str, list[StoredFeedback]] = {}
    for given in store.feedback(reader, limit=10 * MOST_LOOKED_AT):
        feedback.setdefault(given.answer_id, []).append(given)
    reviews: dict[str, list[StoredReview]] = {}
    for review in store.reviews(reader, limit=10 * MOST_LOOKED_AT):
        reviews.setdefault(review.answer_id, []).append(review)
    return feedback, reviews


def flagged(
    stored: StoredAnswer,
    body: Body,
    feedback: Sequence[StoredFeedback] = (),
    reviews: Sequence[StoredReview] = (),
) -> tuple[ReviewItem, ...]:
    """The parts of one answer that somebody should look at, each once with all reasons, in the order of the answer."""
    reasons: dict[str, list[str]] = {}
    for part, reason in (*_own_reasons(body), *_readers_reasons(feedback)):
        reasons.setdefault(part, []).append(reason)
    items = []
    for part, found in reasons.items():
        made = item_of(stored, body, part, reviews)
        if made is not None:
            ordered = sorted(dict.fromkeys(found), key=REASONS.index)
            items.append(replace(made, reasons=tuple(ordered)))
    return tuple(items)


def _own_reasons(body: Body) -> Iterator[tuple[str, str]]:
    for sentence in body["sentences"]:
        if sentence["factual"] and sentence["support"] in _SUPPORTS:
            yield f"s-{sentence['index']}", sentence["support"]
    good = {status.value for status in GOOD}
    for citation in body["citations"]:
        if citation["status"] not in good:
            yield citation["id"], citation["status"] if citation["status"] in REASONS else "unverified"
    for place, _ in enumerate(body.get("removed", ()), start=1):
        yield f"removed-{place}", "withheld"
    if body.get("confidence_label") == "LOW" and not body["abstained"]:
        yield "", "low_confidence"


def _readers_reasons(feedback: Iterable[StoredFeedback]) -> Iterator[tuple[str, str]]:
    for given in feedback:
        if given.reaction in NEGATIVE:
            yield part_of(given.citation_id, given.sentence_index), given.reaction


def part_of(citation_id: str | None, sentence_index: int | None) -> str:
    """The part of an answer, as it stands in the id of an item.

    >>> part_of("c-2", 1), part_of(None, 1), part_of(None, None)
    ('c-2', 's-1', '')
    """
    return citation_id or ("" if sentence_index is None else f"s-{sentence_index}")


def item_of(
    stored: StoredAnswer, body: Body, part: str, reviews: Sequence[StoredReview] = ()
) -> ReviewItem | None:
    """One part of an answer as an item without reasons; ``None`` when the answer has no such part."""
    told = _told(body, part)
    if told is None:
        return None
    text, quote, source, why = told
    index = int(part[2:]) if part.startswith("s-") else None
    return ReviewItem(
        id=f"{stored.answer_id}.{part}" if part else stored.answer_id,
        answer_id=stored.answer_id,
        created_at=stored.created_at,
        level=stored.level,
        question=body["question"],
        reasons=(),
        text=text,
        quote=quote,
        source=source,
        why=why,
        citation_id=part if part and index is None else None,
        sentence_index=index,
        decisions=tuple(one for one in reviews if part_of(one.citation_id, one.sentence_index) == part),
    )


def _told(body: Body, part: str) -> tuple[str, str, str, str] | None:
    """Sentence, quote, source and the checks' reason of a part."""
    if not part:
        return body["plain"], "", "", body.get("reason") or ""
    if part.startswith("s-"):
        for sentence in body["sentences"]:
            if f"s-{sentence['index']}" == part:
                cited = [one for one in body["citations"] if one["id"] in sentence["citations"]]
                quotes = " … ".join(one["quote"] for one in cited if one["quote"])
                sources = ", ".join(dict.fromkeys(one["title"] or one["doc_id"] or "" for one in cited))
                return sentence["text"], quotes, sources, sentence["reason"]
        return None
    if part.startswith("removed-"):
        place = part.removeprefix("removed-")
        removed = body.get("removed", ())
        if place.isdecimal() and place.isascii() and len(place) < 6 and 1 <= int(place) <= len(removed):
            one = removed[int(place) - 1]
            return one["text"], "", "", one["reason"]
        return None
    for citation in body["citations"]:
        if citation["id"] == part:
            using = [one["text"] for one in body["sentences"] if part in one["citations"]]
            named = citation["title"] or citation["doc_id"] or ""
            return " ".join(using), citation["quote"], named, citation["reason"]
    return None


def look_up(store: Store, reader: Reader, item_id: str) -> ReviewItem | None:
    """The item of that id, whether it was flagged or not; ``None`` when this reader sees no such answer or part."""
    answer_id, _, part = item_id.partition(".")
    stored = store.answer(AnswerId(answer_id), reader)
    if stored is None:
        return None
    body = Today(store, reader).visible(stored)
    feedback = store.feedback(reader, answer_id=AnswerId(answer_id), limit=MOST_LOOKED_AT)
    reviews = store.reviews(reader, answer_id=AnswerId(answer_id), limit=MOST_LOOKED_AT)
    for item in flagged(stored, body, feedback, reviews):
        if item.id == item_id:
            return item
    return item_of(stored, body, part, reviews)


def decide(
    store: Store,
    reader: Reader,
    item: ReviewItem,
    decision: str,
    *,
    reviewer: str,
    note: str = "",
    at: str,
    review_id: str,
) -> StoredReview:
    """Log what a reviewer decided. An earlier decision stays; the newest holds.

    Raises:
        ConfigError: There is no such decision.
    """
    if decision not in DECISIONS:
        raise ConfigError(f"unknown decision {decision!r}", hint=f"choose from {', '.join(DECISIONS)}")
    review = StoredReview(
        review_id=review_id,
        answer_id=AnswerId(item.answer_id),
        decided_at=at,
        level=reader.level.value,
        decision=decision,
        reviewer=reviewer,
        citation_id=item.citation_id,
        sentence_index=item.sentence_index,
        note=note,
    )
    store.save_review(review)
    return review
