"""Answers that were recorded elsewhere: a JSONL file with ``id``, ``answer`` and ``sources`` for each golden item."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from pincite.errors import ConfigError
from pincite.evals.values import GoldenItem, ItemError

STAGE = "answers"


class RecordedAnswers:
    """A file of answers by the id of their item. Only the places of the lines are held, not the lines.

    Args:
        path: JSONL; a line that is broken, or names no id, is an error of its own (``errors``); of several with one id the
            last one holds.

    Raises:
        ConfigError: If the file cannot be read.

    Attributes:
        sha256: Of the bytes of the file (hex).
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.errors: list[ItemError] = []
        self._places: dict[str, int] = {}
        sha = hashlib.sha256()
        place = 0
        try:
            with path.open("rb") as lines:
                for number, line in enumerate(lines, start=1):
                    self._note(line, number, place)
                    sha.update(line)
                    place += len(line)
        except OSError as error:
            raise ConfigError(
                f"the recorded answers cannot be read: {error.strerror}", where=str(path)
            ) from error
        self.sha256 = sha.hexdigest()

    def __len__(self) -> int:
        return len(self._places)

    def _note(self, line: bytes, number: int, place: int) -> None:
        if not line.strip():
            return
        try:
            found = json.loads(line)
            if not isinstance(found, dict) or not isinstance(found.get("id"), str):
                raise ValueError('the line is no object with an "id"')
        except (ValueError, RecursionError) as error:
            self.errors.append(ItemError(f"answers line {number}", STAGE, str(error)[:200]))
        else:
            self._places[found["id"]] = place

    def of(self, item: GoldenItem) -> GoldenItem | ItemError:
        """The item with its recorded answer; an error when there is none, or it is none."""
        place = self._places.get(item.id)
        if place is None:
            return ItemError(item.id, STAGE, f"there is no answer of that id in {self.path}")
        with self.path.open("rb") as lines:
            lines.seek(place)
            found: dict[str, Any] = json.loads(lines.readline())
        answer, sources = found.get("answer"), found.get("sources", found.get("contexts"))
        if isinstance(answer, str | dict) and (sources is None or isinstance(sources, list)):
            as_objects = [one if isinstance(one, dict) else {"text": str(one)} for one in sources or ()]
            return replace(item, answer=answer, sources=tuple(as_objects) or item.sources)
        return ItemError(item.id, STAGE, "its answer must be a text or an object, and its sources a list")
