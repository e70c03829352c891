"""The arithmetic of ranking: BM25, and two ways to join it with cosines. Pure functions on arrays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from pincite.ports import Ints
from pincite.ports.stored import Postings, TermPostings
from pincite.text.words import content_words, tokens

Doubles = npt.NDArray[np.float64]

K1, B = 1.2, 0.75
"""Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009."""

CANDIDATES = 100
"""Chunks that each of the two searches hands on. The 100th cosine is also the zero of the scaled cosine."""

WORD_WEIGHT = 2.5
"""Fused score = scaled cosine + 2.5 x coverage. Between 2 and 3 it makes no difference (benchmarks/retrieval.py)."""

PIECE_CHARS = 5
WORDING_WEIGHT = 1.0
MAX_PIECES = 512
"""The question's very wording, by pieces of five characters, weighs as much as the nearest meaning does. It adds 0.5 to
mean r@1 on XQuAD, 1.5 by words alone; fours, sixes and weights from 0.75 to 1.5 do nearly as well
(benchmarks/results/retrieval.md). Further pieces of a very long question are left aside."""

RRF_K = 60
"""Cormack, Clarke and Buettcher, SIGIR 2009."""

BACKGROUND_CHUNKS = 10
"""Imagined chunks that hold none of the words: in a store of one document every word would weigh next to nothing
beside one that is not there, and each question look as if the document said nothing about it."""


def bm25(
    words: Sequence[Sequence[str]],
    places: Mapping[str, int],
    postings: Postings,
    *,
    function_words: Sequence[Sequence[str]] = (),
) -> tuple[Ints, Doubles, float]:
    """Score every chunk that holds one of the words.

    Args:
        words: Each the terms it may have become; they count as one word.
        places: Term to its place in ``postings``.
        postings: For all the terms.
        function_words: Count like the others where they occur; one that is nowhere says nothing of the documents.

    Returns:
        Keys, ascending; their scores, above 0; and the highest score that any chunk could reach with these
        words: unseen words count there with the weight of a word that no chunk holds, so that a question the
        documents know little about cannot score high.
    """
    found: list[tuple[Ints, Doubles]] = []
    reachable = 0.0
    for numbers, weight in weigh(words, places, postings, function_words=function_words):
        reachable += weight * (K1 + 1)
        match = _as_one([postings.matches[number] for number in numbers])
        if len(match.keys):
            length = B * match.lengths.astype(np.float64) / postings.mean_length + (1 - B)
            frequency = match.frequencies.astype(np.float64)
            found.append((match.keys, weight * (K1 + 1) * frequency / (frequency + K1 * length)))
    if not found:
        return np.empty(0, np.int64), np.empty(0, np.float64), reachable
    lowest = min(int(keys.min()) for keys, _ in found)
    table = np.zeros(max(int(keys.max()) for keys, _ in found) - lowest + 1)
    for keys, scores in found:
        table[keys - lowest] += scores
    held = np.flatnonzero(table)
    return held + lowest, table[held], reachable


def weigh(
    words: Sequence[Sequence[str]],
    places: Mapping[str, int],
    postings: Postings,
    *,
    function_words: Sequence[Sequence[str]] = (),
) -> Iterator[tuple[list[int], float]]:
    """The words that count, in order: the places of each one's terms, and its weight. See ``bm25``."""
    for word in (*words, *function_words):
        numbers = [places[term] for term in word]
        seen = min(sum(postings.document_frequency[number] for number in numbers), postings.chunk_count)
        if not seen and word in function_words:
            continue
        others = postings.chunk_count + BACKGROUND_CHUNKS - seen
        yield numbers, math.log(1 + (others + 0.5) / (seen + 0.5))


def _as_one(matches: Sequence[TermPostings]) -> TermPostings:
    """Several terms counted as one. Most often only one of them occurs at all."""
    present = [match for match in matches if len(match.keys)] or list(matches[:1])
    if len(present) == 1:
        return present[0]
    keys, first, place = np.unique(
        np.concatenate([match.keys for match in present]), return_index=True, return_inverse=True
    )
    frequencies = np.concatenate([match.frequencies for match in present])
    return TermPostings(
        keys=keys,
        frequencies=np.bincount(place, weights=frequencies).astype(np.float32),
        lengths=np.concatenate([match.lengths for match in present])[first],
    )


