"""The deterministic judge: do the cited passages say what a sentence says? No model, no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from pincite.checks._standin import Fact, facts, split_sentences
from pincite.checks.polarity import CUE_KINDS, Problem, compare, cues
from pincite.checks.reading import (
    Reading,
    Unit,
    Word,
    grams as _grams,
    clause_borders,
    read,
    signature,
    words,
)
from pincite.text.words import detect_language
from pincite.checks.score import FEATURES
from pincite.checks.score import weights as weights_of_score
from pincite.ports import ClaimTask, Judgement, Passage, PassageJudgement
from pincite.types import Difference, Span, Support

SAME_SUBJECT = 0.6
"""Share of a claim's other content words that a sentence must hold before a differing fact in it contradicts."""

FOREIGN_BELOW = 0.3
"""Below this coverage, words of two different languages are not compared."""

HELPS_FROM = 0.2
"""Share of the claim that a passage must bear to be counted among those that back it."""

_WORST_FIRST = (
    Support.CONTRADICTED,
    Support.UNSUPPORTED,
    Support.UNCHECKED,
    Support.PARTIAL,
    Support.SUPPORTED,
)


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


@dataclass(frozen=True, slots=True)
class _Claim:
    text: str
    span: Span
    language: str | None
    words: tuple[Word, ...]
    content: tuple[Word, ...]
    facts: tuple[Fact, ...]
    segments: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Pick:
    """A unit of passage ``passage`` that backs the claim, with the content terms of the claim it holds."""

    passage: int
    unit: Unit
    share: float


@dataclass(frozen=True, slots=True)
class _Part:
    """What was found for one sentence of the claim."""

    support: Support
    score: float
    reason: str
    passages: tuple[PassageJudgement, ...]
    differences: tuple[Difference, ...]
    unsupported: tuple[Span, ...]


