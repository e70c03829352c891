"""The canonical JSON of an answer and of a report (schema 1.0). Fields are added, never repurposed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from pincite.answer import Answer, Conflict, Metrics, Report, Snippet
from pincite.findings import Citation, CitationCheck, Difference, Sentence
from pincite.renderers.links import open_url
from pincite.types import Box, Hit, Span

SCHEMA_VERSION = "1.0"


def answer_json(answer: Answer) -> str:
    """``answer_dict`` as one line of JSON."""
    return json.dumps(answer_dict(answer), ensure_ascii=False)


def report_json(report: Report) -> str:
    """``report_dict`` as one line of JSON."""
    return json.dumps(report_dict(report), ensure_ascii=False)


def answer_dict(answer: Answer) -> dict[str, Any]:
    """The answer as ``/chat`` returns it. Offsets of sentences are in ``plain``, of spans in the chunk's text
    (``start``, ``end``) and in the document's (``doc_start``, ``doc_end``), in code points."""
    return {
        "schema_version": SCHEMA_VERSION,
        "offset_unit": "codepoint",
        "id": answer.id,
        "conversation_id": answer.conversation_id,
        "previous_id": answer.previous_id,
        "first_id": answer.first_id,
        "created_at": answer.created_at,
        "question": answer.question,
        "language": answer.language,
        "text": answer.text,
        "answer": answer.answer,
        "plain": answer.plain,
        "citations": [citation_dict(citation) for citation in answer.citations],
        "sentences": [sentence_dict(sentence) for sentence in answer.sentences],
        "uncovered_aspects": list(answer.uncovered_aspects),
        "conflicts": [_conflict(conflict) for conflict in answer.conflicts],
        "answer_status": answer.answer_status.value,
        "confidence_label": answer.confidence_label,
        "confidence": round(answer.confidence, 4),
        "confidence_parts": _rounded(answer.confidence_parts),
        "abstained": answer.abstained,
        "reason": answer.reason,
        "reason_code": None if answer.reason_code is None else answer.reason_code.value,
        "snippets": [snippet_dict(snippet) for snippet in answer.snippets],
        "removed": [{"text": one.text, "reason": one.reason} for one in answer.removed],
        "repairs": [
            {"kind": one.kind, "before": one.before, "after": one.after, "reason": one.reason}
            for one in answer.repairs
        ],
        "notes": list(answer.notes),
        "warnings": list(answer.warnings),
        "metrics": _metrics(answer.metrics),
        "retrieved": [hit_dict(hit) for hit in answer.hits],
        "model": answer.model,
        "prompt_hash": answer.prompt_hash,
        "left_out": list(answer.left_out),
        "timing_ms": dict(answer.timing_ms),
        "usage": {
            "input_tokens": answer.usage.input_tokens,
            "output_tokens": answer.usage.output_tokens,
            "cost": answer.usage.cost,
        },
        "trace_id": answer.trace_id,
        "logged": answer.logged,
    }


def report_dict(report: Report) -> dict[str, Any]:
    """The report, with the same ``sentences`` and ``citations`` parts as an answer."""
    return {
        "schema_version": SCHEMA_VERSION,
        "offset_unit": "codepoint",
        "plain": report.plain,
        "ok": report.ok,
        "answer_status": report.answer_status.value,
        "sentences": [sentence_dict(sentence) for sentence in report.sentences],
        "citations": [citation_dict(citation) for citation in report.citations],
        "conflicts": [_conflict(conflict) for conflict in report.conflicts],
        "format_drift": list(report.format_drift),
        "metrics": _metrics(report.metrics),
    }


def citation_dict(citation: Citation) -> dict[str, Any]:
    """A cited chunk as an answer lists it."""
    document = citation.document
    return {
        "id": citation.id,
        "n": citation.n,
        "doc_id": citation.doc_id,
        "chunk_id": citation.chunk_id,
        "source": citation.source,
        "open_url": open_url(document, citation.page_index, citation.exact) or None,
        "title": document.title,
        "section": " > ".join(citation.section) or None,
        "page": None
        if citation.page_index is None
        else {"index": citation.page_index, "label": citation.page_label},
        "kind": document.kind or None,
        "format": document.format or None,
        "published_date": document.published_date,
        "version": document.version,
        "document_status": document.status,
        "licence": document.licence,
        "document_hash": document.content_hash,
        "language": document.language,
        "score": round(citation.score, 4),
        "score_kind": citation.score_kind,
        "quote": citation.quote,
        "quote_truncated": citation.quote != citation.quote_full,
        "quote_full": citation.quote_full,
        "quote_translation": None,
        "prefix": citation.prefix,
        "suffix": citation.suffix,
        "spans": [
            _span(citation, span, boxes)
            for span, boxes in zip_longest(citation.spans, citation.boxes, fillvalue=())
            if isinstance(span, Span)
        ],
        "status": citation.status.value,
        "quote_match": citation.quote_match.value,
        "match_score": round(citation.match_score, 4),
        "differences": [difference_dict(difference) for difference in citation.differences],
        "occurrences": citation.occurrences,
        "suggested_chunk_id": citation.suggested_chunk_id,
        "stale": citation.stale,
        "address": _address(citation),
        "reason": citation.reason,
    }


