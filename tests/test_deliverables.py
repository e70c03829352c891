"""docs/deliverables.md names files: they are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "deliverables.md").read_text("utf-8")
PATHS = sorted(
    set(re.findall(r"`((?:[\w.-]+/)*[\w-]+(?:\.(?:md|py|json|jsonl|yml|js|lock)|(?<=/)\w+))`", PAGE))
)
NAMED = ("system prompt", "verifier", "evaluation harness", "golden-set format", "dashboard specification")


@pytest.mark.parametrize("path", PATHS)
def test_a_file_that_the_page_names_is_there(path: str) -> None:
    assert (ROOT / path).exists()


def test_the_page_names_more_than_a_few_files() -> None:
    assert len(PATHS) > 50


@pytest.mark.parametrize("thing", NAMED)
def test_each_of_the_five_artefacts_has_its_row_with_a_file_and_a_test(thing: str) -> None:
    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| {thing}")]
    _, _, where, tested, _ = row.split("|")
    assert re.search(r"`[\w/.-]+`", where)
    assert re.search(r"`tests/[\w/.-]+`", tested)
