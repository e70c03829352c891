"""Where a quote stands, exactly, and what is never accepted."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pincite.findings import QuoteMatch, QuoteMatchKind
from pincite.quotes import match_quote, match_quote_across, prepare
from pincite.types import Span

SHARED = Path(os.environ.get("PINCITE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
EXACT, NORMALIZED, UNIT, FUZZY, NONE = (
    QuoteMatchKind.EXACT,
    QuoteMatchKind.NORMALIZED,
    QuoteMatchKind.UNIT_EQUIVALENT,
    QuoteMatchKind.FUZZY,
    QuoteMatchKind.NONE,
)


def found(quote: str, chunk: str) -> tuple[QuoteMatchKind, str]:
    """The kind, and the words of the chunk that were found or, in brackets, the look-alike."""
    match = match_quote(quote, chunk)
    if match.span:
        return match.kind, match.span.of(chunk)
    return match.kind, f"[{match.near.of(chunk)}]" if match.near else ""


# --- found --------------------------------------------------------------------------------------


def test_a_quote_that_stands_there_is_exact() -> None:
    assert match_quote("within 30 days", "Returns within 30 days.") == QuoteMatch(
        EXACT, 8, 22, 1.0, pieces=(Span(8, 22),), occurrences=(Span(8, 22),)
    )


@pytest.mark.parametrize(
    ("quote", "chunk", "words"),
    [
        (
            "then press the dough flat",
            "½ cup of oats, then Press the\ndough flat.",
            "then Press the\ndough flat",
        ),
        ("final office review", "The ﬁnal oﬃce review.", "ﬁnal oﬃce review"),
        ('The "Basic" plan can\'t', "The “Basic” plan can’t lapse", "The “Basic” plan can’t"),
        ("information for all", "infor-\nmation for all", "infor-\nmation for all"),
        ("long-term storage", "the long-\nterm storage", "long-\nterm storage"),
        ("café au lait", "cafe\u0301 au lait", "cafe\u0301 au lait"),
        ("soft hyphens go", "so\u00adft hy\u200bphens go", "so\u00adft hy\u200bphens go"),
        ("bold words stay", "**bold** wo*rd*s stay", "bold** wo*rd*s stay"),
        ("see the guide now", "see [the guide](https://x.org/2) now", "see [the guide](https://x.org/2) now"),
        ("read the guide", "read [the guide](https://x.org/2).", "read [the guide](https://x.org/2)"),
        ("Basic 10 GB", "| Basic | 10 GB |", "Basic | 10 GB"),
        ("R&D costs 5 %", "R&amp;D costs 5&nbsp;%", "R&amp;D costs 5&nbsp;%"),
        ("返品は14日以内", "返品は１４日以内です", "返品は１４日以内"),
        ("in 30 days [4]", "paid in 30 days.", "in 30 days"),
        ("paid in full【4†source】", "It is paid in full", "paid in full"),
        ("paid in full (Smith et al., 2005)", "It is paid in full", "paid in full"),
        ("L'HOMME EST VENU", "L’homme est venu", "L’homme est venu"),
        ("Fernseh- und Radiosender", "die Fernseh-\nund Radiosender", "Fernseh-\nund Radiosender"),
    ],
)
def test_layout_is_forgiven_and_the_span_is_the_original(quote: str, chunk: str, words: str) -> None:
    assert found(quote, chunk) == (NORMALIZED, words)


@pytest.mark.parametrize(
    ("quote", "chunk"),
    [
        ("up to 1000 MB per user", "up to 1 GB per user"),
        ("lasts 90 minutes at most", "lasts 1.5 h at most"),
        ("lasts 90 min at most", "lasts 1 h 30 min at most"),
        ("a share of 0.25 in May", "a share of 25 % in May"),
        ("costs 1.234,5 euros in all", "costs 1,234.5 euros in all"),
        ("costs $1,200,000 in all", "costs $1.2 million in all"),
        ("within 30 days of delivery", "within thirty days of delivery"),
    ],
)
def test_the_same_quantity_in_another_form_is_accepted(quote: str, chunk: str) -> None:
    assert found(quote, chunk) == (UNIT, chunk)


def test_a_changed_word_is_a_paraphrase_and_listed() -> None:
    chunk = "Our stores accept unworn shoes within thirty days of delivery."
    match = match_quote("Our stores take unworn shoes within thirty days of delivery.", chunk)
    assert (match.kind, match.span) == (FUZZY, Span(0, 62))
    assert [(one.kind, one.answer, one.source) for one in match.differences] == [("word", "take", "accept")]


def test_typos_and_left_out_words_are_paraphrases() -> None:
    chunk = "The deposit is returned in full when the keys are handed in before noon."
    assert found("The desposit is retruned in full when the keys are handed in", chunk)[0] == FUZZY
    assert found("The deposit is returned when the keys are handed in before noon", chunk)[0] == FUZZY


def test_clauses_the_other_way_round_are_a_paraphrase_and_scattered_words_are_not() -> None:
    chunk = "If the parcel is lost, the sender pays for it."
    assert found("the sender pays for it, If the parcel is lost", chunk) == (FUZZY, chunk[:-1])
    assert found("the parcel pays if the sender is lost for it", chunk)[0] == NONE


# --- never accepted -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quote", "chunk", "kind"),
    [
        ("free for 90 days and five projects", "free for 30 days and five projects", "number"),
        ("free for 30 weeks after you order", "free for 30 days after you order", "number"),
        ("gratis durante 30 semanas tras la compra", "gratis durante 30 días tras la compra", "unit"),
        ("grew by 15 percent in the quarter", "grew by 1.5 percent in the quarter", "number"),
        ("fell to 12 degrees in the valley", "fell to -12 degrees in the valley", "number"),
        ("costs €5 for each of the members", "costs $5 for each of the members", "currency"),
        ("holds 1 GB of files for each user", "holds 1 Gb of files for each user", "number"),
        ("refunds are available after the sale", "refunds are not available after the sale", "negation"),
        ("refunds aren't available after the sale", "refunds are available after the sale", "negation"),
        ("the seat is unavailable on that day", "the seat is available on that day", "negation"),
        ("退款可在三十天后申请并支付", "退款不可在三十天后申请并支付", "negation"),
        ("Die Rückgabe ist unmöglich nach der Frist", "Die Rückgabe ist möglich nach der Frist", "negation"),
        ("لا يمكن استرداد المبلغ بعد الدفع", "يمكن استرداد المبلغ بعد الدفع", "negation"),
        ("लागू नहीं होता है जब तक आदेश न हो", "लागू होता है जब तक आदेश न हो", "negation"),
        ("prices increased in the second half", "prices decreased in the second half", "opposite"),
        ("all members may vote in the hall", "some members may vote in the hall", "quantifier"),
        ("members must sign before they enter", "members may sign before they enter", "modality"),
        ("open in March and closed for repairs", "open in April and closed for repairs", "month"),
        ("signed by Dr. Meier in the new hall", "signed by Dr. Maier in the new hall", "name"),
        ("bought by Google in a private deal", "bought by Oracle in a private deal", "name"),
    ],
)
def test_a_changed_fact_is_refused_and_the_look_alike_shown(quote: str, chunk: str, kind: str) -> None:
    match = match_quote(quote, chunk)
    assert (match.kind, match.span) == (NONE, None)
    assert match.near == Span(0, len(chunk))
    assert kind in [one.kind for one in match.differences]


def test_names_that_change_places_are_refused() -> None:
    assert found("Alice pays Bob within ten days", "Bob pays Alice within ten days")[0] == NONE


def test_the_spans_of_a_difference_give_its_words_back() -> None:
    quote, chunk = "kept for 90 days", "Files are kept for 30 days."
    (difference,) = match_quote(quote, chunk).differences
    assert difference.answer_span
    assert difference.source_span
    assert difference.answer_span.of(quote) == difference.answer == "90 days"
    assert difference.source_span.of(chunk) == difference.source == "30 days"


@pytest.mark.parametrize("quote", ["", "   ", "!!!", "&amp; &lt;", "…", "🚀", "\u0301", "\ud800", "\0"])
def test_a_quote_without_a_letter_or_digit_is_none(quote: str) -> None:
    assert match_quote(quote, f"some {quote} text").kind == NONE


# --- borders ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quote", "chunk"),
    [
        ("male", "female"),
        ("available", "unavailable"),
        ("refundable", "non-refundable"),
        ("We can", "We can't say"),
        ("5 days", "1.5 days"),
        ("3 degrees", "-3 degrees"),
        ("costs 25", "costs 25 %"),
        ("costs 9", "costs 9€"),
        ("version 2", "version 2.10"),
        ("cafe", "cafe\u0301"),
        ("mation", "infor-\nmation"),
        ("が", "か\u3099く".replace("か\u3099", "か")),
    ],
)
def test_a_quote_may_not_begin_or_end_inside_a_word_a_character_or_a_number(quote: str, chunk: str) -> None:
    assert match_quote(quote, chunk).span is None


def test_scripts_without_blanks_are_quoted_from_anywhere() -> None:
    assert found("日以内", "返品は14日以内です") == (EXACT, "日以内")


def test_a_span_takes_in_the_marks_of_its_last_letter() -> None:
    assert found("CAFE\u0301", "cafe\u0301 noir") == (NORMALIZED, "cafe\u0301")


def test_offsets_count_code_points_of_the_chunk_as_given() -> None:
    chunk = "📦📦 İstanbul: Ships in 2 days"
    match = match_quote("ships in 2 days", chunk)
    assert match.span == Span(13, 28)


# --- one of several places, several pieces ------------------------------------------------------

REPEATED = "Hours\nClosed on Mondays.\nHolidays\nClosed on Mondays.\nContact"


def test_repeated_text_is_the_first_place_and_all_are_listed() -> None:
    match = match_quote("Closed on Mondays.", REPEATED)
    assert match.span == Span(6, 24)
    assert match.occurrences == (Span(6, 24), Span(34, 52))


def test_prefix_and_suffix_choose_the_place() -> None:
    assert match_quote("Closed on Mondays.", REPEATED, prefix="Holidays\n").span == Span(34, 52)
    assert match_quote("closed on mondays.", REPEATED, suffix=" contact").span == Span(34, 52)


def test_function_words_that_stand_several_times_name_no_passage() -> None:
    assert match_quote("the", "the cat and the dog").kind == NONE
    assert match_quote("the", "the cat").kind == EXACT


def test_a_stitched_quote_is_found_piece_by_piece() -> None:
    chunk = "Refunds are paid in cash or by card within ten days."
    match = match_quote("Refunds are paid … within ten days", chunk)
    assert match.kind == FUZZY
    assert [piece.of(chunk) for piece in match.pieces] == ["Refunds are paid", "within ten days"]
    assert match.differences[0].source == "in cash or by card"


def test_an_ellipsis_may_not_hide_a_negation_or_a_limit() -> None:
    assert match_quote("Refunds are … paid", "Refunds are not always paid").kind == NONE
    assert match_quote("Returns are free … for members", "Returns are free only for members").kind == NONE


def test_a_sentence_left_out_whole_may_hold_a_negation() -> None:
    chunk = "Returns are free. Gifts are not. Shoes cost 5 EUR."
    assert match_quote("Returns are free. … Shoes cost 5 EUR.", chunk).kind == FUZZY


def test_pieces_out_of_order_are_refused() -> None:
    assert (
        match_quote("within ten days … Refunds are paid", "Refunds are paid in cash within ten days").kind
        == NONE
    )


# --- over chunks --------------------------------------------------------------------------------


def test_a_quote_over_a_seam_has_a_part_in_each_chunk() -> None:
    match = match_quote_across("paid within five days", [("a", "It is paid"), ("b", "within five days.")])
    assert (match.kind, match.parts) == (NORMALIZED, (("a", Span(6, 10)), ("b", Span(0, 16))))


def test_chunks_that_overlap_are_joined_at_what_they_share() -> None:
    chunks = [("a", "Claims are paid to the card"), ("b", "paid to the card in five days.")]
    match = match_quote_across("Claims are paid to the card in five days", chunks)
    assert match.parts == (("a", Span(0, 27)), ("b", Span(0, 29)))


def test_a_quote_in_one_chunk_has_one_part() -> None:
    assert match_quote_across("five days", [("a", "paid"), ("b", "in five days")]).parts == (
        ("b", Span(3, 12)),
    )


def test_a_changed_fact_over_a_seam_is_refused() -> None:
    assert (
        match_quote_across("paid within nine days", [("a", "It is paid"), ("b", "within five days.")]).parts
        == ()
    )


# --- prepared chunks and data sets ----------------------------------------------------------------


def test_a_prepared_chunk_gives_the_same_matches() -> None:
    chunk = "Größe &amp; Farbe: **30 Tage** Rück-\ngabe, ﬁnal. " * 400
    prepared = prepare(chunk)
    for quote in (
        "30 Tage Rückgabe",
        "GRÖSSE & FARBE",
        "final",
        "31 Tage Rückgabe",
        "Größe und Farbe: 30 Tage Rükgabe",
    ):
        assert match_quote(quote, prepared) == match_quote(quote, chunk)


def test_quotes_that_people_took_from_wikipedia_are_found_where_they_took_them() -> None:
    path = SHARED / "data" / "quotesum" / "quotesum.en.jsonl"
    if not path.is_file():
        pytest.skip(f"QuoteSum is not at {path}")
    missed = []
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        texts = {source["n"]: source["text"] for source in record["sources"]}
        for quote in record["quotes"]:
            if quote["match"] in ("exact", "case", "space"):
                match = match_quote(quote["text"], texts[quote["source"]])
                if (match.start, match.end) != (quote["src_start"], quote["src_end"]):
                    missed.append(quote["text"])
    # Two labels begin inside a word ("are" in "firmware", "aced" in "faced"); a match may not.
    assert missed == ["are", "aced the Dolphins in Super Bowl VII and Super Bowl XVII"]


def test_summaries_edited_to_be_wrong_are_never_taken_for_the_original() -> None:
    path = SHARED / "data" / "summedits" / "summedits.claims.jsonl"
    if not path.is_file():
        pytest.skip(f"SummEdits is not at {path}")
    kinds = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        original = record.get("original_claim")
        if record["label"] == "not_supported" and original and original != record["claim"]:
            kinds.add(match_quote(record["claim"], original).kind)
    assert kinds == {FUZZY, NONE}


def test_a_place_that_is_refused_does_not_hide_one_that_overlaps_it() -> None:
    quote = "within 30 days | refunds within 30 days"
    chunk = "within 30 daysrefunds within 30 days | REFUNDS within 30 days"
    assert found(quote, chunk) == (NORMALIZED, "within 30 days | REFUNDS within 30 days")
