"""Word files: the text that a reader of the document sees, in its order, with headings, numbers, tables and notes.

Read as if all tracked changes were accepted. Left out: headers and footers, comments, hidden text, tables of contents,
pictures. Word files have no pages: where one ends is for the program that prints them to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from pincite.errors import ParseError
from pincite.parsers.docx_inline import read_inline
from pincite.parsers.docx_styles import (
    BULLET,
    Numbering,
    Style,
    child,
    children,
    heading_level,
    is_on,
    name_of,
    number,
    read_numbering,
    read_styles,
    value,
)
from pincite.parsers.docx_writer import Writer
from pincite.parsers.fields import make_document
from pincite.parsers.package import Package, open_package
from pincite.parsers.pipes import pipe_table
from pincite.parsers.properties import core_properties
from pincite.parsers.written import small_digits
from pincite.types import Document

_CONTENTS_STYLE = re.compile(r"toc ?(?:[1-9]|heading)|table of figures|index ?[1-9]", re.IGNORECASE)
_CODE_STYLES = frozenset(("html preformatted", "code", "source code", "preformatted text", "macro text"))
"""Names that Word, LibreOffice and pandoc give."""
_INTO = frozenset(("w:ins", "w:moveTo", "w:customXml", "w:smartTag", "w:sdtContent"))
_MAX_COLUMNS = 1000
_MAX_REPEATED = 1_000_000
"""Characters that the repeating of merged cells may add to a document."""
_FIRST_ROW = 0x0020
"""The bit of ``w:tblLook`` that says that the first row is a header. Source: ECMA-376 part 1, 17.4.56."""
_NUMERIC = re.compile(r"[-+−(]?[\s\d.,%€$£¥]*\d[\s\d.,%€$£¥)]*")


def parse(data: bytes, source: str) -> tuple[Document, ...]:
    """Read a Word file (.docx, .docm, .dotx).

    Blocks are as those of HTML: an empty line between them, list items with ``- `` or their number, tables as rows of
    ``| cells |`` with merged cells repeated. Footnotes and endnotes follow the block that refers to them, behind a small
    number. Title, author, date of the last change, version and language come from the properties of the file.

    Raises:
        ParseError: If it is broken, encrypted, too large, or says something that cannot be.
    """
    if not data.startswith(b"PK"):
        raise ParseError("not a Word file: it is no ZIP package", where=source, hint="save it as .docx again")
    package = open_package(data, source)
    package.check()
    main = package.related().get("officeDocument", "word/document.xml")
    root = package.xml(main)
    body = child(root, "w:body")
    if root is None or body is None:
        raise ParseError("not a Word file: it has no text part", where=source, hint="save it as .docx again")
    reader = _Reader(package, main, source)
    reader.blocks(body)
    text, sections = reader.writer.finished()
    given = core_properties(package)
    title = reader.title or (sections[0].path[-1] if sections else "")
    return (
        make_document(
            given, text, source=source, format="docx", title=title, sections=sections,
            warnings=reader.warnings(),
        ),
    )  # fmt: skip


class _Reader:
    """Walks the blocks of a document and hands them to a writer."""

    def __init__(self, package: Package, main: str, source: str) -> None:
        parts = package.related(main)
        self.styles: Mapping[str, Style] = read_styles(package.xml(parts.get("styles", "-")))
        self.numbering: Numbering = read_numbering(package.xml(parts.get("numbering", "-")))
        self.note_texts = {
            kind: {value(one, "id") or "": one for one in children(package.xml(parts.get(f"{kind}s", "-")), f"w:{kind}")}
            for kind in ("footnote", "endnote")
        }  # fmt: skip
        self.source = source
        self.writer = Writer()
        self.title = ""
        self.carried = ""
        """Text before a paragraph mark that was deleted."""
        self.notes: list[tuple[str, str]] = []
        """Referred to in what was written last, not yet written themselves."""
        self.note_numbers: dict[str, int] = {"footnote": 0, "endnote": 0}
        self.tracked = self.embedded = False
        self.repeated = 0

    def warnings(self) -> tuple[str, ...]:
        said = []
        if self.tracked:
            said.append("holds tracked changes; read as if all were accepted")
        if self.embedded:
            said.append("holds an embedded document, which is not read")
        return tuple(said)

    # --- blocks -------------------------------------------------------------------------------

    def blocks(self, container: Element) -> None:
        """Write the blocks of the body, of a text box or of a cell that only lays out."""
        self._into(container)
        if self.carried:
            self.writer.block(self.carried)
            self.carried = ""
        self._write_notes()

    def _into(self, container: Element) -> None:
        for one in container:
            name = name_of(one)
            if name == "w:p":
                self._paragraph(one)
            elif name == "w:tbl":
                self._write_notes()
                self._table(one)
            elif name == "w:sdt":
                about = child(one, "w:sdtPr")
                gallery = value(child(child(about, "w:docPartObj"), "w:docPartGallery")) or ""
                if gallery != "Table of Contents" and not is_on(about, "w:showingPlcHdr"):
                    self._into(one)
            elif name in _INTO:
                self.tracked = self.tracked or name in ("w:ins", "w:moveTo")
                self._into(one)
            elif name in ("w:del", "w:moveFrom"):
                self.tracked = True
            elif name == "mc:AlternateContent":
                chosen = next(iter(one), None)
                if chosen is not None:
                    self._into(chosen)
            elif name == "w:altChunk":
                self.embedded = True

    def _paragraph(self, paragraph: Element) -> None:
        about = child(paragraph, "w:pPr")
        style_id = value(child(about, "w:pStyle")) or ""
        style = self.styles.get(style_id, self.styles.get("", Style()))
        if _CONTENTS_STYLE.fullmatch(style.name):
            return
        inline = read_inline(paragraph, self.styles)
        mark = child(about, "w:rPr")
        joined = child(mark, "w:del") is not None or child(mark, "w:moveFrom") is not None
        self.tracked = self.tracked or inline.tracked or joined or child(mark, "w:ins") is not None
        if style.name.casefold() in _CODE_STYLES:
            self.writer.code(inline.code)
            return
        text = f"{self.carried} {inline.text}".strip(" ") if self.carried else inline.text
        self.carried = text if joined else ""
        if joined:
            self.notes += inline.notes
            return
        outline = child(about, "w:outlineLvl")
        level = heading_level(outline) if outline is not None else style.level
        if text:
            self._write(text, about, style_id, style, level)
        self.notes += inline.notes
        for box in inline.boxes:
            self._write_notes()
            self._into(box)

    def _write(self, text: str, about: Element | None, style_id: str, style: Style, level: int) -> None:
        label, list_level = self._label(about, style_id, style)
        if level:
            self._write_notes()
            title = " ".join(text.split())
            self.writer.heading(level, f"{label} {title}" if label and label != BULLET else title)
        elif label:
            if self.notes and not self.writer.in_list:
                self._write_notes()
            self.writer.item(list_level, "-" if label == BULLET else label, text)
        else:
            self._write_notes()
            self.writer.block(text)
            if not self.title and style.name.casefold() == "title":
                self.title = " ".join(text.split())

    def _label(self, about: Element | None, style_id: str, style: Style) -> tuple[str, int]:
        """The label of a numbered paragraph and how deep it lies; counts it."""
        numbers = child(about, "w:numPr")
        num_id = value(child(numbers, "w:numId"))
        level = child(numbers, "w:ilvl")
        at = number(level) if level is not None else style.num_level
        if num_id is None:
            num_id = style.num_id
            bound = style_id if level is None else None
        else:
            bound = None
        if num_id is None or num_id == "0":
            return "", 0
        return self.numbering.label(num_id, at, bound), at

    # --- notes --------------------------------------------------------------------------------

    def _write_notes(self) -> None:
        """The notes of the block before, each as a block with its number."""
        waiting, self.notes = self.notes, []
        for kind, note_id in waiting:
            self.note_numbers[kind] += 1
            # Taken out: a note that refers to itself is written once.
            note = self.note_texts[kind].pop(note_id, None)
            words = " ".join(self._cell_texts(note)) if note is not None else ""
            if words:
                count = str(self.note_numbers[kind])
                self.writer.block(f"{small_digits(count, raised=True) or count} {words}")

    # --- tables -------------------------------------------------------------------------------

    def _table(self, table: Element) -> None:
        rows = tuple(self._rows(table))
        grid = [self._grid_row(row) for row in rows]
        if max((sum(cell.across for cell in row) for row in grid), default=0) < 2:
            for row in grid:
                for cell in row:
                    self._into(cell.element)
                    self._write_notes()
            return
        boxes: list[Element] = []
        texts: list[list[str]] = []
        above: dict[int, str] = {}
        for row, element in zip(grid, rows, strict=True):
            line = [""] * min(number(child(child(element, "w:trPr"), "w:gridBefore")), _MAX_COLUMNS)
            below: dict[int, str] = {}
            for cell in row:
                at = len(line)
                text = above.get(at, "") if cell.goes_on else " ".join(self._cell_texts(cell.element, boxes))
                across = cell.across
                self.repeated += len(text) * (across - 1 if not cell.goes_on else across)
                if self.repeated > _MAX_REPEATED:
                    text, across = ("" if cell.goes_on else text), 1
                if cell.joins_left and line:
                    text = line[-1]
                line += [text] * across
                below[at] = text
            above = below
            texts.append(line)
        width = max(map(len, texts))
        if len(texts) * width <= 20 * sum(map(len, texts)) + 10_000:
            texts = [line + [""] * (width - len(line)) for line in texts]
        shown = [(line, element) for line, element in zip(texts, rows, strict=True) if any(line)]
        if shown:
            header = _header_rows(table, [line for line, _ in shown], [element for _, element in shown])
            self.writer.block(pipe_table([line for line, _ in shown], header))
        self._write_notes()
        for box in boxes:
            self._into(box)

    def _rows(self, table: Element) -> Iterator[Element]:
        for one in table:
            name = name_of(one)
            if name == "w:tr":
                if child(child(one, "w:trPr"), "w:del") is None:
                    yield one
                else:
                    self.tracked = True
            elif name == "w:sdt" or name in _INTO:
                yield from self._rows(one)

    def _grid_row(self, row: Element) -> list[_Cell]:
        found: list[_Cell] = []
        for one in row:
            name = name_of(one)
            if name == "w:tc":
                about = child(one, "w:tcPr")
                if child(about, "w:cellDel") is not None:
                    continue
                merged, beside = child(about, "w:vMerge"), child(about, "w:hMerge")
                found.append(
                    _Cell(
                        one,
                        across=min(max(number(child(about, "w:gridSpan"), default=1), 1), _MAX_COLUMNS),
                        goes_on=merged is not None and value(merged) != "restart",
                        joins_left=beside is not None and value(beside) != "restart",
                    )
                )
            elif name == "w:sdt" or name in _INTO:
                found += self._grid_row(one)
        return found

    def _cell_texts(self, cell: Element, boxes: list[Element] | None = None) -> Iterator[str]:
        """What stands in a cell or note, paragraph by paragraph, tables in it cell by cell; each on one line."""
        for one in cell:
            name = name_of(one)
            if name == "w:p":
                inline = read_inline(one, self.styles)
                self.tracked = self.tracked or inline.tracked
                self.notes += inline.notes
                if boxes is not None:
                    boxes += inline.boxes
                about = child(one, "w:pPr")
                style_id = value(child(about, "w:pStyle")) or ""
                text = " ".join(inline.text.split())
                if text:
                    label, _ = self._label(about, style_id, self.styles.get(style_id, Style()))
                    yield f"{label} {text}" if label else text
            elif name == "w:tbl":
                for row in self._rows(one):
                    for inner in self._grid_row(row):
                        if not inner.goes_on:
                            yield from self._cell_texts(inner.element, boxes)
            elif name == "w:sdt" or name in _INTO:
                yield from self._cell_texts(one, boxes)


@dataclass(frozen=True, slots=True)
class _Cell:
    """``goes_on``: it is merged with the one above; ``joins_left``: with the one before."""

    element: Element
    across: int
    goes_on: bool
    joins_left: bool


def _header_rows(table: Element, lines: list[list[str]], rows: list[Element]) -> int:
    """How many rows are the header: those that Word repeats on each page, else the first when the table says that it
    looks like one, and it does."""
    marked = 0
    while marked < len(rows) - 1 and is_on(child(rows[marked], "w:trPr"), "w:tblHeader"):
        marked += 1
    if marked:
        return marked
    look = child(child(table, "w:tblPr"), "w:tblLook")
    said = value(look, "firstRow")
    bits = value(look) or "0"
    first = (
        said in ("1", "true", "on")
        if said is not None
        else bool(int(bits, 16) & _FIRST_ROW)
        if re.fullmatch("[0-9A-Fa-f]{1,8}", bits)
        else False
    )
    if not first or len(lines) < 2:
        return 0
    names = lines[0]
    # "Name: | Smith" is a form, "2,300 | 4,100" are values.
    looks_so = all(names[1:]) and not any(
        _NUMERIC.fullmatch(name) or name.endswith((":", "：")) for name in names
    )
    return 1 if looks_so else 0
