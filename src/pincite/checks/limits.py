"""What a source says of some, or at some time, is not said of all and always: limits that a claim leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pincite.checks.binding import Problem
from pincite.checks.concessions import concessions, grants
from pincite.checks.evidence import ClaimWords, Matcher
from pincite.checks.reading import Unit, Word
from pincite.checks.said import Fact
from pincite.checks.tense import is_past
from pincite.findings import Difference
from pincite.text.lexicon import load_lexicon, tabled
from pincite.types import Span

TOLD_FROM = 0.6
"""Share of a claim's words that a sentence must hold before its limits are missed."""

SAME_SENTENCE = 0.6
"""Share of what a sentence says beside its limit that the claim must tell: then it is that sentence without the limit."""

MAX_LEAD = 5
"""Words before the first shared one among which a subject is looked for."""

MAX_WORDS = 120

# Written for this project: whom a sentence speaks to or about when it names nobody.
_ANYBODY = {
    "en": frozenset("you anyone anybody everyone everybody all one people".split()),
    "de": frozenset("sie man jeder jede alle du ihr".split()),
    "es": frozenset("usted ustedes cualquiera todos todas uno tú".split()),
    "fr": frozenset("vous on tous chacun tout".split()),
    "hi": frozenset("आप कोई सभी हर".split()),
    "ar": frozenset("أنت الجميع يمكنك يجب لك".split()),
}
# Who is meant by "you" anyhow.
_READERS = frozenset(
    "customer customers user users client clients consumer consumers person persons people individual individuals buyer buyers reader "
    "readers visitor visitors kunde kunden kundin kundinnen nutzer nutzerinnen benutzer verbraucher personen person käufer cliente clientes "
    "usuario usuarios persona personas consumidor consumidores client clients utilisateur utilisateurs personne personnes consommateur "
    "consommateurs acheteur acheteurs العميل العملاء المستخدم المستخدمين المستخدمون ग्राहक उपयोगकर्ता please bitte note".split()
)
_ANYBODY_SIGNS = {
    "ja": (
        re.compile(r"^(?:あなた|誰でも|どなたでも|皆さん|皆様|全員|すべての人)(?:は|が|も|、)?"),
        re.compile(r"^([^、。]{1,24}?)(?:は|が|も、|でも)(?=\S)"),
        re.compile(
            r"(?:すべての|全ての)?(?:お客様|お客さま|ご?利用者|ユーザー|消費者|皆様)(?:様|さま|の方)?"
        ),
    ),
    "zh": (
        re.compile(
            r"^(?:您|你|你们|任何人|所有人|大家|每个人|人人)(?=都|不|可|必|应|能|需|须|会|将|均|在|也|享)"
        ),
        re.compile(r"^([^，。]{1,24}?)(?:都|均)?(?=不得|不能|不可|可以|可|必须|应|能|需|须|会|享)"),
        re.compile(r"(?:所有|全体)?(?:客户|顾客|用户|消费者|您|人们|大家)"),
    ),
}
# Words that begin a limit of time or state, and whether a number is spoken of only with them.
_LIMITS = {
    "en": re.compile(
        r"\b(?:after|before|during|once|until|when|whenever|upon|as soon as|as long as|following|"
        r"in the (?:low|high|off|peak|summer|winter|first|second|last)|on (?:weekends|weekdays|holidays|request)|at night|for(?! example| instance| ever| free| life| now| sure| the| a| an| this| that| it)|"
        r"who|whose|(?<=s )(?:over|under)(?= \d)|aged|enrolled|employed|registered|living|working|staying|holding|with|without)\b",
        re.IGNORECASE,
    ),
    "de": re.compile(
        r"\b(?:nach|vor|während|sobald|bis|wenn|solange|bei|in der (?:neben|haupt)saison|am wochenende|nachts|für|deren|dessen|über|unter|ab|mit|ohne)\b",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"\b(?:después|tras|antes|durante|cuando|mientras|hasta que|una vez|en (?:temporada|fines)|los fines de semana|por la noche|para|mayores|menores|con|sin)\b",
        re.IGNORECASE,
    ),
    "fr": re.compile(
        r"\b(?:après|avant|pendant|durant|lorsque|lorsqu|quand|dès|tant que|en (?:basse|haute) saison|le week-end|la nuit|pour|âgés|avec|sans)\b",
        re.IGNORECASE,
    ),
    "hi": re.compile(r"(?:के बाद|से पहले|के दौरान|के लिए|जब|के साथ|के बिना)"),
    "ar": re.compile(r"\b(?:بعد|قبل|أثناء|خلال|عندما|لمن|مع|بدون)\b"),
}  # fmt: skip
_UNSPACED_LIMITS = {
    "ja": re.compile(r"([^、。]{2,24}?(?:以降|以後|の後|後に|後は|の場合|場合は|場合|ときは?|時は|時に|期間中|中は|までは?|前に|未満|以下|以上))(?=[、はに]|のお客様)"),
    "zh": re.compile(r"([^，。]{2,20}?(?:之后|以后|后|之前|以前|期间|时候?|的情况下|满[一二三四五六七八九十\d]+[年月日天]后?))(?=[，享可]|的)"),
}  # fmt: skip
_HAN = re.compile("[\u3400-\u9fff\u30a1-\u30ff]")
_AFTER_ANYBODY = frozenset(
    "in of on at with who from im aus von mit der die das dem den de del con que dans qui du of under over".split()
)
_CLAUSE_END = re.compile(
    r"[,;:()]\s|[.;!?]\s*$|\s[-–—]\s|\s(?:and|but|or|und|aber|oder|y|pero|o|et|mais|ou)\s"
)
_INNER_END = re.compile(r"[.!?]\W{0,3}(?:\[[^\]]{1,20}\])?\s+[^\W\d_]")
_DUTY = frozenset({"must", "may", "should"})
_EVERY = frozenset({"all"})
_EXPLICIT = {">=": "at least", "<=": "at most"}
_MEANS_LIMIT = re.compile(
    r"limit|max|min\b|minim|\bcap\b|capped|ceiling|threshold|exceed|within|as (?:few|many|much|little)|up to|least|most|höchst|grenze|obergrenze|mindest|innerhalb|"
    r"binnen|límite|tope|plazo|plafond|délai|上限|下限|最大|最小|最高|最低|以内|まで|限|الحد|सीमा|अधिकतम|न्यूनतम",
    re.IGNORECASE,
)
_WITHIN = re.compile(r"\b(?:within|innerhalb|binnen|dentro|plazo|délai|sous)\b|以内|内に|在", re.IGNORECASE)


