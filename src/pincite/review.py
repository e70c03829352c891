"""Over all claims of an answer: citations, counts, what is not covered, and how sure we are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from pincite.answer import GOOD, Conflict, Metrics, Removed, Snippet
from pincite.context import Context, Source
from pincite.findings import (
    AnswerStatus,
    Citation,
    CitationCheck,
    CitationStatus,
    Claim,
    ReasonCode,
    Sentence,
    Support,
    TableCell,
)
from pincite.prompts import phrase
from pincite.text.cells import cell_address
from pincite.text.characters import PAIRED_LANGUAGES, UNSPACED_LANGUAGES
from pincite.text.lexicon import base_language
from pincite.text.questions import aspects, topic
from pincite.text.synonyms import groups_of
from pincite.text.tables import find_cell
from pincite.text.words import content_words, terms, tokens
from pincite.types import Chunk, Hit, Span, shorten

ANCHOR_CHARS = 32
"""Length of ``Citation.prefix`` and ``suffix``: enough to tell repeated sentences apart."""

SNIPPET_CHARS = 200
MAX_SNIPPETS = 3
SHARED_WORDS_SHOWN = 5

# Source 000: grounded when 90 % of the (sentence, id) pairs hold and 80 % of the sentences cite.
GROUNDED_CONFIDENCE = 0.90
GROUNDED_COVERAGE = 0.80
# Source 002: ``meets_target``.
TARGET_ACCURACY = 0.90

# Source 003 names the parts of confidence; the weights are ours until they are fitted on judged answers.
CONFIDENCE_WEIGHTS = {
    "verdicts": 0.35,
    "coverage": 0.20,
    "similarity_max": 0.15,
    "similarity_mean": 0.10,
    "sources": 0.05,
    "agreement": 0.10,
    "self_rating": 0.05,
}
_NOT_CALIBRATED = ("similarity_max", "similarity_mean", "sources")
"""Parts that a calibrated chance takes the place of."""

ENOUGH_SOURCES = 2
"""Distinct documents from which on more of them add no confidence."""
HIGH_CONFIDENCE = 0.70
MEDIUM_CONFIDENCE = 0.40

# An aspect counts as covered when half of its content words stand in what is shown or in its headings.
ASPECT_COVERED = 0.5
# Scripts cut into pairs of characters share fewer of them with what answers.
PAIRED_SHARE = 0.5

_DELIMITER = "\n| --- |"
"""What stands below the header of a table file."""

_BEST_FIRST = tuple(CitationStatus)


# --- citations ----------------------------------------------------------------------------------


def citations(sentences: Sequence[Sentence], context: Context) -> tuple[Citation, ...]:
    """The cited chunks in order of first appearance, each once, with all places that back a sentence.

    Ids that the context does not hold have no passage and give no citation; they stay visible in the checks.
    """
    checks: dict[str, list[tuple[Sentence, CitationCheck]]] = {}
    for sentence in sentences:
        for check in sentence.verdict.checks:
            if check.citation_id in context.sources:
                checks.setdefault(check.citation_id, []).append((sentence, check))
    return tuple(
        _citation(context.sources[citation_id], number, found)
        for number, (citation_id, found) in enumerate(checks.items(), start=1)
    )


def _citation(source: Source, number: int, used: Sequence[tuple[Sentence, CitationCheck]]) -> Citation:
    checks = [check for _, check in used]
    worst = max(checks, key=lambda check: _BEST_FIRST.index(check.status))
    spans = tuple(dict.fromkeys(span for check in checks for span in check.spans))
    chunk, document = source.chunk, source.hit.document
    own = [span for span in spans if chunk.span.contains(span)]
    prefix, suffix = _surroundings(source, own)
    return Citation(
        id=source.id,
        n=number,
        chunk_id=chunk.chunk_id,
        document=document,
        spans=spans,
        exact=_joined(chunk, spans),
        prefix=prefix,
        suffix=suffix,
        section=chunk.section,
        page_index=chunk.page_index,
        page_label=chunk.page_label,
        chunk_span=chunk.span,
        score=source.hit.score,
        score_kind=source.hit.score_kind,
        status=worst.status,
        quote_match=worst.quote_match,
        match_score=worst.match_score,
        differences=worst.differences,
        occurrences=worst.occurrences,
        suggested_chunk_id=worst.suggested_chunk_id,
        reason=worst.reason,
        address=_address(source, used, own),
    )


def _address(
    source: Source, used: Sequence[tuple[Sentence, CitationCheck]], own: Sequence[Span]
) -> TableCell | None:
    """Where a person finds the cited places in a table, and in the file if it is a table file; ``None`` outside of tables."""
    found, cells = _cell_in_table(source, used), _cells(source.chunk, own)
    return replace(found or TableCell(), cell=cells) if cells else found


def _cell_in_table(source: Source, used: Sequence[tuple[Sentence, CitationCheck]]) -> TableCell | None:
    """The cell that every sentence with this citation rests on; ``None`` when they rest on several, or on none."""
    chunk = source.chunk
    if "|" not in chunk.text:
        return None
    title = chunk.section[-1] if chunk.section else ""
    found: list[TableCell | None] = []
    for sentence, check in used:
        own = [span.shift(-chunk.span.start) for span in check.spans if chunk.span.contains(span)]
        cells = [
            find_cell(chunk.text, span, sentence.text, language=source.hit.document.language, title=title)
            for span in own
        ]
        found += [cell for cell in cells if cell is not None] or [None]
    return found[0] if found and all(cell == found[0] for cell in found) else None


def _cells(chunk: Chunk, own: Sequence[Span]) -> str:
    """Where the cited places of a table file stood; the header that comes with a row is not named beside it."""
    if not chunk.cells:
        return ""
    inside = [span.shift(-chunk.span.start) for span in own]
    rows = [span for span in inside if not chunk.text.startswith(_DELIMITER, span.end)]
    return ", ".join(dict.fromkeys(cell_address(chunk.text, chunk.cells, span) for span in rows or inside))


def _joined(chunk: Chunk, spans: Sequence[Span]) -> str:
    """Context first, then the passage; rows of a table stand on lines of their own, other pieces have an ellipsis between."""
    ordered = sorted(spans, key=lambda span: chunk.span.contains(span))
    text = ""
    for place, span in enumerate(ordered):
        piece = text_of(chunk, span)
        on_its_own_line = piece.startswith("|") or (place and not chunk.span.contains(ordered[place - 1]))
        text += ("\n" if on_its_own_line else " … ") + piece if place else piece
    return text


def text_of(chunk: Chunk, span: Span) -> str:
    """The document's text at ``span``, which lies in the chunk or in one of its context spans.

    Raises:
        AssertionError: If it lies in neither: the invariant of ``Citation.spans``.
    """
    if chunk.span.contains(span):
        return span.shift(-chunk.span.start).of(chunk.text)
    for around, text in zip(chunk.context, chunk.context_texts, strict=True):
        if around.contains(span):
            return span.shift(-around.start).of(text)
    raise AssertionError(f"{span} lies outside {chunk.chunk_id}")


def _surroundings(source: Source, spans: Sequence[Span]) -> tuple[str, str]:
    if not spans:
        return "", ""
    chunk = source.chunk
    text = source.before + chunk.text + source.after
    shift = len(source.before) - chunk.span.start
    start, end = spans[0].start + shift, spans[-1].end + shift
    return text[max(0, start - ANCHOR_CHARS) : start], text[end : end + ANCHOR_CHARS]


# --- counts -------------------------------------------------------------------------------------


def metrics(sentences: Sequence[Sentence], retrieval_count: int) -> Metrics:
    """Count what holds. Nothing to count gives ``None``, never a perfect or a zero score."""
    checks = [check for sentence in sentences for check in sentence.verdict.checks]
    pairs = [
        (check, check.status in GOOD)
        for sentence in sentences
        for check in _distinct(sentence.verdict.checks)
    ]
    ids: dict[str, bool] = {}
    for check in checks:
        ids[check.citation_id] = ids.get(check.citation_id, True) and check.status in GOOD
    covered = coverage([sentence.claim for sentence in sentences])
    accuracy = _share(sum(check.status in GOOD for check in checks), len(checks))
    valid = _share(sum(holds for _, holds in pairs), len(pairs))
    return Metrics(
        citation_coverage=covered,
        citation_accuracy=accuracy,
        verification_rate=_share(sum(ids.values()), len(ids)),
        confidence_score=valid,
        ids_alone=_share(sum(check.status is not CitationStatus.INVALID for check, _ in pairs), len(pairs)),
        retrieval_count=retrieval_count,
        verified=sum(check.status in GOOD for check in checks),
        unverified=sum(check.status not in GOOD for check in checks),
        meets_target=accuracy is not None and accuracy >= TARGET_ACCURACY,
        grounded=(valid or 0.0) >= GROUNDED_CONFIDENCE and (covered or 0.0) >= GROUNDED_COVERAGE,
    )


def _distinct(checks: Sequence[CitationCheck]) -> tuple[CitationCheck, ...]:
    """One check per id: a sentence that repeats a marker is one pair; the worse check counts."""
    worst: dict[str, CitationCheck] = {}
    for check in checks:
        held = worst.get(check.citation_id)
        if held is None or _BEST_FIRST.index(check.status) > _BEST_FIRST.index(held.status):
            worst[check.citation_id] = check
    return tuple(worst.values())


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def answer_status(
    sentences: Sequence[Sentence], uncovered: Sequence[str], removed: Sequence[Removed] = ()
) -> AnswerStatus:
    """ANSWERED, PARTIAL (something is uncovered, unverified or was removed) or UNCITED (nothing is cited)."""
    factual = [sentence for sentence in sentences if sentence.factual]
    if factual and not any(sentence.verdict.checks for sentence in factual):
        return AnswerStatus.UNCITED
    if uncovered or removed or any(sentence.support is not Support.SUPPORTED for sentence in factual):
        return AnswerStatus.PARTIAL
    return AnswerStatus.ANSWERED


# --- confidence ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Confidence:
    """``value`` in 0-1; ``label`` HIGH, MEDIUM or LOW; ``parts`` in 0-1, ``None`` where a part does not apply."""

    value: float
    label: str
    parts: Mapping[str, float | None]


def confidence(
    sentences: Sequence[Sentence],
    cited: Sequence[Citation],
    counts: Metrics,
    *,
    conflicts: Sequence[Conflict] = (),
    self_rating: int | None = None,
    answers: float | None = None,
) -> Confidence:
    """Blend the parts that apply, by weight (source 003). An invented id or no citation at all is LOW.

    Args:
        self_rating: The model's own 1-5, mapped to 0-1 by ``(r - 1) / 4``.
        answers: The calibrated chance that what is cited holds what was asked for. Then it takes the place of the
            similarities and of the number of sources, and the value is that chance times what was verified.
    """
    factual = [sentence for sentence in sentences if sentence.factual]
    documents = {citation.document.content_hash or citation.doc_id for citation in cited}
    parts: dict[str, float | None] = {
        **similarity_parts([citation.score for citation in cited]),
        "sources": min(1.0, len(documents) / ENOUGH_SOURCES) if documents else None,
        "agreement": (1.0 - min(1.0, len(conflicts) / len(factual))) if factual else None,
        "coverage": counts.citation_coverage,
        "self_rating": None if self_rating is None else (self_rating - 1) / 4,
        "verdicts": _share(sum(sentence.support is Support.SUPPORTED for sentence in factual), len(factual)),
    }
    if answers is not None:
        parts = {name: part for name, part in parts.items() if name not in _NOT_CALIBRATED}
        parts["answers"] = answers
    value = blended({name: part for name, part in parts.items() if name != "answers"}) if factual else 0.0
    value *= 1.0 if answers is None else answers
    invented = any(
        check.status is CitationStatus.INVALID for sentence in sentences for check in sentence.verdict.checks
    )
    return Confidence(value, _label(value, low=invented or not cited), parts)


def blended(parts: Mapping[str, float | None]) -> float:
    """The weighted mean of the parts that apply, in 0-1; 0.0 when none does.

    Parts outside 0-1 are brought back into it, and what is no number does not apply.

    >>> blended({"similarity_max": 1.2, "coverage": None, "verdicts": float("nan")})
    1.0
    """
    usable = {name: part for name, part in parts.items() if part is not None and math.isfinite(part)}
    weight = sum(CONFIDENCE_WEIGHTS[name] for name in usable)
    value = sum(CONFIDENCE_WEIGHTS[name] * min(1.0, max(0.0, part)) for name, part in usable.items())
    return value / weight if weight else 0.0


def similarity_parts(similarities: Sequence[float]) -> dict[str, float | None]:
    """The parts of confidence that similarities alone give. Without any, both are ``None``."""
    usable = [min(1.0, max(0.0, one)) for one in similarities if math.isfinite(one)]
    if not usable:
        return {"similarity_max": None, "similarity_mean": None}
    return {"similarity_max": max(usable), "similarity_mean": sum(usable) / len(usable)}


def coverage(claims: Sequence[Claim]) -> float | None:
    """The share of factual claims that cite a known source; ``None`` when there are none."""
    factual = [claim for claim in claims if claim.factual]
    return _share(sum(bool(claim.cited_ids) for claim in factual), len(factual))


def _label(value: float, *, low: bool) -> str:
    if low or value < MEDIUM_CONFIDENCE:
        return "LOW"
    return "HIGH" if value >= HIGH_CONFIDENCE else "MEDIUM"


# --- what is missing ----------------------------------------------------------------------------


def uncovered_aspects(
    question: str, sentences: Sequence[Sentence], cited: Sequence[Citation], language: str | None
) -> tuple[str, ...]:
    """The parts of the question of which the shown sentences and their headings hold less than half the words.

    Empty when the passages are in another language than the question: then words say nothing.
    """
    if any(citation.document.language not in (language, None) for citation in cited):
        return ()
    shown = {term for sentence in sentences if sentence.factual for term in _terms(sentence.text, language)}
    for citation in cited:
        shown |= _terms(" ".join((citation.document.title, *citation.section, citation.exact)), language)
    missing = []
    needed = ASPECT_COVERED * (PAIRED_SHARE if base_language(language) in PAIRED_LANGUAGES else 1.0)
    for aspect in aspects(question):
        wanted = _terms(topic(aspect), language)
        if wanted and sum(_is_said(term, shown, language) for term in wanted) < needed * len(wanted):
            missing.append(aspect)
    return tuple(missing)


def _is_said(term: str, shown: Set[str], language: str | None) -> bool:
    """Whether a word is in ``shown``, or one of the same meaning."""
    if term in shown:
        return True
    groups = groups_of(term, language)
    return bool(groups) and any(not groups.isdisjoint(groups_of(other, language)) for other in shown)


def _terms(text: str, language: str | None) -> set[str]:
    return {token.term for token in content_words(text, language)}


def abstention_reason(code: ReasonCode, near: Sequence[Snippet], language: str | None = None) -> str:
    """The sentence for people: why there is no answer, and what the nearest passages are about."""
    titles = list(dict.fromkeys(snippet.document.title or snippet.document.doc_id for snippet in near))
    reason = phrase(f"reason.{code.value}", language)
    if not titles:
        return reason
    between = "" if base_language(language) in UNSPACED_LANGUAGES else " "
    listed = ", ".join(repr(title) for title in titles)
    return f"{reason}{between}{phrase('closest', language).replace('{titles}', listed)}"


def snippets(question: str, hits: Sequence[Hit], language: str | None) -> tuple[Snippet, ...]:
    """The nearest passages, at most one for each document, with the words they share with the question."""
    chosen: dict[str, Snippet] = {}
    for hit in hits:
        if hit.document.doc_id in chosen or len(chosen) == MAX_SNIPPETS:
            continue
        shared = _shared_words(question, hit, language)
        nearest = phrase("nearest.meaning" if "cosine" in hit.parts else "nearest.words", language)
        listed = ", ".join(shared[:SHARED_WORDS_SHOWN])
        why = phrase("shares", language).replace("{words}", listed) if shared else nearest
        preview = shorten(" ".join(hit.chunk.text.split()), SNIPPET_CHARS)
        chosen[hit.document.doc_id] = Snippet(hit.chunk.chunk_id, hit.document, preview, hit.score, why)
    return tuple(chosen.values())


def _shared_words(question: str, hit: Hit, language: str | None) -> tuple[str, ...]:
    """Words of the question, as it writes them, that the passage holds too. Function words tell nothing."""
    tongue = hit.document.language or language
    held = {token.term for token in tokens(hit.chunk.text, tongue)}
    telling = [token.span.of(question) for token in content_words(question, language)]
    return tuple(dict.fromkeys(word for word in telling if set(terms(word, tongue)) & held))
