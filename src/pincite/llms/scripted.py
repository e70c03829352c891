"""A model that says what it was told to say: for tests and demonstrations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pincite.ports import Delta, ModelRequest

DELTA_CHARS = 7
"""Replies come in pieces of this size, so that everything behind them is used to broken lines."""


class ScriptedModel:
    """Gives the replies in turn, one for each call, and keeps the requests it saw.

    A call beyond the last reply gets an empty one.
    """

    def __init__(self, replies: Sequence[str]) -> None:
        self._replies = tuple(replies)
        self.requests: list[ModelRequest] = []

    def __call__(self, request: ModelRequest) -> Iterator[Delta]:
        self.requests.append(request)
        place = len(self.requests) - 1
        reply = self._replies[place] if place < len(self._replies) else ""
        for start in range(0, len(reply), DELTA_CHARS):
            yield Delta(reply[start : start + DELTA_CHARS])
