"""One thin function per operation of the case files: it turns a case's input into calls of the product.

No product logic here. An operation whose product code does not exist yet raises ``NotYet`` with its future home.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from pincite import verify
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


def parse_llm_json(case: Json) -> Json:
    from pincite.text.replies import read_answer_object

    read = read_answer_object(case["raw"])
    return {
        "ok": read.ok,
        "parsed": read.parsed,
        "truncated": read.truncated,
        "complete_citation_ids": list(read.citation_ids),
    }


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


def locate_in_order(case: Json) -> Json:
    from pincite.text.locate import locate_in_order

    spans = locate_in_order(case["text"], case["chunks"])
    return {"spans": [[span.start, span.end] if span else [None, None] for span in spans]}


def page_of_quote(case: Json) -> Json:
    from pincite.quotes import match_quote
    from pincite.text.locate import locate_in_order
    from pincite.text.pages import PageIndex, form_feed_pages
    from pincite.types import Page, Span

    (place,) = locate_in_order(case["text"], [case["chunk"]])
    found = match_quote(case["quote"], case["chunk"]).span
    if place is None or found is None:
        return {"page": None, "start": None, "end": None}
    span = found.shift(place.start)
    whole = (Page(0, Span(0, len(case["text"]))),)
    pages = PageIndex(form_feed_pages(case["text"]) or whole).of(span)
    return {"page": pages[0].index + 1 if pages else None, "start": span.start, "end": span.end}


def bbox_to_view(case: Json) -> Json:
    from pincite.parsers.boxes import PageFrame, bbox_to_view

    page = case["page"]
    crop = tuple(page["cropbox"]) if page.get("cropbox") else None
    frame = PageFrame(page["width"], page["height"], page.get("rotate", 0), crop)
    return {"bbox": list(bbox_to_view(frame, tuple(case["bbox"]), case["origin"]))}


def clean_pages(case: Json) -> Json:
    from pincite.parsers.running import clean_pages

    return {"text": clean_pages(case["pages"])}


def dedupe_chars(case: Json) -> Json:
    from pincite.parsers.boxes import PlacedChar, dedupe_chars

    chars = [PlacedChar(one["c"], one["x"], one["y"]) for one in case["chars"]]
    return {"text": "".join(one.char for one in dedupe_chars(chars, case["tolerance"]))}


def text_fragment(case: Json) -> Json:
    from pincite.renderers.links import text_fragment

    return {"url": text_fragment(case["url"], case["quote"])}


def upload_path(case: Json) -> Json:
    from pathlib import Path

    from pincite.parsers.guards import upload_path

    paths: list[str | None] = []
    for name in case["names"]:
        try:
            paths.append(upload_path(name, Path("uploads")).relative_to("uploads").as_posix())
        except PinciteError:
            paths.append(None)
    return {"paths": paths}


def url_allowed(case: Json) -> Json:
    from pincite.parsers.guards import Hop, url_allowed

    def hops(one: Json) -> list[Hop]:
        own = Hop(one["url"], tuple(one["resolves_to"]))
        return [own, *(hop for target in one.get("redirects_to", []) for hop in hops(target))]

    return {"allowed": [url_allowed(hops(one)) for one in case["urls"]]}


def archive_guard(case: Json) -> Json:
    import math

    from pincite.parsers.guards import Archive, Limits, archive_allowed

    def total(value: Any) -> int | None:
        if isinstance(value, list):
            return sum(total(one) or 0 for one in value)
        if isinstance(value, dict):
            return total(value.get("bytes", value.get("size", list(value.values()))))
        return value if isinstance(value, int) else None

    # A limit that the case does not name does not hold.
    bounds = {"max_bytes": math.inf, "max_files": math.inf, "max_ratio": math.inf, "max_depth": math.inf}
    for name, value in case["limits"].items():
        which = next(
            (key for key in ("ratio", "file", "entr", "member", "depth", "nest") if key in name), "bytes"
        )
        field = {"ratio": "max_ratio", "depth": "max_depth", "nest": "max_depth", "bytes": "max_bytes"}
        bounds[field.get(which, "max_files")] = value
    accepted = []
    for one in case["archives"]:
        members = next(
            (one[key] for key in ("entries", "members", "files") if isinstance(one.get(key), list)), []
        )
        names = tuple(member["name"] if isinstance(member, dict) else str(member) for member in members)
        sums = {
            key: total(
                one.get(
                    key, [member[key] for member in members if isinstance(member, dict) and key in member]
                )
            )
            for key in ("declared", "actual")
        }
        packed = next(
            (one[key] for key in ("packed", "compressed", "archive_bytes", "size") if key in one), 0
        )
        files = one["files"] if isinstance(one.get("files"), int) else one.get("entries", len(names))
        archive = Archive(
            packed=packed,
            declared=sums["declared"],
            actual=sums["actual"],
            files=files if isinstance(files, int) else len(names),
            names=names,
            depth=one.get("depth", 1),
        )
        accepted.append(archive_allowed(archive, Limits(**bounds)))  # type: ignore[arg-type]
    return {"accepted": accepted}


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
    from pincite.ranking import rrf

    lists = case["lists"]
    found = rrf(list(lists.values()) if isinstance(lists, dict) else lists, k=case["k"])
    return {"ids": [name for name, _ in found], "scores": {name: round(score, 6) for name, score in found}}


def retrieve(case: Json) -> Json:
    import numpy as np

    from pincite.ports.stored import IndexedChunk
    from pincite.stores.memory import MemoryStore
    from pincite.types import AccessLevel, Chunk, ChunkId, DocId, Document, Reader, Span

    # A unit vector for each score, so that its cosine with the question's vector has the scores' order.
    store, most = MemoryStore(), max([1.0, *(abs(chunk["score"]) for chunk in case["chunks"])])
    for chunk in case["chunks"]:
        cosine, text = chunk["score"] / most, chunk["id"]
        source = Document(text, text, access_level=chunk.get("access"))
        cut = Chunk(ChunkId(text), DocId(text), 0, Span(0, len(text)), text)
        vector = np.array([cosine, (1 - cosine**2) ** 0.5], dtype=np.float32)
        store.put(source, [IndexedChunk(cut, (text,), vector)], added_at="", embedder="case")
    level = (case["user"] or {}).get("level", "public")
    reader = Reader(AccessLevel(level) if level in tuple(AccessLevel) else AccessLevel.PUBLIC)
    keys, _ = store.nearest(np.array([1, 0], dtype=np.float32), reader, (), case["top_k"])
    return {"ids": [chunk.chunk_id for chunk, _ in store.load(keys.tolist(), reader)]}


def lexical_search(case: Json) -> Json:
    from pincite.ports.stored import IndexedChunk
    from pincite.search import search
    from pincite.stores.memory import MemoryStore
    from pincite.text.words import detect_language, terms
    from pincite.types import Chunk, ChunkId, DocId, Document, Question, Span

    store = MemoryStore()
    for name, text in case["docs"].items():
        source = Document(name, text, access_level="public", language=detect_language(text))
        cut = Chunk(ChunkId(name), DocId(name), 0, Span(0, len(text)), text)
        store.put(source, [IndexedChunk(cut, terms(text, source.language))], added_at="")
    hits = search(Question(case["query"], top_k=case["top_k"]), store, mode="words")
    return {"ids": [hit.chunk.doc_id for hit in hits]}


def cache_key(case: Json) -> Json:
    from pincite.search import cache_key

    return {"keys": [cache_key(request) for request in case["requests"]]}


def reindex(case: Json) -> Json:
    from pincite.chunk import assign_ids
    from pincite.ports.stored import IndexedChunk
    from pincite.stores.memory import MemoryStore
    from pincite.text.words import terms
    from pincite.types import Chunk, ChunkId, DocId, Document, Reader, Span

    store = MemoryStore()

    def put(name: str, texts: list[str], ids: list[str] | None) -> None:
        source = Document(name, "\n\n".join(texts), access_level="public")
        cut, start = [], 0
        for place, text in enumerate(texts):
            span = Span(start, start + len(text))
            cut.append(
                Chunk(ChunkId(ids[place] if ids else f"{name}-new-{place}"), DocId(name), place, span, text)
            )
            start = span.end + 2
        if ids is None:
            cut = list(assign_ids(tuple(cut), *store.chunk_numbers(DocId(name)))[0])
        store.put(source, [IndexedChunk(chunk, terms(chunk.text)) for chunk in cut], added_at="")

    before: dict[str, list[Json]] = {}
    for chunk in case["store"]:
        before.setdefault(chunk["doc"], []).append(chunk)
    for name, chunks in before.items():
        put(name, [chunk["text"] for chunk in chunks], [chunk["id"] for chunk in chunks])
    put(case["update"]["doc"], case["update"]["chunks"], None)
    live = {one.info.doc_id: store.chunk_numbers(one.info.doc_id)[0] for one in store.documents(Reader())}
    return {"live_texts": {name: [chunk.text for chunk in chunks] for name, chunks in live.items()}}


def render_answer(case: Json) -> Json:
    sources = [
        {"id": one["id"], "title": one["title"], "url": one["url"], "text": one["snippet"]}
        for one in case["sources"]
    ]
    return {"html": verify(case["answer"], sources).to("html")}


def resolve_citation(case: Json) -> Json:
    from pincite.anchors import AnchorStatus, anchor_of, find_again
    from pincite.types import Span

    cited, old, new = case["citation"], case["old_text"], case["new_text"]
    found = find_again(anchor_of(old, Span(cited["start"], cited["end"])), new, old_text=old)
    if found.span is None or found.status is AnchorStatus.CHANGED:
        return {"status": "stale", "start": None, "end": None}
    return {"status": found.status.value, "start": found.span.start, "end": found.span.end}


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


# --- generation, repair, counting ---------------------------------------------------------------


def strip_unverified(case: Json) -> Json:
    from pincite.text.strip import strip_failed

    stripped = strip_failed(case["answer"], case["context_ids"], case["unverified_ids"])
    removed = len(stripped.removed)
    return {"body": stripped.body, "removed_sentences": removed, "note": removed > 0}


def contract_check(case: Json) -> Json:
    from pincite.claims import check_contract

    contract = check_contract(case["answer"], case["context_ids"], [one["id"] for one in case["citations"]])
    return {
        "marker_without_citation": list(contract.marker_without_citation),
        "citation_without_marker": list(contract.citation_without_marker),
        "unknown_ids": list(contract.unknown_ids),
    }


def coverage(case: Json) -> Json:
    from pincite.claims import parse_claims
    from pincite.review import coverage

    claims = parse_claims(case["answer"], {one: (one,) for one in case["context_ids"]}).claims
    factual = [claim for claim in claims if claim.factual]
    share = coverage(claims)
    return {
        "claims": len(factual),
        "cited": sum(bool(claim.cited_ids) for claim in factual),
        "coverage": None if share is None else round(share, 6),
    }


def assess(case: Json) -> Json:
    from pincite.claims import is_refusal, parse_claims
    from pincite.review import blended

    counted = coverage(case)
    claims = parse_claims(case["answer"], {one: (one,) for one in case["context_ids"]}).claims
    return {
        **counted,
        "abstained": counted["claims"] == 0 and any(is_refusal(claim.text) for claim in claims),
        "confidence": blended({"coverage": counted["coverage"]}),
    }


def confidence(case: Json) -> Json:
    from pincite.review import blended, similarity_parts

    return {"confidence": [blended(similarity_parts(one["similarities"])) for one in case["cases"]]}


def build_context(case: Json) -> Json:
    import re

    from pincite.generate import build_context
    from pincite.readers.sources import read_sources

    block = build_context(read_sources(case["chunks"]), nonce="nonce")
    found = re.findall(r"^\[(c-\d+):", block, re.MULTILINE)
    own = {f"c-{place}": chunk["id"] for place, chunk in enumerate(case["chunks"], start=1)}
    return {
        "source_ids_in_order": [own.get(one, one) for one in found],
        "forged_labels": len(found) - len(case["chunks"]),
        "context": block,
    }


# --- interface ----------------------------------------------------------------------------------


def tooltip(case: Json) -> Json:
    from pincite.types import shorten

    return {"text": shorten(case["quote"], case["limit"] - 1)}


# --- evaluation ---------------------------------------------------------------------------------


def metrics(case: Json) -> Json:
    from pincite.evals.measures.sets import precision_recall
    from pincite.evals.stats import weighted_mean

    pairs = [precision_recall(one["gold"], one["cited"]) for one in case["cases"]]
    precision, recall = [pair[0] for pair in pairs], [pair[1] for pair in pairs]

    def rounded(value: float | None) -> float | None:
        return None if value is None else round(value, 6)

    return {
        "precision": [rounded(one) for one in precision],
        "recall": [rounded(one) for one in recall],
        "mean_precision": rounded(weighted_mean(precision)),
        "mean_recall": rounded(weighted_mean(recall)),
    }


def gate(case: Json) -> Json:
    from pincite.evals.gate import drop_fails

    return {
        "fail": [drop_fails(one["main"], one["current"], case["tolerance_points"]) for one in case["cases"]]
    }


OPS: dict[str, Op] = {
    "parse_markers": parse_markers,
    "match_quote": match_quote,
    "match_quote_multi": match_quote_multi,
    "utf16_span": utf16_span,
    "locate_in_order": locate_in_order,
    "chunk_text": chunk_text,
    "pages_for_spans": pages_for_spans,
    "page_of_quote": page_of_quote,
    "split_sections": split_sections,
    "chunk_table": chunk_table,
    "table_grid": table_grid,
    "bbox_to_view": bbox_to_view,
    "clean_pages": clean_pages,
    "dedupe_chars": dedupe_chars,
    "html_to_text": html_to_text,
    "text_fragment": text_fragment,
    "retrieve": retrieve,
    "rrf": rrf,
    "cache_key": cache_key,
    "answer_payload": not_yet("pincite.renderers.json"),
    "parse_llm_json": parse_llm_json,
    "strip_unverified": strip_unverified,
    "contract_check": contract_check,
    "assess": assess,
    "confidence": confidence,
    "weak_evidence": weak_evidence,
    "distinct_sources": distinct_sources,
    "compare_quantities": compare_quantities,
    "lexical_search": lexical_search,
    "stream_markers": stream_markers,
    "renumber": renumber,
    "number_documents": not_yet("pincite.renderers"),
    "tooltip": tooltip,
    "render_answer": render_answer,
    "metrics": metrics,
    "coverage": coverage,
    "gate": gate,
    "reindex": reindex,
    "resolve_citation": resolve_citation,
    "load_document": load_document,
    "upload_path": upload_path,
    "url_allowed": url_allowed,
    "archive_guard": archive_guard,
    "build_context": build_context,
}
