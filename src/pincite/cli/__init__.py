"""The command line. Data goes to standard output, everything else to standard error; exit codes are 0, 1, 2 and 130."""

from __future__ import annotations

import gc
import sys

COLLECT_AFTER = 50_000
"""Objects made before Python looks for garbage, instead of 700: most commands end before there is any."""


def main() -> None:
    """Run ``pincite`` with the words of the command line, and end the process with its exit code."""
    gc.set_threshold(COLLECT_AFTER, 20, 20)
    try:
        from pincite.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)
