"""Small Word and Excel files, part by part, as tests need them."""

from __future__ import annotations

import importlib.util
import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

import pytest

needs_office = pytest.mark.skipif(
    importlib.util.find_spec("openpyxl") is None, reason="Excel files need the extra office"
)

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """An archive of these parts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _types(main: str) -> str:
    return (
        f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{main}</Types>'
    )


def _relations(*pairs: tuple[str, str]) -> str:
    lines = (
        f'<Relationship Id="r{i}" Type="{_RELATED}/{kind}" Target="{target}"/>'
        for i, (kind, target) in enumerate(pairs)
    )
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{"".join(lines)}</Relationships>'


# --- Word ---------------------------------------------------------------------------------------


def small_docx(*blocks: str, **parts: str) -> bytes:
    """A Word file of these blocks, given as XML; what is no XML becomes a paragraph.

    ``parts`` are the contents of ``styles``, ``numbering``, ``footnotes``, ``endnotes`` and ``core`` (properties).
    """
    body = "".join(block if block.startswith("<") else p(block) for block in blocks)
    files: dict[str, str | bytes] = {
        "[Content_Types].xml": _types(
            '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
            'wordprocessingml.document.main+xml"/>'
        ),
        "_rels/.rels": _relations(
            ("officeDocument", "word/document.xml"), ("metadata/core-properties", "docProps/core.xml")
        ),
        "word/document.xml": f"{_HEAD}<w:document {NAMES}><w:body>{body}</w:body></w:document>",
    }
    core = parts.pop("core", "")
    if core:
        files["docProps/core.xml"] = (
            f'{_HEAD}<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
            f'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">{core}'
            "</cp:coreProperties>"
        )
    files["word/_rels/document.xml.rels"] = _relations(*((kind, f"{kind}.xml") for kind in parts))
    for kind, content in parts.items():
        files[f"word/{kind}.xml"] = f"{_HEAD}<w:{kind} {NAMES}>{content}</w:{kind}>"
    return zipped(files)


NAMES = (
    f'xmlns:w="{_W}" xmlns:r="{_RELATED}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml"'
)


def r(text: str, how: str = "") -> str:
    """A run; ``how`` is what stands in its ``w:rPr``."""
    about = f"<w:rPr>{how}</w:rPr>" if how else ""
    return f'<w:r>{about}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def p(content: str, how: str = "") -> str:
    """A paragraph of runs, or of a text; ``how`` is what stands in its ``w:pPr``."""
    inside = content if content.startswith("<") else r(content)
    return f"<w:p>{f'<w:pPr>{how}</w:pPr>' if how else ''}{inside}</w:p>"


def styled(style: str, text: str) -> str:
    """A paragraph of that style."""
    return p(text, f'<w:pStyle w:val="{style}"/>')


def item(text: str, num_id: int = 1, level: int = 0) -> str:
    """A numbered paragraph."""
    return p(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{num_id}"/></w:numPr>')


def style(style_id: str, name: str, inside: str = "") -> str:
    return f'<w:style w:type="paragraph" w:styleId="{style_id}"><w:name w:val="{name}"/>{inside}</w:style>'


HEADINGS = "".join(style(f"H{level}", f"heading {level}") for level in (1, 2, 3))


def numbers(*levels: tuple[str, str], num_id: int = 1, inside: str = "") -> str:
    """A numbering of these levels: format and text."""
    lines = "".join(
        f'<w:lvl w:ilvl="{i}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for i, (form, text) in enumerate(levels)
    )
    return (
        f'<w:abstractNum w:abstractNumId="{num_id}">{lines}</w:abstractNum>'
        f'<w:num w:numId="{num_id}"><w:abstractNumId w:val="{num_id}"/>{inside}</w:num>'
    )


def tc(content: str, how: str = "") -> str:
    """A table cell of blocks, or of a text."""
    inside = content if content.startswith("<") else p(content)
    return f"<w:tc>{f'<w:tcPr>{how}</w:tcPr>' if how else ''}{inside}</w:tc>"


def tbl(*rows: Sequence[str], first_row: bool = True, row_about: str = "") -> str:
    """A table of rows of cells; cells that are no XML are texts."""
    look = f'<w:tblPr><w:tblLook w:val="04A0" w:firstRow="{int(first_row)}"/></w:tblPr>'
    about = f"<w:trPr>{row_about}</w:trPr>" if row_about else ""
    lines = (
        "<w:tr>" + about * (i == 0) + "".join(c if c.startswith("<") else tc(c) for c in row) + "</w:tr>"
        for i, row in enumerate(rows)
    )
    return f"<w:tbl>{look}{''.join(lines)}</w:tbl>"


# --- Excel --------------------------------------------------------------------------------------


def small_xlsx(
    *sheets: tuple[str, str], formats: Sequence[str] = (), states: Sequence[str] = (), core: str = ""
) -> bytes:
    """An Excel file of sheets: name, and the XML of ``sheetData`` and what follows it.

    ``formats`` are number formats; cells name them by ``s="1"`` and on.
    """
    names = [*states, *("visible" for _ in sheets)]
    entries = "".join(
        f'<sheet name="{escape(name)}" sheetId="{i}" state="{names[i - 1]}" r:id="r{i}"/>'
        for i, (name, _) in enumerate(sheets, start=1)
    )
    relations = "".join(
        f'<Relationship Id="r{i}" Type="{_RELATED}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in range(1, len(sheets) + 1)
    )
    codes = "".join(
        f'<numFmt numFmtId="{200 + i}" formatCode="{escape(code, {chr(34): "&quot;"})}"/>'
        for i, code in enumerate(formats)
    )
    used = "".join(f'<xf numFmtId="{200 + i}" applyNumberFormat="1"/>' for i in range(len(formats)))
    files: dict[str, str | bytes] = {
        "[Content_Types].xml": _types(
            '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.'
            'spreadsheetml.sheet.main+xml"/>'
        ),
        "_rels/.rels": _relations(
            ("officeDocument", "xl/workbook.xml"), ("metadata/core-properties", "docProps/core.xml")
        ),
        "xl/workbook.xml": f'{_HEAD}<workbook xmlns="{_SHEET}" xmlns:r="{_RELATED}"><sheets>{entries}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": (
            f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{relations}'
            f'<Relationship Id="s" Type="{_RELATED}/styles" Target="styles.xml"/></Relationships>'
        ),
        "xl/styles.xml": (
            f'{_HEAD}<styleSheet xmlns="{_SHEET}"><numFmts>{codes}</numFmts><fonts><font/></fonts><fills><fill><patternFill patternType="none"/></fill></fills>'
            f'<borders><border/></borders><cellStyleXfs><xf/></cellStyleXfs><cellXfs><xf numFmtId="0"/>{used}</cellXfs>'
            "</styleSheet>"
        ),
    }
    for i, (_, content) in enumerate(sheets, start=1):
        files[f"xl/worksheets/sheet{i}.xml"] = f'{_HEAD}<worksheet xmlns="{_SHEET}">{content}</worksheet>'
    if core:
        files["docProps/core.xml"] = (
            f'{_HEAD}<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
            f'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">{core}'
            "</cp:coreProperties>"
        )
    return zipped(files)


def rows(*lines: Sequence[object], first: int = 1) -> str:
    """``sheetData`` of these rows: numbers, texts, ``None`` for no cell, or the XML of a cell."""
    out = []
    for number, line in enumerate(lines, start=first):
        cells = "".join(
            _cell(value, f"{chr(ord('A') + column)}{number}")
            for column, value in enumerate(line)
            if value is not None
        )
        out.append(f'<row r="{number}">{cells}</row>')
    return f"<sheetData>{''.join(out)}</sheetData>"


def _cell(value: object, place: str) -> str:
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value}</v></c>'
    if isinstance(value, tuple):  # a number and its style
        return f'<c r="{place}" s="{value[1]}"><v>{value[0]}</v></c>'
    text = str(value)
    if text.startswith("<"):
        return f'<c r="{place}">{text}</c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{escape(text)}</t></is></c>'
