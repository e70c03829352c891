"""What a sentence says beside what backs a claim: concessions, an "only" of its own clause, a clause about what is excepted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pincite.checks.evidence import ClaimWords, Matcher
from pincite.checks.reading import Unit, Word
from pincite.checks.said import Fact
from pincite.text.lexicon import tabled
from pincite.types import Span

MAX_WORDS = 200
"""Words of a sentence that is looked at so closely, for each small word in it."""

# All tables here were written for this project.
_RELATIVE = {
    "en": re.compile(r"(?:,|\s[–—(-])\s*(?:which|who|whose|where|these|those|they|it)\b", re.IGNORECASE),
    "de": re.compile(r",\s*(?:der|die|das|dem|den|deren|dessen|welche[rsmn]?|wo)\b", re.IGNORECASE),
    "es": re.compile(
        r",\s*(?:que|quien(?:es)?|cuy[oa]s?|(?:el|la|los|las) cual(?:es)?|donde)\b", re.IGNORECASE
    ),
    "fr": re.compile(r",\s*(?:qui|que|dont|laquelle|lequel|lesquel(?:le)?s|où)\b", re.IGNORECASE),
}
# Not "but": "but only managers can" takes back what stands before.
_JOINER = re.compile(r"\W*(?:(?:and|while|whereas|und|während|y|mientras|et|tandis que)\b)?\W*")
_VERBS = {
    "en": re.compile(r"\b(?:is|are|was|were|has|have|had|may|can|could|must|will|would|shall|should|does|do|did|needs?)\b"),
    "de": re.compile(r"\b(?:ist|sind|war|waren|hat|haben|darf|dürfen|kann|können|muss|müssen|wird|werden|soll|sollen|gilt|gelten)\b"),
    "es": re.compile(r"\b(?:es|son|está|están|era|eran|ha|han|puede|pueden|debe|deben|será|serán|tiene|tienen)\b"),
    "fr": re.compile(r"\b(?:est|sont|était|étaient|a|ont|peut|peuvent|doit|doivent|sera|seront|faut)\b"),
}  # fmt: skip
_LINKS = {
    "en": frozenset("to on for in at with without if when after before during by from of through via once where as within until upon under over per".split()),
    "de": frozenset("an auf für in im am bei mit ohne wenn falls nach vor während durch von vom zu zum zur ab bis über unter pro gegen".split()),
    "es": frozenset("a al en para con sin si cuando después antes durante por de del desde hasta mediante según".split()),
    "fr": frozenset("à au aux en pour avec sans si quand après avant pendant par de du des depuis jusqu dans sur sous chez lorsque".split()),
}  # fmt: skip
_BACK = frozenset(
    "so it them this that these those they its their there er sie es ihn ihm dies dieser diese dieses dort ello esto eso ellos ellas lo la los las "
    "il elle ils elles le les cela ceci y".split()
)
"""Words by which a clause speaks of what the sentence spoke of before."""


def is_only_of_own_clause(claim: ClaimWords, unit: Unit, fact: Fact) -> bool:
    """Whether an "only" limits another matter: "open on Saturdays; only the café is closed".

    It opens a clause that has a subject and a verb of its own, names nothing of the claim as its subject, and does not point back.
    """
    language = tabled(claim.terms_in)
    if language not in _VERBS or len(unit.own) > MAX_WORDS:
        return False
    # The nearest border before the word, and the first one behind it, in the text of the unit.
    at, end = fact.span.start - unit.span.start, fact.span.end - unit.span.start
    cuts = [border - unit.span.start for border in unit.borders]
    begin = max((cut for cut in cuts if cut <= at), default=0)
    stop = min((cut for cut in cuts if cut > end), default=len(unit.text))
    if begin == 0 or not _JOINER.fullmatch(unit.text, begin, at):
        return False
    inside = [word for word in unit.own if end <= word.span.start - unit.span.start < stop]
    content = [word for word in inside if word.is_content]
    if (
        len(content) < 2
        or inside[-1].surface in _LINKS[language]
        or not _VERBS[language].search(unit.text[end:stop].casefold())
    ):
        return False
    articles = {"en": ("the",), "fr": ("le", "la", "les"), "es": ("la", "los", "las", "el")}.get(language, ())
    pointing = [w for w in inside[1:] if w.surface in _BACK and w.surface not in articles]
    if inside[0].surface in _LINKS[language] or inside[0].surface in _BACK - set(articles) or pointing:
        return False
    said = {term for word in claim.content for term in (word.term, *word.groups)}
    return said.isdisjoint((content[0].term, *content[0].groups))


class Excepted:
    """An exception with a clause of its own: "…, except for the API, which is switched off". ``named`` and ``told`` are the words of
    the two, ``rest`` those of the sentence before."""

    def __init__(self, unit: Unit, fact: Fact, relative: Span) -> None:
        start = unit.span.start
        self._fact, self._unit = fact, unit
        self._from = relative.start + start
        self.rest = _terms([word for word in unit.own if word.span.end <= fact.span.start])
        self.named = _terms(
            [word for word in unit.own if fact.span.end <= word.span.start < relative.start + start]
        )
        self.told = _terms([word for word in unit.own if word.span.start >= relative.end + start])

    def bears(self, claim: ClaimWords, matcher: Matcher) -> bool:
        """Whether all that the sentence has of the claim is what the clause says of the excepted thing."""
        held = [word for word in claim.content if matcher.holds(word.term, self._unit.terms)]
        known = self.named | self.told
        amounts = [
            other
            for fact in claim.facts
            if fact.is_counted
            for other in self._unit.counted
            if matcher.same(fact, other)
        ]
        return (
            any(matcher.holds(word.term, self.named) for word in held)
            and any(matcher.holds(word.term, self.told) for word in held)
            and all(matcher.holds(word.term, known) for word in held)
            and all(other.span.start >= self._from for other in amounts)
        )

    def is_taken_for_rest(self, claim: ClaimWords, matcher: Matcher) -> bool:
        """Whether the claim says of what stands before the exception what the clause says of the excepted thing alone."""
        held = [word for word in claim.content if matcher.holds(word.term, self._unit.terms)]

        def only_in(one: frozenset[str], *others: frozenset[str]) -> bool:
            return any(
                matcher.holds(word.term, one) and not any(matcher.holds(word.term, other) for other in others)
                for word in held
            )

        return (
            not any(matcher.holds(word.term, self.named) for word in held)
            and only_in(self.told, self.rest)
            and only_in(self.rest, self.told)
        )


def excepted(claim: ClaimWords, unit: Unit, fact: Fact) -> Excepted | None:
    """The clause that says more of what ``fact``, an "except" of ``unit``, takes out; ``None`` without one."""
    pattern = _RELATIVE.get(tabled(claim.terms_in))
    if pattern is None or unit.is_row or len(unit.own) > MAX_WORDS:
        return None
    found = pattern.search(unit.text, fact.span.end - unit.span.start)
    return Excepted(unit, fact, Span(*found.span())) if found else None


def _terms(words: Sequence[Word]) -> frozenset[str]:
    return frozenset(term for word in words for term in (word.term, *word.groups))
