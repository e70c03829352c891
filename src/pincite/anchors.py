"""Finding a cited passage again after its document has changed: the same words, elsewhere, changed, or gone.

A citation is born with its words and those round them. The words are looked for first (``pincite.quotes``, so layout is
forgiven and facts are not); where they stand several times, their surroundings choose. Where they are not there any
more, what now stands between the same surroundings is what became of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from pincite.findings import Difference, QuoteMatch, QuoteMatchKind
from pincite.quotes import PreparedChunk, match_quote, prepare
from pincite.text.align import similarity
from pincite.text.normalize import Folded, letters_of
from pincite.text.prepared import with_punctuation
from pincite.text.wording import split_words
from pincite.types import Span

CONTEXT_CHARS = 120
"""How much of the text on each side is kept with a passage: a line or two."""

_CONTEXT_LETTERS = (96, 48, 24, 12)
"""Lengths of surroundings that are tried, the longest first: their far ends may have changed too."""
_ENOUGH_LETTERS = 12
"""Surroundings that agree in fewer letters than this, and not in all they have, say nothing."""
_MOST_PLACES = 64
_ALIKE = 0.6
"""Passages less alike than this, with no surroundings to tell that one became the other, are two passages."""
_SAME_WORDS = frozenset({QuoteMatchKind.EXACT, QuoteMatchKind.NORMALIZED})


class AnchorStatus(StrEnum):
    """What has become of a passage."""

    SAME = "same"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Anchor:
    """A passage as it was cited. ``span`` is in the text of that time, ``None`` when it is not known. ``occurrences``
    is how often the same words stood in that text."""

    exact: str
    prefix: str = ""
    suffix: str = ""
    span: Span | None = None
    occurrences: int = 1


@dataclass(frozen=True, slots=True)
class Anchored:
    """What became of a passage. ``span`` and ``text`` are in the new text: the words themselves, or with ``CHANGED``
    what stands in their place, which differs in ``differences``; ``None`` and empty with ``GONE``."""

    status: AnchorStatus
    span: Span | None = None
    text: str = ""
    differences: tuple[Difference, ...] = ()


def anchor_of(text: str, span: Span) -> Anchor:
    """The passage at ``span`` of ``text`` with what is needed to find it again.

    >>> anchor_of("Refunds take 5 days. Exchanges take 9 days.", Span(21, 43)).prefix
    'Refunds take 5 days. '
    """
    exact = span.of(text)
    occurrences, at = 0, text.find(exact) if exact else -1
    while at >= 0 and occurrences < _MOST_PLACES:
        occurrences += 1
        at = text.find(exact, at + len(exact))
    return Anchor(
        exact,
        text[max(0, span.start - CONTEXT_CHARS) : span.start],
        text[span.end : span.end + CONTEXT_CHARS],
        span,
        max(1, occurrences),
    )


def find_again(anchor: Anchor, new: str | PreparedChunk, *, old_text: str | None = None) -> Anchored:
    """What has become of a passage in the new text of its document.

    Args:
        anchor: The passage as it was.
        new: The text now, or what ``pincite.quotes.prepare`` made of it.
        old_text: The text of that time, where it is still known. A look-alike that stood in it beside the passage
            is not what became of the passage.

    Returns:
        ``SAME`` and ``MOVED`` forgive layout and case, never a fact. Ties go to the place nearest to the old one.

    >>> find_again(Anchor("Exchanges take 9 days.", span=Span(0, 22)), "New rules. Exchanges take 9 days.")
    Anchored(status=<AnchorStatus.MOVED: 'moved'>, span=Span(start=11, end=33), text='Exchanges take 9 days.', ...)
    >>> find_again(
    ...     Anchor("It takes 9 days.", "Exchanges. ", " No fee."), "Exchanges. It takes 7 days. No fee."
    ... ).text
    'It takes 7 days.'
    """
    chunk = prepare(new) if isinstance(new, str) else new
    if not letters_of(anchor.exact):
        return Anchored(AnchorStatus.GONE)
    match = match_quote(anchor.exact, chunk, prefix=anchor.prefix or None, suffix=anchor.suffix or None)
    if match.kind in _SAME_WORDS or (
        match.near and letters_of(match.near.of(chunk.text)) == letters_of(anchor.exact)
    ):
        # The matcher leaves out what it takes for a citation marker, such as ``[0]``; in a source it is text.
        numbers = _digits(anchor.exact)
        same = [place for place in match.occurrences if _digits(place.of(chunk.text)) == numbers]
        place = _the_place(anchor, chunk.text, same) if same else None
        if place is not None:
            status = AnchorStatus.SAME if place == _home(anchor) else AnchorStatus.MOVED
            return Anchored(status, place, place.of(chunk.text))
    found = _between_surroundings(anchor, chunk)
    if found is not None:
        return found
    return _look_alike(anchor, chunk, match, old_text)


# --- the same words -----------------------------------------------------------------------------


def _the_place(anchor: Anchor, text: str, places: Sequence[Span]) -> Span | None:
    """Which of the places of its words the passage is; ``None`` when it was one of several, and none has its surroundings."""
    before, after = letters_of(anchor.prefix), letters_of(anchor.suffix)
    old = _home(anchor)

    def agreement(place: Span) -> tuple[int, int]:
        head = letters_of(text[max(0, place.start - 2 * CONTEXT_CHARS) : place.start])
        tail = letters_of(text[place.end : place.end + 2 * CONTEXT_CHARS])
        return _common(before[::-1], head[::-1]), _common(after, tail)

    scored = [(place, agreement(place)) for place in places]
    at_home = next((one for one in scored if one[0] == old), None)
    if at_home is not None and (_enough(at_home[1], before, after) or len(scored) == 1):
        return at_home[0]
    best, agreed = min(
        scored, key=lambda one: (-sum(one[1]), abs(one[0].start - old.start) if old else 0, one[0].start)
    )
    # It stood several times, and where it was cited it does not stand any more.
    if anchor.occurrences > len(scored) and not _enough(agreed, before, after):
        return None
    return best


def _home(anchor: Anchor) -> Span | None:
    """Where the passage stood, without the blanks round it, which no search finds."""
    if anchor.span is None:
        return None
    exact = anchor.exact
    start = anchor.span.start + len(exact) - len(exact.lstrip())
    return Span(start, max(start, anchor.span.end - (len(exact) - len(exact.rstrip()))))


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _enough(agreed: tuple[int, int], before: str, after: str) -> bool:
    """Whether the surroundings on one side tell that a place is the one."""
    head, tail = agreed
    return (bool(before) and head >= min(_ENOUGH_LETTERS, len(before))) or (
        bool(after) and tail >= min(_ENOUGH_LETTERS, len(after))
    )


def _common(a: str, b: str) -> int:
    for at, (one, two) in enumerate(zip(a, b, strict=False)):
        if one != two:
            return at
    return min(len(a), len(b))


# --- what stands in their place -----------------------------------------------------------------


def _between_surroundings(anchor: Anchor, chunk: PreparedChunk) -> Anchored | None:
    """What stands between the old surroundings; ``None`` when these are not both found, in order and near each other."""
    folded = chunk.folded
    letters = folded.letters
    before, after = letters_of(anchor.prefix), letters_of(anchor.suffix)
    if not before and not after:
        return None
    size = len(letters_of(anchor.exact))
    ends = _ends_of(before, letters)
    starts = _starts_of(after, letters)
    best: tuple[tuple[int, int, int], int, int] | None = None
    for end, matched in ends:
        for start, also in starts:
            if end <= start <= end + 3 * size + 200:
                key = (-(matched + also), start - end, end)
                if best is None or key < best[0]:
                    best = key, end, start
    if best is None:
        return None
    _, end, start = best
    if end == start:
        return Anchored(AnchorStatus.GONE)
    return _changed(anchor, chunk, _span(folded, end, start, anchor.exact, chunk.body))


def _ends_of(before: str, letters: str) -> list[tuple[int, int]]:
    """Where the text before the passage ends, with the number of letters that agree. A passage that stood at the start
    of the text has nothing before it, and so has the start."""
    if not before:
        return [(0, _ENOUGH_LETTERS)]
    return [
        (at + len(piece), len(piece))
        for at, piece in _places(letters, [before[-n:] for n in _CONTEXT_LETTERS])
    ]


def _starts_of(after: str, letters: str) -> list[tuple[int, int]]:
    if not after:
        return [(len(letters), _ENOUGH_LETTERS)]
    return [(at, len(piece)) for at, piece in _places(letters, [after[:n] for n in _CONTEXT_LETTERS])]


def _places(letters: str, pieces: Sequence[str]) -> list[tuple[int, str]]:
    """Where the longest of ``pieces`` that is there at all stands."""
    for piece in dict.fromkeys(pieces):
        found: list[tuple[int, str]] = []
        at = letters.find(piece)
        while at >= 0 and len(found) < _MOST_PLACES:
            found.append((at, piece))
            at = letters.find(piece, at + 1)
        if found:
            return found
    return []


def _span(folded: Folded, start: int, end: int, exact: str, body: str) -> Span:
    return with_punctuation(exact, Span(folded.start(start), folded.end(end - 1)), body)


def _changed(anchor: Anchor, chunk: PreparedChunk, span: Span) -> Anchored:
    """The passage at ``span`` of the body as what the old one became; ``GONE`` when they share no word."""
    text = span.of(chunk.body)
    ours, theirs = set(split_words(anchor.exact).folded), set(split_words(text).folded)
    if not ours & theirs and similarity(letters_of(anchor.exact), letters_of(text)) < _ALIKE:
        return Anchored(AnchorStatus.GONE)
    found = match_quote(anchor.exact, text)
    return Anchored(
        AnchorStatus.CHANGED, chunk.escaped.original(span) if chunk.escaped else span, text, found.differences
    )


def _look_alike(anchor: Anchor, chunk: PreparedChunk, match: QuoteMatch, old_text: str | None) -> Anchored:
    """The most similar passage, unless it is another one."""
    span = match.span or match.near
    if span is None or (match.kind is QuoteMatchKind.NONE and match.score < _ALIKE):
        return Anchored(AnchorStatus.GONE)
    text = span.of(chunk.text)
    if old_text is not None and text in old_text:
        return Anchored(AnchorStatus.GONE)
    return Anchored(AnchorStatus.CHANGED, span, text, match.differences)
