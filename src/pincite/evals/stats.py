"""How sure a figure is: intervals, paired tests, calibration, agreement. All of it deterministic for a seed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Doubles: TypeAlias = "npt.NDArray[np.float64]"

RESAMPLES = 1_000
PERMUTATIONS = 5_000
ALPHA = 0.05
BINS = 10
EXACT_UP_TO = 12
"""Items that differ, up to which a permutation test tries all 4,096 ways instead of drawing some."""

EXACT_COUNTS_UP_TO = 1_000
"""Items that changed sides, up to which McNemar's test is taken with whole numbers."""

_BATCH_CELLS = 1_000_000
"""Cells of a matrix of resamples that are held at a time: 8 MB."""


# --- intervals ----------------------------------------------------------------------------------


def weighted_mean(values: Sequence[float | None], weights: Sequence[float] | None = None) -> float | None:
    """The mean of the values that there are; ``None`` when there are none, or none that weighs anything.

    >>> weighted_mean([1.0, None, 0.0]), weighted_mean([1.0, 0.0], [3, 1]), weighted_mean([None])
    (0.5, 0.75, None)
    """
    weighed = weights if weights is not None else [1.0] * len(values)
    pairs = [(value, weight) for value, weight in zip(values, weighed, strict=True) if value is not None]
    whole = math.fsum(weight for _, weight in pairs)
    return math.fsum(value * weight for value, weight in pairs) / whole if whole > 0 else None


