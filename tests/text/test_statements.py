"""A whole reply, read as it arrives: lines, wrapped lines, other people's shapes, prose, damage and cut ends."""

from __future__ import annotations

import json

import pytest

from pincite.text.replies import MAX_STATEMENTS, read_answer_object
from pincite.text.statements import MAX_LINE_CHARS, OutputLine, StatementReader, statement_line
from pincite.types import Quote, Statement

FREE = Statement("Entry is free.", (Quote("c-1", "free for all"),))
TOURS = Statement("Tours cost 5 EUR.", (Quote("c-2", "5 EUR"),))
LINES = statement_line(FREE) + statement_line(TOURS)


def read(reply: str, size: int = 5, cut: str = "") -> list[OutputLine]:
    reader = StatementReader()
    found: list[OutputLine] = []
    for start in range(0, len(reply), size):
        found += reader.feed(reply[start : start + size])
    return [*found, *reader.finish(cut)]


def statements(reply: str) -> list[Statement]:
    return [line.statement for line in read(reply) if line.statement is not None]


def wrapped(*made: Statement, **more: object) -> str:
    return json.dumps({"lines": [json.loads(statement_line(one)) for one in made], **more})


# --- lines --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        LINES,
        LINES.strip(),
        LINES.replace("\n", " "),
        f"Sure, here it is:\n```json\n{LINES}```\nAnything else?",
        "[" + LINES.strip().replace("\n", ",\n") + "]",
        wrapped(FREE, TOURS),
        json.dumps(json.loads(wrapped(FREE, TOURS)), indent=2),
        f"```\n{wrapped(FREE, TOURS)}\n```",
        f"<think>{statement_line(Statement('Dogs bark.'))}</think>{LINES}",
        LINES.replace('"', "'"),
        "".join(json.dumps(json.loads(line), indent=4) + "\n" for line in LINES.splitlines()),
    ],
)
def test_the_same_lines_are_read_in_every_wrapping(reply: str) -> None:
    assert statements(reply) == [FREE, TOURS]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 10_000])
def test_it_does_not_matter_how_a_reply_was_cut_into_pieces(size: int) -> None:
    reply = f"Well.\n{wrapped(FREE, TOURS, uncovered_aspects=['dogs'], self_rating=4)}\nBye"
    assert read(reply, size) == read(reply, 5)


def test_a_statement_of_a_wrapped_reply_is_given_before_the_reply_ends() -> None:
    reader = StatementReader()
    first, _, rest = wrapped(FREE, TOURS).partition("}, {")
    assert list(reader.feed(first)) == []
    (line,) = reader.feed("}, {")
    assert line.statement == FREE
    assert [one.statement for one in reader.feed(rest)] == [TOURS]


def test_the_end_of_a_wrapped_reply_tells_aspects_and_rating() -> None:
    (*_, last) = read(wrapped(FREE, uncovered_aspects=["dogs"], self_rating=4))
    assert (last.uncovered_aspects, last.self_rating) == (("dogs",), 4)


def test_a_line_that_was_never_closed_costs_only_itself() -> None:
    reply = '{"quotes": [{"id": "c-1", "quote": "fr}], "statement": "x' + "\n" + LINES
    assert statements(reply)[-2:] == [FREE, TOURS]


def test_raw_line_breaks_inside_a_quote_are_kept() -> None:
    reply = '{"quotes": [{"id": "c-1", "quote": "a\nb"}], "statement": "Ice."}'
    assert statements(reply) == [Statement("Ice.", (Quote("c-1", "a\nb"),))]


def test_json_that_is_quoted_inside_a_statement_is_no_line() -> None:
    said = Statement('Send {"statement": 1, "quotes": []} to it.')
    assert statements(statement_line(said)) == [said]


# --- ends that are missing ----------------------------------------------------------------------


def test_a_quote_that_did_not_arrive_whole_is_left_out_and_the_cut_told() -> None:
    reply = '{"statement": "Ice melts.", "quotes": [{"id": "c-1", "quote": "melts"}, {"id": "c-2", "quote": "at ze'
    *_, last = found = read(reply)
    assert found[0].statement == Statement("Ice melts.", (Quote("c-1", "melts"),))
    assert last.cut == "length"


def test_a_sentence_that_did_not_arrive_whole_is_left_out() -> None:
    reply = (
        LINES + '{"quotes": [{"id": "c-1", "quote": "free for all"}], "statement": "Entry is free for chil'
    )
    assert statements(reply) == [FREE, TOURS]
    assert read(reply)[-1].cut == "length"


