"""How the sentences of passages bear on a question, as numbers: words held, how near they stand, the kind of value.

What the numbers are worth is fitted elsewhere (``pincite.evidence``). Linear in the passages; only kinship of words costs
the words of the question times the different words of the passages.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from pincite.text.blocks import BlockKind
from pincite.text.expected import Expected, expected, holds
from pincite.text.lexicon import base_language, load_lexicon
from pincite.text.orders import ordering_spans
from pincite.text.passages import Quotable, cells, quotables, read_row
from pincite.text.questions import asks_for_code, topic
from pincite.text.rows import stands_for, verb_of
from pincite.text.synonyms import concept, groups_of, meanings
from pincite.text.view import chunk_view
from pincite.text.words import content_words, fold, words
from pincite.types import Chunk, Hit, Span

HEADING_CHARS = 60
"""A shorter line of prose without a stop is taken for a heading."""

MAX_PHRASE_CHARS = 160
"""Scripts without stops (Thai, Lao) are quoted by phrases of at most this length."""

# Two words of a question that stand within this many words of each other in a sentence stand together.
TOGETHER = 4
# Words that begin with the same letters are taken for kin: "surrender" and "surrendered", "Bevölkerung" and
# "Bevölkerungsdichte", "Telefonsupport" and "Telefon".
KIN_CHARS = 4
KIN_SHARE = 0.6
# Pieces of words: they see through endings and compounds where there is no stemmer. Of 3, 4 and 5 characters, those of
# 4 choose the right sentence most often (XQuAD en de es zh ar, even articles).
GRAM_CHARS = 4
# How much of a sentence is looked at for words of the same meaning.
MAX_MEANT_CHARS = 1_000

TIME_UNITS = ("minute", "hour", "day", "week", "month", "year")

_PHRASED = ("th", "lo")


@dataclass(frozen=True, slots=True)
class Piece:
    """A quotable part of a chunk with what stands round it, as content terms in its document's language.

    Args:
        number: Of the piece in its chunk, from 0.
        text: The chunk's view; ``quotable`` has spans in it.
        own: Terms of the piece itself, in order; ``held`` the same as a set.
        near: Those of its header row or lead-in.
        around: Those of its headings and its document's title.
        grams: Parts of its content words, four characters long.
        concepts: What its words and those of its header or lead-in mean, as far as ``text.synonyms`` knows;
            the verbs of German participles too.
        before, after: Terms of the pieces beside it.
    """

    number: int
    text: str
    quotable: Quotable
    language: str | None
    own: tuple[str, ...]
    held: frozenset[str]
    near: frozenset[str]
    around: frozenset[str]
    grams: frozenset[str]
    concepts: frozenset[str]
    before: frozenset[str]
    after: frozenset[str]

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


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a hit. ``place`` is that of the hit, counted as prompt ids are: its own is ``c-<place>``."""

    place: int
    hit: Hit
    piece: Piece

    @property
    def prompt_id(self) -> str:
        return f"c-{self.place}"


def parts_of(hits: Sequence[Hit], asked_in: str | None, *, first_id: int = 1) -> tuple[Part, ...]:
    """What can be quoted of the hits, in order. Questions, lead-ins and headings are left out: they answer nothing;
    so are orders to a machine.

    Args:
        hits: Best first.
        asked_in: Language of documents that do not say theirs.
        first_id: The number of the first hit's prompt id.
    """
    return tuple(
        Part(place, hit, piece)
        for place, hit in enumerate(hits, start=first_id)
        for piece in _read(hit.chunk, hit.document.title, hit.document.language or asked_in)
    )


