"""What `add --jobs N` gains, and whether it stores the same.

    python benchmarks/bulk.py [--jobs 2] [--kind markdown|pdf|vectors] [--copies 40] [--json]

`markdown`: copies of the samples. `pdf`: small PDF files of them, each of a few pages. `vectors`: a few samples with the embedder
`local`. Machines are shared, so beside the time on the clock stand the processor seconds of this process, which alone writes, and
of its helpers: where nothing else runs, N processes take about `max(own, all / N)`, which is given as `bound`.

The dumbest rule beside it: one process (`jobs` 1), as in every line.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sqlite3
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pincite import Pipeline
from pincite.samples import samples_dir

TABLES = ("documents", "texts", "chunks", "numbers", "terms", "postings", "levels", "vectors")
WIDTH, LINES = 90, 50


def pdf_of(text: str) -> bytes:
    """A PDF of plain lines, as an old program would print it."""
    lines = [line[at : at + WIDTH] for line in text.splitlines() for at in range(0, max(1, len(line)), WIDTH)]
    pages = [lines[at : at + LINES] for at in range(0, len(lines), LINES)]
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode())
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    for number, page in enumerate(pages):
        shown = "".join(f"({_escaped(line)}) Tj T*\\n" for line in page).replace("\\n", "\n")
        stream = f"BT /F1 10 Tf 50 780 Td 14 TL\n{shown}ET".encode("cp1252", "replace")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    return out + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF"
        % (len(places) + 1, table, len(places) + 1, start)
    )


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def write(folder: Path, kind: str, copies: int) -> None:
    """The files of a kind."""
    for source in sorted(path for path in samples_dir().rglob("*.md") if path.parent.name == "en"):
        for number in range(copies):
            text = source.read_text("utf-8")
            # Without its head: that gives all copies one id.
            body = (text.partition("---\n")[2].partition("---\n")[2] or text).replace(
                ". ", f", says copy {number}. ", 5
            )
            if kind == "pdf":
                Path(folder, f"{source.stem}-{number}.pdf").write_bytes(pdf_of(body))
            else:
                Path(folder, f"{source.stem}-{number}.md").write_text(body, "utf-8")


def measured(folder: Path, database: Path, jobs: int, ray_address: str, embedder: str) -> dict[str, Any]:
    """One `add` into a new database."""

    def processor() -> tuple[float, float]:
        return tuple(
            sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )  # type: ignore[return-value]

    own, others = processor()
    start = time.perf_counter()
    with Pipeline(store=database, embedder=embedder) as rag:
        report = rag.add(folder, jobs=jobs, ray_address=ray_address)
    seconds = time.perf_counter() - start
    time.sleep(1.0)  # until the helpers have been counted
    after_own, after_others = processor()
    assert not report.failed, report.failed[:1]
    return {
        "jobs": jobs,
        "files": len(report.added),
        "chunks": report.chunks,
        "seconds": round(seconds, 2),
        "own_cpu": round(after_own - own, 2),
        "helpers_cpu": round(after_others - others, 2),
    }


def contents(database: Path) -> list[Any]:
    """All that is stored of documents but the time."""
    with sqlite3.connect(database) as db:
        names = {row[1] for row in db.execute("PRAGMA table_info(documents)")} - {"added_at", "origin"}
        kept = ", ".join(sorted(names))
        return [
            db.execute(f"SELECT {kept if table == 'documents' else '*'} FROM {table} ORDER BY 1").fetchall()
            for table in TABLES
        ]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kind", choices=("markdown", "pdf", "vectors"), default="markdown")
    parser.add_argument("--copies", type=int, default=40)
    parser.add_argument("--ray", default="")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    embedder = "local" if given.kind == "vectors" else "none"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "docs")
        folder.mkdir()
        write(folder, given.kind, given.copies)
        rows = [
            measured(folder, Path(scratch, f"{jobs}.db"), jobs, given.ray if jobs > 1 else "", embedder)
            for jobs in (1, given.jobs)
        ]
        same = contents(Path(scratch, "1.db")) == contents(Path(scratch, f"{given.jobs}.db"))
    for row in rows:
        everything = row["own_cpu"] + row["helpers_cpu"]
        row["bound"] = round(max(row["own_cpu"], everything / row["jobs"]), 2)
    found = {"kind": given.kind, "load": os.getloadavg()[0], "same": same, "rows": rows}
    if given.json:
        print(json.dumps(found))
        return
    for row in rows:
        print(" · ".join(f"{name} {value}" for name, value in row.items()))
    print(
        f"speed-up on the clock {rows[0]['seconds'] / rows[1]['seconds']:.2f} at load {found['load']:.1f} · the same index: {same}"
    )


if __name__ == "__main__":
    main()