def test_a_wrapped_reply_that_stops_between_two_lines_is_cut() -> None:
    assert read(wrapped(FREE, TOURS).removesuffix("]}"))[-1].cut == "length"


def test_a_missing_last_brace_is_mended_and_no_cut() -> None:
    found = read(statement_line(FREE).strip().removesuffix("}"))
    assert [(line.statement, line.cut) for line in found] == [(FREE, "")]


def test_why_a_reply_ended_is_kept_when_it_is_known() -> None:
    assert read(LINES + '{"quotes": [', cut="connection")[-1].cut == "connection"


def test_a_line_that_is_too_long_is_one_problem_and_the_rest_is_read() -> None:
    reply = '{"statement": "' + "x" * (2 * MAX_LINE_CHARS) + '"}\n' + LINES
    found = read(reply, 1000)
    assert [line.statement for line in found if line.statement] == [FREE, TOURS]
    assert len([line for line in found if line.problem]) == 1


# --- other people's shapes ----------------------------------------------------------------------


def test_an_answer_object_of_source_004_becomes_a_statement_a_sentence() -> None:
    reply = json.dumps(
        {
            "answer": "Entry is free [c-1]. Tours cost 5 EUR [c-2].",
            "citations": [
                {"id": "c-1", "quote": "free for all", "chunk_id": "c-1"},
                {"id": "c-2", "quote": "5 EUR", "chunk_id": "c-2"},
            ],
            "uncovered_aspects": ["dogs"],
        }
    )
    assert statements(reply) == [
        Statement("Entry is free [c-1].", FREE.quotes),
        Statement("Tours cost 5 EUR [c-2].", TOURS.quotes),
    ]
    assert ("dogs",) in [line.uncovered_aspects for line in read(reply)]


def test_two_markers_of_one_source_get_their_own_quotes_in_order() -> None:
    reply = '{"answer": "Ice melts [1]. Ice floats [1].", "citations": [{"id": 1, "quote": "melts"}, {"id": 1, "quote": "floats"}]}'
    assert [one.quotes[0].quote for one in statements(reply)] == ["melts", "floats"]


def test_a_citation_that_no_marker_names_is_a_problem_and_backs_nothing() -> None:
    found = read('{"answer": "Ice melts [c-1].", "citations": [{"id": "c-2", "quote": "melts"}]}')
    assert [line.statement.quotes for line in found if line.statement] == [()]
    assert any("without a marker" in line.problem for line in found)


def test_citations_of_an_answer_without_any_marker_stand_for_each_sentence() -> None:
    found = statements('{"answer": "Ice melts. It floats.", "citations": [{"id": "c-2", "quote": "melts"}]}')
    assert [one.quotes for one in found] == [(Quote("c-2", "melts"),)] * 2


def test_the_whole_sentences_of_an_answer_object_that_was_cut_off_are_kept() -> None:
    found = read('{"answer": "Entry is free [c-1]. Tours cost 5 EUR [c-2]. Dogs m')
    assert [line.statement.text for line in found if line.statement] == [
        "Entry is free [c-1].",
        "Tours cost 5 EUR [c-2].",
    ]
    assert found[-1].cut == "length"


def test_numbers_of_source_003_mean_places_in_its_own_list() -> None:
    reply = json.dumps(
        {
            "text": "Tours cost 5 EUR [1]. Entry is free [2]. Dogs may come [3].",
            "citations": [
                {"id": "fees", "spans": [{"chunk_id": "fees-chunk-2", "preview": "…cost 5 EUR…"}]},
                {"id": "entry", "spans": []},
            ],
            "confidence": 0.8,
            "abstained": False,
        }
    )
    assert [one.quotes for one in statements(reply)] == [
        (Quote("fees-chunk-2", "cost 5 EUR"),),
        (Quote("entry"),),
        (Quote("citations[3]"),),
    ]


def test_an_abstention_of_source_003_says_nothing() -> None:
    assert statements('{"text": "I do not know.", "citations": [], "abstained": true}') == []


def test_prose_is_cut_into_sentences_that_keep_their_markers() -> None:
    found = read("Entry is free. [c-1] Tours cost 5 EUR [2].\n\n- Dogs pay, too.")
    assert [line.statement.text for line in found if line.statement] == [
        "Entry is free. [c-1]",
        "Tours cost 5 EUR [2].",
        "- Dogs pay, too.",
    ]
    assert found[0].problem == "prose instead of statement lines"


def test_tables_and_code_in_prose_stay_whole() -> None:
    table = "| a | b |\n|---|---|\n| 1. x | 2. y |"
    assert [one.text for one in statements(f"Prices:\n\n{table}")] == ["Prices:", table]


