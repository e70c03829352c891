"""What is done of a run, line by line, so that it goes on after an interruption where it was."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from pincite.errors import ConfigError
from pincite.evals.values import ItemError, ItemResult


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one item: a result, errors, or a result in which something failed. ``confidence`` is that of an answer
    that was given and can be right or wrong: (confidence, right)."""

    id: str
    result: ItemResult | None
    errors: tuple[ItemError, ...] = ()
    confidence: tuple[float, bool] | None = None


class Journal:
    """A file of outcomes behind a first line that says which run they belong to.

    Args:
        path: Beside the report.
        run: What must be the same for the outcomes to be used again: golden set, corpus, settings, selection.
        resume: Go on with what is there; otherwise begin anew.

    Raises:
        ConfigError: If the file cannot be used, another process is writing it, or with ``resume`` it belongs to another run
            or is damaged.
    """

    def __init__(self, path: Path, run: Mapping[str, Any], *, resume: bool) -> None:
        self.path = path
        self._places: dict[str, int] = {}
        head = json.dumps({"run": dict(run)}, sort_keys=True, ensure_ascii=False).encode() + b"\n"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            goes_on = resume and path.exists()
            self._file: BinaryIO = path.open("ab")
        except OSError as error:
            raise ConfigError(f"the journal cannot be used: {error.strerror}", where=str(path)) from error
        try:
            self._begin(head, run, goes_on=goes_on)
        except BaseException:
            self._file.close()
            raise

    def _begin(self, head: bytes, run: Mapping[str, Any], *, goes_on: bool) -> None:
        try:
            _take(self._file, self.path)
            if goes_on:
                self._read(head, run)
            else:
                self._file.truncate(0)
                self._file.write(head)
                self._file.flush()
        except OSError as error:
            raise ConfigError(
                f"the journal cannot be used: {error.strerror}", where=str(self.path)
            ) from error

    def _read(self, head: bytes, run: Mapping[str, Any]) -> None:
        with self.path.open("rb") as lines:
            first = lines.readline()
            if first != head:
                raise ConfigError(
                    f"it belongs to another run: {_difference(first, run)}",
                    where=str(self.path),
                    hint="run it as it was begun, or leave --resume out to begin anew",
                )
            place = len(first)
            for number, line in enumerate(lines, start=2):
                if not line.endswith(b"\n"):
                    break  # it was being written when the run ended
                try:
                    found = _outcome(line)
                except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                    raise ConfigError(
                        f"line {number} of the journal is damaged",
                        where=str(self.path),
                        hint="take the line out, and its item is run again; or leave --resume out to begin anew",
                    ) from error
                if not found.errors:  # what failed is tried again
                    self._places[found.id] = place
                place += len(line)
        with self.path.open("r+b") as file:
            file.truncate(place)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, item_id: str) -> bool:
        return item_id in self._places

    def add(self, outcome: Outcome) -> None:
        """Write an outcome, whole, before the next one is begun."""
        self._file.write(json.dumps(asdict(outcome), ensure_ascii=True).encode() + b"\n")
        self._file.flush()

    def outcome(self, item_id: str) -> Outcome:
        """What was written of an item before."""
        with self.path.open("rb") as lines:
            lines.seek(self._places[item_id])
            return _outcome(lines.readline())

    def close(self, *, remove: bool = False) -> None:
        """Let go of the file; ``remove`` it when its run is written down elsewhere."""
        self._file.close()
        if remove:
            self.path.unlink(missing_ok=True)


def _take(file: BinaryIO, path: Path) -> None:
    """Two runs that write one journal would mix their outcomes. The lock goes with the process."""
    try:
        import fcntl
    except ImportError:  # Windows has none: there a second run is not noticed
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise ConfigError(
            "another run is writing this journal",
            where=str(path),
            hint="wait for it, or name another --output",
        ) from error


def _outcome(line: bytes) -> Outcome:
    """A line of a journal. What it raises when it is none is for ``_read`` to say."""
    found = json.loads(line)
    sure = found["confidence"]
    return Outcome(
        found["id"],
        _result(found["result"]),
        tuple(ItemError(**one) for one in found["errors"]),
        None if sure is None else (float(sure[0]), bool(sure[1])),
    )


def _result(found: dict[str, Any] | None) -> ItemResult | None:
    if found is None:
        return None
    lists = ("verdicts", "reasons", "tags", "doc_ids")
    return ItemResult(
        **{
            **found,
            **{name: tuple(found[name]) for name in lists},
            "ratings": {judge: tuple(rated) for judge, rated in found["ratings"].items()},
        }
    )


def _difference(first: bytes, run: Mapping[str, Any]) -> str:
    try:
        before = json.loads(first)["run"]
        names: Iterator[str] = (name for name in run if before.get(name) != run[name])
        return f"{', '.join(names) or 'its form'} differs"
    except (ValueError, KeyError, TypeError, AttributeError):
        return "its first line is none of a journal"
