"""Ids made of names: ``^[a-z0-9-]+$``, so that they stand in markers, addresses and file names unchanged."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_OTHER = re.compile(r"[^a-z0-9-]+")
_PLAIN = re.compile(r"[a-z0-9-]+")
_MAX_CHARS = 100
_HASH_CHARS = 8


def slug(name: str) -> str:
    """``name`` in lower-case letters, digits and dashes; with a hash of it when that loses anything.

    Never empty, at most 109 characters. Names that differ, if only in case, get slugs that differ.

    >>> slug("refunds-2024"), slug("Refunds 2024"), slug("返品")
    ('refunds-2024', 'refunds-2024-13d37e8c', 'doc-b6ab925f')
    """
    if len(name) <= _MAX_CHARS and _PLAIN.fullmatch(name):
        return name
    # Accents are taken off one character at a time: whole names could be floods of combining marks.
    letters = name[:_MAX_CHARS]
    if not letters.isascii():
        letters = "".join(unicodedata.normalize("NFKD", char)[:1] for char in letters)
    base = _OTHER.sub("-", letters.lower()).strip("-") or "doc"
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{base}-{digest[:_HASH_CHARS]}"
