"""Whether a chain is what was written, and which of its changes were lawful."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from pincite.chain.links import ABOUT_ANSWERS, ABOUT_ITS_ROWS, detail_of, link_hash
from pincite.ports.stored import LogEntry, LoggedRow, LogHead

MOST_FAULTS = 1_000
"""That are named; more are counted. A log with so many was not edited in a few places, it is another one."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that nobody may do to a log. ``position`` is that of the link it shows at, where there is one."""

    position: int | None
    subject: str
    what: str


@dataclass(frozen=True, slots=True)
class Change:
    """Something that was done lawfully, as the log itself says."""

    position: int
    at: str
    kind: str
    subject: str
    detail: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LogReport:
    """What ``check`` found. ``entries`` are links that are there, ``answers`` the answers they name; ``start`` is the
    newest link that retention dropped; ``faults`` are the first of ``fault_count``; ``clock_back`` are positions."""

    entries: int
    answers: int
    head: LogHead
    start: LogHead
    faults: tuple[Fault, ...] = ()
    fault_count: int = 0
    changes: tuple[Change, ...] = ()
    clock_back: tuple[int, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether nothing was changed but lawfully."""
        return self.fault_count == 0


@dataclass(slots=True)
class _Known:
    """What the chain says of one subject. ``at`` is when it was logged: of an answer first, of feedback last."""

    position: int
    last: int
    at: str
    kind: str
    content: str
    answer_id: str = ""
    earlier: set[str] = field(default_factory=set)
    is_whole: bool = True
    """Whether its first link is there; retention dropped it otherwise."""


def check(
    entries: Iterable[LogEntry], head: LogHead, rows: Iterable[LoggedRow], *, anchors: Iterable[LogHead] = ()
) -> LogReport:
    """Whether the log is what was written: each link, their order, the head, and each row against its newest link.

    Args:
        entries: All links, by position.
        head: Where the chain must end, from where it is kept apart.
        rows: What is there of answers, feedback and reviews, in any order.
        anchors: Earlier heads that were noted elsewhere; the chain must still run through them.

    Returns:
        Faults in the order of positions, rows after links. Memory grows with the number of subjects.
    """
    audit = _Audit({anchor.position: anchor.link for anchor in anchors})
    for entry in entries:
        audit.add(entry)
    audit.end(head)
    audit.compare(rows)
    faults = audit.faults
    return LogReport(
        entries=audit.count,
        answers=sum(family == "answer" for family, _ in audit.known),
        head=head,
        start=audit.start,
        faults=tuple(faults[:MOST_FAULTS]),
        fault_count=len(faults),
        changes=tuple(audit.changes),
        clock_back=tuple(audit.clock_back),
    )


class _Audit:
    """One walk along the chain."""

    def __init__(self, anchors: Mapping[int, str]) -> None:
        self.anchors = dict(anchors)
        self.known: dict[tuple[str, str], _Known] = {}
        self.faults: list[Fault] = []
        self.changes: list[Change] = []
        self.clock_back: list[int] = []
        self._prunings: list[int] = []
        self._befores: list[str] = []
        self.start = LogHead()
        self.count = 0
        self._first: LogEntry | None = None
        self._last: LogEntry | None = None

    def add(self, entry: LogEntry) -> None:
        detail = detail_of(entry)
        self.count += 1
        if self._last is None:
            self._first = entry
        else:
            self._follows(entry, self._last)
        if entry.link != link_hash(entry):
            self._fault(entry, "the link was changed: it is not the hash of what it holds")
        if (anchored := self.anchors.pop(entry.position, None)) not in (None, entry.link):
            self._fault(
                entry, f"is not the link that was anchored ({str(anchored)[:12]}…): the log was rewritten"
            )
        if "clock_back_from" in detail:
            self.clock_back.append(entry.position)
        self._note(entry, detail)
        self._last = entry

    def _follows(self, entry: LogEntry, last: LogEntry) -> None:
        if entry.position <= last.position:
            self._fault(entry, f"stands behind position {last.position}")
        elif entry.position > last.position + 1:
            missing = _range(last.position + 1, entry.position - 1)
            self._fault(entry, f"{missing} before it missing")
        elif entry.previous != last.link:
            self._fault(
                entry,
                f"does not follow from position {last.position}: one of them was changed, put in or moved",
            )

    def _note(self, entry: LogEntry, detail: dict[str, Any]) -> None:
        if entry.kind in ("rewritten", "erased", "pruned", "gap"):
            self.changes.append(Change(entry.position, entry.at, entry.kind, entry.subject, detail))
        if entry.kind == "pruned":
            self._prunings.append(entry.position)
            self._befores.append(str(detail.get("before", "")))
            start = detail.get("start")
            if isinstance(start, int):
                self.start = LogHead(start, str(detail.get("start_link", "")))
        if not entry.subject:
            return
        key = _family(entry.kind), entry.subject
        known = self.known.get(key)
        if known is None:
            self.known[key] = _Known(
                entry.position,
                entry.position,
                entry.at,
                entry.kind,
                entry.content,
                answer_id=str(detail.get("answer_id", "")),
                is_whole=entry.kind not in ("rewritten", "erased"),
            )
            return
        if entry.kind in ("answer", "review"):
            self._fault(entry, f"{entry.subject} was logged before, at position {known.position}")
        known.earlier.add(known.content)
        known.content, known.kind, known.last = entry.content, entry.kind, entry.position
        if entry.kind == "feedback":
            known.at = entry.at

    def end(self, head: LogHead) -> None:
        """Both ends of the chain, and what was anchored."""
        # From here on each holds the latest time of its pruning and all later ones.
        self._befores = list(accumulate(reversed(self._befores), max))[::-1]
        first = self._first.position if self._first else max(head.position, 0) + 1
        if first != self.start.position + 1:
            missing = _range(self.start.position + 1, first - 1)
            self.faults.insert(0, Fault(self.start.position + 1, "", f"{missing} missing at the beginning"))
        elif self._first is not None and self._first.previous != self.start.link:
            self.faults.insert(0, Fault(first, "", "does not follow from what was pruned before it"))
        last = self._last
        if head.position < 0:
            self.faults.append(
                Fault(None, "", "the head that is kept apart was changed: its position is no number")
            )
        elif last is not None and last.position < head.position:
            missing = _range(last.position + 1, head.position)
            self.faults.append(Fault(last.position + 1, "", f"{missing} missing at the end"))
        elif last is not None and (last.position, last.link) != (head.position, head.link):
            self.faults.append(Fault(last.position, last.subject, "is not the head that is kept apart"))
        for position, link in sorted(self.anchors.items()):
            if position > self.start.position:
                self.faults.append(
                    Fault(
                        position, "", f"was anchored ({link[:12]}…) and is not there: the log was cut short"
                    )
                )
            elif position == self.start.position and link != self.start.link:
                self.faults.append(Fault(position, "", f"was anchored ({link[:12]}…) with another link"))

    def compare(self, rows: Iterable[LoggedRow]) -> None:
        """Each row with what its newest link says, then each link with whether its row is there."""
        seen = set()
        faults: list[Fault] = []
        for row in rows:
            key = row.kind, row.subject
            known = self.known.get(key)
            seen.add(key)
            if known is None:
                faults.append(
                    Fault(
                        row.position,
                        row.subject,
                        f"the {row.kind} was put in: no link of the log is about it",
                    )
                )
            elif self._went(known) is True:
                faults.append(
                    Fault(known.position, row.subject, f"the {row.kind} was put back after it went")
                )
            elif row.content != known.content:
                how = "put back as it was before" if row.content in known.earlier else "edited"
                faults.append(Fault(known.position, row.subject, f"the {row.kind} was {how}"))
            elif row.position not in (None, known.position):
                faults.append(
                    Fault(known.position, row.subject, f"the {row.kind} was moved to position {row.position}")
                )
        faults += [
            Fault(known.position, key[1], f"the {key[0]} was deleted")
            for key, known in self.known.items()
            if key not in seen and self._went(known) is False
        ]
        self.faults += sorted(faults, key=lambda one: (one.position or 0, one.subject))

    def _went(self, known: _Known) -> bool | None:
        """Whether the chain says that a row went lawfully; it must be there otherwise. ``None`` when both may be: of what
        belongs to an answer whose links retention has dropped."""
        if known.kind not in ABOUT_ITS_ROWS:
            return self._went_at(known) is not None
        answer = self.known.get(("answer", known.answer_id))
        went = None if answer is None else self._went_at(answer)
        if went is not None and went > known.last:
            return True
        if (answer is None or went is not None) and self._pruned_at(known.last, known.at) is not None:
            return True
        return None if answer is None and self.start.position > 0 else False

    def _went_at(self, answer: _Known) -> int | None:
        """The position of the link that says that an answer went."""
        if answer.kind == "erased":
            return answer.last
        if not answer.is_whole:
            return self.start.position
        return self._pruned_at(answer.position, answer.at)

    def _pruned_at(self, position: int, at: str) -> int | None:
        """The first pruning after ``position`` that something logged ``at`` that time cannot have outlived."""
        later = bisect_right(self._prunings, position)
        if later < len(self._befores) and at < self._befores[later]:
            return self._prunings[later]
        return None

    def _fault(self, entry: LogEntry, what: str) -> None:
        self.faults.append(Fault(entry.position, entry.subject, what))


def _family(kind: str) -> str:
    return "answer" if kind in ABOUT_ANSWERS else kind


def _range(first: int, last: int) -> str:
    return f"position {first} is" if first == last else f"positions {first}-{last} are"
