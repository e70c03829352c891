"""What is flagged for people, and the golden items that come of their decisions."""

from __future__ import annotations

import json
from typing import Any

from pincite.evals.drafts import from_miss, from_reviews, item_fields
from pincite.evals.golden import parse_item
from pincite.ports.stored import StoredAnswer, StoredFeedback, StoredReview
from pincite.reviewing import flagged, queue
from pincite.stores.memory import MemoryStore
from pincite.types import AnswerId, Document, Reader

WHEN = "2026-01-02T03:04:05Z"


def body(**fields: Any) -> dict[str, Any]:
    """An answer with a good and a partial sentence, two citations, and a statement that was withheld."""
    made: dict[str, Any] = {
        "id": "ans_1",
        "created_at": WHEN,
        "question": "How long are files kept?",
        "plain": "For 30 days. In Oslo.",
        "language": "en",
        "abstained": False,
        "answer_status": "PARTIAL",
        "confidence_label": "MEDIUM",
        "reason": None,
        "reason_code": None,
        "sentences": [
            sentence(0, "For 30 days.", "supported", "c-1"),
            sentence(1, "In Oslo.", "partial", "c-2"),
        ],
        "citations": [
            citation("c-1", "limits", "verified"),
            citation("c-2", "places", "misattributed"),
        ],
        "removed": [{"text": "Then they are sold.", "reason": "contradicted"}],
        "metrics": {"unverified": 1},
        "retrieved": [],
        "snippets": [],
    }
    return {**made, **fields}


def sentence(index: int, text: str, support: str, *cited: str) -> dict[str, Any]:
    return {
        "index": index,
        "text": text,
        "factual": True,
        "support": support,
        "citations": list(cited),
        "reason": "why",
    }


def citation(name: str, doc_id: str, status: str) -> dict[str, Any]:
    return {
        "id": name,
        "doc_id": doc_id,
        "chunk_id": f"{doc_id}-chunk-0",
        "title": doc_id,
        "quote": "q",
        "status": status,
        "reason": "why",
    }


def stored(told: dict[str, Any], level: str = "public", answer_id: str = "ans_1") -> StoredAnswer:
    return StoredAnswer(
        AnswerId(answer_id), WHEN, level, told["question"], told["answer_status"], json.dumps(told)
    )


def review(
    decision: str, part: str = "", *, sentence_index: int | None = None, name: str = "r"
) -> StoredReview:
    return StoredReview(
        name, AnswerId("ans_1"), WHEN, "public", decision, "Ann", part or None, sentence_index, "n"
    )


def said(reaction: str, part: str | None = None) -> StoredFeedback:
    return StoredFeedback("fb", AnswerId("ans_1"), WHEN, "public", reaction, part)


def test_each_part_is_flagged_once_with_all_its_reasons_the_worst_first() -> None:
    told = body(confidence_label="LOW")
    found = flagged(stored(told), told, [said("wrong_claim", "c-2"), said("helpful")])
    assert [(one.id, one.reasons) for one in found] == [
        ("ans_1.s-1", ("partial",)),
        ("ans_1.c-2", ("wrong_claim", "misattributed")),
        ("ans_1.removed-1", ("withheld",)),
        ("ans_1", ("low_confidence",)),
    ]
    assert [one.text for one in found] == ["In Oslo.", "In Oslo.", "Then they are sold.", told["plain"]]


def test_nothing_is_flagged_where_all_holds() -> None:
    told = body(
        sentences=[sentence(0, "For 30 days.", "supported", "c-1")],
        citations=[citation("c-1", "limits", "verified")],
        removed=[],
    )
    assert flagged(stored(told), told) == ()


def test_the_queue_has_the_worst_first_and_leaves_out_what_was_decided() -> None:
    store = MemoryStore()
    for doc_id in ("limits", "places"):
        store.put(Document(doc_id, "x", access_level="public"), [], added_at=WHEN)
    store.save_answer(stored(body()))
    store.save_answer(stored(body(id="ans_2"), "internal", "ans_2"))
    assert [one.id for one in queue(store, Reader())] == ["ans_1.removed-1", "ans_1.c-2", "ans_1.s-1"]
    store.save_review(review("right", "c-2"))
    assert [one.id for one in queue(store, Reader())] == ["ans_1.removed-1", "ans_1.s-1"]
    assert [one.id for one in queue(store, Reader(), decided=True)] == ["ans_1.c-2"]
    assert len(queue(store, Reader(), decided=None, limit=2)) == 2


def test_decisions_say_what_is_expected_from_now_on() -> None:
    told = body()
    reviews = [
        review("right", "removed-1", name="r1"),
        review("wrong", sentence_index=1, name="r2"),
        review("wrong", "c-2", name="r3"),
        review("unclear", sentence_index=0, name="r4"),
    ]
    item = from_reviews(stored(told), told, reviews)
    assert item is not None
    assert item.expected_doc_ids == ("limits",)
    assert item.expected_chunk_ids == ("limits-chunk-0",)
    assert item.must_include == (("Then they are sold.",),)
    assert item.must_not_include == ("In Oslo.",)
    assert item.reference_answer == ""
    assert "s-0: unclear (n), Ann" in item.note
    assert parse_item(json.dumps(item_fields(item))) == item


def test_the_newest_decision_on_a_part_holds() -> None:
    told = body()
    item = from_reviews(stored(told), told, [review("right", name="new"), review("wrong", name="old")])
    assert item is not None
    assert item.reference_answer == told["plain"]
    assert from_reviews(stored(told), told, [review("unclear")]) is None
    assert from_reviews(stored(told), told, []) is None


def test_of_a_wrong_answer_its_only_statement_must_not_be_said_and_the_rest_is_for_a_person() -> None:
    alone = body(sentences=[sentence(0, "For 30 days.", "supported", "c-1")], removed=[])
    one = from_reviews(stored(alone), alone, [review("wrong")])
    assert one is not None
    assert (one.must_not_include, one.expected_doc_ids) == (("For 30 days.",), ())
    assert "incomplete" in one.tags
    assert "to be completed: expected_doc_ids and must_include, or must_abstain" in one.note
    told = body()  # several statements: which of them is wrong was not said
    several = from_reviews(stored(told), told, [review("wrong")])
    assert several is not None
    assert several.must_not_include == ()


def test_what_was_rightly_declined_must_be_declined_and_what_was_not_must_not() -> None:
    told = body(abstained=True, sentences=[], citations=[], removed=[], plain="I do not know.")
    right = from_reviews(stored(told), told, [review("right")])
    wrong = from_reviews(stored(told), told, [review("wrong")])
    assert right is not None
    assert wrong is not None
    assert (right.must_abstain, right.reference_answer) == (True, "")
    assert (wrong.must_abstain, "incomplete" in wrong.tags) == (False, True)


def test_a_miss_is_a_draft_that_says_what_went_wrong() -> None:
    told = body()
    item = from_miss(stored(told, "internal"), told, [said("incomplete")])
    assert item is not None
    assert item.tags == ("miss", "unverified", "removed", "incomplete")
    assert (item.reader, item.expected_doc_ids) == ("internal", ("limits",))
    assert parse_item(json.dumps(item_fields(item))) == item
    fine = body(removed=[], metrics={"unverified": 0})
    assert from_miss(stored(fine), fine, []) is None
