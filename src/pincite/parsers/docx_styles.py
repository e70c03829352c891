"""What Word keeps apart from the text: which styles are headings, and how paragraphs are numbered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from xml.etree.ElementTree import Element

_SPACES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w:",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w:",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m:",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m:",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc:",
}
"""Transitional and strict names are the same to us. Source: ECMA-376 parts 1, 3 and 4."""

_HEADING_STYLE = re.compile(r"heading ([1-9])", re.IGNORECASE)
_LEVEL_SIGN = re.compile(r"%([1-9])")
_MAX_LEVELS = 9
_MAX_ROMAN = 4000
_MAX_LETTERS = 780
"""Word writes the 27th as aa, the 53rd as aaa; 30 letters are no label."""
_MAX_CHAIN = 20
"""Styles that are based on each other in a circle end here."""

BULLET = "•"


@cache
def _short(tag: str) -> str:
    space, _, name = tag.removeprefix("{").rpartition("}")
    return _SPACES.get(space, "") + name


def name_of(element: Element) -> str:
    """``w:p``, ``m:t``, ``mc:Choice``; names of other spaces without a prefix."""
    return _short(element.tag)


def child(element: Element | None, name: str) -> Element | None:
    """The first child of that name."""
    if element is None:
        return None
    return next((one for one in element if _short(one.tag) == name), None)


def children(element: Element | None, name: str) -> Iterator[Element]:
    if element is not None:
        yield from (one for one in element if _short(one.tag) == name)


def value(element: Element | None, name: str = "val") -> str | None:
    """An attribute of Word's own, whatever its space."""
    if element is None:
        return None
    return next((text for key, text in element.items() if key.rpartition("}")[2] == name), None)


def number(element: Element | None, name: str = "val", default: int = 0) -> int:
    """The same as a whole number; ``default`` where it is none of at most six digits."""
    text = (value(element, name) or "").strip()
    return int(text) if re.fullmatch(r"-?[0-9]{1,6}", text) else default


def is_on(parent: Element | None, name: str) -> bool:
    """Whether a switch such as ``w:vanish`` is there and not off."""
    switch = child(parent, name)
    return switch is not None and (value(switch) or "true") not in ("0", "false", "off", "none")


# --- styles -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Style:
    """What a style says of its paragraphs or runs. ``level`` is of a heading, 1-9; 0 when it is none.

    ``num_id`` is ``None`` where the style says nothing about numbers, ``"0"`` where it takes them away.
    """

    name: str = ""
    level: int = 0
    num_id: str | None = None
    num_level: int = 0
    hidden: bool = False


def read_styles(root: Element | None) -> dict[str, Style]:
    """Styles by their id, each with what it takes over from those it is based on; ``""`` is that of paragraphs which
    name none."""
    elements = {value(one, "styleId") or "": one for one in children(root, "w:style")}
    styles = {style_id: _style(style_id, elements) for style_id in elements}
    for style_id, element in elements.items():
        if value(element, "type") == "paragraph" and value(element, "default") in ("1", "true", "on"):
            styles.setdefault("", styles[style_id])
    return styles


def _style(style_id: str, elements: dict[str, Element]) -> Style:
    name = value(child(elements[style_id], "w:name")) or style_id
    level = num_level = 0
    num_id: str | None = None
    found_level = found_num_level = False
    hidden: bool | None = None
    at: str | None = style_id
    for _ in range(_MAX_CHAIN):
        element = elements.get(at or "")
        if element is None:
            break
        paragraph, run = child(element, "w:pPr"), child(element, "w:rPr")
        if not found_level:
            outline = child(paragraph, "w:outlineLvl")
            named = _HEADING_STYLE.fullmatch(value(child(element, "w:name")) or "")
            if outline is not None or named:
                found_level = True
                level = heading_level(outline) if outline is not None else int(named[1]) if named else 0
        numbers = child(paragraph, "w:numPr")
        if num_id is None:
            num_id = value(child(numbers, "w:numId"))
        if not found_num_level and child(numbers, "w:ilvl") is not None:
            found_num_level, num_level = True, number(child(numbers, "w:ilvl"))
        if hidden is None and child(run, "w:vanish") is not None:
            hidden = is_on(run, "w:vanish")
        at = value(child(element, "w:basedOn"))
    return Style(name, level, num_id, num_level, bool(hidden))


