"""The vectors of one generation as a file that processes map into memory together.

The file is a copy that can be thrown away: it is made again from the database whenever it is absent. It stands
beside the database, named after it and the generation, and only the newest one is kept.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from pincite.stores.vectors import CODED_FROM_ROWS, Codes, Matrix, encode

MAPPED_FROM_ROWS = CODED_FROM_ROWS
"""Fewer rows are read from the database faster than a file would be worth."""

_MAGIC = 0x7069_6E63_0002
"""First number of the file; the last digits are the layout's version."""


def open_or_build(database: Path, generation: int, token: str, build: Callable[[], Matrix]) -> Matrix:
    """The matrix of this generation: from its file, or built, and then written when it is large.

    ``token`` tells the database from another one that stood at the same path before. In a folder that cannot be
    written the matrix stays in memory.
    """
    path = database.with_name(f"{database.name}.{token}-{generation}.vectors")
    with contextlib.suppress(OSError, ValueError):
        return _open(path)
    found = build()
    if len(found.keys) < MAPPED_FROM_ROWS:
        return found
    try:
        _write(path, database, found)
        return _open(path)
    except OSError:
        return found
    finally:
        remove_others(database, path)


def remove_others(database: Path, path: Path | None = None) -> None:
    """Delete files of other generations. One that a process still maps on Windows stays for the next time."""
    for other in database.parent.glob(f"{escape_glob(database.name)}.*.vectors*"):
        if other != path:
            with contextlib.suppress(OSError):
                other.unlink()


def escape_glob(name: str) -> str:
    """A file name as a pattern that finds it alone.

    >>> escape_glob("a[1].db")
    'a[[]1].db'
    """
    return "".join(f"[{char}]" if char in "*?[" else char for char in name)


def _write(path: Path, database: Path, found: Matrix) -> None:
    rows, dimension = found.rows.shape
    head = np.array([_MAGIC, rows, dimension, len(found.ends), *found.ends], dtype=np.int64)
    half_done = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with half_done.open("wb") as file:
            # Vectors tell much about texts: whoever may not read the database may not read this.
            os.chmod(half_done, database.stat().st_mode & 0o777)
            codes = found.codes or encode(found.rows)
            decimals = (codes.scales, codes.errors, codes.centre, found.rows)
            for part in (head, found.keys, found.by_key, *decimals, codes.numbers):
                file.write(np.ascontiguousarray(part).data)
        os.replace(half_done, path)
    except BaseException:
        half_done.unlink(missing_ok=True)
        raise


def _open(path: Path) -> Matrix:
    """Raises ``ValueError`` when the file is not one of ours, or is cut short."""
    head = np.fromfile(path, dtype=np.int64, count=4)
    if len(head) < 4 or head[0] != _MAGIC:
        raise ValueError(f"{path} is not a file of vectors")
    rows, dimension, levels = head[1:].tolist()
    start = 4 + levels
    decimals = 2 * rows + dimension + rows * dimension
    if path.stat().st_size != 8 * (start + 2 * rows) + 4 * decimals + rows * dimension:
        raise ValueError(f"{path} is cut short")
    numbers = np.memmap(path, dtype=np.int64, mode="r", shape=(start + 2 * rows,))
    singles = np.memmap(path, dtype=np.float32, mode="r", offset=numbers.nbytes, shape=(decimals,))
    coded = np.memmap(
        path, dtype=np.int8, mode="r", offset=numbers.nbytes + singles.nbytes, shape=(rows, dimension)
    )
    scales, errors, centre, all_rows = np.split(singles, [rows, 2 * rows, 2 * rows + dimension])
    return Matrix(
        rows=all_rows.reshape(rows, dimension),
        keys=numbers[start : start + rows],
        ends=tuple(numbers[4:start].tolist()),
        by_key=numbers[start + rows :],
        codes=Codes(centre, coded, scales, errors),
    )
