"""Our statistics against scikit-learn, which takes seconds to load."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pincite.evals.stats import agreement, calibration


def test_calibration_agrees_with_scikit_learn() -> None:
    curves = pytest.importorskip("sklearn.calibration", reason="scikit-learn is not installed")
    chance = np.random.default_rng(2)
    sure = chance.random(400)
    right = chance.random(400) < sure**2
    found = calibration(sure.tolist(), right.tolist())
    assert found is not None
    share, mean = curves.calibration_curve(right, sure, n_bins=10)
    assert [one[:2] for one in found.bins] == [
        pytest.approx((mean[at], share[at]), abs=1e-6) for at in range(len(share))
    ]


def test_kappa_agrees_with_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    chance = random.Random(7)
    one = [chance.randint(1, 5) for _ in range(200)]
    other = [min(5, max(1, rating + chance.randint(-1, 1))) for rating in one]
    expected = metrics.cohen_kappa_score(one, other, weights="quadratic")
    assert agreement(one, other)["weighted_kappa"] == pytest.approx(expected, abs=1e-6)
