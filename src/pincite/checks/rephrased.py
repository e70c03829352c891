"""Turning words that both sides have in another form: "must not" is "prohibited", "if you do not" is "unless"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords, Matcher
from pincite.checks.reading import Unit
from pincite.text.light_words import light_terms
from pincite.text.words import stop_words
from pincite.types import Difference, Span

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
    r"can(?:not| not|'t)|neither\b.*\bnor|do(?:es)? not (?:allow|permit)|do not|don't|must never|may never|never)\b|^no\b",
    "de": r"\b(?:verboten|weder\b.*\bnoch|untersagt|unzulässig|verbietet|untersagt|(?:darf|dürfen|kann|können)\b[^,;.]*\b(?:nicht|kein\w*)|nicht (?:erlaubt|"
    r"gestattet|zulässig)|kein\w*\b.*\b(?:darf|dürfen|erlaubt|gestattet))\b",
    "es": r"\b(?:prohibid[oa]s?|prohíben?|ni\b.*\bni|no (?:se )?(?:permiten?|pueden?|deben?|está permitid[oa])|no es posible|no permitid[oa]s?)\b",
    "fr": r"\b(?:interdite?s?|interdit|défendue?s?|prohibée?s?|ne (?:peut|peuvent|doit|doivent|sont|est) (?:pas|ni)\b|n'est pas (?:autorisée?|"
    r"permise?|admise?)|ne sont pas (?:autorisée?s|permise?s|admise?s))",
    "ja": "禁止|禁じ|てはいけ|てはなら|できません|できない|不可|お断り|受け付けて(?:いません|おりません|いない)|認められ(?:ません|ない)|許可され(?:ません|ていません)",
    "zh": "禁止|不得|不能|不可|不许|不准|不允许|严禁|不予",
}
_PERMITTED: Mapping[str, str] = {
    "en": r"\b(?:may|can|could|allowed|permitted|allows?|permits?)\b",
    "de": r"\b(?:darf|dürfen|kann|können|erlaubt|gestattet|zulässig)\b",
    "es": r"\b(?:se permiten?|permitid[oa]s?|pueden?|es posible)\b",
    "fr": r"\b(?:peut|peuvent|pouvez|autorisée?s?|permise?s?|permis|admise?s?)\b",
    "ja": "できます|できる|可能|てもよい|ても良い|てもかまいません|てもいい|許可|受け付け",
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
_OPTIONAL: Mapping[str, str] = {
    "en": r"\b(?:optional(?:ly)?|voluntary|voluntarily|not (?:required|mandatory|necessary)|need not|if (?:you|they) (?:like|wish))\b",
    "de": r"\b(?:optional|freiwillig\w{0,2}|fakultativ\w{0,2}|nicht (?:erforderlich|notwendig|verpflichtend|nötig)|wahlweise)\b",
    "es": r"\b(?:opcional(?:es|mente)?|voluntari[oa]s?|voluntariamente|facultativ[oa]s?)\b",
    "fr": r"\b(?:facultati(?:fs?|ves?)|optionnel(?:le)?s?|volontaires?|volontairement)\b",
    "ja": "任意|必要(?:は)?(?:ない|ありません)|不要",
    "zh": "可选|自愿|不必|无需|不需要|无须",
}
# Each one without exception, where the source speaks of them in general.
_ANY: Mapping[str, str] = {
    "en": r"(?:each|every|any|all)\b",
    "de": r"(?:jede[nsrm]?|alle[nr]?)\b",
    "es": r"(?:cada|cualquier|tod[oa]s)\b",
    "fr": r"(?:chaque|tou(?:s|tes)|n['’]importe)",
    "ja": "毎|各|どの|すべて|全て",
    "zh": "每|各|任何|都|均|所有",
}
_LIMITED: Mapping[str, str] = {
    "en": r"\b(?:some|most|many|few|several|certain|only|part|selected|usually|often|sometimes)\b",
    "de": r"\b(?:einige\w?|meist\w*|viele\w?|manche\w?|mehrere\w?|bestimmte\w?|nur|teil\w*|oft|manchmal)\b",
    "es": r"\b(?:algun[oa]s?|mayor\w*|much[oa]s|poc[oa]s|vari[oa]s|ciert[oa]s|sol[oa]|sólo|parte)\b",
    "fr": r"\b(?:quelques|certain\w*|plupart|beaucoup|peu|plusieurs|seul\w*|partie|souvent|parfois)\b",
    "ja": "一部|多く|ほとんど|いくつ|のみ|だけ|特定|場合があ",
    "zh": "一些|部分|某些|多数|许多|少数|仅|只|有些|个别",
}
_CONVERSE = tuple(
    frozenset(pair.split())
    for pair in (
        "lend borrow",
        "buy sell",
        "parent child",
        "teach learn",
        "teacher student",
        "employer employee",
        "give receive",
        "send receive",
        "landlord tenant",
        "leihen verleihen",
        "kaufen verkaufen",
        "eltern kind",
        "prestar tomar",
        "comprar vender",
        "padre hijo",
        "acheter vendre",
        "prêter emprunter",
        "parent enfant",
    )
)
"""Two sides of one matter: who lends lets another borrow. The same stem, not the same word, is enough."""

_ARTICLES = frozenset(
    "the a an this that one der die das den dem ein eine einen einem el la un una le l une ce cette".split()
)

CONVERSE_LETTERS = 4
"""Letters in which a word must agree with one of these."""

SHORT_NAME = 3
"""Letters of a name from which it may be another one cut short."""

ANCHOR_WORDS = 3
"""Content words behind (and before) "only", of which the claim must have one before leaving it out is harmless."""

# Each time, a whole: said again by "per year", "in full".
_EACH: Mapping[str, tuple[str, str]] = {
    "en": (
        r"\b(?:each|every) (?:year|month|week|day|hour|night|quarter)|whole|entire|full",
        (
            r"\b(?:per|annual(?:ly)?|yearly|monthly|weekly|daily|nightly|an? (?:\w+ )?"
            r"(?:year|month|week|day|hour)|in full|full|complete|all|whole|entire|each|every)\b"
        ),
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
    "optional": _OPTIONAL,
    "any": _ANY,
    "limited": _LIMITED,
    "each": {language: own for language, (own, _) in _EACH.items()},
    "rate": {language: other for language, (_, other) in _EACH.items()},
}


def _has(table: str, language: str | None, text: str) -> bool:
    pattern = _pattern(table, language or "")
    return pattern is not None and pattern.search(text) is not None


def real_problems(
    problems: Sequence[Problem], claim: ClaimWords, units: Sequence[Unit], said: Callable[[Unit], str]
) -> list[Problem]:
    """``problems`` without those about words which the other side has in another form, or that say next to nothing.

    Args:
        said: The text of a unit.
    """
    if not problems:
        return []
    sides = _Sides(claim, units, tuple(said(unit) for unit in units))
    left = [one for one in problems if not _is_excused(one, sides)]
    return [_weighed(one, sides) for one in left]


def _weighed(problem: Problem, sides: _Sides) -> Problem:
    """``problem``, or a milder one where the source also says what the claim says."""
    one = problem.difference
    if _is_converse(one) or _is_of_other_verb(one, sides) or _is_dated_otherwise(one, sides):
        return _undecided(problem)
    if problem.is_same_subject and _stands_there(one, sides.claim, sides.units):
        return replace(problem, is_same_subject=False)
    return problem


def _is_dated_otherwise(one: Difference, sides: _Sides) -> bool:
    """Two events, two dates: the claim's stands in another sentence than the one that seems to differ."""
    if one.kind != "date" or one.source_span is None:
        return False
    others = [unit for unit in sides.units if not unit.span.contains(one.source_span) and not unit.is_row]
    return _stands_there(one, sides.claim, others)


