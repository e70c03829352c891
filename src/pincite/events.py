"""What happens while a question is answered, in order. Every front end reads these."""

from __future__ import annotations

from dataclasses import dataclass

from pincite.answer import Answer, Repair
from pincite.findings import Citation, Sentence
from pincite.types import AnswerId, Hit, Statement


@dataclass(frozen=True, slots=True)
class Started:
    """Always first. ``searched_for`` is the question as it reads without the conversation; ``trace_id`` is that of the
    trace the request belongs to, if it does to one."""

    answer_id: AnswerId
    language: str | None
    searched_for: str
    trace_id: str | None = None


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The passages the answer may use, best first. All of them are visible to the reader."""

    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Drafted:
    """One unverified statement of the model. ``place`` counts from 0 within the draft."""

    place: int
    statement: Statement


@dataclass(frozen=True, slots=True)
class Checked:
    """A sentence of the statement at ``place`` with its verdict; its offsets are in that statement's text.

    ``shown`` says that the reader gets to see it, now and in the answer. What is not shown may still be repaired;
    it comes again then. Of several places the lower one stands first in the answer, whichever was shown first.
    ``citations`` are those of a shown sentence, numbered within it.
    """

    place: int
    sentence: Sentence
    shown: bool
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Repaired:
    """A sentence was mended and judged again. What it is now comes as ``Checked``."""

    repair: Repair


@dataclass(frozen=True, slots=True)
class Revised:
    """Replacements came back for the statements that failed, and will be checked next."""

    failed: tuple[Statement, ...]
    replacements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """Always last. Its sentences are those that were shown."""

    answer: Answer


Event = Started | Retrieved | Drafted | Checked | Repaired | Revised | Finished
