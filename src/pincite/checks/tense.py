"""What will be has not been: "will open" against "opened"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords, Matcher
from pincite.checks.reading import Unit, Word, words
from pincite.findings import Difference
from pincite.text.lexicon import tabled
from pincite.types import Span

TOLD_FROM = 0.6
"""Share of a claim's words that a sentence must hold before its tense is compared."""

MAX_CHARS = 2000
MAX_WORDS = 300

# Written for this project: irregular past forms of verbs that tell events, with the plain form.
_IRREGULAR = {
    "began": "begin", "took": "take", "gave": "give", "went": "go", "came": "come", "bought": "buy", "built": "build",
    "sold": "sell", "left": "leave", "paid": "pay", "won": "win", "lost": "lose", "rose": "rise", "fell": "fall", "grew": "grow",
    "met": "meet", "made": "make", "became": "become", "spent": "spend", "kept": "keep", "held": "hold", "led": "lead",
    "sent": "send", "lent": "lend", "wrote": "write", "spoke": "speak", "chose": "choose", "drew": "draw", "flew": "fly",
    "taught": "teach", "brought": "bring", "got": "get", "ran": "run", "saw": "see", "sang": "sing", "stood": "stand",
}  # fmt: skip
_BE_NOW = frozenset("is are be being am s re will ll shall can may must should could would might to".split())
_WAS = frozenset("was were had did been has have".split())
_WILL = frozenset("will ll shall".split())
_TO = frozenset(
    "going plans plan planned planning intends intend intended due set scheduled expected expects about".split()
)
_SKIPPED = frozenset("be been not also then soon later only likely again both all".split())
_STATES = frozenset(
    "enrolled employed registered aged based located limited related required allowed included supported".split()
)

# The rest by sentence: signs of what is to come, and of what has been.
_SIGNS: dict[str, tuple[str, str]] = {
    "de": (
        r"\b(?:wird|werden|plant|planen|beabsichtigt|soll|sollen|will|wollen)\b(?!.*\bworden\b)",
        r"\b(?:wurde|wurden|war|waren|hatte|hatten)\b|\b(?:hat|haben|ist|sind)\b.*\b(?:\w*ge\w{2,}(?:t|en)|\w+iert|ver\w+t|er\w+t|be\w+t|worden)\b",
    ),
    "es": (
        r"\b\w{2,}(?:rá|rán|remos)\b|\b(?:va|van) a \w+r\b|\b(?:planea|planean|prevé|prevén|tiene previsto|tienen previsto|pretende)\b",
        r"\b\w{2,}(?:ó|aron|ieron|eron)\b|\b(?:ha|han|había|habían) (?:sido )?\w+(?:ado|ido|to|cho)s?\b|\b(?:fue|fueron|hizo|dio)\b",
    ),
    "fr": (
        r"\b(?!opéra\b|caméra\b)\w{2,}(?:era|eront|ira|iront|dra|dront|ura|uront)\b|\b(?:sera|seront|aura|auront|fera|feront|va|vont) \w+|\b(?:prévoit|prévoient|envisage|compte) (?:de|d')?",
        r"\b(?:a|ont|avait|avaient) (?:été )?(?!\w*tion\b)\w+(?:é|ée|és|ées|i|is|ie|u|us|ue|ert|erte|it|ite)\b|\b(?:fut|furent|était|étaient)\b",
    ),
    "ja": (
        r"予定|見込み|見通し|だろう|でしょう|つもり|計画",
        r"(?:ました|した|った|れた|けた|いた|んだ|だった)(?=[。、」]|$)",
    ),
    "zh": (r"将(?!军)|即将|计划|预计|拟于|打算|将会", r"已(?:经|于|在)?|曾|了(?=[，。]|$)|了(?=\S{1,6}[，。]|\S{1,6}$)"),
    "ar": (r"\bسوف\b|\bس[يتنأ]\w{2,}|من المقرر|يعتزم|تعتزم", r"\b(?:تم|تمت|كان|كانت|قد)\b"),
    "hi": (r"(?:ेगा|ेगी|ेंगे|ेंगी|एगा|एगी|एंगे|ोगा|ोगी|ोंगे)(?=\s|।|$)", r"(?:था|थी|थे|थीं|चुका|चुकी|चुके|गया|गयी|गई|गए)(?=\s|।|$)"),
}  # fmt: skip
_COMPILED = {
    language: (re.compile(coming, re.IGNORECASE), re.compile(gone, re.IGNORECASE))
    for language, (coming, gone) in _SIGNS.items()
}