def _stands_there(one: Difference, claim: ClaimWords, units: Sequence[Unit]) -> bool:
    fact = next((f for f in claim.facts if f.span == one.answer_span and f.is_counted), None)
    return fact is not None and any(fact.same(other) for unit in units for other in unit.counted)


@dataclass(frozen=True, slots=True)
class _Sides:
    """A claim and the units that back it, with their texts."""

    claim: ClaimWords
    units: Sequence[Unit]
    texts: Sequence[str]

    @property
    def whole(self) -> str:
        return " ".join(self.texts)


def _is_excused(problem: Problem, sides: _Sides) -> bool:
    one = problem.difference
    excuse = _EXCUSES.get(one.kind)
    if one.kind in _TURNING and _is_idiom(one, sides.claim, sides.texts):
        return True
    return excuse is not None and excuse(one, sides)


def _undecided(problem: Problem) -> Problem:
    return replace(problem, is_change=False, is_same_subject=False)


def _is_converse(one: Difference) -> bool:
    """Whether a pair of opposites are the two sides of one matter."""
    if one.kind != "opposite":
        return False
    ours, theirs = one.answer.casefold(), one.source.casefold()
    return any(
        (_is_form(ours, a) and _is_form(theirs, b)) or (_is_form(ours, b) and _is_form(theirs, a))
        for a, b in map(sorted, _CONVERSE)
    )


