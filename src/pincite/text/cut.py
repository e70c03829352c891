"""Where a long text may be cut: at sentences, else lines, else words, never inside a character."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence

from pincite.types import Span

# Scripts that put no blanks between words: a cut between two of their characters is inside no word.
_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x312F),  # CJK radicals and punctuation, kana, bopomofo
    (0x31A0, 0x9FFF),  # CJK
    (0xF900, 0xFAFF),  # CJK compatibility
    (0xFF00, 0xFFEF),  # full width forms
    (0x20000, 0x3FFFF),  # CJK extensions
)
_LEADING_VOWELS = "เแโใไເແໂໃໄ"
"""Thai and Lao vowels that are written before their consonant."""
_JOINER = "\u200d"
_MAX_CLUSTER = 64
"""A flood of combining marks is cut after this many."""


def trim(text: str, start: int, end: int) -> Span:
    """The range without white space at its ends.

    >>> trim(" a ", 0, 3)
    Span(start=1, end=2)
    """
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def cut(text: str, span: Span, stops: Sequence[int], *, first_limit: int, limit: int) -> tuple[Span, ...]:
    """Cut a passage into pieces of at most ``limit`` characters, as long as they can be.

    Args:
        text: What ``span`` and ``stops`` are in.
        stops: Where it is best cut (starts of sentences, of lines), rising. Where none is near, a line break,
            then a blank, then any place between two characters.
        first_limit: Of the first piece. Both limits at least 1.

    Returns:
        Pieces without white space at their ends, in order; together they hold all characters but white space.

    >>> [
    ...     piece.of("Ab. Cd. Ef.")
    ...     for piece in cut("Ab. Cd. Ef.", Span(0, 11), [0, 4, 8], first_limit=8, limit=8)
    ... ]
    ['Ab. Cd.', 'Ef.']
    """
    pieces: list[Span] = []
    rest = trim(text, span.start, span.end)
    budget = first_limit
    while len(rest) > budget:
        at = _best_cut(text, rest.start, rest.start + budget, stops)
        pieces.append(trim(text, rest.start, at))
        rest = trim(text, at, rest.end)
        budget = limit
    if len(rest):
        pieces.append(rest)
    return tuple(pieces)


def fixed_windows(text: str, size: int, overlap: int) -> tuple[Span, ...]:
    """Windows of at most ``size`` characters that begin up to ``overlap`` before the end of the one before.

    They begin and end between words; only a word longer than ``size`` is cut. No window lies within the one
    before it, so the loop ends. ``0 <= overlap < size``.

    >>> [window.of("one two three") for window in fixed_windows("one two three", 8, 4)]
    ['one two', 'three']
    """
    windows: list[Span] = []
    start, length, covered = trim(text, 0, len(text)).start, trim(text, 0, len(text)).end, 0
    while covered < length:
        end = length if length - start <= size else _word_cut(text, start, start + size)
        if end <= covered:
            # The overlap and the next word do not fit together.
            start = trim(text, covered, length).start
            continue
        windows.append(trim(text, start, end))
        covered = trim(text, end, length).start if end < length else length
        start = _overlapping_start(text, max(start + 1, end - overlap), covered)
    return tuple(windows)


def _overlapping_start(text: str, at: int, end: int) -> int:
    loose = end
    for start in range(at, end):
        if text[start].isspace() or not between_words(text, start):
            continue
        if _beside_mark(text, start):
            return start
        loose = min(loose, start)
    return end if _beside_mark(text, end) else loose


def _best_cut(text: str, start: int, end: int, stops: Sequence[int]) -> int:
    i = bisect_right(stops, end) - 1
    # A stop right at the beginning is behind a bullet, or would leave a scrap.
    if i >= 0 and stops[i] > start + (end - start) // 8:
        return stops[i]
    line = text.rfind("\n", start + 1, end + 1)
    return line if line > start else _word_cut(text, start, end)


def _word_cut(text: str, start: int, end: int) -> int:
    """The last place in ``(start, end]`` that is inside no word, else inside no character."""
    # In scripts without blanks any place will do, but a mark of punctuation in the second half is better.
    for at in range(end, start + (end - start) // 2, -1):
        if _beside_mark(text, at) and between_words(text, at):
            return at
    for at in range(end, start, -1):
        if between_words(text, at):
            return at
    for at in range(end, max(start, end - _MAX_CLUSTER), -1):
        if _between_characters(text, at):
            return at
    return end


def between_words(text: str, at: int) -> bool:
    """Whether a cut before ``text[at]`` is inside no word: beside white space, or in a script without blanks.

    >>> [at for at in range(1, 6) if between_words("ab 中文c", at)]
    [2, 3, 4, 5]
    """
    if at <= 0 or at >= len(text) or text[at - 1].isspace() or text[at].isspace():
        return True
    return (_unspaced(text[at - 1]) or _unspaced(text[at])) and _between_characters(text, at)


def _beside_mark(text: str, at: int) -> bool:
    return at >= len(text) or not (text[at - 1].isalnum() and text[at].isalnum())


def _between_characters(text: str, at: int) -> bool:
    if at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if before == _JOINER or before in _LEADING_VOWELS:
        return False
    # Closing marks stay with what they close, opening ones with what they open.
    category = unicodedata.category(after)
    return not (
        category[0] == "M"
        or after == _JOINER
        or category in ("Pe", "Pf", "Po")
        or unicodedata.category(before) == "Ps"
    )


def _unspaced(char: str) -> bool:
    code = ord(char)
    return code >= 0x0E00 and any(first <= code <= last for first, last in _UNSPACED)
