"""Lists in pages: a cursor names the last item that was given."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import TypeVar

from pincite.service.problems import Problem

T = TypeVar("T")


def page_of(
    items: Sequence[T], *, key: Callable[[T], str], cursor: str | None, limit: int
) -> tuple[list[T], str | None]:
    """The items behind the cursor, at most ``limit``, and the cursor for the next page (``None`` at the end).

    Args:
        items: Sorted by ``key``.
        cursor: As an earlier page gave it; it stays right when items come and go.

    Raises:
        Problem: ``not-found``, when the cursor was not made here.
    """
    after = None if cursor is None else _read(cursor)
    rest = [item for item in items if after is None or key(item) > after]
    given = rest[:limit]
    return given, _written(key(given[-1])) if len(rest) > limit else None


def _written(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii").rstrip("=")


def _read(cursor: str) -> str:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True).decode("utf-8", "surrogatepass")
    except ValueError as error:
        raise Problem("not-found", "This cursor was not given here.") from error
