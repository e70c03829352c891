"""Who does what to whom: the same words in a turned order say something else."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords
from pincite.checks.reading import Unit, Word
from pincite.findings import Difference
from pincite.types import Span

# Written for this project: words that may stand between two things without ordering them, and articles.
_EVEN = frozenset(
    "and or & und oder sowie y o e et ou と や か および 和 与 與 或 及 و أو और या with mit con avec between zwischen entre is are "
    "equals ist sind es son est sont as als wie como comme".split()
)
_ARTICLES = frozenset(
    "a an the its their his her der die das den dem des ein eine einen einem einer el la los las un una unos unas le les l "
    "une des".split()
)

_PREPOSITIONS = frozenset(
    "instead rather if when whenever unless once as upon wenn falls sobald statt anstatt si cuando quand lorsque lorsqu "
    "in on at during after before since until for because within im am um nach vor während seit bis für weil ab innerhalb auf von "
    "en durante después antes desde hasta para porque tras pendant après avant depuis dès dans pour parce".split()
)
"""Words that begin what tells when, where or why."""

_ELIDED = {"d": "de", "du": "de", "des": "de", "del": "de", "qu": "que", "al": "a", "au": "à", "aux": "à"}
"""Forms of one word before a vowel or with an article in it."""

_CASES = frozenset("को से ने का की के".split())

_IDENTITY = {"は": ("です", "だ", "である", "でした", ""), "是": ("",)}
"""What stands between and behind two things that are one: "X は Y です" says the same as "Y は X です"."""

MAX_SIDE = 6
"""Words of one of the two things that changed places."""

MAX_WORDS = 80


def role_problems(claim: ClaimWords, units: Sequence[Unit]) -> list[Problem]:
    """At most one problem: two things of the claim that stand in each other's place in a unit."""
    ours = [word for word in claim.words if word.surface not in _ARTICLES]
    for unit in units:
        theirs = [word for word in unit.own if word.surface not in _ARTICLES]
        found = _swapped(ours, theirs) if len(ours) <= MAX_WORDS >= len(theirs) else None
        found = found or _swapped_among_common(ours, theirs) or _swapped_characters(claim, unit)
        if found and not _is_fronted(claim, found):
            first, second = found
            answer = f"{_shown(claim.text, first, claim.span.start)} … {_shown(claim.text, second, claim.span.start)}"
            source = f"{_shown(claim.text, second, claim.span.start)} … {_shown(claim.text, first, claim.span.start)}"
            span = Span(min(first.start, second.start), max(first.end, second.end))
            return [Problem(Difference("name", answer, source, span, unit.span), is_change=True)]
    return []


def _is_fronted(claim: ClaimWords, found: tuple[Span, Span]) -> bool:
    """Whether one of the two only tells when, where or how much: "in May" may stand anywhere and does nothing to anybody."""
    return sum(_is_adjunct(claim, span) for span in found) == 1


def _is_adjunct(claim: ClaimWords, span: Span) -> bool:
    inside = [word for word in claim.words if word.span.overlaps(span)]
    if not inside:
        return False
    if inside[0].surface in _PREPOSITIONS:
        return True
    counted = [fact.span for fact in claim.facts if fact.is_counted]
    return all(any(word.span.overlaps(one) for one in counted) for word in inside)


def _shown(text: str, span: Span, shift: int) -> str:
    return span.shift(-shift).of(text)


def _swapped(ours: Sequence[Word], theirs: Sequence[Word]) -> tuple[Span, Span] | None:
    """Both are the same but for two things that changed places: ``p X m Y s`` and ``p Y m X s``."""
    a, b = ([_ELIDED.get(word.surface, word.term) for word in side] for side in (ours, theirs))
    places = _swapped_places(a, b)
    if places is None:
        turned = _turned_before_case(ours, a, b)
        return (_span(ours[: turned[0]]), _span(ours[turned[0] : turned[1]])) if turned else None
    (i, j), (k, m) = places
    if all(word.surface in _EVEN for word in ours[j:k]):
        return None
    return _span(ours[i:j]), _span(ours[k:m])


