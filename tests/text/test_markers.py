"""Markers: what is kept of the answer, how offsets map back, printing, streaming. The forms are in tests/cases."""

from __future__ import annotations

import pytest

from pincite.findings import Pointer
from pincite.text.brackets import find_markers
from pincite.text.grammar import Ids
from pincite.text.markers import parse_markers, print_markers, renumber
from pincite.text.streaming import MarkerStream
from pincite.types import Span

NUMBERS = ("1", "2", "3")


def test_plain_text_maps_back_to_the_answer_as_written() -> None:
    parsed = parse_markers("Open  daily [1] for all [2]. Free.", NUMBERS)
    assert parsed.plain == "Open daily for all. Free."
    assert [parsed.original(span).of(parsed.text) for span in parsed.sentences] == [
        "Open  daily [1] for all [2].",
        "Free.",
    ]
    assert parsed.original(Span(5, 10)).of(parsed.text) == "daily"


def test_a_marker_knows_where_it_stood_in_both_texts() -> None:
    (marker,) = parse_markers("Open daily [2, p. 5].", NUMBERS).markers
    assert (marker.id, marker.at, marker.span, marker.detail) == ("2", 10, Span(11, 20), "p. 5")


def test_an_answer_without_markers_stays_as_it_is() -> None:
    text = "Open daily.\n\n- Free for *all*\n- `code` here"
    assert parse_markers(text, NUMBERS).plain == text


def test_every_spelling_of_a_mapping_leads_to_its_id() -> None:
    spellings = {"1": "c-1", "c-1": "c-1", "doc-a-chunk-0": "c-1", "a.pdf": "c-1"}
    parsed = parse_markers(
        "Open [1]. Free [c-1]. Warm [doc-a-chunk-0]. Dry [A.pdf, page 3]. Far [2].", spellings
    )
    assert [parsed.cites(index) for index in range(5)] == [("c-1",)] * 4 + [()]
    assert parsed.unknown_ids == ("2",)


def test_a_source_number_may_mean_a_prompt_id_but_a_bare_number_does_not() -> None:
    parsed = parse_markers("A [Source 2]. B [2].", ["c-1", "c-2"])
    assert parsed.cites(0) == ("c-2",)
    assert parsed.plain == "A. B [2]."


def test_a_custom_pattern_replaces_the_built_in_forms() -> None:
    parsed = parse_markers("A {{2}}. B [1]. C {{9}} and `{{1}}`.", NUMBERS, styles=r"\{\{(?P<id>\d+)\}\}")
    assert parsed.plain == "A. B [1]. C and `{{1}}`."
    assert [(marker.id, marker.known) for marker in parsed.markers] == [("2", True), ("9", False)]


def test_superscripts_are_markers_only_where_asked_for_and_never_powers() -> None:
    text = "It is 5 m² big.¹ It holds 10³ people.²˒³"
    assert parse_markers(text, NUMBERS).markers == ()
    parsed = parse_markers(text, NUMBERS, styles="superscript")
    assert parsed.plain == "It is 5 m² big. It holds 10³ people."
    assert [parsed.cites(index) for index in range(2)] == [("1",), ("2", "3")]


def test_superscripts_that_are_not_read_are_reported_as_drift() -> None:
    assert [(one.form, one.id) for one in parse_markers("Open daily.¹ It is 5 m².", NUMBERS).drift] == [
        ("superscript", "1")
    ]


def test_a_source_named_in_running_text_is_reported_as_drift_and_stays() -> None:
    parsed = parse_markers("According to Source 2, entry is free.", NUMBERS)
    assert parsed.plain == "According to Source 2, entry is free."
    assert [(one.form, one.id) for one in parsed.drift] == [("label", "2")]


def test_a_bracket_does_not_turn_into_a_marker_when_another_is_taken_out_of_it() -> None:
    assert parse_markers("Odd [2[1]] case.", NUMBERS).plain == "Odd [2[1]] case."
    assert parse_markers("Fine [[1], [2]] case.", NUMBERS).plain == "Fine case."


def test_pointers_of_a_sentence_say_what_is_known() -> None:
    parsed = parse_markers("Open [1] and free [9].", NUMBERS)
    assert [(pointer.id, pointer.known) for pointer in parsed.pointers(0)] == [("1", True), ("9", False)]


@pytest.mark.parametrize(
    "text", ["", "[", "[1", "]", "[]", "[1]", "[1][2]", "\ue200", "[[[[1]]]]", "([])", "[\ud800]"]
)
def test_scraps_do_no_harm(text: str) -> None:
    assert len(parse_markers(text, NUMBERS).plain) <= len(text)


# --- printing -----------------------------------------------------------------------------------


def pointer(name: str, at: int, known: bool = True) -> Pointer:
    return Pointer(name, at, known=known)


