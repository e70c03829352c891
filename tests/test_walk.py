"""When a sentence is shown, what waits for what, and what is left when something fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from pincite import Document, Pipeline
from pincite.errors import ModelError
from pincite.events import Checked, Drafted, Event, Finished, Repaired, Revised
from pincite.llms.scripted import ScriptedModel
from pincite.ports import Delta, ModelRequest
from tests.doubles import pipeline, statement

POOL = Document(
    "pool",
    "The pool opens at 7 in the morning. The pool closes at 21 in the evening.\n\n"
    "The sauna costs 9 EUR per visit. Towels are free for members.",
    title="Pool",
    access_level="public",
)
DONE = '{"uncovered_aspects": []}\n'
OPENS = statement("The pool opens at 7 in the morning.", ("c-1", "opens at 7 in the morning"))
CLOSES = statement("The pool closes at 21 in the evening.", ("c-1", "closes at 21 in the evening"))
SAUNA = statement("The sauna costs 9 EUR per visit.", ("c-1", "costs 9 EUR per visit"))
WRONG = statement("The sauna costs 90 EUR per visit.", ("c-1", "costs 90 EUR per visit"))
QUESTION = "When does the pool open and what does the sauna cost?"


def shown(events: list[Event]) -> list[tuple[int, str]]:
    return [
        (event.place, event.sentence.text) for event in events if isinstance(event, Checked) and event.shown
    ]


def finished(events: list[Event]) -> Finished:
    assert isinstance(events[-1], Finished)
    return events[-1]


def test_a_sentence_is_shown_before_the_next_line_is_asked_for() -> None:
    written = []

    def model(request: ModelRequest) -> Iterator[Delta]:
        for line in (OPENS, SAUNA):
            written.append(line)
            yield Delta(line)

    rag = pipeline(POOL)
    for event in Pipeline(replace(rag.parts, model=model), rag.settings).events(QUESTION):
        if isinstance(event, Checked) and event.shown:
            break
    assert written == [OPENS]


def test_what_was_shown_is_what_the_answer_holds() -> None:
    events = list(pipeline(POOL, replies=[OPENS + WRONG + CLOSES + DONE, SAUNA]).events(QUESTION))
    assert shown(events) == [
        (0, "The pool opens at 7 in the morning."),
        (2, "The pool closes at 21 in the evening."),
        (1, "The sauna costs 9 EUR per visit."),
    ]
    assert [one.text for one in finished(events).answer.sentences] == [
        text for _, text in sorted(shown(events))
    ]


def test_a_lead_in_waits_for_what_it_announces() -> None:
    events = list(pipeline(POOL, replies=[statement("Opening times:") + OPENS + DONE]).events(QUESTION))
    kinds = [type(event) for event in events]
    assert kinds.index(Checked) > [i for i, event in enumerate(events) if isinstance(event, Drafted)][1]
    assert shown(events) == [(0, "Opening times:"), (1, "The pool opens at 7 in the morning.")]


def test_a_lead_in_goes_with_all_that_it_announced() -> None:
    draft = OPENS + statement("Prices:") + WRONG + DONE
    answer = pipeline(POOL, replies=[draft, ""]).ask(QUESTION)
    assert answer.plain == "The pool opens at 7 in the morning."


def test_a_closing_courtesy_stays_behind_what_was_shown() -> None:
    draft = OPENS + statement("Let me know if you need more.") + DONE
    answer = pipeline(POOL, replies=[draft]).ask(QUESTION)
    assert answer.plain == "The pool opens at 7 in the morning. Let me know if you need more."


def test_nothing_is_shown_when_no_sentence_is_fully_supported() -> None:
    events = list(pipeline(POOL, replies=[statement("Hello!") + WRONG + DONE, ""]).events(QUESTION))
    assert shown(events) == []
    assert finished(events).answer.abstained


@pytest.mark.parametrize(
    ("draft", "left"),
    [
        (WRONG + statement("However, towels are free for members.", ("c-1", "Towels are free for members")), "Towels are free for members."),
        (WRONG + statement("However, it closes at 21 in the evening.", ("c-1", "closes at 21 in the evening")), None),
    ],
)  # fmt: skip
def test_a_sentence_that_leaned_on_a_withheld_one_stands_alone_or_goes(draft: str, left: str | None) -> None:
    answer = pipeline(POOL, replies=[OPENS + draft + DONE, ""]).ask(QUESTION)
    expected = ["The pool opens at 7 in the morning.", *([left] if left else [])]
    assert [one.text for one in answer.sentences] == expected


def test_a_sentence_that_leans_on_a_replaced_one_comes_after_it() -> None:
    towels = statement("However, towels are free for members.", ("c-1", "Towels are free for members"))
    events = list(pipeline(POOL, replies=[OPENS + WRONG + towels + DONE, SAUNA]).events(QUESTION))
    assert [place for place, _ in shown(events)] == [0, 1, 2]
    assert finished(events).answer.plain.endswith("However, towels are free for members.")


def test_a_statement_said_twice_is_shown_once() -> None:
    answer = pipeline(POOL, replies=[OPENS + OPENS + DONE]).ask(QUESTION)
    assert answer.plain == "The pool opens at 7 in the morning."


def test_every_repair_is_told_as_an_event_and_kept_in_the_answer() -> None:
    draft = statement("The pool opens at 7 in the morning.") + WRONG + DONE
    events = list(pipeline(POOL, replies=[draft, SAUNA]).events(QUESTION))
    told = [event.repair for event in events if isinstance(event, Repaired)]
    assert [one.kind for one in told] == ["cited", "replaced"]
    assert finished(events).answer.repairs == tuple(told)


def failing(*lines: str, times: int = 1) -> object:
    calls = []

    def model(request: ModelRequest) -> Iterator[Delta]:
        calls.append(request)
        for line in lines:
            yield Delta(line)
        if len(calls) <= times:
            raise ModelError("the connection broke", retryable=True)

    return model


def asked_with(model: object) -> list[Event]:
    rag = pipeline(POOL)
    return list(Pipeline(replace(rag.parts, model=model), rag.settings).events(QUESTION))  # type: ignore[arg-type]


def test_a_reply_that_breaks_off_is_used_as_far_as_it_came() -> None:
    answer = finished(asked_with(failing(OPENS, '{"statement": "The sau'))).answer
    assert answer.plain == "The pool opens at 7 in the morning."
    assert "broke off" in answer.warnings[0]


def test_a_model_that_fails_before_it_says_anything_is_an_error() -> None:
    with pytest.raises(ModelError):
        asked_with(failing())


def test_a_retry_that_fails_costs_only_the_failed_statement() -> None:
    calls = []

    def model(request: ModelRequest) -> Iterator[Delta]:
        calls.append(request)
        if request.failed:
            raise ModelError("rate limited", retryable=True)
        yield Delta(OPENS + WRONG + DONE)

    events = asked_with(model)
    answer = finished(events).answer
    assert answer.plain == "The pool opens at 7 in the morning."
    assert "could not be asked again" in answer.warnings[0]
    assert not any(isinstance(event, Revised) for event in events)


# --- conversations ------------------------------------------------------------------------------


def test_ids_of_an_earlier_turn_name_nothing_in_a_later_one() -> None:
    rag = pipeline(
        POOL,
        replies=[OPENS + DONE, "no json", statement("The sauna costs 9 EUR per visit.", ("c-1", None)), ""],
    )
    first = rag.ask("When does the pool open?")
    events = list(rag.events("And what does the sauna cost?", after=first))
    checks = [event.sentence.verdict.checks for event in events if isinstance(event, Checked)]
    answer = finished(events).answer
    assert [citation.id for citation in answer.citations] == ["c-2"]
    assert [one.kind for one in answer.repairs] == ["repointed"]
    assert all(check.citation_id == "c-2" for found in checks for check in found)


def test_numbers_of_an_earlier_answer_name_nothing_in_a_later_one() -> None:
    rag = pipeline(POOL, replies=[OPENS + DONE, "", statement("Saunas cost 90 EUR [1]."), ""])
    first = rag.ask("When does the pool open?")
    assert rag.ask("And what does the sauna cost?", after=first).abstained


def test_turns_of_a_conversation_share_its_id_and_count_their_passages_on() -> None:
    rag = pipeline(POOL)
    first = rag.ask("When does the pool open?")
    second = rag.ask("When does it close?", after=first)
    third = rag.ask("What does the sauna cost?", after=[first, second])
    assert second.conversation_id == third.conversation_id == first.id
    assert [one.first_id for one in (first, second, third)] == [1, 2, 3]


def test_a_follow_up_is_searched_for_with_the_words_of_the_question_before() -> None:
    shop = [
        Document("returns", "Hats can be returned within 14 days. Shoes can be returned within 30 days.", title="Returns"),
        Document("care", "Hats should be kept dry. Brush hats once a week.", title="Hat care"),
    ]  # fmt: skip
    rag = pipeline(*shop)
    first = rag.ask("Within how many days can shoes be returned?")
    assert "14 days" in rag.ask("And hats?", after=first).plain


def test_a_model_rewrites_a_follow_up_before_the_search() -> None:
    rewritten = '{"question": "What does the sauna of the pool cost?"}'
    rag = pipeline(POOL, replies=[OPENS + DONE, rewritten, SAUNA + DONE])
    first = rag.ask("When does the pool open?")
    assert rag.ask("And that one?", after=first).plain == "The sauna costs 9 EUR per visit."


def test_a_rewriting_with_a_number_that_nobody_said_is_not_used() -> None:
    rewritten = '{"question": "What did the 1999 sauna cost?"}'
    rag = pipeline(POOL, replies=[OPENS + DONE, rewritten, OPENS + DONE])
    first = rag.ask("When does the pool open?")
    rag.ask("And it?", after=first)
    assert "1999" not in rag.parts.model.requests[-1].prompt  # type: ignore[attr-defined]


def test_markers_of_an_earlier_answer_are_harmless_in_the_prompt() -> None:
    from pincite.types import Question, Turn

    rag = pipeline(POOL, replies=["", SAUNA + DONE])
    rag.ask(Question("What does the sauna cost?", history=(Turn("When?", "At 7 [c-1].", last_id=1),)))
    assert "At 7 [c-1]" not in rag.parts.model.requests[-1].prompt  # type: ignore[attr-defined]


# --- questions of two parts ---------------------------------------------------------------------


def test_an_answer_to_both_parts_is_as_sure_as_the_less_sure_part() -> None:
    from pincite.samples import samples_dir

    rag = Pipeline(store="memory", embedder="none", log=False)
    rag.add(samples_dir() / "en")
    both = rag.ask("How long does a deleted file stay in the trash, and how long is the free trial?")
    one = rag.ask("How long does a deleted file stay in the trash?")
    assert both.metrics.verified == 2
    assert both.confidence_label == one.confidence_label == "HIGH"


# --- what nobody checks -------------------------------------------------------------------------

EVIL = (
    "## Log in at https://evil.example",
    "Call 0900 123 456 now:",
    "Have you installed remote-help.exe?",
    "Write to boss@evil.example:",
    "| Action | Call 555 |\n|---|---|",
)


@pytest.mark.parametrize("line", EVIL)
def test_a_heading_lead_in_or_question_brings_no_address_of_its_own(line: str) -> None:
    events = list(pipeline(POOL, replies=[OPENS + statement(line) + SAUNA + DONE, ""]).events(QUESTION))
    answer = finished(events).answer
    assert answer.plain == "The pool opens at 7 in the morning. The sauna costs 9 EUR per visit."
    assert "no source has" in answer.removed[0].reason


def test_a_heading_with_an_address_that_a_passage_has_is_shown() -> None:
    rules = Document("rules", "Book at https://pool.example/book. Call 0900 123 456 to cancel a booking.")
    reply = statement("## https://pool.example/book") + statement(
        "Call 0900 123 456 to cancel a booking.", ("c-1", "Call 0900 123 456 to cancel")
    )
    answer = pipeline(rules, replies=[reply + DONE]).ask("How do I book and cancel a booking?")
    assert "## https://pool.example/book" in answer.plain


def test_a_partly_supported_sentence_brings_no_link_of_its_own() -> None:
    linked = statement("The sauna costs [9 EUR](https://evil.example/pay) per visit.", ("c-1", None))
    answer = finished(list(pipeline(POOL, replies=[OPENS + linked + DONE, ""]).events(QUESTION))).answer
    assert "evil" not in answer.text


def test_what_a_footnote_says_is_not_shown() -> None:
    reply = statement(
        "The pool opens at 7 in the morning.[^1]\n\n[^1]: The sauna burned down.", ("c-1", None)
    )
    answer = pipeline(POOL, replies=[reply + DONE]).ask(QUESTION)
    assert answer.plain == "The pool opens at 7 in the morning."
    assert answer.removed == ()


@pytest.mark.parametrize(
    "fixed", ["The sources do not answer this question.", "The sources answer only part of the question."]
)
def test_a_fixed_sentence_does_not_stand_beside_a_fact_nor_count_as_one(fixed: str) -> None:
    rag = pipeline(POOL, replies=[statement(fixed) + OPENS + DONE])
    answer = rag.ask(QUESTION)
    assert answer.plain == "The pool opens at 7 in the morning."
    assert answer.removed == ()


def test_a_sentence_that_has_its_subject_alone_from_a_source_is_withheld() -> None:
    lake = statement("The pool has a waterfall.", ("c-1", None))
    answer = finished(list(pipeline(POOL, replies=[OPENS + lake + DONE, ""]).events(QUESTION))).answer
    assert answer.plain == "The pool opens at 7 in the morning."


def test_a_reader_of_a_lower_level_goes_on_without_what_a_higher_one_was_told() -> None:
    merger = Document("merger", "The merger with Kestrel costs 900 EUR.", access_level="confidential")
    rag = pipeline(POOL, merger)
    first = rag.ask("What does the merger with Kestrel cost?", reader="confidential")
    assert "900 EUR" in first.plain
    model = ScriptedModel(["", ""])
    asked = Pipeline(replace(rag.parts, model=model), rag.settings)
    events = list(asked.events("And what does the sauna cost?", after=first, reader="public"))
    assert [request.prompt for request in model.requests if "Kestrel" in request.prompt] == []
    assert "Kestrel" not in repr(events)
    assert finished(events).answer.first_id == first.turn.last_id + 1
    again = list(asked.events("And what does the sauna cost?", after=first, reader="confidential"))
    assert "Kestrel" in repr(again)


# --- warnings -----------------------------------------------------------------------------------

WEAK = "only loosely related"


def test_a_sure_answer_is_not_called_loosely_related() -> None:
    answer = pipeline(
        Document("fees", "Entry costs 10 EUR. Children pay nothing.", title="Fees", access_level="public")
    ).ask("What does entry cost?")
    assert max(hit.score for hit in answer.hits) < 0.30 < (answer.confidence_parts["answers"] or 0.0)
    assert not [one for one in answer.warnings if WEAK in one]


def test_an_answer_from_weak_passages_that_nothing_makes_likelier_is_called_so() -> None:
    rag = pipeline(POOL, replies=[OPENS + DONE])
    answer = Pipeline(rag.parts, replace(rag.settings, weak_below=1.0)).ask(QUESTION)
    assert [one for one in answer.warnings if WEAK in one]


COMMAND = "pincite refresh -c embedder.model=local"


def declined(question: str, *documents: Document, command: str = COMMAND) -> tuple[bool, tuple[str, ...]]:
    rag = pipeline(*documents)
    answer = Pipeline(rag.parts, replace(rag.settings, vectors_command=command)).ask(question)
    return answer.abstained, tuple(one for one in answer.warnings if COMMAND in one)


POOL_EN = replace(POOL, language="en")


def test_a_question_in_another_language_is_told_the_command_that_helps() -> None:
    assert declined("Wann öffnet das Schwimmbad am Morgen?", POOL_EN) == (
        True,
        (
            f"This index is searched by words alone. After `{COMMAND}`, once, it is searched by meaning and across languages too.",
        ),
    )


def test_a_question_of_whose_words_nothing_is_found_is_told_so_too() -> None:
    assert declined("Do tigers juggle umbrellas?", POOL_EN)[1]


@pytest.mark.parametrize(
    ("question", "documents", "command"),
    [
        (
            "When does the pool open in summer holidays of Bavaria?",
            (POOL_EN,),
            "",
        ),  # no such extra, or vectors are there
        ("Wann öffnet das Schwimmbad am Morgen?", (), COMMAND),  # no documents
        ("Who painted the ceiling of the sauna?", (POOL_EN,), COMMAND),  # passages of its language were found
        ("When does the pool open?", (POOL_EN,), COMMAND),  # answered
    ],
)
def test_where_the_command_would_not_help_it_is_not_named(
    question: str, documents: tuple[Document, ...], command: str
) -> None:
    assert declined(question, *documents, command=command)[1] == ()


def test_a_question_answered_in_other_words_is_not_said_to_be_uncovered() -> None:
    queue = Document(
        "queue",
        "# (Un)locking the queue\n\nIf you can't move episodes around in the queue, this can be caused by either of the "
        "following:\n\n- `Keep Sorted` is enabled.\n- The queue is locked.\n\nThe home screen has five sections. Downloads go "
        "to the inner storage.",
        access_level="public",
    )
    answer = pipeline(queue).ask("Why can't I move episodes around in my queue?")
    assert "The queue is locked." in answer.plain
    assert answer.uncovered_aspects == ()
