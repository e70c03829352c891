"""The characters of a PDF page with their places, as pdfium gives them. Runs in the worker process."""

from __future__ import annotations

import ctypes
import re
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

from pincite.parsers.boxes import PageFrame

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Codes = npt.NDArray[np.uint32]
    Turns = npt.NDArray[np.int8]

MAX_CHARS = 2_000_000
"""Of one page. A page of a book has 3,000."""

SKEWED = 4
"""``Chars.turn`` of text that runs neither along nor across the page, such as a watermark."""

_MAX_SLOPE = 0.27
"""15 degrees: text of a scan that lay a little askew is still read as level."""
_SHIFT = 0.02
_BOLD = re.compile(rb"bold|black|heavy|demi", re.IGNORECASE)
_SHOWN_ANNOTATIONS = (3, 20)
"""FPDF_ANNOT_FREETEXT and FPDF_ANNOT_WIDGET: what they hold is text that stands on the page."""


class PageProblem(Exception):
    """A page that cannot be read, and why."""


@dataclass(frozen=True, slots=True, eq=False)
class Chars:
    """The characters of a page, in pdfium's order; arrays of one length.

    Attributes:
        codes: Code points, those that pdfium made (blanks, line ends) included.
        rects: ``x0, y0, x1, y1`` in points from the top left of the page as seen, y downwards; of the height of the
            line, not of the letter. NaN for characters without a place.
        turn: Which way the text runs as seen: 0 to the right, 1 downwards, 2 to the left, 3 upwards, or ``SKEWED``.
        bold: Set for the first and the last letter of each line only, where its font is a bold one.
        width, height: Of the page as seen, in points.
    """

    codes: Codes
    rects: Floats
    turn: Turns
    bold: npt.NDArray[np.bool_]
    width: float
    height: float


def read_chars(page: Any) -> Chars:
    """All characters of a page. Values of form fields and free text notes are among them.

    Raises:
        PageProblem: If pdfium cannot read the page, or it has more than ``MAX_CHARS`` characters.
    """
    import pypdfium2 as pdfium

    try:
        text_page = page.get_textpage()
    except pdfium.PdfiumError as error:
        raise PageProblem(str(error)) from error
    try:
        return _chars(page, text_page)
    finally:
        text_page.close()


@contextmanager
def open_page(pdf: Any, index: int) -> Iterator[Any]:
    """The page; what stands in form fields and free text notes is made part of it, as a reader sees it.

    Raises:
        PageProblem: If pdfium cannot open it.
    """
    import pypdfium2 as pdfium
    import pypdfium2.raw as raw

    try:
        page = pdf[index]
        if any(_shown_annotations(raw, page)):
            raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY)
            page.close()
            page = pdf[index]
    except pdfium.PdfiumError as error:
        raise PageProblem(str(error)) from error
    try:
        yield page
    finally:
        page.close()


def frame_of(page: Any) -> PageFrame:
    """The page before it is turned, with the crop box that pdfium shows, from the bottom left of the PDF's space."""
    media = page.get_mediabox()
    crop = page.get_cropbox()
    left, bottom = max(media[0], crop[0]), max(media[1], crop[1])
    right, top = min(media[2], crop[2]), min(media[3], crop[3])
    if left >= right or bottom >= top:
        left, bottom, right, top = media
    return PageFrame(
        float(right - left), float(top - bottom), page.get_rotation(), (left, bottom, right, top)
    )


def _shown_annotations(raw: Any, page: Any) -> list[bool]:
    found = []
    for i in range(min(raw.FPDFPage_GetAnnotCount(page), 10_000)):
        annotation = raw.FPDFPage_GetAnnot(page, i)
        found.append(raw.FPDFAnnot_GetSubtype(annotation) in _SHOWN_ANNOTATIONS)
        raw.FPDFPage_CloseAnnot(annotation)
    return found