@pytest.mark.parametrize(
    "reply", ["", "null", "[]", "{}", "[1, 2]", '{"a": 1}', "```json\n```", "\x00\ud800"]
)
def test_what_says_nothing_gives_no_statement(reply: str) -> None:
    assert [one for one in statements(reply) if one.text.strip("\x00\ud800")] == []


# --- one object ---------------------------------------------------------------------------------

YES = {"answer": "Yes [c-1].", "citations": [{"id": "c-1", "quote": "yes"}], "uncovered_aspects": []}


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps(YES),
        f"Here `it` is {{as asked}}:\n```json\n{json.dumps(YES)}\n```\nBye {{}}.",
        json.dumps(YES).replace('"', "'"),
        json.dumps(YES)[:-1] + ",}",
        json.dumps(YES).replace("[]}", "[],} // done"),
        '{answer: "Yes [c-1].", citations: [{id: "c-1", quote: "yes"}], uncovered_aspects: []}',
        f'<think>{{"answer": "No"}}</think>\n{json.dumps(YES)}',
        '{"answer": "...", "citations": [], "uncovered_aspects": []}\n' + json.dumps(YES),
        "\ufeff" + json.dumps(YES, indent=2),
    ],
)
def test_the_object_is_found_whatever_surrounds_or_damages_it(raw: str) -> None:
    found = read_answer_object(raw)
    assert (found.ok, found.parsed, found.truncated) == (True, YES, False)


def test_unescaped_quotation_marks_inside_a_value_are_no_cut() -> None:
    found = read_answer_object(
        '{"answer": "A 5" pipe [c-1].", "citations": [{"id": "c-1", "quote": "5" pipe"}]}'
    )
    assert found.ok
    assert not found.truncated
    assert found.citation_ids == ("c-1",)


def test_a_cut_inside_a_value_that_ends_with_a_brace_is_a_cut() -> None:
    found = read_answer_object('{"answer": "Yes [c-1].", "citations": [{"id": "c-1", "quote": "use {x}')
    assert (found.truncated, found.citation_ids) == (True, ())


@pytest.mark.parametrize("end", range(40, len(json.dumps(YES)) - 1))
def test_an_object_cut_anywhere_is_seen_to_be_cut(end: int) -> None:
    found = read_answer_object(json.dumps(YES)[:end])
    assert found.truncated
    assert found.citation_ids in ((), ("c-1",))
    assert found.parsed.get("citations", [{"id": "c-1", "quote": "yes"}]) in ([], YES["citations"])


def test_text_without_an_object_is_not_ok() -> None:
    assert not read_answer_object("I cannot answer {this}.").ok


# --- hostile input ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        '{"statement": "' * 6_000,
        "{" * 100_000,
        '{"a":' * 20_000,
        '{"answer": "' * 8_000,
        '{"answer": "' + "[c-1] " * 15_000,
        '{"answer": "' + "a. " * 30_000 + '", "citations": []}',
        "<think>" * 14_000,
        '{"statement": "' + '\\"' * 40_000,
    ],
)
def test_of_a_hostile_reply_little_is_kept(reply: str) -> None:
    said = [line.statement.text for line in read(reply, 64) if line.statement and line.statement.text]
    assert len(said) <= MAX_STATEMENTS + 1


# --- wrapped replies ----------------------------------------------------------------------------

_LINE = '{"statement": "Ice melts.", "quotes": [{"id": "c-1", "quote": "Ice melts"}]}'


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps(_LINE),
        json.dumps({"name": "answer", "arguments": json.dumps({"lines": [json.loads(_LINE)]})}),
        '["Ice melts [c-1]."]',
        "```\nIce melts [c-1].\n```",
        "```markdown\nIce melts [c-1].\n```\n",
    ],
)
@pytest.mark.parametrize("size", [1, 1000])
def test_a_reply_inside_a_wrapping_is_read(reply: str, size: int) -> None:
    reader = StatementReader()
    lines = [one for at in range(0, len(reply), size) for one in reader.feed(reply[at : at + size])]
    lines += reader.finish()
    (said,) = [line.statement for line in lines if line.statement]
    assert said.text in ("Ice melts.", "Ice melts [c-1].")
    assert said.quotes or "[c-1]" in said.text


def test_a_block_of_code_stays_one() -> None:
    reader = StatementReader()
    lines = [*reader.feed("```\nmake install\n```"), *reader.finish()]
    assert [line.statement.text for line in lines if line.statement] == ["```\nmake install\n```"]
