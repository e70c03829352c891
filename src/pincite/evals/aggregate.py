"""From results of items to the figures of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from pincite.evals.measures import METRICS
from pincite.evals.stats import agreement, calibration, intervals, risk_coverage, weighted_mean
from pincite.evals.values import LOWER_IS_BETTER, ItemResult, Metric

MAX_SLICES = 200
"""Of one kind: the largest are kept, so that a report of a large corpus can still be read."""


def metrics_of(
    items: Sequence[ItemResult], *, targets: Mapping[str, float] | None = None, seed: int = 0
) -> dict[str, Metric]:
    """Every metric that an item has, in the order of ``METRICS``."""
    names = [name for name in METRICS if any(name in item.values for item in items)]
    if not names:
        return {}
    columns = {name: values_of(items, name) for name in names}
    values = np.array([[np.nan if one is None else one for one in columns[name][0]] for name in names]).T
    weights = np.array([columns[name][1] for name in names], dtype=np.float64).T
    found = intervals(values, weights, seed=seed)
    return {
        name: Metric(
            value=_rounded(weighted_mean(*columns[name])),
            n=sum(one is not None for one in columns[name][0]),
            ci95=interval,
            target=(targets or {}).get(name),
            lower_is_better=name in LOWER_IS_BETTER,
        )
        for name, interval in zip(names, found, strict=True)
    }


def values_of(items: Sequence[ItemResult], name: str) -> tuple[list[float | None], list[float]]:
    """A metric of every item, and how much each counts."""
    return (
        [item.values.get(name) for item in items],
        [float(item.weights.get(name, 1)) for item in items],
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 9)


def slices_of(items: Sequence[ItemResult], *, seed: int = 0) -> dict[str, dict[str, Metric]]:
    """The metrics by ``language:``, ``tag:`` and ``document:``; an item is part of several."""
    members: dict[str, list[ItemResult]] = {}
    for item in items:
        for name in _slices(item):
            members.setdefault(name, []).append(item)
    kept: list[str] = []
    for kind in ("language", "tag", "document"):
        sizes = Counter({name: len(some) for name, some in members.items() if name.startswith(f"{kind}:")})
        kept += [name for name, _ in sorted(sizes.items(), key=lambda one: (-one[1], one[0]))[:MAX_SLICES]]
    return {name: metrics_of(members[name], seed=seed) for name in sorted(kept)}


def _slices(item: ItemResult) -> tuple[str, ...]:
    return (
        *((f"language:{item.language}",) if item.language else ()),
        *(f"tag:{tag}" for tag in item.tags),
        *(f"document:{doc_id}" for doc_id in item.doc_ids),
    )


def calibration_of(
    given: Sequence[tuple[float, bool]], *, seed: int = 0
) -> tuple[dict[str, Metric], dict[str, tuple[tuple[float, ...], ...]]]:
    """``ece`` and its floor, and the points of both curves, of (confidence, right) of the answers that were given."""
    confidences, right = [sure for sure, _ in given], [is_right for _, is_right in given]
    found = calibration(confidences, right, seed=seed)
    if found is None:
        return {}, {}
    metrics = {
        "ece": Metric(found.ece, len(given), lower_is_better=True),
        "ece_floor": Metric(found.floor, len(given), lower_is_better=True),
    }
    points = risk_coverage(confidences, right)
    step = max(1, len(points) // 200)  # a plot shows no more
    thinned = (*points[::step], *(points[-1:] if (len(points) - 1) % step else ()))
    return metrics, {"calibration": found.bins, "risk_coverage": thinned}


def agreement_of(items: Sequence[ItemResult]) -> dict[str, float | None]:
    """How far two judges agree who rated the same citations; empty with one judge. Names begin with both of them."""
    judges = sorted({judge for item in items for judge in item.ratings})
    found: dict[str, float | None] = {}
    for at, one in enumerate(judges):
        for other in judges[:at]:
            both = [item for item in items if one in item.ratings and other in item.ratings]
            a = [rating for item in both for rating in item.ratings[one]]
            b = [rating for item in both for rating in item.ratings[other]]
            for name, value in agreement(a, b).items():
                found[f"{other}/{one} {name}"] = value
            found[f"{other}/{one} n"] = float(len(a))
    return found
