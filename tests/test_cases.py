"""Every case file, one test each. Cases of operations that the product does not do yet are skipped with the reason."""

from __future__ import annotations

import pytest

from tests.run_cases import default_folders, read_cases, run_case

CASES = [case for folder in default_folders() for case in read_cases(folder)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_case_gives_what_it_expects(case: dict[str, object]) -> None:
    outcome = run_case(case)
    if outcome.missing is not None:
        pytest.skip(f"needs {outcome.missing}")
    assert not outcome.problems, "\n".join(outcome.problems)


def test_no_two_cases_share_a_name() -> None:
    names = [case["id"] for case in CASES]
    assert sorted(set(names)) == sorted(names)
