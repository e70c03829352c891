"""A stored answer judged once more from the stored texts: the same verdicts, or what differs and what changed since."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pincite import chunk as chunking
from pincite import verdict
from pincite.audit import WITHHELD, Body
from pincite.context import NEIGHBOUR_CHARS, Context
from pincite.errors import PinciteError
from pincite.findings import CitationCheck, Sentence, Verdict
from pincite.ingest import Cut
from pincite.logbook import context_of
from pincite.ports import Judge
from pincite.ports.stored import StoredAnswer
from pincite.ports.stores import Store
from pincite.renderers.restored import restored
from pincite.types import Chunk, ChunkId, DocId, Document, DocumentInfo, Hit, Reader, Span
from pincite.upkeep import Today

Known = tuple[Chunk, DocumentInfo, str, str]
"""A passage, its document, and the texts before and after it."""

SCORE_ROUNDING = 0.00011
"""Scores are kept with four decimals."""


@dataclass(frozen=True, slots=True)
class SentenceDifference:
    """What is not as it was of the verdict on a sentence: ``field`` names it, such as ``support`` or ``c-2 status``."""

    sentence_index: int
    text: str
    field: str
    then: str
    now: str


@dataclass(frozen=True, slots=True)
class Change:
    """What is not as it was when the answer was given: ``what`` is ``document``, ``passage``, ``judge``, ``config``,
    ``prompts``, ``model`` or ``pincite``; ``subject`` an id where there is one."""

    what: str
    subject: str
    then: str
    now: str


@dataclass(frozen=True, slots=True)
class Replay:
    """``replayed`` of ``sentences`` could be judged once more; ``left_out`` says why others could not."""

    answer_id: str
    sentences: int
    replayed: int
    differences: tuple[SentenceDifference, ...]
    changes: tuple[Change, ...]
    left_out: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether every sentence was judged, and as it was."""
        return not self.differences and not self.left_out


def replay(
    store: Store,
    stored: StoredAnswer,
    reader: Reader,
    judge: Judge,
    *,
    cut: Cut,
    now: Mapping[str, str],
) -> Replay:
    """Judge the sentences of an answer as they were shown against the passages that were read.

    Args:
        reader: Sees no text above their level; sentences that rest on one are left out.
        cut: How documents are cut, for versions that are no longer current.
        now: What holds today: ``judge``, ``config_hash``, ``pincite``, ``prompt_hash``, ``model``.
    """
    body = Today(store, reader).visible(stored)
    passages = _Passages(store, reader, cut)
    with store.reading():
        found = [passages.of(one, body) for one in body.get("retrieved", ())]
    known: dict[str, tuple[Chunk, DocumentInfo]] = {
        one[0].chunk_id: (one[0], one[1]) for one in found if isinstance(one, tuple)
    }
    answer = restored(body, known)
    hits = tuple(_hit(hit, one) for hit, one in zip(answer.hits, found, strict=True))
    context = Context.of(
        hits,
        {one[0].chunk_id: one[2:] for one in found if isinstance(one, tuple)},
        first_id=answer.first_id,
    )
    missing = {
        source.id: one
        for source, one in zip(context.sources.values(), found, strict=True)
        if isinstance(one, str)
    }
    left_out = {
        sentence.index: why
        for sentence in answer.sentences
        if (why := _cannot(sentence, missing, with_others=bool(missing))) is not None
    }
    again = [sentence for sentence in answer.sentences if sentence.index not in left_out]
    verdicts = verdict.check_claims([one.claim for one in again], context, judge)
    differences = [
        difference
        for sentence, found_now in zip(again, verdicts, strict=True)
        for difference in _differences(sentence, found_now)
    ]
    return Replay(
        answer_id=stored.answer_id,
        sentences=len(answer.sentences),
        replayed=len(again),
        differences=tuple(differences),
        changes=(*_changed_settings(body, context_of(stored), now), *passages.changes),
        left_out=tuple(f"sentence {index}: {why}" for index, why in left_out.items()),
    )


