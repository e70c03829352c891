"""Words of a list in the forms that a text has them in: by stem, but told apart where a stem joins too much.

Stemmers join "customer" and "customise", "contain" and "container". Search gains by that; where one word is to stand
for another it would be a fault.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from pincite.text.fold import fold as fold_text
from pincite.text.words import CACHED_WORDS, MAX_WORD_CHARS, fold, stop_words, terms_of_word

_ARABIC_CLITICS = "وفسبلك"
"""One letter written with the next word: "and", "then", "will", "by", "for", "like"; the stemmer leaves some."""
MAX_ARABIC_CLITICS = 2
_ARABIC_PREFIXES = ("وال", "بال", "كال", "فال", "لل", "ال", "و", "ف", "ب", "ل", "ك")
"""What the stemmer cuts from the beginning of a word."""
_ENGLISH_ENDINGS = frozenset(("", "e", "y", "s", "es", "d", "ed", "ing", "ies", "ied", "en"))
LEAST_SHARED, LONGEST_ENDING = 2, 3
"""Letters that two words of one stem must share from the beginning, and may differ in, to be forms of one word."""
_ANY = "*"
"""Instead of a group: all words of the stem are in the same."""
_HINDI_SPELLING = str.maketrans({"\u093c": None, "\u0901": "\u0902"})  # nukta, candrabindu: written or not


class Forms(dict[str, str]):
    """Surface of a word -> its key: its stem, with the group after a blank where words of several share that stem.

    Stemmers join "customer" and "customise", "contain" and "container". So what is listed goes by its own form,
    another form by the listed one that it is nearest to, and what is near to none gets a key of its own. "" for
    what is not one word.
    """

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language
        self._known: frozenset[str] = frozenset()
        self._forms: dict[str, dict[str, str]] = {}
        self._stems: dict[str, str] = {}

    def learn(self, singles: Mapping[str, Sequence[str]], words: Iterable[str]) -> None:
        """Take in the entries of one word with their groups, and all words of entries."""
        forms: dict[str, dict[str, str]] = {}
        for word, groups in singles.items():
            forms.setdefault(self._stem(word), {})[self._plain(word)] = ",".join(groups)
        for stem, by_form in forms.items():
            if len(set(by_form.values())) == 1 and "" not in by_form.values():
                forms[stem] = dict.fromkeys(by_form, _ANY)
        self._forms = forms
        self._known = frozenset(map(self._stem, words))
        self.clear()

    def __missing__(self, surface: str) -> str:
        key = self._key(surface) if len(surface) <= MAX_WORD_CHARS else ""
        if len(self) >= CACHED_WORDS:
            self.clear()
        self[surface] = key
        return key

    def _key(self, surface: str) -> str:
        stem = self._stem(surface)
        if self._language == "ar" and stem not in self._known:
            for cut in range(1, min(MAX_ARABIC_CLITICS, len(surface) - 3) + 1):
                if surface[cut - 1] not in _ARABIC_CLITICS:
                    break
                if (bare := self._stem(surface[cut:])) in self._known:
                    stem, surface = bare, surface[cut:]
                    break
        forms = self._forms.get(stem)
        if forms is None:
            return stem
        group = self._nearest(self._plain(surface), forms)
        if group == _ANY:
            return stem
        return f"{stem} {group}"

    def _nearest(self, word: str, forms: Mapping[str, str]) -> str:
        """The group of the listed form that ``word`` is or is a form of; "" when there is none."""
        if word in forms:
            return forms[word]
        if word in stop_words(self._language):
            return ""
        written = [word]
        if self._language == "ar":
            written += [word[len(cut) :] for cut in _ARABIC_PREFIXES if word.startswith(cut)]
        is_form = _is_english_form if self._language == "en" else _is_form
        near = (
            (shared, -len(form), form)
            for form in forms
            for way in written
            if (shared := _shared_letters(form, way)) and is_form(form[shared:], way[shared:], way[:shared])
        )
        best = max(near, default=None)
        return forms[best[2]] if best else ""

    def _plain(self, surface: str) -> str:
        """What forms are compared in: without marks and without the spelling variants of Arabic."""
        if self._language == "ar":
            return fold_text(surface).low
        folded = spelled(fold(surface), self._language)
        if folded.isascii() or self._language == "hi":
            return folded
        marked = unicodedata.normalize("NFD", folded)
        return "".join(char for char in marked if not unicodedata.combining(char))

    def _stem(self, surface: str) -> str:
        stem = self._stems.get(surface)
        if stem is None:
            found = terms_of_word(surface, self._language)
            stem = spelled(found[0], self._language) if len(found) == 1 else ""
            if len(self._stems) >= CACHED_WORDS:
                self._stems.clear()
            self._stems[surface] = stem
        return stem


def _is_form(ending: str, other: str, shared: str) -> bool:
    """Whether two words of one stem that go on with these endings after ``shared`` are forms of one word."""
    return len(shared) >= LEAST_SHARED and max(len(ending), len(other)) <= LONGEST_ENDING


def _is_english_form(ending: str, other: str, shared: str) -> bool:
    """``ending`` is of the listed form."""
    last = shared[-1:]
    other = other[1:] if other[:1] == last else other  # stop-ped
    ending = ending[1:] if ending[:1] == last else ending
    return ending in _ENGLISH_ENDINGS and other in _ENGLISH_ENDINGS


def _shared_letters(word: str, other: str) -> int:
    pairs = enumerate(zip(word, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(word), len(other)))


def spelled(term: str, language: str) -> str:
    """``term`` without what Hindi may leave out in writing: the dot below, the moon of a nasal vowel.

    >>> spelled("मुफ़्त", "hi")
    'मुफ्त'
    """
    return term.translate(_HINDI_SPELLING) if language == "hi" else term
