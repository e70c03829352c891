"""Answers without a model: sentences, list items and table rows of the sources, chosen by the question's words.

Not a word of its own but the lead-in. It is what runs offline with no key, and a reference for any model.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pincite.ports import Delta, ModelRequest
from pincite.prompts import phrase
from pincite.text.blocks import BlockKind
from pincite.text.passages import Quotable, quotables, read_row
from pincite.text.questions import asks_for_quantity, aspects, topic
from pincite.text.statements import statement_line
from pincite.text.view import chunk_view
from pincite.text.words import content_words, detect_language
from pincite.types import Hit, Quote, Statement

MAX_STATEMENTS = 6
MAX_LIST_ITEMS = 8

# How much of a part of the question a sentence with its headings must hold, by weight, to answer it.
COVERED = 0.55
# A word in the heading, header or lead-in counts less than one in the sentence itself.
CONTEXT_WEIGHT = 0.6
# The passage's place in the search result decides between sentences that hold the same words.
HIT_WEIGHT = 0.15
# A question for an amount is better answered by a sentence with a number in it.
QUANTITY_BONUS = 0.3
# A second sentence must bring this much of what is still open of a part of the question, and hold this much of it.
GAIN = 0.35
SECOND_HOLDS = 0.5


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A quotable part of a hit. ``own`` and ``around`` are its content terms and those of its headings."""

    prompt_id: str
    hit: Hit
    text: str
    quotable: Quotable
    own: frozenset[str]
    around: frozenset[str]
    order: tuple[int, int]
    has_number: bool

    @property
    def quote(self) -> str:
        return self.quotable.span.of(self.text)


def extractive(request: ModelRequest) -> Iterator[Delta]:
    """Write the best parts of the passages as statement lines, then what they do not cover.

    For each part of the question the part of a passage that holds most of its words is chosen, and further
    ones as long as they bring words still missing. The items of a list come together after their lead-in. A retry has
    nothing better to offer and writes nothing.
    """
    if request.failed:
        return
    question = request.question
    language = question.language or detect_language(question.text)
    candidates = _candidates(request.hits, language)
    chosen: list[_Candidate] = []
    missing: list[str] = []
    for aspect in aspects(question.text) or (question.text,):
        found = _answer(aspect, candidates, language)
        if not found:
            missing.append(aspect)
        chosen += [one for one in found if one not in chosen]
    if chosen:
        yield Delta(statement_line(Statement(phrase("lead_in", language))))
    for one in chosen[: MAX_STATEMENTS + MAX_LIST_ITEMS]:
        yield Delta(statement_line(_statement(one)))
    if not chosen:
        yield Delta(statement_line(Statement(phrase("no_information", language))))
    yield Delta(json.dumps({"uncovered_aspects": missing}, ensure_ascii=False) + "\n")


def _candidates(hits: Sequence[Hit], asked_in: str | None) -> tuple[_Candidate, ...]:
    found = []
    for place, hit in enumerate(hits, start=1):
        text = chunk_view(hit.chunk).text
        language = hit.document.language or asked_in
        outer = _terms(" ".join((hit.document.title, *hit.chunk.section)), language)
        body_start = len(text) - len(hit.chunk.text)
        for number, one in enumerate(quotables(text)):
            quoted = one.span.of(text)
            if one.span.end <= body_start or not _can_stand_alone(one, quoted):
                continue
            around = " ".join(
                span.of(text) for span in (one.lead_in, one.header, one.heading) if span is not None
            )
            found.append(
                _Candidate(
                    prompt_id=f"c-{place}",
                    hit=hit,
                    text=text,
                    quotable=one,
                    own=_terms(quoted, language),
                    around=outer | _terms(around, language),
                    order=(place, number),
                    has_number=any(char.isdigit() for char in quoted),
                )
            )
    return tuple(found)


def _can_stand_alone(one: Quotable, quoted: str) -> bool:
    """Questions and lead-ins answer nothing."""
    stripped = quoted.rstrip("*_ \n")
    return any(char.isalnum() for char in quoted) and not stripped.endswith((":", "：", "?", "？", "؟"))


