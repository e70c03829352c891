"""Finds the small words that decide what a sentence says: negation, quantifiers, modality, opposites.

The words are data (``lexicons/*.json``). One pass over the words of a text, by the first word of a phrase;
scripts without blanks by the first character, the longest phrase first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from pincite.text.characters import UNSPACED_LANGUAGES
from pincite.text.fold import fold
from pincite.text.lexicon import TIER1, load_lexicon
from pincite.text.scan import WORD, Words
from pincite.text.units import is_unspaced

_Table = dict[str, tuple[tuple[str, tuple[tuple[str, str], ...]], ...]]
"""First word (or character) -> the phrases that begin with it, longest first, each with its ``(kind, value)``."""
_BY_VALUE = (("negation", "negation"), ("quantifiers", "quantifier"), ("modality", "modality"))
"""Files of the lexicon and the kind of their phrases."""
_SAFE_TOGETHER = ("en", "ja", "zh", "ar", "hi")
"""Lexicons for a text of unknown language: their scripts keep them apart."""
_HAS_UNSPACED = re.compile("[\u3005-\u9fff\uf900-\ufaff]")
_ARABIC_PARTICLES = ("وال", "بال", "لل", "ال", "و", "ف", "ب", "ل")
_FRENCH_NE = re.compile(r"\b(?:ne |n')(?=\w)")
_FRENCH_SECOND = re.compile(r"\b(pas|plus|jamais|rien|aucune?|personne|ni|que|qu'|guère|nullement)\b")


@dataclass(frozen=True, slots=True)
class Phrase:
    """``low[start:end]`` of the folded text is a word of ``kind`` with the meaning ``value``."""

    start: int
    end: int
    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class _Lexicon:
    spaced: _Table
    unspaced: _Table


@lru_cache(maxsize=16)
def _lexicon(language: str | None) -> _Lexicon:
    languages = (language,) if language in TIER1 else _SAFE_TOGETHER if language is None else ()
    meanings: dict[str, list[tuple[str, str]]] = {}

    def add(phrase: str, kind: str, value: str) -> None:
        known = meanings.setdefault(fold(phrase).low, [])
        if (kind, value) not in known:
            known.append((kind, value))

    for code in languages:
        for file, kind in _BY_VALUE:
            for value, phrases in load_lexicon(file)["languages"].get(code, {}).items():
                for phrase in phrases:
                    add(phrase, kind, value)
        for phrase in load_lexicon("negation")["neutral"].get(code, ()):
            meanings[fold(phrase).low] = []
        for side in load_lexicon("bounds")["languages"].get(code, {}).values():
            for bound, phrases in side.items():
                for phrase in phrases:
                    # Single words such as "over" and "from" mean too much.
                    if " " in phrase or (code in UNSPACED_LANGUAGES and len(phrase) > 1):
                        add(phrase, "comparator", bound)
        for pair, by_language in load_lexicon("opposites")["pairs"].items():
            for side_name, words in zip("ab", by_language.get(code, ()), strict=False):
                for word in words:
                    add(word, "opposite", f"{pair}:{side_name}")
    spaced: dict[str, list[str]] = {}
    unspaced: dict[str, list[str]] = {}
    for phrase in meanings:
        if is_unspaced(phrase[0]):
            unspaced.setdefault(phrase[0], []).append(phrase)
        else:
            first = WORD.match(phrase)
            if first:
                spaced.setdefault(first[0], []).append(phrase)
    return _Lexicon(_longest_first(spaced, meanings), _longest_first(unspaced, meanings))


def _longest_first(table: dict[str, list[str]], meanings: dict[str, list[tuple[str, str]]]) -> _Table:
    return {
        first: tuple(
            (phrase, tuple(meanings[phrase]))
            for phrase in sorted(phrases, key=lambda text: (-len(text), text))
        )
        for first, phrases in table.items()
    }


def find_phrases(low: str, words: Words, language: str | None) -> list[Phrase]:
    """Every phrase of the lexicons in a folded text, in order; phrases of one kind do not overlap.

    >>> from pincite.text.scan import find_words
    >>> text = "not allowed for all"
    >>> [(p.kind, p.value) for p in find_phrases(text, find_words(text), "en")]
    [('negation', 'not'), ('opposite', 'permit:a'), ('quantifier', 'all')]
    """
    lexicon = _lexicon(language)
    found: list[Phrase] = []
    if lexicon.unspaced and _HAS_UNSPACED.search(low):
        _find_unspaced(low, lexicon, found)
    if lexicon.spaced:
        _find_spaced(low, words, language, lexicon, found)
    found.sort(key=lambda phrase: (phrase.start, phrase.end, phrase.kind, phrase.value))
    return found


def _find_spaced(
    low: str, words: Words, language: str | None, lexicon: _Lexicon, found: list[Phrase]
) -> None:
    done = 0
    table = lexicon.spaced
    for start, end, word in words:
        if start < done:
            continue
        entries = table.get(word)
        if entries is None:
            if "'" in word:
                _find_contracted(word, start, end, table, found)
            elif word[0] > "\u05ff" and len(word) > 3:
                _find_prefixed(word, start, end, table, found)
            continue
        for phrase, meanings in entries:
            stop = start + len(phrase)
            if phrase == word or (low.startswith(phrase, start) and not low[stop : stop + 1].isalnum()):
                found.extend(Phrase(start, stop, kind, value) for kind, value in meanings)
                done = stop
                break
    if language == "fr":
        _read_french_ne(low, found)


def _find_contracted(
    word: str,
    start: int,
    end: int,
    table: _Table,
    found: list[Phrase],
) -> None:
    """English "don't" and French "n'est", "l'accès"."""
    if word.endswith("n't"):
        found.append(Phrase(start, end, "negation", "not"))
        return
    head, _, rest = word.partition("'")
    for phrase, meanings in table.get(rest, ()):
        if phrase == rest and len(head) <= 2:
            at = start + len(head) + 1
            found.extend(Phrase(at, end, kind, value) for kind, value in meanings)


def _find_prefixed(
    word: str,
    start: int,
    end: int,
    table: _Table,
    found: list[Phrase],
) -> None:
    """An Arabic word behind an article or particle."""
    for particle in _ARABIC_PARTICLES:
        rest = word.removeprefix(particle)
        if rest != word and len(rest) > 2 and rest in table:
            for phrase, meanings in table[rest]:
                if phrase == rest:
                    found.extend(Phrase(start + len(particle), end, kind, value) for kind, value in meanings)
            return


def _read_french_ne(low: str, found: list[Phrase]) -> None:
    """What "ne" means is said by its second word: "ne … plus" no longer, "ne … que" only."""
    done = 0
    for match in _FRENCH_NE.finditer(low):
        if match.start() < done:
            continue
        second = _FRENCH_SECOND.search(low, match.end(), min(len(low), match.end() + 40))
        word = second[1] if second else ""
        done = second.end() if second else match.end()
        if word == "plus":
            found.append(Phrase(match.start(), done, "negation", "no_longer"))
        elif word in ("que", "qu'"):
            found.append(Phrase(match.start(), done, "quantifier", "only"))
        elif word in ("", "personne", "guère"):
            found.append(Phrase(match.start(), match.end(), "negation", "not"))


def _find_unspaced(low: str, lexicon: _Lexicon, found: list[Phrase]) -> None:
    table = lexicon.unspaced
    at, size = 0, len(low)
    while at < size:
        entries = table.get(low[at])
        step = 1
        if entries is not None:
            for phrase, meanings in entries:
                if low.startswith(phrase, at):
                    found.extend(Phrase(at, at + len(phrase), kind, value) for kind, value in meanings)
                    step = len(phrase)
                    break
        at += step
