"""PDF files written by hand, small enough to read."""

from __future__ import annotations


def small_pdf(*pages: str) -> bytes:
    """A PDF with the lines of each of ``pages`` one below the other, in Latin letters."""
    kids = " ".join(f"{3 + 2 * i} 0 R" for i in range(len(pages)))
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>"]
    for i, text in enumerate(pages):
        lines = " ".join(f"({line}) Tj 0 -20 Td" for line in text.splitlines())
        stream = f"BT /F 12 Tf 72 700 Td {lines} ET"
        font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {4 + 2 * i} 0 R "
            f"/Resources << /Font << /F {font} >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    body, places = "%PDF-1.4\n", []
    for n, text in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{n} 0 obj\n{text}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"trailer\n<< /Root 1 0 R /Size {size} >>\nstartxref\n{len(body)}\n%%EOF\n"
    return f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}{end}".encode()
