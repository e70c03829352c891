"""The sources of an answer for programs that keep references: CSL-JSON, and W3C Web Annotations."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote as percent_encode

from pincite.answer import Answer
from pincite.findings import Citation
from pincite.renderers.links import web_url
from pincite.types import DocumentInfo, Span

CONTEXT = "http://www.w3.org/ns/anno.jsonld"


def answer_csl(answer: Answer) -> str:
    """Each cited document once, as an item of a bibliography (CSL-JSON 1.0), in the order of first appearance."""
    documents = {one.doc_id: one.document for one in answer.citations}
    return json.dumps([_item(one) for one in documents.values()], ensure_ascii=False)


def _item(document: DocumentInfo) -> dict[str, Any]:
    date = _date_parts(document.published_date)
    address = web_url(document.url)
    return {
        "id": document.doc_id,
        "type": "document",
        "title": document.title or document.doc_id,
        **({"URL": address} if address else {}),
        **({"issued": {"date-parts": [date]}} if date else {}),
        **({"version": document.version} if document.version else {}),
        **({"language": document.language} if document.language else {}),
    }


def _date_parts(date: str | None) -> list[int]:
    """``[2024, 3, 1]`` of ``2024-03-01``, as far as there are numbers.

    >>> _date_parts("2024-03"), _date_parts("last spring")
    ([2024, 3], [])
    """
    parts: list[int] = []
    for part in (date or "").partition("T")[0].split("-")[:3]:
        if not (part.isascii() and part.isdecimal()):
            break
        parts.append(int(part))
    return parts


def answer_annotations(answer: Answer) -> str:
    """Each cited place as a Web Annotation of its document: a sentence of the answer, linked to the words that back it.

    Positions count code points of the document's text, as the model asks for; a quote with what stands before and after
    it finds the place again when positions have moved.

    Source:
        W3C Recommendation, Web Annotation Data Model, 23 February 2017.
    """
    items = [
        _annotation(answer, citation, place, span)
        for citation in answer.citations
        for place, span in enumerate(citation.spans or (None,), start=1)
    ]
    page = {
        "@context": CONTEXT,
        "id": f"urn:pincite:{answer.id}",
        "type": "AnnotationPage",
        "startIndex": 0,
        "items": items,
    }
    return json.dumps(page, ensure_ascii=False)


def _annotation(answer: Answer, citation: Citation, place: int, span: Span | None) -> dict[str, Any]:
    said = " ".join(one.text for one in answer.sentences if citation.id in one.citations)
    selectors: list[dict[str, Any]] = [
        {
            "type": "TextQuoteSelector",
            "exact": citation.exact,
            "prefix": citation.prefix,
            "suffix": citation.suffix,
        }
    ]
    if span is not None:
        selectors.append({"type": "TextPositionSelector", "start": span.start, "end": span.end})
    if citation.page_index is not None and citation.document.format == "pdf":
        selectors.append(
            {
                "type": "FragmentSelector",
                "conformsTo": "http://tools.ietf.org/rfc/rfc3778",
                "value": f"page={citation.page_index + 1}",
            }
        )
    address = web_url(citation.document.url)
    return {
        "id": f"urn:pincite:{answer.id}:{citation.id}:{place}",
        "type": "Annotation",
        "motivation": "linking",
        "created": answer.created_at,
        "body": {
            "type": "TextualBody",
            "value": said,
            "format": "text/plain",
            **({"language": answer.language} if answer.language else {}),
        },
        "target": {
            "source": address or f"urn:pincite:document:{percent_encode(citation.doc_id, safe='')}",
            "selector": selectors,
        },
    }
