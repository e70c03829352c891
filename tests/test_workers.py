"""Work in several processes gives what one process gives, in order, whatever happens to a process."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from pincite.errors import ConfigError
from pincite.workers import map_tasks, open_workers


def slow_square(number: int) -> int:
    time.sleep(0.02 if number % 3 == 0 else 0)
    return number * number


def deadly_at_two(number: int) -> int:
    if number == 2:
        os._exit(1)
    return number


def failing(number: int) -> int:
    raise ValueError(f"no {number}")


def nothing(item: int) -> int:
    return -1


def test_results_come_in_the_order_of_the_items() -> None:
    assert list(map_tasks(slow_square, range(20), jobs=2, lost=nothing)) == [n * n for n in range(20)]


def test_an_item_that_kills_its_process_is_lost_alone() -> None:
    assert list(map_tasks(deadly_at_two, range(5), jobs=2, lost=nothing)) == [0, 1, -1, 3, 4]


def test_what_the_function_raises_is_raised() -> None:
    with pytest.raises(ValueError, match="no 7"):
        list(map_tasks(failing, [7], jobs=2, lost=nothing))


def test_less_than_one_process_is_refused() -> None:
    with pytest.raises(ConfigError, match="between 1 and 64"):
        list(map_tasks(slow_square, [1], jobs=0, lost=nothing))


@pytest.mark.skipif(sys.platform == "win32", reason="needs a signal that cannot be caught")
def test_no_process_outlives_the_one_that_was_killed() -> None:
    code = (
        "from pincite.workers import map_tasks\n"
        "results = map_tasks(len, ['a'] * 100, jobs=2, lost=lambda item: -1)\n"
        "print(next(results), flush=True)\n"
        "input()\n"
    )
    started = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert started.stdout is not None
    assert started.stdout.readline() == b"1\n"
    started.kill()
    # Each of them holds the other end: it is read to its end when the last is gone.
    assert started.communicate(timeout=60) == (b"", None)


def test_a_function_may_work_on_what_another_one_brings() -> None:
    with open_workers(2) as workers:
        squares = workers.in_order(slow_square, range(12), lost=nothing)
        twice = workers.in_order(deadly_at_two, (number + 1 for number in squares), lost=nothing)
        assert list(twice) == [1, -1, *(n * n + 1 for n in range(2, 12))]


def test_items_wait_while_those_before_them_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pincite.workers.processes.MOST_BYTES", 10)
    taken: list[int] = []
    items = (taken.append(number) or number for number in range(6))  # type: ignore[func-returns-value]
    with open_workers(2) as workers:
        results = workers.in_order(deadly_at_two, items, lost=nothing, size=lambda number: 6)
        assert next(results) == 0
        assert taken == [0, 1]
