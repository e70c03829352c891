"""Tables by their ruling lines, with pdfplumber (extra ``tables``). Runs in the worker process."""

from __future__ import annotations

import ctypes
import io
from typing import Any

from pincite.parsers.pdf.ruled import Ruled

MAX_OBJECTS = 20_000
"""A page with more drawn objects is a map: its lines are no table's."""
_THIN = 4.0
"""A drawn line is at most so many points thick."""
_MIN_LINES = 2
_MAX_CELL_SHARE = 0.25
"""A frame round a page is no table: no cell of one is so large a part of the page."""


def opened(data: bytes, password: str | None) -> Any:
    """The file as pdfplumber reads it; ``None`` when it is not installed or cannot read it."""
    try:
        import pdfplumber
    except ImportError:
        return None
    try:
        return pdfplumber.open(io.BytesIO(data), password=password or "")
    except Exception:  # its parser raises whatever it stumbles on, and the text does not depend on it
        return None


def close(plumber: Any) -> None:
    """Let go of it."""
    try:
        plumber.close()
    except Exception:  # it reads what it has not read yet, and stumbles
        return


def ruled(plumber: Any, page: Any, index: int) -> list[Ruled]:
    """The tables of a page that have ruling lines; none where pdfplumber fails."""
    if plumber is None or not _has_lines(page):
        return []
    try:
        drawn = plumber.pages[index]
        left, top = drawn.cropbox[0], drawn.cropbox[1]
        found = [
            Ruled(
                _moved(table.bbox, left, top),
                tuple(
                    tuple(_moved(cell, left, top) if cell else None for cell in row.cells)
                    for row in table.rows
                ),
            )
            for table in drawn.find_tables()
        ]
        drawn.close()
    except Exception:  # see ``opened``
        return []
    area = float(drawn.width) * float(drawn.height)
    return [table for table in found if _is_table(table, area)]


def _has_lines(page: Any) -> bool:
    """A quick look whether there are lines both ways: pdfplumber takes half a second for a page."""
    import pypdfium2.raw as raw

    count = raw.FPDFPage_CountObjects(page)
    if count > MAX_OBJECTS:
        return False
    edges = [ctypes.c_float() for _ in range(4)]
    across = down = 0
    for i in range(count):
        drawn = raw.FPDFPage_GetObject(page, i)
        kind = raw.FPDFPageObj_GetType(drawn)
        if kind == raw.FPDF_PAGEOBJ_FORM:
            return True  # what is drawn in it is not looked at
        if kind != raw.FPDF_PAGEOBJ_PATH or not raw.FPDFPageObj_GetBounds(drawn, *edges):
            continue
        left, bottom, right, top = (edge.value for edge in edges)
        wide, high = right - left, top - bottom
        if wide > _THIN and high > _THIN:
            # A frame has both, a whole grid may be one path.
            across, down = across + 2, down + 2
        else:
            across += wide > _THIN
            down += high > _THIN
    return across >= _MIN_LINES and down >= _MIN_LINES


def _moved(box: Any, left: float, top: float) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = box
    return float(x0 - left), float(y0 - top), float(x1 - left), float(y1 - top)


def _is_table(table: Ruled, area: float) -> bool:
    cells = [cell for row in table.rows for cell in row if cell is not None]
    columns = max(len(row) for row in table.rows)
    largest = max((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in cells)
    return len(table.rows) > 1 and columns > 1 and largest <= _MAX_CELL_SHARE * area
