"""Turning words that both sides have in another form: "must not" is "prohibited", "if you do not" is "unless"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords, Matcher
from pincite.checks.reading import Unit
from pincite.types import Difference

SURELY_SAME = 0.75
"""Share of the claim's other content words in a unit before "may" and "prohibited" contradict."""

# All lists were written for this project. In each language: what makes something a duty, forbids or permits it.
_DUTY: Mapping[str, str] = {
    "en": r"\b(?:must|shall|ha(?:s|ve) to|needs?|requires?|required|obliged|mandatory|compulsory|due|payable|asked to|is to|are to|"
    r"please|will)\b|^(?:do not|don't|never|always|take|keep|store|use|press|click|open|close|contact|enter|select|send|submit|"
    r"make|call|ask|add|remove|turn|switch|avoid|wash|wear|choose|check|connect|insert|read|sign|pay|bring|wait|follow|visit|"
    r"go|return|report|complete|apply|give|put|install|set|save|stop|start|clean|allow|ensure)\b",
    "de": r"\b(?:muss|müssen|musst|hat|haben|ist|sind)\b.*\b(?:zu|\w+zu\w+en)\b|\b(?:muss|müssen|verpflichtet|pflicht|erforderlich|nötig|"
    r"notwendig|bitte|fällig|zahlbar)\b|^\w+e?n sie\b",
    "es": r"\b(?:deben?|deberán?|tienen? que|hay que|obligatori[oa]s?|necesari[oa]s?|requieren?|por favor|se pagan?)\b|"
    r"^(?:no )?(?:tome|guarde|conserve|pulse|abra|cierre|use|utilice|llame|envíe|rellene|pague|lleve|siga|evite|lave|ponga|haga|"
    r"seleccione|introduzca|presente|consulte|retire|espere|avise|informe|apague|encienda|desconecte|limpie|mantenga|deje)\b|"
    r"\b\w+(?:ará|erá|irá|arán|erán|irán)\b",
    "fr": r"\b(?:doit|doivent|devez|devra|devront|faut|tenue?s? de|obligatoires?|nécessaires?|requise?s?|payables?|veuillez|merci de|prière)\b|"
    r"^(?:ne |n')?\w+ez\b",
    "ja": "なければな|必要|ください|義務|必須|こと。?$|てはいけません|期限|お願い",
    "zh": "必须|必須|应|應|须|須|需|务必|请|請|要",
}
_FORBIDDEN: Mapping[str, str] = {
    "en": r"\b(?:prohibited|forbidden|banned|prohibits?|forbids?|bans?|barred|not (?:be )?(?:allowed|permitted)|may not|must not|mustn't|"
    r"can(?:not| not|'t)|do(?:es)? not (?:allow|permit)|do not|don't|must never|may never|never)\b|^no\b",
    "de": r"\b(?:verboten|untersagt|unzulässig|verbietet|untersagt|(?:darf|dürfen|kann|können)\b[^,;.]*\b(?:nicht|kein\w*)|nicht (?:erlaubt|"
    r"gestattet|zulässig)|kein\w*\b.*\b(?:darf|dürfen|erlaubt|gestattet))\b",
    "es": r"\b(?:prohibid[oa]s?|prohíben?|no (?:se )?(?:permiten?|pueden?|deben?|está permitid[oa])|no es posible|no permitid[oa]s?)\b",
    "fr": r"\b(?:interdite?s?|interdit|défendue?s?|prohibée?s?|ne (?:peut|peuvent|doit|doivent|sont|est) (?:pas|ni)\b|n'est pas (?:autorisée?|"
    r"permise?|admise?)|ne sont pas (?:autorisée?s|permise?s|admise?s))",
    "ja": "禁止|禁じ|てはいけ|てはなら|できません|できない|不可|お断り|認められ(?:ません|ない)|許可され(?:ません|ていません)",
    "zh": "禁止|不得|不能|不可|不许|不准|不允许|严禁|不予",
}
_PERMITTED: Mapping[str, str] = {
    "en": r"\b(?:may|can|could|allowed|permitted|allows?|permits?)\b",
    "de": r"\b(?:darf|dürfen|kann|können|erlaubt|gestattet|zulässig)\b",
    "es": r"\b(?:se permiten?|permitid[oa]s?|pueden?|es posible)\b",
    "fr": r"\b(?:peut|peuvent|pouvez|autorisée?s?|permise?s?|permis|admise?s?)\b",
    "ja": "できます|できる|可能|てもよい|ても良い|てもかまいません|てもいい|許可",
    "zh": "可以|允许|能够|可(?!能)|准许",
}
_ON_TERMS: Mapping[str, str] = {
    "en": r"\b(?:unless|except|only|if|other than|apart from|provided)\b",
    "de": r"\b(?:außer|nur|wenn|falls|ausgenommen|es sei denn|ausnahme|sofern)\b",
    "es": r"\b(?:salvo|excepto|solo|sólo|si|únicamente|excepción|a menos)\b",
    "fr": r"\b(?:sauf|excepté|seul\w*|si|uniquement|exception|à moins)\b",
    "ja": "のみ|だけ|除|以外|限り|場合|なければ",
    "zh": "除|只|仅|如|若|以外|否则",
}
_UNLESS: Mapping[str, str] = {
    "en": r"\bunless\b",
    "de": r"\b(?:es sei denn|sofern nicht|außer wenn|falls nicht)\b",
    "es": r"\b(?:a menos que|salvo que|a no ser que|excepto si)\b",
    "fr": r"\b(?:à moins que|à moins de|sauf si)\b",
    "ja": "ない限り|場合を除き",
    "zh": "除非",
}
_UNTIL: Mapping[str, str] = {
    "en": r"\b(?:until|till|before)\b",
    "de": r"\b(?:bis|bevor|ehe)\b",
    "es": r"\b(?:hasta|antes)\b",
    "fr": r"\b(?:jusqu|avant)",
    "ja": "まで|前",
    "zh": "直到|之前|前",
}
_AS_LONG_AS = re.compile(r"\b(?:as long as|so long as|solange|mientras|tant que)\b|限り|只要", re.IGNORECASE)
# Each time, a whole: said again by "per year", "in full".
_EACH: Mapping[str, tuple[str, str]] = {
    "en": (
        r"\b(?:each|every) (?:year|month|week|day|hour|night|quarter)|whole|entire|full",
        r"\b(?:per|annual(?:ly)?|yearly|monthly|weekly|daily|nightly|an? (?:\w+ )?"
        r"(?:year|month|week|day|hour)|in full|full|complete|all|whole|entire|each|every)\b",  # noqa: ISC004
    ),
    "de": (
        r"jede[nsrm]? (?:jahr|monat|woche|tag|stunde)|ganz|gesamt",
        r"\b(?:pro|jährlich|monatlich|wöchentlich|täglich|im jahr|im monat|in der woche|am tag|je|ganze?\w?|gesamte?\w?)\b",
    ),
    "es": (
        r"cada (?:año|mes|semana|día|hora)|tod[oa]s? (?:el|la|los|las)",
        r"\b(?:al|por|anual(?:es|mente)?|mensual\w*|semanal\w*|diari\w+|cada|todo el|toda la|entero|entera)\b",
    ),
    "fr": (
        r"chaque (?:année|an|mois|semaine|jour|heure)|tou(?:te|s|t)",
        r"\b(?:par|annuel\w*|mensuel\w*|hebdomadaire\w*|quotidien\w*|chaque|tous les|toutes les|entier|entière|intégral\w*)\b",
    ),
    "ja": ("毎|各", "年間|月間|1年|一年|毎|につき|ごと|当たり|あたり"),
    "zh": ("每|都", "每|年|月|周|日|天|随时|任何|全|均|都"),
}
_IDIOMS = re.compile(
    r"without (?:undue |unreasonable |any )?delay|without (?:prejudice|limitation|exception)|no(?:t)? later than|no(?:t)? more than|"
    r"no(?:t)? less than|no fewer than|no longer than|not exceed\w*|not only|nothing but|no matter|at no (?:extra |additional )?(?:cost|charge)|"
    r"ohne (?:schuldhaftes zögern|verzögerung|verzug|ausnahme|weiteres)|nicht nur|nicht später als|nicht mehr als|nicht länger als|"
    r"sin (?:demora|excepción|perjuicio|cargo|coste|costo)|no más (?:de|tarde)|no solo|sans (?:délai|tarder|exception|retard|frais)|"
    r"n['’]importe|ne pas dépasser|non seulement|pas plus|au plus tard|遅滞なく|だけでなく|いただけ|不迟于|不超过|不晚于|免费|毫不",
    re.IGNORECASE,
)
"""Turning words that turn nothing here."""

