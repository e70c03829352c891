"""Meanings that exclude each other, and ways that lead back: "fell" for "rose", "from May to March" for "from March to May"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords, Matcher
from pincite.checks.reading import Unit, Word
from pincite.text.synonyms import concept
from pincite.text.words import terms
from pincite.types import Difference, Span

SURELY_SAME = 0.75
"""Share of the claim's other content words in a unit before it contradicts."""

REST_FROM = 0.4
"""The same before two meanings count as put in each other's place."""

# Names of groups of ``synonyms.json`` that exclude each other, written for this project.
_AGAINST = (
    ("increase", "decrease"),
    ("improve", "worsen"),
    ("begin", "end"),
    ("expand", "restrict"),
    ("approve", "refuse"),
    ("turn_on", "turn_off"),
    ("arrive", "depart"),
    ("large", "small"),
    ("largest", "smallest"),
    ("cheap", "expensive"),
    ("late", "early"),
    ("rich", "poor"),
    ("temporarily", "permanent"),
    ("safe", "dangerous"),
    ("easy", "difficult"),
    ("in_stock", "sold_out"),
    ("extend", "cancel"),
    ("win", "lose"),
    ("keep", "delete"),
    ("keep", "lose"),
    ("facilitate", "hinder"),
    ("strong", "weak"),
    ("combine", "divide"),
    ("jointly", "separately"),
    ("accidentally", "deliberately"),
    ("voluntarily", "mandatory_field"),
    ("weight_gain", "weight_loss"),
    ("dawn", "dusk"),
    ("outdoors", "indoors"),
    ("lend", "repay"),
    ("sender", "recipient"),
    ("tenant", "landlord"),
)
_SIDES: Mapping[str, tuple[str, ...]] = {
    name: tuple(b if a == name else a for a, b in _AGAINST if name in (a, b))
    for name in dict.fromkeys(name for pair in _AGAINST for name in pair)
}
_PERSONS = frozenset({"sender", "recipient", "tenant", "landlord"})
"""Groups that name a person: both may be right in two sentences, so these count in the same place only."""

# From where to where, written for this project. A name, a month or a number of one or two words.
_WAYS: Mapping[str, str] = {
    "en": r"\bfrom (?:the )?(\w+(?: \d+)?) (?:to|until|till|through) (?:the )?(\w+(?: \d+)?)",
    "de": r"\b(?:von|vom) (\w+) (?:nach|auf|bis|zum|in) (\w+)",
    "es": r"\b(?:de|desde|del) (\w+) (?:a|al|hasta) (\w+)",
    "fr": r"\b(?:de|du|d['’]) ?(\w+) (?:à|au|jusqu['’]en|jusqu['’]à) (\w+)",
    "ja": r"([\w]{1,8}?)から([\w]{1,6}?)(?:に|へ|まで|の)",
    "zh": r"(?:从|由|自)(\w{1,6}?)(?:推迟到|提前到|提前至|推迟至|延期至|延至|搬到|迁至|改到|改为|增加到|到|至)(\w{1,4})",
}


# What comes before and after something, written for this project.
_TIMES: Mapping[str, tuple[str, str]] = {
    "en": (
        r"\b(?:before|prior to|until|till|ahead of|in advance of)\b",
        r"\b(?:after|once|following|since|subsequent to)\b",
    ),
    "de": (
        r"\b(?:vor(?: dem| der)?|bevor|ehe|bis)\b(?! allem)",
        r"\b(?:nach(?! \w+ zu)|nachdem|seit|sobald)\b",
    ),
    "es": (
        r"\b(?:antes|hasta|previo|previa)\b",
        r"\b(?:después|tras|una vez|desde|luego)\b|\ba los \d+ días de\b",
    ),
    "fr": (r"\b(?:avant|jusqu|d'ici)", r"\b(?:après|dès|une fois|depuis|à compter|suivant)\b"),
    "ja": (r"前(?:に|の|で|ま|は|、|な)|まで", r"後(?:に|の|で|も|は|、|か)|から\d|以降"),
    "zh": (r"之?前(?![台年])", r"之?后(?![台面])"),
}

