"""Chunks: whole blocks, exact places, context as spans, ids that stay."""

from __future__ import annotations

import pytest

from pincite.chunk import assign_ids, chunk, slug
from pincite.errors import ConfigError, ParseError
from pincite.text.pages import form_feed_pages
from pincite.text.sentences import sentences_of
from pincite.text.view import chunk_view
from pincite.types import Chunk, ChunkId, DocId, Document, Section, Span

TABLE = "| Plan | Price |\n|---|---|\n" + "".join(f"| Plan {n} | {n} EUR |\n" for n in range(1, 9))


def cut(text: str, **options: object) -> tuple[Chunk, ...]:
    return chunk(Document("doc", text, format="markdown"), **options)  # type: ignore[arg-type]


def texts(text: str, **options: object) -> list[str]:
    return [piece.text for piece in cut(text, **options)]


# --- sections -----------------------------------------------------------------------------------


def test_a_section_is_named_by_all_headings_above_it() -> None:
    pieces = cut("# Guide\n\nHello.\n\n## Refunds\n\nOne.\n\n### Germany\n\nTwo.\n\n## Hours\n\nThree.")
    assert [piece.section for piece in pieces] == [
        ("Guide",),
        ("Guide", "Refunds"),
        ("Guide", "Refunds", "Germany"),
        ("Guide", "Hours"),
    ]


def test_text_before_the_first_heading_is_the_preamble() -> None:
    assert [piece.section for piece in cut("Hello.\n\n## Fees\n\n5 EUR.")] == [("Preamble",), ("Fees",)]


def test_text_without_headings_is_main() -> None:
    assert [piece.section for piece in cut("Hello.")] == [("Main",)]


def test_a_heading_with_nothing_below_it_goes_with_its_first_subsection() -> None:
    pieces = cut("# Guide\n\n## Fees\n\nEntry is free.")
    assert [(piece.section, piece.text) for piece in pieces] == [
        (("Guide", "Fees"), "# Guide\n\n## Fees\n\nEntry is free.")
    ]


def test_a_heading_with_nothing_below_it_does_not_go_with_its_neighbour() -> None:
    assert texts("## Empty\n\n## Fees\n\nEntry is free.") == ["## Empty", "## Fees\n\nEntry is free."]


def test_a_hash_line_in_a_fence_is_no_heading() -> None:
    (piece,) = cut("## Set up\n\n```sh\n# not a heading\nmake\n```")
    assert piece.section == ("Set up",)


def test_sections_given_with_the_document_win_over_headings() -> None:
    document = Document(
        "doc",
        "# A\n\none two",
        sections=(Section(("Part 1",), Span(0, 5)), Section(("Part 2",), Span(5, 12))),
    )
    assert [piece.section for piece in chunk(document)] == [("Part 1",), ("Part 2",)]


def test_text_behind_an_inner_section_belongs_to_the_outer_one() -> None:
    document = Document(
        "doc", "aa\n\nbb\n\ncc", sections=(Section(("A",), Span(0, 10)), Section(("A", "B"), Span(4, 7)))
    )
    assert [piece.section for piece in chunk(document)] == [("A",), ("A", "B"), ("A",)]


def test_a_later_chunk_of_a_section_has_its_heading_as_context() -> None:
    pieces = cut("## Fees\n\nAdults pay 5 EUR here.\n\nChildren pay 2 EUR here.", max_chars=40)
    assert [piece.context_texts for piece in pieces] == [(), ("## Fees",)]


# --- whole blocks -------------------------------------------------------------------------------


def test_blocks_of_a_section_share_a_chunk_while_they_fit() -> None:
    assert texts("One.\n\nTwo.\n\nThree.", max_chars=12) == ["One.\n\nTwo.", "Three."]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    assert texts("Ice melts early. Steam rises fast. Rain falls down.", max_chars=36) == [
        "Ice melts early. Steam rises fast.",
        "Rain falls down.",
    ]


def test_a_long_sentence_is_cut_between_words() -> None:
    assert texts("seven slow ships sailed south", max_chars=12) == ["seven slow", "ships sailed", "south"]


def test_a_code_fence_is_never_cut() -> None:
    fence = "```\n" + "run(1)\n" * 20 + "```"
    assert fence in texts(f"Before.\n\n{fence}\n\nAfter.", max_chars=50)