def _terms(text: str, language: str | None) -> frozenset[str]:
    return frozenset(token.term for token in content_words(text, language))


def _answer(aspect: str, candidates: Sequence[_Candidate], language: str | None) -> list[_Candidate]:
    """The candidates that answer one part of the question, in reading order; empty when none does."""
    best: list[_Candidate] = []
    per_language = {one.hit.document.language for one in candidates}
    wanted_in = {tongue: _terms(topic(aspect), tongue or language) for tongue in per_language}
    if not candidates or not any(wanted_in.values()):
        return best
    weights = _weights(candidates, wanted_in)
    wants_number = asks_for_quantity(aspect)

    def value(one: _Candidate) -> float:
        share = _share(one, wanted_in[one.hit.document.language], weights)
        return (
            share + HIT_WEIGHT * one.hit.score + (QUANTITY_BONUS if wants_number and one.has_number else 0.0)
        )

    ranked = sorted(candidates, key=lambda one: (-value(one), one.order))
    first = ranked[0]
    wanted = wanted_in[first.hit.document.language]
    if _held(first, wanted, weights) < COVERED:
        return best
    best = [first, *_companions(first, candidates, wanted, weights)]
    covered = set().union(*(one.own for one in best)) | first.around
    total = sum(weights[term] for term in wanted)
    for one in ranked[1:]:
        if len(best) >= MAX_STATEMENTS:
            break
        gain = sum(weights[term] for term in wanted & one.own - covered)
        if one not in best and gain >= GAIN * total and _share(one, wanted, weights) >= SECOND_HOLDS:
            best.append(one)
            covered |= one.own
    return sorted(best, key=lambda one: one.order)


def _companions(
    first: _Candidate, candidates: Sequence[_Candidate], wanted: frozenset[str], weights: Mapping[str, float]
) -> list[_Candidate]:
    """The other items of the list when the question is about what opens it, not about one item."""
    if first.quotable.kind is not BlockKind.LIST_ITEM or first.quotable.lead_in is None:
        return []
    by_context = sum(weights[term] for term in wanted & first.around)
    by_itself = sum(weights[term] for term in wanted & (first.own - first.around))
    if by_itself >= by_context:
        return []
    family = [
        one
        for one in candidates
        if one.prompt_id == first.prompt_id
        and one.quotable.group == first.quotable.group
        and one is not first
    ]
    return family if len(family) < MAX_LIST_ITEMS else []


def _share(one: _Candidate, wanted: frozenset[str], weights: Mapping[str, float]) -> float:
    """How much of what is wanted the candidate holds, by weight; what only its headings hold counts less."""
    total = sum(weights[term] for term in wanted)
    own = sum(weights[term] for term in wanted & one.own)
    context = sum(weights[term] for term in wanted & (one.around - one.own))
    return (own + CONTEXT_WEIGHT * context) / total if total else 0.0


def _held(one: _Candidate, wanted: frozenset[str], weights: Mapping[str, float]) -> float:
    total = sum(weights[term] for term in wanted)
    return sum(weights[term] for term in wanted & (one.own | one.around)) / total if total else 0.0


def _weights(
    candidates: Sequence[_Candidate], wanted_in: Mapping[str | None, frozenset[str]]
) -> Mapping[str, float]:
    """Inverse document frequency among the candidates; a word that none of them has weighs most."""
    counts = Counter(term for one in candidates for term in one.own)
    wanted = frozenset[str]().union(*wanted_in.values())
    return {term: math.log(1 + len(candidates) / (counts[term] or 0.5)) for term in wanted}


def _statement(one: _Candidate) -> Statement:
    quoted = one.quote
    if one.quotable.header is not None:
        text = read_row(one.quotable.header.of(one.text), quoted)
        return Statement(f"{text}.", (Quote(one.prompt_id, quoted),))
    if one.quotable.kind is BlockKind.LIST_ITEM:
        return Statement(f"- {quoted}", (Quote(one.prompt_id, quoted),))
    return Statement(quoted, (Quote(one.prompt_id, quoted),))