def limit_problems(claim: ClaimWords, units: Sequence[Unit], matcher: Matcher) -> list[Problem]:
    """Limits of the sentences that back the claim which it leaves out: at most one of each sort."""
    near = [
        unit
        for unit in units
        if len(unit.own) <= MAX_WORDS
        and not unit.is_row
        and matcher.share(claim.content, unit.terms) >= TOLD_FROM
    ]
    problems: list[Problem] = []
    for find in (_widened, _dropped_limit):
        found = next((one for unit in near for one in find(claim, unit, near, matcher)), None)
        problems += [found] if found else []
    return problems + list(_dropped_beside(claim, units, matcher))


def _left_out(text: str, span: Span, kind: str = "condition") -> Problem:
    return Problem(Difference(kind, "", text, None, span), is_change=False)


# --- whom it is said of ----------------------------------------------------------------------------


def _widened(claim: ClaimWords, unit: Unit, units: Sequence[Unit], matcher: Matcher) -> Iterator[Problem]:
    """The claim says it of anybody, the source of somebody: "children must not" as "you must not"."""
    language = tabled(claim.terms_in)
    if language in _ANYBODY_SIGNS:
        yield from _widened_unspaced(claim, unit, language)
        return
    generic = _ANYBODY.get(language, frozenset())
    first = next(
        (n for n, word in enumerate(claim.words) if word.is_content and word.surface not in generic), None
    )
    if first is None or first > MAX_LEAD or not any(word.surface in generic for word in claim.words[:first]):
        return
    terms = {word.term for word in claim.content if word.surface not in generic}
    lead: list[Word] = []
    for word in unit.own:
        if word.term in terms or (word.groups and not terms.isdisjoint(word.groups)):
            break
        lead.append(word)
    clause = unit.segment(lead[-1].span.start) if lead else 0
    lead = [word for word in lead if unit.segment(word.span.start) == clause]
    own = next((n for n, word in enumerate(lead) if word.surface in generic), None)
    if own is not None:
        lead = lead[own + 1 :]
        if not lead or lead[0].surface not in _AFTER_ANYBODY:
            return
    taken = [fact.span for fact in unit.facts if fact.kind != "name"]
    named = [
        word
        for word in lead
        if word.is_content
        and word.surface not in _READERS
        and not any(word.span.overlaps(span) for span in taken)
    ]
    if (
        named
        and len(named) <= MAX_LEAD
        and len(lead) <= 2 * MAX_LEAD
        and not _says_elsewhere(claim, unit, units, matcher)
    ):
        span = Span(lead[0].span.start, named[-1].span.end)
        yield _left_out(_text_of(unit, span), span)