# Who makes agreements and acts in them, written for this project.
_PARTIES: Mapping[str, str] = {
    "en": "supplier buyer seller customer client vendor purchaser tenant landlord lessee lessor employer employee lender borrower "
    "licensor licensee provider user member manager doctor patient teacher student pupil parent child bank insurer policyholder "
    "company agency contractor owner guest host driver passenger sender recipient carrier agent principal board director court "
    "plaintiff defendant donor guardian trustee administrator operator subscriber processor controller worker supervisor",
    "de": "lieferant käufer verkäufer kunde mieter vermieter arbeitgeber arbeitnehmer mitarbeiter darlehensgeber darlehensnehmer anbieter "
    "nutzer mitglied arzt patient lehrer schüler eltern kind bank versicherer versicherungsnehmer unternehmen agentur auftragnehmer "
    "auftraggeber eigentümer gast fahrer absender empfänger vorstand gericht kläger beklagter verwalter betreiber verein gemeinde",
    "es": "proveedor comprador vendedor cliente inquilino propietario arrendador arrendatario empleador empleado trabajador prestamista "
    "prestatario usuario miembro médico paciente profesor alumno padre hijo banco asegurador asegurado empresa agencia contratista dueño "
    "huésped conductor remitente destinatario consejo tribunal demandante demandado administrador operador socio",
    "fr": "fournisseur acheteur vendeur client locataire propriétaire bailleur employeur employé salarié prêteur emprunteur utilisateur "
    "membre médecin patient professeur élève parent enfant banque assureur assuré entreprise agence prestataire hôte conducteur "
    "expéditeur destinataire conseil tribunal demandeur défendeur administrateur exploitant association abonné",
}
# What stands before who acts, in the passive.
_PASSIVE: Mapping[str, str] = {
    "en": r"\bby (?:an? |the |its |their |your )?$",
    "de": r"\b(?:vom |(?:von|durch) (?:de[mrn] |einem |einer |ihrem |ihrer )?)$",
    "es": r"\bpor (?:el |la |los |las |un |una |su )?$",
    "fr": r"\bpar (?:le |la |les |un |une |son |sa |l['’])?$",
}
PASSIVE_REACH = 16
"""Characters before a party in which the passive shows."""

_FREE = "free_of_charge"
_PAID = ("price", "fee")


@cache
def _way(language: str) -> re.Pattern[str] | None:
    source = _WAYS.get(language)
    return re.compile(source, re.IGNORECASE) if source else None


def counterpart_problems(
    claim: ClaimWords, units: Sequence[Unit], texts: Sequence[str], matcher: Matcher
) -> list[Problem]:
    """What the claim says with a word that excludes the source's, or the other way round in direction.

    Args:
        texts: Those of ``units``, in order.
    """
    problems = _turned_ways(claim, units, texts)
    problems += _turned_times(claim, units, texts)
    problems += _turned_parties(claim, units, texts)
    denied = [fact.span for fact in claim.facts if fact.kind == "negation"]
    known = _concepts([word for unit in units for word in unit.words])
    own = _concepts(claim.words)
    problems += _free_or_paid(claim, units, own, known)
    for name, word in own.items():
        if name in known or denied:
            continue
        for other_name in _SIDES.get(name, ()):
            if other_name not in known or other_name in own:
                continue
            unit = next(one for one in units if other_name in _concepts(one.words))
            other = _concepts(unit.words)[other_name]
            rest = [one for one in claim.content if not one.span.overlaps(word.span)]
            share = matcher.share(rest, unit.terms)
            if share < REST_FROM or any(fact.kind == "negation" for fact in unit.facts):
                continue
            if name in _PERSONS and not _same_place(claim, word, unit, other):
                continue
            difference = Difference("opposite", word.surface, other.surface, word.span, other.span)
            problems.append(Problem(difference, True, share >= SURELY_SAME))
    return problems


def _concepts(words: Sequence[Word]) -> dict[str, Word]:
    found: dict[str, Word] = {}
    for word in words:
        # A word that stands in groups of several senses says none of them for sure.
        if len(word.groups) == 1:
            found.setdefault(concept(word.groups[0]), word)
    return found


def _same_place(claim: ClaimWords, word: Word, unit: Unit, other: Word) -> bool:
    """Whether the same word follows both, or stands before both."""
    return bool(_beside(claim.words, word) & _beside(unit.own, other))


def _beside(words: Sequence[Word], word: Word) -> frozenset[tuple[int, str]]:
    content = [one for one in words if one.is_content or one is word]
    at = next((n for n, one in enumerate(content) if one is word), None)
    if at is None:
        return frozenset()
    beside = [(step, content[at + step]) for step in (-1, 1) if 0 <= at + step < len(content)]
    return frozenset((step, term) for step, one in beside for term in (one.term, *one.groups))


