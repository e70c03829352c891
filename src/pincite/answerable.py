"""How likely the passages found answer a question: before anything is drafted, and of what an answer cites.

No single score separates what can be answered from what cannot: words held, words nowhere, their nearness, the kind of
value asked for and, with an embedder, meaning are weighed together. The weights are fitted (``answering.toml``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

from pincite.evidence import (
    background_of,
    is_calibrated,
    is_language,
    logistic_of,
    sentence_score,
    usual_cosine,
)
from pincite.findings import Citation
from pincite.text.asked_parts import for_this_part
from pincite.text.asked_rows import is_asked
from pincite.text.bearing import Asked, Part, Signals, parts_of, passages, signals
from pincite.text.characters import PAIRED_LANGUAGES
from pincite.text.expected import expected
from pincite.text.lexicon import base_language
from pincite.text.questions import subject_words, subjects
from pincite.types import Hit

BEST = 5
"""How many of the best sentences are asked whether they hold the kind of value that is wanted."""


IN_A_TABLE = 0.5
"""How likely a question is answered at least that names a row of a table and one of its columns. What is fitted knows no
tables (it was fitted on paragraphs), and takes rows that are all alike for passages that only share words."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What the passages together say about a question; shares in 0-1.

    Args:
        own: Of the question's words that the best sentence holds, by weight; ``whole``: asking words too.
        best_own, together: The most that any sentence holds, of words and of neighbouring words.
        several: What the five best sentences hold in the mean.
        known: Of the question's words that stand in any passage.
        rarest: Whether any sentence holds the rarest word.
        fresh: Of the best sentence's words that are not the question's.
        kind_held, kind_missing: Whether one of the best sentences holds the kind of value asked for, and none does.
        coverage: Square root of the best passage's BM25 over the most that could be reached.
        words: Logarithm of one and the number of the question's words.
        cosine: Of the nearest passage beyond what any two texts of these languages have in common, in parts of what is
            usual in this language for a question that can be answered.
        lead: Of that passage beyond the mean of all found, in the same parts.
    """

    own: float
    whole: float
    best_own: float
    together: float
    several: float
    known: float
    rarest: float
    fresh: float
    kind_held: float
    kind_missing: float
    coverage: float
    words: float
    cosine: float
    lead: float


@dataclass(frozen=True, slots=True)
class Borne:
    """How each sentence of the passages bears on a question: read once, and weighed before and after the draft."""

    asked: Asked
    parts: tuple[Part, ...]
    signals: tuple[Signals, ...]


def borne(question: str, hits: Sequence[Hit], language: str | None, *, is_part: bool = False) -> Borne | None:
    """Read the passages for a question; ``None`` when nothing in them can be quoted.

    ``is_part``: the question is one part of that for which the passages were found.
    """
    parts = parts_of(hits, language)
    if not parts:
        return None
    asked = Asked.of(question, question, parts, language)
    known = _signals(asked, parts)
    return Borne(asked, parts, tuple(for_this_part(asked, parts, known) if is_part else known))


def likelihood(
    question: str,
    hits: Sequence[Hit],
    language: str | None,
    fingerprint: str = "",
    read: Borne | None = None,
) -> float | None:
    """How likely the passages answer the question, in 0-1; ``None`` where that is not calibrated.

    Args:
        question: As it stands alone.
        hits: Best first.
        language: Of the question, if known.
        fingerprint: Of the embedder whose cosines the hits have.
        read: ``borne`` of the same question and hits, if it is at hand.

    Passages in another language are calibrated only with an embedder whose cosines are known.
    """
    read = read or borne(question, hits, language)
    if read is None:
        return None
    found = traits(read, hits, language, fingerprint)
    by_meaning = is_calibrated(fingerprint) and any("cosine" in hit.parts for hit in hits)
    if not is_language(hits[0].document.language, language):
        return logistic_of("answerable.other", _values(found)) if by_meaning else None
    fitted = logistic_of("answerable.meaning" if by_meaning else "answerable.words", _values(found))
    if fitted is not None and fitted < IN_A_TABLE and any(is_asked(read.asked, part) for part in read.parts):
        return IN_A_TABLE
    return fitted


def traits(read: Borne, hits: Sequence[Hit], language: str | None, fingerprint: str = "") -> Traits:
    """The traits of the passages that were read."""
    asked, known = read.asked, read.signals
    order = sorted(range(len(known)), key=lambda at: (-sentence_score(known[at]), at))
    first = known[order[0]]
    best = [known[at] for at in order[:BEST]]
    most = sorted((one.own for one in known), reverse=True)[:BEST]
    usual = usual_cosine(language)
    above = [
        (cosine - background_of(fingerprint, language, hit.document.language)) / usual
        for hit in hits
        if not math.isnan(cosine := hit.parts.get("cosine", math.nan))
    ]
    return Traits(
        own=first.own,
        whole=first.whole,
        best_own=most[0],
        together=max(one.together for one in known),
        several=math.fsum(most) / len(most),
        known=max(asked.share(asked.known, wanted) for wanted in asked.wanted.values()),
        rarest=max(one.rarest for one in known),
        fresh=first.fresh,
        kind_held=max(one.kind_held for one in best),
        kind_missing=min(one.kind_missing for one in best),
        coverage=math.sqrt(max(0.0, *(hit.parts.get("coverage", 0.0) for hit in hits), 0.0)),
        words=math.log1p(max(_count(wanted, tongue) for tongue, wanted in asked.wanted.items())),
        cosine=max(above, default=0.0),
        lead=max(above) - math.fsum(above) / len(above) if above else 0.0,
    )


def _count(wanted: Sequence[str], language: str | None) -> float:
    """How many words; pairs of characters overlap, so two of them are about one."""
    return len(wanted) / 2 if base_language(language) in PAIRED_LANGUAGES else len(wanted)


def cited_likelihood(
    question: str,
    hits: Sequence[Hit],
    cited: Sequence[Citation],
    language: str | None,
    fingerprint: str = "",
    read: Borne | None = None,
) -> float | None:
    """How likely the sentences that an answer cites hold what was asked for, in 0-1; ``None`` where not calibrated."""
    if not hits or not is_language(hits[0].document.language, language):
        return None
    read = read or borne(question, hits, language)
    if read is None:
        return None
    parts, known = read.parts, read.signals
    quoted = {citation.chunk_id: citation.exact for citation in cited}
    scored = [
        (sentence_score(signal), signal)
        for part, signal in zip(parts, known, strict=True)
        if part.piece.quote in quoted.get(part.hit.chunk.chunk_id, "")
    ]
    if not scored:
        return None
    score, signal = max(scored, key=lambda pair: pair[0])
    others = [one for one in (sentence_score(signal) for signal in known) if one < score]
    values = right_values(signal, score, max(others, default=0.0))
    by_meaning = is_calibrated(fingerprint) and any("cosine" in hit.parts for hit in hits)
    return logistic_of("right.meaning" if by_meaning else "right.words", values)


def right_values(signal: Signals, score: float, next_best: float) -> dict[str, float]:
    """What the calibration of an answer is fitted on: the signals of the sentence that is cited, its score, and how far
    that is beyond the next one."""
    return {**_values(signal), "score": score, "lead": score - next_best}


MANY = 3
"""A single word that so many documents hold about equally well does not say which of them is meant."""
ABOUT_EQUAL = 0.7


def is_vague(question: str, hits: Sequence[Hit], language: str | None) -> bool:
    """Whether a question leaves open what it is about: nothing but asking words ("What about it?"), or one word that
    three documents or more speak of about equally and none has in its title or a heading ("Costs?").

    Args:
        question: As it stands alone.
        hits: Best first.
    """
    words = subject_words(question, language)
    if words != 1 or expected(question, language) is not None:
        return words == 0
    (subject,) = subjects(question, language)
    titles = " ".join(title for hit in hits for title in (hit.document.title, *hit.chunk.section)).casefold()
    if subject.casefold() in titles:
        return False
    best = max((hit.fused for hit in hits), default=0.0)
    close = {
        hit.document.doc_id for hit in hits if hit.fused >= ABOUT_EQUAL * best and hit.parts.get("bm25", 0.0)
    }
    return len(close) >= MANY


def _signals(asked: Asked, parts: Sequence[Part]) -> list[Signals]:
    around = passages(parts)
    best_fused = max(one.hit.fused for one in parts)
    return [signals(asked, one, around[one.place], best_fused=best_fused) for one in parts]


def _values(of: Traits | Signals) -> dict[str, float]:
    return {item.name: getattr(of, item.name) for item in fields(of)}
