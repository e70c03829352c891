"""Answers without a model: sentences, list items and table rows of the sources, chosen by the question's words.

Not a word of its own but the lead-in. It is what runs offline with no key, and a reference for any model.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pincite.ports import Delta, Embedder, Model, ModelRequest
from pincite.prompts import phrase
from pincite.text.blocks import BlockKind
from pincite.text.passages import Quotable, quotables, read_row
from pincite.text.questions import asks_for_code, asks_for_quantity, aspects, topic
from pincite.text.statements import statement_line
from pincite.text.view import chunk_view
from pincite.text.words import content_words, detect_language, words
from pincite.types import Hit, Quote, Statement

MAX_STATEMENTS = 6
MAX_LIST_ITEMS = 8

# The weights below were chosen on XQuAD's even articles in English and looked at on its odd ones (benchmarks/answers.py).
# A word in a heading counts less than one in the sentence itself; one in the header of a row or the lead-in of an
# item nearly as much.
CONTEXT_WEIGHT = 0.4
HEADER_WEIGHT = 0.8
# In a question of several parts the words of the others say what this one is about.
WHOLE_WEIGHT = 0.3
# The passage's evidence and its place in the search result.
HIT_WEIGHT = 1.0
RANK_WEIGHT = 0.1
# A question for an amount is better answered by a sentence with a number in it.
QUANTITY_BONUS = 0.2
# A block of code has many words and answers few questions, unless one is asked for.
CODE_BONUS = 0.3
# Meaning: cosine of question and sentence beyond what any two texts of this embedder have, as a share of the rest.
MEANING_WEIGHT = 2.0
UNRELATED_COSINE = 0.75
# How many sentences, best by words, are compared by meaning: with 4 the right one is among them as often as with 12.
COMPARED = 4
# Words cannot choose among sentences of another language: more of them are compared.
COMPARED_ABROAD = 12

# How much of a part of the question a sentence with its headings must hold, by weight, to answer it. Of few words each
# counts: one that no passage has is what the question is about. Scripts cut into pairs of characters share fewer of them.
FEW_WORDS = 3
HELD_OF_FEW = 0.5
HELD = 0.35
HELD_WITH_MEANING = 0.2
UNSPACED_SHARE = 0.5
# A passage with at least this evidence is about the question even if a word of it is nowhere: near misses, such as a
# plan or a product that there is not, mostly stay below.
SURE_OF_OTHER_WORDS = 0.8
# A passage that surely is about the question may use other words for it.
SURE = 0.5
SHARE_WHEN_SURE = 0.5
# Across languages words say nothing; meaning must say more.
RELATED_COSINE = 0.81
# Unless a document of several languages has the very words of the question.
SAME_WORDS = 0.8

HEADING_CHARS = 60
"""A shorter line of prose without a stop is taken for a heading."""

# A second sentence must bring this much of what is still open of a part of the question, and hold this much of it.
GAIN = 0.35
SECOND_HOLDS = 0.5


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A quotable part of a hit. ``own`` are its content terms, ``near`` those of its header row or lead-in, ``around``
    those of its headings."""

    prompt_id: str
    hit: Hit
    text: str
    quotable: Quotable
    own: frozenset[str]
    near: frozenset[str]
    around: frozenset[str]
    language: str | None
    order: tuple[int, int]
    has_number: bool

    @property
    def quote(self) -> str:
        return self.quotable.span.of(self.text)

    @property
    def reading(self) -> str:
        """How a person reads it: a row with its header, an item after its lead-in."""
        if self.quotable.header is not None:
            return read_row(self.quotable.header.of(self.text), self.quote)
        if self.quotable.lead_in is not None:
            return f"{self.quotable.lead_in.of(self.text)} {self.quote}"
        return self.quote


def make_extractive(embedder: Embedder | None = None) -> Model:
    """The extractive answer as a model. With an embedder the last choice is by meaning, and works across languages."""
    return lambda request: _lines(request, embedder)


