"""Stored answers as they stand today, and the removal of documents that they cite."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property, partial

from pincite.access import EVERYTHING
from pincite.anchors import Anchor, Anchored, AnchorStatus, anchor_of, find_again
from pincite.audit import Body, doc_ids, run_withheld, withheld
from pincite.errors import StoreError
from pincite.ports.stored import StoredAnswer
from pincite.ports.stores import Store
from pincite.quotes import PreparedChunk, prepare
from pincite.types import DocId, Document, DocumentInfo, Reader, Span

CURRENT = "current"
NOT_VISIBLE = {"state": "not_visible"}
"""The tombstone of a citation whose document is there, but not for this reader."""

MOST_RUNS = 100_000
"""Kept evaluations that are looked through when a document goes."""

_NONE = frozenset[str]()
_SHAPE = (
    ("question", str, _NONE),
    ("plain", str, _NONE),
    ("answer_status", str, _NONE),
    ("metrics", dict, _NONE),
    ("sentences", list, frozenset({"index", "text", "citations"})),
    ("citations", list, frozenset({"id", "doc_id", "quote", "status"})),
)
"""What every answer that was ever written has: its part, of which type, and what each of its items holds."""

_WORST_LAST = (AnchorStatus.SAME, AnchorStatus.MOVED, AnchorStatus.CHANGED, AnchorStatus.GONE)
_CHANGED = frozenset({AnchorStatus.CHANGED, AnchorStatus.GONE})


def remove(store: Store, doc_id: str, *, clock: Callable[[], datetime]) -> bool:
    """Remove a document for good: text, passages, vectors, earlier versions and original bytes go, and stored answers
    hold a tombstone in place of every quote of it. Kept evaluations lose the answers that cite it. False when there is
    none of that id."""
    removed_at = clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    why = {doc_id: {"state": "removed", "at": removed_at}}
    if store.document(DocId(doc_id), EVERYTHING) is not None:
        _rewrite_runs(store, doc_id)  # first: the store then overwrites in its files what was dropped here
    return store.remove(DocId(doc_id), removed_at=removed_at, rewrite=partial(_without, why))


def _rewrite_runs(store: Store, doc_id: str) -> None:
    for run in store.runs(EVERYTHING, limit=MOST_RUNS):
        if doc_id in run.body or json.dumps(doc_id)[1:-1] in run.body:
            body = json.loads(run.body)
            new = run_withheld(body, (doc_id,))
            if new is not body:
                store.save_run(replace(run, body=json.dumps(new, ensure_ascii=False)))


def _without(why: Mapping[str, Mapping[str, str]], answer: StoredAnswer) -> StoredAnswer:
    return replace(answer, body=json.dumps(withheld(json.loads(answer.body), why), ensure_ascii=False))


class Today:
    """Looks at stored answers with the documents of today. Texts are read and prepared once for many answers."""

    def __init__(self, store: Store, reader: Reader) -> None:
        self._store, self._reader = store, reader
        self._documents: dict[str, Document | None] = {}
        self._hashes: dict[str, str] = {}
        self._prepared: dict[str, PreparedChunk] = {}

    def answer(self, stored: StoredAnswer) -> Body:
        """The answer in its canonical JSON as this reader may see it today.

        Each citation has ``now``: what became of the passage (``anchor``: same, moved, changed or gone), where it stands
        (``spans``, in the document's text of today) and what is known of the document today. ``stale`` says that the
        document is no longer current or the passage changed or gone. Texts of documents that the reader may not see any
        more are withheld.
        """
        body = self.visible(stored)
        with reading(stored):
            citations = [self._citation(one) for one in body["citations"]]
        return {**body, "citations": citations, "stale": any(one["stale"] for one in citations)}

    def visible(self, stored: StoredAnswer) -> Body:
        """The answer in its canonical JSON, without texts of documents that this reader may not see any more."""
        with reading(stored):
            return self._visible(stored)

    def _visible(self, stored: StoredAnswer) -> Body:
        body = _read(stored)
        read = dict.fromkeys((*doc_ids(body), *(one.get("doc_id") for one in body.get("retrieved", ()))))
        hidden = {
            doc_id: NOT_VISIBLE
            for doc_id in read
            if doc_id and self._document(doc_id) is None and not self._is_removed(body, doc_id)
        }
        return withheld(body, hidden, ids=True)

    def _citation(self, citation: Body) -> Body:
        if "tombstone" in citation:
            return {**citation, "stale": True, "now": None}
        document = self._document(citation["doc_id"])
        assert document is not None, "a hidden citation was not withheld"
        now = replace(document.info, content_hash=self._hash(document.doc_id))
        found = self._anchors(citation, document)
        worst = max((one.status for one in found), key=_WORST_LAST.index)
        return {
            **citation,
            "stale": now.status != CURRENT or worst in _CHANGED,
            "now": {"anchor": worst.value, "spans": [_span(one) for one in found], **_known(now)},
        }

    def _anchors(self, citation: Body, document: Document) -> list[Anchored]:
        """What became of each place of a citation; of its words, where the text of that time is not known any more."""
        spans = [Span(one["doc_start"], one["doc_end"]) for one in citation["spans"]]
        if citation.get("document_hash") == self._hash(document.doc_id) and spans:
            return [Anchored(AnchorStatus.SAME, span, span.of(document.text)) for span in spans]
        old = self._store.version(DocId(document.doc_id), citation.get("document_hash") or "", self._reader)
        text = self._prepared.setdefault(document.doc_id, prepare(document.text))
        if old is None or not spans:
            at = spans[0] if len(spans) == 1 else None
            anchor = Anchor(
                citation["quote_full"], citation.get("prefix", ""), citation.get("suffix", ""), at
            )
            return [find_again(anchor, text)]
        return [find_again(anchor_of(old.text, span), text, old_text=old.text) for span in spans]

    def _document(self, doc_id: str) -> Document | None:
        if doc_id not in self._documents:
            self._documents[doc_id] = self._store.document(DocId(doc_id), self._reader)
        return self._documents[doc_id]

    def _hash(self, doc_id: str) -> str:
        """The hash it was stored with; one taken of what was read again may differ, as a level comes back as plain text."""
        if doc_id not in self._hashes:
            self._hashes[doc_id] = self._store.content_hash(DocId(doc_id)) or ""
        return self._hashes[doc_id]

    def _is_removed(self, body: Body, doc_id: str) -> bool:
        items = [one for one in (*body["citations"], *body.get("snippets", ())) if one["doc_id"] == doc_id]
        if not items:  # it was read, and nothing of it is in the answer
            return doc_id in self._tombstones
        return all("tombstone" in one for one in items)

    @cached_property
    def _tombstones(self) -> frozenset[str]:
        return frozenset(one.doc_id for one in self._store.removed(self._reader))


def _read(stored: StoredAnswer) -> Body:
    try:
        body = json.loads(stored.body)
    except (ValueError, RecursionError) as error:
        raise StoreError(
            f"the stored answer {stored.answer_id} is damaged",
            hint="restore a backup; pincite doctor says what else is",
        ) from error
    if not isinstance(body, dict):
        raise StoreError(f"the stored answer {stored.answer_id} is no JSON object", hint="run pincite doctor")
    for name, kind, needed in _SHAPE:
        value = body.get(name)
        whole = isinstance(value, kind) and (
            not needed or all(isinstance(one, dict) and needed <= one.keys() for one in value)
        )
        if not whole:
            raise _damage(stored, f"its {name} cannot be read")
    return body


@contextmanager
def reading(stored: StoredAnswer) -> Iterator[None]:
    """Turn what an answer raises that is not in the form it was written in into ``StoreError``."""
    try:
        yield
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise _damage(stored, f"{type(error).__name__}: {str(error)[:100]}") from error


def _damage(stored: StoredAnswer, what: str) -> StoreError:
    return StoreError(
        f"the stored answer {stored.answer_id} is damaged: {what}",
        hint="pincite log verify says whether somebody edited it; restore a backup",
    )


def _span(found: Anchored) -> Body:
    return {
        "anchor": found.status.value,
        "doc_start": found.span.start if found.span else None,
        "doc_end": found.span.end if found.span else None,
        "text": found.text,
        "differences": [
            {"kind": one.kind, "answer": one.answer, "source": one.source} for one in found.differences
        ],
    }


def _known(info: DocumentInfo) -> Body:
    return {
        "document_hash": info.content_hash,
        "document_status": info.status,
        "version": info.version,
        "published_date": info.published_date,
        "licence": info.licence,
    }
