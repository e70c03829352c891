"""How a judge reads a passage: as units, each a sentence, a table row under its header, or a list item after its lead-in."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from pincite.checks.said import Fact, facts
from pincite.text.blocks import BlockKind, blocks
from pincite.text.passages import unit_of_title
from pincite.text.sentences import split_sentences
from pincite.text.synonyms import meanings
from pincite.text.words import UNSPACED, Token, detect_language, fold, stop_words, tokens
from pincite.text.words import words as surfaces
from pincite.types import Span

CACHED_PASSAGES = 1024
"""Passages kept ready; one of 1,000 characters takes about 60 KB."""

GROUP = "="
"""Before the name of a group: no term begins so."""

_TURNING_PREFIXES = frozenset({"non", "nicht", "no"})
_HYPHENS = frozenset("-\u2010\u2011")
_BROKEN = re.compile(r"[-\u00ad\u2010][ \t]{0,8}(?:\r\n|\r|\n)[ \t]{0,8}")
_HIRAGANA = re.compile("[\u3041-\u309f]")
_PARTICLES = frozenset("はがをにでとものへ")
_ZH_PARTICLES = frozenset("的了是于被由和与及或都也就把个您们将")
"""Characters that join words. A pair with one of them says nothing by itself."""

_PAIR = re.compile(f"[{UNSPACED}]{{1,2}}")
_CURRENCIES = tuple("$€£¥₹₩₽")
_INSIDE_NUMBERS = tuple(".,:/'-")
_AFTER_NUMBERS = ("%", "‰", "°", "+", *_CURRENCIES)
_BEFORE_NUMBERS = tuple("+-<>=≤≥~±")
_SIGNS = str.maketrans({"−": "-", "–": "-", "—": "-", "％": "%", "＄": "$", "￥": "¥", "’": "'"})

_QUESTION_MARKS = ("?", "？", "؟")

_BORDER = re.compile(
    r"[,;:()—–]\s|\s[-–—(]\s?|[，、；：（）،؛]|\s(?:and|but|while|whereas|or|und|aber|oder|während|y|pero|o|mientras|et|mais|ou|tandis|"
    r"और|लेकिन|जबकि|या|ولكن|بينما)\s"
)


@dataclass(frozen=True, slots=True)
class Word:
    """A term, the folded word, its place and whether it says something by itself. Pairs of characters (``is_pair``) overlap.
    ``groups`` are those of words that mean the same, each with ``GROUP`` before it, and the term of the whole of which the
    word is a part, where a line end parts it."""

    term: str
    surface: str
    span: Span
    is_content: bool
    is_pair: bool
    groups: tuple[str, ...] = ()


def words(text: str, language: str | None, shift: int = 0) -> tuple[Word, ...]:
    """The terms of ``text`` with their places moved by ``shift``."""
    stop = stop_words(language)
    groups = _groups(text, language)
    found = tuple(tokens(text, language))
    for place, term in _rejoined(text, found, language).items():
        groups[place] = (*groups.get(place, ()), term)
    made: list[Word] = []
    for token in found:
        surface = fold(token.span.of(text))
        before = made[-1] if made else None
        is_turned = (
            before is not None
            and before.surface in _TURNING_PREFIXES
            and (text[before.span.end - shift : token.span.start] in _HYPHENS)
        )
        is_pair = _PAIR.fullmatch(surface) is not None
        grammar = surface in stop or (is_pair and all(char in stop for char in surface))
        made.append(
            Word(
                # "non-members" are no members, and no synonym of theirs.
                f"non-{token.term}" if is_turned else token.term,
                f"{before.surface}-{surface}" if is_turned and before else surface,
                (
                    Span(before.span.start - shift, token.span.end) if is_turned and before else token.span
                ).shift(shift),
                not grammar,
                is_pair,
                () if is_turned else groups.get(token.span.start, ()),
            )
        )
    return tuple(made)


def _rejoined(text: str, found: Sequence[Token], language: str | None) -> dict[int, str]:
    """By the place of a part, the term of the word that a hyphen parts at a line end.

    Whether the hyphen belongs to the word cannot be told, so that the parts stay words of their own.
    """
    terms: dict[int, str] = {}
    if "\n" not in text and "\r" not in text:
        return terms
    for before, after in pairwise(found):
        # A soft hyphen belongs to the word for those who cut it out.
        end = before.span.start + len(before.span.of(text).rstrip("\u00ad"))
        if _BROKEN.fullmatch(text, end, after.span.start):
            whole = before.span.of(text) + after.span.of(text)
            made = tokens(whole, language)
            if len(made) == 1:
                terms[before.span.start] = terms[after.span.start] = made[0].term
    return terms


def is_at_particle(pair: str, language: str | None) -> bool:
    """Whether a pair of characters is where a particle meets a word, and no word: "書の", "はプ", "的带"."""
    if language == "ja":
        return (pair[-1] in _PARTICLES and pair[0] not in _PARTICLES) or (
            _HIRAGANA.match(pair) is not None and _HIRAGANA.match(pair, 1) is None
        )
    return language == "zh" and not _ZH_PARTICLES.isdisjoint(pair)


def _groups(text: str, language: str | None) -> dict[int, tuple[str, ...]]:
    """For each place of ``text``, the groups of the word or phrase that covers it, marked so that no term is equal."""
    found: dict[int, tuple[str, ...]] = {}
    for meaning in meanings(text, language):
        for span in (meaning.span, meaning.tail):
            for place in range(span.start, span.end) if span else ():
                found[place] = (*found.get(place, ()), f"{GROUP}{meaning.group}")
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """Something of a passage that can be read alone.

    ``span`` is in the passage's text, ``text`` what stands there; ``own`` are the words inside it, ``said`` their signature, ``words`` are those and the words
    of its header, lead-in, heading or question; ``segments`` has the clause or cell of each of ``words``, -1 for what holds for all.
    """

    span: Span
    own: tuple[Word, ...]
    said: str
    words: tuple[Word, ...]
    segments: tuple[int, ...]
    terms: frozenset[str]
    facts: tuple[Fact, ...]
    counted: tuple[Fact, ...]
    borders: tuple[int, ...]
    grams: frozenset[str]
    is_row: bool = False
    is_question: bool = False
    text: str = ""

    def segment(self, at: int) -> int:
        """The clause of offset ``at``: how many clause borders stand before it."""
        return bisect_right(self.borders, at)


@dataclass(frozen=True, slots=True)
class Reading:
    """A passage made ready."""

    text: str
    language: str | None
    units: tuple[Unit, ...]
    terms: frozenset[str]
    beginnings: Mapping[str, tuple[str, ...]]
    marked: Mapping[str, tuple[str, ...]]


def signature(text: str) -> str:
    """What must be equal for two texts to be the same words: letters and digits, and the signs next to digits.

    >>> signature("The **fee** is -1.5 %.") == signature("the fee is −1.5%")
    True
    >>> signature("1.5 EUR") == signature("15 EUR"), signature("$5") == signature("5 €")
    (False, False)
    """
    parts: list[str] = []
    at = 0
    for span, surface in surfaces(text):
        parts += [_between(text, at, span.start), fold(surface)]
        at = span.end
    parts.append(_between(text, at, len(text)))
    return " ".join(part for part in parts if part)


def _between(text: str, start: int, end: int) -> str:
    """Signs between two words that belong to a number beside them."""
    before = start > 0 and text[start - 1].isdigit()
    after = end < len(text) and text[end].isdigit()
    if not before and not after:
        return ""
    gap = text[start:end].translate(_SIGNS)
    if before and after and gap in _INSIDE_NUMBERS:
        return gap
    bare = gap.strip()
    kept = bare[:1] if before and bare[:1] in _AFTER_NUMBERS else ""
    if after and (
        bare[-1:] in _CURRENCIES or (gap[-1:] in _BEFORE_NUMBERS and not (before and len(gap) == 1))
    ):
        kept += bare[-1:]
    return kept if bare else ""


@lru_cache(maxsize=CACHED_PASSAGES)
def language_of(text: str) -> str | None:
    """``detect_language``, remembered."""
    return detect_language(text)


@lru_cache(maxsize=CACHED_PASSAGES)
def read(text: str, language: str | None = None) -> Reading:
    """Cut ``text`` into units. Every character other than white space and table rules is in one."""
    language = language or language_of(text)
    units = tuple(_units(text, language))
    terms = frozenset[str]().union(*(unit.terms for unit in units))
    return Reading(
        text,
        language,
        units,
        terms,
        _beginnings(terms),
        _marked(terms),
    )


def without_marks(term: str) -> str:
    """Without accents: names are often written without them.

    >>> without_marks("noël")
    'noel'
    """
    if term.isascii():
        return term
    return "".join(char for char in unicodedata.normalize("NFD", term) if not unicodedata.combining(char))


def _marked(terms: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    """Terms with accents, by what they are without."""
    found: dict[str, tuple[str, ...]] = {}
    for term in sorted(terms):
        if not term.isascii() and len(term) > 2 and (bare := without_marks(term)) != term:
            found[bare] = (*found.get(bare, ()), term)
    return found


def _beginnings(terms: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for term in sorted(terms):
        if len(term) >= 4 and term.isalpha():
            found[term[:4]] = (*found.get(term[:4], ()), term)
        elif len(term) == 2 and not term.isascii():
            for char in term:
                found[char] = (*found.get(char, ()), term)
    return found


def _units(text: str, language: str | None) -> Iterator[Unit]:
    heading: tuple[Word, ...] = ()
    lead: tuple[Word, ...] = ()
    question: tuple[Word, ...] = ()
    header: list[Span] = []
    sentences = split_sentences(text, language=language)
    at = 0
    for block in blocks(text):
        inside: list[Span] = []
        while at < len(sentences) and sentences[at].end <= block.span.end:
            inside.append(sentences[at])
            at += 1
        if block.kind is BlockKind.TABLE_ROW:
            cells = _cells(text, block.span)
            yield _row(text, block.span, cells, header, heading, language)
            header = header or cells
        elif block.kind is BlockKind.HEADING:
            heading, lead, header = words(block.body.of(text), language, block.body.start), (), []
            question = ()
            yield _sentence(text, block.body, (), language)
        elif block.kind not in (BlockKind.TABLE_RULE, BlockKind.RULE):
            is_item = block.kind is BlockKind.LIST_ITEM
            header = []
            asked: tuple[Word, ...] = ()
            for span in inside:
                unit = _sentence(
                    text, span, (*heading, *(lead if is_item else ()), *(asked or question)), language
                )
                yield unit
                asked = unit.own if unit.is_question else ()
                question = ()
            question = asked
            if inside and not is_item:
                last = inside[-1].of(text)
                opens = last.rstrip().endswith((":", "："))
                lead = words(last, language, inside[-1].start) if opens else ()


def _cells(text: str, line: Span) -> list[Span]:
    raw = line.of(text)
    cells: list[Span] = []
    at = 0
    for part in raw.split("|"):
        inner = part.strip()
        begin = line.start + at + (len(part) - len(part.lstrip()) if inner else 0)
        cells.append(Span(begin, begin + len(inner)))
        at += len(part) + 1
    if raw.lstrip().startswith("|"):
        cells = cells[1:]
    if raw.rstrip().endswith("|"):
        cells = cells[:-1]
    return cells


def _row(
    text: str,
    line: Span,
    cells: list[Span],
    header: list[Span],
    heading: tuple[Word, ...],
    language: str | None,
) -> Unit:
    own: list[Word] = []
    everything: list[Word] = list(heading)
    segments: list[int] = [-1] * len(heading)
    found: list[Fact] = []
    titles = [cell.of(text) for cell in header]
    for n, cell in enumerate(cells):
        inside = words(cell.of(text), language, cell.start)
        title = words(titles[n], language, header[n].start) if n < len(header) else ()
        own += inside
        everything += [*title, *inside]
        segments += [-1 if n == 0 else n] * (len(title) + len(inside))
        found += _cell_facts(text, cell, titles[n] if n < len(titles) else "", language)
    span = Span(cells[0].start, cells[-1].end) if cells else line
    starts = tuple(cell.start for cell in cells[1:])
    return _unit(text, span, tuple(own), tuple(everything), tuple(segments), tuple(found), starts, True)


def _cell_facts(text: str, cell: Span, title: str, language: str | None) -> tuple[Fact, ...]:
    """The facts of a cell, and its amounts once more with the unit that stands in the column's title."""
    body = cell.of(text)
    found = facts(body, language, cell.start)
    if not title or not any(fact.quantity and not fact.quantity.unit for fact in found):
        return found
    read = facts(f"{body} {unit_of_title(title)}", language, cell.start)
    inside = [fact for fact in read if fact.is_counted and fact.span.start < cell.end < fact.span.end]
    return (*found, *(replace(fact, text=fact.text, span=Span(fact.span.start, cell.end)) for fact in inside))


