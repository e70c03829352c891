"""Fold a text for comparison, with the way back to every original character.

One table lookup per code point decides what a character becomes:

- a folded letter, digit or mark (case, width, ligature, presentation form and digit script undone);
- a separator (white space, punctuation, symbols, lone surrogates), which only divides words;
- nothing: soft hyphens, zero-width characters, apostrophes, Arabic and Hebrew vowel marks, tatweel.

``fold`` keeps letters only ("squeezed": every difference of layout disappears and a lossless quote is one
``str.find``), or letters with a blank for each separator, so that ``split`` gives the words.

No whole input ever goes through ``unicodedata.normalize``: it is quadratic on floods of combining marks.
The tables take about 50 ms and are built on first use, so that importing the package stays fast.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from pincite.types import Span

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Codes = npt.NDArray[np.uint32]
    Offsets = npt.NDArray[np.int32]

SEPARATOR = 0
NOTHING = 1
_EXPAND = 0x110000
"""Values from here on name a folded form of several characters."""
_LOOSE = 0x200000
"""Added to the value of a mark that composes with the letter before it, so that one ``max`` finds them."""

APOSTROPHES = "'\u2018\u2019\u201b\u02bc\uff07"
_LAYOUT_SYMBOLS = "\u00a9\u00ae\u2117\u2120\u2122"
"""(c), (r), tm and the like say nothing that a quote must repeat, although NFKC spells some of them out."""

_IDENTITY = (  # large scripts without case or decomposition: Han, Hangul, Tangut and the like
    (0x3400, 0x4DC0),
    (0x4E00, 0xA000),
    (0xAC00, 0xD7A4),
    (0x12000, 0x12550),
    (0x13000, 0x14650),
    (0x17000, 0x18D09),
    (0x20000, 0x2F800),
    (0x30000, 0x323B0),
)
_ONE_BY_ONE = (
    (0x0000, 0x3400),
    (0xA000, 0xAC00),
    (0xF900, 0x12000),
    (0x16000, 0x17000),
    (0x1AFF0, 0x1FC00),
    (0x2F800, 0x2FA20),
)
_DROPPED = (  # Hebrew points, Arabic vowel marks and Koranic signs, variation selectors, skin tones, tags
    (0x034F, 0x0350),
    (0x0591, 0x05BE),
    (0x05BF, 0x05C0),
    (0x05C1, 0x05C3),
    (0x05C4, 0x05C6),
    (0x05C7, 0x05C8),
    (0x0610, 0x061B),
    (0x0640, 0x0641),
    (0x064B, 0x0653),
    (0x0656, 0x0660),
    (0x0670, 0x0671),
    (0x06D6, 0x06DD),
    (0x06DF, 0x06E5),
    (0x06E7, 0x06E9),
    (0x06EA, 0x06EE),
    (0x08D3, 0x0900),
    (0x180B, 0x1810),
    (0xFE00, 0xFE10),
    (0x1F3FB, 0x1F400),
    (0xE0000, 0xE01F0),
)
_PICTURES = ((0x1F1E6, 0x1F200), (0x1F300, 0x1F3FB), (0x1F400, 0x1FB00), (0x2600, 0x27C0))
"""Emoji are kept like letters: a thumbs up is not a thumbs down."""

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
)
"""Character class of scripts written without blanks: Thai, Lao, Myanmar, Khmer, Han, Kana."""

FIRST_UNSPACED = "\u0e00"
"""No character of those scripts comes before this one."""

_UNSPACED_CHAR = re.compile(f"[{UNSPACED}]")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_LINK_TARGET = re.compile(r"\](?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?:[ \t]+\"[^\"\n]{0,300}\")?[ \t]*\))")
_TAG = re.compile(
    r"</?(a|b|i|u|s|p|em|strong|sup|sub|br|hr|span|div|code|kbd|mark|small|li|ul|ol|td|tr|th|table|tbody|thead|h[1-6])"
    r"(?:[ \t/][^<>]{0,400})?>",
    re.IGNORECASE,
)
_BLOCK_TAGS = frozenset("p br hr div li ul ol td tr th table tbody thead h1 h2 h3 h4 h5 h6".split())
LINE_HYPHEN = re.compile(r"[-\u00ad\u2010\u2011][ \t]*(?:\r\n|\r|\n)[ \t]*")
EMPHASIS = re.compile(r"[*_`~\[]+")
"""Markdown that may stand inside a word: un**done**."""
_UNSEEN = re.compile(
    r"[-\u00ad\u2010\u2011][ \t]*(?:\r\n|\r|\n)[ \t]*|[\r\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
)
_LONGEST_CLUSTER = 24


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text and the way back.

    ``letters[i]`` comes from the character ``text[at[i]]``; ``at`` never falls. Where one character became
    several letters they share their place.
    """

    text: str
    letters: str
    at: Offsets

    def start(self, i: int) -> int:
        """Where letter ``i`` begins in the text."""
        return int(self.at[i])

    def end(self, i: int) -> int:
        """Where letter ``i`` ends in the text: after the combining marks that belong to it."""
        return whole_end(self.text, int(self.at[i]) + 1)

    def index(self, place: int) -> int:
        """The first letter at or after ``place`` in the text; the number of letters when there is none."""
        return int(self.at.searchsorted(place))


