"""How files are read: what becomes of each, how many pages of PDF a second, and whether boxes hold what was quoted.

    python benchmarks/parse.py DATA [--json] [--sentences 200 [--images FOLDER]] [--beside] [--add]

DATA is a folder with `files/`. `--json`: one object, of the table alone. `--sentences`: random sentences, and the text
that pdfplumber finds inside their boxes; `--images`: pictures of pages with these boxes drawn. `--beside`: pages a second
of pdfplumber and, if it happens to be installed, pymupdf. Pages a second are a CPU second's. `--add`: wall time of `pincite add` on the folder.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from pathlib import Path

from pincite.errors import ParseError
from pincite.parsers import SUFFIXES, parse
from pincite.parsers.pdf import PdfOptions, worker
from pincite.parsers.pdf import parse as parse_pdf
from pincite.parsers.pdf.places import boxes_of, page_image
from pincite.text.sentences import split_sentences
from pincite.types import Box, Document, Span

MIN_PAGES = 500
SEED = 7
MAX_PICTURES = 20


def read_all(folder: Path) -> dict[str, dict[str, object]]:
    """What becomes of each file: its status, pages, characters, those with a place on a page, and the time."""
    found: dict[str, dict[str, object]] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in SUFFIXES or path.name == "manifest.json":
            continue
        started = time.perf_counter()
        status, documents = "ok", ()
        try:
            documents = parse(path.read_bytes(), path.name)
        except ParseError as error:
            status = error.status
        found[path.name] = {
            "status": status,
            "pages": sum(len(one.pages) for one in documents),
            "chars": sum(len(one.text) for one in documents),
            "boxed": sum(len(run.span) for one in documents for run in one.runs),
            "seconds": round(time.perf_counter() - started, 3),
        }
    return found


def readable(folder: Path) -> list[tuple[str, bytes]]:
    """The PDF files with a text layer."""
    found = []
    for path in sorted(folder.glob("*.pdf")):
        data = path.read_bytes()
        try:
            parse_pdf(data, path.name)
        except ParseError:
            continue
        found.append((path.name, data))
    return found


def pages_per_second(files: list[tuple[str, bytes]]) -> float:
    """Pages a CPU second that the worker reads, each with the places of all its characters, lines and links, over 500 pages
    or more. Its code runs here, so that its own time is counted; files are opened again and again, as they are."""

    def read() -> int:
        pages = 0
        for _, data in files:
            ((current, _),) = worker.answer(None, {"do": "open", "passwords": []}, data)
            assert current is not None
            request = {"do": "pages", "first": 0, "last": len(current.pdf), "tables": False}
            pages += sum(bool(json.dumps(reply[0])) for _, reply in worker.answer(current, request, b""))
            current.close()
        return pages

    read()
    pages, started = 0, time.process_time()
    while pages < MIN_PAGES:
        pages += read()
    return pages / (time.process_time() - started)


def beside(files: list[tuple[str, bytes]]) -> dict[str, float]:
    """The same of others, once over the files: text and a box for each character."""
    found: dict[str, float] = {}
    try:
        import pdfplumber
    except ImportError:
        print("pdfplumber is not installed")
    else:
        pages, started = 0, time.process_time()
        for _, data in files:
            with pdfplumber.open(io.BytesIO(data)) as pdf:
                for page in pdf.pages:
                    page.extract_text()
                    pages += bool(page.chars)
        found["pdfplumber"] = pages / (time.process_time() - started)
    try:
        import pymupdf  # never a dependency: AGPL
    except ImportError:
        return found
    pages, started = 0, time.process_time()
    while pages < MIN_PAGES:
        for _, data in files:
            for page in pymupdf.open(stream=data):
                page.get_text("rawdict", sort=True)
                pages += 1
    found["pymupdf"] = pages / (time.process_time() - started)
    return found


def sentences(files: list[tuple[str, bytes]], count: int, images: Path | None) -> dict[str, object]:
    """Random sentences, their boxes, and the characters that pdfplumber finds inside of them.

    ``iou``: characters that both have, as a bag, over those that either has; white space left aside.
    """
    import pdfplumber

    chance = random.Random(SEED)
    pool: list[tuple[str, bytes, Document, Span]] = []
    for name, data in files:
        (document,) = parse_pdf(data, name, options=PdfOptions(tables=False))
        spans = [span for span in split_sentences(document.text) if len(span) > 20]
        pool += [(name, data, document, span) for span in spans]
    picked = chance.sample(pool, min(count, len(pool)))
    scores: list[tuple[float, str]] = []
    pictured = {id(span) for _, _, _, span in picked[:MAX_PICTURES]}
    for name, data in files:
        own = [(document, span) for file, _, document, span in picked if file == name]
        if not own:
            continue
        document = own[0][0]
        found = boxes_of(document, [span for _, span in own], data)
        with pdfplumber.open(io.BytesIO(data)) as pdf:
            for (_, span), boxes in zip(own, found, strict=True):
                inside = "".join(_text_in(pdf, box) for box in boxes)
                scores.append(
                    (_iou(span.of(document.text), inside), f"{name} {span.of(document.text)[:60]!r}")
                )
                if images is not None and id(span) in pictured:
                    picture = page_image(data, boxes[0].page_index, 900, boxes=boxes)
                    (images / f"{name}-{span.start}.png").write_bytes(picture)
    values = sorted(score for score, _ in scores)
    return {
        "sentences": len(values),
        "mean_iou": round(sum(values) / len(values), 4),
        "lowest": [(round(score, 3), what) for score, what in sorted(scores)[:5]],
        "at_least_0.98": round(sum(value >= 0.98 for value in values) / len(values), 4),
    }


def _text_in(pdf: object, box: Box) -> str:
    page = pdf.pages[box.page_index]  # type: ignore[attr-defined]
    wide, high = float(page.width), float(page.height)
    left, top = float(page.cropbox[0]), float(page.cropbox[1])
    return "".join(
        char["text"]
        for char in page.chars
        if box.x0 * wide <= (char["x0"] + char["x1"]) / 2 - left <= box.x1 * wide
        and box.y0 * high <= (char["top"] + char["bottom"]) / 2 - top <= box.y1 * high
    )


def _iou(one: str, other: str) -> float:
    a, b = (Counter("".join(unicodedata.normalize("NFKC", text).split())) for text in (one, other))
    either = sum((a | b).values())
    return sum((a & b).values()) / either if either else 1.0


def add_time(folder: Path) -> float:
    """Seconds of ``pincite add`` on the folder, from nothing."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [
            sys.executable,
            "-m",
            "pincite.cli",
            "-c",
            f"store.path={scratch}/p.db",
            "add",
            str(folder),
        ]
        started = time.perf_counter()
        subprocess.run(command, cwd=scratch, capture_output=True, check=False)
        return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--sentences", type=int, default=0)
    parser.add_argument("--images", type=Path)
    parser.add_argument("--beside", action="store_true")
    parser.add_argument("--add", action="store_true")
    options = parser.parse_args()
    folder = options.data / "files"
    files = readable(folder)
    if options.sentences:
        if options.images is not None:
            options.images.mkdir(parents=True, exist_ok=True)
        print(json.dumps(sentences(files, options.sentences, options.images), indent=1))
        return
    if options.add:
        print(f"pincite add: {add_time(folder):.1f} s")
        return
    result = {"files": read_all(folder), "pdf_pages_per_s": round(pages_per_second(files), 1)}
    if options.json:
        print(json.dumps(result))
    else:
        for name, row in result["files"].items():  # type: ignore[attr-defined]
            print(f"{name:32} " + "  ".join(f"{key} {value}" for key, value in row.items()))
        print(f"pages of PDF a second: {result['pdf_pages_per_s']}")
    if options.beside:
        for name, speed in beside(files).items():
            print(f"{name}: {speed:.1f} pages a second", file=sys.stderr)


if __name__ == "__main__":
    main()
