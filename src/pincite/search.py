"""Find the chunks that speak of a question, among those its reader may see.

Words are weighed by BM25, meanings by cosine; both are put on scales that mean the same for every question, so
that a hit's score can be read as evidence. Robertson and Zaragoza 2009 describe BM25.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np

from pincite.errors import ConfigError, StoreError
from pincite.evidence import Meaning, answers_abroad, evidence, is_language
from pincite.ports import Embedder, Floats, Ints, Reranker
from pincite.ports.stores import Narrowing, Store
from pincite.ranking import (
    CANDIDATES,
    WORD_WEIGHT,
    WORDING_WEIGHT,
    Doubles,
    bm25,
    fuse_ranks,
    fuse_scores,
    pieces,
    wording,
)
from pincite.text.questions import aspects
from pincite.text.words import content_words, detect_language, terms, tokens
from pincite.types import Chunk, ChunkId, DocumentInfo, Hit, Question

MAX_TOP_K = 100
MAX_QUESTION_CHARS = 16_384
"""What stands behind is not searched for: a question has 256 words at most."""

MAX_QUERY_WORDS = 256
"""Further words of a very long question are left aside."""

FUNCTION_WORDS_UP_TO = 20_000
"""Chunks that a reader sees. Function words add 0.4 to mean r@1 on XQuAD (94.4 instead of 94.0); in more chunks than
these they stand nearly everywhere, and reading where would take most of the time of a search."""

PER_DOCUMENT = 3
"""Chunks of one document among the hits, as long as other documents have something to say."""

MAX_TIES = 1_000
"""Chunks with the same score as the last candidate go on too, so that their ids decide; no more than these."""

READ = 30
"""Candidates that are read from the store, or three for each hit wanted when that is more: some are copies of others."""

PER_LANGUAGE = 10
"""Chunks of each other language that are looked at when the first hit is unlikely to answer."""

LIKELY = 0.5
"""Evidence from which on the first hit stays the first, whatever there is in other languages."""

RERANKED = 20
"""Chunks a reranker reads. Twenty of 128 tokens take a small cross-encoder 0.4 s on two cores."""

REPEATED = 0.9
"""A chunk whose words stand in a better hit, or the other way round, repeats it when it is this part of its length."""

MAX_PARTS = 4
"""Parts of a question that are searched for each: every one takes as long as a search of its own."""
PER_PART = 3
"""Chunks of each part that are sure of a place."""

Mode = Literal["hybrid", "words"]
Fusion = Literal["score", "rrf"]


@dataclass(frozen=True, slots=True)
class _Found:
    """Chunks that one of the searches found, one at each place of the arrays. ``cosine`` is NaN when there is none."""

    keys: Ints
    bm25: Doubles
    coverage: Doubles
    cosine: Doubles
    fused: Doubles

    def at(self, places: Ints) -> _Found:
        return _Found(*(getattr(self, item.name)[places] for item in fields(self)))


@dataclass(frozen=True, slots=True)
class _Loaded:
    key: int
    chunk: Chunk
    document: DocumentInfo
    bm25: float
    coverage: float
    cosine: float
    fused: float
    words: str  # of the view, folded, with a blank before and after each
    wording: float = math.nan
    before: float = math.nan  # the fused score, once something else has put them in order
    rerank: float = math.nan

    @property
    def view(self) -> str:
        """What a reader of this chunk sees."""
        return _view(self.chunk)


def search(
    question: Question,
    store: Store,
    *,
    embedder: Embedder | None = None,
    mode: Mode = "hybrid",
    fusion: Fusion = "score",
    reranker: Reranker | None = None,
) -> tuple[Hit, ...]:
    """The best chunks for ``question``, best first, at most ``question.top_k``.

    Each part of a question that wants an answer of its own is searched for as well, so that one of them does not take
    all places.

    Args:
        question: Its reader, filters and ``top_k`` (1 to 100) decide what may come back.
        store: Where to look.
        embedder: The one that made the index's vectors. Without it, or while the index has none: words alone.
        mode: ``words`` leaves the vectors aside.
        fusion: ``score`` or ``rrf``.
        reranker: Orders the 20 best, or ``2 * top_k`` when that is more, anew.

    Returns:
        Hits with ranks from 1. ``score`` is evidence in 0-1, comparable between questions. Ties go by chunk id.
        A chunk that says the same as a better one is left out. Nothing is found: ``()``.

    Raises:
        ConfigError: ``top_k`` is out of range, or a filter or ``fusion`` is unknown.
        StoreError: The store cannot be read, or was built with another embedder.
    """
    _check(question, fusion)
    question = replace(question, text=question.text[:MAX_QUESTION_CHARS])
    language = question.language or detect_language(question.text)

    def found(text: str) -> tuple[Hit, ...]:
        one = question if text == question.text else replace(question, text=text, language=language)
        return _search(one, store, embedder=embedder, mode=mode, fusion=fusion, reranker=reranker)

    parts = aspects(question.text)[:MAX_PARTS]
    with store.reading():  # a change in between would put chunks of two generations side by side
        whole = found(question.text)
        return whole if len(parts) < 2 else _together(whole, [*map(found, parts)], question.top_k)


def _together(whole: tuple[Hit, ...], lists: Sequence[tuple[Hit, ...]], top_k: int) -> tuple[Hit, ...]:
    """The chunks found for the whole question, and in place of its last ones the best of each part that are not among them.

    Those that come in are worth as much, beside the best of the whole, as they are beside the best of their list.
    """
    most = whole[0].fused if whole else max((hits[0].fused for hits in lists if hits), default=0.0)
    known = {hit.chunk.chunk_id for hit in whole}
    added: dict[ChunkId, Hit] = {}
    for hits in lists:
        for hit in hits[:PER_PART]:
            chunk_id = hit.chunk.chunk_id
            worth = most * hit.fused / hits[0].fused if hits[0].fused > 0 else 0.0
            if chunk_id not in known and (chunk_id not in added or worth > added[chunk_id].fused):
                added[chunk_id] = replace(hit, fused=worth)
    kept = whole[: max(0, top_k - len(added))]
    ordered = sorted([*kept, *added.values()], key=lambda hit: -hit.fused)[:top_k]
    return tuple(replace(hit, rank=place) for place, hit in enumerate(ordered, start=1))


def _search(
    question: Question,
    store: Store,
    *,
    embedder: Embedder | None,
    mode: Mode,
    fusion: Fusion,
    reranker: Reranker | None,
) -> tuple[Hit, ...]:
    wanted = max(READ, 3 * question.top_k)
    language = question.language or detect_language(question.text)
    fingerprint = embedder.fingerprint if embedder is not None else ""

    def meaning(item: _Loaded) -> Meaning:
        return Meaning(item.cosine, fingerprint, language, item.document.language)

    def says(item: _Loaded) -> float:
        return evidence(item.coverage, meaning(item))

    with store.reading():
        found = _by_words(question, language, store)
        vector = _vector(question, store, embedder) if mode == "hybrid" else None
        if vector is not None:
            found = _with_vectors(question, store, vector, found, fusion)
        loaded = _load(question, store, found.at(_top(found.fused, wanted)))[:wanted]
        if fusion == "score":
            loaded = _by_wording(question.text, language, loaded)
        if vector is not None and loaded and language is not None and says(loaded[0]) < LIKELY:
            loaded += _load(question, store, _elsewhere(question, language, store, vector, found, loaded))
    best = _without_repeats(loaded)
    if reranker is not None and best:
        best = _reranked(question.text, best[: max(RERANKED, 2 * question.top_k)], reranker)
    else:
        best = _answer_in_another_language(best, says, meaning, language)
    return tuple(
        Hit(
            rank=place,
            chunk=item.chunk,
            document=item.document,
            score=says(item),
            fused=item.fused,
            parts=_parts(item),
        )
        for place, item in enumerate(_spread(best, question.top_k), start=1)
    )


def _check(question: Question, fusion: str) -> None:
    if not 1 <= question.top_k <= MAX_TOP_K:
        raise ConfigError(f"top_k must be between 1 and {MAX_TOP_K}, got {question.top_k}")
    if fusion not in ("score", "rrf"):
        raise ConfigError(f"unknown fusion {fusion!r}", hint="choose from rrf, score")


# --- words --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class QueryWords:
    """The distinct words of a question, in order, each as the terms it may have become in the documents' languages."""

    content: tuple[tuple[str, ...], ...]
    function: tuple[tuple[str, ...], ...]


