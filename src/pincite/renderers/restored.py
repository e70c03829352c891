"""An answer again from its canonical JSON, so that a kept answer can be printed in any form later.

The inverse of ``json.answer_dict``: what stands there comes back as it was. What does not stand there (the texts of
passages that were read) is given beside it, as the reader may see them today.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pincite.answer import Answer, Conflict, Metrics, Removed, Repair, Snippet
from pincite.findings import (
    AnswerStatus,
    Citation,
    CitationCheck,
    CitationStatus,
    Claim,
    Difference,
    Pointer,
    QuoteMatchKind,
    ReasonCode,
    Sentence,
    Support,
    TableCell,
    Verdict,
)
from pincite.types import AnswerId, Box, Chunk, ChunkId, DocId, DocumentInfo, Hit, Span, Usage

Body = Mapping[str, Any]
Passages = Mapping[str, tuple[Chunk, DocumentInfo]]
"""By chunk id. A passage that is gone or changed, or hidden from the reader, is left out."""


def restored(body: Body, passages: Passages) -> Answer:
    """The answer whose canonical JSON is ``body``.

    Args:
        body: As ``answer_dict`` gave it, or as ``Pipeline.kept_answer`` shows it today.
        passages: Texts of what was read and cited. Where one is missing, its text is empty.

    >>> restored(
    ...     {
    ...         "id": "ans_1",
    ...         "created_at": "",
    ...         "question": "Why?",
    ...         "plain": "I do not know.",
    ...         "sentences": [],
    ...         "citations": [],
    ...         "metrics": {},
    ...         "answer_status": "ABSTAINED",
    ...     },
    ...     {},
    ... ).abstained
    True
    """
    return Answer(
        id=AnswerId(body["id"]),
        created_at=body["created_at"],
        question=body["question"],
        plain=body["plain"],
        sentences=tuple(_sentence(one) for one in body["sentences"]),
        citations=tuple(_citation(one, passages) for one in body["citations"]),
        metrics=_metrics(body["metrics"]),
        answer_status=AnswerStatus(body["answer_status"]),
        confidence=body.get("confidence", 0.0),
        confidence_label=body.get("confidence_label", "LOW"),
        confidence_parts=dict(body.get("confidence_parts", {})),
        language=body.get("language"),
        hits=tuple(_hit(one, passages) for one in body.get("retrieved", ())),
        uncovered_aspects=tuple(body.get("uncovered_aspects", ())),
        conflicts=tuple(_conflict(one) for one in body.get("conflicts", ())),
        reason=body.get("reason"),
        reason_code=ReasonCode(body["reason_code"]) if body.get("reason_code") else None,
        snippets=tuple(_snippet(one, passages) for one in body.get("snippets", ())),
        removed=tuple(Removed(one["text"], one["reason"]) for one in body.get("removed", ())),
        repairs=tuple(
            Repair(place, one["kind"], one["before"], one["after"], one["reason"])
            for place, one in enumerate(body.get("repairs", ()))
        ),
        notes=tuple(body.get("notes", ())),
        warnings=tuple(body.get("warnings", ())),
        timing_ms=dict(body.get("timing_ms", {})),
        usage=Usage(**body.get("usage", {})),
        model=body.get("model", ""),
        prompt_hash=body.get("prompt_hash", ""),
        left_out=tuple(body.get("left_out", ())),
        conversation_id=body.get("conversation_id"),
        previous_id=body.get("previous_id"),
        first_id=body.get("first_id", 1),
        trace_id=body.get("trace_id"),
        logged=body.get("logged"),
    )


def _metrics(told: Body) -> Metrics:
    shares = (
        "citation_coverage",
        "citation_accuracy",
        "verification_rate",
        "confidence_score",
        "ids_alone",
    )
    return Metrics(
        **{name: told.get(name) for name in shares},
        retrieval_count=told.get("retrieval_count", 0),
        verified=told.get("verified", 0),
        unverified=told.get("unverified", 0),
        meets_target=told.get("meets_target", False),
        grounded=told.get("grounded", False),
    )


# --- sentences ----------------------------------------------------------------------------------


def _sentence(told: Body) -> Sentence:
    claim = Claim(
        index=told["index"],
        span=Span(told["start"], told["end"]),
        text=told["text"],
        factual=told["factual"],
        pointers=tuple(
            Pointer(
                one["id"], one["at"], one.get("quote"), one.get("known", True), _clause(one.get("clause"))
            )
            for one in told.get("pointers", ())
        ),
    )
    verdict = Verdict(
        support=Support(told["support"]),
        score=told["support_score"],
        reason=told["reason"],
        method=told["method"],
        checks=tuple(_check(one) for one in told.get("checks", ())),
        differences=_differences(told),
        unsupported_words=tuple(Span(one["start"], one["end"]) for one in told.get("unsupported_words", ())),
        backed_by=tuple(told.get("backed_by", ())),
    )
    return Sentence(claim, verdict)


def _clause(told: Body | None) -> Span | None:
    return None if told is None else Span(told["start"], told["end"])


def _check(told: Body) -> CitationCheck:
    return CitationCheck(
        citation_id=told["citation"],
        status=CitationStatus(told["status"]),
        quote_match=QuoteMatchKind(told["quote_match"]),
        match_score=told["match_score"],
        support=Support(told["support"]),
        differences=_differences(told),
        suggested_chunk_id=told.get("suggested_chunk_id"),
        necessary=told.get("necessary"),
        reason=told.get("reason", ""),
    )


def _differences(told: Body) -> tuple[Difference, ...]:
    return tuple(Difference(one["kind"], one["answer"], one["source"]) for one in told.get("differences", ()))


# --- citations and passages ---------------------------------------------------------------------


def _citation(told: Body, passages: Passages) -> Citation:
    page = told.get("page")
    return Citation(
        id=told["id"],
        n=told["n"],
        chunk_id=ChunkId(told["chunk_id"] or ""),
        document=_document(told),
        spans=tuple(Span(one["doc_start"], one["doc_end"]) for one in told["spans"]),
        exact=told["quote_full"],
        prefix=told.get("prefix", ""),
        suffix=told.get("suffix", ""),
        section=_path(told.get("section")),
        page_index=None if page is None else page["index"],
        page_label=None if page is None else page["label"],
        chunk_span=_chunk_span(told, passages),
        score=told["score"],
        score_kind=told["score_kind"],
        status=CitationStatus(told["status"]),
        quote_match=QuoteMatchKind(told["quote_match"]),
        match_score=told["match_score"],
        differences=_differences(told),
        occurrences=told.get("occurrences", 1),
        suggested_chunk_id=told.get("suggested_chunk_id"),
        reason=told.get("reason", ""),
        address=_address(told.get("address")),
        boxes=_boxes(told["spans"]),
    )


def _address(told: Body | None) -> TableCell | None:
    if told is None:
        return None
    return TableCell(told["table"] or "", told["row"], told["column"] or "", told.get("cell") or "")


def _document(told: Body) -> DocumentInfo:
    """What was known of the document when it was cited."""
    named = {told.get("title"), told.get("doc_id")}
    return DocumentInfo(
        doc_id=DocId(told["doc_id"] or ""),
        title=told.get("title") or "",
        # ``source`` is the address where there is one, and a name otherwise.
        url="" if told.get("source") in named else told.get("source") or "",
        kind=told.get("kind") or "",
        format=told.get("format") or "",
        published_date=told.get("published_date"),
        version=told.get("version"),
        language=told.get("language"),
        status=told.get("document_status", "current"),
        licence=told.get("licence"),
        content_hash=told.get("document_hash") or "",
    )


def _chunk_span(told: Body, passages: Passages) -> Span:
    """Where the passage stood. Its start is known from any place inside it, its end only from the passage itself."""
    inside = [one for one in told["spans"] if one["start"] is not None]
    if not inside:
        known = passages.get(told["chunk_id"] or "")
        return known[0].span if known else Span(0, 0)
    start = inside[0]["doc_start"] - inside[0]["start"]
    known = passages.get(told["chunk_id"] or "")
    length = len(known[0].text) if known else 0
    return Span(start, max(start + length, *(one["doc_end"] for one in inside)))


def _boxes(spans: Any) -> tuple[tuple[Box, ...], ...]:
    found = tuple(
        tuple(Box(one["page_index"], one["x0"], one["y0"], one["x1"], one["y1"]) for one in span["boxes"])
        for span in spans
    )
    return found if any(found) else ()


def _hit(told: Body, passages: Passages) -> Hit:
    chunk_id, doc_id = ChunkId(told["chunk_id"] or ""), DocId(told["doc_id"] or "")
    known = passages.get(chunk_id)
    if known is not None and known[0].content_hash == told["chunk_hash"]:
        chunk, document = known
    else:
        chunk = Chunk(chunk_id, doc_id, 0, Span(0, 0), "")
        document = DocumentInfo(doc_id, access_level=told["access_level"])
    return Hit(told["rank"], chunk, document, told["score"])


def _snippet(told: Body, passages: Passages) -> Snippet:
    return Snippet(
        told["chunk_id"] or "", _document(told), told["preview"], told["score"], told.get("why", "")
    )


def _conflict(told: Body) -> Conflict:
    return Conflict(
        tuple(told["citations"]),
        tuple(told["values"]),
        tuple(told["dates"]),
        told["reason"],
        told.get("superseded"),
    )


def _path(section: str | None) -> tuple[str, ...]:
    return tuple(section.split(" > ")) if section else ()
