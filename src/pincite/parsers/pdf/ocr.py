"""Pages that are pictures, read by an installed tesseract. Only when asked for."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from pincite.errors import ParseError
from pincite.parsers.fields import repaired
from pincite.parsers.pdf.lines import Line, LineRun
from pincite.parsers.pdf.process import OpenPdf

DPI = 300
"""What tesseract was made for."""
_MAX_WIDTH = 4_000
_TIMEOUT_S = 180.0
_MIN_CONFIDENCE = 30.0
"""Of a word, in per cent: below it, it is mostly no word but a speck or a drawing."""
_LANGUAGES = re.compile(r"[A-Za-z_]{2,20}(?:\+[A-Za-z_]{2,20})*")
SHARES = 10_000

WordPlace = tuple[int, int, int, int, int, int, int]
"""Number of its line on the page; first character and the one behind the last, counted over the page's words; ``x0, y0, x1, y1`` in ten-thousandths of
the page as seen."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """A page as it was read from its picture."""

    lines: tuple[Line, ...]
    words: tuple[WordPlace, ...]


def recognise(
    pdf: OpenPdf, pages: Sequence[tuple[int, float, float]], languages: str, source: str
) -> dict[int, Recognised]:
    """What tesseract reads on pages, given as index, width and height in points. Pages on which it finds nothing are left out.

    Raises:
        ParseError: If tesseract is not there, or does not know a language.
    """
    if not _LANGUAGES.fullmatch(languages):
        raise ParseError(
            f"[parse] ocr = {languages!r} names no languages", where=source, hint='such as "eng+deu"'
        )
    program = shutil.which("tesseract")
    if program is None:
        raise ParseError(
            "text recognition is switched on, but tesseract is not installed",
            where=source,
            hint="install tesseract-ocr, or unset [parse] ocr",
            status="needs_ocr",
        )
    found: dict[int, Recognised] = {}
    for index, width, height in pages:
        pixels = min(round(width / 72 * DPI), _MAX_WIDTH)
        header, picture = pdf.ask({"do": "image", "index": index, "width": pixels, "boxes": []})
        table = _run(program, picture, languages, f"{source}: page {index + 1}")
        page = words_of(table, header["width"], header["height"], width, height)
        if page.lines:
            found[index] = page
    return found


def words_of(table: str, wide: int, high: int, width: float, height: float) -> Recognised:
    """Lines and word places from tesseract's table (``tsv``).

    Args:
        wide, high: Of the picture, in pixels.
        width, height: Of the page as seen, in points.

    >>> head = "level page block par line word left top width height conf text".replace(" ", "\\t")
    >>> rows = [head, "5 1 1 1 1 1 10 20 30 10 95 No", "5 1 1 1 1 2 45 20 30 10 95 dogs"]
    >>> page = words_of("\\n".join(row.replace(" ", "\\t") for row in rows), 100, 100, 72, 72)
    >>> page.lines[0].text, page.words[1]
    ('No dogs', (0, 2, 6, 4500, 2000, 7500, 3000))
    """
    lines: dict[tuple[int, int, int], list[tuple[str, int, int, int, int]]] = {}
    for row in table.splitlines()[1:]:
        cells = row.split("\t")
        if len(cells) < 12 or cells[0] != "5":
            continue
        text = repaired("".join(cells[11:])).replace("\0", "").strip()
        if text and float(cells[10]) >= _MIN_CONFIDENCE:
            left, top, across, down = (int(cell) for cell in cells[6:10])
            key = (int(cells[2]), int(cells[3]), int(cells[4]))
            lines.setdefault(key, []).append((text, left, top, left + across, top + down))
    found: list[Line] = []
    places: list[WordPlace] = []
    char = 0
    for (block, _, _), words in lines.items():
        runs: list[LineRun] = []
        at = 0
        for text, x0, y0, x1, y1 in words:
            runs.append(LineRun(at, len(text), char))
            shares = (_share(x0, wide), _share(y0, high), _share(x1, wide), _share(y1, high))
            places.append((len(found), char, char + len(text), *shares))
            at += len(text) + 1
            char += len(text)
        x0, y0 = min(word[1] for word in words), min(word[2] for word in words)
        x1, y1 = max(word[3] for word in words), max(word[4] for word in words)
        box = (x0 / wide * width, y0 / high * height, x1 / wide * width, y1 / high * height)
        found.append(Line(" ".join(word[0] for word in words), tuple(runs), box, box[3] - box[1], block))
    return Recognised(tuple(found), tuple(places))


def _share(value: int, whole: int) -> int:
    return min(max(round(value * SHARES / whole), 0), SHARES)


def _run(program: str, picture: bytes, languages: str, where: str) -> str:
    # Page segmentation with the orientation found first: scans lie on their sides.
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}  # more threads make it slower
    command = [program, "stdin", "stdout", "-l", languages, "--psm", "1", "tsv"]
    try:
        done = subprocess.run(
            command, input=picture, capture_output=True, timeout=_TIMEOUT_S, check=False, env=environment
        )
    except subprocess.TimeoutExpired as error:
        raise ParseError(
            f"tesseract took more than {_TIMEOUT_S:.0f} s", where=where, status="too_slow"
        ) from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ParseError(
            f"tesseract failed: {said[0] if said else done.returncode}",
            where=where,
            hint="are the languages of [parse] ocr installed?",
            status="needs_ocr",
        )
    return done.stdout.decode("utf-8", "replace")