def _says_elsewhere(claim: ClaimWords, own: Unit, units: Sequence[Unit], matcher: Matcher) -> bool:
    return any(unit is not own and matcher.share(claim.content, unit.terms) >= 0.9 for unit in units)


def _widened_unspaced(claim: ClaimWords, unit: Unit, language: str) -> Iterator[Problem]:
    anybody, subject, readers = _ANYBODY_SIGNS[language]
    text = unit.text.lstrip("#*- 　")
    if not anybody.search(claim.text.lstrip()) or anybody.search(text):
        return
    found = subject.search(text)
    if found and not readers.fullmatch(found[1]) and _HAN.search(found[1]) and found[1] not in claim.text:
        start = unit.span.start + unit.text.index(text) + found.start(1)
        yield _left_out(found[1], Span(start, start + len(found[1])))


# --- when it holds ---------------------------------------------------------------------------------


def _dropped_limit(
    claim: ClaimWords, unit: Unit, units: Sequence[Unit], matcher: Matcher
) -> Iterator[Problem]:
    """The claim is the sentence without the phrase that limits it: "after the first year", "over 60"."""
    language = tabled(claim.terms_in)
    if not _is_rule(claim) or is_past(unit.text, unit.own, language):
        return
    if language in _UNSPACED_LIMITS:
        yield from _dropped_unspaced(claim, unit, language)
        return
    pattern = _LIMITS.get(language)
    if pattern is None or _says_elsewhere(claim, unit, units, matcher):
        return
    said = {word.term for word in claim.words} | {group for word in claim.words for group in word.groups}
    granted = concessions(unit.text, language)
    for match in pattern.finditer(unit.text):
        if grants(granted, Span(*match.span())):
            continue
        if _INNER_END.search(unit.text, 0, match.start()):
            return  # Two sentences that could not be told apart: the limit may be of the second alone.
        stop = _CLAUSE_END.search(unit.text, match.end())
        span = Span(match.start(), stop.start() if stop else len(unit.text)).shift(unit.span.start)
        inside = [word for word in unit.own if span.start <= word.span.start < span.end]
        words = _until_shared(inside, said)
        content = [word for word in words[1:] if word.is_content]
        if not content or any(word.surface == match.group().casefold() for word in claim.words):
            continue
        part = Span(span.start, words[-1].span.end)
        if any(fact.kind == "date" and fact.span.overlaps(part) for fact in unit.facts):
            continue
        rest = [word for word in unit.own if word.is_content and word not in words]
        told = sum(word.term in said or not said.isdisjoint(word.groups) for word in rest)
        if rest and told >= SAME_SENTENCE * len(rest):
            yield _left_out(_text_of(unit, part), part)
            return


