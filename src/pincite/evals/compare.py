"""A run against an earlier one, over the items that both have and that no machine decides otherwise."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pincite.audit import doc_ids
from pincite.errors import ConfigError
from pincite.evals.aggregate import values_of
from pincite.evals.gate import points
from pincite.evals.measures import METRICS
from pincite.evals.stats import ALPHA, paired_p, weighted_mean
from pincite.evals.values import LOWER_IS_BETTER, Baseline, Delta, EvalReport, ItemResult

_COMPARED = {
    "corpus_fingerprint": ("the documents", "they were added, changed or cut otherwise"),
    "golden_sha256": ("the golden set", "its questions or expectations changed"),
}
_ANEW = "make the baseline anew with --save-baseline"
_WAYS = (
    "--compare-unchanged compares the items that are about the same as before and lists the others; --save-baseline makes "
    "this run the baseline"
)

CHANGES = tuple(_COMPARED)
"""What may have changed between two runs of which some items can be compared still: fields of ``Run``."""

ASKED_OTHERWISE = "what is asked or expected changed"
OTHER_DOCUMENTS = "a document of it changed"

_SLACK = 1e-9
"""What the rounding of sums may add to a share."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """``items`` are the items of the earlier run that flipped, by id, ``aside`` those that are not counted; ``config_diff``
    settings as (before, now)."""

    baseline: Baseline
    items: Mapping[str, ItemResult]
    config_diff: Mapping[str, tuple[str | None, str | None]]
    aside: Mapping[str, ItemResult] = field(default_factory=dict)


def check_comparable(
    now: EvalReport, before: EvalReport, where: str = "", *, despite: Collection[str] = ()
) -> None:
    """Raise ``ConfigError`` when the earlier run was about other documents or questions, has figures that no run has, or no
    item in common with this one: it says nothing here, and a gate that compares nothing would pass whatever comes. What
    ``despite`` names (of ``CHANGES``) may have changed."""
    for name, (what, how) in _COMPARED.items():
        old, new = getattr(before.run, name), getattr(now.run, name)
        if old != new and name not in despite:
            raise ConfigError(
                f"it was made with another state of {what} ({old[:12]} there, {new[:12]} here): {how}",
                where=where,
                hint=_WAYS,
            )
    if before.run.judge != now.run.judge:
        raise ConfigError(
            f"its citations were rated by {before.run.judge}, these by {now.run.judge}",
            where=where,
            hint=f"give --judge {before.run.judge}, or {_ANEW}",
        )
    for item in before.items:
        wrong = next(
            (
                name
                for name, value in item.values.items()
                if value is not None and not -_SLACK <= value <= 1 + _SLACK
            ),
            None,
        )
        if wrong is not None:
            raise ConfigError(
                f"its item {item.id} has {item.values[wrong]:g} as {wrong}, which is not between 0 and 1",
                where=where,
                hint=_ANEW,
            )
    if now.items and {item.id for item in before.items}.isdisjoint(item.id for item in now.items):
        raise ConfigError(
            "it has no item in common with this run, so there is nothing to compare",
            where=where,
            hint=f"run the same items (--only, --limit, --seed), or {_ANEW}",
        )


def set_aside(now: EvalReport, before: EvalReport, where: str = "") -> dict[str, str]:
    """The items of both runs that are about something else now, and why: other expectations, or another state of a
    document that is expected (where none is, that the earlier answer cites).

    Raises:
        ConfigError: If the earlier report does not say what it was about, or no other item is left.
    """
    if before.run.golden_sha256 != now.run.golden_sha256 and not all(item.asked for item in before.items):
        raise ConfigError("it does not say what its items were about, item by item", where=where, hint=_ANEW)
    is_moved = before.run.corpus_fingerprint != now.run.corpus_fingerprint
    if is_moved and not before.documents:
        raise ConfigError("it does not say which documents it was made with", where=where, hint=_ANEW)
    old = {item.id: item for item in before.items}
    aside: dict[str, str] = {}
    for item in now.items:
        was = old.get(item.id)
        if was is None:
            continue
        if was.asked and was.asked != item.asked:
            aside[item.id] = ASKED_OTHERWISE
        elif is_moved and any(_changed(now, before, _rests_on(was))):
            aside[item.id] = OTHER_DOCUMENTS
    if now.items and not any(item.id in old and item.id not in aside for item in now.items):
        raise ConfigError(
            "every item that both runs have is about something else now, so there is nothing to compare",
            where=where,
            hint=_ANEW,
        )
    return aside


def _rests_on(item: ItemResult) -> tuple[str, ...]:
    return item.doc_ids or doc_ids(dict(item.answer))


def _changed(now: EvalReport, before: EvalReport, documents: Sequence[str]) -> Iterator[str]:
    return (one for one in documents if now.documents.get(one) != before.documents.get(one))


def compare_replaced(now: EvalReport, before: EvalReport) -> Comparison:
    """The change of every metric against a baseline that is to be replaced, whatever it was about: over the same questions
    item by item; otherwise, and where its items cannot be compared, of the figures of both runs as they are."""
    try:
        check_comparable(now, before, despite=("corpus_fingerprint",))
        found = compare(now, before)
    except ConfigError:
        found = None
    if found is None or not found.baseline.deltas:
        deltas = {}
        for name in METRICS:
            was, is_now = (one.metrics[name].value if name in one.metrics else None for one in (before, now))
            if was is not None:  # what had no value got no worse
                rose = points(was, is_now)
                deltas[name] = Delta(None if rose is None else float(rose))
        return Comparison(Baseline(before.run.id, deltas), {}, _config_diff(now, before))
    return found


def compare(now: EvalReport, before: EvalReport, aside: Mapping[str, str] | None = None) -> Comparison:
    """The change of every metric. Machine-sensitive items of either run are left out of both sides, and so are what only one
    of the two has and what is set ``aside``; a metric that has a value in one run only has no points."""
    aside = aside or {}
    old = {item.id: item for item in before.items}
    new = {item.id: item for item in now.items}
    sensitive = {item.id for item in (*before.items, *now.items) if item.machine_sensitive} - aside.keys()
    not_counted = sensitive | aside.keys()
    common = [item_id for item_id in new if item_id in old and item_id not in not_counted]
    a, b = [old[one] for one in common], [new[one] for one in common]
    deltas: dict[str, Delta] = {}
    for name in METRICS:
        delta = _delta(name, a, b, seed=now.run.seed)
        if delta is not None:
            deltas[name] = delta
    flipped = {item_id for delta in deltas.values() for item_id in delta.flipped}
    flipped |= {one.id for one, other in zip(a, b, strict=True) if one.passed != other.passed}
    moved = {
        one
        for name, why in aside.items()
        if why == OTHER_DOCUMENTS
        for one in _changed(now, before, _rests_on(old[name]))
    }
    return Comparison(
        Baseline(
            before.run.id,
            deltas,
            tuple(one for one in new if one in old and one in sensitive),
            dict(aside),
            tuple(sorted(moved)),
        ),
        {one: old[one] for one in common if one in flipped},
        _config_diff(now, before),
        {one: old[one] for one in aside},
    )


def _config_diff(now: EvalReport, before: EvalReport) -> dict[str, tuple[str | None, str | None]]:
    return {
        name: (before.config.get(name), now.config.get(name))
        for name in sorted({*before.config, *now.config})
        if before.config.get(name) != now.config.get(name)
    }


def _delta(
    name: str, before: Sequence[ItemResult], after: Sequence[ItemResult], *, seed: int
) -> Delta | None:
    a, weights_a = values_of(before, name)
    b, weights_b = values_of(after, name)
    was, now = weighted_mean(a, weights_a), weighted_mean(b, weights_b)
    if was is None and now is None:
        return None
    rose = points(was, now)
    if rose is None:
        return Delta(None)
    both = [
        at for at, (one, other) in enumerate(zip(a, b, strict=True)) if one is not None and other is not None
    ]
    pairs = [(float(a[at] or 0.0), float(b[at] or 0.0)) for at in both]
    pooled = METRICS[name].pooled
    weights = ([weights_a[at] for at in both], [weights_b[at] for at in both]) if pooled else None
    p = (
        paired_p([one for one, _ in pairs], [other for _, other in pairs], weights=weights, seed=seed)
        if pairs
        else None
    )
    best = 0.0 if name in LOWER_IS_BETTER else 1.0
    return Delta(
        points=float(rose),
        significant=None if p is None else p < ALPHA,
        p_value=None if p is None else round(p, 6),
        flipped=tuple(
            before[at].id
            for at, (one, other) in zip(both, pairs, strict=True)
            if (one == best) != (other == best)
        ),
    )
