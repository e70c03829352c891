"""What happens while a question is answered, in order. Every front end reads these."""

from __future__ import annotations

from dataclasses import dataclass

from pincite.answer import Answer
from pincite.types import Hit, Sentence, Statement


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The passages the answer may use, best first. All of them are visible to the reader."""

    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Drafted:
    """One unverified statement of the model. ``index`` counts from 0 within the draft."""

    index: int
    statement: Statement


@dataclass(frozen=True, slots=True)
class Checked:
    """A sentence with its verdict. ``shown`` says whether the reader gets to see it."""

    sentence: Sentence
    shown: bool


@dataclass(frozen=True, slots=True)
class Revised:
    """Replacements came back for the statements that failed, and will be checked next."""

    failed: tuple[Statement, ...]
    replacements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """Always last."""

    answer: Answer


Event = Retrieved | Drafted | Checked | Revised | Finished
