"""Texts as PostgreSQL takes them, and back. It has no NUL, and UTF-8 has no form for lone surrogates."""

from __future__ import annotations

import hashlib
import re

_ESCAPE = "\x10"
_ODD = re.compile("[\x00\x10\ud800-\udfff]")
_ESCAPED = re.compile("\x10([0-9a-f]{4})")

LONGEST_REFERENCE = 200
"""Code points of a name that stands in an index as it is: an entry of a B-tree has room for 2,700 bytes."""


def encode(text: str) -> str:
    """``text`` with an escape for each character that PostgreSQL would refuse.

    >>> encode("a\\x00b"), encode("plain")
    ('a\\x100000b', 'plain')
    """
    return _ODD.sub(lambda match: f"{_ESCAPE}{ord(match[0]):04x}", text) if _ODD.search(text) else text


def decode(text: str) -> str:
    """The way back of ``encode``.

    >>> decode(encode("\\ud800 \\x10 \\x00")) == "\\ud800 \\x10 \\x00"
    True
    """
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if _ESCAPE in text else text


def reference(name: str) -> str:
    """``name`` as it stands in a unique index: encoded, and a digest in place of the end of a long one.

    >>> reference("fees-chunk-1"), len(reference("x" * 1_000_000))
    ('fees-chunk-1', 170)
    """
    if len(name) <= LONGEST_REFERENCE:
        return encode(name)
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    # No encoded name has this: an escape is followed by four digits.
    return f"{encode(name[:104])}{_ESCAPE}#{digest}"
