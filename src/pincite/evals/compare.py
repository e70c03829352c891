"""A run against an earlier one, over the items that both have and that no machine decides otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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

_SLACK = 1e-9
"""What the rounding of sums may add to a share."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """``items`` are the items of the earlier run that flipped, by id; ``config_diff`` settings as (before, now)."""

    baseline: Baseline
    items: Mapping[str, ItemResult]
    config_diff: Mapping[str, tuple[str | None, str | None]]


def check_comparable(now: EvalReport, before: EvalReport, where: str = "") -> None:
    """Raise ``ConfigError`` when the earlier run was about other documents or questions, has figures that no run has, or no
    item in common with this one: it says nothing here, and a gate that compares nothing would pass whatever comes."""
    for name, (what, how) in _COMPARED.items():
        old, new = getattr(before.run, name), getattr(now.run, name)
        if old != new:
            raise ConfigError(
                f"it was made with another state of {what} ({old[:12]} there, {new[:12]} here): {how}",
                where=where,
                hint="make the baseline anew with --save-baseline, after a look at the report",
            )
    if before.run.judge != now.run.judge:
        raise ConfigError(
            f"its citations were rated by {before.run.judge}, these by {now.run.judge}",
            where=where,
            hint=f"give --judge {before.run.judge}, or make the baseline anew with --save-baseline",
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
                hint="make the baseline anew with --save-baseline",
            )
    if now.items and {item.id for item in before.items}.isdisjoint(item.id for item in now.items):
        raise ConfigError(
            "it has no item in common with this run, so there is nothing to compare",
            where=where,
            hint="run the same items (--only, --limit, --seed), or make the baseline anew with --save-baseline",
        )


def compare(now: EvalReport, before: EvalReport) -> Comparison:
    """The change of every metric. Machine-sensitive items of either run are left out of both sides, and so is what only one
    of the two has; a metric that has a value in one run only has no points."""
    old = {item.id: item for item in before.items}
    new = {item.id: item for item in now.items}
    sensitive = {item.id for item in (*before.items, *now.items) if item.machine_sensitive}
    common = [item_id for item_id in new if item_id in old and item_id not in sensitive]
    a, b = [old[one] for one in common], [new[one] for one in common]
    deltas: dict[str, Delta] = {}
    for name in METRICS:
        delta = _delta(name, a, b, seed=now.run.seed)
        if delta is not None:
            deltas[name] = delta
    flipped = {item_id for delta in deltas.values() for item_id in delta.flipped}
    flipped |= {one.id for one, other in zip(a, b, strict=True) if one.passed != other.passed}
    names = sorted({*before.config, *now.config})
    return Comparison(
        Baseline(before.run.id, deltas, tuple(one for one in new if one in old and one in sensitive)),
        {one: old[one] for one in common if one in flipped},
        {
            name: (before.config.get(name), now.config.get(name))
            for name in names
            if before.config.get(name) != now.config.get(name)
        },
    )


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
