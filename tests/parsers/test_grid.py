"""Tables with spanning cells, as grids."""

from __future__ import annotations

import pytest

from pincite.parsers.grid import table_grid
from pincite.parsers.html import html_to_text


@pytest.mark.parametrize(
    ("rows", "grid"),
    [
        ("<tr><td>a<td>b", [["a", "b"]]),
        ("<tr><td colspan=2>a<tr><td>b<td>c", [["a", "a"], ["b", "c"]]),
        ("<tr><td rowspan=2>a<td>b<tr><td>c", [["a", "b"], ["a", "c"]]),
        ("<tr><td>a<td rowspan=2>b<td>c<tr><td>d<td>e", [["a", "b", "c"], ["d", "b", "e"]]),
        ("<tr><td rowspan=2 colspan=2>a<td>b<tr><td>c", [["a", "a", "b"], ["a", "a", "c"]]),
        ("<tr><td>a<tr><td>b<td>c", [["a", ""], ["b", "c"]]),
        (
            "<tbody><tr><td rowspan=0>a<td>b<tr><td>c<tbody><tr><td>d<td>e",
            [["a", "b"], ["a", "c"], ["d", "e"]],
        ),
        ("<tbody><tr><td rowspan=9>a<td>b<tbody><tr><td>c<td>d", [["a", "b"], ["c", "d"]]),
        ("<tfoot><tr><td>z<tbody><tr><td>a<thead><tr><th>h", [["h"], ["a"], ["z"]]),
        ("<tr><td colspan=x>a<td rowspan=-1>b", [["a", "b"]]),
        ("<tr><td>a <b>b</b><br>c<p>d", [["a b c d"]]),
        ("", []),
    ],
)
def test_a_spanning_cell_stands_in_every_place_it_covers(rows: str, grid: list[list[str]]) -> None:
    assert [list(row) for row in table_grid(f"<table>{rows}</table>")] == grid


def test_a_table_in_a_cell_is_text_of_the_cell() -> None:
    assert table_grid("<table><tr><td>a<table><tr><td>b</table><td>c</table>") == (("a b", "c"),)


def test_a_page_without_a_table_has_no_grid() -> None:
    assert table_grid("<p>x") == ()


def test_a_few_bytes_cannot_ask_for_millions_of_cells() -> None:
    bomb = "<table>" + "<tr><td rowspan=65534 colspan=1000>abcdefgh" * 500 + "</table>"
    assert len(html_to_text(bomb)) < 3_000_000
