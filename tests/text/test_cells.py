"""Cells: the address of a place in a table file, in the document and in a passage of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite import Pipeline
from pincite.chunk import chunk
from pincite.parsers import csv
from pincite.ports import Delta, ModelRequest
from pincite.text.cells import Cells, cell_address
from pincite.types import Document, Span

LINES = "".join(f"Plan {i},{i} GB\n" for i in range(2, 400))


def plans(before: str = "") -> Document:
    (document,) = csv.parse(f"{before}Plan,Storage\n{LINES}".encode(), "plans.csv")
    return document


def test_every_passage_knows_its_rows() -> None:
    document = plans()
    chunks = chunk(document)
    assert len(chunks) > 5
    for one in chunks:
        number = one.text.rpartition("| Plan ")[2].split(" ")[0]
        start = one.text.rindex(f"{number} GB")
        assert cell_address(one.text, one.cells, Span(start, start + 2)) == f"B{number}"


@pytest.mark.parametrize("overlap", [0, 60, 149])
def test_passages_that_overlap_know_their_rows_too(overlap: int) -> None:
    for one in chunk(plans(), strategy="fixed", size=150, overlap=overlap):
        at = one.text.rfind("| Plan ")
        number = one.text[at + 7 :].split(" ")[0]
        if at >= 0 and one.text[at:].count("|") > 1:
            assert cell_address(one.text, one.cells, Span(at + 2, at + 6)) == f"A{number}"


def test_a_span_over_rows_and_columns_has_both_corners() -> None:
    document = plans()
    places = dict(document.metadata)["cells"]
    start = document.text.index("Plan 5")
    end = document.text.index("7 GB") + 4
    assert cell_address(document.text, places, Span(start, end)) == "A5:B7"


@pytest.mark.parametrize("cells", ["", "no JSON", "[]", "{}", "3"])
def test_metadata_of_somebody_else_under_this_name_says_nothing(cells: str) -> None:
    assert cell_address("| a |", cells, Span(2, 3)) == ""
    assert chunk(Document("d", "| a | b |", metadata=(("cells", cells),)))[0].cells == ""


def quoting(request: ModelRequest) -> Iterator[Delta]:
    yield Delta(
        '{"statement": "Logs are kept for 90 days.", "quotes": [{"id": "c-1", "quote": "| Logs | 90 days |"}]}\n'
    )


@pytest.mark.parametrize("store", ["memory", "sqlite"])
def test_a_citation_names_the_cells(store: str, tmp_path: Path) -> None:
    rag = Pipeline(store="memory" if store == "memory" else tmp_path / "p.db", embedder="none", llm=quoting)
    rag.add(csv.parse(b"Item,Kept for,Note\nFiles,30 days,x\nLogs,90 days,y\n", "kept.csv"))
    answer = rag.ask("How long are logs kept?")
    assert [citation.address and citation.address.cell for citation in answer.citations] == ["A3:B3"]
    assert "cell A3:B3" in answer.to("text")
    assert json.loads(answer.to("json"))["citations"][0]["address"]["cell"] == "A3:B3"


@pytest.mark.parametrize(
    "cells",
    [
        "no json",
        "[]",
        '{"sheets": 1, "runs": []}',
        '{"sheets": ["a"], "runs": [[0, 0, -5, 1]]}',
        '{"sheets": ["a"], "runs": [[0, 1, 0, 1]]}',
        '{"sheets": ["a"], "runs": [[0, 0, 0]]}',
        '{"sheets": ["a"], "runs": [[0, 0, 0, true]]}',
        '{"sheets": [1], "runs": [[0, 0, 0, 1]]}',
        '{"sheets": ["a"], "runs": [[5, 0, 0, 1], [0, 0, 0, 2]]}',
        '{"sheets": ["a"], "runs": [[0, 0, 99999999999999999999, 1]]}',
    ],
)
def test_places_that_cannot_be_right_are_no_places(cells: str) -> None:
    assert cell_address("| a |\n| --- |\n| b |", cells, Span(2, 3)) == ""
    assert Cells("| a |", cells).of(Span(0, 3)) == ""