@lru_cache(maxsize=64)
def _read(chunk: Chunk, title: str, language: str | None) -> tuple[Piece, ...]:
    """Kept for some chunks: a request reads each of them several times."""
    text = chunk_view(chunk).text
    outer = _terms(" ".join((title, *chunk.section)), language)
    body_start = len(text) - len(chunk.text)
    orders = ordering_spans(text)
    usable = [
        (number, one)
        for number, one in enumerate(_pieces(text, language))
        if one.span.end > body_start
        and _can_stand_alone(one, one.span.of(text))
        and not any(order.overlaps(one.span) for order in orders)
    ]
    words_of = [_words(one.span.of(text), language) for _, one in usable]
    held = [frozenset(own) for own, _ in words_of]
    nothing = frozenset[str]()
    found = []
    for at, ((number, one), (own, grams)) in enumerate(zip(usable, words_of, strict=True)):
        near = " ".join(span.of(text) for span in (one.lead_in, one.header) if span is not None)
        heading = one.heading.of(text) if one.heading is not None else ""
        told = f"{one.span.of(text)}\n{near}"
        of_header = frozenset[str]()
        if one.header is not None:
            # A row of bare values says what it is about in its header and the heading of its table alone.
            of_header = _meant_by(one.header.of(text), language) | stands_for(
                " ".join((title, *chunk.section, heading)), language
            )
            grams |= _words(near, language)[1]
            told = f"{told}\n{heading}\n{' '.join(chunk.section[-1:])}"
            held[at] |= stands_for(cells(one.span.of(text))[0], language)
        found.append(
            Piece(
                number=number,
                text=text,
                quotable=one,
                language=language,
                own=own,
                held=held[at],
                near=_terms(near, language) | of_header,
                around=outer | _terms(heading, language),
                grams=grams,
                concepts=frozenset(
                    concept(one_meaning.group) for one_meaning in meanings(told[:MAX_MEANT_CHARS], language)
                )
                | {verb for term in own if (verb := verb_of(term, language)) != term},
                before=held[at - 1] if at else nothing,
                after=held[at + 1] if at + 1 < len(held) else nothing,
            )
        )
    return tuple(found)


def _meant_by(row: str, language: str | None) -> frozenset[str]:
    return frozenset[str]().union(*(stands_for(cell, language) for cell in cells(row)))


def _pieces(text: str, language: str | None) -> list[Quotable]:
    found = list(quotables(text))
    if base_language(language) not in _PHRASED:
        return found
    return [
        Quotable(one.kind, span, one.lead_in, one.header, one.heading, one.group)
        for one in found
        for span in _phrases(text, one.span)
    ]


