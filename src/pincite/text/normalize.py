"""Fold a text for comparison, with the way back to every original character.

One table lookup per code point decides what a character becomes:

- a folded letter, digit or mark (case, width, ligature, presentation form and digit script undone);
- a separator (white space, punctuation, symbols, lone surrogates), which only divides words;
- nothing: soft hyphens, zero-width characters, apostrophes, Arabic and Hebrew vowel marks, tatweel.

``fold`` keeps letters only ("squeezed": every difference of layout disappears and a lossless quote is one
``str.find``); ``fold_words`` leaves a blank for each separator, so that ``split`` gives the words.

No whole input ever goes through ``unicodedata.normalize``: it is quadratic on floods of combining marks.
A text is folded in blocks, so that what is worked on stays in the processor's cache, and places are made for a
block only when somebody asks where a letter came from.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from pincite.text.characters import is_letter, whole_end
from pincite.text.fold_table import BLANK, EXPAND, LOOSE, NOTHING, SEPARATOR, Tables, fold_cluster, tables
from pincite.text.rewrite import BLOCK_TAGS, EMPHASIS, LINE_HYPHEN, LINK_TARGET, TAG

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from pincite.text.fold_table import Codes

    Places = npt.NDArray[np.int64]

_BLOCK = 8_192
_LONGEST_CLUSTER = 24
_ASCII_LETTERS = {code: chr(code).lower() if chr(code).isalnum() else None for code in range(128)}
_ASCII_WORDS = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
_ASCII_LOWER = bytes(range(128)).lower() + bytes(128)
_ASCII_DROPPED = bytes(code for code in range(128) if not chr(code).isalnum())
_ASCII_NEEDS_CARE = re.compile(r"['<*_`~\[]|\]\(|-[ \t]*[\r\n]")


class Folded:
    """A folded text and the way back.

    ``letters[i]`` comes from the character ``text[start(i)]``, and ``start`` never falls. Where one character
    became several letters they share their place. The text is as given and both are never changed; places are
    kept once they were asked for.
    """

    __slots__ = ("_borders", "_counts", "_hidden", "_places", "letters", "text")

    def __init__(
        self,
        text: str,
        letters: str,
        borders: list[int],
        counts: list[int],
        hidden: list[tuple[int, int, int]],
    ) -> None:
        self.text = text
        self.letters = letters
        self._borders = borders
        self._counts = counts
        self._hidden = hidden
        self._places: dict[int, Places] = {}

    def start(self, i: int) -> int:
        """Where letter ``i`` begins in the text."""
        block = bisect_right(self._counts, i) - 1
        places = self._places.get(block)
        if places is None:
            places = self._block(block)
        return int(places[i - self._counts[block]])

    def end(self, i: int) -> int:
        """Where letter ``i`` ends in the text: after the combining marks that belong to it."""
        return whole_end(self.text, self.start(i) + 1)

    def index(self, place: int) -> int:
        """The first letter at or after ``place`` in the text; the number of letters when there is none."""
        block = min(bisect_right(self._borders, place), len(self._counts)) - 1
        return self._counts[block] + int(self._block(block).searchsorted(place))

    def inside_character(self, i: int) -> bool:
        """Whether letters ``i - 1`` and ``i`` come from one character, such as a ligature."""
        return 0 < i < len(self.letters) and self.start(i - 1) == self.start(i)

    def _block(self, number: int) -> Places:
        places = self._places.get(number)
        if places is None:
            low = self._borders[number]
            high = self._borders[number + 1]
            _, places = _fold_block(self.text, low, high, self._hidden, tables())
            self._places[number] = places
        return places


def fold(text: str) -> Folded:
    """Squeeze ``text`` to its letters and digits. Linear in its length, whatever it holds.

    >>> fold("The ﬁnal oﬃce").letters
    'thefinaloffice'
    """
    hidden = _hidden_by_markup(text)
    borders = _block_borders(text)
    if text.isascii() and not hidden:
        data = text.encode().translate(_ASCII_LOWER, _ASCII_DROPPED)
        counts = [0]
        for low, high in pairwise(borders[:-1]):
            kept = text[low:high].encode().translate(None, _ASCII_DROPPED)
            counts.append(counts[-1] + len(kept))
        return Folded(text, data.decode(), borders, counts, hidden)
    table = tables()
    parts: list[str] = []
    counts = [0]
    first: Places | None = None
    for low, high in pairwise(borders):
        letters, places = _fold_block(text, low, high, hidden, table)
        parts.append(letters)
        counts.append(counts[-1] + len(letters))
        if first is None:
            first = places
    folded = Folded(text, "".join(parts), borders, counts[:-1], hidden)
    if len(parts) == 1 and first is not None:
        folded._places[0] = first
    return folded


def _block_borders(text: str) -> list[int]:
    """Where the blocks begin, and the end; a mark is never parted from what it may compose with."""
    borders = [0]
    while len(text) - borders[-1] > _BLOCK:
        place = borders[-1] + _BLOCK
        limit = place + _LONGEST_CLUSTER
        while place < limit and place < len(text) and text[place] >= "\u0300" and not text[place].isspace():
            if (
                text[place].isalpha()
                and not "\u1100" <= text[place] <= "\u11ff"
                and text[place] not in "\uff9e\uff9f"
            ):
                break
            place += 1
        borders.append(min(place, len(text)))
    borders.append(len(text))
    return borders


def _fold_block(
    text: str, low: int, high: int, hidden: list[tuple[int, int, int]], table: Tables
) -> tuple[str, Places]:
    import numpy as np

    part = text[low:high] if high - low < len(text) else text
    codes = np.frombuffer(part.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    values = table.fold.take(codes)
    highest = int(values.max()) if values.size else 0
    if highest >= LOOSE:
        _compose(part, values)
    for start, end, value in hidden[max(bisect_right(hidden, (low,)) - 1, 0) :]:
        if start >= high:
            break
        if end > low:
            values[max(start - low, 0) : end - low] = NOTHING
            if start >= low:
                values[start - low] = value
    places = (values > NOTHING).nonzero()[0]
    kept = values[places]
    if highest >= EXPAND:
        kept, places = _expand(kept, places, table)
    if low:
        places = places + low
    return kept.tobytes().decode("utf-32-le"), places


def fold_words(text: str) -> tuple[str, list[int]]:
    """The folded letters with a blank for each separator, and the place of each in the text.

    For quotes and passages; a text of any length may be given.

    >>> fold_words("Caf\u00e9 infor-\\nmation, 25 %")[0].split()
    ['café', 'information', '25']
    """
    import numpy as np

    table = tables()
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    values = table.words.take(codes)
    highest = int(values.max()) if values.size else 0
    if highest >= LOOSE:
        _compose(text, values)
    for start, end, value in _hidden_by_markup(text):
        values[start:end] = NOTHING
        values[start] = BLANK if value == SEPARATOR else value
    _join_broken_words(text, values)
    _join_emphasised_words(text, values)
    places = (values != NOTHING).nonzero()[0]
    kept = values[places]
    if highest >= EXPAND:
        kept, places = _expand(kept, places, table)
    return kept.tobytes().decode("utf-32-le"), places.tolist()


def letters_of(text: str) -> str:
    """``fold(text).letters``, faster where the text is plain.

    >>> letters_of("Hello, World 2")
    'helloworld2'
    """
    if text.isascii() and "<" not in text and "](" not in text:
        return text.translate(_ASCII_LETTERS)
    return fold(text).letters


def blanked_ascii(text: str) -> str | None:
    """``fold_words(text)[0]`` of a text where every character keeps its place, else ``None``.

    >>> blanked_ascii("Hello, World"), blanked_ascii("it's")
    ('hello  world', None)
    """
    if text.isascii() and _ASCII_NEEDS_CARE.search(text) is None:
        return text.translate(_ASCII_WORDS)
    return None


def _expand(kept: Codes, places: Places, table: Tables) -> tuple[Codes, Places]:
    """Spell out the values that stand for several characters."""
    import numpy as np

    long = (kept >= EXPAND).nonzero()[0]
    if not long.size:
        return kept, places
    which = kept[long] - EXPAND
    lengths = table.lengths[which]
    counts = np.ones(kept.size, dtype=np.int64)
    counts[long] = lengths
    # Where each spelling begins once those before it are spelled out, and each of its characters.
    firsts = long + np.cumsum(lengths - 1) - (lengths - 1)
    within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    kept, places = np.repeat(kept, counts), np.repeat(places, counts)
    kept[np.repeat(firsts, lengths) + within] = table.spelled[
        np.repeat(table.offsets[which], lengths) + within
    ]
    return kept, places


def _compose(text: str, values: Codes) -> None:
    """Give a letter with loose marks the value of the composed letter, canonical order included."""
    import numpy as np

    places = (values >= LOOSE).nonzero()[0]
    values[places] -= LOOSE
    breaks = (np.diff(places) > 1).nonzero()[0]
    firsts = places[np.concatenate(([0], breaks + 1))].tolist()
    ends = (places[np.concatenate((breaks, [places.size - 1]))] + 1).tolist()
    changed: list[int] = []
    becomes: list[int] = []
    for first, end in zip(firsts, ends, strict=True):
        # The marks of one letter; a flood of them is left as it is, since sorting it would be quadratic.
        start = first - 1
        if start < 0 or end - first >= _LONGEST_CLUSTER:
            continue
        while (
            start and values[start] == NOTHING and first - start < _LONGEST_CLUSTER and is_letter(text[start])
        ):
            start -= 1  # a vowel mark that is dropped may stand between the letter and its loose mark
        if values[start] in (SEPARATOR, NOTHING, BLANK):
            continue
        folded = fold_cluster(text[start:end])
        if len(folded) <= end - start:
            changed.extend(range(start, end))
            becomes.extend(folded)
            becomes.extend([NOTHING] * (end - start - len(folded)))
    values[changed] = becomes


def _hidden_by_markup(text: str) -> list[tuple[int, int, int]]:
    """Ranges of link targets and tags, each with the value that stands in its place."""
    found: list[tuple[int, int, int]] = []
    if "](" in text:
        found += [(*match.span(), NOTHING) for match in LINK_TARGET.finditer(text)]
    if "<" in text:
        found += [
            (*match.span(), SEPARATOR if match.group(1).lower() in BLOCK_TAGS else NOTHING)
            for match in TAG.finditer(text)
        ]
    return sorted(found)


def _join_broken_words(text: str, values: Codes) -> None:
    if "\n" not in text and "\r" not in text:
        return
    for match in LINE_HYPHEN.finditer(text):
        start, end = match.span()
        if start > 0 and end < len(text) and text[start - 1].isalpha() and text[end].isalpha():
            values[start:end] = NOTHING


def _join_emphasised_words(text: str, values: Codes) -> None:
    if not ("*" in text or "_" in text or "`" in text or "~" in text or "[" in text):
        return
    for match in EMPHASIS.finditer(text):
        start, end = match.span()
        if start and end < len(text) and is_letter(text[start - 1]) and is_letter(text[end]):
            values[start:end] = NOTHING
