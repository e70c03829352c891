"""The text of an answer without its markers, and where they stood in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pincite.text.blocks import Block, BlockKind
from pincite.text.brackets import BLANKS, Found
from pincite.text.markup import inside
from pincite.types import Span

# Before these no blank is left. The plain quotation mark counts only when it touches the marker.
_CLOSING = ".,;:!?…)]}»”’。，、；：！？．）］｝」』】〉》؟،؛۔।॥%"
_STOPS = (".", "。", "।")

_BETWEEN = re.compile(r"[ \t\u00a0]*[,;，、；]?[ \t\u00a0]*")
_JOINED = re.compile(r"[ \t\u00a0]+(?:and|und|et|y|e|и)[ \t\u00a0]+|[ \t\u00a0]*&[ \t\u00a0]*")
_LINE_START = re.compile(r"[ \t]*(?:>[ \t]?)*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?\Z")
_GAP = re.compile(r"(?<=\S)[ \t]{2,}(?=\S)")


class _Plain:
    """The text without markers, as it is put together."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.kept: list[tuple[int, int]] = []  # spans of text
        self.length = 0

    def keep(self, start: int, end: int) -> None:
        if start < end:
            self.kept.append((start, end))
            self.length += end - start

    def last(self) -> str:
        return self.text[self.kept[-1][1] - 1] if self.kept else ""

    def strip(self, blanks: str) -> None:
        while self.kept:
            start, end = self.kept[-1]
            stripped = end
            while stripped > start and self.text[stripped - 1] in blanks:
                stripped -= 1
            self.length -= end - stripped
            self.kept.pop()
            if stripped > start:
                self.kept.append((start, stripped))
                return

    def line(self) -> str:
        """What is kept of the line that is being written, as far as 80 characters back."""
        out = ""
        for start, end in reversed(self.kept):
            piece = self.text[max(start, end - 80) : end]
            out = piece + out
            if "\n" in piece or len(out) > 80:
                break
        return out.rpartition("\n")[2]


Place = tuple[Found, int, bool]  # marker, offset in plain, whether it leads its line


def take_out(
    text: str, found: Sequence[Found], parts: Sequence[Block], opaque: Sequence[Span]
) -> tuple[str, tuple[tuple[int, int, int], ...], list[Place]]:
    out, places, at = _Plain(text), [], 0
    regions: list[tuple[Span, list[Found]]] = [*_clusters(text, found), *_gaps(text, parts, opaque)]
    for region, members in sorted(regions, key=lambda pair: pair[0]):
        if region.start < at:
            continue
        out.keep(at, region.start)
        if members:
            at, place, leads = _remove(out, text, region)
            places += [(member, place, leads) for member in members]
        else:
            at = region.end
    out.keep(at, len(text))
    pieces, length = [], 0
    for start, end in out.kept:
        pieces.append((length, start, end - start))
        length += end - start
    plain = "".join(text[start:end] for start, end in out.kept)
    return plain, tuple(pieces), [(one, min(place, length), leads) for one, place, leads in places]


def _gaps(text: str, parts: Sequence[Block], opaque: Sequence[Span]) -> Iterator[tuple[Span, list[Found]]]:
    """Doubled blanks inside lines of prose; one blank stays."""
    for block in parts:
        if block.kind in (BlockKind.CODE, BlockKind.TABLE_ROW, BlockKind.TABLE_RULE):
            continue
        for match in _GAP.finditer(text, block.body.start, block.body.end):
            if not inside(opaque, match.start()):
                yield Span(match.start() + 1, match.end()), []


def _clusters(text: str, found: Sequence[Found]) -> Iterator[tuple[Span, list[Found]]]:
    """Markers that stand together, with the commas between them and the brackets and emphasis round them alone."""
    at = 0
    while at < len(found):
        members = [found[at]]
        end = found[at].span.end
        while at + 1 < len(found):
            gap = found[at + 1].span.start
            between = text[end:gap]
            joined = bool(_JOINED.fullmatch(between)) and _closes(text, found[at + 1].span.end)
            if gap - end > 12 or not (_BETWEEN.fullmatch(between) or joined):
                break
            at += 1
            members.append(found[at])
            end = found[at].span.end
        at += 1
        yield _with_wrapping(text, members[0].span.start, end), members


def _closes(text: str, at: int) -> bool:
    rest = text[at : at + 3].lstrip(BLANKS)
    return not rest or rest[0] in _CLOSING + "\n"


_WRAPPINGS = (
    ("(", ")"),
    ("（", "）"),
    ("[", "]"),
    ("***", "***"),
    ("**", "**"),
    ("__", "__"),
    ("*", "*"),
    ("_", "_"),
    ("<sup>", "</sup>"),
    ("^", "^"),
)


def _with_wrapping(text: str, start: int, end: int) -> Span:
    changed = True
    while changed:
        changed = False
        for opening, closing in _WRAPPINGS:
            left, right = start, end
            if opening in "(（[":
                while left > 0 and left > start - 4 and text[left - 1] in BLANKS:
                    left -= 1
                while right < len(text) and right < end + 4 and text[right] in BLANKS:
                    right += 1
            if text.endswith(opening, 0, left) and text.startswith(closing, right):
                if opening == "[" and text[left - 1 - 1 : left - 1] == "!":
                    continue
                start, end, changed = left - len(opening), right + len(closing), True
                break
    return Span(start, end)


def _remove(out: _Plain, text: str, region: Span) -> tuple[int, int, bool]:
    """Take one cluster out: where to read on, where it stood in plain, and whether it leads its line."""
    at = region.end
    after = at
    while after < len(text) and text[after] in BLANKS:
        after += 1
    follows = text[after : after + 1]
    line_ends = follows in ("", "\n", "\r", "\f")
    line = out.line()
    if _LINE_START.match(line) and (not out.kept or not line.strip() or not line_ends):
        if not line_ends:
            return after, out.length, True
        # A line of markers alone belongs to what stands before it.
        if not line.strip():
            out.strip(BLANKS + "\n\r\f")
            if not out.kept:
                while after < len(text) and text[after] in "\r\n\f":
                    after += 1
        return after, out.length, False
    blank_before = out.last() in BLANKS
    touches = after == at
    closing = line_ends or follows in _CLOSING or (touches and _closes_emphasis(text, after))
    if closing:
        out.strip(BLANKS)
        place = out.length
        if follows in _STOPS and out.last() == follows != text[after + 1 : after + 2]:
            after += 1  # "five days. [1]." has one stop too many
        return after, place, False
    if blank_before:
        kept_blank = out.kept[-1][1]
        out.strip(BLANKS)
        place = out.length
        first_blank = out.kept[-1][1] if out.kept else kept_blank - 1
        out.keep(first_blank, first_blank + 1)
        return after, place, False
    return (at if touches else after - 1), out.length, False


def _closes_emphasis(text: str, at: int) -> bool:
    """Whether a quotation mark or emphasis that stands at ``at`` ends something rather than begins it."""
    end = at
    while end < len(text) and text[end] in "*_\"'~" and end < at + 6:
        end += 1
    return end > at and (end == len(text) or text[end].isspace() or text[end] in _CLOSING)
