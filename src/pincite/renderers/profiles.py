"""An answer in the shapes of the five sources: the same citations, in their markers, field names and ways to count.

The sources count differently, and nothing is harmonised: 002 counts printed markers, 000 pairs of sentence and id, 001
distinct ids. Each function is pure; what the reader may not see is in no answer, so in no profile either.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from pincite.answer import Answer
from pincite.findings import Citation, CitationCheck, CitationStatus, Sentence
from pincite.renderers.html_002 import cited_html
from pincite.renderers.tallies import TARGET_ACCURACY, is_grounded, marker_share, pair_shares
from pincite.text.printing import MarkerStyle, print_markers
from pincite.types import Hit, Span, shorten

PREVIEW_CHARS = 200
"""Of a source in a list (source 002)."""

_VALID = frozenset({CitationStatus.VERIFIED, CitationStatus.PARAPHRASED})


def profile_json(name: str) -> Callable[[Answer], str]:
    """A renderer for that profile: one line of JSON."""
    return lambda answer: json.dumps(PROFILES[name](answer), ensure_ascii=False)


# --- source 003 ---------------------------------------------------------------------------------


def grounded_003(answer: Answer, *, group_by: str = "chunk") -> dict[str, Any]:
    """``text`` with ``[n]``, where ``[n]`` is ``citations[n - 1]``: a cited chunk, or with ``group_by="document"`` all
    cited chunks of a document. ``id`` is the document's; offsets of spans are in the chunk's text."""
    if group_by not in ("chunk", "document"):
        raise ValueError(f"group_by must be chunk or document, got {group_by!r}")
    groups: dict[str, list[Citation]] = {}
    for citation in answer.citations:
        groups.setdefault(citation.doc_id if group_by == "document" else citation.id, []).append(citation)
    numbers = {one.id: str(n) for n, group in enumerate(groups.values(), start=1) for one in group}
    chunks = _chunks(answer)
    return {
        "text": _printed(answer, numbers, "n"),
        "citations": [
            {
                "id": group[0].doc_id,
                "source": group[0].source,
                "score": round(max(one.score for one in group), 4),
                "spans": [span for one in group for span in _spans(one, chunks)],
            }
            for group in groups.values()
        ],
        "confidence": round(answer.confidence, 4),
        "abstained": answer.abstained,
        "reason": answer.reason,
    }


def _spans(citation: Citation, chunks: Mapping[str, str]) -> list[dict[str, Any]]:
    """The cited places inside the chunk; the whole chunk where only its context (a heading, a header row) is cited."""
    inside = [span for span in citation.spans if citation.chunk_span.contains(span)] or [citation.chunk_span]
    text = chunks.get(citation.chunk_id, "")
    found = []
    for span in inside:
        local = (
            span.shift(-citation.chunk_span.start) if span.start >= citation.chunk_span.start else Span(0, 0)
        )
        words = local.of(text) or citation.exact
        found.append(
            {
                "chunk_id": citation.chunk_id,
                "start": local.start,
                "end": local.end,
                "preview": shorten(words, PREVIEW_CHARS),
            }
        )
    return found


# --- source 004 ---------------------------------------------------------------------------------


def quoted_004(answer: Answer) -> dict[str, Any]:
    """``answer`` with ``[c-N]``, a quote of less than 280 characters for each id, and what is not covered."""
    return {
        "answer": answer.answer,
        "citations": [
            {"id": one.id, "quote": one.quote, "chunk_id": one.chunk_id} for one in answer.citations
        ],
        "uncovered_aspects": list(answer.uncovered_aspects),
    }


# --- source 000 ---------------------------------------------------------------------------------


def numbered_000(answer: Answer) -> dict[str, Any]:
    """``answer`` with ``[N]``, the number in ``c-N``; its sentences with their ids, and a verdict for each pair."""
    labels = {_prompt_id(place): str(place) for place in _places(answer)}
    text = _printed(answer, labels, "n")
    cited = [[_number(one) for one in _ids(sentence)] for sentence in answer.sentences]
    results = [
        {
            "sentence": sentence.text,
            "citation_id": _number(check.citation_id),
            "valid": check.status in _VALID,
            "reason": check.reason or sentence.reason,
        }
        for sentence in answer.sentences
        for check in _one_a_pair(sentence)
    ]
    shares = pair_shares([bool(one["valid"]) for one in results], [bool(ids) for ids in cited])
    return {
        "answer": text,
        "parsed": {
            "full_response": text,
            "sentence_citations": [
                {"sentence": sentence.text, "citations": ids, "has_citation": bool(ids)}
                for sentence, ids in zip(answer.sentences, cited, strict=True)
            ],
            "all_cited_ids": sorted({one for ids in cited for one in ids}),
        },
        "validation": {
            "confidence_score": shares.confidence,
            "citation_coverage": shares.coverage,
            "validation_results": results,
            "grounded": is_grounded(shares),
        },
        "sources": [_source_000(hit, place) for hit, place in zip(answer.hits, _places(answer), strict=True)],
        "confidence_score": shares.confidence,
        "grounded": is_grounded(shares),
    }


def _source_000(hit: Hit, place: int) -> dict[str, Any]:
    return {
        "citation_id": place,
        "content": hit.chunk.text,
        "title": hit.document.title,
        "source": hit.document.url or hit.document.title or hit.document.doc_id,
        "doc_id": hit.document.doc_id,
        "chunk_id": hit.chunk.chunk_id,
        "score": round(hit.score, 4),
    }


def _one_a_pair(sentence: Sentence) -> list[CitationCheck]:
    """One check for each id of a sentence: the last one, when it is cited twice."""
    return list({check.citation_id: check for check in sentence.verdict.checks}.values())


# --- source 001 ---------------------------------------------------------------------------------


def audited_001(answer: Answer) -> dict[str, Any]:
    """``answer`` with ``[chunk-id]``. Here an id is verified when it was retrieved: what 001 checks."""
    chunk_ids = {_prompt_id(place): hit.chunk.chunk_id for hit, place in _placed(answer)}
    cited = list(dict.fromkeys(one for sentence in answer.sentences for one in _ids(sentence)))
    verified = [chunk_ids[one] for one in cited if one in chunk_ids]
    hallucinated = [one for one in cited if one not in chunk_ids]
    return {
        "query": answer.question,
        "answer": _printed(answer, chunk_ids, "chunk"),
        "retrieved_chunks": [
            {
                "id": hit.chunk.chunk_id,
                "section": " > ".join(hit.chunk.section),
                "url": hit.document.url,
                "text": hit.chunk.text,
            }
            for hit in answer.hits
        ],
        "citations": {
            "verified": verified,
            "hallucinated": hallucinated,
            "confidence": answer.confidence_label,
        },
        "metrics": {
            "retrieval_count": len(answer.hits),
            "citation_count": len(cited),
            "verification_rate": len(verified) / len(cited) if cited else 0.0,
        },
        "answer_status": answer.answer_status.value,
    }


# --- source 002 ---------------------------------------------------------------------------------


def source_list_002(answer: Answer) -> dict[str, Any]:
    """``answer`` with ``[Source N]``, N the number in ``c-N``, its markers one by one, the sources and their HTML."""
    labels = {_prompt_id(place): str(place) for place in _places(answer)}
    text = _printed(answer, labels, "source")
    markers = [(sentence, one) for sentence in answer.sentences for one in _markers(sentence)]
    details = [_detail(sentence, prompt_id) for sentence, prompt_id in markers]
    verified = sum(one["status"] == "verified" for one in details)
    sources = [source_002(hit, place) for hit, place in _placed(answer)]
    return {
        "answer": text,
        "verify": {
            "total_citations": len(details),
            "verified": verified,
            "unverified": len(details) - verified,
            "citation_accuracy": marker_share(verified, len(details)),
            "target_accuracy": TARGET_ACCURACY,
            "meets_target": marker_share(verified, len(details)) >= TARGET_ACCURACY,
            "details": details,
        },
        "parse": [{"source_number": _number(one), "label": f"[Source {_number(one)}]"} for _, one in markers],
        "sources": sources,
        "html": cited_html(text, sources),
    }


def _markers(sentence: Sentence) -> list[str]:
    """The ids of a sentence, one for each printed marker."""
    return [one for one, _ in dict.fromkeys((pointer.id, pointer.at) for pointer in sentence.claim.pointers)]


def _detail(sentence: Sentence, prompt_id: str) -> dict[str, Any]:
    check = next((one for one in sentence.verdict.checks if one.citation_id == prompt_id), None)
    number = _number(prompt_id)
    if check is None or check.status is CitationStatus.INVALID:
        reason = check.reason if check else "there is no such source"
        return {"source_number": number, "status": "invalid", "reason": reason}
    return {
        "source_number": number,
        "status": "verified" if check.status in _VALID else "unverified",
        "overlap_ratio": round(check.match_score, 4),
        "sentence": sentence.text,
    }


def source_002(hit: Hit, number: int) -> dict[str, Any]:
    """A source as 002 lists it. Pages count from 1, as they are printed where that is known."""
    page = None if hit.chunk.page_index is None else hit.chunk.page_label or hit.chunk.page_index + 1
    return {
        "number": number,
        "document_name": hit.document.title or hit.document.doc_id,
        "page_number": page,
        "section_header": " > ".join(hit.chunk.section) or None,
        "content_preview": shorten(hit.chunk.text, PREVIEW_CHARS),
        "source_type": hit.document.format or None,
        "retrieval_score": round(hit.score, 4),
    }


# --- parts --------------------------------------------------------------------------------------


def _printed(answer: Answer, labels: Mapping[str, str], style: MarkerStyle) -> str:
    body = print_markers(answer.plain, answer.pointers, style, labels=labels, sentences=answer.sentence_spans)
    return "\n\n".join((body, *answer.notes))


def _chunks(answer: Answer) -> dict[str, str]:
    return {hit.chunk.chunk_id: hit.chunk.text for hit in answer.hits}


def _places(answer: Answer) -> range:
    return range(answer.first_id, answer.first_id + len(answer.hits))


def _placed(answer: Answer) -> list[tuple[Hit, int]]:
    return list(zip(answer.hits, _places(answer), strict=True))


def _prompt_id(place: int) -> str:
    return f"c-{place}"


def _ids(sentence: Sentence) -> list[str]:
    """All ids that a sentence cites, unknown ones included, each once."""
    return list(dict.fromkeys(pointer.id for pointer in sentence.claim.pointers))


def _number(prompt_id: str) -> int | str:
    """``3`` for ``c-3``; an unknown id that is no number stays as it was written."""
    digits = prompt_id.removeprefix("c-")
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else prompt_id


PROFILES: dict[str, Callable[[Answer], dict[str, Any]]] = {
    "grounded-003": grounded_003,
    "quoted-004": quoted_004,
    "numbered-000": numbered_000,
    "audited-001": audited_001,
    "source-list-002": source_list_002,
}
