"""How the findings of several judges combine: one pure function."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.findings import Support
from pincite.ports import Judgement, PassageJudgement

_WORST_FIRST = (Support.CONTRADICTED, Support.UNSUPPORTED, Support.PARTIAL, Support.SUPPORTED)


def combine(rules: Judgement, others: Sequence[Judgement]) -> Judgement:
    """One judgement of what the rules and any further judges say of one claim.

    - A changed fact stays changed: ``contradicted``, and an ``unsupported`` with differences of both values, are the
      rules' to say, and no model overrules them.
    - A model decides about words: what the rules call ``unchecked``, ``partial`` or ``unsupported`` for want of words
      becomes the *worst* that the models say; ``partial`` with differences can become ``supported`` no more.
    - What the rules call ``supported`` for every word said (score 1) stays; otherwise a model may lower it.
    - A model that says ``unchecked`` says nothing.

    The passages, spans and differences stay those of the rules; score is the mean of those that count.

    >>> from pincite.findings import Support as S
    >>> rules = Judgement(S.UNCHECKED, 0.5, "another language", ())
    >>> combine(rules, [Judgement(S.SUPPORTED, 0.9, "entailed", (), method="entailment")]).support.value
    'supported'
    """
    counted = [other for other in others if other.support != Support.UNCHECKED]
    if not counted or _is_final(rules):
        return rules
    worst = min(counted, key=lambda one: (_WORST_FIRST.index(one.support), one.score))
    support = worst.support
    if rules.differences and support == Support.SUPPORTED:
        support = Support.PARTIAL
    scores = [worst.score] if rules.support == Support.UNCHECKED else [rules.score, worst.score]
    method = "+".join(dict.fromkeys((rules.method, *(one.method for one in counted))))
    return Judgement(
        support,
        sum(scores) / len(scores),
        rules.reason if support == rules.support else worst.reason,
        _passages(rules, worst, support),
        rules.differences,
        () if support == Support.SUPPORTED else rules.unsupported_words,
        method,
    )


def _is_final(rules: Judgement) -> bool:
    if rules.support == Support.CONTRADICTED or (rules.support == Support.SUPPORTED and rules.score >= 1.0):
        return True
    changed = any(difference.answer and difference.source for difference in rules.differences)
    return rules.support == Support.UNSUPPORTED and changed


def _passages(rules: Judgement, model: Judgement, support: Support) -> tuple[PassageJudgement, ...]:
    """Spans and differences of the rules with the verdict of the model, passage by passage."""
    if len(rules.passages) != len(model.passages):
        return rules.passages
    return tuple(
        PassageJudgement(
            ours.id,
            ours.support if support == rules.support else theirs.support,
            theirs.score,
            ours.spans,
            ours.differences,
        )
        for ours, theirs in zip(rules.passages, model.passages, strict=True)
    )