def _is_of_other_verb(one: Difference, sides: _Sides) -> bool:
    """How often: "rarely use" is about using, and says nothing against "commonly rely", when relying stands elsewhere."""
    if one.kind != "opposite" or one.answer.casefold() not in _HOW_OFTEN or one.answer_span is None:
        return False
    end = one.answer_span.end
    verb = next((w for w in sides.claim.words if w.span.start >= end and w.is_content), None)
    if verb is None or one.source_span is None:
        return False
    for unit in sides.units:
        after = [w.term for w in unit.own if w.is_content and w.span.start >= one.source_span.end]
        if verb.term in after:
            return verb.term not in after[:ANCHOR_WORDS]
    return False


_HOW_OFTEN = frozenset(
    "commonly rarely often seldom usually frequently infrequently generally häufig selten oft meist frecuentemente raramente "
    "fréquemment rarement souvent".split()
)


def _is_form(word: str, of: str) -> bool:
    return word[:CONVERSE_LETTERS] == of[:CONVERSE_LETTERS]


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


def _modality(one: Difference, sides: _Sides) -> bool:
    """A duty of the claim is one of the source's as well: an order, a need, a prohibition."""
    language = sides.claim.language
    if not one.answer or one.source or not _has("duty", language, one.answer):
        return False
    forbids = _has("forbidden", language, sides.claim.text)
    return any(
        _has("duty", language, text) or (forbids and _has("forbidden", language, text))
        for text in sides.texts
    )


def _negation(one: Difference, sides: _Sides) -> bool:
    claim, language = sides.claim, sides.claim.language
    if not one.answer or one.source:
        return False
    if _has("unless", language, sides.whole) and any(
        fact.kind == "condition" and fact.key == "if" for fact in claim.facts
    ):
        return True
    if _AS_LONG_AS.search(claim.text) and _has("until", language, sides.whole):
        return True
    return _has("forbidden", language, claim.text) and any(
        _has("forbidden", language, text) for text in sides.texts
    )


def _condition(one: Difference, sides: _Sides) -> bool:
    """A condition that only the claim has says less than the source, not more; "if not" is "unless"."""
    claim, language = sides.claim, sides.claim.language
    denies = any(fact.kind == "negation" for fact in claim.facts)
    if not one.answer:
        return _is_told(one, sides)
    if _has("unless", language, sides.whole):
        return denies and not _has("unless", language, claim.text)
    if _AS_LONG_AS.search(one.answer):
        return denies and _has("until", language, sides.whole)
    return not one.source and not _has("unless", language, one.answer)