def _turned_ways(claim: ClaimWords, units: Sequence[Unit], texts: Sequence[str]) -> list[Problem]:
    way = _way(claim.language or "")
    if way is None:
        return []
    theirs = {
        (found[1].casefold(), found[2].casefold()): (found, unit)
        for unit, text in zip(units, texts, strict=True)
        for found in way.finditer(text)
    }
    problems = []
    for ours in way.finditer(claim.text):
        ends = ours[1].casefold(), ours[2].casefold()
        turned = theirs.get((ends[1], ends[0]))
        if turned is None or ends[0] == ends[1] or ends in theirs:
            continue
        found, unit = turned
        start = claim.span.start
        difference = Difference(
            "word",
            ours.group(),
            found.group(),
            Span(start + ours.start(), start + ours.end()),
            Span(unit.span.start + found.start(), unit.span.start + found.end()),
        )
        problems.append(Problem(difference, True, False))
    return problems


def _free_or_paid(
    claim: ClaimWords, units: Sequence[Unit], own: Mapping[str, Word], known: Mapping[str, Word]
) -> list[Problem]:
    """A claim's "free"  where the source has a price and nothing free."""
    word = own.get(_FREE)
    if word is None or _FREE in known or any(name in own for name in _PAID):
        return []
    money = [
        fact for unit in units for fact in unit.counted if fact.quantity and fact.quantity.kind == "money"
    ]
    if not money or any(f.quantity and f.quantity.kind == "money" for f in claim.facts):
        return []
    return [
        Problem(Difference("opposite", word.surface, money[0].text, word.span, money[0].span), True, False)
    ]


@cache
def _times(language: str) -> tuple[re.Pattern[str], re.Pattern[str]] | None:
    found = _TIMES.get(language)
    return (re.compile(found[0], re.IGNORECASE), re.compile(found[1], re.IGNORECASE)) if found else None


def _turned_times(claim: ClaimWords, units: Sequence[Unit], texts: Sequence[str]) -> list[Problem]:
    """Before on one side and after on the other, and nothing of the other kind on either. Not sure enough to withhold."""
    patterns = _times(claim.language or "")
    if patterns is None:
        return []
    ours = [pattern.search(claim.text) for pattern in patterns]
    theirs = [[found for text in texts if (found := pattern.search(text))] for pattern in patterns]
    for here, there in ((0, 1), (1, 0)):
        mine = ours[here]
        if mine and not ours[there] and theirs[there] and not theirs[here]:
            start = claim.span.start
            span = Span(start + mine.start(), start + mine.end())
            return [Problem(Difference("opposite", mine.group(), theirs[there][0].group(), span), False)]
    return []


@cache
def _parties(language: str) -> frozenset[str]:
    return frozenset(terms(_PARTIES.get(language, ""), language))


def _turned_parties(claim: ClaimWords, units: Sequence[Unit], texts: Sequence[str]) -> list[Problem]:
    """Two parties in turned order and the same voice: who acts has become who is acted on."""
    language = claim.language or ""
    parties = _parties(language)
    ours = [word for word in claim.words if word.term in parties]
    if len(ours) != 2 or language != claim.terms_in:
        return []
    for unit, text in zip(units, texts, strict=True):
        theirs = [word for word in unit.own if word.term in parties]
        if len(theirs) != 2 or not (_alike(ours[0], theirs[1]) and _alike(ours[1], theirs[0])):
            continue
        if _alike(ours[0], ours[1]):
            continue
        passive = (
            _is_passive(claim.text, claim.span.start, ours, language),
            _is_passive(text, unit.span.start, theirs, language),
        )
        if passive[0] == passive[1]:
            answer, source = (f"{a.surface} … {b.surface}" for a, b in (ours, theirs))
            span = Span(ours[0].span.start, ours[1].span.end)
            return [Problem(Difference("name", answer, source, span, unit.span), True, False)]
    return []


def _is_passive(text: str, shift: int, parties: Sequence[Word], language: str) -> bool:
    ends = (word.span.start - shift for word in parties)
    return any(
        re.search(_PASSIVE[language], text[max(0, end - PASSIVE_REACH) : end], re.IGNORECASE) for end in ends
    )


def _alike(word: Word, other: Word) -> bool:
    return word.term == other.term or not set(word.groups).isdisjoint(other.groups)
