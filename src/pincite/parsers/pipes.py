"""Tables as text: a row a line, ``| cells |``, with a delimiter line below the header."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest


def pipe_table(rows: Sequence[Sequence[str]], header_rows: int = 0) -> str:
    """The lines of a table; header rows become one, empty rows are left out.

    >>> print(pipe_table([("Fee", "2031"), ("Adult", "5 EUR")], 1))
    | Fee | 2031 |
    | --- | --- |
    | Adult | 5 EUR |
    """
    lines: list[str] = []
    if header_rows:
        head = [
            " ".join(dict.fromkeys(filter(None, column)))
            for column in zip_longest(*rows[:header_rows], fillvalue="")
        ]
        lines += [pipe_row(head), "|" + " --- |" * len(head)]
    lines += [pipe_row(row) for row in rows[header_rows:] if any(row)]
    return "\n".join(lines)


def pipe_row(cells: Sequence[str]) -> str:
    """One row.

    >>> pipe_row(["a|b", "c"])
    '| a\\\\|b | c |'
    """
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
