"""Find the passage of a text that is most like a quote, and what differs, in time linear in the text.

Works on folded letters (``normalize.fold``): a few short seeds of the quote are looked up with ``str.find``,
their hits vote for diagonals, the best diagonals give windows, and edit scripts run inside the windows only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from typing import Any

from pincite.text.characters import UNSPACED_CHAR

_BEYOND_SPACED = re.compile("[\u0e00-\U0010ffff]")
_SEED = 8
_SEED_UNSPACED = 5
_SHORTEST_SEED = 4
_SHORT = 60
_ENOUGH = 4
_ENOUGH_MISSES = 7
_SEEDS = 14
_HITS_PER_SEED = 6
_WINDOWS = 3
LONGEST_QUOTE = 24_000
"""Letters; a longer quote is found word for word or not at all."""
_LONGEST_FOR_SCRIPTS = 4_000
"""Edit scripts are quadratic, if fast: a longer quote is compared in its first and last letters only."""


@dataclass(frozen=True, slots=True)
class Passage:
    """``letters[start:end]`` resembles ``quote[head:tail]``; ``score`` is 2 * equal / (both lengths), in 0-1."""

    start: int
    end: int
    head: int
    tail: int
    score: float


def find_passages(quote: str, letters: str) -> tuple[Passage, ...]:
    """The places of ``letters`` most like ``quote``, best first, at most three; none when no seed is found.

    Ties go to the earlier place.
    """
    if len(quote) > LONGEST_QUOTE:
        return ()
    found: list[Passage] = []
    for low, high in _windows(quote, letters):
        passage = _align(quote, letters, low, high)
        if passage and all(passage.start >= other.end or passage.end <= other.start for other in found):
            found.append(passage)
    return tuple(sorted(found, key=lambda passage: (-passage.score, passage.start)))


def _windows(quote: str, letters: str) -> list[tuple[int, int]]:
    n = len(quote)
    unspaced = _BEYOND_SPACED.search(quote) and len(UNSPACED_CHAR.findall(quote[:400])) * 2 > min(n, 400)
    length = min(_SEED_UNSPACED if unspaced else _SEED, max(n // 2, 1))
    hits, tried = _hits(quote, letters, length, _SEEDS)
    windows = _clusters(hits, tried // 5, n, len(letters))
    if not windows and n <= _SHORT:
        # One wrong letter in a short quote can spoil every long seed.
        hits, tried = _hits(quote, letters, max(min(length, _SHORTEST_SEED), length - 3), _SEEDS)
        windows = _clusters(hits, tried // 7, n, len(letters))
    return windows


def _hits(quote: str, letters: str, length: int, seeds: int) -> tuple[list[tuple[int, int]], int]:
    """``(diagonal, place in the quote)`` of each seed found, sorted, and how many seeds were tried.

    The seeds come in an order that spreads them. Once four of them agree and are found nowhere else, or seven of a
    long quote are found nowhere, the rest would only say it again.
    """
    last = len(quote) - length
    count = min(seeds, last + 1)
    hits: list[tuple[int, int]] = []
    single: list[int] = []
    tried = 0
    for number in _spread(count):
        place = last * number // max(count - 1, 1)
        seed = quote[place : place + length]
        at = letters.find(seed)
        found = 0
        while at >= 0 and found < _HITS_PER_SEED:
            hits.append((at - place, place))
            found += 1
            at = letters.find(seed, at + 1)
        tried += 1
        if found == 1:
            single.append(hits[-1][0])
        if (
            len(single) >= _ENOUGH
            and len(single) * 4 >= tried * 3
            and max(single) - min(single) <= len(quote) // 6 + 8
        ):
            break
        if tried == _ENOUGH_MISSES and not hits and len(quote) > _SHORT:
            break
    hits.sort()
    return hits, tried


@lru_cache(maxsize=256)
def _spread(count: int) -> tuple[int, ...]:
    """0 to ``count - 1`` so that every beginning of the list is spread over all of it.

    >>> _spread(5)
    (2, 0, 3, 1, 4)
    """
    step = next(step for step in range(count * 5 // 8, 0, -1) if gcd(step, count) == 1) if count > 1 else 1
    return tuple((count // 2 + step * number) % count for number in range(count))


def _clusters(hits: list[tuple[int, int]], least: int, n: int, total: int) -> list[tuple[int, int]]:
    """Windows around the diagonals that most seeds vote for, best first; at least ``least`` seeds must vote for one."""
    width = n * 3 // 10 + 16
    windows: list[tuple[int, int]] = []
    left = hits
    most = 0
    while left and len(windows) < _WINDOWS:
        best_count, best_from, best_to = 0, 0, 0
        first = 0
        counts: dict[int, int] = {}
        for at, (diagonal, place) in enumerate(left):
            counts[place] = counts.get(place, 0) + 1
            while diagonal - left[first][0] > width:
                old = left[first][1]
                counts[old] -= 1
                if not counts[old]:
                    del counts[old]
                first += 1
            if len(counts) > best_count:
                best_count, best_from, best_to = len(counts), first, at + 1
        if best_count < least or best_count * 5 < 3 * most:
            break
        most = max(most, best_count)
        pad = n // 6 + 12
        low, high = left[best_from][0] - pad, left[best_to - 1][0] + n + pad
        windows.append((max(0, low), min(total, max(high, 0))))
        left = left[:best_from] + left[best_to:]
    return windows


def _align(quote: str, letters: str, low: int, high: int) -> Passage | None:
    chain = _best_chain(quote, letters, low, high)
    if chain is None:
        return None
    # Once more in the tight window: what the first script spent on letters further off is now free.
    head, tail, start, end = chain
    if head == 0 and tail == len(quote):
        return Passage(start, end, head, tail, similarity(quote, letters[start:end]))
    low2, high2 = max(0, start - head - 6), min(len(letters), end + len(quote) - tail + 6)
    if (low2, high2) != (low, high):
        chain = _best_chain(quote, letters, low2, high2) or chain
    head, tail, start, end = _reach(quote, letters, *chain)
    return Passage(start, end, head, tail, similarity(quote, letters[start:end]))


def _best_chain(quote: str, letters: str, low: int, high: int) -> tuple[int, int, int, int] | None:
    """Bounds in quote and letters of the run of equal blocks whose lengths outweigh the gaps between.

    Levenshtein scripts keep blocks together, Indel scripts find a tail behind a word too many: the better counts.
    """
    from rapidfuzz.distance import Indel, Levenshtein

    if len(quote) > _LONGEST_FOR_SCRIPTS:
        return _long_chain(quote, letters, low, high)
    window = letters[low:high]
    best, found = _heaviest_run(Levenshtein.editops(quote, window).as_matching_blocks())
    if best < len(quote) * 0.8:
        other, alternative = _heaviest_run(Indel.editops(quote, window).as_matching_blocks())
        if other > best:
            found = alternative
    if not found:
        return None
    start, end = _pulled_in(quote, window, found)
    return found[0].a, found[-1].a + found[-1].size, low + start, low + end


def _pulled_in(quote: str, window: str, blocks: Sequence[Any]) -> tuple[int, int]:
    """Where the run begins and ends when its outer blocks move up to the rest: of "with the the tower" the last
    "the"."""
    last = 0
    while last + 1 < len(blocks) and blocks[last].a + blocks[last].size == blocks[last + 1].a:
        last += 1
    start: int = blocks[last].b
    for block in reversed(blocks[:last]):
        beside = window[start - block.size : start] == quote[block.a : block.a + block.size]
        start = start - block.size if beside else block.b
    first = len(blocks) - 1
    while first and blocks[first - 1].a + blocks[first - 1].size == blocks[first].a:
        first -= 1
    end: int = blocks[first].b + blocks[first].size
    for block in blocks[first + 1 :]:
        beside = window[end : end + block.size] == quote[block.a : block.a + block.size]
        end = end + block.size if beside else block.b + block.size
    return start, end


def _heaviest_run(blocks: Sequence[Any]) -> tuple[float, list[Any]]:
    blocks = [block for block in blocks if block.size]
    best, first_of_best, end_of_best = 0.0, 0, 0
    total, first = 0.0, 0
    for at, block in enumerate(blocks):
        if at:
            before = blocks[at - 1]
            gap = max(block.a - before.a - before.size, block.b - before.b - before.size)
            total -= 0.5 * min(gap, 16) + 0.25 * max(gap - 16, 0)
        if total <= 0:
            total, first = 0.0, at
        total += block.size
        if total > best:
            best, first_of_best, end_of_best = total, first, at + 1
    return best, blocks[first_of_best:end_of_best]


def _long_chain(quote: str, letters: str, low: int, high: int) -> tuple[int, int, int, int] | None:
    piece = _LONGEST_FOR_SCRIPTS // 4
    slack = piece + 200
    front = _best_chain(quote[:piece], letters, low, min(high, low + len(quote) // 3 + slack))
    back_low = max(low, high - len(quote) // 3 - slack)
    back = _best_chain(quote[-piece:], letters, back_low, high)
    if front is None or back is None or back[3] <= front[2]:
        return None
    return front[0], len(quote) - piece + back[1], front[2], back[3]


def _reach(quote: str, letters: str, head: int, tail: int, start: int, end: int) -> tuple[int, int, int, int]:
    """Look behind a gap for a short head or tail that stands verbatim a little further off."""
    if 2 <= head <= 40:
        piece = quote[:head]
        for length in (head, max(2, head - 2)):
            at = letters.rfind(piece[:length], max(0, start - 3 * head - 24), start)
            if at >= 0 and (length >= 4 or start - at <= head + 16):
                head, start = 0, at
                break
    left = len(quote) - tail
    if 2 <= left <= 40:
        piece = quote[tail:]
        for length in (left, max(2, left - 2)):
            at = letters.find(piece[-length:], end, end + 3 * left + 24)
            if at >= 0 and (length >= 4 or at + length - end <= left + 16):
                tail, end = len(quote), at + length
                break
    return head, tail, start, end


def similarity(a: str, b: str) -> float:
    """2 * longest common subsequence / both lengths, in 0-1; the ratio of ``difflib`` and rapidfuzz.

    >>> similarity("thirty days", "thirty days"), similarity("", "")
    (1.0, 1.0)
    """
    from rapidfuzz.distance import Indel

    return float(Indel.normalized_similarity(a, b))


def diff(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Where two lists of words differ: ``(a_start, a_end, b_start, b_end)`` in order; equal runs left out.

    >>> diff(["we", "take", "shoes"], ["we", "accept", "old", "shoes"])
    [(1, 2, 1, 3)]
    """
    from rapidfuzz.distance import Levenshtein

    if a == b:
        return []
    first, left, right = 0, len(a), len(b)
    while first < left and first < right and a[first] == b[first]:
        first += 1
    while left > first and right > first and a[left - 1] == b[right - 1]:
        left, right = left - 1, right - 1
    if first in (left, right):
        return [(first, left, first, right)]
    # rapidfuzz tells words apart by their hash of 64 bits; that differs by process, what is equal does not.
    one, two = a[first:left], b[first:right]
    found: list[tuple[int, int, int, int]] = []
    for op in Levenshtein.opcodes(one, two):
        if op.tag == "equal":
            continue
        q1, q2, s1, s2 = op.src_start + first, op.src_end + first, op.dest_start + first, op.dest_end + first
        if found and found[-1][1] == q1 and found[-1][3] == s1:
            found[-1] = (found[-1][0], q2, found[-1][2], s2)
        else:
            found.append((q1, q2, s1, s2))
    return found