def heading_level(outline: Element | None) -> int:
    """1-9 for Word's 0-8; 0 for body text."""
    level = number(outline, default=_MAX_LEVELS)
    return level + 1 if 0 <= level < _MAX_LEVELS else 0


# --- numbering ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Level:
    start: int = 1
    format: str = "decimal"
    text: str = ""
    style: str | None = None
    legal: bool = False


@dataclass(slots=True)
class Numbering:
    """Counts numbered paragraphs, in document order."""

    levels: dict[str, dict[int, _Level]] = field(default_factory=dict)
    """By number id."""
    shared: dict[str, str] = field(default_factory=dict)
    """Number id -> the definition whose count it continues."""
    starts: dict[str, dict[int, int]] = field(default_factory=dict)
    """Number id -> where it starts again, once."""
    counts: dict[str, dict[int, int]] = field(default_factory=dict)

    def label(self, num_id: str, level: int, style: str | None = None) -> str:
        """The label of the next paragraph of that number and level: ``3.``, ``(b)``, ``§ 12``, or ``BULLET``. Empty
        where there is none.

        Args:
            style: Id of the paragraph's style: it may be bound to another level.
        """
        levels = self.levels.get(num_id)
        if not levels:
            return ""
        level = next(
            (at for at, one in levels.items() if style is not None and one.style == style),
            min(max(level, 0), _MAX_LEVELS - 1),
        )
        counts = self.counts.setdefault(self.shared[num_id], {})
        for at, start in self.starts.pop(num_id, {}).items():
            counts[at] = start - 1
        here = levels.get(level, _Level())
        counts[level] = counts.get(level, here.start - 1) + 1
        for deeper in [at for at in counts if at > level]:
            del counts[deeper]
        if here.format == "bullet":
            return BULLET
        if here.format == "none" and "%" not in here.text:
            return here.text.strip()

        def counted(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            other = levels.get(at, _Level())
            count = counts.setdefault(at, other.start)
            return _written(count, "decimal" if here.legal else other.format)

        return _LEVEL_SIGN.sub(counted, here.text[:200]).strip()


def read_numbering(root: Element | None) -> Numbering:
    """The numbers of a document; without the part nothing is numbered."""
    definitions = {value(one, "abstractNumId") or "": one for one in children(root, "w:abstractNum")}
    defined: dict[str, dict[int, _Level]] = {}
    found = Numbering()
    for num in children(root, "w:num"):
        num_id = value(num, "numId") or ""
        shared = value(child(num, "w:abstractNumId")) or ""
        if shared not in defined:
            lines = children(definitions.get(shared), "w:lvl")
            defined[shared] = {number(one, "ilvl"): _level(one) for one in lines}
        changes = tuple(children(num, "w:lvlOverride"))
        levels = dict(defined[shared]) if changes else defined[shared]
        for change in changes:
            at = number(change, "ilvl")
            if (own := child(change, "w:lvl")) is not None:
                levels[at] = _level(own)
            if (start := child(change, "w:startOverride")) is not None:
                found.starts.setdefault(num_id, {})[at] = number(start, default=1)
        found.levels[num_id], found.shared[num_id] = levels, shared
    return found


def _level(element: Element) -> _Level:
    return _Level(
        start=number(child(element, "w:start"), default=1),
        format=value(child(element, "w:numFmt")) or "decimal",
        text=value(child(element, "w:lvlText")) or "",
        style=value(child(element, "w:pStyle")),
        legal=is_on(element, "w:isLgl"),
    )


def _written(count: int, form: str) -> str:
    """A number in Word's words for forms; unknown ones are written in digits.

    >>> [_written(4, form) for form in ("decimal", "lowerLetter", "upperRoman", "decimalZero")]
    ['4', 'd', 'IV', '04']
    """
    if form in ("lowerLetter", "upperLetter") and 0 < count <= _MAX_LETTERS:
        letters = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)
        return letters if form == "lowerLetter" else letters.upper()
    if form in ("lowerRoman", "upperRoman") and 0 < count < _MAX_ROMAN:
        return _roman(count) if form == "lowerRoman" else _roman(count).upper()
    if form == "decimalZero":
        return f"{count:02d}"
    return "" if form in ("none", "bullet") else str(count)


_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def _roman(count: int) -> str:
    parts: list[str] = []
    for worth, letters in _ROMAN:
        times, count = divmod(count, worth)
        parts.append(letters * times)
    return "".join(parts)
