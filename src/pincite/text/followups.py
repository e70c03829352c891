"""Questions that go on from an earlier one: "And for how long?", "What does it cost?"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from pincite.text.characters import UNSPACED_LANGUAGES
from pincite.text.expected import expected
from pincite.text.lexicon import load_lexicon, tabled
from pincite.text.questions import topic
from pincite.text.words import Token, content_words, words

MAX_CARRIED_WORDS = 8
"""Of the earlier question; more would drown the new one."""

FEW_WORDS = 1
"""A question with no more words of its own than this says too little to be searched for by itself."""

_MARKS = "?？؟!.。।"

_TOPIC_ALONE = re.compile(r"[^\s、。？?]{1,15}(?:の場合)?(?:は|も|って)[？?]?")
"""Japanese "Worksは？": a topic of which nothing is asked. A question that ends so leaves out what was asked before."""

_HOW_ABOUT = re.compile(r"(?:では|の場合は?|は|なら)(?:どう|いかが)(?:です|でしょう)か[。？?]?\s*$")
"""Japanese "Worksではどうですか": no more is asked than by "Worksは？"."""


@cache
def _patterns(code: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    data = load_lexicon("followups")
    # Arabic writes "and" onto the next word.
    border = "" if code in UNSPACED_LANGUAGES else r"(?!\w)"

    def joined(words: Sequence[str]) -> str:
        return "|".join(
            re.escape(word) + ("" if word == "و" else border) for word in sorted(words, key=len, reverse=True)
        )

    start = "" if code in UNSPACED_LANGUAGES else r"(?<!\w)"
    return (
        re.compile(rf"[\W_]*(?:{joined(data['opening'][code])})", re.IGNORECASE),
        re.compile(rf"{start}(?:{joined(data['anaphor'][code])})", re.IGNORECASE),
    )


def is_follow_up(question: str, language: str | None) -> bool:
    """Whether the question leans on what was asked before, so that it cannot be searched for as it stands.

    Meant for questions that do have a history: "How many scanners may I pair?" would be one as well.

    >>> is_follow_up("And for hats?", "en"), is_follow_up("What does it cost?", "en")
    (True, True)
    >>> is_follow_up("Und für Hüte?", "de-AT")
    True
    >>> is_follow_up("Worksは？", "ja"), is_follow_up("Worksの料金はいくら？", "ja")
    (True, False)
    >>> is_follow_up("Where is the London office?", "en")
    False
    """
    opening, anaphor = _patterns(tabled(language))
    if opening.match(question) or anaphor.search(question) or _HOW_ABOUT.search(question):
        return True
    return len(content_words(question, language)) <= FEW_WORDS or bool(
        _TOPIC_ALONE.fullmatch(question.strip())
    )


def points_back(question: str, language: str | None) -> bool:
    """Whether a word of the question stands for what was spoken of before: "it", "they".

    >>> points_back("And how much does it cost?", "en"), points_back("And for hats?", "en")
    (True, False)
    """
    return _patterns(tabled(language))[1].search(question) is not None


def without_pointers(question: str, language: str | None) -> str:
    """The question without the words that stand for what was spoken of before.

    >>> without_pointers("And the price of it?", "en")
    'And the price of  ?'
    """
    return _patterns(tabled(language))[1].sub(" ", question)


def names_anew(question: str, language: str | None) -> bool:
    """Whether a follow-up does no more than to name something else: "And the Pico?", but not "And how many pages?".

    >>> (
    ...     names_anew("And the Pico?", "en"),
    ...     names_anew("And how many for Studio?", "en"),
    ...     names_anew("And why?", "en"),
    ... )
    (True, False, False)
    """
    is_named = any(any(char.isupper() for char in surface) for _, surface in words(question)[1:])
    return is_named and expected(question, language) is None


def carried(question: str, earlier: str, language: str | None) -> str:
    """The question with the words of the earlier one that it does not have itself, for a search.

    >>> carried("And for hats?", "How long can I return shoes?", "en")
    'And for hats (return shoes)?'
    >>> carried("では速達は？", "標準配送の送料はいくらですか？", "ja")
    'では速達は (標準配送の送料は)？'
    """
    own = {token.term for token in content_words(question, language)}
    subject = topic(earlier)
    kept = list(
        dict.fromkeys(
            _runs(subject, [one for one in content_words(subject, language) if one.term not in own])
        )
    )[:MAX_CARRIED_WORDS]
    if not kept:
        return question
    # Inside the sentence: what stands behind its mark would be no part of the question.
    body = question.rstrip()
    end = len(body.rstrip(_MARKS))
    return f"{body[:end].rstrip()} ({' '.join(kept)}){body[end:]}"


def _runs(text: str, words: Sequence[Token]) -> Iterator[str]:
    """The words as they stand, those that touch or overlap as one: pairs of Han or Kana are no words alone."""
    start = end = -1
    for word in words:
        if word.span.start > end:
            if end > start:
                yield text[start:end]
            start = word.span.start
        end = max(end, word.span.end)
    if end > start:
        yield text[start:end]
