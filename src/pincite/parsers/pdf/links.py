"""Links of a PDF page that lead out of the file. Runs in the worker process."""

from __future__ import annotations

import ctypes
from typing import Any

from pincite.parsers.pdf.chars import Chars, as_seen, frame_of

MAX_LINKS = 2_000
"""Of one page."""
_MAX_ADDRESS = 4_000


def links_of(pdf: Any, page: Any, chars: Chars) -> list[tuple[int, int, str]]:
    """``(first page character, last one, address)`` of links that lead out of the file."""
    import numpy as np
    import pypdfium2.raw as raw

    found: list[tuple[int, int, str]] = []
    at, link, rect = ctypes.c_int(0), raw.FPDF_LINK(), raw.FS_RECTF()
    while len(found) < MAX_LINKS and raw.FPDFLink_Enumerate(page, at, link):
        address = _address(pdf, link)
        if not address or not raw.FPDFLink_GetAnnotRect(link, rect):
            continue
        place = np.array([[rect.left, rect.bottom, rect.right, rect.top]], np.float64)
        ((x0, y0, x1, y1),) = as_seen(place, frame_of(page)).tolist()
        x, y = (chars.rects[:, 0] + chars.rects[:, 2]) / 2, (chars.rects[:, 1] + chars.rects[:, 3]) / 2
        inside = (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
        at_letters = np.flatnonzero(inside & (chars.codes > 0x20))
        if len(at_letters):
            found.append((int(at_letters[0]), int(at_letters[-1]), address))
    return found


def _address(pdf: Any, link: Any) -> str:
    import pypdfium2.raw as raw

    action = raw.FPDFLink_GetAction(link)
    if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
        return ""
    size = raw.FPDFAction_GetURIPath(pdf, action, None, 0)
    if not 1 < size <= _MAX_ADDRESS:
        return ""
    room = ctypes.create_string_buffer(size)
    raw.FPDFAction_GetURIPath(pdf, action, room, size)
    return room.value.decode("utf-8", "replace")
