"""Take markup and unseen characters out of a text, with the way back to every original character."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from pincite.types import Span

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
LINK_TARGET = re.compile(r"\](?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?:[ \t]+\"[^\"\n]{0,300}\")?[ \t]*\))")
TAG = re.compile(
    r"</?(a|b|i|u|s|p|em|strong|sup|sub|br|hr|span|div|code|kbd|mark|small|li|ul|ol|td|tr|th|table|tbody|thead|h[1-6])"
    r"(?:[ \t/][^<>]{0,400})?>",
    re.IGNORECASE,
)
BLOCK_TAGS = frozenset("p br hr div li ul ol td tr th table tbody thead h1 h2 h3 h4 h5 h6".split())
LINE_HYPHEN = re.compile(r"[-\u00ad\u2010\u2011][ \t]*(?:\r\n|\r|\n)[ \t]*")
EMPHASIS = re.compile(r"[*_`~\[]+")
"""Markdown that may stand inside a word: un**done**."""
_UNSEEN = re.compile(
    r"[-\u00ad\u2010\u2011][ \t]*(?:\r\n|\r|\n)[ \t]*|[\r\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
)


def link_end(text: str, place: int) -> int:
    """The end of the link target that begins at ``place``, with its closing bracket; else ``place``.

    >>> link_end("[a](b) c", 2), link_end("[a] c", 2)
    (6, 2)
    """
    match = LINK_TARGET.match(text, place)
    return match.end() if match else place


def plain(text: str) -> str:
    """``text`` with link targets and tags blanked, at its old length.

    >>> plain("[x](y) is <b>bold</b>")
    '[x    is    bold    '
    """
    if "](" in text:
        text = LINK_TARGET.sub(lambda match: " " * len(match.group()), text)
    if "<" in text:
        text = TAG.sub(lambda match: " " * len(match.group()), text)
    return text


@dataclass(frozen=True, slots=True)
class Unescaped:
    """A text rewritten (HTML entities read, say), and the way back: ``starts`` and ``ends`` per character of ``text``."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def original(self, span: Span) -> Span:
        """The span of the text as given; an entity is never cut."""
        if not self.text:
            return Span(0, 0)
        start = self.starts[span.start] if span.start < len(self.starts) else self.ends[-1]
        return Span(start, max(start, self.ends[span.end - 1]) if span.end > span.start else start)


def unescape(text: str) -> Unescaped | None:
    """Read the HTML entities of ``text``; ``None`` when it has none.

    >>> unescape("5&nbsp;%").text, unescape("R&D")
    ('5\\xa0%', None)
    """
    if "&" not in text or _ENTITY.search(text) is None:
        return None
    return _rewrite(text, _ENTITY, _entity_char)


def _entity_char(match: re.Match[str]) -> str | None:
    return _read_entity(match.group())


@lru_cache(maxsize=4096)
def _read_entity(entity: str) -> str | None:
    import html  # brings a table of 2,000 names, which most texts do not need

    char = html.unescape(entity)
    return char if len(char) == 1 else None  # else no entity after all, or one of two characters


def seen(text: str) -> str:
    """``text`` without soft hyphens, zero-width characters and line-end hyphens.

    >>> seen("mil-\\nlion")
    'million'
    """
    if _UNSEEN.search(text) is None:
        return text
    return _UNSEEN.sub(_seen_or_none, text)


def _seen_or_none(match: re.Match[str]) -> str:
    char = _unseen_char(match)
    return match.group() if char is None else char


def without_unseen(text: str) -> Unescaped | None:
    """``text`` without soft hyphens, zero-width characters and line-end hyphens; ``None`` when it has none.

    >>> without_unseen("mil-\\nlion").text
    'million'
    """
    return _rewrite(text, _UNSEEN, _unseen_char) if _UNSEEN.search(text) else None


def _unseen_char(match: re.Match[str]) -> str | None:
    found, text = match.group(), match.string
    if len(found) == 1:
        return ""
    start, end = match.span()
    inside = start > 0 and end < len(text) and text[start - 1].isalpha() and text[end].isalpha()
    return "" if inside else None


def _rewrite(
    text: str, pattern: re.Pattern[str], by: Callable[[re.Match[str]], str | None]
) -> Unescaped | None:
    """Put one character or none in place of each match; ``None`` leaves a match as it is."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    last = 0
    for match in pattern.finditer(text):
        char = by(match)
        if char is None:
            continue
        start, end = match.span()
        parts += (text[last:start], char)
        starts.extend(range(last, start + len(char)))
        ends.extend(range(last + 1, start + 1))
        ends.extend([end] * len(char))
        last = end
    if not last:
        return None
    parts.append(text[last:])
    starts.extend(range(last, len(text)))
    ends.extend(range(last + 1, len(text) + 1))
    return Unescaped("".join(parts), tuple(starts), tuple(ends))
