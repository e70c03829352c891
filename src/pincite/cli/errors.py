"""What can be wrong with the words of a command line."""

from __future__ import annotations

from pincite.errors import PinciteError


class UsageError(PinciteError):
    """The words cannot be read, or do not go together."""

    kind = "usage"


class NotFoundError(PinciteError):
    """There is nothing of that name, or nothing that this reader may see: the message is the same."""

    kind = "not-found"