def _is_told(one: Difference, sides: _Sides) -> bool:
    """Whether the claim has every word and amount of what it is said to leave out, in its own words."""
    span = one.source_span
    if span is None:
        return False
    known = {term for word in sides.claim.words for term in (word.term, *word.groups)}
    light = light_terms(sides.claim.terms_in)
    for unit in sides.units:
        amounts = [f for f in unit.counted if span.contains(f.span)]
        taken = [f.span for f in amounts]
        words = [
            word
            for word in unit.own
            if span.contains(word.span) and word.is_content and not any(word.span.overlaps(s) for s in taken)
        ]
        rest = [w for w in words if w.term not in light and known.isdisjoint((w.term, *w.groups))]
        if (words or amounts) and not rest:
            return all(any(own.same(f) for own in sides.claim.facts) for f in amounts)
    return False


def _quantifier(one: Difference, sides: _Sides) -> bool:
    language = sides.claim.language
    if not one.answer:
        return _is_told_without_only(one, sides)
    if one.source or one.answer_span is None:
        return False
    text, at = sides.claim.text, one.answer_span.start - sides.claim.span.start
    each, each_of = _pattern("each", language or ""), _pattern("any", language or "")
    if each is not None and each.match(text, at) and _has("rate", language, sides.whole):
        return True
    if each_of is None or not each_of.match(text, at) or _has("limited", language, sides.whole):
        return False
    return _is_general(sides, one.answer_span)


def _is_general(sides: _Sides, span: Span) -> bool:
    """Whether the source speaks of what stands after "every" at ``span`` in general: without article or attribute."""
    stop = stop_words(sides.claim.language)
    noun = next((w for w in sides.claim.words if w.span.start >= span.end and w.is_content), None)
    if noun is None or noun.is_pair:
        return False
    wanted = {noun.term, *noun.groups}
    for unit in sides.units:
        for place, word in enumerate(unit.own):
            if wanted.isdisjoint((word.term, *word.groups)):
                continue
            before = unit.own[place - 1].surface if place else ""
            if not before or (before in stop and before not in _ARTICLES):
                return True
    return False


def _is_told_without_only(one: Difference, sides: _Sides) -> bool:
    """Leaving out "only" says less, as long as what it limits is told: "only members may" and "members may"."""
    known = {word.term for word in sides.claim.content}
    for unit in sides.units:
        fact = next((f for f in unit.facts if f.span == one.source_span and f.key == "only"), None)
        if fact is None:
            continue
        words = [word for word in unit.own if word.is_content]
        after = [w for w in words if w.span.start >= fact.span.end][:ANCHOR_WORDS]
        before = [w for w in words if w.span.end <= fact.span.start][-1:]
        amounts = [f for f in unit.counted if 0 <= f.span.start - fact.span.end <= 1]
        return bool(amounts) or (
            any(w.term in known for w in (*after[:1], *before)) and any(w.term in known for w in after)
        )
    return False


def _number(one: Difference, sides: _Sides) -> bool:
    """A bare number of the claim ("older than twelve") is that of an amount of the source ("12 years")."""
    if not one.answer:
        return False
    fact = next((f for f in sides.claim.facts if f.span == one.answer_span and f.is_counted), None)
    if fact is None or fact.quantity is None or fact.quantity.kind != "plain" or fact.nouns:
        return False
    known = set(fact.quantity.numbers)
    return any(
        other.quantity is not None and not known.isdisjoint(other.quantity.numbers)
        for unit in sides.units
        for other in unit.counted
        if not unit.is_row
    )


def _comparator(one: Difference, sides: _Sides) -> bool:
    """Of a bound, "not more than" is "at most": a negation beside a bound turns it."""
    ours, _, amount = one.answer.partition(" than ") if " than " in one.answer else _halves(one.answer)
    theirs, _, other = one.source.partition(" than ") if " than " in one.source else _halves(one.source)
    if not ours or not theirs or not _is_amount_alike(amount, other):
        return False
    denied = any(fact.kind == "negation" for fact in sides.claim.facts)
    denying = any(fact.kind == "negation" for unit in sides.units for fact in unit.facts)
    return (denied and _TURNED.get(ours) == theirs) or (denying and _TURNED.get(theirs) == ours)


