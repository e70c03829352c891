"""Where citations stand on the pages of their documents: page, printed label and boxes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from pincite.errors import ParseError, StoreError
from pincite.findings import Citation
from pincite.ports.stores import Store
from pincite.text.pages import PageIndex
from pincite.types import Box, Document, Reader, Span

logger = logging.getLogger(__name__)

Boxes = Callable[[Document, Sequence[Span], bytes], tuple[tuple[Box, ...], ...]]
"""A document, spans of its text and its original bytes to the boxes of each span."""


def with_places(
    citations: Sequence[Citation], store: Store, reader: Reader, boxes: Boxes | None
) -> tuple[Citation, ...]:
    """Citations with the page of what they quote, and with boxes where the document has them.

    A chunk may begin on another page than the quote. Documents without pages are not even looked up; each of the others
    once, and its original once. A document that has changed since, or whose original cannot be read, gives no boxes.

    Args:
        boxes: ``None``: pages alone.
    """
    by_document: dict[str, list[int]] = {}
    for i, citation in enumerate(citations):
        if citation.page_index is not None and citation.spans:
            by_document.setdefault(citation.doc_id, []).append(i)
    found = list(citations)
    for places in by_document.values():
        info = citations[places[0]].document
        document = store.document(info.doc_id, reader)
        if document is None or store.content_hash(info.doc_id) != info.content_hash:
            continue
        pages = PageIndex(document.pages)
        spans = [span for i in places for span in citations[i].spans]
        each = iter(_boxes(document, spans, store, boxes))
        for i in places:
            citation = citations[i]
            own = tuple(next(each) for _ in citation.spans)
            on = pages.of(min(citation.spans, key=lambda span: not citation.chunk_span.contains(span)))
            page = on[0] if on else None
            found[i] = replace(
                citation,
                page_index=page.index if page else citation.page_index,
                page_label=page.label if page else citation.page_label,
                boxes=own if any(own) else (),
            )
    return tuple(found)


def _boxes(
    document: Document, spans: Sequence[Span], store: Store, boxes: Boxes | None
) -> tuple[tuple[Box, ...], ...]:
    none: tuple[tuple[Box, ...], ...] = tuple(() for _ in spans)
    if boxes is None or not document.runs or document.blob is None:
        return none
    try:
        data = store.blobs.get(document.blob)
        return none if data is None else boxes(document, spans, data)
    except (ParseError, StoreError) as error:
        # The answer holds without them; the reader sees the page instead.
        logger.warning("no boxes for doc_id=%s: %s", document.doc_id, error)
        return none