def tense_problems(claim: ClaimWords, units: Sequence[Unit], matcher: Matcher) -> list[Problem]:
    """At most one problem: the claim tells as done what is to come, or the other way round."""
    language = tabled(claim.terms_in)
    near = [
        unit for unit in units if matcher.share(claim.content, unit.terms) >= TOLD_FROM and not unit.is_row
    ]
    if language == "en":
        return _english(claim, near)
    if language not in _COMPILED:
        return []
    coming, gone = (pattern.search(claim.text[:MAX_CHARS]) for pattern in _COMPILED[language])
    if bool(coming) == bool(gone):
        return []
    for unit in near:
        will, was = (pattern.search(unit.text[:MAX_CHARS]) for pattern in _COMPILED[language])
        if bool(will) == bool(coming) or bool(was) == bool(gone):
            continue
        own, other = coming or gone, will or was
        if own and other:
            at, there = claim.span.start, unit.span.start
            return [
                _problem(
                    own.group(), other.group(), Span(*own.span()).shift(at), Span(*other.span()).shift(there)
                )
            ]
    return []


def _english(claim: ClaimWords, units: Sequence[Unit]) -> list[Problem]:
    if len(claim.words) > MAX_WORDS:
        return []
    coming, gone = dict(_coming(claim.words)), dict(_gone(claim.words))
    for unit in units:
        if len(unit.own) > MAX_WORDS:
            continue
        will, was = dict(_coming(unit.own)), dict(_gone(unit.own))
        for mine, same, other in ((gone, was, will), (coming, will, was)):
            for term, word in mine.items():
                if term in other and term not in same:
                    return [_problem(word.surface, other[term].surface, word.span, other[term].span)]
    return []


def _problem(answer: str, source: str, span: Span, there: Span) -> Problem:
    return Problem(Difference("modality", answer, source, span, there), is_change=True)


def _coming(own: Sequence[Word]) -> Iterator[tuple[str, Word]]:
    """The verbs that stand after "will" and its like, by term."""
    for n, word in enumerate(own):
        is_to = word.surface == "to" and n > 0 and own[n - 1].surface in _TO
        if word.surface in _WILL or is_to:
            found = _verb_after(own, n)
            if found is not None:
                yield found.term, found


def _verb_after(own: Sequence[Word], n: int) -> Word | None:
    for word in own[n + 1 : n + 5]:
        if word.surface not in _SKIPPED and not word.surface.endswith("ly") and word.surface not in _WILL:
            return word
    return None


def _gone(own: Sequence[Word]) -> Iterator[tuple[str, Word]]:
    """The words that tell what has been, by the term of the plain form."""
    plain = _plain_terms()
    for n, word in enumerate(own):
        before = [
            one.surface
            for one in own[max(0, n - 3) : n]
            if not one.surface.endswith("ly") and one.surface != "not"
        ]
        last = before[-1] if before else ""
        was = last in _WAS or (last == "been" and bool(_WAS & set(before)))
        if word.surface in plain:
            yield plain[word.surface], word
        elif (was and word.surface not in _WAS) or (
            word.surface.endswith("ed")
            and last not in _BE_NOW
            and last not in ("a", "an", "the")
            and word.surface not in _STATES
        ):
            yield word.term, word


@lru_cache(maxsize=1)
def _plain_terms() -> Mapping[str, str]:
    """Irregular past forms with the term of their plain form."""
    return {past: words(plain, "en")[0].term for past, plain in _IRREGULAR.items()}


def is_past(text: str, own: Sequence[Word], language: str | None) -> bool:
    """Whether a sentence tells what has been."""
    if (language or "en") == "en":
        return any(True for _ in _gone(own[:MAX_WORDS]))
    patterns = _COMPILED.get(language or "en")
    return bool(patterns and patterns[1].search(text[:MAX_CHARS]))