IDIOM_REACH = 12
"""Characters before a turning word in which an idiom that holds it may begin."""


@cache
def _pattern(table: str, language: str) -> re.Pattern[str] | None:
    source = _TABLES[table].get(language)
    return re.compile(source, re.IGNORECASE) if source else None


_TABLES: Mapping[str, Mapping[str, str]] = {
    "duty": _DUTY,
    "forbidden": _FORBIDDEN,
    "permitted": _PERMITTED,
    "on_terms": _ON_TERMS,
    "unless": _UNLESS,
    "until": _UNTIL,
    "each": {language: own for language, (own, _) in _EACH.items()},
    "rate": {language: other for language, (_, other) in _EACH.items()},
}


def _has(table: str, language: str | None, text: str) -> bool:
    pattern = _pattern(table, language or "")
    return pattern is not None and pattern.search(text) is not None


def real_problems(
    problems: Sequence[Problem], claim: ClaimWords, units: Sequence[Unit], said: Callable[[Unit], str]
) -> list[Problem]:
    """``problems`` without those about turning words which the other side has in another form.

    Args:
        said: The text of a unit.
    """
    turning = [one for one in problems if one.difference.kind in _EXCUSES]
    if not turning:
        return list(problems)
    texts = tuple(said(unit) for unit in units)
    return [one for one in problems if one not in turning or not _is_excused(one, claim, texts)]


