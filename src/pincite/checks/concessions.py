"""Clauses that limit nothing: "even if you have used it", "whether or not it rains"."""

from __future__ import annotations

import re
from functools import lru_cache

from pincite.text.lexicon import base_language
from pincite.types import Span

_REST = r"[^,;.!?()—–]{0,200}"
# Words that open such a clause, written for this project; in Japanese those that close it.
_OPENERS = {
    "en": r"\b(?:even (?:if|when|where|though|after|before|during|without)|whether\b|(?:regardless|irrespective) of|no matter|although|though)\b",
    "de": r"\b(?:(?:auch|selbst|sogar),? (?:wenn|falls|nach|vor|ohne|während|bei)|egal,? (?:ob|wie|wann)|ganz gleich,? ob|gleichgültig,? ob|"
    r"unabhängig davon,? ob|obwohl|obgleich|wenngleich)\b",
    "es": r"\b(?:aunque|(?:incluso|aun|aún) (?:si|cuando|después|sin|durante)|tanto si|independientemente de|a pesar de|por más que)\b",
    "fr": r"\b(?:même (?:si|s['’]ils?|s['’]elles?|lorsqu\w*|quand|après|sans|pendant)|quand bien même|peu importe|que ce soit|bien qu\w*)",
    "zh": "(?:即使|即便|哪怕|就算|纵使|不论|无论)",
    "ar": "حتى (?:لو|وإن|إذا|ولو|بعد)",
    "hi": "(?:भले ही|चाहे)",
}
_PATTERNS = {
    **{
        language: re.compile(f"{opener}{_REST}", re.IGNORECASE)
        for language, opener in _OPENERS.items()
        if language != "zh"
    },
    "zh": re.compile(_OPENERS["zh"] + "[^，；。！？]{0,100}"),
    "ja": re.compile("[^、。；！？]{1,80}(?:ても|でも|にかかわらず|に関わらず|を問わず)(?=[、。もは]|[\u4e00-\u9fff\u30a1-\u30ff])"),
}  # fmt: skip
# "Tell us whether …", "es hängt davon ab, ob": what is asked, and no concession.
_ASKED = re.compile(r"\b(?:or not|oder nicht|o no|ou non)\b", re.IGNORECASE)
MAX_CHARS = 4000


@lru_cache(maxsize=2048)
def concessions(text: str, language: str | None) -> tuple[Span, ...]:
    """The clauses of ``text`` that grant something and limit nothing, from their first word to the next sign."""
    pattern = _PATTERNS.get(base_language(language) or "")
    if pattern is None:
        return ()
    found = (match for match in pattern.finditer(text[:MAX_CHARS]))
    return tuple(
        Span(*match.span())
        for match in found
        if not match.group().lower().startswith("whether") or _ASKED.search(match.group())
    )


def grants(spans: tuple[Span, ...], span: Span) -> bool:
    """Whether ``span`` stands in one of ``spans``."""
    return any(one.overlaps(span) for one in spans)


def is_or_not(text: str, span: Span) -> bool:
    """Whether the negation at ``span`` ends "or not", which denies nothing."""
    begin = max(0, span.start - 8)
    return any(match.end() + begin == span.end for match in _ASKED.finditer(text[begin : span.end]))
