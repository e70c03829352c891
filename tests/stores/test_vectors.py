from __future__ import annotations

import numpy as np
import pytest

from pincite.stores.vectors import Matrix, cosines, encode, matrix, nearest


def unit_rows(count: int, *, spread: float, seed: int = 5) -> np.ndarray:
    """Vectors round a common direction, as embedders make them; each fifth is the same as the one before it."""
    chance = np.random.default_rng(seed)
    rows = spread * chance.standard_normal((count, 48)) + chance.standard_normal(48)
    rows[5::5] = rows[4:-1:5]
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float16)


def both(rows: np.ndarray) -> tuple[Matrix, Matrix]:
    """The same rows without codes and with them, in three levels."""
    keys = np.arange(len(rows), dtype=np.int64)
    plain = matrix(rows, keys, keys % 3, 3)
    return plain, Matrix(plain.rows, plain.keys, plain.ends, plain.by_key, encode(plain.rows))


def slowly(found: Matrix, vector: np.ndarray, end: int, allowed: np.ndarray | None, limit: int) -> list[int]:
    """The oracle: every cosine in double precision, all sorted."""
    scores = (found.rows[:end].astype(np.float64) * vector.astype(np.float64)).sum(axis=1).astype(np.float32)
    places = [at for at in range(end) if allowed is None or allowed[at]]
    return [
        int(found.keys[at]) for at in sorted(places, key=lambda at: (-scores[at], found.keys[at]))[:limit]
    ]


@pytest.mark.parametrize("spread", [0.02, 0.5, 50.0])
@pytest.mark.parametrize("limit", [1, 10, 5_000])
def test_a_scan_of_bytes_finds_exactly_the_nearest(spread: float, limit: int) -> None:
    plain, coded = both(unit_rows(3_000, spread=spread))
    for seed in range(5):
        vector = unit_rows(1, spread=1.0, seed=seed)[0].astype(np.float32)
        for highest, end in enumerate(plain.ends):
            allowed = np.random.default_rng(seed).random(end) < 0.3
            for mask in (None, allowed):
                expected = slowly(plain, vector, end, mask, limit)
                for found in (plain, coded):
                    keys, scores = nearest(found, vector, highest, mask, limit)
                    assert keys.tolist() == expected
                    assert scores.tolist() == cosines(found, vector, keys).tolist()


def test_a_cosine_does_not_depend_on_the_rows_beside_it() -> None:
    rows = unit_rows(200, spread=0.5)
    vector = unit_rows(1, spread=1.0)[0].astype(np.float32)
    keys = np.arange(200, dtype=np.int64)
    whole = dict(
        zip(
            *(part.tolist() for part in nearest(matrix(rows, keys, keys * 0, 1), vector, 0, None, 200)),
            strict=True,
        )
    )
    half = dict(
        zip(
            *(
                part.tolist()
                for part in nearest(matrix(rows[::2], keys[::2], keys[::2] * 0, 1), vector, 0, None, 200)
            ),
            strict=True,
        )
    )
    assert half == {key: whole[key] for key in half}


def test_rows_that_are_all_the_same_have_codes() -> None:
    rows = np.tile(unit_rows(1, spread=1.0), (50, 1))
    _, coded = both(rows)
    keys, _ = nearest(coded, rows[0].astype(np.float32), 2, None, 7)
    assert keys.tolist() == list(range(7))


def test_looking_again_with_the_same_vector_finds_the_same_whatever_was_asked_between() -> None:
    plain, coded = both(unit_rows(400, spread=0.5))
    first, second = (unit_rows(1, spread=1.0, seed=seed)[0].astype(np.float32) for seed in (1, 2))
    for found in (plain, coded):
        for vector, highest in ((first, 2), (first, 0), (first, 2), (second, 2), (first, 2)):
            end = found.ends[highest]
            allowed = np.arange(end) % 3 == 0
            keys, _ = nearest(found, vector, highest, allowed, 7)
            assert keys.tolist() == slowly(found, vector, end, allowed, 7)
