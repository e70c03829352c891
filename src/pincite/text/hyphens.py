"""Words that a hyphen parts at a line end. Whether the hyphen belongs to the word cannot be told: both readings count."""

from __future__ import annotations

import re

# The hyphen first, then the letters before it: few places to look at, where every word would be one.
_BREAK = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010][ \t]{0,8}(?:\r\n|\r|\n)[ \t]{0,8}([^\W\d_]{1,40})")
_HEAD = re.compile(r"[^\W\d_]{1,40}\Z")
_LONGEST = 40


def rejoined_words(text: str) -> str:
    """The words of ``text`` that are parted at a line end, put together, with blanks between them.

    >>> rejoined_words("clear infor-\\nmation, long-\\nterm")
    'information longterm'
    """
    if "\n" not in text and "\r" not in text:
        return ""
    words: list[str] = []
    taken = 0
    for match in _BREAK.finditer(text):
        head = _HEAD.search(text[max(taken, match.start() - _LONGEST) : match.start()])
        if head is not None:
            words.append(head[0] + match[1])
            taken = match.end()
    return " ".join(words)