def whole_end(text: str, end: int) -> int:
    """Move ``end`` behind the combining marks that continue the character before it.

    >>> whole_end("e\\u0301t", 1)
    2
    """
    if end < len(text) and text[end] >= "\u0300":
        return _skip_marks(text, end)
    return end


def _skip_marks(text: str, end: int) -> int:
    while end < len(text) and continues_character(text, end):
        end += 1
    return end


def continues_character(text: str, place: int) -> bool:
    """Whether the character at ``place`` is part of the one before: a mark, a joiner or what it joins.

    >>> continues_character("e\\u0301", 1), continues_character("et", 1)
    (True, False)
    """
    char = text[place]
    if char < "\u0300":
        return False
    if (
        unicodedata.category(char)[0] == "M"
        or char in "\u200d\uff9e\uff9f"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
    ):
        return True
    if "\u1160" <= char <= "\u11ff":  # second and third part of a Korean syllable
        return place > 0 and "\u1100" <= text[place - 1] <= "\u11ff"
    return char >= "\u2600" and place > 0 and text[place - 1] == "\u200d"


def fold(text: str, *, words: bool = False) -> Folded:
    """Fold ``text``; with ``words``, each separator leaves a blank.

    Linear in the length of the text, whatever it holds.

    >>> (
    ...     fold("The ﬁnal oﬃce").letters,
    ...     fold("Caf\\u00e9 infor-\\nmation, 25&nbsp;%", words=True).letters.split(),
    ... )
    ('thefinaloffice', ['café', 'information', '25'])
    """
    import numpy as np

    tables = _tables()
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    values = tables.fold[codes]
    if values.size and int(values.max()) >= _LOOSE:
        _compose(text, values, tables)
    _undo_markup(text, values)
    if words:
        _join_broken_words(text, values)
        _join_emphasised_words(text, values)
        values[values == SEPARATOR] = 0x20
        at = np.flatnonzero(values != NOTHING)
    else:
        at = np.flatnonzero(values > NOTHING)
    kept = values[at]
    if kept.size and int(kept.max()) >= _EXPAND:
        kept, at = _expand(kept, at, tables)
    return Folded(text, kept.tobytes().decode("utf-32-le"), at.astype(np.int32))


_ASCII_LETTERS = {code: chr(code).lower() if chr(code).isalnum() else None for code in range(128)}
_ASCII_WORDS = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
_ASCII_NEEDS_CARE = re.compile(r"['<*_`~\[]|-[ \t]*[\r\n]")


def letters_of(text: str) -> str:
    """``fold(text).letters``, faster where the text is plain.

    >>> letters_of("Hello, World 2")
    'helloworld2'
    """
    if text.isascii() and "<" not in text and "](" not in text:
        return text.translate(_ASCII_LETTERS)
    return fold(text).letters


def blanked_ascii(text: str) -> str | None:
    """``fold(text, words=True).letters`` of a text where every character keeps its place, else ``None``.

    >>> blanked_ascii("Hello, World"), blanked_ascii("it's")
    ('hello  world', None)
    """
    if text.isascii() and _ASCII_NEEDS_CARE.search(text) is None:
        return text.translate(_ASCII_WORDS)
    return None


def _expand(kept: Codes, at: Any, tables: _Tables) -> tuple[Codes, Any]:
    import numpy as np

    long = kept >= _EXPAND
    which = np.where(long, kept, _EXPAND) - _EXPAND
    counts = np.where(long, tables.lengths[which], 1)
    source = np.repeat(np.arange(kept.size), counts)
    within = np.arange(source.size) - (np.cumsum(counts) - counts)[source]
    spelled = tables.spelled[np.minimum(tables.offsets[which[source]] + within, tables.spelled.size - 1)]
    return np.where(long[source], spelled, kept[source]).astype(np.uint32), at[source]