def query_words(text: str, language: str | None, languages: Sequence[str]) -> QueryWords:
    """Cut a question into words; ``function`` are those of ``language`` that are grammar, content when alone.

    At most 256 words.

    >>> query_words("When are returned goods refunded?", "en", ["en"]).content
    (('returned', 'return'), ('goods', 'good'), ('refunded', 'refund'))
    >>> query_words("To be or not to be", "en", ["en"]).content
    (('to',), ('be',), ('or',), ('not',))
    """
    content = {token.span for token in content_words(text, language)}
    plain = tokens(text)
    # One and the same text gives the same number of terms in every language: only the stems differ.
    versions = [plain, *(tokens(text, code) for code in languages)]
    words: dict[tuple[str, ...], bool] = {}
    for place, token in enumerate(plain):
        word = tuple(dict.fromkeys(version[place].term for version in versions))
        words[word] = words.get(word, False) or token.span in content
    chosen = list(words.items())[:MAX_QUERY_WORDS]
    meant = tuple(word for word, is_content in chosen if is_content)
    grammar = tuple(word for word, is_content in chosen if not is_content)
    return QueryWords(meant, grammar) if meant else QueryWords(grammar, ())


def _by_words(question: Question, language: str | None, store: Store) -> _Found:
    """The chunks that share a word with the question, best first: the 100 best and what ties with the last."""
    words = query_words(question.text, language, store.languages(question.reader))
    chunk_count = store.postings((), question.reader, ()).chunk_count
    function = words.function if chunk_count <= FUNCTION_WORDS_UP_TO else ()
    # Without a single term the store is asked all the same: an empty question takes the same way as any other.
    asked = tuple(dict.fromkeys(term for word in (*words.content, *function) for term in word))
    if isinstance(store, Narrowing):
        postings = store.narrowed(words.content, function, question.reader, question.filters, CANDIDATES)
    else:
        postings = store.postings(asked, question.reader, question.filters)
    places = {term: place for place, term in enumerate(asked)}
    keys, scores, reachable = bm25(words.content, places, postings, function_words=function)
    best = _top(scores, CANDIDATES)
    coverage = scores[best] / reachable if len(best) else scores[best]
    return _Found(keys[best], scores[best], coverage, np.full(len(best), np.nan), WORD_WEIGHT * coverage)


