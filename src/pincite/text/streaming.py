"""Markers in an answer that is still arriving.

What is shown is always a beginning of the whole answer and never ends inside something that may become a marker.
Text after the last complete paragraph is read again when the paragraph is complete; so the work stays linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pincite.text.blocks import closes_fence, opens_fence
from pincite.text.brackets import (
    BLANKS,
    LINE_BREAK,
    MAX_BLANKS,
    PAIRS,
    PRIVATE_END,
    PRIVATE_START,
    SUPERSCRIPTS,
    Found,
    find_markers,
)
from pincite.text.grammar import MAX_MARKER_CHARS, Ids
from pincite.text.markers import ParsedAnswer, parse_markers
from pincite.types import Span

HELD_CHARS = 2 * MAX_MARKER_CHARS + 8
"""No marker is longer: an older opening bracket is prose, and is shown."""

_OPENERS = re.compile(rf"[{re.escape(''.join(PAIRS))}(（{PRIVATE_START}]")
_PAREN_LABEL = re.compile(
    r"[(（]\s*(?:i(?:d\s*(?::.*)?)?|s(?:o(?:u(?:r(?:c(?:e(?:\s.*)?)?)?)?)?)?)?\Z", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Shown:
    """One step. ``text`` is what may be added to the screen; ``found`` are the markers of finished paragraphs.

    Spans of ``found`` are in the whole answer.
    """

    text: str
    found: tuple[Found, ...] = ()


@dataclass(slots=True)
class MarkerStream:
    """Reads an answer piece by piece.

    Args:
        context_ids, styles: As for ``parse_markers``. With a regular expression whole lines are held back.

    >>> stream = MarkerStream(["c-1"])
    >>> [stream.feed(delta).text for delta in ("Free [", "c-", "1]. See [the", " list].")]
    ['Free ', '', '[c-1]. See ', '[the list].']
    >>> stream.finish().cites(0)
    ('c-1',)
    """

    context_ids: Iterable[str] | Mapping[str, str]
    styles: str | re.Pattern[str] = "auto"
    text: str = ""
    shown: int = 0
    _ids: Ids = field(init=False)
    _settled: int = 0  # start of the first paragraph that is not finished
    _line: int = 0  # start of the first line that is not finished
    _fence: str | None = None

    def __post_init__(self) -> None:
        self.context_ids = (
            self.context_ids if isinstance(self.context_ids, Mapping) else tuple(self.context_ids)
        )
        self._ids = Ids(self.context_ids)

    def feed(self, delta: str) -> Shown:
        """Take the next piece of the answer, of any length, and say what may be shown."""
        self.text += delta
        until = max(self.shown, self._safe_end())
        out = self.text[self.shown : until]
        self.shown = until
        return Shown(out, self._settle())

    def rest(self) -> Shown:
        """The answer is complete: what was held back, and the markers not yet told."""
        out = self.text[self.shown :]
        self.shown = len(self.text)
        found = self._found(self._settled, len(self.text))
        self._settled = len(self.text)
        return Shown(out, found)

    def finish(self) -> ParsedAnswer:
        """The whole answer, taken apart; equal to ``parse_markers`` of the whole text."""
        return parse_markers(self.text, self.context_ids, styles=self.styles)

    def _safe_end(self) -> int:
        end = len(self.text)
        if self.styles not in ("auto", "superscript"):
            return self.text.rfind("\n") + 1
        if self.text.endswith("\\"):
            end -= 1
        if self.styles == "superscript":
            while end and self.text[end - 1] in SUPERSCRIPTS + "˒,\u2009 ":
                end -= 1
        tail = max(self.shown, len(self.text) - HELD_CHARS)
        closed = 0
        for opening in _OPENERS.finditer(self.text, tail):
            start = opening.start()
            if start < closed:
                continue
            closed = self._closed_at(start)
            if self._may_become_marker(start):
                escaped = start > 0 and self.text[start - 1] == "\\"
                return min(end, start - 1 if escaped else start)
        return end

    def _closed_at(self, at: int) -> int:
        """Where the bracket that opens at ``at`` has closed again; 0 when it is none, is open or holds brackets."""
        closing = PAIRS.get(self.text[at], "")
        end = self.text.find(closing, at + 1, at + MAX_MARKER_CHARS + 2) if closing else -1
        return end if end > 0 and not _holds_bracket(self.text[at + 1 : end]) else 0

    def _may_become_marker(self, at: int) -> bool:
        rest = self.text[at:]
        if rest[0] == PRIVATE_START:
            return PRIVATE_END not in rest and not any(map(str.isspace, rest))
        if rest[0] in "(（":
            return not _holds_bracket(rest, ")）[]［］【】〖〗") and bool(_PAREN_LABEL.match(rest))
        opening, closing = rest[0], PAIRS[rest[0]]
        if len(LINE_BREAK.findall(rest)) > 1:
            return False
        inner = rest[1:].lstrip(BLANKS)
        doubled = inner.startswith(opening) and len(rest) - 1 - len(inner) <= MAX_BLANKS
        content, close, behind = (inner[1:] if doubled else rest[1:]).partition(closing)
        if len(content) > MAX_MARKER_CHARS or _holds_bracket(content):
            return False
        return not close or (doubled and len(behind) <= MAX_BLANKS and not behind.strip(BLANKS))

    def _settle(self) -> tuple[Found, ...]:
        """Read the lines that are complete; a blank line outside a code fence finishes a paragraph."""
        found: list[Found] = []
        while (found_break := LINE_BREAK.search(self.text, self._line)) and found_break.end() < len(
            self.text
        ):
            line = self.text[self._line : found_break.start()]
            self._line = found_break.end()
            if self._fence is not None:
                self._fence = None if closes_fence(line, self._fence) else self._fence
            elif opened := opens_fence(line):
                self._fence = opened
            elif not line.strip():
                found += self._found(self._settled, self._line)
                self._settled = self._line
        return tuple(found)

    def _found(self, start: int, end: int) -> tuple[Found, ...]:
        part = self.text[start:end]
        return tuple(
            Found(Span(one.span.start + start, one.span.end + start), one.cited)
            for one in find_markers(part, self._ids, styles=self.styles)
        )


def _holds_bracket(content: str, signs: str = "[]［］【】〖〗") -> bool:
    return any(sign in content for sign in signs)
