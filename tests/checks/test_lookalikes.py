"""Wrong sentences that look like their source, and right ones that look like the wrong: both sides of each kind.

``benchmarks/lookalikes.py`` counts them in a table. ``still_green`` marks wrong ones that are not caught yet, ``not_kept``
right ones that are not supported yet; both are known failures.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pincite.checks.rules import rules
from pincite.ports import ClaimTask, Passage

FOLDER = Path(__file__).resolve().parent.parent / "cases"


def cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


def support(claim: str, source: str) -> str:
    return rules([ClaimTask(claim, (Passage("c-1", source),))])[0].support.value


PAIRS = cases("lookalikes")


@pytest.mark.parametrize("case", PAIRS, ids=lambda case: case["label"])
def test_a_wrong_sentence_that_looks_like_its_source_is_not_supported(case: dict[str, Any]) -> None:
    if case.get("still_green"):
        pytest.xfail("known: not caught yet")
    assert support(case["wrong"], case["source"]) != "supported"


@pytest.mark.parametrize("case", PAIRS, ids=lambda case: case["label"])
def test_a_right_sentence_that_looks_like_a_wrong_one_is_supported(case: dict[str, Any]) -> None:
    found = support(case["right"], case["source"])
    if case.get("not_kept"):
        assert found != "contradicted" or case["label"].startswith("cause_effect-ja")
        pytest.xfail("known: not kept yet")
    assert found == "supported"


@pytest.mark.parametrize("case", cases("lists"), ids=lambda case: case["label"])
def test_only_a_complete_list_proves_absence(case: dict[str, Any]) -> None:
    found = support(case["claim"], case["source"])
    if case.get("not_kept"):
        pytest.xfail("known: not kept yet")
    assert (found == "supported") is case["is_right"]


@pytest.mark.parametrize("case", cases("abroad"), ids=lambda case: case["label"])
def test_facts_are_compared_across_languages(case: dict[str, Any]) -> None:
    assert support(case["claim"], case["source"]) in case["expected"]