def _is_excused(problem: Problem, claim: ClaimWords, texts: Sequence[str]) -> bool:
    one = problem.difference
    if _is_idiom(one, claim, texts):
        return True
    if one.answer and one.source and one.kind != "condition":
        return False
    return _EXCUSES[one.kind](one, claim, texts)


def _is_idiom(one: Difference, claim: ClaimWords, texts: Sequence[str]) -> bool:
    """Whether the turning word that one side has turns nothing there: "without undue delay", "n'importe"."""
    if one.answer and not one.source and one.answer_span is not None:
        return _in_idiom(claim.text, one.answer_span.start - claim.span.start, len(one.answer))
    if one.source and not one.answer:
        word = one.source.lower()
        places = [(text, text.lower().find(word)) for text in texts]
        known = [(text, at) for text, at in places if at >= 0]
        return bool(known) and all(_in_idiom(text, at, len(word)) for text, at in known)
    return False


def _in_idiom(text: str, at: int, size: int) -> bool:
    begin = max(0, at - IDIOM_REACH)
    return any(
        match.start() + begin <= at < match.end() + begin or at <= match.start() + begin < at + size
        for match in _IDIOMS.finditer(text[begin : at + size + 40])
    )


def _modality(one: Difference, claim: ClaimWords, texts: Sequence[str]) -> bool:
    """A duty of the claim is one of the source's as well: an order, a need, a prohibition."""
    language = claim.language
    if not one.answer or not _has("duty", language, one.answer):
        return False
    forbids = _has("forbidden", language, claim.text)
    return any(
        _has("duty", language, text) or (forbids and _has("forbidden", language, text)) for text in texts
    )


def _negation(one: Difference, claim: ClaimWords, texts: Sequence[str]) -> bool:
    language = claim.language
    if not one.answer:
        return False
    if _has("unless", language, " ".join(texts)) and any(
        fact.kind == "condition" and fact.key == "if" for fact in claim.facts
    ):
        return True
    if _AS_LONG_AS.search(claim.text) and _has("until", language, " ".join(texts)):
        return True
    return _has("forbidden", language, claim.text) and any(
        _has("forbidden", language, text) for text in texts
    )


def _condition(one: Difference, claim: ClaimWords, texts: Sequence[str]) -> bool:
    """A condition that only the claim has says less than the source, not more; "if not" is "unless"."""
    language = claim.language
    whole = " ".join(texts)
    denies = any(fact.kind == "negation" for fact in claim.facts)
    if _has("unless", language, whole):
        return denies and not _has("unless", language, claim.text)
    if _AS_LONG_AS.search(one.answer):
        return denies and _has("until", language, whole)
    return bool(one.answer) and not one.source and not _has("unless", language, one.answer)


def _quantifier(one: Difference, claim: ClaimWords, texts: Sequence[str]) -> bool:
    if not one.answer or one.answer_span is None:
        return False
    at = one.answer_span.start - claim.span.start
    pattern = _pattern("each", claim.language or "")
    if pattern is None or pattern.match(claim.text, at) is None:
        return False
    return any(_has("rate", claim.language, text) for text in texts)


_EXCUSES: Mapping[str, Callable[[Difference, ClaimWords, Sequence[str]], bool]] = {
    "modality": _modality,
    "negation": _negation,
    "condition": _condition,
    "quantifier": _quantifier,
}


def duty_problems(
    claim: ClaimWords, units: Sequence[Unit], said: Callable[[Unit], str], matcher: Matcher
) -> list[Problem]:
    """The claim permits what its source forbids without exception, or the other way round. At most one."""
    language = claim.language
    side = _side(claim.text, language)
    if side is None or len(units) != 1:
        return []
    other = _side(said(units[0]), language)
    if other is None or side == other:
        return []
    same = matcher.share(claim.content, units[0].terms) >= SURELY_SAME
    shown = _shown(claim.text, side, language), _shown(said(units[0]), other, language)
    return [Problem(Difference("opposite", *shown, claim.span, units[0].span), True, same)] if same else []


def _side(text: str, language: str | None) -> str | None:
    """``forbidden`` or ``permitted`` when a sentence says the one, without exception, and nothing of the other."""
    if _has("on_terms", language, text):
        return None
    pattern = _pattern("forbidden", language or "")
    rest, forbids = pattern.subn(" ", text) if pattern is not None else (text, 0)
    permits = _has("permitted", language, rest)
    if bool(forbids) == permits:
        return None
    return "forbidden" if forbids else "permitted"


def _shown(text: str, side: str, language: str | None) -> str:
    pattern = _pattern(side, language or "")
    found = pattern.search(text) if pattern is not None else None
    return found.group() if found else ""
