"""Which amount belongs to which subject when a clause leaves out its verb: both sides of each kind, in five languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pincite.checks.rules import rules
from pincite.ports import ClaimTask, Passage

FOLDER = Path(__file__).resolve().parent.parent / "cases"
PAIRS: list[dict[str, Any]] = json.loads((FOLDER / "left_out_verbs.json").read_text(encoding="utf-8"))


def support(claim: str, source: str) -> str:
    return rules([ClaimTask(claim, (Passage("c-1", source),))])[0].support.value


@pytest.mark.parametrize("case", PAIRS, ids=lambda case: case["label"])
def test_the_amount_of_another_subject_is_not_supported(case: dict[str, Any]) -> None:
    if case.get("still_green"):
        pytest.xfail("known: not caught yet")
    assert support(case["wrong"], case["source"]) != "supported"


@pytest.mark.parametrize("case", PAIRS, ids=lambda case: case["label"])
def test_the_amount_of_the_subject_itself_is_supported(case: dict[str, Any]) -> None:
    if case.get("not_kept"):
        assert support(case["right"], case["source"]) != "contradicted"
        pytest.xfail("known: not kept yet")
    assert support(case["right"], case["source"]) == "supported"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The pool costs 15 EUR a month.", "The pool costs 15 EUR."),
        ("Das Schwimmbad kostet 15 EUR im Monat.", "Das Schwimmbad kostet 15 EUR."),
        ("La piscina cuesta 15 EUR al mes.", "La piscina cuesta 15 EUR."),
        ("Team costs 9 € a month.", "| Plan | Price |\n|---|---|\n| Team | 9 € |"),
    ],
)
def test_a_rate_that_no_passage_names_is_not_supported(claim: str, source: str) -> None:
    assert support(claim, source) == "partial"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The pool costs 15 EUR a month.", "The pool costs 15 EUR per month."),
        ("Team costs 9 € a month.", "| Plan | Price per month |\n|---|---|\n| Team | 9 € |"),
        ("Team costs 9 € a month.", "# Monthly fees\n\n| Plan | Price |\n|---|---|\n| Team | 9 € |"),
    ],
)
def test_a_rate_may_stand_in_a_heading_or_in_the_title_of_a_column(claim: str, source: str) -> None:
    assert support(claim, source) == "supported"
