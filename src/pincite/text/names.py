"""Names in a sentence: capitalised words, acronyms, identifiers, Katakana and Latin in other scripts."""

from __future__ import annotations

import re

from pincite.text.dates import months, weekdays
from pincite.text.lexicon import base_language
from pincite.text.words import stop_words

_UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆĈĊČĎĐĒĖĘĚĞĢĪĮİĶĹĽŁŃŇŌŐŘŚŞŠŢŤŪŮŰŲŹŻŽΑ-ΫА-Я"
# Words with a capital, and lower-case identifiers: parts joined by "_", ".", "::" or ending in "()".
_IN = "A-Za-z0-9_À-ÖØ-öø-ɏͰ-ϿЀ-ӿ"
_TOKEN = re.compile(
    rf"(?<!`)`[^`\s][^`\n]{{0,60}}`(?!`)|(?<![{_IN}'’])(?:[{_UPPER}][{_IN}'’]*|[a-zà-ö]{{1,12}}[A-Z][{_IN}]*"
    rf"|[a-z][a-z0-9]*(?:(?:[._]|::)[a-z0-9]+)+|[a-z][{_IN}]*\(\))(?:[./@:-]{{1,2}}[{_IN}]+)*(?:\(\))?[+#]{{0,2}}"
    r"|[\u30a1-\u30fa\u30fc・]{4,}"
)
_SENTENCE_START = re.compile(r"(?:^|[.!?:;…。！？\n\"“”„«»(\[|•*#>-]|\d\.)\s*$")
_CASED_NOUNS = frozenset({"de", "lb"})
"""Languages that write every noun with a capital: one alone is no name."""

_NOT_NAMES = frozenset(
    "i mr mrs ms dr prof sir herr frau the a an this that these those it he she they we you in on at of and or but if when"
    " where while who what how why no yes not all some any each every our your their his her its there here for from with"
    " by as to is are was were be can may must will should could would has have had do does did s pm am"
    " also however only".split()
)

_SHORTEST_PATH = 4
"""Longest dotted lower-case word that is a short form (e.g., i.e., a.m) and no path."""
_CAPITAL_BEFORE = re.compile(rf"(?<![{_IN}])([{_UPPER}][{_IN}]{{1,20}}) $")


def find_names(text: str, language: str | None) -> list[tuple[int, int]]:
    """Spans of names in ``text``, in order. A run of capitalised words is one name.

    A word that begins a sentence is a name only when its shape says so (acronym, inner capital, digit,
    underscore) or another capitalised word follows it.

    >>> text = "Refunds by Acme Corp use HTTP and max_tokens."
    >>> [text[a:b] for a, b in find_names(text, "en")]
    ['Acme Corp', 'HTTP', 'max_tokens']
    """
    base = base_language(language)
    stop = stop_words(base) if base else stop_words("en")
    shouting = _is_shouting(text)
    found: list[tuple[int, int]] = []
    run_end = -2
    pending: tuple[int, int] | None = None
    for match in _TOKEN.finditer(text):
        token = match[0]
        start, end = match.span()
        for ending in ("'s", "’s"):
            if token.endswith(ending):
                token, end = token[:-2], end - 2
        if token[0] == "`":
            found.append((start + 1, end - 1))
            continue
        if token[0] >= "\u30a1":
            found.append((start, end))
            continue
        shape = _shape(token, shouting)
        if shape == "lower":
            continue
        if shape == "capital":
            low = token.lower()
            if low in _NOT_NAMES or low in stop or low in months() or low in weekdays():
                pending = None
                continue
            if base in _CASED_NOUNS and not _next_to_capital(text, start, end, stop):
                continue
            if _begins_sentence(text, start):
                pending = (start, end)
                continue
        if pending is not None and text[pending[1] : start] == " ":
            start = pending[0]
        pending = None
        if found and found[-1][1] == run_end and text[run_end:start] == " " and shape == "capital":
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
        run_end = end
    return found


def _is_shouting(text: str) -> bool:
    """Whether the text is written in capitals throughout, so that case says nothing."""
    letters = text[:400]
    return letters.isupper() and len(letters) > 12


def _shape(token: str, shouting: bool) -> str:
    head = token[0]
    if "_" in token[1:-1] or token.endswith("()") or "::" in token:
        return "identifier"
    if not head.isupper():
        inner = any(char.isupper() for char in token[1:])
        return "identifier" if inner or len(token) > _SHORTEST_PATH else "lower"
    if shouting:
        return "lower"
    if token.isalpha() and token[1:].islower():
        return "capital"
    letters = [char for char in token if char.isalpha()]
    if len(letters) > 1 and all(char.isupper() for char in letters):
        return "acronym"
    if any(char.isupper() for char in token[1:]) or any(char.isdigit() for char in token):
        return "identifier"
    return "capital"


def _begins_sentence(text: str, start: int) -> bool:
    return (
        bool(_SENTENCE_START.search(text, max(0, start - 4), start))
        if start > 4
        else not text[:start].strip() or bool(_SENTENCE_START.search(text, 0, start))
    )


def _next_to_capital(text: str, start: int, end: int, stop: frozenset[str]) -> bool:
    """In German: two capitalised words side by side are most often a name ("Angela Merkel")."""
    after = text[end : end + 2]
    if len(after) == 2 and after[0] == " " and after[1].isupper():
        return True
    before = _CAPITAL_BEFORE.search(text, max(0, start - 24), start)
    return before is not None and before[1].lower() not in stop
