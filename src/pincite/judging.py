"""What several passages say of a claim together, and each of them alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pincite.ports import ClaimTask, Judge, Judgement
from pincite.types import Support


def judge_each_alone_too(judge: Judge, tasks: Sequence[ClaimTask]) -> tuple[Judgement, ...]:
    """Judge each task, and where it has several passages each of these by itself as well.

    What a passage does for the sentence is what it says alone: a green mark must not rest on its neighbour's text.
    Where only all together support the sentence, the joint judgement says what each adds.
    """
    single = [
        (place, replace(task, passages=(passage,)))
        for place, task in enumerate(tasks)
        if len(task.passages) > 1
        for passage in task.passages
    ]
    if not tasks:
        return ()
    found = judge([*tasks, *(task for _, task in single)])
    alone: dict[int, list[Judgement]] = {}
    for (place, _), judgement in zip(single, found[len(tasks) :], strict=True):
        alone.setdefault(place, []).append(judgement)
    return tuple(
        _with_parts(judgement, alone[place]) if place in alone else judgement
        for place, judgement in enumerate(found[: len(tasks)])
    )


def _with_parts(joint: Judgement, alone: Sequence[Judgement]) -> Judgement:
    one_says_all = any(judgement.support is Support.SUPPORTED for judgement in alone)
    parts = tuple(
        own
        if joint.support is Support.SUPPORTED and not one_says_all
        else replace(own, support=single.support, score=single.score, differences=single.differences)
        for own, single in zip(joint.passages, alone, strict=True)
    )
    against = next((one for one in alone if one.support is Support.CONTRADICTED), None)
    if joint.support is Support.SUPPORTED and one_says_all and against is not None:
        # One source says it and another says otherwise: that is for the reader to see, not for us to choose.
        return replace(
            joint,
            support=against.support,
            reason=against.reason,
            differences=against.differences,
            passages=parts,
        )
    return replace(joint, passages=parts)