def _hit(hit: Hit, found: Known | str) -> Hit:
    return hit if isinstance(found, str) else replace(hit, chunk=found[0], document=found[1])


def _cannot(sentence: Sentence, missing: Mapping[str, str], *, with_others: bool) -> str | None:
    """Why a sentence cannot be judged once more, if it cannot."""
    if sentence.text == WITHHELD:
        return "its text is withheld"
    cited = [pointer.id for pointer in sentence.claim.pointers]
    gone = [f"{one}: {missing[one]}" for one in cited if one in missing]
    if gone:
        return "; ".join(gone)
    if sentence.factual and not cited and with_others:
        return "it cites nothing and was judged against all passages, of which some are gone"
    return None


# --- the passages of then -----------------------------------------------------------------------


class _Passages:
    """Finds the passages that were read, in the text of that time."""

    def __init__(self, store: Store, reader: Reader, cut: Cut) -> None:
        self._store, self._reader, self._cut = store, reader, cut
        self._cuts: dict[tuple[str, str], tuple[Document | None, tuple[Chunk, ...]]] = {}
        self._told: set[str] = set()
        self.changes: list[Change] = []

    def of(self, read: Body, body: Body) -> Known | str:
        """The passage, or why there is none."""
        doc_id, chunk_id = read.get("doc_id"), read.get("chunk_id")
        if not doc_id or not chunk_id:
            return "its document is not there for this reader"
        then = read.get("document_hash") or _cited_hash(body, chunk_id)
        today = self._store.document(DocId(doc_id), self._reader)
        if today is None:
            return f"document {doc_id} was removed, or is not there for this reader"
        # The hash it was stored with: one taken of what was read again may differ, as a level comes back as plain text.
        hash_now = self._store.content_hash(DocId(doc_id)) or ""
        if then and then != hash_now and doc_id not in self._told:
            self._told.add(doc_id)
            self.changes.append(Change("document", doc_id, _version(then, None), _version(hash_now, today)))
        if not then or then == hash_now:
            found = self._store.chunk(ChunkId(chunk_id), self._reader)
            if found is not None and found[0].content_hash == read["chunk_hash"]:
                near = self._store.neighbours(found[0], 1, 1, self._reader)
                return (*found, *_around(found[0], near))
        if not then:
            return f"passage {chunk_id} changed, and it is not known in which version it was read"
        return self._of_version(read, then)

    def _of_version(self, read: Body, then: str) -> Known | str:
        doc_id, chunk_id = read["doc_id"], read["chunk_id"]
        document, chunks = self._version(doc_id, then)
        if document is None:
            return f"passage {chunk_id}: that version of document {doc_id} was not kept, no answer cites it"
        named = [one for one in chunks if one.content_hash == read["chunk_hash"]]
        start = read.get("doc_start")
        best = min(named, key=lambda one: abs(one.span.start - (start or 0)), default=None)
        if best is not None:
            return (replace(best, chunk_id=ChunkId(chunk_id)), document.info, *_around(best, chunks))
        rebuilt = _rebuilt(read, document)
        if rebuilt is None or rebuilt.content_hash != read["chunk_hash"]:
            return f"passage {chunk_id} is not found in that version of document {doc_id}"
        self.changes.append(
            Change("passage", chunk_id, "as it was cut then", "documents are cut otherwise now")
        )
        return rebuilt, document.info, "", ""

    def _version(self, doc_id: str, then: str) -> tuple[Document | None, tuple[Chunk, ...]]:
        key = doc_id, then
        if key not in self._cuts:
            document = self._store.version(DocId(doc_id), then, self._reader)
            chunks: tuple[Chunk, ...] = ()
            if document is not None:
                try:
                    chunks = chunking.chunk(
                        document,
                        strategy=self._cut.strategy,
                        max_chars=self._cut.max_chars,
                        size=self._cut.size,
                        overlap=self._cut.overlap,
                    )
                except PinciteError:
                    chunks = ()
            self._cuts[key] = document, chunks
        return self._cuts[key]