# --- vectors ------------------------------------------------------------------------------------


def _vector(question: Question, store: Store, embedder: Embedder | None) -> Floats | None:
    """The question's vector; ``None`` without an embedder or while the index has no vectors."""
    built = store.embedder_fingerprint
    if embedder is None or built is None:
        return None
    if built != embedder.fingerprint:
        raise StoreError(
            f"the index was built with embedder {built}, now {embedder.fingerprint} is set",
            hint="build the index again: pincite add --rebuild",
        )
    return embedder.query(question.text)


def _with_vectors(
    question: Question, store: Store, vector: Floats, by_words: _Found, fusion: Fusion
) -> _Found:
    """Add the nearest chunks, and the cosines of those found by words; order all of them by both."""
    nearest, _ = store.nearest(vector, question.reader, question.filters, CANDIDATES)
    keys = np.union1d(by_words.keys, nearest)
    # Asked for one by one and in double precision, a cosine does not depend on which other chunks there are.
    cosine = store.cosines(vector, keys.tolist()).astype(np.float64)
    if np.isnan(cosine).all():
        # Whether there are vectors further up, for other readers, must not show.
        return by_words
    bm25s, coverage = np.zeros(len(keys)), np.zeros(len(keys))
    places = np.searchsorted(keys, by_words.keys)
    bm25s[places], coverage[places] = by_words.bm25, by_words.coverage
    fused = fuse_ranks(cosine, bm25s) if fusion == "rrf" else fuse_scores(cosine, coverage)
    return _Found(keys, bm25s, coverage, cosine, fused)


