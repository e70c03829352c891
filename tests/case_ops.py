"""One thin function per operation of the case files: it turns a case's input into calls of the product.

No product logic here. An operation whose product code does not exist yet raises ``NotYet`` with its future home.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from pincite.errors import PinciteError

Json = dict[str, Any]
Op = Callable[[Json], Json]


class NotYet(Exception):
    """The product has no code for this operation. The message names where it will be."""


def not_yet(home: str) -> Op:
    def missing(case: Json) -> Json:
        raise NotYet(home)

    return missing


# --- markers ------------------------------------------------------------------------------------


def parse_markers(case: Json) -> Json:
    from pincite.text.markers import parse_markers

    parsed = parse_markers(case["answer"], case["context_ids"], language=case.get("lang"))
    return {
        "sentences": [
            {"text": span.of(parsed.plain), "cites": list(parsed.cites(index))}
            for index, span in enumerate(parsed.sentences)
        ],
        "unknown_ids": list(parsed.unknown_ids),
        "clauses": [marker.clause.of(parsed.plain) for marker in parsed.markers],
        "details": [marker.detail for marker in parsed.markers],
        "drift": [[one.form, one.id] for one in parsed.drift],
        "plain": parsed.plain,
    }


def stream_markers(case: Json) -> Json:
    from pincite.text.streaming import MarkerStream

    stream = MarkerStream(case["context_ids"])
    shown, so_far = [], ""
    for delta in case["deltas"]:
        so_far += stream.feed(delta).text
        shown.append(so_far)
    final = so_far + stream.rest().text
    parsed = stream.finish()
    return {
        "shown": shown,
        "final_text": final,
        "marker_spans": sorted({(marker.span.start, marker.span.end) for marker in parsed.markers}),
        "cites": list(dict.fromkeys(marker.id for marker in parsed.markers if marker.known)),
    }


def renumber(case: Json) -> Json:
    from pincite.text.markers import renumber

    answer, order = renumber(case["answer"], case["context_ids"])
    return {"answer": answer, "order": list(order)}


# --- quotes -------------------------------------------------------------------------------------

STATUS_OF_MATCH = {
    "exact": "exact",
    "normalized": "normalized",
    "unit_equivalent": "normalized",
    "fuzzy": "paraphrased",
    "none": "unverified",
}


def match_quote(case: Json) -> Json:
    from pincite.quotes import match_quote

    match = match_quote(
        case["quote"],
        case["chunk"],
        prefix=case.get("prefix"),
        suffix=case.get("suffix"),
        language=case.get("lang"),
    )
    return {"status": STATUS_OF_MATCH[match.kind.value], "start": match.start, "end": match.end}


def match_quote_multi(case: Json) -> Json:
    from pincite.quotes import match_quote_across

    match = match_quote_across(case["quote"], [(chunk["id"], chunk["text"]) for chunk in case["chunks"]])
    return {
        "status": STATUS_OF_MATCH[match.kind.value],
        "parts": [{"id": name, "start": span.start, "end": span.end} for name, span in match.parts],
    }


# --- text, chunks, pages ------------------------------------------------------------------------


def utf16_span(case: Json) -> Json:
    from pincite.text.offsets import utf16_span
    from pincite.types import Span

    span = utf16_span(case["text"], Span(case["start"], case["end"]))
    return {"utf16_start": span.start, "utf16_end": span.end}


def chunk_text(case: Json) -> Json:
    from pincite.chunk import chunk
    from pincite.types import Document

    document = Document("doc", case["text"])
    try:
        chunks = chunk(document, strategy="fixed", size=case["chunk_size"], overlap=case["overlap"])
    except (PinciteError, ValueError):
        refused = "invalid_overlap" if case["overlap"] >= case["chunk_size"] else "invalid_size"
        return {"error": refused}
    return {"chunks": [{"text": one.text, "start": one.span.start, "end": one.span.end} for one in chunks]}


def pages_for_spans(case: Json) -> Json:
    from pincite.text.pages import PageIndex, form_feed_pages
    from pincite.types import Page, Span

    whole = (Page(0, Span(0, len(case["text"]))),)
    index = PageIndex(form_feed_pages(case["text"]) or whole)
    pages = [index.of(Span(start, end)) for start, end in case["spans"]]
    return {"pages": [[pair[0].index + 1, pair[1].index + 1] for pair in pages if pair]}


def split_sections(case: Json) -> Json:
    from pincite.text.outline import outline, sections

    text = case["markdown"]
    return {
        "sections": [
            {"title": one.path[-1], "level": one.level, "start": one.span.start, "end": one.span.end}
            for one in sections(outline(text), len(text))
        ]
    }


def chunk_table(case: Json) -> Json:
    from pincite.chunk import chunk
    from pincite.types import Document

    document = Document("doc", case["markdown"], format="markdown")
    chunks = chunk(document, max_chars=case["max_chars"])
    return {
        "chunks": [
            {"text": "\n".join((*one.context_texts, one.text)), "body": one.text, "start": one.span.start}
            for one in chunks
        ]
    }


def table_grid(case: Json) -> Json:
    from pincite.parsers.grid import table_grid

    return {"grid": [list(row) for row in table_grid(case["html"])]}


def html_to_text(case: Json) -> Json:
    from pincite.parsers.html import html_to_text

    return {"text": html_to_text(case["html"])}


def load_document(case: Json) -> Json:
    from pincite.parsers import parse

    (document,) = parse(base64.b64decode(case["file_base64"]), "case.json")
    fields = (
        "doc_id",
        "title",
        "url",
        "text",
        "owner",
        "published_date",
        "version",
        "access_level",
        "language",
    )
    return {"document": {name: getattr(document, name) for name in fields}}


# --- search and confidence ----------------------------------------------------------------------


def rrf(case: Json) -> Json:
    from pincite.search import rrf

    lists = case["lists"]
    found = rrf(list(lists.values()) if isinstance(lists, dict) else lists, k=case["k"])
    return {"ids": [name for name, _ in found], "scores": {name: round(score, 6) for name, score in found}}


def weak_evidence(case: Json) -> Json:
    from pincite.evidence import weak_evidence

    return {
        "weak": [
            weak_evidence(one["score_kind"], one["top_scores"], k=one.get("k", 60), lists=one.get("lists", 2))
            for one in case["cases"]
        ]
    }


def distinct_sources(case: Json) -> Json:
    from pincite.evidence import distinct_sources

    return {"distinct_sources": distinct_sources(case["cites"], case["chunk_docs"], case["chunk_texts"])}


def compare_quantities(case: Json) -> Json:
    from pincite.text.numbers import compare_quantities

    return {
        "equal": [
            compare_quantities(
                pair["claim"],
                pair["source"],
                claim_language=pair.get("claim_lang", "en"),
                source_language=pair.get("source_lang", "en"),
            )
            for pair in case["pairs"]
        ]
    }


# --- interface ----------------------------------------------------------------------------------


def tooltip(case: Json) -> Json:
    from pincite.types import shorten

    return {"text": shorten(case["quote"], case["limit"] - 1)}


OPS: dict[str, Op] = {
    "parse_markers": parse_markers,
    "match_quote": match_quote,
    "match_quote_multi": match_quote_multi,
    "utf16_span": utf16_span,
    "locate_in_order": not_yet("pincite.chunk"),
    "chunk_text": chunk_text,
    "pages_for_spans": pages_for_spans,
    "page_of_quote": not_yet("pincite.chunk"),
    "split_sections": split_sections,
    "chunk_table": chunk_table,
    "table_grid": table_grid,
    "bbox_to_view": not_yet("pincite.parsers.pdf"),
    "clean_pages": not_yet("pincite.parsers.pdf"),
    "dedupe_chars": not_yet("pincite.parsers.pdf"),
    "html_to_text": html_to_text,
    "text_fragment": not_yet("pincite.renderers"),
    "retrieve": not_yet("pincite.search"),
    "rrf": rrf,
    "cache_key": not_yet("pincite.service"),
    "answer_payload": not_yet("pincite.renderers.json"),
    "parse_llm_json": not_yet("pincite.generate"),
    "strip_unverified": not_yet("pincite.repair"),
    "contract_check": not_yet("pincite.claims"),
    "assess": not_yet("pincite.review"),
    "confidence": not_yet("pincite.review"),
    "weak_evidence": weak_evidence,
    "distinct_sources": distinct_sources,
    "compare_quantities": compare_quantities,
    "lexical_search": not_yet("pincite.search"),
    "stream_markers": stream_markers,
    "renumber": renumber,
    "number_documents": not_yet("pincite.renderers"),
    "tooltip": tooltip,
    "render_answer": not_yet("pincite.renderers.html"),
    "metrics": not_yet("pincite.evals.measures"),
    "coverage": not_yet("pincite.review"),
    "gate": not_yet("pincite.evals.run"),
    "reindex": not_yet("pincite.ingest"),
    "resolve_citation": not_yet("pincite.refresh"),
    "load_document": load_document,
    "upload_path": not_yet("pincite.service"),
    "url_allowed": not_yet("pincite.parsers"),
    "archive_guard": not_yet("pincite.parsers"),
    "build_context": not_yet("pincite.generate"),
}
