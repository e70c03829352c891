"""Files that are too large, packed too tightly or not what they say: what becomes of each, in which time and memory.

    python benchmarks/bad_input.py [NAME…] [--json] [--small]

Each file is made in a temporary folder and added by a process of its own to a database there; peak memory is that of the
process (its children included), of which some 60 MB are Python with the libraries. ``--small`` makes the files smaller.
"""

from __future__ import annotations

import argparse
import io
import json
import resource
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

LIMIT_MB = 2_000
"""What adding one file may take, whatever the file is."""

_DOCX_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
)

Pieces = Iterator[bytes]


def _repeated(head: str, unit: str, tail: str, times: int) -> Pieces:
    yield head.encode()
    block = unit.encode() * 1000
    for _ in range(times // 1000):
        yield block
    yield unit.encode() * (times % 1000) + tail.encode()


def _packed(path: Path, parts: dict[str, Pieces | str]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in parts.items():
            with archive.open(name, "w", force_zip64=True) as stream:
                for piece in [content.encode()] if isinstance(content, str) else content:
                    stream.write(piece)


def _docx(path: Path, document: Pieces | str) -> None:
    _packed(path, {"[Content_Types].xml": _DOCX_TYPES, "word/document.xml": document})


def _xlsx(path: Path, sheet: Pieces) -> None:
    types = _DOCX_TYPES.replace("/word/document.xml", "/xl/workbook.xml").replace(
        "wordprocessingml.document", "spreadsheetml.sheet"
    )
    _packed(
        path,
        {
            "[Content_Types].xml": types,
            "_rels/.rels": _RELATIONS.format(f'<Relationship Id="r1" Type="{_R}/officeDocument" Target="xl/workbook.xml"/>'),
            "xl/workbook.xml": f'<workbook {_S} xmlns:r="{_R}"><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": _RELATIONS.format(
                f'<Relationship Id="r1" Type="{_R}/worksheet" Target="worksheets/sheet1.xml"/>'
                f'<Relationship Id="r2" Type="{_R}/styles" Target="styles.xml"/>'
            ),
            "xl/styles.xml": f'<styleSheet {_S}><fonts><font/></fonts><fills><fill><patternFill/></fill></fills><borders><border/>'
            "</borders><cellStyleXfs><xf/></cellStyleXfs><cellXfs><xf numFmtId=\"0\"/></cellXfs></styleSheet>",
            "xl/worksheets/sheet1.xml": sheet,
        },
    )  # fmt: skip


def _written(path: Path, pieces: Pieces) -> None:
    with path.open("wb") as stream:
        for piece in pieces:
            stream.write(piece)


def _sparse(path: Path, size: int) -> None:
    with path.open("wb") as stream:
        stream.truncate(size)


def _lying(path: Path, size: int) -> None:
    """A part that says it has 100 bytes and has ``size``."""
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = b"".join(packed.compress(b"x" * 1_000_000) for _ in range(size // 1_000_000)) + packed.flush()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("[Content_Types].xml", _DOCX_TYPES)
    name = b"word/document.xml"
    data = buffer.getvalue()
    end = data.index(b"PK\x01\x02")
    crc = zlib.crc32(b"x" * 100)
    local = (
        struct.pack("<4s5H3I2H", b"PK\x03\x04", 20, 0, 8, 0, 0, crc, len(body), 100, len(name), 0)
        + name
        + body
    )
    entry = struct.pack(
        "<4s6H3I5H2I", b"PK\x01\x02", 20, 20, 0, 8, 0, 0, crc, len(body), 100, len(name), 0, 0, 0, 0, 0, end
    ) + name  # fmt: skip
    directory = data[end : data.index(b"PK\x05\x06")] + entry
    tail = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 2, 2, len(directory), end + len(local), 0)
    path.write_bytes(data[:end] + local + directory + tail)


def _laughs() -> str:
    names = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10 if i else "ha"}">' for i in range(10))
    return f"<?xml version='1.0'?><!DOCTYPE d [{names}]><w:document {_W}><w:body><w:p><w:r><w:t>&l9;</w:t></w:r></w:p></w:body></w:document>"


def _xxe() -> str:
    return (
        "<?xml version='1.0'?><!DOCTYPE d [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>"
        f"<w:document {_W}><w:body><w:p><w:r><w:t>&x;</w:t></w:r></w:p></w:body></w:document>"
    )


def _nested(path: Path, depth: int, size: int) -> None:
    inner = b"0" * size
    for _ in range(depth):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for i in range(10):
                archive.writestr(f"{i}.zip", inner)
        inner = buffer.getvalue()
    path.write_bytes(inner)


def files(scale: float) -> dict[str, tuple[str, Callable[[Path], None]]]:
    """Name -> file name, and what writes it."""
    n = lambda number: max(1, int(number * scale))  # noqa: E731 - a unit of this table
    row = '<row><c t="inlineStr"><is><t>Plan</t></is></c><c><v>12</v></c><c><v>3.5</v></c><c t="inlineStr"><is><t>EU</t></is></c></row>'
    paragraph = "<w:p><w:r><w:t>The quick brown fox jumps over the lazy dog.</w:t></w:r></w:p>"
    prose = "The quick brown fox jumps over the lazy dog. " * 12 + "\n\n"
    return {
        "text of 1 GB": ("a.txt", lambda p: _sparse(p, n(1_000_000_000))),
        "prose of 49 MB": ("a.txt", lambda p: _written(p, _repeated("", prose, "", n(49_000_000 // len(prose))))),
        "prose of 199 MB": ("a.txt", lambda p: _written(p, _repeated("", prose, "", n(199_000_000 // len(prose))))),
        "a word of 49 MB": ("a.txt", lambda p: _written(p, _repeated("", "x" * 1000, "", n(49_000)))),
        "600,000 paragraphs of two letters": ("a.md", lambda p: _written(p, _repeated("", "ab\n\n", "", n(590_000)))),
        "1,200,000 list items": ("a.md", lambda p: _written(p, _repeated("", "- a\n", "", n(1_190_000)))),
        "2,000,000 list items": ("a.md", lambda p: _written(p, _repeated("", "- a\n", "", n(2_000_000)))),
        "Markdown table of 1,000,000 rows": (
            "a.md", lambda p: _written(p, _repeated("| a | b |\n|---|---|\n", "| Plan | 12 |\n", "", n(1_000_000))),
        ),
        "CSV of 1,000,000 rows": (
            "a.csv", lambda p: _written(p, _repeated("Plan,Price,Share,Region\n", "Basic,12,3.5,EU\n", "", n(1_000_000))),
        ),
        "CSV of 10,000,000 rows": (
            "a.csv", lambda p: _written(p, _repeated("Plan,Price\n", "Basic,12\n", "", n(10_000_000))),
        ),
        "Excel sheet of 1,000,000 rows": (
            "a.xlsx",
            lambda p: _xlsx(p, _repeated(f"<worksheet {_S}><sheetData>", row, "</sheetData></worksheet>", n(1_000_000))),
        ),
        "Excel sheet with a cell at the right end of 100,000 rows": (
            "a.xlsx",
            lambda p: _xlsx(
                p,
                _repeated(
                    f"<worksheet {_S}><sheetData>", '<row><c r="XFD1"><v>1</v></c></row>', "</sheetData></worksheet>",
                    n(100_000),
                ),
            ),
        ),
        "Word file of 800,000 paragraphs": (
            "a.docx",
            lambda p: _docx(p, _repeated(f"<w:document {_W}><w:body>", paragraph, "</w:body></w:document>", n(800_000))),
        ),
        "Word file of 2 GB": (
            "a.docx",
            lambda p: _docx(p, _repeated(f"<w:document {_W}><w:body>", paragraph, "</w:body></w:document>", n(27_000_000))),
        ),
        "Word file 100,000 levels deep": (
            "a.docx",
            lambda p: _docx(p, f"<w:document {_W}><w:body>" + "<w:ins>" * n(100_000) + "</w:ins>" * n(100_000) + "</w:body></w:document>"),
        ),
        "ZIP that says it has 100 bytes and has 1 GB": ("a.docx", lambda p: _lying(p, n(1_000_000_000))),
        "ZIP in ZIP in ZIP": ("a.docx", lambda p: _nested(p, 5, n(10_000_000))),
        "billion laughs": ("a.docx", lambda p: _docx(p, _laughs())),
        "external entity": ("a.docx", lambda p: _docx(p, _xxe())),
        "HTML 100,000 levels deep": ("a.html", lambda p: _written(p, _repeated("", "<div>", "x", n(100_000)))),
        "HTML of 49 MB": ("a.html", lambda p: _written(p, _repeated("", "<p>Entry is <b>free</b>.", "", n(2_000_000)))),
        "HTML of 24 MB": ("a.html", lambda p: _written(p, _repeated("", "<p>Entry is <b>free</b>.", "", n(1_000_000)))),
        "HTML table of 300,000 rows": (
            "a.html", lambda p: _written(p, _repeated("<table>", "<tr><td>Plan<td>12<td>EU", "", n(300_000))),
        ),
        "JSON of one text of 49 MB": (
            "a.json", lambda p: _written(p, _repeated('{"doc_id":"a","title":"a","url":"","text":"', "Entry is free. ", '"}', n(3_200_000))),
        ),
        "JSON 1,000,000 deep": ("a.json", lambda p: _written(p, _repeated("", "[", "", n(1_000_000)))),
        "JSON lines of 100,000 documents": (
            "a.jsonl",
            lambda p: _written(
                p,
                (f'{{"doc_id":"d{i}","title":"t","url":"","text":"Entry number {i} is free."}}\n'.encode() for i in range(n(100_000))),
            ),
        ),
    }  # fmt: skip


def measure(name: str, scale: float) -> dict[str, object]:
    """Make a file, add it, and say what happened."""
    file_name, write = files(scale)[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "docs", file_name)
        path.parent.mkdir()
        write(path)
        size = path.stat().st_size
        start = time.perf_counter()
        ran = subprocess.run(
            [sys.executable, __file__, "--one", str(path.parent), str(Path(folder, "pincite.db"))],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        seconds = time.perf_counter() - start
    found = (
        json.loads(ran.stdout)
        if ran.returncode == 0
        else {"result": ran.stderr.strip()[-300:], "peak_mb": None}
    )
    return {"file": name, "mb": round(size / 1e6, 1), "seconds": round(seconds, 1), **found}


def one(folder: str, database: str) -> None:
    """In a process of its own: add the folder."""
    from pincite import Pipeline

    report = Pipeline(store=database, embedder="none").add(folder)
    said = report.failed[0].message if report.failed else f"{len(report.added)} added, {report.chunks} chunks"
    print(json.dumps({"result": said, "peak_mb": round(_peak_mb())}))


def _peak_mb() -> float:
    """Of this process, or of its largest child."""
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return peak / (1024 if sys.platform != "darwin" else 1_048_576)


def main() -> int:
    if sys.argv[1:2] == ["--one"]:
        one(*sys.argv[2:4])
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--small", action="store_true")
    given = parser.parse_args()
    scale = 0.02 if given.small else 1.0
    results = []
    for name in files(scale):
        if given.names and not any(part in name for part in given.names):
            continue
        results.append(found := measure(name, scale))
        if not given.json:
            print(
                f"{found['file']:<58} {found['mb']:>8} MB {found['seconds']:>7} s {found['peak_mb'] or '?':>6} MB  {found['result']}",
                flush=True,
            )
    if given.json:
        print(json.dumps({"limit_mb": LIMIT_MB, "files": results}, ensure_ascii=False))
    return int(any(found["peak_mb"] is None or int(str(found["peak_mb"])) > LIMIT_MB for found in results))


if __name__ == "__main__":
    sys.exit(main())
