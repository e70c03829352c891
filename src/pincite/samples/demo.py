"""``make demo``: the sample documents in, four questions answered, everything checked, offline."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.samples import DEMO_QUESTIONS, samples_dir

if TYPE_CHECKING:
    from pincite.ports import Embedder

LANGUAGES = ("en", "de", "ja", "ar")
RULE = "─" * 72

NEXT = """\
Your own documents:  {pincite} add handbook.pdf && {pincite} ask "…"
With a model:        Pipeline.from_config(llm=my_model), see "Use a model" in README.md; it is checked just the same"""


def main(arguments: Sequence[str]) -> int:
    """Run the demo and return its exit code. ``--json`` prints the four answers as JSON lines, and nothing else."""
    if list(arguments) not in ([], ["--json"]):
        print(f"unknown words {' '.join(arguments)!r}; the demo takes --json or nothing", file=sys.stderr)
        return 2
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        _show(as_json=bool(arguments))
    except BrokenPipeError:  # the reader went away, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _local_embedder() -> Embedder | None:
    """The packaged embedder, if it is there. To embed all passages would take half a minute, a few sentences are enough."""
    from pincite.embedders import EMBEDDERS
    from pincite.embedders.options import EmbedderOptions
    from pincite.errors import ConfigError

    try:
        return EMBEDDERS["local"](EmbedderOptions())
    except ConfigError:
        return None


def _show(*, as_json: bool) -> None:
    from pincite.llms.extractive import make_extractive
    from pincite.pipeline import Pipeline

    begun = time.monotonic()
    with Pipeline(store="memory", embedder="none") as words_only:
        added = words_only.add(*(samples_dir() / language for language in LANGUAGES))
        embedder = _local_embedder()
        rag = Pipeline(replace(words_only.parts, model=make_extractive(embedder)), words_only.settings)
        how = (
            f"Passages are found by words, the sentence in them is chosen by meaning ({embedder.fingerprint})."
            if embedder
            else "Search by words alone: the local embedder is not installed."
        )
        print(
            f"{len(added.added)} documents in {len(LANGUAGES)} languages, {added.chunks} passages, "
            f"read in {time.monotonic() - begun:.1f} s. {how}",
            file=sys.stderr if as_json else sys.stdout,
        )
        for place, demo in enumerate(DEMO_QUESTIONS, start=1):
            answer = rag.ask(demo.question)
            if as_json:
                print(answer.to("json"), flush=True)
            else:
                print(
                    f"\n{RULE}\n{place}. {demo.question}\n   ({demo.shows})\n\n{answer.to('text')}",
                    flush=True,
                )
    if not as_json:
        print(f"\n{RULE}\n{NEXT.format(pincite=_command())}", flush=True)


def _command() -> str:
    """How ``pincite`` is called from here: ``make demo`` installs it into an environment that need not be active."""
    beside = Path(sys.executable).with_name("pincite.exe" if os.name == "nt" else "pincite")
    if shutil.which("pincite") is not None or not beside.exists():
        return "pincite"
    here = Path.cwd()
    return str(beside.relative_to(here) if beside.is_relative_to(here) else beside)
