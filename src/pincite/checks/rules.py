"""The deterministic judge: do the cited passages say what a sentence says? No model, no network."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import or_

from pincite.checks.binding import Problem, quantity_problems
from pincite.checks.contrasts import contrast_problems, settled
from pincite.checks.counterparts import counterpart_problems
from pincite.checks.duties import duty_problems
from pincite.checks.evidence import ClaimWords, Matcher, all_terms, best_units, is_closed_list, joint_units
from pincite.checks.foreign import judge_abroad
from pincite.checks.languages import function_words, is_foreign, scripts
from pincite.checks.listings import listed
from pincite.checks.names import attachment_problems, name_problems
from pincite.checks.openings import opening_end
from pincite.checks.opposites import opposite_problems
from pincite.checks.polarity import word_problems
from pincite.checks.rates import rate_problems
from pincite.checks.reading import (
    Reading,
    Unit,
    Word,
    clause_borders,
    grams,
    language_of,
    read,
    signature,
    words,
)
from pincite.checks.reasons import merged, part_reason, reason_of
from pincite.checks.rephrased import real_problems, untold_problems
from pincite.checks.rivals import differing_value
from pincite.checks.roles import role_problems
from pincite.checks.said import facts
from pincite.checks.score import FEATURES, weights
from pincite.checks.senses import sense_problems
from pincite.checks.told_rows import judgement_of_rows, told_row
from pincite.findings import Difference, Support
from pincite.judging import is_of_one_thing
from pincite.ports import ClaimTask, Judgement, Passage, PassageJudgement
from pincite.text.lexicon import TIER1, base_language
from pincite.text.light_words import light_terms
from pincite.text.sentences import split_sentences
from pincite.types import Span

FUNCTION_WORDS_TO_TELL = 3
"""Function words that passages of a language must have for it to be taken as told."""

FOREIGN_BELOW = 0.3
"""Below this coverage, words of two different languages are not compared."""

SURELY_AGAINST = 0.85
"""Share of the claim's words that a single passage must hold to contradict what the passages say together."""

COVERED_FROM, COVERED_FROM_UNTOLD = 0.7, 0.77
"""Share of a claim's words and amounts that its evidence must hold for a green mark, whatever the score. More where a change
is seen less surely: in languages without word lists, and in rows of tables."""

HIGH = 0.75
"""From here on a share counts twice."""

SMALL_TALK_WORDS = 2

HELPS_FROM = 0.2
"""Share of the claim that a passage must bear to be counted among those that back it."""

_WORST_FIRST = (
    Support.CONTRADICTED,
    Support.UNSUPPORTED,
    Support.UNCHECKED,
    Support.PARTIAL,
    Support.SUPPORTED,
)
_VERBATIM = "the source says this word for word"


def rules(tasks: Sequence[ClaimTask]) -> tuple[Judgement, ...]:
    """Judge each claim against all its passages together. Deterministic; the same input gives the same output.

    A claim that stands word for word in a passage is supported. Otherwise each of its facts and nearly all of its
    content words must be borne by the best sentences of at least one passage, and no fact may differ. Without
    passages, and for a claim without words, the result is ``unchecked``.

    >>> text = "Refunds are paid within 30 days."
    >>> [
    ...     rules([ClaimTask(claim, (Passage("c-1", text),))])[0].support.value
    ...     for claim in ("Refunds are paid within 30 days.", "Refunds are paid within 90 days.")
    ... ]
    ['supported', 'contradicted']
    """
    return tuple(_judge(task) for task in tasks)


def measure(task: ClaimTask) -> tuple[float, ...]:
    """What the score of ``task`` is made of, in the order of ``FEATURES``: the worst over its sentences."""
    readings = _readings(task)
    parts = [_Part(claim, task.passages, readings) for claim in _claims(task, readings)]
    found = [part.features() for part in parts if not part.is_small_talk or len(parts) == 1]
    found = found or [part.features() for part in parts]
    return tuple(map(min, zip(*found, strict=True))) if found else (0.0,) * len(FEATURES)