def _elsewhere(
    question: Question,
    language: str,
    store: Store,
    vector: Floats,
    found: _Found,
    loaded: Sequence[_Loaded],
) -> _Found:
    """The nearest chunks in each language but the question's that are not loaded yet; last in order as it stands."""
    held = {item.key for item in loaded}
    keys: list[int] = []
    for other in store.languages(question.reader):
        if not is_language(other, language):
            filters = (*question.filters, ("language", other))
            nearest, _ = store.nearest(vector, question.reader, filters, PER_LANGUAGE)
            keys += [key for key in nearest.tolist() if key not in held]
    scores = {key: place for place, key in enumerate(found.keys.tolist())}
    known = np.array([scores.get(key, -1) for key in keys], dtype=np.int64)
    cosine = store.cosines(vector, keys).astype(np.float64)
    nothing = np.zeros(len(keys))
    bm25s, coverage = (
        np.where(known >= 0, part[known], nothing) if len(part) else nothing
        for part in (found.bm25, found.coverage)
    )
    return _Found(np.array(keys, dtype=np.int64), bm25s, coverage, cosine, nothing)


def _load(question: Question, store: Store, found: _Found) -> list[_Loaded]:
    """The chunks themselves, best first; ties by chunk id."""
    chunks = store.load(found.keys.tolist(), question.reader)
    rows = zip(found.keys, chunks, found.bm25, found.coverage, found.cosine, found.fused, strict=True)
    loaded = [
        _Loaded(
            key=int(key),
            chunk=chunk,
            document=document,
            bm25=float(bm25),
            coverage=float(coverage),
            cosine=float(cosine),
            fused=float(fused),
            words=_words(_view(chunk)),
        )
        for key, (chunk, document), bm25, coverage, cosine, fused in rows
    ]
    return sorted(loaded, key=lambda item: (-item.fused, item.chunk.chunk_id))


def _view(chunk: Chunk) -> str:
    return "\n".join((*chunk.context_texts, chunk.text))


def _words(text: str) -> str:  # between blanks
    return " ".join(("", *terms(text), ""))


def _by_wording(question: str, language: str | None, loaded: Sequence[_Loaded]) -> list[_Loaded]:
    """What was read in a new order: the more of the question's very wording a chunk has, the better.

    In another language the same letters are chance, or a name, which the words know already.
    """
    asked = pieces(question, language)
    again: list[_Loaded] = []
    for item in loaded:
        share = wording(asked, item.words) if is_language(item.document.language, language) else 0.0
        again.append(replace(item, fused=item.fused + WORDING_WEIGHT * share, wording=share))
    return sorted(again, key=lambda item: (-item.fused, item.chunk.chunk_id))


def cache_key(parts: Mapping[str, Any]) -> str:
    """One key for everything that a result depends on: question, reader, filters, generation, settings.

    Two requests share a key only when they are the same in every part, so that no reader is ever given what was
    found for another one. ``parts`` holds what JSON holds.

    >>> cache_key({"question": "a", "reader": "public"}) == cache_key({"reader": "public", "question": "a"})
    True
    >>> cache_key({"question": "a", "reader": "public"}) == cache_key({"question": "a", "reader": "internal"})
    False
    """
    written = json.dumps(parts, sort_keys=True, separators=(",", ":"), allow_nan=True)
    return hashlib.sha256(written.encode("ascii")).hexdigest()


