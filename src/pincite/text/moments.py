"""The time that a question is about, where what held then may not be what holds now."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pincite.text.lexicon import base_language
from pincite.text.numbers import parse_quantities
from pincite.text.sentences import split_sentences

NOW = "9999"
"""Sorts behind every date."""

MAX_CHARS = 500
"""What is read of a question to know its time."""

# Written for this project: words that ask for what holds at present.
_NOW = {
    "en": r"\b(?:now|today|nowadays|currently|at present|at the moment|present|current)\b",
    "de": r"\b(?:heute(?: noch)?|jetzt|derzeit|aktuelle?[nrs]?|zurzeit|gegenwärtig)\b",
    "es": r"\b(?:ahora|hoy|actual(?:es|mente)?)\b",
    "fr": r"\b(?:maintenant|aujourd['’]hui|actuel(?:le|s|les|lement)?)\b",
    "ja": r"現在|今[はも日]|最新",
    "zh": r"现在|目前|如今|最新",
    "ar": r"\b(?:الآن|حاليًا|حاليا|الحالية|الحالي)\b",
    "hi": r"अभी|आजकल|वर्तमान",
}


@dataclass(frozen=True, slots=True)
class Moment:
    """``date`` as ``YYYY-MM`` or ``YYYY-MM-DD``, or ``NOW``; ``rest`` is the question without it, ``told`` whether it stands in
    a sentence that asks nothing itself."""

    date: str
    rest: str
    told: bool = False


def moment_of(question: str, language: str | None) -> Moment | None:
    """The last date with month and year that a question names, or that it asks for the present; ``None`` without either.

    >>> moment_of("I bought it in March 2025. Can I return it?", "en")
    Moment(date='2025-03', rest='I bought it in  . Can I return it?', told=True)
    >>> moment_of("How long is it kept today?", "en").date == NOW, moment_of("Who won in 1972?", "en")
    (True, None)
    """
    text = question[:MAX_CHARS]
    dates = [
        (one.span, str(one.readings[0].low))
        for one in parse_quantities(text, language=language)
        if one.kind == "date" and len(one.readings) == 1 and one.readings[0].high is None
    ]
    full = [(span, low) for span, low in dates if re.match(r"\d{4}-\d\d", low)]
    if full:
        span, low = full[-1]
        sentence = next((one for one in split_sentences(text) if one.contains(span)), None)
        told = sentence is not None and not sentence.of(text).rstrip().endswith(
            ("?", "？", "؟", "か。", "か")
        )
        rest = question
        for other, _ in reversed(full):
            rest = f"{rest[: other.start]} {rest[other.end :]}"
        return Moment(low[:10] if re.fullmatch(r"\d{4}-\d\d-\d\d", low) else low[:7], rest, told)
    pattern = _NOW.get(base_language(language) or "")
    if pattern is not None and re.search(pattern, text, re.IGNORECASE):
        return Moment(NOW, re.sub(pattern, " ", question, flags=re.IGNORECASE))
    return None
