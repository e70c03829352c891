"""In which order the pieces of a page are read."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.parsers.pdf.columns import Piece, columns, rows

HIGH = 10.0


def piece(place: int, x: float, y: float, width: float) -> Piece:
    return Piece(place, x, y, x + width, y + HIGH)


def places(blocks: Iterable[Iterable[Piece]]) -> list[list[int]]:
    return [[one.place for one in block] for block in blocks]


def column(first: int, x: float, count: int, *, width: float = 200, step: int = 1) -> list[Piece]:
    return [piece(first + step * i, x, 12 * i, width) for i in range(count)]


def test_one_column_is_one_block() -> None:
    assert places(columns(column(0, 0, 5))) == [[0, 1, 2, 3, 4]]


def test_a_title_over_both_columns_comes_first_and_a_foot_last() -> None:
    title, foot = piece(0, 50, -40, 320), piece(9, 50, 100, 320)
    found = columns([title, *column(1, 0, 4), *column(5, 220, 4), foot])
    assert places(found) == [[0], [1, 2, 3, 4], [5, 6, 7, 8], [9]]


def test_narrow_cells_side_by_side_stay_one_block() -> None:
    cells = [*column(0, 0, 5, width=40, step=2), *column(1, 220, 5, width=30, step=2)]
    assert len(columns(cells)) == 1


def test_cells_of_wrapped_text_are_read_cell_by_cell() -> None:
    cells = [
        piece(4 * row + 2 * side + line, 220 * side, 60 * row + 12 * line, 200)
        for row in range(4)
        for side in (0, 1)
        for line in (0, 1)
    ]
    assert places(columns(cells)) == [[2 * i, 2 * i + 1] for i in range(8)]


def test_lines_that_the_file_writes_over_both_columns_are_parted_when_there_are_many() -> None:
    both = [*column(0, 0, 10, step=2), *column(1, 220, 10, step=2)]
    assert places(columns(both)) == [list(range(0, 20, 2)), list(range(1, 20, 2))]


def test_a_raised_figure_stands_on_the_line_that_it_overlaps() -> None:
    line, figure = Piece(0, 0, 10, 50, 20), Piece(1, 50, 8, 54, 14)
    assert places(rows([figure, line])) == [[0, 1]]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(1, 30)), max_size=60))
def test_every_piece_is_read_once(edges: list[tuple[int, int, int]]) -> None:
    pieces = [piece(i, 10.0 * x, 6.0 * y, 5.0 * width) for i, (x, y, width) in enumerate(edges)]
    found = [one.place for block in columns(pieces) for row in rows(block) for one in row]
    assert sorted(found) == list(range(len(pieces)))
