"""The other process: it opens PDF files that may be made to crash or to hang whoever reads them.

Started by ``process.Worker``. Requests come on its standard input and answers go to its standard output, both as
frames: a header in JSON and bytes behind it. It ends when its input does.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from pincite.parsers.pdf.frames import Reply, read_frame, write_frame

PASSWORD, FORMAT = 4, 3
"""FPDF_ERR_PASSWORD and FPDF_ERR_FORMAT."""
SECURITY = 5
PROPERTIES = ("Title", "Author", "ModDate", "CreationDate")
MAX_PROPERTY = 1_000
MAX_PIXELS = 40_000_000
"""Of a page image."""


class Refused(Exception):
    """What is asked cannot be done; ``status`` is that of ``ParseError``."""

    def __init__(self, message: str, status: str) -> None:
        super().__init__(message)
        self.status = status


# --- what it can do -----------------------------------------------------------------------------


class _Open:
    """The file that is open."""

    def __init__(self, data: bytes, passwords: list[str]) -> None:
        import pypdfium2 as pdfium

        self.data = data
        self.password: str | None = None
        for password in (None, *passwords):
            try:
                self.pdf = pdfium.PdfDocument(data, password=password)
            except pdfium.PdfiumError as error:
                code = getattr(error, "err_code", None)
                if code not in (PASSWORD, SECURITY):
                    raise Refused("a broken PDF that cannot be opened", "broken") from error
                continue
            self.password = password
            break
        else:
            wrong = "encrypted, and none of the passwords opens it" if passwords else "encrypted"
            raise Refused(wrong, "encrypted")
        if self.pdf.get_formtype():
            self.pdf.init_forms()
        self._plumber: Any = False

    def tables(self, index: int, page: Any) -> list[Any]:
        from pincite.parsers.pdf import tables

        if self._plumber is False:
            self._plumber = tables.opened(self.data, self.password)
        return tables.ruled(self._plumber, page, index)

    def close(self) -> None:
        if self._plumber:
            from pincite.parsers.pdf import tables

            tables.close(self._plumber)
        self.pdf.close()


def _opened(current: _Open) -> Iterator[Reply]:
    said = {name: str(current.pdf.get_metadata_value(name) or "")[:MAX_PROPERTY] for name in PROPERTIES}
    yield {"pages": len(current.pdf), "said": said}, b""


def _pages(current: _Open, request: dict[str, Any]) -> Iterator[Reply]:
    from pincite.parsers.pdf.chars import PageProblem, open_page, read_chars
    from pincite.parsers.pdf.layout import lines_of
    from pincite.parsers.pdf.links import links_of

    for index in range(request["first"], request["last"]):
        try:
            with open_page(current.pdf, index) as page:
                chars = read_chars(page)
                links = links_of(current.pdf, page, chars)
                tables = current.tables(index, page) if request["tables"] else []
            lines = lines_of(chars, tables)
        except (PageProblem, MemoryError) as error:
            yield {"index": index, "problem": str(error) or "it needs too much memory"}, b""
            continue
        yield (
            {
                "index": index,
                "label": current.pdf.get_page_label(index),
                "width": chars.width,
                "height": chars.height,
                "links": links,
                "lines": [
                    (
                        line.text,
                        [(run.start, run.length, run.first) for run in line.runs],
                        [round(edge, 3) for edge in line.box],
                        round(line.size, 3),
                        line.block,
                        line.level,
                        line.table,
                        line.bold,
                    )
                    for line in lines
                ],
            },
            b"",
        )


def _boxes(current: _Open, request: dict[str, Any]) -> Iterator[Reply]:
    from pincite.parsers.pdf.chars import Chars, PageProblem, open_page, read_chars
    from pincite.parsers.pdf.merge import merged

    pages: dict[int, Chars] = {}
    found: list[list[Any]] = []
    try:
        for ranges in request["spans"]:
            boxes: list[Any] = []
            for index in dict.fromkeys(index for index, _, _ in ranges):
                if index not in pages:
                    with open_page(current.pdf, index) as page:
                        pages[index] = read_chars(page)
                own = [(first, length) for page, first, length in ranges if page == index]
                boxes += [(index, *box) for box in merged(pages[index], own)]
            found.append(boxes)
    except PageProblem as error:
        raise Refused(str(error), "broken") from error
    yield {"boxes": found}, b""


def _image(current: _Open, request: dict[str, Any]) -> Iterator[Reply]:
    import numpy as np
    import pypdfium2 as pdfium

    from pincite.parsers.pdf.png import png

    index, width = request["index"], request["width"]
    if not 0 <= index < len(current.pdf):
        raise Refused(f"there is no page {index + 1} of {len(current.pdf)}", "broken")
    try:
        page = current.pdf[index]
        wide, high = page.get_size()
        if wide <= 0 or high <= 0 or width * width * high / wide > MAX_PIXELS:
            raise Refused(f"page {index + 1} is too large for a picture of that width", "too_large")
        bitmap = page.render(scale=width / wide, may_draw_forms=True, rev_byteorder=True)
        pixels = np.array(bitmap.to_numpy()[:, :, :3])
        bitmap.close()
        page.close()
    except pdfium.PdfiumError as error:
        raise Refused(f"page {index + 1} cannot be drawn", "broken") from error
    for x0, y0, x1, y1 in request["boxes"]:
        _draw(pixels, (x0, y0, x1, y1))
    yield {"width": pixels.shape[1], "height": pixels.shape[0]}, png(pixels)


def _draw(pixels: Any, box: tuple[float, float, float, float]) -> None:
    """Tint a box, given in shares of the page, and draw its edge."""
    high, wide = pixels.shape[:2]
    x0, x1 = (min(max(round(x * wide), 0), wide - 1) for x in (box[0], box[2]))
    y0, y1 = (min(max(round(y * high), 0), high - 1) for y in (box[1], box[3]))
    pixels[y0 : y1 + 1, x0 : x1 + 1, 2] //= 2
    pixels[[y0, y1], x0 : x1 + 1] = (220, 0, 0)
    pixels[y0 : y1 + 1, [x0, x1]] = (220, 0, 0)


_OPERATIONS: dict[str, Callable[[_Open, dict[str, Any]], Iterator[Reply]]] = {
    "pages": _pages,
    "boxes": _boxes,
    "image": _image,
}


def answer(
    current: _Open | None, request: dict[str, Any], data: bytes
) -> Iterator[tuple[_Open | None, Reply]]:
    """What is sent back for a request, each reply with the file that is then open."""
    try:
        if request["do"] == "open":
            if current is not None:
                current.close()
            current = None
            current = _Open(data, request["passwords"])
            replies = _opened(current)
        else:
            assert current is not None
            replies = _OPERATIONS[request["do"]](current, request)
        for reply in replies:
            yield current, reply
    except Refused as problem:
        yield current, ({"refused": str(problem), "status": problem.status}, b"")
    except MemoryError:
        yield current, ({"refused": "it needs too much memory", "status": "too_large"}, b"")


def main(memory: int) -> None:
    """Serve until the input ends. ``memory``: bytes that this process may use; 0 for no limit."""
    requests, replies = _own_streams()
    _limit(memory)
    gc.set_threshold(100_000)  # pages make many small values and no cycles
    current: _Open | None = None
    while (frame := read_frame(requests)) is not None:
        request, data = frame
        for now_open, (header, payload) in answer(current, request, data):
            current = now_open
            write_frame(replies, header, payload)
        write_frame(replies, {"done": True})


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    """The two pipes; what a library prints goes nowhere."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    return requests, replies


def _limit(memory: int) -> None:
    """No more memory than that, no core file, no file written. Where there are no such limits, time alone is kept."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limits = [("RLIMIT_CORE", 0), ("RLIMIT_FSIZE", 0)] + ([("RLIMIT_AS", memory)] if memory else [])
    for name, value in limits:
        kind = getattr(resource, name, None)
        if kind is None:
            continue
        _, hard = resource.getrlimit(kind)
        if hard == resource.RLIM_INFINITY or value <= hard:
            try:
                resource.setrlimit(kind, (value, value))
            except (ValueError, OSError):  # macOS refuses some
                continue


if __name__ == "__main__":
    main(int(sys.argv[1]))
