"""Words that carry little by themselves: "get", "take", "there". Of content words, those that a source may lack."""

from __future__ import annotations

from functools import cache

from pincite.text.lexicon import base_language, load_lexicon
from pincite.text.words import terms


@cache
def light_terms(language: str | None) -> frozenset[str]:
    """The light words of a language as ``words.terms`` gives them. Empty when the language has none.

    >>> "get" in light_terms("en"), light_terms(None)
    (True, frozenset())
    """
    listed: list[str] = load_lexicon("light_words")["languages"].get(base_language(language), [])
    return frozenset(term for word in listed for term in terms(word, language))