@dataclass(frozen=True, slots=True)
class _Assessment:
    """What some units say of one sentence of a claim. ``unsupported`` are spans in the claim."""

    support: Support
    score: float
    reason: str
    coverage: float
    differences: tuple[Difference, ...] = ()
    unsupported: tuple[Span, ...] = ()
    features: tuple[float, ...] = (0.0,) * len(FEATURES)

    @property
    def is_sure(self) -> bool:
        """Whether a contradiction holds against other passages that do not see one. Dates differ from event to event."""
        return self.coverage >= SURELY_AGAINST and any(map(is_of_one_thing, self.differences))


_WORD_FOR_WORD = _Assessment(Support.SUPPORTED, 1.0, _VERBATIM, 1.0)


def _judge(task: ClaimTask) -> Judgement:
    readings = _readings(task)
    parts = [_Part(claim, task.passages, readings) for claim in _claims(task, readings)]
    if not parts or not readings:
        reason = "no source to check against" if parts else "nothing to check"
        empty = tuple(PassageJudgement(p.id, Support.UNCHECKED, 0.0) for p in task.passages)
        return Judgement(Support.UNCHECKED, 0.0, reason, empty)
    rows = [told_row(task.claim, reading) for reading in readings]
    if any(rows):
        return judgement_of_rows(task.passages, rows)
    wanted = signature(task.claim) if len(parts) > 1 else ""
    verbatim = [_verbatim(wanted, reading) for reading in readings] if wanted else []
    if any(verbatim):
        judged = tuple(
            PassageJudgement(
                p.id, Support.SUPPORTED if spans else Support.UNSUPPORTED, float(bool(spans)), spans
            )
            for p, spans in zip(task.passages, verbatim, strict=True)
        )
        return Judgement(Support.SUPPORTED, 1.0, _VERBATIM, judged)
    if len(parts) > 1:
        parts = [part for part in parts if not part.is_small_talk] or parts
    worst = min((part.whole for part in parts), key=lambda one: (_WORST_FIRST.index(one.support), one.score))
    return Judgement(
        worst.support,
        min(part.whole.score for part in parts),
        worst.reason,
        tuple(_join([part.passage(n) for part in parts]) for n in range(len(readings))),
        tuple(difference for part in parts for difference in part.whole.differences),
        tuple(span for part in parts for span in part.whole.unsupported),
    )


def _join(found: Sequence[PassageJudgement]) -> PassageJudgement:
    """One passage over several sentences of a claim: what it does for the sentences that it helps."""
    helpful = [one for one in found if one.support != Support.UNSUPPORTED] or list(found)
    worst = min(helpful, key=lambda one: _WORST_FIRST.index(one.support))
    spans = tuple(sorted({span for one in helpful for span in one.spans}))
    differences = tuple(difference for one in found for difference in one.differences)
    return PassageJudgement(worst.id, worst.support, min(one.score for one in helpful), spans, differences)


def _readings(task: ClaimTask) -> list[Reading]:
    """The passages, made ready. Those that do not tell their language are taken to be in one language."""
    untold = [passage.text[:400] for passage in task.passages if not passage.language]
    sample = "\n".join(untold[:5])
    common = language_of(sample) if sample else None
    if sample and function_words(sample, common) < FUNCTION_WORDS_TO_TELL:
        # A table or a name tells no language; the claim is written in one, and most often in the same.
        own = task.language or language_of(task.claim)
        common = own if own and not scripts(task.claim).isdisjoint(scripts(sample)) else common
    return [read(passage.text, passage.language or common or "en") for passage in task.passages]


def _claims(task: ClaimTask, readings: Sequence[Reading]) -> tuple[ClaimWords, ...]:
    """The sentences of the claim that hold a word, read in the language of the passages where that can be."""
    language = task.language or language_of(task.claim)
    theirs = tuple(dict.fromkeys(reading.language for reading in readings))
    terms_in = language if language in theirs or not theirs else theirs[0]
    return _claim_words(task.claim, language, terms_in)


