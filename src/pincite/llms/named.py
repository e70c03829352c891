"""Names in a question, and which parts of passages may speak of what is named."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pincite.llms.answering import VALUES, lacks_the_value
from pincite.text.bearing import Asked, Part, Passage
from pincite.text.lexicon import base_language
from pincite.text.words import words

NO_CAPITALS = frozenset({"ar", "fa", "he", "hi", "ja", "ko", "th", "zh"})
"""Languages whose own script has none."""
# How much of what else is asked those must say that speak of what is named, beside what the others say of it.
OF_THE_REST = 0.5


def asks_for_an_unknown_name(asked: Asked, first: Part, parts: Sequence[Part]) -> bool:
    """Whether a name in the question stands in no passage at all: then none of them speaks of it.

    A name is a word with a capital or a digit that does not begin the question; German writes every noun so, and a
    passage in another language may write the name otherwise.
    """
    if first.piece.language != asked.language:
        return False
    if any(term not in asked.known and not asked.has_kin(term) for term in names_in(asked)):
        return True
    # "Reed Pro" is no name of a text that has "Reed" and "20 pages pro minute".
    return base_language(asked.language) == "de" and any(
        all(name not in one.piece.text for one in parts) for name in _behind_a_noun(asked.text)
    )


def names_in(asked: Asked) -> tuple[str, ...]:
    """Terms of the names in the question, in order."""
    language = base_language(asked.language)
    if language is None:
        return ()
    found = words(asked.text)
    if language == "de":
        surfaces = _behind_a_noun(asked.text)
    else:
        # Scripts without capitals begin no sentence with one: a Latin word is a name wherever it stands.
        surfaces = [surface for _, surface in (found if language in NO_CAPITALS else found[1:])]
    return tuple(
        dict.fromkeys(
            term
            for name in surfaces
            if any(char.isupper() or char.isdigit() for char in name) and len(name) > 1
            for term in sorted(asked.terms_of(name))
        )
    )


def _behind_a_noun(text: str) -> list[str]:
    """German writes every noun with a capital; one right behind another names it: "Tarif Premium", "Reed Mini".

    Words in brackets were carried over from an earlier question and stand beside each other by chance.
    """
    text = text.partition(" (")[0]
    found = words(text)
    return [
        surface
        for (before, noun), (place, surface) in pairwise(found[1:])
        if noun[0].isupper() and surface[0].isupper() and text[before.end : place.start] == " "
    ]


def may_speak_of(names: Sequence[str], asked: Asked, one: Part, passage: Passage) -> bool:
    """Whether the part, or its passage, has at least one of the names asked about, if any passage has them at all."""
    known = [name for name in names if name in asked.known]
    if not known or one.piece.language != asked.language:
        return True
    held = passage.terms | one.piece.near | one.piece.around
    return any(name in held for name in known)


def says_as_much(asked: Asked, names: Sequence[str], named: Sequence[Part], parts: Sequence[Part]) -> bool:
    """Whether the parts that may speak of what is named say nearly as much of the rest as any: "on both models" may be
    all that a text says of the Reed."""
    if len(named) == len(parts):
        return True

    def rest(one: Part) -> float:
        if asked.kind in VALUES and lacks_the_value(asked, one, surely=False):
            return 0.0
        wanted = [term for term in asked.wanted[one.piece.language] if term not in names]
        return asked.share(one.piece.held | one.piece.near | asked.meant(one.piece), wanted)

    return max(map(rest, named)) >= OF_THE_REST * max(map(rest, parts))
