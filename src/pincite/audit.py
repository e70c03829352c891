"""What of a stored answer may still be shown: texts of documents that were removed, or that the reader may not see, are
taken out of its canonical JSON. Ids of passages and hashes stay, so that what was answered can be accounted for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pincite.findings import Pointer
from pincite.text.printing import print_markers
from pincite.types import Span

Body = dict[str, Any]
"""An answer in its canonical JSON, read."""

WITHHELD = "[withheld: its source is not available]"
"""What stands in place of a sentence that rests on a document whose text may not be shown."""

_EARLIER_ITEMS = ("baseline_items", "aside_items")
"""Of a kept evaluation: items of the run before it, by id."""

_QUOTES = ("quote", "quote_full", "prefix", "suffix", "title", "source", "reason")
_NULLED = ("open_url", "section", "quote_translation", "address")
_IDS = ("doc_id", "chunk_id", "document_hash", "suggested_chunk_id", "chunk_hash", "doc_start", "doc_end")


def doc_ids(body: Body) -> tuple[str, ...]:
    """The documents that the answer cites or shows in snippets, each once."""
    items = (*body.get("citations", ()), *body.get("snippets", ()))
    return tuple(dict.fromkeys(item["doc_id"] for item in items if item.get("doc_id")))


def withheld(body: Body, why: Mapping[str, Mapping[str, str]], *, ids: bool = False) -> Body:
    """The answer without any text of some documents.

    Args:
        body: Is not changed.
        why: By document, what its citations say in their ``tombstone``: ``{"state": "removed", "at": "2026-…"}``.
        ids: Take out the ids of documents and passages too: for a reader for whom they do not exist.

    Returns:
        The answer as it was where it holds no text of these documents. Otherwise their quotes and snippets are empty,
        sentences that cite them read ``WITHHELD``, and texts that cannot be told apart (removed sentences, differences)
        are empty too. Offsets of the other sentences are in the new ``plain``.
    """
    if not why.keys() & {*doc_ids(body), *(one.get("doc_id") for one in body.get("retrieved", ()) if ids)}:
        return body
    gone = {citation["id"] for citation in body["citations"] if citation["doc_id"] in why}
    plain, sentences = _sentences(body["plain"], body["sentences"], gone)
    new = {
        **body,
        "plain": plain,
        "sentences": sentences,
        "citations": [_citation(one, why, ids=ids) for one in body["citations"]],
        "snippets": [_snippet(one, why, ids=ids) for one in body.get("snippets", ())],
        "conflicts": [_conflict(one, gone) for one in body.get("conflicts", ())],
        "retrieved": [
            _without_ids(one) if ids and one.get("doc_id") in why else one
            for one in body.get("retrieved", ())
        ],
    }
    for name in ("removed", "repairs"):
        if name in new:
            new[name] = _blank(new[name])
    notes = list(body.get("notes", ()))
    new["text"] = "\n\n".join((_printed(new, "n"), *notes))
    new["answer"] = "\n\n".join((_printed(new, "id"), *notes))
    return new


def run_withheld(run: Body, hidden: Collection[str], *, ids: bool = False) -> Body:
    """A kept evaluation without any text of some documents.

    Args:
        run: The JSON of a report, read. Is not changed.
        hidden: Ids of documents.
        ids: Take out the ids too: what was expected of these documents, and figures by document.

    Returns:
        The run as it was where it holds nothing of these documents. Otherwise the answers that cite or show them read
        ``WITHHELD``, with the reasons of their items; figures stay.
    """
    items = [_run_item(one, hidden, ids=ids) for one in run.get("items") or ()]
    new = {
        **run,
        "items": items,
        **{
            name: {item_id: _run_item(one, hidden, ids=ids) for item_id, one in run[name].items()}
            for name in _EARLIER_ITEMS
            if run.get(name)
        },
    }
    if ids:
        if run.get("documents"):
            new["documents"] = {one: state for one, state in run["documents"].items() if one not in hidden}
        if moved := (run.get("baseline") or {}).get("changed_documents"):
            left = [one for one in moved if one not in hidden]
            new["baseline"] = {**run["baseline"], "changed_documents": left}
        gone = {f"document:{doc_id}" for doc_id in hidden}
        new["slices"] = {name: one for name, one in (run.get("slices") or {}).items() if name not in gone}
    return new if any(new[name] != run.get(name) for name in new) else run


def run_doc_ids(run: Body) -> tuple[str, ...]:
    """The documents that a kept evaluation names, each once: cited, shown, read, or expected."""
    items = (
        *(run.get("items") or ()),
        *(one for name in _EARLIER_ITEMS for one in (run.get(name) or {}).values()),
    )
    named = (
        doc_id for item in items for doc_id in (*_of_answer(item["answer"]), *(item.get("doc_ids") or ()))
    )
    others = (*(run.get("documents") or ()), *((run.get("baseline") or {}).get("changed_documents") or ()))
    return tuple(dict.fromkeys((*named, *others)))


def _run_item(item: Body, hidden: Collection[str], *, ids: bool) -> Body:
    new = item
    # Of an item without its answer, the reasons may still say what an expected document does.
    said = _of_answer(item["answer"]) if item["answer"] else (item.get("doc_ids") or ())
    if not set(hidden).isdisjoint(said):
        stub = {"abstained": bool(item["answer"].get("abstained")), "plain": WITHHELD}
        new = {**item, "answer": stub, "reasons": [WITHHELD] if item.get("reasons") else []}
    if ids and not set(hidden).isdisjoint(item.get("doc_ids") or ()):
        new = {**new, "doc_ids": [one for one in item["doc_ids"] if one not in hidden]}
    return new


def _of_answer(answer: Body) -> tuple[str, ...]:
    """Of an answer as evaluations keep it, whole or in few words."""
    read = (one.get("doc_id") for one in answer.get("retrieved") or ())
    return (*doc_ids(answer), *filter(None, read), *(answer.get("doc_ids") or ()))


def _sentences(plain: str, sentences: Sequence[Body], gone: set[str]) -> tuple[str, list[Body]]:
    parts: list[str] = []
    kept: list[Body] = []
    at = shift = 0
    for sentence in sentences:
        start, end = sentence["start"], sentence["end"]
        parts.append(plain[at:start])
        rests_on = {*sentence["citations"], *(pointer["id"] for pointer in sentence.get("pointers", ()))}
        text = WITHHELD if rests_on & gone else plain[start:end]
        parts.append(text)
        kept.append(_moved(sentence, shift, text if rests_on & gone else None))
        shift += len(text) - (end - start)
        at = end
    parts.append(plain[at:])
    return "".join(parts), kept


def _moved(sentence: Body, shift: int, instead: str | None) -> Body:
    """The sentence ``shift`` characters further on, or, with a text ``instead``, a stand-in that says nothing."""
    start = sentence["start"] + shift
    if instead is None:
        return {
            **sentence,
            "start": start,
            "end": sentence["end"] + shift,
            "pointers": [_shifted(one, shift) for one in sentence.get("pointers", ())],
            "unsupported_words": [
                {"start": one["start"] + shift, "end": one["end"] + shift}
                for one in sentence.get("unsupported_words", ())
            ],
        }
    end = start + len(instead)
    return {
        **sentence,
        "text": instead,
        "start": start,
        "end": end,
        "pointers": [
            {**one, "at": end, "quote": None, "clause": None} for one in sentence.get("pointers", ())
        ],
        "unsupported_words": [],
        "differences": [],
        "reason": "",
        "checks": [{**one, "differences": [], "reason": ""} for one in sentence.get("checks", ())],
    }


def _shifted(pointer: Body, shift: int) -> Body:
    clause = pointer.get("clause")
    if clause is not None:
        clause = {"start": clause["start"] + shift, "end": clause["end"] + shift}
    return {**pointer, "at": pointer["at"] + shift, "clause": clause}


def _citation(citation: Body, why: Mapping[str, Mapping[str, str]], *, ids: bool) -> Body:
    if citation["doc_id"] not in why:
        return citation
    new = {
        **citation,
        **{name: "" for name in _QUOTES if name in citation},
        **{name: None for name in _NULLED if name in citation},
        "differences": [],
        "tombstone": dict(why[citation["doc_id"]]),
    }
    return _without_ids(new) if ids else new


def _snippet(snippet: Body, why: Mapping[str, Mapping[str, str]], *, ids: bool) -> Body:
    if snippet["doc_id"] not in why:
        return snippet
    new = {
        **snippet,
        "title": "",
        "source": "",
        "preview": "",
        "why": "",
        "tombstone": dict(why[snippet["doc_id"]]),
    }
    return _without_ids(new) if ids else new


def _conflict(conflict: Body, gone: set[str]) -> Body:
    if not gone & set(conflict["citations"]):
        return conflict
    return {**conflict, "values": ["" for _ in conflict["values"]], "reason": ""}


def _without_ids(item: Body) -> Body:
    return {
        **{name: None if name in _IDS else value for name, value in item.items()},
        **{name: [] for name in ("spans", "context") if name in item},
    }


def _blank(value: Any) -> Any:
    """The same shape with empty texts."""
    if isinstance(value, str):
        return ""
    if isinstance(value, Mapping):
        return {name: inner if name == "kind" else _blank(inner) for name, inner in value.items()}
    return [_blank(inner) for inner in value] if isinstance(value, list | tuple) else value


def _printed(body: Body, name: str) -> str:
    """The answer with its markers, as ``Answer.text`` and ``Answer.answer`` print them."""
    pointers = [
        Pointer(one["id"], one["at"], known=one.get("known", True))
        for sentence in body["sentences"]
        for one in sentence.get("pointers", ())
    ]
    spans = [Span(one["start"], one["end"]) for one in body["sentences"]]
    labels = {one["id"]: str(one[name]) for one in body["citations"]}
    return print_markers(body["plain"], pointers, labels=labels, sentences=spans)
