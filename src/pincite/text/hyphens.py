"""Words that a hyphen parts at a line end. Whether the hyphen belongs to the word cannot be told: both readings count."""

from __future__ import annotations

import re

_BROKEN = re.compile(r"[^\W\d_]{1,40}[-\u00ad\u2010][ \t]{0,8}(?:\r\n|\r|\n)[ \t]{0,8}(?:[^\W\d_]{1,40})")
_BETWEEN = re.compile(r"[-\u00ad\u2010]\s+")


def rejoined_words(text: str) -> str:
    """The words of ``text`` that are parted at a line end, put together, with blanks between them.

    >>> rejoined_words("clear infor-\\nmation, long-\\nterm")
    'information longterm'
    """
    if "\n" not in text and "\r" not in text:
        return ""
    return " ".join(_BETWEEN.sub("", match.group()) for match in _BROKEN.finditer(text))
