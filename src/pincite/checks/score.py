"""One number from what was found: a logistic sum whose weights are all of the right sign."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp

FEATURES = (
    "coverage",
    "best_coverage",
    "best_high",
    "best_full",
    "rarest_missing",
    "trigrams",
    "trigrams_high",
    "numbers_missing",
    "numbers_changed",
    "name",
    "negation",
    "opposite",
    "quantifier",
    "condition",
    "modality",
    "word",
)
"""What a score is made of; each is higher when the claim is better supported, so that no weight is below 0."""


@dataclass(frozen=True, slots=True)
class Weights:
    """``supported_from`` and ``partial_from`` are scores: below them a claim is partial, unsupported."""

    bias: float
    weights: tuple[float, ...]
    supported_from: float
    partial_from: float

    def score(self, features: Sequence[float]) -> float:
        """In 0-1; ``features`` in the order of ``FEATURES``."""
        total = self.bias + sum(w * x for w, x in zip(self.weights, features, strict=True))
        return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, total))))


@cache
def weights() -> Weights:
    """The fitted weights of ``support_weights.json``, which ``benchmarks/support.py --fit`` writes."""
    data: Mapping[str, object] = json.loads(
        files("pincite.checks").joinpath("support_weights.json").read_text(encoding="utf-8")
    )
    by_name = data["weights"]
    assert isinstance(by_name, dict)
    return Weights(
        float(str(data["bias"])),
        tuple(float(by_name.get(name, 0.0)) for name in FEATURES),
        float(str(data["supported_from"])),
        float(str(data["partial_from"])),
    )
