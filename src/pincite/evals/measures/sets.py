"""What was cited against what was expected, as sets of ids."""

from __future__ import annotations

from collections.abc import Collection


def precision_recall(gold: Collection[str], cited: Collection[str]) -> tuple[float | None, float | None]:
    """Precision and recall over distinct ids. Without anything cited there is no precision, without gold no recall.

    >>> precision_recall(["a"], ["a", "a", "b"]), precision_recall(["x"], [])
    ((0.5, 1.0), (None, 0.0))
    """
    wanted, given = set(gold), set(cited)
    right = len(wanted & given)
    return (right / len(given) if given else None), (right / len(wanted) if wanted else None)