@lru_cache(maxsize=1024)
def _claim_words(text: str, language: str | None, terms_in: str | None) -> tuple[ClaimWords, ...]:
    made: list[ClaimWords] = []
    for span in split_sentences(text, language=language or terms_in):
        whole = span.of(text)
        span = Span(span.start + opening_end(whole, language), span.end)
        body = span.of(text)
        own = words(body, terms_in, span.start)
        if own:
            said = tuple(dict.fromkeys((signature(whole), signature(body))))
            found = facts(body, language or terms_in, span.start)
            counted = [
                span
                for fact in found
                if fact.is_counted
                for span in ((*fact.beside, fact.span) if not fact.is_weak else fact.beside)
            ]
            # "Cannot" is a negation; whether the source has that word says nothing.
            counted += [fact.span for fact in found if fact.text.casefold() == "cannot"]
            places = {place for span in counted for place in range(span.start, span.end)}
            content = tuple(
                w for w in own if w.is_content and places.isdisjoint(range(w.span.start, w.span.end))
            )
            borders = clause_borders(body, span.start)
            segments = tuple(bisect_right(borders, word.span.start) for word in own)
            made.append(ClaimWords(body, said, span, language, terms_in, own, content, found, segments))
    return tuple(made)


def _content(own: Sequence[Word], taken: Sequence[Span]) -> tuple[Word, ...]:
    """The words of ``own`` outside ``taken``."""
    places = {place for span in taken for place in range(span.start, span.end)}
    return tuple(w for w in own if places.isdisjoint(range(w.span.start, w.span.end)))


class _Part:
    """One sentence of a claim against all passages: ``whole`` together, ``passage(n)`` each."""

    def __init__(self, claim: ClaimWords, passages: Sequence[Passage], readings: Sequence[Reading]) -> None:
        self._claim, self._passages, self._readings = claim, passages, readings
        self._verbatim = [
            next((spans for said in claim.said if (spans := _verbatim(said, reading))), ())
            for reading in readings
        ]
        self._alone: list[_Assessment] = []
        if all(self._verbatim):
            self.whole = _WORD_FOR_WORD
            self._alone = [_WORD_FOR_WORD] * len(readings)
            return
        self._match()
        self._alone = [self._assess_alone(n) for n in range(len(readings))]
        if any(self._verbatim):
            self.whole = next(self._surely_against(), _WORD_FOR_WORD)
        elif self.whole.support != Support.CONTRADICTED:
            self.whole = next(self._surely_against(), self.whole)

    def _surely_against(self) -> Iterator[_Assessment]:
        """What passages say against the claim that counts beside what others say for it."""
        for n, one in enumerate(self._alone):
            if one.support == Support.CONTRADICTED and self._is_sure(n):
                yield one

    def _is_sure(self, n: int) -> bool:
        """Whether passage ``n``, which contradicts, speaks of the very matter of the claim: then it does so beside others too."""
        if not any(one.support == Support.SUPPORTED for one in self._alone):
            return self._alone[n].is_sure
        reading = self._readings[n]
        return differing_value(self._claim.text, reading.text, reading.language) is not None

    def _match(self) -> None:
        """Find the units that back the claim best, and what they say together: the costly part."""
        claim, readings = self._claim, self._readings
        self._matcher = Matcher(claim, readings)
        self._picks = [
            best_units(claim, reading, passage, self._matcher)
            for passage, reading in zip(self._passages, readings, strict=True)
        ]
        units = [unit for _, unit in joint_units(claim, self._picks, self._matcher)]
        self.whole = assess(claim, units, readings, self._matcher)

    def features(self) -> tuple[float, ...]:
        """What the score is made of. What stands there word for word has nothing against it."""
        if not any(self._verbatim):
            return self.whole.features
        self._match()
        return tuple(max(x, 0.0) for x in self.whole.features)

    @property
    def is_small_talk(self) -> bool:
        """Whether it says next to nothing: "That's great!" beside other sentences."""
        stated = [fact for fact in self._claim.facts if fact.kind not in ("modality", "quantifier")]
        return not stated and len(self._claim.content) <= SMALL_TALK_WORDS

    def _assess_alone(self, n: int) -> _Assessment:
        if self._verbatim[n]:
            return _WORD_FOR_WORD
        if len(self._readings) == 1:
            return self.whole
        return assess(self._claim, self._picks[n], self._readings[n : n + 1], self._matcher)

    def passage(self, n: int) -> PassageJudgement:
        name, alone, whole = self._passages[n].id, self._alone[n], self.whole
        if self._verbatim[n]:
            return PassageJudgement(name, Support.SUPPORTED, 1.0, self._verbatim[n])
        spans = tuple(unit.span for unit in self._picks[n])
        helps = alone.coverage >= HELPS_FROM and whole.support in (Support.SUPPORTED, Support.PARTIAL)
        if helps and _WORST_FIRST.index(alone.support) < _WORST_FIRST.index(whole.support):
            return PassageJudgement(name, whole.support, alone.coverage, spans)
        is_other_matter = whole.support == Support.SUPPORTED and alone.support == Support.CONTRADICTED
        support = Support.UNSUPPORTED if is_other_matter else alone.support
        return PassageJudgement(name, support, alone.score, spans, alone.differences)


