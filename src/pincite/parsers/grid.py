"""HTML tables as grids: each spanning cell repeated in every place it covers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_COLUMNS = 1000
"""The HTML standard's bound on ``colspan``."""
MAX_ROWSPAN = 65534
"""The same for ``rowspan``."""
_MAX_REPEATED = 1_000_000
"""Characters that the repeating of one table may add. Beyond them a spanning cell is written once: a table of a few
bytes can ask for millions of cells."""
_MAX_EMPTY_SHARE = 20

_GROUPS = ("thead", "tbody", "tfoot")
"""In the order in which they are shown, wherever they stand."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as seen. ``rows`` are of one length, ``""`` where no cell is (unless that would be nearly everywhere);
    the first ``header_rows`` of them are the header."""

    rows: tuple[tuple[str, ...], ...]
    header_rows: int = 0


def table_grid(html: str) -> tuple[tuple[str, ...], ...]:
    """The first table of ``html``, row by row; empty when there is none.

    >>> table_grid("<table><tr><th colspan=2>Fees<tr><td>Adult<td>5 EUR</table>")
    (('Fees', 'Fees'), ('Adult', '5 EUR'))
    """
    from pincite.parsers.html import cell_text, tree

    table = tree(html).css_first("table")
    return grid_of(table, cell_text).rows if table is not None else ()


def grid_of(table: LexborNode, text_of: Callable[[LexborNode], str]) -> Grid:
    """Grid of a table element, tables inside its cells left aside."""
    rows: list[dict[int, str]] = []
    headers: list[bool] = []
    repeated = 0
    filled = 0
    width = 0
    for group, in_head in _row_groups(table):
        # Column -> (rows still to cover, text). Spans end with their row group.
        open_: dict[int, tuple[int, str]] = {}
        for row in group:
            places: dict[int, str] = {}
            still: dict[int, tuple[int, str]] = {}
            for column, (left, text) in open_.items():
                places[column] = text
                if left > 1:
                    still[column] = (left - 1, text)
            column, only_headers, own = 0, True, False
            for cell in _cells(row):
                own, only_headers = True, only_headers and cell.tag == "th"
                text = text_of(cell)
                while column in places:
                    column += 1
                across = min(_number(cell, "colspan", 1), MAX_COLUMNS)
                # 0 means: to the end of the row group.
                down = _number(cell, "rowspan", 1) or MAX_ROWSPAN
                if repeated > _MAX_REPEATED:
                    across = down = 1
                for at in range(column, column + max(1, across)):
                    if at in places:
                        break
                    places[at] = text
                    repeated += len(text) + 1
                    if down > 1:
                        still[at] = (min(down, MAX_ROWSPAN) - 1, text)
                column += max(1, across)
            repeated += sum(len(text) + 1 for _, text in open_.values())
            filled += len(places)
            open_ = still if repeated <= _MAX_REPEATED else {}
            if places:
                rows.append(places)
                headers.append(in_head or (own and only_headers))
                width = max(width, max(places) + 1)
    header_rows = next((i for i, header in enumerate(headers) if not header), 0)
    if len(rows) * width > _MAX_EMPTY_SHARE * filled + 10_000:
        return Grid(tuple(tuple(row[column] for column in sorted(row)) for row in rows), header_rows)
    return Grid(tuple(tuple(row.get(column, "") for column in range(width)) for row in rows), header_rows)


def _row_groups(table: LexborNode) -> Iterator[tuple[list[LexborNode], bool]]:
    groups: dict[str, list[list[LexborNode]]] = {name: [] for name in _GROUPS}
    for child in _children(table):
        if child.tag in groups:
            groups[child.tag].append([row for row in _children(child) if row.tag == "tr"])
        elif child.tag == "tr":
            groups["tbody"].append([child])
    for name, found in groups.items():
        for group in found:
            yield group, name == "thead"


def _cells(row: LexborNode) -> Iterator[LexborNode]:
    return (cell for cell in _children(row) if cell.tag in ("td", "th"))


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.first_child
    while child is not None:
        yield child
        child = child.next


def _number(cell: LexborNode, name: str, default: int) -> int:
    value = (cell.attributes.get(name) or "").strip()
    # A number of a thousand digits is no number of columns.
    return int(value) if value.isascii() and value.isdigit() and len(value) <= 6 else default
