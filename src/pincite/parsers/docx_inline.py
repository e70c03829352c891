"""A paragraph of Word as its reader sees it: insertions are there, deletions and hidden text are not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from pincite.parsers.docx_styles import Style, child, is_on, name_of, value
from pincite.parsers.written import small_digits

_UNSEEN = frozenset(
    "w:del w:moveFrom w:delText w:instrText w:delInstrText w:pPr w:rPr w:rt w:rubyPr w:sdtPr w:sdtEndPr w:fldData "
    "w:annotationRef w:footnoteRef w:endnoteRef w:separator w:continuationSeparator".split()
)
"""Elements whose content is not shown. Comments stand in a part of their own, and only their places here."""

_CHARACTERS = {
    "w:tab": "\t",
    "w:ptab": "\t",
    "w:br": "\v",
    "w:cr": "\v",
    "w:noBreakHyphen": "\u2011",
}
_SYMBOLS = {
    "6f": "☐", "a8": "☐", "fe": "☑", "fd": "☒", "fc": "✓", "fb": "✗", "a7": "▪", "e0": "→", "b7": "•", "d8": "➢",
}  # fmt: skip
"""Of the fonts Wingdings and Symbol, by the last two digits of their code: what people tick, and bullets."""

_BLANKS = re.compile("[ \t\r\n]+")


@dataclass(slots=True)
class Inline:
    """What stands in a paragraph.

    Attributes:
        parts: The text; ``\\v`` is a line break.
        boxes: Text boxes that hang on it.
        notes: Footnotes and endnotes that it refers to: kind and id.
        tracked: Whether it holds tracked changes.
    """

    parts: list[str] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    tracked: bool = False

    @property
    def text(self) -> str:
        """Lines without blanks at their ends, runs of blanks as one."""
        lines = (_BLANKS.sub(" ", line).strip(" ") for line in "".join(self.parts).split("\v"))
        return "\n".join(line for line in lines if line)

    @property
    def code(self) -> str:
        """The same with its blanks."""
        return "".join(self.parts).replace("\v", "\n")


@dataclass(slots=True)
class _Fields:
    """The fields that are open: of each whether its result has begun. ``codes`` counts those where it has not, as the
    code of a field is not shown."""

    open: list[bool] = field(default_factory=list)
    codes: int = 0

    def mark(self, kind: str | None) -> None:
        if kind == "begin":
            self.open.append(False)
            self.codes += 1
        elif self.open and kind == "separate":
            self.codes -= not self.open[-1]
            self.open[-1] = True
        elif self.open and kind == "end":
            self.codes -= not self.open.pop()


def read_inline(paragraph: Element, styles: Mapping[str, Style]) -> Inline:
    """The content of ``w:p``. The tree is at most ``package.MAX_XML_DEPTH`` deep."""
    found = Inline()
    _walk(paragraph, found, styles, _Fields())
    return found


def _walk(element: Element, found: Inline, styles: Mapping[str, Style], fields: _Fields) -> None:
    for one in element:
        name = name_of(one)
        if name in ("w:t", "m:t"):
            if not fields.codes:
                found.parts.append(one.text or "")
        elif name in _UNSEEN:
            found.tracked = found.tracked or name in ("w:del", "w:moveFrom")
        elif name in _CHARACTERS:
            if not fields.codes:
                found.parts.append(_CHARACTERS[name])
        elif name == "w:r":
            _run(one, found, styles, fields)
        elif name == "w:fldChar":
            fields.mark(value(one, "fldCharType"))
        elif name == "w:sym":
            found.parts.append(_SYMBOLS.get((value(one, "char") or "")[-2:].lower(), ""))
        elif name in ("w:footnoteReference", "w:endnoteReference"):
            found.notes.append((name.removeprefix("w:").removesuffix("Reference"), value(one, "id") or ""))
        elif name == "w:txbxContent":
            found.boxes.append(one)
        elif name == "mc:AlternateContent":
            _alternative(one, found, styles, fields)
        elif name == "w:sdt":
            # "Click here to enter text" is nobody's text.
            if not is_on(child(one, "w:sdtPr"), "w:showingPlcHdr"):
                _walk(one, found, styles, fields)
        elif name == "m:f":
            _fraction(one, found, styles)
        elif name in ("m:sup", "m:sub"):
            _small(one, found, styles, fields, raised=name == "m:sup")
        else:
            found.tracked = found.tracked or name in ("w:ins", "w:moveTo")
            _walk(one, found, styles, fields)


def _run(run: Element, found: Inline, styles: Mapping[str, Style], fields: _Fields) -> None:
    how = child(run, "w:rPr")
    if how is None:
        _walk(run, found, styles, fields)
        return
    style = styles.get(value(child(how, "w:rStyle")) or "-")
    hidden = is_on(how, "w:vanish") if child(how, "w:vanish") is not None else bool(style and style.hidden)
    if hidden:
        for mark in run:  # a field that begins or ends in hidden text begins or ends all the same
            if name_of(mark) == "w:fldChar":
                fields.mark(value(mark, "fldCharType"))
        return
    align = value(child(how, "w:vertAlign"))
    if align in ("superscript", "subscript"):
        _small(run, found, styles, fields, raised=align == "superscript")
    else:
        _walk(run, found, styles, fields)


def _small(
    element: Element, found: Inline, styles: Mapping[str, Style], fields: _Fields, *, raised: bool
) -> None:
    at = len(found.parts)
    _walk(element, found, styles, fields)
    words = "".join(found.parts[at:]).strip()
    if small := small_digits(words, raised=raised):
        found.parts[at:] = [small]
    elif words and name_of(element) == "m:sup":
        found.parts[at:] = ["^", words]


def _fraction(element: Element, found: Inline, styles: Mapping[str, Style]) -> None:
    for part, before in (("m:num", ""), ("m:den", "/")):
        inside = child(element, part)
        if inside is not None:
            found.parts.append(before)
            _walk(inside, found, styles, _Fields())


def _alternative(element: Element, found: Inline, styles: Mapping[str, Style], fields: _Fields) -> None:
    """The same for new and for old programs: the first that holds anything."""
    before = len(found.parts), len(found.boxes)
    for one in element:
        _walk(one, found, styles, fields)
        if (len(found.parts), len(found.boxes)) != before:
            return
