"""The command line. Data goes to standard output, everything else to standard error; exit codes are 0, 1, 2 and 130."""

from __future__ import annotations

import sys


def main() -> None:
    """Run ``pincite`` with the words of the command line, and end the process with its exit code."""
    try:
        from pincite.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)
