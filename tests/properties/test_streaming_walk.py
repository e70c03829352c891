"""However a reply comes in pieces, the answer is the same, and what was shown on the way is the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.doubles import pipeline, statement

from pincite import Document, Pipeline
from pincite.events import Checked, Event, Finished
from pincite.ports import Delta, ModelRequest

POOL = Document(
    "pool",
    "The pool opens at 7 in the morning. The pool closes at 21 in the evening.\n\n"
    "The sauna costs 9 EUR per visit. Towels are free for members.",
)
LINES = (
    statement("The pool opens at 7 in the morning.", ("c-1", "opens at 7 in the morning")),
    statement("The pool closes at 23 in the evening.", ("c-1", "closes at 23 in the evening")),
    statement("However, towels are free for members.", ("c-1", "Towels are free for members")),
    statement("However, it costs 9 EUR per visit.", ("c-1", "costs 9 EUR per visit")),
    statement("The sauna costs 9 EUR per visit.", ("c-7", None)),
    statement("The sauna costs 9 EUR per visit [c-1]."),
    statement("Prices:"),
    statement("# Opening times"),
    statement("Let me know if you need more."),
    statement("Whales sing [c-1]."),
    "no json at all\n",
    '{"statement": "The pool opens at 7 in the mor\n',
    '{"uncovered_aspects": ["parking"]}\n',
)
RAG = pipeline(POOL, keep_answers=False)


def events_of(replies: list[str], sizes: list[int]) -> list[Event]:
    given_replies = iter(replies)

    def model(request: ModelRequest) -> Iterator[Delta]:
        reply, at, turn = next(given_replies, ""), 0, 0
        while at < len(reply):
            size = sizes[turn % len(sizes)]
            yield Delta(reply[at : at + size])
            at, turn = at + size, turn + 1

    parts = replace(RAG.parts, model=model, new_id=lambda _: "ans_1")  # type: ignore[arg-type, return-value]
    return list(Pipeline(parts, RAG.settings).events("When does the pool open, what does the sauna cost?"))


REPLIES = st.lists(st.sampled_from(LINES), max_size=8).map("".join)
SIZES = st.lists(st.integers(1, 400), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(REPLIES, REPLIES, SIZES)
def test_the_pieces_of_a_reply_change_nothing(first: str, second: str, sizes: list[int]) -> None:
    whole, cut = events_of([first, second], [10_000]), events_of([first, second], sizes)
    assert whole[:-1] == cut[:-1]
    a, b = whole[-1], cut[-1]
    assert isinstance(a, Finished)
    assert isinstance(b, Finished)
    assert replace(a.answer, timing_ms={}) == replace(b.answer, timing_ms={})


@settings(max_examples=60, deadline=None)
@given(REPLIES, REPLIES)
def test_what_was_shown_is_the_answer(first: str, second: str) -> None:
    events = events_of([first, second], [50])
    shown = [event for event in events if isinstance(event, Checked) and event.shown]
    last = events[-1]
    assert isinstance(last, Finished)
    in_order = [event.sentence for event in sorted(shown, key=lambda event: event.place)]
    assert [(one.text, one.support) for one in in_order] == [
        (one.text, one.support) for one in last.answer.sentences
    ]