def extractive(request: ModelRequest) -> Iterator[Delta]:
    """The extractive answer by words alone; see ``make_extractive``."""
    return _lines(request, None)


def _lines(request: ModelRequest, embedder: Embedder | None) -> Iterator[Delta]:
    """Write the best parts of the passages as statement lines, then what they do not cover.

    For each part of the question the part of a passage that fits best is chosen, and further ones as long as they bring
    words still missing. The items of a list come together after their lead-in. A retry has nothing better to offer and
    writes nothing.
    """
    if request.failed:
        return
    question = request.question
    language = question.language or detect_language(question.text)
    candidates = _candidates(request.hits, language, question.first_id)
    chosen: list[_Candidate] = []
    missing: list[str] = []
    for aspect in aspects(question.alone) or (question.alone,):
        found = _answer(_Aspect.of(aspect, question.alone, candidates, language), candidates, embedder)
        if not found:
            missing.append(aspect)
        chosen += [one for one in found if one not in chosen]
    if chosen:
        yield Delta(statement_line(Statement(phrase("lead_in", language))))
    for one in chosen[: MAX_STATEMENTS + MAX_LIST_ITEMS]:
        yield Delta(statement_line(_statement(one, in_list=_has_company(one, chosen))))
    if not chosen:
        yield Delta(statement_line(Statement(phrase("no_information", language))))
    yield Delta(json.dumps({"uncovered_aspects": missing}, ensure_ascii=False) + "\n")


def _candidates(hits: Sequence[Hit], asked_in: str | None, first_id: int = 1) -> tuple[_Candidate, ...]:
    found = []
    for place, hit in enumerate(hits, start=first_id):
        text = chunk_view(hit.chunk).text
        language = hit.document.language or asked_in
        outer = _terms(" ".join((hit.document.title, *hit.chunk.section)), language)
        body_start = len(text) - len(hit.chunk.text)
        for number, one in enumerate(quotables(text)):
            quoted = one.span.of(text)
            if one.span.end <= body_start or not _can_stand_alone(one, quoted):
                continue
            near = " ".join(span.of(text) for span in (one.lead_in, one.header) if span is not None)
            heading = one.heading.of(text) if one.heading is not None else ""
            found.append(
                _Candidate(
                    prompt_id=f"c-{place}",
                    hit=hit,
                    text=text,
                    quotable=one,
                    own=_terms(quoted, language),
                    near=_terms(near, language),
                    around=outer | _terms(heading, language),
                    language=language,
                    order=(place, number),
                    has_number=any(char.isdigit() for char in quoted),
                )
            )
    return tuple(found)


def _can_stand_alone(one: Quotable, quoted: str) -> bool:
    """Questions, lead-ins and headings without hashes answer nothing."""
    stripped = quoted.rstrip("*_ \n")
    if not any(char.isalnum() for char in quoted) or stripped.endswith((":", "：", "?", "？", "؟")):
        return False
    looks_like_heading = len(stripped) <= HEADING_CHARS and stripped[-1].isalnum() and "\n" not in stripped
    return one.kind is not BlockKind.PARAGRAPH or not looks_like_heading


def _terms(text: str, language: str | None) -> frozenset[str]:
    return frozenset(token.term for token in content_words(text, language))


