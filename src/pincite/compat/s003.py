"""Source 003: ``text`` with ``[n]``, citations with spans, one confidence in 0-1, and abstention below a threshold."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from pincite.errors import ConfigError
from pincite.renderers.profiles import grounded_003
from pincite.review import blended, similarity_parts
from pincite.text.markers import parse_markers
from pincite.text.objects import find_object, without_thinking

__all__ = [
    "ABSTAIN_THRESHOLD",
    "NEUTRAL_MESSAGE",
    "abstain_threshold",
    "abstention",
    "check_mapping",
    "confidence",
    "grounded_003",
    "parse_response",
    "self_rating_score",
]

ABSTAIN_THRESHOLD = 0.4
"""Below this confidence 003 abstains."""

NEUTRAL_MESSAGE = "I could not find this in the sources."

_KEYS = ("text", "citations", "confidence", "abstained", "reason")


def abstain_threshold() -> float:
    """``ABSTAIN_THRESHOLD`` of the environment, else 0.4.

    Raises:
        ConfigError: If it is no number in 0-1.
    """
    given = os.environ.get("ABSTAIN_THRESHOLD", "")
    try:
        value = float(given) if given.strip() else ABSTAIN_THRESHOLD
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise ConfigError(f"ABSTAIN_THRESHOLD must be a number between 0 and 1, got {given!r}")
    return value


def self_rating_score(rating: int) -> float:
    """A model's own 1-5 as 0-1.

    >>> self_rating_score(4)
    0.75
    """
    if not 1 <= rating <= 5:
        raise ValueError(f"a rating is 1 to 5, got {rating}")
    return (rating - 1) / 4


def confidence(
    similarities: Sequence[float],
    *,
    distinct_sources: int | None = None,
    agreement: float | None = None,
    coverage: float | None = None,
    self_rating: int | None = None,
    verdicts: float | None = None,
    enough_sources: int = 2,
) -> float:
    """The parts that are known, blended to 0-1 with the weights of this package; 0 when nothing is known.

    ``similarities`` are those of the cited passages; ``distinct_sources`` counts full from ``enough_sources`` on.
    """
    sources = None if distinct_sources is None else min(1.0, distinct_sources / enough_sources)
    parts: dict[str, float | None] = {
        **similarity_parts(similarities),
        "sources": sources,
        "agreement": agreement,
        "coverage": coverage,
        "self_rating": None if self_rating is None else self_rating_score(self_rating),
        "verdicts": verdicts,
    }
    return blended(parts) if any(value is not None for value in parts.values()) else 0.0


def check_mapping(response: Mapping[str, Any]) -> tuple[str, ...]:
    """What is wrong with ``[n]`` → ``citations[n - 1]``: numbers without an entry, entries without a number or a span.

    >>> check_mapping(
    ...     {
    ...         "text": "Free [1]. Paid [3].",
    ...         "citations": [{"id": "a", "spans": [{}]}, {"id": "b", "spans": []}],
    ...     }
    ... )
    ('[3] has no citation', 'citations[1] has no marker', 'citations[1] has no span')
    """
    citations = response.get("citations") or []
    printed = dict.fromkeys(
        marker.id for marker in parse_markers(str(response.get("text", "")), ["1"]).markers
    )
    faults = [
        f"[{one}] has no citation"
        for one in printed
        if not (one.isdecimal() and 1 <= int(one) <= len(citations))
    ]
    for place, citation in enumerate(citations):
        if str(place + 1) not in printed:
            faults.append(f"citations[{place}] has no marker")
        if not citation.get("spans"):
            faults.append(f"citations[{place}] has no span")
    return tuple(faults)


def abstention(reason: str, confidence: float = 0.0) -> dict[str, Any]:
    """A response that declines, in the same shape."""
    return {
        "text": NEUTRAL_MESSAGE,
        "citations": [],
        "confidence": confidence,
        "abstained": True,
        "reason": reason,
    }


def parse_response(raw: str) -> dict[str, Any]:
    """A model's reply in this shape, mended where it is damaged. What cannot be used becomes an abstention: no JSON, a
    number without its citation, or a confidence below the threshold."""
    found = find_object(without_thinking(raw), _KEYS)
    if found is None or not isinstance(found.value.get("text"), str):
        return abstention("The reply could not be read.")
    value = found.value
    citations = value.get("citations")
    sure = _share(value.get("confidence"))
    response = {
        "text": value["text"],
        "citations": [one for one in citations if isinstance(one, dict)]
        if isinstance(citations, list)
        else [],
        "confidence": sure,
        "abstained": value.get("abstained") is True,
        "reason": value.get("reason"),
    }
    faults = [fault for fault in check_mapping(response) if fault.endswith("has no citation")]
    if faults:
        return abstention(f"Citations do not fit the text: {'; '.join(faults[:5])}.", sure)
    if not response["abstained"] and sure < abstain_threshold():
        return abstention("Confidence is below the threshold.", sure)
    return response


def _share(value: object) -> float:
    """A number as a share in 0-1; 0 for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return 0.0
    return min(1.0, max(0.0, float(value)))