def _chars(page: Any, text_page: Any) -> Chars:
    import numpy as np
    import pypdfium2.raw as raw

    count = text_page.count_chars()
    if count > MAX_CHARS:
        raise PageProblem(f"it has {count} characters; at most {MAX_CHARS} are read")
    frame = frame_of(page)
    wide, high = page.get_size()
    if count <= 0:
        none = np.zeros(0)
        return Chars(
            none.astype(np.uint32),
            none.reshape(0, 4),
            none.astype(np.int8),
            none.astype(np.bool_),
            float(wide),
            float(high),
        )
    handle = ctypes.cast(text_page.raw, ctypes.c_void_p).value
    codes = _codes(raw, text_page, handle, count)
    found = np.zeros((count, 4), np.float32)
    _each(raw.FPDFText_GetLooseCharBox, handle, range(count), found)
    # FS_RECTF is left, top, right, bottom.
    rects = found[:, (0, 3, 2, 1)].astype(np.float64)
    lying = (rects[:, 2] <= rects[:, 0]) | (rects[:, 3] <= rects[:, 1])
    rects[lying] = np.nan
    # Blanks need no place.
    rest = np.flatnonzero(lying & (codes > 0x20))
    if len(rest):
        _place_rest(raw, handle, rest.tolist(), rects)
    moved = _moved(rects)
    quarter = _directions(raw, handle, moved)
    turned = np.where(quarter == SKEWED, SKEWED, (frame.rotate // 90 + quarter) % 4).astype(np.int8)
    bold = _bold(raw, handle, codes, moved)
    return Chars(codes, as_seen(rects, frame), turned, bold, float(wide), float(high))


def _codes(raw: Any, text_page: Any, handle: int | None, count: int) -> Codes:
    import numpy as np

    buffer = (ctypes.c_ushort * (count + 1))()
    written = raw.FPDFText_GetText(text_page, 0, count, buffer)
    units: Codes = np.frombuffer(bytes(buffer), np.uint16)[:count].astype(np.uint32)
    # One call for all, unless some characters are left out of it (no code) or take two units.
    if written == count + 1 and not ((units >= 0xD800) & (units <= 0xDFFF)).any():
        return units
    read = _prototype(raw.FPDFText_GetUnicode, ctypes.c_uint, ctypes.c_void_p, ctypes.c_int)
    return np.fromiter((read(handle, i) for i in range(count)), np.uint32, count)


def _place_rest(raw: Any, handle: int | None, at: list[int], rects: Floats) -> None:
    """Places of characters that have no line box: their tight box, NaN without any."""
    tight = _prototype(
        raw.FPDFText_GetCharBox, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, *[ctypes.c_void_p] * 4
    )
    room = (ctypes.c_double * 4)()
    base = ctypes.addressof(room)
    for i in at:
        found = tight(handle, i, base, base + 8, base + 16, base + 24)
        left, right, bottom, top = room
        seen = found and right > left and top > bottom
        rects[i] = (left, bottom, right, top) if seen else float("nan")


def _moved(rects: Floats) -> npt.NDArray[np.bool_]:
    """Where the base line changes: there a line begins, or each letter stands higher."""
    import numpy as np

    placed = np.flatnonzero(~np.isnan(rects[:, 0]))
    bottom, high = rects[placed, 1], rects[placed, 3] - rects[placed, 1]
    moved = np.zeros(len(rects), np.bool_)
    moved[placed[np.abs(np.diff(bottom, prepend=np.inf)) > _SHIFT * high]] = True
    moved[0] = True
    return moved


def _directions(raw: Any, handle: int | None, moved: npt.NDArray[np.bool_]) -> Turns:
    """Which way each character runs on the page before it is turned, in quarters clockwise, or ``SKEWED``.

    Asked only where the base line changes.
    """
    import numpy as np

    at = np.flatnonzero(moved)
    matrices = np.zeros((len(at), 6), np.float32)
    _each(raw.FPDFText_GetMatrix, handle, at.tolist(), matrices)
    a, b = matrices[:, 0], matrices[:, 1]
    level, upright = np.abs(b) <= _MAX_SLOPE * np.abs(a), np.abs(a) <= _MAX_SLOPE * np.abs(b)
    found: Turns = np.select(
        [level & (a >= 0), level, upright & (b > 0), upright], [0, 2, 3, 1], SKEWED
    ).astype(np.int8)
    kept: Turns = found[np.cumsum(moved) - 1]
    return kept


def _bold(raw: Any, handle: int | None, codes: Codes, moved: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Whether the first and the last letter of each line are of a bold font, by its name."""
    import numpy as np

    object_of = _prototype(raw.FPDFText_GetTextObject, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
    font_of = _prototype(raw.FPDFTextObj_GetFont, ctypes.c_void_p, ctypes.c_void_p)
    name_of = _prototype(
        raw.FPDFFont_GetBaseFontName, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    )
    letters = np.flatnonzero(codes > 0x20)
    line = np.cumsum(moved)[letters]
    ends = np.flatnonzero(np.diff(line, append=-1))
    firsts = np.flatnonzero(np.diff(line, prepend=-1))
    found = np.zeros(len(codes), np.bool_)
    known: dict[int | None, bool] = {None: False}
    room = ctypes.create_string_buffer(128)
    for i in letters[np.concatenate((firsts, ends))].tolist():
        text_object = object_of(handle, i)
        font = font_of(text_object) if text_object else None
        if font not in known:
            name_of(font, room, len(room))
            known[font] = bool(_BOLD.search(room.value))
        found[i] = known[font]
    return found


def as_seen(rects: Floats, frame: PageFrame) -> Floats:
    """``boxes.bbox_to_view`` for many boxes at once."""
    import numpy as np

    assert frame.crop is not None
    left, _, _, top = frame.crop
    x0, x1 = rects[:, 0] - left, rects[:, 2] - left
    y0, y1 = top - rects[:, 3], top - rects[:, 1]
    wide, high = frame.width, frame.height
    turn = frame.rotate % 360
    if turn == 90:
        columns = (high - y1, x0, high - y0, x1)
    elif turn == 180:
        columns = (wide - x1, high - y1, wide - x0, high - y0)
    elif turn == 270:
        columns = (y0, wide - x1, y1, wide - x0)
    else:
        columns = (x0, y0, x1, y1)
    return np.stack(columns, axis=1)


def _each(function: Any, handle: int | None, indices: Any, into: Any) -> None:
    """Call for each character, each result written right into its row: a tenth of the time of ctypes' own ways."""
    call = _prototype(function, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    start, row = into.ctypes.data, into.strides[0]
    rows = range(start, start + row * len(indices), row)
    deque(map(call, repeat(handle), indices, rows), maxlen=0)


def _prototype(function: Any, result: Any, *arguments: Any) -> Callable[..., Any]:
    return ctypes.CFUNCTYPE(result, *arguments)(ctypes.cast(function, ctypes.c_void_p).value or 0)