def _address(citation: Citation) -> dict[str, Any] | None:
    cell = citation.address
    if cell is None:
        return None
    return {
        "table": cell.table or None,
        "row": cell.row,
        "column": cell.column or None,
        "cell": cell.cell or None,
    }


def _span(citation: Citation, span: Span, boxes: Sequence[Box]) -> dict[str, Any]:
    """``start`` and ``end`` count from the start of the chunk; a context span lies before it and has ``null``."""
    inside = citation.chunk_span.contains(span)
    return {
        "chunk_id": citation.chunk_id,
        "start": span.start - citation.chunk_span.start if inside else None,
        "end": span.end - citation.chunk_span.start if inside else None,
        "doc_start": span.start,
        "doc_end": span.end,
        "boxes": [
            {"page_index": box.page_index, "x0": box.x0, "y0": box.y0, "x1": box.x1, "y1": box.y1}
            for box in boxes
        ],
    }


def sentence_dict(sentence: Sentence) -> dict[str, Any]:
    """A sentence with its verdict; offsets in the answer's ``plain``."""
    verdict = sentence.verdict
    return {
        "index": sentence.index,
        "start": sentence.span.start,
        "end": sentence.span.end,
        "text": sentence.text,
        "factual": sentence.factual,
        "citations": list(sentence.citations),
        "pointers": [
            {
                "id": one.id,
                "at": one.at,
                "known": one.known,
                "quote": one.quote,
                "clause": None if one.clause is None else {"start": one.clause.start, "end": one.clause.end},
            }
            for one in sentence.claim.pointers
        ],
        "support": verdict.support.value,
        "support_score": round(verdict.score, 4),
        "method": verdict.method,
        "reason": verdict.reason,
        "differences": [difference_dict(difference) for difference in verdict.differences],
        "unsupported_words": [{"start": span.start, "end": span.end} for span in verdict.unsupported_words],
        "backed_by": list(verdict.backed_by),
        "checks": [_check(check) for check in verdict.checks],
    }


def _check(check: CitationCheck) -> dict[str, Any]:
    return {
        "citation": check.citation_id,
        "status": check.status.value,
        "support": check.support.value,
        "quote_match": check.quote_match.value,
        "match_score": round(check.match_score, 4),
        "differences": [difference_dict(difference) for difference in check.differences],
        "suggested_chunk_id": check.suggested_chunk_id,
        "necessary": check.necessary,
        "reason": check.reason,
    }


def difference_dict(difference: Difference) -> dict[str, Any]:
    """One fact that is not the same on both sides."""
    return {"kind": difference.kind, "answer": difference.answer, "source": difference.source}


def _conflict(conflict: Conflict) -> dict[str, Any]:
    return {
        "citations": list(conflict.citation_ids),
        "values": list(conflict.values),
        "dates": list(conflict.dates),
        "reason": conflict.reason,
        "superseded": conflict.superseded,
    }


def snippet_dict(snippet: Snippet) -> dict[str, Any]:
    """A passage near the question, of an abstention."""
    return {
        "chunk_id": snippet.chunk_id,
        "doc_id": snippet.document.doc_id,
        "title": snippet.document.title,
        "source": snippet.document.url or snippet.document.title or snippet.document.doc_id,
        "preview": snippet.preview,
        "score": round(snippet.score, 4),
        "why": snippet.why,
    }


def hit_dict(hit: Hit) -> dict[str, Any]:
    """A passage that was read, by its ids, hashes and offsets alone; ``context`` are the spans of its headings and table
    header before it. Offsets are in the text of the document with that hash."""
    return {
        "rank": hit.rank,
        "chunk_id": hit.chunk.chunk_id,
        "doc_id": hit.document.doc_id,
        "score": round(hit.score, 4),
        "access_level": hit.document.access_level,
        "chunk_hash": hit.chunk.content_hash,
        "document_hash": hit.document.content_hash or None,
        "doc_start": hit.chunk.span.start,
        "doc_end": hit.chunk.span.end,
        "context": [{"start": one.start, "end": one.end} for one in hit.chunk.context],
    }


def _metrics(metrics: Metrics) -> dict[str, Any]:
    return {
        "citation_coverage": metrics.citation_coverage,
        "citation_accuracy": metrics.citation_accuracy,
        "verification_rate": metrics.verification_rate,
        "confidence_score": metrics.confidence_score,
        "ids_alone": metrics.ids_alone,
        "retrieval_count": metrics.retrieval_count,
        "verified": metrics.verified,
        "unverified": metrics.unverified,
        "meets_target": metrics.meets_target,
        "grounded": metrics.grounded,
    }


def _rounded(parts: Mapping[str, float | None]) -> dict[str, float | None]:
    return {name: None if part is None else round(part, 4) for name, part in parts.items()}