def _phrases(text: str, span: Span) -> list[Span]:
    """``span`` cut at blanks into pieces of at most 160 characters, or wherever that is where there is no blank."""
    out: list[Span] = []
    start = span.start
    while span.end - start > MAX_PHRASE_CHARS:
        blank = text.rfind(" ", start + 1, start + MAX_PHRASE_CHARS + 1)
        # Halves of about one length say more than a full piece and a scrap.
        middle = text.find(" ", start + MAX_PHRASE_CHARS // 2, start + MAX_PHRASE_CHARS + 1)
        cut = middle if middle > 0 else blank if blank > 0 else start + MAX_PHRASE_CHARS
        out.append(Span(start, cut))
        start = cut + 1 if text[cut] == " " else cut
    return [*out, Span(start, span.end)] if start < span.end else out


def _can_stand_alone(one: Quotable, quoted: str) -> bool:
    stripped = quoted.rstrip("*_ \n")
    if not any(char.isalnum() for char in quoted) or stripped.endswith((":", "：", "?", "？", "؟")):
        return False
    looks_like_heading = len(stripped) <= HEADING_CHARS and stripped[-1].isalnum() and "\n" not in stripped
    return one.kind is not BlockKind.PARAGRAPH or not looks_like_heading


def _words(text: str, language: str | None) -> tuple[tuple[str, ...], frozenset[str]]:
    """Content terms in order, and the pieces of the words they were made of."""
    own: list[str] = []
    grams: set[str] = set()
    for token in content_words(text, language):
        own.append(token.term)
        word = f"^{fold(token.span.of(text))}$"
        grams.update(word[at : at + GRAM_CHARS] for at in range(max(1, len(word) - GRAM_CHARS + 1)))
    return tuple(own), frozenset(grams)


def _terms(text: str, language: str | None) -> frozenset[str]:
    return frozenset(token.term for token in content_words(text, language)) if text.strip() else frozenset()


# --- the question -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asked:
    """One part of a question beside the parts of passages that may answer it.

    Args:
        text: The part of the question.
        language: Of the question.
        kind: What it asks for.
        wants_code: Whether a command or the like is wanted.
        wanted: Its content terms in order, as each language of the passages makes them.
        whole: Those of the whole question.
        grams: Pieces of the words it is about, for each of these languages.
        concepts: What each of these terms may mean, in the language of the passages.
        weights: How rare each term is among the parts; one that none of them has weighs most.
        known: All terms that the parts have.
        is_whole: Whether it is the whole question.
    """

    text: str
    language: str | None
    kind: Expected | None
    wants_code: bool
    wanted: Mapping[str | None, tuple[str, ...]]
    whole: Mapping[str | None, frozenset[str]]
    grams: Mapping[str | None, frozenset[str]]
    concepts: Mapping[str | None, Mapping[str, frozenset[str]]]
    weights: Mapping[str, float]
    known: frozenset[str]
    is_whole: bool

    @classmethod
    def of(cls, text: str, question: str, parts: Sequence[Part], language: str | None) -> Asked:
        """``question`` is the whole that ``text`` is a part of."""
        pieces = [one.piece for one in parts]
        about = {
            tongue: _words(topic(text), tongue) for tongue in dict.fromkeys(one.language for one in pieces)
        }
        wanted = {tongue: tuple(dict.fromkeys(own)) for tongue, (own, _) in about.items()}
        whole = {tongue: _terms(question, tongue) for tongue in about}
        grams = {tongue: found for tongue, (_, found) in about.items()}
        concepts = {
            tongue: {
                term: frozenset(concept(group) for group in groups_of(term, tongue)) | {verb_of(term, tongue)}
                for term in whole[tongue]
            }
            for tongue in about
        }
        counts = Counter(term for one in pieces for term in one.held)
        every = frozenset[str]().union(*wanted.values(), *whole.values())
        known = frozenset[str]().union(*(one.held | one.near | one.around for one in pieces))
        weights = {term: math.log(1 + len(parts) / (counts[term] or 0.5)) for term in every}
        return cls(
            text,
            language,
            expected(text, language),
            asks_for_code(text),
            wanted,
            whole,
            grams,
            concepts,
            weights,
            known,
            text == question,
        )

    def has_kin(self, term: str) -> bool:
        """Whether the passages have a word that begins like ``term``."""
        return _has_kin(term, self.known)

    def kin(self, one: Piece) -> frozenset[str]:
        """The question's terms of which the piece has a word that begins or ends alike."""
        held = one.held | one.near if one.quotable.header is not None else one.held
        return frozenset(term for term in self.wanted[one.language] if _has_kin(term, held))

    def meant(self, one: Piece) -> frozenset[str]:
        """The question's terms that the piece says in other words."""
        known = self.concepts[one.language]
        return frozenset(
            term for term in known if term not in one.held and not known[term].isdisjoint(one.concepts)
        )

    def terms_of(self, text: str) -> frozenset[str]:
        """Content terms of a piece of the question, in the question's language."""
        return _terms(text, self.language)

    def share(self, terms: frozenset[str], wanted: Sequence[str] | frozenset[str]) -> float:
        """How much of ``wanted`` is in ``terms``, by weight; 0 when nothing is wanted."""
        total = sum(self.weights[term] for term in sorted(wanted))
        return sum(self.weights[term] for term in sorted(wanted) if term in terms) / total if total else 0.0


# --- signals ------------------------------------------------------------------------------------


SURELY_TOLD = (Expected.MONEY, Expected.TIME)
"""Kinds of value that hardly any answer lacks (XQuAD, even articles: 99 % of the sentences with an answer have one)."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for a part, each in about 0-1 (``length``: log of its characters over 100; ``cosine``: beyond what
    any two texts of the embedder have in common, 0 when not known)."""

    own: float
    near: float
    around: float
    beside: float
    elsewhere: float
    whole: float
    meant: float
    together: float
    kin: float
    pieces: float
    rarest: float
    kind_held: float
    kind_missing: float
    surely_missing: float
    fresh: float
    length: float
    first: float
    code: float
    evidence: float
    rank: float
    fused: float
    cosine: float = 0.0


def signals(asked: Asked, part: Part, passage: Passage, *, best_fused: float = 1.0) -> Signals:
    """The signals of one part. ``passage`` is that of its hit, ``best_fused`` the fused score of the first hit."""
    one, hit = part.piece, part.hit
    wanted = asked.wanted[one.language]
    is_code = one.quotable.kind is BlockKind.CODE
    # A block of code says what it is for in its heading and what announces it.
    own = one.held | one.near | one.around if is_code and asked.wants_code else one.held
    outside = one.near - own
    above = one.around - one.near - own
    next_to = (one.before | one.after) - one.near - one.around - own
    missing = [term for term in wanted if term not in own]
    held = None if asked.kind is None else _told(asked.kind, one, asked.text)
    rarest = max(wanted, key=lambda term: asked.weights[term], default=None)
    return Signals(
        own=asked.share(own, wanted),
        near=asked.share(outside, wanted),
        around=asked.share(above, wanted),
        beside=asked.share(next_to, wanted),
        elsewhere=asked.share(passage.terms - next_to - above - outside - own, wanted),
        whole=asked.share(own | one.near, asked.whole[one.language]),
        meant=asked.share(asked.meant(one), wanted),
        together=_together(wanted, one.own),
        kin=sum(asked.weights[term] for term in missing if _has_kin(term, one.held))
        / (sum(asked.weights[term] for term in wanted) or 1.0),
        pieces=passage.share_of_pieces(asked.grams[one.language], one.grams),
        rarest=float(rarest in one.held or rarest in one.near),
        kind_held=float(held is True),
        kind_missing=float(held is False),
        surely_missing=float(held is False and asked.kind in SURELY_TOLD),
        fresh=1 - len(one.held & asked.whole[one.language]) / len(one.held) if one.held else 0.0,
        length=math.log(max(20, len(one.quote)) / 100),
        first=float(one.number == 0),
        code=0.0 if not is_code else 1.0 if asked.wants_code else -1.0,
        evidence=hit.score,
        rank=1 / hit.rank,
        fused=min(1.0, hit.fused / best_fused) if best_fused > 0 else 0.0,
    )


_THREE_DIGITS = re.compile(r"(?<![\d.,:])\d{3}(?![\d.,:])")


def _told(kind: Expected, one: Piece, question: str) -> bool | None:
    """As ``_holds``. In a table "250" is no year, and "4 hours" may well tell when."""
    if kind is not Expected.TIME or one.quotable.header is None:
        return _holds(kind, one.reading, question, one.language)
    found = _holds(kind, _THREE_DIGITS.sub(" ", one.reading), question, one.language)
    return found or (None if tells(kind, one.quote, question, one.language) else False)


def _holds(kind: Expected, sentence: str, question: str, language: str | None) -> bool | None:
    """As ``holds``; asked for an amount "in US dollars", a sentence that has their name alone tells none."""
    found = holds(kind, sentence, question, language)
    if found and kind is Expected.MONEY and holds(kind, question, "", language):
        return holds(Expected.NUMBER, sentence, question, language)
    return found


def tells(kind: Expected, sentence: str, question: str, language: str | None) -> bool:
    """Whether the sentence surely or perhaps has a value of the kind: asked when, "from the fourth day on" is one too.

    >>> tells(Expected.TIME, "A note is needed from the fourth day on.", "When must I hand it in?", "en")
    True
    >>> tells(Expected.TIME, "A note is needed.", "When must I hand it in?", "en")
    False
    """
    if _holds(kind, sentence, question, language):
        return True
    return kind is Expected.TIME and any(
        fold(surface).removeprefix("ال") in _spans_of_time(language) for _, surface in words(sentence)
    )


@lru_cache(maxsize=32)
def _spans_of_time(language: str | None) -> frozenset[str]:
    units = load_lexicon("unit_words")["units"]
    code = base_language(language) or ""
    return frozenset(fold(word) for unit in TIME_UNITS for word in units[unit].get(code, ()))


@dataclass(frozen=True, slots=True)
class Passage:
    """All parts of one hit together: their terms, and in how many parts each piece of a word stands."""

    terms: frozenset[str]
    pieces: Mapping[str, int]
    count: int

    def share_of_pieces(self, wanted: frozenset[str], held: frozenset[str]) -> float:
        """How many of the pieces wanted that the passage has are in ``held``, weighed by how few of its parts have them."""
        # fsum: a sum over a set must not depend on the order in which the set is walked.
        weights = {
            gram: math.log(1 + self.count / self.pieces[gram]) for gram in wanted if gram in self.pieces
        }
        total = math.fsum(weights.values())
        return math.fsum(weights[gram] for gram in weights if gram in held) / total if total else 0.0


def passages(parts: Sequence[Part]) -> dict[int, Passage]:
    """The parts of each hit together, by its place."""
    grouped: dict[int, list[Piece]] = {}
    for one in parts:
        grouped.setdefault(one.place, []).append(one.piece)
    return {
        place: Passage(
            frozenset[str]().union(*(one.held for one in group)),
            Counter(gram for one in group for gram in one.grams),
            len(group),
        )
        for place, group in grouped.items()
    }


def _together(wanted: Sequence[str], own: Sequence[str]) -> float:
    """The share of neighbouring words of the question that are near each other in the sentence too, in any order."""
    if len(wanted) < 2:
        return 0.0
    places: dict[str, list[int]] = {}
    for at, term in enumerate(own):
        places.setdefault(term, []).append(at)
    pairs = [
        any(abs(a - b) <= TOGETHER for a in places.get(one, ())[:8] for b in places.get(other, ())[:8])
        for one, other in pairwise(wanted)
    ]
    return sum(pairs) / len(pairs)


def _has_kin(term: str, held: frozenset[str]) -> bool:
    tail = _without_person(term)
    return _begins_alike(term, held) or (bool(tail) and any(_without_person(other) == tail for other in held))


_PERSONS = "اتين"
"""What stands before an Arabic verb and says whose it is; its stemmer takes some of them for letters of the verb."""


def _without_person(term: str) -> str:
    """Of "تشحن" and "نشح", which come from one verb, "شح"; empty for other words."""
    return term[1:].removesuffix("ن") if term[:1] in _PERSONS and len(term) >= KIN_CHARS - 1 else ""


# Arabic endings of two and of many: "خصمين", two of "خصم".
_ARABIC_TWO = ("ين", "ان", "ون", "ات", "تين", "تان")
MIN_ROOT = 3


def _begins_alike(term: str, held: frozenset[str]) -> bool:
    if any(
        term.endswith(ending)
        and len(term) - len(ending) >= MIN_ROOT
        and not held.isdisjoint((term.removesuffix(ending), f"{term.removesuffix(ending)}ة"))
        for ending in _ARABIC_TWO
    ):
        return True
    if len(term) <= KIN_CHARS or not term.isalpha():
        return False
    start = term[: max(KIN_CHARS, int(KIN_SHARE * len(term)))]
    return any(
        other.startswith(start)
        or (len(other) > KIN_CHARS and (term.startswith(other) or term.endswith(other)))
        # "Frequenzband": "Band".
        or (len(other) == KIN_CHARS and len(term) >= 2 * KIN_CHARS + 1 and term.endswith(other))
        for other in held
    )
