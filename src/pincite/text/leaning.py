"""Whether a sentence leans on the one before it: "However, …", "It also …"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from pincite.text.characters import UNSPACED_LANGUAGES
from pincite.text.lexicon import load_lexicon, tabled

_LABEL = r"\s*(?:(?:\(?\d{1,2}[.)]|[-*•])\s+(?=\S))?[*_\"“«>]*"


@dataclass(frozen=True, slots=True)
class Leaning:
    """How a sentence opens. ``own_start`` is where it begins without its connective (0 when it has none).

    ``on_a_name`` is true when its subject stands for something that was named before: without that it says nothing.
    """

    own_start: int = 0
    on_a_name: bool = False

    def __bool__(self) -> bool:
        return self.own_start > 0 or self.on_a_name


@cache
def _patterns(code: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    data = load_lexicon("leaning")
    word_end = "" if code in UNSPACED_LANGUAGES else r"(?!\w)"
    connectives = "|".join(sorted(map(re.escape, data["connective"][code]), key=len, reverse=True))
    pronouns = "|".join(data["pronoun"][code])
    return (
        re.compile(rf"{_LABEL}(?:{connectives}){word_end}[\s,，、،]*", re.IGNORECASE),
        re.compile(rf"(?:{_LABEL})(?:{pronouns}){word_end}", re.IGNORECASE),
    )


def leaning(sentence: str, language: str | None) -> Leaning:
    """How ``sentence`` opens, in a language with a table; in others as in English.

    >>> leaning("However, it closes at noon.", "en")
    Leaning(own_start=9, on_a_name=True)
    >>> leaning("Allerdings kostet es 5 Euro.", "de-AT").own_start
    11
    >>> bool(leaning("It is possible to pay by card.", "en")), bool(leaning("The pool closes at noon.", "en"))
    (False, False)
    """
    connective, pronoun = _patterns(tabled(language))
    found = connective.match(sentence)
    start = found.end() if found else 0
    if not any(map(str.isalnum, sentence[start:])):
        return Leaning()
    return Leaning(start, bool(pronoun.match(sentence, start)))


def without_connective(sentence: str, language: str | None) -> str:
    """The sentence without the connective it opens with, its first letter as at a beginning.

    >>> without_connective("However, the pool closes at noon.", "en")
    'The pool closes at noon.'
    """
    rest = sentence[leaning(sentence, language).own_start :]
    return rest[:1].upper() + rest[1:]