def _verbatim(wanted: str, reading: Reading) -> tuple[Span, ...]:
    """The units that together have the signature ``wanted``: they say it word for word, and nothing else."""
    for first in range(len(reading.units)):
        left = wanted
        for last in range(first, len(reading.units)):
            said = reading.units[last].said
            if left == said:
                return tuple(one.span for one in reading.units[first : last + 1])
            if not said or not left.startswith(f"{said} "):
                break
            left = left[len(said) + 1 :]
    return ()


def assess(
    claim: ClaimWords, units: Sequence[Unit], readings: Sequence[Reading], matcher: Matcher
) -> _Assessment:
    """What ``units`` of ``readings`` say of one sentence: the verdict, and everything it rests on."""
    terms = all_terms(units)
    held = reduce(or_, map(matcher.mask, units), 0)
    coverage = matcher.share(claim.content, terms)
    problems = quantity_problems(claim, units, readings, matcher)
    problems += rate_problems(claim, readings)
    if coverage < FOREIGN_BELOW and is_foreign(claim.text, claim.language, readings):
        return _foreign(claim, readings)
    found = listed(claim, readings, matcher)
    if found is not None and (found.is_borne or _is_of_list(claim, found.spans, readings, matcher)):
        verdict = Support.SUPPORTED if found.is_borne else Support.CONTRADICTED
        return _Assessment(verdict, float(found.is_borne), found.reason, 1.0)
    opposites, turned = opposite_problems(claim, units, matcher)
    if not is_closed_list(claim, units, matcher):
        problems += name_problems(claim, units, readings, matcher)
        problems += opposites
    problems += word_problems(claim, units, matcher, turned)
    problems += attachment_problems(claim, units, matcher)
    problems += role_problems(claim, units)
    said = _texts(readings)
    problems = real_problems(problems, claim, units, said)
    problems += contrast_problems(claim, units, matcher)
    problems += untold_problems(sense_problems(claim, units, matcher), claim, units, said)
    if found is not None:
        problems.append(
            Problem(Difference("quantifier", claim.text, found.reason, claim.span), is_change=False)
        )
    if not any(problem.difference.kind in ("negation", "opposite") for problem in problems):
        problems += duty_problems(claim, units, said, matcher)
        problems += counterpart_problems(claim, units, tuple(map(said, units)), matcher)
    problems = settled(problems, claim, units)
    missing = matcher.missing(claim.content, terms)
    features = _features(claim, units, matcher, problems, missing)
    fitted = weights()
    graver = [problem for problem in problems if problem.difference.kind != "word" or problem.is_change]
    score = fitted.score(features) * (fitted.supported_from if graver else 1.0)
    spans = [word.span for word in missing]
    spans += [p.difference.answer_span for p in problems if p.difference.answer_span is not None]
    marked = merged(spans)
    differences = tuple(problem.difference for problem in problems)
    against = [problem for problem in problems if problem.is_same_subject]
    changes = against or [problem for problem in problems if problem.is_change]
    if changes:
        verdict, reason = (Support.CONTRADICTED if against else Support.UNSUPPORTED), reason_of(changes[0])
    elif matcher.cover(held) == 0.0 or score < fitted.partial_from * (
        fitted.supported_from if graver else 1.0
    ):
        verdict, reason = Support.UNSUPPORTED, "the source does not say this"
    elif (
        problems
        or score < fitted.supported_from
        or matcher.lenient_cover(held) < _covered_from(claim, units, matcher, missing)
    ):
        verdict, reason = (
            Support.PARTIAL,
            part_reason(claim, problems, missing),
        )
    else:
        return _Assessment(Support.SUPPORTED, score, "the source says this", coverage, features=features)
    return _Assessment(verdict, score, reason, coverage, differences, marked, features)