def fuse_scores(cosine: Doubles, coverage: Doubles, word_weight: float = WORD_WEIGHT) -> Doubles:
    """Scaled cosine + ``word_weight`` x coverage.

    The scale runs from the 100th best cosine, or the last when there are fewer, to the best one; what has no
    cosine, or a lower one, gets 0. A question whose words the documents do not have gets coverages near 0, so
    the word half goes silent by itself.

    >>> fuse_scores(np.array([0.9, 0.8, 0.7, np.nan]), np.array([0.0, 0.4, 0.0, 0.2])).round(3).tolist()
    [1.0, 1.5, 0.0, 0.5]
    """
    ranked = np.sort(cosine[~np.isnan(cosine)])[::-1][:CANDIDATES]
    scaled = np.zeros(len(cosine))
    if len(ranked):
        best, zero = ranked[0], ranked[-1]
        inside = cosine >= zero  # false for NaN
        scaled[inside] = (cosine[inside] - zero) / (best - zero) if best > zero else 1.0
    return scaled + word_weight * coverage


def pieces(question: str, language: str | None = None) -> tuple[str, ...]:
    """The different pieces of five characters of a question's words, blanks between them included, in order.

    Those of grammar alone are left out: "what is the" stands in every second heading. A shorter question is a piece itself.

    >>> pieces("What is the air fee?", "en")
    ('the a', 'he ai', 'e air', ' air ', 'air f', 'ir fe', 'r fee', ' fee ')
    >>> pieces("no"), pieces("?")
    ((' no ',), ())
    """
    meant = {token.span for token in content_words(question, language)}
    said, counts = [" "], [False]
    for token in tokens(question):
        said.append(f"{token.term} ")
        counts += [token.span in meant or not meant] * len(token.term) + [False]
    text = "".join(said)
    if len(text) <= PIECE_CHARS:
        return (text,) if text.strip() else ()
    places = range(min(len(text) - PIECE_CHARS + 1, MAX_PIECES))
    found = (text[at : at + PIECE_CHARS] for at in places if any(counts[at : at + PIECE_CHARS]))
    return tuple(dict.fromkeys(found))


def wording(asked: Sequence[str], said: str) -> float:
    """The share of the question's pieces that stand in ``said``, in 0-1.

    Pieces know what whole words do not: words that stand side by side, parts of compounds, endings, slips of the pen.

    Args:
        asked: From ``pieces``.
        said: Terms with a blank before and after each.

    >>> wording(pieces("air fee"), " the air fees "), wording((), " fee ")
    (0.8, 0.0)
    """
    return sum(map(said.__contains__, asked)) / len(asked) if asked else 0.0


def fuse_ranks(cosine: Doubles, bm25s: Doubles) -> Doubles:
    """Reciprocal rank fusion of both orders. Equal scores share a rank; a chunk without a score gets no points.

    >>> fuse_ranks(np.array([0.9, 0.8, np.nan]), np.array([0.0, 2.0, 3.0])).round(4).tolist()
    [0.0164, 0.0323, 0.0164]
    """
    fused = np.zeros(len(cosine))
    for scores in (cosine, np.where(bm25s > 0, bm25s, np.nan)):
        held = np.flatnonzero(~np.isnan(scores))
        ranks = 1 + np.searchsorted(np.sort(-scores[held]), -scores[held])
        fused[held] += np.where(ranks <= CANDIDATES, 1 / (RRF_K + ranks), 0.0)
    return fused


def rrf(rankings: Sequence[Sequence[str]], *, k: int = RRF_K) -> tuple[tuple[str, float], ...]:
    """Merge rankings into one by reciprocal rank fusion.

    Args:
        rankings: Ids, best first; one ranking per retriever. A repeated id counts where it stands first.
        k: Damps the top ranks. At least 1.

    Returns:
        Each id once, best first, with the sum of ``1 / (k + rank)``, ranks from 1. Ties go by id.

    >>> [(name, round(score, 4)) for name, score in rrf([["a", "b"], ["b", "c"]])]
    [('b', 0.0325), ('a', 0.0164), ('c', 0.0161)]
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, name in enumerate(dict.fromkeys(ranking), start=1):
            scores[name] = scores.get(name, 0.0) + 1 / (k + place)
    # Rounded for the comparison only: sums in another order must not break a tie.
    return tuple(sorted(scores.items(), key=lambda item: (-round(item[1], 12), item[0])))