def _halves(bound: str) -> tuple[str, str, str]:
    for word in _TURNED:
        if bound.startswith(f"{word} "):
            return word, " ", bound[len(word) + 1 :]
    return "", "", bound


def _is_amount_alike(amount: str, other: str) -> bool:
    digits = [[char for char in text if char.isdigit()] for text in (amount, other)]
    return digits[0] == digits[1] or amount == other


_TURNED = {"more": "at most", "less": "at least", "at most": "more", "at least": "less"}


def _name(one: Difference, sides: _Sides) -> bool:
    """A name cut short is the same name: "Con", "Convention"."""
    ours, theirs = one.answer.casefold(), one.source.casefold()
    return len(ours) >= SHORT_NAME and theirs.startswith(ours) and len(theirs) > len(ours) + 1


def _opposite(one: Difference, sides: _Sides) -> bool:
    """A term of validity says when something ends: "有効期限" is not the opposite of "失効"."""
    return bool(one.source) and f"{one.source}期" in sides.whole


def _word(one: Difference, sides: _Sides) -> bool:
    """A word that says next to nothing need not be the source's."""
    light = light_terms(sides.claim.terms_in)
    return any(word.term in light for word in sides.claim.words if word.span == one.answer_span)


_TURNING = frozenset({"modality", "negation", "condition", "quantifier"})
_EXCUSES: Mapping[str, Callable[[Difference, _Sides], bool]] = {
    "modality": _modality,
    "negation": _negation,
    "condition": _condition,
    "quantifier": _quantifier,
    "number": _number,
    "opposite": _opposite,
    "comparator": _comparator,
    "name": _name,
    "word": _word,
}


def duty_problems(
    claim: ClaimWords, units: Sequence[Unit], said: Callable[[Unit], str], matcher: Matcher
) -> list[Problem]:
    """The claim permits what its source forbids without exception, or the other way round. At most one."""
    language = claim.language
    sides = _sides_of(claim.text, language)
    if len(sides) != 1:
        return []
    for unit in units:
        others = _sides_of(said(unit), language)
        if len(others) != 1 or frozenset((*sides, *others)) not in _AGAINST:
            continue
        same = matcher.share(claim.content, unit.terms) >= SURELY_SAME
        own = [word for word in unit.own if word.is_content]
        known = {term for word in claim.words for term in (word.term, *word.groups)}
        told = sum(not known.isdisjoint((word.term, *word.groups)) for word in own)
        if same or (own and told >= SURELY_SAME * len(own)):
            shown = _shown(claim.text, sides[0], language), _shown(said(unit), others[0], language)
            return [Problem(Difference("opposite", *shown, claim.span, unit.span), True, same)]
    return []


_AGAINST = (frozenset({"forbidden", "permitted"}), frozenset({"optional", "duty"}))


def _sides_of(text: str, language: str | None) -> tuple[str, ...]:
    """``forbidden``, ``permitted``, ``optional``, ``duty``: what a sentence without exception says of its matter."""
    if _has("on_terms", language, text):
        return ()
    if _has("optional", language, text):
        return ("optional",)
    pattern = _pattern("forbidden", language or "")
    rest, forbids = pattern.subn(" ", text) if pattern is not None else (text, 0)
    found = ["forbidden"] if forbids else []
    found += ["permitted"] if _has("permitted", language, rest) else []
    return tuple(found) or (("duty",) if _has("duty", language, text) else ())


def _shown(text: str, side: str, language: str | None) -> str:
    pattern = _pattern(side, language or "")
    found = pattern.search(text) if pattern is not None else None
    return found.group() if found else ""
