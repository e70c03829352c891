"""A passage as the things in it that can be quoted alone."""

from __future__ import annotations

from pincite.text.blocks import BlockKind
from pincite.text.passages import cells, quotables, read_row

TABLE = "Plans:\n\n| Plan | Storage |\n|---|---|\n| Basic | 10 GB |\n| Plus | 50 GB |\n"


def test_sentences_of_a_paragraph_are_quotable_one_by_one() -> None:
    text = "Entry is free. Tours cost 5 EUR."
    assert [one.span.of(text) for one in quotables(text)] == ["Entry is free.", "Tours cost 5 EUR."]


def test_a_row_knows_its_header_and_the_header_is_not_quotable() -> None:
    rows = [one for one in quotables(TABLE) if one.kind is BlockKind.TABLE_ROW]
    assert [one.header.of(TABLE) for one in rows if one.header] == ["| Plan | Storage |"] * 2
    assert rows[0].group == rows[1].group


def test_items_know_what_opens_their_list() -> None:
    text = "Bring these:\n\n1. a towel\n2. a lock\n"
    items = [one for one in quotables(text) if one.kind is BlockKind.LIST_ITEM]
    assert [one.lead_in.of(text) for one in items if one.lead_in] == ["Bring these:"] * 2


def test_an_ordinary_sentence_opens_no_list() -> None:
    text = "Entry is free.\n\n- a towel\n"
    assert [one.lead_in for one in quotables(text)] == [None, None]


def test_code_is_quotable_as_a_whole() -> None:
    text = "Run this:\n\n```sh\nmake\n\nmake test\n```\n"
    (code,) = [one for one in quotables(text) if one.kind is BlockKind.CODE]
    assert "make test" in code.span.of(text)


def test_headings_are_context() -> None:
    text = "## Fees\n\nEntry is free."
    (one,) = quotables(text)
    assert one.heading is not None
    assert one.heading.of(text) == "Fees"


def test_a_row_is_read_with_its_header() -> None:
    assert read_row("| Plan | Storage |", "| Plus | 50 GB |") == "Plan: Plus; Storage: 50 GB"
    assert read_row("| Plan |", "| Plus | 50 GB |") == "Plan: Plus; 50 GB"
    assert read_row("|  | A |", "| x |  |") == "x"


def test_an_escaped_pipe_belongs_to_its_cell() -> None:
    assert cells(r"| a \| b | c |") == ("a | b", "c")
