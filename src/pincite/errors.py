"""Every error a caller can act on. A message says what, where, why and what to do next."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

ENOUGH_LETTERS = 3
"""Fewer do not name anything."""


def install_line(extra: str) -> str:
    """What installs an extra: the package by its name, or, where this is a checkout, the checkout.

    >>> "[serve]" in install_line("serve")
    True
    """
    in_checkout = (Path(__file__).parents[2] / "pyproject.toml").is_file()
    return f'pip install ".[{extra}]" in the checkout' if in_checkout else f'pip install "pincite[{extra}]"'


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """The hint for a name that nobody knows: which of the known ones it is a slip for or begins, else ``otherwise``.

    >>> did_you_mean("ruled", ["rules", "llm"]), did_you_mean("x", ["rules", "llm"], "choose from rules, llm")
    ('did you mean rules?', 'choose from rules, llm')
    >>> did_you_mean("hut", ["hut-handbook-txt"])
    'did you mean hut-handbook-txt?'
    """
    from difflib import get_close_matches  # what goes well does not pay for it

    names = list(known)
    # The beginning of a long name is no slip, and not near it by letters.
    close = get_close_matches(word, names, n=1) or [
        one for one in names if len(word) >= ENOUGH_LETTERS and one.startswith(word)
    ]
    return f"did you mean {close[0]}?" if close else otherwise


class PinciteError(Exception):
    """Base of all errors raised on purpose.

    Args:
        message: One sentence: the thing and what is wrong with it.
        where: The place, such as ``"pincite.toml:14"`` or a path. Empty when there is none.
        hint: The next step. Empty when there is none.
    """

    kind = "error"

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        step = f"; {self.hint}" if self.hint else ""
        return f"{place}{self.message}{step}"


class ConfigError(PinciteError):
    """A setting or argument cannot be right. Raised before any work is done."""

    kind = "config"


class ParseError(PinciteError):
    """A file cannot be read as a document. ``status`` says in one word why: ``unreadable``, or of PDF ``encrypted``,
    ``needs_ocr``, ``broken``, ``too_large``, ``too_slow``."""

    kind = "parse"

    def __init__(self, message: str, *, where: str = "", hint: str = "", status: str = "unreadable") -> None:
        super().__init__(message, where=where, hint=hint)
        self.status = status


class StoreError(PinciteError):
    """The database cannot be opened, read or written."""

    kind = "store"


class StoreMissing(StoreError):
    """There is no database yet where it was looked for."""


class ModelError(PinciteError):
    """A model or embedder failed. ``retryable`` says whether the same call may work later."""

    kind = "model"

    def __init__(self, message: str, *, where: str = "", hint: str = "", retryable: bool = False) -> None:
        super().__init__(message, where=where, hint=hint)
        self.retryable = retryable


class VerificationError(PinciteError):
    """``verify(on_fail="raise")`` found sentences that do not hold. ``report`` says which."""

    kind = "verification"

    def __init__(self, message: str, *, report: object, where: str = "", hint: str = "") -> None:
        super().__init__(message, where=where, hint=hint)
        self.report = report
