"""What several passages say of a claim together, and each of them alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pincite.findings import Difference, Support
from pincite.ports import ClaimTask, Judge, Judgement

RULES = "rules"
"""The method of judgements that the rules alone have made."""

_OF_ONE_THING = frozenset({"number", "currency", "unit", "comparator", "opposite", "negation"})
_YEAR_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Judged:
    """What the passages of a task say together, with what each says alone.

    ``needed`` says of each passage whether the support vanishes without it; empty when there is no support.
    """

    judgement: Judgement
    needed: Mapping[str, bool] = field(default_factory=dict)


def judge_each_alone_too(judge: Judge, tasks: Sequence[ClaimTask]) -> tuple[Judged, ...]:
    """Judge each task, and where it has several passages each of these by itself as well.

    What a passage does for the sentence is what it says alone: a green mark must not rest on its neighbour's text.
    Where only all together support the sentence, the joint judgement says what each adds.
    """
    if not tasks:
        return ()
    single = [
        (place, replace(task, passages=(passage,)))
        for place, task in enumerate(tasks)
        if len(task.passages) > 1
        for passage in task.passages
    ]
    found = judge([*tasks, *(task for _, task in single)])
    alone: dict[int, list[Judgement]] = {}
    for (place, _), judgement in zip(single, found[len(tasks) :], strict=True):
        alone.setdefault(place, []).append(judgement)
    together = [
        _with_parts(judgement, alone[place]) if place in alone else judgement
        for place, judgement in enumerate(found[: len(tasks)])
    ]
    needed = _needed(judge, tasks, together, alone)
    return tuple(Judged(judgement, need) for judgement, need in zip(together, needed, strict=True))


def _needed(
    judge: Judge,
    tasks: Sequence[ClaimTask],
    together: Sequence[Judgement],
    alone: Mapping[int, Sequence[Judgement]],
) -> tuple[dict[str, bool], ...]:
    """Of each passage of a supported task whether the others do not support the claim.

    What each says alone decides that where another says it all, and of two. Only of three or more the others are judged
    together once more.
    """
    needed: list[dict[str, bool]] = []
    without: list[tuple[int, str, ClaimTask]] = []
    for place, (task, judgement) in enumerate(zip(tasks, together, strict=True)):
        need: dict[str, bool] = {}
        if judgement.support is Support.SUPPORTED:
            own = [one.support is Support.SUPPORTED for one in alone.get(place, ())] or [True]
            for number, passage in enumerate(task.passages):
                need[passage.id] = not any((*own[:number], *own[number + 1 :]))
                if need[passage.id] and len(task.passages) > 2:
                    others = (*task.passages[:number], *task.passages[number + 1 :])
                    without.append((place, passage.id, replace(task, passages=others)))
        needed.append(need)
    if without:
        found = judge([task for _, _, task in without])
        for (place, name, _), judgement in zip(without, found, strict=True):
            needed[place][name] = judgement.support is not Support.SUPPORTED
    return tuple(needed)


def _with_parts(joint: Judgement, alone: Sequence[Judgement]) -> Judgement:
    supported = joint.support is Support.SUPPORTED
    one_says_all = any(judgement.support is Support.SUPPORTED for judgement in alone)
    parts = tuple(
        own
        if supported and not one_says_all
        else replace(own, support=single.support, score=single.score, differences=single.differences)
        for own, single in zip(joint.passages, alone, strict=True)
    )
    if supported and one_says_all and joint.method == RULES:
        # The rules saw all passages and that what seems to differ is of another matter: the price of another plan.
        aside = Support.UNSUPPORTED
        parts = tuple(
            replace(one, support=aside) if one.support is Support.CONTRADICTED else one for one in parts
        )
        return replace(joint, passages=parts)
    against = next((one for one in alone if one.support is Support.CONTRADICTED), None)
    if supported and one_says_all and against is not None:
        # One source says it and another says otherwise: that is for the reader to see, not for us to choose.
        return replace(
            joint,
            support=against.support,
            reason=against.reason,
            differences=against.differences,
            passages=parts,
        )
    return replace(joint, passages=parts)


def is_of_one_thing(difference: Difference) -> bool:
    """Whether two sources that differ so can hardly speak of two things: another amount, not another year or name."""
    years = [
        len(side) == _YEAR_DIGITS and side.isdecimal() for side in (difference.answer, difference.source)
    ]
    return (
        difference.kind in _OF_ONE_THING and bool(difference.answer and difference.source) and not any(years)
    )
