"""Whether a part of a passage answers a part of a question, and does not only share a word with it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pincite.text.asked_parts import share_with_all_round
from pincite.text.bearing import SURELY_TOLD, Asked, Part, tells
from pincite.text.characters import PAIRED_LANGUAGES
from pincite.text.expected import Expected, denies, holds
from pincite.text.lexicon import base_language

# How much of a part of the question a sentence with its headings must hold, by weight, to answer it. Of few words each
# counts: one that no passage has is what the question is about. Scripts cut into pairs of characters share fewer of them.
FEW_WORDS = 3
HELD_OF_FEW = 0.5
HELD = 0.35
HELD_WITH_MEANING = 0.2
HELD_OF_THE_WHOLE = 0.1
UNSPACED_SHARE = 0.5
# A passage with at least this evidence is about the question even if a word of it is nowhere.
SURE_OF_OTHER_WORDS = 0.8
# A passage that surely is about the question may use other words for it.
SURE = 0.5
SHARE_WHEN_SURE = 0.5
# Across languages words say nothing; meaning must say more.
RELATED_COSINE = 0.81
# Unless a document of several languages has the very words of the question.
SAME_WORDS = 0.8
PRICE = "price"
"""What "cost", "price" and the like mean, among the groups of ``text.synonyms``."""
VALUES = (Expected.MONEY, Expected.TIME, Expected.NUMBER)
"""Kinds of value that an answer has to have, by words alone."""


def lacks_the_value(asked: Asked, one: Part, *, surely: bool) -> bool:
    """Whether a part has no value of the kind asked for, though hardly any answer lacks one, and denies nothing.

    ``surely``: by meaning a number may be put in other words, an amount of money or a time hardly.
    """
    kind, piece = asked.kind, one.piece
    if kind is None or kind not in (SURELY_TOLD if surely else VALUES) or piece.language != asked.language:
        return False
    return (
        not tells(kind, piece.reading, asked.text, piece.language)
        and holds(kind, piece.reading, asked.text, piece.language) is False
        and not denies(piece.quote, piece.language)
    )


def is_answered_by(asked: Asked, one: Part, cosine: float | None) -> bool:
    """Whether the part speaks of what is asked, and does not only share a word with it."""
    language = one.piece.language
    wanted = frozenset(asked.wanted[language])
    if asked.language not in (language, None) and language is not None:
        if len(wanted) > 1 and asked.share(one.piece.held, wanted) >= SAME_WORDS:
            return True
        return cosine is not None and cosine >= RELATED_COSINE
    if not wanted:
        return False
    needed = HELD if cosine is None else HELD_WITH_MEANING
    # The "s" of "doctor's" is a term too, and no word.
    if sum(term != "s" for term in wanted) <= FEW_WORDS:
        nowhere = nowhere_of(asked, one)
        if nowhere and one.hit.score < SURE_OF_OTHER_WORDS:
            return _lacks_only_the_verb(asked, one, nowhere)
        needed = HELD_OF_FEW if cosine is None else HELD
    elif asked.is_whole and cosine is not None:
        # Whether the passages answer it at all was weighed before; by words alone that is less sure.
        needed = HELD_OF_THE_WHOLE
    if is_paired(one):
        needed *= UNSPACED_SHARE
    if one.hit.score >= SURE:
        needed *= SHARE_WHEN_SURE
    return share_with_all_round(asked, one) >= needed


def is_paired(one: Part) -> bool:
    """Whether its words are cut into pairs of characters, of which some are no words: of those many are nowhere."""
    return base_language(one.piece.language) in PAIRED_LANGUAGES


def nowhere_of(asked: Asked, one: Part) -> list[str]:
    """The terms wanted that no passage has, in no form, and the part does not say in other words."""
    said = asked.known | asked.meant(one.piece)
    return [term for term in asked.wanted[one.piece.language] if term not in said and not asked.has_kin(term)]


def tells_no_price(asked: Asked, one: Part) -> bool:
    """Whether a price is asked for, and the part has neither an amount of money nor any word for it."""
    if asked.kind is not Expected.MONEY:
        return False
    piece = one.piece
    held = piece.held | piece.near | piece.around | asked.meant(piece) | asked.kin(piece)
    lacks_the_word = any(
        PRICE in meant and term not in held for term, meant in asked.concepts[piece.language].items()
    )
    tells_none = lacks_the_word and holds(asked.kind, piece.reading, asked.text, piece.language) is False
    # "There is no phone support on Solo" answers what it costs.
    return tells_none and not denies(piece.quote, piece.language)


# Written for this project: where a question has its verb, the word that sources most often put otherwise.
_VERB = {
    "en": re.compile(
        r"\b(?:must|do|does|did|should|shall|will)\s+"
        r"(?:(?:i|we|you|they|he|she|it|one)\s+(\w+)|(?:the|a|an|my|your|our)\s+\w+\s+(\w+)\s*(?:\?|$))",
        re.IGNORECASE,
    ),
    "de": re.compile(r"\b(?:muss|müssen|soll|sollen)\b.*\s([a-zäöüß]+n)[\s?]*$", re.IGNORECASE),
}


def _lacks_only_the_verb(asked: Asked, one: Part, nowhere: Sequence[str]) -> bool:
    """Whether a part has a value of the kind asked for and, itself, all that is asked about but the verb: "When must I hand
    in a doctor's note?", "A doctor's note is needed from the fourth day on."

    A question for yes or no is not answered so ("Can I rent a scanner?" is about renting), nor one about what is allowed.
    """
    verb = _VERB.get(base_language(asked.language) or "")
    found = verb.search(asked.text) if verb is not None else None
    if (
        found is None
        or asked.kind is None
        or not asked.terms_of(found[found.lastindex or 0]).issuperset(nowhere)
    ):
        return False
    rest = [term for term in asked.wanted[one.piece.language] if term not in nowhere and term != "s"]
    return (
        len(rest) > 1
        and one.piece.held.issuperset(rest)
        and tells(asked.kind, one.piece.quote, asked.text, one.piece.language)
    )