def intervals(values: Doubles, weights: Doubles, *, seed: int = 0) -> list[tuple[float, float] | None]:
    """95 % bootstrap intervals of the weighted means of the columns.

    The same items are drawn for all columns, as they belong together; a percentile interval (Efron and Tibshirani 1993).

    Args:
        values: One row for each item, one column for each metric; NaN where a metric does not apply.
        weights: Of the same shape, at least 0.
        seed: Another one gives other draws.

    Returns:
        One pair for each column, ``None`` where fewer than two items have a value.
    """
    count, columns = values.shape
    applies = ~np.isnan(values)
    enough = applies.sum(axis=0) >= 2
    if not enough.any():
        return [None] * columns
    weighed = np.where(applies, weights, 0.0)
    summed = np.where(applies, values, 0.0) * weighed
    chance = np.random.default_rng(seed)
    batch = max(1, min(RESAMPLES, _BATCH_CELLS // count))
    means: list[Doubles] = []
    for start in range(0, RESAMPLES, batch):
        rows = min(batch, RESAMPLES - start)
        drawn = chance.integers(count, size=(rows, count))
        times = np.stack([np.bincount(row, minlength=count) for row in drawn]).astype(np.float64)
        whole = times @ weighed
        means.append(np.divide(times @ summed, whole, out=np.full_like(whole, np.nan), where=whole > 0))
    every = np.concatenate(means)
    found: list[tuple[float, float] | None] = []
    for column in range(columns):
        usable = every[:, column][~np.isnan(every[:, column])]
        if not enough[column] or not len(usable):
            found.append(None)
            continue
        low, high = np.quantile(usable, (ALPHA / 2, 1 - ALPHA / 2))
        found.append((round(float(low), 6), round(float(high), 6)))
    return found


# --- is a difference more than noise? -----------------------------------------------------------


def mcnemar(gained: int, lost: int) -> float:
    """Two-sided exact p-value of McNemar's test: so many items became right, so many wrong.

    >>> mcnemar(1, 8), mcnemar(0, 0)
    (0.0390625, 1.0)
    """
    together, fewer = gained + lost, min(gained, lost)
    if together <= EXACT_COUNTS_UP_TO:
        return min(1.0, 2 * sum(math.comb(together, at) for at in range(fewer + 1)) / (1 << together))
    # Whole numbers of thousands of digits would take minutes; their logarithms lose nothing that matters.
    whole = math.lgamma(together + 1) - together * math.log(2)
    tail = math.fsum(
        math.exp(whole - math.lgamma(at + 1) - math.lgamma(together - at + 1)) for at in range(fewer + 1)
    )
    return min(1.0, 2 * tail)


def paired_p(
    before: Sequence[float],
    after: Sequence[float],
    *,
    weights: tuple[Sequence[float], Sequence[float]] | None = None,
    seed: int = 0,
) -> float:
    """Two-sided p-value of a difference between two runs over the same items.

    McNemar's exact test where all values are 0 or 1 and nothing is weighted; otherwise a permutation test of the difference
    of the means, in which the two results of an item change places (all ways up to 12 items that differ, else 5,000 drawn).

    >>> paired_p([1, 1, 1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0, 0, 0, 1])
    0.0390625
    """
    a, b = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    if weights is None and set(np.unique(np.concatenate((a, b))).tolist()) <= {0.0, 1.0}:
        return mcnemar(int(((a == 0) & (b == 1)).sum()), int(((a == 1) & (b == 0)).sum()))
    w, v = (np.asarray(one, dtype=np.float64) for one in weights or ([1.0] * len(a), [1.0] * len(b)))
    differs = np.flatnonzero((a != b) | (w != v))
    if not len(differs):
        return 1.0
    return _permuted(a, b, w, v, differs, seed)


def _permuted(
    a: Doubles, b: Doubles, w: Doubles, v: Doubles, differs: npt.NDArray[np.intp], seed: int
) -> float:
    """``swapped @ (one - other)`` says by how much the sums of both sides change when items change places."""
    sums = np.array([(a * w).sum(), w.sum(), (b * v).sum(), v.sum()])
    moved = np.stack([(b * v - a * w)[differs], (v - w)[differs]], axis=1)

    def difference(swapped: Doubles) -> Doubles:
        change = swapped @ moved
        top_a, whole_a = sums[0] + change[:, 0], sums[1] + change[:, 1]
        top_b, whole_b = sums[2] - change[:, 0], sums[3] - change[:, 1]
        return np.asarray(top_b / np.maximum(whole_b, 1e-12) - top_a / np.maximum(whole_a, 1e-12))

    count = len(differs)
    seen = abs(float(difference(np.zeros((1, count)))[0])) - 1e-12
    if count <= EXACT_UP_TO:
        ways = (np.arange(2**count)[:, None] >> np.arange(count)) & 1
        return float((np.abs(difference(ways.astype(np.float64))) >= seen).mean())
    chance = np.random.default_rng(seed)
    batch = max(1, min(PERMUTATIONS, _BATCH_CELLS // count))
    extreme = 0
    for start in range(0, PERMUTATIONS, batch):
        ways = chance.integers(2, size=(min(batch, PERMUTATIONS - start), count))
        extreme += int((np.abs(difference(ways.astype(np.float64))) >= seen).sum())
    return (extreme + 1) / (PERMUTATIONS + 1)


# --- calibration --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Calibration:
    """``ece`` is the expected calibration error over ten bins of equal width (Naeini, Cooper and Hauskrecht 2015);
    ``floor`` what confidences that are perfectly calibrated give with as many answers; ``bins`` are (mean confidence, share
    right, count) of each bin that holds any."""

    ece: float
    floor: float
    bins: tuple[tuple[float, float, float], ...]


def calibration(confidences: Sequence[float], right: Sequence[bool], *, seed: int = 0) -> Calibration | None:
    """How far confidence is from the share that is right; ``None`` without answers.

    >>> calibration([0.9, 0.9], [True, False]).bins
    ((0.9, 0.5, 2.0),)
    """
    if not confidences:
        return None
    sure, hit = np.asarray(confidences, dtype=np.float64), np.asarray(right, dtype=np.float64)
    places = np.minimum((sure * BINS).astype(np.int64), BINS - 1)
    chance = np.random.default_rng(seed)
    drawn = [_ece(sure, (chance.random(len(sure)) < sure).astype(np.float64), places) for _ in range(200)]
    bins = tuple(
        (round(float(sure[held].mean()), 6), round(float(hit[held].mean()), 6), float(held.sum()))
        for held in (places == place for place in range(BINS))
        if held.any()
    )
    return Calibration(round(_ece(sure, hit, places), 6), round(float(np.mean(drawn)), 6), bins)


def _ece(sure: Doubles, hit: Doubles, places: npt.NDArray[np.int64]) -> float:
    gaps = np.bincount(places, weights=sure - hit, minlength=BINS)
    return float(np.abs(gaps).sum() / len(sure))


def risk_coverage(confidences: Sequence[float], right: Sequence[bool]) -> tuple[tuple[float, float], ...]:
    """(share of answers that are given, share of these that are wrong) for each confidence from which on answers are given,
    the surest first (El-Yaniv and Wiener 2010). Equal confidences are given together.

    >>> risk_coverage([0.9, 0.8, 0.8, 0.1], [True, True, False, False])
    ((0.25, 0.0), (0.75, 0.333333), (1.0, 0.5))
    """
    order = sorted(range(len(confidences)), key=lambda at: -confidences[at])
    points: list[tuple[float, float]] = []
    wrong = 0
    for given, at in enumerate(order, start=1):
        wrong += not right[at]
        last = given == len(order) or confidences[order[given]] != confidences[at]
        if last:
            points.append((round(given / len(order), 6), round(wrong / given, 6)))
    return tuple(points)


# --- agreement of judges ------------------------------------------------------------------------


def agreement(
    one: Sequence[int], other: Sequence[int], *, low: int = 1, high: int = 5
) -> dict[str, float | None]:
    """How far two judges agree about the same things on a scale: ``exact``, ``within_one`` and ``weighted_kappa``
    (Cohen 1968, quadratic weights; ``None`` where one of both gives everything the same rating).

    >>> agreement([1, 2, 3], [1, 2, 5])["exact"]
    0.666667
    """
    if not one:
        return {"exact": None, "within_one": None, "weighted_kappa": None}
    gaps = [abs(a - b) for a, b in zip(one, other, strict=True)]
    scale = range(low, high + 1)
    by_chance = sum(
        (a - b) ** 2 * one.count(a) * other.count(b) for a in scale for b in scale if a != b
    ) / len(one)
    seen = sum(gap**2 for gap in gaps)
    return {
        "exact": round(gaps.count(0) / len(gaps), 6),
        "within_one": round(sum(gap <= 1 for gap in gaps) / len(gaps), 6),
        "weighted_kappa": round(1 - seen / by_chance, 6) if by_chance else None,
    }