def _until_shared(words: Sequence[Word], said: set[str]) -> list[Word]:
    """The words up to the first content word that the claim has too, small words at the end left out."""
    found: list[Word] = []
    for word in words:
        if word.is_content and (word.term in said or not said.isdisjoint(word.groups)):
            break
        found.append(word)
    while found and not found[-1].is_content:
        found.pop()
    return found


def _dropped_unspaced(claim: ClaimWords, unit: Unit, language: str) -> Iterator[Problem]:
    for match in _UNSPACED_LIMITS[language].finditer(unit.text):
        pairs = {a + b for a, b in pairwise(match[1]) if _HAN.match(a) and _HAN.match(b)}
        kept = sum(pair in claim.text for pair in pairs)
        if (
            pairs
            and kept * 2 <= len(pairs)
            and not any(
                mark in claim.text for mark in ("以降", "場合", "とき", "期間", "之后", "以后", "期间")
            )
        ):
            at = unit.span.start
            yield _left_out(match[1], Span(match.start(1) + at, match.end(1) + at))
            return


def _is_rule(claim: ClaimWords) -> bool:
    """Whether the claim states an amount, a duty or a right, which holds only where the source says so."""
    return any(
        (fact.is_counted and fact.kind != "date" and not fact.is_weak)
        or fact.key in _DUTY
        or fact.key in _EVERY
        or fact.key.startswith(("free:", "permit:"))
        for fact in claim.facts
    )


# --- words beside amounts --------------------------------------------------------------------------


def _dropped_beside(claim: ClaimWords, units: Sequence[Unit], matcher: Matcher) -> Iterator[Problem]:
    """An amount without the rate or the bound that the source gives with it: "12 dollars" for "12 dollars per seat"."""
    for fact in claim.facts:
        if fact.quantity is None or fact.is_weak or fact.kind == "date":
            continue
        theirs = [
            (unit, other)
            for unit in units
            for other in unit.counted
            if other.quantity is not None and not unit.is_row and matcher.same(fact, other)
        ]
        if not theirs:
            continue
        if not fact.quantity.rate and all(other.quantity and other.quantity.rate for _, other in theirs):
            unit, other = theirs[0]
            if not _names_rate(claim, other):
                yield _left_out(_with_beside(unit, other), other.span, "unit")
        elif not fact.quantity.bound and all(
            other.quantity and other.quantity.bound in _EXPLICIT and other.beside for _, other in theirs
        ):
            unit, other = theirs[0]
            beside = " ".join(_text_of(unit, span) for span in other.beside)
            if not _WITHIN.search(beside) and not _MEANS_LIMIT.search(claim.text):
                yield _left_out(_with_beside(unit, other), other.span, "comparator")


def _names_rate(claim: ClaimWords, fact: Fact) -> bool:
    rate = fact.quantity.rate if fact.quantity else ""
    if any(word.surface.startswith(rate[:4]) for word in claim.words):
        return True
    low = claim.text.casefold()
    if any(
        phrase in low
        for phrase in load_lexicon("rates")["rates"].get(rate, {}).get(tabled(claim.terms_in), ())
    ):
        return True
    return any(other.quantity is not None and other.quantity.rate == rate for other in claim.facts)


def _with_beside(unit: Unit, fact: Fact) -> str:
    spans = sorted((fact.span, *fact.beside))
    span = Span(spans[0].start, spans[-1].end)
    rate = f" per {fact.quantity.rate}" if fact.quantity and fact.quantity.rate and not fact.beside else ""
    return _text_of(unit, span) + rate


def _text_of(unit: Unit, span: Span) -> str:
    return span.shift(-unit.span.start).of(unit.text)
