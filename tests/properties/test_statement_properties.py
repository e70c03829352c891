"""Replies of models: what was written is read back, however it is wrapped, cut into pieces or cut off."""

from __future__ import annotations

import json
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.llms.wire import ReplyFault, events
from pincite.text.objects import find_object
from pincite.text.replies import read_answer_object
from pincite.text.statements import OutputLine, StatementReader, statement_line
from pincite.types import Quote, Statement

WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
SHOWN = WORDS.filter(str.strip)
QUOTES = st.builds(Quote, st.sampled_from(["c-1", "c-2", "c-30"]), SHOWN)
STATEMENTS = st.lists(
    st.builds(Statement, SHOWN, st.lists(QUOTES, max_size=3).map(tuple)), min_size=1, max_size=6
)


def read(reply: str, size: int) -> list[OutputLine]:
    reader = StatementReader()
    found: list[OutputLine] = []
    for start in range(0, len(reply), size):
        found += reader.feed(reply[start : start + size])
    return [*found, *reader.finish()]


def statements(reply: str, size: int) -> list[Statement]:
    return [line.statement for line in read(reply, size) if line.statement is not None]


def wrapped(made: list[Statement]) -> str:
    lines = [json.loads(statement_line(one)) for one in made]
    return json.dumps({"lines": lines, "uncovered_aspects": [], "self_rating": 3}, ensure_ascii=False)


@given(STATEMENTS, st.integers(1, 50), st.booleans())
@settings(max_examples=60)
def test_statements_are_read_back(made: list[Statement], size: int, in_one_object: bool) -> None:
    reply = wrapped(made) if in_one_object else "".join(map(statement_line, made))
    assert statements(reply, size) == made


@given(STATEMENTS, st.integers(0, 400), st.booleans())
@settings(max_examples=100)
def test_of_a_reply_that_is_cut_off_whole_statements_are_read(
    made: list[Statement], end: int, in_one_object: bool
) -> None:
    reply = wrapped(made) if in_one_object else "".join(map(statement_line, made))
    found = statements(reply[: min(end, len(reply))], 7)
    assert [one.text for one in found] == [one.text for one in made[: len(found)]]
    assert all(set(one.quotes) <= set(whole.quotes) for one, whole in zip(found, made, strict=False))


@given(st.text(st.sampled_from('{}[]":,\\ \nabc1`<>statementquotesanswer'), max_size=120), st.integers(1, 9))
@settings(max_examples=150)
def test_no_reply_is_an_error_or_depends_on_its_pieces(reply: str, size: int) -> None:
    assert read(reply, size) == read(reply, 1000)


@given(st.text(max_size=80))
@settings(max_examples=60)
def test_any_text_is_read_without_an_error(reply: str) -> None:
    read(reply, 11)
    read_answer_object(reply)


@given(
    st.dictionaries(SHOWN, st.one_of(WORDS, st.integers(), st.lists(WORDS, max_size=3)), max_size=3),
    WORDS,
    WORDS,
)
@settings(max_examples=60)
def test_a_valid_object_is_found_between_prose(value: dict[str, object], before: str, after: str) -> None:
    wanted = {**value, "answer": "Yes."}
    text = f"{before.replace('{', '')}\n{json.dumps(wanted)}\n{after.replace('{', '')}"
    found = find_object(text, ["answer"])
    assert found is not None
    assert found.value == wanted
    assert json.loads(text[found.start : found.end]) == wanted


@given(st.lists(WORDS, min_size=1, max_size=5), st.integers(1, 30), st.sampled_from(["\n", "\r\n", "\r"]))
@settings(max_examples=60)
def test_events_do_not_depend_on_how_the_network_cuts_them(said: list[str], size: int, ending: str) -> None:
    data = "".join(
        f"data: {json.dumps({'a': one}, ensure_ascii=False)}{ending}{ending}" for one in said
    ).encode()
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    assert [one["a"] for one in events(pieces, content_type="text/event-stream")] == said


@given(st.lists(st.binary(max_size=40), max_size=5))
@settings(max_examples=60)
def test_any_bytes_are_events_or_a_fault(pieces: list[bytes]) -> None:
    found: list[object] = []
    with suppress(ReplyFault):
        found += events(pieces, content_type="text/event-stream")
    assert all(isinstance(one, dict) for one in found)