@dataclass(frozen=True, slots=True)
class _Aspect:
    """One part of the question. ``wanted`` has its content terms as each language of the candidates makes them,
    ``weights`` how rare each is among the candidates, ``known`` all terms that these have."""

    text: str
    language: str | None
    wanted: Mapping[str | None, frozenset[str]]
    weights: Mapping[str, float]
    wants_number: bool
    wants_code: bool
    whole: Mapping[str | None, frozenset[str]]
    known: frozenset[str]

    @classmethod
    def of(cls, text: str, question: str, candidates: Sequence[_Candidate], language: str | None) -> _Aspect:
        """``question`` is the whole that ``text`` is a part of."""
        tongues = dict.fromkeys(one.language for one in candidates)
        wanted = {tongue: _terms(topic(text), tongue) for tongue in tongues}
        whole = {tongue: _terms(question, tongue) for tongue in tongues}
        counts = Counter(term for one in candidates for term in one.own)
        every = frozenset[str]().union(*wanted.values(), *whole.values())
        known = frozenset[str]().union(*(one.own | one.near | one.around for one in candidates))
        # A word that no candidate has weighs most.
        weights = {term: math.log(1 + len(candidates) / (counts[term] or 0.5)) for term in every}
        return cls(
            text, language, wanted, weights, asks_for_quantity(text), asks_for_code(text), whole, known
        )

    def share(self, one: _Candidate) -> float:
        """How much of what is wanted the candidate holds with all round it, by weight."""
        return self._held(one, self.wanted[one.language], 1.0, 1.0)

    def value(self, one: _Candidate) -> float:
        """By words, evidence and kind."""
        own = self._held(one, self.wanted[one.language], HEADER_WEIGHT, CONTEXT_WEIGHT)
        whole = self._held(one, self.whole[one.language], HEADER_WEIGHT, CONTEXT_WEIGHT)
        number = QUANTITY_BONUS if self.wants_number and one.has_number else 0.0
        code = 0.0
        if one.quotable.kind is BlockKind.CODE:
            code = CODE_BONUS if self.wants_code else -CODE_BONUS
        evidence = HIT_WEIGHT * one.hit.score + RANK_WEIGHT / one.hit.rank
        return own + WHOLE_WEIGHT * whole + evidence + number + code

    def _held(self, one: _Candidate, wanted: frozenset[str], near: float, around: float) -> float:
        total = sum(self.weights[term] for term in wanted)
        own = sum(self.weights[term] for term in wanted & one.own)
        beside = sum(self.weights[term] for term in wanted & (one.near - one.own))
        above = sum(self.weights[term] for term in wanted & (one.around - one.near - one.own))
        return (own + near * beside + around * above) / total if total else 0.0

    def gain(self, one: _Candidate, covered: frozenset[str]) -> float:
        """How much of what is wanted the candidate would add."""
        wanted = self.wanted[one.language]
        total = sum(self.weights[term] for term in wanted)
        return sum(self.weights[term] for term in wanted & one.own - covered) / total if total else 0.0

    def is_answered_by(self, one: _Candidate, cosine: float | None) -> bool:
        """Whether the candidate speaks of what is asked, and does not only share a word with it."""
        wanted = self.wanted[one.language]
        if self.language not in (one.language, None) and one.language is not None:
            if len(wanted) > 1 and self._held(one, wanted, 0.0, 0.0) >= SAME_WORDS:
                return True
            return cosine is not None and cosine >= RELATED_COSINE
        if not wanted:
            return False
        needed = HELD if cosine is None else HELD_WITH_MEANING
        if len(wanted) <= FEW_WORDS:
            if not wanted <= self.known and one.hit.score < SURE_OF_OTHER_WORDS:
                return False
            needed = HELD_OF_FEW
        elif one.language in _PAIRED:
            needed *= UNSPACED_SHARE
        if len(wanted) > FEW_WORDS and one.hit.score >= SURE:
            needed *= SHARE_WHEN_SURE
        return self.share(one) >= needed


# Languages whose terms are pairs of characters (see text.words).
_PAIRED = ("ja", "zh", "ko", "th", "lo", "km", "my")


def _answer(aspect: _Aspect, candidates: Sequence[_Candidate], embedder: Embedder | None) -> list[_Candidate]:
    """The candidates that answer one part of the question, in reading order; empty when none does."""
    ranked = sorted(candidates, key=lambda one: (-aspect.value(one), one.order))
    if not ranked:
        return []
    first, cosine = _best(aspect, ranked[:COMPARED], embedder)
    if not aspect.is_answered_by(first, cosine) or _asks_for_an_unknown_name(aspect, first):
        return _from_another_language(aspect, ranked, embedder)
    best = [first, *_companions(aspect, first, candidates)]
    covered = frozenset[str]().union(*(one.own | one.near for one in best)) | first.around
    for one in ranked:
        if len(best) >= MAX_STATEMENTS:
            break
        if one not in best and aspect.gain(one, covered) >= GAIN and aspect.share(one) >= SECOND_HOLDS:
            best.append(one)
            covered |= one.own
    return sorted(best, key=lambda one: one.order)