def _turned_before_case(ours: Sequence[Word], a: list[str], b: list[str]) -> tuple[int, int] | None:
    """In Hindi the case of a noun stands behind it: "X Y को" and "Y X को" are not the same."""
    for end, word in enumerate(ours):
        if word.surface in _CASES and len(a) == len(b) and a[end:] == b[end:]:
            for x in range(1, min(MAX_SIDE, end)):
                if a[x:end] + a[:x] == b[:end]:
                    return x, end
    return None


def _swapped_characters(claim: ClaimWords, unit: Unit) -> tuple[Span, Span] | None:
    """The same for scripts without blanks, by characters."""
    if not any(word.is_pair for word in claim.words):
        return None
    ours = [(n, char) for n, char in enumerate(claim.text) if char.isalnum()]
    places = _swapped_places([char for _, char in ours], [char for char in unit.said if char.isalnum()])
    if places is None:
        return None
    (i, j), (k, m) = places
    middle, rest = ("".join(char for _, char in part) for part in (ours[j:k], ours[m:]))
    if middle in _EVEN or (middle in _IDENTITY and rest in _IDENTITY[middle]):
        return None
    shift = claim.span.start
    return (
        Span(ours[i][0] + shift, ours[j - 1][0] + 1 + shift),
        Span(ours[k][0] + shift, ours[m - 1][0] + 1 + shift),
    )


def _swapped_places(a: list[str], b: list[str]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Where ``X`` and ``Y`` stand in ``a``, when ``a`` is ``p X m Y s`` and ``b`` is ``p Y m X s``."""
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    a, b = a[start : len(a) - end], b[start : len(b) - end]
    if len(a) != len(b) or sorted(a) != sorted(b):
        return None
    for x in range(1, min(MAX_SIDE, len(a) - 2) + 1):
        if b[len(b) - x :] != a[:x]:
            continue
        for y in range(1, min(MAX_SIDE, len(a) - x - 1) + 1):
            if b[:y] == a[len(a) - y :] and a[x : len(a) - y] == b[y : len(b) - x]:
                return (start, start + x), (start + len(a) - y, start + len(a))
    return None


def _orders(middle: Sequence[Word]) -> bool:
    return any(word.surface not in _EVEN for word in middle)


def _span(words: Sequence[Word]) -> Span:
    return Span(words[0].span.start, words[-1].span.end)


def _swapped_among_common(ours: Sequence[Word], theirs: Sequence[Word]) -> tuple[Span, Span] | None:
    """Two content words round a third, in turned order, with the same small words between them."""
    a, b = _once(ours), _once(theirs)
    places = {word.term: n for n, (_, word) in enumerate(b)}
    common = [(at, word) for at, word in a if word.term in places and not word.is_pair]
    for (i, first), (j, middle), (k, last) in zip(common, common[1:], common[2:], strict=False):
        x, m, y = (places[word.term] for word in (first, middle, last))
        if not (y < m < x and m - y == 1 and x - m == 1):
            continue
        p, q, r = b[y][0], b[m][0], b[x][0]
        if _small(ours, i, j) == _small(theirs, p, q) and _small(ours, j, k) == _small(theirs, q, r):
            if _orders([middle]):
                return first.span, last.span
    return None


def _once(words: Sequence[Word]) -> list[tuple[int, Word]]:
    """Content words that stand there once, with their places."""
    counts: dict[str, int] = {}
    for word in words:
        counts[word.term] = counts.get(word.term, 0) + 1
    return [(n, word) for n, word in enumerate(words) if word.is_content and counts[word.term] == 1]


def _small(words: Sequence[Word], start: int, end: int) -> list[str]:
    return [word.surface for word in words[start + 1 : end] if not word.is_content]
