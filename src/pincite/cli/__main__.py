"""``python -m pincite.cli``: the same as ``pincite``."""

from pincite.cli import main

main()
