"""Take failed citations, and what rests on them alone, out of a text that somebody else wrote."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pincite.text.blocks import blocks
from pincite.text.brackets import Found, find_markers, replace_markers
from pincite.text.grammar import Ids
from pincite.text.markers import ParsedAnswer, parse_markers
from pincite.text.markup import opaque_spans
from pincite.text.unmarked import take_out
from pincite.types import Span

# What is left of a line when all its sentences are gone: a bullet, a number, hashes, a quotation sign.
_EMPTY_LINE = re.compile(r"[ \t]*(?:>[ \t]?)*(?:[-*+•]|\d{1,3}[.)]|#{1,6})?[ \t]*\Z")


@dataclass(frozen=True, slots=True)
class Stripped:
    """What is left of an answer, and the sentences that went, as they were without their markers."""

    body: str
    removed: tuple[str, ...]


def strip_failed(
    answer: str, context_ids: Sequence[str], failed_ids: Collection[str], doomed: Collection[int] = ()
) -> Stripped:
    """Remove the markers of ``failed_ids`` and of unknown ids, and each sentence that is left with none.

    Sentences that never had a marker stay. What stays is as it was written, markers included.

    Args:
        answer: The text with its markers.
        context_ids: Ids of the sources.
        failed_ids: Ids, as ``context_ids`` spells them, whose citations failed.
        doomed: Indexes of sentences that go in any case.

    >>> strip_failed("Keys rotate every year [c-1]. Logs are kept [c-11].", ["c-1", "c-11"], ["c-1"]).body
    'Logs are kept [c-11].'
    """
    parsed = parse_markers(answer, context_ids)
    failed = frozenset(failed_ids)
    gone = [
        index
        for index in range(len(parsed.sentences))
        if index in doomed or _all_failed(parsed, index, failed)
    ]
    body = _without_sentences(parsed, gone)
    removed = tuple(parsed.sentences[index].of(parsed.plain) for index in gone)
    return Stripped(_without_markers(body, context_ids, failed).strip(), removed)


def _all_failed(parsed: ParsedAnswer, index: int, failed: frozenset[str]) -> bool:
    markers = parsed.of_sentence(index)
    return bool(markers) and all(not marker.known or marker.id in failed for marker in markers)


def _without_sentences(parsed: ParsedAnswer, gone: Sequence[int]) -> str:
    out: list[str] = []
    at = 0
    for index in gone:
        span = _written(parsed, index)
        start, end = max(at, span.start), span.end
        line_end = _line_end(parsed.text, end)
        head = parsed.text[parsed.text.rfind("\n", 0, start) + 1 : start]
        if (
            _EMPTY_LINE.fullmatch("".join((*out, parsed.text[at:start])).rpartition("\n")[2])
            and line_end is not None
        ):
            start, end = max(at, start - len(head)), line_end
        elif line_end is None:
            end += len(parsed.text[end:]) - len(parsed.text[end:].lstrip(" \t"))
        kept = parsed.text[at:start]
        out.append(kept.rstrip(" \t") if line_end is not None else kept)
        at = end
    return "".join([*out, parsed.text[at:]])


def _written(parsed: ParsedAnswer, index: int) -> Span:
    """Where the sentence stands in the text as written, its markers included."""
    span = parsed.original(parsed.sentences[index])
    markers = [marker.span for marker in parsed.of_sentence(index)]
    return Span(
        min([span.start, *(one.start for one in markers)]), max([span.end, *(one.end for one in markers)])
    )


def _line_end(text: str, at: int) -> int | None:
    """The end of the line with its break when only blanks follow ``at`` on it."""
    stop = text.find("\n", at)
    stop = len(text) if stop < 0 else stop + 1
    return stop if not text[at:stop].strip() else None


def _without_markers(text: str, context_ids: Sequence[str], failed: frozenset[str]) -> str:
    parts = blocks(text)
    opaque = opaque_spans(text, parts)
    found = tuple(find_markers(text, Ids(context_ids), opaque=opaque))

    def good(marker: Found) -> tuple[str, ...]:
        return tuple(one.id for one in marker.cited if one.known and one.id not in failed)

    mixed = [marker for marker in found if 0 < len(good(marker)) < len(marker.cited)]
    if mixed:
        text = replace_markers(text, mixed, lambda marker: "[" + ", ".join(good(marker)) + "]")
        return _without_markers(text, context_ids, failed)
    bad = [marker for marker in found if not good(marker)]
    return take_out(text, bad, parts, opaque)[0] if bad else text