def _sentence(text: str, span: Span, context: tuple[Word, ...], language: str | None) -> Unit:
    body = span.of(text)
    own = words(body, language, span.start)
    borders = clause_borders(body, span.start)
    found = facts(body, language, span.start)
    segments: list[int] = [-1] * len(context)
    at = 0
    for word in own:
        while at < len(borders) and borders[at] <= word.span.start:
            at += 1
        segments.append(at)
    return _unit(text, span, own, (*context, *own), tuple(segments), found, borders)


def clause_borders(text: str, shift: int = 0) -> tuple[int, ...]:
    """Where clauses of ``text`` may end: punctuation inside a sentence, and words like "and"."""
    return tuple(shift + match.start() + 1 for match in _BORDER.finditer(text))


def grams(text: str) -> tuple[str, ...]:
    """Every run of three characters of the folded text, blanks and signs left out."""
    flat = "".join(char for char in fold(text[:2000]) if char.isalnum())
    return tuple(dict.fromkeys(flat[n : n + 3] for n in range(len(flat) - 2)))


def _unit(
    text: str,
    span: Span,
    own: tuple[Word, ...],
    everything: tuple[Word, ...],
    segments: tuple[int, ...],
    found: tuple[Fact, ...],
    borders: tuple[int, ...],
    is_row: bool = False,
) -> Unit:
    terms = frozenset(term for word in everything for term in (word.term, *word.groups))
    return Unit(
        span,
        own,
        signature(span.of(text)),
        everything,
        segments,
        terms,
        found,
        tuple(fact for fact in found if fact.is_counted),
        borders,
        frozenset(grams(span.of(text))),
        is_row,
        span.of(text).rstrip('"”»)').endswith(_QUESTION_MARKS),
        span.of(text),
    )
