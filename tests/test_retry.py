"""What the one retry may change: the sentences that failed, and nothing else."""

from __future__ import annotations

from pincite import Document
from pincite.answer import Answer
from tests.doubles import pipeline, statement

POOL = Document(
    "pool",
    "The pool opens at 7:00. Entry costs 9 EUR for adults. Dogs are not allowed. Towels can be rented for 3 EUR.",
)
OPENS = statement("The pool opens at 7:00.", ("c-1", "The pool opens at 7:00"))
ENTRY = statement("Entry costs 9 EUR for adults.", ("c-1", "Entry costs 9 EUR"))
DOGS = statement("Dogs are not allowed.", ("c-1", "Dogs are not allowed"))
WRONG_ENTRY = statement("Entry costs 90 EUR for adults.", ("c-1", "Entry costs 90 EUR"))
WRONG_DOGS = statement("Dogs are allowed.", ("c-1", "Dogs are allowed"))


def asked(draft: str, again: str) -> Answer:
    return pipeline(POOL, replies=[draft, again]).ask(
        "When does the pool open, what does entry cost and are dogs allowed?"
    )


def test_a_verified_sentence_stays_when_only_its_neighbour_is_replaced() -> None:
    both = statement("The pool opens at 7:00. Entry costs 90 EUR for adults.", ("c-1", None))
    answer = asked(both, ENTRY)
    assert answer.plain == "The pool opens at 7:00. Entry costs 9 EUR for adults."
    (mended,) = answer.repairs
    assert (mended.before, mended.after) == (
        "Entry costs 90 EUR for adults.",
        "Entry costs 9 EUR for adults.",
    )


def test_a_replacement_stands_where_the_sentence_stood_that_failed() -> None:
    three = statement(
        "- The pool opens at 7:00.\n- Entry costs 90 EUR for adults.\n- Towels can be rented for 3 EUR.",
        ("c-1", None),
    )
    answer = asked(three, ENTRY)
    assert [one.text for one in answer.sentences] == [
        "The pool opens at 7:00.",
        "Entry costs 9 EUR for adults.",
        "Towels can be rented for 3 EUR.",
    ]


def test_a_statement_written_anew_takes_the_place_of_the_old_one() -> None:
    both = statement("The pool opens at 7:00. Entry costs 90 EUR for adults.", ("c-1", None))
    anew = statement("The pool opens at 7:00. Entry costs 9 EUR for adults.", ("c-1", None))
    assert asked(both, anew).plain == "The pool opens at 7:00. Entry costs 9 EUR for adults."


def test_the_lines_before_a_replacement_do_not_take_its_place() -> None:
    lead_in = statement("Here is the corrected line:")
    assert asked(WRONG_ENTRY + OPENS, lead_in + ENTRY).plain == (
        "Entry costs 9 EUR for adults. The pool opens at 7:00."
    )


def test_a_whole_answer_that_comes_back_replaces_only_what_failed() -> None:
    answer = asked(OPENS + WRONG_ENTRY + DOGS, OPENS + ENTRY + DOGS)
    assert answer.plain == "The pool opens at 7:00. Entry costs 9 EUR for adults. Dogs are not allowed."
    assert [one.place for one in answer.repairs] == [1]


def test_of_fewer_replacements_each_goes_where_its_words_are() -> None:
    answer = asked(WRONG_ENTRY + WRONG_DOGS + OPENS, DOGS)
    assert answer.plain == "Dogs are not allowed. The pool opens at 7:00."
    assert [(one.place, one.before) for one in answer.repairs] == [(1, "Dogs are allowed.")]
    assert [one.text for one in answer.removed] == ["Entry costs 90 EUR for adults."]


def test_a_refusal_replaces_no_fact() -> None:
    answer = asked(WRONG_ENTRY + OPENS, statement("The sources do not answer this question."))
    assert answer.plain == "The pool opens at 7:00."
    assert answer.repairs == ()
    assert [one.text for one in answer.removed] == ["Entry costs 90 EUR for adults."]


def test_a_replacement_that_holds_in_part_is_told_of() -> None:
    partly = statement(
        "Entry costs 9 EUR for adults. Towels can be rented for 30 EUR. Dogs are not allowed.", ("c-1", None)
    )
    answer = asked(WRONG_ENTRY + OPENS, partly)
    assert answer.plain == "Entry costs 9 EUR for adults. Dogs are not allowed. The pool opens at 7:00."
    assert [one.after for one in answer.repairs] == ["Entry costs 9 EUR for adults. Dogs are not allowed."]
    assert [one.text for one in answer.removed] == ["Towels can be rented for 30 EUR."]


def test_what_holds_without_its_failed_quote_is_not_given_up_for_another_sentence() -> None:
    # Without markers both sentences have both quotes; one of them is nowhere.
    both = statement(
        "The pool opens at 7:00. Entry costs 90 EUR for adults.",
        ("c-1", "Entry costs 90 EUR for adults"),
    )
    answer = asked(both, DOGS)
    assert answer.plain == "The pool opens at 7:00. Dogs are not allowed."
    assert [(one.kind, one.before) for one in answer.repairs] == [
        ("replaced", "Entry costs 90 EUR for adults."),
        ("quote_removed", "The pool opens at 7:00."),
    ]


def test_as_many_other_sentences_do_not_push_out_what_held() -> None:
    both = statement("The pool opens at 7:00. Entry costs 90 EUR for adults.", ("c-1", None))
    others = statement("Dogs are not allowed. Towels can be rented for 3 EUR.", ("c-1", None))
    assert "The pool opens at 7:00." in asked(both, others).plain


def test_a_repair_of_a_sentence_that_was_withheld_after_all_is_not_told_of() -> None:
    uncited = statement("However, they can be rented for 3 EUR.")
    answer = asked(OPENS + statement("Towels are made of silk.", ("c-1", None)) + uncited, "")
    assert answer.plain == "The pool opens at 7:00."
    assert "However, they can be rented for 3 EUR." in [one.text for one in answer.removed]
    assert answer.repairs == ()


def test_an_answer_that_declines_tells_of_no_repairs() -> None:
    answer = asked(WRONG_ENTRY, "")
    assert answer.abstained
    assert answer.repairs == ()