def _cited_hash(body: Body, chunk_id: str) -> str:
    """Answers of before did not keep the version of what was read, only of what they cite."""
    return next(
        (one.get("document_hash") or "" for one in body["citations"] if one["chunk_id"] == chunk_id), ""
    )


def _version(content_hash: str, document: Document | None) -> str:
    named = f" (version {document.version})" if document is not None and document.version else ""
    return content_hash[:12] + named


def _around(chunk: Chunk, near: tuple[Chunk, ...]) -> tuple[str, str]:
    before = [one.text for one in near if one.ordinal == chunk.ordinal - 1]
    after = [one.text for one in near if one.ordinal == chunk.ordinal + 1]
    return "".join(before)[-NEIGHBOUR_CHARS:], "".join(after)[:NEIGHBOUR_CHARS]


def _rebuilt(read: Body, document: Document) -> Chunk | None:
    if read.get("doc_start") is None:
        return None
    span = Span(read["doc_start"], read["doc_end"])
    context = tuple(Span(one["start"], one["end"]) for one in read.get("context", ()))
    return Chunk(
        chunk_id=ChunkId(read["chunk_id"]),
        doc_id=DocId(document.doc_id),
        ordinal=0,
        span=span,
        text=span.of(document.text),
        context=context,
        context_texts=tuple(one.of(document.text) for one in context),
    )


# --- then and now -------------------------------------------------------------------------------


def _differences(sentence: Sentence, now: Verdict) -> Iterator[SentenceDifference]:
    then = sentence.verdict
    for name, old, new in _pairs(then, now):
        if old != new:
            yield SentenceDifference(sentence.index, sentence.text, name, str(old), str(new))


def _pairs(then: Verdict, now: Verdict) -> Iterator[tuple[str, Any, Any]]:
    yield "support", then.support.value, now.support.value
    yield "score", *_scores(then.score, now.score)
    yield "differences", _facts(then), _facts(now)
    old, new = _by_marker(then.checks), _by_marker(now.checks)
    for key, check in old.items():
        yield from _check_pairs(check, new.get(key))
    for citation_id, _ in (key for key in new if key not in old):
        yield f"{citation_id} check", "none", "there"


def _by_marker(checks: tuple[CitationCheck, ...]) -> dict[tuple[str, int], CitationCheck]:
    """Checks by their citation, and which marker of it in the sentence they are for."""
    seen: Counter[str] = Counter()
    found = {}
    for check in checks:
        found[check.citation_id, seen[check.citation_id]] = check
        seen[check.citation_id] += 1
    return found


def _check_pairs(then: CitationCheck, now: CitationCheck | None) -> Iterator[tuple[str, Any, Any]]:
    name = then.citation_id
    if now is None:
        yield f"{name} check", "there", "none"
        return
    yield f"{name} status", then.status.value, now.status.value
    yield f"{name} support", then.support.value, now.support.value
    yield f"{name} quote match", then.quote_match.value, now.quote_match.value
    yield f"{name} match score", *_scores(then.match_score, now.match_score)


def _scores(then: float, now: float) -> tuple[float, float]:
    return (then, then) if abs(then - now) < SCORE_ROUNDING else (then, round(now, 4))


def _facts(found: Verdict) -> str:
    return "; ".join(f"{one.kind}: {one}" for one in found.differences)


def _changed_settings(body: Body, then: Mapping[str, Any], now: Mapping[str, str]) -> Iterator[Change]:
    pairs = (
        ("judge", then.get("judge"), now.get("judge")),
        ("config", then.get("config_hash"), now.get("config_hash")),
        ("pincite", then.get("pincite"), now.get("pincite")),
        ("prompts", body.get("prompt_hash"), now.get("prompt_hash")),
        ("model", body.get("model"), now.get("model")),
    )
    for what, old, new in pairs:
        if not old:
            yield Change(what, "", "not known", str(new or "not known"))
        elif new and old != new:
            yield Change(what, "", str(old), str(new))
