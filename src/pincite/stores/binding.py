"""Texts as SQLite takes them, and back."""

from __future__ import annotations


def bind(text: str) -> str | bytes:
    """``text`` as SQLite takes it: a lone surrogate, which UTF-8 has no form for, makes it bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def unbind(value: str | bytes) -> str:
    """The way back of ``bind``."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


def told(value: object) -> str:
    """What stands where a text should, for a check that goes on: whatever is no text of ours has a form that none has."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        try:
            return unbind(value)
        except UnicodeDecodeError:
            return f"\ufffd bytes {value.hex()}"
    return f"\ufffd {type(value).__name__} {value!r}"
