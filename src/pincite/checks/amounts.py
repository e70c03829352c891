"""The words beside an amount that belong to it: "at most", "or more", "per month"."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pincite.text.lexicon import TIER1, base_language, load_lexicon
from pincite.text.quantity import Quantity
from pincite.text.units import is_unspaced
from pincite.types import Span

REACH = 36
"""Characters beside an amount in which such words are looked for."""

_GAPS = " (:,/"


@lru_cache(maxsize=16)
def _phrases(language: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Casefolded phrases before and after an amount, the longest first."""
    before: dict[str, None] = {}
    after: dict[str, None] = {}
    for code in TIER1 if language is None else (language, "en"):
        sides = load_lexicon("bounds")["languages"].get(code, {})
        for name, target in (("before", before), ("after", after)):
            for phrases in sides.get(name, {}).values():
                target.update(dict.fromkeys(phrase.casefold() for phrase in phrases))
        for by_language in load_lexicon("rates")["rates"].values():
            for phrase in by_language.get(code, ()):
                after[phrase.casefold()] = before[phrase.casefold()] = None
    return (
        tuple(sorted(before, key=lambda phrase: (-len(phrase), phrase))),
        tuple(sorted(after, key=lambda phrase: (-len(phrase), phrase))),
    )


def words_beside(text: str, quantities: Sequence[Quantity], language: str | None) -> tuple[Span, ...]:
    """Where in ``text`` words stand that say the bound or the rate of one of ``quantities``, in order.

    >>> from pincite.text.numbers import parse_quantities
    >>> text = "It runs for 12 months or more, at most 3 times a day."
    >>> [span.of(text) for span in words_beside(text, parse_quantities(text, language="en"), "en")]
    ['or more', 'at most', 'a day']
    """
    before, after = _phrases(base_language(language))
    found: list[Span] = []
    for one in quantities:
        if not one.bound and not one.rate:
            continue
        start, end = one.span.start, one.span.end
        head = text[max(0, start - REACH) : start].casefold().rstrip(_GAPS)
        phrase = next((p for p in before if _ends(head, p)), None)
        # Casefolding can change lengths; then the place is not certain, and nothing is taken for granted.
        if phrase and len(text[max(0, start - REACH) : start].rstrip(_GAPS)) == len(head):
            at = max(0, start - REACH) + len(head)
            found.append(Span(at - len(phrase), at))
        tail = text[end : end + REACH]
        skipped = len(tail) - len(tail.lstrip(_GAPS))
        low = tail[skipped:].casefold()
        phrase = next((p for p in after if _begins(low, p)), None)
        if phrase and len(low) == len(tail) - skipped:
            found.append(Span(end + skipped, end + skipped + len(phrase)))
    return tuple(sorted(set(found)))


def _ends(head: str, phrase: str) -> bool:
    if not head.endswith(phrase):
        return False
    border = head[len(head) - len(phrase) - 1 : len(head) - len(phrase)]
    return is_unspaced(phrase[0]) or not border.isalnum()


def _begins(tail: str, phrase: str) -> bool:
    return tail.startswith(phrase) and (
        is_unspaced(phrase[0]) or not tail[len(phrase) : len(phrase) + 1].isalnum()
    )
