"""Words of a text: where they stand, and the terms that search and comparisons use.

Scripts that put no blanks between words are cut into overlapping pieces: Han, Kana and Hangul into pairs of
characters, Thai, Lao, Myanmar and Khmer, whose letters say less, into threes. All offsets are code points of the text as given. Everything here is linear in its input.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import chain
from operator import add

import Stemmer

from pincite.types import Span

# Characters of scripts written without blanks between words. Source: Unicode block names.
UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3035\u303b-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # radicals, Kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"  # Kana, Han
)

# Combining marks (Unicode category M) of the scripts in use, and what stands inside words unseen: soft hyphen,
# zero-width blank and joiners, byte order mark. Source: unicodedata of Python 3.11, joined where neighbours are.
MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u0816-\u082d"
    "\u0859-\u085b\u08ca-\u0903\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc\u09be-\u09cd"
    "\u09d7\u09e2\u09e3\u09fe\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a75\u0a81-\u0a83\u0abc\u0abe-\u0acd\u0ae2\u0ae3"
    "\u0afa-\u0b03\u0b3c\u0b3e-\u0b57\u0b62\u0b63\u0b82\u0bbe-\u0bcd\u0bd7\u0c00-\u0c04\u0c3c\u0c3e-\u0c56\u0c62\u0c63"
    "\u0c81-\u0c83\u0cbc\u0cbe-\u0cd6\u0ce2\u0ce3\u0cf3\u0d00-\u0d03\u0d3b\u0d3c\u0d3e-\u0d4d\u0d57\u0d62\u0d63"
    "\u0d81-\u0d83\u0dca-\u0ddf\u0df2\u0df3\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e\u0f3f\u0f71-\u0f84\u0f86\u0f87"
    "\u0f8d-\u0fbc\u0fc6\u135d-\u135f\u1712-\u1715\u1732-\u1734\u180b-\u180f\u1ab0-\u1ace\u1b00-\u1b04\u1b34-\u1b44"
    "\u1cd0-\u1cd2\u1cd4-\u1ce8\u1cf4\u1dc0-\u1dff\u20d0-\u20f0\u302a-\u302f\u3099\u309a\ua66f-\ua67d\ua6f0\ua6f1"
    "\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\U000e0100-\U000e01ef"
    "\u00ad\u200b-\u200d\u2060\ufeff"
)

# The same for the scripts without blanks, whose marks UNSPACED holds already.
UNSPACED_MARKS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece"  # Thai, Lao
    "\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f"
    "\u109a-\u109d\ua9e5\uaa7b-\uaa7d"  # Myanmar
    "\u17b4-\u17d3\u17dd"  # Khmer
)

MAX_WORD_CHARS = 64
"""A longer run is cut into pieces of this length, so that a page of letters without a blank stays harmless."""

CACHED_WORDS = 200_000
"""Words whose terms are remembered for each language; then the memory starts anew."""

_INSIDE = MARKS + UNSPACED_MARKS
_WORD = re.compile(rf"[^\W_][^\W_{_INSIDE}]*(?:[{_INSIDE}]+[^\W_{_INSIDE}]*)*")
_UNSPACED_RUN = re.compile(rf"[{UNSPACED}{MARKS}]+|[^{UNSPACED}]+")
_FOREIGN_DIGIT = re.compile(r"[^\D0-9]")
_HAS_UNSPACED = re.compile(f"[{UNSPACED}]")
_OF_LETTERS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f]")
"""Thai, Lao, Myanmar, Khmer. On Thai XQuAD threes find the right paragraph first for 92.5 %, pairs for 88.1, fours
for 92.0 (words alone, 120 paragraphs)."""
_ASCII_FOLD = str.maketrans({code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)})
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff\u0640"))
_UNSEEN.update(dict.fromkeys([*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))
_HAS_UNSEEN = re.compile("[\u00ad\u0640\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]")


@dataclass(frozen=True, slots=True)
class Token:
    """A term and the place it was made of. ``span`` is in the text as given; pairs of characters overlap."""

    span: Span
    term: str


@dataclass(frozen=True, slots=True)
class _Language:
    words: frozenset[str]
    letters: str
    stemmer: str | None


@cache
def _languages() -> dict[str, _Language]:
    data = tomllib.loads(resources.files("pincite.text").joinpath("languages.toml").read_text("utf-8"))
    known = set(Stemmer.algorithms())
    return {
        code: _Language(
            words=frozenset(map(fold, row["words"].split())),
            letters=row.get("letters", ""),
            stemmer=row["stemmer"] if row.get("stemmer") in known else None,
        )
        for code, row in data.items()
    }


def stop_words(language: str | None) -> frozenset[str]:
    """Function words of a language, casefolded. Empty when the language is not known.

    >>> "the" in stop_words("en"), stop_words("tlh")
    (True, frozenset())
    """
    row = _languages().get(_base(language))
    return row.words if row else frozenset()


def _base(language: str | None) -> str:
    code = (language or "").replace("_", "-").partition("-")[0].casefold()
    return {"nb": "no", "nn": "no"}.get(code, code)


# --- words --------------------------------------------------------------------------------------


def words(text: str) -> tuple[tuple[Span, str], ...]:
    """Every word of ``text`` with its place, as it is written.

    A word is a run of letters and digits with their combining marks. A run of a script without blanks is one
    word; so is a run of more than 64 characters, piece by piece.

    >>> [surface for _, surface in words("Don't ship 25 MB to 東京!")]
    ['Don', 't', 'ship', '25', 'MB', 'to', '東京']
    """
    return tuple((Span(start, end), text[start:end]) for start, end in _places(text))


def _places(text: str) -> Iterator[tuple[int, int]]:
    for match in _WORD.finditer(text):
        start, end = match.span()
        if end - start <= MAX_WORD_CHARS and not _HAS_UNSPACED.search(text, start, end):
            yield start, end
            continue
        for run in _UNSPACED_RUN.finditer(text, start, end):
            for at in range(run.start(), run.end(), MAX_WORD_CHARS):
                yield at, min(at + MAX_WORD_CHARS, run.end())


def fold(word: str) -> str:
    """A word in the form that is compared: NFKC, casefold, decimal digits of any script as 0-9.

    Combining marks are kept; soft hyphens, zero-width characters and tatweel go.

    >>> fold("Ｓtraße"), fold("٣٠"), fold("of\\u00adfer")
    ('strasse', '30', 'offer')
    """
    if word.isascii():
        return word.lower()
    # Sorting a flood of combining marks is quadratic, so a long text is folded piece by piece.
    if len(word) <= MAX_WORD_CHARS:
        folded = _folded(word)
    else:
        folded = "".join(
            _folded(word[at : at + MAX_WORD_CHARS]) for at in range(0, len(word), MAX_WORD_CHARS)
        )
    return _FOREIGN_DIGIT.sub(lambda match: str(unicodedata.digit(match.group())), folded)


def _folded(piece: str) -> str:
    plain = unicodedata.normalize("NFKC", piece)
    if _HAS_UNSEEN.search(plain):
        plain = plain.translate(_UNSEEN)
    return unicodedata.normalize("NFKC", plain.casefold())


# --- terms --------------------------------------------------------------------------------------


class _Terms(dict[str, tuple[str, ...]]):
    """Surface of a spaced word -> its terms, made when first asked for."""

    def __init__(self, stemmer: str | None) -> None:
        super().__init__()
        self._stemmer = stemmer

    def __missing__(self, surface: str) -> tuple[str, ...]:
        made = tuple(self._stem(term) for term in _split_folded(fold(surface)))
        if len(self) >= CACHED_WORDS:
            self.clear()
        self[surface] = made
        return made

    def _stem(self, term: str) -> str:
        if self._stemmer is None or (not term.isalpha() and term.isascii()):
            return term
        # A stemmer object holds the word it works on, so threads must not share one.
        return str(Stemmer.Stemmer(self._stemmer, 0).stemWord(term)) or term


def _split_folded(folded: str) -> list[str]:
    """Folding can bring characters that are no part of a word: "½" becomes "1⁄2"."""
    return _WORD.findall(folded) if not folded.isalnum() else [folded]


@cache
def _terms_of(language: str) -> _Terms:
    row = _languages().get(language)
    return _Terms(row.stemmer if row else None)


def terms(text: str, language: str | None = None) -> tuple[str, ...]:
    """The search terms of ``text``, in order, repeats kept.

    Args:
        text: Any text.
        language: Two-letter code; chooses the stemmer. ``None`` or one without a stemmer: words are not stemmed.
            Two texts compare well only when their terms were made with the same language.

    >>> terms("Returned shoes, 30 DAYS", "en")
    ('return', 'shoe', '30', 'day')
    >>> terms("返品は14日")
    ('返品', '品は', '14', '日')
    """
    made = _terms_of(_base(language))
    surfaces = text.translate(_ASCII_FOLD).split() if text.isascii() else _WORD.findall(text)
    spaced = text.isascii() or not _HAS_UNSPACED.search(text)
    if spaced and max(map(len, surfaces), default=0) <= MAX_WORD_CHARS:
        return tuple(chain.from_iterable(map(made.__getitem__, surfaces)))
    out: list[str] = []
    for surface in surfaces:
        if len(surface) <= MAX_WORD_CHARS and (surface.isascii() or not _HAS_UNSPACED.search(surface)):
            out += made[surface]
        else:
            for run in _UNSPACED_RUN.findall(surface):
                out += _run_terms(run, made)
    return tuple(out)


def terms_of_word(word: str, language: str | None) -> tuple[str, ...]:
    """``terms`` of what is one word already, of a script with blanks: quicker.

    >>> terms_of_word("returned", "en"), terms_of_word("½", "en")
    (('return',), ('1', '2'))
    """
    if len(word) > MAX_WORD_CHARS or (not word.isascii() and _HAS_UNSPACED.search(word)):
        return terms(word, language)
    return _terms_of(_base(language))[word]


def _run_terms(run: str, made: _Terms) -> list[str]:
    if _HAS_UNSPACED.match(run):
        folded = fold(run)
        size = _piece_size(run)
        if len(folded) < size:
            return [folded] if folded else []
        pairs = map(add, folded, folded[1:])
        return list(pairs) if size == 2 else list(map(add, pairs, folded[2:]))
    pieces = (run[at : at + MAX_WORD_CHARS] for at in range(0, len(run), MAX_WORD_CHARS))
    return [term for piece in pieces for term in made[piece]]


def _piece_size(run: str) -> int:
    return 3 if _OF_LETTERS.match(run) else 2


def tokens(text: str, language: str | None = None) -> tuple[Token, ...]:
    """The terms of ``text`` with their places: the same terms as ``terms`` for all but the rarest characters.

    A piece of a script without blanks covers its characters; folding that changes the length of such a run
    (a ligature) gives the whole run as the place.

    >>> tokens("Ships 東京都", "en")
    (Token(span=Span(start=0, end=5), term='ship'), Token(span=Span(start=6, end=8), term='東京'), ...)
    """
    made = _terms_of(_base(language))
    out: list[Token] = []
    for match in _WORD.finditer(text):
        for run in _UNSPACED_RUN.finditer(text, match.start(), match.end()):
            out += _run_tokens(run.group(), run.start(), made)
    return tuple(out)


def _run_tokens(run: str, start: int, made: _Terms) -> list[Token]:
    if not _HAS_UNSPACED.match(run):
        return [
            Token(Span(start + at, start + min(at + MAX_WORD_CHARS, len(run))), term)
            for at in range(0, len(run), MAX_WORD_CHARS)
            for term in made[run[at : at + MAX_WORD_CHARS]]
        ]
    found = _run_terms(run, made)
    size = _piece_size(run)
    if len(found) == len(run) - size + 1:
        return [Token(Span(start + i, start + i + size), term) for i, term in enumerate(found)]
    return [Token(Span(start, start + len(run)), term) for term in found]


def content_words(text: str, language: str | None = None) -> tuple[Token, ...]:
    """``tokens`` without function words. Pairs of Han or Kana that are grammar alone are left out too.

    >>> [token.term for token in content_words("The shoes are returned within 30 days.", "en")]
    ['shoe', 'return', '30', 'day']
    """
    stop = stop_words(language)
    out: list[Token] = []
    for token in tokens(text, language):
        surface = token.span.of(text)
        if fold(surface) in stop:
            continue
        if len(token.term) == 2 and all(char in stop for char in token.term) and _HAS_UNSPACED.match(surface):
            continue
        out.append(token)
    return tuple(out)


# --- language -----------------------------------------------------------------------------------

SAMPLE_CHARS = 1_000
"""How much of a text is looked at to guess its language."""

# Script -> languages that are written in it, most likely first. Source: Unicode block names.
_SCRIPTS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("kana", "\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f", ("ja",)),
    ("hangul", "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3", ("ko",)),
    ("han", "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff", ("zh",)),
    ("thai", "\u0e01-\u0e7f", ("th",)),
    ("lao", "\u0e80-\u0eff", ("lo",)),
    ("myanmar", "\u1000-\u109f", ("my",)),
    ("khmer", "\u1780-\u17ff", ("km",)),
    ("tibetan", "\u0f00-\u0fff", ("bo",)),
    (
        "arabic",
        "\u0620-\u064a\u066e-\u06d3\u06fa-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc",
        ("ar", "fa", "ur"),
    ),
    ("hebrew", "\u05d0-\u05ea", ("he",)),
    ("devanagari", "\u0900-\u097f", ("hi", "mr", "ne")),
    ("bengali", "\u0980-\u09ff", ("bn",)),
    ("gurmukhi", "\u0a00-\u0a7f", ("pa",)),
    ("gujarati", "\u0a80-\u0aff", ("gu",)),
    ("tamil", "\u0b80-\u0bff", ("ta",)),
    ("telugu", "\u0c00-\u0c7f", ("te",)),
    ("kannada", "\u0c80-\u0cff", ("kn",)),
    ("malayalam", "\u0d00-\u0d7f", ("ml",)),
    ("sinhala", "\u0d80-\u0dff", ("si",)),
    ("greek", "\u0370-\u03ff\u1f00-\u1fff", ("el",)),
    ("cyrillic", "\u0400-\u052f", ("ru", "uk", "bg", "sr")),
    ("armenian", "\u0531-\u0588", ("hy",)),
    ("georgian", "\u10a0-\u10ff\u1c90-\u1cbf", ("ka",)),
    ("ethiopic", "\u1200-\u137f", ("am",)),
    ("latin", "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff", ()),
)
_LATIN = (
    "en",
    "de",
    "fr",
    "es",
    "it",
    "pt",
    "nl",
    "sv",
    "da",
    "no",
    "fi",
    "pl",
    "cs",
    "sk",
    "hu",
    "ro",
    "tr",
    "id",
    "vi",
    "ca",
)
_OTHER_SCRIPTS = re.compile("[^\u0000-\u024f\u2000-\u2bff]")
"""What is neither Latin nor a sign."""
_SCRIPT_RUNS = tuple((name, re.compile(f"[{chars}]"), codes) for name, chars, codes in _SCRIPTS)


def detect_language(text: str) -> str | None:
    """Guess the language of ``text`` from its script and its function words; ``None`` when neither tells.

    Looks at the first 1,000 characters. Han characters with Kana among them are Japanese. Ties go to nobody.

    >>> (
    ...     detect_language("Die Frist endet am Montag."),
    ...     detect_language("返品は14日"),
    ...     detect_language("AES-256"),
    ... )
    ('de', 'ja', None)
    """
    sample = text[:SAMPLE_CHARS]
    if sample.isascii() or not _OTHER_SCRIPTS.search(sample):
        return _by_function_words(sample, _LATIN)
    counts = {name: len(pattern.findall(sample)) for name, pattern, _ in _SCRIPT_RUNS}
    # One Han character says about as much as a Latin word of four letters.
    for dense in ("han", "kana", "hangul"):
        counts[dense] *= 4
    if counts["kana"] * 10 > counts["han"]:
        counts["kana"] += counts["han"]
    best = max(counts, key=lambda name: counts[name])
    if not counts[best]:
        return None
    if best == "latin":
        return _by_function_words(sample, _LATIN)
    codes = next(codes for name, _, codes in _SCRIPT_RUNS if name == best)
    return codes[0] if len(codes) == 1 else _by_function_words(sample, codes) or codes[0]


def _by_function_words(sample: str, codes: tuple[str, ...]) -> str | None:
    owners = _owners(codes)
    if sample.isascii():
        counts = Counter(sample.translate(_ASCII_FOLD).split())
    else:
        counts = Counter(map(fold, _WORD.findall(sample)))
    scores = dict.fromkeys(codes, 0)
    for word in counts.keys() & owners.keys():
        for code in owners[word]:
            scores[code] += counts[word]
    letters = set(sample.casefold())
    for code in codes:
        if own := _languages()[code].letters:
            scores[code] += len(letters.intersection(own))
    ranked = sorted(scores.values(), reverse=True)
    if not ranked[0] or ranked[0] == ranked[1]:
        return None
    return max(scores, key=lambda code: scores[code])


@cache
def _owners(codes: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Function word -> those of ``codes`` that have it: each word of a text is looked up once, not in every language."""
    found: dict[str, list[str]] = {}
    for code in codes:
        for word in _languages()[code].words:
            found.setdefault(word, []).append(code)
    return {word: tuple(owners) for word, owners in found.items()}
