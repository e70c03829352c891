"""Words and short phrases that may stand for each other: "kept" and "stored", "sent back" and "returned".

The groups are data (``lexicons/synonyms.json``). Words are compared by the stems of ``words.terms``, Chinese and
Japanese by their characters. A group has the same name in every language that has it, so texts of two languages
can be compared by ``concept``. Everything here is linear in its input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pincite.text.characters import UNSPACED_LANGUAGES
from pincite.text.fold import fold as fold_text
from pincite.text.forms import Forms, spelled
from pincite.text.lexicon import TIER1, base_language, load_lexicon
from pincite.text.words import MARKS, UNSPACED, stop_words
from pincite.types import Span

APART = "…"
"""Stands in an entry between the parts of a verb that may have words between them: "schickt … zurück"."""

MAX_WORDS_APART = {"de": 12}
"""How many words may stand between the parts of a verb; 4 where nothing is said."""

_WORD = re.compile(rf"[^\W_{UNSPACED}](?:[^\W_{UNSPACED}]|[{MARKS}])*")
_ASCII_WORD = re.compile("[A-Za-z0-9]+")
_BLANKS = " \u00a0\u202f\t\r\n-\u2010\u2011'’*_`"
_CLAUSE_END = re.compile(r"[.,;:!?()\n—–…،؛؟।]")
# Words that begin a clause: a particle right before them ends one. Elsewhere "an", "in" may be prepositions.
_CLAUSE_WORDS = {
    "de": frozenset("und oder aber sowie bevor nachdem wenn sobald falls sofern damit dass".split()),
    "en": frozenset("and or but when if before after once until while so unless".split()),
}
_PARTICLES = frozenset({"ab"})
"""Particles that are prepositions too, beside the stop words."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """A word or phrase of a text that belongs to a group.

    ``span`` is in the text; ``tail`` is where the split part of a verb stands ("schickt" … "zurück"), after
    ``span``, else ``None``. ``group`` is like ``"en:keep"``; ``surface`` is the text of ``span``, with a blank and
    that of ``tail``.
    """

    span: Span
    group: str
    surface: str
    tail: Span | None = None


@dataclass(frozen=True, slots=True)
class _Entry:
    """``head`` and ``tail`` are keys of words, or ``head[0]`` the characters of an unspaced entry."""

    head: tuple[str, ...]
    tail: tuple[str, ...]
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Synonyms:
    """``entries``: first key (unspaced: first two characters) -> what begins so, longest first.

    ``splits``: first key of a split part -> the first keys of what it belongs to.
    """

    language: str
    keys: Forms
    entries: dict[str, tuple[_Entry, ...]]
    splits: dict[str, frozenset[str]]
    single: dict[str, frozenset[str]]


# --- what the words mean --------------------------------------------------------------------------


def meanings(text: str, language: str | None) -> tuple[Meaning, ...]:
    """The words and phrases of ``text`` that belong to a group, in order, the longest at each place.

    They do not overlap, but one that is in several groups gives a ``Meaning`` for each. Empty for languages
    without groups, ``None`` included.

    >>> [(m.surface, m.group) for m in meanings("Sent back at no cost.", "en")]
    [('Sent back', 'en:return'), ('at no cost', 'en:free_of_charge')]
    >>> [(m.surface, m.group) for m in meanings("Bitte schicken Sie die Ware zurück.", "de")]
    [('schicken zurück', 'de:return'), ('Ware', 'de:product')]
    """
    code = base_language(language)
    if code not in TIER1:
        return ()
    lexicon = _load(code)
    if code in UNSPACED_LANGUAGES:
        return tuple(_find_unspaced(text, lexicon))
    found = _find_spaced(text, lexicon)
    found.sort(key=lambda meaning: meaning.span.start)
    return tuple(found)


def groups_of(term: str, language: str | None) -> frozenset[str]:
    """The groups of one term, as ``words.terms`` gives it with the same language; unspaced scripts: of a whole word.

    >>> sorted(groups_of("refund", "en")), groups_of("zebra", "en")
    (['en:refund'], frozenset())
    """
    code = base_language(language)
    if code not in TIER1:
        return frozenset()
    return _load(code).single.get(spelled(term, code), frozenset())


def concept(group: str) -> str:
    """The name of a group without its language: equal for groups of two languages that mean the same.

    >>> concept("de:refund")
    'refund'
    """
    return group.partition(":")[2]


# --- finding --------------------------------------------------------------------------------------


def _find_spaced(text: str, lexicon: _Synonyms) -> list[Meaning]:
    word = _ASCII_WORD if text.isascii() else _WORD
    places = [found.span() for found in word.finditer(text)]
    known = lexicon.keys
    keys = [known[text[start:end]] for start, end in places]
    entries_of = lexicon.entries
    if entries_of.keys().isdisjoint(keys):
        return []
    taken: set[int] = set()
    found: list[Meaning] = []
    at = 0
    for n, key in enumerate(keys):
        entries = entries_of.get(key)
        if entries is None or n < at or n in taken:
            continue
        for entry in entries:
            size = len(entry.head)
            if size > 1:
                if keys[n + 1 : n + 2] != [entry.head[1]] or not _stands(entry.head, n, text, places, keys):
                    continue
            tail_at = _tail(entry, n + size, text, places, keys, lexicon) if entry.tail else -1
            if entry.tail and tail_at < 0:
                continue
            at = n + size
            span = Span(places[n][0], places[at - 1][1])
            surface = span.of(text)
            tail = None
            if entry.tail:
                last = tail_at + len(entry.tail)
                tail = Span(places[tail_at][0], places[last - 1][1])
                surface = f"{surface} {tail.of(text)}"
                taken.update(range(tail_at, last))
            found.extend(Meaning(span, group, surface, tail) for group in entry.groups)
            break
    return found


def _stands(
    wanted: Sequence[str], at: int, text: str, places: Sequence[tuple[int, int]], keys: Sequence[str]
) -> bool:
    """Whether the words from ``at`` on are ``wanted``, with nothing but blanks and hyphens between them."""
    if keys[at : at + len(wanted)] != list(wanted):
        return False
    gaps = (text[places[n][1] : places[n + 1][0]] for n in range(at, at + len(wanted) - 1))
    # A colon without a blank is how many write the visarga of "नि:शुल्क".
    return all(gap == ":" or not gap.strip(_BLANKS) for gap in gaps)


def _tail(
    entry: _Entry,
    begin: int,
    text: str,
    places: Sequence[tuple[int, int]],
    keys: Sequence[str],
    lexicon: _Synonyms,
) -> int:
    """Where the split part of ``entry`` stands in the same clause; -1 when it does not.

    At least one word stands between, and no other word that the part could belong to.
    """
    rivals = lexicon.splits[entry.tail[0]]
    end = min(begin + MAX_WORDS_APART.get(lexicon.language, 4) + 1, len(keys))
    for n in range(begin, end):
        if _ends_clause(text, places[n - 1][1], places[n][0]):
            return -1
        key = keys[n]
        if n > begin and key == entry.tail[0] and _stands(entry.tail, n, text, places, keys):
            if _may_be_particle(n + len(entry.tail) - 1, text, places, lexicon.language):
                return n
        elif key in rivals:
            return -1
    return -1


def _ends_clause(text: str, start: int, end: int) -> bool:
    """Whether a clause ends between two words; the dot of an ordinal ("am 31. Dezember") ends none."""
    is_ordinal = text.startswith(". ", start) and text[start - 1].isdigit()
    return _CLAUSE_END.search(text, start + is_ordinal, end) is not None


def _may_be_particle(n: int, text: str, places: Sequence[tuple[int, int]], language: str) -> bool:
    """A particle that is a preposition too counts at the end of a clause only."""
    start, end = places[n]
    word = text[start:end].lower()
    if word not in _PARTICLES and word not in stop_words(language):
        return True
    if n + 1 == len(places):
        return True
    after, stop = places[n + 1]
    if _ends_clause(text, end, after):
        return True
    return text[after:stop].lower() in _CLAUSE_WORDS.get(language, ())


def _find_unspaced(text: str, lexicon: _Synonyms) -> Iterator[Meaning]:
    folded = fold_text(text)
    low = folded.low.translate(_traditional()) if lexicon.language == "zh" else folded.low
    entries = lexicon.entries
    at = 0
    for n in range(len(low) - 1):
        if n < at:
            continue
        for entry in entries.get(low[n : n + 2], ()):
            written = entry.head[0]
            if not low.startswith(written, n) or not _is_whole(low, n, n + len(written)):
                continue
            at = n + len(written)
            span = folded.span(n, at)
            for group in entry.groups:
                yield Meaning(span, group, span.of(text))
            break


def _is_whole(low: str, start: int, end: int) -> bool:
    """Latin letters and digits of an entry do not go on outside it."""
    return not (
        (start and _is_latin(low[start]) and _is_latin(low[start - 1]))
        or (end < len(low) and _is_latin(low[end - 1]) and _is_latin(low[end]))
    )


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalnum()


# --- loading --------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _traditional() -> dict[int, str]:
    """Traditional Chinese characters of the entries -> simplified."""
    pairs: dict[str, str] = load_lexicon("synonyms").get("traditional", {})
    return {ord(char): simple for char, simple in pairs.items()}


@lru_cache(maxsize=len(TIER1))
def _load(language: str) -> _Synonyms:
    data = load_lexicon("synonyms")
    listed: dict[str, list[str]] = {phrase: [] for phrase in data["neutral"].get(language, ())}
    for name, phrases in data["groups"].get(language, {}).items():
        for phrase in phrases:
            listed.setdefault(phrase, []).append(f"{language}:{name}")
    keys = Forms(language)
    singles = {phrase: groups for phrase, groups in listed.items() if _is_word(phrase)}
    if language not in UNSPACED_LANGUAGES:
        keys.learn(singles, (word for phrase in listed for word in _WORD.findall(phrase)))
    groups_by_parts: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for phrase, groups in listed.items():
        known = groups_by_parts.setdefault(_parts(phrase, keys, language), [])
        known.extend(group for group in groups if group not in known)
    entries = [_Entry(head, tail, tuple(groups)) for (head, tail), groups in groups_by_parts.items()]
    entries.sort(key=_longest_first)
    first: dict[str, list[_Entry]] = {}
    splits: dict[str, set[str]] = {}
    single: dict[str, set[str]] = {}
    for entry in entries:
        is_unspaced = language in UNSPACED_LANGUAGES
        first.setdefault(entry.head[0][:2] if is_unspaced else entry.head[0], []).append(entry)
        if entry.tail:
            splits.setdefault(entry.tail[0], set()).add(entry.head[0])
        elif len(entry.head) == 1:
            term = entry.head[0] if is_unspaced else entry.head[0].partition(" ")[0]
            single.setdefault(term, set()).update(entry.groups)
    return _Synonyms(
        language,
        keys,
        {start: tuple(found) for start, found in first.items()},
        {tail: frozenset(heads) for tail, heads in splits.items()},
        {term: frozenset(groups) for term, groups in single.items() if groups},
    )


def _is_word(phrase: str) -> bool:
    return _WORD.fullmatch(phrase) is not None


def _parts(phrase: str, keys: Forms, language: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Keys of the words of an entry, before and after ``APART``."""
    if language in UNSPACED_LANGUAGES:
        return (fold_text(phrase).low,), ()
    head, _, tail = phrase.partition(APART)
    return tuple(keys[word] for word in _WORD.findall(head)), tuple(
        keys[word] for word in _WORD.findall(tail)
    )


def _longest_first(entry: _Entry) -> tuple[int, int, tuple[str, ...], tuple[str, ...]]:
    size = len(entry.head) + len(entry.tail)
    return (-size, -sum(map(len, entry.head)), entry.head, entry.tail)