# --- which of them ------------------------------------------------------------------------------


def _top(scores: Doubles, limit: int) -> Ints:
    """Places of the ``limit`` best scores and of what ties with the last, best first."""
    if len(scores) > limit:
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        places = np.flatnonzero(scores >= least)
    else:
        places = np.arange(len(scores))
    return places[np.argsort(-scores[places], kind="stable")][: max(limit, MAX_TIES)]


def _without_repeats(found: Sequence[_Loaded]) -> list[_Loaded]:
    """Leave out what a better hit says already: the same words in the same order, or nine tenths of them.

    One word more or less, such as a "not", is no repeat: sources that contradict each other must both be seen.
    """
    kept: list[_Loaded] = []
    for item in found:
        if not any(_repeats(item.words, other.words) for other in kept):
            kept.append(item)
    return kept


def _repeats(one: str, other: str) -> bool:
    if len(one) <= len(other):
        return len(one) >= REPEATED * len(other) and one in other
    return len(other) >= REPEATED * len(one) and other in one


def _reranked(question: str, found: Sequence[_Loaded], reranker: Reranker) -> list[_Loaded]:
    scores = reranker(question, [item.view for item in found])
    again = [
        replace(item, fused=float(score), before=item.fused, rerank=float(score))
        for item, score in zip(found, scores, strict=True)
    ]
    return sorted(again, key=lambda item: (-item.fused, -item.before, item.chunk.chunk_id))


def _answer_in_another_language(
    found: Sequence[_Loaded],
    says: Callable[[_Loaded], float],
    meaning: Callable[[_Loaded], Meaning],
    language: str | None,
) -> list[_Loaded]:
    """Vectors prefer their own language so strongly that near misses in it hide an answer in another one.

    So where the first hit is unlikely to answer, and one in another language does, evidence decides.
    """
    if not found or language is None or not is_language(found[0].document.language, language):
        return list(found)
    abroad = [item for item in found if not is_language(item.document.language, language)]
    # A page of commands with a few sentences is often taken for English: the passage itself is asked too.
    best = next(
        (
            item
            for item in sorted(abroad, key=says, reverse=True)
            if not is_language(detect_language(item.chunk.text) or item.document.language, language)
        ),
        None,
    )
    if best is None or not says(found[0]) < min(LIKELY, says(best)):
        return list(found)
    if not answers_abroad(meaning(found[0]), found[0].coverage, meaning(best)):
        return list(found)
    again = [replace(item, fused=says(item), before=item.fused) for item in found]
    return sorted(again, key=lambda item: (-item.fused, -item.before, item.chunk.chunk_id))


def _spread(found: Sequence[_Loaded], top_k: int) -> list[_Loaded]:
    """The ``top_k`` best, where from the fourth chunk of a document on only half of the fused score counts."""
    counts: dict[str, int] = {}
    weighed: list[tuple[float, int]] = []
    for place, item in enumerate(found):
        count = counts[item.chunk.doc_id] = counts.get(item.chunk.doc_id, 0) + 1
        weighed.append((-item.fused if count <= PER_DOCUMENT else -item.fused / 2, place))
    return [found[place] for place in sorted(place for _, place in sorted(weighed)[:top_k])]


def _parts(item: _Loaded) -> dict[str, float]:
    parts = {"bm25": item.bm25, "coverage": item.coverage}
    if not math.isnan(item.cosine):
        parts["cosine"] = item.cosine
    if not math.isnan(item.wording):
        parts["wording"] = item.wording
    if not math.isnan(item.before):
        parts["fused"] = item.before
    if not math.isnan(item.rerank):
        parts["rerank"] = item.rerank
    return parts