def test_a_fence_that_is_never_closed_is_cut_between_lines() -> None:
    assert texts("```\nfirst line\nsecond line", max_chars=16) == ["```\nfirst line", "second line"]


def test_a_lead_in_stays_with_its_list() -> None:
    assert texts("Some text goes here.\n\nBring:\n\n- boots\n- a coat", max_chars=40) == [
        "Some text goes here.",
        "Bring:\n\n- boots\n- a coat",
    ]


def test_items_of_a_long_list_have_its_lead_in_as_context() -> None:
    pieces = cut("Bring along:\n\n- boots for the snow\n- a coat for the rain\n- a hat", max_chars=44)
    assert [piece.context_texts for piece in pieces] == [(), ("Bring along:",)]
    assert pieces[1].text == "- a coat for the rain\n- a hat"


def test_parts_of_a_long_item_have_its_first_line_as_context() -> None:
    pieces = cut("- Boots:\n  - brown ones for the snow\n  - black ones for the rain", max_chars=45)
    assert [(piece.context_texts, piece.text.strip()) for piece in pieces][1] == (
        ("- Boots:",),
        "- black ones for the rain",
    )


def test_a_bare_rule_makes_no_chunk_of_its_own() -> None:
    assert texts("A text that fills it.\n\n---\n\nAnother text to read.", max_chars=25) == [
        "A text that fills it.\n\n---",
        "Another text to read.",
    ]


# --- tables -------------------------------------------------------------------------------------


def test_every_part_of_a_long_table_shows_the_header_row() -> None:
    pieces = cut(TABLE, max_chars=80)
    assert len(pieces) > 2
    assert all("| Plan | Price |" in chunk_view(piece).text for piece in pieces)


def test_the_header_row_is_a_span_of_the_document() -> None:
    last = cut("Prices:\n\n" + TABLE, max_chars=80)[-1]
    assert last.context == (Span(0, 7), Span(9, 25))
    assert last.context_texts == ("Prices:", "| Plan | Price |")


def test_no_table_row_is_cut() -> None:
    held = [line for piece in cut(TABLE, max_chars=30) for line in piece.text.splitlines()]
    assert held == TABLE.splitlines()


def test_a_long_row_has_its_header_whatever_the_limit() -> None:
    row = "| " + "very long cell " * 10 + "| 5 EUR |"
    pieces = cut(f"| Plan | Price |\n|---|---|\n| Free | 0 EUR |\n{row}\n", max_chars=60)
    assert pieces[-1].text == row
    assert pieces[-1].context_texts == ("| Plan | Price |",)


def test_rows_of_a_table_in_html_are_not_cut() -> None:
    rows = "".join(f"<tr>\n<td>Plan {n}</td>\n<td>{n} EUR</td>\n</tr>\n" for n in range(6))
    pieces = cut(f"<table>\n<tr><th>Plan</th><th>Price</th></tr>\n{rows}</table>", max_chars=120)
    assert len(pieces) > 2
    assert all(piece.text.count("<tr>") == piece.text.count("</tr>") for piece in pieces)
    assert all("<th>Plan</th>" in chunk_view(piece).text for piece in pieces)


# --- fixed windows and sentences ----------------------------------------------------------------


def test_fixed_windows_overlap_and_cut_no_word() -> None:
    assert texts("one two three four five", strategy="fixed", size=13, overlap=6) == [
        "one two three",
        "three four",
        "four five",
    ]


def test_a_word_longer_than_the_window_ends_the_loop_too() -> None:
    assert "".join(texts("x" * 25, strategy="fixed", size=10, overlap=5)) == "x" * 25


@pytest.mark.parametrize(("size", "overlap"), [(12, 12), (12, 13), (0, 0), (10, -1)])
def test_an_overlap_that_is_not_smaller_than_the_size_is_refused(size: int, overlap: int) -> None:
    with pytest.raises(ConfigError, match="size"):
        cut("Lockers are free.", strategy="fixed", size=size, overlap=overlap)


def test_an_unknown_strategy_is_refused() -> None:
    with pytest.raises(ConfigError, match="structure, fixed or sentence"):
        cut("Text.", strategy="magic")


def test_one_chunk_for_each_sentence_keeps_the_heading_with_the_first() -> None:
    assert texts(
        "# Fees\n\nAdults pay 5 EUR. Children pay 2 EUR.\n\n- Dogs are free.", strategy="sentence"
    ) == [
        "# Fees\n\nAdults pay 5 EUR.",
        "Children pay 2 EUR.",
        "- Dogs are free.",
    ]


