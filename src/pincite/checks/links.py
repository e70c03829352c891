"""Words that join: "because" is not "before", "outside the EU" is not "in the EU", "A or B" is not "A and B"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from pincite.checks.binding import Problem
from pincite.checks.evidence import ClaimWords, Matcher
from pincite.checks.reading import Unit, Word
from pincite.checks.said import Fact
from pincite.findings import Difference
from pincite.text.lexicon import tabled
from pincite.types import Span

REACH = 5
"""Words behind a joining word in which the one that it joins is looked for."""

MAX_WORDS = 300
"""Longer sentences are not searched for joining words."""

# Written for this project: sort of joining word -> words and phrases, folded. What they join follows; in Hindi it stands before.
_WORDS: dict[str, dict[str, str]] = {
    "en": {
        "cause": "because|due to|owing to|as a result of|on account of",
        "before": "before|prior to|ahead of",
        "after": "after|as soon as",
        "though": "although|though|despite|in spite of|notwithstanding|regardless of",
        "until": "until|till",
        "while": "while|during|throughout",
        "if": "if|in case|provided that|in the event of",
        "out": "outside|outside of|beyond|out of",
        "in": "in|inside|within|at",
        "with": "with",
        "without": "without",
    },
    "de": {
        "cause": "weil|wegen|aufgrund|infolge",
        "before": "bevor|vor|ehe",
        "after": "nachdem|nach|sobald",
        "though": "obwohl|trotz|obgleich|ungeachtet",
        "until": "bis",
        "while": "während",
        "if": "falls|wenn|sofern",
        "out": "außerhalb|jenseits",
        "in": "in|im|innerhalb|ins",
        "with": "mit|samt",
        "without": "ohne",
    },
    "es": {
        "cause": "porque|debido a|debido al|a causa de|a causa del|por culpa de",
        "before": "antes de|antes del|antes de que",
        "after": "después de|después del|después de que|tras",
        "though": "aunque|a pesar de|pese a",
        "until": "hasta que",
        "while": "mientras|durante",
        "if": "si|en caso de",
        "out": "fuera de|fuera del",
        "in": "en|dentro de|dentro del",
        "with": "con",
        "without": "sin",
    },
    "fr": {
        "cause": "parce|car|à cause de|à cause du|en raison de|en raison du|en raison des",
        "before": "avant|avant que|avant de",
        "after": "après|après que|dès",
        "though": "bien que|malgré|quoique|en dépit de",
        "until": "jusqu",
        "while": "pendant|durant|tandis",
        "if": "si|en cas de",
        "out": "hors|hors de|en dehors de|en dehors du|à l extérieur de|à l extérieur du",
        "in": "dans|en|à l intérieur de|à l intérieur du|au sein de",
        "with": "avec",
        "without": "sans",
    },
    "ar": {
        "cause": "لأن|بسبب|نتيجة",
        "before": "قبل",
        "after": "بعد",
        "though": "رغم|بالرغم من|على الرغم من",
        "until": "حتى",
        "while": "أثناء|خلال",
        "if": "إذا",
        "out": "خارج",
        "in": "في|داخل",
        "with": "مع",
        "without": "بدون|دون|بلا",
    },
    "hi": {
        "cause": "के कारण|की वजह से|के चलते",
        "before": "से पहले|के पहले",
        "after": "के बाद|के पश्चात",
        "though": "के बावजूद",
        "until": "तक",
        "while": "के दौरान",
        "out": "के बाहर|से बाहर",
        "in": "में|के अंदर|के भीतर",
        "with": "के साथ",
        "without": "के बिना",
    },
}  # fmt: skip
_STANDS_BEHIND = frozenset({"hi"})
# The same in scripts without blanks; (True) what it joins stands before it.
_SIGNS: dict[str, tuple[tuple[str, bool, str], ...]] = {
    "ja": (
        ("cause", True, "ために|ため、|ため(?=会|、)|ので|せいで|おかげで|によって|により"),
        ("before", True, "する前に|の前に|前に|前は|する前"),
        ("after", True, "した後|の後に|後に|てから|た後|以降"),
        ("though", True, "にもかかわらず|けれども|ものの"),
        ("until", True, "するまで|まで(?=は|、|に)"),
        ("out", True, "域外|外の|の外|以外"),
        ("in", True, "域内|内の|の中|以内"),
        ("without", True, "なしで|抜きで"),
        ("with", True, "付きで|つきで|とともに"),
    ),
    "zh": (
        ("cause", False, "因为|由于"),
        ("before", True, "之前|以前|前(?=，|必|应|需|不|可)"),
        ("after", True, "之后|以后|后(?=，|必|应|需|不|可)"),
        ("though", False, "虽然|尽管"),
        ("until", False, "直到"),
        ("out", True, "以外|之外|境外|外的"),
        ("in", True, "以内|之内|境内|内的"),
        ("without", False, "没有|未带"),
        ("with", False, "带有|带着"),
    ),
}
_UNSPACED_REACH = 6

CLASH: dict[str, frozenset[str]] = {
    "cause": frozenset({"before", "after", "though", "until", "while", "if"}),
    "before": frozenset({"after", "cause", "until", "while", "though"}),
    "after": frozenset({"before", "cause", "until", "while", "though"}),
    "though": frozenset({"cause", "if", "before", "after"}),
    "until": frozenset({"after", "before", "cause"}),
    "while": frozenset({"before", "after", "cause"}),
    "if": frozenset({"cause", "though"}),
    "in": frozenset({"out"}),
    "out": frozenset({"in"}),
    "with": frozenset({"without"}),
    "without": frozenset({"with"}),
}
"""What each sort cannot stand for."""

# Words that join two things of one sort: both, or one of them.
_BOTH = frozenset("and und y e et و और तथा एवं sowie & plus".split())
_ONE_OF = frozenset("or oder o u ou أو او या nor".split())
_SIGN_BOTH = re.compile("と|および|及び|并且|和|与|及|以及")
_SIGN_ONE_OF = re.compile("または|又は|もしくは|或者|或")
_UNSPACED = ("ja", "zh")


@dataclass(frozen=True, slots=True)
class Link:
    """A joining word of a sort, with the terms of what it joins."""

    sort: str
    text: str
    span: Span
    anchors: frozenset[str]


def link_problems(claim: ClaimWords, units: Sequence[Unit], matcher: Matcher) -> list[Problem]:
    """Things that the claim joins in another way than the sentences that back it, in order."""
    language = tabled(claim.terms_in)
    if len(claim.words) > MAX_WORDS:
        return []
    problems: list[Problem] = []
    known = {word.term for word in claim.content}
    theirs = [(unit, link) for unit in units for link in _links_of(unit, language)]
    for link in _links(claim.text, claim.words, claim.span.start, language):
        near = [(unit, other) for unit, other in theirs if _is_shared(link, other, known, matcher)]
        if any(other.sort == link.sort for _, other in near):
            continue
        against = next((pair for pair in near if pair[1].sort in CLASH[link.sort]), None)
        if against is not None:
            other = against[1]
            difference = Difference("word", link.text, other.text, link.span, other.span)
            problems.append(Problem(difference, is_change=True))
    return problems + _joined_otherwise(claim, units)


def _is_shared(link: Link, other: Link, known: set[str], matcher: Matcher) -> bool:
    """Whether both join the same: ``known`` are the terms that ``matcher`` knows forms of."""
    return any(
        term in other.anchors or (term in known and matcher.holds(term, other.anchors))
        for term in link.anchors
    )


@lru_cache(maxsize=8192)
def _links_of(unit: Unit, language: str | None) -> tuple[Link, ...]:
    if len(unit.own) > MAX_WORDS or unit.is_row:
        return ()
    return tuple(_links(unit.text, unit.own, unit.span.start, language))


def _links(text: str, words: Sequence[Word], shift: int, language: str | None) -> Iterator[Link]:
    if language in _SIGNS:
        yield from _unspaced_links(text, shift, language)
        return
    table = _phrases(language or "en")
    surfaces = [word.surface for word in words]
    taken = -1
    for n, surface in enumerate(surfaces):
        if n <= taken:
            continue
        for parts, sort in table.get(surface, ()):
            if tuple(surfaces[n : n + len(parts)]) == parts:
                last = n + len(parts) - 1
                around = (
                    reversed(words[max(0, n - REACH) : n])
                    if language in _STANDS_BEHIND
                    else words[last + 1 : last + 1 + REACH]
                )
                anchor = next((word for word in around if word.is_content), None)
                if anchor is not None:
                    span = Span(words[n].span.start, words[last].span.end)
                    terms = frozenset((anchor.term, *anchor.groups))
                    yield Link(sort, span.shift(-shift).of(text), span, terms)
                taken = last
                break


@lru_cache(maxsize=16)
def _phrases(language: str) -> dict[str, tuple[tuple[tuple[str, ...], str], ...]]:
    """First word -> the phrases that begin with it and their sort, the longest first."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for sort, phrases in _WORDS.get(language, {}).items():
        for phrase in phrases.split("|"):
            parts = tuple(phrase.split())
            found.setdefault(parts[0], []).append((parts, sort))
    return {first: tuple(sorted(some, key=lambda one: -len(one[0]))) for first, some in found.items()}


