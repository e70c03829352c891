from __future__ import annotations

import os
from pathlib import Path

import pytest

from pincite.evals.datasets.support import Example, kept, markdown_table, pairs

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = Path(os.environ.get("PINCITE_SHARED", ROOT.parent / "shared")) / "data"

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data sets are not here")


def test_a_table_is_written_with_its_header_first() -> None:
    assert markdown_table([["a", "b"], ["1", "2"]]).splitlines() == ["| a | b |", "|---|---|", "| 1 | 2 |"]


def test_the_half_of_an_example_depends_on_its_source_alone() -> None:
    one = Example("page", "en", "A.", ("B.",), True)
    other = Example("page", "de", "C.", ("D.",), False, ("x",))
    assert one.is_even == other.is_even
    assert {Example(f"page-{n}", "en", "A.", ("B.",), True).is_even for n in range(20)} == {True, False}


@needs_data
def test_every_set_has_both_labels_in_both_halves() -> None:
    for name, examples in pairs(DATA).items():
        seen = {(example.supported, example.is_even) for example in examples}
        assert len(seen) == 4, name


@needs_data
def test_no_source_is_in_both_halves_and_nothing_of_the_label_is_in_the_texts() -> None:
    for examples in (*pairs(DATA).values(), *kept(DATA).values()):
        halves: dict[str, set[bool]] = {}
        for example in examples:
            halves.setdefault(example.group, set()).add(example.is_even)
            assert all(isinstance(text, str) and text for text in (example.claim, *example.evidence))
        assert all(len(half) == 1 for half in halves.values())
