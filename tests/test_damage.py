"""Damaged replies of a model: what is false never reaches the reader, what is right does."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "damage.py"


@pytest.mark.skipif(not SCRIPT.is_file(), reason="benchmarks/ is not part of this copy")
def test_of_120_damaged_replies_nothing_false_is_shown_and_95_of_100_right_statements_are() -> None:
    spec = importlib.util.spec_from_file_location("damage", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    damage = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["damage"] = damage
    spec.loader.exec_module(damage)
    total = damage.run()["all"]
    assert total["n"] == 120
    assert total["raw_false"] > 20  # there is something to catch
    assert total["false_shown"] == 0
    assert total["abstained_wrongly"] == 0
    assert total["kept"] >= 0.95 * total["right"]