@pytest.mark.parametrize(
    ("style", "wanted"),
    [
        ("n", "Entry is free [1]. Tours: 5 EUR [2][1]."),
        ("c", "Entry is free [c-4]. Tours: 5 EUR [c-2][c-4]."),
        ("source", "Entry is free [Source 4]. Tours: 5 EUR [Source 2][Source 4]."),
        ("superscript", "Entry is free¹. Tours: 5 EUR²˒¹."),
    ],
)
def test_every_style_prints_before_the_final_stop(style: str, wanted: str) -> None:
    plain = "Entry is free. Tours: 5 EUR."
    pointers = [pointer("c-4", 14), pointer("c-2", 28), pointer("c-4", 28)]
    assert print_markers(plain, pointers, style) == wanted  # type: ignore[arg-type]


def test_labels_name_the_chunks() -> None:
    printed = print_markers("Free.", [pointer("c-1", 5)], "chunk", labels={"c-1": "doc-fees-chunk-3"})
    assert printed == "Free [doc-fees-chunk-3]."


def test_an_unknown_id_is_printed_as_it_was_written() -> None:
    assert print_markers("Free.", [pointer("c-9", 5, known=False)], "n") == "Free [c-9]."


def test_markers_stand_inside_closing_marks_and_without_blank_in_dense_scripts() -> None:
    assert print_markers("**Free.**", [pointer("c-1", 9)]) == "**Free [1].**"
    assert print_markers('He said "free!"', [pointer("c-1", 15)]) == 'He said "free [1]!"'
    assert print_markers("送料は無料です。", [pointer("c-1", 8)]) == "送料は無料です[1]。"


def test_markers_in_the_middle_and_at_the_start_keep_their_place() -> None:
    printed = print_markers("25 MB in PDF.", [pointer("a", 0), pointer("b", 5), pointer("c", 13)])
    assert printed == "[1] 25 MB [2] in PDF [3]."


def test_a_marker_is_never_printed_into_code() -> None:
    assert print_markers("Run `a.b` now.", [pointer("c-1", 6)]) == "Run `a.b` [1] now."


def test_new_numbers_are_never_replaced_again() -> None:
    assert renumber("A [2]. B [1]. C [2].", NUMBERS) == ("A [1]. B [2]. C [1].", ("2", "1"))


def test_an_unknown_number_cannot_pass_for_a_new_one() -> None:
    assert renumber("A [c-7]. B [c-1].", ["c-7"])[0] == "A [1]. B [c-1]."
    assert renumber("A [7]. B [1].", ["7"])[0] == "A [1]. B [?]."


# --- streaming ----------------------------------------------------------------------------------


def test_prose_in_brackets_is_shown_when_it_closes() -> None:
    stream = MarkerStream(NUMBERS)
    assert [stream.feed(delta).text for delta in ("See [the", " annex] now ", "(well, no) end")] == [
        "See ",
        "[the annex] now ",
        "(well, no) end",
    ]


def test_a_bracket_that_has_grown_too_long_for_a_marker_is_shown() -> None:
    stream = MarkerStream(NUMBERS)
    stream.feed("See [")
    assert stream.feed("x" * 300).text == "[" + "x" * 300


def test_markers_of_a_paragraph_are_told_when_it_is_complete() -> None:
    stream = MarkerStream(NUMBERS)
    assert stream.feed("Open [1].\n").found == ()
    first = stream.feed("\nFree [2].").found
    assert [one.span for one in first] == [Span(5, 8)]
    assert [one.span for one in stream.rest().found] == [Span(16, 19)]


def test_code_that_is_still_open_holds_its_markers_back() -> None:
    stream = MarkerStream(NUMBERS)
    assert stream.feed("```\na [1]\n\nb [2]\n").found == ()
    assert stream.feed("```\n\n").found == ()
    assert stream.rest().found == ()


def test_whole_lines_are_held_back_for_a_custom_pattern() -> None:
    stream = MarkerStream(NUMBERS, styles=r"<(\d)>")
    assert [stream.feed(delta).text for delta in ("A <", "1>\nB", " <2>")] == ["", "A <1>\n", ""]
    assert stream.rest().text == "B <2>"


def test_markers_may_be_found_without_parsing_sentences() -> None:
    assert [one.span for one in find_markers("A [1] `[2]` [3]", Ids(NUMBERS))] == [Span(2, 5), Span(12, 15)]


def test_a_marker_of_a_code_block_is_printed_below_it_and_read_back() -> None:
    plain = "```sh\nmake\n```"
    printed = print_markers(plain, [Pointer("c-1", len(plain))])
    assert printed == "```sh\nmake\n```\n[1]"
    parsed = parse_markers(printed, ["1"])
    assert parsed.plain == plain
    assert parsed.cites(0) == ("1",)
