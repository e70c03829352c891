"""How the sentences of passages bear on a question."""

from __future__ import annotations

from tests.doubles import hits

from pincite.text.bearing import Asked, Signals, parts_of, passages, signals


def of(question: str, *texts: str, language: str = "en") -> list[tuple[str, Signals]]:
    """Each quotable part of the passages with its signals."""
    parts = parts_of(hits(*texts), language)
    asked = Asked.of(question, question, parts, language)
    around = passages(parts)
    return [(one.piece.quote, signals(asked, one, around[one.place])) for one in parts]


def test_questions_lead_ins_and_headings_are_no_parts() -> None:
    found = of(
        "fees", "# Fees\n\nWhat are the fees?\n\nThe fees are:\n\n- 5 EUR\n\nShort heading\n\nPay at once."
    )
    assert [quote for quote, _ in found] == ["5 EUR", "Pay at once."]


def test_the_sentence_with_the_words_of_the_question_holds_more_than_the_one_beside_it() -> None:
    (_, first), (_, second) = of(
        "How long does the warranty last?", "The warranty lasts two years. It is free."
    )
    assert first.own > second.own
    assert second.beside > 0
    assert first.kind_held == 0 or first.kind_held == 1


def test_pieces_of_words_see_through_compounds() -> None:
    (_, first), (_, second) = of(
        "Wie hoch ist die Bevölkerungsdichte?", "Die Bevölkerung ist groß. Der Fluss ist lang.", language="de"
    )
    assert first.pieces > second.pieces == 0
    assert first.kin > second.kin == 0


def test_words_of_the_same_meaning_count() -> None:
    ((_, found),) = of("What is the fee for a refund?", "A reimbursement is free of charge.")
    assert found.meant > 0


def test_a_value_of_the_kind_that_is_asked_for_is_told_from_its_absence() -> None:
    (_, with_date), (_, without) = of("When did it open?", "It opened on 3 May 1921. It opened late.")
    assert (with_date.kind_held, with_date.surely_missing) == (1.0, 0.0)
    assert (without.kind_held, without.surely_missing) == (0.0, 1.0)


def test_thai_is_cut_into_phrases_of_at_most_160_characters() -> None:
    text = " ".join(["ข้อความยาวมากที่ไม่มีจุดจบประโยค" * 2] * 12)
    parts = parts_of(hits(text), "th")
    assert parts
    assert all(len(one.piece.quote) <= 160 for one in parts)


def test_prompt_ids_count_from_where_the_conversation_stands() -> None:
    assert [one.prompt_id for one in parts_of(hits("One is one.", "Two is two."), "en", first_id=7)] == [
        "c-7",
        "c-8",
    ]