@lru_cache(maxsize=4)
def _patterns(language: str) -> tuple[tuple[str, bool, re.Pattern[str]], ...]:
    return tuple((sort, before, re.compile(body)) for sort, before, body in _SIGNS[language])


_LOADED_PAIR = re.compile("(?=([\u3400-\u9fff\u30a1-\u30faA-Za-z0-9]{2}))")


def _unspaced_links(text: str, shift: int, language: str) -> Iterator[Link]:
    for sort, before, pattern in _patterns(language):
        for match in pattern.finditer(text):
            start, end = match.span()
            part = (
                text[max(0, start - _UNSPACED_REACH) : start] if before else text[end : end + _UNSPACED_REACH]
            )
            anchors = frozenset(_LOADED_PAIR.findall(part.casefold()))
            if anchors:
                yield Link(sort, match.group(), Span(start + shift, end + shift), anchors)


# --- "and" and "or" --------------------------------------------------------------------------------


def _joined_otherwise(claim: ClaimWords, units: Sequence[Unit]) -> list[Problem]:
    if _is_free(claim.facts):
        return []
    problems: list[Problem] = []
    ours = _pairs(claim.text, claim.words, claim.span.start, tabled(claim.terms_in))
    for unit in units:
        if not ours or len(unit.own) > MAX_WORDS or _is_free(unit.facts):
            continue
        theirs = _pairs(unit.text, unit.own, unit.span.start, tabled(claim.terms_in))
        for things, (is_both, span) in ours.items():
            other = theirs.get(things)
            if other is not None and other[0] != is_both:
                answer, source = (
                    span.shift(-claim.span.start).of(claim.text),
                    other[1].shift(-unit.span.start),
                )
                difference = Difference("word", answer, source.of(unit.text), span, other[1])
                problems.append(Problem(difference, is_change=False))
    return problems


