"""Where passages that somebody else cut from a text stand in it."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.types import Span


def locate_in_order(text: str, passages: Sequence[str]) -> tuple[Span | None, ...]:
    """The place of each passage, in document order: each begins after the start of the one before it.

    A passage that follows directly on the one before it (white space aside) is taken there; otherwise the first
    place after the start of the one before it counts, so that passages may overlap.

    Returns:
        For each passage its span in ``text``; ``None`` for one that is empty or is not there.

    >>> locate_in_order("Closed. Fees. Closed.", ["Closed.", "Fees.", "Closed."])
    (Span(start=0, end=7), Span(start=8, end=13), Span(start=14, end=21))
    """
    found: list[Span | None] = []
    after, end = 0, 0
    for passage in passages:
        start = _next(text, passage, after, end) if passage else -1
        if start < 0:
            found.append(None)
            continue
        found.append(Span(start, start + len(passage)))
        after, end = start + 1, start + len(passage)
    return tuple(found)


def _next(text: str, passage: str, after: int, end: int) -> int:
    at = end
    # The passage may itself begin with the white space between the two.
    while at < len(text) and text[at].isspace() and not text.startswith(passage, at):
        at += 1
    return at if text.startswith(passage, at) else text.find(passage, after)
