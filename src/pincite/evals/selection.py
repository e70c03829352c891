"""Which items of a golden file are run, and what the file as a whole is: read once, before anything is asked."""

from __future__ import annotations

import hashlib
import heapq
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from pincite.errors import ConfigError
from pincite.evals.golden import read_golden
from pincite.evals.values import GoldenItem, ItemError

_RECORDED = ("answer", "sources", "note")
"""Of an item: what may change and leaves the question and what is expected as they were."""


@dataclass(frozen=True, slots=True)
class Survey:
    """``places`` are those of the items to run among all items, from 0; ``None`` for all. ``sha256`` is over questions and
    expectations, in order: recorded answers, notes and blanks in the file leave it as it is. ``recorded_sha256`` is over the
    recorded answers of the file. ``levels`` are those of all readers of the file, whatever part is run."""

    path: Path
    sha256: str
    count: int
    places: frozenset[int] | None
    needs_pipeline: bool
    levels: frozenset[str] = frozenset()
    recorded_sha256: str = ""

    def items(self) -> Iterator[GoldenItem | ItemError]:
        """The items to run, and all broken lines, in the order of the file."""
        place = -1
        for one in read_golden(self.path):
            if isinstance(one, ItemError):
                yield one
                continue
            place += 1
            if self.places is None or place in self.places:
                yield one


def survey(
    path: Path, *, only: str | None = None, limit: int | None = None, seed: int = 0, recorded: bool = False
) -> Survey:
    """Read a golden file and choose what to run.

    Args:
        path: The file.
        only: A tag, or a slice as reports name it: ``tag:number``, ``language:de``, ``document:doc-returns``.
        limit: No more than so many, drawn by ``seed``: the same ones each time, whatever the order of the file.
        seed: Another one draws others.
        recorded: Whether the answers are in another file, so that no pipeline is needed.

    Raises:
        ConfigError: If the file cannot be read, holds no item, or none that ``only`` names.
    """
    sha, answers = hashlib.sha256(), hashlib.sha256()
    drawn: list[tuple[int, int, bool]] = []  # a heap of what is chosen, the last of them on top
    levels: set[str] = set()
    count = chosen = 0
    for one in read_golden(path):
        if isinstance(one, ItemError):
            sha.update(f"{one.id}: {one.detail}\n".encode("utf-8", "surrogatepass"))
            continue
        sha.update(_expectation(one))
        levels.add(one.reader)
        if one.answer is not None:
            said = {"id": one.id, "answer": one.answer, "sources": one.sources}
            answers.update(json.dumps(said, sort_keys=True).encode())
        if only is None or only in slice_names(one):
            chosen += 1
            entry = (-_order(one.id, seed), count, one.answer is None)
            if limit is None or len(drawn) < limit:
                heapq.heappush(drawn, entry)
            else:
                heapq.heappushpop(drawn, entry)
        count += 1
    if not count:
        raise ConfigError("the golden file holds no item", where=str(path))
    if not chosen:
        raise ConfigError(
            f"no item has {only!r}",
            where=str(path),
            hint="name a tag, or language:CODE, or document:ID, as items have them",
        )
    everything = len(drawn) == count
    return Survey(
        path,
        sha.hexdigest(),
        len(drawn),
        None if everything else frozenset(place for _, place, _ in drawn),
        needs_pipeline=not recorded and any(unrecorded for _, _, unrecorded in drawn),
        levels=frozenset(levels),
        recorded_sha256=answers.hexdigest(),
    )


def slice_names(item: GoldenItem) -> tuple[str, ...]:
    """The slices an item is part of, and each of its tags alone.

    >>> slice_names(GoldenItem("g-1", "?", language="de", tags=("number",)))
    ('number', 'language:de', 'tag:number')
    """
    return (
        *item.tags,
        *((f"language:{item.language}",) if item.language else ()),
        *(f"tag:{tag}" for tag in item.tags),
        *(f"document:{doc_id}" for doc_id in item.expected_doc_ids),
    )


def asked_hash(item: GoldenItem) -> str:
    """16 hex digits over the question and what is expected: with the same ones, two results are about the same."""
    return hashlib.sha256(_expectation(item)).hexdigest()[:16]


def _expectation(item: GoldenItem) -> bytes:
    kept = {name: value for name, value in asdict(item).items() if name not in _RECORDED}
    return json.dumps(kept, sort_keys=True, default=list).encode("utf-8")


def _order(item_id: str, seed: int) -> int:
    """A number that nothing but the id and the seed decides."""
    return int.from_bytes(hashlib.sha256(f"{seed}\0{item_id}".encode()).digest()[:8], "big")
