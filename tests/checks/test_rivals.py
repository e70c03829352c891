"""Two statements of one matter with two values are told from statements of two matters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pincite.checks.rivals import differing_value

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "conflicts" / "pairs.jsonl").read_text("utf-8").splitlines()
]
FOUND_AT_LEAST = 19
"""Of the 24 pairs that conflict; the others say it in words that have too little in common."""


@pytest.mark.parametrize(
    "pair", [one for one in PAIRS if not one["conflict"]], ids=lambda one: str(one["id"])
)
def test_statements_of_two_matters_have_no_differing_value(pair: dict[str, str]) -> None:
    assert differing_value(pair["newer"], pair["older"], pair["language"]) is None


def test_most_statements_of_one_matter_have_their_differing_value() -> None:
    pairs = [one for one in PAIRS if one["conflict"]]
    found = [one for one in pairs if differing_value(one["newer"], one["older"], one["language"])]
    assert len(found) >= FOUND_AT_LEAST


def test_both_values_and_their_places_are_given() -> None:
    ours, theirs = (
        "Refunds are paid within 30 days.",
        "We ship daily. Customers get their money back within 14 days.",
    )
    found = differing_value(ours, theirs)
    assert found is not None
    assert found.answer_span is not None
    assert found.source_span is not None
    assert (found.answer_span.of(ours), found.source_span.of(theirs)) == ("30 days", "14 days")


def test_equal_statements_have_none() -> None:
    assert differing_value("The fee is 5 euros.", "The fee is 5 euros.") is None


def test_a_text_without_the_matter_has_none() -> None:
    assert differing_value("The fee is 5 euros.", "") is None
    assert differing_value("", "The fee is 5 euros.") is None