def _compose(text: str, values: Codes, tables: _Tables) -> None:
    """Give a letter with loose marks the value of the composed letter, canonical order included."""
    import numpy as np

    loose = values >= _LOOSE
    places = np.flatnonzero(loose)
    values[places] -= _LOOSE
    firsts = places[np.flatnonzero(np.diff(places, prepend=-2) > 1)]
    for first in firsts.tolist():
        # The marks of one letter; a flood of them is left as it is, since sorting it would be quadratic.
        end = first + 1
        while end < len(text) and end - first < _LONGEST_CLUSTER and loose[end]:
            end += 1
        start = first - 1
        while (
            start > 0
            and first - start < _LONGEST_CLUSTER
            and values[start] == NOTHING
            and is_letter(text[start])
        ):
            start -= 1  # a vowel mark that is dropped may stand between the letter and its loose mark
        if start < 0 or values[start] <= NOTHING or end - first >= _LONGEST_CLUSTER:
            continue
        folded = _fold_cluster(text[start:end])
        if len(folded) > end - start:
            continue
        for place in range(start, end):
            at = place - start
            values[place] = ord(folded[at]) if at < len(folded) else NOTHING


@lru_cache(maxsize=16_384)
def _fold_cluster(cluster: str) -> str:
    return _fold_characters(unicodedata.normalize("NFKC", cluster))


def _fold_characters(text: str) -> str:
    tables = _tables()
    out: list[str] = []
    for char in text:
        value = int(tables.fold[ord(char)])
        value = value - _LOOSE if value >= _LOOSE else value
        if value >= _EXPAND:
            start = int(tables.offsets[value - _EXPAND])
            out.extend(
                chr(int(code))
                for code in tables.spelled[start : start + int(tables.lengths[value - _EXPAND])]
            )
        elif value > NOTHING:
            out.append(chr(value))
    return "".join(out)


def _undo_markup(text: str, values: Codes) -> None:
    if "](" in text:
        for match in _LINK_TARGET.finditer(text):
            values[match.start() : match.end()] = NOTHING
    if "<" in text:
        for match in _TAG.finditer(text):
            values[match.start() : match.end()] = NOTHING
            if match.group(1).lower() in _BLOCK_TAGS:
                values[match.start()] = SEPARATOR


def _join_broken_words(text: str, values: Codes) -> None:
    if "\n" not in text and "\r" not in text:
        return
    for match in LINE_HYPHEN.finditer(text):
        start, end = match.span()
        if start > 0 and end < len(text) and text[start - 1].isalpha() and text[end].isalpha():
            values[start:end] = NOTHING


def _join_emphasised_words(text: str, values: Codes) -> None:
    if not any(mark in text for mark in "*_`~["):
        return
    for match in EMPHASIS.finditer(text):
        start, end = match.span()
        if start and end < len(text) and is_letter(text[start - 1]) and is_letter(text[end]):
            values[start:end] = NOTHING


def is_letter(char: str) -> bool:
    """Whether ``char`` is a letter or a mark on one."""
    return char.isalpha() or (char >= "\u0300" and unicodedata.category(char)[0] == "M")


