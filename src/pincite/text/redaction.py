"""Personal data and whole texts blacked out, character by character: offsets into a text that was redacted still hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

BLACK = "█"


def _luhn(text: str) -> bool:
    """Whether the digits of ``text`` end in the check digit of a payment card (ISO/IEC 7812-1)."""
    digits = [int(char) for char in text if "0" <= char <= "9"][::-1]
    doubled = sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return len(digits) >= 13 and (sum(digits[::2]) + doubled) % 10 == 0


def _seven_digits(text: str) -> bool:
    return sum("0" <= char <= "9" for char in text) >= 7


def _any(text: str) -> bool:
    return True


# Every quantifier is bounded, so that a hostile text costs its length.
PERSONAL: Mapping[str, tuple[re.Pattern[str], Callable[[str], bool]]] = {
    "email": (re.compile(r"[^\s@<>\"'(),;:\[\]]{1,64}@[^\s@<>\"'(),;:\[\]]{1,255}"), _any),
    "iban": (
        re.compile(r"\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"),
        lambda text: sum("0" <= char <= "9" for char in text) >= 8,
    ),
    "card": (re.compile(r"(?<![0-9])[0-9](?:[ -]?[0-9]){12,18}(?![0-9])"), _luhn),
    "ip": (
        re.compile(r"(?<![0-9.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![0-9.])|\b(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}\b"),
        _any,
    ),
    "phone": (re.compile(r"(?<![\w.])(?:\+|00|0|\()[0-9][0-9()/ .-]{5,20}[0-9](?!\w)"), _seven_digits),
}  # fmt: skip
"""Kinds of personal data: what they look like, and what else must hold. Applied in this order."""

FIELDS: Mapping[str, frozenset[str]] = {
    "question": frozenset({"question", "uncovered_aspects"}),
    "answer": frozenset({"text", "answer", "plain", "notes", "before", "after", "values"}),
    "quotes": frozenset(
        {"quote", "quote_full", "quote_translation", "prefix", "suffix", "preview", "why", "reason", "source", "title", "section"}
    ),
    "notes": frozenset({"note"}),
    "principal": frozenset({"principal", "reviewer"}),
    "client": frozenset({"client"}),
}  # fmt: skip
"""Parts of a log entry that can be blacked out whole, and the fields they are."""

CHOICES = (*PERSONAL, *FIELDS)

_TEXTS = frozenset().union(*FIELDS.values()) | {
    "open_url",
    "warnings",
    "removed",
    "label",
    "table",
    "row",
    "column",
}
"""Fields that may hold somebody's words. All others are ids, hashes, numbers, dates and words of ours."""


def redacted(text: str, kinds: Collection[str]) -> str:
    """``text`` with the personal data of these kinds blacked out; as long as it was.

    >>> redacted("Ask ann@example.org or 030 1234567.", ["email", "phone"])
    'Ask ███████████████ or ███ ███████.'
    """
    for kind in PERSONAL:
        if kind in kinds:
            pattern, holds = PERSONAL[kind]
            text = pattern.sub(partial(_blacked, holds), text)
    return text


def _blacked(holds: Callable[[str], bool], found: re.Match[str]) -> str:
    return _black(found[0]) if holds(found[0]) else found[0]


def _black(text: str) -> str:
    return "".join(char if char.isspace() else BLACK for char in text)


def redacted_entry(entry: Any, kinds: Collection[str], field: str = "") -> Any:
    """A log entry, as JSON holds it, with personal data and whole fields blacked out.

    Args:
        entry: Any value that JSON has.
        kinds: Of ``CHOICES``.
        field: Under which ``entry`` stands.

    >>> redacted_entry({"id": "ans_1", "question": "Who is it?", "client": "curl"}, ["question"])
    {'id': 'ans_1', 'question': '███ ██ ███', 'client': 'curl'}
    """
    if isinstance(entry, str):
        if any(field in FIELDS[kind] for kind in kinds if kind in FIELDS):
            return _black(entry)
        return redacted(entry, kinds) if field in _TEXTS else entry
    if isinstance(entry, Mapping):
        return {name: redacted_entry(value, kinds, name) for name, value in entry.items()}
    if isinstance(entry, list | tuple):
        return [redacted_entry(value, kinds, field) for value in entry]
    return entry