def _is_of_list(
    claim: ClaimWords, spans: Sequence[Span], readings: Sequence[Reading], matcher: Matcher
) -> bool:
    """Whether what the list says is what the claim is about, so that it may contradict."""
    units = [
        unit
        for reading in readings
        for unit in reading.units
        if any(unit.span.overlaps(span) for span in spans)
    ]
    return matcher.share(claim.content, all_terms(units)) >= SURELY_AGAINST


def _covered_from(
    claim: ClaimWords, units: Sequence[Unit], matcher: Matcher, missing: Sequence[Word]
) -> float:
    """A word of the claim that no passage has may stand for one of theirs; beyond those it adds something."""
    if base_language(claim.language) not in TIER1 or any(unit.is_row for unit in units):
        return COVERED_FROM_UNTOLD
    light = light_terms(claim.terms_in)
    fresh = sum(word.term not in light for word in missing)
    return COVERED_FROM if fresh <= matcher.spare(units) else COVERED_FROM_UNTOLD


def _texts(readings: Sequence[Reading]) -> Callable[[Unit], str]:
    """Gives the text of a unit, which is of one of ``readings``."""
    owners = {id(unit): reading for reading in readings for unit in reading.units}
    return lambda unit: unit.span.of(owners[id(unit)].text)


def _foreign(claim: ClaimWords, readings: Sequence[Reading]) -> _Assessment:
    """Claim and source in two languages: facts are compared, and the words that both languages' lists know."""
    found = judge_abroad(claim.text, claim.span.start, claim.language, claim.facts, readings)
    reason = found.reason or reason_of(Problem(found.differences[0], is_change=False))
    score = {Support.UNSUPPORTED: 0.1, Support.UNCHECKED: 0.5}.get(found.support, found.share)
    return _Assessment(
        found.support, score, reason, found.share, found.differences, merged(found.unsupported)
    )


def _features(
    claim: ClaimWords,
    units: Sequence[Unit],
    matcher: Matcher,
    problems: Sequence[Problem],
    missing: Sequence[Word],
) -> tuple[float, ...]:
    """In the order of ``FEATURES``; counts are negative and capped."""
    highest = max(matcher.weights.values(), default=1.0)
    rarest = max((matcher.weights[word.term] for word in missing), default=0.0) / highest
    wanted = grams(claim.text)
    known = frozenset[str]().union(*(unit.grams for unit in units))
    alike = sum(gram in known for gram in wanted) / len(wanted) if wanted else 1.0
    count = dict.fromkeys(("name", "negation", "opposite", "quantifier", "condition", "modality", "word"), 0)
    numbers = [0, 0]
    for problem in problems:
        if problem.difference.kind in count:
            count[problem.difference.kind] += 1
        else:
            numbers[problem.is_change] += 1
    masks = [matcher.mask(unit) for unit in units]
    best = max(map(matcher.cover, masks), default=0.0)
    return (
        matcher.cover(reduce(or_, masks, 0)),
        best,
        max(best - HIGH, 0.0),
        float(best >= 1.0),
        -rarest,
        alike,
        max(alike - HIGH, 0.0),
        -min(numbers[0], 2) / 2,
        -min(numbers[1], 2) / 2,
        *(-min(number, 2) / 2 for number in count.values()),
    )
