"""PDF files written by hand, with what real ones have: columns, turned pages, crop boxes, fields, labels, rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

LETTER = (0, 0, 612, 792)


@dataclass
class PdfPage:
    """A page in the making. Places are points from the bottom left, as PDF counts."""

    media: tuple[float, float, float, float] = LETTER
    crop: tuple[float, float, float, float] | None = None
    rotate: int = 0
    content: list[str] = field(default_factory=list)
    annotations: list[str] = field(default_factory=list)

    def text(
        self, x: float, y: float, text: str, *, size: float = 10, font: str = "F", turn: int = 0
    ) -> PdfPage:
        """One line, its base line beginning at ``x, y``; ``turn``: quarters against the clock."""
        a, b, c, d = ((1, 0, 0, 1), (0, 1, -1, 0), (-1, 0, 0, -1), (0, -1, 1, 0))[turn]
        escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        self.content.append(f"BT /{font} {size} Tf {a} {b} {c} {d} {x} {y} Tm ({escaped}) Tj ET")
        return self

    def lines(
        self, x: float, top: float, lines: Iterable[str], *, size: float = 10, leading: float = 12
    ) -> PdfPage:
        """Lines one below the other, the first with its base line at ``top``."""
        for i, line in enumerate(lines):
            self.text(x, top - i * leading, line, size=size)
        return self

    def rule(self, x0: float, y0: float, x1: float, y1: float) -> PdfPage:
        """A thin line."""
        self.content.append(f"{x0} {y0} m {x1} {y1} l S")
        return self

    def grid(self, xs: Sequence[float], ys: Sequence[float]) -> PdfPage:
        """The ruling lines of a table."""
        for x in xs:
            self.rule(x, min(ys), x, max(ys))
        for y in ys:
            self.rule(min(xs), y, max(xs), y)
        return self

    def field(self, box: tuple[float, float, float, float], name: str, value: str) -> PdfPage:
        """A text field of a form."""
        self.annotations.append(
            f"<< /Type /Annot /Subtype /Widget /FT /Tx /F 4 /T ({name}) /V ({value}) /DA (/F 10 Tf 0 g) "
            f"/Rect [{' '.join(map(str, box))}] >>"
        )
        return self

    def link(self, box: tuple[float, float, float, float], address: str) -> PdfPage:
        """A place that leads to an address."""
        self.annotations.append(
            f"<< /Type /Annot /Subtype /Link /Rect [{' '.join(map(str, box))}] "
            f"/A << /S /URI /URI ({address}) >> >>"
        )
        return self


def write_pdf(*pages: PdfPage, labels: str = "", title: str = "", info: str = "") -> bytes:
    """The file. ``labels``: the entries of a number tree, such as ``0 << /S /r >> 2 << /S /D >>``. ``info``: further
    properties, such as ``/Author (Ada)``."""
    objects: list[str] = []

    def add(text: str) -> str:
        objects.append(text)
        return f"{len(objects)} 0 R"

    catalog, tree = add(""), add("")
    font = add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    bold = add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>")
    kids, fields = [], []
    for page in pages:
        stream = "\n".join(page.content)
        content = add(f"<< /Length {len(stream.encode('cp1252'))} >>\nstream\n{stream}\nendstream")
        annotations = [add(one) for one in page.annotations]
        fields += [ref for ref, one in zip(annotations, page.annotations, strict=True) if "/Widget" in one]
        crop = f"/CropBox [{' '.join(map(str, page.crop))}]" if page.crop else ""
        kids.append(
            add(
                f"<< /Type /Page /Parent {tree} /MediaBox [{' '.join(map(str, page.media))}] {crop} /Rotate {page.rotate} "
                f"/Contents {content} /Annots [{' '.join(annotations)}] "
                f"/Resources << /Font << /F {font} /B {bold} >> >> >>"
            )
        )
    form = f"/AcroForm << /Fields [{' '.join(fields)}] /DA (/F 10 Tf 0 g) /DR << /Font << /F {font} >> >> >>"
    numbers = f"/PageLabels << /Nums [{labels}] >>" if labels else ""
    objects[0] = f"<< /Type /Catalog /Pages {tree} {numbers} {form if fields else ''} >>"
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    about = f"/Info {add(f'<< /Title ({title}) {info} >>')}" if title or info else ""
    return pdf_of(objects, f"/Root {catalog} {about}")


def pdf_of(objects: Sequence[str], trailer: str) -> bytes:
    """A file of these objects, numbered from 1, with a table of their places."""
    body, places = b"%PDF-1.6\n", []
    for number, text in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{text}\nendobj\n".encode("cp1252")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(places) + 1
    end = f"trailer\n<< {trailer} /Size {size} >>\nstartxref\n{len(body)}\n%%EOF\n"
    return body + f"xref\n0 {size}\n0000000000 65535 f \n{table}{end}".encode()
