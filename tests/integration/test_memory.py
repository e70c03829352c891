"""The memory that bad files take, in a process of its own. ``benchmarks/bad_input.py`` has the large ones."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.small_office import zipped

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="the system does not tell how much memory a process took"
)

PEAK_MB = 400
"""Some 70 of them are Python with the libraries. The large files unpack to gigabytes."""

ADD = """
import json, sys
from pathlib import Path
from pincite import Pipeline
report = Pipeline(store="memory", embedder="none").add(sys.argv[1])
# Not getrusage: its peak counts what the process that started this one had.
said = Path("/proc/self/status").read_text()
peak = int(said.partition("VmHWM:")[2].split()[0]) / 1024
print(json.dumps({"added": report.added, "failed": [one.where for one in report.failed], "peak_mb": peak}))
"""


def test_a_folder_of_bad_files_takes_little_memory_and_the_good_one_is_added(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    with (docs / "1-gb.txt").open("wb") as stream:
        stream.truncate(1_000_000_000)
    (docs / "bomb.docx").write_bytes(zipped({"word/document.xml": b" " * 150_000_000}))
    (docs / "deep.html").write_bytes(b"<div>" * 300_000)
    (docs / "deep.json").write_bytes(b"[" * 1_000_000)
    (docs / "lines.md").write_bytes(b"- a\n" * 1_300_000)
    (docs / "rows.csv").write_bytes(b"Plan,Price,Region\n" + b"Basic,12,EU\n" * 60_000)
    ran = subprocess.run([sys.executable, "-c", ADD, str(docs)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert found["added"] == ["rows-csv"]
    assert sorted(found["failed"]) == ["1-gb.txt", "bomb.docx", "deep.html", "deep.json", "lines.md"]
    assert found["peak_mb"] < PEAK_MB