# --- places -------------------------------------------------------------------------------------


def test_repeated_text_keeps_its_own_place() -> None:
    pieces = cut("## A\n\nClosed on Mondays.\n\n## B\n\nClosed on Mondays.")
    assert [piece.span for piece in pieces] == [Span(0, 24), Span(26, 50)]


def test_sentences_are_spans_of_the_document() -> None:
    text = "# Zoo\n\nOpen daily.\n\n# Fees\n\nAdults pay 5 EUR. Children pay 2 EUR."
    _, piece = cut(text)
    assert [span.of(text) for span in sentences_of(piece)] == [
        "Fees",
        "Adults pay 5 EUR.",
        "Children pay 2 EUR.",
    ]


def test_a_chunk_knows_the_page_it_begins_on() -> None:
    text = "First page.\f\n\nSecond page."
    document = Document("doc", text, format="pdf", pages=form_feed_pages(text))
    pieces = chunk(document, max_chars=15)
    assert [(piece.page_index, piece.page_label) for piece in pieces] == [(0, "1"), (1, "2")]


def test_a_document_without_text_is_an_error() -> None:
    with pytest.raises(ParseError, match="doc: it has no text"):
        cut(" \n ")


# --- ids ----------------------------------------------------------------------------------------


def test_ids_are_the_slug_of_the_document_and_a_number() -> None:
    pieces = chunk(Document("Leave policy", "## A\n\none\n\n## B\n\ntwo"))
    assert [piece.chunk_id for piece in pieces] == [f"{slug('Leave policy')}-chunk-{n}" for n in (0, 1)]


def test_names_that_lose_characters_do_not_collide() -> None:
    assert len({slug(name) for name in ("refunds", "Refunds", "refunds!", "réfunds", "返品", "退貨")}) == 6


def renewed(before: str, after: str) -> tuple[list[str], int]:
    old, used = assign_ids(cut(before), (), 0)
    new, used = assign_ids(cut(after), old, used)
    return [piece.chunk_id.removeprefix("doc-chunk-") for piece in new], used


def test_unchanged_chunks_keep_their_ids_when_one_is_put_in_before_them() -> None:
    assert renewed("## A\n\na\n\n## B\n\nb", "## N\n\nn\n\n## A\n\na\n\n## B\n\nb") == (["2", "0", "1"], 3)


def test_a_changed_chunk_never_gets_the_old_number() -> None:
    assert renewed("## A\n\na\n\n## B\n\nb", "## A\n\na\n\n## B\n\nchanged") == (["0", "2"], 3)


def test_chunks_that_change_places_keep_their_ids() -> None:
    assert renewed("## A\n\na\n\n## B\n\nb", "## B\n\nb\n\n## A\n\na") == (["1", "0"], 2)


def test_a_repeated_chunk_that_is_removed_leaves_the_other_its_id() -> None:
    assert renewed("Same.\n\n## X\n\nx\n\n## Y\n\ny", "## X\n\nx\n\n## Y\n\ny") == (["1", "2"], 3)


def test_the_number_of_a_removed_chunk_is_not_given_again() -> None:
    old, used = assign_ids(cut("## A\n\na\n\n## B\n\nb"), (), 0)
    shorter, used = assign_ids(cut("## A\n\na"), old, used)
    longer, used = assign_ids(cut("## A\n\na\n\n## C\n\nc"), shorter, used)
    assert [piece.chunk_id for piece in longer] == ["doc-chunk-0", "doc-chunk-2"]


def test_what_is_cut_from_a_long_quoted_item_ends_with_a_sentence() -> None:
    item = "> - In a production environment, it is\n>   recommended to write less. Ask before you turn it on."
    assert texts(item, max_chars=70) == [
        "> - In a production environment, it is\n>   recommended to write less.",
        "Ask before you turn it on.",
    ]


def test_a_line_that_goes_from_the_context_into_the_text_makes_another_passage() -> None:
    whole = Chunk(ChunkId("d-chunk-0"), DocId("d"), 0, Span(0, 5), "a\nb\nc")
    led = Chunk(ChunkId(""), DocId("d"), 0, Span(2, 5), "b\nc", (Span(0, 1),), ("a",))
    assert whole.content_hash == led.content_hash
    assert assign_ids([led], [whole], 1)[0][0].chunk_id == "d-chunk-1"