def mostly_unspaced(text: str) -> bool:
    """Whether at least a third of a text is of scripts without blanks, going by samples of it.

    >>> mostly_unspaced("返品は14日以内"), mostly_unspaced("the word 返品 in Japanese")
    (True, False)
    """
    if text.isascii():
        return False
    sample = (
        text if len(text) <= 600 else text[:200] + text[len(text) // 2 : len(text) // 2 + 200] + text[-200:]
    )
    return len(_UNSPACED_CHAR.findall(sample)) * 3 >= len(sample)


def link_end(text: str, place: int) -> int:
    """The end of the link target that begins at ``place``, with its closing bracket; else ``place``.

    >>> link_end("[a](b) c", 2), link_end("[a] c", 2)
    (6, 2)
    """
    match = _LINK_TARGET.match(text, place)
    return match.end() if match else place


def plain(text: str) -> str:
    """``text`` with link targets and tags blanked, at its old length.

    >>> plain("[x](y) is <b>bold</b>")
    '[x    is    bold    '
    """
    if "](" in text:
        text = _LINK_TARGET.sub(lambda match: " " * len(match.group()), text)
    if "<" in text:
        text = _TAG.sub(lambda match: " " * len(match.group()), text)
    return text


@dataclass(frozen=True, slots=True)
class Unescaped:
    """A text rewritten (HTML entities read, say), and the way back: ``starts`` and ``ends`` per character of ``text``."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def original(self, span: Span) -> Span:
        """The span of the text as given; an entity is never cut."""
        if not self.text:
            return Span(0, 0)
        start = self.starts[span.start] if span.start < len(self.starts) else self.ends[-1]
        return Span(start, max(start, self.ends[span.end - 1]) if span.end > span.start else start)


def unescape(text: str) -> Unescaped | None:
    """Read the HTML entities of ``text``; ``None`` when it has none.

    >>> unescape("5&nbsp;%").text, unescape("R&D")
    ('5\\xa0%', None)
    """
    if "&" not in text or _ENTITY.search(text) is None:
        return None
    return _rewrite(text, _ENTITY, _entity_char)


def _entity_char(match: re.Match[str]) -> str | None:
    char = html.unescape(match.group())
    return char if len(char) == 1 else None  # else no entity after all, or one of two characters


def without_unseen(text: str) -> Unescaped | None:
    """``text`` without soft hyphens, zero-width characters and line-end hyphens; ``None`` when it has none.

    >>> without_unseen("mil-\\nlion").text
    'million'
    """
    return _rewrite(text, _UNSEEN, _unseen_char) if _UNSEEN.search(text) else None


def _unseen_char(match: re.Match[str]) -> str | None:
    found, text = match.group(), match.string
    if len(found) == 1:
        return ""
    start, end = match.span()
    inside = start > 0 and end < len(text) and text[start - 1].isalpha() and text[end].isalpha()
    return "" if inside else None


def _rewrite(
    text: str, pattern: re.Pattern[str], by: Callable[[re.Match[str]], str | None]
) -> Unescaped | None:
    """Put one character or none in place of each match; ``None`` leaves a match as it is."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    last = 0
    for match in pattern.finditer(text):
        char = by(match)
        if char is None:
            continue
        start, end = match.span()
        parts += (text[last:start], char)
        starts.extend(range(last, start + len(char)))
        ends.extend(range(last + 1, start + 1))
        ends.extend([end] * len(char))
        last = end
    if not last:
        return None
    parts.append(text[last:])
    starts.extend(range(last, len(text)))
    ends.extend(range(last + 1, len(text) + 1))
    return Unescaped("".join(parts), tuple(starts), tuple(ends))


# --- the tables -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Tables:
    """``fold`` has a value per code point; ``_EXPAND + k`` is spelled ``spelled[offsets[k]:][:lengths[k]]``."""

    fold: Codes
    offsets: Any
    lengths: Any
    spelled: Codes


@cache
def _tables() -> _Tables:
    import numpy as np

    fold_table = np.zeros(0x110000, dtype=np.uint32)
    for low, high in _IDENTITY:
        fold_table[low:high] = np.arange(low, high, dtype=np.uint32)
    dropped = {code for low, high in _DROPPED for code in range(low, high)}
    pictures = {code for low, high in _PICTURES for code in range(low, high)}
    spellings: dict[str, int] = {}
    seconds: set[str] = set("\uff9e\uff9f")
    for low, high in _ONE_BY_ONE:
        for code in range(low, high):
            char = chr(code)
            category = unicodedata.category(char)
            if category == "Cn":
                continue
            folded = _fold_one(char, category, dropped, pictures)
            if folded is None:
                fold_table[code] = NOTHING
            elif len(folded) == 1:
                fold_table[code] = ord(folded)
            elif folded:
                fold_table[code] = _EXPAND + spellings.setdefault(folded, len(spellings))
            parts = unicodedata.decomposition(char).split()
            if len(parts) == 2 and parts[0][0] != "<":
                pair = chr(int(parts[0], 16)) + chr(int(parts[1], 16))
                if unicodedata.normalize("NFC", pair) == char:
                    seconds.add(pair[1])
    fold_table[0xE0000:0xE01F0] = NOTHING
    seconds.update(map(chr, range(0x1161, 0x1176)))
    seconds.update(map(chr, range(0x11A8, 0x11C3)))
    for mark in sorted(seconds):
        fold_table[ord(mark)] += _LOOSE
    lengths = np.array([len(spelling) for spelling in spellings], dtype=np.int64)
    return _Tables(
        fold=fold_table,
        offsets=np.cumsum(lengths) - lengths,
        lengths=lengths,
        spelled=np.array([ord(char) for spelling in spellings for char in spelling], dtype=np.uint32),
    )


def _fold_one(char: str, category: str, dropped: set[int], pictures: set[int]) -> str | None:
    """The letters a character becomes; empty for a separator, ``None`` for nothing at all."""
    if category == "Cf" or ord(char) in dropped or char in APOSTROPHES:
        return None
    if category == "Nd":
        return str(unicodedata.digit(char))
    if char in _LAYOUT_SYMBOLS:
        return ""
    if char == "\u0130":  # casefold would add a dot of its own
        return "i"
    if category[0] not in "LNM":
        if ord(char) in pictures:
            return char
        if category != "So" or not unicodedata.decomposition(char):
            return ""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", char).casefold())
    kept = "".join(one for one in folded if unicodedata.category(one)[0] in "LNM" and ord(one) not in dropped)
    if not kept:
        return None if category[0] == "M" else ""
    return kept
