"""Claims that were once marked green and are wrong, and right ones that must not be lost: each a kind of fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pincite.checks.rules import rules
from pincite.ports import ClaimTask, Passage

FOLDER = Path(__file__).resolve().parent.parent / "cases"
CASES = [
    case
    for name in ("support_wrong", "support_right")
    for case in json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["label"])
def test_the_claim_is_judged_as_it_must_be(case: dict[str, Any]) -> None:
    passages = tuple(Passage(f"c-{n}", text) for n, text in enumerate(case["passages"], start=1))
    found = rules([ClaimTask(case["claim"], passages)])[0]
    assert found.support.value in case["expected"], f"{case['why']} {found.reason}"
    assert found.reason