def _from_another_language(
    aspect: _Aspect, ranked: Sequence[_Candidate], embedder: Embedder | None
) -> list[_Candidate]:
    """The sentence nearest in meaning among those of the best passages in other languages, if it is near enough."""
    foreign = [one for one in ranked if one.language not in (aspect.language, None)]
    if embedder is None or aspect.language is None or not foreign:
        return []
    best, cosine = _best(aspect, foreign[:COMPARED_ABROAD], embedder)
    return [best] if aspect.is_answered_by(best, cosine) else []


def _best(
    aspect: _Aspect, few: Sequence[_Candidate], embedder: Embedder | None
) -> tuple[_Candidate, float | None]:
    """The candidate that fits best, by words and (with an embedder) meaning, and its cosine with the question."""
    if embedder is None:
        return few[0], None
    cosines: list[float] = (
        embedder.documents([one.reading for one in few]) @ embedder.query(aspect.text)
    ).tolist()

    def value(place: int) -> float:
        meaning = (cosines[place] - UNRELATED_COSINE) / (1 - UNRELATED_COSINE)
        return aspect.value(few[place]) + MEANING_WEIGHT * meaning

    best = max(range(len(few)), key=lambda place: (value(place), -place))
    return few[best], cosines[best]


def _asks_for_an_unknown_name(aspect: _Aspect, first: _Candidate) -> bool:
    """Whether a name in the question stands in no passage at all: then none of them speaks of it.

    A name is a word with a capital or a digit that does not begin the question; German writes every noun so, and a
    passage in another language may write the name otherwise.
    """
    if aspect.language in ("de", None) or first.language != aspect.language:
        return False
    if first.hit.score >= SURE_OF_OTHER_WORDS:
        return False
    names = [
        surface
        for _, surface in words(aspect.text)[1:]
        if any(char.isupper() or char.isdigit() for char in surface) and len(surface) > 1
    ]
    return any(not _terms(name, aspect.language) <= aspect.known for name in names)


def _companions(aspect: _Aspect, first: _Candidate, candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """The other items of the list, or rows of the table, when the question is about what opens it and not about one."""
    wanted = aspect.wanted[first.language]
    outside = first.near | first.around
    if first.quotable.header is not None:
        names_one = bool(wanted & (first.own - outside))
    elif first.quotable.kind is BlockKind.LIST_ITEM and first.quotable.lead_in is not None:
        by_context = sum(aspect.weights[term] for term in wanted & outside)
        by_itself = sum(aspect.weights[term] for term in wanted & (first.own - outside))
        names_one = by_itself >= by_context
    else:
        return []
    if names_one:
        return []
    family = [
        one
        for one in candidates
        if one.prompt_id == first.prompt_id
        and one.quotable.group == first.quotable.group
        and one is not first
    ]
    return family if len(family) < MAX_LIST_ITEMS else []


def _has_company(one: _Candidate, chosen: Sequence[_Candidate]) -> bool:
    """Whether another row of its table is chosen too."""
    return one.quotable.header is not None and any(
        one is not other and (one.prompt_id, one.quotable.group) == (other.prompt_id, other.quotable.group)
        for other in chosen
    )


def _statement(one: _Candidate, *, in_list: bool) -> Statement:
    quoted = one.quote
    shown = f"{one.reading}." if one.quotable.header is not None else quoted
    if in_list or one.quotable.kind is BlockKind.LIST_ITEM:
        shown = f"- {shown}"
    return Statement(shown, (Quote(one.prompt_id, quoted),))
