"""Intervals, paired tests, calibration and agreement, against hand-worked examples and other people's programs."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from pincite.evals.stats import (
    agreement,
    calibration,
    intervals,
    mcnemar,
    paired_p,
    risk_coverage,
    weighted_mean,
)


def test_what_has_no_value_is_left_out_of_a_mean() -> None:
    assert weighted_mean([1.0, None, 0.5]) == 0.75
    assert weighted_mean([1.0, 0.0], [9, 1]) == 0.9
    assert weighted_mean([1.0], [0]) is None


def test_an_interval_holds_the_mean_and_is_the_same_for_the_same_seed() -> None:
    values = np.random.default_rng(0).normal(0.75, 0.3, size=(100, 1))
    weights = np.ones_like(values)
    (one,), (again,), (other,) = (intervals(values, weights, seed=seed) for seed in (3, 3, 4))
    assert one is not None
    assert one[0] < values.mean() < one[1]
    assert one == again
    assert one != other


def test_an_interval_of_a_share_is_about_as_wide_as_theory_says() -> None:
    values = np.array([[1.0]] * 225 + [[0.0]] * 25)
    (found,) = intervals(values, np.ones_like(values))
    assert found is not None
    half = 1.96 * math.sqrt(0.9 * 0.1 / 250)
    assert found == pytest.approx((0.9 - half, 0.9 + half), abs=0.008)


def test_a_column_with_one_value_has_no_interval() -> None:
    values = np.array([[1.0, np.nan], [0.0, 1.0]])
    assert intervals(values, np.ones_like(values))[1] is None


def test_a_weight_counts_as_so_many_items() -> None:
    values = np.array([[1.0], [0.0]] * 30)
    heavy = np.array([[9.0], [1.0]] * 30)
    (found,) = intervals(values, heavy)
    assert found is not None
    assert found[0] > 0.8


def test_mcnemar_is_the_exact_binomial_test() -> None:
    # 2 of 12 by hand: 2 * (1 + 12 + 66) / 4096
    assert mcnemar(2, 10) == pytest.approx(2 * 79 / 4096)
    assert mcnemar(5, 5) == 1.0
    assert 0 <= mcnemar(100_000, 99_000) <= 1


def test_the_permutation_test_agrees_with_a_normal_approximation() -> None:
    chance = random.Random(5)
    before = [chance.random() for _ in range(200)]
    after = [one + chance.gauss(0.015, 0.1) for one in before]
    gaps = np.array(after) - np.array(before)
    z = abs(gaps.mean()) / (np.sqrt((gaps**2).sum()) / len(gaps))
    assert paired_p(before, after) == pytest.approx(math.erfc(z / math.sqrt(2)), abs=0.02)


def test_yes_and_no_go_to_mcnemar() -> None:
    before, after = [1.0] * 10 + [0.0] * 2, [0.0] * 10 + [1.0] * 2
    assert paired_p(before, after) == mcnemar(2, 10)


def test_few_items_are_permuted_in_every_way() -> None:
    # Three items that all rise by 0.5: of the 8 ways to swap signs 2 are as extreme.
    assert paired_p([0.2, 0.3, 0.4], [0.7, 0.8, 0.9]) == 0.25


def test_many_items_are_permuted_by_chance_that_a_seed_decides() -> None:
    chance = random.Random(5)
    before = [chance.random() for _ in range(60)]
    worse = [one - 0.2 + 0.1 * chance.random() for one in before]
    noise = [one + (0.1 if at % 2 else -0.09) for at, one in enumerate(before)]
    assert paired_p(before, worse, seed=1) < 0.01
    assert paired_p(before, noise, seed=1) > 0.05
    assert paired_p(before, noise, seed=1) == paired_p(before, noise, seed=1)


def test_runs_that_do_not_differ_are_not_different() -> None:
    assert paired_p([0.5, 0.25], [0.5, 0.25]) == 1.0


def test_pooled_metrics_are_permuted_with_their_weights() -> None:
    p = paired_p([1.0, 1.0], [1.0, 1.0], weights=([1, 2], [3, 4]))
    assert p == 1.0  # the share is 1 whichever way


def test_calibration_by_hand() -> None:
    found = calibration([0.95, 0.95, 0.25, 0.25], [True, False, False, False])
    assert found is not None
    assert found.ece == pytest.approx(0.5 * 0.45 + 0.5 * 0.25)
    assert found.bins == ((0.25, 0.0, 2.0), (0.95, 0.5, 2.0))
    assert found.floor > 0


def test_the_curve_of_risk_ends_at_the_share_that_is_wrong() -> None:
    points = risk_coverage([0.9, 0.7, 0.5, 0.3], [True, True, False, True])
    assert points == ((0.25, 0.0), (0.5, 0.0), (0.75, 0.333333), (1.0, 0.25))


def test_kappa_by_hand() -> None:
    # Two raters, four items. Seen: (5-5, 4-5, 1-1, 2-1) = 2; by chance: sum of squares over all pairs / 4.
    one, other = [5, 4, 1, 2], [5, 5, 1, 1]
    chance = sum((a - b) ** 2 for a in one for b in other) / 4
    found = agreement(one, other)
    assert found["exact"] == 0.5
    assert found["within_one"] == 1.0
    assert found["weighted_kappa"] == pytest.approx(1 - 2 / chance, abs=1e-6)


def test_judges_who_rate_everything_the_same_have_no_kappa() -> None:
    assert agreement([5, 5], [5, 5])["weighted_kappa"] is None
    assert agreement([], [])["exact"] is None