def _is_free(facts: Sequence[Fact]) -> bool:
    """Whether "and" and "or" say the same: under a negation, and where one may choose."""
    return any(fact.kind == "negation" or fact.key in ("may", "might") for fact in facts)


def _pairs(
    text: str, words: Sequence[Word], shift: int, language: str | None
) -> dict[frozenset[str], tuple[bool, Span]]:
    """The things that "and" or "or" joins -> whether both are meant, and where the word stands."""
    if language in _UNSPACED:
        return dict(_unspaced_pairs(text, shift))
    found: dict[frozenset[str], tuple[bool, Span]] = {}
    content = [n for n, word in enumerate(words) if word.is_content]
    for left, right in pairwise(content):
        for word in words[left + 1 : right]:
            if word.surface in _BOTH or word.surface in _ONE_OF:
                things = frozenset((words[left].term, words[right].term))
                if len(things) == 2:
                    found[things] = (word.surface in _BOTH, word.span)
    return found


def _unspaced_pairs(text: str, shift: int) -> Iterator[tuple[frozenset[str], tuple[bool, Span]]]:
    for pattern, is_both in ((_SIGN_BOTH, True), (_SIGN_ONE_OF, False)):
        for match in pattern.finditer(text):
            left, right = text[max(0, match.start() - 2) : match.start()], text[match.end() : match.end() + 2]
            if len(left) == len(right) == 2 and (left + right).isalnum() and left != right:
                yield frozenset((left, right)), (is_both, Span(match.start() + shift, match.end() + shift))