def _judge(task: ClaimTask) -> Judgement:
    readings = _readings(task)
    parts = [_part(claim, task.passages, readings) for claim in _claims(task, readings)]
    if not parts or not readings:
        reason = "no source to check against" if parts else "nothing to check"
        empty = tuple(PassageJudgement(p.id, Support.UNCHECKED, 0.0) for p in task.passages)
        return Judgement(Support.UNCHECKED, 0.0, reason, empty)
    worst = min(parts, key=lambda part: (_WORST_FIRST.index(part.support), part.score))
    return Judgement(
        worst.support,
        min(part.score for part in parts),
        worst.reason,
        tuple(_join([part.passages[n] for part in parts]) for n in range(len(readings))),
        tuple(difference for part in parts for difference in part.differences),
        tuple(span for part in parts for span in part.unsupported),
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
    common = (detect_language("\n".join(untold[:5])) if untold else None) or "en"
    return [read(passage.text, passage.language or common) for passage in task.passages]


def _claims(task: ClaimTask, readings: Sequence[Reading]) -> list[_Claim]:
    """The sentences of the claim that hold a word, read in the language of the passages where that can be."""
    language = task.language or detect_language(task.claim)
    theirs = tuple(dict.fromkeys(reading.language for reading in readings))
    terms_in = language if language in theirs or not theirs else theirs[0]
    made: list[_Claim] = []
    for span in split_sentences(task.claim):
        body = span.of(task.claim)
        own = words(body, terms_in, span.start)
        if own:
            found = facts(body, language or terms_in, span.start)
            counted = [fact.span for fact in found if fact.kind in ("number", "date")]
            content = tuple(w for w in own if w.is_content and not any(w.span.overlaps(s) for s in counted))
            borders = clause_borders(body, span.start)
            segments = tuple(sum(border <= word.span.start for border in borders) for word in own)
            made.append(_Claim(body, span, language, own, content, found, segments))
    return made


def _part(claim: _Claim, passages: Sequence[Passage], readings: Sequence[Reading]) -> _Part:
    verbatim = [_verbatim(claim, reading) for reading in readings]
    weights = _weights(claim, readings)
    picks = [
        _best(claim, reading, passage, weights) for passage, reading in zip(passages, readings, strict=True)
    ]
    if any(verbatim):
        judged = tuple(
            PassageJudgement(p.id, Support.SUPPORTED, 1.0, spans)
            if spans
            else _alone(claim, p, reading, pick, weights)
            for p, reading, spans, pick in zip(passages, readings, verbatim, picks, strict=True)
        )
        return _Part(Support.SUPPORTED, 1.0, "the source says this word for word", judged, (), ())
    chosen = [(n, unit) for n, units in enumerate(picks) for unit in units]
    whole = _assess(claim, chosen, readings, weights)
    judged = tuple(
        _contribution(claim, n, p, reading, picks[n], whole, weights)
        for n, (p, reading) in enumerate(zip(passages, readings, strict=True))
    )
    return _Part(whole.support, whole.score, whole.reason, judged, whole.differences, whole.unsupported)


@dataclass(frozen=True, slots=True)
class _Assessment:
    support: Support
    score: float
    reason: str
    coverage: float
    differences: tuple[Difference, ...]
    unsupported: tuple[Span, ...]
    features: tuple[float, ...] = (0.0,) * len(FEATURES)


def _features(
    claim: _Claim,
    chosen: Sequence[tuple[int, Unit]],
    weights: Mapping[str, float],
    problems: Sequence[Problem],
    missing: Sequence[Word],
    shares: tuple[float, float, float],
) -> tuple[float, ...]:
    """In the order of ``FEATURES``; counts are negative and capped."""
    rarest = max((weights[word.term] for word in missing), default=0.0) / max(weights.values(), default=1.0)
    grams = _grams(claim.text)
    seen = [unit.grams for _, unit in chosen]
    held = sum(any(gram in one for one in seen) for gram in grams)
    pairs = tuple(zip(claim.words, claim.words[1:], strict=False))
    joined = sum(any((a.term, b.term) in unit.pairs for _, unit in chosen) for a, b in pairs)
    count = {kind: 0 for kind in ("negation", "opposite", "quantifier", "condition", "modality", "name")}
    numbers = [0, 0]
    for problem in problems:
        kind = problem.difference.kind
        if kind in count:
            count[kind] += 1
        else:
            numbers[problem.is_change] += 1
    return (
        *shares,
        -rarest,
        held / len(grams) if grams else 1.0,
        joined / len(pairs) if pairs else 1.0,
        -min(numbers[0], 2) / 2,
        -min(numbers[1], 2) / 2,
        *(
            -min(count[kind], 2) / 2
            for kind in ("name", "negation", "opposite", "quantifier", "condition", "modality")
        ),
    )


def measure(task: ClaimTask) -> tuple[float, ...]:
    """What the score of ``task`` is made of, in the order of ``FEATURES``: the worst over its sentences."""
    readings = _readings(task)
    found: list[tuple[float, ...]] = []
    for claim in _claims(task, readings):
        weights = _weights(claim, readings)
        picks = [
            _best(claim, reading, passage, weights)
            for passage, reading in zip(task.passages, readings, strict=True)
        ]
        found.append(
            _assess(
                claim, [(n, u) for n, units in enumerate(picks) for u in units], readings, weights
            ).features
        )
    return tuple(map(min, zip(*found, strict=True))) if found else (0.0,) * len(FEATURES)


def _assess(
    claim: _Claim,
    chosen: Sequence[tuple[int, Unit]],
    readings: Sequence[Reading],
    weights: Mapping[str, float],
) -> _Assessment:
    terms = frozenset().union(*(unit.terms for _, unit in chosen)) if chosen else frozenset[str]()
    missing = tuple(word for word in claim.content if not holds(word.term, terms))
    total = sum(weights[word.term] for word in claim.content)
    coverage = 1.0 - sum(weights[word.term] for word in missing) / total if total else 1.0
    languages = {reading.language for reading in readings if reading.language}
    foreign = (
        bool(claim.language and languages) and claim.language not in languages and coverage < FOREIGN_BELOW
    )
    problems = list(_fact_problems(claim, readings, chosen, weights))
    unsupported = [word.span for word in missing]
    unsupported += [p.difference.answer_span for p in problems if p.difference.answer_span is not None]
    differences = tuple(problem.difference for problem in problems)
    if foreign:
        changed = [p for p in problems if p.difference.kind in ("number", "date", "unit", "currency")]
        if changed:
            spans = tuple(p.difference.answer_span for p in changed if p.difference.answer_span)
            found = tuple(p.difference for p in changed)
            return _Assessment(Support.UNSUPPORTED, 0.1, _reason(changed), coverage, found, spans)
        return _Assessment(Support.UNCHECKED, 0.5, "the source is in another language", coverage, (), ())
    if not foreign:
        problems += _word_problems(claim, chosen)
        differences = tuple(problem.difference for problem in problems)
        unsupported = [word.span for word in missing]
        unsupported += [p.difference.answer_span for p in problems if p.difference.answer_span is not None]
    marked = tuple(sorted(set(unsupported)))
    best = max((_share(claim, unit.terms, weights) for _, unit in chosen), default=0.0)
    changes = [problem for problem in problems if problem.is_change]
    fitted = weights_of_score()
    whole = _share(claim, frozenset().union(*(reading.terms for reading in readings)), weights)
    features = _features(claim, chosen, weights, problems, missing, (coverage, best, whole))
    score = fitted.score(features)
    if problems:
        score *= fitted.supported_from
    if changes:
        against = best >= SAME_SUBJECT and any(problem.difference.source for problem in changes)
        verdict = Support.CONTRADICTED if against else Support.UNSUPPORTED
        return _Assessment(verdict, score, _reason(changes), coverage, differences, marked, features)
    if score < fitted.partial_from:
        return _Assessment(
            Support.UNSUPPORTED,
            score,
            "the source does not say this",
            coverage,
            differences,
            marked,
            features,
        )
    if problems or score < fitted.supported_from:
        reason = _reason(problems) if problems else _missing_reason(claim, missing)
        return _Assessment(Support.PARTIAL, score, reason, coverage, differences, marked, features)
    return _Assessment(Support.SUPPORTED, score, "the source says this", coverage, (), (), features)


def _contribution(
    claim: _Claim,
    n: int,
    passage: Passage,
    reading: Reading,
    units: Sequence[Unit],
    whole: _Assessment,
    weights: Mapping[str, float],
) -> PassageJudgement:
    alone = _assess(claim, [(n, unit) for unit in units], [reading], weights)
    spans = tuple(unit.span for unit in units)
    helps = alone.coverage >= HELPS_FROM and whole.support in (Support.SUPPORTED, Support.PARTIAL)
    if helps and _WORST_FIRST.index(alone.support) < _WORST_FIRST.index(whole.support):
        return PassageJudgement(passage.id, whole.support, alone.coverage, spans)
    return PassageJudgement(passage.id, alone.support, alone.score, spans, alone.differences)


def _alone(
    claim: _Claim, passage: Passage, reading: Reading, units: Sequence[Unit], weights: Mapping[str, float]
) -> PassageJudgement:
    alone = _assess(claim, [(0, unit) for unit in units], [reading], weights)
    return PassageJudgement(
        passage.id, alone.support, alone.score, tuple(u.span for u in units), alone.differences
    )


# --- words --------------------------------------------------------------------------------------


def _verbatim(claim: _Claim, reading: Reading) -> tuple[Span, ...]:
    """The units that say the claim word for word, none left out."""
    wanted = signature(claim.text)
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


def _weights(claim: _Claim, readings: Sequence[Reading]) -> Mapping[str, float]:
    units = [unit for reading in readings for unit in reading.units]
    weights: dict[str, float] = {}
    for word in claim.content:
        if word.term not in weights:
            frequency = sum(word.term in unit.terms for unit in units)
            weights[word.term] = 1.0 + log((len(units) + 1) / (max(frequency, 1) + 0.5))
    return weights


def holds(term: str, terms: frozenset[str]) -> bool:
    """Whether ``term`` is among ``terms``."""
    return term in terms


def _share(claim: _Claim, terms: frozenset[str], weights: Mapping[str, float]) -> float:
    total = sum(weights[word.term] for word in claim.content)
    held = sum(weights[word.term] for word in claim.content if holds(word.term, terms))
    return held / total if total else 1.0


def _best(
    claim: _Claim, reading: Reading, passage: Passage, weights: Mapping[str, float]
) -> tuple[Unit, ...]:
    """The unit that covers the claim best, and the one that adds most to it; earlier ones win ties."""
    if not reading.units:
        return ()
    wanted = {fact.key for fact in claim.facts if fact.kind not in CUE_KINDS}

    def rank(unit: Unit) -> tuple[float, int, int]:
        agreed = sum(fact.key in wanted for fact in unit.facts)
        focused = any(span.overlaps(unit.span) for span in passage.focus)
        return (
            _share(claim, unit.terms, weights) + 0.1 * agreed + 0.05 * focused,
            -len(unit.own),
            -unit.span.start,
        )

    first = max(reading.units, key=rank)
    left = [word for word in claim.content if not holds(word.term, first.terms)]

    def gain(unit: Unit) -> tuple[float, int]:
        new = sum(weights[word.term] for word in left if holds(word.term, unit.terms))
        facts_new = sum(f.key in wanted and all(f.key != g.key for g in first.facts) for f in unit.facts)
        return (new + facts_new, -unit.span.start)

    second = max((unit for unit in reading.units if unit is not first), key=gain, default=None)
    if second is None or gain(second)[0] <= 0:
        return (first,)
    return tuple(sorted((first, second), key=lambda unit: unit.span))


# --- facts --------------------------------------------------------------------------------------


def _fact_problems(
    claim: _Claim,
    readings: Sequence[Reading],
    chosen: Sequence[tuple[int, Unit]],
    weights: Mapping[str, float],
) -> list[Problem]:
    problems: list[Problem] = []
    units = [unit for reading in readings for unit in reading.units]
    for fact in claim.facts:
        if fact.kind not in ("number", "date"):
            continue
        equal = [(u, f) for u in units for f in u.facts if f.key == fact.key and f.group == fact.group]
        rivals = [(u, f) for _, u in chosen for f in u.facts if f.group == fact.group and f.key != fact.key]
        bound = max((_bond(claim, fact, u, f, weights) for u, f in equal), default=None)
        against = max(rivals, key=lambda pair: _bond(claim, fact, pair[0], pair[1], weights), default=None)
        strength = _bond(claim, fact, against[0], against[1], weights) if against else 0.0
        if bound is not None and bound >= min(strength, 0.95) and (bound > 0 or not claim.content):
            continue
        source = against[1] if against is not None and strength > 0 else None
        problems.append(
            Problem(
                Difference(
                    fact.kind,
                    fact.text,
                    source.text if source else "",
                    fact.span,
                    source.span if source else None,
                ),
                is_change=source is not None or bound is not None,
            )
        )
    return problems


def _bond(claim: _Claim, fact: Fact, unit: Unit, found: Fact, weights: Mapping[str, float]) -> float:
    """How well the words round ``found`` in ``unit`` are those of the claim, in 0-1."""
    share = _share(claim, unit.terms, weights)
    rivals = [other for other in unit.facts if other.group == found.group and other.key != found.key]
    if not rivals:
        return share
    return share * _local(claim, unit, found, rivals)


def _local(claim: _Claim, unit: Unit, found: Fact, rivals: Sequence[Fact]) -> float:
    """1.0, or less when words of the claim stand with a rival and other words with the found fact."""
    wanted = {word.term for word in claim.content}
    mine = _around(unit, found, rivals)
    foreign = {term for term in mine if term not in wanted}
    if not foreign:
        return 1.0
    held = {term for term in mine if term in wanted}
    for rival in rivals:
        theirs = _around(unit, rival, [found, *(other for other in rivals if other is not rival)])
        if any(term in wanted and term not in held for term in theirs):
            return 0.2
    return 1.0


def _around(unit: Unit, fact: Fact, others: Sequence[Fact]) -> dict[str, None]:
    """Content terms of the clause or cell of ``fact``, in order."""
    segment = unit.segment(fact.span.start)
    spans = [fact.span, *(other.span for other in others)]
    return {
        word.term: None
        for word, of in zip(unit.words, unit.segments, strict=True)
        if of == segment and word.is_content and not any(word.span.overlaps(span) for span in spans)
    }


def _word_problems(claim: _Claim, chosen: Sequence[tuple[int, Unit]]) -> list[Problem]:
    ours = cues(claim.facts, claim.words, claim.segments)
    theirs = [cue for _, unit in chosen for cue in cues(unit.facts, unit.words, unit.segments)]
    return list(
        compare(
            claim.facts,
            ours,
            [fact for _, unit in chosen for fact in unit.facts],
            theirs,
            claim_terms=frozenset(word.term for word in claim.content),
            source_terms=frozenset().union(*(unit.terms for _, unit in chosen)) if chosen else frozenset(),
        )
    )


# --- reasons ------------------------------------------------------------------------------------

_KINDS = {
    "number": "number differs",
    "date": "date differs",
    "unit": "unit differs",
    "currency": "currency differs",
    "negation": "negation differs",
    "comparator": "limit differs",
    "quantifier": "extent differs",
    "modality": "certainty differs",
    "condition": "condition differs",
    "opposite": "opposite",
    "name": "name differs",
    "word": "word differs",
}


def _reason(problems: Sequence[Problem]) -> str:
    """The first problem in plain words."""
    one = problems[0].difference
    if not one.source:
        return f"not in the source: {one.answer}"
    if not one.answer:
        return f"the source says “{one.source}”, the answer leaves it out"
    return f"{_KINDS[one.kind]}: answer {one.answer}, source {one.source}"


def _missing_reason(claim: _Claim, missing: Sequence[Word]) -> str:
    shown = ", ".join(
        dict.fromkeys(word.span.shift(-claim.span.start).of(claim.text) for word in missing[:5])
    )
    return f"not in the source: {shown}"
