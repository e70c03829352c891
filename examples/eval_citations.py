"""Evaluate the citations of a system's answers and stop a change that makes them worse: for a build.

    python eval_citations.py golden.jsonl --answers answers.jsonl --baseline main.json --output report.json report.md

It is ``pincite eval`` as a script (source 004 names it so): the same options, code and exit codes. 0: all targets are met and
nothing got worse by more than two points; 1: something did, or an item came to no result; 2: it could not be run.
``golden.jsonl`` holds the questions with what is expected, ``answers.jsonl`` lines of ``id``, ``answer`` and ``sources`` as your
system gave them; without ``--answers`` the documents of ``pincite.toml`` are asked. Without any argument it runs the
questions that pincite ships over the documents that it ships.
"""

from __future__ import annotations

import sys

from pincite.cli.app import run

if __name__ == "__main__":
    sys.exit(run(["eval", *sys.argv[1:]]))
